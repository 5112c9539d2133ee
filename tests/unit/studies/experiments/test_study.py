"""An experiment with users: the study, beside scipy and plain arithmetic on the rows."""

from datetime import date, timedelta
from math import sqrt
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.stats import t, ttest_ind

import cranfield as cf
from cranfield.core import CranfieldError, InputError, Study
from cranfield.online import Metric
from cranfield.studies import ab, assign_users
from tests.support.simulations.experiment_log import log_of
from tests.support.simulations.experiment_users import users

CTR = Metric("ctr", "clicks", "impressions")
BEFORE = 1_690_000_000.0  # some months before the first page of a simulated log
CONTRACT = {
    "arms": ("arm", "users", "share", "expected"),
    "checks": ("check", "p", "effect", "passed"),
    "effects": ("measure", "control", "treatment", "difference", "relative", "low", "high", "p", "p_adjusted"),
}


def rows(study: Study, table: str) -> list[dict[str, Any]]:
    return study[table].rows()


def of(data: pl.DataFrame, arm: str, column: str) -> Any:
    return data.filter(pl.col("arm") == arm)[column].cast(float).to_numpy()


def sums_of(log: list[dict[str, Any]]) -> pl.DataFrame:
    """A row for each user, by plain Python: pages, and pages with a click."""
    pages: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in log:
        pages.setdefault((row["user"], row["impression"]), []).append(row)
    found: dict[str, dict[str, Any]] = {}
    for (user, _), page in pages.items():
        one = found.setdefault(user, {"user": user, "arm": page[0]["arm"], "pages": 0, "clicked": 0, "came": 1e12})
        one["pages"] += 1
        one["clicked"] += any(row["clicked"] for row in page)
        one["came"] = min(one["came"], page[0]["time"])
    return pl.DataFrame(list(found.values()))


def test_means_are_compared_as_scipy_does() -> None:
    data = users(1000, effect=0.5)
    study = cf.ab(data, ["clicks", "bought"], control="a", correct="none")
    for row in rows(study, "effects"):
        known = ttest_ind(of(data, "b", row["measure"]), of(data, "a", row["measure"]), equal_var=False)
        ends = known.confidence_interval(0.95)
        expected = (known.pvalue, known.pvalue, ends.low, ends.high)
        assert (row["p"], row["p_adjusted"], row["low"], row["high"]) == pytest.approx(expected, rel=1e-9)
        assert row["always_low"] < row["low"] < row["high"] < row["always_high"]
    for table, columns in CONTRACT.items():
        assert study[table].columns[: len(columns)] == columns
    assert [(row["arm"], row["users"]) for row in rows(study, "arms")] == [
        (arm, len(of(data, arm, "clicks"))) for arm in ("a", "b")
    ]
    assert study.verdict is not None
    assert study.verdict["treatments"] == {"b": "better"}
    assert study.sentence.startswith("b is better than a in clicks (")
    assert study.charts == ("effects", "sample-ratio")
    assert study.made_by is not None
    assert study.made_by.measures == ("clicks", "bought")


def test_a_wrong_ratio_says_first_that_nothing_may_be_believed() -> None:
    study = ab(users(2000, effect=0.5), CTR, control="a", weights={"a": 2, "b": 1})
    assert study.sentence.startswith("Do not trust this experiment: users are not shared out as configured: ")
    assert study.sentence.endswith("Find the fault before looking at effects.")
    assert study.verdict is not None
    assert study.verdict["trusted"] is False
    leaked = ab(users(300, arms=("a", "b", "c")), CTR, control="a", weights={"a": 1, "b": 1})
    assert "are in c, which was to have none" in leaked.sentence
    assert [row["check"] for row in rows(leaked, "checks")][:2] == ["sample ratio", "leak"]
    assert {row["treatment"] for row in rows(leaked, "effects")} == {"b"}


