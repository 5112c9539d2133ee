"""Simulation of one topic of a campaign: true grades, scores of all runs and pooled judgments.

Every system sees the same candidates. A document has an *ease* that all systems share (with a bonus for widely exposed
sources), a part that the runs of one group share, and a part of the run's own; the three make runs overlap as real ones
do. A relevant document gains on top its latent relevance (larger for higher grades, different per document) times how
well this run does on this topic: exp(topic's difficulty + run's skill + group's taste for the topic + run's taste).
Hence AP has a topic, a system and an interaction part, as in the two-way analysis of [tague1995anova; banks1999blind].
Assessors see the union of the first documents of the pooled runs [sparckjones1975pool; voorhees1999trec8]; all else is
unjudged. The constants below were set once so that AP splits as TREC-8's does: 54 / 19 / 27 % topic / system / error.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from .campaign import Campaign

Ints = NDArray[np.integer[Any]]
Floats = NDArray[np.floating[Any]]
Flags = NDArray[np.bool_]

SOURCES = ("news", "web", "forum")
SOURCE_SHARES = (0.5, 0.3, 0.2)
EXPOSURE = np.array([0.1, 0.0, -0.25], dtype=np.float32)  # what a source adds to a document's ease

SHARED, GROUP, OWN = np.sqrt([0.30, 0.45, 0.25])  # spreads of a score's three parts; the squares add to one
PULL = 0.8  # latent relevance of grade 1
PULL_ONE, RIVALS = 3.0, 3.0  # the same where one answer is judged; others as good as it that nobody judged
STEP = 0.25  # what each further grade adds, relative to the first
RELEVANCE_SPREAD = 1.0
OWN_TASTE = 0.06  # of a run for a topic, inside its group
COUNT_SPREAD = 0.9  # of the log number of relevant documents: TREC-8 has 6 to 347 per topic
LIMIT = 4.0  # of a run's log power, whatever the spreads: scores stay printable and quanta fit 32 bits
MISSED, SHORT = 0.04, 0.10  # how often a careless run leaves a topic out, or stops early


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """What is settled before the first topic: per run its group, skill, habits and way of printing scores."""

    group: Ints
    skill: Floats
    careless: Flags
    pooled: Flags
    centre: Floats
    spread: Floats
    decimals: Ints
    unit: Ints  # scores are multiples of unit / 10**decimals; more than 1 makes ties
    source: Ints  # per document of the collection


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """One topic's share of a campaign: the rankings of all runs, one after the other, and the judgments.

    ``quanta`` are scores in steps of the run's last decimal, so that memory and file hold the same numbers.
    """

    ends: Ints
    document: Ints
    quanta: Ints
    judged: Ints
    grade: Ints

    def ranking(self, run: int) -> tuple[Ints, Ints]:
        """Documents and quanta of one run, best first; empty where the run misses the topic."""
        kept = slice(self.ends[run - 1] if run else 0, self.ends[run])
        return self.document[kept], self.quanta[kept]


def draw_topic(campaign: Campaign, plan: Plan, stream: np.random.Generator, *, first: bool) -> Part:
    """Draw one topic. The ``first`` is missed by no run, so that no run is empty."""
    size = campaign.universe
    candidate = np.sort(stream.choice(campaign.documents, size, replace=False, shuffle=False)).astype(np.int32)
    grade = _draw_grades(campaign, stream)
    score, ease = _draw_scores(campaign, plan, stream, candidate, grade)
    place, quanta = _rank(plan, score, campaign.depth)
    kept = _draw_lengths(plan, stream, campaign.depth, first=first)
    judged = _judge(campaign, plan, place, kept, grade, ease)
    given = grade[judged]
    if campaign.spam:
        given = np.where((given == 0) & (stream.random(given.size) < campaign.spam), -2, given)
    inside = np.arange(campaign.depth) < kept[:, None]
    return Part(
        ends=kept.cumsum(),
        document=candidate[place[inside]],
        quanta=quanta[inside].astype(np.int32),
        judged=candidate[judged],
        grade=given.astype(np.int8),
    )


def _draw_grades(campaign: Campaign, stream: np.random.Generator) -> Ints:
    """The true grade of every candidate, judged or not."""
    size = campaign.universe
    grade = np.zeros(size, dtype=np.int8)
    if campaign.one_relevant:
        grade[stream.choice(size, min(size, 1 + stream.poisson(RIVALS)), replace=False)] = 1
        return grade
    median = campaign.relevant / np.exp(COUNT_SPREAD**2 / 2)
    count = int(np.clip(median * np.exp(COUNT_SPREAD * stream.standard_normal()), 1, max(1, size // 8)))
    shares = np.asarray(campaign.grades)
    where = stream.choice(size, count, replace=False)
    grade[where] = 1 + stream.choice(shares.size, count, p=shares / shares.sum())
    return grade


def _draw_scores(
    campaign: Campaign, plan: Plan, stream: np.random.Generator, candidate: Ints, grade: Ints
) -> tuple[Floats, Floats]:
    """Scores (run, candidate) and how easily each candidate is found by all."""
    runs, groups, size = plan.group.size, campaign.groups, candidate.size

    def normal(*shape: int) -> Floats:
        return stream.standard_normal(shape, dtype=np.float32)

    difficulty = campaign.difficulty * stream.uniform(-(3**0.5), 3**0.5)  # spread 1, no outliers
    taste = campaign.taste * stream.standard_normal(groups)[plan.group] + OWN_TASTE * stream.standard_normal(runs)
    power = np.exp(np.clip(difficulty + plan.skill + taste, -LIMIT, LIMIT)).astype(np.float32)

    relevant = np.flatnonzero(grade)
    pull = PULL_ONE if campaign.one_relevant else PULL
    latent = pull * (1 + STEP * (grade[relevant] - 1)) + RELEVANCE_SPREAD * normal(relevant.size)
    shared = np.float32(SHARED) * normal(size) + EXPOSURE[plan.source[candidate]]
    score = (np.float32(GROUP) * normal(groups, size))[plan.group]
    score += np.float32(OWN) * normal(runs, size)
    score += shared
    score[:, relevant] += power[:, None] * latent.astype(np.float32)
    shared[relevant] += latent
    return score, shared


def _rank(plan: Plan, score: Floats, depth: int) -> tuple[Ints, Ints]:
    """The first ``depth`` candidates of each run by printed score, then by document id, both descending."""
    size = score.shape[1]
    value = plan.centre[:, None] + plan.spread[:, None] * score
    steps = np.rint(value * (10.0**plan.decimals / plan.unit)[:, None])
    key = steps.astype(np.int64) * size + np.arange(size)  # candidates stand in the order of their ids
    key = np.sort(np.partition(key, size - depth, axis=1)[:, size - depth :], axis=1)[:, ::-1]
    quanta, place = np.divmod(key, size)
    # Runs that do not round have no ties at all: equal neighbours move apart by one quantum.
    step = np.arange(depth)
    apart = np.minimum.accumulate(quanta + step, axis=1) - step
    rounds = plan.unit[:, None] > 1
    return place, np.where(rounds, quanta * plan.unit[:, None], apart)


def _draw_lengths(plan: Plan, stream: np.random.Generator, depth: int, *, first: bool) -> Ints:
    """How many documents each run gives for this topic."""
    runs = plan.group.size
    habit, share = stream.random((2, runs))
    short = plan.careless & (habit < MISSED + SHORT)
    kept = np.where(short, 1 + (depth - 1) * share**2, depth).astype(np.int64)
    if first:
        return kept
    return np.where(plan.careless & (habit < MISSED), 0, kept)


def _judge(campaign: Campaign, plan: Plan, place: Ints, kept: Ints, grade: Ints, ease: Floats) -> Ints:
    """Which candidates the assessors see: the pool, and what whoever wrote the topic had found before."""
    if campaign.one_relevant:
        return np.flatnonzero(grade)[:1]  # numbers say nothing about documents: the first is any of them
    seen = np.zeros(grade.size, dtype=bool)
    pool = min(campaign.pool, campaign.depth)
    inside = np.arange(pool) < kept[plan.pooled][:, None]
    seen[place[plan.pooled, :pool][inside]] = True
    seen[np.argmax(np.where(grade > 0, ease, -np.inf))] = True
    return np.flatnonzero(seen)
