"""Charts of ranks on public topics compared with private topics and other conditions."""

from typing import TYPE_CHECKING, Any, ClassVar

from cranfield.charts.base import Chart, Picture, chart, inline
from cranfield.charts.chart_text import WIDE, groups_of, headline, rows_of, short
from cranfield.charts.label_placement import rank_ticks, spread
from cranfield.charts.theme import COLOURS, FAINT, INK, PALE, QUIET, THEME
from cranfield.core import ParameterError, Table, need

if TYPE_CHECKING:
    import altair as alt
else:
    alt = need("altair", extra="charts")

KEY = 5  # runs that are drawn of a board
MOVERS = 5  # runs in colour
NAMED = 30  # up to so many runs are all named
SLOPE = 220
HEAD, ROW, TALL = 26, 22, 18  # points: of the name of a condition, of a row, of the largest share in it


@chart("public-private", cite="craswell2021msmarco")
class PublicPrivate(Chart):
    """Ranks under several conditions: where key runs of the public board stand on other topics, labels, measures.

    The first condition is the board, and its runs come in its order.
    """

    table: ClassVar[str] = "condition_ranks"

    def draw(self, table: Table) -> Picture:
        """Under each condition a row for each key run: how often it takes each rank, and its expected rank."""
        every = rows_of(table, "condition", "run", "rank", "share", needs=("rank", "share"))
        rows = [row for row in every if row["share"]]
        found = {(mine[0]["condition"], mine[0]["run"]): mine for mine in groups_of(rows, "condition", "run")}
        means: dict[str, dict[str, float]] = {}
        for (condition, run), mine in found.items():
            mass = sum(row["share"] for row in mine)
            mean = sum(row["rank"] * row["share"] for row in mine) / mass
            means.setdefault(condition, {})[run] = round(mean, 9)  # 1.05 is told as in the sentence, not as 1.04999…
        if len(means) < 2:
            hint = "give private topics, other labels or another measure"
            raise ParameterError("there is nothing to compare: the ranks are of one condition", hint=hint)
        runs = _key(means)
        heads, places = _rows(means, runs)
        steps = [step for place in places for step in _steps(found[place["condition"], place["run"]], place)]
        high = places[-1]["base"] + 4
        down = alt.Y("base:Q", scale=alt.Scale(domain=[0, high], reverse=True, nice=False), axis=None)
        last = max(row["rank"] for row in rows)
        layers = [*_marks(places, steps, runs, down, last), *_named(heads, places, down)]
        how = "how often a run takes a rank in bootstrap resamples of the topics; line and number: its expected rank; "
        how += "shown: the first and the last of the public board, and those that move most"
        title = headline(_held(means), how)
        return alt.layer(*layers).properties(title=title, width=WIDE, height=high).configure(**THEME)


def _marks(
    places: list[dict[str, Any]], steps: list[dict[str, Any]], runs: list[str], down: "alt.Y", last: int
) -> list["alt.Chart"]:
    """The shares of each row, in the colour of its run, and a line at its expected rank."""
    ends = alt.Scale(domain=[0.5, last + 0.5], nice=False)
    below = alt.Axis(title="rank", values=rank_ticks(last), grid=False, format="d")
    colour = alt.Color("run:N", scale=alt.Scale(domain=runs, range=COLOURS[: len(runs)]), legend=None)
    base = alt.Chart(inline(places))
    areas = alt.Chart(inline(steps)).mark_area(interpolate="step-after", opacity=0.75)
    lines = base.mark_rule(color=INK, strokeWidth=1.5)
    return [
        base.mark_rule(color=FAINT).encode(y=down),
        areas.encode(x=alt.X("x:Q", scale=ends, axis=below), y=down, y2="top:Q", color=colour, detail="row:N"),
        lines.encode(x=alt.X("mean:Q", scale=ends, axis=below), y=down, y2="top:Q"),
    ]


def _named(heads: list[dict[str, Any]], places: list[dict[str, Any]], down: "alt.Y") -> list["alt.Chart"]:
    """The conditions over their rows; beside each row its run and its expected rank."""
    head = alt.Chart(inline(heads)).mark_text(align="left", dy=-6, fontSize=12, fontWeight=600, color=INK)
    left = alt.Chart(inline(places)).mark_text(align="right", dx=-8, dy=-6, fontSize=11, color=INK)
    right = alt.Chart(inline(places)).mark_text(align="left", dx=8, dy=-6, fontSize=11, color=QUIET)
    return [
        text.encode(x=alt.value(place), y=down, text=f"{column}:N")
        for text, place, column in ((head, 0, "condition"), (left, 0, "name"), (right, WIDE, "told"))
    ]


