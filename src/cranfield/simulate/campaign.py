"""Simulated evaluation campaign: groups, their runs and a judged pool, generated from a seed.

How a run scores documents is told in :mod:`._topic`; here stands who takes part. Groups differ in skill, with a long
tail of weak ones (TREC-8: median AP .26, worst near 0, best .47). The runs of a group are near variants of one system,
handed in one after the other, later ones a little better. The first runs by date are pooled; those that come later meet
unjudged documents. Some runs round their scores and so have ties; some are careless: they leave topics out or stop
early. Topics are independent draws, so that tests and power studies meet a true sample; groups are not: their skills
are spread evenly over the distribution, so that small campaigns have strong and weak ones. (urbano2018simulation draws
the values of a measure instead; pools, ties and novelty need the documents.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

import numpy as np

from cranfield.core.errors import ParameterError
from cranfield.core.seed import SEED, generator

from .campaign_data import DIGITS, Entry, Made, write_campaign
from .topic import SOURCE_SHARES, Plan, draw_topic
from .vocabulary import ask, describe_run, name_group

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from .campaign_data import Written
    from .topic import Flags, Floats, Ints, Part

FIRST_TOPIC = 301
CENTRES, SPREADS, DECIMALS = np.array([(14.0, 3.0, 4), (-6.0, 0.5, 5), (0.3, 0.05, 6)]).T
OWN_SKILL = 0.15  # how far a group's runs differ in skill, in units of the campaign's skill
BETTER = 0.05  # what a group learns from one run to its next, in the same units


@dataclass(frozen=True, slots=True, kw_only=True)
class Campaign:
    """An evaluation campaign to be drawn from a seed.

    Parameters
    ----------
    depth
        Documents a run retrieves per topic.
    documents, candidates
        Documents in the collection, and how many of them come into question for one topic.
    relevant
        Mean number of relevant documents per topic; the pool misses some.
    grades
        Shares of the grades 1, 2, … among the relevant documents.
    one_relevant
        One relevant document per topic and no other judgment, as in MS MARCO.
    pool, pooled
        Depth of the pool, and the share of runs, first by date, that it is made from.
    spam
        Share of the judged non-relevant documents with grade −2, as in the TREC Web tracks.
    ties, missing
        Shares of the runs that round their scores, and that are careless.
    difficulty, skill, taste
        Spreads between topics, between groups, and of a group over topics; ``skill=0`` makes all runs equally good.
    start, days
        First day of submission (ISO) and how many there are.
    """

    topics: int = 50
    groups: int = 12
    runs: int = 40
    depth: int = 1000
    documents: int = 500_000
    candidates: int = 5000
    relevant: float = 140.0
    grades: tuple[float, ...] = (0.7, 0.3)
    one_relevant: bool = False
    pool: int = 100
    pooled: float = 0.6
    spam: float = 0.0
    ties: float = 0.2
    missing: float = 0.1
    difficulty: float = 0.48
    skill: float = 0.41
    taste: float = 0.27
    start: str = "2024-03-04"
    days: int = 60
    seed: int = SEED

    def __post_init__(self) -> None:
        shares = (self.pooled, self.spam, self.ties, self.missing)
        wrong = {
            "a count is below 1": min(self.topics, self.groups, self.depth, self.pool, self.days, self.universe) < 1,
            f"{self.runs} runs are too few for {self.groups} groups": self.runs < self.groups,
            f"depth {self.depth} is more than the {self.universe} candidates of a topic": self.depth > self.universe,
            f"{self.documents} documents are more than {DIGITS} digits can number": self.documents > 10**DIGITS,
            "pooled, spam, ties or missing is no share": not all(0 <= share <= 1 for share in shares),
            "grades are no shares": min(self.grades, default=0) < 0 or sum(self.grades) <= 0,
            "a mean or spread is negative": min(self.relevant, self.difficulty, self.skill, self.taste) < 0,
        }
        for problem, holds in wrong.items():
            if holds:
                raise ParameterError(f"the campaign cannot be drawn: {problem}", hint="see help(Campaign)")

    @property
    def universe(self) -> int:
        """How many documents come into question for one topic."""
        return min(self.candidates, self.documents)

    def make(self) -> Made:
        """Draw the campaign into memory."""
        plan, entries = self._plan()
        return Made(
            campaign=self,
            topics=self._topics(),
            texts=self._texts(),
            entries=entries,
            parts=tuple(self._parts(plan)),
        )

    def write(
        self, folder: Path | str, *, compress: bool = False, progress: Callable[[int, int], object] | None = None
    ) -> Written:
        """Draw the campaign straight to disk, one topic at a time; ``progress`` hears topics done and in all."""
        plan, entries = self._plan()
        parts = self._parts(plan, progress)
        return write_campaign(folder, entries, self._topics(), self._texts(), parts, compress=compress)

    def lengths(self) -> Ints:
        """Words per document of the collection: log-normal, median 330."""
        draw = generator(self.seed, "length").standard_normal(self.documents, dtype=np.float32)
        return np.maximum(330 * np.exp(0.8 * draw), 5).astype(np.int32)

    def attributes(self) -> Ints:
        """Source per document of the collection, an index into ``SOURCES``; systems favour the first ones."""
        draw = generator(self.seed, "source").random(self.documents, dtype=np.float32)
        source: Ints = np.searchsorted(np.cumsum(SOURCE_SHARES)[:-1], draw).astype(np.int8)
        return source

    def _topics(self) -> tuple[str, ...]:
        return tuple(str(FIRST_TOPIC + number) for number in range(self.topics))

    def _texts(self) -> tuple[str, ...]:
        stream = generator(self.seed, "text")
        return tuple(ask(stream) for _ in range(self.topics))

    def _parts(self, plan: Plan, progress: Callable[[int, int], object] | None = None) -> Iterator[Part]:
        for number in range(self.topics):
            if progress:
                progress(number, self.topics)
            yield draw_topic(self, plan, generator(self.seed, "topic", number), first=number == 0)

    def _plan(self) -> tuple[Plan, tuple[Entry, ...]]:
        stream = generator(self.seed, "plan")
        group = np.sort(np.r_[np.arange(self.groups), stream.integers(self.groups, size=self.runs - self.groups)])
        number = np.arange(self.runs) - np.searchsorted(group, group)  # of the run inside its group, from 0
        skill = self._draw_skill(stream, group, number)
        day = self._draw_days(stream, group)
        pooled = np.zeros(self.runs, dtype=bool)
        pooled[np.argsort(day, kind="stable")[: max(1, math.ceil(self.pooled * self.runs))]] = True
        style = stream.integers(len(DECIMALS), size=self.groups)[group]
        decimals = DECIMALS[style].astype(np.int64)
        rounds = self._draw_some(stream, self.ties)
        plan = Plan(
            group=group,
            skill=skill,
            careless=self._draw_some(stream, self.missing),
            pooled=pooled,
            centre=CENTRES[style],
            spread=SPREADS[style],
            decimals=decimals,
            unit=np.where(rounds, 5 * 10 ** (decimals - 2), 1),
            source=self.attributes(),
        )
        start = date.fromisoformat(self.start)
        entries = tuple(
            Entry(
                run=f"{name_group(who)}-{nth + 1}",
                group=name_group(who),
                date=(start + timedelta(days=when)).isoformat(),
                description=describe_run(who, nth + 1),
                pooled=in_time,
                decimals=places,
            )
            for who, nth, when, in_time, places in zip(
                *(column.tolist() for column in (group, number, day, pooled, decimals)), strict=True
            )
        )
        return plan, entries

    def _draw_skill(self, stream: np.random.Generator, group: Ints, number: Ints) -> Floats:
        """Exponential tail towards the weak side; every group from its own stratum."""
        stratum = (stream.permutation(self.groups) + 0.5) / self.groups
        own = BETTER * number + OWN_SKILL * stream.standard_normal(self.runs)
        return self.skill * (1 + np.log(stratum)[group] + own)

    def _draw_days(self, stream: np.random.Generator, group: Ints) -> Ints:
        """A group arrives in the first half of the campaign and hands in its runs in the order of their numbers."""
        arrival = stream.integers((self.days + 1) // 2, size=self.groups)[group]
        day = arrival + (stream.random(self.runs) * (self.days - arrival)).astype(np.int64)
        return day[np.lexsort((day, group))]

    def _draw_some(self, stream: np.random.Generator, share: float) -> Flags:
        some = np.zeros(self.runs, dtype=bool)
        some[stream.permutation(self.runs)[: round(share * self.runs)]] = True
        return some


TREC8 = Campaign(groups=41, runs=129)
"""The size of TREC-8's ad hoc task [voorhees1999trec8]."""

MSMARCO = Campaign(
    topics=6980, groups=1, runs=1, documents=8_841_823, one_relevant=True, difficulty=0.3, skill=0.25, ties=0, missing=0
)
"""One run over the small development set of MS MARCO's passage task [bajaj2016msmarco]."""
