"""Chart of document strengths estimated from pairwise preferences."""

from math import exp
from typing import TYPE_CHECKING, Any, ClassVar

from cranfield.charts.base import Chart, Picture, chart, inline
from cranfield.charts.chart_text import counted, groups_of, headline, percent, rows_of, short
from cranfield.charts.theme import COLOURS, INK, PALE, QUIET, THEME
from cranfield.core import Table, need

from .workers import Row

if TYPE_CHECKING:
    import altair as alt
else:
    alt = need("altair", extra="charts")

TOPICS, BESIDE = 6, 2  # topics that are drawn, and how many in a line
DOCUMENTS = 12  # of a topic
STEP = 18  # points from one document to the next
ACROSS = 170  # points between the ends of the axis of a topic
NAME = 14  # letters


@chart("strengths", cite="bradley1952,hunter2004")
class PreferenceStrengths(Chart):
    """Strengths of documents: how often each is preferred to others of its topic, as a number with an interval."""

    table: ClassVar[str] = "strengths"

    def draw(self, table: Table) -> Picture:
        """A small chart for each of some topics: its documents, the strongest on top."""
        columns = ("topic", "document", "strength", "low", "high", "rank")
        topics = groups_of(rows_of(table, *columns, needs=("strength",)), "topic")
        drawn = [sorted(mine, key=lambda row: -row["strength"])[:DOCUMENTS] for mine in topics[:TOPICS]]
        ends = [
            row[end] for mine in drawn for row in mine for end in ("strength", "low", "high") if row[end] is not None
        ]
        scale = alt.Scale(domain=[min(0.0, *ends), max(0.0, *ends)], nice=False, padding=8)
        panels = [_panel(mine, scale, last=i >= len(drawn) - BESIDE) for i, mine in enumerate(drawn)]
        lines = [alt.hconcat(*panels[i : i + BESIDE], spacing=24) for i in range(0, len(panels), BESIDE)]
        one_apart = percent(1 / (1 + exp(-1)))
        how = f"strength: 0 is the mean of a topic; of two documents 1 apart, the stronger has {one_apart} of the votes"
        few = f"the first {TOPICS} of {counted(len(topics), 'topic')}" * (len(topics) > TOPICS)
        cut = f"the {DOCUMENTS} strongest documents of each" * any(len(mine) > DOCUMENTS for mine in topics[:TOPICS])
        told = "; ".join(filter(None, [few, cut]))
        title = headline(_clear(topics), how, told, wide=520)
        return alt.vconcat(*lines, spacing=18).properties(title=title).configure(**THEME)


def _clear(topics: list[list[Row]]) -> str:
    """In how many topics the strongest document stands clear of the next."""
    clear = 0
    for mine in topics:
        low, high = ([row[end] for row in mine if row["rank"] == rank] for rank, end in ((1, "low"), (2, "high")))
        clear += bool(low and high and low[0] is not None and high[0] is not None and low[0] > high[0])
    if len(topics) == 1:
        verb = "lies" if clear else "does not lie"
        return f"The interval of the strongest document {verb} above that of the next"
    some = f"{clear:,}" if clear else "none"
    return f"In {some} of {len(topics):,} topics the strongest document's interval lies above that of the next"


def _panel(rows: list[Row], scale: "alt.Scale", *, last: bool) -> Any:
    """The documents of a topic."""
    told = [
        {**row, "place": place, "name": short(row["document"], NAME), "first": row["rank"] == 1}
        for place, row in enumerate(rows)
    ]
    down = alt.Y("place:Q", scale=alt.Scale(domain=[-0.6, len(rows) - 0.4], reverse=True, nice=False), axis=None)
    below = alt.Axis(title="strength" if last else None, tickCount=4)
    across = alt.X("low:Q", scale=scale, axis=below)
    base = alt.Chart(inline(told)).encode(y=down)
    colour = alt.condition("datum.first", alt.value(COLOURS[0]), alt.value(QUIET))
    zero = alt.Chart(inline([{"low": 0}])).mark_rule(color=PALE, strokeWidth=1.5)
    layers = [
        zero.encode(x=across),
        base.mark_rule(strokeWidth=2).encode(x=across, x2="high:Q", color=colour),
        base.mark_point(filled=True, size=40, opacity=1).encode(x="strength:Q", color=colour),
        base.mark_text(align="right", fontSize=11, color=INK).encode(x=alt.value(-8), text="name:N"),
    ]
    title = alt.TitleParams(short(rows[0]["topic"], 24), fontSize=12, offset=4, anchor="start")
    return alt.layer(*layers).properties(width=ACROSS, height=STEP * len(rows) + 4, title=title)
