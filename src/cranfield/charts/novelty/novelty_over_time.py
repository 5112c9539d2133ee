"""Chart of the value and novelty of runs over time."""

from statistics import mean
from typing import TYPE_CHECKING, Any, ClassVar

from cranfield.charts.base import Chart, Picture, chart, inline
from cranfield.charts.boards.state_of_the_art import day_of, moment
from cranfield.charts.chart_text import WIDE, headline, number, short
from cranfield.charts.label_placement import Axis
from cranfield.charts.run_sequences import (
    NAMED,
    Frame,
    Line,
    Place,
    along,
    line_ends,
    lines,
    names_below,
    places_below,
    rings,
    ticks_below,
)
from cranfield.charts.theme import COLOURS, SHAPES, THEME
from cranfield.core import Table, need

from .novelty_and_value import Row, novelty_rows, prior_of

if TYPE_CHECKING:
    import altair as alt
else:
    alt = need("altair", extra="charts")

HIGH = 280
FEW = 4  # runs: of fewer the first and the last are compared, of others the earlier and the later half


@chart("chronology", cite="bigdeli2024")
class Chronology(Chart):
    """Chronology: the values of runs in the order of their dates, and what each adds to those before it."""

    table: ClassVar[str] = "novelty"

    def draw(self, table: Table) -> Picture:
        """Two lines, value and NRG, over the names of runs; of very many runs dots over time, and means as lines."""
        rows, notes = novelty_rows(table, ("date", "value", "nrg"), "priors")
        for row in rows:
            row["day"] = day_of(row["date"])
        rows.sort(key=lambda row: row["day"])
        many = len(rows) > NAMED
        written = "%Y-%m" if (rows[-1]["day"] - rows[0]["day"]).days > 60 else "%Y-%m-%d"
        for place, row in enumerate(rows):
            row["at"] = moment(row["day"]) if many else float(place)
        frame = _frame(rows, written, many=many)
        half = max(2, len(rows) // 16) if many else 0
        drawn = [Line(_smooth(rows, "value", half), rows[0]["measure"]), Line(_smooth(rows, "nrg", half), "NRG")]
        names = [(short(row["run"], 24), row["day"].strftime(written)) for row in rows]
        layers = _loose(rows, frame) if many else [names_below(names, frame)]
        layers += [*lines(drawn, frame, dotted=not many), *line_ends(drawn, frame.up)]
        new = [(row["at"], row["nrg"]) for row in rows if row["priors"] == 0]
        layers += rings(new, "first", frame, along(drawn, frame))
        how = f"NRG: {rows[0]['measure']} of what the prior has not shown; prior: {prior_of(rows)}"
        alone = "ring: nothing came before, so NRG is the value itself" * bool(new)
        smooth = f"dots: runs; lines: the mean of {2 * half + 1} neighbours" * many
        title = headline(_over_time(rows, written), how, alone, smooth, *notes, wide=WIDE + 60)
        return alt.layer(*layers).properties(title=title, width=WIDE, height=HIGH).configure(**THEME)


def _frame(rows: list[Row], written: str, *, many: bool) -> Frame:
    """Time or named runs below, value and NRG from 0 up."""
    up = Axis(0, 1.06 * max(max(row["value"], row["nrg"]) for row in rows) or 1, HIGH)
    left = alt.Axis(title="value", tickCount=6)
    if not many:
        return Frame(places_below(len(rows)), up, ticks_below(len(rows)), left)
    below = alt.Axis(title=None, grid=False, tickCount=6, format=written, labelOverlap=True)
    return Frame(Axis.around([row["at"] for row in rows], WIDE), up, below, left, "T")


def _smooth(rows: list[Row], column: str, half: int) -> list[Place]:
    """At every run the mean of so many neighbours on both sides, fewer at the ends."""
    heights = [row[column] for row in rows]
    return [(row["at"], mean(heights[max(0, i - half) : i + half + 1])) for i, row in enumerate(rows)]


def _loose(rows: list[Row], frame: Frame) -> list[Any]:
    """Dots that no line joins."""
    return [
        alt.Chart(inline([{"run": row["run"], "x": row["at"], "y": row[name]} for row in rows]))
        .mark_point(filled=True, color=colour, shape=shape, size=22, opacity=0.45)
        .encode(**frame.axes)
        for name, colour, shape in zip(("value", "nrg"), COLOURS, SHAPES, strict=False)
    ]


def _over_time(rows: list[Row], written: str) -> str:
    """Describe value and NRG of earlier and of later runs; no trend is tested, so none is named."""
    measure, first, half = rows[0]["measure"], rows[0], len(rows) // 2
    if len(rows) == 1:
        return (
            f"{short(first['run'], 24)}, the only run: {measure} {number(first['value'])}, NRG {number(first['nrg'])}"
        )
    ends = (rows[:1], rows[-1:]) if len(rows) < FEW else (rows[:half], rows[half:])
    value, new = ([mean(row[name] for row in part) for part in ends] for name in ("value", "nrg"))
    days = [part[0]["day"].strftime(written) for part in ends]
    when = f"First run ({days[0]}) and last run ({rows[-1]['day'].strftime(written)})"
    halves = "Earlier and later half of the runs"
    numbers = [" and ".join(map(number, pair)) for pair in (value, new)]
    return f"{when if len(rows) < FEW else halves}: {measure} {numbers[0]}, NRG {numbers[1]}"
