"""Corruption of good data: one named change, and the answer that cranfield must give."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

import numpy as np

Answer = Literal["error", "warning", "unchanged"]
Data = TypeVar("Data")


@dataclass(frozen=True, slots=True)
class Corruption(Generic[Data]):
    """One change of good data: how it is made, what it stands for, and the required answer."""

    name: str
    meaning: str
    answer: Answer
    change: Callable[[Data, np.random.Generator], Data]
    code: str = ""  # of the problem, where the answer has one
    formats: tuple[str, ...] = ()  # where only some formats can hold it

    def __str__(self) -> str:
        return self.name


class Corruptions(Generic[Data]):
    """A list of corruptions that grows by declarations."""

    def __init__(self) -> None:
        self.all: list[Corruption[Data]] = []

    def declare(
        self, meaning: str, answer: Answer, *, code: str = "", formats: tuple[str, ...] = ()
    ) -> Callable[[Callable[[Data, np.random.Generator], Data]], Callable[[Data, np.random.Generator], Data]]:
        """Add the decorated function under its own name."""

        def add(change: Callable[[Data, np.random.Generator], Data]) -> Callable[[Data, np.random.Generator], Data]:
            self.all.append(Corruption(change.__name__.replace("_", " "), meaning, answer, change, code, formats))
            return change

        return add


@dataclass(frozen=True, slots=True)
class Response:
    """What a study answers: its numbers and its messages."""

    numbers: Any
    messages: frozenset[str]
