"""Charts of interleaving: preferences between runs, and power by number of impressions."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from cranfield.charts.base import Chart, Picture, chart, inline
from cranfield.charts.chart_text import (
    WIDE,
    counted,
    failed_checks,
    groups_of,
    headline,
    number,
    p_text,
    rows_of,
    short,
    signed,
)
from cranfield.charts.label_placement import Axis
from cranfield.charts.theme import COLOURS, DASHES, INK, PALE, QUIET, THEME
from cranfield.core import Table, need
from cranfield.stats import HARDLY_LUCK

if TYPE_CHECKING:
    import altair as alt
else:
    alt = need("altair", extra="charts")

Row = dict[str, Any]

MOST = 30  # pairs that are drawn
STEP = 26  # points from one to the next
NAME = 18  # letters of a run
HIGH = 260
WANTED = 0.8  # the power at which methods are compared
AB, BIASED = "A/B", "balanced"  # what is no interleaving; and one that may favour a run
STANDS = {"every": COLOURS[0], "one": COLOURS[6], "none": QUIET}  # holds at every look, at one look, not at all


@chart("interleaved", cite="chapelle2012,waudbysmith2024")
class Preferred(Chart):
    """Preferences: the proportion of users that one run of a pair wins, minus one half, with its intervals."""

    table: ClassVar[str] = "result"
    warns: ClassVar[bool] = True

    def draw(self, table: Table) -> Picture:
        """A dot for each pair, the preferred run first; thick the interval of one look, thin that of every look."""
        return self.draw_beside(table, {})

    def draw_beside(self, table: Table, others: Mapping[str, Table]) -> Picture:
        """Draw the same, and name no preference in the title where a check of the log fails."""
        columns = ("a", "b", "users", "delta", "low", "high", "p_adjusted", "always_low", "always_high")
        rows = sorted(map(_turned, rows_of(table, *columns, needs=("delta", "low", "high"))), key=lambda r: -r["delta"])
        shown = rows[:MOST]
        ends = [row[end] for row in shown for end in ("low", "high", "always_low", "always_high")]
        across = Axis.around([0.0, *ends], WIDE)
        below = alt.Axis(title="Δ: proportion of users that it wins, minus one half", format=".2f", tickCount=7)
        order = [row["pair"] for row in shown]
        left = alt.Axis(title=None, grid=False, ticks=False, domain=False, labelLimit=300, labelPadding=8)
        y = alt.Y("pair:N", scale=alt.Scale(domain=order, padding=0.4), axis=left)
        x = {name: alt.X(f"{name}:Q", scale=across.scale, axis=below) for name in ("delta", "low", "always_low")}
        colour = alt.Color("stands:N", scale=alt.Scale(domain=list(STANDS), range=[*STANDS.values()]), legend=None)
        base = alt.Chart(inline(shown)).encode(y=y, color=colour)
        zero = alt.Chart(inline([{"delta": 0}])).mark_rule(color=INK, strokeWidth=1)
        layers = [
            zero.encode(x=x["delta"]),
            base.mark_rule(strokeWidth=1.5).encode(x=x["always_low"], x2="always_high:Q"),
            base.mark_rule(strokeWidth=5).encode(x=x["low"], x2="high:Q"),
            base.mark_point(filled=True, size=80, opacity=1, stroke="white", strokeWidth=1.5).encode(x=x["delta"]),
        ]
        how = "dot: Δ of the run named first; thick: interval for one analysis; thin: interval valid at every analysis"
        how += f"; intervals are Bonferroni-adjusted for {len(table):,} pairs" * (len(table) > 1)
        few = f"the first {MOST} of {counted(len(rows), 'pair')}" * (len(rows) > MOST)
        failed = failed_checks(others.get("checks"))
        warning = f"Do not trust these preferences. {failed}" if failed else ""
        title = headline(warning or _found(rows), how, few, wide=WIDE + 120)
        return alt.layer(*layers).properties(title=title, width=WIDE, height=alt.Step(STEP)).configure(**THEME)


def _turned(row: Row) -> Row:
    """The pair with the preferred run first, and whether that holds."""
    turn = row["delta"] < 0
    first, second = (row["b"], row["a"]) if turn else (row["a"], row["b"])
    ends = {name: row[name] for name in ("low", "high", "always_low", "always_high")}
    if turn:
        ends = {low: -row[high] for low, high in zip(ends, ("high", "low", "always_high", "always_low"), strict=True)}
    stands = "every" if ends["always_low"] > 0 else "one" if ends["low"] > 0 else "none"
    named = {"first": first, "second": second, "pair": f"{short(first, NAME)} over {short(second, NAME)}"}
    return row | ends | named | {"delta": abs(row["delta"]), "stands": stands}


def _found(rows: list[Row]) -> str:
    """Describe the preferences with their adjusted p; the table has no level, so nothing is called significant."""
    if len(rows) == 1:
        (row,) = rows
        size = f"Δ {signed(row['delta'])} of {counted(row['users'], 'user')}"
        p = "" if row["p_adjusted"] is None else f", sign test {p_text(row['p_adjusted'])}"
        return f"{short(row['first'])} over {short(row['second'])}: {size}{p}"
    known = [row for row in rows if row["p_adjusted"] is not None]
    said = f"Preferences of users in {counted(len(rows), 'pair')} of runs"
    if not known:
        return said
    surest = min(known, key=lambda row: row["p_adjusted"])
    smallest = f"{short(surest['first'], NAME)} over {short(surest['second'], NAME)}"
    return f"{said}; smallest p: {smallest}, {p_text(surest['p_adjusted'])} (sign test, Holm)"


@chart("sensitivity", cite="chapelle2012,hofmann2013fidelity")
class Sensitivity(Chart):
    """Power over impressions: how often each method finds the better run, by how many pages are shown."""

    table: ClassVar[str] = "power_curve"
    instead: ClassVar[str] = "sensitivity"

    def draw(self, table: Table) -> Picture:
        """A line for each interleaving, and a dashed one for each measure of an A/B test."""
        columns = ("method", "measure", "difference", "error", "better", "power", "impressions")
        rows = rows_of(table, *columns, needs=("power", "impressions"))
        for row in rows:
            row["name"] = row["method"] if row["method"] != AB else f"A/B test on {row['measure']}"
        lines = sorted(groups_of(rows, "name"), key=_needed)
        names = [mine[0]["name"] for mine in lines]
        across = Axis.around([max(row["impressions"], 1) for row in rows], WIDE, log=True)
        below = alt.Axis(title="impressions", format="~s", tickCount=6, grid=False)
        colours = [COLOURS[i % len(COLOURS)] for i in range(len(names))]
        dashes = [DASHES[1] if mine[0]["method"] == AB else DASHES[0] for mine in lines]
        legend = alt.Legend(title=None, symbolSize=500, labelLimit=260)
        x = alt.X("impressions:Q", scale=across.scale, axis=below)
        y = alt.Y("power:Q", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(title="power", format="~%", tickCount=5))
        line = alt.Chart(inline(rows)).mark_line(strokeWidth=2, interpolate="monotone")
        wanted = alt.Chart(inline([{"power": WANTED}])).mark_rule(color=PALE, strokeDash=[4, 3])
        layers = [
            wanted.encode(y=y),
            line.encode(
                x=x,
                y=y,
                color=alt.Color("name:N", scale=alt.Scale(domain=names, range=colours), legend=legend),
                strokeDash=alt.StrokeDash("name:N", scale=alt.Scale(domain=names, range=dashes), legend=legend),
            ),
        ]
        how = "how often the better run is found out; solid: interleavings, dashed: an A/B test on the same users"
        title = headline(_fewest(lines), how, wide=WIDE + 160)
        return alt.layer(*layers).properties(title=title, width=WIDE, height=HIGH).configure(**THEME)


def _needed(line: list[Row]) -> float:
    """Impressions for the power at which methods are compared."""
    return float(min(line, key=lambda row: (abs(row["power"] - WANTED), row["impressions"]))["impressions"])


def _fewest(lines: list[list[Row]]) -> str:
    """The fair interleaving and the A/B test that need fewest."""
    lines = [line for line in lines if line[0]["method"] != BIASED] or lines
    sides = [[line for line in lines if (line[0]["method"] == AB) is ab] for ab in (False, True)]
    named = [f"{side[0][0]['name']} takes {number(_needed(side[0]))}{_doubt(side[0][0])}" for side in sides if side]
    better = short(lines[0][0]["better"])
    return f"Impressions until {better} is found better with a power of .8: {', '.join(named)}"


def _doubt(row: Row) -> str:
    """A word of caution where simulated users may have seen no difference but for luck."""
    return " (it may be luck)" if abs(row["difference"]) < HARDLY_LUCK * row["error"] else ""
