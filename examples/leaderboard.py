"""A leaderboard of 16 runs: how stable its ranks are, and how the state of the art came about.

python examples/leaderboard.py stability.svg sota.svg
"""

import sys

import cranfield as cf
from cranfield.charts import draw, save
from cranfield.simulate import Campaign

if __name__ == "__main__":
    stability, sota = sys.argv[1:] or ("stability.svg", "sota.svg")
    made = Campaign(groups=8, runs=16, seed=4).make()
    runs = {name: made.run_columns(name) for name in made.names}
    values = cf.evaluate(made.qrels_columns(), runs, "AP")
    board = cf.leaderboard(values, entries=made.table(), scale="ignore")
    save(draw(board, "stability"), stability)
    save(draw(board, "sota"), sota)
    print(board.verdict["sentence"])
