"""Read the log of a policy, with propensities and rewards, from files or frames."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike, fspath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield._native import Strings
from cranfield.core import ParameterError
from cranfield.data.files.columns import NAMES
from cranfield.data.files.data_source import Source, digest
from cranfield.data.files.input_problems import problem
from cranfield.data.files.rows import Rows, Wanted, check_columns, check_some, read_rows

from .cell_types import EMPTY, NO, YES
from .excluded_rows import ExcludedRows
from .impression_log import FIELDS
from .policy_log import Choices
from .row_checks import check_ranks

TARGET = "target"
WANTED = Wanted(
    "choices",
    {
        "impression": FIELDS["impression"].names,
        "rank": FIELDS["rank"].names,
        "topic": NAMES["topic"],
        "document": (*FIELDS["document"].names, "action"),
        "reward": ("reward",),
        "clicked": FIELDS["clicked"].names,
        "propensity": ("propensity", "pscore", "logging_probability", "propensity_score"),
        "user": FIELDS["user"].names,
        "model": ("model", "predicted", "expected_reward"),
    },
    (("impression", "document", "reward", "propensity", TARGET),),
)
LEAST = 1e-50  # a chance below is a slip of the hand: what is shown so rarely is never seen
ROUNDING = 1e-9  # by which a chance may be above 1
FLAGS = dict.fromkeys(YES, "1") | dict.fromkeys(NO, "0")


def read_choices(
    data: Any,
    policies: Sequence[str] = (),
    *,
    columns: Mapping[str, str] | None = None,
    ranks_from: int = 1,
    name: str | None = None,
) -> Choices:
    """What a policy showed, from a file (CSV, TSV, JSON, JSON Lines, Parquet; packed or not) or a frame.

    A row is a document that was shown: what it earned (reward, or clicked), and the chance that it was shown
    (propensity), empty where that is not known. Where pages show several, impression and rank say which belong
    together. ``policies`` are columns with the chances that others show the same; without any, target is one if it is
    there. model is what a model of rewards expects of the row; expected_POLICY, or expected, what it expects of a
    policy. ``columns`` says where else to look ({"reward": "revenue"}). ``ranks_from`` is 0 where the first document of
    an impression has rank 0.

    Any number above 0 in clicked is a click. An empty cell is no click if the column has no 0; else its impression is
    excluded.
    """
    if isinstance(data, Choices):
        return data
    name = name or (fspath(data) if isinstance(data, str | PathLike) else "log")
    chosen = [policies] if isinstance(policies, str) else list(policies)
    if len(set(chosen)) < len(chosen):
        raise ParameterError("a policy is named twice", hint="name each column once")
    wanted, named = _wanted(chosen, dict(columns or {}))
    rows = read_rows(data, name, wanted, named)
    check_columns(rows, wanted, () if "clicked" in rows.columns else ("reward",))
    check_some(rows, wanted)
    total = len(rows)
    notes: tuple[str, ...] = ()
    if "reward" not in rows.columns:
        rows, notes = _clicked_as_reward(rows)
    excluded = ExcludedRows(total).add("neither clicked nor not", {None: total - len(rows)})
    if not len(rows):
        raise problem(name, "E-EMPTY", "no row can be used: neither clicked nor not", wanted.hint)
    choices = _choices(rows, [_policy(one) for one in chosen] or [TARGET], ranks_from)
    return replace(choices, unread=excluded, notes=notes)


def _clicked_as_reward(rows: Rows) -> tuple[Rows, tuple[str, ...]]:
    """Return the rows with clicks as their reward, without impressions of which a click is not known."""
    import polars as pl

    number = _numbers(rows, "clicked", some=True)
    reward = np.where(number > 0, 1.0, np.where(number == 0, 0.0, np.nan))
    empty = np.isnan(number)
    notes: tuple[str, ...] = ()
    if empty.any() and (reward == 1).any() and not (reward == 0).any():
        reward[empty] = 0.0
        notes = (f"{int(empty.sum()):,} empty cells of clicked are read as no click: the column has no 0",)
    unknown = np.isnan(reward)
    if unknown.any() and "impression" in rows.columns:
        impression = Strings.from_arrow(rows.words("impression")).distinct()[1]
        unknown = np.isin(impression, impression[unknown])
    rows = replace(rows, columns={**rows.columns, "reward": pl.Series(reward)})
    return (rows.only(np.flatnonzero(~unknown)) if unknown.any() else rows), notes


def _policy(column: str) -> str:
    return f"policy {column}"


def _wanted(policies: Sequence[str], columns: dict[str, str]) -> tuple[Wanted, dict[str, str]]:
    """What to look for where these policies are asked for, and where it was said to be."""
    more: dict[str, tuple[str, ...]] = {} if policies else {TARGET: (TARGET, "pi_e", "target_policy")}
    for one in policies:
        more |= {_policy(one): (one.casefold(),), f"expected {one}": (f"expected_{one.casefold()}",)}
    more["expected"] = ("expected", f"expected_{TARGET}")
    return replace(WANTED, names={**WANTED.names, **more}), {**columns, **{_policy(one): one for one in policies}}


def _choices(rows: Rows, policies: Sequence[str], ranks_from: int) -> Choices:
    """Rows in order, each number checked."""
    impression, rank = _places(rows, ranks_from)
    order = np.lexsort((rank, impression))
    rows, impression, rank = rows.only(order), impression[order], rank[order]
    _check_ranks(rows, impression, rank)
    there = rows.columns
    seen = {one.removeprefix("policy "): _numbers(rows, one) for one in policies if one in there}
    expected = {one: _expected(rows, one) for one in seen}
    numbers = {own: _numbers(rows, own) for own in ("reward", "model") if own in there}
    propensity = _numbers(rows, "propensity", some=True) if "propensity" in there else None
    if propensity is not None:
        hint = "what was shown has a chance above 0 and up to 1; leave it empty where it is not known"
        _check_chances(rows, "propensity", propensity, LEAST, hint)
    for one, chances in seen.items():
        _check_chances(rows, one, chances, 0.0, "what a policy shows has a chance from 0 to 1")
    names = {own: Strings.from_arrow(rows.words(own)) for own in ("topic", "document", "user") if own in there}
    user = names.pop("user").distinct()[1].astype(np.int64) if "user" in names else None
    if user is not None and (other := np.flatnonzero((np.diff(impression) == 0) & (np.diff(user) != 0))).size:
        raise rows.refuse(int(other[0]) + 1, "E-TYPE", "an impression has two users", "an impression is of one user")
    every: list[Any] = [impression, rank, *numbers.values(), *seen.values(), *names.values()]
    every += [propensity] if propensity is not None else []
    return Choices(
        impression=impression,
        rank=rank,
        reward=numbers["reward"],
        propensity=propensity,
        policies=seen,
        model=numbers.get("model"),
        expected={one: column for one, column in expected.items() if column is not None},
        user=user,
        topic=names.get("topic"),
        document=names.get("document"),
        source=Source(rows.name, digest(*every), "log"),
        unread=ExcludedRows(len(rows)),
    )


def _check_chances(rows: Rows, what: str, chances: NDArray[np.float64], least: float, hint: str) -> None:
    """Refuse what is no chance; NaN is not known."""
    wrong = np.flatnonzero((chances < least) | (chances > 1 + ROUNDING))
    if wrong.size:
        row = int(wrong[0])
        raise rows.refuse(row, "E-TYPE", f"{what} {chances[row]:g} is no chance", hint)


def _places(rows: Rows, ranks_from: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(row,) twice: the impression, from 0 in order of appearance, and the rank."""
    number = len(rows)
    rank = rows.numbers("rank") if "rank" in rows.columns else np.ones(number)
    if "rank" in rows.columns:
        check_ranks({f"rank_{place}": int((rank == place).sum()) for place in (0, 1)}, ranks_from, rows.name)
        rank = rank + (1 - ranks_from)
    if "impression" not in rows.columns:
        if (rank != 1).any():
            hint = "add a column impression: which documents were shown together"
            raise ParameterError(f"{rows.name} has ranks, and no impressions", hint=hint)
        return np.arange(number), np.ones(number, dtype=np.int64)
    impression = Strings.from_arrow(rows.words("impression")).distinct()[1].astype(np.int64)
    if (odd := np.flatnonzero((rank < 1) | (rank != np.floor(rank)))).size:
        raise rows.refuse(int(odd[0]), "E-TYPE", f"rank {rank[odd[0]]:g} is no rank", "ranks are 1, 2, 3, …")
    return impression, rank.astype(np.int64)


