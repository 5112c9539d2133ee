"""Which of two runs users prefer: counts by hand, a peer for the sign test, and what is said."""

from functools import partial
from math import comb
from typing import Any

import pytest
from scipy.stats import binomtest

import cranfield as cf
from cranfield.core import InputError, ParameterError, Study
from cranfield.online import multileave, sensitivity_table
from cranfield.simulate import simulate_log
from cranfield.studies import interleaved_page, sensitivity

CONTRACT = ("a", "b", "method", "impressions", "users", "wins_a", "wins_b", "ties", "delta", "low", "high", "p")
DOCUMENTS = [f"d{number:02}" for number in range(20)]
QRELS = {"1": dict.fromkeys(DOCUMENTS[:4], 1), "2": dict.fromkeys(DOCUMENTS[2:7], 1)}
GOOD = {topic: {document: -float(place) for place, document in enumerate(DOCUMENTS)} for topic in QRELS}
BAD = {topic: {document: float(place) for place, document in enumerate(DOCUMENTS)} for topic in QRELS}


def votes(*users: tuple[str, str, str]) -> dict[str, list[Any]]:
    """A log with a page for each user: two teams, which lead in turn, and which was clicked (neither: -)."""
    columns: dict[str, list[Any]] = {
        name: [] for name in ("impression", "user", "topic", "rank", "document", "clicked", "team")
    }
    for number, (a, b, clicked) in enumerate(users):
        for rank, team in enumerate((a, b) if number % 2 else (b, a), start=1):
            row = (f"i{number}", f"u{number}", "1", rank, f"d{rank}", int(team == clicked), team)
            for name, cell in zip(columns, row, strict=True):
                columns[name].append(cell)
    return columns


def between(a: str, b: str, wins_a: int, wins_b: int, ties: int = 0) -> list[tuple[str, str, str]]:
    return [(a, b, a)] * wins_a + [(a, b, b)] * wins_b + [(a, b, "-")] * ties


def row_of(study: Study) -> dict[str, Any]:
    (row,) = study["result"].rows()
    return dict(row)


def test_a_preference_by_hand() -> None:
    """Of 20 users new wins 12, old 3: Δ of new is (12 − 3) / 40; the sign test sums 2 · C(15, 0..3) / 2¹⁵."""
    study = cf.interleave(votes(*between("new", "old", 12, 3, 5)))
    assert study["result"].columns[: len(CONTRACT)] == CONTRACT
    row = row_of(study)
    assert [row[name] for name in CONTRACT[:8]] == ["new", "old", "", 20, 20, 12, 3, 5]
    assert row["delta"] == pytest.approx(9 / 40)
    assert row["p"] == row["p_adjusted"] == pytest.approx(2 * sum(comb(15, k) for k in range(4)) / 2**15)
    assert row["p"] == pytest.approx(binomtest(3, 15).pvalue)
    assert row["low"] < row["delta"] < row["high"]
    assert study.verdict is not None
    assert (study.verdict["preferred"], study.verdict["holds"]) == ("new", True)
    assert study.verdict["holds_at_every_look"] is False  # 20 users are too few for that
    assert study.sentence.startswith(
        "Users prefer new to old: of 20, new wins with 12 users, old with 3, and 5 are for"
    )
    assert "if a single analysis was planned" in study.sentence


def test_the_order_of_names_does_not_change_who_wins() -> None:
    """The other way round delta is negative, and the words are the same."""
    study = cf.interleave(votes(*between("a", "z", 3, 12, 5)))
    assert row_of(study)["delta"] == pytest.approx(-9 / 40)
    assert study.sentence.startswith("Users prefer z to a: of 20, z wins with 12 users, a with 3,")
    # The limits of 12 wins in 15, scaled to 20 users.
    low, high = ((limit - 0.5) * 15 / 20 for limit in binomtest(12, 15).proportion_ci(0.95))
    assert f"(Δ 0.225, 95% CI [{low:.3f}, {high:.3f}], p = " in study.sentence


def test_many_users_may_be_looked_at_again_and_again() -> None:
    study = cf.interleave(votes(*between("new", "old", 400, 100)), planned=500)
    assert study.verdict is not None
    assert study.verdict["holds_at_every_look"] is True
    assert "the test may end now" in study.sentence
    assert row_of(study)["always_low"] > 0


