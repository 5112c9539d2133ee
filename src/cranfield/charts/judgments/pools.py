"""Charts of pools: bias, unique contributions of groups, unjudged documents, cost of depth."""

from typing import TYPE_CHECKING, Any, ClassVar

from cranfield.charts.base import Chart, Picture, chart, inline
from cranfield.charts.boards.leaderboard import SHADES
from cranfield.charts.chart_text import (
    FIXED,
    WIDE,
    counted,
    groups_of,
    headline,
    listed,
    number,
    percent,
    rows_of,
    short,
    signed,
)
from cranfield.charts.proportion_bars import ON_DARK, A, B
from cranfield.charts.theme import INK, PALE, QUIET, THEME
from cranfield.core import Table, need
from cranfield.core.rendering import visible

from .strategy_curves import BASELINE, whole_ticks

if TYPE_CHECKING:
    import altair as alt
else:
    alt = need("altair", extra="charts")

STEP = 18  # points from one row to the next
BIASED, HALF, CELL = 330, 190, 62  # points: an axis, one of two panels, a column
GROUPS, RUNS = 40, 50  # that are still read one by one
FEW = 3  # names in a title
BUDGETS, SIZES = ("#a9b2e0", "#6672c0", A), (110, 70, 36)  # of dots, from few judgments to many
CUT = 10  # documents by which runs are ordered
MANY = 0.2  # of the first documents: runs with more unjudged ones are counted
DARK = 0.62  # from this share on, words are white
NEW, OLD = "new", "judged already"
Row = dict[str, Any]


