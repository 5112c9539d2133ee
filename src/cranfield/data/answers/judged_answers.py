"""Judged answers: the nuggets and citations of written answers, and the support for each."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Input

NuggetWeights: TypeAlias = NDArray[np.float64]  # (nugget,)
PerAnswer: TypeAlias = NDArray[np.float64]  # (run, topic)


@dataclass(frozen=True, eq=False)
class Nuggets:
    """What good answers say: for each topic its nuggets, topic by topic, which are vital, and what each weighs."""

    topics: tuple[str, ...]
    topic: NDArray[np.int64]  # (nugget,): rising
    names: tuple[str, ...]  # (nugget,)
    vital: NDArray[np.bool_] | None  # (nugget,); None: nobody says
    weight: NuggetWeights

    def add_up(self, worth: NDArray[np.float64]) -> NDArray[np.float64]:
        """(…, nugget) → (…, topic): sums over the nuggets of each topic."""
        return np.add.reduceat(worth, np.searchsorted(self.topic, np.arange(len(self.topics))), axis=-1)


@dataclass(frozen=True, eq=False)
class Citations:
    """Sentences of answers, and how far each of the documents that they cite supports them."""

    topics: tuple[str, ...]
    run: NDArray[np.int64]  # (sentence,)
    topic: NDArray[np.int64]  # (sentence,)
    sentence: NDArray[np.int64]  # (citation,): rising; the citations of a sentence in the order of the file
    support: NDArray[np.float64]  # (citation,)

    def add_up(self, sentence: NDArray[np.int64], worth: NDArray[np.float64], runs: int) -> PerAnswer:
        """(run, topic): sums over sentences, or over citations of these sentences."""
        place = self.run[sentence] * len(self.topics) + self.topic[sentence]
        sums = np.bincount(place, worth, minlength=runs * len(self.topics))
        return sums.astype(np.float64).reshape(runs, len(self.topics))


@dataclass(frozen=True, eq=False)
class JudgedAnswers:
    """What judges say of answers: which nuggets each supports, how far its citations support it, how long it is.

    Support is 1 where it is full, 0 where there is none, and partial between. Topics are those that somebody judged.
    """

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    there: NDArray[np.bool_]  # (run, topic): there is an answer
    nuggets: Nuggets | None
    support: NDArray[np.float64]  # (run, nugget)
    citations: Citations | None
    characters: PerAnswer | None  # without blanks; NaN where nobody says
    words: PerAnswer | None
    inputs: tuple[Input, ...] = ()
    notes: tuple[str, ...] = ()

    def spread(self, values: PerAnswer, topics: tuple[str, ...]) -> PerAnswer:
        """Values of some topics among all of them; NaN where nobody judged."""
        place = {topic: t for t, topic in enumerate(self.topics)}
        found = np.full((len(self.runs), len(self.topics)), np.nan)
        found[:, [place[topic] for topic in topics]] = values
        return found