def test_no_preference_is_no_preference() -> None:
    study = cf.interleave(votes(*between("new", "old", 5, 5)))
    assert study.verdict is not None
    assert (study.verdict["preferred"], study.verdict["holds"]) == ("neither", False)
    assert row_of(study)["p"] == 1
    assert study.sentence.startswith("No preference is shown between new and old: of 10 users,")


def test_without_clicks_there_is_no_interval() -> None:
    study = cf.interleave(votes(*between("new", "old", 0, 0, 4)))
    row = row_of(study)
    assert (row["delta"], row["low"], row["high"], row["p"]) == (0, None, None, 1)
    assert "CI" not in study.sentence


def test_users_count_not_pages() -> None:
    """One user with nine pages for a is one win, as is one with a single page for b."""
    columns = votes(*between("a", "b", 9, 1))
    columns["user"] = ["u"] * 18 + ["v"] * 2
    row = row_of(cf.interleave(columns))
    assert (row["impressions"], row["users"], row["wins_a"], row["wins_b"]) == (10, 2, 1, 1)


def test_preferences_that_go_round() -> None:
    """Paper over rock, scissors over paper, rock over scissors, each by 30 to 5."""
    pairs = [("paper", "rock"), ("rock", "scissors"), ("scissors", "paper")]
    study = cf.interleave(votes(*(vote for a, b in pairs for vote in between(a, b, 30, 5))))
    assert len(study["result"]) == 3
    (cycle,) = study["transitivity"].rows()
    assert cycle["significant"] is True
    p = binomtest(5, 35).pvalue
    assert study["result"].cells("p") == pytest.approx([p] * 3)
    assert study["result"].cells("p_adjusted") == pytest.approx([3 * p] * 3)
    assert [row["impressions"] for row in study["result"].rows()] == [35] * 3
    assert study.verdict is not None
    assert study.verdict["preferred"] == "neither"
    assert study.sentence.startswith("Users prefer one run to the other in 3 of 3 pairs (sign test, Holm).")


def test_a_run_that_wins_all_its_pairs_is_named() -> None:
    pairs = [("a", "b"), ("a", "c"), ("b", "c")]
    study = cf.interleave(votes(*(vote for one, other in pairs for vote in between(one, other, 30, 5))))
    assert study.verdict is not None
    assert study.verdict["preferred"] == "a"
    assert "; a wins and loses to none." in study.sentence
    for row in study["result"].rows():  # 30 wins of 35, in three pairs
        limits = binomtest(30, 35).proportion_ci(1 - 0.05 / 3)
        assert (row["low"], row["high"]) == pytest.approx(tuple(limit - 0.5 for limit in limits), abs=1e-9)
    assert len(study["transitivity"]) == 0


@pytest.mark.parametrize("method", ["team-draft", "balanced", "probabilistic", "optimised", "ppm"])
def test_simulated_users_prefer_the_better_run(method: str) -> None:
    page = partial(multileave, method=method, length=6, runs=("good", "bad"))
    columns = simulate_log(QRELS, {"good": GOOD, "bad": BAD}, users=150, days=3, page=page)
    study = cf.interleave(columns)
    assert study.verdict is not None
    assert study.verdict["preferred"] == "good"
    assert row_of(study)["method"] == method
    assert study.charts == ("interleaved",)
    assert study.made_by is not None
    assert [one.kind for one in study.made_by.inputs] == ["log"]


def test_excluded_rows_are_counted_and_fail_a_check() -> None:
    """One of 14 rows has no user: 7.1%. Its page lacks a rank, which does not count again."""
    columns = votes(*between("a", "b", 4, 3))
    columns["user"][0] = None
    study = cf.interleave(columns)
    assert study.verdict is not None
    assert (study.verdict["rows"], study.verdict["rows_excluded"], study.verdict["trusted"]) == (14, 1, False)
    failed = {row["check"]: row["effect"] for row in study["checks"].rows() if not row["passed"]}
    assert failed == pytest.approx({"rows excluded": 1 / 14})
    assert study.excluded.startswith("rows excluded: 1 of 14 (no user: 1")


