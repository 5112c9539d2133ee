"""Charts of every run against every other."""

from typing import TYPE_CHECKING, Any, ClassVar

from cranfield.core import ParameterError, Table, need
from cranfield.core.render import visible

from ._base import Chart, Picture, chart, inline
from ._theme import FAINT, THEME

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

    def draw(self, table: Table) -> Picture:
        """One cell for each pair and its mirror; of several tests and measures the first."""
        rows: list[dict[str, Any]] = table.rows()
        # A small p of a test of equivalence has no direction.
        rows = [row for row in rows if not str(row["test"]).startswith("tost")]
        if not rows:
            hint = "draw a test of differences, such as t"
            raise ParameterError("tests of equivalence say neither higher nor lower", hint=hint)
        first = (rows[0]["measure"], rows[0]["test"])
        rows = [row for row in rows if (row["measure"], row["test"]) == first]
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
        step = 16 if len(runs) <= ROOMY else 6
        label = 10 if len(runs) <= ROOMY else 6
        axis: dict[str, Any] = {"title": None, "labelFontSize": label, "ticks": False, "grid": False, "labelLimit": 140}
        across = alt.X("column:N", sort=runs, axis=alt.Axis(**axis, orient="top", labelAngle=-90))
        down = alt.Y("row:N", sort=runs, axis=alt.Axis(**axis))
        shown = [colours[domain.index(word)] for word in seen]
        colour = alt.Color(
            "class:N", scale=alt.Scale(domain=seen, range=shown), legend=alt.Legend(title="row beside column")
        )
        title = alt.TitleParams(
            f"{first[1]} on {first[0]}", subtitle=["p after correction; runs from the highest down"], anchor="start"
        )
        picture = (
            alt.Chart(inline(cells))
            .mark_rect(stroke="white", strokeWidth=0.5 if len(runs) <= ROOMY else 0.2)
            .encode(x=across, y=down, color=colour)
            .properties(width=step * len(runs), height=step * len(runs), title=title)
        )
        return picture.configure(**THEME)


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
