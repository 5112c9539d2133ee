"""Does offline predict online? The study, on runs whose order is known."""

from typing import Any

import pytest

from cranfield.core import CranfieldError, Direction
from cranfield.online import ONLINE_MEASURES
from cranfield.studies import bridge, evaluate

# AP of x is 1 and ½, of y 1 and 0, of z 0 and 0.
QRELS = {"1": {"a": 1}, "2": {"c": 1}}
RUNS = {
    "x": {"1": {"a": 2.0}, "2": {"d": 2.0, "c": 1.0}},
    "y": {"1": {"a": 1.0}, "2": {"d": 1.0}},
    "z": {"1": {"d": 1.0}, "2": {"d": 1.0}},
}
VALUES = evaluate(QRELS, RUNS, "AP Success@1 NumRet")


def rows_of(study: Any) -> dict[str, dict[str, Any]]:
    return {row["measure"]: row for row in study["bridge"].rows()}


def test_measures_beside_outcomes() -> None:
    study = bridge(VALUES, {"x": 0.3, "y": 0.2, "z": 0.1, "w": 1}, command="cranfield bridge")
    assert (study.name, study.charts, list(study.tables)) == ("bridge", ("bridge",), ["bridge", "points"])
    # Means of AP .75, .5, 0; Success@1 cannot tell x from y: ½ of that pair; x retrieves 3, y and z 2 each.
    assert rows_of(study)["AP"]["kendall"] == pytest.approx(1)
    assert rows_of(study)["Success@1"]["agreement"] == pytest.approx(2.5 / 3)
    assert study.verdict is not None
    told = {name: study.verdict[name] for name in ("measure", "online", "runs", "by", "value")}
    assert told == {"measure": "AP", "online": "online", "runs": 3, "by": "kendall", "value": pytest.approx(1)}
    assert str(study.verdict["sentence"]).startswith("AP agrees best with what users did (kendall 1.00 over 3 runs)")
    assert "without w: not known both offline and online" in study["bridge"].notes
    assert study.made_by is not None
    assert [one.kind for one in study.made_by.inputs][-1] == "outcomes"
    assert (study.made_by.command, study.made_by.seed) == ("cranfield bridge", 0)


def test_points_have_both_sides() -> None:
    online = {"run": [*"xyz"], "value": [0.3, 0.2, 0.1], "error": [0.01, 0.02, 0.03]}
    points = [row for row in bridge(VALUES, online)["points"].rows() if row["measure"] == "AP"]
    assert [(row["run"], row["offline"], row["online"]) for row in points] == [
        ("x", 0.75, 0.3),
        ("y", 0.5, 0.2),
        ("z", 0.0, 0.1),
    ]
    assert points[2]["online_low"] == pytest.approx(0.1 - 1.959963985 * 0.03)
    assert bridge(VALUES, {"x": 0.3, "y": 0.2, "z": 0.1})["points"].cells("online_low") == [None] * 9


def test_what_is_good_when_low_is_turned_round() -> None:
    for lower, tau in ((False, -1), (True, 1)):
        assert rows_of(bridge(VALUES, {"x": 1, "y": 2, "z": 3}, lower=lower))["AP"]["kendall"] == pytest.approx(tau)
    told = bridge(VALUES, {"x": 1, "y": 2, "z": 3}).verdict
    assert told is not None
    assert str(told["sentence"]).endswith("That is no likeness: none of these measures foretells what users do.")
    deep = {run: {"1": {**{f"d{i}": 9.0 - i for i in range(above)}, "a": 1.0}} for above, run in enumerate("xyz")}
    slow = evaluate({"1": {"a": 1}}, deep, "ESL")
    assert slow.measures[0].direction is Direction.LOWER
    study = bridge(slow, {"x": 3, "y": 2, "z": 1})
    assert study["bridge"].cells("kendall") == [pytest.approx(1)]
    # Shown as they are, not turned round: so many documents stand above a, or down to it.
    assert [row["offline"] for row in study["points"].rows()] == slow.cube[:, 0, 0].tolist() != [0, 0, 0]


def log(clicks: dict[str, list[int]]) -> dict[str, list[Any]]:
    """A user for each impression, of one document; the arms are runs."""
    shown = [(run, i, click) for run, several in clicks.items() for i, click in enumerate(several)]
    named = [f"{run}{i}" for run, i, _ in shown]
    fixed: dict[str, list[Any]] = {
        "topic": ["1"] * len(shown),
        "rank": [1] * len(shown),
        "document": ["a"] * len(shown),
    }
    return {"impression": named, "user": named, **fixed} | {
        "arm": [run for run, *_ in shown],
        "clicked": [click for *_, click in shown],
    }


