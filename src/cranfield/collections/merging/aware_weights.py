"""AWARE: average the values under each worker's labels, with weights for the workers."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from cranfield.collections.crowds.labelled_runs import Asked, LabelledRuns, Sheets, measure_sheets
from cranfield.collections.crowds.value_distances import Distance, Groups, Seen, distances, largest
from cranfield.core import (
    SEED,
    Declared,
    Limits,
    ParameterError,
    Provenance,
    Table,
    describe,
    generator,
    write,
)
from cranfield.data import NOBODY, Values
from cranfield.measures import Measure

PREVALENCES = (0.05, 0.5, 0.95)  # how often a random assessor says relevant: hardly ever, evenly, nearly always


class AWARE(Declared):
    """Assessor-driven weighted averages: a value is the mean of those by each worker's labels, weighed by worker.

    Σ aₖ · value by worker k / Σ aₖ, over the workers who labelled anything of the topic; what a worker did not label is
    unjudged there. A worker weighs the more the farther from assessors who label the same documents at random: aₖ is
    the mean distance over ``draws`` of them, to the ``power`` (1, squared, cubed); all add up to 1.

    ``against`` says who they are. ``shuffled``: the worker's own labels of each topic in random order, so that who
    labels at random is found, however often that is relevant. ``random``, as in the paper: relevant with a chance of
    .05, .5 or .95, and then any grade from ``rel`` up, otherwise any below, each as likely; the distance is that from
    the nearest of the three, and a random worker who says relevant three times in ten is far from all. Who says the
    opposite of what is true is far from random too; ``gold`` finds out: the nearer to gold on the same documents, the
    more weight (s-AWARE), aₖ = (1 − distance / the largest that can be) to the power. That is 2 for 1 − τ, the range of
    the measure for RMSE, and where there is no bound the largest among workers; who has no gold has the mean weight.

    ``distance`` compares values of runs (run × topic) by their RMSE, the Frobenius norm, the Kullback–Leibler
    divergence of their distributions, or 1 − τ or 1 − τ_AP of the orders of runs by mean; ``none`` weighs all alike.
    The Frobenius norm grows with the number of topics that a worker labelled, the RMSE does not. Orders tell workers
    apart only where random labels agree on one, as they do if some runs have more of the pool than others.
    ``per="topic"`` makes a weight for each worker and topic. Few labels are far from anything by chance: ``beyond``
    takes off how far random assessors are from each other on the same documents.
    """

    name: ClassVar[str] = "AWARE"
    cite: ClassVar[str] = "ferrante2017aware,ferrante2021saware"
    at: ClassVar[str] = ""

    distance: Literal["none", "rmse", "frobenius", "kl", "tau", "tau_ap"] = "rmse"
    per: Literal["worker", "topic"] = "worker"
    power: Annotated[int | float, Limits(0, open=True)] = 1
    against: Literal["shuffled", "random", "gold"] = "shuffled"
    beyond: bool = False
    draws: Annotated[int, Limits(1)] = 10
    rel: Annotated[int | float, Limits(0, open=True)] = 1

    def __post_init__(self) -> None:
        if self.beyond and (self.against == "gold" or self.draws < 2):
            hint = "ask for it against random or shuffled labels, with two draws or more"
            raise ParameterError("there are no two random assessors to hold against each other", hint=hint)

    def __str__(self) -> str:
        return write(describe(self))

    __repr__ = __str__

    def weigh(
        self,
        joined: LabelledRuns,
        measures: Asked,
        *,
        gold: NDArray[np.int64] | None = None,
        workers: NDArray[np.bool_] | None = None,
        seed: int = SEED,
    ) -> "Weighed":
        """Measure the runs by each worker's labels, and weigh the workers.

        ``workers`` (worker,) says who counts: people, unless there are only machines. ``gold`` is (item,): the choice
        that is known to be right, −1 where it is not.
        """
        if self.against == "gold" and self.distance != "none" and gold is None:
            raise ParameterError(f"{self} needs gold labels", hint="give them, or weigh against random assessors")
        counted, notes = _who_counts(joined, workers)
        sheets = Sheets.of(joined, counted)
        wanted = joined.settled(measures)
        own = measure_sheets(joined, sheets, joined.labels.grades[sheets.choice][None], wanted)[0]
        groups = sheets.worker if self.per == "worker" else np.arange(len(sheets))
        by = Groups(np.flatnonzero(np.diff(groups, prepend=-1)), len(sheets))
        if self.distance == "none":
            distance, raw = np.full((len(by.starts), len(wanted)), np.nan), np.ones((len(by.starts), len(wanted)))
        else:
            compared = _Compared(self, joined, sheets, wanted, by, self.distance)
            if self.against == "gold" and gold is not None:
                distance, raw = compared.near_gold(gold)
            else:
                distance = raw = compared.far_from_chance(own, seed)
        return Weighed(self, joined, sheets, tuple(wanted), own, raw[by.of] ** self.power, distance[by.of], notes, seed)


@dataclass(frozen=True, eq=False, repr=False)
class Weighed:
    """Workers and what they weigh, with the values of the runs by each one's labels."""

    method: AWARE
    joined: LabelledRuns
    sheets: Sheets  # a worker's labels of a topic
    measures: tuple[Measure, ...]
    own: NDArray[np.float64]  # (run, sheet, measure): values by that sheet alone
    weight: NDArray[np.float64]  # (sheet, measure)
    distance: NDArray[np.float64]  # (sheet, measure); NaN where nothing was compared
    notes: tuple[str, ...] = ()
    seed: int = SEED

    def __repr__(self) -> str:
        return f"Weighed({self.method}: {len(np.unique(self.sheets.worker))} workers)"

    @property
    def made_by(self) -> Provenance:
        """What was read and drawn."""
        names = tuple(map(str, self.measures))
        inputs = tuple(source.as_input() for source in self.joined.assessed.sources)
        drawn = self.method.distance != "none" and self.method.against != "gold"
        return Provenance(inputs=inputs, measures=names, seed=self.seed if drawn else None)


