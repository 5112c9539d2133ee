"""From what people write to methods of merging, and to the way to weigh workers."""

import pytest

from cranfield.collections import (
    AGGREGATIONS,
    AWARE,
    DawidSkene,
    Majority,
    parse_aggregation,
    parse_aggregations,
    parse_aware,
)
from cranfield.core import CranfieldError, ParameterError


def test_a_name_is_a_method() -> None:
    assert parse_aggregation("majority") == Majority()
    assert parse_aggregation("Dawid-Skene(starts=3)") == DawidSkene(starts=3)
    assert parse_aggregation(Majority(ties="lowest")) == Majority(ties="lowest")


@pytest.mark.parametrize(
    "texts",
    [
        "majority dawid-skene",
        "majority,dawid-skene",
        ["majority", "dawid-skene", "mv"],  # another name of the first
        pytest.param((text for text in ("majority", "dawid-skene")), id="one by one"),
        [Majority(), DawidSkene()],
        ["majority", DawidSkene(), Majority()],
    ],
    ids=str,
)
def test_several_are_a_list_and_each_is_there_once(texts: object) -> None:
    assert parse_aggregations(texts) == [Majority(), DawidSkene()]  # type: ignore[arg-type]


def test_one_method_is_a_list_of_one() -> None:
    assert parse_aggregations(Majority()) == [Majority()]


@pytest.mark.parametrize("text", ["all", " ALL "])
def test_all_are_the_whole_catalogue(text: str) -> None:
    assert parse_aggregations(text) == [declared() for declared in AGGREGATIONS]
    for first in (parse_aggregations(["dawid-skene", text]), parse_aggregations(f"dawid-skene,{text}")):
        assert first[0] == DawidSkene()
        assert {type(method) for method in first} == set(AGGREGATIONS)


@pytest.mark.parametrize(
    ("texts", "message", "hint"),
    [
        ([], "no method is given", "for example: majority dawid-skene"),
        (
            "",
            "'' holds no aggregation",
            "write a name, or name(parameter=value); `cranfield crowd --help` lists them",
        ),
        ("overall", "there is no aggregation named 'overall'", None),
        ("majorty", "there is no aggregation named 'majorty'", "did you mean majority?"),
        ("majority(ties='both')", "majority cannot have ties='both'", None),
        ("mace(rounds=0)", "mace cannot have rounds=0", None),
        ("mace(pounds=1)", "mace has no parameter 'pounds'", None),
    ],
)
def test_what_is_no_method(texts: object, message: str, hint: str | None) -> None:
    with pytest.raises(CranfieldError) as caught:
        parse_aggregations(texts)  # type: ignore[arg-type]
    assert caught.value.problem == message
    assert caught.value.hint
    assert hint is None or caught.value.hint == hint


def test_one_method_where_one_is_wanted() -> None:
    with pytest.raises(ParameterError, match="'majority mace' holds 2 aggregations where one is wanted"):
        parse_aggregation("majority mace")


def test_the_way_to_weigh_workers() -> None:
    assert parse_aware("AWARE") == parse_aware("aware") == AWARE()
    assert parse_aware("AWARE(distance='tau',power=2)") == AWARE(distance="tau", power=2)
    assert parse_aware(AWARE(per="topic")) == AWARE(per="topic")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'' holds no weighing"),
        ("unaware", "there is no weighing named 'unaware'"),
        ("AWARE AWARE(power=2)", "'AWARE AWARE(power=2)' holds 2 weighings where one is wanted"),
        ("AWARE(distance='far')", "AWARE cannot have distance='far'"),
    ],
)
def test_what_is_no_way_to_weigh(text: str, message: str) -> None:
    with pytest.raises(CranfieldError) as caught:
        parse_aware(text)
    assert caught.value.problem == message
