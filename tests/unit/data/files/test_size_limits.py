"""Strangers' files: refused at once where they are too large or do harm, and called by the name they came with."""

import bz2
import gzip
import io
import lzma
import struct
import subprocess
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from cranfield.core import ParameterError
from cranfield.data import Inspected, Limits, Problem, inspect

LINE = b"1 Q0 a 1 2.5 mine\n"
RUN = LINE + b"1 Q0 b 2 1.5 mine\n2 Q0 a 1 2.5 mine\n2 Q0 c 2 1.5 mine\n"
CUT = "is it the right file? cut it to the topics and depth you need"
TAKE_OUT = "take the file out of it: plain, or packed with gzip, bzip2, xz or zstd"
TEXT = "hand in a text file, plain or packed: topic Q0 document rank score tag"


def handed_in(folder: Path, content: bytes, limits: Limits | None = None) -> Inspected:
    """A file as a server keeps it: under a name without a suffix, called by the one that it came with."""
    (folder / "8f3a").write_bytes(content)
    return inspect(folder / "8f3a", name="bm25.run", limits=limits or Limits())


def only(found: Inspected) -> Problem:
    (problem,) = found.problems.kept
    return problem


def zipped() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("run.txt", RUN)
    return packed.getvalue()


def tarred() -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        member = tarfile.TarInfo("run.txt")
        member.size = len(RUN)
        archive.addfile(member, io.BytesIO(RUN))
    return packed.getvalue()


def with_large_dictionary() -> bytes:
    """An xz file that asks for 4 GiB of memory to unpack one line: byte 16 is the size of its dictionary."""
    packed = bytearray(lzma.compress(LINE))
    end = 12 + (packed[12] + 1) * 4  # the header of the block, whose last four bytes are its check sum
    assert packed[14] == 0x21  # LZMA2
    packed[16] = 40
    packed[end - 4 : end] = struct.pack("<I", zlib.crc32(bytes(packed[12 : end - 4])))
    return bytes(packed)


def with_large_window() -> bytes:
    """A zstd file that asks for a window of 2 GiB: the size is 10 more than the upper bits of byte 5."""
    return b"\x28\xb5\x2f\xfd\x00" + bytes([(31 - 10) << 3]) + b"\x01\x00\x00"


@pytest.mark.parametrize(
    ("limits", "line", "code", "message"),
    [
        (Limits(lines=3), 4, "E-LARGE", "the file has more than 3 lines"),
        (Limits(topics=1), 3, "E-LARGE", "there are more than 1 topics"),
        (Limits(documents=1), 2, "E-LARGE", "topic 1 has more than 1 documents"),
        (Limits(bytes=71), 0, "E-SIZE", "the file has more than 71 bytes"),
    ],
    ids=["lines", "topics", "documents", "bytes"],
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress], ids=["plain", "gz", "bz2", "xz"])
def test_reading_stops_at_the_first_that_is_too_many(
    limits: Limits, line: int, code: str, message: str, pack: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    assert len(RUN) == 72
    assert only(handed_in(tmp_path, pack(RUN), limits)) == Problem("bm25.run", line, code, message, CUT)
    exact = Limits(lines=4, topics=2, documents=2, bytes=200)
    found = handed_in(tmp_path, pack(RUN), exact)
    assert (found.problems.kept, found.topics, found.lines) == ((), ("1", "2"), 4)


def test_judgments_have_limits_too(tmp_path: Path) -> None:
    judged = b"1 0 a 1\n1 0 b 0\n2 0 a 1\n"
    for limits, line, message in (
        (Limits(lines=2), 3, "the file has more than 2 lines"),
        (Limits(topics=1), 3, "there are more than 1 topics"),
        (Limits(documents=1), 2, "topic 1 has more than 1 judgments"),
    ):
        found = handed_in(tmp_path, judged, limits)
        assert (found.kind, only(found)) == ("qrels", Problem("bm25.run", line, "E-LARGE", message, CUT))
    assert handed_in(tmp_path, judged, Limits(lines=3, topics=2, documents=2)).problems.kept == ()


def test_a_line_has_a_length(tmp_path: Path) -> None:
    for length, codes in ((17, []), (16, ["E-LINE"])):  # a line of 17 bytes, without its end
        found = handed_in(tmp_path, LINE, Limits(line=length))
        assert [problem.code for problem in found.problems.kept] == codes


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (zipped, "zip"),
        (tarred, "tar"),
        (lambda: gzip.compress(tarred()), "tar"),
        (lambda: lzma.compress(zipped()), "zip"),
        (lambda: b"7z\xbc\xaf\x27\x1c\x00\x04", "7z"),
        (lambda: b"Rar!\x1a\x07\x01\x00", "rar"),
        (lambda: b"PK\x05\x06" + bytes(18), "zip"),
    ],
    ids=["zip", "tar", "tar.gz", "zip.xz", "7z", "rar", "empty zip"],
)
def test_an_archive_is_no_run(content: Callable[[], bytes], what: str, tmp_path: Path) -> None:
    message = f"this is a {what} archive, not a text file"
    assert only(handed_in(tmp_path, content())) == Problem("bm25.run", 0, "E-ARCHIVE", message, TAKE_OUT)


def test_what_is_packed_twice_is_refused(tmp_path: Path) -> None:
    for inner in (gzip.compress, bz2.compress, lzma.compress):
        expected = Problem("bm25.run", 0, "E-ARCHIVE", "the file is packed twice", "pack it once, or not at all")
        assert only(handed_in(tmp_path, gzip.compress(inner(RUN)))) == expected


