"""Tables of the scale of each measure and of the values it takes on all short rankings."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Provenance, Scale, Table
from cranfield.measures import Claim, Measure, Spacing, parse_measures

from .ranking_spacings import Asked
from .ranking_text import parting, written

SHOWN = 8  # rankings of one value that are written down
MOST = 10_000  # values of one measure: a table of more is read by nobody

ORDERS = "scale against the measure's own order of rankings, top_heavy against rank 1 above all below it"
SCALES = ("measure", "scale", "source", "equispaced", "top_heavy", "rankings", "values", "smallest", "largest", "range")


def scales_table(
    measures: Asked,
    *,
    spacings: Mapping[Measure, Spacing] | None = None,
    made_by: Provenance | None = None,
) -> Table:
    """One row for each measure: the scale it claims, and whether its values are equally spaced.

    ``scale`` is claimed against the measure's own order of rankings, ``top_heavy`` against the one that puts the first
    rank above all below it. Without ``spacings`` nothing is said of values.
    """
    found = spacings or {}
    wanted = parse_measures(measures)
    rows = [_row(measure, found.get(measure)) for measure in wanted]
    notes = [f"{one}: {one.scale.own} {one.scale.condition}" for one in wanted if one.scale.condition]
    notes += [note for measure in wanted if measure in found for note in _notes(measure, found[measure])]
    caption = f"scales{', ' * bool(found)}{_size(found)} ({ORDERS})"
    return Table.from_rows(rows, SCALES, caption=caption, made_by=made_by, notes=tuple(notes))


def values_table(spacings: Mapping[Measure, Spacing], *, most: int = MOST, made_by: Provenance | None = None) -> Table:
    """One row for each value that a measure can take, the highest first, and the rankings that have it.

    ``gap`` is what lies between a value and the next above it. Of one measure ``most`` values are shown, chosen evenly
    from the lowest to the highest.
    """
    parts = [_values(measure, on, most) for measure, on in spacings.items()]
    columns = {name: _glued([part[name] for part in parts]) for name in parts[0]}
    notes = [
        f"{measure}: of {len(on.value):,} values {most:,} are shown, evenly chosen"
        for measure, on in spacings.items()
        if len(on.value) > most
    ]
    return Table(columns, f"values, {_size(spacings)}", made_by, (*notes, *_without(spacings)))


def _row(measure: Measure, on: Spacing | None) -> dict[str, Any]:
    claim = measure.scale if on is None else _claim(measure, on)
    said = {"measure": str(measure), "scale": str(claim.own), "source": claim.cite, "top_heavy": str(claim.top_heavy)}
    return dict.fromkeys(SCALES) | said | ({} if on is None else _spaced(on))


def _claim(measure: Measure, on: Spacing) -> Claim:
    """What is claimed where the top grade is known."""
    return measure.settled(max(on.rankings.grades)).scale


def _spaced(on: Spacing) -> dict[str, Any]:
    some = len(on.gap) > 0
    return {
        "equispaced": on.even,
        "rankings": int(on.count.sum()) + on.without,
        "values": len(on.value),
        "smallest": on.gap.min() if some else None,
        "largest": on.gap.max() if some else None,
        "range": on.value[-1] - on.value[0] if len(on.value) else None,
    }


def _notes(measure: Measure, on: Spacing) -> list[str]:
    """A word where a claim does not hold on these rankings, and on rankings without a value."""
    said = _without({measure: on})
    if _claim(measure, on).own >= Scale.INTERVAL and not on.even:
        said.append(f"{measure} claims equal steps, and has none here: some of the rankings between do not exist")
    return said


def _without(found: Mapping[Measure, Spacing]) -> list[str]:
    return [
        f"{measure}: {on.without:,} of {int(on.count.sum()) + on.without:,} rankings"
        f" {'has' if on.without == 1 else 'have'} no value"
        for measure, on in found.items()
        if on.without
    ]


def _size(found: Mapping[Measure, Spacing]) -> str:
    """How long the rankings are, and of what there is how much."""
    told = []
    for rankings in dict.fromkeys(on.rankings for on in found.values()):
        alone = len(rankings.relevant) == 1
        kinds = [f"{count} {'relevant' if alone else f'of grade {grade:g}'}" for grade, count in rankings.relevant]
        told.append(f"all rankings of {rankings.length}; {', '.join(kinds) or 'nothing is relevant'}")
    return "; ".join(told)


def _values(measure: Measure, on: Spacing, most: int) -> dict[str, Any]:
    """The columns of one measure, highest value first."""
    shown = _evenly(len(on.value), most)[::-1]
    gap = np.append(on.gap, np.nan) if len(on.value) else on.value
    return {
        "measure": [str(measure)] * len(shown),
        "value": on.value[shown],
        "runs": on.count[shown],
        "gap": gap[shown],
        "rankings": _listed(on, _first(measure, on, shown), shown),
    }


def _evenly(values: int, most: int) -> NDArray[np.int64]:
    """Which of the values are shown: all, or so many, the lowest and the highest among them."""
    return np.arange(values) if values <= most else np.linspace(0, values - 1, most).round().astype(np.int64)


def _glued(parts: list[Any]) -> Any:
    if isinstance(parts[0], list):
        return [cell for part in parts for cell in part]
    return np.concatenate(parts)


def _first(measure: Measure, on: Spacing, shown: NDArray[np.int64]) -> NDArray[np.int64]:
    """(value, place): the numbers of up to eight rankings of each value; -1 where there are no more."""
    numbers = np.full((len(on.value), SHOWN), -1)
    numbers[:, 0] = on.example
    if not len(shown) or on.count[shown].max() == 1:
        return numbers
    settled = measure.settled(max(on.rankings.grades))
    filled = np.zeros(len(on.value), np.int64)
    for number, assessed in on.rankings.chunks():
        value = assessed.map([settled])[:, 0, 0]
        there = ~np.isnan(value)
        place, number = on.place(value[there]), number[there]
        order = np.argsort(place, kind="stable")
        place, number = place[order], number[order]
        begins = np.flatnonzero(np.diff(place, prepend=-1))
        sizes = np.diff(begins, append=len(place))
        at = filled[place] + np.arange(len(place)) - np.repeat(begins, sizes)
        kept = at < SHOWN
        numbers[place[kept], at[kept]] = number[kept]
        filled[place[begins]] += sizes
    return numbers


def _listed(on: Spacing, numbers: NDArray[np.int64], shown: NDArray[np.int64]) -> list[str]:
    """(value,): its rankings, one after the other."""
    chosen = numbers[shown]
    text = iter(written(on.rankings, chosen[chosen >= 0]))
    between = parting(on.rankings)
    return [
        between.join([next(text) for _ in range(min(SHOWN, count))]) + " …" * (count > SHOWN)
        for count in on.count[shown].tolist()
    ]
