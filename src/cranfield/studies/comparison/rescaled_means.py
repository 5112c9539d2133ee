"""Table of a comparison: whether the order of two means survives every rescaling of the values."""

from collections.abc import Iterator, Sequence
from math import isnan
from typing import Any

from cranfield.core import Direction, Provenance, Table
from cranfield.data import Values
from cranfield.stats import NO_TOPIC, Pairs, Rescalings, find_rescalings, places

COMMON, OWN = "one for all topics", "one per topic"
COLUMNS = ("a", "b", "measure", "transformation", "better", "survives", "flip")


def meaning_table(values: Values, chosen: Sequence[tuple[int, int]], *, made_by: Provenance | None = None) -> Table:
    """One row for each measure, pair and group of transformations: whether the order of the means survives them all.

    Where a strictly increasing transformation can reverse the order, ``flip`` names one that does. ``better`` follows
    the direction of the measure. It is "neither" where the means are equal, and ``survives`` then says whether they
    stay equal.
    """
    rows = [row for measure in values.measures for row in _rows(values, measure, chosen)]
    caption = "whether the order of the means survives every strictly increasing transformation"
    empty = dict.fromkeys(f"{row['a']} and {row['b']}: {NO_TOPIC}" for row in rows if row["better"] is None)
    return Table.from_rows(rows, COLUMNS, caption=caption, made_by=made_by or values.made_by, notes=tuple(empty))


def _rows(values: Values, measure: Any, chosen: Sequence[tuple[int, int]]) -> Iterator[dict[str, Any]]:
    """Yield two rows for each pair."""
    matrix = values.matrix(measure)
    rescalings = find_rescalings(Pairs.given(matrix, list(chosen), places(values, measure, matrix)))
    larger = {1: "a", -1: "b"} if measure.direction is Direction.LOWER else {1: "b", -1: "a"}
    for pair, (a, b) in enumerate(chosen):
        known, sign = bool(rescalings.topics[pair]), int(rescalings.larger[pair])
        for transformation, toward, words in _flips(rescalings, pair, values.topics):
            flip = words if sign else f"{words}: {larger.get(toward)} is ahead then"
            yield {
                "a": values.runs[a],
                "b": values.runs[b],
                "measure": str(measure),
                "transformation": transformation,
                "better": larger.get(sign, "neither") if known else None,
                "survives": toward == 0 if known else None,
                "flip": flip if toward else None,
            }


def _flips(rescalings: Rescalings, pair: int, topics: Sequence[str]) -> Iterator[tuple[str, int, str]]:
    """Yield each group of transformations, the run that one of them puts ahead, and that one in words."""
    lift, threshold = _text(rescalings.lift[pair]), _text(rescalings.threshold[pair])
    yield COMMON, int(rescalings.common[pair]), f"add {lift} to every value above {threshold}"
    topic, factor = topics[int(rescalings.topic[pair])], float(rescalings.factor[pair])
    words = f"multiply the values of topic {topic} by {_text(factor)}"
    if isnan(factor):
        words = f"stretch topic {topic} until it outweighs all others"
    yield OWN, int(rescalings.own[pair]), words


def _text(number: float) -> str:
    return repr(float(number)).removesuffix(".0")