@chart("pool-bias", cite="buckley2007,zobel1998")
class PoolBias(Chart):
    """Bias of pools: what the values of runs lose, strategy by strategy, where their group had no part in the pool."""

    table: ClassVar[str] = "bias"

    def draw(self, table: Table) -> Picture:
        """Dots for up to three budgets on a line for each strategy, the least biased at the middle one on top."""
        needs = ("judgments", "difference", "absolute")
        found = groups_of(rows_of(table, "strategy", *needs, "moved", needs=needs), "strategy")
        count = max(map(len, found))
        found.sort(key=lambda mine: _middle(mine, count)["absolute"])
        told = {i: _judged([mine[i] for mine in found if i < len(mine)]) for i in sorted({0, count // 2, count - 1})}
        rows = [
            {**mine[i], "place": place, "told": told[i]}
            for place, mine in enumerate(found)
            for i in told
            if i < len(mine)
        ]
        names = list(dict.fromkeys(told.values()))
        legend = alt.Legend(orient="top", direction="horizontal", columns=len(names))
        colour = alt.Color("told:N", scale=alt.Scale(domain=names, range=BUDGETS[-len(names) :]), legend=legend)
        # Dots that lie on each other are all seen.
        size = alt.Size("told:N", scale=alt.Scale(domain=names, range=SIZES[-len(names) :]), legend=legend)
        down = _down(len(found))
        across = alt.X("difference:Q", axis=alt.Axis(title="mean difference", tickCount=5), scale=alt.Scale(zero=True))
        base = alt.Chart(inline(rows)).encode(x=across, y=down)
        middle = [{**_middle(mine, count), "place": place} for place, mine in enumerate(found)]
        layers: list[Any] = [
            alt.Chart(inline([{"difference": 0}])).mark_rule(color=QUIET).encode(x=across),
            base.mark_line(color=PALE, strokeWidth=1.5).encode(detail="strategy:N"),
            base.mark_point(filled=True, opacity=1, stroke="white", strokeWidth=0.7).encode(color=colour, size=size),
            *_columns(middle, down),
        ]
        several = f"of {count} budgets three" * (count > len(told))
        how = f"difference: left out − pooled, mean over runs; to the right, with {told[count // 2]}: "
        how += "its mean size, and how many ranks a run moves (a pool that holds little has little to lose)"
        title = headline(_fairest(middle, told[count // 2]), visible(table.caption), how, several, wide=WIDE + 80)
        return alt.layer(*layers).properties(title=title, width=BIASED, height=STEP * len(found) + 8).configure(**THEME)


def _middle(rows: list[Row], count: int) -> Row:
    """The row of the middle one of so many budgets."""
    return rows[min(count // 2, len(rows) - 1)]


def _judged(rows: list[Row]) -> str:
    """How many judgments a budget is, in words; strategies may differ in it."""
    low, high = (end(row["judgments"] for row in rows) for end in (min, max))
    return counted(high, "judgment") if low == high else f"{low:,}–{counted(high, 'judgment')}"


def _down(count: int) -> "alt.Y":
    """Places from the top down."""
    ends = alt.Scale(domain=[-0.6, count - 0.4], reverse=True, nice=False, padding=0)  # bars would have some
    return alt.Y("place:Q", axis=None, scale=ends)


def _columns(rows: list[Row], down: "alt.Y") -> list[Any]:
    """What stands beside the lines: names to the left, to the right the size of differences and the ranks moved."""
    told = [
        {
            "place": row["place"],
            "name": short(row["strategy"], 26),
            "size": number(row["absolute"]),
            "ranks": "" if row["moved"] is None else f"{row['moved']:.1f}",
        }
        for row in rows
    ]
    plain, depth = ([row for row in told if (row["name"].partition("(")[0] == BASELINE) == is_it] for is_it in (0, 1))
    layers: list[Any] = []
    for mine, weight in ((plain, "normal"), (depth, "bold")):
        for x, column, align in (
            (-8, "name", "right"),
            (BIASED + 44, "size", "right"),
            (BIASED + 84, "ranks", "right"),
        ):
            how: Any = {"align": align, "baseline": "middle", "fontSize": 11, "fontWeight": weight, "color": INK}
            text = alt.Chart(inline(mine)).mark_text(**how)
            layers += [text.encode(x=alt.value(x), y=down, text=f"{column}:N")] if mine else []
    for x, word in ((BIASED + 44, "size"), (BIASED + 84, "ranks")):
        head = alt.Chart(inline([{"word": word}])).mark_text(align="right", fontSize=10, color=QUIET)
        layers.append(head.encode(x=alt.value(x), y=alt.value(-8), text="word:N"))
    return layers


def _fairest(rows: list[Row], judged: str) -> str:
    """With which strategy runs change least, beside the depth pool; rows from the least up."""
    least = number(rows[0]["absolute"])
    same = [row for row in rows if number(row["absolute"]) == least]
    names = [short(row["strategy"], 24) for row in same]
    names = names if len(names) <= FEW else [names[0], f"{len(names) - 1} others"]
    if len(same) == len(rows):
        strategy = f"with {names[0]}" if len(same) == 1 else "whatever the strategy"
        return f"With {judged}, left-out runs change by {least} on average, {strategy}"
    depth = next((row for row in rows if row["strategy"].partition("(")[0] == BASELINE), rows[-1])
    beside = "" if depth in same else f", with {short(depth['strategy'], 24)} {_moves(depth)}"
    said = _moves(same[0]) if len(same) == 1 else f"by {least}"
    return f"With {judged}, left-out runs change least with {listed(names)}, {said} on average{beside}"


def _moves(row: Row) -> str:
    """What a run loses, and how many ranks that is."""
    ranks = "" if row["moved"] is None else f" and {row['moved']:.1f}{FIXED}ranks"
    return f"by {number(row['absolute'])}{ranks}"


@chart("reuse", cite="zobel1998,buckley2007")
class Reuse(Chart):
    """Reuse: relevant documents that each group alone brought into the pool, and what its runs lose without them."""

    table: ClassVar[str] = "reuse"

    def draw(self, table: Table) -> Picture:
        """A bar for each group, and beside it the mean and the largest change of its runs."""
        needs = ("unique", "difference", "largest")
        every = rows_of(table, "group", *needs, "share", "moved", needs=needs)
        every.sort(key=lambda row: -row["unique"])
        hit = max(every, key=lambda row: abs(row["largest"]))
        rows = every[:GROUPS] if hit in every[:GROUPS] else [*every[: GROUPS - 1], hit]
        for place, row in enumerate(rows):
            row |= {"place": place, "name": short(row["group"], 26), "label": f"{row['unique']:,}"}
            row["ranks"] = "" if row["moved"] is None else f"{row['moved']:,}"
        high = STEP * len(rows) + 8
        sides = [alt.layer(*side).properties(width=HALF, height=high) for side in (_unique(rows), _changed(rows))]
        few = f"of {counted(len(every), 'group')} the {len(rows)} that matter most" * (len(rows) < len(every))
        how = (
            "bar: relevant documents of this group alone; dot: mean change of its runs; end of the line: the largest; "
        )
        how += "ranks: the most that one of its runs moves"
        title = headline(_alone(every, hit), visible(table.caption), how, few, wide=WIDE + 100)
        return alt.hconcat(*sides, spacing=18).properties(title=title).configure(**THEME)


def _unique(rows: list[Row]) -> list[Any]:
    """Bars of what groups alone brought in, with their names."""
    down = _down(len(rows))
    most = max(1, *(row["unique"] for row in rows))
    scale = alt.Scale(domain=[0, 1.18 * most], nice=False)
    below = alt.Axis(title="unique relevant documents", format=",d", grid=False, **whole_ticks(most))
    base = alt.Chart(inline(rows)).encode(y=down)
    bar = base.mark_bar(color=A, size=STEP - 6, orient="horizontal")
    name = base.mark_text(align="right", baseline="middle", fontSize=11, color=INK)
    label = base.mark_text(align="left", baseline="middle", dx=4, fontSize=11, color=INK)
    return [
        bar.encode(x=alt.X("unique:Q", scale=scale, axis=below)),
        name.encode(x=alt.value(-8), text="name:N"),
        label.encode(x=alt.X("unique:Q", scale=scale), text="label:N"),
    ]


def _changed(rows: list[Row]) -> list[Any]:
    """What becomes of values where these documents are not judged."""
    across = alt.X(
        "difference:Q",
        scale=alt.Scale(zero=True),
        axis=alt.Axis(title="change of the value", tickCount=3, labelOverlap=True),
    )
    base = alt.Chart(inline(rows)).encode(y=_down(len(rows)))
    word = alt.Chart(inline([{"word": "ranks"}])).mark_text(align="right", fontSize=10, color=QUIET)
    ranks = base.mark_text(align="right", baseline="middle", fontSize=11, color=INK)
    layers: list[Any] = [
        alt.Chart(inline([{"difference": 0}])).mark_rule(color=QUIET).encode(x=across),
        base.mark_rule(color=B, strokeWidth=2, opacity=0.6).encode(x=across, x2="largest:Q"),
        base.mark_tick(color=B, thickness=2, size=9).encode(x="largest:Q"),
        base.mark_point(filled=True, color=B, size=50, opacity=1).encode(x=across),
    ]
    if any(row["ranks"] for row in rows):
        layers += [
            ranks.encode(x=alt.value(HALF + 34), text="ranks:N"),
            word.encode(x=alt.value(HALF + 34), y=alt.value(-8), text="word:N"),
        ]
    return layers


def _alone(rows: list[Row], hit: Row) -> str:
    """Who brought in most alone, and whose runs change most without it."""
    most = rows[0]
    if not most["unique"]:
        return f"None of {counted(len(rows), 'group')} brought a relevant document into the pool alone"
    share = "" if most["share"] is None else f", {percent(most['share'])} of all"
    first = f"{short(most['group'], 24)} alone brought in most: {counted(most['unique'], 'relevant document')}{share}"
    if hit is most:
        return f"{first}; without them its runs change by up to {signed(hit['largest'])}"
    return f"{first}; runs of {short(hit['group'], 24)} change most without theirs, by up to {signed(hit['largest'])}"


@chart("unjudged", cite="buckley2007")
class Unjudged(Chart):
    """Unjudged documents: how many of the first documents of each run nobody judged."""

    table: ClassVar[str] = "unjudged"

    def draw(self, table: Table) -> Picture:
        """A square for each run and cut-off, the darker the more are unjudged; runs with most of them on top."""
        found = rows_of(table, "run", "k", "share", needs=("k", "share"))
        cuts = sorted({row["k"] for row in found})
        cut = min(cuts, key=lambda k: abs(k - CUT))
        shares = {row["run"]: row["share"] for row in found if row["k"] == cut}
        order = sorted(groups_of(found, "run"), key=lambda mine: -shares.get(mine[0]["run"], -1.0))
        rows = [
            {**row, "place": place, "label": percent(row["share"]), "dark": row["share"] >= DARK}
            for place, mine in enumerate(order[:RUNS])
            for row in mine
        ]
        names = [{"place": place, "name": short(mine[0]["run"], 26)} for place, mine in enumerate(order[:RUNS])]
        down = _down(len(names))
        above = alt.Axis(title="first documents of a run", orient="top", ticks=False, domain=False, labelAngle=0)
        across = alt.X("k:O", axis=above, sort=cuts, scale=alt.Scale(paddingInner=0.04))
        colour = alt.Color("share:Q", scale=alt.Scale(domain=[0, 0.5, 1], range=SHADES), legend=None)
        base = alt.Chart(inline(rows)).encode(x=across, y=down)
        text = alt.Chart(inline(names)).mark_text(align="right", baseline="middle", fontSize=11, color=INK)
        layers: list[Any] = [
            base.mark_rect(height=STEP - 2).encode(color=colour),
            base.mark_text(fontSize=10, baseline="middle").encode(text="label:N", color=ON_DARK),
            text.encode(x=alt.value(-8), y=down, text="name:N"),
        ]
        few = f"of {counted(len(order), 'run')} the {RUNS} with most" * (len(order) > RUNS)
        title = headline(_open(shares, cut), f"share that nobody judged; runs by the first {cut}", few, wide=WIDE)
        wide, high = CELL * len(cuts), STEP * len(names)
        return alt.layer(*layers).properties(title=title, width=wide, height=high).configure(**THEME)


def _open(shares: dict[str, float], cut: int) -> str:
    """Who has most unjudged documents, and how many runs have many."""
    worst = max(shares, key=lambda run: shares[run])
    first = f"the first {counted(cut, 'document')}"
    if not shares[worst]:
        return f"Every run has {first} judged"
    said = f"Of {first} of {short(worst, 24)}, {percent(shares[worst])} are unjudged"
    if len(shares) == 1:
        return said
    many = sum(share > MANY for share in shares.values())
    return f"{said}; {many:,} of {len(shares):,} runs {'has' if many == 1 else 'have'} more than {percent(MANY)}"


@chart("costs", cite="sparckjones1975pool,harman1993trec")
class Costs(Chart):
    """Costs of depth: how many documents there are to judge to a depth, and how many of them are judged already."""

    table: ClassVar[str] = "costs"

    def draw(self, table: Table) -> Picture:
        """A bar for each depth: documents that are judged, and those that are new; hours beside it, where known."""
        rows = rows_of(table, "depth", "documents", "new", "per_topic", "hours", needs=("depth", "documents", "new"))
        known = any(row["new"] < row["documents"] for row in rows)
        for row in rows:
            row |= {"done": row["documents"] - row["new"], "told": _told(row, known=known)}
        bars = [
            {"depth": row["depth"], "part": part, "start": start, "end": end, "documents": end - start}
            for row in rows
            for part, start, end in ((NEW, 0, row["new"]), (OLD, row["new"], row["documents"]))
            if end > start
        ]
        most = max(1, *(row["documents"] for row in rows))
        scale = alt.Scale(domain=[0, most], nice=False)
        below = alt.Axis(title="documents", format=",d", grid=False, **whole_ticks(most))
        depths = [row["depth"] for row in rows]
        left = alt.Axis(title=None, labelExpr="'depth ' + datum.label", labelPadding=6, ticks=False, domain=False)
        down = alt.Y("depth:O", sort=depths, axis=left)
        legend = alt.Legend(orient="top", direction="horizontal", symbolType="square") if known else None
        parts = alt.Scale(domain=[NEW, OLD], range=[A, PALE])
        colour = alt.Color("part:N", scale=parts, legend=legend)
        bar = alt.Chart(inline(bars)).mark_bar(stroke="white", strokeWidth=0.5)
        text = alt.Chart(inline(rows)).mark_text(align="left", baseline="middle", dx=6, fontSize=11, color=INK)
        layers: list[Any] = [
            bar.encode(x=alt.X("start:Q", scale=scale, axis=below), x2="end:Q", y=down, color=colour),
            text.encode(x=alt.X("documents:Q", scale=scale), y=down, text="told:N"),
        ]
        title = headline(_dear(rows, known=known), visible(table.caption), wide=WIDE + 40)
        return alt.layer(*layers).properties(title=title, width=BIASED, height=30 * len(rows)).configure(**THEME)


def _told(row: Row, *, known: bool) -> str:
    """What stands at the end of a bar."""
    per_topic = "" if row["per_topic"] is None else f", {number(row['per_topic'], 1)} per topic"
    count = f"{row['new']:,} new of {row['documents']:,}" if known else f"{row['documents']:,}{per_topic}"
    return count if row["hours"] is None else f"{count}, {_hours(row)}"


def _hours(row: Row) -> str:
    return f"{row['hours']:,.1f}{FIXED}h"


def _dear(rows: list[Row], *, known: bool) -> str:
    """What the first depth costs, and how many times as much the last."""
    first, last = (end(rows, key=lambda row: row["depth"]) for end in (min, max))
    what = "new judgment" if known else "judgment"
    if not last["new"]:
        return f"Everything to depth {last['depth']:,} is judged already"
    takes = [counted(row["new"], what) + ("" if row["hours"] is None else f" ({_hours(row)})") for row in (first, last)]
    if first is last:
        return f"Depth {last['depth']:,} takes {takes[1]}"
    times = f"{number(last['new'] / first['new'], 1)} times as many: " if first["new"] else ""
    return f"Depth {first['depth']:,} takes {takes[0]}, depth {last['depth']:,} {times}{takes[1]}"