def aware_values(weighed: Weighed) -> Values:
    """The values of runs, weighed over the workers who labelled anything of the topic.

    Where all of those have weight 0, they count alike. A topic that none of them labelled has no value.
    """
    topics, sheets = len(weighed.joined.assessed.topics), weighed.sheets
    there = ~np.isnan(weighed.own)
    sums = []
    for weight in (weighed.weight, np.ones_like(weighed.weight)):
        top, bottom = np.zeros((2, topics, len(weighed.own), weight.shape[1]))
        np.add.at(top, sheets.topic, np.where(there, weighed.own * weight, 0.0).swapaxes(0, 1))
        np.add.at(bottom, sheets.topic, np.where(there, weight, 0.0).swapaxes(0, 1))
        sums.append(np.divide(top, bottom, out=np.full(top.shape, np.nan), where=bottom > 0))
    cube = np.where(np.isnan(sums[0]), sums[1], sums[0]).swapaxes(0, 1)
    highest = np.full(len(weighed.joined.place), NOBODY)  # nothing is relevant where no worker says so
    np.maximum.at(highest, sheets.item, weighed.joined.labels.grades[sheets.choice])
    plain = weighed.joined.values(highest, weighed.measures)
    made_by = replace(weighed.made_by, command=plain.made_by.command)
    notes = (*plain.notes, *weighed.notes)
    return replace(plain, cube=cube, order=None, assessed=None, notes=notes, made_by=made_by)


def aware_table(weighed: Weighed, *, made_by: Provenance | None = None) -> Table:
    """One row for each worker and measure: the weight, all of them adding up to 1, and the distance behind it.

    Where there is a weight for each topic, both are means over the worker's topics.
    """
    workers, place = np.unique(weighed.sheets.worker, return_inverse=True)
    names = [weighed.joined.labels.workers[worker] for worker in workers.tolist()]
    count = np.bincount(place)[:, None]
    weight, distance = np.zeros((2, len(workers), len(weighed.measures)))
    np.add.at(weight, place, weighed.weight)
    np.add.at(distance, place, weighed.distance)
    weight = weight / count
    total = weight.sum(axis=0)
    weight = np.where(total > 0, weight / np.where(total > 0, total, 1.0), 1 / len(workers))
    columns: dict[str, Any] = {
        "worker": [name for name in names for _ in weighed.measures],
        "measure": [str(measure) for _ in names for measure in weighed.measures],
        "weight": weight.reshape(-1),
        "distance": (distance / count).reshape(-1),
    }
    caption = f"what workers weigh by {weighed.method}"
    return Table(columns, caption, made_by or weighed.made_by, weighed.notes)


