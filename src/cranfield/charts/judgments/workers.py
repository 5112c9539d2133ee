"""Charts of crowd workers and of the methods that aggregate their labels."""

from statistics import quantiles
from typing import TYPE_CHECKING, Any, ClassVar

from cranfield.charts.base import Chart, Picture, chart, inline
from cranfield.charts.chart_text import WIDE, counted, groups_of, headline, listed, percent, rows_of, short
from cranfield.charts.label_placement import Axis, labels, texts
from cranfield.charts.theme import COLOURS, INK, PALE, QUIET, THEME
from cranfield.core import Table, need
from cranfield.core.rendering import visible

if TYPE_CHECKING:
    import altair as alt
else:
    alt = need("altair", extra="charts")

HIGH = 300
ROOMY = 60  # up to so many workers all have their intervals drawn
CALLED = 25  # up to so many all may have a name
NAMED = 3  # spammers that a title names
METHODS = 30  # that are still read one by one
STEP = 24  # points from one method to the next
ROW = 340  # points between the ends of an axis with methods beside it
TICKS = [step * 10**power for power in range(7) for step in (1, 2, 5)]
MAJORITY = "majority"
PERSON, MACHINE = "person", "machine"
LOOKING, SPAMMER = "other workers", "as if without looking"
FAR = 5  # from this ratio on, labels stand on a logarithmic axis
GREY: dict[str, Any] = {"symbolFillColor": QUIET, "symbolStrokeColor": QUIET}
NEAR = 1e-9  # shares as near as this are equal
Row = dict[str, Any]


def tenths(share: float) -> str:
    """Return a proportion as text, to a tenth of a percent."""
    return f"{100 * share:.1f}%"


@chart("workers", cite="raykar2012,wilson1927")
class Workers(Chart):
    """Workers: how many labels each gave, and how often they are those that all say together; spammers by name."""

    table: ClassVar[str] = "workers"

    def draw(self, table: Table) -> Picture:
        """A dot for each worker on its interval, machines as diamonds; of very many only spammers have the interval."""
        columns = ("worker", "kind", "labels", "accuracy", "low", "high", "spammer", "why")
        rows = rows_of(table, *columns, needs=("labels", "accuracy"))
        in_question = [row for row in rows if row["spammer"] or row["kind"] == MACHINE]
        intervals = rows if len(rows) <= ROOMY else in_question
        least, most = (end(row["labels"] for row in rows) for end in (min, max))
        across = Axis.around([least, most], WIDE, log=most >= FAR * least)
        up = _up(rows, intervals)
        ticks: dict[str, Any] = {"values": TICKS} if across.log else {"tickCount": 6, "tickMinStep": 1}
        below = alt.Axis(title="labels of the worker", format=",d", grid=False, labelOverlap="greedy", **ticks)
        left = alt.Axis(title="equal to the merged labels", format=".0%", tickCount=6)
        axes = {"x": alt.X("labels:Q", scale=across.scale, axis=below)}
        y = {name: alt.Y(f"{name}:Q", scale=up.scale, axis=left) for name in ("accuracy", "low", "every")}
        every = sum(row["labels"] * row["accuracy"] for row in rows) / sum(row["labels"] for row in rows)
        rule = alt.Chart(inline([{"every": every}])).mark_rule(color=QUIET, strokeDash=[4, 3])
        lines = alt.Chart(inline([_place(mine) for mine in groups_of(intervals, "worker")]))
        dots = [_place(mine) for mine in groups_of(rows, "labels", "accuracy", "kind", "spammer")]
        marked = _marked(dots)
        layers: list[Any] = [
            rule.encode(y=y["every"]),
            lines.mark_rule(strokeWidth=1.4, opacity=0.6).encode(
                **axes, y=y["low"], y2="high:Q", color=marked["color"]
            ),
            alt.Chart(inline(dots)).mark_point(filled=True, opacity=0.85).encode(**axes, y=y["accuracy"], **marked),
            *texts(_named(rows, intervals, across, up), across, up),
        ]
        many = max(dot["workers"] for dot in dots)
        whose = " of those in question" * (len(intervals) < len(rows))
        how = "dashed: all labels together" + f"; line: interval{whose}" * bool(intervals)
        how += f"; large dots: workers in one place, up to {many}" * (many > 1)
        title = headline(_workers_told(rows), visible(table.caption), how, *_why(rows), wide=WIDE + 40)
        return alt.layer(*layers).properties(title=title, width=WIDE, height=HIGH).configure(**THEME)


def _up(rows: list[Row], intervals: list[Row]) -> Axis:
    """An axis from the lowest share to the highest, within 0 and 1."""
    ends = [row["accuracy"] for row in rows]
    ends += [row[end] for row in intervals for end in ("low", "high") if row[end] is not None]
    axis = Axis.around(ends, HIGH)
    return Axis(max(axis.low, -0.02), min(axis.high, 1.02), HIGH)


