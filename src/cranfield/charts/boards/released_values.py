"""Chart of the values on private topics released to each team, with the true values."""

from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

from cranfield.charts.base import Chart, Picture, chart, inline
from cranfield.charts.chart_text import WIDE, counted, groups_of, headline, rows_of, short
from cranfield.charts.label_placement import Axis
from cranfield.charts.theme import COLOURS, INK, QUIET, THEME
from cranfield.core import Table, need

if TYPE_CHECKING:
    import altair as alt
else:
    alt = need("altair", extra="charts")

TEAMS = 6  # have a panel of their own: those with the most submissions
HIGH = 110
TICKS = 10


@chart("released", cite="blum2015ladder")
class Told(Chart):
    """Private values told: the true value of every submission, and the line of what its team saw; for the organiser."""

    table: ClassVar[str] = "released"

    def draw(self, table: Table) -> Picture:
        """A panel for each team: dots are true, filled where the number was new; the line is what the team saw."""
        rows = rows_of(table, "run", "group", "order", "value", "released", "step", needs=("value",))
        teams = groups_of(rows, "group")
        shown = sorted(teams, key=lambda team: -len(team))[:TEAMS]
        seen = [cell for team in shown for row in team for cell in (row["value"], row["released"]) if cell is not None]
        up = Axis.around(seen, HIGH, flip=any(_falls(team) for team in teams))
        most = max(len(team) for team in shown)
        panels = [_panel(team, up, most, last=team is shown[-1]) for team in shown]
        new, any_told = sum(bool(row["step"]) for row in rows), any(row["released"] is not None for row in rows)
        who = f"{counted(len(rows), 'submission')} of {counted(len(teams), 'team')}"
        finding = f"{who}: {counted(new, 'value')} released" if any_told else f"{who}: nothing was released"
        told = [
            "line: what the team saw" * any_told,
            "dot: the true value on private topics" + ", filled where it was released" * any_told,
            f"the {TEAMS} teams with the most submissions" * (len(teams) > TEAMS),
        ]
        return alt.vconcat(*panels, spacing=10).properties(title=headline(finding, *told)).configure(**THEME)


def _falls(team: list[dict[str, Any]]) -> bool:
    """Whether a number became smaller when it was released: there less is better, and the axis is turned."""
    new = [row["value"] for row in team if row["step"]]
    numbers = [row["released"] for row in team]
    plain = len(new) == len(team)
    return not plain and None not in numbers and any(later < before for before, later in pairwise(new))


def _panel(team: list[dict[str, Any]], up: Axis, most: int, *, last: bool) -> Any:
    ticks = list(range(1, most + 1, -(-most // TICKS)))
    below = alt.Axis(
        title="submissions of the team" if last else None, grid=False, values=ticks, format="d", labels=last
    )
    x = alt.X("order:Q", scale=alt.Scale(domain=[0.5, most + 0.5], nice=False, zero=False), axis=below)
    y: dict[str, Any] = {"scale": up.scale, "axis": alt.Axis(title="value", tickCount=4)}
    dots = alt.Chart(inline([{name: row[name] for name in ("run", "order", "value", "step")} for row in team]))
    fill = alt.condition("datum.step", alt.value(COLOURS[1]), alt.value("white"))
    mark = dots.mark_point(shape="circle", size=46, opacity=1, stroke=COLOURS[1], strokeWidth=1.6)
    layers = [mark.encode(x=x, y=alt.Y("value:Q", **y), fill=fill)]
    saw = [{"order": row["order"], "released": row["released"]} for row in team if row["released"] is not None]
    if saw:
        saw.append({**saw[-1], "order": saw[-1]["order"] + 0.4})
        line = alt.Chart(inline(saw)).mark_line(interpolate="step-after", color=INK, strokeWidth=1.4)
        layers.insert(0, line.encode(x=x, y=alt.Y("released:Q", **y)))
    name = "" if team[0]["group"] is None else short(str(team[0]["group"]))
    title = alt.TitleParams(name, fontSize=12, fontWeight="normal", color=QUIET, offset=4)
    return alt.layer(*layers).properties(width=WIDE, height=HIGH, title=title)
