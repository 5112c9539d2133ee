"""Chart of offline values against online outcomes of the same runs."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from cranfield.charts.base import Chart, Picture, chart, inline
from cranfield.charts.chart_text import WIDE, counted, groups_of, headline, lower_is_better, number, rows_of, short
from cranfield.charts.label_placement import Axis, labels, texts
from cranfield.charts.theme import COLOURS, QUIET, THEME
from cranfield.core import Table, need
from cranfield.core.rendering import visible

if TYPE_CHECKING:
    import altair as alt
else:
    alt = need("altair", extra="charts")

MOST = 6  # measures that are drawn
BESIDE = 3  # of them in a line
SIDE, GAP = 170, 34  # points: of a panel, and between two
ALONE = 320  # the side of a panel that is the only one
NAMED = 4  # runs that a panel names, of both ends
FEW = 8  # runs that are all named

ENDS = ("online", "online_low", "online_high")

Row = dict[str, Any]


@chart("bridge", cite="chapelle2012,hofmann2016online")
class Bridge(Chart):
    """Offline and online: the value of each run by each measure, and what users did with the same run."""

    table: ClassVar[str] = "points"

    def draw(self, table: Table) -> Picture:
        """A panel for each measure: its means across, the outcome up, a dot for each run."""
        return self.draw_beside(table, {})

    def draw_beside(self, table: Table, others: Mapping[str, Table]) -> Picture:
        """Draw a panel for each measure, the highest correlation first, each under its correlation."""
        columns = ("measure", "run", "offline", "online", "online_low", "online_high")
        groups = {
            mine[0]["measure"]: mine for mine in groups_of(rows_of(table, *columns, needs=columns[2:4]), "measure")
        }
        said = _correlations(others.get("bridge"))
        order = [name for name in said if name in groups] or list(groups)
        shown = order[:MOST]
        outcome = short(visible(table.caption).partition(" beside ")[0]) or "online"
        ends = [row[name] for row in groups[shown[0]] for name in columns[3:] if row[name] is not None]
        side = ALONE if len(shown) == 1 else SIDE
        up = Axis.around(ends, side)
        panels = [
            _panel(name, groups[name], said.get(name, ""), up, outcome if i % BESIDE == 0 else None)
            for i, name in enumerate(shown)
        ]
        lines = [alt.hconcat(*panels[i : i + BESIDE], spacing=GAP) for i in range(0, len(panels), BESIDE)]
        how = "dots: runs; across: the mean over topics; up: what users did"
        how += ", with its interval" * any(row["online_low"] is not None for row in groups[shown[0]])
        few = f"the first {MOST} of {counted(len(order), 'measure')}" * (len(order) > MOST)
        title = headline(
            _finding(order, said, groups), how, few, wide=max(WIDE, (side + GAP) * min(len(shown), BESIDE))
        )
        return alt.vconcat(*lines, spacing=24).properties(title=title).configure(**THEME)


def _correlations(table: Table | None) -> dict[str, str]:
    """Return Kendall's τ of each measure as text with its interval, the highest first."""
    if table is None or not len(table):
        return {}
    found = {}
    rows = rows_of(table, "measure", "kendall", "kendall_low", "kendall_high")
    for row in sorted(rows, key=lambda row: -2 if row["kendall"] is None else row["kendall"], reverse=True):
        tau, *ends = (row[f"kendall{end}"] for end in ("", "_low", "_high"))
        between = "" if None in ends else f" [{number(ends[0], 2)}, {number(ends[1], 2)}]"
        found[row["measure"]] = "τ is not known" if tau is None else f"τ {number(tau, 2)}{between}"
    return found


def _finding(order: list[str], said: Mapping[str, str], groups: Mapping[str, list[Row]]) -> str:
    """Describe the correlations with their intervals; whether one measure predicts better is not tested."""
    runs = counted(len(groups[order[0]]), "run")
    if not said:
        return f"Offline values of {runs}, and what users did with the same runs"
    if len(order) == 1:
        return f"Order of {runs} by {short(order[0])} and by users: {said[order[0]]}"
    ends = [f"{short(order[end])} {said[order[end]]}" for end in (0, -1)]
    return f"Order of {runs} by {len(order)} measures and by users, from {ends[0]} to {ends[1]}"


def _panel(measure: str, rows: list[Row], said: str, up: Axis, outcome: str | None) -> Any:
    """The runs by one measure; one of which less is better runs from right to left."""
    flip = lower_is_better(measure)
    across = Axis.around([row["offline"] for row in rows], up.length, flip=flip)
    below = alt.Axis(
        title=f"{short(measure, 22)}{', less is better' * flip}", tickCount=4, grid=False, titleFontSize=12
    )
    left = alt.Axis(title=outcome, tickCount=5, titleFontSize=12, labels=outcome is not None)
    x = alt.X("offline:Q", scale=across.scale, axis=below)
    y = {name: alt.Y(f"{name}:Q", scale=up.scale, axis=left) for name in ("online", "online_low")}
    base = alt.Chart(inline(rows)).encode(x=x)
    ranked = sorted(rows, key=lambda row: -row["online"])
    ends = ranked if len(ranked) <= FEW else [*ranked[: NAMED // 2], *ranked[-NAMED // 2 :]]
    points = [(row["offline"], row["online"], short(row["run"], 14)) for row in ends]
    taken = [(row["offline"], row[end]) for row in rows for end in ENDS if row[end] is not None]
    named = labels(points, across, up, beside=taken, sides=("right", "left"), size=10)
    layers = [base.mark_point(filled=True, size=44, color=COLOURS[0], opacity=1).encode(y=y["online"])]
    intervals = [row for row in rows if row["online_low"] is not None]
    if intervals:
        whisker = alt.Chart(inline(intervals)).mark_rule(color=COLOURS[0], strokeWidth=1.5, opacity=0.55)
        layers.insert(0, whisker.encode(x=x, y=y["online_low"], y2="online_high:Q"))
    title = alt.TitleParams(
        said, fontSize=12, fontWeight="normal", color=QUIET, offset=6, anchor="start", frame="group"
    )
    view = alt.layer(*layers, *texts(named, across, up, size=10))
    return view.properties(width=up.length, height=up.length, title=title)
