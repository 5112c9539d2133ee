"""EM beside loops over impressions that tell every story which may be behind the clicks, one at a time."""

from collections.abc import Iterator
from math import log
from typing import Any

import numpy as np
import pytest

from cranfield.online import CCM, DBN, DCM, PBM, SDBN, UBM, Fitted, Pages
from cranfield.online.clicks.expectation_maximisation import Climbing
from tests.support.simulations.click_logs import drawn

Values = dict[str, dict[int, float]]
Event = tuple[str, int, float]  # what, of whom, whether (or how likely) it happened
Story = tuple[float, list[Event]]  # its chance, and what happened in it


def ranks_apart(model: Climbing, values: Values, page: list[int], clicks: list[bool]) -> Iterator[Story]:
    """Stories of the position-based and the user browsing model: each rank is examined or not, attracts or not."""
    told: list[Story] = [(1.0, [])]
    last = 0
    for rank, (pair, clicked) in enumerate(zip(page, clicks, strict=True), 1):
        look = rank * (rank - 1) // 2 + last if isinstance(model, UBM) else rank - 1
        alpha, gamma = values["attraction"][pair], values["examination"][look]
        ways = [
            (
                (alpha if attracts else 1 - alpha) * (gamma if examined else 1 - gamma),
                [("attraction", pair, float(attracts)), ("examination", look, float(examined))],
            )
            for attracts in (True, False)
            for examined in (True, False)
            if (attracts and examined) == clicked
        ]
        told = [(chance * p, [*events, *more]) for chance, events in told for p, more in ways]
        last = rank if clicked else last
    yield from told


def going_down(model: Climbing, values: Values, page: list[int], clicks: list[bool], rank: int = 0) -> Iterator[Story]:
    """Stories of users who are at a rank, and go down."""
    if rank == len(page):
        yield 1.0, []
        return
    alpha = values["attraction"][page[rank]]
    first: Event = ("attraction", page[rank], float(clicks[rank]))
    if not clicks[rank]:
        yield from stepping(model, values, page, clicks, rank, 1 - alpha, [first], kind="skip")
        return
    chance, event = satisfaction(model, values, page[rank], rank)
    for satisfied in (True, False):
        kind = "satisfied" if satisfied else "click"
        happened = (event[0], event[1], float(satisfied != isinstance(model, DCM)))
        now = alpha * (chance if satisfied else 1 - chance)
        yield from stepping(model, values, page, clicks, rank, now, [first, happened], kind=kind)


def satisfaction(model: Climbing, values: Values, pair: int, rank: int) -> tuple[float, tuple[str, int]]:
    """The chance that a click satisfies, and what it is a matter of."""
    if isinstance(model, DCM):
        return 1 - values["continuation"][rank], ("continuation", rank)
    name = "attraction" if isinstance(model, CCM) else "satisfaction"
    return values[name][pair], (name, pair)


def stepping(
    model: Climbing,
    values: Values,
    page: list[int],
    clicks: list[bool],
    rank: int,
    chance: float,
    events: list[Event],
    *,
    kind: str,
) -> Iterator[Story]:
    """Stories of users who go on or stop after a rank."""
    which = {"skip": 0, "click": 1, "satisfied": 2}[kind] if isinstance(model, CCM) else 0
    if isinstance(model, CCM) or (isinstance(model, DBN) and kind != "satisfied"):
        on, more = values["continuation"][which], [("continuation", which)]
    else:
        on, more = float(kind != "satisfied"), []
    if rank == len(page) - 1:
        yield chance, events
        return
    for p, after in going_down(model, values, page, clicks, rank + 1) if on else ():
        yield chance * on * p, [*events, *((*one, 1.0) for one in more), *after]
    if not any(clicks[rank + 1 :]):
        unseen: list[Event] = [("attraction", pair, values["attraction"][pair]) for pair in page[rank + 1 :]]
        yield chance * (1 - on), [*events, *((*one, 0.0) for one in more), *unseen]


def literal(model: Climbing, pages: Pages, fitted: Fitted) -> tuple[Values, list[float]]:
    """The chances after as many rounds, and what was maximised after each."""
    tell = ranks_apart if isinstance(model, PBM | UBM) else going_down
    a, b = (1.0 if one is None else one for one in (model.a, model.b))
    start = a / (a + b)
    values: Values = {name: dict.fromkeys(range(len(one)), start) for name, one in fitted.estimates.items()}
    held = ("examination", 0) if isinstance(model, PBM | UBM) and model.first == "one" else None
    if held:
        values["examination"][0] = 1.0
    rows = pages.row_level()
    trace = []
    for turn in range(model.rounds + 1):
        num = {name: dict.fromkeys(one, 0.0) for name, one in values.items()}
        den = {name: dict.fromkeys(one, 0.0) for name, one in values.items()}
        objective = 0.0
        for pair, clicked in zip(rows.pair.tolist(), rows.clicked.tolist(), strict=True):
            page = [one for one in pair if one >= 0]
            stories = list(tell(model, values, page, clicked[: len(page)]))
            total = sum(chance for chance, _ in stories)
            objective += log(total)
            for chance, events in stories:
                for name, key, happened in events:
                    num[name][key] += chance / total * happened
                    den[name][key] += chance / total
        free = [values[name][key] for name in values for key in values[name] if (name, key) != held]
        trace.append(objective + sum(a * log(value) + b * log(1 - value) for value in free))
        if turn == model.rounds:
            return values, trace[1:]
        for name, of in values.items():
            for key in of:
                if (name, key) != held:
                    of[key] = (a + num[name][key]) / (a + b + den[name][key])
    raise AssertionError


PLAIN: dict[str, Any] = {"a": 1, "b": 1, "tolerance": 0}  # exactly so many rounds of EM, without extrapolation
MODELS: list[Climbing] = [
    PBM(rounds=3, method="em", **PLAIN),
    PBM(rounds=3, first="free", a=0.5, b=3, tolerance=0),
    UBM(rounds=3, method="em", **PLAIN),
    UBM(rounds=2, first="free", **PLAIN),
    DBN(rounds=1, **PLAIN),
    DBN(rounds=4, a=2, b=0.7, tolerance=0),
    CCM(rounds=1, **PLAIN),
    CCM(rounds=4, a=0.4, b=2, tolerance=0),
    SDBN(rounds=3, **PLAIN),
    DCM(rounds=3, **PLAIN),
]


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_rounds_are_those_of_the_stories(model: Climbing) -> None:
    pages = drawn(count=40, depth=4, seed=3)
    fitted = model.fit(pages)
    values, trace = literal(model, pages, fitted)
    assert fitted.rounds == model.rounds
    assert fitted.trace == pytest.approx(trace, rel=1e-12)
    for name, estimate in fitted.estimates.items():
        assert estimate.value == pytest.approx(np.array(list(values[name].values())), rel=1e-11), name
