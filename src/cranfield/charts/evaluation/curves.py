"""Charts of curves: precision–recall, user model weights, power and detectable difference."""

from typing import TYPE_CHECKING, Any, ClassVar

from cranfield.charts.base import Chart, Picture, chart, inline
from cranfield.charts.theme import COLOURS, DASHES, PALE, SHAPES, THEME
from cranfield.core import Table, need
from cranfield.core.rendering import visible

if TYPE_CHECKING:
    import altair as alt
else:
    alt = need("altair", extra="charts")

MANY = len(COLOURS)  # more lines than this cannot be told apart
FEW = 5  # of many lines have a colour
DOTTED = 25  # up to so many points of a line are marked


class Lines(Chart):
    """Lines over a common axis; in the legend the highest stands first, or the first of the table."""

    lines: ClassVar[str]  # the column that says to which line a row belongs
    x: ClassVar[str]
    y: ClassVar[str]
    x_title: ClassVar[str]
    y_title: ClassVar[str]
    subtitle: ClassVar[str]
    x_scale: ClassVar[dict[str, Any]] = {}
    y_scale: ClassVar[dict[str, Any]] = {"zero": True}
    by_height: ClassVar[bool] = True

    def draw(self, table: Table) -> Picture:
        """Every line in its colour; of very many the first few, and the others pale behind them."""
        rows, names = self._rows(table)
        places = sorted({row[self.x] for row in rows})
        shown = names if len(names) <= MANY else names[:FEW]
        below = alt.Axis(grid=False, values=self.ticks(places))
        position = alt.X(f"{self.x}:Q", title=self.x_title, scale=alt.Scale(**self.x_scale), axis=below)
        height = alt.Y(f"{self.y}:Q", title=self.y_title, scale=alt.Scale(**self.y_scale), axis=alt.Axis(tickCount=5))
        base = alt.Chart(inline([row for row in rows if row[self.lines] in shown])).encode(x=position, y=height)
        behind = [row for row in rows if row[self.lines] not in shown]
        layers = []
        if behind:
            pale = alt.Chart(inline(behind)).mark_line(color=PALE, strokeWidth=1, opacity=0.8)
            layers.append(pale.encode(x=position, y=height, detail=f"{self.lines}:N"))
        layers += self._in_colour(base, shown, dotted=len(places) <= DOTTED)
        picture = alt.layer(*layers).properties(title=self._title(table, names, shown), width=460, height=310)
        return picture.configure(**THEME)

    def ticks(self, places: list[float]) -> list[float]:
        """Where the axis below has a number."""
        return places

    def _in_colour(self, base: "alt.Chart", shown: list[str], *, dotted: bool) -> list["alt.Chart"]:
        # A dashed line needs room in the legend to be seen as one.
        legend = alt.Legend(title=None, symbolSize=70 if dotted else 500) if len(shown) > 1 else None
        n, by = len(shown), f"{self.lines}:N"
        colour = alt.Color(by, scale=alt.Scale(domain=shown, range=COLOURS[:n]), legend=legend)
        line = base.mark_line(strokeWidth=2, strokeJoin="round").encode(color=colour)
        if not dotted:
            dashes = [DASHES[i % len(DASHES)] for i in range(n)]
            return [
                line.encode(strokeDash=alt.StrokeDash(by, scale=alt.Scale(domain=shown, range=dashes), legend=legend))
            ]
        shape = alt.Shape(by, scale=alt.Scale(domain=shown, range=SHAPES[:n]), legend=legend)
        return [line, base.mark_point(filled=True, size=45, opacity=1).encode(color=colour, shape=shape)]

    def _rows(self, table: Table) -> tuple[list[dict[str, Any]], list[str]]:
        """What is drawn, and the names of the lines in their order."""
        columns = [[visible(str(name)) for name in table.cells(self.lines)], table.cells(self.x), table.cells(self.y)]
        rows = [dict(zip((self.lines, self.x, self.y), row, strict=True)) for row in zip(*columns, strict=True)]
        heights: dict[str, list[float]] = {}
        for row in rows:
            heights.setdefault(row[self.lines], []).append(row[self.y] or 0.0)
        if not self.by_height:
            return rows, list(heights)
        return rows, sorted(heights, key=lambda name: -sum(heights[name]) / len(heights[name]))

    def _title(self, table: Table, names: list[str], shown: list[str]) -> "alt.TitleParams":
        title = table.caption[:1].upper() + table.caption[1:]
        if len(names) == 1:
            title = f"{title}: {names[0]}" if title else names[0]
        which = f"{len(shown)} highest" if self.by_height else f"first {len(shown)}"
        few = [f"in colour the {which} of {len(names)} {self.lines}s"] * (shown != names)
        return alt.TitleParams(visible(title), subtitle=[self.subtitle, *few])