def test_without_names_all_numbers_are_measures_and_covariates_are_none() -> None:
    before = {"clicks": "clicks_before", "ctr": "clicks_before/impressions_before"}
    plain = ab(users(400), control="a")
    assert {row["measure"] for row in rows(plain, "effects")} == {*users(2).columns} - {"user", "arm"}
    study = ab(users(4000), ["clicks", CTR], control="a", covariates=before)
    left = {row["measure"]: row["variance_left"] for row in rows(study, "effects")}
    assert max(left.values()) < 0.9
    less = ab(users(4000), control="a", covariates={"clicks": "clicks_before"})
    assert "clicks_before" not in less["effects"].cells("measure")


@pytest.mark.parametrize("kind", ["csv", "parquet", "frame"])
def test_a_log_is_summed_up_by_user(kind: str, tmp_path: Path) -> None:
    log = log_of()
    data: Any = pl.DataFrame(log)
    if kind != "frame":
        getattr(data, f"write_{kind}")(tmp_path / f"log.{kind}")
        data = tmp_path / f"log.{kind}"
    (row,) = rows(ab(data, "ctr", control="a"), "effects")
    values, errors = [], []
    for arm in "ab":
        clicked, pages = (of(sums_of(log), arm, name) for name in ("clicked", "pages"))
        ratio = clicked.sum() / pages.sum()
        left = clicked - ratio * pages  # the delta method: mean 0 over users
        values.append(ratio)
        errors.append(left.var(ddof=1) / len(left) / pages.mean() ** 2)
    assert row["value_control"] == pytest.approx(values[0], rel=1e-12)
    assert row["difference"] == pytest.approx(values[1] - values[0], rel=1e-9)
    df = sum(errors) ** 2 / sum(error**2 / 29 for error in errors)  # 30 users in each arm
    assert row["high"] - row["low"] == pytest.approx(2 * t.ppf(0.975, df) * sqrt(sum(errors)), rel=1e-9)
    assert row["measure"] == "ctr"


def test_days_of_a_log_are_those_on_which_users_came() -> None:
    log = log_of()
    study = ab(pl.DataFrame(log), "ctr", control="a", looks="many")
    looks = rows(study, "looks")
    came = sums_of(log)["came"].to_list()
    for look in looks:
        end = (look["day"] - date(1970, 1, 1) + timedelta(days=1)).total_seconds()
        assert look["users"] == sum(one < end for one in came)
    assert looks[-1]["users"] == 60
    (effect,) = rows(study, "effects")
    assert looks[-1]["difference"] == pytest.approx(effect["difference"], rel=1e-9)
    assert effect["p_adjusted"] == effect["always_p"]
    assert study.charts == ("effects", "sample-ratio", "looks")


def test_a_log_from_before_takes_out_what_it_explains() -> None:
    log, earlier = log_of(200), log_of(150, seed=8, start=BEFORE)
    study = ab(pl.DataFrame(log), "ctr", control="a", before=pl.DataFrame(earlier))
    both = sums_of(log).join(sums_of(earlier), "user", how="left", suffix="_before").fill_null(0)
    metric = Metric("ctr", "clicked", "pages", "clicked_before", "pages_before")
    (expected,) = rows(ab(both.drop("came", "came_before", "arm_before"), metric, control="a"), "effects")
    (found,) = rows(study, "effects")
    words = [name for name, cell in expected.items() if isinstance(cell, str)]
    assert [found.pop(name) for name in words] == [expected.pop(name) for name in words]
    assert found == pytest.approx(expected, rel=1e-9)
    assert found["variance_left"] < 1
    assert study.made_by is not None
    assert len(study.made_by.inputs) == 2


def test_users_seen_in_two_arms_are_excluded_and_many_of_them_are_a_fault() -> None:
    log = log_of(400)
    one = next(row for row in log if row["user"] == "u1")
    strays = [{**one, "impression": "stray", "arm": "a"}]
    study = ab(pl.DataFrame(log + strays), "ctr", control="a")
    assert study.verdict is not None
    assert study.verdict["rows_excluded"] == sum(row["user"] == "u1" for row in log) + 1
    assert "user in several arms" in study.verdict["excluded"]
    assert [row["users"] for row in rows(study, "arms")] == [200, 199]
    assert study.verdict["trusted"]
    strays = [{**one, "user": f"u{who}", "impression": f"stray {who}", "arm": "a"} for who in range(1, 9, 2)]
    assert "1.0% of the users were seen in several arms" in ab(pl.DataFrame(log + strays), "ctr", control="a").sentence


