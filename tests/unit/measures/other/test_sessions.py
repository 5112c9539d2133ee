"""Measures of sessions: by hand, and where they are measures of one ranking."""

from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cranfield.core import CranfieldError, ParameterError
from cranfield.data import Assessed, assess
from cranfield.measures import (
    RBP,
    SESSION_MEASURES,
    SessionDCG,
    SessionRBP,
    measure_all,
    parse_session_measure,
    session_values,
)

EXACT = 1e-12
# One session of two rankings, and one of one; the first topic of a is its second ranking.
QRELS = {"t1": {"x": 1, "y": 2}, "t2": {"x": 1}, "t3": {"z": 1}}
RUN = {"t1": {"y": 2.0, "x": 1.0}, "t2": {"u": 2.0, "x": 1.0}, "t3": {"z": 1.0}}
SESSIONS = {"t1": ("a", 2), "t2": ("a", 1), "t3": ("b", 1)}


def assessed() -> Assessed:
    return assess(QRELS, {"run": RUN})


def by_session(measure: str) -> dict[str, float]:
    values = session_values(assessed(), SESSIONS, measure)
    return dict(zip(values.topics, values.cube[0, :, 0].tolist(), strict=True))


def dcg(*gains: float) -> float:
    return sum(gain / (log(rank + 1) / log(2)) for rank, gain in enumerate(gains, 1))


def test_session_dcg_by_hand() -> None:
    # At the second position: 1 + log4(2) = 3/2.
    expected = {"a": dcg(0, 1) + dcg(2, 1) / 1.5, "b": 1.0}
    assert by_session("sDCG") == pytest.approx(expected, abs=EXACT)
    assert by_session("sDCG(DCG@1)") == pytest.approx({"a": 2 / 1.5, "b": 1.0}, abs=EXACT)


def test_the_other_discount_by_hand() -> None:
    # log4(1 + 3) = 1, log4(2 + 3) = ln 5 / ln 4.
    expected = {"a": dcg(0, 1) + dcg(2, 1) * log(4) / log(5), "b": 1.0}
    assert by_session("sDCG(discount='shifted-log')") == pytest.approx(expected, abs=EXACT)


def test_session_rbp_by_hand() -> None:
    # p = .8, b = .5: down a ranking with .4, to the next one with (.8 - .4) / (1 - .4) = 2/3.
    expected = {"a": 0.2 * (0.4 + 2 / 3 * (1 + 0.4)), "b": 0.2}
    assert by_session("sRBP") == pytest.approx(expected, abs=EXACT)


@given(p=st.floats(0.01, 0.95), b=st.floats(0.01, 1))
def test_the_weights_of_all_ranks_of_all_rankings_sum_to_1(p: float, b: float) -> None:
    measure = SessionRBP(p=p, b=b)
    weight = measure.weight(np.arange(1.0, 2001))
    assert weight.sum() == pytest.approx(1, abs=1e-9)
    assert isinstance(measure.ranking, RBP)
    rank = np.arange(1.0, 2001)
    assert measure.ranking.discount(rank).sum() == pytest.approx(1, abs=1e-9)
    # lipani2019, as it is printed: (1 - p) ((p - bp) / (1 - bp))^(j - 1) (bp)^(n - 1).
    printed = (1 - p) * ((p - b * p) / (1 - b * p)) ** 2 * (b * p) ** 1
    assert weight[2] * measure.ranking.discount(rank)[1] == pytest.approx(printed, rel=1e-9, abs=1e-300)


def test_who_never_asks_again_has_the_rbp_of_the_first_ranking() -> None:
    first = measure_all(assessed(), RBP(p=0.7)).cube[0, :, 0]
    assert by_session("sRBP(b=1,p=0.7)") == pytest.approx({"a": first[1], "b": first[2]}, abs=EXACT)


def test_a_ranking_that_nobody_judged_takes_up_its_position() -> None:
    later = SESSIONS | {"t1": ("a", 3), "unjudged": ("a", 2)}
    value = session_values(assessed(), later, "sRBP").cube[0, 0, 0]
    assert value == pytest.approx(0.2 * (0.4 + (2 / 3) ** 2 * (1 + 0.4)), abs=EXACT)


def test_sessions_stand_where_topics_do() -> None:
    values = session_values(assess(QRELS, {"run": RUN, "short": {"t2": {"x": 1.0}}}), SESSIONS, ["sRBP", "sDCG"])
    assert values.topics == ("a", "b")
    assert [str(measure) for measure in values.measures] == ["sRBP", "sDCG(DCG)"]
    assert values.missing.tolist() == [[False, False], [False, True]]
    assert values.without_relevant.tolist() == [[False, False], [False, False]]
    assert values.mean().cells("sRBP") == pytest.approx(values.cube[:, :, 0].mean(axis=1).tolist())


@pytest.mark.parametrize("measure", [SessionDCG(bq=2.0), SessionRBP(p=0.5, b=0.25, max_rel=3, k=10), SessionRBP()])
def test_what_is_written_reads_back_as_the_same(measure: SessionDCG | SessionRBP) -> None:
    assert parse_session_measure(str(measure)) == measure
    assert parse_session_measure(measure) is measure


def test_every_session_measure_is_declared_with_a_formula_and_a_source() -> None:
    assert sorted(SESSION_MEASURES.names()) == ["MsM", "sDCG", "sRBP"]
    assert all(cls.formula and cls.cite for cls in SESSION_MEASURES)


@pytest.mark.parametrize(
    ("sessions", "says"),
    [
        ({"t1": ("a", 1)}, "topic t2 is in no session"),
        (SESSIONS | {"t1": ("a", 1)}, "two topics are at position 1 of session a"),
        (SESSIONS | {"t1": ("a", 0)}, "a position is no whole number from 1 up"),
    ],
)
def test_sessions_that_cannot_be_are_refused(sessions: dict[str, tuple[str, int]], says: str) -> None:
    with pytest.raises(ParameterError, match=rf"{says}\nhint: "):
        session_values(assessed(), sessions)


@pytest.mark.parametrize(
    "written", ["sDCG(AP)", "sRBP(b=0)", "sDCG(bq=1)", "sXYZ", "sDCG(discount='log')", "sRBP(AP)", "sDCG(x=1)"]
)
def test_a_session_measure_that_cannot_be_is_refused(written: str) -> None:
    with pytest.raises(CranfieldError, match=r"\nhint: "):
        parse_session_measure(written)
