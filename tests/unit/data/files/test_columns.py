"""Judgments in three columns under a header are read by the names of the columns, in any order."""

from itertools import permutations
from pathlib import Path

import pytest

import cranfield as cf
from cranfield.core import InputError
from cranfield.data import read_qrels
from cranfield.data.files.columns import is_beir
from cranfield.data.files.file_inspection import inspect

ROWS = [("1", "11", "2"), ("1", "12", "0"), ("2", "21", "1")]  # topic, document, grade
GRADES = {"1": {"11": 2, "12": 0}, "2": {"21": 1}}


@pytest.mark.parametrize("order", list(permutations(range(3))))
@pytest.mark.parametrize(
    "names",
    [
        ("topic", "document", "grade"),
        ("query-id", "corpus-id", "score"),
        ("qid", "docno", "relevance"),
        ("topic", "document", "label"),
    ],
)
@pytest.mark.parametrize("suffix", ["tsv", "csv"])
def test_columns_in_any_order(suffix: str, names: tuple[str, ...], order: tuple[int, ...], tmp_path: Path) -> None:
    path = tmp_path / f"qrels.{suffix}"
    separator = "\t" if suffix == "tsv" else ","
    path.write_text("".join(separator.join(row[i] for i in order) + "\n" for row in (names, *ROWS)))
    assert read_qrels(path).by_topic() == GRADES
    assert (inspect(path).kind, inspect(path).topics) == ("qrels", ("1", "2"))
    run = {"1": {"12": 2.5, "11": 1.5}, "2": {"21": 3.5}}
    # The only relevant document of topic 1 has rank 2, that of topic 2 has rank 1: (1/2 + 1) / 2 = 0.75.
    assert cf.evaluate(path, run, "AP").cube.mean() == 0.75


def test_a_third_column_that_is_no_grade_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "qrels.tsv"
    path.write_text("topic\tdocument\trank\n1\t11\t1\n1\t12\t2\n")
    with pytest.raises(InputError) as caught:
        read_qrels(path)
    assert caught.value.code == "E-COLUMNS"


def test_the_columns_of_beir_may_have_any_order() -> None:
    assert all(map(is_beir, permutations(("query-id", "corpus-id", "score"))))
    assert not is_beir(("query-id", "corpus-id"))
    assert not is_beir(("topic", "document", "score"))
