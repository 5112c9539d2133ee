"""32 assessors at once at a real server: what was acknowledged is there, once, and the next document comes soon."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from benchmarks.judging import ASSESSORS, Kept, Load, differences, judge
from tests.support.run_size import SIZE

if TYPE_CHECKING:
    from pathlib import Path

SECONDS, SIZES = (120, (20, 50, 100)) if SIZE.name == "full" else (5, (6, 40, 30))  # runs, topics, documents


@pytest.mark.once
@pytest.mark.parametrize("name", ["SQLite", "PostgreSQL"])
def test_nothing_that_was_acknowledged_is_lost_or_doubled(tmp_path: Path, name: str) -> None:
    seen, wrong = judge(tmp_path / "home", name, SIZES, seconds=SECONDS, pace=0.2)  # five times as fast as they can
    sys.stdout.write(f"{name}: {seen}\n")
    assert wrong == []
    assert {one.who for one in seen.kept} == {f"assessor{number}" for number in range(ASSESSORS)}
    assert seen.again > 0


HELD = {
    "judgments": [["a", "a-1", "1", "d1", 0.0], ["b", "b-1", "2", "d1", 1.0]],
    "events": [
        [1, "asked", "1", "d1", None],
        [2, "asked", "2", "d1", None],
        [3, "told", "1", "d1", 0.0],
        [4, "told", "2", "d1", 1.0],
    ],
}
SENT = [Kept("a", "a-1", "1", "d1", 0.0), Kept("b", "b-1", "2", "d1", 1.0)]


@pytest.mark.parametrize(
    ("sent", "judgments", "events", "said"),
    [
        (SENT, HELD["judgments"], HELD["events"], []),
        (SENT, HELD["judgments"][:1], HELD["events"][:3], ["lost"]),
        (SENT[:1], HELD["judgments"], HELD["events"], ["not acknowledged"]),
        (
            SENT,
            [*HELD["judgments"], HELD["judgments"][0]],
            HELD["events"],
            ["not acknowledged", "judged 2 times by one person"],
        ),
        (
            [*SENT, Kept("b", "b-2", "1", "d1", 1.0)],
            [*HELD["judgments"], ["b", "b-2", "1", "d1", 1.0]],  # a second person, whose grade teaches nothing
            HELD["events"],
            [],
        ),
        (
            [*SENT, Kept("b", "b-2", "1", "d1", 1.0), Kept("c", "c-1", "1", "d1", 0.0)],
            [*HELD["judgments"], ["b", "b-2", "1", "d1", 1.0], ["c", "c-1", "1", "d1", 0.0]],
            HELD["events"],
            ["judged by 3 people"],
        ),
        (SENT, HELD["judgments"], [*HELD["events"][:3], [4, "told", "2", "d1", 0.0]], ["learnt"]),
        (SENT, HELD["judgments"], HELD["events"][1:], ["gap"]),
        (SENT, HELD["judgments"], HELD["events"][:3], ["learnt"]),
    ],
    ids=["good", "lost", "sent by nobody", "doubled", "two people", "too many", "wrongly learnt", "gap", "not learnt"],
)
def test_what_went_wrong_would_be_seen(
    sent: list[Kept], judgments: list[object], events: list[object], said: list[str]
) -> None:
    wrong = differences(Load(kept=sent), {"judgments": judgments, "events": events})
    assert len(wrong) == len(said)
    assert all(word in line for word, line in zip(said, wrong, strict=True)), wrong
