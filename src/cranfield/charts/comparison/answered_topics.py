"""Charts of topic counts per run: topics answered, and wins, ties and losses against a baseline."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from cranfield.charts.base import Chart, Picture, chart, inline
from cranfield.charts.chart_text import WIDE, counted, headline, percent, rows_of, short
from cranfield.charts.proportion_bars import ON_DARK, A, B
from cranfield.charts.theme import COLOURS, FAINT, INK, PALE, QUIET, THEME
from cranfield.core import Table, need

if TYPE_CHECKING:
    import altair as alt
else:
    alt = need("altair", extra="charts")

Row = dict[str, Any]

ROOMY = 40  # up to so many runs have names and numbers of full size
LETTER = 0.6  # width of a digit, as a proportion of the font size
DARK = {A}  # parts on which numbers are white
MAYBE = COLOURS[6]  # between the colours of answered and unanswered
SMALL = (0.001, 0.01, 0.05)  # the smallest of these that p does not exceed is printed next to the bar


@chart("answers", cite="lin2021")
class Answers(Chart):
    """Answers: for how many topics each run finds a relevant document, and where unjudged ones could still answer."""

    table: ClassVar[str] = "answers"

    def draw(self, table: Table) -> Picture:
        """A bar of all topics for each run, as many of them as the table has first on top."""
        parts = {"answered": A, "only_unjudged": MAYBE, "unanswered": FAINT}
        words = {"answered": "answered", "only_unjudged": "only unjudged", "unanswered": "unanswered"}
        rows = rows_of(table, "run", "topics", *parts, needs=("answered",))
        cut = [_cut(row, place, parts) for place, row in enumerate(rows)]
        most = max(1, *(row["topics"] for row in rows))
        how = "answered: a relevant document within the cutoff; only unjudged: none, but an unjudged document"
        title = headline(_answered(rows), how)
        axis = alt.Axis(title="topics", grid=False, tickCount=5, format=",d", tickMinStep=1)
        across = alt.X("start:Q", scale=alt.Scale(domain=[0, most], nice=False), axis=axis)
        return _bars(rows, cut, across, most, {words[part]: colour for part, colour in parts.items()}, title)


@chart("against", cite="conover1999")
class Against(Chart):
    """Against a baseline: how many topics each run wins, ties and loses."""

    table: ClassVar[str] = "against"

    def draw(self, table: Table) -> Picture:
        """A bar for each run, its ties on both sides of 0; beside it how small p is."""
        parts = {"loss": B, "tie": PALE, "win": A}
        rows = rows_of(table, "run", "baseline", *parts, "p", needs=tuple(parts))
        cut = [_cut(row, place, parts, -(row["loss"] + row["tie"] / 2)) for place, row in enumerate(rows)]
        reach = max(1.0, *(max(-mine[0]["start"], mine[-1]["end"]) for mine in cut if mine), 0.0)
        how = "topics won on the right, lost on the left, tied in the middle; p of the sign test, Holm-corrected"
        title = headline(_won(rows), how)
        axis = alt.Axis(title="topics", grid=False, tickCount=7, labelExpr="format(abs(datum.value), ',')")
        across = alt.X("start:Q", scale=alt.Scale(domain=[-reach, reach], nice=False), axis=axis)
        words = {"lost": B, "tied": PALE, "won": A}
        beside = [_chance(row["p"]) for row in rows]
        return _bars(rows, cut, across, 2 * reach, words, title, beside)


def _cut(row: Row, place: int, parts: Mapping[str, str], start: float = 0.0) -> list[Row]:
    """Where each part of a run's bar begins and ends; a part without a topic is not there."""
    found = []
    for at, (part, colour) in enumerate(parts.items()):
        topics = row[part] or 0
        if topics:
            found.append({"place": place, "at": at, "start": start, "end": start + topics, "topics": topics})
            found[-1]["dark"] = colour in DARK
        start += topics
    return found


