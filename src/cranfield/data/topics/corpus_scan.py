"""Scan a corpus once: which ids it has, and which documents have the same id or text."""

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import blake2b

import numpy as np

from cranfield._native import Strings

DIGEST_BYTES = 16  # of a text: documents are compared by these, so that no text is kept
IDS_AT_ONCE = 1 << 16  # ids that are put together in one piece of memory
MAX_EXAMPLES = 3


@dataclass
class CorpusScan:
    """The ids and text digests of a corpus that is read once."""

    wanted: set[str]  # ids of the judgments and runs
    found: set[str] = field(default_factory=set)  # those of them that the corpus has
    examples: list[str] = field(default_factory=list)
    documents: int = 0
    ids: list[Strings] = field(default_factory=list)
    last_ids: list[str] = field(default_factory=list)
    digests: dict[str, bytearray] = field(default_factory=lambda: {"id": bytearray(), "text": bytearray()})
    with_text: "array[int]" = field(default_factory=lambda: array("q"))  # positions of documents that have a text

    def add(self, document: str, text: str) -> None:
        """Add one document; white space counts as one blank."""
        if document in self.wanted:
            self.found.add(document)
        if len(self.examples) < MAX_EXAMPLES:
            self.examples.append(document)
        self.last_ids.append(document)
        if len(self.last_ids) == IDS_AT_ONCE:
            self.ids.append(Strings(self.last_ids))
            self.last_ids = []
        self.digests["id"] += blake2b(document.encode(), digest_size=DIGEST_BYTES).digest()
        if plain := " ".join(text.split()):
            self.digests["text"] += blake2b(plain.encode(), digest_size=DIGEST_BYTES).digest()
            self.with_text.append(self.documents)
        self.documents += 1

    def repeated_ids(self) -> list[str]:
        """Return the ids that several documents have, each once."""
        return [self._id(group[0]) for group in _equal(self.digests["id"])]

    def equal_texts(self) -> list[list[str]]:
        """Return the ids of documents that have the same text, in the order of the corpus; repeated ids count once."""
        groups = [dict.fromkeys(self._id(self.with_text[i]) for i in group) for group in _equal(self.digests["text"])]
        return [list(group) for group in groups if len(group) > 1]

    def _id(self, position: int) -> str:
        part, place = divmod(position, IDS_AT_ONCE)
        return self.ids[part][place] if part < len(self.ids) else self.last_ids[place]


def _equal(digests: bytearray) -> Iterator[list[int]]:
    """Yield the positions of equal digests, several at least, in the order of the first of each group."""
    halves = np.frombuffer(digests, np.uint64).reshape(-1, 2)
    order = np.lexsort((halves[:, 1], halves[:, 0]))  # stable: positions ascend in a group
    same = (halves[order[1:]] == halves[order[:-1]]).all(axis=1)
    starts = np.flatnonzero(same & ~np.concatenate(([False], same[:-1]))) if len(same) else np.zeros(0, np.int64)
    ends = np.flatnonzero(same & ~np.concatenate((same[1:], [False]))) + 2 if len(same) else starts
    groups = [order[a:b].tolist() for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]
    yield from sorted(groups)
