"""Continuous active learning: select documents whose text is similar to that of relevant ones."""

from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Limits, ParameterError, need

from .base import Strategy, strategy

if TYPE_CHECKING:
    from cranfield.collections.pooling.judging_steps import Walk

FEATURES = 2**18  # words fall into so many places: there is no vocabulary to be kept


@strategy("cal", cite="cormack2015autotar", aliases=("autotar",))
class ActiveLearning(Strategy):
    """Continuous active learning: the documents whose words are those of the relevant ones, as a regression sees it.

    Logistic regression on tf-idf weights learns from what was said, and from as many documents as ``negatives`` that
    nobody has judged yet, drawn anew each time and presumed not to be relevant. It is fitted for one document, then
    after each batch that is a tenth larger than the last, rounded up. Until a relevant document is known the order is
    that of reciprocal rank fusion. Documents without text come last, in that order too.
    """

    asks: ClassVar[str] = "the text most like the relevant ones"
    means: ClassVar[dict[str, str]] = {
        "negatives": "unjudged documents, drawn anew each time, that are presumed not to be relevant"
    }
    needs_text: ClassVar[bool] = True

    negatives: Annotated[int, Limits(1)] = 100

    def check_installed(self) -> None:
        need("sklearn", extra="text")

    def start(self, walk: "Walk") -> None:
        if walk.corpus is None:
            hint = "documents and what they say, as JSON Lines, Parquet, CSV or TREC files"
            raise ParameterError(f"the strategy {self.name} reads documents: give their texts", hint=hint)
        self.check_installed()
        topics = len(walk.asked)
        walk.memory |= {
            "fused": walk.spread(walk.total(1 / (60 + walk.rank))),
            "said": np.full(walk.asked.shape, np.nan),  # (topic, document)
            "words": np.full(topics, None),  # (topic,): weights of words, (document, word), once they are wanted
            "turn": np.zeros(walk.asked.shape, dtype=np.int64),  # (topic, document): its place in the order
            "until": np.zeros(topics, dtype=np.int64),  # (topic,): the step at which that order ends
            "batch": np.ones(topics, dtype=np.int64),
        }

    def choose(self, walk: "Walk") -> NDArray[np.int64]:
        turn = walk.memory["turn"]
        for topic in np.flatnonzero(walk.open & (walk.step >= walk.memory["until"])).tolist():
            turn[topic, self._order(walk, topic)] = np.arange(turn.shape[1])
        return np.where(walk.asked, turn.shape[1], turn).argmin(axis=1)

    def told(
        self,
        walk: "Walk",
        topic: NDArray[np.int64],
        document: NDArray[np.int64],
        relevant: NDArray[np.float64],
    ) -> None:
        walk.memory["said"][topic, document] = relevant

    def _order(self, walk: "Walk", topic: int) -> NDArray[np.int64]:
        """(document,): of one topic, the best first; the batch for which it holds is noted."""
        said, words = walk.memory["said"][topic], self._words(walk, topic)
        readable = np.zeros(len(said), dtype=bool)
        readable[: words.shape[0]] = np.diff(words.indptr) > 0
        relevant, open_ = readable & (said >= 0.5), np.flatnonzero(readable & np.isnan(said))
        batch, worth = 1, np.zeros(len(said))
        if relevant.any() and len(open_):
            presumed = walk.random[topic].choice(open_, min(self.negatives, len(open_)), replace=False)
            others = np.concatenate((np.flatnonzero(readable & (said < 0.5)), presumed))
            worth[open_] = _likeness(words, np.flatnonzero(relevant), others)[open_]
            batch = int(walk.memory["batch"][topic])
            walk.memory["batch"][topic] += -(-batch // 10)
        walk.memory["until"][topic] = walk.step[topic] + batch
        return np.lexsort((-walk.memory["fused"][topic], -worth, ~readable))

    def _words(self, walk: "Walk", topic: int) -> Any:
        """The weights of the words of a topic's documents, a sparse (document, word)."""
        if walk.memory["words"][topic] is None:
            whole = walk.whole[topic]
            names = walk.candidates.document.take(whole[whole >= 0]).to_list()
            walk.memory["words"][topic] = _weigh([walk.corpus.of(name) or "" for name in names])  # type: ignore[union-attr]
        return walk.memory["words"][topic]


def _weigh(texts: list[str]) -> Any:
    """(text, word): (1 + ln count) · idf, rows of length 1."""
    text = need("sklearn.feature_extraction.text", extra="text")
    count = text.HashingVectorizer(n_features=FEATURES, alternate_sign=False, norm=None).transform(texts)
    there = np.unique(count.indices)
    if not len(there):  # nobody says anything
        return count[:, :1]
    return text.TfidfTransformer(sublinear_tf=True).fit_transform(count[:, there])


def _likeness(words: Any, relevant: NDArray[np.int64], others: NDArray[np.int64]) -> NDArray[np.float64]:
    """(document,): how far a document is on the side of the relevant ones, both sides counting the same."""
    linear = need("sklearn.linear_model", extra="text")
    said = np.repeat([1, 0], [len(relevant), len(others)])
    model = linear.LogisticRegression(solver="liblinear", class_weight="balanced", random_state=0)
    likeness: NDArray[np.float64] = model.fit(words[np.concatenate((relevant, others))], said).decision_function(words)
    return likeness
