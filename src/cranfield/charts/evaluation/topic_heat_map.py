"""Heat map of the value of each run on each topic."""

from typing import TYPE_CHECKING, Any, ClassVar

from cranfield.charts.base import Chart, Picture, chart, inline
from cranfield.charts.chart_text import counted, first_of, headline, lower_is_better, number, rows_of, short
from cranfield.charts.label_placement import LETTER
from cranfield.charts.theme import INK, QUIET, THEME
from cranfield.core import Table, need
from cranfield.core.rendering import width

if TYPE_CHECKING:
    import altair as alt
else:
    alt = need("altair", extra="charts")

TOPICS, RUNS = 200, 200  # that are still drawn one by one
BANDS = 50  # of topics, where there are more
WORST, BEST = "#f6f4e3", "#2a1a6e"  # from light to dark, whatever colours an eye can see
SHADES = [WORST, "#cfdcc0", "#86bfae", "#4a90a4", "#3d5a98", BEST]
ACROSS, DOWN = 26, 20  # points of a cell, at most
SPOKEN = 500  # up to so many cells stand apart, and are told one by one to those who hear them
WIDE, HIGH = 620, 1_150  # points of the map, at most
Row = dict[str, Any]


@chart("topics-runs", cite="ferro2024")
class TopicsRuns(Chart):
    """Topics and runs: the value of every run on every topic, the best run on top, the hardest topic on the left."""

    table: ClassVar[str] = "per_topic"

    def draw(self, table: Table) -> Picture:
        """A cell for each run and topic, the darker the better; of several measures the first."""
        found = first_of(rows_of(table, "run", "topic", "measure", "value"), "measure")
        there = [row for row in found if row["value"] is not None] or rows_of(table, "value", needs=("value",))
        lower = lower_is_better(there[0]["measure"])
        runs = _in_order(there, "run", best_first=True, lower=lower)
        topics = _in_order(there, "topic", best_first=False, lower=lower)
        shown = runs[:RUNS]
        cells, names = _cells(there, shown, topics)
        missing = len(found) - len(there) if len(topics) <= TOPICS else 0
        down, across = _step(len(shown), HIGH, DOWN), _step(len(names), WIDE, ACROSS)
        wide, high = across * len(names), down * len(shown)
        layers = [_map(cells, len(names), len(shown), lower=lower, length=min(high, 200))]
        layers += _labels(names, [short(run, 24) for run in shown], across, down)
        title = headline(
            _finding(there, runs, topics, lower=lower),
            f"{there[0]['measure']}, the darker the better; runs from the best mean down, topics from the hardest on",
            _bands(len(topics), len(names)),
            f"of {counted(len(runs), 'run')} the best {RUNS}" * (len(runs) > RUNS),
            f"white: {counted(missing, 'value')} not there" * (missing > 0),
            wide=max(wide, 440),
        )
        return alt.layer(*layers).properties(title=title, width=wide, height=high).configure(**THEME)


def _in_order(rows: list[Row], column: str, *, best_first: bool, lower: bool) -> list[str]:
    """Runs or topics by the mean of their values; what is equal stays as it came."""
    values: dict[str, list[float]] = {}
    for row in rows:
        values.setdefault(row[column], []).append(row["value"])
    sign = -1 if best_first != lower else 1
    return sorted(values, key=lambda name: sign * sum(values[name]) / len(values[name]))


