"""Where something asks more of numbers than their measure gives: one sentence, an error, or nothing."""

from dataclasses import dataclass

import pytest

from cranfield.core import POLICIES, ParameterError, Scale, ScaleError, listed, weigh


@dataclass(frozen=True)
class Claim:
    """What a measure says of its scale."""

    own: Scale
    cite: str = "somebody1999"


@dataclass(frozen=True)
class Ruler:
    """Something with a scale."""

    name: str
    scale: Claim

    def __str__(self) -> str:
        return self.name


ORDER = Ruler("Order", Claim(Scale.ORDINAL))
NAMES = Ruler("Names", Claim(Scale.NOMINAL, "other2001"))
LENGTH = Ruler("Length", Claim(Scale.RATIO))
SAFE = "the sign test is safe"


def test_one_sentence() -> None:
    assert weigh([("t", Scale.INTERVAL, ORDER)], "note", safe=SAFE) == (
        "t needs interval numbers; Order is ordinal (somebody1999). "
        "The sign test is safe; --scale ignore silences this",
    )


def test_many_meetings_are_one_sentence() -> None:
    asking = [("t", Scale.INTERVAL), ("gmean", Scale.RATIO), ("sign", Scale.ORDINAL)]
    met = [(who, needed, measure) for measure in (ORDER, NAMES, LENGTH) for who, needed in asking]
    (said,) = weigh(met, "note", safe=SAFE)
    assert said.startswith(
        "t, gmean and sign need ordinal or interval or ratio numbers; "
        "Order and Names are nominal or ordinal (somebody1999, other2001). "
    )
    assert "Length" not in said


def test_who_gives_enough_is_not_mentioned() -> None:
    met = [("t", Scale.INTERVAL, LENGTH), ("sign", Scale.ORDINAL, ORDER)]
    for policy in POLICIES:
        assert weigh(met, policy, safe=SAFE) == ()
    assert weigh([], "refuse", safe=SAFE) == ()


def test_numbers_without_a_scale_are_taken_as_they_are() -> None:
    assert weigh([("t", Scale.RATIO, "score")], "refuse", safe=SAFE) == ()


def test_refused() -> None:
    with pytest.raises(ScaleError) as caught:
        weigh([("t", Scale.INTERVAL, ORDER)], "refuse", safe=SAFE)
    assert caught.value.problem == "t needs interval numbers; Order is ordinal (somebody1999)"
    assert caught.value.hint == "the sign test is safe; --scale note goes on"


def test_ignored() -> None:
    assert weigh([("t", Scale.INTERVAL, ORDER)], "ignore", safe=SAFE) == ()


def test_there_is_no_other_policy() -> None:
    with pytest.raises(ParameterError) as caught:
        weigh([], "warn", safe=SAFE)  # type: ignore[arg-type]  # the mistake
    assert caught.value.problem == "the scale policy cannot be 'warn'"
    assert caught.value.hint == "choose one of: note, refuse, ignore"


@pytest.mark.parametrize(
    ("names", "said"), [(["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")], ids=str
)
def test_names_in_a_sentence(names: list[str], said: str) -> None:
    assert listed(names) == said
