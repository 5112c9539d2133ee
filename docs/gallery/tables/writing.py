"""Tables of the gallery: a script makes them, a page holds them between two comments, a test compares the two.

python -m docs.gallery.tables.writing writes them all into their pages. Tables of public data need CRANFIELD_DATA, and
those of the runs of TREC-8 need TREC8_SCORES, the path of a clone of github.com/isoboroff/trec8-scores.
"""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

PAGES = Path(__file__).parents[1]
HELD = re.compile(r"(?<=<!-- made: )(?P<name>[\w-]+)(?P<open> -->\n\n)(?P<table>.*?)(?=\n\n<!-- end -->)", re.DOTALL)


def table(columns: Sequence[str], rows: Iterable[Sequence[object]], *, words: int = 1) -> str:
    """A table as Markdown has it; the first columns are words, the others are numbers."""
    lines = [columns, [*["---"] * words, *["---:"] * (len(columns) - words)], *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def printed(text: str) -> list[list[str]]:
    """The cells of a table of numbers, line by line as a paper prints it."""
    return [line.split() for line in text.strip().splitlines()]


def held(page: Path) -> dict[str, str]:
    """The tables that a page holds, by name."""
    return {found["name"]: found["table"] for found in HELD.finditer(page.read_text(encoding="utf-8"))}


def write(tables: Mapping[str, str], page: Path) -> None:
    """Put tables into the page that holds them."""
    text = page.read_text(encoding="utf-8")
    new = HELD.sub(lambda found: found["name"] + found["open"] + tables.get(found["name"], found["table"]), text)
    page.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    from docs.gallery.tables import bigdeli, craswell, ferro, lin

    data, runs = os.environ.get("CRANFIELD_DATA"), os.environ.get("TREC8_SCORES")
    for paper in (ferro, bigdeli, lin, craswell):
        made = {name: make() for name, make in paper.TABLES.items()}
        made |= {name: make(Path(data)) for name, make in paper.FROM_DATA.items() if data}
        made |= {name: make(Path(runs)) for name, make in getattr(paper, "FROM_RUNS", {}).items() if runs}
        write(made, PAGES / paper.PAGE)
