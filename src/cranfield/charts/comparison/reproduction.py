"""Charts of reproduced runs: agreement with the original rankings, and effect ratios."""

from typing import TYPE_CHECKING, Any, ClassVar

from cranfield.charts.base import Chart, Picture, chart, inline
from cranfield.charts.chart_text import WIDE, counted, headline, number, rows_of, short
from cranfield.charts.theme import COLOURS, INK, SHAPES, THEME
from cranfield.core import ParameterError, Table, need

if TYPE_CHECKING:
    import altair as alt
else:
    alt = need("altair", extra="charts")

MOST = len(COLOURS)  # runs or measures that can be told apart
TALL = 300
SIDE = 280  # of one of two panels


def _told_apart(field: str, names: list[str]) -> dict[str, Any]:
    """Colours and shapes by a field, with a legend where there is more than one."""
    legend = alt.Legend(title=None) if len(names) > 1 else None
    n = len(names)
    return {
        "color": alt.Color(f"{field}:N", scale=alt.Scale(domain=names, range=COLOURS[:n]), legend=legend),
        "shape": alt.Shape(f"{field}:N", scale=alt.Scale(domain=names, range=SHAPES[:n]), legend=legend),
    }


@chart("rankings-by-depth", cite="breuer2020,webber2010")
class RankingsByDepth(Chart):
    """Rankings by depth: τ union and rank-biased overlap of each run and its original, as far down as one looks."""

    table: ClassVar[str] = "by_depth"

    def draw(self, table: Table) -> Picture:
        """A panel for each, a line for each run over depths, with its interval."""
        ends = ("low", "high", "rbo_low", "rbo_high")
        rows = rows_of(table, "run", "original", "depth", "tau", "rbo", *ends, needs=("tau", "rbo"))
        names = list(dict.fromkeys(short(row["run"]) for row in rows))[:MOST]
        rows = [row | {"name": short(row["run"])} for row in rows if short(row["run"]) in names]
        apart = _told_apart("name", names)
        panels = [
            _panel(rows, ("rbo", "rbo_low", "rbo_high"), "rank-biased overlap", apart),
            _panel(rows, ("tau", "low", "high"), "Kendall's τ union", apart),
        ]
        how = "1: as the original; bars: intervals of the mean; τ union overlooks documents that are not shared"
        title = headline(_of_rankings(rows), how, wide=2 * SIDE)
        return alt.hconcat(*panels, spacing=30).properties(title=title).configure(**THEME)


def _panel(rows: list[dict[str, Any]], columns: tuple[str, str, str], said: str, apart: dict[str, Any]) -> Any:
    """One statistic over depths."""
    value, low, high = columns
    around = [row for row in rows if row[low] is not None]
    lowest = min(0.0, *(row[value] for row in rows), *(row[low] for row in around))
    below = alt.Axis(grid=False, values=sorted({row["depth"] for row in rows}), format=",d")
    x = alt.X("depth:Q", title="documents compared", scale=alt.Scale(type="log", nice=False), axis=below)
    scale, left = alt.Scale(domain=[lowest, 1], nice=True), alt.Axis(tickCount=5)
    y = {name: alt.Y(f"{name}:Q", title=said, scale=scale, axis=left) for name in (value, low)}
    base = alt.Chart(inline(rows)).encode(x=x, y=y[value], color=apart["color"])
    layers = [
        alt.Chart(inline(around)).mark_rule(opacity=0.5).encode(x=x, y=y[low], y2=f"{high}:Q", color=apart["color"]),
        base.mark_line(strokeWidth=2),
        base.mark_point(filled=True, size=45, opacity=1).encode(shape=apart["shape"]),
    ]
    return alt.layer(*layers).properties(width=SIDE, height=SIDE)


