"""Parsing of `--topics` and of relevance levels."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

import click

from cranfield.core import InputError

COUNTING: tuple[Literal["qrels"], Literal["both"]] = ("qrels", "both")
A_LINE = "one topic on each line; # starts a comment"


def read_topics(words: Iterable[str]) -> tuple[Literal["qrels", "both"] | None, list[str] | None]:
    """What the words after ``--topics`` say: which topics count, if they say so, and only these, if some are named."""
    counting: list[Literal["qrels", "both"]] = []
    only: list[str] | None = None
    for word in words:
        if word in COUNTING:
            counting.append("both" if word == "both" else "qrels")
        else:
            only = (only or []) + (_of_file(word[1:]) if word.startswith("@") else _listed(word))
    if len(set(counting)) > 1:
        raise click.UsageError("--topics cannot be qrels and both\nhint: choose one; topics may be named beside it")
    return counting[0] if counting else None, only


def _listed(word: str) -> list[str]:
    named = [topic.strip() for topic in word.split(",") if topic.strip()]
    if not named:
        raise click.UsageError("--topics names no topic\nhint: qrels, both, topics (301,302) or a file (@topics.txt)")
    return named


def _of_file(name: str) -> list[str]:
    """The topics of a file, one on each line."""
    path = Path(name)
    if path.is_dir():
        raise InputError(f"{name}: this is a folder, not a file", hint="name a file in it")
    if not path.exists():
        raise InputError(f"{name}: there is no such file", hint="check the name", code="E-MISSING", file=name)
    lines = path.read_text(encoding="utf-8-sig", errors="surrogateescape").splitlines()
    found = [re.sub(r"(^|\s)#.*", "", line).strip() for line in lines]
    for number, topic in enumerate(found, 1):
        if re.search(r"\s", topic):
            raise InputError(f"{name}:{number}: {topic!r} is not one topic", hint=A_LINE, file=name, line=number)
    topics = [topic for topic in found if topic]
    if not topics:
        raise InputError(f"{name}: there is no topic in it", hint=A_LINE, file=name)
    return topics


class Levels(click.ParamType[tuple[float, ...]]):
    """Grades from which on a document is relevant: one, or several with commas."""

    name = "N"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[float, ...]:
        """The grades that the text holds."""
        if isinstance(value, tuple):
            return value
        words = [word.strip() for word in str(value).split(",")]
        if not all(re.fullmatch(r"\d+(\.\d+)?", word, re.ASCII) for word in words):
            self.fail(f"cannot be {value}\nhint: give a grade, or several: --rel 1,2", param, ctx)
        return tuple(float(word) if "." in word else int(word) for word in words)
