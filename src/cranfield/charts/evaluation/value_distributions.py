"""Charts of the values of each run: intervals of means, and box plots over topics."""

import re
from typing import TYPE_CHECKING, Any, ClassVar

from cranfield.charts.base import Chart, Picture, chart, inline
from cranfield.charts.theme import COLOURS, INK, PALE, QUIET, THEME
from cranfield.core import Table, need
from cranfield.core.rendering import visible

if TYPE_CHECKING:
    import altair as alt
else:
    alt = need("altair", extra="charts")

ROOMY = 40  # up to so many runs have names and letters of full size
WIDTH = 460


class Runs(Chart):
    """One row for each run, the best on top."""

    subtitle: ClassVar[str]

    def rows(self, table: Table) -> tuple[list[dict[str, Any]], list[str]]:
        """Return the rows, and the runs in the order of the table, which has the best mean first."""
        rows: list[dict[str, Any]] = table.rows()
        for row in rows:
            row["run"] = visible(str(row["run"]))
        return rows, list(dict.fromkeys(row["run"] for row in rows))

    def frame(self, layers: list[Any], table: Table, runs: list[str], *more: str) -> Picture:
        """The layers under their title, as high as the runs need."""
        step = 18 if len(runs) <= ROOMY else 9
        # What a caption says behind its colon would be too long for a title.
        title, _, rest = visible(table.caption[:1].upper() + table.caption[1:]).partition(": ")
        told = [*filter(None, [rest]), self.subtitle, *more]
        picture = alt.layer(*layers).properties(
            title=alt.TitleParams(title, subtitle=told), width=WIDTH, height=step * len(runs)
        )
        return picture.configure(**THEME)

    @staticmethod
    def down(runs: list[str]) -> "alt.Y":
        """The axis with the names of runs."""
        small = len(runs) > ROOMY
        axis = alt.Axis(
            title=None, labelFontSize=8 if small else 11, labelLimit=180, labelOverlap=False, ticks=False, grid=False
        )
        return alt.Y("run:N", sort=runs, axis=axis)


@chart("intervals", cite="hochberg1987book")
class Intervals(Runs):
    """Intervals of means: a line for each run; in colour those that do not differ significantly from the best."""

    table: ClassVar[str] = "systems"
    subtitle: ClassVar[str] = "dot: mean; the best on top"

    def draw(self, table: Table) -> Picture:
        """A line for each interval, a dot for the mean, the letters of its groups beside it."""
        rows, runs = self.rows(table)
        best = next(row for row in rows if row["run"] == runs[0])
        for row in rows:
            shared = set(_letters(row)) & set(_letters(best))
            row["top"] = "like the best" if row is best or shared or not _letters(best) else "below it"
        colour = alt.Color(
            "top:N", scale=alt.Scale(domain=["like the best", "below it"], range=[COLOURS[0], PALE]), legend=None
        )
        base = alt.Chart(inline(rows)).encode(y=self.down(runs))
        across = alt.Axis(title="mean", grid=True, tickCount=6)
        line = base.mark_rule(strokeWidth=2).encode(
            x=alt.X("low:Q", scale=alt.Scale(zero=False), axis=across), x2="high:Q", color=colour
        )
        dot = base.mark_point(filled=True, size=36 if len(runs) <= ROOMY else 14, opacity=1).encode(
            x="mean:Q", color=colour
        )
        layers: list[Any] = [line, dot]
        if len(runs) <= ROOMY and any(row.get("letters") for row in rows):
            layers.append(
                base.mark_text(align="left", dx=6, color=QUIET, fontSize=10).encode(x="high:Q", text="letters:N")
            )
        like, others = sum(row["top"] == "like the best" for row in rows) - 1, len(runs) - 1
        tested = bool(_letters(best)) and others > 0
        how = f"in colour: the best, and {like} of {others} others that do not differ from it significantly" * tested
        return self.frame(layers, table, runs, *filter(None, [how]))


def _letters(row: dict[str, Any]) -> list[str]:
    """The letters of a run: a number belongs to the letter before it."""
    return re.findall(r"[A-Za-z]\d*", str(row.get("letters") or ""))


@chart("boxes", cite="tukey1977")
class Boxes(Runs):
    """Boxes of values: the quarters of each run's values over topics, the best mean on top."""

    table: ClassVar[str] = "boxes"
    subtitle: ClassVar[str] = (
        "quarters of the values over topics; whiskers reach 1.5 times the box, a dot is a topic beyond"
    )

    def draw(self, table: Table) -> Picture:
        """A box for each run, its median across it, a mark at its mean, topics far out as dots."""
        rows, runs = self.rows(table)
        boxes = [row for row in rows if row["outlier"] is None]
        out = [row for row in rows if row["outlier"] is not None]
        thick = 11 if len(runs) <= ROOMY else 5
        base = alt.Chart(inline(boxes)).encode(y=self.down(runs))
        across = alt.X("low:Q", title="value", axis=alt.Axis(grid=True, tickCount=6))
        layers: list[Any] = [
            base.mark_rule(color=QUIET).encode(x=across, x2="high:Q"),
            base.mark_bar(size=thick, color="#c9cfe8", stroke=COLOURS[0], strokeWidth=0.6).encode(x="q1:Q", x2="q3:Q"),
            base.mark_tick(size=thick, thickness=2, color=COLOURS[0]).encode(x="median:Q"),
            base.mark_point(shape="diamond", filled=True, size=22, color=INK, opacity=1).encode(x="mean:Q"),
        ]
        if out:
            dots = alt.Chart(inline(out)).mark_point(size=9, color=QUIET, opacity=0.7)
            layers.insert(0, dots.encode(y=self.down(runs), x="outlier:Q"))
        return self.frame(layers, table, runs, "line: median; diamond: mean")
