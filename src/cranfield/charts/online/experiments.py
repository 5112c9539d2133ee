"""Charts of experiments: effects of treatments, interim analyses, and sample ratio."""

from collections.abc import Mapping
from datetime import date
from math import sqrt
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from cranfield.charts.base import Chart, Picture, chart, inline
from cranfield.charts.chart_text import (
    WIDE,
    counted,
    failed_checks,
    groups_of,
    headline,
    p_text,
    rows_of,
    short,
    signed,
)
from cranfield.charts.theme import COLOURS, INK, PALE, QUIET, THEME
from cranfield.core import Table, need

if TYPE_CHECKING:
    import altair as alt
else:
    alt = need("altair", extra="charts")

Row: TypeAlias = dict[str, Any]
LINE = 26  # points from one row to the next
MOST = 40  # rows that are still read one by one
FOREST = 330
HIGH, LOW = 240, 120  # of one panel alone, and of one among several
PANELS = 8
ALARM = 0.001  # as in the check of the sample ratio (fabijan2019)
FAR = 3.2905  # standard errors: beyond them lies a share of 0.001 of what chance gives
DOUBT = 0.01
SIDES = {"better": COLOURS[0], "worse": COLOURS[1]}


@chart("effects", cite="lewis2001forest,waudbysmith2024")
class Effects(Chart):
    """Effects: what each treatment changes in each measure, relative to the control."""

    table: ClassVar[str] = "effects"
    warns: ClassVar[bool] = True

    def draw(self, table: Table) -> Picture:
        """Draw a dot for each effect on two intervals: thick for one analysis, thin for any number of them."""
        return self.draw_beside(table, {})

    def draw_beside(self, table: Table, others: Mapping[str, Table]) -> Picture:
        """Draw the same, and name no effect in the title where a check of the experiment fails."""
        columns = (
            *("measure", "control", "treatment", "relative", "relative_low", "relative_high", "p_adjusted", "outcome"),
            *("value_control", "always_low", "always_high"),
        )
        rows = rows_of(table, *columns, needs=("relative", "relative_low", "relative_high"))
        shown = _named(rows[:MOST])
        down = alt.Y("place:Q", scale=alt.Scale(domain=[-0.6, len(shown) - 0.4], reverse=True, nice=False), axis=None)
        title = f"change relative to {short(rows[0]['control'], 24)}"
        below = alt.Axis(title=title, format="~%", tickCount=5)
        across = {end: alt.X(f"{end}:Q", axis=below) for end in ("zero", "always_low", "relative_low", "relative")}
        base = alt.Chart(inline(shown)).encode(y=down)
        words: dict[str, Any] = {"fontSize": 12, "baseline": "middle"}
        layers = [
            alt.Chart(inline([{"zero": 0}])).mark_rule(color=QUIET).encode(x=across["zero"]),
            base.mark_rule(color=PALE, strokeWidth=2).encode(x=across["always_low"], x2="always_high:Q"),
            base.mark_rule(strokeWidth=4, strokeCap="round").encode(
                x=across["relative_low"], x2="relative_high:Q", color=alt.Color("colour:N", scale=None)
            ),
            base.mark_point(filled=True, size=70, opacity=1).encode(
                x=across["relative"], color=alt.Color("colour:N", scale=None)
            ),
            base.mark_text(align="right", dx=-10, color=INK, **words).encode(x=alt.value(0), text="name:N"),
            base.mark_text(align="left", dx=10, color=QUIET, **words).encode(x=alt.value(FOREST), text="told:N"),
        ]
        left = len(table) - len(shown)
        how = "thick: interval for one analysis; thin: interval valid at every analysis; grey: not significant"
        few = f"{counted(left, 'effect')} not drawn: there is nothing that they are relative to" * bool(left)
        picture = alt.layer(*layers).properties(width=FOREST, height=LINE * len(shown) + 10)
        return picture.properties(
            title=headline(_failed(others.get("checks")) or _strongest(rows), how, few, wide=WIDE + 60)
        ).configure(**THEME)


def _named(rows: list[Row]) -> list[Row]:
    """Each effect with its place, its words, its colour, and the wide ends relative to the control."""
    several = len(groups_of(rows, "treatment")) > 1
    found = []
    for place, row in enumerate(rows):
        base = row["value_control"]
        ends = {
            end: row[end] / base if row[end] is not None and base else row[f"relative{end.removeprefix('always')}"]
            for end in ("always_low", "always_high")
        }
        name = short(row["measure"], 26) + f" · {short(row['treatment'], 16)}" * several
        colour = SIDES.get(row["outcome"], QUIET)
        found.append({**row, **ends, "place": place, "name": name, "told": _change(row), "colour": colour})
    return found


def _change(row: Row) -> str:
    return ", ".join(filter(None, (_percent(row["relative"]), _p(row["p_adjusted"]))))


def _percent(share: float) -> str:
    return f"{signed(100 * share, 2)}%"


def _p(p: float | None) -> str:
    if p is None:
        return ""
    return p_text(p)


