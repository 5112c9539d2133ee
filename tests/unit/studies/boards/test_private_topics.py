"""The study `ladder`: what teams are told while a task is open, and the budget beside it."""

import json
from dataclasses import replace
from math import log2
from pathlib import Path
from typing import Any

import pytest

import cranfield as cf
from cranfield.core import ParameterError
from cranfield.data import Values, read_entries
from cranfield.simulate import Campaign

SCORES: dict[str, list[Any]] = {
    "topic": ["1", "2", "3", "4"],
    "x": [0.5, 0.5, 0.5, 0.5],
    "y": [0.6, 0.6, 0.6, 0.4],
    "z": [0.7, 0.6, 0.6, 0.4],
}
ENTRIES = {"run": ["z", "x", "y"], "team": ["u", "u", "v"]}


@pytest.fixture(scope="module")
def values(tmp_path_factory: pytest.TempPathFactory) -> Values:
    folder = tmp_path_factory.mktemp("campaign") / "c"
    Campaign(topics=30, groups=3, runs=8, depth=60).write(folder)
    return cf.evaluate(folder / "qrels.txt", folder / "runs", "AP ESL")


def test_without_entries_all_runs_are_of_one_team() -> None:
    study = cf.ladder(SCORES, decimals=3)
    told = [(row["run"], row["group"], row["order"], row["released"], row["step"]) for row in study["released"].rows()]
    # As in the test of the Ladder: y's gain of .05 does not exceed its bound of .05.
    assert told == [("x", None, 1, 0.5, True), ("y", None, 2, 0.5, False), ("z", None, 3, 0.575, True)]
    assert study["released"].columns == tuple("run group order value released step gain bound decimals topics".split())
    assert study["leak"].columns == tuple("group rule submissions changes decimals topics bits labels note".split())
    # One change in three submissions, at one of two places, two of 1,001 numbers.
    assert study.verdict is not None
    assert study.verdict["bits"] == pytest.approx(log2(3 * 2 * 1_001 * 1_000 / 2))
    assert study.sentence.startswith(
        "Under the Ladder at 3 decimals, 3 submissions of 1 team can have told at most 22 "
    )


def test_values_come_in_the_order_of_submission_and_entries_name_the_groups(tmp_path: Path) -> None:
    file = tmp_path / "entries.csv"
    file.write_text("run,team\nz,u\nx,u\ny,v\n")
    for entries in (ENTRIES, read_entries(ENTRIES), file):
        study = cf.ladder(SCORES, entries=entries, decimals=3)
        told = [(row["run"], row["group"], row["order"], row["released"]) for row in study["released"].rows()]
        assert told == [("x", "u", 1, 0.5), ("y", "v", 1, 0.55), ("z", "u", 2, 0.575)]
        assert [row["group"] for row in study["leak"].rows()] == ["u", "v", None] * 4
        assert "3 submissions of 2 teams" in study.sentence
        assert study.made_by is not None
        assert [source.kind for source in study.made_by.inputs][-1] == "entries"


def test_the_decimals_rule_holds_unless_another_number_is_asked_for() -> None:
    assert cf.ladder(SCORES)["released"].cells("released") == [0, 0, 1]  # four topics: no decimals; .575 is 1
    assert cf.ladder(SCORES, rule="plain", decimals=2)["released"].cells("released") == [0.5, 0.55, 0.57]
    silent = cf.ladder(SCORES, rule="none")
    assert silent["released"].cells("released") == [None] * 3
    assert silent["released"].cells("step") == [False] * 3
    assert silent.verdict is not None
    assert silent.verdict["bits"] == 0
    assert silent.sentence.startswith("Nothing was told about 4 private topics to 3 submissions of 1 team")


def test_one_measure_is_released_the_first_unless_named(values: Values) -> None:
    first, named = cf.ladder(values), cf.ladder(values, measure="AP")
    assert first["released"] == named["released"]
    assert first["released"].cells("value") == pytest.approx(values.aggregate()[:, 0].tolist())
    assert first["leak"].notes == ()
    with pytest.raises(ParameterError, match="there are no values of P@10"):
        cf.ladder(values, measure="P@10")


def test_less_is_better_for_esl() -> None:
    runs = {"topic": ["1", "2", "3"], "worse": [5.0, 4.0, 6.0], "better": [4.0, 3.5, 5.0], "worst": [9.0, 9.0, 9.0]}
    given = replace(cf.read_scores(runs), measures=(cf.ESL(),))
    study = cf.ladder(given)
    assert study["released"].cells("step") == [True, True, False]
    assert study["released"].cells("released") == [5, 4, 4]
    assert study["leak"].notes == ("ESL has no known range: answers are counted from 3.5 to 9, as seen",)


def test_the_contract(values: Values) -> None:
    study = cf.ladder(values)
    told = json.loads(study.to_json())
    assert told["study"] == "ladder"
    assert set(told["tables"]) == {"released", "leak"}
    assert set(told["verdict"]) == {*"rule submissions groups topics decimals bits labels enough sentence".split()}
    assert study.charts == ("released",)
    assert told["verdict"]["topics"] == 30
    assert told["verdict"]["enough"] is False


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"rule": "steps"}, "there is no rule 'steps'"),
        ({"decimals": 17}, "17 is no number of decimals"),
        ({"measure": "AP"}, "there are no values of AP"),
        ({"entries": {"run": ["x", "y"], "team": ["u", "v"]}}, "nobody submitted z"),
        ({"values": {"topic": ["1"], "x": [0.5]}}, "1 private topic: no spread"),
    ],
    ids=lambda given: given if isinstance(given, str) else "",
)
def test_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        cf.ladder(**{"values": SCORES, **options})
