"""Packed tables are read to their end; bytes after a stream that are no further stream are damage."""

import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

import cranfield as cf
from cranfield.core import InputError
from cranfield.data import read_qrels, read_run
from cranfield.data.files.compressed_files import open_unpacked, unpacked

HALVES = (b"topic,document,score\n1,a,3\n", b"1,b,2\n1,c,1\n")
PACK: dict[str, Callable[[bytes], bytes]] = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}


def zstd(content: bytes) -> bytes:
    made: bytes = pa.compress(content, codec="zstd", asbytes=True)
    return made


@pytest.mark.parametrize("suffix", PACK)
@pytest.mark.parametrize(
    "damage",
    [
        lambda first, second: first + b"X" + second[1:],
        lambda first, second: first + second + b"junk",
        lambda first, second: first + HALVES[1],
        lambda first, second: first + second[:-7],
        lambda first, second: first + second + second[:3],
    ],
    ids=["first byte", "bytes at the end", "text at the end", "cut", "start of a stream"],
)
def test_damage_after_the_first_stream(suffix: str, damage: Callable[[bytes, bytes], bytes], tmp_path: Path) -> None:
    path = tmp_path / f"run.csv.{suffix}"
    path.write_bytes(damage(*map(PACK[suffix], HALVES)))
    with pytest.raises(InputError) as caught:
        read_run(path)
    assert caught.value.code == "E-INFLATE"
    assert {row["code"] for row in cf.lint([path])["problems"].rows()} == {"E-INFLATE"}


@pytest.mark.parametrize("suffix", PACK)
def test_every_stream_is_read(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"run.csv.{suffix}"
    path.write_bytes(b"".join(map(PACK[suffix], (HALVES[0], b"", HALVES[1]))))
    assert read_run(path).document.to_list() == ["a", "b", "c"]


@pytest.mark.parametrize(("zeros", "code"), [(4, None), (8, None), (3, "E-INFLATE")])
def test_xz_may_have_zeros_in_multiples_of_four(zeros: int, code: str | None, tmp_path: Path) -> None:
    path = tmp_path / "run.csv.xz"
    path.write_bytes(b"".join(lzma.compress(half) + bytes(zeros) for half in HALVES))
    if code is None:
        assert read_run(path).document.to_list() == ["a", "b", "c"]
        return
    with pytest.raises(InputError) as caught:
        read_run(path)
    assert caught.value.code == code


@pytest.mark.parametrize(("suffix", "packer"), [("gz", "gzip"), ("bz2", "bz2"), ("xz", "lzma")])
def test_a_packed_file_is_read_in_pieces(suffix: str, packer: str, tmp_path: Path) -> None:
    path, content = tmp_path / f"text.{suffix}", b"".join(b"line %d\n" % i for i in range(50_000))
    half = len(content) // 2
    path.write_bytes(PACK[suffix](content[:half]) + PACK[suffix](content[half:]))
    with open_unpacked(path, packer) as file:
        assert list(file) == content.splitlines(keepends=True)
    with open_unpacked(path, packer) as file:
        assert b"".join(iter(lambda: file.read(777), b"")) == content
    assert unpacked(path) == content
    assert unpacked(path, most=len(content)) == content
    with pytest.raises(InputError) as caught:
        unpacked(path, most=len(content) - 1)
    assert caught.value.code == "E-SIZE"


@pytest.mark.parametrize("name", ["run.csv.zst", "run.jsonl.zst", "run.json.zst", "run.parquet.zst", "run.csv"])
def test_tables_packed_with_zstd_are_refused_as_such(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(zstd(b"".join(HALVES)))
    for read in (read_run, read_qrels):
        with pytest.raises(InputError, match="packed with zstd") as caught:
            read(path)
        assert caught.value.code == "E-FORMAT"
    assert {row["code"] for row in cf.lint([path])["problems"].rows()} == {"E-FORMAT"}


@pytest.mark.parametrize(
    ("content", "topics", "code"),
    [
        ("query-id\tcorpus-id\tscore\n1\ta\t1\n", ["1"], None),
        ("1\t0\ta\t1\n", ["1"], None),
        ("corpus-id\tquery-id\tscore\na\t1\t1\n", [], "E-FORMAT"),
        ("topic\tdocument\tgrade\tnote\n1\ta\t1\tx\n", [], "E-FORMAT"),
        ("", [], "E-EMPTY"),
    ],
)
def test_only_text_may_be_packed_with_zstd(content: str, topics: list[str], code: str | None, tmp_path: Path) -> None:
    path = tmp_path / "qrels.tsv.zst"
    path.write_bytes(zstd(content.encode()))
    if code is None:
        assert read_qrels(path).topics.to_list() == topics
        return
    with pytest.raises(InputError) as caught:
        read_qrels(path)
    assert caught.value.code == code


@pytest.mark.parametrize("suffix", ["bz2", "xz"])
def test_damage_is_reported_while_lines_are_read(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"text.{suffix}"
    path.write_bytes(PACK[suffix](HALVES[0]) + b"junk")
    with (
        open_unpacked(path, {"bz2": "bz2", "xz": "lzma"}[suffix]) as file,
        pytest.raises((OSError, EOFError, lzma.LZMAError)),
    ):
        list(file)
