"""Charts of a leaderboard: means with intervals, and the stability of ranks."""

from itertools import groupby
from typing import TYPE_CHECKING, Any, ClassVar

from cranfield.charts.base import Chart, Picture, chart, inline
from cranfield.charts.chart_text import WIDE, groups_of, headline, number, percent, rows_of, short
from cranfield.charts.evaluation.value_distributions import ROOMY, Runs, _letters
from cranfield.charts.label_placement import rank_ticks
from cranfield.charts.proportion_bars import ON_DARK
from cranfield.charts.theme import COLOURS, PALE, QUIET, THEME
from cranfield.core import Table, need

if TYPE_CHECKING:
    import altair as alt
else:
    alt = need("altair", extra="charts")

PRINTED = 12  # up to so many runs have their shares printed
SEEN = 0.005  # a smaller share is no shade that is seen
SHADES = ["#eef0f9", "#8f9ad2", "#332288"]
DARK = 0.5  # of the largest share: from here on, words are white


@chart("stability", cite="craswell2021msmarco")
class Stability(Chart):
    """Stability of ranks: how often each run takes each rank in bootstrap resamples of the topics."""

    table: ClassVar[str] = "stability"

    def draw(self, table: Table) -> Picture:
        """A square for each run and rank, the darker the more often; runs in the order of the board."""
        rows = rows_of(table, "run", "rank", "share", needs=("rank", "share"))
        boards = groups_of(rows, "run")
        runs = [mine[0]["run"] for mine in boards]
        printed, many = len(runs) <= PRINTED, len(runs) > ROOMY
        most = max(0.1, *(row["share"] for row in rows))
        cells = [cell for mine in boards for cell in _cells(mine, most, many=many)]
        ranks = max(row["rank"] for row in rows)
        ends = alt.Scale(domain=[0.5, ranks + 0.5], nice=False)
        across = alt.X(
            "start:Q", scale=ends, axis=alt.Axis(title="rank", values=rank_ticks(ranks), grid=False, format="d")
        )
        legend = None if printed else alt.Legend(title="draws", format=".0%", tickCount=4)
        colour = alt.Color("share:Q", scale=alt.Scale(type="sqrt", domain=[0, most], range=SHADES), legend=legend)
        base = alt.Chart(inline(cells)).encode(y=Runs.down(runs))
        edge: dict[str, Any] = {} if many else {"stroke": "white", "strokeWidth": 1}
        layers: list[Any] = [base.mark_rect(aria=not many, **edge).encode(x=across, x2="end:Q", color=colour)]
        if printed:
            text = base.mark_text(fontSize=10)
            layers.append(text.encode(x="rank:Q", text="label:N", color=ON_DARK))
        how = "how often a run takes a rank in bootstrap resamples of the topics; runs as on the board"
        title = headline(_stable(boards), how)
        wide = min(WIDE, max(220, 40 * ranks))
        return alt.layer(*layers).properties(title=title, width=wide, height=_step(runs) * len(runs)).configure(**THEME)


def _step(runs: list[str]) -> int:
    """The height of a row."""
    return 20 if len(runs) <= ROOMY else 9


def _cells(rows: list[dict[str, Any]], most: float, *, many: bool) -> list[dict[str, Any]]:
    """The squares of one run; of many runs neighbours of nearly the same shade are one."""
    seen = sorted((row for row in rows if row["share"] >= SEEN), key=lambda row: row["rank"])
    if not many:
        return [
            {**row, "start": row["rank"] - 0.5, "end": row["rank"] + 0.5, "label": percent(row["share"])}
            | {"dark": row["share"] >= DARK * most}
            for row in seen
        ]
    cells = []
    # Next to each other, and of one shade: rank less place among those seen stays the same.
    steps = groupby(enumerate(seen), key=lambda at: (at[1]["rank"] - at[0], _shade(at[1]["share"])))
    for (_, share), same in steps:
        ranks = [row["rank"] for _, row in same]
        cells.append({"run": seen[0]["run"], "start": ranks[0] - 0.5, "end": ranks[-1] + 0.5, "share": share})
    return cells


def _shade(share: float) -> float:
    """A share as one of some twenty: equal steps of its root, as the shades have them."""
    return (round(share**0.5 * 20) / 20) ** 2


