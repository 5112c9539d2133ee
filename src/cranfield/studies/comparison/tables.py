"""Tables of a comparison: the lines of evidence and the verdict on each pair."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from cranfield.core import Provenance, Table
from cranfield.stats import Evidence, EvidenceLine, Facets, Kinds, confidence_text, line_statuses

from .text import PairNames, correction_text

SHIFT = "the difference of ESL is the Hodges–Lehmann shift of the ranks that differ, not that of the means"
SIDES = {1: "b", -1: "a", 0: "neither"}
EVIDENCE = (
    *("a", "b", "line", "measure", "n", "value_a", "value_b", "difference", "low", "high"),
    *("test", "p", "p_adjusted", "status"),
)


def evidence_table(
    evidence: Evidence, names: Sequence[PairNames], margin: float | None = None, made_by: Provenance | None = None
) -> Table:
    """One row for each pair and line of evidence, the primary measure first."""
    parts: list[dict[str, Any]] = []
    pairs = len(names)
    for line in evidence.lines:
        equivalent = evidence.within(margin) if margin is not None and line is evidence.primary else None
        parts.append(
            {"a": [pair.a for pair in names], "b": [pair.b for pair in names]}
            | {"line": [line.line] * pairs, "measure": [line.measure] * pairs, "n": line.n}
            | {"value_a": line.value_a, "value_b": line.value_b, "difference": line.difference}
            | {"low": line.low, "high": line.high, "test": [line.test] * pairs}
            | {"p": line.p, "p_adjusted": line.p_adjusted, "status": line_statuses(line, evidence.level, equivalent)}
        )
    columns = {name: np.stack([np.asarray(part[name], _kind(name)) for part in parts], 1).ravel() for name in EVIDENCE}
    return Table(columns, "evidence", made_by, evidence_notes(evidence), ends={"difference": ("low", "high")})


def _kind(column: str) -> Any:
    return object if column in ("a", "b", "line", "measure", "test", "status") else None


def evidence_notes(evidence: Evidence) -> tuple[str, ...]:
    """Return which correction belongs to which lines."""
    primary = evidence.primary
    notes = [f"{primary.measure} (primary): {correction_text(evidence)}{_confidence(primary)}"]
    if evidence.others:
        m = len(evidence.others)
        notes.append(f"the other {m} line{'s' * (m != 1)}: Bonferroni over {m}{_confidence(*evidence.others)}")
    if any(line.line == "first relevant" and line.n.any() for line in evidence.others):
        notes.append(SHIFT)
    return tuple(notes)


def _confidence(*lines: EvidenceLine) -> str:
    """Return the confidence of the intervals, "" where no line has one."""
    known = any(np.isfinite(line.low).any() for line in lines)
    return f", {confidence_text(lines[0].interval_level)} CI" if known else ""


def verdicts_table(
    evidence: Evidence,
    kinds: Kinds,
    names: Sequence[PairNames],
    sentences: Sequence[str],
    *,
    basis: str,
    facets: Facets | None,
    outcome_sentences: Sequence[str] | None,
    made_by: Provenance | None = None,
) -> Table:
    """One row for each pair: the verdict, the primary measure with its evidence, and the outcome rule."""
    primary = evidence.primary
    nothing = [None] * len(names)
    columns: dict[str, Any] = {
        "a": [pair.a for pair in names],
        "b": [pair.b for pair in names],
        "verdict": kinds,
        "by": [basis] * len(names),
        "measure": [primary.measure] * len(names),
        "n": primary.n,
        "value_a": primary.value_a,
        "value_b": primary.value_b,
        "difference": primary.difference,
        "low": primary.low,
        "high": primary.high,
        "p": primary.p,
        "p_adjusted": primary.p_adjusted,
        "detectable": evidence.detectable,
    }
    for name in ("strict", "do_no_harm", "do_no_harm_holm"):
        columns[name] = nothing if facets is None else [SIDES[side] for side in getattr(facets, name).tolist()]
    columns |= {"outcome_sentence": nothing if outcome_sentences is None else list(outcome_sentences)}
    columns |= {"sentence": list(sentences)}
    return Table(columns, f"verdicts at level {evidence.level:g}", made_by, ends={"difference": ("low", "high")})
