"""Read the bytes of files that may be packed with gzip, bzip2 or xz."""

from contextlib import suppress
from importlib import import_module
from io import BufferedReader, BytesIO, RawIOBase
from pathlib import Path
from typing import IO, Any, cast

from .input_problems import problem

PACKERS = {".gz": "gzip", ".bz2": "bz2", ".xz": "lzma"}  # suffix → module of the standard library
MAGIC = {b"\x1f\x8b\x08": "gzip", b"BZh": "bz2", b"\xfd7zXZ\x00": "lzma"}  # first bytes → the same
ZSTD = b"\x28\xb5\x2f\xfd"  # its first bytes; the standard library cannot unpack it before Python 3.14
CHUNK = 1 << 20  # bytes that are read at once
PADDING = 4  # an xz file may have zero bytes after its streams, in multiples of this


def first_line(path: Path) -> bytes:
    """Return the first line of a text; nothing of a file that cannot be read, which its reader reports."""
    packer = _packer_of(path)
    try:
        with open_unpacked(path, packer) as file:
            line = file.readline(1 << 16)
        return _line_of_zstd(path) if line.startswith(ZSTD) else line
    except _damage(packer):
        return b""


def _line_of_zstd(path: Path) -> bytes:
    """Return the first line of a text that is packed with zstd, which polars can unpack."""
    import polars as pl

    options: dict[str, Any] = {"separator": "\x01", "quote_char": None, "infer_schema": False, "has_header": False}
    with suppress(pl.exceptions.PolarsError):
        return str(pl.read_csv(BytesIO(path.read_bytes()), n_rows=1, **options).item(0, 0)).encode()
    return b""


def _packer_of(path: Path) -> str | None:
    """Return the module that unpacks a file, by its first bytes as the reader of text does, or by its name."""
    start = b""
    if path.is_file():
        with suppress(OSError), path.open("rb") as file:
            start = file.read(max(map(len, MAGIC)))
    by_start = (packer for magic, packer in MAGIC.items() if start.startswith(magic))
    return next(by_start, PACKERS.get(path.suffix.lower()))


def unpacked(path: Path, *, most: int | None = None) -> bytes:
    """Return the bytes of a file, unpacked if it is packed; refuse a file of more than ``most`` bytes."""
    packer = _packer_of(path)
    try:
        with open_unpacked(path, packer) as file:
            content = file.read(-1 if most is None else most + 1)
    except FileNotFoundError:
        raise problem(str(path), "E-MISSING", "there is no such file", "check the name of the file") from None
    except _damage(packer) as error:
        message = f"the compressed data is damaged or cut short ({error})" if packer else f"reading failed: {error}"
        code = "E-INFLATE" if packer else "E-READ"
        raise problem(str(path), code, message, "fetch or pack the file again") from None
    if most is not None and len(content) > most:
        raise problem(str(path), "E-SIZE", f"there are more than {most >> 20:,} MB in it", "is it the right file?")
    if content.startswith(ZSTD):
        hint = "unpack it first: zstd -d FILE; only runs and judgments as text may stay packed with zstd"
        raise problem(str(path), "E-FORMAT", "the file is packed with zstd", hint)
    return content


def open_unpacked(path: Path, packer: str | None) -> IO[bytes]:
    """Open a file; ``packer`` is the module that unpacks it, if it is packed."""
    if packer == "gzip":  # which refuses bytes after the last stream
        return cast("IO[bytes]", import_module(packer).open(path))
    file = path.open("rb")
    return BufferedReader(_Streams(file, packer), CHUNK) if packer else file


class _Streams(RawIOBase):
    """Content of all streams of a bzip2 or xz file; bytes after a stream that start no other are damage.

    The standard library would ignore these bytes, and with them the rest of the file.
    """

    def __init__(self, file: IO[bytes], packer: str) -> None:
        self._file = file
        self._padded = packer == "lzma"
        self._make = getattr(import_module(packer), "BZ2Decompressor" if packer == "bz2" else "LZMADecompressor")
        self._stream = self._make()
        self._ended = False

    def readable(self) -> bool:
        """Return that this can be read."""
        return True

    def close(self) -> None:
        """Close the packed file, too."""
        self._file.close()
        super().close()

    def readinto(self, into: Any) -> int:
        """Fill a buffer with content and return the number of bytes; 0 at the end."""
        content = self._unpack(len(into))
        into[: len(content)] = content
        return len(content)

    def readall(self) -> bytes:
        """Return the rest of the content."""
        return b"".join(iter(lambda: self._unpack(-1), b""))

    def _unpack(self, most: int) -> bytes:
        content, packed = b"", b""
        while not (content or self._ended):
            if self._stream.eof:
                packed = self._after_stream()
                self._stream, self._ended = self._make(), not packed
            elif self._stream.needs_input:
                packed = self._file.read(CHUNK)
                if not packed:
                    raise EOFError("the last stream has no end")
            if not self._ended:
                content, packed = self._stream.decompress(packed, most), b""
        return content

    def _after_stream(self) -> bytes:
        """Return the bytes that follow a stream, without the padding of xz; nothing at the end of the file."""
        packed, zeros = self._stream.unused_data, 0
        while packed := packed or self._file.read(CHUNK):
            rest = packed.lstrip(b"\0") if self._padded else packed
            zeros += len(packed) - len(rest)
            packed = rest
            if packed:
                break
        if zeros % PADDING:
            raise EOFError("zero bytes after a stream are no multiple of four")
        return packed


def _damage(packer: str | None) -> tuple[type[Exception], ...]:
    """Return the exceptions that reading may raise; the standard library has some of its own for damaged data."""
    own = {"gzip": ("zlib", "error"), "lzma": ("lzma", "LZMAError")}.get(packer or "")
    return (EOFError, OSError, ValueError, *([getattr(import_module(own[0]), own[1])] if own else ()))
