"""Counterfactual estimates beside those of Open Bandit Pipeline."""

import json
from pathlib import Path

import pytest

from cranfield.online import Chances, Logged, Slates, parse_estimators, parse_slate_estimators

GOLDEN = json.loads(Path(__file__).with_name("obp.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", GOLDEN["rows"]["values"])
def test_estimates_from_rows_are_those_of_obp(name: str) -> None:
    given = GOLDEN["rows"]
    logged = Logged(given["reward"], given["propensity"], given["target"], given["model"], given["expected"])
    found = parse_estimators(name)[0].estimate(logged)
    assert found.estimator == name
    assert found.value == pytest.approx(given["values"][name], rel=1e-12)


@pytest.mark.parametrize("name", GOLDEN["pages"]["values"])
def test_estimates_from_pages_are_those_of_obp(name: str) -> None:
    given = GOLDEN["pages"]
    slates = Slates(
        given["reward"],
        given=Chances(*given["given"]),
        at_rank=Chances(*given["at_rank"]),
        model=given["model"],
        expected=given["expected"],
    )
    found = parse_slate_estimators(name)[0].estimate(slates)
    assert found.value == pytest.approx(given["values"][name], rel=1e-12)