def _failed(checks: Table | None) -> str:
    """Return a warning where the experiment fails a check: then its effects say nothing."""
    failed = failed_checks(checks)
    return f"Do not trust these effects. {failed}" if failed else ""


def _strongest(rows: list[Row]) -> str:
    """The effect that is surest, in words."""
    sure = sorted((row for row in rows if row["outcome"] in SIDES), key=lambda row: row["p_adjusted"])
    if not sure:
        return f"No difference from {short(rows[0]['control'], 24)} is shown"
    first = sure[0]
    said = f"{short(first['treatment'], 24)} is {first['outcome']} in {short(first['measure'], 24)}"
    said = f"{said} ({_percent(first['relative'])})"
    return said if len(rows) == 1 else f"{said}; {len(sure)} of {counted(len(rows), 'effect')} significant"


@chart("looks", cite="waudbysmith2024,johari2022")
class LooksOverTime(Chart):
    """Looks: what was known of an effect at the end of each day, with an interval that holds on all of them."""

    table: ClassVar[str] = "looks"
    warns: ClassVar[bool] = True

    def draw(self, table: Table) -> Picture:
        """A panel for each measure and treatment.

        The difference is a line; around it stands a band that may be read on any day, and dashed the ends for one look.
        """
        return self.draw_beside(table, {})

    def draw_beside(self, table: Table, others: Mapping[str, Table]) -> Picture:
        """Draw the same, and warn in the title where a check of the experiment fails."""
        columns = (
            *("measure", "control", "treatment", "day", "users", "difference", "low", "high"),
            *("always_low", "always_high"),
        )
        found = rows_of(table, *columns, needs=("difference", "always_low", "always_high"))
        rows = [{**row, "day": _date(row["day"])} for row in found]
        groups = groups_of([{**row, "when": _when(row["day"])} for row in rows], "measure", "treatment")
        shown = groups[:PANELS]
        panels = [_over_time(group, last=group is shown[-1], high=HIGH if len(shown) == 1 else LOW) for group in shown]
        how = "band: interval valid on every day; dashed: interval of a single analysis"
        how += "; bands are not adjusted for the number of measures" * (len(groups) > 1)
        few = f"the first {PANELS} of {len(groups)} measures and treatments" * (len(groups) > PANELS)
        picture = panels[0] if len(panels) == 1 else alt.vconcat(*panels, spacing=14)
        return picture.properties(
            title=headline(_failed(others.get("checks")) or _first_shown(groups), how, few)
        ).configure(**THEME)


def _over_time(rows: list[Row], *, last: bool, high: int) -> Any:
    """The course of one measure in one treatment; the days stand below the last panel."""
    dated = isinstance(rows[0]["day"], date)
    kind = "T" if dated else "Q" if all(isinstance(row["day"], int | float) for row in rows) else "O"
    form: dict[str, Any] = {"format": "%-d %b", "tickCount": 8} if dated else {"labelOverlap": True}
    form |= {"title": "day", "labels": True} if last else {"title": None, "labels": False}
    ends: dict[str, Any] = {} if kind == "O" else {"zero": False, "nice": False}
    x = alt.X(f"when:{kind}", scale=alt.Scale(**ends), axis=alt.Axis(grid=False, labelAngle=0, **form))
    title = f"{short(rows[0]['measure'], 26)}: {short(rows[0]['treatment'], 20)} − {short(rows[0]['control'], 20)}"
    left = alt.Axis(title=title if high == HIGH else title.split(": "), tickCount=6 if high == HIGH else 4)
    scale = alt.Scale(domain=_seen(rows), nice=False)
    y = {name: alt.Y(f"{name}:Q", scale=scale, axis=left) for name in ("always_low", "low", "high", "difference")}
    base = alt.Chart(inline(rows)).encode(x=x)
    dashed = base.mark_line(color=COLOURS[0], strokeDash=[4, 3], strokeWidth=1.2, clip=True)
    layers = [
        base.mark_area(color=COLOURS[7], opacity=0.4, clip=True).encode(y=y["always_low"], y2="always_high:Q"),
        alt.Chart(inline([{"difference": 0}])).mark_rule(color=INK).encode(y=y["difference"]),
        *(dashed.encode(y=y[end]) for end in ("low", "high")),
        base.mark_line(color=COLOURS[0], strokeWidth=2.5, point=alt.OverlayMarkDef(color=COLOURS[0])).encode(
            y=y["difference"]
        ),
    ]
    return alt.layer(*layers).properties(width=WIDE, height=high)


def _date(day: Any) -> Any:
    """A day that is written as a date is one."""
    try:
        return date.fromisoformat(day)
    except (TypeError, ValueError):
        return day


def _when(day: Any) -> Any:
    return day.isoformat() if isinstance(day, date) else day


