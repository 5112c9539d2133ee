"""Chart of the estimated reward of each policy compared with the log."""

from typing import TYPE_CHECKING, Any, ClassVar

from cranfield.charts.base import Chart, Picture, chart, inline
from cranfield.charts.chart_text import WIDE, first_of, groups_of, headline, number, p_text, rows_of, short, signed
from cranfield.charts.theme import COLOURS, INK, SHAPES, THEME
from cranfield.core import Table, need

if TYPE_CHECKING:
    import altair as alt
else:
    alt = need("altair", extra="charts")

MOST = 12  # policies that are drawn
STEP = 15  # points between two estimators of a policy


@chart("policies", cite="dudik2014,swaminathan2015snips")
class Policies(Chart):
    """Policies compared with the log: how much more each would have earned, by every estimator."""

    table: ClassVar[str] = "policies"

    def draw(self, table: Table) -> Picture:
        """A line of dots for each policy, the best on top: differences from the log with their intervals."""
        columns = ("policy", "estimator", "difference", "low", "high", "logged", "p_adjusted")
        rows = rows_of(table, *columns, needs=("difference",))
        rows = [row | {"policy": short(row["policy"], 22)} for row in rows]
        first = sorted(first_of(rows, "estimator"), key=lambda row: -row["difference"])
        order = [row["policy"] for row in first][:MOST]
        shown = [row for row in rows if row["policy"] in order]
        estimators = [mine[0]["estimator"] for mine in groups_of(shown, "estimator")]
        colour, shape = _told_apart(estimators)
        step = alt.Step(STEP * len(estimators) + 14, **{"for": "position"})
        below = alt.Axis(title="more than the log earned, for each impression", tickCount=6)
        x = {name: alt.X(f"{name}:Q", axis=below) for name in ("difference", "low", "zero")}
        left = alt.Axis(title=None, grid=False, ticks=False, domain=False, labelPadding=8)
        y = alt.Y("policy:N", sort=order, axis=left)
        off = alt.YOffset("estimator:N", sort=estimators)
        base = alt.Chart(inline(shown)).encode(y=y, yOffset=off)
        zero = alt.Chart(inline([{"zero": 0}])).mark_rule(color=INK, strokeWidth=1).encode(x=x["zero"])
        layers: list[Any] = [
            zero,
            base.mark_rule(strokeWidth=2).encode(x=x["low"], x2="high:Q", color=colour),
            base.mark_point(filled=True, size=60, opacity=1).encode(x=x["difference"], color=colour, shape=shape),
        ]
        few = f"the best {MOST} of {len(first):,} policies" * (len(first) > MOST)
        one = f", Bonferroni-adjusted for {len(first):,} policies" * (len(first) > 1)
        how = f"dot: estimate; line: interval{one}; "
        how += f"0: what the log earned, {number(rows[0]['logged'])} for each impression"
        title = headline(_finding(first), how, few, wide=WIDE + 60)
        return alt.layer(*layers).properties(title=title, width=WIDE, height=step).configure(**THEME)


def _finding(rows: list[dict[str, Any]]) -> str:
    """Describe the highest estimate with its adjusted p; the table has no level, so nothing is called significant."""
    best = rows[0]
    size = f"{signed(best['difference'])} for each impression by {best['estimator']}"
    adjusted = " (Holm)" * (len(rows) > 1)
    p = "" if best["p_adjusted"] is None else f", {p_text(best['p_adjusted'])}{adjusted}"
    who = f"{best['policy']} − log" if len(rows) == 1 else f"Highest of {len(rows):,} policies: {best['policy']} − log"
    return f"{who}: {size}{p}"


def _told_apart(estimators: list[str]) -> tuple["alt.Color", "alt.Shape"]:
    """A colour and a shape for each estimator."""
    n = min(len(estimators), len(COLOURS))
    legend = alt.Legend(orient="top", direction="horizontal", symbolSize=60, columns=4) if n > 1 else None
    colour = alt.Color("estimator:N", scale=alt.Scale(domain=estimators, range=list(COLOURS[:n])), legend=legend)
    return colour, alt.Shape("estimator:N", scale=alt.Scale(domain=estimators, range=list(SHAPES[:n])), legend=legend)
