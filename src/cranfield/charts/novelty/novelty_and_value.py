"""Scatter charts of the novelty of each run against its value."""

from statistics import mean
from typing import TYPE_CHECKING, Any, ClassVar

from cranfield.charts.base import Chart, Picture, chart, inline
from cranfield.charts.boards.pareto_fronts import between
from cranfield.charts.chart_text import FIXED, WIDE, counted, first_of, headline, listed, number, rows_of, short
from cranfield.charts.label_placement import Axis, labels, texts
from cranfield.charts.theme import COLOURS, PALE, SHAPES, THEME
from cranfield.core import Table, need
from cranfield.stats import kendall_tau

if TYPE_CHECKING:
    import altair as alt
else:
    alt = need("altair", extra="charts")

HIGH = 320
MARKED = 9  # groups with a colour and a shape of their own
CALLED = 25  # up to so many runs are all candidates for a name
NAMES = 12  # on a chart
ROOMY = 12.5  # the size for which names have room: capitals are wide
FAR = 1.0  # standard deviations over the trend, from which on a run is named
DIGITS = 12  # numbers that agree so far are equal
PRIORS = {
    "none": "nothing",
    "others": "all other runs",
    "chronological": "all earlier runs",
    "other-groups": "all runs of other groups",
    "best-per-group": "the best run of each other group",
}
Row = dict[str, Any]


def prior_of(rows: list[Row]) -> str:
    """What is known before a run, in words."""
    said = rows[0]["prior"] or "none"
    return PRIORS.get(said, short(said, 60))


def novelty_rows(table: Table, needs: tuple[str, ...], *columns: str) -> tuple[list[Row], list[str]]:
    """The rows of the first measure that have what is needed, and what is said of the others."""
    rows = first_of(rows_of(table, "run", "measure", "prior", *columns, *needs, needs=needs), "measure")
    measures = table.cells("measure")
    several = len(set(measures))
    lost = measures.count(rows[0]["measure"]) - len(rows)
    return rows, [
        f"the first of {several} measures" * (several > 1),
        f"{counted(lost, 'run')} without {', '.join(needs[:-1])} or {needs[-1]} left out" * (lost > 0),
    ]


class Scatter(Chart):
    """A dot for each run: across its value, up what it has that others have not; names where it stands out."""

    table: ClassVar[str] = "novelty"
    up: ClassVar[str]  # the column
    title: ClassVar[str]  # of the axis to the left
    told: ClassVar[str]  # a number of it in a sentence
    highest: ClassVar[str]  # the name of the largest number
    subtitle: ClassVar[str]

    def draw(self, table: Table) -> Picture:
        """The runs by both, groups in colour, and the straight line through all."""
        rows, notes = novelty_rows(table, ("value", self.up), "group")
        measure = rows[0]["measure"]
        drawn = [{"run": row["run"], "x": row["value"], "y": row[self.up]} for row in rows]
        groups = _marked([row["group"] for row in rows])
        for row, mine in zip(drawn, rows, strict=True):
            row["group"] = mine["group"] if mine["group"] in groups else None
        across, up = (_fitted([row[name] for row in drawn], length) for name, length in (("x", WIDE), ("y", HIGH)))
        below = alt.Axis(title=measure, tickCount=6, grid=False)
        x = alt.X("x:Q", scale=across.scale, axis=below)
        y = alt.Y("y:Q", scale=up.scale, axis=alt.Axis(title=self.title.format(measure), tickCount=6))
        trend = _trend(drawn)
        layers = [*_through(trend, drawn, x, y), *_dots(drawn, groups, x, y), *_names(drawn, trend, across, up)]
        how = self.subtitle.format(measure=measure, prior=prior_of(rows))
        every = len({row["group"] for row in rows if row["group"] is not None})
        few = f"in colour: {len(groups)} of {every} groups, those of most runs" * (0 < len(groups) < every)
        told = [how, _agreement(drawn, trend), few, *notes]
        title = headline(self.finding(drawn, measure), *told, wide=WIDE + 80)
        return alt.layer(*layers).properties(title=title, width=WIDE, height=HIGH).configure(**THEME)

    def finding(self, rows: list[Row], measure: str) -> str:
        """Name the run with the largest number and its rank by value; no difference between runs is tested."""
        by_value, by_this = _ranks([row["x"] for row in rows]), _ranks([row["y"] for row in rows])
        tops = [i for i, rank in enumerate(by_this) if rank == 1]
        if len(rows) == 1:
            told = self.told.format(number(rows[0]["y"])).replace(" ", FIXED)
            return f"{short(rows[0]['run'], 24)}, the only run: {told} at {measure} {number(rows[0]['x'])}"
        if len(tops) > 2:
            who = f"All {len(rows)} runs have" if len(tops) == len(rows) else f"{len(tops)} of {len(rows)} runs share"
            return f"{who} the {self.highest}: {number(rows[tops[0]]['y'])}"
        names = listed([short(rows[i]["run"], 24) for i in tops])
        ranks = listed([str(by_value[i]) for i in tops])
        verb, word = ("have", "ranks") if len(tops) > 1 else ("has", "rank")
        largest = f"the {self.highest} ({number(rows[tops[0]]['y'])})"
        first = f"{names} {verb} {largest}, {word} {ranks} of {len(rows)} by {measure}"
        far = max(range(len(rows)), key=lambda i: by_value[i] - by_this[i])
        if far in tops or by_value[far] - by_this[far] < max(2, len(rows) / 10):
            return first
        return f"{first}; {short(rows[far]['run'], 24)} is rank {by_this[far]} here and {by_value[far]} by {measure}"