def _seen(rows: list[Row]) -> list[float]:
    """Ends of the axis up: the first days are so wide that nothing else would be seen."""
    half = rows[len(rows) // 3 :]
    ends = [0.0, *(row[end] for row in half for end in ("always_low", "always_high"))]
    ends += [row["difference"] for row in rows]
    room = 0.08 * (max(ends) - min(ends)) or 1.0
    return [min(ends) - room, max(ends) + room]


def _first_shown(groups: list[list[Row]]) -> str:
    """Describe when 0 was first outside a band; bands are not adjusted for the number of measures."""
    found = [(rows, first) for rows in groups if (first := next(filter(_outside, rows), None)) is not None]
    if not found:
        users = max(rows[-1]["users"] for rows in groups)
        of = "the band" if len(groups) == 1 else f"all {len(groups)} bands"
        return f"After {counted(users, 'user')} 0 is inside {of}"
    _, first = min(found, key=lambda one: one[1]["users"])
    day = _when(first["day"]) if isinstance(first["day"], date | str) else f"day {first['day']}"
    when = f"first on {day}, after {counted(first['users'], 'user')}"
    if len(groups) == 1:
        return f"0 was outside the band {when}"
    return f"0 was outside {len(found)} of {len(groups)} bands, {when}: {short(first['measure'], 26)}"


def _outside(row: Row) -> bool:
    return bool(row["always_low"] > 0 or row["always_high"] < 0)


@chart("sample-ratio", cite="fabijan2019")
class Shares(Chart):
    """Sample ratio: the proportion of users in each arm, with the configured one and what chance allows."""

    table: ClassVar[str] = "arms"

    def draw(self, table: Table) -> Picture:
        """For each arm a dot at its share on a scale around what was configured; the bar is what chance allows."""
        return self.draw_beside(table, {})

    def draw_beside(self, table: Table, others: Mapping[str, Table]) -> Picture:
        """The same, with the p-value of the check."""
        rows = rows_of(table, "arm", "users", "share", "expected", needs=("share", "expected"))
        total = sum(row["users"] for row in rows)
        shown = [_gauge(row, place, total) for place, row in enumerate(rows[:MOST])]
        farthest = max(max(abs(row["off"]), row["high"]) for row in shown) * 1.15 or 0.01
        down = alt.Y("place:Q", scale=alt.Scale(domain=[-0.6, len(shown) - 0.4], reverse=True, nice=False), axis=None)
        scale = alt.Scale(domain=[-farthest, farthest], nice=False)
        below = alt.Axis(title="proportion of users − configured, in percentage points", tickCount=5, format=".2~f")
        x = {name: alt.X(f"{name}:Q", scale=scale, axis=below) for name in ("off", "low", "zero")}
        base = alt.Chart(inline(shown)).encode(y=down)
        words: dict[str, Any] = {"fontSize": 12, "baseline": "middle"}
        layers = [
            base.mark_rule(color=PALE, strokeWidth=10).encode(x=x["low"], x2="high:Q"),
            alt.Chart(inline([{"zero": 0}])).mark_rule(color=INK).encode(x=x["zero"]),
            base.mark_point(filled=True, size=90, opacity=1).encode(
                x=x["off"], color=alt.Color("colour:N", scale=None)
            ),
            base.mark_text(align="right", dx=-10, color=INK, **words).encode(x=alt.value(0), text="name:N"),
            base.mark_text(align="left", dx=10, color=QUIET, **words).encode(x=alt.value(FOREST), text="told:N"),
        ]
        how = "dot: the arm; bar: where it would be by chance in 999 of 1,000 experiments"
        title = headline(_fits(shown, _ratio_p(others.get("checks"))), how, wide=WIDE + 60)
        picture = alt.layer(*layers).properties(width=FOREST, height=LINE * len(shown) + 10)
        return picture.properties(title=title).configure(**THEME)


def _gauge(row: Row, place: int, total: int) -> Row:
    """How far an arm is from its share, in points, and how far chance would take it."""
    half = 100 * FAR * sqrt(row["expected"] * (1 - row["expected"]) / max(1, total))
    off = 100 * (row["share"] - row["expected"])
    told = f"{row['users']:,} users, {100 * row['share']:.2f}%"
    colour = COLOURS[1] if abs(off) > half else COLOURS[0]
    name = short(row["arm"], 26)
    return {"place": place, "off": off, "low": -half, "high": half, "name": name, "told": told, "colour": colour}


def _ratio_p(checks: Table | None) -> float | None:
    if checks is None:
        return None
    return next((row["p"] for row in rows_of(checks, "check", "p") if row["check"] == "sample ratio"), None)


def _fits(shown: list[Row], p: float | None) -> str:
    """Whether users are where they were to be; an arm that was to have none has no room for chance."""
    far = max(shown, key=lambda row: abs(row["off"]))
    leak = next((row for row in shown if row["off"] and not row["high"]), None)
    if leak:
        return f"{leak['name']} has users, and was to have none"
    wrong = p < ALARM if p is not None else abs(far["off"]) > far["high"]
    said = "Users are not shared out as configured" if wrong else "Users are shared out as configured"
    if not wrong and p is not None and p < DOUBT:
        said = "The shares of users are odd"
    return f"{said}: {far['name']} is {signed(far['off'], 2)} points off" + (f", {_p(p)}" if p is not None else "")