def _rows(means: dict[str, dict[str, float]], runs: list[str]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The conditions and the rows of runs under them, from the top down, with their heights in points."""
    heads: list[dict[str, Any]] = []
    rows: list[dict[str, Any]] = []
    base = 0.0
    for condition, mean in means.items():
        base += HEAD
        heads.append({"condition": condition, "base": base})
        for run in runs:
            if run in mean:
                base += ROW
                told = {"name": short(run, 24), "mean": mean[run], "told": f"{mean[run]:.1f}"}
                at = {"row": len(rows), "base": base, "top": base - TALL}
                rows.append({"condition": condition, "run": run, **at, **told})
    return heads, rows


def _key(means: dict[str, dict[str, float]]) -> list[str]:
    """The first run of the board, the last, and between them those whose expected rank changes most."""
    public, *others = means.values()
    order = list(public)
    moved = {run: max(abs(other.get(run, public[run]) - public[run]) for other in others) for run in order[1:-1]}
    most = sorted(moved, key=lambda run: -moved[run])[: KEY - 2]
    return [run for run in order if run in {order[0], order[-1], *most}]


def _steps(mine: list[dict[str, Any]], place: dict[str, Any]) -> list[dict[str, Any]]:
    """The shares of a run as steps from half a rank below to half a rank above; the largest is as tall as the row."""
    share = {row["rank"]: row["share"] for row in mine}
    low, high, peak = min(share), max(share), max(share.values())
    tops = [(rank - 0.5, share.get(rank, 0.0)) for rank in range(low, high + 1)]
    tops.append((high + 0.5, tops[-1][1]))
    return [
        {
            "x": x,
            "base": place["base"],
            "top": place["base"] - TALL * height / peak,
            "run": place["run"],
            "row": place["row"],
        }
        for x, height in tops
    ]


def _held(means: dict[str, dict[str, float]]) -> str:
    """Where the first of the public board, by its mean, is expected elsewhere."""
    public, *others = means.values()
    top = next(iter(public))
    there = [other[top] for other in others if top in other]
    if not there:
        return f"{short(top)}, first on the public topics, is not ranked elsewhere"
    low, high = f"{min(there):.1f}", f"{max(there):.1f}"
    where = f"rank {low}" + f" to {high}" * (low != high)
    conditions = "the other condition" if len(there) == 1 else f"{len(there)} other conditions"
    return f"{short(top)}, first on the public topics, is expected at {where} under {conditions}"


@chart("moves", cite="craswell2021msmarco")
class Moves(Chart):
    """Moves: the rank of every run on public topics, and its rank on private ones."""

    table: ClassVar[str] = "moves"

    def draw(self, table: Table) -> Picture:
        """A line for each run from its public rank to its private one; in colour those that move most."""
        rows = rows_of(table, "run", "public_rank", "private_rank", needs=("public_rank", "private_rank"))
        moves = {row["run"]: row["public_rank"] - row["private_rank"] for row in rows}
        far = sorted((row for row in rows if moves[row["run"]]), key=lambda row: -abs(moves[row["run"]]))[:MOVERS]
        kinds = {row["run"]: "rises" if moves[row["run"]] > 0 else "falls" for row in far}
        ends = [
            {"run": row["run"], "side": side, "rank": row[f"{side}_rank"], "kind": kinds.get(row["run"], "other")}
            for row in rows
            for side in ("public", "private")
        ]
        last = max(end["rank"] for end in ends)
        high = max(160, min(16 * len(rows), 520))
        down = alt.Y("rank:Q", scale=alt.Scale(domain=[0.5, last + 0.5], reverse=True, nice=False), axis=None)
        above = alt.Axis(title=None, orient="top", domain=False, ticks=False, labelAngle=0, labelPadding=10)
        across = alt.X("side:N", sort=["public", "private"], scale=alt.Scale(padding=0), axis=above)
        domain = ["other", "rises", "falls"]
        colour = alt.Color("kind:N", scale=alt.Scale(domain=domain, range=[PALE, *COLOURS[1:3][::-1]]), legend=None)
        thick = alt.StrokeWidth("kind:N", scale=alt.Scale(domain=domain, range=[0.8, 2, 2]), legend=None)
        lines = [
            alt.Chart(inline(mine))
            .mark_line(point={"size": 18})
            .encode(x=across, y=down, detail="run:N", color=colour, strokeWidth=thick)
            for mine in ([e for e in ends if e["kind"] == "other"], [e for e in ends if e["kind"] != "other"])
            if mine
        ]
        named = [end for end in ends if len(rows) <= NAMED or end["kind"] != "other"]
        words = _beside(named, down, last / high) if named else []
        kept = sum(not move for move in moves.values())
        how = "rank on public topics (left) and on private topics (right); in colour: those that move most"
        title = headline(_moved(far, kept, len(rows)), how, wide=420)
        return alt.layer(*lines, *words).properties(title=title, width=SLOPE, height=high).configure(**THEME)


def _beside(ends: list[dict[str, Any]], down: "alt.Y", point: float) -> list["alt.Chart"]:
    """The runs beside the ends of their lines, moved apart where they are near; ``point`` is the ranks of a point."""
    words: dict[str, list[dict[str, Any]]] = {"public": [], "private": []}
    for side, rows in words.items():
        mine = [end for end in ends if end["side"] == side]
        for end, place in zip(mine, spread([end["rank"] for end in mine], 12 * point), strict=True):
            parts = [short(end["run"]), f"{end['rank']:g}"]
            label = " · ".join(parts if side == "public" else parts[::-1])
            rows.append({"rank": place, "label": label, "moved": end["kind"] != "other"})
    left = alt.Chart(inline(words["public"])).mark_text(align="right", dx=-8, fontSize=11)
    right = alt.Chart(inline(words["private"])).mark_text(align="left", dx=8, fontSize=11)
    ink = alt.condition("datum.moved", alt.value(INK), alt.value(QUIET))
    return [
        text.encode(x=alt.value(place), y=down, text="label:N", color=ink)
        for text, place in ((left, 0), (right, SLOPE))
    ]


def _moved(far: list[dict[str, Any]], kept: int, runs: int) -> str:
    """Which run moves most, and how many do not move."""
    if not far:
        return f"None of {runs} runs changes its rank on private topics"
    top = far[0]
    how = "rises" if top["public_rank"] > top["private_rank"] else "falls"
    said = f"{short(top['run'])} {how} most, from rank {top['public_rank']:g} to {top['private_rank']:g}"
    return f"{said}; {kept} of {runs} runs keep their rank on private topics"
