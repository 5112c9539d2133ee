"""Checks of interleaving logs: clean logs of every method pass, and each kind of damage is found."""

from math import exp
from typing import Any

import numpy as np
import polars as pl
import pytest

import cranfield as cf
from cranfield.data import read_log
from cranfield.online import FURTHER, Check, credit_checks, multileave

DOCUMENTS = [f"d{number:02}" for number in range(20)]
METHODS = ["team-draft", "team-draft(common='none')", "balanced", "probabilistic", "optimised", "ppm"]
LABELS = ("impression", "user", "topic", "rank", "document", "clicked", "team")


def pages(method: str = "team-draft", runs: str = "ab", users: int = 60, length: int = 8) -> pl.DataFrame:
    """Pages of users with one to four each; both lists begin alike, then differ."""
    rng = np.random.default_rng(7)
    lists = [[*DOCUMENTS[:2], *rng.permutation(DOCUMENTS[2:]).tolist()] for _ in runs]
    rows: list[dict[str, Any]] = []
    for user in range(users):
        for page in range(1 + user % 4):
            made = multileave(lists, rng, method=method, length=length, runs=tuple(runs))
            rows += made.rows(f"{user}-{page}", user=f"u{user}", topic="1")
    return pl.DataFrame(rows, infer_schema_length=None).with_columns(
        clicked=pl.Series(rng.random(len(rows)) < 0.2),
    )


def failed(log: pl.DataFrame, method: str | None = None) -> dict[str, Check]:
    return {one.check: one for one in credit_checks(read_log(log, further=FURTHER), method=method) if not one.passed}


@pytest.mark.parametrize("method", METHODS)
def test_clean_logs_pass(method: str) -> None:
    assert not failed(pages(method))


@pytest.mark.parametrize("method", ["team-draft", "probabilistic"])
def test_clean_pages_of_three_runs_pass(method: str) -> None:
    assert not failed(pages(method, "abc"))
    assert not failed(pages(method, "abc").select(LABELS), method)


def test_documents_with_which_all_runs_begin_may_have_no_team() -> None:
    begin = pl.when(pl.col("rank") > 2).then(pl.col("team"))
    assert not failed(pages().select(LABELS).with_columns(team=begin))
    odd = pl.when(pl.col("rank") > 1).then(pl.col("team"))
    assert not failed(pages().select(LABELS).with_columns(team=odd))


def test_teams_that_are_missing_below_a_rank_are_found() -> None:
    """Of pages of 8 documents, 3 have no team."""
    log = pages().select(LABELS).with_columns(team=pl.when(pl.col("rank") <= 5).then(pl.col("team")))
    found = failed(log)
    assert set(found) == {"known credit"}
    assert found["known credit"].effect == pytest.approx(3 / 8)
    assert "rank 5" in found["known credit"].detail


def test_credit_that_is_missing_below_a_rank_is_found() -> None:
    for method, kind in (("team-draft", "worth"), ("probabilistic", "worth"), ("optimised", "worth"), ("ppm", "rank")):
        lost = [pl.when(pl.col("rank") <= 6).then(pl.col(f"{kind}_{run}")).alias(f"{kind}_{run}") for run in "ab"]
        found = failed(pages(method).with_columns(lost))
        assert found["known credit"].effect == pytest.approx(2 / 8), method


