"""Tables of the impressions, sessions and users of a log, and the values of online measures."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Provenance, Table
from cranfield.stats import LEVEL, check_level

from .online_measures import OnlineMeasure, Per, parse_online

if TYPE_CHECKING:
    from ibis.expr.types import Table as Expression

    from cranfield.data import Log

COLUMNS = ("measure", "unit", "arm", "value", "low", "high", "amount", "counted", "users")


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """The tables that measures ask: a row for each impression, session and user of a log."""

    impression: "Expression"
    session: "Expression | None"
    user: "Expression | None"
    owner: str  # what is drawn at random: users; sessions or impressions where the log knows no users


def units_of(log: "Log", measures: Sequence[OnlineMeasure]) -> Units:
    """The tables, with the columns that these measures need."""
    import ibis

    for measure in measures:
        has_dwell = {"dwell"} & log.known or {"click_time", "time"} <= log.known
        log.require(*(name for name in measure.needs if not (name == "dwell" and has_dwell)), why=str(measure))
    more = [measure.of_documents for measure in measures]
    pages = log.impressions(lambda rows: reduce(lambda made, each: made | each(rows), more, {}))
    owner = next(name for name in ("user", "session", "impression") if name in pages.columns)
    if "time" not in pages.columns:
        return Units(pages, None, None, owner)
    pages = log.engine.keep(pages)
    then = ibis.window(group_by="session", order_by=[pages.time, pages.impression])
    following = pages.topic.lead().over(then)
    pages = pages.mutate(reformulated=(following != pages.topic).fill_null(False).cast("int64"))
    sessions = _sessions(pages, measures)
    return Units(pages, sessions, _users(sessions) if owner == "user" else None, owner)


def _sessions(pages: "Expression", measures: Sequence[OnlineMeasure]) -> "Expression":
    import ibis

    last = pages.time.max()
    if "last_click" in pages.columns:
        last = ibis.greatest(last, pages.last_click.max().fill_null(last))
    made: dict[str, Any] = {"user": pages["user"].min()} if "user" in pages.columns else {}
    made |= {"arm": _only_arm(pages)} if "arm" in pages.columns else {}
    made |= {"impressions": pages.count(), "began": pages.time.min(), "ended": last, "clicks": pages.clicks.sum()}
    if "satisfied" in pages.columns:
        made["satisfied"] = pages.satisfied.sum()
    made = reduce(lambda found, measure: found | measure.of_pages(pages), measures, made)
    sessions = pages.group_by("session").aggregate(**made)
    if "user" not in sessions.columns:
        return sessions
    own = ibis.window(group_by="user", order_by=[sessions.began, sessions.session])
    return sessions.mutate(following=sessions.began.lead().over(own), place=ibis.row_number().over(own))


def _users(sessions: "Expression") -> "Expression":
    first, second = sessions.place == 0, sessions.place == 1
    made: dict[str, Any] = {"arm": _only_arm(sessions)} if "arm" in sessions.columns else {}
    made |= {"sessions": sessions.count(), "first_ended": sessions.ended.max(where=first)}
    made["second"] = sessions.began.max(where=second)
    users = sessions.group_by("user").aggregate(**made)
    return users.cross_join(sessions.aggregate(log_ended=sessions.ended.max()))


def _only_arm(rows: "Expression") -> Any:
    """Return the arm of all rows of a group, null where they have several."""
    least, most = rows["arm"].min(), rows["arm"].max()
    return (least == most).ifelse(least, None)


def values_by_user(
    log: "Log", measures: Any, *, by_arm: bool = False
) -> tuple["Expression", list[tuple[OnlineMeasure, str, str]]]:
    """A row for each user with the sums of every measure, and the columns that hold them: amount and how many count.

    Without users in the log it is a row for each session, or impression. An arm that a user was in stays beside it,
    with the number of arms (``arms_``), and the time of the first impression (``came_``). With ``by_arm`` a user has a
    row for each arm; sessions and users that were in several arms count for none of them.
    """
    asked = [measure.fitted(log) for measure in parse_online(measures)]
    units = units_of(log, asked)
    owner = units.owner
    named = [(measure, f"amount_{i}", f"counted_{i}") for i, measure in enumerate(asked)]
    parts = []
    keys = [owner, "arm"] if by_arm else [owner]
    for unit in ("impression", "session", "user"):
        table = getattr(units, unit)
        here = [one for one in named if one[0].unit == unit]
        if table is None or not (here or unit == "impression"):
            continue
        sums: dict[str, Any] = {}
        for measure, amount, counted in here:
            sums[amount] = measure.amount(table).cast("float64").sum()
            counts = measure.counts(table)
            sums[counted] = (table.count() if counts is None else counts.sum()).cast("float64")
        if unit == "impression":
            sums["sessions_"] = table.session.nunique() if "session" in table.columns else table.count()
            if "time" in table.columns:
                sums["came_"] = table.time.min()
            if "arm" in table.columns and not by_arm:
                sums |= {"arm": table.arm.min(), "arms_": table.arm.nunique()}
        parts.append(table.group_by(keys).aggregate(**sums))
    joined = reduce(lambda left, right: _joined(left, right, keys), parts)
    return _per(joined, named), named


def _joined(users: "Expression", more: "Expression", keys: Sequence[str]) -> "Expression":
    """Return the users with further sums, 0 where there are none."""
    both = users.left_join(more, keys)
    both = both.drop(*(f"{key}_right" for key in keys if f"{key}_right" in both.columns))
    return both.mutate(**{name: both[name].fill_null(0.0) for name in more.columns if name not in keys})


def _per(users: "Expression", named: Sequence[tuple[OnlineMeasure, str, str]]) -> "Expression":
    """Where a measure is asked for each session or user, these are what counts."""
    changed = {
        counted: (users.sessions_ if measure.per == "session" else 1.0 + 0 * users.sessions_).cast("float64")
        for measure, _, counted in named
        if isinstance(measure, Per) and measure.per != "impression"
    }
    return users.mutate(**changed) if changed else users


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """What leaves the engine: sums, squares and products over users, for each arm and measure."""

    arms: tuple[str, ...]
    users: NDArray[np.float64]  # (arm,)
    amount: NDArray[np.float64]  # (arm, measure)
    counted: NDArray[np.float64]
    amount2: NDArray[np.float64]
    counted2: NDArray[np.float64]
    both: NDArray[np.float64]

    @property
    def value(self) -> NDArray[np.float64]:
        """(arm, measure): the ratio of the sums; NaN where nothing counts."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(self.counted > 0, self.amount / self.counted, np.nan)

    @property
    def error(self) -> NDArray[np.float64]:
        """(arm, measure): the standard error of the value, users drawn at random: by the delta method."""
        n, value = self.users[:, np.newaxis], self.value
        # deng2018delta eq. 6, as a sum of squared residuals: amount − value · counted has mean 0 over users.
        squares = self.amount2 - 2 * value * self.both + value**2 * self.counted2
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.sqrt(np.maximum(squares, 0) * n / (n - 1)) / self.counted


