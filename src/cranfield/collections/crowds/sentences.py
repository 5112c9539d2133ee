"""Sentences that report spammers and the agreement of LLM judges with people."""

from collections.abc import Sequence
from typing import Any

from cranfield.core import Table

NAMED = 3  # so many workers are named one by one
AGAINST = "against the others"  # how the reason begins


def workers_sentence(workers: Table, *, what: str = "labels") -> str:
    """Who answers without looking, and who against the others; nothing where nobody does."""
    rows: list[dict[str, Any]] = workers.rows()
    total = sum(row["labels"] for row in rows)
    named = [row for row in rows if row["spammer"]]
    against = [row for row in named if str(row["why"]).startswith(AGAINST)]
    blind = [row for row in named if row not in against]
    said = [_who(blind, total, what, "as if without looking"), _who(against, total, what, AGAINST)]
    return " ".join(filter(None, said))


def _who(rows: Sequence[dict[str, Any]], total: int, what: str, how: str) -> str:
    if not rows:
        return ""
    share = sum(row["labels"] for row in rows) / total
    names = ", ".join(str(row["worker"]) for row in rows[:NAMED])
    more = f" and {len(rows) - NAMED:,} more" * (len(rows) > NAMED)
    many = "1 worker" if len(rows) == 1 else f"{len(rows):,} workers"
    return f"{names}{more} ({many}, {share:.1%} of the {what}) answer{'s' * (len(rows) == 1)} {how}."


def machine_votes_sentence(machines: Table) -> str:
    """How often machines prefer what people together prefer."""
    said = []
    for row in machines.rows():
        if not row["items"]:
            said.append(f"{row['machine']} voted on nothing that people did.")
            continue
        pairs = "1 pair" if row["items"] == 1 else f"{row['items']:,} pairs"
        kappa = "" if row["kappa"] is None else f" (κ {row['kappa']:.2f})"
        said.append(f"{row['machine']} votes as people together do on {row['equal']:.1%} of {pairs}{kappa}.")
    return " ".join(said)
