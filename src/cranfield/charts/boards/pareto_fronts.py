"""Charts of Pareto fronts: value against cost, and topics answered against rank of the answer."""

from abc import abstractmethod
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

from cranfield.charts.base import Chart, Picture, chart, inline
from cranfield.charts.chart_text import WIDE, counted, headline, number, percent, rows_of, short
from cranfield.charts.label_placement import Axis, labels, texts
from cranfield.charts.theme import COLOURS, PALE, THEME
from cranfield.core import ParameterError, Table, need

if TYPE_CHECKING:
    import altair as alt
else:
    alt = need("altair", extra="charts")

HIGH = 300
FAR = 30  # from this ratio on, numbers stand on a logarithmic axis


class Front(Chart):
    """A dot for each run; those on the front are in colour, joined and named."""

    across: ClassVar[str]  # the columns of the two axes
    up: ClassVar[str]
    sides: ClassVar[tuple[str, ...]]  # where names stand beside the front: away from the other runs
    subtitle: ClassVar[str]

    def draw(self, table: Table) -> Picture:
        """The runs by both, the front over them."""
        every, rows = self.rows(table)
        across = self.fit(_axis([row[self.across] for row in rows], WIDE))
        up = _axis([row[self.up] for row in rows], HIGH, flip=self.turned(rows))
        titles = self.titles(rows)
        spread = across.high - across.low
        below = alt.Axis(title=titles[0], tickCount=6, grid=False, format=self.format(spread))
        x = alt.X(f"{self.across}:Q", scale=across.scale, axis=below)
        y = alt.Y(f"{self.up}:Q", scale=up.scale, axis=alt.Axis(title=titles[1], tickCount=6))
        front = sorted((row for row in rows if row["front"]), key=lambda row: (row[self.across], row[self.up]))
        behind = [row for row in rows if not row["front"]]
        layers: list[Any] = []
        if behind:
            layers.append(
                alt.Chart(inline(behind)).mark_point(filled=True, size=40, color=PALE, opacity=0.9).encode(x=x, y=y)
            )
        line = alt.Chart(inline(front)).mark_line(color=COLOURS[0], strokeWidth=1.2, strokeDash=[4, 3])
        dots = alt.Chart(inline(front)).mark_point(filled=True, size=54, color=COLOURS[0], opacity=1)
        layers += [line.encode(x=x, y=y), dots.encode(x=x, y=y)]
        points = [(row[self.across], row[self.up], short(row["run"], 24)) for row in front]
        others = [(row[self.across], row[self.up]) for row in behind] + between(points, across, up)
        layers += texts(labels(points, across, up, beside=others, sides=self.sides), across, up)
        lost = f"{counted(every - len(rows), 'run')} without both numbers left out" * (every > len(rows))
        title = headline(self.finding(rows, front), self.subtitle, lost)
        return alt.layer(*layers).properties(title=title, width=WIDE, height=HIGH).configure(**THEME)

    def fit(self, axis: Axis) -> Axis:
        """The axis below without what cannot be."""
        return axis

    def format(self, spread: float) -> str:
        """How numbers below the axis are written."""
        del spread
        return "~s"

    @abstractmethod
    def rows(self, table: Table) -> tuple[int, list[dict[str, Any]]]:
        """How many runs there are, and those that have both numbers, each with whether it is on the front."""

    @abstractmethod
    def turned(self, rows: list[dict[str, Any]]) -> bool:
        """Whether less is better on the axis that goes up."""

    @abstractmethod
    def titles(self, rows: list[dict[str, Any]]) -> tuple[str, str]:
        """What the two axes are called."""

    @abstractmethod
    def finding(self, rows: list[dict[str, Any]], front: list[dict[str, Any]]) -> str:
        """What the chart shows; the front from the left to the right."""


def _axis(values: list[float], length: float, *, flip: bool = False) -> Axis:
    """An axis around the values, logarithmic where they lie far apart."""
    return Axis.around(values, length, log=min(values) > 0 and max(values) > FAR * min(values), flip=flip)


def between(
    points: list[tuple[float, float, str]], across: Axis, up: Axis, steps: int = 16
) -> list[tuple[float, float]]:
    """Places on the line that joins the points."""
    found = []
    for (x, y, _), (x2, y2, _) in pairwise(points):
        for share in (i / steps for i in range(1, steps)):
            right = (1 - share) * across.at(x) + share * across.at(x2)
            high = (1 - share) * up.at(y) + share * up.at(y2)
            found.append((across.value(right), up.value(high)))
    return found


