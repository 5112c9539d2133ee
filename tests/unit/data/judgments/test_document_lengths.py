"""Lengths of documents, from files and from memory."""

import bz2
import gzip
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from cranfield._native import Strings
from cranfield.core import InputError
from cranfield.data import assess_grades, read_lengths

ROWS = {"d1": 100.0, "d2": 250.0, "d10": 40.0}
TEXT = "".join(f"{document}\t{length:g}\n" for document, length in ROWS.items())


def write(make: Callable[[Path], object], path: Path) -> Path:
    make(path)
    return path


FRAME = pl.DataFrame({"length": list(ROWS.values()), "docno": list(ROWS)})
FILES: dict[str, Callable[[Path], object]] = {
    "plain.tsv": lambda path: path.write_text(TEXT),
    "header.tsv": lambda path: path.write_text("document\tlength\n" + TEXT),
    "other-header.tsv": lambda path: path.write_text("id\thow long\n" + TEXT),
    "turned.tsv": lambda path: path.write_text("words\tdocno\n" + "".join(f"{n:g}\t{d}\n" for d, n in ROWS.items())),
    "spaces.txt": lambda path: path.write_text(TEXT.replace("\t", " ")),
    "commas.csv": lambda path: path.write_text(TEXT.replace("\t", ",")),
    "header.csv": lambda path: path.write_text("document,length\n" + TEXT.replace("\t", ",")),
    "packed.tsv.gz": lambda path: path.write_bytes(gzip.compress(TEXT.encode())),
    "packed.csv.bz2": lambda path: path.write_bytes(bz2.compress(TEXT.replace("\t", ",").encode())),
    "lines.jsonl": lambda path: FRAME.write_ndjson(path),
    "columns.parquet": lambda path: FRAME.write_parquet(path),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_says_how_long_each_document_is(name: str, tmp_path: Path) -> None:
    found = read_lengths(write(FILES[name], tmp_path / name))
    assert dict(zip(found.documents.to_list(), found.values.tolist(), strict=True)) == ROWS
    assert found.default == 130  # (100 + 250 + 40) / 3
    assert repr(found).endswith("3 documents, 130 words where nobody knows)")


@pytest.mark.parametrize(
    "data",
    [ROWS, FRAME, FRAME.lazy(), FRAME.to_dict(as_series=False), FRAME.to_arrow()],
    ids=lambda d: type(d).__name__,
)
def test_so_do_frames_and_dictionaries(data: object) -> None:
    found = read_lengths(data, default=7)
    assert dict(zip(found.documents.to_list(), found.values.tolist(), strict=True)) == ROWS
    assert found.default == 7
    assert read_lengths(found) is found


def test_documents_are_found_by_their_names() -> None:
    found = read_lengths(ROWS).of(Strings(["d10", "d3", "d1", "d1"]))
    assert found.tolist() == [40, 130, 100, 100]
    assert read_lengths(ROWS).of(Strings([])).tolist() == []


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("d1\t100\nd2\tmany\n", "E-TYPE", 'length "many" in row 1 is not a number'),
        ("d1\t100\nd2\t\n", "E-FINITE", "there is no length in row 1"),
        ("d1\t100\nd1\t200\n", "E-DUPDOC", "document d1 stands twice"),
        ("d1\t-1\n", "E-RANGE", "length -1 in row 0 is below 0"),
        ("d1\n", "E-FIELDS", "the first line has 1 columns"),
        ("d1\t2\t3\n", "E-FIELDS", "the first line has 3 columns"),
        ("document\tlength\n", "E-EMPTY", "there are 0 documents and 0 lengths"),
        ("", "E-EMPTY", "the file has no rows"),
    ],
)
def test_what_is_no_length_is_refused(text: str, code: str, message: str, tmp_path: Path) -> None:
    path = write(lambda path: path.write_text(text), tmp_path / "lengths.tsv")
    with pytest.raises(InputError) as caught:
        read_lengths(path)
    assert caught.value.code == code
    assert message in str(caught.value)
    assert "\nhint: " in str(caught.value)


@pytest.mark.parametrize(
    ("data", "code"), [({"document": ["a"], "grade": [1]}, "E-COLUMNS"), (3, "E-KIND"), ({}, "E-EMPTY")]
)
def test_what_holds_no_lengths_is_refused(data: object, code: str) -> None:
    with pytest.raises(InputError) as caught:
        read_lengths(data)
    assert caught.value.code == code


def test_a_perfect_ranking_adds_up_its_own_lengths() -> None:
    assessed = assess_grades([(0, 1, 2), (1, 0)])
    known = replace(assessed, length=np.array([5.0, 7.0, 11.0, 3.0, 2.0]))
    assert known.ideal.above is not None
    assert known.ideal.above.tolist() == [0, 11, 18, 0, 3]
