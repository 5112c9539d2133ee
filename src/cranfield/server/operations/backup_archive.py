"""Format of a backup: a tar file sealed with a hash of its content."""

from __future__ import annotations

import hashlib
import io
import json
import os
import tarfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from cranfield.core import ChecksFailed, InputError, ParameterError
from cranfield.server.site.home_folder import sync_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

FORM = 1
MANIFEST, ROWS, SETTINGS, BLOBS = "manifest.json", "rows.jsonl", "cranfield.toml", "blobs/"
SEAL = "sha256"  # the last member: the hash of every byte before it
PIECE = 1 << 20


class Hashed(io.RawIOBase):
    """A file that is hashed while it is written."""

    def __init__(self, file: BinaryIO) -> None:
        super().__init__()
        self._file, self._hash, self._place = file, hashlib.sha256(), 0

    def writable(self) -> bool:
        """It is for writing."""
        return True

    def write(self, piece: Any) -> int:
        """The next bytes."""
        self._file.write(piece)
        self._hash.update(piece)
        self._place += len(piece)
        return len(piece)

    def tell(self) -> int:
        """How many bytes there are."""
        return self._place

    @property
    def digest(self) -> str:
        """The hash of all bytes so far."""
        return self._hash.hexdigest()


class Packing:
    """A backup that is being written."""

    def __init__(self, file: BinaryIO) -> None:
        self._hashed = Hashed(file)
        self._tar = tarfile.open(fileobj=self._hashed, mode="w", format=tarfile.USTAR_FORMAT)  # noqa: SIM115

    def add(self, name: str, content: bytes) -> None:
        """A member, from memory."""
        self._tar.addfile(_told(name, len(content)), io.BytesIO(content))

    def add_blob(self, digest: str, path: Path) -> None:
        """A blob, from the disk; one that is not what its name says would be a backup of nothing."""
        try:
            with path.open("rb") as file:
                if hashlib.file_digest(file, "sha256").hexdigest() == digest:
                    self._tar.addfile(_told(f"{BLOBS}{digest}", file.tell()), _from_start(file))
                    return
        except FileNotFoundError:
            pass
        raise ChecksFailed(
            f"blob {digest[:12]}… is missing or changed", hint="cranfield audit verify looks at them all"
        )

    def close(self) -> None:
        """The seal, and the end."""
        seal = self._hashed.digest.encode()
        self.add(SEAL, seal)
        self._tar.close()


def _from_start(file: BinaryIO) -> BinaryIO:
    file.seek(0)
    return file


def _told(name: str, size: int) -> tarfile.TarInfo:
    told = tarfile.TarInfo(name)
    told.size, told.mode = size, 0o600
    return told


@contextmanager
def packing(path: Path) -> Iterator[Packing]:
    """A backup to write to: for its owner alone, on the disk when it gets its name, gone if it does not come so far."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            pack = Packing(file)
            yield pack
            pack.close()
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            raise exists(path)
        part.replace(path)
        sync_folder(path.parent)
    finally:
        part.unlink(missing_ok=True)


def exists(path: Path) -> ParameterError:
    """What is said of a name that is taken."""
    return ParameterError(f"{path} is there already", hint="choose another name: a backup is never overwritten")


def damaged(path: Path, why: str) -> InputError:
    """What is said of a file that is not as it was written."""
    return InputError(f"{path}: {why}", hint="take another backup", code="E-DAMAGED")


class Packed:
    """A backup that is there, and whole."""

    def __init__(self, path: Path, tar: tarfile.TarFile) -> None:
        self.path, self._tar = path, tar
        self.manifest: dict[str, Any] = json.loads(self.read(MANIFEST) or b"{}")
        if self.manifest.get("form") != FORM:
            said = f"{path}: a backup of form {self.manifest.get('form')}"
            raise ParameterError(said, hint="use a newer version of cranfield")

    def read(self, name: str) -> bytes | None:
        """The content of a member, if there is one."""
        with suppress(KeyError):
            file = self._tar.extractfile(name)
            return file.read() if file else None
        return None

    def blobs(self) -> Iterator[tuple[str, Any]]:
        """The blobs, by their digests."""
        for member in self._tar:
            if member.name.startswith(BLOBS):
                yield member.name.removeprefix(BLOBS), self._tar.extractfile(member)


@contextmanager
def packed(source: str | os.PathLike[str]) -> Iterator[Packed]:
    """A backup to read from. Every byte is compared before anything else is done with it."""
    path = Path(source)
    try:
        file = path.open("rb")
    except FileNotFoundError:
        hint = "name a file that backup made"
        raise InputError(f"{path}: there is no such file", hint=hint, code="E-MISSING", file=str(path)) from None
    except IsADirectoryError:
        raise damaged(path, "it is a folder, not a backup") from None
    with file:
        _compare(path, file)
        file.seek(0)
        with tarfile.open(fileobj=file, mode="r:") as tar:
            yield Packed(path, tar)


def _compare(path: Path, file: BinaryIO) -> None:
    """The seal against the bytes before it; behind it there is nothing but zeros."""
    length = file.seek(0, io.SEEK_END)
    tail = _tail(_told(SEAL, 64), b"f" * 64, 0)
    least = len(tail)
    if length < least or length % tarfile.RECORDSIZE:
        raise damaged(path, "it is no backup, or it ends too early")
    # The seal stands in the last record or the one before it: what follows it only fills up the last.
    start = max(0, length - 2 * tarfile.RECORDSIZE)
    file.seek(start)
    ending = file.read()
    place = ending.rfind(SEAL.encode() + b"\0")
    if place < 0 or (start + place) % tarfile.BLOCKSIZE:
        raise damaged(path, "it is no backup, or it ends too early")
    file.seek(0)
    hashed, left = hashlib.sha256(), start + place
    while left and (piece := file.read(min(PIECE, left))):
        hashed.update(piece)
        left -= len(piece)
    if ending[place:] != _tail(_told(SEAL, 64), hashed.hexdigest().encode(), start + place):
        raise damaged(path, "its bytes are not those that were written")


def _tail(told: tarfile.TarInfo, seal: bytes, before: int) -> bytes:
    """The last bytes of a backup: the seal as a member, and zeros up to the end of a record."""
    member = told.tobuf(tarfile.USTAR_FORMAT) + seal.ljust(tarfile.BLOCKSIZE, b"\0") + bytes(2 * tarfile.BLOCKSIZE)
    return member + bytes(-(before + len(member)) % tarfile.RECORDSIZE)