@chart("precision-recall", cite="rijsbergen1979", aliases=("pr",))
class PrecisionRecall(Lines):
    """Precision at recall: how clean each ranking stays while more of the relevant documents are found."""

    table: ClassVar[str] = "curve"
    lines: ClassVar[str] = "run"
    x: ClassVar[str] = "recall"
    y: ClassVar[str] = "precision"
    x_title: ClassVar[str] = "recall: share of the relevant documents found"
    y_title: ClassVar[str] = "precision"
    subtitle: ClassVar[str] = "the best precision at this recall or beyond, mean over topics"
    x_scale: ClassVar[dict[str, Any]] = {"domain": [0, 1]}

    def ticks(self, places: list[float]) -> list[float]:
        del places
        return [i / 5 for i in range(6)]

    y_scale: ClassVar[dict[str, Any]] = {"domain": [0, 1]}


@chart("weights", cite="moffat2008rbp")
class Weights(Lines):
    """Weights of a user model: the share of all attention that each rank receives."""

    table: ClassVar[str] = "weights"
    lines: ClassVar[str] = "measure"
    x: ClassVar[str] = "rank"
    y: ClassVar[str] = "weight"
    x_title: ClassVar[str] = "rank"
    y_title: ClassVar[str] = "weight"
    subtitle: ClassVar[str] = "the share of all attention that a rank receives"
    x_scale: ClassVar[dict[str, Any]] = {"zero": False, "nice": False, "padding": 12}
    by_height: ClassVar[bool] = False  # every model has 1 to give away

    def ticks(self, places: list[float]) -> list[float]:
        step = 1 if len(places) <= 10 else round(len(places) / 50) * 10 or 5
        return [place for place in places if place == places[0] or place % step == 0]


@chart("power", cite="sakai2016topic")
class Power(Lines):
    """Power over topics: how often a difference of this size is found, or the smallest difference within reach."""

    table: ClassVar[str] = "power"
    lines: ClassVar[str] = "design"
    x: ClassVar[str] = "topics"
    y: ClassVar[str] = "power"
    x_title: ClassVar[str] = "topics"
    y_title: ClassVar[str] = "power"
    subtitle: ClassVar[str] = "how often the test is significant"
    y_scale: ClassVar[dict[str, Any]] = {"domain": [0, 1]}

    def draw(self, table: Table) -> Picture:
        """The curve of what changes with the topics: power, or the difference where power is the same throughout."""
        if len(set(table.cells("power"))) > 1:
            return super().draw(table)
        return Reach().draw(table)

    def ticks(self, places: list[float]) -> list[float]:
        step = max(1, round(places[-1] / 8, -len(str(int(places[-1] / 8))) + 1))
        return [step * i for i in range(int(places[-1] // step) + 1)]


class Reach(Power):
    """Differences over topics: the smallest one that so many topics show."""

    y: ClassVar[str] = "difference"
    y_title: ClassVar[str] = "difference"
    subtitle: ClassVar[str] = "the smallest difference within reach"
    y_scale: ClassVar[dict[str, Any]] = {"zero": True}

    def draw(self, table: Table) -> Picture:
        """The curve."""
        return Lines.draw(self, table)
