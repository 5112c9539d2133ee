"""Which of 20 runs differ: their means with Tukey's intervals, and the p-values of all 190 pairs.

python examples/which_runs_differ.py intervals.svg p_matrix.svg
"""

import sys

import cranfield as cf
from cranfield.charts import draw, save
from cranfield.simulate import Campaign

if __name__ == "__main__":
    intervals, matrix = sys.argv[1:] or ("intervals.svg", "p_matrix.svg")
    made = Campaign(groups=8, runs=20).make()
    runs = {name: made.run_columns(name) for name in made.names}
    values = cf.evaluate(made.qrels_columns(), runs, "AP")
    together = cf.anova(values)
    save(draw(together, "intervals"), intervals)
    save(draw(cf.test(values, "max-t"), "p-matrix"), matrix)
    print(together.verdict["sentence"])
