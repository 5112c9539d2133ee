"""Runs with integer document codes, so that many subsets of them can be fused quickly."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError
from cranfield.data import NamedDocuments, Run, Source, name_documents

from .base import Fusion
from .parsing import parse_fusion


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Coded:
    """Several runs, cut at one depth, whose documents are numbers: what is fused."""

    runs: tuple[Run, ...]
    named: NamedDocuments
    depth: int | None  # at which the runs are cut

    def __len__(self) -> int:
        return len(self.runs)

    def __repr__(self) -> str:
        return f"Coded({len(self)} runs, {len(self.named.topics)} topics, {len(self.named)} documents)"

    @property
    def there(self) -> NDArray[np.bool_]:
        """(run, topic): whether the run has documents for the topic."""
        found = np.zeros((len(self), len(self.named.topics)), dtype=bool)
        for run, rows in enumerate(self.named.rows):
            found[run, self.named.topic[rows]] = True
        return found

    def fuse(
        self,
        method: str | Fusion = "rrf",
        which: Sequence[int] | None = None,
        *,
        name: str = "fused",
        depth: int | None = None,
    ) -> Run:
        """One run of all, or of those at the places ``which``; the first ``depth`` documents of each topic are kept.

        Ordered by score, ties by document id, descending by bytes. The order of the runs changes nothing.
        """
        wanted = parse_fusion(method)
        chosen = self._chosen(which)
        _check_depth(depth)
        score, count = self._summed(wanted, chosen)
        kept = np.flatnonzero(count)
        # Documents are in the order of ties already, and this sort is stable.
        kept = kept[np.lexsort((-score[kept], self.named.topic[kept]))]
        topics, number = np.unique(self.named.topic[kept], return_counts=True)
        if depth is not None:
            kept = kept[_ranks(number) <= depth]
            number = np.minimum(number, depth)
        return Run(
            name,
            self.named.topics.take(topics),
            np.concatenate(([0], np.cumsum(number))),
            self.named.document.take(kept),
            score[kept],
            self._source(wanted, chosen, name, depth),
        )

    def _chosen(self, which: Sequence[int] | None) -> list[int]:
        chosen = list(range(len(self)) if which is None else which)
        if not chosen:
            raise ParameterError("there is no run to fuse", hint="choose at least one")
        for place in chosen:
            if not 0 <= place < len(self):
                raise ParameterError(f"there is no run {place}", hint=f"runs are counted from 0 to {len(self) - 1}")
        return chosen

    def _summed(self, method: Fusion, chosen: Sequence[int]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """(document,): the score of every named document, and how many runs have it.

        What rounding takes from a sum is kept beside it (two-sum) and added at the end. Otherwise documents that are
        equal, having the same ranks in other runs, would be ordered by the last bit of sums in different order.
        """
        total, lost = np.zeros(len(self.named)), np.zeros(len(self.named))
        count = np.zeros(len(self.named), dtype=np.int64)
        with np.errstate(over="ignore", invalid="ignore"):
            for run in chosen:
                rows, given = self.named.rows[run], method.given(self.runs[run])
                before = total[rows]
                after = before + given
                added = after - before
                lost[rows] += (before - (after - added)) + (given - added)
                total[rows] = after
                count[rows] += 1
            score = (total + lost) * count if method.counts else total + lost
        if not np.isfinite(score).all():
            raise ParameterError("scores are too large to be added up", hint="rrf and isr look at ranks alone")
        return score + 0.0, count  # no −0: it would rank below 0

    def _source(self, method: Fusion, chosen: Sequence[int], name: str, depth: int | None) -> Source:
        """A run that came from no file: its digest is that of what it was made of, and how."""
        made_of = [f"{method} {self.depth} {depth}", *(self.runs[run].source.digest for run in chosen)]
        digest = blake2b("\n".join(made_of).encode(), digest_size=32).hexdigest()
        return Source(name, digest, "run", tag="-".join(name.split()))  # a tag holds no spaces


def code_runs(runs: Sequence[Run], *, depth: int | None = 1000) -> Coded:
    """Code the documents of runs, the first ``depth`` of each topic; None: all."""
    if not runs:
        raise ParameterError("there is no run to fuse", hint="give at least one")
    _check_depth(depth)
    cut = tuple(run if depth is None else run.first(depth) for run in runs)
    return Coded(cut, name_documents(cut), depth)


def _ranks(number: NDArray[np.int64]) -> NDArray[np.int64]:
    """1, 2, … for each topic, of so many documents."""
    ends = np.cumsum(number)
    return np.arange(1, ends[-1] + 1) - np.repeat(ends - number, number)


def _check_depth(depth: int | None) -> None:
    if depth is not None and depth < 1:
        raise ParameterError(f"runs cannot be cut at depth {depth}", hint="keep at least one document of each topic")