def _place(mine: list[Row]) -> Row:
    """Workers in one place as one dot."""
    one = {name: mine[0][name] for name in ("worker", "kind", "labels", "accuracy", "low", "high")}
    return one | {"workers": len(mine), "looks": SPAMMER if mine[0]["spammer"] else LOOKING}


def _marked(dots: list[Row]) -> dict[str, Any]:
    """Spammers have a colour, machines a shape, and a dot is as large as the workers in it are many."""
    how: dict[str, Any] = {"orient": "top", "direction": "horizontal", "symbolOpacity": 1}
    looks = alt.Scale(domain=[LOOKING, SPAMMER], range=[COLOURS[0], COLOURS[1]])
    kinds = alt.Scale(domain=[PERSON, MACHINE], range=["circle", "diamond"])
    sizes = alt.Scale(
        domain=[1, max(8, *(dot["workers"] for dot in dots))], range=[34 if len(dots) > ROOMY else 54, 360]
    )
    spammers = alt.Legend(**how, symbolSize=60) if len({dot["looks"] for dot in dots}) > 1 else None
    machines = alt.Legend(**how, **GREY, symbolSize=60) if len({dot["kind"] for dot in dots}) > 1 else None
    return {
        "color": alt.Color("looks:N", scale=looks, legend=spammers),
        "shape": alt.Shape("kind:N", scale=kinds, legend=machines),
        "size": alt.Size("workers:Q", scale=sizes, legend=None),
    }


def _named(rows: list[Row], intervals: list[Row], across: Axis, up: Axis) -> list[Row]:
    """Spammers and machines beside their dots, of few workers all; names keep off intervals."""
    order = sorted(rows, key=lambda row: (not row["spammer"], row["kind"] != MACHINE, -row["labels"]))
    called = [row for row in order if len(rows) <= CALLED or row["spammer"] or row["kind"] == MACHINE]
    points = [(row["labels"], row["accuracy"], short(row["worker"], 20)) for row in called]
    behind = [(row["labels"], row["accuracy"]) for row in rows if row not in called]
    return labels(points, across, up, beside=[*behind, *_along(intervals)], most=CALLED)


def _along(rows: list[Row]) -> list[tuple[float, float]]:
    """Places on the intervals, which words keep off."""
    full = [row for row in rows if row["low"] is not None and row["high"] is not None]
    return [(row["labels"], row["low"] + (row["high"] - row["low"]) * step / 12) for row in full for step in range(13)]


def _workers_told(rows: list[Row]) -> str:
    """Who answers without looking; where nobody does, what the middle half of the workers reaches."""
    spammers = [row for row in rows if row["spammer"]]
    if spammers:
        share = sum(row["labels"] for row in spammers) / sum(row["labels"] for row in rows)
        names = [short(row["worker"], 20) for row in spammers]
        who = listed(names[:NAMED] if len(names) <= NAMED else [*names[:NAMED], f"{len(names) - NAMED:,} more"])
        one = len(spammers) == 1
        few = f"{who}, {len(spammers):,} of {counted(len(rows), 'worker')} with {tenths(share)} of the labels,"
        return f"{few} {'answers' if one else 'answer'} as if without looking"
    if len(rows) < 4:
        return f"None of {counted(len(rows), 'worker')} answers as if without looking"
    low, _, high = quantiles([row["accuracy"] for row in rows], n=4, method="inclusive")
    middle = f"half of them say what is merged {percent(low)} to {percent(high)} of the time"
    return f"None of {counted(len(rows), 'worker')} answers as if without looking; {middle}"


def _why(rows: list[Row]) -> list[str]:
    """Why the first of the spammers are called so."""
    return [f"{short(row['worker'], 20)}: {row['why']}" for row in rows if row["spammer"] and row["why"]][:NAMED]


@chart("aggregations", cite="dawid1979,wilson1927")
class Aggregations(Chart):
    """Ways to merge labels: how often each is right on gold items, or how much it changes in the majority vote."""

    table: ClassVar[str] = "aggregations"

    def draw(self, table: Table) -> Picture:
        """A row for each method, the best on top: accuracy on its interval; without gold, the share it changes."""
        every = rows_of(
            table, "method", "items", "tied", "changed", "accuracy", "low", "high", "gold", needs=("items",)
        )
        judged = any(row["accuracy"] is not None for row in every)
        order = (lambda row: -(row["accuracy"] or 0.0)) if judged else (lambda row: row["changed"])
        first, rows = every[0]["method"], sorted(every, key=order)[:METHODS]
        for place, row in enumerate(rows):
            row |= {"place": place, "name": short(row["method"], 26), "counts": row["method"] == first}
            row["share"] = row["changed"] / max(row["items"], 1)
        down = alt.Y("place:Q", scale=alt.Scale(domain=[-1.4, len(rows) - 0.4], reverse=True, nice=False), axis=None)
        layers = [*(_accuracy(rows, down) if judged else _changed(rows, down)), *_beside(rows, down, judged=judged)]
        counts = f"in colour: {short(first, 26)}, whose labels count" * (len(every) > 1)
        how = ["line: interval; dashed: the majority vote" if judged else "", counts]
        few = f"the first {METHODS} of {counted(len(every), 'method')}" * (len(every) > METHODS)
        title = headline(_right(every) if judged else _changes(every), "; ".join(filter(None, how)), few)
        size: dict[str, Any] = {"width": ROW, "height": STEP * (len(rows) + 1)}
        return alt.layer(*layers).properties(title=title, **size).configure(**THEME)


