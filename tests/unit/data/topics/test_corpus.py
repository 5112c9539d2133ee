"""The text of documents, from everything that corpora are kept in."""

import bz2
import csv
import gzip
import json
import lzma
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import polars as pl
import pytest

from cranfield.core import InputError
from cranfield.data import Corpus, Limits, each_document, read_corpus
from tests.support.expected_errors import check
from tests.support.label_files import write

DOCUMENTS = {
    "FT-1": ("Rates rise", "The bank raised rates & said why."),
    "d/2": ("", "Zwölf Boxkämpfer jagen Viktor quer."),
    "3": ("Third", ""),
}
HINT = "a document has an id (docno, doc_id, _id, id, docid) and a text (text, contents, body)"
FRAME = pl.DataFrame(
    {
        "_id": list(DOCUMENTS),
        "title": [title for title, _ in DOCUMENTS.values()],
        "text": [text for _, text in DOCUMENTS.values()],
    }
)


def json_lines(document: str = "_id", text: str = "text") -> str:
    rows = ({document: d, "title": title, text: body, "url": None} for d, (title, body) in DOCUMENTS.items())
    return "".join(json.dumps(row) + "\n" for row in rows)


SGML = """<DOC>
<DOCNO> FT-1 </DOCNO>
<PROFILE>no text</PROFILE>
<HEADLINE>
Rates <B>rise</B>
</HEADLINE>
<TEXT>
The bank raised rates &amp;
</TEXT>
<TEXT>said why.<!-- a
note --></TEXT>
</DOC>
<DOC id="x"><DOCNO>d/2</DOCNO><TEXT>Zwölf Boxkämpfer jagen Viktor quer.</TEXT></DOC><DOC>
<docno>3</docno> <TITLE>Third</TITLE> </DOC>
"""
FILES: dict[str, str | bytes | Callable[[Path], object]] = {
    "beir.jsonl": json_lines(),
    "anserini.jsonl": json_lines("id", "contents").replace('"id": "3"', '"id": 3').replace("\n", "\n\n"),
    "mark.json.txt": b"\xef\xbb\xbf" + json_lines("docno", "body").encode(),
    "pyterrier.jsonl.gz": gzip.compress(json_lines("docno", "abstract").encode()),
    "two.ndjson.bz2": bz2.compress(json_lines("document").encode()),
    "three.jsonl.xz": lzma.compress(json_lines("docid").encode()),
    "rows.json": json.dumps([json.loads(line) for line in json_lines().splitlines()]),
    "columns.json": json.dumps(FRAME.to_dict(as_series=False)),
    "nested.parquet": lambda path: FRAME.with_columns(more=pl.lit({"a": 1})).write_parquet(path),
    "plain.tsv": "".join(f"{d}\t{title}\t{text}\n" for d, (title, text) in DOCUMENTS.items()),
    "msmarco.tsv": "".join(f"{d}\thttp://x\t{title}\t{text}\r\n" for d, (title, text) in DOCUMENTS.items()),
    "header.tsv": "Text\tdocno\ttitle\n" + "".join(f"{text}\t{d}\t{t}\n" for d, (t, text) in DOCUMENTS.items()),
    "header.csv": lambda path: FRAME.write_csv(path, quote_style="always"),
    "trec.sgml": SGML,
    "packed.gz": gzip.compress(SGML.encode()),
    "latin": b"\n" + SGML.encode("latin-1"),
}


def told(corpus: Corpus) -> dict[str, tuple[str, str]]:
    columns = (corpus.documents, corpus.title, corpus.text)
    return {d: (title, " ".join(text.split())) for d, title, text in zip(*columns, strict=True)}


@pytest.mark.parametrize("name", FILES)
def test_a_file_says_what_documents_say(name: str, tmp_path: Path) -> None:
    path = write(tmp_path, name, FILES[name])
    corpus = read_corpus(path)
    assert told(corpus) == DOCUMENTS
    assert corpus.of("3") == ""
    assert corpus.of("FT-2") is None
    assert len(corpus) == 3
    assert repr(corpus) == f"Corpus('{path}': 3 documents)"
    assert (corpus.source.name, corpus.source.kind) == (str(path), "corpus")
    some = read_corpus(path, wanted=["3", "d/2", "d/9"])
    assert set(some.documents) == {"3", "d/2"}
    assert some.of("d/2") == corpus.of("d/2") == DOCUMENTS["d/2"][1]
    assert read_corpus(path, wanted="FT-1").documents == ("FT-1",)
    assert len(read_corpus(path, wanted=())) == 0


