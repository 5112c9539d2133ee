"""Requirements that a comparison must meet, for gates in scripts and continuous integration."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import floor, isfinite, log10, nan
from typing import Any

import numpy as np

from cranfield.core import ParameterError, Provenance, Table
from cranfield.data import Values
from cranfield.stats import Asked, Basis, Evidence, EvidenceLine, Facets, Kinds, Pairs, TInterval
from cranfield.studies.statistics_text import interval_text, p_text, signed, topics_text

from .text import NOTHING_RELEVANT, PairNames, correction_text, detectable_clause, facet_details

VERDICTS = ("better", "strict", "not-worse", "no-harm")
THRESHOLDS = ("min", "max-drop")
RULES = (*VERDICTS, *THRESHOLDS)
COLUMNS = ("a", "b", "requirement", "met", "why")
USUAL_MARGIN = 0.05  # of the baseline's mean, suggested where no margin is given
ROUNDING = 1e-9  # by which a mean may miss a threshold because decimal fractions are not exact


@dataclass(frozen=True, slots=True)
class Requirement:
    """A rule that run b must meet: ``better``, ``no-harm``, ``min nDCG@10 0.4``."""

    rule: str
    measure: str = ""
    value: float = 0.0

    def __str__(self) -> str:
        return f"{self.rule} {self.measure} {self.value:g}" if self.rule in THRESHOLDS else self.rule


@dataclass(frozen=True, slots=True)
class Ruling:
    """Whether one pair meets a requirement; ``met`` is None where the evidence is inconclusive."""

    names: PairNames
    requirement: Requirement
    met: bool | None
    why: str


def parse_requirement(text: str | Requirement) -> Requirement:
    """Read a requirement such as ``no-harm`` or ``min nDCG@10 0.4``."""
    if isinstance(text, Requirement):
        return text
    rule, _, rest = text.strip().partition(" ")
    if rule in VERDICTS and not rest.strip():
        return Requirement(rule)
    if rule in THRESHOLDS and (found := re.fullmatch(r"(.+?)[\s=]+(\S+)", rest.strip())):
        try:
            value = float(found[2])
        except ValueError:
            value = nan
        if not isfinite(value):
            hint = f"for example: {rule} nDCG@10 0.02"
            raise ParameterError(f"{found[2]!r} is not a finite number, in the requirement {text!r}", hint=hint)
        return Requirement(rule, found[1], value)
    if rule in THRESHOLDS:
        raise ParameterError(f"{text!r} needs a measure and a number", hint=f'for example: "{rule} nDCG@10 0.02"')
    raise ParameterError(f"{text!r} is not a requirement", hint=f"choose one of: {', '.join(RULES)}")


@dataclass(frozen=True, eq=False, kw_only=True)
class Gate:
    """Everything that requirements are checked against: the evidence on every pair and the verdicts."""

    values: Values
    chosen: Sequence[tuple[int, int]]
    names: Sequence[PairNames]
    evidence: Evidence
    kinds: Kinds
    facets: Facets | None
    basis: Basis
    margins: Mapping[str, float]  # by line: the primary measure, other measures, answered, ranking
    harm: Table | None  # non-inferiority tests of the margins other than that of the primary measure
    first: Pairs | None = None  # ranks of the first relevant documents, which the facets compare

    def check(self, requirements: Iterable[Requirement]) -> tuple[Ruling, ...]:
        """Return a ruling on every pair for every requirement."""
        rules: dict[str, Any] = {
            "better": self._better,
            "strict": self._strict,
            "no-harm": self._no_harm,
            "not-worse": self._not_worse,
        }
        rulings = []
        for requirement in requirements:
            for pair, names in enumerate(self.names):
                if requirement.rule in THRESHOLDS:
                    met, why = self._threshold(requirement, pair)
                else:
                    met, why = rules[requirement.rule](pair)
                rulings.append(Ruling(names, requirement, met, why))
        return tuple(rulings)

    def _better(self, pair: int) -> tuple[bool | None, str]:
        kind, names = str(self.kinds[pair]), self.names[pair]
        passed = {"better": True, "inconclusive": None}.get(kind, False)
        return passed, f"{_verdict_text(kind, names)} ({self._basis(pair)})"

    def _strict(self, pair: int) -> tuple[bool | None, str]:
        met, why = self._better(pair)
        if self.facets is None:
            return None, "strict needs judgments and runs, or values of RR: the outcomes of topics are not known"
        answered, ranking = (int(facet.better[pair]) for facet in (self.facets.answered, self.facets.ranking))
        facets = f"topics answered {p_text(float(self.facets.answered.p[pair]))}, "
        facets += f"{self.facets.ranking_by} where both answer {p_text(float(self.facets.ranking.p[pair]))}"
        if met is not True:
            return met, why
        if (answered, ranking) == (1, 1):
            return True, f"{why}; both facets are better: {facets}"
        harmed = answered == -1 or ranking not in (0, 1)
        return (False if harmed else None), f"{why}, but not in both facets: {facets}"

    def _no_harm(self, pair: int) -> tuple[bool | None, str]:
        names, level = self.names[pair], self.evidence.level
        if self.basis == "outcomes" and self.facets is not None:
            ranking = f"{self.facets.ranking_by} where both answer"
            facets = (("topics answered", self.facets.answered), (ranking, self.facets.ranking))
            worse = [what for what, facet in facets if int(facet.better_holm[pair]) not in (0, 1)]
            if worse:
                return False, f"{names.b} is significantly worse than {names.a} in {' and '.join(worse)}"
        primary = self.evidence.primary
        chance = float(self.evidence.worse_p[pair])
        if chance <= level:
            corrected = f", {correction_text(self.evidence)}" if len(self.names) > 1 else ""
            details = f"{signed(primary.difference[pair])}, one-sided {p_text(chance)}{corrected}"
            return False, f"{names.b} is worse than {names.a} on {primary.measure} ({details})"
        others = zip(self.evidence.others, self.evidence.statuses[1:, pair].tolist(), strict=True)
        worse = [_line_name(line) for line, status in others if status < 0]
        if worse:
            return False, f"{names.b} is significantly worse than {names.a} in {', '.join(worse)}"
        if self.evidence.has_nothing_relevant(pair):
            return None, f"{names.b} and {names.a} cannot be compared ({self._primary(pair)})"
        if self.evidence.has_constant_difference(pair) and primary.toward[pair] < 0:  # a loss in every topic
            few = f"too few to show harm: {topics_text(int(primary.n[pair]))}"
            return None, f"{names.b} may or may not be worse than {names.a} ({self._primary(pair)}, {few})"
        reason = f"{names.b} is not significantly worse than {names.a} on {primary.measure} ({self._primary(pair)})"
        return True, "; ".join(filter(None, [reason, detectable_clause(self.evidence, pair)]))

    def _not_worse(self, pair: int) -> tuple[bool | None, str]:
        primary, names = self.evidence.primary, self.names[pair]
        if primary.measure not in self.margins:
            base = float(primary.value_a[pair])
            hint = "for example --margin 0.01"
            if base:
                hint = f"for example --margin {suggest_margin(abs(base)):g}, 5% of the value of {names.a} ({base:.3g})"
            raise ParameterError(f"not-worse needs a margin for {primary.measure}", hint=hint)
        rulings: list[bool | None] = []
        reasons = []
        for name, margin in self.margins.items():
            if name == primary.measure:
                low, high = (float(end[pair]) * primary.sign for end in self.evidence.one_sided)
                low, high = min(low, high), max(low, high)
                rulings.append(True if low > -margin else False if high < -margin else None)
                if not isfinite(low):
                    reasons.append(f"{self._primary(pair)}, no interval against a margin of {margin:g}")
                    continue
                ends = interval_text(low, high, confidence=2 * primary.interval_level)
                reason = f"{name}: gain {ends} against a margin of {margin:g}"
                reasons.append(reason if rulings[-1] is not None else f"{reason}; {self._topics_needed(pair, margin)}")
            elif self.harm is not None:
                row = next(r for r in self.harm.rows() if (r["a"], r["b"], r["facet"]) == (names.a, names.b, name))
                rulings.append(True if row["shown"] else None)
                chance = nan if row["p"] is None else float(str(row["p"]))
                reasons.append(f"{name}: margin {margin:g}, {p_text(chance)}")
        overall = False if False in rulings else None if None in rulings else True
        what = {True: "is not worse", False: "is worse", None: "may or may not be worse"}[overall]
        return overall, f"{names.b} {what} than {names.a} by the margin ({'; '.join(reasons)})"

    def _topics_needed(self, pair: int, margin: float) -> str:
        """Return how many topics a run without any true difference needs to pass with 80% power."""
        needed = self.evidence.topics_to_pass(margin)[pair]
        if not isfinite(needed):
            return "no spread to estimate the topics needed"
        return f"an unchanged run would need about {topics_text(int(needed))} to pass"

    def _threshold(self, requirement: Requirement, pair: int) -> tuple[bool | None, str]:
        try:
            measure = self.values.measures[self.values.index(requirement.measure)]
        except ParameterError:
            hint = f"add it to the measures that are compared: {requirement.measure}"
            raise ParameterError(f"{requirement.measure} has no values, in the requirement", hint=hint) from None
        line = next(line for line in self.evidence.lines if line.line == "measure" and line.measure == str(measure))
        names = self.names[pair]
        if requirement.rule == "min":
            column = self.values.matrix(measure)[:, [self.chosen[pair][1]]]
            low, high = TInterval().around(column, Asked(level=self.evidence.level))
            value = float(np.nanmean(column))
            ends = interval_text(float(low[0]), float(high[0]), confidence=self.evidence.level)
            return value >= requirement.value - ROUNDING, f"{measure} of {names.b} is {value:.4g}, {ends}"
        drop = -line.sign * float(line.value_b[pair] - line.value_a[pair])
        change = signed(float(line.value_b[pair] - line.value_a[pair]))
        why = f"{measure} changes by {change} from {names.a} to {names.b}"
        limits = [float(end[pair]) for end in (line.low, line.high)]
        if all(map(isfinite, limits)):
            why += f", {interval_text(*limits, confidence=line.interval_level)}"
        met = drop <= requirement.value + ROUNDING
        if met and not drop and self.values.without_relevant[self.values.index(requirement.measure)].all():
            return None, f"{why}; {NOTHING_RELEVANT}"
        return met, why

    def _basis(self, pair: int) -> str:
        """Return the numbers on which the verdict is based."""
        if self.basis == "outcomes" and self.facets is not None and self.first is not None:
            topics, shared = len(self.first.values), int(self.first.topics[pair])
            return facet_details(self.facets, pair, topics=topics, shared=shared)
        return self._primary(pair)

    def _primary(self, pair: int) -> str:
        line = self.evidence.primary
        if self.evidence.has_nothing_relevant(pair):
            return f"{line.measure}: {NOTHING_RELEVANT}"
        constant = ", the same difference in every topic" * self.evidence.has_constant_difference(pair)
        return f"{line.measure} {signed(line.difference[pair])}, {p_text(float(line.p_adjusted[pair]))}{constant}"


def _verdict_text(kind: str, names: PairNames) -> str:
    if kind in ("better", "worse"):
        return f"{names.b} is {kind} than {names.a}"
    return f"the verdict on {names.b} and {names.a} is {kind}"


def suggest_margin(base: float) -> float:
    """Return 5% of the baseline's mean, to one significant digit."""
    margin = USUAL_MARGIN * base
    return round(margin, -floor(log10(margin)))


def rulings_table(rulings: Sequence[Ruling], made_by: Provenance | None = None) -> Table:
    """One row for each pair and requirement; ``met`` is missing where the evidence is inconclusive."""
    rows = [
        {"a": r.names.a, "b": r.names.b, "requirement": str(r.requirement), "met": r.met, "why": r.why} for r in rulings
    ]
    return Table.from_rows(rows, COLUMNS, caption="requirements", made_by=made_by)


def overall_ruling(rulings: Sequence[Ruling]) -> dict[str, Any]:
    """Return the requirement, whether it is met, and why: of the first ruling not met, else not decided, else met."""
    order = {False: 0, None: 1, True: 2}
    worst = min(rulings, key=lambda ruling: order[ruling.met])
    return {"requirement": str(worst.requirement), "met": worst.met, "why": worst.why}


def _line_name(line: EvidenceLine) -> str:
    return {"answered": "topics answered", "first relevant": "the rank of the first relevant document"}.get(
        line.line, line.measure
    )
