"""Reproducible samples of impressions, selected by a hash of the impression name."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cranfield.core import SEED

if TYPE_CHECKING:
    from ibis.expr.types import Table as Expression

DIGITS = 8  # of a hash: one in 4,000 million


@dataclass(frozen=True, slots=True)
class Part:
    """A share of all impressions, the same on every engine.

    The hash of an impression is a number from 0 to 1; those from ``low`` up and below ``high`` are drawn.
    """

    low: float = 0.0
    high: float = 1.0
    seed: int = SEED

    def has(self, rows: "Expression") -> Any:
        """(row,): whether its impression is drawn."""
        import ibis

        if self.low >= self.high:
            return rows.impression.isnull()  # none is
        digest = ibis.literal(f"{self.seed} ").concat(rows.impression).hexdigest("md5")
        return (digest >= _digits(self.low)) & (digest < _digits(self.high))

    def cut(self, parts: int) -> list["Part"]:
        """As many parts of it, that have nothing in common."""
        ends = [self.low + (self.high - self.low) * part / parts for part in range(parts)]
        return [Part(low, high, self.seed) for low, high in zip(ends, [*ends[1:], self.high], strict=True)]


def _digits(share: float) -> str:
    """A share as the first digits of a hash, which are written from 0 to f."""
    return "g" if share >= 1 else f"{int(share * 16**DIGITS):0{DIGITS}x}"
