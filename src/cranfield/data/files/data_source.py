"""Source of data: the name, digest, problems and header of a file or frame."""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeGuard

import numpy as np

from cranfield import _native
from cranfield.core import Input

from .input_problems import Problem, Problems

if TYPE_CHECKING:
    from numpy.typing import NDArray

TEXTS_AT_ONCE = 10_000  # joined in memory before they are hashed
DATASET = "ir_datasets:"  # before the id of a dataset, where others name a file


def is_dataset(data: object) -> TypeGuard[str]:
    """Whether this names a dataset of ir_datasets, and no file."""
    return isinstance(data, str) and data.startswith(DATASET)


@dataclass(frozen=True, slots=True)
class Source:
    """A file or frame that was read: its name, the digest of its bytes, what was wrong with it, its ``#`` header."""

    name: str
    digest: str
    kind: str
    problems: Problems = field(default_factory=Problems)
    header: str = ""
    tag: str = ""
    run: str = ""  # which run this is, where a table has several

    def warned(self, problem: Problem) -> "Source":
        """Return the same source with one more problem."""
        return replace(self, problems=self.problems.after([problem]))

    def as_input(self) -> Input:
        """The entry of this source in a result's provenance."""
        return Input(self.name, self.digest, self.kind)


def digest(*columns: "_native.Strings | NDArray[np.generic]") -> str:
    """A digest of data that came from no file: of the columns' values, one after the other."""
    import hashlib

    total = hashlib.blake2b(digest_size=32)
    for column in columns:
        if isinstance(column, _native.Strings):
            texts = column.to_list()
            for start in range(0, len(texts), TEXTS_AT_ONCE):
                total.update("\0".join([*texts[start : start + TEXTS_AT_ONCE], ""]).encode())
        else:
            total.update(np.ascontiguousarray(column).data)
        total.update(b"\1")
    return total.hexdigest()
