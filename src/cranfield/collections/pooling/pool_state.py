"""Saved state of a growing pool: its settings and the log of requests and judgments."""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from os import PathLike
from pathlib import Path
from typing import Any, Literal, TypeAlias

from cranfield.core import InputError

Kind: TypeAlias = Literal["asked", "told", "known", "back"]
KINDS: tuple[Kind, ...] = ("asked", "told", "known", "back")
GRADED = ("told", "known")
Share: TypeAlias = Literal["even", "yield"]
SHARES: tuple[Share, ...] = ("even", "yield")
FORMAT = 1  # of the file


@dataclass(frozen=True, slots=True)
class Event:
    """A document was asked for, its grade was told, was known though nobody asked, or was taken back."""

    kind: Kind
    topic: str
    document: str
    grade: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """How a pool is made, and everything that was asked and said, in order: whatever else there is follows from it.

    It can be saved, resumed with the same runs, and audited: whether each document was the one that was due.
    """

    strategy: str
    depth: int
    ties: str  # the order of documents with one score
    rel: float
    first: int
    budget: int | None
    shared: bool
    share: Share
    seed: int
    runs: tuple[tuple[str, str], ...]  # names and digests
    events: tuple[Event, ...] = ()

    def save(self, path: str | PathLike[str]) -> None:
        """Write the state as JSON, a line for each event."""
        head = {key: value for key, value in asdict(self).items() if key != "events"}
        told = [json.dumps([e.kind, e.topic, e.document, *([] if e.grade is None else [e.grade])]) for e in self.events]
        start = json.dumps({"format": FORMAT, **head}, indent=1).removesuffix("\n}")
        lines = ",\n  ".join(told)
        text = f'{start},\n "events": [' + (f"\n  {lines}\n ]\n}}\n" if told else "]\n}\n")
        Path(path).write_text(text, encoding="utf-8")


def read_state(path: str | PathLike[str]) -> State:
    """A state that was saved."""
    name = str(path)
    try:
        text = Path(path).read_text(encoding="utf-8")
        found = json.loads(text)
    except FileNotFoundError:
        raise InputError(f"{name}: there is no such file", hint="check the name", code="E-MISSING", file=name) from None
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        line = getattr(error, "lineno", 0)
        raise _wrong(name, f"this is not JSON: {error}", line) from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise _wrong(name, "this is not the state of a pool")
    wanted = [field.name for field in fields(State)]
    missing = [key for key in wanted if key not in found]
    if missing:
        raise _wrong(name, f"{missing[0]} is missing")
    wrong = next((key for key, fits in _FIT.items() if not fits(found[key])), None)
    if wrong:
        raise _wrong(name, f"{wrong} cannot be {json.dumps(found[wrong])}")
    try:
        events = tuple(_event(row) for row in found["events"])
        runs = tuple((str(run), str(digest)) for run, digest in found["runs"])
    except (TypeError, ValueError) as error:
        raise _wrong(name, str(error)) from None
    kept: dict[str, Any] = {key: found[key] for key in wanted} | {"events": events, "runs": runs}
    return State(**kept)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


_FIT: dict[str, Callable[[Any], bool]] = {
    "strategy": lambda value: isinstance(value, str),
    "depth": lambda value: _is_whole(value) and value >= 1,
    "ties": lambda value: isinstance(value, str),
    "rel": lambda value: (_is_whole(value) or isinstance(value, float)) and value > 0,
    "first": lambda value: _is_whole(value) and value >= 0,
    "budget": lambda value: value is None or (_is_whole(value) and value >= 1),
    "shared": lambda value: isinstance(value, bool),
    "share": lambda value: value in SHARES,
    "seed": lambda value: _is_whole(value) and value >= 0,
}


def _event(row: Any) -> Event:
    kind, topic, document, *grade = row
    if kind not in KINDS or len(grade) != (kind in GRADED):
        raise ValueError(f"{json.dumps(row)} is no event")
    return Event(kind, str(topic), str(document), float(grade[0]) if grade else None)


def _wrong(name: str, problem: str, line: int = 0) -> InputError:
    where = f"{name}:{line}" if line else name
    hint = "a state is what cranfield pool --state wrote"
    return InputError(f"{where}: {problem}", hint=hint, code="E-STATE", file=name, line=line)
