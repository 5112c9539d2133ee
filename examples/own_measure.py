"""Capped recall, declared in a script, beside plain recall.

python examples/own_measure.py
"""

from typing import ClassVar

import numpy as np

import cranfield as cf
from cranfield.core.types import Rows
from cranfield.data import Block
from cranfield.measures import Binary, ratio
from cranfield.simulate import Campaign


@cf.measure("Rcap", cite="thakur2021beir")
class Rcap(Binary):
    """Capped recall: the relevant documents in the first ``k``, as a share of how many fit there."""

    family: ClassVar[str] = "binary"

    def value(self, block: Block) -> Rows:
        """Relevant documents found, over those that could be."""
        fit = np.minimum(block.relevant(self.rel), self.k or np.inf)
        return ratio(self.hit(block).sum(axis=1), fit)


if __name__ == "__main__":
    made = Campaign(topics=20, groups=3, runs=3).make()
    runs = {name: made.run_columns(name) for name in made.names}
    values = cf.evaluate(made.qrels_columns(), runs, [cf.R(k=20), Rcap(k=20), cf.R(k=1000), Rcap(k=1000)])
    print(values)