def read_sums_of(log: "Log", measures: Any, *, by_arm: bool = False) -> tuple[Sums, list[OnlineMeasure], str]:
    """Sums over users, the measures, and what counts as a user."""
    users, named = values_by_user(log, measures, by_arm=by_arm)
    return sums_of(log, users, named, by_arm=by_arm)


def sums_of(
    log: "Log", users: "Expression", named: Sequence[tuple[OnlineMeasure, str, str]], *, by_arm: bool
) -> tuple[Sums, list[OnlineMeasure], str]:
    """Sums over the rows of :func:`values_by_user`, the measures, and what counts as a user."""
    asked = {"users": users.count()}
    for i, (_, amount, counted) in enumerate(named):
        a, c = users[amount], users[counted]
        asked |= {
            f"a{i}": a.sum(),
            f"c{i}": c.sum(),
            f"aa{i}": (a * a).sum(),
            f"cc{i}": (c * c).sum(),
            f"ac{i}": (a * c).sum(),
        }
    table = users.group_by("arm").aggregate(**asked).order_by("arm") if by_arm else users.aggregate(**asked)
    found = log.engine.fetch(table, repeatable=True).to_pydict()
    many = range(len(named))

    def column(name: str) -> NDArray[np.float64]:
        return np.array([found[f"{name}{i}"] for i in many], dtype=np.float64).T

    arms = tuple(found["arm"]) if by_arm else ("",)
    sums = Sums(
        arms, np.array(found["users"], dtype=np.float64), *(column(name) for name in ("a", "c", "aa", "cc", "ac"))
    )
    owner = next(name for name in ("user", "session", "impression") if name in users.columns)
    return sums, [measure for measure, *_ in named], owner


def online_table(log: "Log", measures: Any, *, by_arm: bool = False, level: float = LEVEL) -> Table:
    """The value of every measure with its interval, users drawn at random; for each arm where asked.

    ``amount`` over ``counted`` is the value; both are over all users.
    """
    from scipy.special import ndtri

    check_level(level)
    if by_arm:
        log.require("arm", why="values by arm")
    sums, asked, owner = read_sums_of(log, measures, by_arm=by_arm)
    half = float(ndtri(1 - level / 2)) * sums.error
    rows = [
        {
            "measure": str(measure),
            "unit": measure.per if isinstance(measure, Per) else measure.unit,
            "arm": arm,
            "value": sums.value[i, j],
            "low": sums.value[i, j] - half[i, j],
            "high": sums.value[i, j] + half[i, j],
            "amount": sums.amount[i, j],
            "counted": sums.counted[i, j],
            "users": int(sums.users[i]),
        }
        for j, measure in enumerate(asked)
        for i, arm in enumerate(sums.arms)
    ]
    notes = () if owner == "user" else (f"the log knows no users: {owner}s are taken to be independent",)
    made_by = Provenance(inputs=(log.source,), measures=tuple(map(str, asked)))
    caption = f"what users do, {1 - level:.0%} intervals"
    return Table.from_rows(rows, COLUMNS, caption=caption, made_by=made_by, notes=notes)
