"""Placement of labels on a chart without overlaps."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING, Any

from cranfield.core import need
from cranfield.core.rendering import width

from .base import inline
from .theme import INK

if TYPE_CHECKING:
    import altair as alt
else:
    alt = need("altair", extra="charts")

LETTER, LINE = 0.56, 1.15  # the size of a letter, in font sizes
POLE = 120  # points between a word and what it names, at most
SIDES = {  # where a word may stand beside its point: across, down, how it is aligned
    "right": (8.0, 0.0, "left"),
    "left": (-8.0, 0.0, "right"),
    "above": (0.0, -12.0, "center"),
    "below": (0.0, 12.0, "center"),
    "above right": (6.0, -10.0, "left"),
    "above left": (-6.0, -10.0, "right"),
    "below right": (6.0, 10.0, "left"),
    "below left": (-6.0, 10.0, "right"),
}
Box = tuple[float, float, float, float]  # left, top, right, bottom, in points


@dataclass(frozen=True)
class Axis:
    """Where the numbers of an axis stand between 0 and its length in points; ``low`` may be the larger end."""

    low: float
    high: float
    length: float
    log: bool = False

    @classmethod
    def around(cls, values: Sequence[float], length: float, *, log: bool = False, flip: bool = False) -> "Axis":
        """An axis that holds the values with some room at both ends."""
        low, high = min(values), max(values)
        if log:
            room = (high / low) ** 0.06 if high > low else 1.5
            ends = (low / room, high * room)
        else:
            room = (high - low) * 0.06 or abs(high) * 0.1 or 1.0
            ends = (low - room, high + room)
        return cls(*(ends[::-1] if flip else ends), length, log)

    def at(self, value: float) -> float:
        """The place of a number, in points from the left or from the bottom."""
        low, high, here = (log(x) if self.log else x for x in (self.low, self.high, value))
        return (here - low) / (high - low) * self.length

    def value(self, place: float) -> float:
        """The number at a place."""
        share = place / self.length
        if self.log:
            return self.low * (self.high / self.low) ** share
        return self.low + (self.high - self.low) * share

    @property
    def scale(self) -> "alt.Scale":
        """As altair knows it."""
        more: dict[str, Any] = {"type": "log"} if self.log else {}
        ends = sorted((self.low, self.high))
        return alt.Scale(domain=ends, nice=False, zero=False, reverse=self.low > self.high, **more)


def labels(
    points: Iterable[tuple[float, float, str]],
    across: Axis,
    up: Axis,
    *,
    beside: Iterable[tuple[float, float]] = (),
    sides: Sequence[str] = tuple(SIDES),
    most: int = 12,
    size: float = 11,
) -> list[dict[str, Any]]:
    """Words beside their points, the first ones first: each where it covers neither another nor a point.

    Where no side is free of the points ``beside``, it covers as few as it can; where none is free of words and their
    points, the word is left out. Each row holds where the word stands in numbers of the axes, and how it is aligned.
    """
    points = list(points)
    named = [_around(across.at(x), up.at(y), 4) for x, y, _ in points]
    others = [_around(across.at(x), up.at(y), 3) for x, y in beside]
    taken: list[Box] = []
    rows: list[dict[str, Any]] = []
    for x, y, word in points:
        if len(rows) == most:
            break
        found = _free(across.at(x), up.at(y), word, sides, size, (across.length, up.length), taken, named, others)
        if found:
            place, align, box = found
            taken.append(box)
            rows.append({"x": across.value(place[0]), "y": up.value(place[1]), "label": word, "align": align})
    return rows


def _free(
    x: float,
    y: float,
    word: str,
    sides: Sequence[str],
    size: float,
    ends: tuple[float, float],
    taken: list[Box],
    named: list[Box],
    others: list[Box],
) -> tuple[tuple[float, float], str, Box] | None:
    """The side of a point on which its word covers least of the others, the first of such sides."""
    own = _around(x, y, 4)
    wide, high = LETTER * size * width(word), LINE * size
    found = []
    for place, side in enumerate(sides):
        right, down, align = SIDES[side]
        at = (x + right, y - down)
        left = at[0] - {"left": 0.0, "right": wide, "center": wide / 2}[align]
        box = (left, at[1] - high / 2, left + wide, at[1] + high / 2)
        inside = left >= 0 and box[2] <= ends[0] + 60 and box[1] >= 0 and box[3] <= ends[1] + 6
        if inside and not any(_overlap(box, other) for other in [*taken, *named] if other != own):
            found.append((sum(_overlap(box, other) for other in others), place, at, align, box))
    return min(found)[2:] if found else None


def _around(x: float, y: float, room: float) -> Box:
    return (x - room, y - room, x + room, y + room)


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def flags(
    points: Sequence[tuple[float, float, str]], order: Iterable[int], across: Axis, *, most: int = 12, size: float = 10
) -> list[dict[str, Any]]:
    """Words over a line that only rises, each at the top of a thin pole on its point: none covers line, pole or word.

    ``points`` are where the line rises, from the left, their height in points; as many are named as ``most``, in the
    ``order`` of their places, and none on a pole longer than ``POLE``. Each row holds the point, and the height of its
    word. The first stands under its point where it would seem to name another.
    """
    wide = [LETTER * size * width(word) + 8 for *_, word in points]
    x, y = [across.at(point[0]) for point in points], [point[1] for point in points]

    def tops(named: list[int]) -> dict[int, float]:
        found: dict[int, float] = {}
        for i in sorted(named, reverse=True):  # from the right: a word stands over those that begin under it
            under = [y[j] for j in range(len(points)) if x[j] <= x[i] + wide[i]]
            words = [top for j, top in found.items() if x[j] <= x[i] + wide[i]]
            found[i] = max(max(under) + size, *(top + LINE * size for top in words), y[i] + size)
        return found

    named: list[int] = []
    for i in order:
        found = tops([*named, i])
        if len(named) < most and all(top - y[j] <= POLE for j, top in found.items()):
            named.append(i)
    found = tops(named)
    if 0 in found and any(x[j] <= x[0] + wide[0] and j not in found for j in range(1, len(points))):
        found[0] = y[0] - size  # over a point without a name it would be taken for that one's; below the line is room
    return [{"x": points[i][0], "point": y[i], "top": top, "label": points[i][2]} for i, top in found.items()]


def rank_ticks(last: int) -> list[int]:
    """The ranks that an axis names."""
    step = 1 if last <= 12 else 5 if last <= 60 else 20
    return sorted({1, *range(step, last + 1, step)})


def spread(places: Sequence[float], gap: float) -> list[float]:
    """The places moved as little as it takes for any two to be ``gap`` apart; their order stays."""
    # Neighbours that are too near form a block, which stands evenly around the mean of its places.
    blocks: list[list[int]] = []
    starts: list[float] = []
    for i in sorted(range(len(places)), key=lambda i: places[i]):
        blocks.append([i])
        starts.append(places[i])
        while len(blocks) > 1 and starts[-1] < starts[-2] + gap * len(blocks[-2]):
            last = blocks.pop()
            starts.pop()
            blocks[-1] += last
            members = blocks[-1]
            starts[-1] = sum(places[j] - gap * k for k, j in enumerate(members)) / len(members)
    moved = {j: start + gap * k for members, start in zip(blocks, starts, strict=True) for k, j in enumerate(members)}
    return [moved[i] for i in range(len(places))]


def texts(rows: list[dict[str, Any]], across: Axis, up: Axis, *, x_type: str = "Q", size: float = 11) -> list[Any]:
    """Layers with the words that :func:`labels` placed: one for each way in which they are aligned."""
    aligned: list[dict[str, Any]] = [{"align": align} for align in ("left", "right", "center")]
    return [
        alt.Chart(inline(mine))
        .mark_text(baseline="middle", fontSize=size, color=INK, **how)
        .encode(x=alt.X(f"x:{x_type}", scale=across.scale), y=alt.Y("y:Q", scale=up.scale), text="label:N")
        for how in aligned
        if (mine := [row for row in rows if row["align"] == how["align"]])
    ]
