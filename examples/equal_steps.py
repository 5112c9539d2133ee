"""All values of seven measures on rankings of four documents: which of them have equal steps?

python examples/equal_steps.py spacing.svg
"""

import sys

import cranfield as cf
from cranfield.charts import draw, save

if __name__ == "__main__":
    (picture,) = sys.argv[1:] or ("spacing.svg",)
    study = cf.scale("P AP RR RBP(p=0.3) RBP(p=0.5) RBP(p=0.8) DCG", length=4, relevant=4)
    save(draw(study, "spacing"), picture)
    print(study.sentence)
