"""Charts of click models by rank: observed and predicted clicks, and examination."""

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from cranfield.charts.base import Chart, Picture, chart, inline
from cranfield.charts.chart_text import WIDE, counted, groups_of, headline, listed, percent, rows_of, short
from cranfield.charts.judgments.workers import Row, tenths
from cranfield.charts.label_placement import rank_ticks
from cranfield.charts.theme import COLOURS, INK, SHAPES, THEME
from cranfield.core import Table, need

if TYPE_CHECKING:
    import altair as alt
else:
    alt = need("altair", extra="charts")

HIGH = 290
MOST = 6  # models that are drawn
DEEP = 20  # ranks that are drawn
NEEDS = ("rank", "impressions", "observed")


class _Curves(Chart):
    """A line for each click model over the ranks of a page."""

    table: ClassVar[str] = "ranks"
    y: ClassVar[str]
    above: ClassVar[str]  # what stands beside the axis

    @abstractmethod
    def told(self, models: list[list[Row]]) -> tuple[str, str]:
        """What the chart shows, and how to read it."""

    def behind(self, rows: list[Row], x: "alt.X") -> list[Any]:
        """What is drawn beside the lines."""
        del rows, x
        return []

    def draw(self, table: Table) -> Picture:
        """Draw a line for each model, in the order of the table; of many models and ranks the first ones."""
        columns = ("model", "rank", "impressions", "observed", "low", "high", self.y)
        rows = [row for row in rows_of(table, *columns, needs=(*NEEDS, self.y)) if row["rank"] <= DEEP]
        every = groups_of(rows, "model")
        models = every[:MOST]
        last = max(row["rank"] for row in rows)
        x = alt.X(
            "rank:Q",
            scale=alt.Scale(domain=[0.6, last + 0.4], nice=False),
            axis=alt.Axis(title="rank", values=rank_ticks(last), format="d", grid=False),
        )
        lines = self._lines(models, x)
        finding, how = self.told(models)
        few = f"the first {MOST} of {counted(len(every), 'model')}" * (len(every) > MOST)
        title = headline(finding, how, few, wide=WIDE + 60)
        layers = [*lines, *self.behind(models[0], x)]
        return alt.layer(*layers).properties(title=title, width=WIDE, height=HIGH).configure(**THEME)

    def _lines(self, models: list[list[Row]], x: "alt.X") -> list[Any]:
        names = [short(mine[0]["model"]) for mine in models]
        rows = [
            {"model": name, "rank": row["rank"], "y": row[self.y]}
            for name, mine in zip(names, models, strict=True)
            for row in mine
        ]
        legend = alt.Legend(orient="right", symbolSize=70, title=None)
        n = len(names)
        colour = alt.Color("model:N", scale=alt.Scale(domain=names, range=COLOURS[:n]), legend=legend)
        shape = alt.Shape("model:N", scale=alt.Scale(domain=names, range=SHAPES[:n]), legend=legend)
        base = alt.Chart(inline(rows)).encode(x=x, y=self._height(), color=colour)
        marks = base.mark_point(filled=True, size=38, opacity=1).encode(shape=shape)
        return [base.mark_line(strokeWidth=1.8, strokeJoin="round"), marks]

    def _height(self, column: str = "y") -> "alt.Y":
        left = alt.Axis(title=self.above, format="~%", tickCount=5)
        return alt.Y(f"{column}:Q", scale=alt.Scale(zero=True), axis=left)


@chart("click-curves", cite="joachims2005,chuklin2015")
class ClickCurves(_Curves):
    """Clicks by rank: how often each is clicked, and how often click models expect it to be."""

    y: ClassVar[str] = "predicted"
    above: ClassVar[str] = "impressions with a click there"

    def told(self, models: list[list[Row]]) -> tuple[str, str]:
        """Describe the clicks on the first rank and on the last."""
        rows = models[0]
        ends = f"Rank 1 is clicked in {tenths(rows[0]['observed'])} of {counted(rows[0]['impressions'], 'impression')}"
        if len(rows) > 1:
            ends += f", rank {rows[-1]['rank']} in {tenths(rows[-1]['observed'])}"
        return ends, "black: observed clicks with their interval; in colour: clicks predicted by click models"

    def behind(self, rows: list[Row], x: "alt.X") -> list[Any]:
        """What users did."""
        base = alt.Chart(inline(rows)).encode(x=x)
        bars = base.mark_rule(color=INK, strokeWidth=1.4).encode(y=self._height("low"), y2="high:Q")
        dash = base.mark_tick(color=INK, thickness=2.5, size=15, opacity=1, orient="horizontal")
        return [bars, dash.encode(y=self._height("observed"))]


@chart("examination", cite="joachims2005,chuklin2015")
class Examination(_Curves):
    """Examination by rank: how often click models think that each is looked at."""

    y: ClassVar[str] = "examined"
    above: ClassVar[str] = "users who look at the rank"

    def told(self, models: list[list[Row]]) -> tuple[str, str]:
        """How often the second rank and the last are looked at, beside the first."""
        rows = models[0]
        name, first = short(rows[0]["model"]), rows[0]["examined"] or 1.0
        below = {row["rank"]: percent(row["examined"] / first) for row in (rows[1:2] + rows[-1:]) if row["rank"] > 1}
        shares = [f"{share} look at rank {rank}" for rank, share in below.items()] or ["none can look further"]
        said = f"By {name}, of those who look at rank 1, {listed(shares)}"
        return said, "how often a rank is looked at, whatever is clicked, as click models learn it from clicks"
