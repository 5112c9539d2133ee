"""Judgments and runs against a corpus."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import cranfield as cf
from cranfield.data import CorpusScan, read_corpus

DOCUMENTS = {"d1": "one  text\n", "d2": "another", "d3": " one text", "d4": "", "d5": " \n", "d6": "one text"}
FOUND = [  # code, file, and how many its message counts
    ("W-ABSENT", "qrels.txt", "2 of 4 judged"),
    ("W-ABSENT", "run.txt", "1 of 3 retrieved"),
    ("W-DUPTEXT", "corpus", "3 documents"),
    ("W-DUPGRADE", "qrels.txt", "1 group"),
]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    Path("qrels.txt").write_text("1 0 d1 2\n1 0 d3 0\n1 0 x1 1\n2 0 x2 0\n2 0 d1 1\n")
    Path("run.txt").write_text("1 Q0 d1 1 3 r\n1 Q0 d2 2 2 r\n2 Q0 y 1 1 r\n")
    return ["qrels.txt", "run.txt"]


def _corpus(kind: str) -> Any:
    rows = [{"_id": document, "text": text} for document, text in DOCUMENTS.items()]
    columns = {"docno": list(DOCUMENTS), "text": list(DOCUMENTS.values())}
    if kind == "dict":
        return DOCUMENTS
    if kind == "frame":
        return pl.DataFrame(columns)
    if kind == "corpus":
        return read_corpus(DOCUMENTS)
    if kind == "parquet":
        pl.DataFrame(columns).write_parquet("corpus.parquet")
        return "corpus.parquet"
    if kind == "jsonl":
        Path("corpus.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        return "corpus.jsonl"
    Path("docs").mkdir()
    for name, part in (("a", rows[:2]), ("b", rows[2:])):
        Path("docs", f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in part))
    return "docs"


def _problems(study: cf.Study, *codes: str) -> list[tuple[str, str, str]]:
    rows: list[dict[str, Any]] = study["problems"].rows()
    return [(row["code"], row["file"], row["message"]) for row in rows if row["code"] in codes]


@pytest.mark.parametrize("kind", ["dict", "frame", "corpus", "parquet", "jsonl", "folder"])
def test_what_the_corpus_lacks_and_what_it_has_twice(files: list[str], kind: str) -> None:
    """d1, d3 and d6 are equal but for white space; d4 and d5 are empty, which makes them no duplicates."""
    corpus = _corpus(kind)
    found = _problems(cf.lint(files, corpus=corpus), "W-ABSENT", "W-DUPTEXT", "W-DUPGRADE", "E-DUPDOC")
    for (code, file, message), (expected, where, counts) in zip(found, FOUND, strict=True):
        assert (code, message.startswith(counts)) == (expected, True)
        assert file == (where if where != "corpus" else corpus if isinstance(corpus, str) else "corpus")
    assert "x1; x2" in found[0][2]
    assert "topic 1: d1 2, d3 0" in found[3][2]


def test_a_clean_corpus_has_no_problem(files: list[str]) -> None:
    texts = {document: f"text {document}" for document in ("d1", "d2", "d3", "x1", "x2", "y")}
    assert not _problems(cf.lint(files, corpus=texts), "W-ABSENT", "W-DUPTEXT", "W-DUPGRADE", "E-DUPDOC")


def test_equal_texts_with_equal_grades_do_not_contradict(files: list[str]) -> None:
    Path("qrels.txt").write_text("1 0 d1 2\n1 0 d3 2\n2 0 d3 0\n1 0 d6 -1\n")
    assert _problems(cf.lint(files, corpus=DOCUMENTS), "W-DUPTEXT")
    assert not _problems(cf.lint(files, corpus=DOCUMENTS), "W-DUPGRADE")


def test_no_id_in_common_shows_both(files: list[str]) -> None:
    rows: list[dict[str, Any]] = cf.lint(files, corpus={"D1": "a", "D2": "b"})["problems"].rows()
    hints = [row["hint"] for row in rows if row["code"] == "W-ABSENT"]
    assert len(hints) == 2
    assert all("D1" in hint for hint in hints)


def test_an_id_that_stands_twice_is_an_error(files: list[str]) -> None:
    Path("c.jsonl").write_text('{"_id": "d1", "text": "a"}\n{"_id": "d1", "text": "b"}\n')
    ((_, file, message),) = _problems(cf.lint(files, corpus="c.jsonl"), "E-DUPDOC")
    assert (file, message.startswith("1 id")) == ("c.jsonl", True)


@pytest.mark.parametrize(("text", "code"), [("", "E-EMPTY"), ("{broken\n", "E-JSON"), (None, "E-MISSING")])
def test_a_corpus_that_cannot_be_read_is_a_problem(files: list[str], text: str | None, code: str) -> None:
    if text is not None:
        Path("c.jsonl").write_text(text)
    assert [file for _, file, _ in _problems(cf.lint(files, corpus="c.jsonl"), code)] == ["c.jsonl"]


def test_groups_are_found_across_pieces_of_ids() -> None:
    """More ids than one piece of memory has: texts repeat every 70,000 documents."""
    scan = CorpusScan(wanted={"5", "none"})
    for i in range(140_001):
        scan.add(str(i), str(i % 70_000))
    assert scan.found == {"5"}
    groups = scan.equal_texts()
    assert len(groups) == 70_000
    assert groups[:2] == [["0", "70000", "140000"], ["1", "70001"]]
    assert scan.repeated_ids() == []


def test_progress_ends_at_the_size_of_the_file(files: list[str]) -> None:
    Path("c.jsonl").write_text("".join(f'{{"_id": "d{i}", "text": "text {i}"}}\n' for i in range(50)))
    seen: list[tuple[int, int]] = []
    cf.lint(files, corpus="c.jsonl", reading=lambda done, total: seen.append((done, total)))
    size = Path("c.jsonl").stat().st_size
    assert seen[-1] == (size, size)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
