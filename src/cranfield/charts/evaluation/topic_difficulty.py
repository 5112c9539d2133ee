"""Chart of topic difficulty: values of all runs on each topic, hardest topic first."""

from collections import Counter
from typing import TYPE_CHECKING, Any, ClassVar

from cranfield.charts.base import Chart, Picture, chart, inline
from cranfield.charts.chart_text import WIDE, counted, first_of, headline, lower_is_better, number, rows_of, short
from cranfield.charts.theme import COLOURS, INK, QUIET, THEME
from cranfield.core import Table, need

from .value_distributions import ROOMY

if TYPE_CHECKING:
    import altair as alt
else:
    alt = need("altair", extra="charts")

MANY = 100  # topics that fit on a page; of more the ends are drawn
EACH = 40  # at each end
TITLE = 34  # letters
ALL, SOME, REST = "hard for all", "hard for some", "others"


@chart("difficulty", cite="ferro2024")
class Difficulty(Chart):
    """Difficulty of topics: how the values of all runs lie on each, from the hardest topic to the easiest."""

    table: ClassVar[str] = "difficulty"

    def draw(self, table: Table) -> Picture:
        """A line from the lowest to the highest value of each topic, a dot for the mean, a stroke for the median."""
        columns = ("topic", "measure", "mean", "median", "lowest", "highest", "title")
        every = first_of(rows_of(table, *columns, needs=("mean",)), "measure")
        measure, overall = every[0]["measure"], sum(row["mean"] for row in every) / len(every)
        _tell_hard(every, overall, lower=lower_is_better(measure))
        rows = every if len(every) <= MANY else [*every[:EACH], *every[-EACH:]]
        names = [row["name"] for row in rows]
        small = len(rows) > ROOMY
        axis = alt.Axis(
            title=None, labelFontSize=9 if small else 11, labelLimit=260, labelOverlap=False, ticks=False, grid=False
        )
        base = alt.Chart(inline(rows)).encode(y=alt.Y("name:N", sort=names, axis=axis))
        across = alt.X("lowest:Q", scale=alt.Scale(zero=True), axis=alt.Axis(title=measure, grid=True, tickCount=6))
        kinds = [kind for kind in (ALL, SOME, REST) if any(row["kind"] == kind for row in rows)]
        shades = {ALL: COLOURS[1], SOME: COLOURS[0], REST: QUIET}
        legend = alt.Legend(title=None, orient="top", direction="horizontal") if len(kinds) > 1 else None
        scale = alt.Scale(domain=kinds, range=[shades[kind] for kind in kinds])
        colour = alt.Color("kind:N", scale=scale, legend=legend)
        middle = alt.Chart(inline([{"overall": overall}])).mark_rule(color=INK, strokeDash=[4, 3], strokeWidth=1)
        layers: list[Any] = [
            base.mark_rule(strokeWidth=2.5 if small else 4, opacity=0.35).encode(
                x=across, x2="highest:Q", color=colour
            ),
            middle.encode(x="overall:Q"),
            base.mark_tick(thickness=1.5, size=6 if small else 11, color=INK).encode(x="median:Q"),
            base.mark_point(filled=True, size=20 if small else 44, opacity=1).encode(x="mean:Q", color=colour),
        ]
        title = headline(_finding(every, measure), *_how(every, rows, overall))
        high = (11 if small else 18) * len(rows)
        return alt.layer(*layers).properties(title=title, width=WIDE, height=high).configure(**THEME)


def _tell_hard(rows: list[dict[str, Any]], overall: float, *, lower: bool) -> None:
    """Name each topic, and say for whom it is hard: the first quarter is, for all where no run reaches the mean."""
    hard = -(-len(rows) // 4)
    seen: Counter[str] = Counter()
    for place, row in enumerate(rows):
        reached = row["lowest"] <= overall if lower else row["highest"] >= overall
        row["kind"] = REST if place >= hard else SOME if reached else ALL
        name = f"{short(row['topic'])} {short(row['title'], TITLE)}" if row["title"] else short(row["topic"])
        seen[name] += 1  # two that look alike are two rows all the same
        row["name"] = name if seen[name] == 1 else f"{name} ({seen[name]})"


def _finding(rows: list[dict[str, Any]], measure: str) -> str:
    """How far apart the ends are, and for whom the hard topics are hard."""
    if len(rows) == 1:
        return f"Topic {short(rows[0]['topic'])} has a mean {measure} of {number(rows[0]['mean'])}"
    ends = (
        f"From {number(rows[0]['mean'])} to {number(rows[-1]['mean'])}: mean {measure} of {counted(len(rows), 'topic')}"
    )
    every = sum(row["kind"] == ALL for row in rows)
    hard = sum(row["kind"] != REST for row in rows)
    return f"{ends}; of the {hard} hardest {every} {'is' if every == 1 else 'are'} hard for all"


def _how(every: list[dict[str, Any]], rows: list[dict[str, Any]], overall: float) -> tuple[str, ...]:
    how = "line: lowest to highest run; dot: mean; stroke: median; dashed: mean of all topics, "
    how += f"{number(overall)}; hard for all: no run reaches it"
    if len(rows) == len(every):
        return (how,)
    return how, f"shown are the {EACH} hardest and the {EACH} easiest of {len(every):,} topics"