def _check_ranks(rows: Rows, impression: NDArray[np.int64], rank: NDArray[np.int64]) -> None:
    """Refuse two documents at one rank, and a rank without a document above one with it."""
    first = np.flatnonzero(np.diff(impression, prepend=-1))
    place = np.arange(len(rank)) - np.repeat(first, np.diff(first, append=len(rank))) + 1
    wrong = np.flatnonzero(rank != place)
    if not wrong.size:
        return
    row = int(wrong[0])
    if rank[row] < place[row]:
        message = f"the impression has two documents at rank {rank[row]}"
        hint = "an impression has one document at each rank" if "rank" in rows.columns else "add a column rank"
        raise rows.refuse(row, "E-TYPE", message, hint)
    message = f"the impression has a document at rank {rank[row]}, and none at rank {place[row]}"
    raise rows.refuse(row, "E-TYPE", message, "give all that was shown, from rank 1 on")


def _expected(rows: Rows, policy: str) -> NDArray[np.float64] | None:
    """What a model expects of a policy, where somebody says it."""
    own = next((one for one in (f"expected {policy}", "expected") if one in rows.columns), None)
    return None if own is None else _numbers(rows, own)


def _numbers(rows: Rows, own: str, *, some: bool = False) -> NDArray[np.float64]:
    """A column of numbers, or of yes and no; ``some`` of them may be missing: NaN."""
    import polars as pl

    column = rows.columns[own]
    if column.dtype == pl.String:
        column = column.str.strip_chars().str.to_lowercase().replace(FLAGS)
    if not some:
        return replace(rows, columns={**rows.columns, own: column}).small_numbers(own)
    if column.dtype == pl.String:
        column = column.replace(dict.fromkeys(EMPTY))
    empty = column.is_null() | (column.is_nan().fill_null(value=True) if column.dtype.is_float() else False)
    kept = np.flatnonzero(~empty.to_numpy())
    found = np.full(len(column), np.nan)
    if len(kept):
        found[kept] = replace(rows.only(kept), columns={own: column.gather(kept)}).numbers(own)
    return found
