"""Public against private topics: ranks under conditions, shake-up, and gains that vanish."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from cranfield.core import Direction, ParameterError, Provenance, Table
from cranfield.data import Entries, Given, Values, read_entries, read_scores
from cranfield.stats import (
    Asked,
    Condition,
    condition_ranks_table,
    conditions_table,
    kendall_tau,
    moves_table,
    overfitting_table,
    private_sentence,
    rank_stability,
    rbo,
    shakeup_table,
    tau_ap,
)
from cranfield.stats.private_topics.overfitting import Welch
from tests.support.run_size import SIZE

NAN = float("nan")
ME = Provenance(command="me")


def scores(runs: dict[str, Any], *, lower: bool = False) -> Values:
    """Values of runs; NaN where a topic does not count for a run."""
    there = {run: np.nan_to_num(np.asarray(column, dtype=float)) for run, column in runs.items()}
    counted = np.array([~np.isnan(np.asarray(column, dtype=float)) for column in runs.values()])
    measure = Given("m", direction=Direction.LOWER if lower else Direction.HIGHER)
    return replace(read_scores(there), measures=(measure,), counted=counted)


def condition(name: str, values: Values, *, private: bool) -> Condition:
    return Condition(name=name, private=private, labels="own", values=values, measure="m")


PUBLIC = {"x": [0.9, 0.8, 0.7], "y": [0.6, 0.6, 0.6], "z": [0.6, 0.5, 0.7], "w": [0.1, 0.0, 0.2]}
PRIVATE = {"w": [0.3, 0.4], "x": [0.2, 0.3], "y": [0.9, 0.8], "z": [0.1, 0.0]}


def test_conditions_rank_runs_and_draw_topics_again() -> None:
    seen: list[tuple[int, int]] = []
    both = [condition("public", scores(PUBLIC), private=False), condition("private", scores(PRIVATE), private=True)]
    table = conditions_table(both, draws=500, seed=3, level=0.1, progress=lambda *p: seen.append(p), made_by=ME)
    columns = "condition private labels measure topics run mean rank rank_mean rank_low rank_high p_first"
    assert table.columns == tuple(columns.split())
    rows = table.rows()
    assert [(row["run"], row["rank"]) for row in rows] == [
        *(("x", 1), ("y", 2), ("z", 2), ("w", 4)),  # y and z have the same mean, .6
        *(("y", 1), ("w", 2), ("x", 3), ("z", 4)),
    ]
    assert [(row["condition"], row["private"], row["topics"]) for row in rows[::4]] == [
        ("public", False, 3),
        ("private", True, 2),
    ]
    for at, data in ((0, PUBLIC), (4, PRIVATE)):
        drawn = rank_stability(np.array(list(data.values())).T, draws=500, seed=3)
        low, high = drawn.interval(0.1)
        for row in rows[at : at + 4]:
            i = list(data).index(str(row["run"]))
            assert row["mean"] == pytest.approx(np.mean(data[str(row["run"])]), abs=1e-15)
            assert (row["rank_mean"], row["p_first"]) == (drawn.mean_rank[i], drawn.p_first[i])
            assert (row["rank_low"], row["rank_high"]) == (low[i], high[i])
    assert seen[-1][0] == seen[-1][1]
    assert all(done <= total for done, total in seen)
    assert table.made_by == ME


def test_shares_of_ranks_under_each_condition() -> None:
    one = condition("public", scores(PUBLIC), private=False)
    table = condition_ranks_table([one], draws=500, seed=3, made_by=ME)
    share = rank_stability(np.array(list(PUBLIC.values())).T, draws=500, seed=3).share
    found = np.zeros((4, 4))
    for row in table.rows():
        assert row["condition"] == "public"
        found[list(PUBLIC).index(str(row["run"])), int(str(row["rank"])) - 1] = float(str(row["share"]))
    np.testing.assert_array_equal(found, share)
    assert min(float(str(cell)) for cell in table.cells("share")) > 0
    other = condition_ranks_table([condition("private", scores(PRIVATE), private=True)], draws=500, seed=3)
    assert list(dict.fromkeys(other.cells("run"))) == ["y", "w", "x", "z"]  # means .85, .35, .25, .05: as on a board
    assert one.stability(500, 3) is one.stability(500, 3)  # drawn once
    assert one.stability(500, 4) is not one.stability(500, 3)
    assert len(condition_ranks_table([])) == 0


def test_less_may_be_better() -> None:
    one = condition("public", scores({"a": [3, 4], "b": [1, 2], "c": [9, 9]}, lower=True), private=False)
    rows = conditions_table([one], draws=100).rows()
    assert [(row["run"], row["mean"], row["rank"], row["p_first"]) for row in rows] == [
        ("b", 1.5, 1, 1.0),
        ("a", 3.5, 2, 0.0),
        ("c", 9.0, 3, 0.0),
    ]
    with pytest.raises(ParameterError, match="the level cannot be 0"):
        conditions_table([one], level=0)


ENTRIES = read_entries({"run": ["x", "y", "z"], "group": ["A", "B", "A"]})


def test_moves_are_sorted_by_how_far() -> None:
    table = moves_table(scores(PUBLIC), scores(PRIVATE), "m", ENTRIES, made_by=ME)
    assert table.columns == ("run", "group", "public_rank", "private_rank", "move", "public", "private")
    rows = [tuple(row.values())[:5] for row in table.rows()]
    assert rows == [("x", "A", 1, 3, -2), ("z", "A", 2, 4, -2), ("w", None, 4, 2, 2), ("y", "B", 2, 1, 1)]
    np.testing.assert_allclose(table["public"], [0.8, 0.6, 0.1, 0.6], atol=1e-15)  # type: ignore[arg-type]
    np.testing.assert_allclose(table["private"], [0.25, 0.05, 0.35, 0.85], atol=1e-15)  # type: ignore[arg-type]
    assert (table.notes, table.made_by) == ((), ME)


def test_runs_of_one_side_do_not_move() -> None:
    private = {"y": [0.9, 0.8], "x": [0.2, 0.3], "new": [1.0, 1.0], "z": [NAN, NAN]}
    table = moves_table(scores(PUBLIC), scores(private), "m", ENTRIES)
    rows = [tuple(row.values())[:5] for row in table.rows()]
    assert rows == [("x", "A", 1, 2, -1), ("y", "B", 2, 1, 1)]
    assert table.notes == ("2 runs have only public or only private topics: left out",)
    alone = moves_table(scores({"x": [1.0]}), scores({"y": [1.0], "x": [1.0]}), "m", ENTRIES)
    assert alone.notes == ("1 run has only public or only private topics: left out",)


def test_the_order_is_shaken_up() -> None:
    others = [
        condition("hidden", scores(PRIVATE), private=True),
        condition("same", scores(PUBLIC), private=False),
        condition("apart", scores({"q": [1.0, 0.0]}), private=True),
    ]
    conditions = [others[0], condition("board", scores(PUBLIC), private=False), *others[1:]]
    table = shakeup_table(conditions, made_by=ME)
    assert table.columns == ("condition", "with", "tau", "tau_ap", "rbo", "moved_most", "by")
    hidden, same, apart = table.rows()
    public, private = [0.8, 0.6, 0.6, 0.1], [0.25, 0.85, 0.05, 0.35]  # x, y, z, w
    assert (hidden["condition"], hidden["with"]) == ("board", "hidden")
    assert hidden["tau"] == pytest.approx(stats.kendalltau(public, private).statistic, abs=1e-12)
    assert hidden["tau"] == pytest.approx(float(kendall_tau(public, private)), abs=1e-12)
    assert hidden["tau_ap"] == pytest.approx(float(tau_ap(public, private)), abs=1e-12)
    assert hidden["rbo"] == pytest.approx(float(rbo(public, private)), abs=1e-12)
    assert (hidden["moved_most"], hidden["by"]) == ("x", -2)  # z and w went as far; x was the highest
    assert [same[name] for name in ("with", "moved_most", "by")] == ["same", None, 0]
    assert same["tau"] == pytest.approx(1.0, abs=1e-12)
    assert list(apart.values()) == ["board", "apart", None, None, None, None, None]  # no run is in both
    assert len(shakeup_table(others[:1])) == 0  # nothing is public
    assert table.made_by == ME


@pytest.mark.parametrize("sizes", [(40, 5), (7, 200), (2, 2)])
def test_welch_is_scipys(sizes: tuple[int, int]) -> None:
    rng = np.random.default_rng(8)
    x, y = (rng.normal(0.2, spread, size=(6, n)) for spread, n in zip((1.0, 3.0), sizes, strict=True))
    x[2, : sizes[0] - 2] = NAN
    found = Welch.of(x, y, 0.1)
    for i in range(6):
        first = x[i][~np.isnan(x[i])]
        peer = stats.ttest_ind(first, y[i], equal_var=False, alternative="greater")
        assert found.p[i] == pytest.approx(peer.pvalue, rel=1e-9)
        two = stats.ttest_ind(first, y[i], equal_var=False).confidence_interval(1 - 2 * 0.1)
        assert (found.low[i], found.high[i]) == pytest.approx((two.low, two.high), rel=1e-9)
        assert found.difference[i] == pytest.approx(first.mean() - y[i].mean(), rel=1e-12)


def test_welch_where_there_is_no_spread() -> None:
    first = np.array([[0.0, 0.0], [0.5, 0.5], [0.1, 0.1], [0.3, NAN], [0.3, 0.4]])
    second = np.array([[0.0, 0.0, 0.0], [0.2, 0.2, 0.2], [0.2, 0.2, 0.2], [0.1, 0.2, 0.3], [NAN, NAN, NAN]])
    found = Welch.of(first, second, 0.05)
    np.testing.assert_array_equal(found.p, [1.0, 0.0, 1.0, NAN, NAN])
    np.testing.assert_allclose(found.difference[:3], [0.0, 0.3, -0.1], atol=1e-15)
    np.testing.assert_array_equal(found.low[:3], found.difference[:3])
    assert np.isnan(found.low[3:]).all()


def team(runs: dict[str, str], dates: dict[str, str] | None = None, baselines: tuple[str, ...] = ()) -> Entries:
    given = {"run": list(runs), "group": list(runs.values()), "date": [(dates or {}).get(run) for run in runs]}
    return read_entries(given).with_baselines(baselines)


def test_gains_by_hand() -> None:
    public = scores({"a1": [0.1, 0.2, 0.3, 0.4], "a2": [0.3, 0.5, 0.4, 0.6], "b1": [0.5] * 4, "b2": [0.4] * 4})
    private = scores({"a1": [0.5, 0.4, 0.3], "a2": [0.5, 0.5, 0.2], "b1": [0.1] * 3, "b2": [0.2] * 3})
    table = overfitting_table(public, private, "m", team({"a1": "A", "a2": "A", "b1": "B", "b2": "B"}), made_by=ME)
    columns = "group runs a b public_gain private_gain difference low high p p_adjusted warning"
    assert table.columns == tuple(columns.split())
    a, b = table.rows()
    assert (a["group"], a["runs"], a["a"], a["b"]) == ("A", 2, "a1", "a2")
    assert a["public_gain"] == pytest.approx((0.2 + 0.3 + 0.1 + 0.2) / 4, abs=1e-12)
    assert a["private_gain"] == pytest.approx((0.0 + 0.1 - 0.1) / 3, abs=1e-12)
    peer = stats.ttest_ind([0.2, 0.3, 0.1, 0.2], [0.0, 0.1, -0.1], equal_var=False, alternative="greater")
    assert a["p"] == pytest.approx(peer.pvalue, rel=1e-9)
    assert a["p_adjusted"] == pytest.approx(2 * peer.pvalue, rel=1e-9)  # b2, too, was there to be chosen
    assert a["warning"] == (2 * peer.pvalue <= 0.05)
    assert tuple(b.values()) == ("B", 2, "b1", "b1", 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, False)
    assert table.notes == (
        "2 groups have runs without a date: the first run is the first of the table",
        "1 group has nothing to lose: the first run is the best",
    )
    assert table.made_by == ME


def test_first_is_by_date_or_else_by_the_table() -> None:
    runs = {"s1": "S", "s2": "S", "s3": "S"}
    public = scores({"s1": [0.5, 0.6, 0.5], "s2": [0.1, 0.2, 0.0], "s3": [0.9, 0.7, 0.8]})
    dates = {"s1": "2020-03-01", "s2": "2020-01-01", "s3": "2020-02-01"}
    (row,) = overfitting_table(public, public, "m", team(runs, dates)).rows()
    assert (row["a"], row["b"], row["runs"]) == ("s2", "s3", 3)
    (row,) = overfitting_table(public, public, "m", team(runs, {**dates, "s3": ""})).rows()
    assert (row["a"], row["b"]) == ("s1", "s3")
    (row,) = overfitting_table(public, public, "m", team(runs, dates, baselines=("s2",))).rows()
    assert (row["a"], row["b"], row["runs"]) == ("s3", "s3", 2)
    assert (row["difference"], row["warning"]) == (0.0, False)


def test_groups_with_one_run_and_runs_of_one_side_are_left_out() -> None:
    public = scores({"a": [0.5, 0.6], "b": [0.1, 0.2], "c": [0.9, 0.7], "d": [NAN, NAN]})
    private = scores({"a": [0.5, 0.6], "b": [0.1, 0.2], "d": [0.1, 0.2]})
    entries = team({"a": "A", "b": "B", "c": "A", "d": "B"})
    table = overfitting_table(public, private, "m", entries)
    assert len(table) == 0
    assert table.columns[-1] == "warning"
    assert table.notes == (
        "no group has two runs",
        "1 run has only public or only private topics: left out",
    )


def test_one_private_topic_has_no_p() -> None:
    public, private = scores({"a": [0.1, 0.2, 0.4], "b": [0.5, 0.4, 0.9]}), scores({"a": [0.1], "b": [0.3]})
    table = overfitting_table(public, private, "m", team({"a": "A", "b": "A"}))
    (row,) = table.rows()
    assert (row["p"], row["p_adjusted"], row["warning"], row["low"]) == (None, None, None, None)
    assert table.notes == (
        "1 group has runs without a date: the first run is the first of the table",
        "one topic has no spread: a side with fewer than two has no p",
    )
    assert "no group's gains could be looked at" in private_sentence(*tables(public, private), table)


def test_gains_where_less_is_better_are_above_0() -> None:
    public = scores({"a": [9, 8, 9, 7], "b": [2, 3, 2, 2]}, lower=True)
    private = scores({"a": [9, 8, 9, 8], "b": [9, 7, 9, 9]}, lower=True)
    (row,) = overfitting_table(public, private, "m", team({"a": "A", "b": "A"})).rows()
    assert (row["a"], row["b"], row["public_gain"], row["private_gain"]) == ("a", "b", 6.0, 0.0)
    peer = stats.ttest_ind([7, 5, 7, 5], [0, 1, 0, -1], equal_var=False, alternative="greater")
    assert row["p"] == pytest.approx(peer.pvalue, rel=1e-9)
    assert row["warning"] is True


def test_a_loss_that_chance_may_do_is_said_and_not_warned_of() -> None:
    rng = np.random.default_rng(2)
    public = rng.normal([0.0, 0.1], 0.3, size=(2000, 2))
    private = np.array([[0.2, 0.1], [0.5, 0.9], [0.9, 0.1]])  # gains −.1, .4, −.8: −1/6 in the mean
    first, second = (scores({"a": side[:, 0], "b": side[:, 1]}) for side in (public, private))
    dates = {"a": "2020-01-01", "b": "2020-01-02"}
    table = overfitting_table(first, second, "m", team({"a": "A", "b": "A"}, dates))
    (row,) = table.rows()
    assert row["private_gain"] == pytest.approx(-1 / 6, abs=1e-12)
    assert row["warning"] is False
    peer = stats.ttest_ind(
        public[:, 1] - public[:, 0], private[:, 1] - private[:, 0], equal_var=False, alternative="greater"
    )
    assert table.notes == (
        "A gains significantly on public topics and loses on private ones, "
        f"which chance may do (p = {peer.pvalue:.2g})",
    )


def test_the_family_is_all_that_groups_chose_from() -> None:
    rng = np.random.default_rng(4)
    names = {run: run[0] for run in "A1 A2 A3 B1 B2 C1 C2 C3".split()}
    means = dict(zip(names, (0.0, 0.5, 0.3, 0.0, 0.2, 0.1, 0.0, 0.05), strict=True))  # on public topics, exactly
    public = {run: mean + stats.zscore(rng.normal(size=60)) / 2 for run, mean in means.items()}
    private = {run: rng.normal(0.0, 0.5, 30) for run in names}
    raw = {}
    for run, group in names.items():
        if not run.endswith("1"):
            gains = [side[run] - side[f"{group}1"] for side in (public, private)]
            raw[run] = float(stats.ttest_ind(*gains, equal_var=False, alternative="greater").pvalue)
    reached, adjusted = 0.0, {}
    for place, run in enumerate(sorted(raw, key=raw.__getitem__)):
        reached = max(reached, min(1.0, (len(raw) - place) * raw[run]))  # Holm: five tests
        adjusted[run] = reached
    table = overfitting_table(scores(public), scores(private), "m", team(names), asked=Asked(level=0.2))
    rows = {str(row["group"]): row for row in table.rows()}
    assert [row["b"] for row in rows.values()] == [*sorted(["A2", "B2"], key=raw.__getitem__), "C1"]
    for group, run in (("A", "A2"), ("B", "B2")):
        assert rows[group]["p"] == pytest.approx(raw[run], rel=1e-9)
        assert rows[group]["p_adjusted"] == pytest.approx(adjusted[run], rel=1e-9)
        assert rows[group]["warning"] == (adjusted[run] <= 0.2)
    assert (rows["C"]["p"], rows["C"]["p_adjusted"], rows["C"]["warning"]) == (1.0, 1.0, False)


def simulated(rng: np.random.Generator, *, fitted: float, runs: int) -> tuple[Values, Values, Entries]:
    """A board of five groups whose second half improves everywhere, and one that fits noise to public topics."""
    public, private, group = {}, {}, {}
    for who in "ABCDEX":
        for i in range(runs):
            true = 0.1 * i if who < "D" else 0.0
            run = f"{who}{i}"
            group[run] = who
            public[run] = rng.normal(true + (fitted * i if who == "X" else 0.0), 1.0, 400)
            private[run] = rng.normal(true, 1.0, 100)
    return scores(public), scores(private), team(group)


@pytest.mark.parametrize("runs", [2, 4])
def test_groups_that_fit_public_topics_are_warned_of_and_others_are_not(runs: int) -> None:
    rng = np.random.default_rng(17)
    boards, found, wrong = min(SIZE.draws, 2000), 0, 0
    for _ in range(boards):
        warned = {row["group"] for row in overfitting_table(*_asked(rng, 0.6, runs)).rows() if row["warning"]}
        found += "X" in warned
        wrong += bool(warned - {"X"})
    # Welch's t has a mean of .6 (runs − 1) / √(2 / 400 + 2 / 100) = 3.8 or more where p is .05 / 6 beyond 2.4.
    assert found >= 0.85 * boards, f"{found} of {boards}"
    assert wrong <= stats.binom.ppf(1 - 1e-4, boards, 0.05), f"{wrong} of {boards}"


@pytest.mark.parametrize("runs", [2, 6])
def test_where_nobody_fits_a_warning_is_rare(runs: int) -> None:
    rng = np.random.default_rng(23)
    boards = min(SIZE.draws, 2000)
    wrong = sum(any(row["warning"] for row in overfitting_table(*_asked(rng, 0.0, runs)).rows()) for _ in range(boards))
    assert wrong <= stats.binom.ppf(1 - 1e-4, boards, 0.05), f"{wrong} of {boards}"


def _asked(rng: np.random.Generator, fitted: float, runs: int) -> tuple[Values, Values, str, Entries]:
    public, private, entries = simulated(rng, fitted=fitted, runs=runs)
    return public, private, "m", entries


def tables(public: Values, private: Values) -> tuple[Table, Table]:
    both = [condition("public", public, private=False), condition("private", private, private=True)]
    return conditions_table(both, draws=200), shakeup_table(both)


def test_sentences() -> None:
    public, private = scores(PUBLIC), scores(PRIVATE)
    told, shaken = tables(public, private)
    nothing = overfitting_table(public, private, "m", ENTRIES)  # x and z are of one group, and x is its best
    expected = rank_stability(np.array(list(PRIVATE.values())).T, draws=200).mean_rank[1]
    tau = stats.kendalltau([0.8, 0.6, 0.6, 0.1], [0.25, 0.85, 0.05, 0.35]).statistic
    assert private_sentence(told, shaken, nothing) == (
        f"x, first on the public topics, is expected at rank {expected:.1f} on the private ones; "
        f"Kendall's τ {tau:.2f}; no group's gains vanish."
    )


def test_sentences_over_several_conditions_and_warnings() -> None:
    sides = [scores({"a": [9, 8, 9, 7], "b": [2, 3, 2, 2]}, lower=True)]
    sides += [
        scores({"a": [9, 8, 9, 8], "b": [9, 7, 9, 9.5]}, lower=True),
        scores({"a": [1, 1], "b": [2, 2]}, lower=True),
    ]
    names = ["public", "private, one", "private, other"]
    conditions = [condition(name, side, private=i > 0) for i, (name, side) in enumerate(zip(names, sides, strict=True))]
    warned = overfitting_table(sides[0], sides[1], "m", team({"a": "A", "b": "A"}))
    gone = warned.rows()[0]
    said = private_sentence(conditions_table(conditions, draws=200), shakeup_table(conditions), warned)
    low = rank_stability(sides[1].matrix(), draws=200, lower_is_better=True).mean_rank[1]
    assert said == (
        f"b, first on the public topics, is expected at rank {low:.1f} to 2.0 on private ones, under 2 conditions; "
        "Kendall's τ -1.00; gains vanish on private topics: A (a to b: +6.0000 on public topics, "
        f"-0.1250 on private ones, p = {gone['p_adjusted']:.2g})."
    )


def test_sentences_with_little_to_say() -> None:
    public = condition("public", scores(PUBLIC), private=False)
    empty = overfitting_table(scores(PUBLIC), scores(PRIVATE), "m", read_entries({"run": ["x"]}))
    assert private_sentence(conditions_table([public], draws=50), shakeup_table([public]), empty) == ""
    one = [condition("public", scores({"x": [0.1, 0.2]}), private=False)]
    one += [condition("private", scores({"x": [0.1, 0.2]}), private=True)]
    assert private_sentence(conditions_table(one, draws=50), shakeup_table(one), empty) == (
        "x, first on the public topics, is expected at rank 1.0 on the private ones; "
        "no group's gains could be looked at."
    )


def test_many_warnings_are_counted() -> None:
    rng = np.random.default_rng(1)
    names = {f"{group}{i}": group for group in "ABCDE" for i in (1, 2)}
    public = scores({run: rng.normal(float(run[1]) * 3, 1.0, 50) for run in names})
    private = scores({run: rng.normal(0.0, 1.0, 50) for run in names})
    table = overfitting_table(public, private, "m", team(names))
    assert all(table.cells("warning"))
    assert private_sentence(*tables(public, private), table).endswith(") and 2 more.")
