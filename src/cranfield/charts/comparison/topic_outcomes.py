"""Charts of two runs by topic: outcomes, dominance and differences."""

from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

from cranfield.charts.base import Chart, Picture, chart, inline
from cranfield.charts.chart_text import (
    WIDE,
    counted,
    first_of,
    groups_of,
    headline,
    lower_is_better,
    percent,
    rows_of,
    short,
)
from cranfield.charts.proportion_bars import A, B, Bar, stacked
from cranfield.charts.theme import FAINT, INK, PALE, QUIET, THEME
from cranfield.core import Table, need

if TYPE_CHECKING:
    import altair as alt
else:
    alt = need("altair", extra="charts")

PAIRS = 60  # more bars than this are not read one by one
PANELS = 6
BARS = 400  # of a panel as wide as the chart: more topics share a bar
HEIGHT = 260


@chart("outcomes", cite="lin2021")
class Outcomes(Chart):
    """Outcomes of topics: which of two runs finds a relevant document, one of them, both or neither?"""

    table: ClassVar[str] = "outcomes"

    def draw(self, table: Table) -> Picture:
        """A bar of all topics for each pair; of very many pairs those that differ most."""
        rows = rows_of(table, "a", "b", "outcome", "topics", "share", needs=("share",))
        pairs = groups_of(rows, "a", "b")
        parts = {"only_a": A, "both": PALE, "neither": FAINT, "only_b": B}
        bars = [Bar(rows[0]["a"], rows[0]["b"], {row["outcome"]: row["share"] for row in rows}) for rows in pairs]
        kept = sorted(range(len(bars)), key=lambda i: -abs(_more(bars[i])))[:PAIRS]
        few = f"of {len(bars):,} pairs the {PAIRS} that differ most in what they answer" * (len(bars) > PAIRS)
        words = {"only_a": "only {a}", "both": "both", "neither": "neither", "only_b": "only {b}"}
        how = "share of topics for which a run finds a relevant document"
        title = headline(self._finding(bars), how, few)
        return stacked([bars[i] for i in sorted(kept)], parts, words, title)

    @staticmethod
    def _finding(bars: list[Bar]) -> str:
        if len(bars) > 1:
            more, fewer = (sum(sign * _more(bar) > 0 for bar in bars) for sign in (1, -1))
            if not more + fewer:
                return f"In all {len(bars):,} pairs both runs answer equally many topics"
            if len({bar.a for bar in bars}) == 1:
                return f"{more:,} of {len(bars):,} runs answer more topics than {short(bars[0].a)}, {fewer:,} fewer"
            return f"In {more:,} of {len(bars):,} pairs the run on the right answers more topics, in {fewer:,} fewer"
        (bar,) = bars
        if not _more(bar):
            alone = percent(bar.shares.get("only_a", 0.0))
            return f"{short(bar.a)} and {short(bar.b)} answer equally many topics: each {alone} that the other does not"
        ends = [(bar.a, bar.shares.get("only_a", 0.0)), (bar.b, bar.shares.get("only_b", 0.0))]
        (less, few), (most, many) = ends if _more(bar) > 0 else ends[::-1]
        return (
            f"{short(most)} answers more topics: {percent(many)} only {short(most)}, {percent(few)} only {short(less)}"
        )


def _more(bar: Bar) -> float:
    """By what share of the topics b answers more than a."""
    return bar.shares.get("only_b", 0.0) - bar.shares.get("only_a", 0.0)


@chart("dominance", cite="ferrante2019,ferro2024")
class Dominance(Chart):
    """Dominance: on which topics is a run ahead whatever the measure, and on which does it depend on the measure?"""

    table: ClassVar[str] = "dominance"

    def draw(self, table: Table) -> Picture:
        """One pair: a bar for all grades and one for each; several pairs: a bar for each, all grades together."""
        rows = rows_of(table, "a", "b", "level", "outcome", "share", needs=("share",))
        pairs = groups_of(rows, "a", "b")
        parts = {"a": A, "equal": PALE, "incomparable": FAINT, "b": B}
        words = {"a": "{a} ahead", "equal": "equal", "incomparable": "depends on the measure", "b": "{b} ahead"}
        how = (
            "ahead: at every depth at least as many documents of every grade, so that every measure that rewards them "
        )
        how += "agrees; share of topics"
        if len(pairs) == 1:
            bars = [
                Bar(rows[0]["a"], rows[0]["b"], _shares(level), _grade(level[0]["level"]))
                for level in sorted(groups_of(rows, "level"), key=lambda level: level[0]["level"] != "all")
            ]
            return stacked(bars, parts, words, headline(_dominates(bars[0]), how))
        bars = [Bar(pair[0]["a"], pair[0]["b"], _shares(first_of(pair, "level"))) for pair in pairs]
        ahead = sum(bar.shares.get("b", 0.0) > bar.shares.get("a", 0.0) for bar in bars)
        finding = f"In {ahead:,} of {len(bars):,} pairs the run on the right is ahead more often, whatever the measure"
        few = f"the first {PAIRS} of {len(bars):,} pairs" * (len(bars) > PAIRS)
        return stacked(bars[:PAIRS], parts, words, headline(finding, how, few))