def test_by_credit_a_user_prefers_what_she_clicked_more() -> None:
    """On two pages b has one click each, on one page a has three: by wins b, by credit a."""
    columns = votes(("a", "b", "b"), ("a", "b", "b"))
    for rank in (1, 2, 3, 4):
        row = ("i9", "u", "1", rank, f"d{rank}", int(rank < 4), "a" if rank < 4 else "b")
        for name, cell in zip(columns, row, strict=True):
            columns[name].append(cell)
    columns["user"] = ["u"] * len(columns["user"])
    assert row_of(cf.interleave(columns))["wins_b"] == 1
    assert row_of(cf.interleave(columns, by="credit"))["wins_a"] == 1


def test_sensitivity_says_how_many_impressions_it_takes() -> None:
    given: Any = {"users": 200, "length": 6, "methods": ("team-draft", "balanced"), "seed": 2}
    heard: list[tuple[int, int]] = []
    study = sensitivity(QRELS, {"good": GOOD}, {"bad": BAD}, progress=lambda *step: heard.append(step), **given)
    good, bad = (dict.fromkeys(QRELS, DOCUMENTS[::step]) for step in (1, -1))
    expected = sensitivity_table(good, bad, QRELS, **given)
    assert study["sensitivity"].cells("impressions") == expected.cells("impressions")
    assert set(study["sensitivity"].cells("better")) == {"good"}
    assert set(study["sensitivity"].cells("power")) == {0.8, 0.95}
    assert heard == [(0, 3), (1, 3)]
    (best,) = (row["impressions"] for row in expected.rows() if (row["method"], row["power"]) == ("team-draft", 0.8))
    assert f"takes {best:,} impressions, an A/B test on " in study.sentence
    assert study.sentence.startswith("To find out that good is better, with a power of 0.8, team-draft takes")


def test_more_impressions_have_more_power() -> None:
    study = sensitivity(QRELS, {"good": GOOD}, {"bad": BAD}, users=200, length=6, methods=["team-draft"])
    rows = [row for row in study["power_curve"].rows() if row["method"] == "team-draft"]
    assert [row["power"] for row in rows] == sorted(row["power"] for row in rows)  # type: ignore[type-var]
    assert [row["impressions"] for row in rows] == sorted(row["impressions"] for row in rows)  # type: ignore[type-var]


def test_equal_runs_are_never_told_apart() -> None:
    study = sensitivity(QRELS, {"x": GOOD}, {"y": GOOD}, users=50, methods=["balanced"], length=5)
    assert study.sentence == "Simulated users see no difference between these runs: no test would find one."


def test_one_page_of_two_runs() -> None:
    """Each round of team draft takes the best left of both, so of disjoint tops three come from each."""
    study = interleaved_page({"good": GOOD, "bad": BAD}, "1", length=6)
    rows = study["page"].rows()
    assert [row["rank"] for row in rows] == [1, 2, 3, 4, 5, 6]
    teams = [row["team"] for row in rows]
    assert all({teams[i], teams[i + 1]} == {"good", "bad"} for i in (0, 2, 4))
    assert [row["document"] for row in rows if row["team"] == "good"] == ["d00", "d01", "d02"]
    assert [row["document"] for row in rows if row["team"] == "bad"] == ["d19", "d18", "d17"]
    assert [row["rank_good"] for row in rows if row["team"] == "bad"] == [20, 19, 18]
    assert study.as_dict() == interleaved_page({"good": GOOD, "bad": BAD}, "1", length=6).as_dict()


def test_a_topic_that_a_run_lacks_is_refused() -> None:
    with pytest.raises(ParameterError, match="the run good has no topic 7") as caught:
        interleaved_page({"good": GOOD, "bad": BAD}, "7")
    assert caught.value.hint == "it has: 1, 2"


def test_clicks_and_ranks_are_read_by_the_rules_of_every_log() -> None:
    """Two clicks are a click, an empty cell next to 1 is none, and ranks from 0 are refused unless announced."""
    columns = votes(*between("a", "b", 12, 5, 3))
    expected = row_of(cf.interleave(columns))
    for other in (lambda clicked: 2 * clicked, lambda clicked: clicked or None):
        assert row_of(cf.interleave(columns | {"clicked": list(map(other, columns["clicked"]))})) == expected
    from_zero = columns | {"rank": [rank - 1 for rank in columns["rank"]]}
    with pytest.raises(InputError) as caught:
        cf.interleave(from_zero)
    assert caught.value.code == "E-RANKS"
    assert row_of(cf.interleave(from_zero, ranks_from=0)) == expected
