"""Chart of LLM judges compared with human assessors: grades, and effect on the values of runs."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from statistics import mean
from typing import TYPE_CHECKING, Any, ClassVar

from cranfield.charts.base import Chart, Picture, chart, inline
from cranfield.charts.boards.leaderboard import SHADES
from cranfield.charts.chart_text import (
    WIDE,
    counted,
    first_of,
    groups_of,
    headline,
    lower_is_better,
    number,
    percent,
    rows_of,
    short,
    signed,
)
from cranfield.charts.label_placement import Axis, labels, texts
from cranfield.charts.proportion_bars import ON_DARK
from cranfield.charts.theme import COLOURS, INK, QUIET, SHAPES, THEME
from cranfield.core import Table, need

from .workers import Row, tenths

if TYPE_CHECKING:
    import altair as alt
else:
    alt = need("altair", extra="charts")

MOST = 6  # machines that are drawn
BESIDE = 3  # of them in a line
FEW = 2  # machines that a title names one by one
LINE = 540  # points that a line of squares may take, and between two of them
GAP = 52
MANY = 5  # grades, of which two machines fill a line
CELL = (26, 52)  # points: of the side of a cell, the smallest and the largest
FITS = 34  # points that a share of full size needs
DARK = 0.68  # from this share on, words are white
HIGH = 220  # of the panel of runs
ROOMY = 12.5  # the size for which names have room
NEAR = 1e-12  # gains as small as this are none


@dataclass(frozen=True)
class Side:
    """A machine: the items to which people gave a grade and it gave another, or the same."""

    name: str
    rows: list[Row]
    kappa: float | None = None

    @cached_property
    def items(self) -> int:
        """Items that people labelled too."""
        return int(sum(row["labels"] for row in self.rows))

    def part(self, sign: int) -> float:
        """The share of the items of which it says more (1), the same (0), or less (-1)."""
        found = [r["labels"] for r in self.rows if (r["said"] > r["people"]) - (r["said"] < r["people"]) == sign]
        return float(sum(found)) / max(self.items, 1)

    @property
    def parts(self) -> str:
        """More and less, in words."""
        return f"higher on {tenths(self.part(1))}, lower on {tenths(self.part(-1))}"


@chart("machines", cite="cohen1960,voorhees2000")
class Machines(Chart):
    """LLM judges compared with people: their grades for the same items, and the effect on the values of runs."""

    table: ClassVar[str] = "machine_confusion"

    def draw(self, table: Table) -> Picture:
        """A square for each machine: people's grades up, its own across, shares of each row."""
        return self.draw_beside(table, {})

    def draw_beside(self, table: Table, others: Mapping[str, Table]) -> Picture:
        """The squares, and below them the runs: their values by people, and how far the machine is from these."""
        rows = rows_of(table, "machine", "people", "said", "labels", "share", needs=("people", "said", "labels"))
        kappa = _kappa(others.get("machines"))
        sides = [Side(mine[0]["machine"], mine, kappa.get(mine[0]["machine"])) for mine in groups_of(rows, "machine")]
        shown = sides[:MOST]
        grades = sorted({row[side] for row in rows for side in ("people", "said")})
        runs = _runs(others.get("machine_runs"), [side.name for side in shown])
        panels = [*_squares(shown, grades), *([_favoured(runs)] if runs else [])]
        how = (
            "square: of the items with a grade by people, the proportion with each grade by the LLM judge; right: items"
        )
        side = "below" if runs and lower_is_better(runs[0]["measure"]) else "above"
        below = (
            f"dots: runs; dashed: the mean of an LLM judge; a run {side} it gains on the others (not tested)"
            * bool(runs)
        )
        few = f"the first {MOST} of {counted(len(sides), 'LLM judge')}" * (len(sides) > MOST)
        title = headline(f"{_agreement(sides)}{_gain(runs)}", how, below, few, wide=WIDE + 60)
        return (
            alt.vconcat(*panels, spacing=22)
            .properties(title=title)
            .resolve_scale(color="independent", shape="independent")
            .configure(**THEME)
        )


def _kappa(table: Table | None) -> dict[str, float | None]:
    if table is None or not len(table):
        return {}
    return {row["machine"]: row["kappa"] for row in rows_of(table, "machine", "kappa")}


def _agreement(sides: list[Side]) -> str:
    """Return how often LLM judges give the grade that people give."""
    order = sorted(sides, key=lambda side: -side.part(0))
    if len(sides) <= FEW:
        each = [f"on {tenths(side.part(0))} of {counted(side.items, 'item')}" for side in order]
        said = f"{short(order[0].name, 24)} agrees with people {each[0]}"
        return f"{said}, {order[0].parts}" if len(sides) == 1 else f"{said}, {short(order[1].name, 24)} {each[1]}"
    first, last = order[0], order[-1]
    ends = f"{tenths(first.part(0))} ({short(first.name, 24)}) to {tenths(last.part(0))} ({short(last.name, 24)})"
    return f"{len(sides)} LLM judges agree with people on {ends} of their items"


def _squares(sides: list[Side], grades: list[float]) -> list[Any]:
    """The squares, a few in a line."""
    beside = min(len(sides), BESIDE if len(grades) <= MANY else 2)
    cell = min(max((LINE - GAP * beside) / (beside * len(grades)), CELL[0]), CELL[1])
    drawn = [_square(side, grades, cell, first=i % beside == 0) for i, side in enumerate(sides)]
    lines = [drawn[start : start + beside] for start in range(0, len(drawn), beside)]
    return [alt.hconcat(*line, spacing=26) if len(line) > 1 else line[0] for line in lines]


