"""The page of the documentation that lists all corruptions: its tables, and a command that writes them."""

import re
from typing import Any

from tests.support.source_tree import ROOT

from .base import Corruptions
from .logs import KINDS
from .runs import CORRUPTIONS

PAGE = ROOT / "docs" / "reference" / "damaged-data.md"
ANSWERS = {
    "error": "error",
    "warning": "warning",
    "unchanged": "the same values",
}
TITLES = {"A/B test": "Logs of an A/B test", "interleaving": "Logs of interleaved pages", "policy": "Logs of a policy"}


def corruption_tables() -> str:
    """Return one table for runs and judgments and one for each kind of log."""
    groups = {"Runs and judgments": CORRUPTIONS} | {TITLES[kind]: log.corruptions for kind, log in KINDS.items()}
    return "\n".join(f"## {title}\n\n{_table(group)}" for title, group in groups.items())


def _table(group: Corruptions[Any]) -> str:
    rows = [f"| {one.meaning} | {ANSWERS[one.answer]}{f' ({one.code})' if one.code else ''} |" for one in group.all]
    return "\n".join(["| what is damaged | answer |", "|---|---|", *rows, ""])


if __name__ == "__main__":
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(re.sub(r"## Runs and judgments\n.*", corruption_tables(), text, flags=re.DOTALL), encoding="utf-8")
