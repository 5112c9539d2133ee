"""The catalogue of what live users are asked by."""

import pytest

from cranfield.core import UnknownName
from cranfield.online import (
    FRAMEWORKS,
    ONLINE_CATALOGUES,
    ONLINE_FAMILIES,
    explain_online,
    online_catalogue,
    online_explained,
)

EVERY = [(family, cls) for family, catalogue in ONLINE_CATALOGUES.items() for cls in catalogue]


def test_every_declaration_has_a_row() -> None:
    found = [(row["family"], row["name"]) for row in online_catalogue().rows()]
    assert found == [(family, cls.name) for family, cls in EVERY]
    assert set(ONLINE_FAMILIES) == set(ONLINE_CATALOGUES)


def test_a_measure_says_its_unit_its_direction_and_its_columns() -> None:
    rows = {str(row["name"]): row for row in online_catalogue().rows() if row["family"] == "online measure"}
    assert (rows["ctr"]["unit"], rows["ctr"]["direction"], rows["ctr"]["needs"]) == ("impression", "higher", None)
    assert (rows["absence_time"]["unit"], rows["absence_time"]["direction"]) == ("session", "lower")
    assert rows["absence_time"]["needs"] == "time, user"
    assert rows["revenue"]["unit"] == "user"  # unless per= says otherwise
    assert all(row["unit"] and row["direction"] for row in rows.values())


def test_what_measures_nothing_has_no_unit() -> None:
    rows = [row for row in online_catalogue().rows() if row["family"] != "online measure"]
    assert all(row["unit"] is None and row["direction"] is None for row in rows)


@pytest.mark.parametrize(
    ("name", "needs"),
    [
        ("UBM", "by the last click above"),
        ("DBN", "whole pages"),
        ("balanced", "two lists"),
        ("team-draft", "two lists or more"),
        ("ips", "propensities"),
        ("dm", "a model of rewards"),
        ("dr", "propensities, and the chances of the policy; a model of rewards"),
        ("cascade-dr", "; a model of rewards"),
        ("random", "to be stored"),
    ],
)
def test_needs_are_told(name: str, needs: str) -> None:
    (row,) = online_catalogue(name).rows()
    assert needs in str(row["needs"])


def test_the_direct_method_weighs_nothing() -> None:
    (row,) = online_catalogue("dm").rows()
    assert row["needs"] == "a model of rewards"


def test_a_name_of_two_things_gives_both() -> None:
    assert [row["family"] for row in online_catalogue("PBM").rows()] == ["click model", "slate estimator"]
    first, second = explain_online("position-based").split("\n\n\n")
    assert first.startswith("PBM (also position-based)")
    assert second.startswith("pbm (also position-based)")


def test_parameters_and_sets_are_told() -> None:
    study = online_explained()
    rows = {(row["of"], row["name"]): row for row in study["parameters"].rows()}
    assert rows["probabilistic", "tau"]["default"] == "3.0"
    assert rows["ctr_at", "k"]["limits"] == "from 1 up"
    letters = [(row["set"], row["letter"]) for row in study["sets"].rows()]
    assert letters == [(name, letter) for name, one in FRAMEWORKS.items() for letter, _ in one.letters]
    assert list(online_explained("ctr").tables) == ["catalogue"]  # it has no parameters


@pytest.mark.parametrize(("family", "cls"), EVERY, ids=lambda one: getattr(one, "name", one))
def test_every_declaration_is_explained(family: str, cls: type) -> None:
    text = explain_online(cls.name)  # type: ignore[attr-defined]
    assert ONLINE_FAMILIES[family].split(": ")[0] in " ".join(text.split())
    assert "``" not in text
    assert "\nsource " in text


def test_an_unknown_name_is_answered() -> None:
    with pytest.raises(UnknownName, match="nothing of live users is named 'ctrr'") as caught:
        online_catalogue("ctrr")
    assert caught.value.hint.startswith("did you mean ctr ")
    with pytest.raises(UnknownName) as caught:
        explain_online("?")
    assert caught.value.hint == "`cranfield measures --online` lists them"
