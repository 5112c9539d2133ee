"""C/W/L measure with a continuation probability for each rank, as estimated from logs."""

from typing import ClassVar

import numpy as np

from cranfield.core import ParameterError
from cranfield.core.types import Ranks, Weights
from cranfield.measures.base import measure
from cranfield.measures.declared_properties import Example
from cranfield.measures.number_lists import keep_row, read_numbers

from .cwl_users import Fading


@measure("CWL", cite="moffat2017inst")
class CWL(Fading):
    """C/W/L in numbers: a user who goes on after rank i with the i-th chance of ``continuation``, whatever is seen.

    The last of them holds for all ranks that follow: with one number only, it is RBP with shares of the top grade as
    gains.
    """

    formula: ClassVar[str] = "Σ_i gain(i) · V(i) / Σ_i V(i),  V(i) = Π_{j<i} continuation(j)"
    example: ClassVar[Example] = Example("CWL(continuation='0.5 0.2')@3", (0, 1, 1), "(0.5 + 0.1) / (1 + 0.5 + 0.1)")
    continuation: str = "0.8"

    def __post_init__(self) -> None:
        super().__post_init__()
        keep_row(self, "continuation")
        if self.k is None and read_numbers(self.continuation)[-1] == 1:
            hint = "the last probability holds for ever: write one below 1, or a cut-off"
            raise ParameterError(f"CWL cannot have continuation={self.continuation!r}", hint=hint)

    @property
    def _known(self) -> tuple[Weights, float]:
        """V of the ranks that the numbers lead to, and the chance to go on below them."""
        given = read_numbers(self.continuation)
        return np.concatenate(([1.0], given[:-1])).cumprod(), float(given[-1])

    def attention(self, rank: Ranks) -> Weights:
        users, on = self._known
        place = np.minimum(rank, len(users))
        return users[place.astype(np.int64) - 1] * on ** (rank - place)

    def looks(self, rank: Ranks) -> Weights:
        users, on = self._known
        place = np.minimum(rank, len(users))
        down = np.concatenate(([0.0], users.cumsum()))[place.astype(np.int64)]
        below = rank - place
        more = below if on == 1 else on * (1 - on**below) / (1 - on)
        return down + users[-1] * more
