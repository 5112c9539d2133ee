"""Chart of the possible values of a measure over all rankings, and the gaps between them."""

from collections import Counter
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import ceil, floor
from textwrap import wrap
from typing import TYPE_CHECKING, Any, ClassVar

from cranfield.charts.base import Chart, Picture, chart, inline
from cranfield.charts.chart_text import WIDE, headline, number, short
from cranfield.charts.label_placement import spread
from cranfield.charts.proportion_bars import A, B
from cranfield.charts.theme import FAINT, INK, PALE, QUIET, THEME
from cranfield.core import Table, need
from cranfield.core.rendering import visible

from .spacing_data import EVEN, HIGH, UNEVEN, Panel, equal_or_not, panels_of

if TYPE_CHECKING:
    import altair as alt
else:
    alt = need("altair", extra="charts")

HEAD, FOOT = 50, 18  # points over a panel, for its words, and under it
ACROSS, MOST = 5, 15  # panels: side by side, and in all
APART = 200  # points from one panel to the next, at most
SQUARES, TICKS = 40, 150  # up to so many values are squares, or thin lines
BINS = HIGH // 2
INSIDE = 25  # points from the left of a panel to its axis, where numbers stand
BESIDE = 14  # points from the axis to the words
SIZE, LINE = 9, 9.6  # of rankings
MOVED = 18  # points that they may stand above or below their value
MONO, LETTER = "Menlo, Consolas, 'Liberation Mono', 'DejaVu Sans Mono', monospace", 0.61


