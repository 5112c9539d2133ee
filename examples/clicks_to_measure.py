"""From the clicks of made-up users to a measure whose user is one of them.

python examples/clicks_to_measure.py click_curves.svg examination.svg
"""

import sys

import cranfield as cf
from cranfield.charts import draw, save
from cranfield.simulate import Campaign, simulate_log

if __name__ == "__main__":
    clicks, examination = sys.argv[1:] or ("click_curves.svg", "examination.svg")
    made = Campaign(topics=30, groups=4, runs=8, depth=100, seed=3).make()
    runs = {name: made.run_columns(name) for name in made.names}
    log = simulate_log(made.qrels_columns(), runs, users=2000)
    study = cf.clicks(log, models="RCTR PBM UBM DBN", calibrate="RBP rrDBN", qrels=made.qrels_columns())
    save(draw(study, "click-curves"), clicks)
    save(draw(study, "examination"), examination)
    print(study.sentence)
    values = cf.evaluate(made.qrels_columns(), runs, ["RBP(p=0.8)", *study.verdict["measures"]], scale="ignore")
    for row in cf.bridge(values, log, outcome="ctr")["bridge"].rows():
        print(f"{row['kendall']:.2f} {row['measure']}")