def _of_rankings(rows: list[dict[str, Any]]) -> str:
    """What the first run and its original have in common, at both ends."""
    mine = {row["depth"]: row["rbo"] for row in rows if row["run"] == rows[0]["run"]}
    first, last = min(mine), max(mine)
    deeper = f", {number(mine[last], 2)} in the first {last:,}" if last != first else ""
    who = f"{short(rows[0]['run'])} and {short(rows[0]['original'])}"
    return f"{who}: a rank-biased overlap of {number(mine[first], 2)} in the first {first}{deeper}"


@chart("effect-ratio", cite="breuer2020")
class EffectRatio(Chart):
    """Effect ratio beside ΔRI: how much of an improvement is there again; in the middle, at 1 and 0, all of it."""

    table: ClassVar[str] = "reproduce"

    def draw(self, table: Table) -> Picture:
        """A point for each measure and pair of runs, with the intervals of both."""
        rows = self._points(table)
        names = list(dict.fromkeys(row["measure"] for row in rows))[:MOST]
        rows = [row for row in rows if row["measure"] in names]
        x = alt.X("ratio:Q", title="effect ratio", scale=alt.Scale(zero=False), axis=alt.Axis(tickCount=6))
        y = alt.Y("delta:Q", title="ΔRI", scale=alt.Scale(zero=False), axis=alt.Axis(tickCount=6))
        apart = _told_apart("measure", names)
        across = [row for row in rows if row["ratio_low"] is not None]
        up = [row for row in rows if row["delta_low"] is not None]
        middle: dict[str, Any] = {"color": INK, "strokeDash": [4, 3], "strokeWidth": 1}
        layers = [
            alt.Chart(inline([{"ratio": 1}])).mark_rule(**middle).encode(x=x),
            alt.Chart(inline([{"delta": 0}])).mark_rule(**middle).encode(y=y),
            alt.Chart(inline(across))
            .mark_rule(opacity=0.5)
            .encode(x=alt.X("ratio_low:Q", title="effect ratio"), x2="ratio_high:Q", y=y, color=apart["color"]),
            alt.Chart(inline(up))
            .mark_rule(opacity=0.5)
            .encode(x=x, y=alt.Y("delta_low:Q", title="ΔRI"), y2="delta_high:Q", color=apart["color"]),
            alt.Chart(inline(rows)).mark_point(filled=True, size=70, opacity=1).encode(x=x, y=y, **apart),
        ]
        how = "dashed: the improvement of the original; lines: intervals over topics"
        title = headline(_of_improvements(rows), how)
        return alt.layer(*layers).properties(title=title, width=WIDE, height=TALL).configure(**THEME)

    def _points(self, table: Table) -> list[dict[str, Any]]:
        rows = rows_of(table, "run", "measure", "statistic", "value", "low", "high", needs=("value",))
        found: dict[tuple[str, str], dict[str, Any]] = {}
        for row in rows:
            name = {"effect-ratio": "ratio", "delta-ri": "delta"}.get(row["statistic"])
            if name:
                point = found.setdefault((row["run"], row["measure"]), {"run": row["run"], "measure": row["measure"]})
                point |= {name: row["value"], f"{name}_low": row["low"], f"{name}_high": row["high"]}
        points = [point for point in found.values() if "ratio" in point and "delta" in point]
        if not points:
            hint = "give two originals, and runs in twos"
            raise ParameterError("there is nothing to draw: no improvement was compared", hint=hint)
        return points


def _of_improvements(rows: list[dict[str, Any]]) -> str:
    """Return how many differences keep their sign and size, or the ratio of the only one."""
    if len(rows) == 1:
        return f"{short(rows[0]['run'])} has {number(rows[0]['ratio'], 2)} times the difference in {rows[0]['measure']}"
    as_large = sum(row["ratio"] >= 1 for row in rows)
    there = sum(row["ratio"] > 0 for row in rows)
    same = f"{there} of {counted(len(rows), 'difference')} to the baseline keep their sign"
    return f"{same}; at least as large: {as_large}"
