"""Users of an experiment, one row each, from files, frames or engine tables."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from cranfield.core import Input, ParameterError
from cranfield.data.files.input_problems import listed, problem

from .cell_types import NO, YES, as_flag, as_name, as_word
from .excluded_rows import ExcludedRows
from .impression_log import FIELDS, NEEDED, Log
from .log_files import digest_of, open_rows, read_log
from .query_engines import Engine, connect

if TYPE_CHECKING:
    from ibis.expr.types import Table as Expression

ROLES = {
    "arm": (*FIELDS["arm"].names, "version", "group"),
    "user": FIELDS["user"].names,
    "day": ("day", "first_day", *FIELDS["time"].names),
}
OF_LOG = ("impression", "rank", "document", "clicked")  # columns that a table of users does not have
MIN_OF_LOG = 2  # of them, from which on a table is a log
MEANS = {"arm": "what each user was shown", "user": "who it is", "day": "when each user came"}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Users:
    """Users of an experiment on an engine: a row for each, with an arm, numbers, and a name and a day where known."""

    rows: "Expression"
    engine: Engine
    source: Input
    numbers: tuple[str, ...]  # columns
    excluded: ExcludedRows
    words: Mapping[str, str] = field(default_factory=dict)  # columns that hold none, and what they hold instead
    notes: tuple[str, ...] = ()

    @property
    def known(self) -> frozenset[str]:
        """The columns that are there."""
        return frozenset(self.rows.columns)

    def __repr__(self) -> str:
        return f"Users({self.source.name!r} on {self.engine}: {', '.join(self.rows.columns)})"


def read_experiment(
    data: Any,
    *,
    columns: Mapping[str, str] | None = None,
    ranks_from: int = 1,
    engine: Any = None,
    name: str | None = None,
) -> Log | Users:
    """What an experiment left: a log of events where every column of one is there, else one row for each user.

    Files are Parquet, CSV, TSV or JSON Lines. ``columns`` says under which names arm, user, day or the columns of a log
    stand, where these do not say it themselves. ``ranks_from`` is 0 where the ranks of a log start at 0. A column of 1
    and empty cells is read as 1 and 0.
    """
    if isinstance(data, Log | Users):
        return data
    asked = connect(engine)
    name = name or (fspath(data) if isinstance(data, str | PathLike) else "users")
    table, text = open_rows(asked, data, name)
    given = dict(columns or {})
    if _is_log(table.columns, given):
        return read_log(data, columns=given, ranks_from=ranks_from, engine=asked, name=name)
    named = _named(table, given, name)
    _refuse_log(asked, table, named, given, name)
    rows, numbers, words = _typed(asked, named)
    rows = asked.keep(rows) if text else rows
    excluded = _without_arm(asked, rows)
    if not excluded.total:
        raise problem(name, "E-EMPTY", "there are no users", "is it the right file?")
    rows, notes = _filled_flags(asked, rows, numbers)
    return Users(rows, asked, Input(name, digest_of(data), "users"), numbers, excluded, words, notes)


def _filled_flags(engine: Engine, rows: "Expression", numbers: Sequence[str]) -> tuple["Expression", tuple[str, ...]]:
    """Read empty cells as 0 in columns that hold 1 and nothing else: the rule of ``clicked`` in a log."""
    asked: dict[str, Any] = {}
    for place, name in enumerate(numbers):
        asked |= {
            f"known_{place}": rows[name].count(),
            f"low_{place}": rows[name].min(),
            f"high_{place}": rows[name].max(),
        }
    found = engine.fetch(rows.aggregate(users=rows.count(), **asked)).to_pylist()[0]
    empty = {
        name: found["users"] - found[f"known_{place}"]
        for place, name in enumerate(numbers)
        if found[f"low_{place}"] == found[f"high_{place}"] == 1 and found[f"known_{place}"] < found["users"]
    }
    if not empty:
        return rows, ()
    rows = rows.mutate(**{name: rows[name].fill_null(0.0) for name in empty})
    return rows, tuple(
        f"{count:,} empty cells of {name} are read as 0: the column has no 0" for name, count in empty.items()
    )


def _without_arm(engine: Engine, rows: "Expression") -> ExcludedRows:
    """Count the users of each arm, and exclude those without one."""
    counted = rows.group_by("arm").aggregate(users=rows.count())
    users = {row["arm"]: row["users"] for row in engine.fetch(counted).to_pylist()}
    arms = {arm: count for arm, count in users.items() if arm is not None}
    excluded = ExcludedRows(sum(users.values()), arm_totals=arms)
    return excluded.add("no arm", {None: users[None]}) if None in users else excluded


def _is_log(columns: Iterable[str], given: Mapping[str, str]) -> bool:
    there = {column.casefold() for column in columns}
    return all(name in given or there & set(FIELDS[name].names) for name in NEEDED)


def _refuse_log(engine: Engine, table: "Expression", named: "Expression", given: Mapping[str, str], name: str) -> None:
    """Refuse a log that lacks a column: two columns that only a log has, and no user who has one row alone.

    ``clicks`` is no such column: it may count the clicks of a user.
    """
    folded = {column.casefold(): column for column in reversed(table.columns)}
    taken = set(given.values())
    columns = {
        ours: next((folded[one] for one in FIELDS[ours].names if one in folded and folded[one] not in taken), None)
        for ours in NEEDED
    }
    of_log = [column for ours in OF_LOG if (column := columns[ours]) and column.casefold() != "clicks"]
    missing = [ours for ours in NEEDED if columns[ours] is None]
    if len(of_log) < MIN_OF_LOG or not missing:
        return
    if "user" in named.columns:
        (found,) = engine.fetch(named.aggregate(rows=named.count(), users=named["user"].nunique())).to_pylist()
        if found["users"] == found["rows"]:
            return
    message = f"this is a log, with columns {listed(of_log)}, but there is no column for {missing[0]}"
    hint = (
        f"add a column {missing[0]} ({FIELDS[missing[0]].means}); a table of users has a column user, and one row each"
    )
    raise problem(name, "E-COLUMNS", message, hint)


def _named(table: "Expression", given: Mapping[str, str], name: str) -> "Expression":
    """The same columns, those of arm, user and day under these names."""
    for role, column in given.items():
        if role not in ROLES:
            raise ParameterError(f"a table of users has no {role}", hint=f"it has: {', '.join(ROLES)}, and measures")
        if column not in table.columns:
            raise problem(name, "E-COLUMNS", f"there is no column {column}", f"there are: {_some(table.columns)}")
    folded = {column.casefold(): column for column in reversed(table.columns)}
    found = {
        role: given.get(role) or next((folded[one] for one in names if one in folded), None)
        for role, names in ROLES.items()
    }
    if found["arm"] is None:
        hint = f"say which column holds {MEANS['arm']}; there are: {_some(table.columns)}"
        raise problem(name, "E-COLUMNS", "there is no column for the arm", hint)
    roles = {role: column for role, column in found.items() if column}
    taken = set(roles.values())
    others = [column for column in table.columns if column not in taken and column not in roles]
    return table.select(
        **{role: table[column] for role, column in roles.items()}, **{one: table[one] for one in others}
    )


def _typed(engine: Engine, table: "Expression") -> tuple["Expression", tuple[str, ...], dict[str, str]]:
    """Numbers as numbers, flags as 0 and 1, whatever they are written in; the columns that hold them, and others."""
    texts = [name for name in table.columns if table[name].type().is_string() and name not in ("arm", "user")]
    looks, words = _written(engine, table, texts)
    made: dict[str, Any] = {"arm": as_name(table["arm"])}
    if "user" in table.columns:
        made["user"] = as_name(table["user"])
    if "day" in table.columns:
        made["day"] = _day(table["day"], looks.get("day", ""))
    for name in table.columns:
        column: Any = table[name]
        if name in made:
            continue
        if looks.get(name) == "number" or column.type().is_numeric():
            made[name] = column.try_cast("float64") if name in looks else column.cast("float64")
        elif looks.get(name) == "flag" or column.type().is_boolean():
            made[name] = as_flag(column, text=name in looks).cast("float64")
    numbers = tuple(name for name in made if name not in ROLES)
    return table.select(**made), numbers, {name: told for name, told in words.items() if name not in made}


def _written(engine: Engine, table: "Expression", texts: list[str]) -> tuple[dict[str, str], dict[str, str]]:
    """What each column of text holds: numbers, flags, or words; and of those with words how many cells have some."""
    asked: dict[str, Any] = {}
    for place, name in enumerate(texts):
        cell: Any = table[name].nullif("")
        asked |= {f"all_{place}": cell.count(), f"number_{place}": cell.try_cast("float64").count()}
        asked[f"flag_{place}"] = as_word(cell).isin((*YES, *NO)).cast("int64").sum()
    if not asked:
        return {}, {}
    found = engine.fetch(table.aggregate(**asked)).to_pylist()[0]
    kinds, words = {}, {}
    for place, name in enumerate(texts):
        same = [kind for kind in ("number", "flag") if found[f"{kind}_{place}"] == found[f"all_{place}"] > 0]
        kinds[name] = same[0] if same else "word"
        if not same:
            cells = found[f"all_{place}"]
            none = cells - found[f"number_{place}"]
            words[name] = "no cell is a number" if none == cells else f"{none:,} of {cells:,} cells are no number"
    return kinds, words


def _day(column: Any, written: str) -> Any:
    """A date where it is one, else what orders the days: a number, or words such as 2024-03-01."""
    if column.type().is_temporal():
        return column.date() if column.type().is_timestamp() else column
    return column.try_cast("float64") if written == "number" else column


def _some(columns: Iterable[str]) -> str:
    return listed(columns, most=12)