@pytest.mark.parametrize(
    "data",
    [
        FRAME,
        FRAME.lazy(),
        FRAME.to_arrow(),
        pd.DataFrame(FRAME.to_dict(as_series=False)),
        FRAME.to_dict(as_series=False),
        {d: {"title": title, "text": text} for d, (title, text) in DOCUMENTS.items()},
    ],
    ids=["polars", "lazy", "arrow", "pandas", "lists", "records"],
)
def test_so_does_a_frame(data: object) -> None:
    corpus = read_corpus(data)
    assert told(corpus) == DOCUMENTS
    assert read_corpus(data, wanted={"3"}, name="mine").documents == ("3",)
    assert read_corpus(corpus) is corpus


def test_a_dictionary_of_texts_has_no_titles() -> None:
    corpus = read_corpus({"d1": "one", "d2": "two"})
    assert told(corpus) == {"d1": ("", "one"), "d2": ("", "two")}
    assert corpus.of("d2") == "two"


def test_two_columns_are_document_and_text(tmp_path: Path) -> None:
    assert told(read_corpus(write(tmp_path, "c.tsv", "\n1\ta b\n2\tc\n"))) == {"1": ("", "a b"), "2": ("", "c")}
    assert told(read_corpus(write(tmp_path, "c.csv", '1,"a, b"\n\n2,c\n'))) == {"1": ("", "a, b"), "2": ("", "c")}


def test_long_cells_are_read_and_the_limit_of_others_stays(tmp_path: Path) -> None:
    before = csv.field_size_limit()
    body = "word " * 40_000  # 200,000 characters; Python's own reader stops at 131,072
    corpus = read_corpus(write(tmp_path, "long.csv", f'id,text\n1,"{body}"\n'))
    assert corpus.of("1") == body.strip()
    assert csv.field_size_limit() == before


