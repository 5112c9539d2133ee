"""Text on charts: headlines, and short forms of numbers and names."""

from textwrap import wrap
from typing import TYPE_CHECKING, Any

from cranfield.core import CranfieldError, Direction, ParameterError, Table, need
from cranfield.core.rendering import visible, width
from cranfield.measures import parse_named

if TYPE_CHECKING:
    import altair as alt
else:
    alt = need("altair", extra="charts")

WIDE = 460  # points between the ends of the axis below
TITLE, SUBTITLE = 7.9, 6.1  # points that a letter of a title takes, and one below it
LONG = 30  # letters of a name
FIXED = "\N{NO-BREAK SPACE}"


def headline(finding: str, *told: str, wide: float = WIDE) -> "alt.TitleParams":
    """What the chart shows, in one sentence over it, and below it how to read it; no line wider than the chart."""
    lines = _lines(finding, int(wide / TITLE))
    below = [line for text in told if text for line in _lines(text, int(wide / SUBTITLE))]
    return alt.TitleParams(lines[0] if len(lines) == 1 else lines, subtitle=below)


def warned(title: "alt.TitleParams", warning: str) -> "alt.TitleParams":
    """Return a title that warns, with what it said before below."""
    finding: Any = title.text
    below = [finding] if isinstance(finding, str) else finding
    return headline(warning, " ".join(below), *title.subtitle)


def _lines(text: str, most: int) -> list[str]:
    """A text in as few lines as it needs, all of them about as long."""
    lines = wrap(text, most, break_long_words=False, break_on_hyphens=False)
    while len(even := wrap(text, most - 1, break_long_words=False, break_on_hyphens=False)) == len(lines) > 1:
        lines, most = even, most - 1
    return lines


def rows_of(table: Table, *columns: str, needs: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    """Some columns row by row, text made harmless, without rows that lack what ``needs`` names; refused if all do."""
    cells = [[visible(cell) if isinstance(cell, str) else cell for cell in table.cells(name)] for name in columns]
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*cells, strict=True)]
    found = [row for row in rows if all(row[name] is not None for name in needs)]
    if not found:
        hint = f"draw a table with a row that has {listed(needs)}"
        raise ParameterError(f"there is nothing to draw: no row has {listed(needs)}", hint=hint)
    return found


def first_of(rows: list[dict[str, Any]], *columns: str) -> list[dict[str, Any]]:
    """The rows that have in these columns what the first row has."""
    return [row for row in rows if all(row[name] == rows[0][name] for name in columns)]


def groups_of(rows: list[dict[str, Any]], *columns: str) -> list[list[dict[str, Any]]]:
    """The rows put together by what they have in these columns, in the order of the table."""
    found: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(tuple(row[name] for name in columns), []).append(row)
    return list(found.values())


def percent(share: float | None) -> str:
    """Return a proportion as text, such as 28%; only 0 is written 0%, and only 1 is written 100%."""
    if share is None:
        return "–"
    whole = round(100 * share)
    if whole in {0, 100} and share not in {0, 1}:
        return f"<{FIXED}1%" if whole == 0 else f">{FIXED}99%"
    return f"{whole}%"


def number(value: float, digits: int = 3) -> str:
    """A number as short text: .446, −.012, 12.5, 1,240."""
    size = abs(value)
    if size == round(size):
        text = f"{size:,.0f}"
    elif size < 1:
        text = f"{size:.{digits}f}".removeprefix("0")
        text = text if text.strip(".0") else "0"
    else:
        text = f"{size:,.{0 if size >= 100 else 1 if size >= 10 else 2}f}"
    return f"−{text}" if value < 0 and text != "0" else text


def signed(value: float, digits: int = 3) -> str:
    """A difference as short text, with its sign."""
    text = number(value, digits)
    return text if text == "0" or text.startswith("−") else f"+{text}"


def p_text(p: float) -> str:
    """Return a p-value as text: p = 0.013, p < 0.001."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def short(name: str, most: int = LONG) -> str:
    """A name cut in its middle where it is long: the ends tell runs apart."""
    if width(name) <= most:
        return name
    tail = most // 3
    return f"{name[: most - tail - 1].rstrip()}…{name[-tail:].lstrip()}"


def listed(words: tuple[str, ...] | list[str]) -> str:
    """Words as a sentence holds them: a, b and c."""
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def failed_checks(checks: Table | None) -> str:
    """Return "Failed check: …" with the names of the checks that failed; "" if none did."""
    rows = rows_of(checks, "check", "passed") if checks is not None and len(checks) else []
    failed = [row["check"] for row in rows if row["passed"] is False]
    return f"Failed check{'s' * (len(failed) > 1)}: {listed(failed)}" if failed else ""


def counted(n: int, word: str) -> str:
    """How many of something: 1 topic, 5,793 topics."""
    return f"{n:,} {word}{'' if n == 1 else 's'}"


def lower_is_better(measure: str) -> bool:
    """Whether a small value of a measure is a good one; numbers that are no measure of ours count upwards."""
    try:
        return parse_named(measure).direction is Direction.LOWER
    except CranfieldError:
        return False
