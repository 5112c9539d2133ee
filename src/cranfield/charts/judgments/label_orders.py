"""Charts of the order of runs by label aggregation method, and under label uncertainty."""

from typing import TYPE_CHECKING, Any, ClassVar

from cranfield.charts.base import Chart, Picture, chart, inline
from cranfield.charts.chart_text import counted, first_of, groups_of, headline, listed, number, rows_of, short
from cranfield.charts.label_placement import Axis, spread
from cranfield.charts.run_sequences import Frame, names_below
from cranfield.charts.theme import COLOURS, INK, PALE, QUIET, SHAPES, THEME
from cranfield.core import ParameterError, Table, need
from cranfield.core.rendering import visible

if TYPE_CHECKING:
    import altair as alt
else:
    alt = need("altair", extra="charts")

GOLD = "gold"
MOST = 40  # runs in a chart of ranks
MOVERS = 5  # runs in colour
ACROSS = 400  # points between the first method and the last, at most
EACH = 90  # and from one to the next
NOISY = 40  # runs in a chart of values
STEP = 18  # points from one run to the next
VALUES = 300  # points between the ends of the axis of values
Row = dict[str, Any]


@chart("label-orders", cite="voorhees2000,ferrante2017aware")
class LabelOrders(Chart):
    """Orders of runs under each way to merge labels: a line for each run from rank to rank, movers in colour."""

    table: ClassVar[str] = "orders"

    def draw(self, table: Table) -> Picture:
        """Methods across, ranks down, the names of runs at both ends."""
        every = first_of(rows_of(table, "method", "run", "measure", "rank", needs=("rank",)), "measure")
        methods = [mine[0]["method"] for mine in groups_of(every, "method")]
        if len(methods) < 2:
            raise ParameterError("there is nothing to compare: the order is of one method", hint="merge in other ways")
        ranks = _ranks(every, methods)
        shown = list(ranks)[:MOST]
        moves = {run: max(ranks[run].values()) - min(ranks[run].values()) for run in shown}
        movers = sorted((run for run in shown if moves[run]), key=lambda run: -moves[run])[:MOVERS]
        last = max(max(ranks[run].values()) for run in shown)
        frame = _frame(len(methods), last, len(shown))
        names = names_below([(short(method, 22),) for method in methods], frame)
        layers = [*_lines(ranks, shown, movers, frame), names, *_ends(ranks, shown, movers, frame, len(methods))]
        how = "rank of each run under each way to merge labels" + "; in colour: those that move most" * bool(movers)
        few = f"the first {MOST} of {len(ranks)} runs" * (len(ranks) > MOST)
        title = headline(_finding(every, ranks, moves, movers), how, few, wide=frame.across.length + 160)
        size: dict[str, Any] = {"width": frame.across.length, "height": frame.up.length}
        return alt.layer(*layers).properties(title=title, **size).configure(**THEME)


def _ranks(rows: list[Row], methods: list[str]) -> dict[str, dict[int, int]]:
    """The ranks of each run by the place of the method; the best under the first comes first."""
    found: dict[str, dict[int, int]] = {}
    place = {method: i for i, method in enumerate(methods)}
    for row in rows:
        found.setdefault(row["run"], {})[place[row["method"]]] = row["rank"]
    unranked = len(found) + 1
    return dict(sorted(found.items(), key=lambda item: item[1].get(0, unranked)))


def _frame(methods: int, last: int, runs: int) -> Frame:
    """Methods as places from 0, ranks from the top down."""
    across = Axis(0, methods - 1, min(ACROSS, EACH * (methods - 1)))
    up = Axis(last + 0.5, 0.5, max(120, STEP * min(runs, 30)))
    below = alt.Axis(title=None, values=list(range(methods)), labels=False, grid=True, ticks=False, domain=False)
    left = alt.Axis(title=None, labels=False, ticks=False, grid=False, domain=False)
    return Frame(across, up, below, left)


def _lines(ranks: dict[str, dict[int, int]], shown: list[str], movers: list[str], frame: Frame) -> list[Any]:
    """Runs that stay are pale behind those that move, which have a colour and a shape each."""
    still = [{"x": x, "y": y, "run": run} for run in shown if run not in movers for x, y in sorted(ranks[run].items())]
    layers: list[Any] = []
    if still:
        base = alt.Chart(inline(still)).encode(**frame.axes, detail="run:N")
        layers += [base.mark_line(color=PALE, strokeWidth=1.2), base.mark_point(filled=True, color=PALE, size=22)]
    for run, colour, shape in zip(movers, COLOURS, SHAPES, strict=False):
        base = frame.points([(float(x), float(y)) for x, y in sorted(ranks[run].items())])
        layers.append(base.mark_line(color=colour, strokeWidth=2.2, strokeJoin="round"))
        layers.append(base.mark_point(filled=True, color=colour, shape=shape, size=48, opacity=1))
    return layers


def _ends(
    ranks: dict[str, dict[int, int]], shown: list[str], movers: list[str], frame: Frame, methods: int
) -> list[Any]:
    """The runs with their ranks under the first method on the left, under the last on the right."""
    layers: list[Any] = []
    for place, align, x in ((0, "right", -10.0), (methods - 1, "left", frame.across.length + 10)):
        mine = sorted((run for run in shown if place in ranks[run]), key=lambda run: ranks[run][place])
        heights = spread([frame.up.length - frame.up.at(ranks[run][place]) for run in mine], 12.0)
        for run, height in zip(mine, heights, strict=True):
            parts = [short(run, 22), str(ranks[run][place])]
            row = {"word": " · ".join(parts if place == 0 else parts[::-1])}
            how: dict[str, Any] = {"align": align, "baseline": "middle", "fontSize": 11}
            how |= {"color": COLOURS[movers.index(run)], "fontWeight": 600} if run in movers else {"color": QUIET}
            text = alt.Chart(inline([row])).mark_text(**how)
            layers.append(text.encode(x=alt.value(x), y=alt.value(height), text="word:N"))
    return layers


