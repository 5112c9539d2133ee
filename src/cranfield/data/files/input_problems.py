"""Problems of input files: errors, which stop the reading, and warnings."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from cranfield.core import InputError


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with a file: an error (``E-…``) stops, a warning (``W-…``) does not."""

    file: str
    line: int  # from 1; 0 when the whole file is meant
    code: str
    message: str
    hint: str
    run: str = ""  # where a table has several

    @property
    def severity(self) -> str:
        """``error`` or ``warning``."""
        return "error" if self.code.startswith("E") else "warning"

    @property
    def where(self) -> str:
        """The file, and the line if there is one."""
        return f"{self.file}:{self.line}" if self.line else self.file

    @property
    def label(self) -> str:
        """The file, and the run where a table has several."""
        return f"{self.file} (run {self.run})" if self.run else self.file

    def of_run(self, run: str) -> "Problem":
        """Return the same problem with the name of its run, where a table has several."""
        return replace(self, message=f"run {run}: {self.message}", run=run) if run else self

    def error(self, more: int = 0) -> InputError:
        """The exception that says this, and how many more errors there are."""
        others = f" (and {more} more error{'s' * (more > 1)})" if more else ""
        problem = f"{self.where}: {self.message}{others}"
        return InputError(problem, hint=self.hint, code=self.code, file=self.file, line=self.line or None)


@dataclass(frozen=True, slots=True)
class Problems:
    """The problems of one file: the first hundred in full, all of them counted by code."""

    kept: tuple[Problem, ...] = ()
    counts: tuple[tuple[str, int], ...] = ()

    @classmethod
    def of(cls, file: str, read: dict[str, Any]) -> "Problems":
        """The problems that the native reader found in a file."""
        kept = tuple(Problem(file, line, code, message, hint) for code, line, message, hint in read["problems"])
        return cls(kept, tuple(read["counts"].items()))

    def of_run(self, run: str) -> "Problems":
        """Return these problems with the name of their run, where a table has several."""
        return replace(self, kept=tuple(one.of_run(run) for one in self.kept))

    def after(self, first: Iterable[Problem]) -> "Problems":
        """Return these problems with others before them, errors first."""
        kept = sorted((*first, *self.kept), key=lambda one: one.severity)  # an error comes before a warning
        counts = dict(self.counts)
        for one in first:
            counts[one.code] = counts.get(one.code, 0) + 1
        return Problems(tuple(kept), tuple(counts.items()))

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """The kept problems that do not stop."""
        return tuple(problem for problem in self.kept if problem.severity == "warning")

    @property
    def not_kept(self) -> int:
        """How many problems were counted only."""
        return sum(count for _, count in self.counts) - len(self.kept)

    def stop(self) -> None:
        """Raise the first error, if there is one."""
        errors = sum(count for code, count in self.counts if code.startswith("E"))
        first = next((problem for problem in self.kept if problem.severity == "error"), None)
        if first:
            raise first.error(more=errors - 1)


def problem(file: str, code: str, message: str, hint: str, *, line: int = 0) -> InputError:
    """The exception for a problem that is found in Python."""
    return Problem(file, line, code, message, hint).error()


def listed(names: Iterable[str], *, most: int = 3) -> str:
    """Some names, and how many more there are."""
    names = list(names)
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more" if rest > 0 else "")
