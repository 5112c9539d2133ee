"""The overall evaluation criterion: reading, standardising, adding up; the ready-made sets."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cranfield.core import Direction, ParameterError
from cranfield.online import FRAMEWORKS, OEC, ONLINE_MEASURES, Framework, Standard, oec_table, standards_of

CONTROL = {"ctr": np.array([0.1, 0.3, 0.5]), "time_to_click": np.array([10.0, np.nan, 20.0])}
TREATMENT = {"ctr": np.array([0.5, 0.5]), "time_to_click": np.array([10.0, 10.0])}
BOTH = OEC.parse("0.5*CTR - 0.2*time_to_click")
LOWER = {"ctr": Direction.HIGHER, "time_to_click": Direction.LOWER}


@pytest.mark.parametrize(
    ("text", "weights"),
    [
        ("0.5*CTR + 0.3*success - 0.2*time_to_click", (("ctr", 0.5), ("success", 0.3), ("time_to_click", -0.2))),
        ("ctr", (("ctr", 1.0),)),
        ("-ctr+.5*dwell", (("ctr", -1.0), ("dwell", 0.5))),
        ("  2 · ctr − 1e-3 × dwell ", (("ctr", 2.0), ("dwell", -0.001))),
    ],
)
def test_texts_are_read(text: str, weights: tuple[tuple[str, float], ...]) -> None:
    assert OEC.parse(text).weights == weights


@given(
    weights=st.dictionaries(
        st.sampled_from(["ctr", "dwell", "e5", "session_success", "revenue", "x"]),
        st.floats(-1e9, 1e9).filter(lambda w: w != 0),
        min_size=1,
    )
)
def test_what_is_written_is_read_back(weights: dict[str, float]) -> None:
    oec = OEC(tuple(weights.items()))
    assert OEC.parse(str(oec)) == oec


def test_standards_are_those_of_the_control_arm() -> None:
    # .1 .3 .5: mean .3, sd √((.04 + .04) / 2) = .2; 10 and 20: mean 15, sd √(50 / 1)
    found = standards_of(CONTROL)
    assert (found["ctr"].mean, found["ctr"].sd) == pytest.approx((0.3, 0.2))
    assert (found["time_to_click"].mean, found["time_to_click"].sd) == pytest.approx((15, 50**0.5))


def test_values_are_weighted_sums() -> None:
    scale = {"CTR": Standard(0.3, 0.2), "time_to_click": Standard(15, 5)}
    # ctr −1, 0, 1 standard deviations, times −1, none, 1
    assert BOTH.values(CONTROL, scale) == pytest.approx([-0.5 + 0.2, 0, 0.5 - 0.2])
    assert BOTH.contributions(CONTROL, scale) == pytest.approx(np.array([[-0.5, 0.2], [0, 0], [0.5, -0.2]]))
    assert BOTH.values(CONTROL, scale, missing="drop") == pytest.approx([-0.3, np.nan, 0.3], nan_ok=True)


columns = st.lists(st.tuples(st.floats(-10, 10), st.floats(-10, 10)), min_size=3, max_size=10).filter(
    lambda rows: all(np.ptp(column) > 0.1 for column in np.array(rows).T)
)


@given(rows=columns)
def test_the_control_arm_has_mean_zero_and_the_weights_as_spread(rows: list[tuple[float, float]]) -> None:
    x, y = np.array(rows).T
    arm = {"x": x, "y": y}
    standards = standards_of(arm)
    assert OEC.parse("2*x - 3*y").values(arm, standards).mean() == pytest.approx(0, abs=1e-9)
    assert OEC.parse("2*x").values(arm, standards).std(ddof=1) == pytest.approx(2)


@given(rows=columns, by=st.floats(0.5, 5), plus=st.floats(-5, 5))
def test_units_do_not_matter(rows: list[tuple[float, float]], by: float, plus: float) -> None:
    x, y = np.array(rows).T
    oec = OEC.parse("x - 0.5*y")
    seconds, minutes = {"x": x, "y": y}, {"x": x, "y": by * y + plus}
    assert oec.values(minutes, standards_of(minutes)) == pytest.approx(
        oec.values(seconds, standards_of(seconds)), abs=1e-6
    )


def test_the_table_says_what_moved_it() -> None:
    table = oec_table(BOTH, CONTROL, TREATMENT, directions=LOWER)
    assert table.columns == ("measure", "weight", "control", "treatment", "standardised", "contribution")
    assert table.cells("measure") == ["ctr", "time_to_click"]
    assert table.cells("control") == pytest.approx([0.3, 15])
    # .2 / .2 and −5 / √50; control users add 0 on average
    assert table.cells("standardised") == pytest.approx([1, -5 / 50**0.5])
    assert table.cells("contribution") == pytest.approx([0.5, 0.2 * 5 / 50**0.5])
    assert table.notes == ()


def test_a_measure_that_nobody_has_in_an_arm_adds_nothing() -> None:
    nobody = {"ctr": np.array([0.5]), "time_to_click": np.array([np.nan])}
    assert oec_table(BOTH, CONTROL, nobody).cells("treatment") == [0.5, None]
    assert oec_table(BOTH, CONTROL, nobody).cells("contribution")[1] == pytest.approx(0)


def test_notes_warn_of_many_measures_and_of_wrong_sides() -> None:
    assert OEC.parse("a+b+c+d+e").notes() == ()
    (many,) = OEC.parse("a+b+c+d+e+f").notes()
    assert many.startswith("an OEC of 6 measures: beyond 5")
    assert BOTH.notes(LOWER) == ()
    assert OEC.parse("time_to_click - ctr").notes(LOWER) == (
        "of time_to_click lower is better, and its weight is above 0: is that meant?",
        "of ctr higher is better, and its weight is below 0: is that meant?",
    )


def test_equal_weights_stand_on_the_good_side() -> None:
    assert OEC.equal(["ctr", "time_to_click"], LOWER) == OEC.parse("0.5*ctr - 0.5*time_to_click")


@pytest.mark.parametrize("framework", FRAMEWORKS.values(), ids=lambda one: one.name)
def test_sets_are_spelled_by_their_letters(framework: Framework) -> None:
    assert "".join(word[0] for word, _ in framework.letters).upper() == framework.name
    unknown = {name for name in framework.measures if name not in ONLINE_MEASURES}
    assert unknown <= {"satisfaction"}  # which is learned
    assert OEC.equal(framework.measures, {}).names == framework.measures


ONE = {"ctr": Standard(0, 1)}


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (lambda: OEC(()), "one measure or more"),
        (lambda: OEC.parse(""), "'' cannot be read"),
        (lambda: OEC.parse("0.5 ctr"), "'0.5 ctr' cannot be read"),
        (lambda: OEC.parse("0.5*ctr dwell"), "'dwell' cannot be read"),
        (lambda: OEC.parse("0.5*ctr + * dwell"), "cannot be read"),
        (lambda: OEC.parse("0.5*ctr +"), "cannot be read"),
        (lambda: OEC.parse("ctr + CTR"), "ctr stands twice"),
        (lambda: OEC.parse("0*ctr"), "ctr cannot have the weight 0.0"),
        (lambda: OEC((("ctr", float("nan")),)), "ctr cannot have the weight nan"),
        (lambda: OEC.parse("crt").values(CONTROL, ONE), "there are no values of crt"),
        (lambda: OEC.parse("time_to_click").values(CONTROL, ONE), "there is no scale of time_to_click"),
        (lambda: OEC.parse("ctr").values({"ctr": np.ones((2, 2))}, ONE), "not of the same users"),
        (lambda: OEC.parse("a+b").values({"a": np.ones(2), "b": np.ones(3)}, ONE), "not of the same users"),
        (lambda: OEC.parse("ctr").values({"ctr": np.array([np.inf])}, ONE), "ctr is infinite for some user"),
        (lambda: OEC.parse("ctr").values(CONTROL, ONE, missing="zero"), "by 'zero'"),  # type: ignore[arg-type]
        (lambda: Standard(0, 0), "nothing is standardised"),
        (lambda: Standard(float("nan"), 1), "nothing is standardised"),
        (lambda: standards_of({"ctr": np.ones(5)}), "ctr does not vary"),
        (lambda: standards_of({"ctr": np.array([1, np.nan])}), "ctr does not vary"),
    ],
)
def test_what_is_no_criterion_is_refused(call: Callable[[], Any], problem: str) -> None:
    with pytest.raises(ParameterError, match=problem):
        call()
