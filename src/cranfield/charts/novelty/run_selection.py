"""Charts of runs selected one by one for an ensemble or a pool."""

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from cranfield.charts.base import Chart, Picture, chart, inline
from cranfield.charts.chart_text import WIDE, counted, headline, number, percent, rows_of, short
from cranfield.charts.label_placement import Axis, rank_ticks
from cranfield.charts.run_sequences import (
    NAMED,
    Frame,
    Line,
    along,
    line_ends,
    lines,
    names_below,
    places_below,
    rings,
    ticks_below,
)
from cranfield.charts.theme import QUIET, THEME
from cranfield.core import Table, need

if TYPE_CHECKING:
    import altair as alt
else:
    alt = need("altair", extra="charts")

HIGH = 280
ENOUGH = 0.95  # of the relevant documents that all runs find
Row = dict[str, Any]


class Chosen(Chart):
    """What the runs reach that were taken so far: chosen one by one, and beside it in the order of their values."""

    chosen: ClassVar[str]  # the columns of the two lines
    by_value: ClassVar[str]
    word: ClassVar[str]  # what the line of those that were chosen is called
    title: ClassVar[str]  # of the axis to the left
    subtitle: ClassVar[str]
    ticks: ClassVar[dict[str, Any]] = {"tickCount": 6}
    optional: ClassVar[tuple[str, ...]] = ()  # columns that a table may have too

    def draw(self, table: Table) -> Picture:
        """A dot for each step, joined; the run that it adds below it."""
        more = [name for name in self.optional if name in table.columns]
        rows = rows_of(table, "step", "run", *self.columns(), *more, needs=(self.chosen,))
        ours = Line([(float(place), row[self.chosen]) for place, row in enumerate(rows)], self.word)
        theirs = [
            (float(place), row[self.by_value]) for place, row in enumerate(rows) if row[self.by_value] is not None
        ]
        drawn = [ours, *([Line(theirs, "in order of value", dashed=True)] if theirs else [])]
        up = self.fit([height for line in drawn for _, height in line.places], rows)
        named = len(rows) <= NAMED
        below = ticks_below(len(rows)) if named else _numbers(len(rows))
        frame = Frame(places_below(len(rows)), up, below, alt.Axis(title=self.title, **self.ticks))
        rules = self.rules(rows)
        layers = [*_across(rules, frame), *lines(drawn, frame, dotted=named)]
        layers += line_ends(drawn, up, *(rule for rule in rules if rule[1]))
        place, word = self.marked(rows)
        if place is not None:
            held = [Line([(frame.across.low, height), (frame.across.high, height)], word) for height, word in rules]
            beside = along([*drawn, *held], frame)
            layers += rings([(place, rows[place][self.chosen])], word, frame, beside)
        layers += [names_below([(short(row["run"], 24),) for row in rows], frame)] if named else []
        title = headline(self.finding(rows), self.subtitle, self.held_out(rows), wide=WIDE + 90)
        return alt.layer(*layers).properties(title=title, width=WIDE, height=HIGH).configure(**THEME)

    def columns(self) -> tuple[str, ...]:
        """What is read beside the steps and their runs."""
        return (self.chosen, self.by_value)

    def held_out(self, rows: list[Row]) -> str:
        """What is left on topics by which nothing was chosen, if that is known."""
        del rows
        return ""

    @abstractmethod
    def fit(self, heights: list[float], rows: list[Row]) -> Axis:
        """The axis to the left."""

    @abstractmethod
    def rules(self, rows: list[Row]) -> list[tuple[float, str]]:
        """What the lines are held against, and how it is called."""

    @abstractmethod
    def marked(self, rows: list[Row]) -> tuple[int | None, str]:
        """The step that matters, if there is one, and what is said of it."""

    @abstractmethod
    def finding(self, rows: list[Row]) -> str:
        """What the chart shows."""


def _numbers(steps: int) -> "alt.Axis":
    """How many runs were taken, where their names have no room."""
    places = [step - 1 for step in rank_ticks(steps)]
    return alt.Axis(title="runs taken", values=places, labelExpr="format(datum.value + 1, 'd')", grid=False)


def _across(rules: list[tuple[float, str]], frame: Frame) -> list[Any]:
    base = alt.Chart(inline([{"y": height} for height, _ in rules]))
    return [base.mark_rule(color=QUIET, strokeDash=[2, 2]).encode(y=frame.axes["y"])] if rules else []


