"""What a policy showed, with what chance, and what it earned: read, put in order, seen by runs, counted; refused."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from cranfield.core import CranfieldError, InputError
from cranfield.data import Choices, read_choices, read_run

PAGES: dict[str, list[Any]] = {  # two pages, their rows in no order
    "impression": ["i2", "i1", "i1", "i2"],
    "rank": [2, 2, 1, 1],
    "topic": ["q", "q", "q", "q"],
    "document": ["a", "b", "a", "b"],
    "clicked": [1, 0, 1, 0],
    "propensity": [0.2, 0.4, 0.5, None],
    "target": [0.1, 0.2, 0.3, 0.4],
    "user": ["u", "v", "v", "u"],
}


def test_rows_are_put_in_order() -> None:
    found = read_choices(PAGES)
    # i2 is met first: its ranks 1 and 2 stand in rows 3 and 0, those of i1 in rows 2 and 1.
    assert found.impression.tolist() == [0, 0, 1, 1]
    assert found.rank.tolist() == [1, 2, 1, 2]
    assert found.reward.tolist() == [0, 1, 1, 0]
    np.testing.assert_array_equal(found.propensity, [np.nan, 0.2, 0.5, 0.4])
    assert found.policies["target"].tolist() == [0.4, 0.1, 0.3, 0.2]
    assert found.user is not None
    assert [len({*found.user[:2]}), len({*found.user[2:]}), len({*found.user})] == [1, 1, 2]
    assert (found.impressions, found.pages, len(found)) == (2, True, 4)
    assert repr(found) == "Choices('log': 4 rows of 2 impressions)"
    assert read_choices(found) is found


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_every_kind_of_file_says_the_same(suffix: str, tmp_path: Path) -> None:
    path, frame = tmp_path / f"log{suffix}", pl.DataFrame(PAGES)
    match suffix:
        case ".jsonl":
            frame.write_ndjson(path)
        case ".parquet":
            frame.write_parquet(path)
        case _:
            frame.write_csv(path, separator="," if suffix == ".csv" else "\t")
    found, plain = read_choices(path), read_choices(PAGES)
    np.testing.assert_array_equal(found.propensity, plain.propensity)
    for name in ("impression", "rank", "reward"):
        assert getattr(found, name).tolist() == getattr(plain, name).tolist()
    assert found.source.digest == plain.source.digest
    assert (found.source.name, found.source.kind) == (str(path), "log")


def test_a_row_alone_is_an_impression() -> None:
    found = read_choices({"reward": ["true", "no", " False ", "1"], "propensity": ["0.5", "", "NaN", "1"]})
    assert (found.impressions, found.pages) == (4, False)
    assert found.reward.tolist() == [1, 0, 0, 1]
    np.testing.assert_array_equal(found.propensity, [0.5, np.nan, np.nan, 1])
    assert (found.policies, found.user, found.model, found.topic) == ({}, None, None, None)
    assert read_choices({"reward": [1.0, 2.0], "propensity": [None, None]}).propensity is not None


def test_policies_and_models_are_columns() -> None:
    given = {"clicked": [0, 1], "New": [0.5, 1], "old": [1, 0], "q": [0.1, 0.2]}
    given |= {"expected_new": [0.3, 0.4], "expected": [0.5, 0.6]}
    found = read_choices(given, ["New", "old"], columns={"model": "q"})
    assert {name: column.tolist() for name, column in found.policies.items()} == {"New": [0.5, 1], "old": [1, 0]}
    assert found.model is not None
    assert found.model.tolist() == [0.1, 0.2]
    # Its own where it has one, else that of all.
    assert {name: column.tolist() for name, column in found.expected.items()} == {"New": [0.3, 0.4], "old": [0.5, 0.6]}


def test_a_run_shows_its_own_documents_and_no_others() -> None:
    # On top a, below it c: of i2 (b, a) and i1 (a, b) it shows the first document of i1 alone.
    run = read_run({"q": {"a": 2.0, "c": 1.0}, "other": {"b": 1.0}}, name="mine")
    assert read_choices(PAGES).with_runs([run]).policies["mine"].tolist() == [0, 0, 1, 0]
    nothing = read_run({"other": {"b": 1.0}}, name="nothing")
    assert read_choices(PAGES).with_runs([nothing]).policies["nothing"].tolist() == [0, 0, 0, 0]


def test_chances_are_counted_within_a_topic() -> None:
    # q has a on top in two of three impressions, b in one; p has a in its one.
    given = {"topic": [*"qqqp"], "document": [*"aaba"], "clicked": [0, 0, 1, 0]}
    found = read_choices(given).counted()
    assert found.propensity is not None
    assert found.propensity.tolist() == pytest.approx([2 / 3, 2 / 3, 1 / 3, 1])
    # Pages: a is at rank 1 in one of two, and at rank 2 in the other.
    paged = read_choices(PAGES).counted().propensity
    assert paged is not None
    assert paged.tolist() == [0.5, 0.5, 0.5, 0.5]


def changed(**columns: Any) -> dict[str, Any]:
    return {name: column for name, column in {**PAGES, **columns}.items() if column is not None}


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (changed(clicked=None), "log: there is no column for the reward"),
        ({"reward": [], "propensity": []}, "log: there are no choices"),
        (changed(clicked=None, reward=[1, 0, None, 0]), "log: there is no reward (row 2)"),
        (changed(rank=[1, 1, 0, 0]), "log: the ranks start at 0: 2 rows have rank 0, 2 have rank 1"),
        (changed(propensity=[0.1, "often", 0.2, 0.3]), 'log: propensity "often" is not a finite number (row 1)'),
        (changed(impression=None), "log has ranks, and no impressions"),
        (changed(rank=None), "log: the impression has two documents at rank 1 (row 2)"),
        (changed(document=[None] * 4), "log: no row can be used; rows excluded: 4 of 4 (no document: 4)"),
        (5, "log: an object of type int holds no choices"),
    ],
)
def test_bad_logs_are_refused(data: Any, problem: str) -> None:
    with pytest.raises(CranfieldError) as caught:
        read_choices(data)
    assert caught.value.problem == problem
    assert caught.value.hint


def test_a_log_that_is_in_the_file_twice_is_refused_with_the_counts() -> None:
    with pytest.raises(CranfieldError) as caught:
        read_choices({name: [*column, *column] for name, column in PAGES.items()})
    assert "rows excluded: 8 of 8 (a rank twice on a page: 8)" in caught.value.problem
    assert "twice" in (caught.value.hint or "")


def refuse(problem: str, make: Any) -> None:
    with pytest.raises(CranfieldError) as caught:
        make()
    assert caught.value.problem == problem
    assert caught.value.hint


def test_bad_questions_are_refused(tmp_path: Path) -> None:
    refuse("a policy is named twice", lambda: read_choices(PAGES, ["target", "target"]))
    refuse("log: there is no column x for the policy x", lambda: read_choices(PAGES, ["x"]))
    refuse("choices have no column colour", lambda: read_choices(PAGES, columns={"colour": "rank"}))
    bare: Choices = read_choices({"reward": [1.0], "propensity": [1.0]})
    run = read_run({"q": {"a": 1.0}}, name="target")
    refuse("a run needs the column topic: log has none", lambda: bare.with_runs([run]))
    refuse("counting how often documents are shown needs the column topic: log has none", bare.counted)
    refuse("two policies are called target", lambda: read_choices(PAGES).with_runs([run]))
    missing = tmp_path / "no.csv"
    refuse(f"{missing}: there is no such file", lambda: read_choices(missing))


def test_a_number_above_0_is_a_click_unless_it_is_a_reward() -> None:
    assert read_choices(changed(clicked=[2, 0, 3.0, 0])).reward.tolist() == read_choices(PAGES).reward.tolist()
    assert read_choices(changed(clicked=["2", "no", "3.0", "0"])).reward.tolist() == [0, 1, 1, 0]
    assert read_choices(changed(clicked=[2, 0, 3, 0]), columns={"reward": "clicked"}).reward.tolist() == [0, 2, 3, 0]


def test_empty_clicks_next_to_1_are_no_clicks() -> None:
    found = read_choices(changed(clicked=[1, None, 1, None]))
    assert found.reward.tolist() == [0, 1, 1, 0]
    assert found.unread.rows == 0
    assert len(found.notes) == 1


def test_an_impression_whose_clicks_are_not_known_is_excluded() -> None:
    found = read_choices(changed(clicked=[1, 0, None, 0]))
    # Row 2 is of i1, of which row 1 goes too; that leaves i2, one of whose propensities is missing.
    assert found.impressions == 1
    assert found.excluded.reasons == {"neither clicked nor not": 2, "no propensity": 2}
    assert found.excluded.total == 4


@pytest.mark.parametrize(
    ("column", "cells", "reasons"),
    [
        # Rows 0 and 3 are of i2, rows 1 and 2 of i1: the other row of the impression is excluded too.
        ("user", ["u", None, "v", "u"], {"no user": 2}),
        ("user", [1.0, np.nan, 2.0, 1.0], {"no user": 2}),
        ("topic", ["q", "q", "", "q"], {"no topic": 2}),
        ("document", ["a", " ", "a", "b"], {"no document": 2}),
        ("clicked", [1, 0, "maybe", 0], {"neither clicked nor not": 2}),
        ("clicked", [1, 0, -1, 0], {"neither clicked nor not": 2}),
        ("rank", [2, None, 1, 1], {"no rank": 2}),
        ("rank", [2, 1.5, 1, 1], {"no rank": 2}),
        ("rank", [2, "first", 1, 1], {"no rank": 2}),
        ("rank", [2, 2, -1, 1], {"rank below 1": 2}),
        ("rank", [2, 1, 1, 1], {"a rank twice on a page": 2}),
        ("rank", [2, 3, 1, 1], {"ranks that are not 1, 2, 3, …": 2}),
        ("user", [*"uvwu"], {"rows of a page differ in topic or user": 2}),
        ("topic", [*"qrqq"], {"rows of a page differ in topic or user": 2}),
        # The row without an impression was rank 1 of i1, which has no other rank 1.
        ("impression", ["i2", "i1", None, "i2"], {"no impression": 1, "ranks that are not 1, 2, 3, …": 1}),
    ],
)
def test_impressions_with_an_invalid_row_are_excluded(column: str, cells: list[Any], reasons: dict[str, int]) -> None:
    found = read_choices(changed(**{column: cells, "propensity": [0.2, 0.4, 0.5, 0.5]}))
    assert found.excluded.reasons == reasons
    assert (found.excluded.total, len(found), found.impressions) == (4, 2, 1)
    assert found.reward.tolist() == [0, 1]


def test_ranks_may_start_at_0() -> None:
    assert PAGES["rank"] == [2, 2, 1, 1]
    found = read_choices(changed(rank=[1, 1, 0, 0]), ranks_from=0)
    assert found.rank.tolist() == [1, 2, 1, 2]
    with pytest.raises(InputError) as caught:
        read_choices(PAGES, ranks_from=0)
    assert caught.value.code == "E-RANKS"
