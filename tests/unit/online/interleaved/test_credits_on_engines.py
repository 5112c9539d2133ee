"""What clicks gave each run, added up by the engine: the same as page by page."""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cranfield.core import CranfieldError, ParameterError, Table
from cranfield.data import Log, read_log
from cranfield.online import FURTHER, Credits, logged_credits, multileave, read_credits
from cranfield.simulate import simulate_log
from tests.support.simulations.interleaving_runs import GOOD, QRELS, RUNS


def made_by(method: str, runs: dict[str, Any] = RUNS) -> dict[str, Any]:
    page = partial(multileave, method=method, length=5, runs=tuple(runs))
    return simulate_log(QRELS, runs, users=25, days=3, page=page)


def read(columns: Any) -> Log:
    return read_log(columns, further=FURTHER)


def sums_of(credits: Credits) -> Any:
    """Credit of each user, whatever the order of impressions."""
    return np.column_stack([np.bincount(credits.user, one) for one in credits.credit.T])


@pytest.mark.parametrize("method", ["team-draft", "probabilistic", "optimised", "balanced", "ppm"])
def test_the_engine_adds_up_what_pages_give(method: str) -> None:
    columns = made_by(method)
    name, (credits,) = read_credits(read(columns))
    expected = logged_credits(columns)
    assert name == method
    assert credits.runs == expected.runs == ("good", "bad")
    assert len(credits.user) == len(set(columns["impression"]))
    np.testing.assert_allclose(sums_of(credits), sums_of(expected), atol=1e-12)


@pytest.mark.parametrize("method", ["balanced", "probabilistic"])
def test_a_file_of_text_says_the_same(method: str, tmp_path: Path) -> None:
    columns = made_by(method)
    Table(columns).to_csv(tmp_path / "log.csv")
    (credits,) = read_credits(read(tmp_path / "log.csv"))[1]
    np.testing.assert_allclose(sums_of(credits), sums_of(logged_credits(columns)), atol=1e-12)


PAGE: dict[str, list[Any]] = {  # two users: ann clicks a's document on both pages, bob one of each
    "impression": ["i", "i", "j", "j", "k", "k"],
    "user": ["ann", "ann", "ann", "ann", "bob", "bob"],
    "topic": ["1"] * 6,
    "rank": [1, 2] * 3,
    "document": ["x", "y"] * 3,
    "clicked": [1, 0, 0, 1, 1, 1],
    "team": ["a", "b", "b", "a", "a", "b"],
}


def test_teams_alone_are_enough() -> None:
    name, (credits,) = read_credits(read(PAGE))
    assert (name, credits.runs) == ("", ("a", "b"))
    assert sums_of(credits).tolist() == [[2.0, 0.0], [1.0, 1.0]]
    assert read_credits(read(PAGE), method="mine")[0] == "mine"


def test_pairs_that_share_no_page_are_counted_by_themselves() -> None:
    """A page of a and b says nothing of c."""
    columns = PAGE | {"team": ["a", "b", "b", "a", "a", "c"]}
    pairs = read_credits(read(columns))[1]
    assert [one.runs for one in pairs] == [("a", "b"), ("a", "c")]
    assert [one.credit.tolist() for one in pairs] == [[[1.0, 0.0], [1.0, 0.0]], [[1.0, 1.0]]]
    assert [one.user.tolist() for one in pairs] == [[0, 0], [0]]


def test_where_three_runs_share_a_page_all_count_together() -> None:
    columns = made_by("team-draft", RUNS | {"third": GOOD})
    (credits,) = read_credits(read(columns))[1]
    assert credits.runs == ("good", "bad", "third")


def test_of_several_methods_one_is_chosen() -> None:
    columns = PAGE | {"method": ["balanced"] * 4 + ["team-draft"] * 2}
    with pytest.raises(ParameterError, match="pages of 2 methods") as caught:
        read_credits(read(columns))
    assert caught.value.hint == "choose one: balanced, team-draft"
    (credits,) = read_credits(read(columns), method="team-draft")[1]
    assert credits.credit.tolist() == [[1.0, 1.0]]
    with pytest.raises(ParameterError, match="no page of the log was made by ppm") as caught:
        read_credits(read(columns), method="ppm")
    assert caught.value.hint == "there are: balanced, team-draft"


def test_what_is_no_interleaving_is_refused() -> None:
    with pytest.raises(ParameterError, match="an interleaving needs the column team"):
        read_credits(read({name: column for name, column in PAGE.items() if name != "team"}))
    with pytest.raises(ParameterError, match="an interleaving needs the column user"):
        read_credits(read({name: column for name, column in PAGE.items() if name != "user"}))
    with pytest.raises(ParameterError, match="the log has documents of 1 team\n"):
        read_credits(read(PAGE | {"team": ["a"] * 6}))


def test_further_columns_are_kept_in_their_own_type() -> None:
    columns = PAGE | {
        "worth_a": ["1", "0.5", "", "x", "2", "3"],
        "rank_a": ["1", "2", "", "1", "1.5", "2"],
        "other": [1] * 6,
    }
    log = read(columns)
    assert "other" not in log.known
    rows = log.fetch(log.rows.order_by(["impression", "rank"]).select("worth_a", "rank_a"))
    np.testing.assert_array_equal(rows["worth_a"], [1, 0.5, np.nan, np.nan, 2, 3])
    assert rows["rank_a"] == [1, 2, None, 1, None, 2]
    assert "worth_a" not in read_log(columns).known


def test_teams_whose_names_differ_only_by_case_are_two_teams() -> None:
    """Ann clicks the document of New on both pages; bob clicks one document of each team."""
    columns = PAGE | {"team": [{"a": "New", "b": "new"}[team] for team in PAGE["team"]]}
    _, (credits,) = read_credits(read(columns))
    assert credits.runs == ("New", "new")
    assert sums_of(credits).tolist() == [[2, 0], [1, 1]]


def test_columns_of_runs_whose_names_differ_only_by_case_are_refused(tmp_path: Path) -> None:
    """Engines ignore the case of a column: rank_new is another name of rank_New."""
    Table(made_by("team-draft", {"New": RUNS["good"], "new": RUNS["bad"]})).to_csv(tmp_path / "log.csv")
    with pytest.raises(ParameterError, match="the names of the runs New and new differ only by case"):
        read_credits(read(tmp_path / "log.csv"))


def test_a_frame_whose_columns_differ_only_by_case_is_refused() -> None:
    with pytest.raises(CranfieldError, match="the columns rank_New and rank_new differ only by case"):
        read(made_by("team-draft", {"New": RUNS["good"], "new": RUNS["bad"]}))


def test_a_team_that_is_none_of_the_runs_is_refused() -> None:
    columns = made_by("balanced")
    teams = ["other" if row == 7 else team for row, team in enumerate(columns["team"])]
    with pytest.raises(ParameterError, match=r"the team .other. of impression .* is none of its runs"):
        read_credits(read(columns | {"team": teams}))
