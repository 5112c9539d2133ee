"""What five ways to pool 18 runs would have found with fewer judgments, and whom they are unfair to.

python examples/which_strategy.py recall.svg pool_bias.svg
"""

import sys

import cranfield as cf
from cranfield.charts import draw, save
from cranfield.simulate import Campaign

if __name__ == "__main__":
    recall, bias = sys.argv[1:] or ("recall.svg", "pool_bias.svg")
    made = Campaign(groups=6, runs=18, topics=25, seed=5).make()
    runs = {name: made.run_columns(name) for name in made.names}
    study = cf.replay_pool(
        runs, made.qrels_columns(), strategies="depth mtf maxmean hedge nrg", entries=made.table(), threads=1
    )
    save(draw(study, "recall"), recall)
    save(draw(study, "pool-bias"), bias)
    print(study.sentence)
