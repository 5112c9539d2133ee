"""Chart of pairs of runs whose significance changes with the measure, test or aggregate."""

from typing import TYPE_CHECKING, Any, ClassVar

from cranfield.charts.base import Chart, Picture, chart, inline
from cranfield.charts.chart_text import WIDE, counted, headline, listed, rows_of, short
from cranfield.charts.proportion_bars import ON_DARK, A, B
from cranfield.charts.theme import INK, PALE, QUIET, THEME
from cranfield.core import Table, need

if TYPE_CHECKING:
    import altair as alt
else:
    alt = need("altair", extra="charts")

PARTS = {  # what may become of a pair: what it is called, its colour
    "same": ("significant both ways", PALE),
    "gained": ("gained", A),
    "lost": ("lost", B),
    "reversed": ("reversed", INK),
}
DARK = {"gained", "reversed"}  # parts on which words are white
MOST = 30  # more bars than this are not read one by one
STEP, BAR = 46, 16  # points: from one bar to the next, and of a bar
LETTER = 6.4  # points that a figure takes


@chart("changes", cite="ferrante2021,craswell2021msmarco")
class Changes(Chart):
    """Changes of significance: pairs that become significant, cease to be, or turn round, on another scale or test."""

    table: ClassVar[str] = "changed"

    def draw(self, table: Table) -> Picture:
        """A bar for each change: pairs significant both ways, gained, lost and reversed."""
        needs = ("pairs", "both", "gained", "lost", "reversed")
        rows = [
            # Pairs that turn round are significant both ways, too.
            {**row, "same": row["both"] - row["reversed"]}
            for row in rows_of(table, "from", "to", *needs, needs=needs)
        ]
        kept = sorted(sorted(range(len(rows)), key=lambda i: -_share(rows[i]))[:MOST])
        shown = [rows[i] for i in kept]
        how = "pairs of runs that are significant before or after; reversed: both times, with another winner"
        few = f"of {len(rows)} changes the {MOST} that change most" * (len(rows) > MOST)
        longest = max(1, *(sum(row[part] for part in PARTS) for row in shown))
        layers = [*_bars(shown, longest), *_names(shown)]
        title = headline(_finding(rows), how, few)
        return alt.layer(*layers).properties(title=title, width=WIDE, height=STEP * len(shown)).configure(**THEME)


def _share(row: dict[str, Any]) -> float:
    """The share of pairs of which something else is said."""
    return sum(row[part] for part in PARTS if part != "same") / max(row["pairs"], 1)


def _said(row: dict[str, Any]) -> str:
    """What changed, in words; what there is none of is left out."""
    told = [f"{row[part]:,} {name}" for part, (name, _) in PARTS.items() if part != "same" and row[part]]
    return listed(told) if told else "none changed"


def _finding(rows: list[dict[str, Any]]) -> str:
    """The change that matters most."""
    most = max(rows, key=_share)
    change = f"from {short(most['from'], 40)} to {short(most['to'], 40)}"
    if _share(most):
        start = f"Most changes {change}" if len(rows) > 1 else f"F{change[1:]}"
        return f"{start}: {_said(most)} of {counted(most['pairs'], 'pair')}"
    if not any(row["both"] for row in rows):
        return "No pair is significant under any condition"
    return "No pair changes its significance" + (f" {change}" if len(rows) == 1 else " under any condition")


def _bars(rows: list[dict[str, Any]], longest: int) -> list["alt.Chart"]:
    """Stacked parts, with their counts where these fit."""
    parts = []
    for i, row in enumerate(rows):
        start = 0
        for part, (name, _) in PARTS.items():
            count = row[part]
            fits = count / longest * WIDE >= LETTER * len(f"{count:,}") + 4
            if count:
                parts.append(
                    {"y": i * STEP + 18, "y2": i * STEP + 18 + BAR, "middle_y": i * STEP + 18 + BAR / 2, "part": name}
                    | {"start": start, "end": start + count, "middle": start + count / 2, "pairs": count}
                    | {"label": f"{count:,}" if fits else "", "dark": part in DARK}
                )
            start += count
    names, colours = ([told[i] for told in PARTS.values()] for i in (0, 1))
    legend = alt.Legend(orient="top", direction="horizontal", symbolType="square", columns=len(PARTS))
    colour = alt.Color("part:N", scale=alt.Scale(domain=names, range=colours), legend=legend)
    below = alt.Axis(title="pairs of runs", grid=False, tickCount=5, format=",d", tickMinStep=1)
    across = alt.X("start:Q", scale=alt.Scale(domain=[0, longest], nice=False), axis=below)
    down = {name: alt.Y(f"{name}:Q", **_down(len(rows))) for name in ("y", "middle_y")}
    base = alt.Chart(inline(parts))
    return [
        base.mark_rect(stroke="white", strokeWidth=1).encode(
            x=across, x2="end:Q", y=down["y"], y2="y2:Q", color=colour
        ),
        base.mark_text(fontSize=11, baseline="middle").encode(
            x="middle:Q", y=down["middle_y"], text="label:N", color=ON_DARK
        ),
    ]


def _down(rows: int) -> dict[str, Any]:
    """Points from the top."""
    return {"axis": None, "scale": alt.Scale(domain=[0, rows * STEP], nice=False, reverse=True)}


def _names(rows: list[dict[str, Any]]) -> list["alt.Chart"]:
    """Over each bar what was done before and after, and what changed."""
    told = [{"y": i * STEP + 9, "left": _named(row), "right": _said(row)} for i, row in enumerate(rows)]
    down = alt.Y("y:Q", **_down(len(rows)))
    base = alt.Chart(inline(told)).encode(y=down)
    return [
        base.mark_text(align="left", baseline="middle", fontSize=12, color=INK).encode(x=alt.value(0), text="left:N"),
        base.mark_text(align="right", baseline="middle", fontSize=11, color=QUIET).encode(
            x=alt.value(WIDE), text="right:N"
        ),
    ]


def _named(row: dict[str, Any]) -> str:
    """What was done before and after, as far as what changed leaves room."""
    room = int(WIDE / LETTER) - len(_said(row)) - 3
    before, after = row["from"], row["to"]
    if len(before) + len(after) > room:
        half = max(room // 2, 16)
        before = short(before, max(half, room - len(after)))
        after = short(after, max(half, room - len(before)))
    return f"{before} → {after}"