def _shares(rows: list[dict[str, Any]]) -> dict[str, float]:
    return {row["outcome"]: row["share"] for row in rows}


def _grade(level: str) -> str:
    return "all grades" if level == "all" else f"grade ≥ {level}"


def _dominates(bar: Bar) -> str:
    """What all grades together say of a pair."""
    ends = sorted([(bar.shares.get("a", 0.0), bar.a), (bar.shares.get("b", 0.0), bar.b)], reverse=True)
    (most, ahead), (least, behind) = ends
    rest = f"{percent(bar.shares.get('incomparable', 0.0))} depend on it"
    if most == least:
        return f"Whatever the measure, {short(bar.a)} and {short(bar.b)} are each ahead in {percent(most)}; {rest}"
    second = f"{short(behind)} in {percent(least)}"
    return f"{short(ahead)} is ahead in {percent(most)} of topics whatever the measure, {second}; {rest}"


@chart("topic-differences", cite="banks1999blind")
class TopicDifferences(Chart):
    """Differences by topic: b − a from the topic where b is furthest ahead to the one where a is."""

    table: ClassVar[str] = "topics"

    def draw(self, table: Table) -> Picture:
        """Thin bars, in the colour of the run that is ahead; a panel for each of the first pairs."""
        rows = rows_of(table, "a", "b", "topic", "measure", "difference", needs=("difference",))
        every = groups_of(first_of(rows, "measure"), "a", "b")
        sign = -1 if lower_is_better(rows[0]["measure"]) else 1
        shown = [sorted(pair, key=lambda row: -sign * row["difference"]) for pair in every[:PANELS]]
        most = BARS // min(len(shown), 3)
        some = "a bar is the mean of neighbouring topics" if len(shown[0]) > most else "every bar a topic"
        b, a = (short(shown[0][0][side], 20) for side in "ba")
        sorted_so = f"from where {b} is furthest ahead to where {a} is"
        how = f"{some}, {sorted_so if len(shown) == 1 else 'sorted; beside a name: on how many it is ahead'}"
        few = f"the first {PANELS} of {len(every):,} pairs" * (len(every) > PANELS)
        title = headline(self._finding(shown, sign), how, few)
        bars = [_bars(pair, most, sign) for pair in shown]
        return (_one if len(shown) == 1 else _panels)(shown, bars, sign, title)

    @staticmethod
    def _finding(pairs: list[list[dict[str, Any]]], sign: int) -> str:
        counts = [_sides(pair, sign) for pair in pairs]
        if len(pairs) > 1:
            won = sum(b > a for a, b in counts)
            if len({pair[0]["a"] for pair in pairs}) == 1:
                return f"{won} of {len(pairs)} runs are ahead of {short(pairs[0][0]['a'])} on more topics than behind"
            return f"In {won} of {len(pairs)} pairs the second run is ahead on more topics than behind"
        (a, b), (pair,) = counts[0], pairs
        (most, ahead), (least, behind) = sorted([(b, "b"), (a, "a")], key=lambda side: -side[0])
        equal = f"; {len(pair) - a - b:,} equal" * (len(pair) > a + b)
        topics = f"{most:,} of {counted(len(pair), 'topic')}"
        return f"{short(pair[0][ahead])} is ahead on {topics}, {short(pair[0][behind])} on {least:,}{equal}"


def _sides(pair: list[dict[str, Any]], sign: int) -> tuple[int, int]:
    """On how many topics a is ahead, and on how many b."""
    return sum(sign * row["difference"] < 0 for row in pair), sum(sign * row["difference"] > 0 for row in pair)


