"""The chart of topics from the hardest to the easiest."""

from pathlib import Path

import pytest

import cranfield as cf
from tests.support.chart_tables.topic_difficulty import COLUMNS, EIGHT, TABLES, table
from tests.support.rendered_charts import finding, marks, rows_of, seen, told


def test_the_finding() -> None:
    made = TABLES["difficulty"]
    assert finding(made, "difficulty") == "From .100 to .800: mean AP of 8 topics; of the 2 hardest 1 is hard for all"
    assert told(made, "difficulty") == (
        "line: lowest to highest run; dot: mean; stroke: median; dashed: mean of all topics, .450; "
        "hard for all: no run reaches it"
    )


def kinds(made: cf.Table) -> dict[str, str]:
    return {row["topic"]: row["kind"] for row in rows_of(made, "difficulty", "point")}


def test_for_whom_topics_are_hard() -> None:
    found = kinds(TABLES["difficulty"])
    assert (found["t1"], found["t2"]) == ("hard for all", "hard for some")
    assert {found[f"t{i}"] for i in range(3, 9)} == {"others"}
    # Where lower is better, the hardest have the highest means: 9, 8, … 2, and 5.5 over all.
    lengths = [(f"t{i}", 10.0 - i, 5.0, 10 - i - (3.0, 4.0)[i > 1], 20.0) for i in range(1, 9)]
    found = kinds(table(lengths, "ESL"))
    assert (found["t1"], found["t2"], found["t3"]) == ("hard for all", "hard for some", "others")


def test_what_is_drawn() -> None:
    drawn = {kind: (encoded, rows) for kind, encoded, rows in marks(TABLES["difficulty"], "difficulty")}
    assert set(drawn) == {"rule", "tick", "point"}
    lines = [rows for kind, encoded, rows in marks(TABLES["difficulty"], "difficulty") if "x2" in encoded]
    assert [(row["lowest"], row["highest"]) for row in lines[0]] == [(low, high) for *_, low, high in EIGHT]
    (middle,) = [rows for _, encoded, rows in marks(TABLES["difficulty"], "difficulty") if "y" not in encoded]
    assert middle[0]["overall"] == pytest.approx(0.45)
    encoded, _ = drawn["point"]
    assert encoded["y"]["sort"] == ["t1 bees in winter", *(f"t{i}" for i in range(2, 9))]


def test_one_topic_and_the_first_of_several_measures() -> None:
    one = table(EIGHT[:1])
    assert finding(one, "difficulty") == "Topic t1 has a mean AP of .100"
    both = cf.Table.from_rows([*table(EIGHT).rows(), *table(EIGHT, "RR").rows()], COLUMNS)
    assert [row["measure"] for row in rows_of(both, "difficulty", "point")] == ["AP"] * 8


def test_names_that_look_alike_are_two_rows() -> None:
    # The middle of a long name is left out.
    alike = table([(f"{'a' * 40}{i}{'b' * 40}", *EIGHT[i][1:]) for i in range(3)])
    names = [row["name"] for row in rows_of(alike, "difficulty", "point")]
    assert [name[-3:] for name in names] == ["bbb", "(2)", "(3)"]


def many(n: int) -> cf.Table:
    return table([(f"topic{i}", i / n, i / n, 0.0, (i + 1) / n) for i in range(n)])


@pytest.mark.parametrize(("n", "shown"), [(8, 8), (41, 41), (100, 100), (101, 80), (6_980, 80)])
def test_however_many_topics(n: int, shown: int, tmp_path: Path) -> None:
    made = many(n)
    rows = rows_of(made, "difficulty", "point")
    assert len(rows) == shown
    assert (rows[0]["topic"], rows[-1]["topic"]) == ("topic0", f"topic{n - 1}")
    assert f"{n:,} topics" in finding(made, "difficulty")
    assert ("the 40 hardest and the 40 easiest" in told(made, "difficulty")) is (shown < n)
    svg = seen(made, "difficulty", tmp_path)
    assert "topic0" in svg
