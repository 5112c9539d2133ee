"""Template filters that format numbers, dates, links and table cells."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

from django import template
from django.utils.html import format_html

from cranfield.server.site.markdown import to_html

if TYPE_CHECKING:
    from django.utils.safestring import SafeString

register = template.Library()
NOTHING = "–"
SPACE = "\N{NO-BREAK SPACE}"
PERCENT = f"{SPACE}%"
MINUS = re.compile(r"(?<=[ (\[])-(?=\.?\d)")


@register.filter
def number(value: Any, places: int = 4) -> str:
    """A number with so many places; a dash where there is none."""
    return NOTHING if value is None else f"{value:.{places}f}"


@register.filter
def count(value: int) -> str:
    """How many, readable when there are many."""
    return f"{value:,}"


@register.filter
def signed(value: Any, places: int = 4) -> str:
    """A difference with its sign; a dash where there is none."""
    return NOTHING if value is None else f"{value:+z.{places}f}".replace("-", "−")


@register.filter
def told(sentence: Any) -> str:
    """What the library says, set as pages are: with a minus sign, and a space before the sign of percent."""
    return re.sub(r"(?<=\d)%", PERCENT, MINUS.sub("−", str(sentence or "")))


@register.filter
def percent(value: Any) -> str:
    """A share as a percentage; a dash where there is none."""
    return NOTHING if value is None else f"{100 * value:.0f}{PERCENT}"


@register.filter
def p_value(value: Any) -> str:
    """A p-value with its sign of relation: never zero."""
    if value is None:
        return NOTHING
    if value < 0.001:
        return f"p{SPACE}<{SPACE}.001"
    return f"p{SPACE}>{SPACE}.999" if value > 0.999 else f"p{SPACE}={SPACE}{value:.3f}".replace("0.", ".", 1)


@register.filter
def chance(value: Any) -> str:
    """A probability as a percentage that is never rounded to certainty."""
    if value is None:
        return NOTHING
    if value < 0.001:
        return f"<0.1{PERCENT}"
    if 0.999 < value < 1:
        return f">99.9{PERCENT}"
    return f"{100 * value:.1f}{PERCENT}"


@register.filter
def as_told(value: Any) -> str:
    """A number with the digits it was released with, and no more."""
    return NOTHING if value is None else f"{value:g}"


@register.filter
def moment(value: datetime | None) -> str | SafeString:
    """A time in UTC, to the minute, which programs can read too."""
    if value is None:
        return NOTHING
    told = value.astimezone(UTC)
    return format_html('<time datetime="{}">{}</time>', f"{told:%Y-%m-%dT%H:%MZ}", f"{told:%Y-%m-%d %H:%M} UTC")


@register.filter
def day(value: date | datetime | str | None) -> str | SafeString:
    """A day."""
    if not value:
        return NOTHING
    told = value.astimezone(UTC) if isinstance(value, datetime) else value
    text = told if isinstance(told, str) else f"{told:%Y-%m-%d}"
    return format_html('<time datetime="{}">{}</time>', text, text)


@register.filter
def markdown(text: str) -> SafeString:
    """What people wrote, safe to show."""
    return to_html(text)


@register.filter
def web(link: str) -> str:
    """A link, if it leads to a web page; forms take no other, and what came another way does not run here either."""
    return link if link.lower().startswith(("https://", "http://")) else ""


@register.filter
def words(name: str) -> str:
    """The name of a column as one reads it."""
    return name.replace("_", " ")


@register.filter
def cell(value: Any) -> SafeString:
    """A cell of a table with its tag: numbers to the right, with four decimals."""
    if isinstance(value, bool):
        return format_html("<td>{}</td>", "yes" if value else "no")
    if isinstance(value, int | float):
        shown = str(value) if isinstance(value, int) else _rounded(value)
        return format_html('<td class="number">{}</td>', shown.replace("-", "−"))
    return format_html("<td>{}</td>", "" if value is None else value)


def _rounded(value: float) -> str:
    return f"{value:.1e}" if 0 < abs(value) < 0.0001 else f"{value:.4f}"
