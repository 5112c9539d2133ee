"""The Markov session measure: by hand on pages of two documents, and by walking step by step on longer ones."""

from collections.abc import Mapping
from fractions import Fraction
from math import log

import pytest

from cranfield.core import CranfieldError
from cranfield.data import assess
from cranfield.measures import MarkovSession, parse_session_measure, session_values

# One session of three rankings: grades from the top.
GRADES = {"t1": (0, 2), "t2": (1, 0), "t3": (3, 1)}
SESSIONS = {"t1": ("a", 1), "t2": ("a", 2), "t3": ("a", 3)}
STEPS = 1500  # of a walk: nobody is left by then


def value_of(measure: str | MarkovSession, grades: Mapping[str, tuple[int, ...]] | None = None) -> float:
    """The value of the one session."""
    judged = grades or GRADES
    qrels = {topic: {f"d{place}": grade for place, grade in enumerate(row)} for topic, row in judged.items()}
    run = {topic: {document: -float(place) for place, document in enumerate(row)} for topic, row in qrels.items()}
    return float(session_values(assess(qrels, {"run": run}), SESSIONS, measure).cube[0, 0, 0])


def test_pages_of_two_documents_by_hand() -> None:
    p, q, r = Fraction(1, 2), Fraction(1, 10), Fraction(3, 10)
    s = 1 - p - q - r
    # Asking again, if the session goes on: x1 = 1 + a·x2, x2 = 1 + b·x1.
    a, b = p / (p + r), q / (q + r)
    asking = (1 + a) / (1 - a * b)
    # The end: h1 = s/(p+r+s) + p/(p+r+s) · h2, h2 = s/(q+r+s) + q/(q+r+s) · h1.
    first, last = p + r + s, q + r + s
    ends = (s / first + p / first * s / last) / (1 - p / first * q / last)
    times = [0, 1]  # from rank 1 to rank 2 it is one step: there is nothing before rank 1
    expected = sum(
        (1 - ends) ** j * Fraction(grade) / (1 + time + j * asking)
        for j, row in enumerate(GRADES.values())
        for grade, time in zip(row, times, strict=True)
    )
    assert value_of("MsM(p=0.5,q=0.1,r=0.3)@2") == pytest.approx(float(expected), rel=1e-12)
    logged = sum(
        float(1 - ends) ** j * grade / (1 + log(1 + time + j * asking))
        for j, row in enumerate(GRADES.values())
        for grade, time in zip(row, times, strict=True)
    )
    assert value_of("MsM(p=0.5,q=0.1,r=0.3,discount='log')@2") == pytest.approx(logged, rel=1e-12)


def chances(rank: int, depth: int, p: float, q: float, r: float) -> dict[str, float]:
    """Where a walk goes next from a rank, counted from 1."""
    there = {"next": p if rank < depth else 0.0, "before": q if rank > 1 else 0.0, "ask": r, "end": 1 - p - q - r}
    whole = sum(there.values())
    return {where: chance / whole for where, chance in there.items()}


def walked(depth: int, p: float, q: float, r: float, *, out: tuple[str, ...] = (), goal: int = 0) -> dict[str, float]:
    """Step by step until nobody is left: who comes to the goal, asks again, ends, and the mean time of all that.

    Nobody takes the ways ``out``: chances are those of the users who do not.
    """
    found = {"goal": 0.0, "ask": 0.0, "end": 0.0, "time": 0.0}
    left = {1: 1.0}
    for step in range(1, STEPS):
        moved = dict.fromkeys(range(1, depth + 1), 0.0)
        for rank, share in left.items():
            if not share:
                continue
            where = {name: chance for name, chance in chances(rank, depth, p, q, r).items() if name not in out}
            for name, chance in where.items():
                went = share * chance / sum(where.values())
                to = {"next": rank + 1, "before": rank - 1}.get(name)
                if to in moved and to != goal:
                    moved[to] += went
                elif went:
                    found["goal" if to else name] += went
                    found["time"] += step * went
        left = moved
    assert found["goal"] + found["ask"] + found["end"] == pytest.approx(1, abs=1e-12)
    return found


@pytest.mark.parametrize(("p", "q", "r"), [(0.5, 0.3, 0.1), (0.8, 0.0, 0.1), (0.2, 0.4, 0.2)])
def test_longer_pages_step_by_step(p: float, q: float, r: float) -> None:
    grades = {"t1": (1, 0, 2, 3), "t2": (0, 1, 1, 0), "t3": (2, 0, 0, 1)}
    times = [0.0, *(walked(4, p, q, r, out=("ask", "end"), goal=goal)["time"] for goal in (2, 3, 4))]
    asking, again = walked(4, p, q, r, out=("end",))["time"], walked(4, p, q, r)["ask"]
    expected = sum(
        again**j * grade / (1 + times[place] + j * asking)
        for j, row in enumerate(grades.values())
        for place, grade in enumerate(row)
    )
    assert value_of(MarkovSession(p=p, q=q, r=r, k=4), grades) == pytest.approx(expected, rel=1e-9)


def test_who_never_steps_back_reaches_rank_i_after_i_minus_1_steps() -> None:
    first = {"t1": (0, 1, 0, 2), "t2": (0, 0, 0, 0), "t3": (0, 0, 0, 0)}
    assert value_of("MsM@4", first) == pytest.approx(1 / 2 + 2 / 4, rel=1e-12)
    assert value_of("MsM@3", first) == pytest.approx(1 / 2, rel=1e-12)  # nobody sees rank 4


def test_on_pages_of_one_document_users_ask_again_or_end() -> None:
    """One step, and with .1 against .1 half of them ask again."""
    expected = 0 + 1 / 2 / (1 + 1) + 1 / 4 * 3 / (1 + 2)
    assert value_of("MsM@1") == pytest.approx(expected, rel=1e-12)


def test_it_is_written_and_read() -> None:
    measure = MarkovSession(p=0.5, q=0.1, discount="log", k=5)
    assert str(measure) == "MsM(discount='log',p=0.5,q=0.1)@5"
    assert parse_session_measure(str(measure)) == measure
    for wrong in ("MsM(p=0.9)", "MsM(p=0.5,q=0.5)", "MsM(r=0)", "MsM@0", "MsM(discount='exp')"):
        with pytest.raises(CranfieldError, match=r"\nhint: "):
            parse_session_measure(wrong)
    with pytest.raises(CranfieldError, match="never ends\nhint: p, q and r add up to less than 1"):
        MarkovSession(p=0.9)