@chart("facets", cite="lin2021")
class Facets(Front):
    """Two facets of a board: how many topics a run answers, and how high it ranks the answer."""

    table: ClassVar[str] = "facets"
    across: ClassVar[str] = "answered"
    up: ClassVar[str] = "esl"
    sides: ClassVar[tuple[str, ...]] = ("above right", "right", "above", "left", "above left", "below right", "below")
    subtitle: ClassVar[str] = (
        "up and right is better; in colour: no other run is better in one facet and at least equal in the other; "
        "differences are not tested"
    )

    def rows(self, table: Table) -> tuple[int, list[dict[str, Any]]]:
        rows = rows_of(table, "run", "answered", "esl", needs=("answered", "esl"))
        for row in rows:
            row["front"] = not any(_ahead(other, row) for other in rows)
        return len(table), rows

    def turned(self, rows: list[dict[str, Any]]) -> bool:
        del rows
        return True

    def fit(self, axis: Axis) -> Axis:
        return Axis(max(axis.low, -0.01), min(axis.high, 1.01), axis.length, axis.log)

    def format(self, spread: float) -> str:
        return ".1%" if spread < 0.08 else ".0%"

    def titles(self, rows: list[dict[str, Any]]) -> tuple[str, str]:
        del rows
        return "proportion of topics answered", "mean rank of the first relevant document"

    def finding(self, rows: list[dict[str, Any]], front: list[dict[str, Any]]) -> str:
        del front
        most = max(rows, key=lambda row: (row["answered"], -row["esl"]))
        best = min(rows, key=lambda row: (row["esl"], -row["answered"]))
        answers = f"{percent(most['answered'])} of topics answered"
        ranks = f"mean rank {number(best['esl'])}"
        who, other = short(most["run"], 24), short(best["run"], 24)
        runs = counted(len(rows), "run")
        if most["esl"] == best["esl"]:
            return f"{runs} by two facets; most topics and lowest mean rank: {who}, {answers}, {ranks}"
        return f"{runs} by two facets; most topics: {who}, {answers}; lowest mean rank: {other}, {ranks}"


def _ahead(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether a run is as good as another in both facets, and better in one."""
    mine, theirs = (one["answered"], -one["esl"]), (other["answered"], -other["esl"])
    return mine != theirs and all(x >= y for x, y in zip(mine, theirs, strict=True))


@chart("pareto", cite="breuer2022irmetadata")
class Pareto(Front):
    """Value and cost: what each run is worth, what it costs, and which runs no other beats in both."""

    table: ClassVar[str] = "cost"
    across: ClassVar[str] = "value"
    up: ClassVar[str] = "mean"
    sides: ClassVar[tuple[str, ...]] = ("above left", "above", "left", "right", "above right", "below right", "below")
    subtitle: ClassVar[str] = (
        "up and left is better; in colour: the front, where no other run has as good a mean at a lower cost; "
        "differences are not tested"
    )

    def rows(self, table: Table) -> tuple[int, list[dict[str, Any]]]:
        every = rows_of(table, "run", "mean", "cost", "value", "front", needs=("cost",))
        cost = rows_of(table, "cost", "value", "mean", needs=("mean", "value"))[0]["cost"]
        mine = [row for row in every if row["cost"] == cost]
        rows = [row for row in mine if row["mean"] is not None and row["value"] is not None]
        if not any(row["front"] for row in rows):
            raise ParameterError("there is nothing to draw: no run is on the front", hint="draw costs with a front")
        return len(mine), rows

    def turned(self, rows: list[dict[str, Any]]) -> bool:
        # The best of the front is its dearest run; there the mean is highest, or lowest where less is better.
        dearest = max((row for row in rows if row["front"]), key=lambda row: row["value"])
        return any(row["mean"] > dearest["mean"] for row in rows)

    def titles(self, rows: list[dict[str, Any]]) -> tuple[str, str]:
        return rows[0]["cost"], "mean"

    def finding(self, rows: list[dict[str, Any]], front: list[dict[str, Any]]) -> str:
        if len(front) == 1:
            return f"{short(front[0]['run'])} has the best mean and the lowest cost of {counted(len(rows), 'run')}"
        cheap, dear = front[0], front[-1]
        times = f", {number(dear['value'] / cheap['value'], 1)} times the" if cheap["value"] > 0 else ", more"
        what = dear["cost"].partition(" (")[0]
        ends = [f"{short(row['run'], 24)} (mean {number(row['mean'])}" for row in (cheap, dear)]
        return f"{len(front)} of {len(rows)} runs are on the front, from {ends[0]}) to {ends[1]}{times} {what})"
