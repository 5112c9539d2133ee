"""Whatever people hold their data in, the same assessed runs come out as from the plain text file."""

import bz2
import gzip
import json
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from cranfield.data import assess, read_qrels, read_run
from tests.support.simulations.random_campaigns import Campaign, arrays, random_campaign

Row = tuple[str, str, float]
Rows = list[Row]
Route = Callable[[Path, Rows, str], Any]  # a folder to write in, rows of (topic, document, number), grade or score


def text(rows: Rows, what: str, *, separator: str = " ", end: str = "\n") -> bytes:
    lines = [
        [topic, "Q0", document, "0", repr(number), "tag"] if what == "score" else [topic, "0", document, str(number)]
        for topic, document, number in rows
    ]
    return "".join(separator.join(line) + end for line in lines).encode()


def plain(**options: str) -> Route:
    return lambda folder, rows, what: put(folder / "plain", text(rows, what, **options))


def put(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def packed(suffix: str, pack: Callable[[bytes], bytes], *, members: int = 1) -> Route:
    """The text in several members, cut wherever it falls, even inside a line."""

    def route(folder: Path, rows: Rows, what: str) -> Path:
        content = text(rows, what)
        step = -(-len(content) // members)
        pieces = [pack(content[at : at + step]) for at in range(0, len(content), step)]
        return put(folder / f"data.txt{suffix}", b"".join(pieces))

    return route


def zstd(content: bytes) -> bytes:
    made: bytes = pa.compress(content, codec="zstd", asbytes=True)
    return made


def scattered(folder: Path, rows: Rows, what: str) -> Path:
    """The first line of every topic, then the second of every topic, …."""
    count: dict[str, int] = {}
    places = []
    for topic, _, _ in rows:
        places.append(count.setdefault(topic, 0))
        count[topic] += 1
    mixed = [row for _, row in sorted(zip(places, rows, strict=True), key=lambda pair: pair[0])]
    return put(folder / "scattered", text(mixed, what))


def dicts(rows: Rows) -> dict[str, dict[str, float]]:
    out: dict[str, dict[str, float]] = {}
    for topic, document, number in rows:
        out.setdefault(topic, {})[document] = number
    return out


def columns(rows: Rows, what: str, names: tuple[str, str] = ("topic", "document")) -> dict[str, list[Any]]:
    topics, documents, numbers = (list(column) for column in zip(*rows, strict=True))
    return {names[0]: topics, names[1]: documents, what: numbers}


def beir(folder: Path, rows: Rows, what: str) -> Any:
    """The qrels have a header; a run is a dict of dicts."""
    if what == "score":
        return dicts(rows)
    lines = [f"{topic}\t{document}\t{number}\n" for topic, document, number in rows]
    return put(folder / "test.tsv", ("query-id\tcorpus-id\tscore\n" + "".join(lines)).encode())


def json_rows(folder: Path, rows: Rows, what: str) -> Path:
    objects = [dict(zip(("qid", "docno", what), row, strict=True)) for row in rows]
    return put(folder / "rows.json", json.dumps(objects).encode())


def json_lines(folder: Path, rows: Rows, what: str) -> Path:
    lines = [json.dumps(dict(zip(("query_id", "doc_id", what), row, strict=True))) + "\n" for row in rows]
    return put(folder / "rows.jsonl", "".join(lines).encode())


def pandas(dtype: Any) -> Route:
    def route(folder: Path, rows: Rows, what: str) -> pd.DataFrame:
        return pd.DataFrame(columns(rows, what, ("qid", "docno"))).astype({"qid": dtype, "docno": dtype})

    return route


def frame(dtype: Any) -> Route:
    types = {"topic": dtype, "document": dtype}
    return lambda folder, rows, what: pl.DataFrame(columns(rows, what), schema_overrides=types)


def table(dtype: pa.DataType) -> Route:
    def route(folder: Path, rows: Rows, what: str) -> pa.Table:
        made = columns(rows, what)
        return pa.table({name: pa.array(made[name]).cast(dtype) for name in ("topic", "document")} | {what: made[what]})

    return route


def many_chunks(folder: Path, rows: Rows, what: str) -> pl.DataFrame:
    return pl.concat([pl.DataFrame(columns([row], what)) for row in rows], rechunk=False)


def parquet(folder: Path, rows: Rows, what: str) -> Path:
    pl.DataFrame(columns(rows, what)).write_parquet(folder / "rows.parquet")
    return folder / "rows.parquet"


def comma_separated(folder: Path, rows: Rows, what: str) -> Path:
    pl.DataFrame(columns(rows, what)).write_csv(folder / "rows.csv")
    return folder / "rows.csv"


def packed_columns(route: Route) -> Route:
    """The same file, packed, with .gz after its own suffix."""

    def pack(folder: Path, rows: Rows, what: str) -> Path:
        file: Path = route(folder, rows, what)
        return put(file.with_name(f"{file.name}.gz"), gzip.compress(file.read_bytes()))

    return pack


def relation(folder: Path, rows: Rows, what: str) -> Any:
    """What DuckDB answers, in the order of the rows."""
    held = duckdb.connect().from_arrow(pa.table(columns(rows, what)))
    return held.project("*")


ROUTES: dict[str, Route] = {
    "text": plain(),
    "tabs": plain(separator="\t"),
    "windows": plain(end="\r\n"),
    "byte order mark": lambda folder, rows, what: put(folder / "bom", b"\xef\xbb\xbf" + text(rows, what)),
    "scattered": scattered,
    "gz": packed(".gz", gzip.compress),
    "bz2": packed(".bz2", bz2.compress),
    "xz": packed(".xz", lzma.compress),
    "zst": packed(".zst", zstd),
    "gz members": packed(".gz", gzip.compress, members=3),
    "bz2 members": packed(".bz2", bz2.compress, members=3),
    "xz members": packed(".xz", lzma.compress, members=3),
    "zst members": packed(".zst", zstd, members=3),
    "packed under another name": packed("", gzip.compress),
    "beir": beir,
    "json": lambda folder, rows, what: put(folder / "a.json", json.dumps(dicts(rows)).encode()),
    "json rows": json_rows,
    "jsonl": json_lines,
    "parquet": parquet,
    "csv": comma_separated,
    "json rows gz": packed_columns(json_rows),
    "jsonl gz": packed_columns(json_lines),
    "csv gz": packed_columns(comma_separated),
    "dicts": lambda folder, rows, what: dicts(rows),
    "columns": lambda folder, rows, what: columns(rows, what),
    "arrays": lambda folder, rows, what: {key: np.array(value) for key, value in columns(rows, what).items()},
    "pandas object": pandas(object),
    "pandas str": pandas("str"),
    "pandas string": pandas("string"),
    "pandas arrow": pandas(pd.ArrowDtype(pa.string())),
    "pandas category": pandas("category"),
    "polars": frame(pl.String),
    "polars categorical": frame(pl.Categorical),
    "polars lazy": lambda folder, rows, what: pl.LazyFrame(columns(rows, what)),
    "polars chunks": many_chunks,
    "arrow string": table(pa.string()),
    "arrow large_string": table(pa.large_string()),
    "arrow string_view": table(pa.string_view()),
    "arrow dictionary": table(pa.dictionary(pa.int32(), pa.string())),
    "arrow reader": lambda folder, rows, what: pa.table(columns(rows, what)).to_reader(),
    "duckdb": relation,
}


def numbered(frame: Callable[[dict[str, Any]], Any]) -> Route:
    def route(folder: Path, rows: Rows, what: str) -> Any:
        made = columns(rows, what)
        return frame(made | {name: [int(value) for value in made[name]] for name in ("topic", "document")})

    return route


def scalars(whole: Callable[[str], Any]) -> Route:
    number: dict[str, Callable[[float], Any]] = {"grade": np.int32, "score": np.float64}

    def route(folder: Path, rows: Rows, what: str) -> Any:
        return {
            whole(topic): {whole(document): number[what](value) for document, value in row.items()}
            for topic, row in dicts(rows).items()
        }

    return route


NUMBERED: dict[str, Route] = {
    "polars Int64": numbered(pl.DataFrame),
    "pandas int64": numbered(pd.DataFrame),
    "arrow int64": numbered(pa.table),
    "dicts of int": scalars(int),
    "dicts of NumPy int": scalars(np.int64),
    "dicts of NumPy str": scalars(np.str_),
}


def rows_of(table: dict[str, dict[str, Any]]) -> Rows:
    return [(topic, document, number) for topic, row in table.items() for document, number in row.items()]


@pytest.fixture(scope="module")
def campaign() -> Campaign:
    return random_campaign(7)


def check(campaign: Campaign, run: str, route: Route, part: str, folder: Path) -> None:
    """The route may bring the qrels or the run; the other part comes as text."""
    qrels, scores = rows_of(campaign.qrels), rows_of(campaign.runs[run])
    paths = put(folder / "qrels.txt", text(qrels, "grade")), put(folder / "run.txt", text(scores, "score"))
    if part == "qrels":
        found = assess(route(folder, qrels, "grade"), paths[1])
    else:
        found = assess(paths[0], route(folder, scores, "score"))
    assert arrays(found) == arrays(assess(*paths))


@pytest.mark.parametrize("part", ["qrels", "run"])
@pytest.mark.parametrize("route", ROUTES.values(), ids=ROUTES.keys())
def test_every_route_gives_the_arrays_of_the_text_file(
    route: Route, part: str, campaign: Campaign, tmp_path: Path
) -> None:
    check(campaign, "dense", route, part, tmp_path)


@pytest.mark.parametrize("part", ["qrels", "run"])
@pytest.mark.parametrize("route", NUMBERED.values(), ids=NUMBERED.keys())
def test_ids_that_are_numbers_give_the_arrays_of_the_text_file(route: Route, part: str, tmp_path: Path) -> None:
    qrels = {"301": {"9": 1, "10": 0, "-7": 2, "100": -1}, "7": {"1": 1}}
    run = {"7": {"3": 0.5, "1": 0.25}, "301": {"10": 1.0, "9": 1.0, "8": 2.0, "-7": 1.0}}
    check(Campaign(qrels, {"r": run}, {}, {}, {}), "r", route, part, tmp_path)


def test_the_text_file_gives_what_is_written_in_it(campaign: Campaign, tmp_path: Path) -> None:
    qrels, run = rows_of(campaign.qrels), rows_of(campaign.runs["dense"])
    paths = put(tmp_path / "qrels", text(qrels, "grade")), put(tmp_path / "run", text(run, "score"))
    found = assess(*paths)
    assert found.topics == tuple(campaign.qrels)
    assert found.documents.to_list() == [document for _, document, _ in qrels]
    assert found.grade.tolist() == [grade for _, _, grade in qrels]
    for t, topic in enumerate(campaign.qrels):
        ranking = campaign.ranking("dense", topic)
        entries = range(found.starts[t], found.starts[t + 1])
        ranks = {found.documents[int(found.document[i])]: int(found.rank[i]) for i in entries}
        assert ranks == {d: i for i, d in enumerate(ranking, 1) if d in campaign.qrels[topic]}
        assert found.retrieved[t] == len(ranking)


def test_three_columns_are_a_ranking_of_ms_marco(tmp_path: Path) -> None:
    qrels = put(tmp_path / "qrels.tsv", b"7\t0\t100\t1\n7\t0\t200\t1\n9\t0\t100\t1\n")
    run = put(tmp_path / "run.tsv", b"7\t300\t1\n7\t200\t2\n7\t100\t3\n9\t100\t1\n")
    found = assess(qrels, run)
    assert found.documents.take(found.document.astype(np.int64)).to_list() == ["200", "100", "100"]
    assert found.rank.tolist() == [2, 3, 1]
    assert found.tie_first.tolist() == found.tie_last.tolist() == [2, 3, 1]


@pytest.mark.parametrize("route", ["csv", "json", "jsonl", "parquet", "text", "pandas object", "polars"])
def test_leading_zeros_stay(route: str, tmp_path: Path) -> None:
    rows: Rows = [("007", "0042", 1), ("7", "42", 2)]
    judged = read_qrels(ROUTES[route](tmp_path, rows, "grade"))
    assert judged.topics.to_list() == ["007", "7"]
    assert judged.document.to_list() == ["0042", "42"]
    ranked = read_run(ROUTES[route](tmp_path, rows, "score"))
    assert (ranked.topics.to_list(), ranked.document.to_list()) == (["007", "7"], ["0042", "42"])


@pytest.mark.parametrize("also", [[], [(["unjudged", "301", "nowhere"], ["d3", "d3", "d4"])]], ids=["", "side table"])
@pytest.mark.parametrize("in_files", [["bm25", "dense", "mixed"], ["dense"], ["bm25", "mixed"], ["mixed"]])
@pytest.mark.parametrize("seed", range(5))
def test_runs_in_files_and_in_memory_stand_in_the_order_in_which_they_are_given(
    seed: int, in_files: list[str], also: Any, tmp_path: Path
) -> None:
    campaign = random_campaign(seed)
    runs: dict[str, Any] = dict(campaign.runs)
    for name in in_files:
        runs[name] = put(tmp_path / name, text(rows_of(campaign.runs[name]), "score"))
    found = assess(campaign.qrels, runs, also=also)
    assert found.runs == tuple(campaign.runs)
    for i, (name, run) in enumerate(campaign.runs.items()):
        alone = assess(campaign.qrels, {name: run}, also=also)
        assert arrays(found.of_runs([i])) == arrays(alone)
