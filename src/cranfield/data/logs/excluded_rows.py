"""Rows of a log that no result counts: how many, for which reason, and in which arm."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from cranfield.core import Table

COLUMNS = ("reason", "arm", "rows", "share")
MAX_ARMS_SHOWN = 4  # in a sentence


@dataclass(frozen=True, slots=True)
class ExcludedRows:
    """Rows that were read and then excluded, by reason and arm.

    In a log of interleaved pages without arms, the teams take their place. ``rows_together`` is the mean
    number of rows that are excluded together, those of a user. ``pages_with_gaps`` counts by arm (None: no arm) the
    pages of which some rows are excluded and the others have gaps in their ranks.
    """

    total: int  # rows read, excluded or not
    counts: tuple[tuple[str, str | None, int], ...] = ()  # reason, arm (None: no arm), rows excluded
    arm_totals: Mapping[str, int] = field(default_factory=dict)  # rows read of each arm, excluded or not
    rows_together: float = 1.0
    pages_with_gaps: Mapping[str | None, int] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """Number of excluded rows."""
        return sum(rows for _, _, rows in self.counts)

    @property
    def share(self) -> float:
        """Proportion of all rows that are excluded."""
        return self.rows / self.total if self.total else 0.0

    @property
    def reasons(self) -> dict[str, int]:
        """Excluded rows by reason, the most frequent first."""
        rows: dict[str, int] = {}
        for reason, _, count in self.counts:
            rows[reason] = rows.get(reason, 0) + count
        return dict(sorted(rows.items(), key=lambda item: (-item[1], item[0])))

    @property
    def arm_shares(self) -> dict[str, float]:
        """Proportion of the rows of each arm that is excluded."""
        rows = dict.fromkeys(self.arm_totals, 0)
        for _, arm, count in self.counts:
            if arm in rows:
                rows[arm] += count
        return {arm: rows[arm] / total for arm, total in self.arm_totals.items() if total}

    def add(self, reason: str, rows: Mapping[str | None, int]) -> "ExcludedRows":
        """Return the same with more rows excluded: their number by arm (None: no arm)."""
        more = tuple((reason, arm, count) for arm, count in rows.items() if count)
        return replace(self, counts=(*self.counts, *more))

    def without_arm(self) -> "ExcludedRows":
        """Return the same where rows that have no arm are excluded too."""
        others = sum(rows for _, arm, rows in self.counts if arm is None)
        return self.add("no arm", {None: self.total - sum(self.arm_totals.values()) - others})

    def table(self) -> Table:
        """Return a row for each reason and arm; ``share`` is of all rows read."""
        order = list(self.reasons)
        counts = sorted(self.counts, key=lambda one: (order.index(one[0]), one[1] or ""))
        rows = [
            {"reason": reason, "arm": arm, "rows": count, "share": count / self.total} for reason, arm, count in counts
        ]
        return Table.from_rows(rows, COLUMNS, caption=f"{self.rows:,} of {self.total:,} rows excluded")

    def as_verdict(self) -> dict[str, int | str]:
        """Return the part of a verdict that tells how many rows it does not count."""
        return {"rows": self.total, "rows_excluded": self.rows, "excluded": self.sentence()}

    def sentence(self) -> str:
        """Return the line that stands above a verdict: how many rows it does not count, and why."""
        if not self.rows:
            return f"rows excluded: none of {self.total:,}"
        parts = [", ".join(f"{reason}: {rows:,}" for reason, rows in self.reasons.items())]
        shares = sorted(self.arm_shares.items())
        if len(shares) > MAX_ARMS_SHOWN:
            ordered = sorted(shares, key=lambda one: one[1])
            shares = [ordered[0], ordered[-1]]
        if len(shares) > 1:
            parts.append(", ".join(f"{arm} {share:.1%}" for arm, share in shares))
        return f"rows excluded: {self.rows:,} of {self.total:,} ({'; '.join(parts)})"