def _cells(rows: list[Row], runs: list[str], topics: list[str]) -> tuple[list[Row], list[str]]:
    """The cells with their places, and what stands over the columns: topics, or bands of about as many."""
    bands = len(topics) if len(topics) <= TOPICS else BANDS
    column = {topic: place * bands // len(topics) for place, topic in enumerate(topics)}
    line = {run: place for place, run in enumerate(runs)}
    values: dict[tuple[int, int], list[float]] = {}
    for row in rows:
        if row["run"] in line:
            values.setdefault((line[row["run"]], column[row["topic"]]), []).append(row["value"])
    cells = [
        {"x": across, "x2": across + 1, "y": down, "y2": down + 1, "value": sum(mine) / len(mine)}
        for (down, across), mine in values.items()
    ]
    if bands == len(topics):
        return cells, [short(topic, 14) for topic in topics]
    # In words every fifth: the tenth of the topics that begins there.
    return cells, [f"{100 * band // bands}%" if band % 5 == 0 else "" for band in range(bands)]


def _step(count: int, room: int, most: int) -> int:
    """The points of a cell: as many as there is room for, and no more than it needs."""
    return max(1, min(most, room // count))


def _map(cells: list[Row], columns: int, lines: int, *, lower: bool, length: float) -> "alt.Chart":
    """The cells, in a colour that is the darker the better."""
    low, top = (end(cell["value"] for cell in cells) for end in (min, max))
    ends = [0, 1] if low >= 0 and top <= 1 else [low, top if top > low else low + 1]
    # Counts and ranks have a few large values, beside which all others would look the same.
    kind: Any = "sqrt" if low >= 0 and top > 1 else "linear"
    shades = SHADES[::-1] if lower else SHADES
    domain = [_between(ends, i / (len(shades) - 1), root=kind == "sqrt") for i in range(len(shades))]
    many = len(cells) > SPOKEN
    legend = alt.Legend(title=None, gradientLength=length, tickCount=5, orient="right")
    edge: dict[str, Any] = {} if many else {"stroke": "white", "strokeWidth": 1}
    colour = alt.Color("value:Q", scale=alt.Scale(type=kind, domain=domain, range=shades, nice=False), legend=legend)
    return (
        alt.Chart(inline(cells))
        .mark_rect(aria=not many, **edge)
        .encode(x=_axis(alt.X, "x", columns), x2="x2:Q", y=_axis(alt.Y, "y", lines), y2="y2:Q", color=colour)
    )


def _axis(side: Any, field: str, count: int) -> Any:
    """Places of cells, from the left or from the top."""
    return side(f"{field}:Q", scale=alt.Scale(domain=[0, count], nice=False, reverse=field == "y"), axis=None)


def _between(ends: list[float], share: float, *, root: bool) -> float:
    """A number at a share of the way between two ends, of their roots if asked."""
    low, high = (end**0.5 if root else end for end in ends)
    found = low + share * (high - low)
    return found**2 if root else found


def _labels(topics: list[str], runs: list[str], across: float, down: float) -> list["alt.Chart"]:
    """The names of runs to the left and of topics above; where there is no room for all, every second, fifth, …."""
    size = min(11.0, max(7.0, down - 1))
    every = _every(down, size)
    left = [{"y": place + 0.5, "name": run} for place, run in enumerate(runs) if place % every == 0]
    small = min(11.0, max(7.0, across - 1))
    long = max(width(topic) for topic in topics) * LETTER * small
    upright = long > across - 2
    step = _every(across, small if upright else long)
    above = [{"x": i + 0.5, "name": name} for i, name in enumerate(topics) if i % step == 0 and name]
    turned: dict[str, Any] = {"angle": 270, "align": "left"} if upright else {"align": "center"}
    names = alt.Chart(inline(left)).mark_text(align="right", baseline="middle", fontSize=size, color=INK)
    heads = alt.Chart(inline(above)).mark_text(baseline="middle", fontSize=small, color=QUIET, **turned)
    return [
        names.encode(x=alt.value(-6), y=_axis(alt.Y, "y", len(runs)), text="name:N"),
        heads.encode(x=_axis(alt.X, "x", len(topics)), y=alt.value(-8), text="name:N"),
    ]


def _every(step: float, needs: float) -> int:
    """Each how manieth name has room."""
    return next(every for every in (1, 2, 5, 10, 20, 50, 100, 200) if every * step >= needs or every == 200)


def _bands(topics: int, bands: int) -> str:
    if topics <= TOPICS:
        return ""
    return f"{topics:,} topics in {bands} bands from the hardest 2% on, each the mean of about {topics / bands:.0f}"


def _finding(rows: list[Row], runs: list[str], topics: list[str], *, lower: bool) -> str:
    """On how many topics the first run is best, and which topic is hardest."""
    best: dict[str, float] = {}
    means: dict[str, list[float]] = {}
    for row in rows:
        value = -row["value"] if lower else row["value"]
        best[row["topic"]] = max(value, best.get(row["topic"], value))
        means.setdefault(row["topic"], []).append(row["value"])
    mine = [row for row in rows if row["run"] == runs[0]]
    ahead = sum((-row["value"] if lower else row["value"]) == best[row["topic"]] for row in mine)
    hard = means[topics[0]]
    hardest = f"hardest is topic {short(topics[0], 20)}, with {number(sum(hard) / len(hard))} on average"
    if len(runs) == 1:
        return f"Of {counted(len(topics), 'topic')} the {hardest.replace(', with', ':').removesuffix(' on average')}"
    leads = f"{short(runs[0])} is first by its mean, and best on {ahead:,} of {counted(len(topics), 'topic')}"
    return f"{leads}; {hardest}"
