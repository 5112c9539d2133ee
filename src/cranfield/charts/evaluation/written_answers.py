"""Chart of written answers: nuggets covered, and sentences supported by their citations."""

from typing import TYPE_CHECKING, Any, ClassVar

from cranfield.charts.base import Chart, Picture, chart, inline
from cranfield.charts.chart_text import WIDE, counted, groups_of, headline, percent, rows_of, short
from cranfield.charts.proportion_bars import ON_DARK, A
from cranfield.charts.theme import COLOURS, FAINT, INK, PALE, THEME
from cranfield.core import Table, need

if TYPE_CHECKING:
    import altair as alt
else:
    alt = need("altair", extra="charts")

Row = dict[str, Any]

MOST = 40  # runs that are drawn
ROOMY = 60  # up to so many bars have names and numbers of full size
HOW = "proportions are means over topics; in each block the run with the highest proportion in full is first"
FITS = 25  # points that a share as text needs
PARTS = {"full": A, "partial": COLOURS[7], "none": FAINT, "uncited": PALE}
WORDS = {"full": "in full", "partial": "in part", "none": "not", "uncited": "cites nothing"}


@chart("support", cite="pradeep2024nuggets,thakur2025support")
class Support(Chart):
    """Support: the proportion of nuggets that answers say in full, in part or not, and of sentences supported."""

    table: ClassVar[str] = "support"

    def draw(self, table: Table) -> Picture:
        """A block of bars for vital nuggets, one for okay ones, one for sentences; in each a bar for each run."""
        rows = rows_of(table, "of", "run", *PARTS, "number", needs=("full",))
        every = groups_of(rows, "of")
        blocks = [block[:MOST] for block in every]
        few = f"the first {MOST} of {len(every[0]):,} runs" * (len(every[0]) > MOST)
        bars, names, heads, place = [], [], [], 0
        for block in blocks:
            heads.append({"place": place, "head": _head(block)})
            for row in block:
                place += 1
                bars += _cut(row, place)
                names.append({"place": place, "run": short(row["run"])})
            place += 1
        return _drawn(bars, names, heads, place, headline(_finding(blocks), HOW, few))


def _head(block: list[Row]) -> str:
    """What a block is of, and how many there are of each run."""
    numbers = sorted({row["number"] for row in block})
    many = f"{numbers[0]:,}" if len(numbers) == 1 else f"{numbers[0]:,} to {numbers[-1]:,}"
    return f"{many} {block[0]['of']}" if many != "1" else f"1 {block[0]['of'].removesuffix('s')}"


def _cut(row: Row, place: int) -> list[Row]:
    """Where each part of a bar begins and ends, and its share as text where that fits."""
    found, start = [], 0.0
    for part, colour in PARTS.items():
        share = row[part] or 0.0
        if share:
            found.append(
                {"place": place, "part": WORDS[part], "start": start, "end": start + share, "dark": colour == A}
            )
            found[-1] |= {"middle": start + share / 2, "label": percent(share) if share * WIDE >= FITS else ""}
        start += share
    return found


def _drawn(bars: list[Row], names: list[Row], heads: list[Row], places: int, title: "alt.TitleParams") -> Picture:
    roomy = len(names) <= ROOMY
    step, size = (22, 11) if roomy else (11, 8)
    there = [part for part in PARTS if any(bar["part"] == WORDS[part] for bar in bars)]
    down = alt.Y("place:O", axis=None, scale=alt.Scale(domain=list(range(places)), paddingInner=0.18, paddingOuter=0.1))
    axis = alt.Axis(title="proportion", format="%", grid=False, tickCount=5)
    across = alt.X("start:Q", scale=alt.Scale(domain=[0, 1], nice=False), axis=axis)
    legend = alt.Legend(orient="top", direction="horizontal", symbolType="square", columns=len(there))
    scale = alt.Scale(domain=[WORDS[part] for part in there], range=[PARTS[part] for part in there])
    base = alt.Chart(inline(bars)).encode(y=down)
    layers: list[Any] = [
        base.mark_bar(stroke="white", strokeWidth=1 if roomy else 0.5, aria=roomy).encode(
            x=across, x2="end:Q", color=alt.Color("part:N", scale=scale, legend=legend)
        ),
        base.transform_filter("datum.label")
        .mark_text(fontSize=size)
        .encode(x="middle:Q", text="label:N", color=ON_DARK),
    ]
    left = alt.Chart(inline(names)).mark_text(align="right", dx=-6, fontSize=size + roomy, color=INK)
    above = alt.Chart(inline(heads)).mark_text(align="left", fontSize=size + roomy, fontWeight=600, color=INK)
    layers += [
        left.encode(y=down, x=alt.value(0), text="run:N"),
        above.encode(y=down, x=alt.value(0), text="head:N"),
    ]
    return alt.layer(*layers).properties(title=title, width=WIDE, height=step * places + 4).configure(**THEME)


def _finding(blocks: list[list[Row]]) -> str:
    """Describe the first block of nuggets and the sentences; no run is called better, because nothing is tested."""
    first, last = blocks[0], blocks[-1]
    runs = short(first[0]["run"]) if len(first) == 1 else counted(len(first), "run")
    shown = [] if first[0]["of"] == "sentences" else [f"{_span(first)} of {first[0]['of']} said in full"]
    if last[0]["of"] == "sentences":
        shown.append(f"{_span(last)} of sentences supported in full")
    return f"{runs}: {', '.join(shown)}"


def _span(block: list[Row]) -> str:
    """Return the lowest and the highest proportion of a block."""
    low, high = (percent(end(row["full"] for row in block)) for end in (min, max))
    return low if low == high else f"{low} to {high}"
