"""What another policy would have earned: the study, beside plain sums."""

from typing import Any

import pytest

from cranfield.core import CranfieldError
from cranfield.studies import counterfactual

# a is shown half of the time, b and c a quarter each; c earns most.
SHOWN = [("a", 0.5, 0), ("a", 0.5, 1), ("b", 0.25, 0), ("c", 0.25, 1)] * 50
LOG: dict[str, list[Any]] = {
    "user": [f"u{i % 40}" for i in range(len(SHOWN))],
    "topic": ["q"] * len(SHOWN),
    "document": [name for name, *_ in SHOWN],
    "propensity": [chance for _, chance, _ in SHOWN],
    "clicked": [click for *_, click in SHOWN],
    "target": [{"a": 0.25, "b": 0.25, "c": 0.5}[name] for name, *_ in SHOWN],
}
C_FIRST = {"q": {"c": 3.0, "a": 2.0, "b": 1.0}}


def test_a_policy_beside_the_log() -> None:
    study = counterfactual(LOG, command="cranfield counterfactual log.csv")
    assert (study.name, study.charts, list(study.tables)) == (
        "counterfactual",
        ("policies",),
        ["dropped", "policies", "estimates"],
    )
    # ¼ · ½ + ¼ · 0 + ½ · 1; the log earned 2 of 4.
    assert study["policies"].cells("estimator") == ["snips", "ips"]
    assert study["policies"].cells("value") == pytest.approx([0.625, 0.625])
    assert study["policies"].cells("logged") == [0.5, 0.5]
    assert study.verdict is not None
    assert {name: study.verdict[name] for name in ("policy", "estimator", "better", "trusted", "rows_excluded")} == {
        "policy": "target",
        "estimator": "snips",
        "better": "policy",
        "trusted": True,
        "rows_excluded": 0,
    }
    assert study.made_by is not None
    assert [one.kind for one in study.made_by.inputs] == ["log"]
    assert study.made_by.command == "cranfield counterfactual log.csv"
    assert study["policies"].made_by == study.made_by


def test_a_run_as_a_policy_by_logged_and_by_counted_chances() -> None:
    ways: Any = ("given", "counted")
    for propensity in ways:
        study = counterfactual(LOG, runs={"c-first": C_FIRST}, estimators="ips", propensity=propensity)
        values = dict(zip(study["policies"].cells("policy"), study["policies"].cells("value"), strict=True))
        assert values == {"target": pytest.approx(0.625), "c-first": pytest.approx(1.0)}  # c is always clicked
    assert study.made_by is not None
    assert [one.kind for one in study.made_by.inputs] == ["log", "run"]
    assert set(study["estimates"].notes) == {
        "c-first, ips: weights are worth 50 impressions of 200: the interval may be too narrow",
        "propensities are counted: right only if chance alone chose what each impression of a topic shows",
    }


def test_documents_that_the_log_never_showed_are_doubted() -> None:
    log = {**LOG, "topic": ["q" if i < 100 else "other" for i in range(len(SHOWN))]}
    new = {**C_FIRST, "other": {"d": 1.0}}
    study = counterfactual(log, runs={"new": new}, policies=["target"], estimators="ips", propensity="counted")
    row = next(row for row in study["estimates"].rows() if row["policy"] == "new")
    assert row["mean_weight"] == pytest.approx(0.5)  # that of q is 1; d was never shown
    assert any(note.startswith("new: weights have the mean 0.500") for note in study["estimates"].notes)


def test_pages() -> None:
    pages = {
        "impression": [i // 2 for i in range(200)],
        "rank": [1 + i % 2 for i in range(200)],
        "propensity": [0.5, 1.0] * 100,  # two orders of two documents: the second follows from the first
        "document": ["a", "b", "b", "a"] * 50,
        "topic": ["q"] * 200,
        "clicked": [1, 0, 0, 0] * 50,  # a on top is clicked, and nothing else
    }
    study = counterfactual(pages, runs={"a-first": {"q": {"a": 2.0, "b": 1.0}}})
    rows = study["policies"].rows()
    assert [(row["estimator"], row["value"], row["logged"]) for row in rows] == [("rips", 1.0, 0.5), ("sips", 1.0, 0.5)]
    counted = counterfactual(pages, runs={"a-first": {"q": {"a": 2.0, "b": 1.0}}}, propensity="counted")
    assert [(row["estimator"], row["value"]) for row in counted["policies"].rows()] == [("iips", 1.0)]


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        ({"propensity": "guessed"}, "there are no propensities 'guessed'"),
        ({"level": 2}, "the level cannot be 2"),
        ({"interval": "wide"}, "there is no interval 'wide'"),
        ({"draws": 0}, "0 draws make no interval"),
        ({"estimators": "iips"}, "iips is an estimator of pages of several documents"),
    ],
)
def test_bad_questions_are_refused(asked: dict[str, Any], problem: str) -> None:
    with pytest.raises(CranfieldError) as caught:
        counterfactual(LOG, **asked)
    assert problem in caught.value.problem
    assert caught.value.hint


def test_rows_without_a_propensity_are_excluded_and_reported() -> None:
    log = {name: list(cells) for name, cells in LOG.items()}
    log["propensity"][0] = None
    some = counterfactual(log)
    assert some.verdict is not None
    assert (some.verdict["rows_excluded"], some.verdict["trusted"]) == (1, True)
    assert some["dropped"].cells("reason") == ["no propensity"]
    log["propensity"][:3] = [None] * 3  # of 200
    many = counterfactual(log)
    assert many.verdict is not None
    assert many.verdict["trusted"] is False


def test_damaged_rewards_make_the_verdict_doubtful() -> None:
    for rewards in ([1] * 200, [0] * 200):
        verdict = counterfactual({**LOG, "clicked": rewards}).verdict
        assert verdict is not None
        assert (verdict["trusted"], verdict["better"]) == (False, "neither")
    log = {name: cells for name, cells in LOG.items() if name != "clicked"}
    study = counterfactual({**log, "reward": [*[-1] * 4, *LOG["clicked"][4:]]})  # -1 may be a dislike
    assert any(note.startswith("4 rewards are -1") for note in study["estimates"].notes)
    verdict = counterfactual({**log, "reward": [*[-999] * 4, *LOG["clicked"][4:]]}).verdict
    assert verdict is not None
    assert verdict["trusted"] is False
    assert "4 of 200 rewards are -999" in str(verdict["sentence"])
