"""Verdict of an interleaving experiment, from pairwise results with Holm-adjusted p-values."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import comb
from typing import Any

import numpy as np

from cranfield.core import ParameterError, Table, listed, stack
from cranfield.online.experiments.sample_ratio_checks import Check
from cranfield.stats import LEVEL, Holm, confidence_text, family_confidence, interval_level

from .tables import COLUMNS, Credits, interleaved_table

RESULT = (*COLUMNS[:12], "p_adjusted", *COLUMNS[12:])


def result_table(credits: Sequence[Credits], *, level: float = LEVEL, **settings: Any) -> Table:
    """Return which of two runs users prefer, corrected over all pairs: p by Holm, intervals by Bonferroni."""
    if not credits:
        raise ParameterError("no two runs share a page", hint="an interleaving has pages that two runs or more share")
    pairs = sum(comb(len(one.runs), 2) for one in credits)
    each = interval_level(level, pairs, Holm())
    table = stack([interleaved_table(one, level=each, **settings) for one in credits])
    table = replace(table, caption=f"{table.caption}, {family_confidence(level, pairs, Holm())}")
    adjusted = Holm().adjust(np.array(table.cells("p"), dtype=float))
    cells = {name: table.cells(name) for name in COLUMNS} | {"p_adjusted": adjusted.tolist()}
    return replace(table, data={name: cells[name] for name in RESULT}, ends={"delta": ("low", "high")})


def interleaved_verdict(result: Table, *, level: float = LEVEL, checks: Sequence[Check] = ()) -> dict[str, Any]:
    """Return the run that users prefer, whether that holds at one analysis and at every interim analysis, in words.

    Where a check of the log fails, ``trusted`` is False and the sentence gives the reason instead of the preference.
    """
    rows: list[dict[str, Any]] = list(result.rows())
    verdict = _of_many(rows, level) if len(rows) > 1 else _of_one(rows[0], level)
    verdict["trusted"] = all(check.passed for check in checks)
    if not verdict["trusted"]:
        verdict["sentence"] = _distrust(rows, [check for check in checks if not check.passed])
    return {name: verdict[name] for name in ("preferred", "holds", "holds_at_every_look", "trusted", "sentence")}


def _distrust(rows: Sequence[Mapping[str, Any]], failed: Sequence[Check]) -> str:
    """Return why the result should not be believed."""
    which = f"between {rows[0]['a']} and {rows[0]['b']}" if len(rows) == 1 else f"in {len(rows)} pairs of runs"
    reasons = "; ".join(check.detail or f"the log fails a check of {check.check}" for check in failed)
    return f"The preferences {which} should not be believed because {reasons}. Fix the log before reading the result."


def _of_one(row: Mapping[str, Any], level: float) -> dict[str, Any]:
    preferred = _preferred(row)
    holds, always = preferred != "neither" and row["p"] <= level, row["always_p"] <= level
    return {
        "preferred": preferred if holds else "neither",
        "holds": holds,
        "holds_at_every_look": always,
        "sentence": f"{_of_pair(row, level, holds=holds)} {_of_looks(row, holds=holds, always=always)}",
    }


def _preferred(row: Mapping[str, Any]) -> str:
    return str(row["a"] if row["delta"] > 0 else row["b"] if row["delta"] < 0 else "neither")


def _of_pair(row: Mapping[str, Any], level: float, *, holds: bool) -> str:
    a, b, users = row["a"], row["b"], row["users"]
    first, last = (a, b) if row["delta"] >= 0 else (b, a)
    most, least = sorted((row["wins_a"], row["wins_b"]), reverse=True)
    counted = f"{first} wins with {most:,} users, {last} with {least:,}, and {row['ties']:,} are for neither"
    size = f"Δ {abs(row['delta']):.3f}{_interval(row, level)}, {_p(row['p'])}, sign test"
    if holds:
        return f"Users prefer {first} to {last}: of {users:,}, {counted} ({size})."
    return f"No preference is shown between {a} and {b}: of {users:,} users, {counted} ({size})."


def _interval(row: Mapping[str, Any], level: float) -> str:
    """Return the interval of Δ, signed so that Δ is positive; "" where no user prefers a run."""
    if row["low"] is None:
        return ""
    low, high = (row["low"], row["high"]) if row["delta"] >= 0 else (-row["high"], -row["low"])
    return f", {confidence_text(level)} CI {_ends(low, high)}"


def _ends(low: float, high: float) -> str:
    return f"[{low:.3f}, {high:.3f}]".replace("-", "−")


def _of_looks(row: Mapping[str, Any], *, holds: bool, always: bool) -> str:
    """Return whether the preference also holds with interim analyses at any time."""
    bounds = f"Δ of {row['a']} lies in {_ends(row['always_low'], row['always_high'])}"
    if always:
        return f"This holds at every interim analysis (always-valid {_p(row['always_p'])}), so the test may end now."
    if holds:
        return f"This holds if a single analysis was planned. With interim analyses at any time, {bounds}."
    return f"More users may be needed. With interim analyses at any time, {bounds}."


def _of_many(rows: Sequence[Mapping[str, Any]], level: float) -> dict[str, Any]:
    """The runs that lose to none, by p-values raised for the number of pairs."""
    found = [row for row in rows if row["p_adjusted"] <= level and row["delta"]]
    beaten = {row["b"] if row["delta"] > 0 else row["a"] for row in found}
    runs = dict.fromkeys(str(run) for row in rows for run in (row["a"], row["b"]))
    winners = {_preferred(row) for row in found} - beaten
    leading = [run for run in runs if run in winners]
    shown = f"Users prefer one run to the other in {len(found)} of {len(rows)} pairs (sign test, Holm)"
    best = f"; {listed(leading)} {'wins and loses' if len(leading) == 1 else 'win and lose'} to none" if leading else ""
    always = [row for row in found if row["always_p"] <= level / len(rows)]
    looks = f" At every interim analysis, {len(always)} of them hold." if found else ""
    return {
        "preferred": leading[0] if len(leading) == 1 else "neither",
        "holds": bool(found),
        "holds_at_every_look": bool(found) and len(always) == len(found),
        "sentence": f"{shown}{best}.{looks}",
    }


def _p(p: float) -> str:
    return f"p = {p:.2g}" if p >= 1e-4 else "p < 0.0001"