def test_a_log_whose_arms_are_runs() -> None:
    clicks = {"x": [1, 1, 1, 0], "y": [1, 1, 0, 0], "z": [1, 0, 0, 0]}
    study = bridge(VALUES, log(clicks), outcome="ctr")
    points = {row["run"]: row for row in study["points"].rows() if row["measure"] == "AP"}
    assert {run: row["online"] for run, row in points.items()} == {"x": 0.75, "y": 0.5, "z": 0.25}
    # y: ½ of 4, with a variance of ¼ · 4/3 over 4
    assert points["y"]["online_high"] == pytest.approx(0.5 + 1.959963985 * (1 / 3 / 4) ** 0.5)
    assert study.verdict is not None
    assert study.verdict["online"] == "ctr"
    assert rows_of(study)["AP"]["kendall"] == pytest.approx(1)
    assert rows_of(study)["AP"]["apart"] == 0  # of four users each nobody can tell
    assert "That may be chance" in str(study.verdict["sentence"])


def test_rows_that_are_excluded_from_one_run_make_the_verdict_doubtful() -> None:
    clicks = {"x": [1, 1, 1, 0] * 50, "y": [1, 1, 0, 0] * 50, "z": [1, 0, 0, 0] * 50}
    clean = bridge(VALUES, log(clicks), outcome="ctr").verdict
    assert clean is not None
    assert (clean["rows"], clean["rows_excluded"], clean["trusted"]) == (600, 0, True)
    data = log(clicks)
    data["user"] = [None] * 40 + data["user"][40:]
    data["arm"][-1] = None
    study = bridge(VALUES, data, outcome="ctr")
    assert study.verdict is not None
    assert (study.verdict["rows_excluded"], study.verdict["trusted"]) == (41, False)
    assert [(row["reason"], row["arm"], row["rows"]) for row in study["dropped"].rows()] == [
        ("no user", "x", 40),
        ("no arm", None, 1),
    ]


def test_rows_of_arms_that_are_no_run_are_excluded() -> None:
    clicks = {"w": [1, 0], "x": [1, 1, 1, 0] * 50, "y": [1, 1, 0, 0] * 50, "z": [1, 0, 0, 0] * 50}
    few = bridge(VALUES, log(clicks), outcome="ctr", draws=10)
    assert few.verdict is not None
    assert (few.verdict["rows_excluded"], few.verdict["trusted"]) == (2, True)  # 2 of 602 are no more than 1%
    assert [(row["reason"], row["arm"], row["rows"]) for row in few["dropped"].rows()] == [
        ("its arm is no run", "w", 2)
    ]
    many = bridge(VALUES, log({**clicks, "w": [1, 0] * 5}), outcome="ctr", draws=10).verdict
    assert many is not None
    assert (many["rows_excluded"], many["trusted"]) == (10, False)


def test_an_arm_in_another_case_than_its_run_is_named() -> None:
    runs = {**RUNS, "w": RUNS["z"]}
    clicks = {"x": [1, 1, 1, 0] * 100, "y": [1, 1, 0, 0] * 100, "z": [1, 0, 0, 0] * 100}
    for arm, trusted in (("W", False), ("v", True)):  # 2 rows of 1,202 are few, but w is a run
        data = log({**clicks, arm: [1, 0]})
        verdict = bridge(evaluate(QRELS, runs, "AP"), data, outcome="ctr", draws=10).verdict
        assert verdict is not None
        assert verdict["trusted"] is trusted
        assert ("'W' from the run 'w'" in str(verdict["sentence"])) is not trusted


def test_rows_of_other_arms_are_excluded_once() -> None:
    """Of the 40 rows of w two have no user: 38 more are excluded because w is no run."""
    data = log({"w": [1, 0] * 20, "x": [1, 0] * 20, "y": [1, 0] * 20, "z": [1, 0] * 20})
    data["user"][:2] = [None] * 2
    verdict = bridge(VALUES, data, outcome="ctr", draws=10).verdict
    assert verdict is not None
    assert verdict["rows_excluded"] == 40


@pytest.mark.parametrize("arms", ["xyz", "y"])
def test_one_name_for_all_users_of_an_arm_is_doubted(arms: str) -> None:
    data = log({"x": [1, 1, 1, 0] * 50, "y": [1, 1, 0, 0] * 50, "z": [1, 0, 0, 0] * 50})
    data["user"] = ["anon" if arm in arms else user for arm, user in zip(data["arm"], data["user"], strict=True)]
    study = bridge(VALUES, data, outcome="ctr", draws=10)
    assert study.verdict is not None
    assert study.verdict["trusted"] is False
    assert any(note.startswith("standard errors are not known") for note in study["dropped"].notes)
    del data["user"]  # pages are independent where no users are known
    plain = bridge(VALUES, data, outcome="ctr", draws=10).verdict
    assert plain is not None
    assert plain["trusted"] is True


