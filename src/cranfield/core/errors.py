"""Exceptions for problems that the user can fix, with a message and a hint.

CranfieldError
├── InputError        a file, table or identifier is wrong
├── ParameterError    a measure, test or model was configured wrongly
├── UnknownName       no such measure, test or model
├── ScaleError        a test asks more of the numbers than the measure gives
├── MissingExtra      an optional package is not installed
└── ChecksFailed      a check the user asked for did not hold (exit code 3)
    └── Inconclusive  the evidence does not decide it (exit code 4)
"""

from importlib import import_module
from types import ModuleType


class CranfieldError(Exception):
    """Anything a user can put right: one line on what is wrong, one line on what to do next."""

    # Only `problem` is in `args`: pickle calls the class with `args` and restores the other fields afterwards.
    def __init__(self, problem: str, *, hint: str = "") -> None:
        super().__init__(problem)
        self.problem, self.hint = problem, hint

    def __str__(self) -> str:
        return f"{self.problem}\nhint: {self.hint}" if self.hint else self.problem


class InputError(CranfieldError, ValueError):
    """A file, table or identifier is wrong; ``problem`` already starts with "file:line: " where both are known."""

    def __init__(
        self,
        problem: str,
        *,
        hint: str = "",
        code: str | None = None,
        file: str | None = None,
        line: int | None = None,
    ) -> None:
        super().__init__(problem, hint=hint)
        self.code, self.file, self.line = code, file, line


class ParameterError(CranfieldError, ValueError):
    """A measure, test or model was configured wrongly."""


class UnknownName(CranfieldError, LookupError):
    """No measure, test or model has this name."""


class ScaleError(CranfieldError, TypeError):
    """A test asks more of the numbers than the measure gives."""


class MissingExtra(CranfieldError, ImportError):
    """An optional package is not installed."""


class ChecksFailed(CranfieldError):
    """A check the user asked for did not hold: the answer stands, and the exit code is 3."""


class Inconclusive(ChecksFailed):
    """A check the user asked for needs more evidence than there is: the exit code is 4."""


def need(module: str, *, extra: str = "") -> ModuleType:
    """Import an optional package, or say which extra brings it.

    ``extra`` is one of ours (``need("altair", extra="charts")``); without it the hint names the package itself.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        package = (error.name or module).partition(".")[0]
        who = f"{extra} need" if extra.endswith("s") else f"{extra or 'this'} needs"
        hint = f"pip install 'cranfield[{extra}]'" if extra else f"pip install {package}"
        raise MissingExtra(f"{who} {package}", hint=hint) from error