def _who_counts(joined: LabelledRuns, workers: NDArray[np.bool_] | None) -> tuple[NDArray[np.bool_], tuple[str, ...]]:
    """(worker,): who is weighed, and a word on machines that are not."""
    machine = joined.labels.machine
    if workers is None:
        workers = np.ones_like(machine) if machine.all() else ~machine
    if not workers.any():
        raise ParameterError("there is no worker to weigh", hint="choose one worker or more")
    left = int((machine & ~workers).sum())
    note = f"{left} machine{' is' if left == 1 else 's are'} left out of AWARE"
    return workers, (note,) * bool(left)


@dataclass(frozen=True, eq=False)
class _Compared:
    """Values by workers' labels, beside values by other labels of the same documents."""

    method: AWARE
    joined: LabelledRuns
    sheets: Sheets
    measures: list[Measure]
    groups: Groups
    distance: Distance

    def values(self, grade: NDArray[np.float64]) -> NDArray[np.float64]:
        """(way, run, sheet, measure): from grades (way, label)."""
        return measure_sheets(self.joined, self.sheets, grade, self.measures)

    def apart(self, a: Iterable[Seen], b: Iterable[Seen]) -> NDArray[np.float64]:
        """(group,): the mean distance over several."""
        found = [distances(one, other, self.groups, self.distance) for one, other in zip(a, b, strict=True)]
        return np.mean(found, axis=0)

    def far_from_chance(self, own: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
        """(group, measure): how far what workers say of the runs is from the nearest kind of random assessors."""
        kinds = PREVALENCES if self.method.against == "random" else (np.nan,)
        nearest = np.full((len(self.groups.starts), len(self.measures)), np.inf)
        draws = range(self.method.draws)
        for kind in kinds:
            drawn = self.values(np.stack([self.at_random(kind, seed, draw) for draw in draws]))
            for i in range(len(self.measures)):
                seen = [drawn[draw, :, :, i] for draw in draws]
                far = self.apart([own[:, :, i] for _ in draws], seen)
                if self.method.beyond:
                    far = np.maximum(far - self.apart(seen, [*seen[1:], seen[0]]), 0.0)
                nearest[:, i] = np.minimum(nearest[:, i], far)
        return nearest

    def at_random(self, kind: float, seed: int, draw: int) -> NDArray[np.float64]:
        """(label,): grades that a random assessor gives to the documents of every sheet."""
        grades, labels = self.joined.labels.grades, len(self.sheets.item)
        random = generator(seed, "aware", str(kind), draw)
        if self.method.against == "shuffled":
            return grades[self.sheets.choice[np.lexsort((random.random(labels), self.sheets.sheet))]]
        relevant, others = grades[grades >= self.method.rel], grades[grades < self.method.rel]
        high = random.choice(relevant if len(relevant) else np.array([self.method.rel]), labels)
        low = random.choice(others if len(others) else np.zeros(1), labels)
        return np.where(random.random(labels) < kind, high, low)

    def near_gold(self, gold: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """(group, measure): how far workers are from gold where there is some, and how near as a share of 1."""
        right = gold[self.sheets.item]
        known = right >= 0
        if not known.any():
            raise ParameterError("no item has a gold label", hint="weigh against random assessors")
        grades = self.joined.labels.grades
        pair = np.stack([np.where(known, grades[choice], NOBODY) for choice in (self.sheets.choice, right)])
        values = self.values(pair)
        count = np.bincount(self.sheets.sheet, known, len(self.sheets)).astype(float)
        values[:, :, count == 0] = np.nan
        without = self.groups.sums(count) == 0
        distance = np.full((len(self.groups.starts), len(self.measures)), np.nan)
        near = np.empty_like(distance)
        for i, measure in enumerate(self.measures):
            a, b = values[0, :, :, i], values[1, :, :, i]
            distance[:, i] = np.where(without, np.nan, distances(a, b, self.groups, self.distance))
            bound = largest(a, b, self.groups, self.distance, measure.range[1] - measure.range[0])
            bound = np.where(np.isfinite(bound), bound, np.nanmax(distance[:, i]))
            near[:, i] = np.clip(1 - distance[:, i] / np.where(bound > 0, bound, 1.0), 0.0, 1.0)
        return distance, np.where(np.isnan(near), np.nanmean(near, axis=0), near)
