"""Compare two runs of which one answers more topics and the other ranks better, by a mean and by outcomes.

python examples/two_runs.py outcomes.svg differences.svg
"""

import sys

import cranfield as cf
from cranfield.charts import draw, save
from cranfield.simulate import Campaign

if __name__ == "__main__":
    outcomes, differences = sys.argv[1:] or ("outcomes.svg", "differences.svg")
    made = Campaign(topics=500, groups=5, runs=8, depth=100, one_relevant=True, seed=5).make()
    runs = {name: made.run_columns(name) for name in ("ember-1", "ember-2")}
    values = cf.evaluate(made.qrels_columns(), runs, "RR@100")
    study = cf.compare(values, scale="ignore")
    save(draw(study, "outcomes"), outcomes)
    save(draw(study, "topic-differences"), differences)
    print(study.verdict.kind, study.sentence, sep=": ")
    study = cf.compare(values, by="outcomes", scale="ignore")
    print(study.verdict.kind, study.sentence, sep=": ")