def _shade(other: str) -> Any:
    """The colour of the method whose labels count, and another for all others."""
    return alt.condition("datum.counts", alt.value(COLOURS[0]), alt.value(other))


def _accuracy(rows: list[Row], down: "alt.Y") -> list[Any]:
    """A dot on its interval, and a line at the majority vote."""
    below = alt.Axis(title="right on gold items", format=".0%", tickCount=5)
    across = alt.X("low:Q", scale=alt.Scale(zero=False, padding=8), axis=below)
    known = [row for row in rows if row["accuracy"] is not None]
    base, colour = alt.Chart(inline(known)).encode(y=down), _shade(QUIET)
    vote = [{"low": row["accuracy"]} for row in known if row["method"] == MAJORITY]
    rule = alt.Chart(inline(vote)).mark_rule(color=PALE, strokeDash=[4, 3], strokeWidth=1.5)
    return [
        *([rule.encode(x=across)] if vote else []),
        base.mark_rule(strokeWidth=2).encode(x=across, x2="high:Q", color=colour),
        base.mark_point(filled=True, size=60, opacity=1).encode(x="accuracy:Q", color=colour),
    ]


def _changed(rows: list[Row], down: "alt.Y") -> list[Any]:
    """A bar as long as what differs from the majority vote."""
    below = alt.Axis(title="items that differ from the majority vote", format="~%", tickCount=5, grid=False)
    longest = max(row["share"] for row in rows) or 1.0
    across = alt.X("share:Q", scale=alt.Scale(domain=[0, longest], nice=False), axis=below)
    bars = alt.Chart(inline(rows)).mark_bar(size=13)
    return [bars.encode(x=across, x2=alt.datum(0), y=down, color=_shade(PALE))]


def _beside(rows: list[Row], down: "alt.Y", *, judged: bool) -> list[Any]:
    """Left of each row its method, right of it its numbers, under what they are called."""
    told = [{"place": -1, "name": "", "right": "right", "differ": "changed", "tied": "tied"}]
    for row in rows:
        shares = {"right": row["accuracy"], "differ": row["share"], "tied": (row["tied"] or 0) / max(row["items"], 1)}
        said = {name: "–" if share is None else tenths(share) for name, share in shares.items()}
        told.append({"place": row["place"], "name": row["name"], **said})
    base = alt.Chart(inline(told)).encode(y=down)
    left = base.mark_text(align="right", dx=-8, fontSize=12, color=INK)
    right = base.mark_text(align="right", fontSize=11, color=QUIET)
    columns = [*(["right"] * judged), "differ", "tied"]
    return [
        left.encode(x=alt.value(0), text="name:N"),
        *(right.encode(x=alt.value(ROW + 56 * (i + 1)), text=f"{name}:N") for i, name in enumerate(columns)),
    ]


def _right(rows: list[Row]) -> str:
    """Which methods are right most often, and how often the majority vote is."""
    known = [row for row in rows if row["accuracy"] is not None]
    most = max(row["accuracy"] for row in known)
    best = [row for row in known if most - row["accuracy"] < NEAR]
    names = [short(row["method"], 26) for row in best]
    of = f"{tenths(most)} of {counted(best[0]['gold'], 'gold item')}"
    if len(best) == len(known) > 1:
        return f"All {len(known)} ways to merge labels are right for {of}"
    who = listed(names) if len(names) <= NAMED else f"{names[0]} and {len(names) - 1} others"
    verb = "is" if len(best) == 1 else "are"
    said = f"{who} {verb} right for {of}"
    vote = next((row for row in known if row["method"] == MAJORITY), None)
    return said if vote is None or vote in best else f"{said}, {MAJORITY} for {tenths(vote['accuracy'])}"


def _changes(rows: list[Row]) -> str:
    """From how few to how many items the methods change."""
    others = sorted((row["changed"] / max(row["items"], 1), row["method"]) for row in rows if row["method"] != MAJORITY)
    of = f"of {counted(rows[0]['items'], 'item')}"
    if not others:
        tied = rows[0]["tied"] or 0
        return f"The majority vote is tied for {tenths(tied / max(rows[0]['items'], 1))} {of}"
    (low, least), (high, most) = others[0], others[-1]
    if high == 0:
        return f"No method changes the majority vote {of}"
    said = f"{short(most, 26)} changes {tenths(high)} {of} in the majority vote"
    return f"{said}, {short(least, 26)} {tenths(low) if low else 'none'}" if len(others) > 1 else said