def test_a_folder_is_read_file_by_file(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    write(tmp_path, "b/one.jsonl", '{"id": "b1", "text": "x"}\n')
    write(tmp_path, "a.gz", gzip.compress(b"<DOC><DOCNO>a1</DOCNO><TEXT>y</TEXT></DOC>"))
    write(tmp_path, "c.tsv", "c1\tz\n")
    write(tmp_path, ".hidden.jsonl", "{")
    write(tmp_path, "README", "This collection has three documents.\n")
    write(tmp_path, "format.dtd", "<!ELEMENT TEXT>\n")
    write(tmp_path, "empty", "")
    corpus = read_corpus(tmp_path)
    assert told(corpus) == {"a1": ("", "y"), "b1": ("", "x"), "c1": ("", "z")}
    assert corpus.source.problems.counts == (("W-SKIPPED", 3),)
    assert [Path(one.file).name for one in corpus.source.problems.kept] == ["README", "empty", "format.dtd"]
    assert read_corpus(tmp_path, wanted=["c1"]).documents == ("c1",)
    again = write(tmp_path, "z.tsv", "c2\tz\nb1\tz\n")
    message = f"{again}:2: document b1 is there twice"
    check(lambda: read_corpus(tmp_path), "E-DUPDOC", message, "keep one text for each document")


BROKEN: list[tuple[str, str | bytes, str, int, str, str]] = [
    (
        "a.jsonl",
        '{"id": "1", "text": "x"}\n\n{"id": "2", "text": \n',
        "E-JSON",
        3,
        "this is not JSON: Expecting value",
        HINT,
    ),
    ("a.jsonl", '{"id": "1", "text": "x"}\n[1]\n', "E-JSON", 2, "the line is no object", HINT),
    ("a.jsonl", '{"key": "1", "text": "x"}\n', "E-NULL", 1, "there is no id of the document, but key, text", HINT),
    ("a.jsonl", '{"id": " ", "text": "x"}\n', "E-NULL", 1, "there is no id of the document, but id, text", HINT),
    ("a.jsonl", '{"id": true, "text": "x"}\n', "E-NULL", 1, "there is no id of the document, but id, text", HINT),
    ("a.jsonl", '{"id": "1", "words": "x"}\n', "E-COLUMNS", 1, "there is no text, but id, words", HINT),
    ("a.jsonl", '{"id": "1", "text": ["x"]}\n', "E-TYPE", 1, "the text of document 1 is no text", HINT),
    ("a.jsonl", '{"id": "1", "text": "x", "title": 5}\n', "E-TYPE", 1, "the text of document 1 is no text", HINT),
    (
        "a.jsonl",
        '{"id": "1", "text": "x"}\n{"id": "1", "text": "x"}\n',
        "E-DUPDOC",
        2,
        "document 1 is there twice",
        "keep one text for each document",
    ),
    (
        "a.jsonl",
        b'{"id": "1", "text": "x"}\n{"id": "2", "text": "\xff"}\n',
        "E-UTF8",
        2,
        "the line is not UTF-8",
        "convert the file, for example: iconv -f LATIN1 -t UTF-8 FILE",
    ),
    (
        "a.tsv",
        "1\tx\n\n2\n",
        "E-FIELDS",
        3,
        "the line has 1 columns, the first has 2",
        "every line has the same columns",
    ),
    ("a.tsv", "1\tx\n\ty\n", "E-NULL", 2, "there is no document", HINT),
    (
        "a.tsv",
        "1\t2\t3\t4\t5\n",
        "E-COLUMNS",
        1,
        "the line has 5 columns, and no names for them",
        "a line reads: document text; " + HINT,
    ),
    (
        "a.csv",
        'id,text\n1,"x\ny"\n2\n',
        "E-FIELDS",
        4,
        "the line has 1 columns, the first has 2",
        "every line has the same columns",
    ),
    (
        "a.csv",
        'id,text\n1,"x"y\n',
        "E-FORMAT",
        2,
        "the row cannot be read: ',' expected after '\"'",
        "are its quotation marks in pairs?",
    ),
    ("a.csv", "id,text\n", "E-EMPTY", 0, "there are no documents", "is it the right file?"),
    (
        "a.sgml",
        "<DOC>\n<DOCNO>1</DOCNO>\n<DOC>\n</DOC>",
        "E-FORMAT",
        3,
        "the document above is not closed",
        "write </DOC>",
    ),
    (
        "a.sgml",
        "\n<DOC>\n<DOCNO>1</DOCNO>\n",
        "E-FORMAT",
        2,
        "the document is not closed: was the file cut short?",
        "write </DOC>",
    ),
    ("a.sgml", "<DOC>\n<TEXT>x</TEXT></DOC>\n", "E-NULL", 1, "the document has no DOCNO", "write <DOCNO>id</DOCNO>"),
    (
        "a.txt",
        "some words\n",
        "E-FORMAT",
        0,
        "no documents are to be seen in the file",
        "write JSON Lines, CSV, TSV, Parquet, or <DOC> with <DOCNO> and <TEXT>",
    ),
    ("a.txt", " \n", "E-EMPTY", 0, "the file has no documents", "is it the right file?"),
    (
        "a.json",
        '{"document": ["d"]}',
        "E-COLUMNS",
        0,
        "there is no column for the text",
        'text may be called text, contents, body, abstract, passage; or say where it is: columns={"text": "…"}',
    ),
]


@pytest.mark.parametrize(("name", "content", "code", "line", "message", "hint"), BROKEN)
def test_what_is_no_document_is_refused(
    name: str, content: str | bytes, code: str, line: int, message: str, hint: str, tmp_path: Path
) -> None:
    path = write(tmp_path, name, content)
    where = f"{path}:{line}" if line else str(path)
    check(lambda: read_corpus(path), code, f"{where}: {message}", hint)


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("cut.jsonl.gz", gzip.compress(json_lines().encode() * 999)[:-20], "E-INFLATE"),
        ("bad.jsonl.gz", gzip.compress(b"x")[:10] + b"\xff" * 20, "E-INFLATE"),
        ("bad.jsonl.xz", b"no xz", "E-INFLATE"),
        ("bad.jsonl.bz2", b"no bz2", "E-INFLATE"),
        ("half.jsonl.bz2", bz2.compress(b'{"id": "a", "text": "b"}\n') + b"no bz2", "E-INFLATE"),
        ("bad.parquet", b"no Parquet", "E-FORMAT"),
        ("bad.parquet.gz", gzip.compress(b"no Parquet"), "E-FORMAT"),
        ("none.jsonl", None, "E-MISSING"),
        ("none.parquet", None, "E-MISSING"),
        ("/dev/null/none.jsonl", None, "E-READ"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused(name: str, content: bytes | None, code: str, tmp_path: Path) -> None:
    path = tmp_path / name
    if content is not None:
        write(tmp_path, name, content)
    with pytest.raises(InputError) as caught:
        read_corpus(path, wanted=["1"])
    assert caught.value.code == code
    assert "\nhint: " in str(caught.value)


def test_nothing_in_memory_or_in_a_folder_is_refused(tmp_path: Path) -> None:
    hint = "give a file name or a frame with columns document, text"
    check(lambda: read_corpus(3), "E-KIND", "corpus: an object of type int holds no documents", hint)
    check(lambda: read_corpus({}), "E-EMPTY", "corpus: there are no documents", "is it the right file?")
    twice = {"docno": ["a", "a"], "text": ["x", "y"]}
    check(
        lambda: read_corpus(twice), "E-DUPDOC", "corpus: document a is there twice", "keep one text for each document"
    )
    message = f"{tmp_path}: no file of the folder holds documents"
    check(lambda: read_corpus(tmp_path), "E-FOLDER", message, "is it the right folder?")


def test_packed_parquet_is_read_too(tmp_path: Path) -> None:
    FRAME.write_parquet(tmp_path / "c.parquet")
    path = write(tmp_path, "c.parquet.gz", gzip.compress((tmp_path / "c.parquet").read_bytes()))
    assert told(read_corpus(path)) == DOCUMENTS
    assert read_corpus(path, wanted=["3"]).documents == ("3",)
    FRAME.select("title").write_parquet(tmp_path / "c.parquet")
    with pytest.raises(InputError, match="there is no column for the document"):
        read_corpus(tmp_path / "c.parquet", wanted=["3"])


@pytest.mark.parametrize(
    ("limits", "code", "said"),
    [
        (Limits(line=200), "E-LINE", "a line is longer than"),
        (Limits(bytes=900), "E-SIZE", "there are more than"),
        (Limits(ratio=1), "E-RATIO", "grows more than 1 times"),
        (Limits(line=400, bytes=40_000), "", ""),
    ],
)
def test_text_of_strangers_is_read_up_to_a_limit(
    limits: Limits, code: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cranfield.data.topics.corpus_files.GROWN", 500)
    lines = [json.dumps({"id": f"d{i}", "text": "x" * 300}) + "\n" for i in range(100)]  # some 32 kB, 1 kB packed
    path = write(tmp_path, "c.jsonl.gz", gzip.compress("".join(lines).encode()))
    if not code:
        assert len(list(each_document(path, limits=limits))) == 100
        return
    with pytest.raises(InputError, match=said) as caught:
        list(each_document(path, limits=limits))
    assert caught.value.code == code


def many(kind: str, i: int) -> str:
    body = f"w{i} " * 1000
    return {
        "jsonl": json.dumps({"id": f"d{i}", "text": body}) + "\n",
        "tsv": f"d{i}\t{body}\n",
        "csv": f'd{i},"{body}"\n',
        "sgml": f"<DOC>\n<DOCNO>d{i}</DOCNO>\n<TEXT>\n{body}\n</TEXT>\n</DOC>\n",
    }[kind]


@pytest.mark.parametrize("kind", ["jsonl", "tsv", "csv", "sgml"])
@pytest.mark.parametrize("packed", [False, True])
def test_memory_holds_what_is_wanted_and_no_more(kind: str, packed: bool, tmp_path: Path) -> None:
    """Some 20 MB on disk, of which two documents of 6 KB are wanted: the rest passes through a window."""
    path = tmp_path / (f"big.{kind}" + ".gz" * packed)
    content = "".join(many(kind, i) for i in range(4000)).encode()
    path.write_bytes(gzip.compress(content, 1) if packed else content)
    read_corpus({"warm": "up"})
    read_corpus(write(tmp_path, "small.jsonl", json_lines()))
    tracemalloc.start()
    try:
        corpus = read_corpus(path, wanted={"d17", "d3999", "elsewhere"})
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert told(corpus) == {d: ("", " ".join([f"w{d[1:]}"] * 1000)) for d in ("d17", "d3999")}
    assert peak < 2 * 2**20
