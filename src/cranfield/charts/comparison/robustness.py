"""Charts of robustness to other collections, wrong labels, fewer topics, other measures and tests."""

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from cranfield.charts.base import Chart, Picture, chart, inline
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
from cranfield.charts.proportion_bars import ON_DARK, A, Bar, stacked
from cranfield.charts.theme import COLOURS, INK, PALE, QUIET, THEME
from cranfield.core import ParameterError, Table, need
from cranfield.stats import MIN_SEPARATED, ColumnChoice, choose_columns

if TYPE_CHECKING:
    import altair as alt
else:
    alt = need("altair", extra="charts")

STABLE = 0.9  # the τ from which on two orders count as the same (voorhees2001)
PRINTED = 12  # up to so many measures have their numbers printed
MOST_FINDINGS = 3  # curves whose findings are all in the title
MOST = 60  # bars that are still read one by one
POOLED = "pooled"
FOREST = 300


@chart("forest", cite="lewis2001forest")
class Forest(Chart):
    """Forest: the difference between two runs on every collection, and on all together."""

    table: ClassVar[str] = "forest"

    def draw(self, table: Table) -> Picture:
        """A square for each collection, as large as its weight, on its interval; a diamond for all of them."""
        columns = ("a", "b", "measure", "collection", "topics", "difference", "low", "high", "weight")
        rows = rows_of(table, *columns, needs=("difference",))
        mine = first_of(rows, "a", "b", "measure")
        singles = [row for row in mine if row["collection"] != POOLED]
        pooled = [row for row in mine if row["collection"] == POOLED][:1]
        if not singles:
            raise ParameterError("there is nothing to draw: no row is of one collection", hint="draw them one by one")
        drawn = _placed([*singles, *pooled])
        ends = alt.Scale(domain=[-0.6, len(drawn) - 0.4], reverse=True, nice=False)
        down = alt.Y("place:Q", scale=ends, axis=None)
        of = f"{mine[0]['measure']}: {short(mine[0]['b'], 20)} − {short(mine[0]['a'], 20)}"
        across = alt.X("low:Q", axis=alt.Axis(title=f"difference in {of}", tickCount=5))
        base, words = alt.Chart(inline(drawn[: len(singles)])), alt.Chart(inline(drawn))
        square = base.mark_point(shape="square", filled=True, color=A, opacity=1)
        left = words.mark_text(align="right", dx=-8, fontSize=11, color=INK)
        right = words.mark_text(align="left", dx=8, fontSize=11, color=QUIET)
        layers: list[Any] = [
            alt.Chart(inline([{"low": 0}])).mark_rule(color=QUIET).encode(x=across),
            base.mark_rule(color=INK, strokeWidth=1.2).encode(x=across, x2="high:Q", y=down),
            square.encode(x="difference:Q", y=down, size=alt.Size("size:Q", scale=None)),
            *(_diamond(row, across, ends) for row in drawn[len(singles) :]),
            left.encode(x=alt.value(0), y=down, text="name:N"),
            right.encode(x=alt.value(FOREST), y=down, text="told:N"),
        ]
        several = len(groups_of(rows, "a", "b", "measure"))
        how = "square: difference, by weight; line: its interval" + "; diamond: pooled difference" * bool(pooled)
        few = f"the first of {several} pairs and measures" * (several > 1)
        title = headline(_across(singles, pooled), how, few)
        return alt.layer(*layers).properties(title=title, width=FOREST, height=22 * len(drawn) + 10).configure(**THEME)


