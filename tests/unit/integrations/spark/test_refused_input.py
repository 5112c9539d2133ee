"""What is refused before Spark is asked for anything."""

from __future__ import annotations

from typing import Any

import pytest

import cranfield as cf
from cranfield.integrations import spark as distributed


@pytest.mark.parametrize(
    ("measures", "options", "said"),
    [
        ("alpha_nDCG@10", {}, "alpha_nDCG@10 needs subtopics, which are not read on Spark"),
        ("AWRF@20", {}, "AWRF@20 needs attributes, which are not read on Spark"),
        ("AP", {"ties": "input"}, "ties=input: rows of a table on Spark have no order of their own"),
        ("AP", {"prior": "others"}, "no measure asks what is known before a run"),
        ("NRG(nDCG@10)", {"prior": "chronological"}, "the prior cannot be 'chronological' on Spark"),
        ("AP", {"topics": "all"}, "topics='all' is not known"),
        ("AP", {"partitions": 0}, "work cannot be spread over 0 partitions"),
        ("nDCG", {"rel": 2}, "the measure does not ask from which grade on a document is relevant"),
        ("AP", {"compat": "trec_eval-9", "ties": "average"}, "trec_eval breaks ties, and has no ties=average"),
        ("AP", {"engine": "oracle"}, "there is no engine 'oracle'"),
        ("AP", {"engine": "duckdb"}, "DuckDB is no address of Spark"),
    ],
)
def test_what_cannot_be_is_refused(measures: str, options: dict[str, Any], said: str) -> None:
    with pytest.raises(cf.ParameterError) as refused:
        distributed.evaluate("qrels.parquet", "runs.parquet", measures, **options)
    assert str(refused.value).startswith(f"{said}\nhint: ")


def test_draws_are_in_one_partition_or_more() -> None:
    with pytest.raises(cf.ParameterError, match="work cannot be spread over 0 partitions"):
        distributed.bootstrap({"a": [1.0, 2.0], "b": [2.0, 1.0]}, partitions=0)
