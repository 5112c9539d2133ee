"""Matrix chart of the p-values of all pairs of runs."""

from itertools import groupby
from typing import TYPE_CHECKING, Any, ClassVar

from cranfield.charts.base import Chart, Picture, chart, inline
from cranfield.charts.chart_text import first_of, short
from cranfield.charts.theme import FAINT, INK, THEME
from cranfield.core import ParameterError, Table, need
from cranfield.core.rendering import visible

if TYPE_CHECKING:
    import altair as alt
else:
    alt = need("altair", extra="charts")

ROOMY = 40
CLASSES = {  # p at most this: how it is called, of a run that is higher, of one that is lower
    0.001: ("p ≤ .001", "#1f2a7c", "#7c1f3f"),
    0.01: ("p ≤ .01", "#5c6bc0", "#c06b84"),
    0.05: ("p ≤ .05", "#b3bbe6", "#e6bbc8"),
}


@chart("p-matrix", cite="carterette2012")
class PMatrix(Chart):
    """P-values of all pairs: is the run of the row higher (blue) or lower (red) than that of the column?"""

    table: ClassVar[str] = "tests"
    instead: ClassVar[str] = "pairs"  # of a board: one test on one measure, and the caption says which

    def draw(self, table: Table) -> Picture:
        """One cell for each pair and its mirror; of several tests and measures the first."""
        rows, about = _first(table) if "test" in table.columns else (table.rows(), table.caption)
        cells = [cell for row in rows for cell in _both(row)]
        runs = _by_height(rows)
        names = [name for name, *_ in CLASSES.values()]
        domain = (
            [f"higher, {name}" for name in names] + ["not significant"] + [f"lower, {name}" for name in names[::-1]]
        )
        colours = (
            [high for _, high, _ in CLASSES.values()] + [FAINT] + [low for *_, low in list(CLASSES.values())[::-1]]
        )
        seen = [word for word in domain if any(cell["class"] == word for cell in cells)]
        shown = [colours[domain.index(word)] for word in seen]
        colour = alt.Color(
            "class:N", scale=alt.Scale(domain=seen, range=shown), legend=alt.Legend(title="row compared with column")
        )
        title = alt.TitleParams(about, subtitle=["p after correction; runs sorted by mean difference"], anchor="start")
        drawn = (_single if len(runs) <= ROOMY else _joined)(cells, runs, colour)
        step = 16 if len(runs) <= ROOMY else 6
        return drawn.properties(width=step * len(runs), height=step * len(runs), title=title).configure(**THEME)


def _single(cells: list[dict[str, str]], runs: list[str], colour: "alt.Color") -> "alt.Chart":
    """A square for each cell."""
    axis: dict[str, Any] = {"title": None, "labelFontSize": 10, "ticks": False, "grid": False, "labelLimit": 140}
    across = alt.X("column:N", sort=runs, axis=alt.Axis(**axis, orient="top", labelAngle=-90))
    down = alt.Y("row:N", sort=runs, axis=alt.Axis(**axis))
    return alt.Chart(inline(cells)).mark_rect(stroke="white", strokeWidth=0.5).encode(x=across, y=down, color=colour)


def _joined(cells: list[dict[str, str]], runs: list[str], colour: "alt.Color") -> Any:
    """The same for many runs: neighbours of one class are one bar, or a page would hold thousands of squares."""
    found = {(cell["row"], cell["column"]): cell["class"] for cell in cells}
    bars = []
    for row in runs:
        words = enumerate([found.get((row, column)) for column in runs])
        for said, same in groupby(words, key=lambda at: at[1]):
            place = [i for i, _ in same]
            if said is not None:  # a run compared with itself is white
                bars.append({"row": row, "start": place[0], "end": place[-1] + 1, "class": said})
    axis = alt.Axis(
        title=None, labelFontSize=6, ticks=False, grid=False, domain=False, labelLimit=140, labelOverlap=False
    )
    across = alt.X("start:Q", scale=alt.Scale(domain=[0, len(runs)], nice=False), axis=None)
    shapes = alt.Chart(inline(bars)).mark_rect(stroke="white", strokeWidth=0.2, aria=False)
    names = [{"run": short(run, 24), "middle": i + 0.5} for i, run in enumerate(runs)]
    above = alt.Chart(inline(names)).mark_text(angle=270, align="left", fontSize=6, color=INK)
    return alt.layer(
        shapes.encode(x=across, x2="end:Q", y=alt.Y("row:N", sort=runs, axis=axis), color=colour),
        above.encode(x="middle:Q", y=alt.value(-4), text="run:N"),
    )


def _first(table: Table) -> tuple[list[dict[str, Any]], str]:
    """The rows of the first test and measure, and what these are."""
    # A small p of a test of equivalence has no direction.
    rows = [row for row in table.rows() if not str(row["test"]).startswith("tost")]
    if not rows:
        hint = "draw a test of differences, such as t"
        raise ParameterError("tests of equivalence say neither higher nor lower", hint=hint)
    kept = first_of(rows, "measure", "test")
    return kept, f"{kept[0]['test']} on {kept[0]['measure']}"


def _both(row: dict[str, Any]) -> list[dict[str, str]]:
    """The cell of a pair, and its mirror."""
    a, b = visible(str(row["a"])), visible(str(row["b"]))
    difference = row["difference"] or 0.0
    return [
        {"row": b, "column": a, "class": _class(row["p_adjusted"], difference)},
        {"row": a, "column": b, "class": _class(row["p_adjusted"], -difference)},
    ]


def _class(p: float | None, difference: float) -> str:
    name = next((name for most, (name, *_) in CLASSES.items() if p is not None and p <= most), "")
    return f"{'higher' if difference > 0 else 'lower'}, {name}" if name else "not significant"


def _by_height(rows: list[dict[str, Any]]) -> list[str]:
    """The runs, those first that lie above the others."""
    height: dict[str, list[float]] = {}
    for row in rows:
        height.setdefault(visible(str(row["a"])), []).append(-(row["difference"] or 0.0))
        height.setdefault(visible(str(row["b"])), []).append(row["difference"] or 0.0)
    return sorted(height, key=lambda run: -sum(height[run]) / len(height[run]))