def _stable(boards: list[list[dict[str, Any]]]) -> str:
    """How sure the first place is, and how many places are."""
    first = {mine[0]["run"]: sum(row["share"] for row in mine if row["rank"] == 1) for mine in boards}
    top = boards[0][0]["run"]
    often = max(first, key=lambda run: first[run])
    held = sum(max(row["share"] for row in mine) > 0.5 for mine in boards)
    rest = f"{held} of {len(boards)} runs hold one rank in more than half"
    if first[often] > first[top]:
        where = f"{short(top)}, at the top of the board, is first in {percent(first[top])} of draws"
        return f"{where}, {short(often)} in {percent(first[often])}; {rest}"
    return f"{short(top)} is first in {percent(first[top])} of draws; {rest}"


@chart("board", cite="hochberg1987book,craswell2021msmarco")
class Board(Runs):
    """Board: means with their intervals, letters of runs that do not differ significantly, and intervals of ranks."""

    table: ClassVar[str] = "ranks"

    def draw(self, table: Table) -> Picture:
        """A line for each interval, a dot for the mean, in the colour of its first letter; ranks beside it."""
        columns = ("run", "mean", "low", "high", "rank_low", "rank_high", "letters")
        rows = rows_of(table, *columns, needs=("mean",))
        runs = [row["run"] for row in rows]
        firsts = list(dict.fromkeys((_letters(row) or [""])[0] for row in rows))
        for row in rows:
            row["first"] = (_letters(row) or [""])[0]
            row["ranks"] = _between(row["rank_low"], row["rank_high"])
            row["low"], row["high"] = (row["mean"] if row[end] is None else row[end] for end in ("low", "high"))
        small = len(runs) > ROOMY
        # A tenth group and those after it have no colour left.
        shades = [*COLOURS[:9], *[PALE] * len(firsts)][: len(firsts)]
        colour = alt.Color("first:N", scale=alt.Scale(domain=firsts, range=shades), legend=None)
        base = alt.Chart(inline(rows)).encode(y=self.down(runs))
        across = alt.X("low:Q", scale=alt.Scale(zero=False), axis=alt.Axis(title="mean", grid=True, tickCount=6))
        layers: list[Any] = [
            base.mark_rule(strokeWidth=1.5 if small else 2.5).encode(x=across, x2="high:Q", color=colour),
            base.mark_point(filled=True, size=14 if small else 40, opacity=1).encode(x="mean:Q", color=colour),
        ]
        size = 7 if small else 11
        for place, column in ((WIDE + 10, "letters"), (WIDE + 70, "ranks")):
            if any(row[column] for row in rows):
                text = base.mark_text(align="left", fontSize=size, color=QUIET, limit=56)
                layers.append(text.encode(x=alt.value(place), text=f"{column}:N"))
                head = alt.Chart(inline([{"word": column}])).mark_text(align="left", fontSize=10, color=QUIET)
                layers.append(head.encode(x=alt.value(place), y=alt.value(-8), text="word:N"))
        how = "line: interval of the mean; runs that share a letter do not differ significantly; "
        how += "ranks: interval of the rank"
        title = headline(_top_of_board(rows), table.caption, how)
        return alt.layer(*layers).properties(title=title, width=WIDE, height=_step(runs) * len(runs)).configure(**THEME)


def _between(low: float | None, high: float | None) -> str:
    """An interval of ranks as text."""
    if low is None or high is None:
        return ""
    return f"{low:g}" if low == high else f"{low:g}–{high:g}"


def _top_of_board(rows: list[dict[str, Any]]) -> str:
    """Name the run at the top, and count the others that differ from it significantly; without a test, describe."""
    top, *others = rows
    first = f"{short(top['run'])}, at the top with {number(top['mean'])}"
    if not others:
        return first
    if not top["letters"]:
        return f"Means of {len(rows):,} runs; {first}"
    apart = sum(not set(_letters(row)) & set(_letters(top)) for row in others)
    if apart == len(others):
        return f"{first}, differs significantly from all {len(others):,} others"
    some = f"from {apart:,} of" if apart else "from none of"
    return f"{first}, differs significantly {some} {len(others):,} others"