def _bars(
    rows: list[Row],
    cut: list[list[Row]],
    across: "alt.X",
    wide: float,
    words: Mapping[str, str],
    title: "alt.TitleParams",
    beside: list[str] | None = None,
) -> Picture:
    """Bars with numbers on them where these fit, the run's name on the left, a word ``beside`` each on the right."""
    roomy = len(rows) <= ROOMY
    step, size = (22, 11) if roomy else (11, 8)
    names = list(words)
    drawn = [
        {**part, "part": names[part["at"]], "middle": (part["start"] + part["end"]) / 2}
        | {"label": _label(part["topics"], part["topics"] / wide * WIDE, size)}
        for mine in cut
        for part in mine
    ]
    down = alt.Y("place:O", axis=None, scale=alt.Scale(paddingInner=0.18, paddingOuter=0.1))
    legend = alt.Legend(orient="top", direction="horizontal", symbolType="square", labelLimit=230, columns=len(names))
    colour = alt.Color("part:N", scale=alt.Scale(domain=names, range=list(words.values())), legend=legend)
    base = alt.Chart(inline(drawn)).encode(y=down)
    layers: list[Any] = [
        base.mark_bar(stroke="white", strokeWidth=1 if roomy else 0.5, aria=roomy).encode(
            x=across, x2="end:Q", color=colour
        ),
        base.transform_filter("datum.label")
        .mark_text(fontSize=size)
        .encode(x="middle:Q", text="label:N", color=ON_DARK),
    ]
    called = [{"place": place, "run": short(row["run"]), "beside": ""} for place, row in enumerate(rows)]
    for one, word in zip(called, beside or [], strict=False):
        one["beside"] = word
    left = alt.Chart(inline(called)).mark_text(align="right", dx=-6, fontSize=size + roomy, color=INK)
    layers.append(left.encode(y=down, x=alt.value(0), text="run:N"))
    if any(beside or []):
        right = alt.Chart(inline(called)).mark_text(align="left", dx=6, fontSize=size, color=QUIET)
        layers.append(right.encode(y=down, x=alt.value(WIDE), text="beside:N"))
    return alt.layer(*layers).properties(title=title, width=WIDE, height=step * len(rows) + 4).configure(**THEME)


def _label(topics: int, points: float, size: int) -> str:
    """A number where there is room for it."""
    text = f"{topics:,}"
    return text if len(text) * LETTER * size + 4 <= points else ""


def _chance(p: float | None) -> str:
    """How small p is, if it is small."""
    found = next((most for most in SMALL if p is not None and p <= most), None)
    return "" if found is None else f"p ≤ {found:g}".replace("0.", ".")


def _answered(rows: list[Row]) -> str:
    """Return the largest number of topics answered, by which runs, and how many runs unjudged documents affect."""
    shares = [row["answered"] / (row["topics"] or 1) for row in rows]
    best = [row for row, share in zip(rows, shares, strict=True) if share == max(shares)]
    top, more = best[0], len(best) - 1
    who = f"{short(top['run'])} answers" if not more else f"{short(top['run'])} and {counted(more, 'other')} answer"
    found = f"{who} {top['answered']:,} of {counted(top['topics'], 'topic')} ({percent(max(shares))})"
    affected = sum(bool(row["only_unjudged"]) for row in rows)
    if len(rows) == 1 or not affected:
        return found
    return f"{found}; unjudged documents could add topics for {affected:,} of {len(rows):,} runs"


def _won(rows: list[Row]) -> str:
    """Return the counts of the only run, or how many runs the sign test calls significantly better or worse."""
    base = short(rows[0]["baseline"])
    if len(rows) == 1:
        (row,) = rows
        return (
            f"{short(row['run'])} wins {row['win']:,} topics against {base}, ties {row['tie']:,}, loses {row['loss']:,}"
        )
    sure = [row for row in rows if row["p"] is not None and row["p"] <= SMALL[-1]]
    more = sum(row["win"] > row["loss"] for row in sure)
    fewer = sum(row["win"] < row["loss"] for row in sure)
    counts = f"{more:,} with significantly more topics won than lost, {fewer:,} with significantly fewer"
    return f"{len(rows):,} runs compared with {base}: {counts}"
