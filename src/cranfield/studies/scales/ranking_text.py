"""Text form of many rankings at once, as sequences of grades."""

import numpy as np
from numpy.typing import NDArray

from cranfield.measures import Rankings


def written(rankings: Rankings, number: NDArray[np.int64]) -> list[str]:
    """(ranking,): the grades down each, as ``Rankings.written`` has one."""
    grades = np.array([f"{grade:g}" for grade in rankings.grades])
    inside = "" if _short(rankings) else " "
    return [inside.join(row) for row in grades[rankings.digits(number)].tolist()]


def parting(rankings: Rankings) -> str:
    """What stands between two rankings: a comma too, where there are spaces inside them."""
    return " " if _short(rankings) else ", "


def _short(rankings: Rankings) -> bool:
    """Whether every grade is one figure."""
    return all(len(f"{grade:g}") == 1 for grade in rankings.grades)
