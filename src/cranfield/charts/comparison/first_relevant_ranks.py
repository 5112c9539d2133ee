"""Chart of the ranks at which two runs place their first relevant document."""

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

from cranfield.charts.base import Chart, Picture, chart, inline
from cranfield.charts.chart_text import counted, first_of, groups_of, headline, rows_of, short
from cranfield.charts.proportion_bars import A
from cranfield.charts.theme import PALE, QUIET, THEME
from cranfield.core import ParameterError, Table, need

if TYPE_CHECKING:
    import altair as alt
else:
    alt = need("altair", extra="charts")

DOTS = 1000  # up to so many topics are dots, beyond them shades
SIDE = 360
STEPS = (1, 2, 3, 4, 5, 7)  # where classes of ranks begin, and ten times that
TICKS = [step * 10**power for power in range(6) for step in (1, 2, 5)]
SHADES = ["#dfe3f3", "#5c6bc0", "#1f2a7c"]
Ranks = tuple[int | None, int | None]


@chart("rank-pairs", cite="cooper1968,lin2021")
class RankPairs(Chart):
    """Ranks of the first relevant document: one run across, the other up, the first rank at the far end of both."""

    table: ClassVar[str] = "topics"

    def draw(self, table: Table) -> Picture:
        """A dot for each pair of ranks, its size the topics; shades where there are very many topics."""
        rows = rows_of(table, "a", "b", "measure", "rank_a", "rank_b", needs=("a", "b"))
        mine = first_of(rows, "a", "b", "measure")
        a, b = short(mine[0]["a"], 20), short(mine[0]["b"], 20)
        pairs = [(row["rank_a"], row["rank_b"]) for row in mine]
        ranks = [rank for pair in pairs for rank in pair if rank is not None]
        if not ranks:
            raise ParameterError("there is nothing to draw: no run answers a topic", hint="draw topics with ranks")
        last = max(5, *ranks)
        edge, none = last * 1.35, last * 2.2  # where unanswered topics begin, and where they stand
        marks = _shades(pairs, edge, none) if len(pairs) > DOTS else _dots(pairs, none)
        said = f"datum.value > {edge} ? 'none' : format(datum.value, ',d')"
        ends = alt.Scale(type="log", domain=[0.7, none * none / edge], reverse=True, nice=False)
        axis: dict[str, Any] = {
            "values": [*(tick for tick in TICKS if tick <= last), none],
            "labelExpr": said,
            "grid": False,
        }
        across = alt.X("x:Q", scale=ends, axis=alt.Axis(title=f"rank in {a}", domain=False, **axis))
        up = alt.Y("y:Q", scale=ends, axis=alt.Axis(title=f"rank in {b}", domain=False, **axis))
        line = alt.Chart(inline([{"x": 0.7, "y": 0.7}, {"x": edge, "y": edge}])).mark_line(color=QUIET, strokeWidth=1)
        rule = alt.Chart(inline([{"edge": edge}])).mark_rule(color=PALE, strokeDash=[3, 3])
        layers: list[Any] = [marks.encode(x=across, y=up), line.encode(x="x:Q", y="y:Q")]
        layers += [rule.encode(x="edge:Q"), rule.encode(y="edge:Q")]
        how = f"rank of the first relevant document, {counted(len(pairs), 'topic')}; above the line {b} ranks it higher"
        few = "the first of several pairs" * (len(groups_of(rows, "a", "b")) > 1)
        title = headline(_title(pairs, a, b), how, few, wide=SIDE + 60)
        return alt.layer(*layers).properties(title=title, width=SIDE, height=SIDE).configure(**THEME)


def _title(pairs: list[Ranks], a: str, b: str) -> str:
    """Return how many topics only one run answers, and which run ranks higher how often where both answer."""
    only_a = sum(y is None and x is not None for x, y in pairs)
    only_b = sum(x is None and y is not None for x, y in pairs)
    both = [(x, y) for x, y in pairs if x is not None and y is not None]
    alone = f"Topics answered: {only_b:,} only by {b}, {only_a:,} only by {a}, {len(both):,} by both"
    if not both:
        return alone
    higher_b, higher_a = sum(y < x for x, y in both), sum(x < y for x, y in both)
    equal = len(both) - higher_a - higher_b
    return f"{alone}; of these, {b} ranks higher in {higher_b:,}, {a} in {higher_a:,}; {equal:,} equal"


def _dots(pairs: list[Ranks], none: float) -> "alt.Chart":
    """A dot for each pair of ranks that occurs."""
    found = Counter((x or none, y or none) for x, y in pairs)
    rows = [{"x": x, "y": y, "topics": n} for (x, y), n in found.items()]
    most = max(found.values())
    legend = alt.Legend(title="topics", values=sorted({1, most // 3 or 1, most}), format="d") if most > 1 else None
    size = alt.Size("topics:Q", scale=alt.Scale(range=[14, 420], domain=[0, max(most, 12)]), legend=legend)
    return alt.Chart(inline(rows)).mark_circle(color=A, opacity=0.65).encode(size=size)


def _shades(pairs: list[Ranks], edge: float, none: float) -> "alt.Chart":
    """A square for each pair of classes of ranks, the darker the more topics; a class is a tenth to a half wide."""
    starts = [step * 10**power for power in range(6) for step in STEPS]
    begins = {rank: max(start for start in starts if start <= rank) for pair in pairs for rank in pair if rank}
    found = Counter((begins.get(x or 0, 0), begins.get(y or 0, 0)) for x, y in pairs)
    after = dict(pairwise(starts))

    def ends(start: int) -> tuple[float, float]:
        return (
            (start - 0.5 if start > 1 else 0.7, min(after[start] - 0.5, edge)) if start else (edge, none * none / edge)
        )

    rows = []
    for (x, y), n in found.items():
        (left, right), (low, high) = ends(x), ends(y)
        rows.append({"x": left, "x2": right, "y": low, "y2": high, "topics": n})
    colour = alt.Color(
        "topics:Q",
        scale=alt.Scale(type="log", range=SHADES),
        legend=alt.Legend(title="topics", tickCount=4, format=",d"),
    )
    return alt.Chart(inline(rows)).mark_rect(aria=False).encode(x2="x2:Q", y2="y2:Q", color=colour)