def _marked(groups: list[str | None]) -> list[str]:
    """The groups in colour: those of several runs, of very many the largest; none where there is but one group."""
    counts = {group: groups.count(group) for group in groups if group is not None}
    several = [group for group, runs in counts.items() if runs > 1 and runs < len(groups)]
    large = sorted(several, key=lambda group: -counts[group])[:MARKED]
    return [group for group in counts if group in large]


def _fitted(values: list[float], length: float) -> Axis:
    """An axis around the values; hardly below 0 if none of them is."""
    axis = Axis.around(values, length)
    low = max(axis.low, -0.02 * axis.high) if min(values) >= 0 else axis.low
    return Axis(low, axis.high, length)


def _ranks(values: list[float]) -> list[int]:
    """Ranks from the highest down; equal numbers share the first of their ranks."""
    equal = [round(value, DIGITS) for value in values]
    return [1 + sum(other > value for other in equal) for value in equal]


def _trend(rows: list[Row]) -> tuple[float, float] | None:
    """Slope and height at 0 of the straight line with the least squares; none for few runs or equal values."""
    x, y = mean(row["x"] for row in rows), mean(row["y"] for row in rows)
    spread = sum((row["x"] - x) ** 2 for row in rows)
    if len(rows) < 5 or round(spread, DIGITS) == 0:
        return None
    slope = sum((row["x"] - x) * (row["y"] - y) for row in rows) / spread
    return slope, y - slope * x


def _ends(rows: list[Row]) -> tuple[float, float]:
    return min(row["x"] for row in rows), max(row["x"] for row in rows)


def _through(trend: tuple[float, float] | None, rows: list[Row], x: "alt.X", y: "alt.Y") -> list[Any]:
    if not trend:
        return []
    ends = [{"x": at, "y": trend[0] * at + trend[1]} for at in _ends(rows)]
    return [alt.Chart(inline(ends)).mark_line(color=PALE, strokeWidth=1.2, strokeDash=[4, 3]).encode(x=x, y=y)]


def _dots(rows: list[Row], groups: list[str], x: "alt.X", y: "alt.Y") -> list[Any]:
    """Dots of the marked groups in colour, the others grey behind them; in one colour where no group is marked."""
    how: dict[str, Any] = {"filled": True, "size": 60 if len(rows) <= 60 else 34, "opacity": 0.95}
    if not groups:
        return [alt.Chart(inline(rows)).mark_point(**how, color=COLOURS[0]).encode(x=x, y=y)]
    behind = [row for row in rows if row["group"] is None]
    ahead = [row for row in rows if row["group"] is not None]
    legend = alt.Legend(title=None, labelLimit=180, symbolSize=60)
    n = len(groups)
    colour = alt.Color("group:N", scale=alt.Scale(domain=groups, range=COLOURS[:n]), legend=legend)
    shape = alt.Shape("group:N", scale=alt.Scale(domain=groups, range=SHAPES[:n]), legend=legend)
    pale = [alt.Chart(inline(behind)).mark_point(**how, color=PALE).encode(x=x, y=y)] if behind else []
    return [*pale, alt.Chart(inline(ahead)).mark_point(**how).encode(x=x, y=y, color=colour, shape=shape)]


