"""Pages of a log of which some rows are excluded."""

from typing import Any

from cranfield.data import read_log


def test_pages_are_counted_whose_rows_have_gaps_because_others_are_excluded() -> None:
    """The document without a name is the second, the first or the last of a page; one page has no user at all."""
    unnamed = {("middle", 2), ("top", 1), ("last", 3)}
    arms = {"middle": "A", "top": "B", "last": "B", "no user": "A", "twice": "B", "good": "A"}
    rows: list[tuple[str, int]] = [(page, rank) for page in arms for rank in (1, 2, 3)] + [("twice", 2)]
    log: dict[str, list[Any]] = {
        "impression": [page for page, _ in rows],
        "user": [None if page == "no user" else f"u{page}" for page, _ in rows],
        "arm": [arms[page] for page, _ in rows],
        "topic": ["q" for _ in rows],
        "rank": [rank for _, rank in rows],
        "document": [None if row in unnamed else f"d{number}" for number, row in enumerate(rows)],
        "clicked": [int(rank == 3) for _, rank in rows],
    }
    excluded = read_log(log).excluded
    assert excluded.rows == 3 + 3 + 1  # without a document, without a user, and a rank that is there twice
    assert excluded.pages_with_gaps == {"A": 1, "B": 1}
    del log["arm"]
    assert read_log(log).excluded.pages_with_gaps == {None: 2}
    good = {name: cells[-4:-1] for name, cells in log.items()}
    assert read_log(good).excluded.pages_with_gaps == {}
