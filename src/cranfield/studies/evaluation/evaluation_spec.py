"""Parsed and checked specification of an evaluation: measures, relevance levels, ties."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from cranfield.core import ParameterError, Policy, Scale, Ties, weigh
from cranfield.data import check_aggregate
from cranfield.measures import CURVES, Measure, Peer, Written, at_levels, has_level, parse_written, peer

OPEN = (Ties.AVERAGE, Ties.BOUNDS)  # no order, but all of them
OURS = Peer("cranfield", cite="", reads=lambda measure: measure)
NEEDS = {"mean": Scale.INTERVAL, "gmean": Scale.RATIO, "median": Scale.ORDINAL}  # stevens1946
NAMES = {"gmean": "geometric mean"}


@dataclass(frozen=True, slots=True)
class Question:
    """Which measures are asked for, as whom to read them, and in which order documents of equal score stand."""

    measures: tuple[Measure, ...]
    levels: tuple[float, ...]  # of relevance, for measures that do not name their own
    like: Peer
    order: Ties | str
    notes: tuple[str, ...]  # where means ask more of the numbers than the measures give

    @classmethod
    def of(
        cls,
        measures: Written | Iterable[Written],
        *,
        rel: float | Sequence[float] = (),
        aggregate: str | None = None,
        curve: str | None = None,
        ties: Ties | str | None = None,
        compat: str | None = None,
        lengths: Any = None,
        scale: Policy = "note",
    ) -> "Question":
        """The question in our words; refused where its parts do not go together."""
        levels = (rel,) if isinstance(rel, int | float) else tuple(rel)
        like = peer(compat) if compat else OURS
        parsed = parse_written(measures, like.names)
        wanted = _as_read(parsed, levels, like)
        order = ties or like.ties
        # trec_eval ignores its -l where a measure does not ask.
        _check([measure for measure, _ in parsed], () if like.names else levels, aggregate, curve)
        _check_order(order, like, lengths)
        return cls(wanted, levels, like, order, _weighed(wanted, aggregate, scale))

    @property
    def reading(self) -> Ties | str:
        """The order in which runs are read: where all orders are asked for, one of them."""
        return Ties.TREC if self.order in OPEN else self.order


def measures_of(
    text: str, *, rel: float | Sequence[float] = (), compat: str | None = None, top: float | None = None
) -> list[Measure]:
    """Return the measures that an evaluation computes for a text, settled where the top grade is known."""
    levels = (rel,) if isinstance(rel, int | float) else tuple(rel)
    like = peer(compat) if compat else OURS
    wanted = _as_read(parse_written(text, like.names), levels, like)
    return list(wanted) if top is None else [measure.settled(top) for measure in wanted]


def _as_read(
    parsed: Iterable[tuple[Measure, frozenset[str]]], levels: Sequence[float], like: Peer
) -> tuple[Measure, ...]:
    """Return the measures at each level, as the peer reads them."""
    found = (like.read(at, written - {"rel"}) for one, written in parsed for at in at_levels([one], levels))
    return tuple(dict.fromkeys(found))


def _weighed(measures: Sequence[Measure], aggregate: str | None, policy: Policy) -> tuple[str, ...]:
    """A word where the measures do not give what is asked by the way they are summed up."""
    ways = [(aggregate or measure.aggregate, measure) for measure in measures if measure.family != "count"]
    met = [(f"the {NAMES.get(way, way)}", NEEDS[way], measure) for way, measure in ways if way in NEEDS]
    return weigh(met, policy, safe="the median is safe (--aggregate median)")


def _check(measures: Sequence[Measure], levels: Sequence[float], aggregate: str | None, curve: str | None) -> None:
    if aggregate:
        check_aggregate(aggregate)
    if levels and not curve and not any(map(has_level, measures)):
        what = "the measure does not ask" if len(measures) == 1 else "none of the measures asks"
        hint = "a level is for measures such as AP, P@10 and RR that do not name their own"
        raise ParameterError(f"{what} from which grade on a document is relevant", hint=hint)
    if curve and curve not in CURVES:
        raise ParameterError(f"there is no curve named {curve!r}", hint=f"there are: {', '.join(CURVES)}")
    if curve and len(levels) > 1:
        hint = f"choose one of: {', '.join(map(str, levels))}"
        raise ParameterError(f"a curve has one level of relevance, not {len(levels)}", hint=hint)


def _check_order(order: Ties | str, like: Peer, lengths: Any) -> None:
    if order not in OPEN:
        return
    if like.name.startswith("trec_eval"):
        hint = "leave out --compat, or choose an order: --ties trec"
        raise ParameterError(f"trec_eval breaks ties, and has no ties={order}", hint=hint)
    if lengths is not None:
        hint = "choose an order of ties, or leave out the lengths"
        raise ParameterError(
            f"lengths are added up for one order of documents, and ties={order} asks for all", hint=hint
        )
