"""Chart of rank changes on a leaderboard under other judgments."""

from typing import TYPE_CHECKING, Any, ClassVar

from cranfield.charts.base import Chart, Picture, chart, inline
from cranfield.charts.chart_text import WIDE, counted, headline, rows_of, short, signed
from cranfield.charts.label_placement import rank_ticks
from cranfield.charts.proportion_bars import A, B
from cranfield.charts.theme import INK, PALE, QUIET, THEME
from cranfield.core import Table, need
from cranfield.core.rendering import visible

if TYPE_CHECKING:
    import altair as alt
else:
    alt = need("altair", extra="charts")

MOST = 40  # runs that are read one by one
STEP = 18  # points from one run to the next
KINDS = {"climbs": (A, "triangle-left"), "falls": (B, "triangle-right"), "stays": (PALE, "circle")}
Row = dict[str, Any]


@chart("moved", cite="voorhees2000")
class Moved(Chart):
    """Moves under other judgments: the rank of each run before and after, of those whose rank changes."""

    table: ClassVar[str] = "moved"

    def draw(self, table: Table) -> Picture:
        """A line for each run from its rank before, a ring, to its rank after, a triangle that points where it went."""
        needs = ("rank_before", "rank_after")
        rows = rows_of(table, "run", *needs, "difference", needs=needs)
        moved = [row for row in rows if row["rank_before"] != row["rank_after"]]
        far = sorted(moved or rows, key=lambda row: (-abs(row["rank_before"] - row["rank_after"]), row["rank_after"]))
        shown = sorted(far[:MOST], key=lambda row: (row["rank_after"], row["rank_before"]))
        for place, row in enumerate(shown):
            row |= {"place": place, "kind": _kind(row), "name": short(row["run"], 26), "told": _told(row)}
        last = max(row[end] for row in rows for end in needs)
        which = "that move farthest" if moved else "on top"
        few = f"of {counted(len(far), 'run')} the {MOST} {which}" * (len(far) > MOST)
        stay = len(rows) - len(moved)
        same = f"{counted(stay, 'run')} keep{'s' * (stay == 1)} the rank" * (0 < stay < len(rows))
        how = "from the rank before (ring) to the rank after; on the right both, and the change of the value"
        told = [visible(table.caption), how * bool(moved), "; ".join(filter(None, (same, few)))]
        title = headline(_finding(rows, moved), *told, wide=WIDE + 100)
        return (
            alt.layer(*_lines(shown, last), *_words(shown))
            .properties(title=title, width=WIDE, height=STEP * len(shown) + 4)
            .configure(**THEME)
        )


def _kind(row: Row) -> str:
    move = row["rank_before"] - row["rank_after"]
    return "climbs" if move > 0 else "falls" if move < 0 else "stays"


def _told(row: Row) -> str:
    """The ranks and the change of the value as text."""
    change = "" if row["difference"] is None else f" · {signed(row['difference'])}"
    return f"{row['rank_before']:,} → {row['rank_after']:,}{change}"


def _down(count: int) -> "alt.Y":
    scale = alt.Scale(domain=[-0.6, count - 0.4], reverse=True, nice=False)
    return alt.Y("place:Q", axis=None, scale=scale)


def _lines(rows: list[Row], last: int) -> list["alt.Chart"]:
    """The ways from one rank to the other."""
    kinds = [kind for kind in KINDS if any(row["kind"] == kind for row in rows)]
    shades, shapes = ([KINDS[kind][i] for kind in kinds] for i in (0, 1))
    legend = alt.Legend(orient="top", direction="horizontal", symbolStrokeWidth=0) if kinds != ["stays"] else None
    colour = alt.Color("kind:N", scale=alt.Scale(domain=kinds, range=shades), legend=legend)
    shape = alt.Shape("kind:N", scale=alt.Scale(domain=kinds, range=shapes), legend=legend)
    ends = alt.Scale(domain=[0.4, last + 0.6], nice=False)
    axis = alt.Axis(title="rank", values=rank_ticks(last), format="d", grid=True)
    base = alt.Chart(inline(rows)).encode(y=_down(len(rows)))
    ring = base.mark_point(shape="circle", filled=False, color=QUIET, size=34, strokeWidth=1.4, opacity=1, fill="white")
    return [
        base.mark_rule(strokeWidth=2).encode(
            x=alt.X("rank_before:Q", scale=ends, axis=axis), x2="rank_after:Q", color=colour
        ),
        ring.encode(x=alt.X("rank_before:Q", scale=ends)),
        base.mark_point(filled=True, size=70, opacity=1).encode(
            x=alt.X("rank_after:Q", scale=ends), color=colour, shape=shape
        ),
    ]


def _words(rows: list[Row]) -> list["alt.Chart"]:
    """The runs to the left, their ranks to the right."""
    base = alt.Chart(inline(rows)).encode(y=_down(len(rows)))
    left = base.mark_text(align="right", baseline="middle", fontSize=11, color=INK)
    right = base.mark_text(align="left", baseline="middle", fontSize=11, color=QUIET)
    return [
        left.encode(x=alt.value(-8), text="name:N"),
        right.encode(x=alt.value(WIDE + 10), text="told:N"),
    ]


def _finding(rows: list[Row], moved: list[Row]) -> str:
    """How many runs change rank, and who is first."""
    first = [[row["run"] for row in rows if row[end] == 1] for end in ("rank_before", "rank_after")]
    if not moved:
        return f"None of {counted(len(rows), 'run')} changes rank"
    said = f"{len(moved):,} of {counted(len(rows), 'run')} change{'s' * (len(moved) == 1)} rank"
    if first[0] == first[1]:
        return f"{said}; {short(first[0][0], 24)} stays first"
    return f"{said}; {short(first[1][0], 24)} is first, before it was {short(first[0][0], 24)}"
