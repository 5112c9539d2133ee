"""Small random campaigns as plain dictionaries, and the full rankings of their runs."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.core.types import Gains, Rows
from cranfield.core.types import Grades as GradeArray
from cranfield.data import NOBODY, Assessed, Block, assess

Grades = dict[str, int]  # document → grade
Scores = dict[str, float]  # document → score

# Ids that sort differently by bytes, by number and by alphabet.
DOCUMENTS = [f"d{i}" for i in range(24)] + ["D7", "Z", "007", "é1", "ß", "文書", "a.b-c_d"]


@dataclass(frozen=True)
class Function:
    """A plain function as a kernel; a document is worth its grade, and is shown if it has at least the ``least``."""

    function: Callable[[Block], Rows]
    least: float = NOBODY
    reach: float = np.inf

    def kernel(self, block: Block, /) -> Rows:
        return self.function(block)

    def gain(self, grade: GradeArray, /) -> Gains:
        return np.maximum(grade, 0)

    def earns(self, grade: GradeArray, /) -> NDArray[np.bool_]:
        return grade >= self.least


@dataclass(frozen=True)
class Campaign:
    """Judgments, runs, and what else is known of the documents of each topic."""

    qrels: dict[str, Grades]
    runs: dict[str, dict[str, Scores]]
    lengths: dict[str, float]
    subtopics: dict[str, dict[str, set[str]]]
    groups: dict[str, dict[str, str]]  # by an attribute of the document, judged or not

    def assessed(self, **options: Any) -> Assessed:
        """What the package makes of it; the documents of the side tables are named too."""
        also = [columns(self.subtopics), columns(self.groups)]
        return assess(self.qrels, self.runs, also=also, **options)

    def ranking(self, run: str, topic: str) -> list[str]:
        """All documents of a run in a topic: by score, then by the bytes of the id, both from the top."""
        return [document for tied in self.ties(run, topic) for document in tied]

    def ties(self, run: str, topic: str) -> list[list[str]]:
        """The same, one list for each score."""
        scores = self.runs[run].get(topic, {})
        order = sorted(scores, key=lambda document: (scores[document], document.encode()), reverse=True)
        return [list(tied) for _, tied in groupby(order, key=scores.__getitem__)]


def random_campaign(seed: int, *, depth: int = 20) -> Campaign:
    """Ties, unjudged documents, grades below 0, topics that a run misses and topics that nobody judged."""
    rng = random.Random(seed)
    topics = ["301", "7", "007", "q-é"]

    def some(most: int, least: int = 0) -> list[str]:
        return rng.sample(DOCUMENTS, rng.randint(least, most))

    runs = {}
    for run in ("bm25", "dense", "mixed"):
        answered = rng.sample([*topics, "unjudged"], rng.randint(2, 5)) + topics[:1]
        runs[run] = {topic: _scored(some(depth, 1), rng) for topic in dict.fromkeys(answered)}
    qrels = {topic: {document: rng.choice([-2, -1, 0, 0, 1, 1, 2, 3]) for document in some(16, 1)} for topic in topics}
    return Campaign(
        qrels=qrels,
        runs=runs,
        lengths={document: float(rng.randint(1, 3000)) for document in DOCUMENTS if rng.random() < 0.9},
        subtopics={
            topic: {document: set(rng.sample("abcd", rng.randint(1, 3))) for document in some(12)} for topic in topics
        },
        groups={topic: {document: rng.choice(["north", "south"]) for document in some(20)} for topic in topics},
    )


def _scored(documents: list[str], rng: random.Random) -> Scores:
    """Scores with groups of at most four ties, in no order."""
    scores: Scores = {}
    score = 0.0
    while len(scores) < len(documents):
        score += rng.choice([0.5, 1.0, 0.125])
        scores |= dict.fromkeys(documents[len(scores) : len(scores) + rng.randint(1, 4)], score)
    return {document: scores[document] for document in rng.sample(documents, len(documents))}


def columns(table: Mapping[str, Mapping[str, object]]) -> tuple[list[str], list[str]]:
    """The (topic, document) pairs of a table as two columns."""
    pairs = [(topic, document) for topic, documents in table.items() for document in documents]
    return [topic for topic, _ in pairs], [document for _, document in pairs]


def labels(assessed: Assessed, table: Mapping[str, Mapping[str, Any]], otherwise: Any) -> list[Any]:
    """What a table says of each named document."""
    documents = assessed.documents.to_list()
    return [
        table.get(topic, {}).get(document, otherwise)
        for t, topic in enumerate(assessed.topics)
        for document in documents[assessed.named[t] : assessed.named[t + 1]]
    ]


def write_qrels(path: Path, qrels: Mapping[str, Mapping[str, int]]) -> Path:
    """The judgments as trec_eval reads them."""
    rows = [f"{topic} 0 {document} {grade}\n" for topic, row in qrels.items() for document, grade in row.items()]
    path.write_text("".join(rows))
    return path


def write_run(path: Path, run: Mapping[str, Mapping[str, float]], *, tag: str = "tag") -> Path:
    """The run as trec_eval reads it, in the order of the dictionary."""
    lines = [
        f"{topic} Q0 {document} {rank} {score!r} {tag}\n"
        for topic, row in run.items()
        for rank, (document, score) in enumerate(row.items(), 1)
    ]
    path.write_text("".join(lines))
    return path


def arrays(assessed: Assessed) -> dict[str, list[Any]]:
    """Everything that was found, as lists that can be compared; documents by their ids."""
    entries = assessed.documents.take(assessed.document.astype(np.int64)).to_list()
    numbers = {
        "named": assessed.named,
        "grade": assessed.grade,
        "starts": assessed.starts,
        "rank": assessed.rank,
        "tie_first": assessed.tie_first,
        "tie_last": assessed.tie_last,
        "retrieved": assessed.retrieved,
        "tied": assessed.tied,
    }
    words = {"topics": list(assessed.topics), "documents": assessed.documents.to_list(), "document": entries}
    return words | {name: np.asarray(array).tolist() for name, array in numbers.items()}
