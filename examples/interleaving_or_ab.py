"""How many pages it takes until the better of two runs is found out, by interleaving and by an A/B test.

python examples/interleaving_or_ab.py sensitivity.svg
"""

import sys

from cranfield.charts import draw, save
from cranfield.simulate import Campaign
from cranfield.studies import sensitivity

if __name__ == "__main__":
    (picture,) = sys.argv[1:] or ("sensitivity.svg",)
    made = Campaign(topics=40, groups=2, runs=4, depth=100).make()
    a, b = (made.run_columns(name) for name in ("aurora-1", "basalt-1"))
    study = sensitivity(made.qrels_columns(), {"aurora-1": a}, {"basalt-1": b}, users=3000)
    save(draw(study, study.charts[0]), picture)
    print(study.sentence)
    print(study["sensitivity"])