@dataclass(frozen=True)
class Sheet:
    """Panels in rows of equal length, and where each begins."""

    panels: list[Panel]

    @property
    def rows(self) -> int:
        return ceil(len(self.panels) / ACROSS)

    @property
    def across(self) -> int:
        return ceil(len(self.panels) / self.rows)

    @property
    def pitch(self) -> float:
        """From the left of one panel to that of the next."""
        return min(WIDE / self.across, APART)

    @property
    def width(self) -> float:
        return self.across * self.pitch

    @property
    def wide(self) -> float:
        """What is left beside an axis."""
        return self.pitch - INSIDE - 10

    @property
    def high(self) -> int:
        return self.rows * (HEAD + HIGH + FOOT)

    def placed(self) -> list[tuple[Panel, float, float]]:
        """Each panel, and the lower end of its axis, in points from the left and from the bottom."""
        down = [self.high - (row + 1) * (HEAD + HIGH + FOOT) + FOOT for row in range(self.rows)]
        return [
            (panel, i % self.across * self.pitch + INSIDE, down[i // self.across])
            for i, panel in enumerate(self.panels)
        ]

    def at(self, x: str, y: str) -> dict[str, Any]:
        """Columns that hold places, as altair knows them."""
        across, up = (alt.Scale(domain=[0, end], nice=False, zero=False) for end in (self.width, self.high))
        return {"x": alt.X(f"{x}:Q", axis=None, scale=across), "y": alt.Y(f"{y}:Q", axis=None, scale=up)}


@chart("spacing", cite="ferro2024,ferrante2021")
class Spacings(Chart):
    """Spacing of values: the values that a measure can take on all rankings, and the gaps between them."""

    table: ClassVar[str] = "values"

    def draw(self, table: Table) -> Picture:
        """A panel for each measure: squares at its values with their rankings; of many values how dense they are."""
        every = list(panels_of(table))
        sheet = Sheet(every[:MOST])
        common = all(panel.common for panel in sheet.panels)
        letters = floor((sheet.pitch - INSIDE - BESIDE) / (SIZE * LETTER))
        named = [row for placed in sheet.placed() for row in _named(*placed, letters)]
        layers = [*_axes(sheet, common=common, grid=not named), *_marks(sheet), *_words(sheet, named), *_heads(sheet)]
        some = f"{sum(panel.kind == EVEN for panel in every)} of {len(every)} measures have equal steps"
        finding = equal_or_not(every) if len(every) <= MOST else some
        told = _told(sheet.panels, len(every), named=bool(named), common=common)
        title = headline(finding, visible(table.caption.removeprefix("values, ")), *told, *map(visible, table.notes))
        return alt.layer(*layers).properties(title=title, width=sheet.width, height=sheet.high).configure(**THEME)


def _told(panels: list[Panel], every: int, *, named: bool, common: bool) -> list[str]:
    """How to read the chart."""
    how = "the values that a measure can have, the best on top"
    if named:
        how += "; beside a value the rankings that have it, grade by grade, where they fit"
    dense = any(len(panel.values) > TICKS for panel in panels)
    return [
        how,
        "the wider, the more values lie there" * dense,
        "each measure has its own axis" * (not common and len(panels) > 1),
        f"the first {MOST} of {every} measures" * (every > MOST),
    ]


def _named(panel: Panel, x: float, y: float, letters: int) -> list[dict[str, Any]]:
    """Where the rankings of a panel stand: none over another, each near its value; else some are left out."""
    words = [wrap(each, letters) if letters >= max(map(len, each.split() or [""])) else [] for each in panel.rankings]
    most = next((n for n in (8, 4, 2) if sum(min(len(lines), n) for lines in words) * LINE <= HIGH), 1)
    at = [
        (panel.axis.at(v), _cut(lines, most, letters)) for v, lines in zip(panel.values, words, strict=False) if lines
    ]
    at.sort(key=lambda value: value[0])
    while True:
        # Lines of one value want the same place, and come to stand around it.
        flat = [(place, line) for place, lines in at for line in reversed(lines)]
        heights = _between(spread([place for place, _ in flat], LINE))
        ends = list(accumulate((len(lines) for _, lines in at), initial=0))
        middles = [sum(heights[start:end]) / (end - start) for start, end in pairwise(ends)]
        moved = [abs(m - place) * (len(lines) == 1) for m, (place, lines) in zip(middles, at, strict=True)]
        if max(moved, default=0) <= MOVED:
            break
        crowded = min(range(1, len(at) - 1), key=lambda i: at[i + 1][0] - at[i - 1][0], default=moved.index(max(moved)))
        del at[crowded]
    to = [middle for middle, (_, lines) in zip(middles, at, strict=True) for _ in lines]
    return [
        {"x": x + BESIDE, "y": y + height, "label": line, "from_x": x + 4, "to_x": x + BESIDE - 2}
        | {"from_y": y + place, "to_y": y + middle}
        for height, middle, (place, line) in zip(heights, to, flat, strict=True)
    ]


def _cut(words: list[str], most: int, letters: int) -> list[str]:
    """The first lines, and a sign that there are more."""
    if len(words) <= most:
        return words
    last = words[most - 1].removesuffix(" …")
    return [*words[: most - 1], f"{last if len(last) + 2 <= letters else last.rpartition(' ')[0]} …".strip()]


def _between(heights: list[float]) -> list[float]:
    """The heights moved in from below the panel, and from above it; they stay apart."""
    low, high = 0.0, float(HIGH)
    for i, height in enumerate(heights):
        heights[i] = max(height, low)
        low = heights[i] + LINE
    for i in reversed(range(len(heights))):
        heights[i] = min(heights[i], high)
        high = heights[i] - LINE
    return heights


def _axes(sheet: Sheet, *, common: bool, grid: bool) -> list["alt.Chart"]:
    """A line for each panel, with its ends and its middle; once for a row where all have the same."""
    lines, ticks, levels = [], [], []
    for i, (panel, x, y) in enumerate(sheet.placed()):
        lines.append({"x": x, "y": y, "top": y + HIGH})
        if common and i % sheet.across:
            continue
        shares = (0, 0.25, 0.5, 0.75, 1) if panel.common else (0, 0.5, 1)
        for share in shares:
            height = y + share * HIGH
            ticks.append({"x": x - 7, "y": height, "label": number(panel.axis.value(share * HIGH), 2)})
            end = x if not grid else sheet.width if common else x + sheet.wide
            levels.append({"x": x - 4, "y": height, "end": end})
    return [
        alt.Chart(inline(levels))
        .mark_rule(color=FAINT if grid else PALE, aria=False)
        .encode(**sheet.at("x", "y"), x2="end:Q"),
        alt.Chart(inline(lines)).mark_rule(color=PALE, aria=False).encode(**sheet.at("x", "y"), y2="top:Q"),
        alt.Chart(inline(ticks))
        .mark_text(align="right", baseline="middle", fontSize=10, color=QUIET)
        .encode(**sheet.at("x", "y"), text="label:N"),
    ]


def _marks(sheet: Sheet) -> list["alt.Chart"]:
    """Squares, thin lines or, of very many values, how many lie at each height."""
    squares: list[dict[str, Any]] = []
    bars: list[dict[str, Any]] = []
    for panel, x, y in sheet.placed():
        values = len(panel.values)
        if values <= SQUARES:
            rows = [{"x": x, "y": y + panel.axis.at(value), "value": value} for value in panel.values]
        elif values <= TICKS:
            heights = [(value, y + panel.axis.at(value)) for value in panel.values]
            rows = [{"x": x, "end": x + 16, "y": at - 0.5, "top": at + 0.5, "value": value} for value, at in heights]
        else:
            rows = _dense(panel, x, y, sheet.wide)
        (squares if values <= SQUARES else bars).extend(
            {**row, "measure": panel.measure, "kind": panel.kind} for row in rows
        )
    kinds = {panel.kind for panel in sheet.panels}
    legend = alt.Legend(orient="top", direction="horizontal", symbolType="square") if len(kinds) > 1 else None
    colour = alt.Color("kind:N", scale=alt.Scale(domain=[EVEN, UNEVEN], range=[A, B]), legend=legend)
    drawn = [
        (bars, alt.Chart(inline(bars)).mark_rect(aria=False).encode(x2="end:Q", y2="top:Q")),
        (squares, alt.Chart(inline(squares)).mark_square(size=34, opacity=1, stroke="white", strokeWidth=0.7)),
    ]
    return [layer.encode(**sheet.at("x", "y"), color=colour) for rows, layer in drawn if rows]


def _dense(panel: Panel, x: float, y: float, wide: float) -> list[dict[str, Any]]:
    """How many values lie at each height, as bars of which the longest is as wide as the panel."""
    counts = Counter(min(int(panel.axis.at(value) / HIGH * BINS), BINS - 1) for value in panel.values)
    most, step = max(counts.values()), HIGH / BINS
    return [
        {"x": x, "y": y + place * step, "top": y + (place + 1) * step, "end": x + wide * count / most, "values": count}
        for place, count in sorted(counts.items())
    ]


def _words(sheet: Sheet, named: list[dict[str, Any]]) -> list["alt.Chart"]:
    """Rankings beside their values, with a thin line where they had to move away."""
    moved = [row for row in named if abs(row["to_y"] - row["from_y"]) > 1]
    lines = alt.Chart(inline(moved)).mark_rule(color=PALE, aria=False)
    words = alt.Chart(inline(named)).mark_text(align="left", baseline="middle", font=MONO, fontSize=SIZE, color=INK)
    ends = {"x2": "to_x:Q", "y2": "to_y:Q"}
    return [
        *[lines.encode(**sheet.at("from_x", "from_y"), **ends)] * bool(moved),
        *[words.encode(**sheet.at("x", "y"), text="label:N")] * bool(named),
    ]


def _heads(sheet: Sheet) -> list["alt.Chart"]:
    """Over each panel its measure, how many values it has, and its steps."""
    letters = floor((sheet.pitch - 8) / 6.2)
    names, told = [], []
    for panel, x, y in sheet.placed():
        names.append({"x": x - 6, "y": y + HIGH + 42, "label": short(panel.measure, letters)})
        told.append({"x": x - 6, "y": y + HIGH + 28, "label": panel.count})
        told.append({"x": x - 6, "y": y + HIGH + 16, "label": panel.steps})
    names_, told_ = (alt.Chart(inline(rows)).encode(**sheet.at("x", "y"), text="label:N") for rows in (names, told))
    return [
        names_.mark_text(align="left", baseline="middle", fontSize=11, fontWeight="bold", color=INK),
        told_.mark_text(align="left", baseline="middle", fontSize=10, color=QUIET),
    ]
