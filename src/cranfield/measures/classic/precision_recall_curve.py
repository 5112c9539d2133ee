"""Interpolated precision–recall curves of runs."""

from collections.abc import Sequence

from cranfield.core import ParameterError
from cranfield.data import Assessed, Curve

from .interpolated_precision import IPrec

LEVELS = tuple(i / 10 for i in range(11))


def precision_recall(assessed: Assessed, *, levels: Sequence[float] = LEVELS, rel: float = 1) -> Curve:
    """Interpolated precision at levels of recall: the best precision at this recall or any higher one.

    A level that a ranking never reaches has precision 0, and so has every level of a topic without relevant documents.
    """
    if not levels or not all(0 <= level <= 1 for level in levels):
        hint = "recall is between 0 and 1: 0, 0.1, 0.2, …, 1"
        raise ParameterError(f"there is no curve at recall {', '.join(map(str, levels)) or 'of no level'}", hint=hint)
    points = tuple(float(level) for level in levels)
    cube = assessed.map([IPrec(recall=level, rel=rel) for level in points])
    return Curve("precision-recall", "recall", "precision", points, cube)


CURVES = {"pr": precision_recall}
