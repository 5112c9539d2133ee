"""Charts of judging strategies by number of judgments: recall, and stability of conclusions."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import floor
from typing import TYPE_CHECKING, Any, ClassVar

from cranfield.charts.base import Chart, Picture, chart, inline
from cranfield.charts.chart_text import WIDE, counted, groups_of, headline, listed, number, percent, rows_of, short
from cranfield.charts.label_placement import Axis
from cranfield.charts.run_sequences import Frame, Place
from cranfield.charts.theme import COLOURS, INK, PALE, QUIET, SHAPES, THEME
from cranfield.core import ParameterError, Table, need

if TYPE_CHECKING:
    import altair as alt
else:
    alt = need("altair", extra="charts")

ACROSS = WIDE - 50  # what is left beside the names
HIGH, LOW = 290, 170  # of a panel
BASELINE = "depth"
KNOWN = {BASELINE: (INK, SHAPES[0]), "nrg": (COLOURS[1], SHAPES[2]), "maxmean": (COLOURS[2], SHAPES[3])}
FIRST = (COLOURS[0], SHAPES[1])  # colour and shape of the best, where it is another one
PART = 4  # with one of so many parts of the judgments strategies are compared
NEAR = 0.01  # shares and τ as near as this are called equal
FEW = 3  # strategies that a title names one by one
STABLE = 0.9  # the τ from which on two orders count as the same (voorhees2001)
SIZE, GAP = 11, 15  # of names in their list
DIGITS = 12  # numbers that agree so far are equal
Row = dict[str, Any]
Write = Callable[[float], str]
Marked = dict[str, tuple[str, str]]  # strategies with a colour and a shape of their own, the best first


@dataclass(frozen=True)
class Trail:
    """What a strategy reaches: its places from the left to the right, and its height where all are compared."""

    name: str
    places: list[Place]
    height: float

    @property
    def kind(self) -> str:
        """What the strategy is called without its parameters."""
        return self.name.partition("(")[0]


@dataclass(frozen=True)
class Field:
    """Strategies from the best down, compared at one budget."""

    trails: list[Trail]
    at: float

    @classmethod
    def of(cls, rows: list[Row], x: str, y: str, at: float) -> "Field":
        """One line for each strategy; of those that are equal at the budget the first of the table comes first."""
        found = {mine[0]["strategy"]: sorted((row[x], row[y]) for row in mine) for mine in groups_of(rows, "strategy")}
        trails = [Trail(name, places, _height(places, at)) for name, places in found.items()]
        return cls(sorted(trails, key=lambda trail: -round(trail.height, DIGITS)), at)

    @cached_property
    def baseline(self) -> Trail | None:
        """The depth pool, if there is one."""
        return next((trail for trail in self.trails if trail.kind == BASELINE), None)

    @cached_property
    def marked(self) -> Marked:
        """The best, and the strategies that others are held against."""
        known = [next((trail.name for trail in self.trails if trail.kind == kind), None) for kind in KNOWN]
        named = {name: KNOWN[name.partition("(")[0]] for name in known if name is not None}
        return {self.trails[0].name: FIRST} | named

    @cached_property
    def near(self) -> list[Trail]:
        """The best, and all that cannot well be called worse."""
        return [trail for trail in self.trails if self.trails[0].height - trail.height < NEAR]

    def told(self, verbs: tuple[str, str], write: Write) -> str:
        """Who is best and what that is, in words: ``verbs`` of one, and of several."""
        first, count = self.near[0], len(self.near)
        names = [short(trail.name, 24) for trail in self.near]
        if count > FEW:
            depth = [short(trail.name, 24) for trail in self.near[1:] if trail == self.baseline]
            names = [names[0], *depth, f"{count - 1 - len(depth)} others"]
        same = all(write(trail.height) == write(first.height) for trail in self.near)
        who = f"all {count} strategies" if count == len(self.trails) > FEW else listed(names)
        return f"{who} {verbs[count > 1]} {'' if same else 'about '}{write(first.height)}"

    def beside(self, write: Write) -> str:
        """What is far from the best, in words: the depth pool, or where there is none the last."""
        other = self.baseline or self.trails[-1]
        return "" if other in self.near else f", {short(other.name, 24)} {write(other.height)}"


def _height(places: list[Place], at: float) -> float:
    """The height of a line at a place, between two points the straight way, beyond its ends that of the end."""
    for (x, y), (x2, y2) in pairwise(places):
        if x <= at <= x2 and x < x2:
            return y + (y2 - y) * (at - x) / (x2 - x)
    return places[0][1] if at < places[0][0] else places[-1][1]


def _trails(field: Field, frame: Frame, marked: Marked, *, dotted: bool) -> list[Any]:
    """The best wide, over it others in colour, the depth pool dashed; all that are left are grey behind them."""
    behind = [
        {"x": x, "y": y, "strategy": trail.name}
        for trail in field.trails
        if trail.name not in marked
        for x, y in trail.places
    ]
    pale = alt.Chart(inline(behind)).mark_line(color=PALE, strokeWidth=1, strokeJoin="round")
    layers: list[Any] = [pale.encode(**frame.axes, detail="strategy:N")] if behind else []
    mine = {trail.name: trail for trail in field.trails if trail.name in marked}
    dots = []
    for place, (name, (colour, shape)) in enumerate(marked.items()):
        if name in mine:
            dash: dict[str, Any] = {"strokeDash": [5, 3]} if mine[name].kind == BASELINE else {}
            how = {"color": colour, "strokeWidth": 1.8 if place else 3.5, "strokeJoin": "round", **dash}
            layers.append(frame.points(mine[name].places).mark_line(**how))
            spots = frame.points(mine[name].places if dotted else [(field.at, mine[name].height)])
            dots.append(spots.mark_point(filled=True, color=colour, shape=shape, size=45, opacity=1))
    return [*layers, *dots]


def whole_ticks(most: int) -> dict[str, Any]:
    """Where an axis of counts has numbers: of few at each of them, never between two."""
    return {"values": list(range(most + 1))} if most <= 5 else {"tickCount": 5}


def _upright(field: Field, frame: Frame) -> "alt.Chart":
    """The line at the budget at which strategies are compared."""
    rule = alt.Chart(inline([{"x": field.at}])).mark_rule(color=QUIET, strokeDash=[2, 3])
    return rule.encode(x=frame.axes["x"])


def _list(field: Field, head: str, write: Write, marked: Marked, *, high: float) -> list[Any]:
    """Names beside the chart, from the best down, each with its number; of very many those that have room."""
    plain = [trail.name for trail in field.trails if trail.name not in marked]
    free = int(high // GAP) - 1 - len(marked)
    kept = {*marked, *(plain if len(plain) <= free else plain[: max(free - 1, 0)])}
    rows = [(trail.name, f"{short(trail.name, 22)} {write(trail.height)}") for trail in field.trails]
    rows = [("", head), *(row for row in rows if row[0] in kept)]
    if lost := sum(name not in kept for name in plain):
        rows.append(("", f"and {lost} more"))
    layers: list[Any] = []
    for place, (name, word) in enumerate(rows):
        colour, shape = marked.get(name, (QUIET, ""))
        weight: Any = 600 if shape else "normal"
        how: dict[str, Any] = {"fontSize": SIZE, "fontWeight": weight, "color": colour}
        text = alt.Chart(inline([{"word": word}])).mark_text(align="left", baseline="middle", **how)
        at = alt.value(GAP * place)
        layers.append(text.encode(x=alt.value(ACROSS + (26 if place else 14)), y=at, text="word:N"))
        if shape:
            dot = alt.Chart(inline([{}])).mark_point(filled=True, color=colour, shape=shape, size=40, opacity=1)
            layers.append(dot.encode(x=alt.value(ACROSS + 18), y=at))
    return layers


def _how(field: Field) -> str:
    """How lines are to be read."""
    grey = "grey: other strategies" * (len(field.marked) < len(field.trails))
    dashed = "dashed: pooling by depth" * (field.baseline is not None)
    wide = "wide: the best at the dotted line" * (len(field.trails) > 1)
    return "; ".join(filter(None, [wide, dashed, grey]))


@chart("recall", cite="losada2017bandits,cormack1998mtf")
class Recall(Chart):
    """Recall over judgments: the share of the relevant documents that each strategy would have found by then."""

    table: ClassVar[str] = "curve"

    def draw(self, table: Table) -> Picture:
        """A line for each strategy, and their names in the order in which they stand at a quarter of the judgments."""
        rows = rows_of(table, "strategy", "judgments", "relevant", "recall", needs=("judgments", "recall"))
        last = max(row["judgments"] for row in rows)
        if not last:
            raise ParameterError("there is nothing to draw: nothing is judged", hint="replay one judgment or more")
        at = min((row["judgments"] for row in rows), key=lambda judged: (judged < 1, abs(judged - last / PART)))
        field = Field.of(rows, "judgments", "recall", at)
        below = alt.Axis(title="judgments", format=",d", grid=False, **whole_ticks(last))
        left = alt.Axis(title="relevant documents found", format=".0%", tickCount=5)
        frame = Frame(Axis(0, last, ACROSS), Axis(0, 1, HIGH), below, left)
        layers = [_upright(field, frame), *_trails(field, frame, field.marked, dotted=False)]
        layers += _list(field, f"with {counted(at, 'judgment')}", percent, field.marked, high=HIGH)
        found = f"{field.told(('finds', 'find'), percent)} of the relevant documents{field.beside(percent)}"
        finding = f"With {at:,} of {counted(last, 'judgment')}, {found}"
        title = headline(finding, _share_of(rows), _how(field), wide=ACROSS + 150)
        return alt.layer(*layers).properties(title=title, width=ACROSS, height=HIGH).configure(**THEME)


def _share_of(rows: list[Row]) -> str:
    """Of what recall is a share."""
    whole = {round(row["relevant"] / row["recall"]) for row in rows if row["relevant"] and row["recall"]}
    some = f"the {whole.pop():,} relevant documents" if len(whole) == 1 else "the relevant documents"
    return f"found: share of {some} that can be found"


@chart("pool-order", cite="otero2023,voorhees2001")
class PoolOrder(Chart):
    """Conclusions over judgments: how far runs keep their order, and their significant differences, with fewer."""

    table: ClassVar[str] = "replay"

    def draw(self, table: Table) -> Picture:
        """τ of the order of runs for each strategy and budget, and below it the share of significant pairs kept."""
        rows = rows_of(table, "strategy", "per_topic", "tau", "kept", needs=("per_topic", "tau"))
        field = Field.of(rows, "per_topic", "tau", _middle(rows))
        budgets = sorted({row["per_topic"] for row in rows})
        across = Axis.around(budgets, ACROSS, log=True)
        kept = [row for row in rows if row["kept"] is not None]
        lowest = floor(10 * min(row["tau"] for row in rows)) / 10
        left = alt.Axis(title="τ", titleAngle=0, tickCount=5)
        frame = Frame(across, Axis(min(0.8, lowest), 1.02, HIGH), _below(budgets, named=not kept), left)
        words = _list(field, f"with {field.at:,} per topic", _tau, field.marked, high=HIGH)
        layers = [_upright(field, frame), *_same(frame), *_trails(field, frame, field.marked, dotted=True), *words]
        panels: list[Any] = [alt.layer(*layers).properties(width=ACROSS, height=HIGH)]
        how = ["τ: the order of runs under so many judgments against that under all; 1: the same"]
        if kept:
            # The same strategies are in colour in both, whoever is best below.
            panels.append(_pairs(Field.of(kept, "per_topic", "kept", field.at), budgets, across, field.marked))
            how.append("below: the share of the significant pairs that still are, for the same run")
        title = headline(_order(field), *how, _how(field), wide=ACROSS + 150)
        return alt.vconcat(*panels, spacing=14).properties(title=title).configure(**THEME)


def _tau(tau: float) -> str:
    return number(tau, 2)


def _order(field: Field) -> str:
    """Who keeps the order of runs."""
    by = "with τ" if len(field.near) == len(field.trails) else "best: τ"
    kept = field.told((f"keeps the order of runs {by}", f"keep the order of runs {by}"), _tau)
    return f"With {counted(int(field.at), 'judgment')} per topic, {kept}{field.beside(_tau)}"


def _middle(rows: list[Row]) -> int:
    """The middle one of the budgets that all strategies have."""
    each = [{row["per_topic"] for row in mine} for mine in groups_of(rows, "strategy")]
    shared = [
        budget for budget in dict.fromkeys(row["per_topic"] for row in rows) if all(budget in one for one in each)
    ]
    if not shared:
        hint = "replay all strategies at the same budgets"
        raise ParameterError("there is nothing to draw: strategies have no budget in common", hint=hint)
    return int(shared[len(shared) // 2])


def _below(budgets: list[int], *, named: bool) -> "alt.Axis":
    """The budgets; under the last panel with their name."""
    title = "judgments per topic" if named else None
    return alt.Axis(title=title, values=budgets, format=",d", grid=False, labels=named, labelOverlap="greedy")


def _same(frame: Frame) -> list[Any]:
    """A line where orders begin to count as the same."""
    base = alt.Chart(inline([{"y": STABLE, "word": f"τ = {number(STABLE, 1)}"}]))
    word = base.mark_text(align="left", dx=4, dy=-8, fontSize=10, color=QUIET)
    return [
        base.mark_rule(color=QUIET, strokeDash=[4, 3]).encode(y=frame.axes["y"]),
        word.encode(x=alt.value(0), y=frame.axes["y"], text="word:N"),
    ]


def _pairs(field: Field, budgets: list[int], across: Axis, marked: Marked) -> Any:
    """The panel of significant pairs that are kept."""
    left = alt.Axis(title="significant pairs kept", format=".0%", tickCount=4)
    frame = Frame(across, Axis(0, 1.02, LOW), _below(budgets, named=True), left)
    words = _list(field, f"with {field.at:,} per topic", percent, marked, high=LOW)
    layers = [_upright(field, frame), *_trails(field, frame, marked, dotted=True), *words]
    return alt.layer(*layers).properties(width=ACROSS, height=LOW)
