"""A made-up board in the style of MS MARCO, for the tables whose runs are not public."""

from dataclasses import replace
from functools import cache

import cranfield as cf
from cranfield.simulate import MSMARCO


@cache
def board() -> cf.Values:
    """Forty made-up runs of 1,000 topics that have one relevant document each."""
    made = replace(MSMARCO, topics=1000, groups=12, runs=40, depth=100, candidates=500).make()
    runs = {name: made.run_columns(name) for name in made.names}
    return cf.evaluate(made.qrels_columns(), runs, "RR@100 nDCG@10")
