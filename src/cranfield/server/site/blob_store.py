"""Content-addressed file store: files are named by their SHA-256 hash and written atomically."""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
import weakref
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from django.conf import settings

from cranfield.server.models import Blob

from .home_folder import sync_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PIECE = 1 << 20
HELD = 86_400.0  # seconds that a file is kept between two steps of a form


def path_of(digest: str) -> Path:
    """Where the file with that content is; names of users never come near the disk."""
    if len(digest) != 64 or not set(digest) <= set("0123456789abcdef"):
        raise ValueError("no digest")
    return Path(settings.HOME.blobs) / digest[:2] / digest


class Incoming:
    """A file on its way in: hashed while it is written, kept only if it is wanted."""

    def __init__(self) -> None:
        handle, name = tempfile.mkstemp(dir=settings.HOME.incoming)
        self.path, self.size = Path(name), 0
        self._file: BinaryIO = os.fdopen(handle, "wb")
        self._hash = hashlib.sha256()
        self._forget = weakref.finalize(self, _forget, self._file, self.path)  # where nobody says what becomes of it

    def write(self, piece: bytes) -> None:
        """The next bytes."""
        try:
            self._file.write(piece)
        except OSError:  # the disk is full: what is there already only makes it worse
            self.drop()
            raise
        self._hash.update(piece)
        self.size += len(piece)

    def end(self) -> None:
        """All bytes are there: on the disk, not only on their way to it."""
        if self._file.closed:
            return
        try:
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()
        except OSError:
            self.drop()
            raise

    @property
    def digest(self) -> str:
        """The hash of what was written."""
        return self._hash.hexdigest()

    def keep(self) -> Blob:
        """Move it to its place in the store. The row is the caller's transaction's: no row, no file that counts."""
        self.end()
        place = path_of(self.digest)
        if not place.parent.is_dir():
            place.parent.mkdir(exist_ok=True)
            sync_folder(place.parent.parent)
        if place.exists() and place.stat().st_size == self.size:
            self.drop()
        else:
            self.path.replace(place)
            self._forget.detach()
        sync_folder(place.parent)  # also where another put it there: perhaps only a moment ago
        return Blob.objects.get_or_create(digest=self.digest, defaults={"size": self.size})[0]

    def drop(self) -> None:
        """Forget it."""
        self._forget()


def _forget(file: BinaryIO, path: Path) -> None:
    with suppress(OSError):  # what was not written yet cannot be written, and need not
        file.close()
    with suppress(OSError):  # a folder that is now closed
        path.unlink(missing_ok=True)


@contextmanager
def incoming() -> Iterator[Incoming]:
    """A file to write to; what is not kept at the end is gone."""
    file = Incoming()
    try:
        yield file
    finally:
        file.drop()


def put(content: bytes | Iterable[bytes]) -> Blob:
    """Keep some content."""
    with incoming() as file:
        for piece in [content] if isinstance(content, bytes) else content:
            file.write(piece)
        return file.keep()


def read(digest: str) -> bytes:
    """The whole content."""
    return path_of(digest).read_bytes()


def is_sound(digest: str) -> bool:
    """Whether the content is there and is what its name says."""
    try:
        with path_of(digest).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == digest
    except FileNotFoundError:
        return False


def sweep(older: float) -> int:
    """Remove what was on its way in when a process died, if it is older than so many seconds; how many files."""
    gone = 0
    for path in Path(settings.HOME.incoming).iterdir():
        with suppress(FileNotFoundError):  # kept or dropped at this moment
            patience = max(older, HELD) if path.name.startswith("held-") else older
            if time.time() - path.stat().st_mtime > patience:
                path.unlink()
                gone += 1
    return gone
