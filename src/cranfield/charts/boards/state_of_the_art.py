"""Chart of the state of the art over time: each run at its date, and the best value so far."""

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

from cranfield.charts.base import Chart, Picture, chart, inline
from cranfield.charts.chart_text import WIDE, counted, headline, number, rows_of, short
from cranfield.charts.label_placement import Axis, flags
from cranfield.charts.theme import COLOURS, INK, PALE, QUIET, THEME
from cranfield.core import ParameterError, Table, need

if TYPE_CHECKING:
    import altair as alt
else:
    alt = need("altair", extra="charts")

HIGH = 320
MONTH = 365.25 / 12


@chart("sota", cite="lin2021,craswell2021msmarco")
class StateOfTheArt(Chart):
    """State of the art: every run at its date, and the line of those that were the best of their day."""

    table: ClassVar[str] = "history"

    def draw(self, table: Table) -> Picture:
        """Runs as quiet dots, baselines hollow, the best of their day in colour; filled if the step is significant."""
        tested = "significant" in table.columns
        columns = ("run", "date", "mean", "kind", *["significant"] * tested)
        every = rows_of(table, *columns)
        rows = [
            {**row, "day": day_of(row["date"])} for row in every if row["date"] is not None and row["mean"] is not None
        ]
        if not rows:
            raise ParameterError("there is nothing to draw: no run has a date and a mean", hint="give the runs dates")
        rows.sort(key=lambda row: row["day"])
        for row in rows:
            row["at"] = moment(row["day"])
        steps = [row for row in rows if row["kind"] == "sota"]
        known = [row["significant"] for row in steps if tested and row["significant"] is not None]
        for row in steps:
            row["filled"] = not known or row["significant"] is True
        across = Axis.around([row["at"] for row in rows], WIDE)
        # Where less is better, the line of the best goes down: then the axis is turned, and better is up again.
        down = len(steps) > 1 and steps[-1]["mean"] < steps[0]["mean"]
        up = Axis.around([row["mean"] for row in rows], HIGH, flip=down)
        words = _words(steps, across, up)
        high = max([HIGH, *(word["top"] + 10 for word in words)])
        up = Axis(up.low, up.value(high), high)
        layers = [*_named(words, across, up), *_quiet(rows, across, up), *_steps(steps, rows, across, up)]
        left = len(every) - len(rows)
        told = [
            "a dot is a run, in colour the best of its day, hollow grey a baseline",
            "filled: significantly better than the best before it; hollow: not, or not tested" * bool(known),
            f"{counted(left, 'run')} without a date or a mean left out" * bool(left),
        ]
        title = headline(_finding(steps, rows, known), *told)
        return alt.layer(*layers).properties(title=title, width=WIDE, height=high).configure(**THEME)


def day_of(cell: object) -> date:
    """A date, as one or as text."""
    if isinstance(cell, date):
        return cell
    try:
        return date.fromisoformat(str(cell).replace("/", "-")[:10])
    except ValueError:
        raise ParameterError(f"{cell!r} is no date", hint="write dates as 2021-02-28") from None


def moment(day: date) -> float:
    """A day as altair counts time: thousandths of seconds, at noon, so that no time zone moves it."""
    return datetime(day.year, day.month, day.day, 12, tzinfo=UTC).timestamp() * 1000


def _axes(across: Axis, up: Axis) -> dict[str, Any]:
    days = (across.high - across.low) / 1000 / timedelta(days=1).total_seconds()
    below = alt.Axis(
        title=None, grid=False, tickCount=6, format="%b %Y" if days > 60 else "%d %b %Y", labelOverlap=True
    )
    return {
        "x": alt.X("at:T", scale=across.scale, axis=below),
        "y": alt.Y("mean:Q", scale=up.scale, axis=alt.Axis(title="mean", tickCount=6)),
    }


def _quiet(rows: list[dict[str, Any]], across: Axis, up: Axis) -> list["alt.Chart"]:
    """Runs that never led, and baselines."""
    ways: dict[str, dict[str, Any]] = {
        "run": {"filled": True, "color": PALE, "size": 26, "opacity": 0.9},
        "baseline": {"filled": False, "color": QUIET, "size": 34, "strokeWidth": 1.2, "opacity": 1},
    }
    return [
        alt.Chart(inline(mine)).mark_point(**ways[kind]).encode(**_axes(across, up))
        for kind in ways
        if (mine := [_kept(row) for row in rows if row["kind"] == kind])
    ]


def _kept(row: dict[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in ("run", "at", "mean", "filled") if name in row}


def _steps(steps: list[dict[str, Any]], rows: list[dict[str, Any]], across: Axis, up: Axis) -> list["alt.Chart"]:
    """The runs that led, joined by the line of the best so far, filled where significant."""
    if not steps:
        return []
    dots = [_kept(row) for row in steps]
    path = [*dots, {**dots[-1], "at": rows[-1]["at"]}]
    axes = _axes(across, up)
    line = alt.Chart(inline(path)).mark_line(interpolate="step-after", color=COLOURS[1], strokeWidth=1.4).encode(**axes)
    fill = alt.condition("datum.filled", alt.value(COLOURS[1]), alt.value("white"))
    dot = alt.Chart(inline(dots)).mark_point(shape="circle", size=46, opacity=1, stroke=COLOURS[1], strokeWidth=1.6)
    return [line, dot.encode(**axes, fill=fill)]


def _words(steps: list[dict[str, Any]], across: Axis, up: Axis) -> list[dict[str, Any]]:
    """Where the names of steps stand: those of the first, the last and the largest before those of small ones."""
    gains = [0.0, *(abs(b["mean"] - a["mean"]) for a, b in pairwise(steps))]
    order = sorted(range(len(steps)), key=lambda i: (i not in {0, len(steps) - 1}, -gains[i]))
    return flags([(step["at"], up.at(step["mean"]), short(step["run"], 24)) for step in steps], order, across)


def _named(words: list[dict[str, Any]], across: Axis, up: Axis) -> list["alt.Chart"]:
    """The names of steps on their poles."""
    rows = [{"at": w["x"], "mean": up.value(w["point"]), "top": up.value(w["top"]), "label": w["label"]} for w in words]
    if not rows:
        return []
    axes = _axes(across, up)
    poles = alt.Chart(inline(rows)).mark_rule(color=PALE, strokeWidth=0.7).encode(**axes, y2="top:Q")
    text = alt.Chart(inline(rows)).mark_text(align="left", dx=3, baseline="middle", fontSize=10, color=INK)
    return [poles, text.encode(x=axes["x"], y=alt.Y("top:Q", scale=up.scale), text="label:N")]


def _finding(steps: list[dict[str, Any]], rows: list[dict[str, Any]], known: list[bool]) -> str:
    """How often the best changed, in what time, from where to where."""
    if not steps:
        return f"None of {counted(len(rows), 'run')} has led yet"
    first, last = steps[0], steps[-1]
    if len(steps) == 1:
        return f"{short(first['run'])} has had the best mean since {first['day']:%B %Y}: {number(first['mean'])}"
    days = (last["day"] - first["day"]).days
    time = counted(round(days / MONTH), "month") if days >= 2 * MONTH else counted(days, "day")
    said = f"{len(steps)} steps in {time}: from {number(first['mean'])} to {number(last['mean'])}"
    return said + f", {sum(known) or 'none'} of them significant" * bool(known)