def _finding(rows: list[Row], ranks: dict[str, dict[int, int]], moves: dict[str, int], movers: list[str]) -> str:
    """Whether the first run stays first, under gold too, and which run moves most."""
    orders = {mine[0]["method"]: [row["run"] for row in mine if row["rank"] == 1] for mine in groups_of(rows, "method")}
    gold = orders.pop(GOLD, None)
    best = next(iter(ranks))
    first = sum(best in top for top in orders.values())
    under = "every way" if first == len(orders) else f"{first} of {len(orders)} ways"
    said = f"{short(best, 24)} is first by {rows[0]['measure']} under {under} to merge labels"
    if gold:
        said += ", and under gold" if best in gold else f", {listed([short(run, 24) for run in gold])} under gold"
    if not movers:
        return f"{said}; no run changes its rank"
    far = movers[0]
    if sum(move == moves[far] for move in moves.values()) > 1:
        return f"{said}; runs move by up to {counted(moves[far], 'rank')}"
    return (
        f"{said}; {short(far, 24)} moves most, between ranks {min(ranks[far].values())} and {max(ranks[far].values())}"
    )


@chart("label-noise", cite="voorhees2000")
class LabelNoise(Chart):
    """Doubt in labels: where the value and the rank of each run lie when unsure labels are drawn again."""

    table: ClassVar[str] = "label_noise"

    def draw(self, table: Table) -> Picture:
        """A row for each run in its order: a stroke at its value, a bar over the values drawn, its ranks in words."""
        columns = ("run", "measure", "value", "low", "high", "rank", "rank_low", "rank_high")
        every = first_of(rows_of(table, *columns, needs=("value", "low", "high", "rank")), "measure")
        rows = every[:NOISY]
        for place, row in enumerate(rows):
            row |= {"place": place, "name": short(row["run"], 24), "first": row["rank_low"] == 1}
            row["told"] = _between(row["rank_low"], row["rank_high"])
        down = alt.Y("place:Q", scale=alt.Scale(domain=[-1.4, len(rows) - 0.4], reverse=True, nice=False), axis=None)
        below = alt.Axis(title=rows[0]["measure"], tickCount=5)
        across = alt.X("low:Q", scale=alt.Scale(zero=False, padding=8), axis=below)
        base = alt.Chart(inline(rows)).encode(y=down)
        colour = alt.condition("datum.first", alt.value(COLOURS[0]), alt.value(QUIET))
        layers: list[Any] = [
            base.mark_rule(strokeWidth=6, opacity=0.45).encode(x=across, x2="high:Q", color=colour),
            base.mark_tick(orient="vertical", size=12, thickness=2, opacity=1).encode(x="value:Q", color=colour),
            *_beside(rows, down),
        ]
        outside = sum(not row["low"] <= row["value"] <= row["high"] for row in every)
        how = "stroke: value under the likeliest labels; bar: interval when unsure ones are drawn again; "
        how += "in colour: runs that may be first"
        of = f"{outside:,} of {counted(len(every), 'value')}"
        odd = f"{of} outside the bar: doubt pulls them one way" * bool(outside)
        few = f"the first {NOISY} of {len(every)} runs" * (len(every) > NOISY)
        title = headline(_doubt(every), visible(table.caption), how, odd, few, wide=VALUES + 200)
        size: dict[str, Any] = {"width": VALUES, "height": STEP * (len(rows) + 1)}
        return alt.layer(*layers).properties(title=title, **size).configure(**THEME)


def _between(low: int | None, high: int | None) -> str:
    """Ranks in short: 4, or 4–6."""
    if low is None or high is None:
        return "–"
    return str(low) if low == high else f"{low}–{high}"


def _beside(rows: list[Row], down: "alt.Y") -> list[Any]:
    """Left of each row its run, right of it its value and the ranks drawn."""
    told = [{"place": -1, "name": "", "number": "value", "told": "ranks drawn"}]
    told += [
        {"number": number(row["value"]), **{name: row[name] for name in ("place", "name", "told")}} for row in rows
    ]
    base = alt.Chart(inline(told)).encode(y=down)
    left = base.mark_text(align="right", fontSize=11, color=INK)
    right = base.mark_text(align="left", fontSize=11, color=QUIET)
    return [
        left.encode(x=alt.value(-8), text="name:N"),
        right.encode(x=alt.value(VALUES + 10), text="number:N"),
        right.encode(x=alt.value(VALUES + 62), text="told:N"),
    ]


def _doubt(rows: list[Row]) -> str:
    """Whether the first run may be another one when unsure labels are drawn again."""
    top = rows[0]
    name, measure = short(top["run"], 24), top["measure"]
    others = sum(row["rank_low"] == 1 for row in rows[1:])
    if top["rank_low"] == top["rank_high"] == 1 and not others:
        return f"{name} stays first by {measure} when unsure labels are drawn again"
    moves = "keeps" if top["rank_low"] == top["rank_high"] else "has"
    ranks = _between(top["rank_low"], top["rank_high"]).replace("–", " to ")
    said = f"{name}, first by {measure}, {moves} rank {ranks} when unsure labels are drawn again"
    return f"{said}; {counted(others, 'other run')} may be first, too" if others else said