def _names(rows: list[Row], trend: tuple[float, float] | None, across: Axis, up: Axis) -> list[Any]:
    """The highest, the best, and those far over the trend, beside their dots; of few runs all."""
    slope, start = trend or (0.0, 0.0)
    above = [row["y"] - slope * row["x"] - start for row in rows]
    far = mean(gap**2 for gap in above) ** 0.5 * FAR
    order = sorted(range(len(rows)), key=lambda i: -above[i])
    first = [max(range(len(rows)), key=lambda i: rows[i][name]) for name in ("y", "x")]
    rest = [i for i in order if len(rows) <= CALLED or above[i] > far]
    chosen = list(dict.fromkeys([*first, *rest]))
    words = {i: short(rows[i]["run"], 24) for i in chosen}
    # Dots without a name have an empty one: no word covers them.
    points = [(rows[i]["x"], rows[i]["y"], words.get(i, "")) for i in [*chosen, *(i for i in order if i not in words)]]
    line = between([(at, slope * at + start, "") for at in _ends(rows)], across, up, 60) if trend else []
    # A word ends where the chart does if a legend stands beside it.
    room = Axis(across.low, across.value(WIDE - 60), WIDE - 60) if any(row["group"] for row in rows) else across
    placed = labels(points, room, up, beside=line, most=NAMES, size=ROOMY)
    return texts([row for row in placed if row["label"]], across, up)


def _agreement(rows: list[Row], trend: tuple[float, float] | None) -> str:
    """How much the order of runs by value says of the other."""
    tau = float(kendall_tau([round(row["x"], DIGITS) for row in rows], [round(row["y"], DIGITS) for row in rows]))
    said = "" if tau != tau or len(rows) < 3 else f"Kendall's τ of both orders of runs: {number(tau, 2)}"
    return "; ".join(filter(None, [said, "dashed: least-squares line" * bool(trend)]))


@chart("novelty", cite="bigdeli2024")
class Novelty(Scatter):
    """Novelty: what runs add to others, NRG, against what they are worth alone."""

    up: ClassVar[str] = "nrg"
    title: ClassVar[str] = "NRG({})"
    told: ClassVar[str] = "NRG {}"
    highest: ClassVar[str] = "highest NRG"
    subtitle: ClassVar[str] = "NRG: {measure} of what the prior has not shown; prior: {prior}"


@chart("unique", cite="bigdeli2024")
class Unique(Scatter):
    """Unique contributions: relevant documents that a run finds and others do not, against its value."""

    up: ClassVar[str] = "unique"
    title: ClassVar[str] = "unique relevant documents per topic"
    told: ClassVar[str] = "{} documents a topic"
    highest: ClassVar[str] = "most unique relevant documents per topic"
    subtitle: ClassVar[str] = "unique: relevant documents that no run of the prior ranks as high; prior: {prior}"


@chart("rareness", cite="turkmen2023")
class Rareness(Scatter):
    """Rareness: precision in which rare documents count more, against the value of the run."""

    up: ClassVar[str] = "rareness"
    title: ClassVar[str] = "rareness-based precision"
    told: ClassVar[str] = "rareness {}"
    highest: ClassVar[str] = "highest rareness-based precision"
    subtitle: ClassVar[str] = (
        "precision in which a relevant document has a weight from 1 to 2, the higher the fewer runs rank it as high"
    )


@chart("tasc", cite="arabzadeh2023tasc")
class Tasc(Scatter):
    """TaSC: how good runs are in topics in which others fail, against their values."""

    up: ClassVar[str] = "tasc"
    title: ClassVar[str] = "TaSC({})"
    told: ClassVar[str] = "TaSC {}"
    highest: ClassVar[str] = "highest TaSC"
    subtitle: ClassVar[str] = "TaSC: mean of {measure} · (1 − best {measure} of the prior); prior: {prior}"