def _placed(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each row with its place from the top down, its words, and the size of its square."""
    heaviest = max(row["weight"] or 0.0 for row in rows if row["collection"] != POOLED)
    found = []
    for place, row in enumerate(rows):
        size = 160 * (row["weight"] or 0.0) / heaviest if heaviest else 60
        low, high = (row["difference"] if row[end] is None else row[end] for end in ("low", "high"))
        told = {"name": short(row["collection"]), "told": _interval(row)}
        found.append({**row, **told, "place": place, "size": size, "low": low, "high": high})
    return found


def _interval(row: dict[str, Any]) -> str:
    """The difference with its interval as text."""
    if row["low"] is None or row["high"] is None:
        return signed(row["difference"])
    return f"{signed(row['difference'])} [{number(row['low'])}, {number(row['high'])}]"


def _diamond(row: dict[str, Any], across: "alt.X", ends: "alt.Scale") -> "alt.Chart":
    """All collections together: as wide as the interval."""
    place, middle = row["place"], row["difference"]
    corners = [
        {"low": x, "place": place - half, "place2": place + half}
        for x, half in ((row["low"], 0.0), (middle, 0.3), (row["high"], 0.0))
    ]
    area = alt.Chart(inline(corners)).mark_area(color=COLOURS[1], opacity=1)
    return area.encode(x=across, y=alt.Y("place:Q", scale=ends, axis=None), y2="place2:Q")


def _across(singles: list[dict[str, Any]], pooled: list[dict[str, Any]]) -> str:
    """Return on how many collections each run has the better value, and the pooled difference with its interval."""
    one = singles[0]
    sign = -1 if lower_is_better(one["measure"]) else 1
    b, a = (sum(side * sign * row["difference"] > 0 for row in singles) for side in (1, -1))
    who = f"{short(one['b'], 24)} has the {'higher' if sign > 0 else 'lower'} {one['measure']}"
    first = f"{who} on {b} of {counted(len(singles), 'collection')}, {short(one['a'], 24)} on {a}"
    return "; ".join([first, *(f"pooled difference {_interval(row)}" for row in pooled)])


class Curve(Chart):
    """How well an order of runs is kept: τ with what it is between, over what changes."""

    x: ClassVar[str]
    x_title: ClassVar[str]
    format: ClassVar[str]
    empty: ClassVar[Literal["left", "right"]]  # where the curve is low
    subtitle: ClassVar[str]

    def draw(self, table: Table) -> Picture:
        """A line with dots in a band, and a line at the τ from which on orders count as the same."""
        measured = ["measure"] * ("measure" in table.columns)
        rows = rows_of(table, self.x, "tau", "low", "high", *measured, needs=(self.x, "tau"))
        rows.sort(key=lambda row: row[self.x])
        curves = groups_of(rows, *measured)
        # Several curves have a colour each; their bands would hide one another.
        colour = alt.Color("measure:N", title=None, scale=alt.Scale(range=list(COLOURS)), sort=None)
        line = {"color": colour} if len(curves) > 1 else {}
        for row in rows:
            row["low"], row["high"] = (row["tau"] if row[end] is None else row[end] for end in ("low", "high"))
        lowest = min(row["low"] for row in rows)
        floor = max(-1.0, min(0.8, int(10 * lowest - 1) / 10))
        below = alt.Axis(title=self.x_title, format=self.format, grid=False, tickCount=6)
        across = alt.X(f"{self.x}:Q", axis=below, scale=alt.Scale(zero=True, nice=False, padding=6))
        left, ends = alt.Axis(title="τ", titleAngle=0, tickCount=5), alt.Scale(domain=[floor, 1], nice=False)
        up = alt.Y("tau:Q", axis=left, scale=ends)
        base = alt.Chart(inline(rows))
        same = alt.Chart(inline([{"tau": STABLE, "word": f"τ = {number(STABLE, 1)}"}]))
        word = same.mark_text(align=self.empty, dy=8, dx=4 if self.empty == "left" else -4, fontSize=10, color=QUIET)
        band = base.mark_area(color=A, opacity=0.15).encode(
            x=across, y=alt.Y("low:Q", scale=ends, axis=left), y2="high:Q"
        )
        layers = [
            *[band] * (len(curves) == 1),
            same.mark_rule(color=QUIET, strokeDash=[4, 3]).encode(y=up),
            word.encode(x=alt.value(0 if self.empty == "left" else WIDE), y=up, text="word:N"),
            base.mark_line(color=A, strokeWidth=2).encode(x=across, y=up, **line),
            base.mark_point(color=A, filled=True, size=36, opacity=1).encode(x=across, y=up, **line),
        ]
        title = headline(self.findings(curves), self.subtitle if len(curves) == 1 else self.subtitle_of_several)
        return alt.layer(*layers).properties(title=title, width=WIDE, height=260).configure(**THEME)

    def findings(self, curves: list[list[dict[str, Any]]]) -> str:
        """Return the finding of the only curve, of each of a few, or of the one that ends lowest."""
        if len(curves) == 1:
            return self.finding(curves[0])
        if len(curves) <= MOST_FINDINGS:
            return "; ".join(f"{rows[0]['measure']}: {self.finding(rows)}" for rows in curves)
        lowest = min(curves, key=lambda rows: rows[-1]["tau"])
        return f"{lowest[0]['measure']}, the lowest of {len(curves)} measures: {self.finding(lowest)}"

    @property
    def subtitle_of_several(self) -> str:
        """Return how to read lines without bands."""
        return self.subtitle.partition(":")[0] + ": means over the draws"

    @abstractmethod
    def finding(self, rows: list[dict[str, Any]]) -> str:
        """What the curve says; its rows from the left to the right."""


@chart("flips", cite="voorhees2000")
class Flips(Curve):
    """Wrong labels: how much of the order of runs is left when a share of the labels is flipped."""

    table: ClassVar[str] = "flips"
    x: ClassVar[str] = "share"
    x_title: ClassVar[str] = "labels flipped"
    format: ClassVar[str] = "~%"
    empty: ClassVar[Literal["left", "right"]] = "right"
    subtitle: ClassVar[str] = (
        "τ between the order of runs under true labels and under flipped ones: mean, and where most draws lie"
    )

    def finding(self, rows: list[dict[str, Any]]) -> str:
        """Up to which share the order holds, and what is left at the largest."""
        last = rows[-1]
        left = f"with {percent(last['share'])} of labels flipped τ is {number(last['tau'], 2)}"
        held = [row for i, row in enumerate(rows) if all(r["tau"] >= STABLE for r in rows[: i + 1])]
        if len(held) == len(rows):
            return f"The order of runs holds: {left}"
        if held and held[-1]["share"] > 0:
            return f"The order of runs holds up to {percent(held[-1]['share'])} of wrong labels; {left}"
        return f"The order of runs depends on the labels: {left}"


@chart("sizes", cite="voorhees2002")
class Sizes(Curve):
    """Topics needed: how well fewer topics keep the order of runs."""

    table: ClassVar[str] = "sizes"
    x: ClassVar[str] = "topics"
    x_title: ClassVar[str] = "topics"
    format: ClassVar[str] = ",d"
    empty: ClassVar[Literal["left", "right"]] = "left"
    subtitle: ClassVar[str] = (
        "τ between the order of runs by so many topics and by the others: mean, and where most draws lie"
    )

    def finding(self, rows: list[dict[str, Any]]) -> str:
        """From how many topics on the order is stable."""
        enough = [row for i, row in enumerate(rows) if all(r["tau"] >= STABLE for r in rows[i:])]
        if not enough:
            last = rows[-1]
            return (
                f"Even {counted(last['topics'], 'topic')} do not keep the order of runs: τ is {number(last['tau'], 2)}"
            )
        first = counted(enough[0]["topics"], "topic")
        return f"From {first} on the order of runs is stable: mean τ is {number(STABLE, 1)} or more"


@chart("agreement", cite="craswell2021msmarco")
class Agreement(Chart):
    """Agreement of halves: how often two halves of the topics lead to the same conclusion, test by test."""

    table: ClassVar[str] = "agreement"

    def draw(self, table: Table) -> Picture:
        """Draw a bar of all cases for each measure, test and aggregate."""
        names = ("separated", "agree", "partial", "disagree")
        rows = rows_of(table, "measure", "test", "aggregate", *names, "disagree_significant", needs=names)
        several = len(groups_of(rows, "measure")) > 1
        bars = [
            Bar(
                "",
                "",
                {
                    "separated": row["separated"],
                    "agree": row["agree"] - row["separated"],
                    "partial": row["partial"],
                    "disagree": row["disagree"],
                },
                short(", ".join([row["test"], row["aggregate"], *[row["measure"]] * several]), 34),
            )
            for row in rows
        ]
        parts = {"separated": A, "agree": COLOURS[7], "partial": PALE, "disagree": COLOURS[1]}
        words = {"separated": "separated", "agree": "other agreement", "partial": "partial", "disagree": "disagree"}
        how = (
            "two random halves of the topics; separated: the same run is significantly ahead in both; "
            "disagree: different runs are ahead, significantly in at least one half"
        )
        cut = f"the first {MOST} of {len(bars):,} rows" * (len(bars) > MOST)
        choice = choose_columns([row["separated"] for row in rows], [row["disagree_significant"] for row in rows])
        limit = f"not compared: tests that separate less than {MIN_SEPARATED:.0%} of pairs" * bool(choice.excluded)
        title = headline(_agreement_title(rows, bars, choice), how, limit, cut)
        return stacked(bars[:MOST], parts, words, title, "pairs of runs and splits")


def _agreement_title(rows: list[dict[str, Any]], bars: list[Bar], choice: ColumnChoice) -> str:
    """Name a test only where no other separates more pairs or disagrees less often; otherwise describe."""
    of = f" on {rows[0]['measure']}" if len(groups_of(rows, "measure")) == 1 else ""
    shares = [row["separated"] for row in rows]
    if len(rows) > 1 and len(choice.best) == 1:
        best = rows[choice.best[0]]
        return (
            f"{bars[choice.best[0]].name} separates the most pairs{of} ({best['separated']:.1%}), and no other test "
            f"disagrees less often ({best['disagree_significant']:.1%} of significant cases)"
        )
    lowest, highest = f"{min(shares):.1%}", f"{max(shares):.1%}"
    span = highest if lowest == highest else f"{lowest} to {highest}"
    if len(rows) == 1:
        return f"{bars[0].name} separates {span} of pairs{of} in both halves"
    trade_off = "" if choice.best else "; no test both separates the most and disagrees least often"
    return f"{len(rows)} tests separate {span} of pairs{of} in both halves{trade_off}"


@chart("orders", cite="kendall1945")
class Orders(Chart):
    """Orders of runs: how much any two measures agree on which run is better."""

    table: ClassVar[str] = "orders"

    def draw(self, table: Table) -> Picture:
        """A square for each pair of measures, the darker the nearer their orders."""
        rows = rows_of(table, "measure_a", "measure_b", "tau", needs=("tau",))
        rows = [row for row in rows if row["measure_a"] != row["measure_b"]]
        if not rows:
            raise ParameterError("there is nothing to draw: the orders are of one measure", hint="give two or more")
        measures = list(dict.fromkeys(row[side] for side in ("measure_a", "measure_b") for row in rows))
        cells = [cell for row in rows for cell in _mirrored(row)]
        small = len(measures) > PRINTED
        step = 14 if small else 46
        axis: dict[str, Any] = {"title": None, "ticks": False, "grid": False, "domain": False, "labelLimit": 140}
        axis["labelFontSize"] = 8 if small else 11
        across = alt.X("column:N", sort=measures, axis=alt.Axis(**axis, orient="top", labelAngle=-45))
        down = alt.Y("row:N", sort=measures, axis=alt.Axis(**axis))
        lowest = min(row["tau"] for row in rows)
        ends = alt.Scale(type="linear", domain=[min(lowest, 0.0), 1], range=["#ffffff", "#8f9ad2", A])
        legend = alt.Legend(title="τ", tickCount=4) if small else None
        base = alt.Chart(inline(cells)).encode(x=across, y=down)
        layers: list[Any] = [base.mark_rect(stroke="white").encode(color=alt.Color("tau:Q", scale=ends, legend=legend))]
        if not small:
            text = base.mark_text(fontSize=11)
            layers.append(text.encode(text="label:N", color=ON_DARK))
        how = "Kendall's τ between the orders of runs by two measures; 1: the same order"
        title = headline(_apart(rows), how, wide=max(WIDE - 100, step * len(measures)))
        side = step * len(measures)
        return alt.layer(*layers).properties(title=title, width=side, height=side).configure(**THEME)


def _mirrored(row: dict[str, Any]) -> list[dict[str, Any]]:
    """The square of two measures, and its mirror."""
    a, b, tau = row["measure_a"], row["measure_b"], row["tau"]
    more = {"tau": tau, "label": number(tau, 2), "dark": tau > 0.7}
    return [{"row": a, "column": b, **more}, {"row": b, "column": a, **more}]


def _apart(rows: list[dict[str, Any]]) -> str:
    """Which two measures differ most, and which least."""
    least, most = min(rows, key=lambda row: row["tau"]), max(rows, key=lambda row: row["tau"])
    said = f"{least['measure_a']} and {least['measure_b']}"
    if len(rows) == 1:
        return f"{said} order the runs with τ {number(least['tau'], 2)}"
    if least["tau"] == most["tau"]:
        return f"Any two measures order the runs with τ {number(least['tau'], 2)}"
    near = f"{most['measure_a']} and {most['measure_b']} least: {number(most['tau'], 2)}"
    return f"{said} differ most in how they order the runs, τ {number(least['tau'], 2)}; {near}"