@pytest.mark.parametrize("content", [with_large_dictionary, with_large_window], ids=["xz", "zstd"])
def test_unpacking_may_not_ask_for_gigabytes(content: Callable[[], bytes], tmp_path: Path) -> None:
    problem = only(handed_in(tmp_path, content()))
    assert (problem.line, problem.code) == (0, "E-INFLATE")
    assert problem.message.startswith("unpacking needs too much memory (")
    assert problem.hint == "pack it again, with xz -9 or zstd -19 at most"


def test_a_file_that_explodes_is_refused(tmp_path: Path) -> None:
    blank = gzip.compress(b"\n" * (1 << 24))  # about a thousandth of it
    problem = only(handed_in(tmp_path, gzip.compress(LINE) + blank * 5, Limits(ratio=100)))
    assert (problem.code, problem.message) == ("E-RATIO", "the file unpacks to more than 100 times its size")
    small = handed_in(tmp_path, gzip.compress(LINE) + blank, Limits(ratio=100))  # 16 MiB are no bomb
    assert [problem.code for problem in small.problems.kept] == ["W-BLANK"]


@pytest.mark.parametrize("byte", [b"x", b"\0"], ids=["letters", "NUL"])
def test_a_line_of_a_gigabyte_needs_no_gigabyte(byte: bytes, tmp_path: Path) -> None:
    path = tmp_path / "8f3a"
    path.write_bytes(gzip.compress(LINE) + gzip.compress(byte * (1 << 24)) * 64)
    program = """
import resource, sys
from cranfield.data import Limits, inspect
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
found = inspect(sys.argv[1], name="bm25.run", limits=Limits(ratio=100_000))
more = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
print(*((problem.where, problem.code) for problem in found.problems.kept), more // 1024)
"""
    ended = subprocess.run([sys.executable, "-c", program, path], capture_output=True, text=True, check=True)
    said, megabytes = ended.stdout.rsplit(maxsplit=1)
    assert said == "('bm25.run:2', 'E-LINE')"
    assert int(megabytes) < 100


def test_a_nul_byte_is_named_with_its_line(tmp_path: Path) -> None:
    found = only(handed_in(tmp_path, LINE + b"1 Q0 b\0 2 1.5 mine\n"))
    assert (found.where, found.code) == ("bm25.run:2", "E-NUL")


def test_only_text_is_handed_in(tmp_path: Path) -> None:
    pl.DataFrame({"topic": ["1"], "document": ["a"], "score": [1.0]}).write_parquet(tmp_path / "run.parquet")
    parquet = (tmp_path / "run.parquet").read_bytes()
    assert only(handed_in(tmp_path, parquet)) == Problem("bm25.run", 0, "E-FORMAT", "this is a Parquet file", TEXT)
    assert only(handed_in(tmp_path, b'{"1": {"a": 1.5}}')).message == "this looks like JSON"
    assert inspect(tmp_path / "run.parquet").problems.kept == ()
    assert only(inspect(tmp_path / "run.parquet", limits=Limits())).code == "E-FORMAT"


def test_what_a_file_is_called_is_not_what_it_is(tmp_path: Path) -> None:
    for name, content in (("run.csv", RUN), ("run.txt.gz", RUN), ("run.txt", gzip.compress(RUN))):
        (tmp_path / name).write_bytes(content)
        assert inspect(tmp_path / name, limits=Limits()).problems.kept == ()
    (tmp_path / "8f3a").write_bytes(b"a b c d e\n")  # neither
    kinds = [inspect(tmp_path / "8f3a", name=name).kind for name in ("bm25.run", "my.qrels")]
    assert kinds == ["run", "qrels"]


def test_problems_of_frames_have_the_name_too(tmp_path: Path) -> None:
    path = tmp_path / "8f3a.json"
    path.write_text('{"1":\n nonsense}')
    assert only(inspect(path, name="mine.json")).where == "mine.json:2"
    assert only(inspect(path, name="mine.json")).message.startswith("this is not JSON: ")
    path.write_text('{"1": {"a": 1.5}}')
    assert inspect(path, name="mine.json", kind="run").file == "mine.json"
    assert only(inspect(path, kind="qrels")).code == "E-DECIMAL"


def test_a_kind_that_is_given_is_not_guessed(tmp_path: Path) -> None:
    path = tmp_path / "8f3a"
    path.write_bytes(b"1 0 a 1\n")
    assert inspect(path).kind == "qrels"
    assert inspect(path, kind="qrels").problems.kept == ()
    assert only(inspect(path, kind="run")).code == "E-SWAPPED"
    path.write_bytes(RUN)
    assert only(inspect(path, kind="qrels")).code == "E-SWAPPED"
    with pytest.raises(ParameterError, match="kind='pool' is not known"):
        inspect(path, kind="pool")


def test_what_a_run_says_is_kept(tmp_path: Path) -> None:
    found = handed_in(tmp_path, b"# made by me\n" + RUN)
    assert (found.header, found.tag, found.lines, found.kind) == ("# made by me\n", "mine", 5, "run")


@pytest.mark.parametrize("most", [0, -1, 1.5, True, 2**63, None], ids=str)
def test_a_limit_is_a_whole_number(most: object) -> None:
    with pytest.raises(ParameterError, match=r"topics=.* is not a limit\nhint: a limit is a whole number from 1"):
        Limits(topics=most)  # type: ignore[arg-type]
