"""Log of a policy: the documents shown, their propensities and their rewards."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield._native import Strings
from cranfield.core import ParameterError
from cranfield.data.files.data_source import Source
from cranfield.data.runs.run import Run

from .excluded_rows import ExcludedRows

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Choices:
    """A row for each document that was shown, impression by impression and rank by rank.

    The chances of a row are those that it is shown at its rank, by the policy of the log or by another.
    """

    impression: NDArray[np.int64]  # (row,): from 0, rising
    rank: NDArray[np.int64]  # (row,): from 1 on in each impression, without a gap
    reward: Numbers  # (row,)
    propensity: Numbers | None  # (row,): by the policy of the log; NaN: not known
    policies: Mapping[str, Numbers]  # (row,) each: by other policies
    model: Numbers | None  # (row,): what a model expects
    expected: Mapping[str, Numbers]  # (row,) each: what it expects of other policies
    user: NDArray[np.int64] | None  # (row,): whose the impression is
    topic: Strings | None  # (row,)
    document: Strings | None  # (row,)
    source: Source
    unread: ExcludedRows  # rows of the file that are not in the log
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.reward)

    def __repr__(self) -> str:
        return f"Choices({self.source.name!r}: {len(self)} rows of {self.impressions} impressions)"

    @property
    def impressions(self) -> int:
        """How many there are."""
        return int(self.impression[-1]) + 1

    @property
    def excluded(self) -> ExcludedRows:
        """Rows that no estimate counts: those not read, and those of impressions without all their propensities."""
        if self.propensity is None:
            return self.unread
        unknown = np.zeros(self.impressions, dtype=bool)
        unknown[self.impression[np.isnan(self.propensity)]] = True
        return self.unread.add("no propensity", {None: int(unknown[self.impression].sum())})

    @property
    def pages(self) -> bool:
        """Whether some impression shows more than one document."""
        return len(self) > self.impressions

    def with_runs(self, runs: Sequence[Run]) -> "Choices":
        """The same, seen by runs too: each shows its own document at each rank, and no other."""
        if taken := [run.name for run in runs if run.name in self.policies]:
            raise ParameterError(f"two policies are called {taken[0]}", hint="give each a name of its own")
        frame = self._named(why="a run")
        deepest = int(self.rank.max())
        found = {}
        for run in runs:
            own = run.first(deepest).to_polars().select("topic", "rank", shows="document")
            seen = frame.join(own, on=["topic", "rank"], how="left", maintain_order="left")
            found[run.name] = (seen["document"] == seen["shows"]).fill_null(value=False).cast(float).to_numpy()
        return replace(self, policies={**self.policies, **found})

    def counted(self) -> "Choices":
        """The same, the log's chances being counted: how often its topic has the document at that rank."""
        import polars as pl

        frame = self._named(why="counting how often documents are shown").with_columns(impression=self.impression)
        shown = pl.len().over("topic", "rank", "document")
        share = frame.select(shown / pl.col("impression").n_unique().over("topic")).to_series()
        return replace(self, propensity=share.cast(float).to_numpy())

    def _named(self, *, why: str) -> Any:
        """Topic, rank and document as a frame."""
        import polars as pl

        for name in ("topic", "document"):
            if getattr(self, name) is None:
                hint = f"add it, or say where it is: columns={{{name!r}: …}}"
                raise ParameterError(f"{why} needs the column {name}: {self.source.name} has none", hint=hint)
        names = {name: pl.Series(getattr(self, name).to_list(), dtype=pl.String) for name in ("topic", "document")}
        return pl.DataFrame(names | {"rank": self.rank})
