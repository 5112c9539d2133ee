"""What tables of workers say, in words."""

from typing import Any

from cranfield.core import Table

NAMED = 3  # so many workers are named one by one


def workers_sentence(workers: Table) -> str:
    """Who answers without looking, and who has changed; nothing where everybody is as they should be."""
    rows: list[dict[str, Any]] = workers.rows()
    spammers = [row for row in rows if row["spammer"]]
    if not spammers:
        return ""
    share = sum(row["labels"] for row in spammers) / sum(row["labels"] for row in rows)
    names = ", ".join(str(row["worker"]) for row in spammers[:NAMED])
    more = f" and {len(spammers) - NAMED:,} more" * (len(spammers) > NAMED)
    who = f"{names}{more} (1 worker" if len(spammers) == 1 else f"{names}{more} ({len(spammers):,} workers"
    verb = "answers" if len(spammers) == 1 else "answer"
    return f"{who}, {share:.1%} of the labels) {verb} as if without looking."