def _bars(pair: list[dict[str, Any]], most: int, sign: int) -> list[dict[str, Any]]:
    """The sorted differences as bars: a topic each, or the mean of some that stand side by side."""
    n = len(pair)
    cuts = [round(i * n / most) for i in range(most + 1)] if n > most else range(n + 1)
    values = [row["difference"] for row in pair]
    means = [(start, end, sum(values[start:end]) / (end - start)) for start, end in pairwise(cuts)]
    return [
        {"start": start, "end": end, "zero": 0, "difference": mean, "ahead": "b" if sign * mean > 0 else "a"}
        for start, end, mean in means
        if mean
    ]


def _drawn(rows: list[dict[str, Any]], n: int, of: str) -> "alt.Chart":
    """Bars in the colour of the run that is ahead, and a line at no difference."""
    grid = {"condition": {"test": "datum.value === 0", "value": QUIET}, "value": FAINT}
    below = alt.Axis(grid=False, domain=False, tickCount=5, format=",d", tickMinStep=1)
    across = alt.X("start:Q", title="topics", axis=below, scale=alt.Scale(domain=[0, n], nice=False))
    height = alt.Y("difference:Q", title=of, axis=alt.Axis(tickCount=5, gridColor=grid, domain=False))
    colours = alt.Scale(domain=["a", "b"], range=[A, B])
    fill = alt.Fill("ahead:N", scale=colours, legend=None)
    bars = alt.Chart(inline(rows)).mark_rect(aria=False, strokeWidth=0.5)
    # Between thin bars a gap would be all that is seen.
    edge = alt.value("white") if n <= BARS / 4 else alt.Stroke("ahead:N", scale=colours, legend=None)
    return bars.encode(x=across, x2="end:Q", y=height, y2="zero:Q", fill=fill, stroke=edge)


def _one(
    pairs: list[list[dict[str, Any]]], bars: list[list[dict[str, Any]]], sign: int, title: "alt.TitleParams"
) -> Picture:
    """One pair, with the names of the topics at both ends."""
    (pair,), n = pairs, len(pairs[0])
    of = f"{pair[0]['measure']}: {short(pair[0]['b'], 20)} − {short(pair[0]['a'], 20)}"
    layers: list[Any] = [_drawn(bars[0], n, of)]
    a, b = _sides(pair, sign)
    if n <= BARS:
        differences = [row["difference"] for row in pair]
        point = (max(*differences, 0.0) - min(*differences, 0.0)) / HEIGHT
        left = alt.Chart(inline(_extremes(pair[:b], point))).mark_text(align="left", dx=4, fontSize=10, color=INK)
        ends = [{**row, "at": n - row["at"]} for row in _extremes(pair[n - a :][::-1], point)]
        right = alt.Chart(inline(ends)).mark_text(align="right", dx=-4, fontSize=10, color=INK)
        layers += [text.encode(x="at:Q", y="difference:Q", text="topic:N") for text in (left, right)]
    return alt.layer(*layers).properties(title=title, width=WIDE, height=HEIGHT).configure(**THEME)


def _extremes(ends: list[dict[str, Any]], point: float, most: int = 3) -> list[dict[str, Any]]:
    """The topics furthest out, none that is equal to one left out, each with a height at which its name is free.

    ``point`` is the difference that a point of height stands for.
    """
    sizes = [abs(row["difference"]) for row in ends] + [0.0]
    while 0 < most < len(ends) and sizes[most - 1] == sizes[most]:
        most -= 1
    kept = min(most, len(ends))
    free = sizes[kept] - 5 * point
    rows = []
    for i in reversed(range(kept)):
        free = max(sizes[i], free + 12 * point)
        up = 1 if ends[i]["difference"] > 0 else -1
        rows.append({"at": i + 1, "difference": up * free, "topic": short(ends[i]["topic"])})
    return rows


def _panels(
    pairs: list[list[dict[str, Any]]], bars: list[list[dict[str, Any]]], sign: int, title: "alt.TitleParams"
) -> Picture:
    """A small panel for each pair, all with the same axes."""
    heads = []
    for pair in pairs:
        a, b = _sides(pair, sign)
        heads.append(f"{short(pair[0]['b'], 14)} {b:,} : {a:,} {short(pair[0]['a'], 14)}")
    rows = [{"pair": head, **row} for head, mine in zip(heads, bars, strict=True) for row in mine]
    head = alt.Header(title=None, labelFontSize=12, labelAnchor="start", labelColor=INK, labelPadding=4)
    panel = alt.Facet("pair:N", columns=2, sort=heads, header=head)
    picture = _drawn(rows, max(map(len, pairs)), pairs[0][0]["measure"]).encode(facet=panel)
    return picture.properties(title=title, width=(WIDE - 50) // 2, height=110).configure(**THEME)
