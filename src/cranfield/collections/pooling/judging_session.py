"""A judging session that requests one document at a time and records its grade."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cranfield.collections.strategies.base import Strategy
from cranfield.collections.strategies.parsing import parse_strategy
from cranfield.core import SEED, ParameterError
from cranfield.data import Qrels

from .candidates import Candidates
from .judging_steps import Walk
from .pool_state import SHARES, Event, Share, State

if TYPE_CHECKING:
    from cranfield.data import Corpus

RECENT = 10  # judgments of a topic that say how much it yields


@dataclass(frozen=True, slots=True)
class Asked:
    """A document that somebody is to judge, and which one of its topic it is."""

    topic: str
    document: str
    order: int  # from 1


class Judging:
    """A pool that grows one judgment at a time: ``next`` gives a document, ``tell`` takes its grade.

    Several documents may be out at the same time, and come back in any order. ``budget`` is the number of judgments
    of each topic, or, ``shared``, of all topics together: then topics take turns (``even``), or the one goes on whose
    last judgments found most (``yield``). The first ``first`` documents of every run are asked for before the strategy
    begins, so that it is fair to runs that start slowly. From grade ``rel`` on a document is relevant; one that is
    given a grade below 0 was not judged, and nobody learns from it.

    ``state`` is all there is to know, as a value; ``Judging.resume`` goes on from it.
    """

    def __init__(
        self,
        candidates: Candidates,
        strategy: str | Strategy = "nrg",
        *,
        budget: int | None = None,
        shared: bool = False,
        share: Share = "even",
        rel: float = 1,
        first: int = 0,
        seed: int = SEED,
        corpus: "Corpus | None" = None,
    ) -> None:
        if share not in SHARES:
            raise ParameterError(f"topics cannot share a budget by {share!r}", hint=f"choose {' or '.join(SHARES)}")
        if budget is not None and budget < 1:
            raise ParameterError(f"the budget cannot be {budget}", hint="pay for one judgment or more")
        if first < 0:
            raise ParameterError(f"{first} documents of each run cannot come first", hint="give 0 or more")
        self.candidates, self.strategy, self.corpus = candidates, parse_strategy(strategy), corpus
        self.budget, self.shared, self.share = budget, shared, share
        self.rel, self.first, self.seed = rel, first, seed
        self._events: list[Event] = []
        self._place = {topic: place for place, topic in enumerate(candidates.topics)}
        self._walks: dict[int, Walk] = {}
        self._asked = np.zeros(len(candidates.topics), dtype=np.int64)
        self._recent: list[list[bool]] = [[] for _ in candidates.topics]
        self._out: dict[tuple[str, str], int] = {}  # asked, not told, and which of its topic it was
        self._told: dict[tuple[str, str], float] = {}
        self._documents = cache(self._documents_of)

    def __repr__(self) -> str:
        return f"Judging({self.strategy}: {int(self._asked.sum())} asked, {len(self._out)} of them not told yet)"

    @property
    def state(self) -> State:
        """How this pool is made, and all that was asked and said."""
        return State(
            strategy=str(self.strategy),
            depth=self.candidates.depth,
            ties=self.candidates.ties,
            rel=self.rel,
            first=self.first,
            budget=self.budget,
            shared=self.shared,
            share=self.share,
            seed=self.seed,
            runs=runs_of(self.candidates),
            events=tuple(self._events),
        )

    @property
    def pending(self) -> tuple[Asked, ...]:
        """What was asked for, and of which nothing was said yet, in the order of asking."""
        return tuple(Asked(*key, order) for key, order in self._out.items())

    @property
    def told(self) -> NDArray[np.bool_]:
        """(document,): of which candidates something was said."""
        names = zip(self.candidates.topic.tolist(), self.candidates.document.to_list(), strict=True)
        known = [(self.candidates.topics[place], document) in self._told for place, document in names]
        return np.array(known, dtype=bool)

    def next(self, topic: str | None = None) -> Asked | None:
        """The document to be judged next, of one topic or of whichever has its turn; None: there is none to be asked.

        It counts as asked from now on.
        """
        if topic is not None:
            places = [self._topic(topic)]
        else:
            places = self._turns()
        for place in places:
            if not self._pays(place):
                continue
            walk = self._walk(place)
            document = int(walk.next()[0])
            if document >= 0:
                name = self.candidates.document[int(walk.whole[0, document])]
                self._ask(place, document, Event("asked", self.candidates.topics[place], name))
                return Asked(self.candidates.topics[place], name, int(self._asked[place]))
        return None

    def tell(self, topic: str, document: str, grade: float) -> None:
        """Say how relevant a document is; one that nobody was asked for is taken as known."""
        if not isfinite(grade):
            raise ParameterError(f"the grade cannot be {grade}", hint="give a number; below 0: it was not judged")
        place = self._topic(topic)
        number = self._documents(place).get(document)
        if number is None:
            hint = "only documents that a run has among its first can be judged"
            raise ParameterError(f"document {document} is no candidate of topic {topic}", hint=hint)
        walk, asked = self._walk(place), (topic, document) in self._out
        if (topic, document) in self._told:
            hint = "it is told once; take it back to say something else"
            raise ParameterError(f"document {document} of topic {topic} was judged already", hint=hint)
        self._told[topic, document] = float(grade)
        if asked:
            del self._out[topic, document]
            self._events.append(Event("told", topic, document, float(grade)))
        else:
            self._ask(place, number, Event("known", topic, document, float(grade)), out=False)
        if grade >= 0:
            relevant = grade >= self.rel
            walk.tell(np.array([0]), np.array([number]), np.array([float(relevant)]))
            self._recent[place] = [*self._recent[place][1 - RECENT :], relevant]

    def take_back(self, topic: str, document: str) -> None:
        """Unsay a grade: the document is out again if it was asked for, and the topic never learnt from it."""
        place = self._topic(topic)
        if (topic, document) not in self._told:
            raise ParameterError(f"document {document} of topic {topic} was not judged", hint="nothing is taken back")
        self._events.append(Event("back", topic, document))
        self._relearn(place)

    def grade_of(self, topic: str, document: str) -> float | None:
        """The grade that was told of a document, or known; None: there is none."""
        return self._told.get((topic, document))

    def follow(self, event: Event) -> None:
        """Take over what was asked or said elsewhere, so that two that follow the same events choose alike."""
        if event.kind == "asked":
            self._due(event.topic)
        self._follow(event)

    def tell_all(self, qrels: Qrels) -> int:
        """Say what judgments know of documents that were asked for, or could be; how many grades that were new."""
        grade = self.candidates.grades(qrels).tolist()
        names = zip(self.candidates.topic.tolist(), self.candidates.document.to_list(), grade, strict=True)
        before = len(self._told)
        for place, document, given in names:
            topic = self.candidates.topics[place]
            if given >= 0 and (topic, document) not in self._told:
                self.tell(topic, document, given)
        return len(self._told) - before

    def ask(self, each: int) -> int:
        """Ask for so many documents of every topic, as far as the budget goes; how many that were."""
        before = len(self._out)
        if self.shared:
            for _ in range(each * len(self.candidates.topics)):
                if self.next() is None:
                    break
        else:
            for topic in self.candidates.topics:
                for _ in range(each):
                    if self.next(topic) is None:
                        break
        return len(self._out) - before

    @classmethod
    def resume(cls, candidates: Candidates, state: State, *, corpus: "Corpus | None" = None) -> "Judging":
        """Go on from a state: the same runs, and all that was asked and said again."""
        judging = cls._fresh(candidates, state, corpus)
        for event, _ in judging._again(state):
            judging._follow(event)
        return judging

    @classmethod
    def audit(cls, candidates: Candidates, state: State, *, corpus: "Corpus | None" = None) -> list[tuple[Event, str]]:
        """What was asked, each with the document that was due: others were asked for by somebody else."""
        judging = cls._fresh(candidates, state, corpus)
        found = []
        for event, due in judging._again(state):
            if event.kind == "asked":
                found.append((event, due))
            judging._follow(event)
        return found

    @classmethod
    def _fresh(cls, candidates: Candidates, state: State, corpus: "Corpus | None") -> "Judging":
        before, now = dict(state.runs), dict(runs_of(candidates))
        changed = next((run for run in {**before, **now} if before.get(run) != now.get(run)), None)
        others = {
            "the depth": candidates.depth != state.depth,
            "the order of ties": candidates.ties != state.ties,
            "the order of the runs": list(before) != list(now),
        }
        what = next((name for name, differs in others.items() if differs), None)
        if changed is not None or what is not None:
            what = what if changed is None else f"run {changed}"
            hint = "resume with the runs, the depth and the order of ties that the pool was begun with"
            raise ParameterError(f"{what} is not what it was when the pool was begun", hint=hint)
        return cls(
            candidates,
            state.strategy,
            budget=state.budget,
            shared=state.shared,
            share=state.share,
            rel=state.rel,
            first=state.first,
            seed=state.seed,
            corpus=corpus,
        )

    def _again(self, state: State) -> Iterator[tuple[Event, str]]:
        """Each event, with the document that is due in its topic where one was asked for."""
        for event in state.events:
            yield event, self._due(event.topic) if event.kind == "asked" else ""

    def _due(self, topic: str) -> str:
        """The document that is due in a topic, chosen again, so that what is random stays in step."""
        walk = self._walk(self._topic(topic))
        document = int(walk.next()[0])
        return self.candidates.document[int(walk.whole[0, document])] if document >= 0 else ""

    def _relearn(self, place: int) -> None:
        """Walk through a topic again, without the grades that were taken back."""
        topic, events = self.candidates.topics[place], self._events
        mine = [event for event in events if event.topic == topic]
        back = {event.document: number for number, event in enumerate(mine) if event.kind == "back"}
        holds = [event for n, event in enumerate(mine) if event.kind == "asked" or n > back.get(event.document, -1)]
        self._walks.pop(place, None)
        self._asked[place], self._recent[place] = 0, []
        self._told = {key: grade for key, grade in self._told.items() if key[0] != topic}
        self._out = {key: order for key, order in self._out.items() if key[0] != topic}
        self._events = []
        for event in holds:
            self.follow(event)
        self._events = events

    def _follow(self, event: Event) -> None:
        if event.kind == "asked":
            place = self._topic(event.topic)
            number = self._documents(place).get(event.document)
            if number is None:
                hint = "the state belongs to other runs"
                raise ParameterError(f"document {event.document} is no candidate of topic {event.topic}", hint=hint)
            self._ask(place, number, event)
        elif event.kind == "back":
            self.take_back(event.topic, event.document)
        else:
            self.tell(event.topic, event.document, event.grade or 0.0)

    def _ask(self, place: int, document: int, event: Event, *, out: bool = True) -> None:
        walk = self._walk(place)
        if not walk.asked[0, document]:  # a strategy may leave documents out
            walk.ask(np.array([0]), np.array([document]))
        self._events.append(event)
        if out:
            self._asked[place] += 1  # what was known before costs nothing
            self._out[event.topic, event.document] = int(self._asked[place])

    def _topic(self, topic: str) -> int:
        if topic not in self._place:
            raise ParameterError(f"no run has topic {topic}", hint="judge a topic that a run has documents for")
        return self._place[topic]

    def _walk(self, place: int) -> Walk:
        if place not in self._walks:
            self._walks[place] = Walk(
                self.strategy, self.candidates, [place], first=self.first, seed=self.seed, corpus=self.corpus
            )
        return self._walks[place]

    def _documents_of(self, place: int) -> dict[str, int]:
        start, end = self.candidates.starts[place : place + 2].tolist()
        names = self.candidates.document.take(np.arange(start, end)).to_list()
        return {name: number for number, name in enumerate(names)}

    def _pays(self, place: int) -> bool:
        """Whether the budget has a judgment left for a topic."""
        if self.budget is None:
            return True
        return bool((self._asked.sum() if self.shared else self._asked[place]) < self.budget)

    def _turns(self) -> list[int]:
        """The topics, the one that has its turn first."""
        even = np.lexsort((np.arange(len(self._asked)), self._asked)).tolist()
        if self.share == "even":
            return even
        promise = [(1 + sum(recent)) / (2 + len(recent)) for recent in self._recent]
        return sorted(even, key=lambda place: -promise[place])


def runs_of(candidates: Candidates) -> tuple[tuple[str, str], ...]:
    """The names and digests of the runs."""
    return tuple((run, source.digest) for run, source in zip(candidates.runs, candidates.sources, strict=True))