def test_one_user_of_an_arm_that_is_no_run_leaves_errors_known() -> None:
    data = log({"w": [1, 0], "x": [1, 1, 1, 0] * 50, "y": [1, 1, 0, 0] * 50, "z": [1, 0, 0, 0] * 50})
    data["user"][:2] = ["tester"] * 2
    study = bridge(VALUES, data, outcome="ctr", draws=10)
    assert study.verdict is not None
    assert study.verdict["trusted"] is True
    assert study["points"].cells("online_low") != [None] * 9


def test_users_who_saw_several_runs_count_for_each_of_them() -> None:
    """Four users saw all three runs: the clicks on the pages of a run are those of the run alone."""
    clicks = {"x": [1, 1, 1, 0], "y": [1, 1, 0, 0], "z": [1, 0, 0, 0]}
    shared = log(clicks) | {"user": ["u0", "u1", "u2", "u3"] * 3}
    points = {row["run"]: row["online"] for row in bridge(VALUES, shared, outcome="ctr")["points"].rows()}
    assert points == {"x": 0.75, "y": 0.5, "z": 0.25}


@pytest.mark.parametrize("pages_each", [1, 100])
def test_a_run_with_a_few_very_active_users_is_not_trusted(pages_each: int) -> None:
    """Three robots with 100 pages and no click make of the rate of 0.5 of run y less than 0.2."""
    clicks = {run: [i % 2 for i in range(200)] for run in "xyz"}
    plain = log(clicks)
    users = [f"robot{i % 3}" for i in range(3 * pages_each)]
    more = {name: [*cells, *[cells[200]] * len(users)] for name, cells in plain.items()}
    more |= {"impression": [*plain["impression"], *[f"more{i}" for i in range(len(users))]]}
    more |= {"user": [*plain["user"], *users], "clicked": [*plain["clicked"], *[0] * len(users)]}
    study = bridge(VALUES, more, outcome="ctr", draws=10)
    assert study.verdict is not None
    assert study.verdict["trusted"] is (pages_each == 1)
    assert ("robot0" in study.sentence) is (pages_each > 1)


def test_an_online_measure_knows_which_end_is_good() -> None:
    assert ONLINE_MEASURES["abandonment"].direction is Direction.LOWER
    clicks = {"x": [1, 1, 1, 0], "y": [1, 1, 0, 0], "z": [1, 0, 0, 0]}
    assert rows_of(bridge(VALUES, log(clicks), outcome="abandonment"))["AP"]["kendall"] == pytest.approx(1)


def test_users_who_all_do_the_same_and_of_whom_there_is_one() -> None:
    study = bridge(VALUES, log({run: [1] for run in "xyz"}), outcome="ctr")  # no error is known
    assert study["points"].cells("online_low") == [None] * 9
    assert study["bridge"].cells("kendall") == [None] * 3
    assert any("one user in x, y and z" in note for note in study["dropped"].notes)
    assert study.verdict is not None
    assert study.verdict["sentence"] == (
        "No measure tells the runs apart, or users did not: there is nothing to predict."
    )


@pytest.mark.parametrize(
    ("online", "asked", "problem"),
    [
        ({"x": 1, "y": 2}, {}, "2 runs have offline and online values"),
        ({"x": 1, "y": 2, "z": 3}, {"by": "chance"}, "measures are not put in order by 'chance'"),
        ({"x": 1, "y": 2, "z": 3}, {"engine": "duckdb"}, "a table of outcomes is read without an engine"),
        (log({"x": [1]}), {"outcome": "ctr clicks"}, "2 online measures are no one outcome"),
        ({k: v for k, v in log({"x": [1]}).items() if k != "arm"}, {"outcome": "ctr"}, "needs the column arm"),
    ],
)
def test_bad_questions_are_refused(online: Any, asked: dict[str, Any], problem: str) -> None:
    with pytest.raises(CranfieldError) as caught:
        bridge(VALUES, online, **asked)
    assert problem in caught.value.problem
    assert caught.value.hint


def test_a_run_without_any_value_is_refused_by_name() -> None:
    with pytest.raises(CranfieldError, match="z has no finite mean of ESL"):
        bridge(evaluate(QRELS, RUNS, "AP ESL"), {"x": 1, "y": 2, "z": 3})