def as_result_pages(log: pl.DataFrame, length: int) -> pl.DataFrame:
    """Make an impression of each result page of a search: with a length of 5, ranks 1 to 5 and ranks 6 to 10."""
    page = ((pl.col("rank") - 1) // length).cast(pl.String)
    return log.with_columns(impression=pl.concat_str("impression", page, separator="/"))


@pytest.mark.parametrize("length", [3, 4, 5])
@pytest.mark.parametrize("method", METHODS)
def test_result_pages_that_are_impressions_pass(method: str, length: int) -> None:
    assert not failed(as_result_pages(pages(method, length=10), length))


@pytest.mark.parametrize("lost", [[1], [4], [1, 2], [5], [5, 6], [6], [8], [1, 5]])
def test_lost_ranks_of_result_pages_are_found(lost: list[int]) -> None:
    """Half of the searches lose the same ranks of their two pages of 4 documents; only the last rank is no gap."""
    log = as_result_pages(pages(), 4)
    damaged = pl.col("user").str.slice(1).cast(pl.Int64) % 2 == 0
    found = failed(log.filter(~(damaged & pl.col("rank").is_in(lost))))
    assert ("ranks without gaps" in found) == (lost not in ([4], [8]))


def test_first_ranks_that_every_page_has_lost_are_found() -> None:
    assert failed(pages().filter(pl.col("rank") > 1))["ranks without gaps"].effect == 1
    assert failed(pages().filter(pl.col("rank") > 4))["ranks without gaps"].effect == 1


def test_teams_that_are_missing_on_second_result_pages_are_found() -> None:
    """Of the 8 documents of a search, 3 of its second page have no team."""
    log = as_result_pages(pages().select(LABELS), 4)
    found = failed(log.with_columns(team=pl.when(pl.col("rank") <= 5).then(pl.col("team"))))
    assert found["known credit"].effect == pytest.approx(3 / 8)


def test_rows_of_one_team_that_are_lost_are_found() -> None:
    """Below rank 4 a page of 8 documents has 2 of each team: without those of b it lacks 2 ranks."""
    whole = pages().select(LABELS)
    lost = whole.filter((pl.col("team") == "a") | (pl.col("rank") <= 4))
    found = failed(lost)
    assert set(found) == {"ranks without gaps", "teams at each rank"}
    assert found["teams at each rank"].effect == pytest.approx(0.5)
    again = lost.sort("impression", "rank").with_columns(rank=1 + pl.int_range(pl.len()).over("impression"))
    assert set(failed(again)) == {"turns of teams", "teams at each rank"}
    assert set(failed(again, "probabilistic")) == {"teams at each rank"}  # whose teams take no turns


def test_labels_of_one_team_that_are_lost_are_found() -> None:
    log = (
        pages().select(LABELS).with_columns(team=pl.when((pl.col("team") == "a") | (pl.col("rank") <= 4)).then("team"))
    )
    assert {"known credit", "teams at each rank"} <= set(failed(log))


def test_a_team_that_always_leads_is_found_by_the_bound_of_hoeffding() -> None:
    """With 20 users of one page each d = ±1 at both ranks: z² = 20, p = 2 (ranks) · 2 exp(−10)."""
    cells = [(f"i{i}", f"u{i}", "1", rank, f"d{rank}", 0, "_ab"[rank]) for i in range(20) for rank in (1, 2)]
    log = pl.DataFrame(cells, schema=LABELS, orient="row")
    found = failed(log)
    assert set(found) == {"teams at each rank"}
    assert found["teams at each rank"].p == pytest.approx(4 * exp(-10))
    one_user = log.with_columns(user=pl.lit("u"))  # one user may have seen the same page many times
    assert not failed(one_user)


def test_credit_of_another_run_is_found() -> None:
    log = pages().with_columns(worth_a=pl.col("worth_b"), worth_b=pl.col("worth_a"))
    assert failed(log)["credit of the own team"].effect == 1


@pytest.mark.parametrize("method", ["team-draft", "team-draft(common='none')", "probabilistic", "optimised"])
def test_worth_that_is_filled_with_zeros_is_found(method: str) -> None:
    """Below rank 6 the worth of 2 of the 8 documents of a page is 0, which no method gives below the common start."""
    lost = [
        pl.when(pl.col("rank") <= 6).then(pl.col(name)).otherwise(0.0).alias(name) for name in ("worth_a", "worth_b")
    ]
    found = failed(pages(method).with_columns(lost))
    assert set(found) == {"size of credit"}
    assert found["size of credit"].effect == pytest.approx(2 / 8)


@pytest.mark.parametrize("method", ["team-draft", "probabilistic", "optimised"])
def test_worth_of_a_run_that_is_lost_on_whole_pages_is_found(method: str) -> None:
    """A page that gives credit to one run alone compares nothing: all documents of every fourth user's pages."""
    log = pages(method)
    lost = pl.col("user").str.slice(1).cast(pl.Int64) % 4 == 1
    found = failed(log.with_columns(worth_b=pl.when(~lost).then(pl.col("worth_b"))))
    assert found["known credit"].effect == pytest.approx(log.select(lost.mean()).item())


def test_worth_of_the_other_run_is_found_on_some_pages() -> None:
    lost = pl.col("user").str.slice(1).cast(pl.Int64) % 4 == 1
    swapped = [
        pl.when(lost).then(pl.col(f"worth_{b}")).otherwise(pl.col(f"worth_{a}")).alias(f"worth_{a}")
        for a, b in ("ab", "ba")
    ]
    assert set(failed(pages("optimised").with_columns(swapped))) == {"size of credit"}
    assert set(failed(pages("team-draft").with_columns(swapped))) == {"credit of the own team"}


@pytest.mark.parametrize("name", ["B", "b ", "none", " "])
@pytest.mark.parametrize("method", ["team-draft", "probabilistic"])
def test_a_team_with_a_second_name_on_some_pages_is_found(method: str, name: str) -> None:
    """Its documents on the pages of every fourth user would count for a third run, or for none."""
    log = pages(method).select(LABELS)
    renamed = (pl.col("team") == "b") & (pl.col("user").str.slice(1).cast(pl.Int64) % 4 == 1)
    found = failed(log.with_columns(team=pl.when(renamed).then(pl.lit(name)).otherwise("team")), method)
    assert found["names of teams"].effect == pytest.approx(log.select(renamed.mean()).item())


def test_two_teams_whose_names_differ_by_case_are_two_teams() -> None:
    """Both are on every page, so they are the two runs that are compared."""
    assert not failed(pages(runs="Bb").select(LABELS))


@pytest.mark.parametrize("method", METHODS[:4])
def test_lost_clicks_of_a_team_are_found(method: str) -> None:
    """Of 10 times as many users as above, a fifth of about 6,000 documents of b was clicked."""
    log = pages(method, users=600)
    found = failed(log.with_columns(clicked=pl.col("clicked") & (pl.col("team") != "b")))
    assert set(found) == {"clicks of every team"}
    assert (
        f"none of the {log.filter(pl.col('team') == 'b').height:,} documents of b"
        in found["clicks of every team"].detail
    )
    assert not failed(pages(method, users=4).with_columns(clicked=pl.col("clicked") & (pl.col("team") != "b")))


def test_a_team_with_clicks_on_all_documents_is_found() -> None:
    """Rows of its documents without a click are lost, or its clicks are wrong."""
    log = pages(users=400).select(LABELS)
    (check,) = failed(log.with_columns(clicked=pl.col("team") == "a")).values()
    assert check.check == "clicks of every team"
    assert "all of the " in check.detail
    assert not failed(log.with_columns(clicked=(pl.col("team") == "a") != (pl.col("user") == "u3")))


def test_a_damaged_log_is_not_trusted_and_no_test_may_end() -> None:
    """Only one user clicks documents of b: users prefer a at every look, if the log can be trusted."""
    of_a = (pl.col("team") == "a") & (pl.col("rank") <= 4)
    log = pages(users=400).select(LABELS).with_columns(clicked=of_a | (pl.col("user") == "u3"))
    clean = cf.interleave(log)
    assert clean.verdict is not None
    assert (clean.verdict["trusted"], clean.verdict["holds_at_every_look"]) == (True, True)
    assert "may end now" in clean.sentence
    study = cf.interleave(log.with_columns(team=pl.when(pl.col("rank") <= 5).then(pl.col("team"))))
    assert study.verdict is not None
    assert study.verdict["trusted"] is False
    assert "may end now" not in study.sentence
    assert "37.5% of the documents have no team" in study.sentence
    assert [row["check"] for row in study["checks"].rows() if not row["passed"]] == ["known credit"]


def test_a_page_without_a_user_excuses_no_gaps() -> None:
    """Of 150 pages one has no user, and 4 of the others lack rank 3."""
    log = pages().select(LABELS)
    first = log["impression"].unique(maintain_order=True).to_list()
    user = pl.when(pl.col("impression") == first[0]).then(None).otherwise("user")
    lost = pl.col("impression").is_in(first[5:9]) & (pl.col("rank") == 3)
    found = failed(log.with_columns(user=user).filter(~lost))
    assert found["ranks without gaps"].effect == pytest.approx(4 / 149)


def test_rows_that_are_pages_are_found() -> None:
    log = pages().select(LABELS).with_columns(impression=pl.format("{}/{}", "impression", "rank"))
    assert failed(log)["ranks without gaps"].effect == pytest.approx(7 / 8)


def test_a_few_rows_of_a_third_team_are_found() -> None:
    """Three of the 8 documents of one page of 150 have another team: on the other pages teams take turns."""
    third = pl.when(pl.int_range(pl.len()) < 3).then(pl.lit("c")).otherwise("team")
    found = failed(pages().select(LABELS).with_columns(team=third))
    assert set(found) == {"names of teams"}
    assert found["names of teams"].effect == pytest.approx(3 / (8 * 150))


def test_times_of_documents_without_a_click_are_found() -> None:
    log = pages().with_columns(dwell=pl.when("clicked").then(40.0))
    assert not failed(log)
    fewer = pl.col("clicked") & (pl.col("rank") != 2)
    assert set(failed(log.with_columns(clicked=fewer))) == {"times without a click"}
