"""Type aliases for arrays, and enumerations of scales, directions and tie-breaking rules."""

from enum import IntEnum, StrEnum
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Grades: TypeAlias = NDArray[np.float64]  # (row, document): what the assessor said, in rank order; -inf: nobody judged
Gains: TypeAlias = NDArray[np.float64]  # (row, document): the grade mapped to worth
Ranks: TypeAlias = NDArray[np.float64]  # (row, document): 1 is the top; fractions come from averaged ties
Weights: TypeAlias = NDArray[np.float64]  # (row, document): how much of the user's attention arrives
Rows: TypeAlias = NDArray[np.float64]  # (row,): one number per (run, topic)
Matrix: TypeAlias = NDArray[np.float64]  # (topic, run): what statistics see
Cube: TypeAlias = NDArray[np.float64]  # (run, topic, measure): what an evaluation yields


class Scale(IntEnum):
    """The arithmetic a set of numbers supports: a larger value supports more."""

    NOMINAL = 0
    ORDINAL = 1
    INTERVAL = 2
    RATIO = 3

    def __str__(self) -> str:
        return self.name.lower()


class Direction(StrEnum):
    """Which end of a measure is the good one."""

    HIGHER = "higher"
    LOWER = "lower"


class Ties(StrEnum):
    """What becomes of documents to which a run gave the same score."""

    TREC = "trec"  # document id descending by bytes, as trec_eval sorts
    DOCNO_ASC = "docno-asc"  # document id ascending by bytes
    INPUT = "input"  # the order of the lines in the file
    RANK = "rank"  # the rank column of the file
    AVERAGE = "average"  # the expectation over all orders of the tied documents
    BOUNDS = "bounds"  # the worst and the best order, as an interval
