"""Tables as Hugging Face keeps them: their columns, and in how many files they lie."""

from pathlib import Path

import polars as pl
import pytest

import cranfield as cf
from cranfield.data import find_runs

ROWS = pl.DataFrame(
    {"query-id": ["1", "1", "2"], "corpus-id": ["a", "b", "c"], "score": [1.0, 0.0, 2.0]},
)
JUDGED = {"1": {"a": 1.0, "b": 0.0}, "2": {"c": 2.0}}


def shard(folder: Path, rows: pl.DataFrame = ROWS, *, split: str = "test", parts: int = 3) -> Path:
    """Each row a file of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    for part in range(parts):
        rows[part : part + 1].write_parquet(folder / f"{split}-{part:05}-of-{parts:05}.parquet")
    return folder


def refused(data: Path, here: Path) -> str:
    with pytest.raises(cf.InputError) as wrong:
        cf.read_qrels(data)
    assert wrong.value.code == "E-SHARDS"
    return str(wrong.value).replace(f"{here}/", "")


@pytest.mark.parametrize("place", ["", "data", "qrels"])
def test_parts_are_one_table(tmp_path: Path, place: str) -> None:
    shard(tmp_path / place)
    assert cf.read_qrels(tmp_path).by_topic() == JUDGED
    assert cf.read_qrels(tmp_path / place / "test").by_topic() == JUDGED


def test_a_table_in_one_file_may_be_named_by_it(tmp_path: Path) -> None:
    shard(tmp_path, parts=1)
    assert cf.read_qrels(tmp_path / "test-00000-of-00001.parquet").by_topic() == {"1": {"a": 1.0}}
    assert cf.read_qrels(tmp_path).by_topic() == {"1": {"a": 1.0}}


def test_a_part_is_no_table(tmp_path: Path) -> None:
    shard(tmp_path)
    assert refused(tmp_path / "test-00001-of-00003.parquet", tmp_path) == (
        "test-00001-of-00003.parquet: this is one of 3 parts of a table\nhint: for all of them: test"
    )
    (tmp_path / "test-00001-of-00003.parquet").unlink()
    assert refused(tmp_path / "test", tmp_path) == (
        "test: there are 2 of 3 parts of the table\nhint: fetch the others too"
    )


def test_one_of_several_tables_has_to_be_named(tmp_path: Path) -> None:
    shard(shard(tmp_path / "data"), split="train")
    assert refused(tmp_path, tmp_path.parent).endswith(
        f"the folder has 2 tables\nhint: name one of them: {tmp_path.name}/data/test, {tmp_path.name}/data/train"
    )
    assert cf.read_qrels(tmp_path / "data" / "train").by_topic() == JUDGED


def test_tables_of_a_folder_are_runs(tmp_path: Path) -> None:
    shard(shard(tmp_path / "runs", split="bm25"), split="dense")
    (tmp_path / "runs" / "plain.txt").write_text("1 Q0 a 1 1 x\n")
    assert [run.name for run in find_runs(tmp_path / "runs")] == ["plain", "bm25", "dense"]
    values = cf.evaluate(JUDGED, tmp_path / "runs", "NumRet")
    assert list(values.mean()["NumRet"]) == [1, 3, 3]
    shard(tmp_path / "mine" / "data", split="train")
    assert [run.name for run in find_runs(tmp_path / "mine")] == ["train"]


def test_lint_and_convert_know_them(tmp_path: Path) -> None:
    shard(tmp_path / "qrels")
    assert len(cf.lint([tmp_path / "qrels"])["problems"]) == 0
    cf.convert(tmp_path / "qrels", tmp_path / "q.txt", kind="qrels")
    assert cf.read_qrels(tmp_path / "q.txt").by_topic() == JUDGED


@pytest.mark.parametrize(
    "names",
    [
        ("query-id", "corpus-id", "score"),
        ("query_id", "corpus_id", "score"),
        ("query_id", "doc_id", "relevance"),
        ("query_id", "passage_id", "label"),
        ("qid", "pid", "rel"),
    ],
)
def test_columns_may_be_called_as_there(names: tuple[str, str, str]) -> None:
    rows = ROWS.rename(dict(zip(ROWS.columns, names, strict=True))).with_columns(query=pl.lit("what is it"))
    assert cf.read_qrels(rows).by_topic() == JUDGED


def test_pairs_are_relevant_ones() -> None:
    assert cf.read_qrels(ROWS.drop("score")).by_topic() == {"1": {"a": 1.0, "b": 1.0}, "2": {"c": 1.0}}
    assert cf.read_qrels({"query-id": ["1"], "corpus-id": ["a"]}).by_topic() == {"1": {"a": 1.0}}
    with pytest.raises(cf.InputError, match="there is no column for the grade"):
        cf.read_qrels({"topic": ["1"], "document": ["a"]})
    with pytest.raises(cf.InputError, match="there is no column for the grade"):
        cf.read_qrels(ROWS.drop("score").with_columns(text=pl.lit("words")))
    with pytest.raises(cf.InputError, match="there is no column for the score"):
        cf.read_run(ROWS.drop("score"))


def test_lists_in_rows_are_rows() -> None:
    lists = pl.DataFrame({"query_id": ["1", "2"], "doc_ids": [["a", "b"], ["c"]], "labels": [[1, 0], [2]]})
    assert cf.read_qrels(lists).by_topic() == JUDGED
    ranked = pl.DataFrame({"query_id": ["1", "2"], "doc_ids": [["b", "a"], ["c"]]})
    assert cf.read_run(ranked).by_topic() == {"1": ["b", "a"], "2": ["c"]}
    scored = ranked.with_columns(scores=pl.Series([[1.0, 2.0], [0.5]]))
    assert cf.read_run(scored).by_topic() == {"1": ["a", "b"], "2": ["c"]}
    assert cf.evaluate(lists, {"x": ranked}, "RR").cube[0, :, 0].tolist() == [0.5, 1]


def test_a_list_file_is_read_too(tmp_path: Path) -> None:
    (tmp_path / "top.jsonl").write_text(
        '{"query-id": "1", "corpus-ids": ["b", "a"]}\n{"query-id": "2", "corpus-ids": ["c"]}\n'
    )
    assert cf.read_run(tmp_path / "top.jsonl").by_topic() == {"1": ["b", "a"], "2": ["c"]}