def test_one_name_for_all_pages_without_a_user_is_a_fault() -> None:
    """A quarter of the pages are those of "anonymous": one user of 400 in several arms."""
    log = log_of(400)
    pages = list(dict.fromkeys(row["impression"] for row in log))[::4]
    rows_of = [row | {"user": "anonymous"} if row["impression"] in set(pages) else row for row in log]
    study = ab(pl.DataFrame(rows_of), "ctr", control="a")
    assert study.verdict is not None
    assert study.verdict["rows_excluded"] == 3 * len(pages)
    assert study.verdict["trusted"] is False


def test_pages_without_an_arm_are_excluded() -> None:
    """A user with other pages in an arm keeps those alone: the clicks of the others count for no arm."""
    log = log_of(400)
    lost = {row["impression"] for row in log if row["impression"].endswith("-1")}
    without = [row | {"arm": None} if row["impression"] in lost else row for row in log]
    study = ab(pl.DataFrame(without), "ctr", control="a")
    assert study.verdict is not None
    assert study.verdict["rows_excluded"] == 3 * len(lost)
    assert study.verdict["trusted"] is False
    expected = ab(pl.DataFrame([row for row in log if row["impression"] not in lost]), "ctr", control="a")
    assert rows(study, "effects") == rows(expected, "effects")


def test_an_experiment_has_the_same_digits_in_every_run() -> None:
    """Sums of 1 / rank depend on the order of the rows; a user of this log has up to four pages."""
    log = pl.DataFrame(log_of(400))
    first, *others = (rows(ab(log, ["ctr", "click_reciprocal_rank"], control="a"), "effects") for _ in range(6))
    assert all(other == first for other in others)


def test_a_wrong_split_names_the_arms_that_are_one() -> None:
    log = [
        row | {"arm": "B" if row["arm"] == "b" and int(row["user"][1:]) % 4 == 1 else row["arm"]} for row in log_of(400)
    ]
    sentence = ab(pl.DataFrame(log), "ctr", control="a").sentence
    assert "'B'" in sentence
    assert "'b'" in sentence


def test_pages_without_some_rows_are_a_fault() -> None:
    """Of each third page of arm b the second document is lost."""
    log = log_of(400)
    pages = set(list(dict.fromkeys(row["impression"] for row in log if row["arm"] == "b"))[::3])
    study = ab(pl.DataFrame([row for row in log if row["impression"] not in pages or row["rank"] != 2]), "ctr")
    failed = {row["check"] for row in rows(study, "checks") if not row["passed"]}
    assert failed == {"ranks without gaps", "ranks without gaps by arm"}


def test_a_log_without_users_says_what_stands_for_them() -> None:
    log = pl.DataFrame(log_of()).drop("user", "time")
    study = ab(log, "ctr", control="a")
    assert study["arms"].notes == (
        "the log knows no users: impressions are taken to be independent",
        "without users it cannot be checked whether the arms have the configured shares of the users",
    )
    assert "looks" not in study.tables


def test_pages_without_users_have_no_sample_ratio() -> None:
    """One user of arm a has 800 of 1,400 pages: 57% of the pages, though a sample ratio of users would be even."""
    pages = [("a", 800), *[("a", 1)] * 100, *[("b", 1)] * 500]
    log = [
        {
            "impression": f"{i}-{page}",
            "arm": arm,
            "time": BEFORE + i,
            "topic": "q",
            "rank": rank,
            "document": f"d{rank}",
        }
        | {"clicked": (i + page) % 3 == 0 and rank == 1}
        for i, (arm, count) in enumerate(pages)
        for page in range(count)
        for rank in (1, 2)
    ]
    study = ab(pl.DataFrame(log), "clicks", weights={"a": 1, "b": 1})
    assert study.verdict is not None
    assert study.verdict["trusted"]
    assert "sample ratio" not in [row["check"] for row in rows(study, "checks")]
    assert {row["ratio_p"] for row in rows(study, "looks")} == {None}
    assert "sample-ratio" not in study.charts
    leaked = ab(
        pl.DataFrame([*log, *(row | {"impression": f"c{row['impression']}", "arm": "c"} for row in log)]),
        "clicks",
        weights={"a": 1, "b": 1},
    )
    assert [row["check"] for row in rows(leaked, "checks") if not row["passed"]] == ["leak"]


