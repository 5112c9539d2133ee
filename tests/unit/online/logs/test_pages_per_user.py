"""Pages per user: a note where they differ between arms."""

from typing import Any

import cranfield as cf
from cranfield.data import read_log
from cranfield.online import pages_per_user_notes


def log(pages: dict[str, int], users: int = 60) -> dict[str, list[Any]]:
    """Return pages of one document; users of an arm have so many pages, and every third user one more."""
    rows = [
        (arm, f"{arm}{user}", f"{arm}{user}-{page}", (user + page) % 3 == 0)
        for arm, most in pages.items()
        for user in range(users)
        for page in range(most + (user % 3 == 0))
    ]
    arms, names, impressions, clicked = (list(column) for column in zip(*rows, strict=True))
    same: dict[str, list[Any]] = {"topic": ["q"] * len(rows), "rank": [1] * len(rows), "document": ["d"] * len(rows)}
    return {"arm": arms, "user": names, "impression": impressions, "clicked": clicked, **same}


def test_a_difference_is_noted() -> None:
    assert not pages_per_user_notes(read_log(log({"A": 4, "B": 4})))
    (note,) = pages_per_user_notes(read_log(log({"A": 4, "B": 3})))
    assert "A 4.33, B 3.33" in note  # every third user has one more
    assert not pages_per_user_notes(read_log(log({"A": 4, "B": 3}, users=6)))  # few users
    assert pages_per_user_notes(read_log(log({"A": 4, "B": 4, "C": 3})))


def test_a_log_without_users_or_arms_has_no_note() -> None:
    for name in ("user", "arm"):
        assert not pages_per_user_notes(read_log({k: v for k, v in log({"A": 4, "B": 3}).items() if k != name}))


def test_the_note_is_next_to_the_verdict() -> None:
    notes = cf.ab(log({"A": 4, "B": 3}), "ctr").tables["arms"].notes
    assert any(note.startswith("pages per user differ") for note in notes)
