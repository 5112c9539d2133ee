"""Stacked bars of proportions, for topics or pairs of runs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cranfield.core import need

from .base import Picture, inline
from .chart_text import WIDE, percent, short
from .theme import COLOURS, INK, QUIET, THEME

if TYPE_CHECKING:
    import altair as alt
else:
    alt = need("altair", extra="charts")

A, B = COLOURS[:2]  # of the two runs of a pair, wherever they are drawn
DARK = {A}  # parts on which words are white
ROOMY = 25  # up to so many bars have words of full size
ON_DARK = alt.condition("datum.dark", alt.value("white"), alt.value(INK))  # the colour of words on a part
FITS = 25  # points that a share as text needs


@dataclass(frozen=True)
class Bar:
    """The shares of the parts, the two runs they are about, and what else the bar is called."""

    a: str
    b: str
    shares: Mapping[str, float]
    name: str = ""


def stacked(
    bars: list[Bar], parts: Mapping[str, str], words: Mapping[str, str], title: "alt.TitleParams", what: str = "topics"
) -> Picture:
    """Bars from 0 to 1 with ``parts`` (name: colour) in their order, called by ``words``, in which runs have braces.

    A run that is the same in all bars is named among the words, the others stand at the two ends of their bars.
    """
    names = {side: {getattr(bar, side) for bar in bars} for side in ("a", "b")}
    known = {side: short(next(iter(found)), 22) for side, found in names.items() if len(found) == 1}
    called = {
        part: words[part].format(**{"a": "the run on the left", "b": "the run on the right"} | known) for part in parts
    }
    rows = [{**row, "part": called[row["part"]]} for i, bar in enumerate(bars) for row in _cut(bar, i, parts)]
    roomy = len(bars) <= ROOMY
    step = 26 if roomy else 12
    down = alt.Y("bar:O", axis=None, scale=alt.Scale(paddingInner=0.25, paddingOuter=0.1))
    across = alt.X(
        "start:Q",
        scale=alt.Scale(domain=[0, 1], nice=False),
        axis=alt.Axis(title=f"proportion of {what}", format="%", grid=False, tickCount=5),
    )
    legend = alt.Legend(orient="top", direction="horizontal", symbolType="square", labelLimit=230, columns=len(parts))
    colour = alt.Color(
        "part:N", scale=alt.Scale(domain=list(called.values()), range=list(parts.values())), legend=legend
    )
    base = alt.Chart(inline(rows)).encode(y=down)
    layers: list[Any] = [
        base.mark_bar(stroke="white", strokeWidth=1, aria=roomy).encode(x=across, x2="end:Q", color=colour)
    ]
    if roomy:
        layers.append(base.mark_text(fontSize=11).encode(x="middle:Q", text="label:N", color=ON_DARK))
    layers += _ends(bars, down, known, roomy=roomy)
    return alt.layer(*layers).properties(title=title, width=WIDE, height=step * len(bars) + 4).configure(**THEME)


def _ends(bars: list[Bar], down: "alt.Y", known: Mapping[str, str], *, roomy: bool) -> list["alt.Chart"]:
    """What stands beside the bars: what a bar is called, and runs that are not the same in all."""
    rows = [
        {"bar": i, "left": bar.name or short(bar.a) * ("a" not in known), "right": short(bar.b) * ("b" not in known)}
        for i, bar in enumerate(bars)
    ]
    size, ink = (12, INK) if roomy else (8, QUIET)
    left = alt.Chart(inline(rows)).mark_text(align="right", dx=-6, fontSize=size, color=ink)
    right = alt.Chart(inline(rows)).mark_text(align="left", dx=6, fontSize=size, color=ink)
    return [
        text.encode(y=down, x=alt.value(x), text=f"{side}:N")
        for side, x, text in (("left", 0, left), ("right", WIDE, right))
        if any(row[side] for row in rows)
    ]


def _cut(bar: Bar, place: int, parts: Mapping[str, str]) -> list[dict[str, Any]]:
    """Where each part of a bar begins and ends, and its share as text where that fits."""
    rows, start = [], 0.0
    for part, colour in parts.items():
        share = bar.shares.get(part) or 0.0
        if share:
            label = percent(share) if share * WIDE >= FITS else ""
            middle = start + share / 2
            rows.append(
                {"bar": place, "part": part, "start": start, "end": start + share, "share": share}
                | {"label": label, "middle": middle, "dark": colour in DARK}
            )
        start += share
    return rows
