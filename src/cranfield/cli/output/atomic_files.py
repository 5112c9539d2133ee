"""Atomic writes: an output file is complete or absent."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from cranfield.core import InputError


@contextmanager
def whole(target: str) -> Iterator[Path]:
    """A place to write to, which becomes ``target`` at the end: nobody finds half a file there, whatever happens."""
    check_place(target)
    if is_stream(target):
        yield Path(target)
        return
    goal = Path(os.path.realpath(target))  # through a link, to what it names
    try:
        with TemporaryDirectory(dir=goal.parent, prefix=".cranfield-") as scratch:
            place = Path(scratch) / goal.name
            try:
                yield place
            except InputError as error:  # about the file that the user named, not the one beside it
                problem = error.problem.replace(str(place), target)
                raise InputError(problem, hint=error.hint, code=error.code, line=error.line) from None
            place.replace(goal)
    except OSError as error:
        hint = "check the permissions and the disk"
        raise InputError(f"{target}: writing failed: {error.strerror}", hint=hint) from None


def is_stream(target: str) -> bool:
    """Whether this is /dev/stdout or another pipe: nothing that could be replaced, or whose name says anything."""
    path = Path(target)
    return path.exists() and not path.is_file() and not path.is_dir()


def expect_another(target: str | None, read: Iterable[str | None]) -> None:
    """Refuse to write over a file that is read."""
    path = Path(target or "")
    if path.is_file() and any(Path(file).is_file() and path.samefile(file) for file in read if file):
        raise InputError(f"{target}: this file is one of those that are read", hint="write to another file")


def check_place(target: str) -> None:
    """Refuse a name under which no file can be."""
    path, folder = Path(target), Path(target).parent
    if path.is_dir():
        raise InputError(f"{target}: this is a folder, not a file", hint="name a file in it")
    if folder.is_file():
        raise InputError(f"{target}: {folder} is a file, not a folder", hint="name another folder")
    if not folder.is_dir():
        hint = f"make it first: mkdir -p {folder}"
        raise InputError(f"{target}: there is no folder {folder}", hint=hint)