def test_a_measure_has_no_look_before_the_first_click() -> None:
    """On the first day four users see a page each, and none clicks: there is no rank of a click yet."""
    log = log_of()
    first = [
        row | {"user": f"first {who}", "impression": f"first {who}", "arm": arm, "clicked": False, "time": BEFORE}
        for who, arm in enumerate("aabb")
        for row in log[:3]
    ]
    study = ab(pl.DataFrame([*first, *log]), ["ctr", "click_rank"], control="a")
    days = {
        name: [row["day"] for row in rows(study, "looks") if row["measure"] == name] for name in ("ctr", "click_rank")
    }
    assert days["ctr"][1:] == days["click_rank"]
    assert len(days["ctr"]) == len({row["time"] // 86_400 for row in log}) + 1


@pytest.mark.parametrize(
    ("column", "cell", "reason"),
    [("clicked", None, "neither clicked nor not"), ("user", None, "no user"), ("arm", None, "no arm")],
)
def test_an_arm_that_is_excluded_is_named_in_the_error(column: str, cell: Any, reason: str) -> None:
    log = [row | ({column: cell} if row["arm"] == "b" else {}) for row in log_of()]
    lost = sum(row["arm"] == "b" for row in log_of())
    with pytest.raises(CranfieldError, match="there is no treatment to compare") as caught:
        ab(pl.DataFrame(log), "ctr")
    assert caught.value.hint.startswith(f"rows excluded: {lost} of {len(log)} ({reason}: {lost}")


def test_users_who_are_all_in_several_arms_are_named_in_the_error() -> None:
    log = [row | {"arm": "ab"[row["rank"] % 2], "impression": f"{row['impression']}-{row['rank']}"} for row in log_of()]
    with pytest.raises(CranfieldError, match="no user is in an arm") as caught:
        ab(pl.DataFrame(log), "ctr")
    assert f"user in several arms: {len(log)}" in caught.value.hint


def test_clicks_before_their_pages_are_named_in_the_error() -> None:
    log = [row | {"click_time": row["time"] - 7200 if row["clicked"] else None} for row in log_of()]
    clicks = sum(row["clicked"] for row in log)
    with pytest.raises(CranfieldError, match="click_rank cannot be computed") as caught:
        ab(pl.DataFrame(log), "click_rank")
    assert f"clicked before the page was shown: {clicks}" in caught.value.hint


def test_a_measure_is_no_covariate_of_itself() -> None:
    with pytest.raises(CranfieldError, match="clicks has its own column clicks as a covariate"):
        ab(users(50), "clicks", covariates={"clicks": "clicks"})
    with pytest.raises(CranfieldError, match="ctr has its own column impressions as a covariate"):
        ab(users(50), CTR, covariates={"ctr": "clicks_before/impressions"})


@pytest.mark.parametrize("value", [0, 1])
def test_a_column_with_one_value_in_an_arm_is_a_fault(value: int) -> None:
    """About 120 of 400 users of each arm bought something: 0 or 1 for a whole arm is no behaviour."""
    data = users(800).with_columns(
        bought=pl.when(pl.col("arm") == "b").then(value).otherwise(pl.col("bought").cast(int))
    )
    study = ab(data, ["bought", "clicks"])
    assert [row["check"] for row in rows(study, "checks") if not row["passed"]] == ["values of every arm"]
    assert f"bought is {value} for all " in study.sentence


def test_the_oec_is_a_sum_of_standardised_measures_and_decides() -> None:
    data = users(600, effect=0.4).with_columns(wait=pl.Series(np.random.default_rng(5).normal(size=600)))
    study = ab(data, [CTR, "wait"], control="a", lower=["wait"], oec="0.75*ctr - 0.25*wait")
    data = data.with_columns(ctr=pl.col("clicks") / pl.col("impressions"))
    scales = {name: (mean(of(data, "a", name)), stdev(of(data, "a", name))) for name in ("ctr", "wait")}
    total = {
        arm: sum(
            weight * (of(data, arm, name) - scales[name][0]) / scales[name][1]
            for name, weight in (("ctr", 0.75), ("wait", -0.25))
        )
        for arm in "ab"
    }
    known = ttest_ind(total["b"], total["a"], equal_var=False)
    effect = rows(study, "effects")[-1]
    assert effect["measure"] == "OEC"
    assert effect["difference"] == pytest.approx(total["b"].mean() - total["a"].mean(), rel=1e-9)
    assert effect["p"] == pytest.approx(known.pvalue, rel=1e-9)
    assert effect["relative"] is None
    assert sum(row["contribution"] for row in rows(study, "oec")) == pytest.approx(effect["difference"], rel=1e-9)
    assert study.verdict is not None
    assert study.verdict["treatments"] == {"b": "better"}


def test_a_user_without_a_value_counts_as_the_mean_in_the_oec() -> None:
    data = {"arm": ["a", "a", "a", "b", "b", "b"], "y": [1, 3, 0, 4, 2, 0], "x": [1, 1, 0, 1, 1, 0]}
    study = ab(data, Metric("m", "y", "x"), control="a", oec="m")
    (row,) = rows(study, "oec")
    # The control has 1 and 3: mean 2, deviation √2; the treatment 4 and 2, and 0 for the third user.
    assert (row["control"], row["treatment"]) == (2, 3)
    assert row["standardised"] == pytest.approx(1 / sqrt(2))
    assert row["contribution"] == pytest.approx((2 / sqrt(2)) / 3)


def test_what_else_can_be_asked() -> None:
    steps: list[tuple[int, int]] = []
    data = users(600).with_columns(day=pl.Series(np.arange(600) // 60))
    study = ab(
        data,
        ["clicks", CTR],
        control="a",
        aa=20,
        relative=[0.1],
        users_per_day=60,
        ranked=True,
        draws=50,
        progress=lambda done, total: steps.append((done, total)),
    )
    assert list(study.tables) == ["arms", "checks", "aa", "plan", "ranked", "looks", "effects"]
    assert {"A/A of clicks", "A/A of ctr"} <= {row["check"] for row in rows(study, "checks")}
    assert {row["test"] for row in rows(study, "ranked")} == {"mann-whitney", "bootstrap"}
    for row in rows(study, "plan"):
        assert row["days"] == -(-row["users"] // 60)
    assert [row["day"] for row in rows(study, "looks")[:3]] == [0, 1, 2]
    assert steps == [(step, 6) for step in range(1, 7)]
    assert all(table.made_by == study.made_by for table in study.tables.values())


@pytest.mark.parametrize(
    ("arms", "weights", "expected"),
    [
        (("x", "Control"), None, "Control"),
        (("b", "a"), None, "a"),
        (("new", "last"), {"new": 1, "last": 1}, "new"),
        (("y", "x"), None, "x"),
    ],
)
def test_the_control_is_found_by_its_name(arms: tuple[str, str], weights: Any, expected: str) -> None:
    study = ab(users(200, arms=arms), "clicks", weights=weights)
    assert study.verdict is not None
    assert study.verdict["control"] == expected
    assert study["arms"].notes == (f"the control is {expected}; --control names another",)


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        ({"control": "z"}, "no user is in an arm 'z'"),
        ({"weights": {"p": 1, "q": 1}}, "no user is in an arm 'p'"),
        ({"control": "a", "weights": {"b": 1}}, "the control a has no weight"),
        ({"measures": "speed"}, "there is no column 'speed'"),
        ({"lower": ["speed"]}, "there is no measure 'speed'"),
        ({"covariates": {"clicks": "/"}}, "'/' cannot be read as columns of clicks"),
        ({"before": {"x": [1]}}, "a log from before needs a log of the experiment"),
        ({"oec": "clicks + speed"}, "there is no measure speed"),
        ({"measures": [Metric("oec", "clicks")], "oec": "oec"}, "a measure is called OEC already"),
        ({"level": 2}, "the level cannot be 2"),
        ({"looks": "often"}, "looks cannot be 'often'"),
        ({"columns": {"arm": "side"}}, "users: there is no column side"),
    ],
)
def test_what_cannot_be_asked(asked: dict[str, Any], problem: str) -> None:
    with pytest.raises(CranfieldError) as caught:
        ab(users(50), **asked)
    assert caught.value.problem.startswith(problem)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ({"arm": [], "x": []}, "users: there are no users"),
        ({"arm": ["a", "b"], "x": ["p", "q"]}, "users: no column holds numbers"),
        ({"arm": ["a", "a", "b", None], "x": [1, 2, 3, 4]}, "arm 'b' has fewer than 2 users"),
        ({"arm": ["a", "a", "b", "b"], "x": [1, 2, 3, None]}, "1 user has no number in x, or one beyond 1e+50"),
        ({"arm": ["a", "a", "b", "b"], "x": [1, 2, 3, 1e51]}, "1 user has no number in x, or one beyond 1e+50"),
        ({"arm": ["a", "b", "b", "a"], "user": [1, 1, 2, 3], "x": [1, 2, 3, 4]}, "user 1 is in several arms"),
        (
            {"arm": ["a", "b", "b", "a"], "user": ["u", "u", "v", "v"], "x": [1, 2, 3, 4]},
            "2 users are in several arms, such as u",
        ),
        ({"arm": ["a", "a", "b", "b"], "user": [1, 1, 2, 3], "x": [1, 2, 3, 4]}, "4 rows hold 3 users"),
        ({"arm": ["a", "a"], "x": [1, 2]}, "there is no treatment to compare"),
        ({"arm": ["a", "a", "b"], "x": [1, 2, 3]}, "arm 'b' has fewer than 2 users"),
    ],
)
def test_what_is_no_experiment(data: Any, problem: str) -> None:
    with pytest.raises(CranfieldError) as caught:
        ab(data)
    assert caught.value.problem == problem
    assert caught.value.hint


def test_one_arm_is_named() -> None:
    with pytest.raises(CranfieldError) as caught:
        ab({"arm": ["a", "a"], "x": [1, 2]})
    assert caught.value.hint == "all users are in the arm a; an experiment has two or more"


def test_a_column_with_a_word_in_it_is_not_passed_over() -> None:
    some = {"arm": ["a", "a", "b", "b"], "x": ["1", "2", "many", "4"], "y": [1, 2, 3, 5], "land": ["p", "q", "p", "q"]}
    study = ab(some)
    assert study["effects"].cells("measure") == ["y"]
    assert "x is not compared: 1 of 4 cells are no number" in study["arms"].notes
    assert not [note for note in study["arms"].notes if "land" in note]  # words are what it is for
    for asked, hint in (("x", "1 of 4 cells are no number: "), ("land", "no cell is a number: ")):
        with pytest.raises(CranfieldError, match=f"users: {asked} holds words") as caught:
            ab(some, asked)
        assert caught.value.hint.startswith(hint)


def test_a_log_knows_its_own_directions_and_an_aa_test_needs_names() -> None:
    log = pl.DataFrame(log_of())
    with pytest.raises(CranfieldError, match="a log has no columns for covariates or directions"):
        ab(log, lower=["ctr"])
    with pytest.raises(CranfieldError, match="needs the column arm"):
        ab(log.drop("arm"))
    with pytest.raises(CranfieldError, match="an A/A test shares out users by name"):
        ab(users(50).drop("user"), "clicks", aa=5)


def test_who_is_in_which_arm() -> None:
    names = [f"u{i}" for i in range(400)]
    first = assign_users(names[:200], "ranker", weights={"old": 1, "new": 1})
    again = assign_users(names, "ranker", weights={"old": 1, "new": 1})
    assert rows(again, "assignment")[:200] == rows(first, "assignment")
    drawn = assign_users(names[:200], "ranker", how="random")
    more = assign_users(names[100:], "ranker", how="random", stored=drawn["assignment"])
    assert rows(more, "assignment")[:200] == rows(drawn, "assignment")
    assert {row["arm"] for row in rows(more, "assignment")} == {"control", "treatment"}


def test_the_shares_of_cookie_cats_are_odd(shared_data: Path) -> None:
    study = ab(shared_data / "ab-cookiecats" / "cookie_cats.csv.gz", cap=0.999)
    assert [row["users"] for row in rows(study, "arms")] == [44_700, 45_489]
    assert rows(study, "checks")[0]["p"] == pytest.approx(0.0086, abs=0.00005)
    odd = "The shares of users are odd: gate_30 has 49.56 % of them where 50.00 % was to be, p = 0.0086."
    assert study.sentence.endswith(odd)
    assert study.verdict is not None
    assert study.verdict["treatments"] == {"gate_40": "worse"}


def test_a_ratio_that_is_the_same_for_every_user_has_no_variance() -> None:
    """Every page has a click: the terms of the delta method cancel, and rounding left −1e−17 under a root."""
    pages = [3, 2, 5, 2, 8, 8, 8, 7, 4, 2, 8, 1, 7, 7, 1, 8, 5, 4, 2, 6]
    data = pl.DataFrame({"arm": ["a", "b"] * 10, "clicks": pages, "impressions": pages})
    (row,) = rows(ab(data, CTR), "effects")
    assert (row["difference"], row["p"], row["low"]) == (0, 1, None)


def test_arms_whose_names_differ_only_by_case_are_two_arms() -> None:
    log = pl.DataFrame(log_of(arms="ab"))
    renamed = log.with_columns(pl.col("arm").replace({"a": "new", "b": "New"}))
    expected, found = (
        {row["measure"]: row["difference"] for row in rows(ab(data, control=control, oec="ctr + clicks"), "effects")}
        for data, control in ((log, "b"), (renamed, "New"))
    )
    assert found == pytest.approx(expected)


def test_messages_name_measures_and_not_columns_of_ours() -> None:
    """No user of arm b clicks, so that there is no first click to take the rank of."""
    log = pl.DataFrame(log_of()).with_columns(pl.col("clicked") & (pl.col("arm") == "a"))
    with pytest.raises(CranfieldError, match="click_rank cannot be computed in arm 'b'") as error:
        ab(log, ["ctr", "click_rank"])
    assert not any(word in str(error.value) for word in ("counted_", "amount_"))


def test_excluded_rows_stand_in_the_verdict_and_fail_a_check() -> None:
    """12 of 400 users (3%) have no arm: they are not compared, and so many are too many."""
    data = users(400).with_columns(arm=pl.when(pl.int_range(pl.len()) >= 12).then(pl.col("arm")))
    study = ab(data, "clicks")
    assert study.verdict is not None
    assert (study.verdict["rows"], study.verdict["rows_excluded"], study.verdict["trusted"]) == (400, 12, False)
    assert sum(row["users"] for row in rows(study, "arms")) == 388
    assert [row["check"] for row in rows(study, "checks") if not row["passed"]] == ["rows excluded"]
    assert study.sentence == "Do not trust this experiment: 3.0% of the rows are excluded."


def test_clicks_and_ranks_are_read_by_the_rules_of_every_log() -> None:
    """Two clicks are a click, an empty cell next to 1 is none, and ranks from 0 are refused unless announced."""

    def changes(study: Study) -> Any:
        return pytest.approx([row["difference"] for row in rows(study, "effects")])

    log = pl.DataFrame(log_of()).with_columns(pl.col("clicked").cast(int))
    expected = [row["difference"] for row in rows(ab(log), "effects")]
    twice = log.with_columns(
        clicked=pl.when(pl.col("arm") == "b").then(2 * pl.col("clicked")).otherwise(pl.col("clicked"))
    )
    empty = log.with_columns(pl.when(pl.col("clicked") == 1).then(1).alias("clicked"))
    for other in (twice, empty):
        assert changes(ab(other)) == expected
    from_zero = log.with_columns(pl.col("rank") - 1)
    with pytest.raises(InputError) as caught:
        ab(from_zero)
    assert caught.value.code == "E-RANKS"
    assert changes(ab(from_zero, ranks_from=0)) == expected
