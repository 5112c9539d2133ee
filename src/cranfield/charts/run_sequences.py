"""Drawing functions for lines over a sequence of runs, with labelled runs and line ends."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean
from typing import TYPE_CHECKING, Any, Literal

from cranfield.charts.boards.pareto_fronts import between
from cranfield.core import need
from cranfield.core.rendering import width

from .base import inline
from .chart_text import WIDE
from .label_placement import LETTER, Axis, labels, spread, texts
from .theme import COLOURS, INK, QUIET, SHAPES

if TYPE_CHECKING:
    import altair as alt
else:
    alt = need("altair", extra="charts")

NAMED = 25  # up to so many runs have their names below the axis
SIZE = 11
Place = tuple[float, float]


@dataclass(frozen=True)
class Line:
    """Places from the left to the right, and what stands at the last of them."""

    places: list[Place]
    word: str
    dashed: bool = False


@dataclass(frozen=True)
class Frame:
    """The two axes: where numbers stand, and how altair draws them; ``kind`` is T where the one below is time."""

    across: Axis
    up: Axis
    below: "alt.Axis"
    left: "alt.Axis"
    kind: Literal["Q", "T"] = "Q"

    @property
    def axes(self) -> dict[str, Any]:
        """As altair knows them."""
        return {
            "x": alt.X(f"x:{self.kind}", scale=self.across.scale, axis=self.below),
            "y": alt.Y("y:Q", scale=self.up.scale, axis=self.left),
        }

    def points(self, places: list[Place]) -> "alt.Chart":
        """A chart of these places, without a mark."""
        return alt.Chart(inline([{"x": x, "y": y} for x, y in places])).encode(**self.axes)


def places_below(count: int) -> Axis:
    """The axis of the places 0, 1, …: room before the first, hardly any behind the last."""
    last = max(count - 1, 1)
    return Axis(-0.05 * last, 1.01 * last, WIDE)


def ticks_below(count: int) -> "alt.Axis":
    """A tick at each of the places, under which names stand."""
    return alt.Axis(title=None, values=list(range(count)), tickCount=count, labels=False, grid=False)


def names_below(names: Sequence[tuple[str, ...]], frame: Frame) -> "alt.Chart":
    """Names below the places 0, 1, …, and what else is said of each: flat if there is room, or slanted."""
    step = frame.across.at(1) - frame.across.at(0)
    flat = all(LETTER * SIZE * width(word) <= step - 6 for words in names for word in words)
    rows = [{"x": place, "name": ("\n" if flat else ", ").join(words)} for place, words in enumerate(names)]
    how: dict[str, Any] = {"align": "right", "baseline": "middle", "angle": 315, "dx": -10, "dy": 4}
    if flat:
        how = {"align": "center", "baseline": "top", "lineBreak": "\n", "lineHeight": 15, "dy": 9}
    text = alt.Chart(inline(rows)).mark_text(fontSize=SIZE, color=INK, **how)
    return text.encode(x=frame.axes["x"], y=alt.value(frame.up.length), text="name:N")


def lines(drawn: list[Line], frame: Frame, *, dotted: bool = True) -> list[Any]:
    """Lines with a colour and a shape each."""
    layers: list[Any] = []
    for line, colour, shape in zip(drawn, COLOURS, SHAPES, strict=False):
        base = frame.points(line.places)
        dash: dict[str, Any] = {"strokeDash": [5, 3]} if line.dashed else {}
        layers.append(base.mark_line(color=colour, strokeWidth=2, strokeJoin="round", **dash))
        if dotted:
            layers.append(base.mark_point(filled=True, color=colour, shape=shape, size=40, opacity=1))
    return layers


def along(drawn: list[Line], frame: Frame) -> list[Place]:
    """Places on the lines, a few points from each other."""
    found: list[Place] = []
    for line in drawn:
        steps = 2 + WIDE // (4 * len(line.places))
        found += [*line.places, *between([(*place, "") for place in line.places], frame.across, frame.up, steps)]
    return found


def line_ends(drawn: list[Line], up: Axis, *rules: tuple[float, str]) -> list[Any]:
    """What lines are called, beside their ends and in their colours, moved apart where they are near; rules too."""
    # Of lines that end in one place, the one that was higher before is named above, else the first.
    ends = [
        up.at(line.places[-1][1]) + 1e-6 * (mean(up.at(y) for _, y in line.places) - 1e-3 * i)
        for i, line in enumerate(drawn)
    ]
    heights = spread([*ends, *(up.at(height) for height, _ in rules)], 1.35 * SIZE)
    words = [*(line.word for line in drawn), *(word for _, word in rules)]
    shades = [*COLOURS[: len(drawn)], *[QUIET] * len(rules)]
    return [
        alt.Chart(inline([{"word": word}]))
        .mark_text(align="left", baseline="middle", fontSize=SIZE, fontWeight=600, color=shade)
        .encode(x=alt.value(WIDE + 8), y=alt.value(up.length - height), text="word:N")
        for word, shade, height in zip(words, shades, heights, strict=True)
    ]


def rings(places: list[Place], word: str, frame: Frame, beside: list[Place]) -> list[Any]:
    """Rings around places, and a word at the first of them, over as little as possible of what stands ``beside``."""
    if not places:
        return []
    ring = frame.points(places).mark_point(color=INK, size=130, strokeWidth=1.2, opacity=1)
    across = frame.across
    # The word ends where the chart does: the names of the lines stand beside it.
    room = Axis(across.low, across.value(WIDE - 60), WIDE - 60)
    return [
        ring,
        *texts(labels([(*places[0], word)], room, frame.up, beside=beside), across, frame.up, x_type=frame.kind),
    ]
