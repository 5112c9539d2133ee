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
        how = "proportion of topics for which a run finds a relevant document within the cutoff"
        title = headline(self._title(bars), how, few)
        return stacked([bars[i] for i in sorted(kept)], parts, words, title)

    @staticmethod
    def _title(bars: list[Bar]) -> str:
        if len(bars) > 1:
            return f"Topics answered by one run alone: {_compared([(bar.a, bar.b) for bar in bars])}"
        (bar,) = bars
        alone = [f"{percent(bar.shares.get(f'only_{side}', 0.0))} only by {short(getattr(bar, side))}" for side in "ba"]
        return f"Topics answered: {alone[0]}, {alone[1]}, {percent(bar.shares.get('both', 0.0))} by both"


def _compared(pairs: list[tuple[str, str]]) -> str:
    """Return how many pairs a chart is about; the later run of a pair is not named as its winner."""
    if len({a for a, _ in pairs}) == 1:
        return f"{len(pairs):,} runs compared with {short(pairs[0][0])}"
    return f"{len(pairs):,} pairs of runs"


def _more(bar: Bar) -> float:
    """Return the proportion of topics that only b answers, minus that of topics that only a answers."""
    return bar.shares.get("only_b", 0.0) - bar.shares.get("only_a", 0.0)


@chart("dominance", cite="ferrante2019,ferro2024")
class Dominance(Chart):
    """Dominance: in which topics does one ranking dominate the other, and in which does the measure decide?"""

    table: ClassVar[str] = "dominance"

    def draw(self, table: Table) -> Picture:
        """One pair: a bar for all grades and one for each; several pairs: a bar for each, all grades together."""
        rows = rows_of(table, "a", "b", "level", "outcome", "share", needs=("share",))
        pairs = groups_of(rows, "a", "b")
        parts = {"a": A, "equal": PALE, "incomparable": FAINT, "b": B}
        words = {"a": "{a} dominates", "equal": "equal", "incomparable": "incomparable", "b": "{b} dominates"}
        how = "dominates: at every depth at least as many documents of every grade; every monotone measure agrees"
        if len(pairs) == 1:
            bars = [
                Bar(rows[0]["a"], rows[0]["b"], _shares(level), _grade(level[0]["level"]))
                for level in sorted(groups_of(rows, "level"), key=lambda level: level[0]["level"] != "all")
            ]
            return stacked(bars, parts, words, headline(_dominance_title(bars[0]), how))
        bars = [Bar(pair[0]["a"], pair[0]["b"], _shares(first_of(pair, "level"))) for pair in pairs]
        pairs_shown = _compared([(bar.a, bar.b) for bar in bars])
        finding = f"Topics in which one ranking dominates the other: {pairs_shown}"
        few = f"the first {PAIRS} of {len(bars):,} pairs" * (len(bars) > PAIRS)
        return stacked(bars[:PAIRS], parts, words, headline(finding, how, few))


def _shares(rows: list[dict[str, Any]]) -> dict[str, float]:
    return {row["outcome"]: row["share"] for row in rows}


def _grade(level: str) -> str:
    return "all grades" if level == "all" else f"grade ≥ {level}"


def _dominance_title(bar: Bar) -> str:
    """Return in how many topics each run dominates, over all grades together."""
    b, a, equal, open_ = (percent(bar.shares.get(part, 0.0)) for part in ("b", "a", "equal", "incomparable"))
    rest = f"equal in {equal}, incomparable in {open_}"
    return f"{short(bar.b)} dominates in {b} of topics, {short(bar.a)} in {a}; {rest}"


@chart("topic-differences", cite="banks1999blind")
class TopicDifferences(Chart):
    """Differences by topic: b − a, sorted from the topic most in favour of b to the one most in favour of a."""

    table: ClassVar[str] = "topics"

    def draw(self, table: Table) -> Picture:
        """Draw thin bars in the colour of the run with the better value, in a panel for each of the first pairs."""
        rows = rows_of(table, "a", "b", "topic", "measure", "difference", needs=("difference",))
        every = groups_of(first_of(rows, "measure"), "a", "b")
        sign = -1 if lower_is_better(rows[0]["measure"]) else 1
        shown = [sorted(pair, key=lambda row: -sign * row["difference"]) for pair in every[:PANELS]]
        most = BARS // min(len(shown), 3)
        some = "each bar is the mean of neighbouring topics" if len(shown[0]) > most else "each bar is a topic"
        b, a = (short(shown[0][0][side], 20) for side in "ba")
        word = "lower" if sign < 0 else "higher"
        sorted_so = f"sorted: {b} {word} on the left, {a} {word} on the right"
        how = f"{some}, {sorted_so if len(shown) == 1 else f'sorted; next to a name: topics in which it is {word}'}"
        few = f"the first {PANELS} of {len(every):,} pairs" * (len(every) > PANELS)
        title = headline(self._title(every, sign), how, few)
        bars = [_bars(pair, most, sign) for pair in shown]
        return (_one if len(shown) == 1 else _panels)(shown, bars, sign, title)

    @staticmethod
    def _title(every: list[list[dict[str, Any]]], sign: int) -> str:
        measure = every[0][0]["measure"]
        if len(every) > 1:
            return f"Differences in {measure} by topic: {_compared([(pair[0]['a'], pair[0]['b']) for pair in every])}"
        (pair,) = every
        a, b = _sides(pair, sign)
        word = "higher" if sign > 0 else "lower"
        equal = f"; {len(pair) - a - b:,} equal" * (len(pair) > a + b)
        counts = f"{b:,} of {counted(len(pair), 'topic')}, {short(pair[0]['a'])} in {a:,}"
        return f"{short(pair[0]['b'])} has the {word} {measure} in {counts}{equal}"


def _sides(pair: list[dict[str, Any]], sign: int) -> tuple[int, int]:
    """Count the topics in which a has the better value, and those in which b has it."""
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
    """Draw bars in the colour of the run with the better value, and a line at no difference."""
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