def _square(side: Side, grades: list[float], cell: float, *, first: bool) -> Any:
    """What a machine says, by what people say."""
    rows = [
        {"people": f"{row['people']:g}", "said": f"{row['said']:g}", "share": row["share"] or 0.0}
        | {"label": percent(row["share"]) if row["share"] else "", "dark": (row["share"] or 0) > DARK}
        for row in side.rows
    ]
    totals = [
        {"people": f"{mine[0]['people']:g}", "items": f"{sum(row['labels'] for row in mine):,}"}
        for mine in groups_of(side.rows, "people")
    ]
    names = [f"{grade:g}" for grade in grades]
    axis: dict[str, Any] = {"grid": False, "ticks": False, "domain": False, "labelAngle": 0}
    scale = alt.Scale(domain=names, padding=0)
    across = alt.X("said:N", scale=scale, axis=alt.Axis(title="grade by the LLM judge", **axis))
    up = alt.Y(
        "people:N",
        scale=alt.Scale(domain=names[::-1], padding=0),
        axis=alt.Axis(title="grade by people" if first else None, **axis),
    )
    colour = alt.Color("share:Q", scale=alt.Scale(domain=[0, 0.5, 1], range=SHADES), legend=None)
    base, size = alt.Chart(inline(rows)).encode(x=across, y=up), cell * len(grades)
    words = alt.Chart(inline(totals)).mark_text(align="left", dx=5, fontSize=10, color=QUIET)
    layers = [
        base.mark_rect(stroke="white", strokeWidth=1.5).encode(color=colour),
        base.mark_text(fontSize=11 if cell >= FITS else 9).encode(text="label:N", color=ON_DARK),
        words.encode(x=alt.value(size), y=up, text="items:N"),
    ]
    told = f"{tenths(side.part(0))} equal" + ("" if side.kappa is None else f", κ {number(side.kappa, 2)}")
    title = alt.TitleParams(
        short(side.name, max(12, int(size / 7))),
        subtitle=told,
        fontSize=12,
        subtitleFontSize=11,
        offset=6,
        anchor="start",
    )
    return alt.layer(*layers).properties(width=size, height=size, title=title)


def _runs(table: Table | None, machines: list[str]) -> list[Row]:
    """Runs by the first measure, each with what a machine gives it beyond the mean of all runs, more being better."""
    if table is None or not len(table):
        return []
    needs = ("people", "difference")
    columns = ("machine", "measure", "run", *needs)
    rows = [row for row in table.rows() if all(row[name] is not None for name in needs)]
    if not rows:
        return []
    every = first_of(rows_of(table, *columns, needs=needs), "measure")
    sign = -1 if lower_is_better(every[0]["measure"]) else 1
    for mine in groups_of(every, "machine"):
        middle = mean(row["difference"] for row in mine)
        for row in mine:
            row |= {"gain": sign * (row["difference"] - middle), "mean": middle}
    return [row for row in every if row["machine"] in machines]


def _gain(runs: list[Row]) -> str:
    """Name the run with the largest difference from the mean of a judge; it is not tested, so only described."""
    if not runs or len(groups_of(runs, "run")) < 2:
        return ""
    most = max(runs, key=lambda row: row["gain"])
    if most["gain"] <= NEAR:
        return ""
    under = f" under {short(most['machine'], 24)}" * (len(groups_of(runs, "machine")) > 1)
    return f"; largest gain of a run{under}: {short(most['run'], 24)}, {signed(most['gain'])} from the mean of all runs"


def _favoured(runs: list[Row]) -> Any:
    """A dot for each run and machine: its value by people, and the machine's value less that."""
    means = [{"machine": mine[0]["machine"], "mean": mine[0]["mean"]} for mine in groups_of(runs, "machine")]
    across = Axis.around([row["people"] for row in runs], WIDE)
    up = Axis.around([0.0, *(row["difference"] for row in runs)], HIGH)
    measure = runs[0]["measure"]
    x = alt.X("people:Q", scale=across.scale, axis=alt.Axis(title=f"{measure} by people", tickCount=6, grid=False))
    left = alt.Axis(title="LLM judge − people", tickCount=5)
    y = {name: alt.Y(f"{name}:Q", scale=up.scale, axis=left) for name in ("difference", "mean")}
    colour, shape = _told_apart([row["machine"] for row in means])
    zero = alt.Chart(inline([{"mean": 0}])).mark_rule(color=INK, strokeWidth=1)
    most = max(runs, key=lambda row: row["gain"])
    point = (most["people"], most["difference"], short(most["run"], 22))
    # Words keep off the dots and the lines across.
    others = [(row["people"], row["difference"]) for row in runs]
    others += [(across.value(at), row["mean"]) for row in [{"mean": 0.0}, *means] for at in range(0, WIDE, 8)]
    layers = [
        zero.encode(y=y["mean"]),
        alt.Chart(inline(means)).mark_rule(strokeDash=[4, 3]).encode(y=y["mean"], color=colour),
        alt.Chart(inline(runs))
        .mark_point(filled=True, size=40, opacity=0.9)
        .encode(x=x, y=y["difference"], color=colour, shape=shape),
        *texts(labels([point], across, up, beside=others, size=ROOMY), across, up),
    ]
    return alt.layer(*layers).properties(width=WIDE, height=HIGH)


def _told_apart(machines: list[str]) -> tuple["alt.Color", "alt.Shape"]:
    """A colour and a shape for each machine."""
    n = len(machines)
    legend = alt.Legend(orient="top", direction="horizontal", symbolSize=60, columns=3) if n > 1 else None
    colour = alt.Color("machine:N", scale=alt.Scale(domain=machines, range=COLOURS[:n]), legend=legend)
    shape = alt.Shape("machine:N", scale=alt.Scale(domain=machines, range=SHAPES[:n]), legend=legend)
    return colour, shape