@chart("ensemble", cite="bigdeli2024")
class Ensemble(Chosen):
    """Ensemble: the value of the fusion of so many runs, chosen by what each adds to those before it."""

    table: ClassVar[str] = "ensemble"
    chosen: ClassVar[str] = "fused"
    by_value: ClassVar[str] = "by_value"
    word: ClassVar[str] = "chosen by NRG"
    title: ClassVar[str] = "value of the fusion"
    subtitle: ClassVar[str] = (
        "the fusion of all runs up to here; each step adds the run named below it, which has the highest NRG "
        "given those before; dashed: runs in the order of their own values"
    )
    optional: ClassVar[tuple[str, ...]] = ("held_out", "by_value_held_out")

    def columns(self) -> tuple[str, ...]:
        return (self.chosen, self.by_value, "best")

    def fit(self, heights: list[float], rows: list[Row]) -> Axis:
        return Axis.around([*heights, *(row["best"] for row in rows if row["best"] is not None)], HIGH)

    def rules(self, rows: list[Row]) -> list[tuple[float, str]]:
        best = rows[0]["best"]
        return [] if best is None else [(best, "best single run")]

    def held_out(self, rows: list[Row]) -> str:
        ours, theirs = (
            rows[_peak(rows, name)].get(held) for name, held in zip(self.columns(), self.optional, strict=False)
        )
        if ours is None or theirs is None:
            return ""
        return f"held-out topics, as many runs: chosen by NRG {number(ours)}, in the order of values {number(theirs)}"

    def marked(self, rows: list[Row]) -> tuple[int | None, str]:
        place = _peak(rows, "fused")
        return place, number(rows[place]["fused"])

    def finding(self, rows: list[Row]) -> str:
        """Describe the peaks of both orders; they are chosen on the same topics, so neither is called better."""
        best, peak = rows[0]["best"], max(row["fused"] for row in rows)
        if len(rows) == 1:
            return f"{short(rows[0]['run'], 24)}, the only run, has {number(peak)}: there is nothing to fuse"
        single = "" if best is None else f"; best single run {number(best)}"
        ours = f"{number(peak)} with {_counted(rows, 'fused')}"
        if all(row["by_value"] is None for row in rows):
            return f"The fusion of runs chosen by NRG peaks at {ours}{single}"
        other = max(row["by_value"] for row in rows if row["by_value"] is not None)
        theirs = f"{number(other)} with {_counted(rows, 'by_value')}"
        return f"The fusion of runs chosen by NRG peaks at {ours}, in the order of their values at {theirs}{single}"


def _peak(rows: list[Row], column: str) -> int:
    """The first of the highest places of a line."""
    return max(range(len(rows)), key=lambda i: float("-inf") if rows[i][column] is None else rows[i][column])


def _counted(rows: list[Row], column: str) -> str:
    return counted(_peak(rows, column) + 1, "run")


@chart("pool-runs", cite="bigdeli2024")
class PoolRuns(Chosen):
    """Runs for a pool: the proportion of the relevant documents that so many runs find, each chosen by what it adds."""

    table: ClassVar[str] = "pool_runs"
    chosen: ClassVar[str] = "share"
    by_value: ClassVar[str] = "by_value_share"
    word: ClassVar[str] = "chosen by new documents"
    title: ClassVar[str] = "relevant documents found"
    subtitle: ClassVar[str] = (
        "proportion of the relevant documents that any run finds; each step adds the run named below it, the one that "
        "finds most new ones; dashed: runs in the order of their values"
    )
    ticks: ClassVar[dict[str, Any]] = {"values": [0, 0.2, 0.4, 0.6, 0.8, ENOUGH, 1], "format": ".0%", "grid": False}

    def fit(self, heights: list[float], rows: list[Row]) -> Axis:
        del heights, rows
        return Axis(0, 1.08, HIGH)

    def rules(self, rows: list[Row]) -> list[tuple[float, str]]:
        del rows
        return [(ENOUGH, "")]

    def marked(self, rows: list[Row]) -> tuple[int | None, str]:
        place = _enough(rows, "share")
        return place, counted((place or 0) + 1, "run")

    def finding(self, rows: list[Row]) -> str:
        """How many runs find nearly everything, and how many it takes in the order of values."""
        ours, theirs = _enough(rows, "share"), _enough(rows, "by_value_share")
        if ours is None:
            last = rows[-1]
            instead = f"; in the order of values {percent(last['by_value_share'])}" * (
                last["by_value_share"] is not None
            )
            return f"{_finds(len(rows))} {percent(last['share'])} of what all runs find{instead}"
        first = f"{_finds(ours + 1)} {percent(ENOUGH)} of what all runs find"
        if all(row["by_value_share"] is None for row in rows):
            return first
        if theirs is None:
            return f"{first}; in the order of values {len(rows)} do not"
        if theirs == ours:
            return f"{first}, chosen by new documents or in the order of values"
        return f"{first}; in the order of values it takes {theirs + 1}"


def _finds(runs: int) -> str:
    return f"{counted(runs, 'run')} {'finds' if runs == 1 else 'find'}"


def _enough(rows: list[Row], column: str) -> int | None:
    """The first step that finds enough."""
    return next((i for i, row in enumerate(rows) if row[column] is not None and row[column] >= ENOUGH - 1e-12), None)
