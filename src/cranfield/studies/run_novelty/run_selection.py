"""Greedy selection of the runs to fuse or to pool, by novelty and by value."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from cranfield.core import Provenance, Table
from cranfield.data import Assessed, Entries, Prior, Run, Values, judgments_of, name_documents
from cranfield.measures import Measure, Step, choose, choose_pool, found_by, measure_all, rank_by_value
from cranfield.stats import Asked, Interval
from cranfield.studies.evaluation.study import evaluate

DEPTH = 10  # of a pool, where neither the user nor the measure says one
FUSED = 1000  # documents of a run that are fused

Progress = Callable[[int, int], object]


@dataclass(frozen=True, kw_only=True, slots=True)
class Asking:
    """What all parts of the study share."""

    values: Values  # of every run, those too that are only known before others
    assessed: Assessed
    shown: Sequence[int]  # the runs whose novelty is asked for
    runs: Sequence[Run]  # with all their documents, where these are asked for
    entries: Entries
    depth: int | None
    rel: float
    alpha: float
    asked: Asked
    interval: Interval
    made_by: Provenance

    def measured(self, prior: Prior, measures: Sequence[Measure]) -> Values:
        """Values after what is known, of the runs and topics that are asked for."""
        values = measure_all(self.assessed.after(prior.known), measures).only(self.values.topics).in_topic_order()
        return replace(values, counted=self.values.counted).of_runs(self.shown)

    def places(self, topics: Sequence[str]) -> list[int]:
        """Topics by their places among the judged ones."""
        place = {topic: i for i, topic in enumerate(self.assessed.topics)}
        return [place[topic] for topic in topics]

    def means(self, measure: Measure) -> dict[str, float]:
        """The mean of every run, of those too that are only known before."""
        means = self.values.aggregate()[:, self.values.index(measure)].tolist()
        return dict(zip(self.values.runs, means, strict=True))

    def deep(self, measure: Any) -> int:
        """How many documents unique contributions, rareness and pools look at."""
        return self.depth or measure.k or DEPTH


def ensemble(asking: Asking, measure: Any, method: str, steps: int, progress: Progress | None) -> Table:
    """Which runs to fuse: each time the one that adds most, against taking them by their values.

    ``held_out`` is what runs that are chosen on every second topic give on the other topics, both ways.
    """
    from cranfield.fusion import code_runs

    runs, topics = asking.values.runs, asking.values.topics
    coded = code_runs(asking.runs, depth=FUSED)
    parts = {"all": (topics, topics), "odd": (topics[0::2], topics[1::2]), "even": (topics[1::2], topics[0::2])}
    if len(topics) < 4:
        parts = {"all": (topics, topics)}
    taken = {part: _orders(asking, measure, chosen, steps, progress) for part, (chosen, _) in parts.items()}
    fused = {
        f"{part} {way} {n}": coded.fuse(method, [step.run for step in order[:n]])
        for part, orders in taken.items()
        for way, order in orders.items()
        for n in range(1, len(order) + 1)
    }
    values = evaluate(judgments_of(asking.assessed), fused, [measure], only=topics, scale="ignore")
    means = {
        part: dict(zip(values.runs, values.only(shown).aggregate()[:, 0].tolist(), strict=True))
        for part, (_, shown) in parts.items()
    }

    def held_out(way: str, n: int) -> float | None:
        weights = {part: len(parts[part][1]) for part in parts if part != "all"}
        found = [means[part][f"{part} {way} {n}"] * weight for part, weight in weights.items()]
        return sum(found) / sum(weights.values()) if found else None

    alone = asking.means(measure)
    rows = [
        {
            "step": n,
            "run": runs[step.run],
            "value": alone[runs[step.run]],
            "nrg": step.added,
            "fused": means["all"][f"all gain {n}"],
            "held_out": held_out("gain", n),
            "by_value_run": runs[other.run],
            "by_value": means["all"][f"all value {n}"],
            "by_value_held_out": held_out("value", n),
            "best": max(alone.values()),
        }
        for n, (step, other) in enumerate(zip(taken["all"]["gain"], taken["all"]["value"], strict=True), 1)
    ]
    caption = f"which runs to fuse ({method}): by what they add, and by {measure}"
    notes = ("fused: chosen and shown on the same topics; held_out: chosen on every second topic, shown on the others",)
    return Table.from_rows(rows, tuple(rows[0]), caption=caption, made_by=asking.made_by, notes=notes)


def _orders(
    asking: Asking, measure: Any, topics: Sequence[str], steps: int, progress: Progress | None
) -> dict[str, list[Step]]:
    """The runs by what they add on some topics, and by their values there."""
    places = asking.places(topics)
    by_gain = choose(asking.assessed, measure, steps=steps, topics=places, progress=progress)
    return {"gain": by_gain, "value": rank_by_value(asking.assessed, measure, topics=places)[: len(by_gain)]}


def pool(asking: Asking, measure: Any, steps: int, progress: Progress | None) -> Table:
    """Which runs to pool: each time the one with the most new relevant documents, against taking them by value."""
    depth, rel = asking.deep(measure), asking.rel
    runs, places = asking.values.runs, asking.places(asking.values.topics)
    greedy = choose_pool(asking.assessed, depth=depth, rel=rel, steps=steps, topics=places, progress=progress)
    order = [step.run for step in greedy]
    by_value = [step.run for step in rank_by_value(asking.assessed, measure, topics=places)]
    found, other, every = (
        found_by(asking.assessed, which, depth=depth, rel=rel, topics=places)
        for which in (order, by_value[: len(order)], by_value)
    )
    named = name_documents([run.first(depth) for run in asking.runs])
    sizes = named.together(order, set(asking.values.topics))
    total = max(every[-1], 1)
    rows = [
        {
            "step": n,
            "run": runs[step.run],
            "new": int(step.added),
            "found": found[n - 1],
            "share": found[n - 1] / total,
            "documents": sizes[n - 1],
            "by_value_run": runs[by_value[n - 1]],
            "by_value_share": other[n - 1] / total,
        }
        for n, step in enumerate(greedy, 1)
    ]
    caption = f"which runs to pool to depth {depth}: {every[-1]:,} relevant documents are in the first {depth} of any"
    return Table.from_rows(rows, tuple(rows[0]), caption=caption, made_by=asking.made_by)
