"""What 24 runs add to the best of each other group, and what there was to add as they came.

python examples/what_a_run_adds.py novelty.svg chronology.svg
"""

import sys

import cranfield as cf
from cranfield.charts import draw, save
from cranfield.simulate import Campaign

if __name__ == "__main__":
    novelty, chronology = sys.argv[1:] or ("novelty.svg", "chronology.svg")
    made = Campaign(groups=6, runs=24, seed=5).make()
    runs = {name: made.run_columns(name) for name in made.names}
    values = cf.evaluate(made.qrels_columns(), runs, "nDCG@10")
    relative = cf.novelty(values, prior="best-per-group", entries=made.table())
    save(draw(relative, "novelty"), novelty)
    dated = cf.novelty(values, prior="chronological", entries=made.table())
    save(draw(dated, "chronology"), chronology)
    print(relative.sentence)
    print(dated.sentence)
