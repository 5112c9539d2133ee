"""User behaviour that a measure implies: C/W/L curves, expected utility, cost and depth."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from cranfield.core import ParameterError, Provenance, Study, Table
from cranfield.core.types import Rows
from cranfield.data import assess_grades
from cranfield.measures.base import MEASURES, Browsing, Cascade, Measure, Reader
from cranfield.measures.notation.parsing import parse_measures

from .time_based import Timed

SHOWN, MOST = 20, 100  # ranks, where nobody says how many
LONG = 1 << 16  # ranks, to see whether a user ever leaves

WEIGHTS = ("measure", "rank", "weight")
CURVES = ("measure", "ranking", "rank", "continues", "weight", "last")
EXPECTED = ("measure", "ranking", "value", "EU", "ETU", "EC", "ETC", "ED")


def user_model(
    measures: str | Measure | Iterable[str | Measure],
    *,
    grades: Sequence[float] | Mapping[str, Sequence[float]] | None = None,
    depth: int | None = None,
) -> Study:
    """The users of measures as curves (C, W, L of C/W/L), and what they can expect, for rankings given as grades.

    ``weights``: the share of all looks that each rank gets, where rankings are not read alike for each of them.
    ``curves``: the chance to go on after a rank (C), the share of all looks that a rank gets (W), the chance that it is
    the last (L). ``expected``: gain and cost of a look (EU, EC) and of a whole visit (ETU, ETC), and how many documents
    are looked at (ED). ``grades`` is one ranking, or several by name, below which nothing is relevant; without it, a
    ranking with nothing relevant and one of relevant documents alone. ``depth`` is the last rank shown.

    Where users never leave (DCG without a cut-off), looks are counted down to ``depth``, and a note says so.
    """
    given: dict[str, Sequence[float]] | None = None
    if grades is not None:
        given = dict(grades) if isinstance(grades, Mapping) else {"given": grades}
    curves: list[dict[str, object]] = []
    expected: list[dict[str, object]] = []
    notes: list[str] = []
    wanted = [_settled(measure, given) for measure in parse_measures(measures)]
    for measure in wanted:
        last = depth or min(measure.k or SHOWN, MOST)
        whole = (_top(measure),) * max(last, measure.k or MOST)
        for name, ranking in (given or {"nothing relevant": (), "all relevant": whole}).items():
            visit = _visit(measure, ranking, last)
            said = {"measure": str(measure), "ranking": name}
            curves += [said | row for row in visit.curves(last)]
            expected.append(said | visit.expected())
            if not visit.ends:
                notes.append(f"{measure}, {name}: users never leave, so looks are counted down to rank {last}")
    made_by = Provenance(measures=tuple(map(str, wanted)))
    tables = {
        "weights": Table.from_rows(_weights(curves), WEIGHTS, caption="weights", made_by=made_by, notes=tuple(notes)),
        "curves": Table.from_rows(curves, CURVES, caption="curves", made_by=made_by, notes=tuple(notes)),
        "expected": Table.from_rows(expected, EXPECTED, caption="expected", made_by=made_by, notes=tuple(notes)),
    }
    looks: dict[str, set[float]] = {}
    for row in expected:
        looks.setdefault(str(row["measure"]), set()).add(round(float(str(row["ED"])), 2))
    each = [f"{measure} {' to '.join(f'{n:.2f}' for n in sorted({min(of), max(of)}))}" for measure, of in looks.items()]
    sentence = f"documents that a user looks at, in expectation: {', '.join(each)}"
    return Study("user_model", tables, {"sentence": sentence}, made_by, charts=("weights",))


def _weights(curves: Iterable[Mapping[str, object]]) -> list[dict[str, object]]:
    """W alone, for a picture: rankings that a measure's users read in the same way are one line."""
    lines: dict[object, dict[object, list[tuple[object, object]]]] = {}
    for row in curves:
        lines.setdefault(row["measure"], {}).setdefault(row["ranking"], []).append((row["rank"], row["weight"]))
    found = []
    for measure, rankings in lines.items():
        alike = all(line == next(iter(rankings.values())) for line in rankings.values())
        for ranking, line in list(rankings.items())[: 1 if alike else None]:
            label = measure if alike else f"{measure}, {ranking}"
            found += [dict(zip(WEIGHTS, (label, rank, weight), strict=True)) for rank, weight in line]
    return found


@dataclass(frozen=True, slots=True)
class _Visit:
    """One user and one ranking: V of every rank that is shown, and sums over all ranks."""

    seen: Rows
    value: float
    looks: float  # V
    gained: float  # V times gain
    effort: float  # V times cost
    ends: bool = True

    def curves(self, last: int) -> list[dict[str, object]]:
        here, next_one = self.seen[:last], self.seen[1 : last + 1]
        goes_on = np.divide(next_one, here, out=np.full(len(here), np.nan), where=here > 0)
        rows = zip(range(1, last + 1), goes_on, here / self.looks, here - next_one, strict=True)
        return [dict(zip(CURVES[2:], row, strict=True)) for row in rows]

    def expected(self) -> dict[str, object]:
        return {
            "value": self.value,
            "EU": self.gained / self.looks,
            "ETU": self.gained,
            "EC": self.effort / self.looks,
            "ETC": self.effort,
            "ED": self.looks,
        }


def _visit(measure: Browsing, ranking: Sequence[float], last: int) -> _Visit:
    shown = max(last + 1, len(ranking))
    # One formula gives the looks of a Reader; of others they are added up, as far as it takes to see them end.
    long = shown if isinstance(measure, Reader) else max(shown, measure.k + 1 if measure.k else LONG)
    grades = [*(max(grade, 0) for grade in ranking), *[0.0] * (long - len(ranking))]
    (block,) = assess_grades([grades]).blocks()
    seen, value = measure.seen(block)[0, :long], float(measure.kernel(block)[0])
    gain = (measure.stop(block.grade) if isinstance(measure, Cascade) else measure.gain(block.grade))[0, :long]
    if isinstance(measure, Reader):
        looks = float(measure.depth(block)[0])
        return _Visit(seen, value, looks, float(seen @ gain), looks)
    cost = measure.cost(block)[0, :long] if isinstance(measure, Timed) else np.ones(long)
    tail = _tail(seen)
    some = slice(last if tail is None else long)
    looks, gained, effort = (float(seen[some] @ what[some]) for what in (np.ones(long), gain, cost))
    below = tail or 0.0
    return _Visit(seen, value, looks + below, gained, effort + below * float(cost[-1]), ends=tail is not None)


def _tail(seen: Rows) -> float | None:
    """The sum of V over all ranks below those that were looked at; None where it has no end."""
    if seen[-1] == 0:
        return 0.0
    half = len(seen) // 2
    late, earlier = seen[-1] / seen[-2], seen[half] / seen[half - 1]
    if late < 1 and abs(np.log(late / earlier)) < 1e-6 * -np.log(late):  # users leave at one rate
        return float(seen[-1] * late / (1 - late))
    return None


def _settled(measure: Measure, given: Mapping[str, Sequence[float]] | None) -> Browsing:
    if not isinstance(measure, Browsing):
        known = ", ".join(cls.name for cls in MEASURES if issubclass(cls, Browsing))
        raise ParameterError(f"{measure} has no user who reads down a ranking", hint=f"these have one: {known}")
    top = max((grade for ranking in (given or {}).values() for grade in ranking), default=1.0)
    return measure.settled(float(max(top, 1)))


def _top(measure: Measure) -> float:
    """The best grade that a document can have."""
    return float(getattr(measure, "max_rel", None) or max(1, getattr(measure, "rel", 1)))
