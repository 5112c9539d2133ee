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

from .cell_types import EMPTY, NO, SPELLINGS, YES
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
RANK_TWICE = "a rank twice on a page"
LOG_TWICE = "give each impression once: is the log in the file twice, or is a file given twice?"
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

    Any number above 0 in clicked is a click. An empty cell is no click if the column has no 0. Impressions with an
    invalid row are excluded, and their rows counted in ``Choices.excluded``: without a topic, rank, document, user or
    click, or with ranks that are not 1, 2, 3, ….
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
    unknown_click = np.zeros(total, dtype=bool)
    if "reward" not in rows.columns:
        rows, unknown_click, notes = _clicked_as_reward(rows)
    rows, impression, rank, excluded = _valid_impressions(rows, _ranks(rows, ranks_from), unknown_click)
    choices = _choices(rows, impression, rank, [_policy(one) for one in chosen] or [TARGET])
    return replace(choices, unread=excluded, notes=notes)


def _clicked_as_reward(rows: Rows) -> tuple[Rows, NDArray[np.bool_], tuple[str, ...]]:
    """Return the rows with clicks as their reward, where a click is not known, and notes."""
    import polars as pl

    column = rows.columns["clicked"]
    if column.dtype == pl.String:
        column = column.str.strip_chars().str.to_lowercase().replace(FLAGS).replace(dict.fromkeys(EMPTY))
    number = column.cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy()
    empty = column.is_null().to_numpy() | (np.isnan(number) & (column.dtype != pl.String))
    reward = np.where((number > 0) & (number < np.inf), 1.0, np.where(number == 0, 0.0, np.nan))
    notes: tuple[str, ...] = ()
    if empty.any() and (reward == 1).any() and not (reward == 0).any():
        reward[empty] = 0.0
        notes = (f"{int(empty.sum()):,} empty cells of clicked are read as no click: the column has no 0",)
    return replace(rows, columns={**rows.columns, "reward": pl.Series(reward)}), np.isnan(reward), notes


def _ranks(rows: Rows, ranks_from: int) -> NDArray[np.float64]:
    """Return the rank of each row, counted from 1; NaN where it is missing or not a whole number."""
    import polars as pl

    if "rank" not in rows.columns:
        return np.ones(len(rows))
    column = rows.columns["rank"]
    column = column.str.strip_chars() if column.dtype == pl.String else column
    rank = column.cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy()
    check_ranks({f"rank_{number}": int((rank == number).sum()) for number in (0, 1)}, ranks_from, rows.name)
    return np.where(rank == np.floor(rank), rank + (1 - ranks_from), np.nan)


def _valid_impressions(
    rows: Rows, rank: NDArray[np.float64], unknown_click: NDArray[np.bool_]
) -> tuple[Rows, NDArray[np.int64], NDArray[np.int64], ExcludedRows]:
    """Return the rows of valid impressions, the number of their impression, their rank, and the excluded rows.

    The reasons are those of :func:`row_checks.checked_rows`. An estimate needs whole impressions, so that all rows of
    an impression are excluded together, for the first reason that one of them has.
    """
    import polars as pl

    names = {name: _names(rows, name) for name in ("impression", "topic", "document", "user") if name in rows.columns}
    cells = pl.DataFrame({"rank": rank, "unknown_click": unknown_click}).with_columns(**names)
    if "impression" not in names:
        if (rank > 1).any():
            hint = "add a column impression: which documents were shown together"
            raise ParameterError(f"{rows.name} has ranks, and no impressions", hint=hint)
        cells = cells.with_columns(impression=pl.int_range(pl.len()).cast(pl.String))
    elif "rank" not in rows.columns and (again := _repeated(names["impression"])) is not None:
        message = "the impression has two documents at rank 1"
        raise rows.refuse(again, "E-TYPE", message, "add a column rank")
    reasons = _exclusion_reasons(cells)
    invalid = cells.select(**{str(number): test.fill_null(value=True) for number, test in enumerate(reasons.values())})
    first = np.where(invalid.to_numpy().any(axis=1), invalid.to_numpy().argmax(axis=1), len(reasons))
    own, page = pl.col("first"), pl.min("first").over("impression")
    shared = pl.when(pl.col("impression").is_null()).then(own).otherwise(page)
    first = cells.with_columns(first=first).select(shared).to_series().to_numpy()
    excluded = ExcludedRows(len(rows))
    for number, reason in enumerate(reasons):
        excluded = excluded.add(reason, {None: int((first == number).sum())})
    valid = np.flatnonzero(first == len(reasons))
    if not len(valid):
        reason = next(iter(excluded.reasons))
        message = f"no row can be used; {excluded.sentence()}"
        hint = LOG_TWICE if reason == RANK_TWICE else "look at the columns: --column WHAT=NAME"
        raise problem(rows.name, "E-EMPTY", message, hint)
    impression = Strings.from_arrow(cells["impression"].gather(valid)).distinct()[1].astype(np.int64)
    return rows.only(valid), impression, rank[valid].astype(np.int64), excluded


