"""Chart of stopping rules for labelling: error against the number of labels."""

from typing import TYPE_CHECKING, Any, ClassVar

from cranfield.charts.base import Chart, Picture, chart, inline
from cranfield.charts.chart_text import WIDE, counted, headline, rows_of
from cranfield.charts.label_placement import Axis, labels, texts
from cranfield.charts.theme import COLOURS, QUIET, THEME
from cranfield.core import Table, need
from cranfield.core.rendering import visible

from .workers import Row, tenths

if TYPE_CHECKING:
    import altair as alt
else:
    alt = need("altair", extra="charts")

HIGH = 230
SLACK = 0.01  # of the items: with no more error than this beyond that of all labels, a rule does as well


@chart("stopping", cite="rouder2014,sheng2008")
class Stopped(Chart):
    """Stopping early: how much is wrong when no more labels are asked for than a rule wants."""

    table: ClassVar[str] = "stopping"

    def draw(self, table: Table) -> Picture:
        """A dot for each delta: the labels it takes, its error on the interval, and that of all labels as a line."""
        columns = ("delta", "labels", "per_item", "error", "low", "high", "all_error")
        rows = sorted(rows_of(table, *columns, needs=("delta", "labels", "error")), key=lambda row: row["labels"])
        across = Axis(0, 1.06 * max(row["labels"] for row in rows) or 1.0, WIDE)
        ends = [row[end] for row in rows for end in ("error", "high", "all_error") if row[end] is not None]
        up = Axis(0, 1.15 * max(ends) or 1.0, HIGH)
        below = alt.Axis(title="labels asked for", format=",d", tickCount=6, grid=False)
        left = alt.Axis(title="error", format="~%", tickCount=5)
        x = alt.X("labels:Q", scale=across.scale, axis=below)
        y = {name: alt.Y(f"{name}:Q", scale=up.scale, axis=left) for name in ("error", "low", "all_error")}
        base = alt.Chart(inline(rows)).encode(x=x)
        tops = [(row["labels"], row["high"] or row["error"], _delta(row)) for row in rows]
        rule = [(across.value(at), rows[0]["all_error"] or 0.0) for at in range(0, WIDE, 8)]
        named = labels(tops, across, up, beside=rule, sides=("above", "right", "left"))
        layers: list[Any] = [
            *_all_labels(rows, y["all_error"]),
            base.mark_rule(color=COLOURS[0], strokeWidth=2).encode(y=y["low"], y2="high:Q"),
            base.mark_point(filled=True, size=64, color=COLOURS[0], opacity=1).encode(y=y["error"]),
            *texts(named, across, up),
        ]
        how = "δ: an item is done when its leading label is wrong with a chance of at most δ; line: interval"
        title = headline(_enough(rows), visible(table.caption), how, wide=WIDE + 40)
        return alt.layer(*layers).properties(title=title, width=WIDE, height=HIGH).configure(**THEME)


def _delta(row: Row) -> str:
    return f"δ {row['delta']:g}".replace("0.", ".")


def _all_labels(rows: list[Row], y: "alt.Y") -> list[Any]:
    """A line at the error that all labels leave."""
    every = rows[0]["all_error"]
    if every is None:
        return []
    base = alt.Chart(inline([{"all_error": every, "word": ["all labels", tenths(every)]}])).encode(y=y)
    return [
        base.mark_rule(color=QUIET, strokeDash=[4, 3]),
        base.mark_text(align="left", baseline="middle", dx=6, dy=-6, fontSize=11, color=QUIET).encode(
            x=alt.value(WIDE), text="word:N"
        ),
    ]


def _enough(rows: list[Row]) -> str:
    """The fewest labels with which hardly more is wrong than with all of them, or what the most careful rule leaves."""
    every = rows[0]["all_error"]
    held = [row for row in rows if every is not None and row["error"] <= every + SLACK]
    best = held[0] if held else min(rows, key=lambda row: row["delta"])
    each = "" if best["per_item"] is None else f" ({best['per_item']:.1f} per item)"
    said = f"With {_delta(best)}, {counted(best['labels'], 'label')}{each} leave an error of {tenths(best['error'])}"
    return said if every is None else f"{said}; all labels leave {tenths(every)}"