def _exclusion_reasons(cells: Any) -> dict[str, Any]:
    """Return a test of each reason to exclude a row, as a polars expression, in the order in which they apply."""
    import polars as pl

    rank, in_page = pl.col("rank"), [name for name in ("topic", "user") if name in cells.columns]
    reasons: dict[str, Any] = {"no impression": pl.col("impression").is_null()}
    reasons |= {"no topic": pl.col("topic").is_null()} if "topic" in cells.columns else {}
    reasons |= {"no rank": rank.is_nan(), "rank below 1": rank < 1}
    reasons |= {f"no {name}": pl.col(name).is_null() for name in ("document", "user") if name in cells.columns}
    reasons["neither clicked nor not"] = pl.col("unknown_click")
    if in_page:
        differs = pl.any_horizontal(pl.col(name).n_unique().over("impression") > 1 for name in in_page)
        reasons[f"rows of a page differ in {' or '.join(in_page)}"] = differs
    reasons[RANK_TWICE] = rank.n_unique().over("impression") < pl.len().over("impression")
    reasons["ranks that are not 1, 2, 3, …"] = rank.max().over("impression") != pl.len().over("impression")
    return reasons


def _names(rows: Rows, own: str) -> Any:
    """Return a column of names as text; null where a name is missing."""
    import polars as pl

    column = rows.columns[own]
    if column.dtype.is_float():  # whole numbers next to missing cells, as pandas stores them
        column = column.fill_nan(None)
        column = column.cast(pl.Int64) if (column.drop_nulls() % 1 == 0).all() else column
    missing = SPELLINGS if own != "topic" else ("",)  # a query may be any word
    text = column.cast(pl.String).str.strip_chars()
    known = np.flatnonzero(column.is_not_null() & ~text.is_in(missing).fill_null(value=True))
    names = replace(rows, columns={own: column}).only(known).words(own)
    return pl.Series([None] * len(column), dtype=pl.String).scatter(known, names) if len(known) < len(column) else names


def _repeated(names: Any) -> int | None:
    """Return the first row whose name a row above it has; None where each has another."""
    again = np.flatnonzero(~(names.is_first_distinct() | names.is_null()).to_numpy())
    return int(again[0]) if len(again) else None


def _policy(column: str) -> str:
    return f"policy {column}"


def _wanted(policies: Sequence[str], columns: dict[str, str]) -> tuple[Wanted, dict[str, str]]:
    """What to look for where these policies are asked for, and where it was said to be."""
    more: dict[str, tuple[str, ...]] = {} if policies else {TARGET: (TARGET, "pi_e", "target_policy")}
    for one in policies:
        more |= {_policy(one): (one.casefold(),), f"expected {one}": (f"expected_{one.casefold()}",)}
    more["expected"] = ("expected", f"expected_{TARGET}")
    return replace(WANTED, names={**WANTED.names, **more}), {**columns, **{_policy(one): one for one in policies}}


def _choices(rows: Rows, impression: NDArray[np.int64], rank: NDArray[np.int64], policies: Sequence[str]) -> Choices:
    """Return the rows of valid impressions in order, with each number checked."""
    order = np.lexsort((rank, impression))
    rows, impression, rank = rows.only(order), impression[order], rank[order]
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
    names = {own: Strings.from_arrow(_names(rows, own)) for own in ("topic", "document", "user") if own in there}
    user = names.pop("user").distinct()[1].astype(np.int64) if "user" in names else None
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
