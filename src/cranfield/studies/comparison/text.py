"""Sentences of a comparison: the verdict with its evidence, as a paper could print it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

from cranfield.core import listed
from cranfield.stats import KINDS, Decide, Evidence, EvidenceLine, Facets, VerdictKind
from cranfield.studies.statistics_text import estimate_text, interval_text, p_text, signed, topics_text, usual_test_name

FEW_TOPICS = 20  # below which the interval of t may be too short
APPROXIMATE = ("t", "bootstrap")  # tests whose intervals need many topics; the others are exact
LEAST_TOPICS = 3  # below which a detectable difference would exceed the values of most measures
FEW_DIFFERENCES = 10
NOTHING_RELEVANT = "no topic has a relevant document"
CONSTANT = "the same difference in every topic: p is that of the exact randomisation test"
MAX_RUNS_NAMED = 5
MIXED_FACET = 2


@dataclass(frozen=True, slots=True)
class PairNames:
    """Names of the two runs of a pair: a is the baseline, b the candidate."""

    a: str
    b: str

    def of(self, side: int) -> str:
        """Return the name of b for 1, of a for −1."""
        return self.b if side > 0 else self.a


def measure_sentence(
    evidence: Evidence, kind: VerdictKind, pair: int, names: PairNames, margin: float | None = None
) -> str:
    """Return the verdict by the primary measure in words, with what a reader needs to check it."""
    line = evidence.primary
    details = f"({primary_details(evidence, pair)})"
    status = int(evidence.statuses[0, pair])
    others = list(zip(evidence.others, evidence.statuses[1:, pair].tolist(), strict=True))
    if not line.n[pair]:
        return f"{names.b} and {names.a} have no topic in common on {line.measure}."
    if status:
        word = "better" if status > 0 else "worse"
        parts = [f"{names.b} is {word} than {names.a} on {line.measure} {details}"]
        opposed = [_clause(other, pair) for other, sign in others if sign == -status]
        parts[0] += f", but it {listed(opposed)}." if opposed else "."
        if margin is not None and evidence.within(margin)[pair]:
            parts.append(f"The difference lies within the margin of ±{margin:g}.")
    elif kind == "equivalent":
        estimate = estimate_text(line.test, line.difference[pair])
        inside = interval_text(*(end[pair] for end in evidence.one_sided), confidence=2 * line.interval_level)
        source = f"{usual_test_name(line.test)}, {topics_text(int(line.n[pair]))}"
        runs = f"{names.b} and {names.a} are equivalent on {line.measure}"
        parts = [f"{runs} within ±{margin:g} ({estimate}, {inside}, {source})."]
    elif evidence.has_nothing_relevant(pair):
        parts = [f"{names.b} and {names.a} cannot be compared on {line.measure}: {NOTHING_RELEVANT}."]
    else:
        parts = [f"No significant difference between {names.b} and {names.a} on {line.measure} {details}."]
        if detectable := detectable_clause(evidence, pair):
            parts.append(f"{detectable[0].upper()}{detectable[1:]}.")
    if not status:
        clauses = [_clause(other, pair) for other, sign in others if sign]
        parts += [f"Exploratory: {names.b} {listed(clauses)}."] if clauses else []
    return " ".join([*parts, *_few(evidence, pair)])


def outcome_sentence(facets: Facets, pair: int, names: PairNames, shared: int, *, holm: bool = False) -> str:
    """Return what the two facets of lin2021 say; ``shared`` topics are answered by both runs."""
    dominance = facets.ranking_by == "dominance"
    advantage = "dominates in more topics" if dominance else "ranks better"
    answered, ranking = (
        int((facet.better_holm if holm else facet.better)[pair]) for facet in (facets.answered, facets.ranking)
    )
    if not answered and not ranking and shared:
        where = "dominance" if dominance else "rank"
        return f"No significant difference: neither in topics answered nor, where both answer, in {where}."
    if answered and answered == ranking:
        return f"{names.of(answered)} answers more topics and, where both answer, {advantage}."
    more = f"{names.of(answered)} answers more topics" if answered else "no significant difference in topics answered"
    if not shared:
        rank = "no topic is answered by both"
    elif ranking == MIXED_FACET:
        test, mean = int(facets.ranking.toward[pair]), int(facets.ranking.ahead[pair])
        favoured = names.of(mean) if mean else "neither"
        rank = (
            f"where both answer, {facets.ranking.test} favours {names.of(test)}, but the mean rank favours {favoured}"
        )
    else:
        none = f"no significant difference in {'dominance' if dominance else 'rank'}"
        rank = f"where both answer, {f'{names.of(ranking)} {advantage}' if ranking else none}"
    sentence = f"{more}; {rank}." if answered or not ranking else f"{rank}; {more}."
    return sentence if answered else sentence[0].upper() + sentence[1:]  # a run name stays as it is written


def outcome_rule_sentence(facets: Facets, pair: int, names: PairNames, shared: int) -> str:
    """Return what the two facets say, and whether Holm over them takes the verdict away."""
    sentence = outcome_sentence(facets, pair, names, shared)
    changed = facets.do_no_harm[pair] != facets.do_no_harm_holm[pair]
    return f"{sentence} With Holm over the two facets there is no significant difference." if changed else sentence


def outcome_verdict_sentence(
    facets: Facets, kind: VerdictKind, pair: int, names: PairNames, *, topics: int, shared: int
) -> str:
    """Return the verdict by the outcome rule in words, with the difference, test and p-value of each facet."""
    heading = {
        "better": f"By outcomes, {names.b} is better than {names.a} without harm",
        "worse": f"By outcomes, {names.b} is worse than {names.a}",
        "mixed": f"By outcomes, the evidence on {names.b} and {names.a} is mixed",
    }.get(kind, f"By outcomes, no significant difference between {names.b} and {names.a}")
    if kind != "inconclusive":
        facts = outcome_sentence(facets, pair, names, shared, holm=True).rstrip(".")
        facts = re.sub(r"^(Where|No)\b", lambda word: word[0].lower(), facts)
        heading = f"{heading}: {facts}"
    return f"{heading} ({facet_details(facets, pair, topics=topics, shared=shared)}; Holm over the two facets)."


def facet_details(facets: Facets, pair: int, *, topics: int, shared: int) -> str:
    """Return difference, test, number of topics and p-value of each facet."""
    ranking = "dominance" if facets.ranking_by == "dominance" else "mean rank of the first relevant document"
    parts = [
        f"{what} {signed(facet.difference[pair])}, {usual_test_name(facet.test)}, {topics_text(count)}, "
        f"{p_text(float(facet.p_holm[pair]))}"
        for what, facet, count in (
            ("proportion answered", facets.answered, topics),
            (ranking, facets.ranking, shared),
        )
        if isfinite(facet.p_holm[pair])
    ]
    return "; ".join(parts)


def contrary_measure(evidence: Evidence, kind: VerdictKind, pair: int, names: PairNames) -> str:
    """Return a sentence on the primary measure where it is significant against a verdict by outcomes, else ""."""
    status = int(evidence.statuses[0, pair])
    if (kind, status) not in (("better", -1), ("worse", 1)):
        return ""
    word = "better" if status > 0 else "worse"
    details = primary_details(evidence, pair)
    return f"The measure contradicts this: {names.b} is {word} on {evidence.primary.measure} ({details})."


def primary_details(evidence: Evidence, pair: int) -> str:
    """Return difference, interval, p-value, test, correction and number of topics of the primary line."""
    line = evidence.primary
    parts = ["lower is better"] * (line.sign < 0) + [estimate_text(line.test, line.difference[pair])]
    parts += [interval_text(line.low[pair], line.high[pair], confidence=line.interval_level)] * bool(
        isfinite(line.low[pair]) and isfinite(line.high[pair])
    )
    parts.append(p_text(float(line.p_adjusted[pair])))
    correction = f", {correction_text(evidence)}" if evidence.correction or evidence.joint else ""
    parts.append(f"{usual_test_name(line.test)}{correction}")
    return ", ".join([*parts, topics_text(int(line.n[pair]))])


def summary_sentence(
    evidence: Evidence,
    kinds: Sequence[VerdictKind],
    names: Sequence[PairNames],
    *,
    rule: Decide | None = None,
    steps: bool = False,
) -> str:
    """Return how many of several pairs differ, and which runs win; ``rule`` is the outcome rule if it decides."""
    line = evidence.primary
    fewest, most = int(line.n.min()), int(line.n.max())
    topics = topics_text(most) if fewest == most else f"{fewest:,} to {topics_text(most)}"
    how = f"on {line.measure} ({usual_test_name(line.test)}, {topics}, {correction_text(evidence)})"
    if rule is not None:
        corrected = f"{rule.correction.usual_name} over {len(names):,} pairs, Holm over the two facets"
        how = f"by outcomes ({corrected})"
    same = {pair.a for pair in names}
    if steps:
        significant = [f"{pair.b} over {pair.a}" for pair, kind in zip(names, kinds, strict=True) if kind == "better"]
        which = f": {_first(significant)}" if significant else ""
        return f"{len(significant):,} of {len(names):,} steps of the state of the art are significant {how}{which}."
    if len(same) == 1:
        runs_by_kind = [
            (kind, [p.b for p, k in zip(names, kinds, strict=True) if k == kind]) for kind in dict.fromkeys(kinds)
        ]
        counts = [
            f"{len(runs):,} {'is' if len(runs) == 1 else 'are'} {kind}{_named(kind, runs)}"
            for kind, runs in sorted(runs_by_kind, key=lambda item: KINDS.index(item[0]))
        ]
        return f"Compared with {names[0].a} {how}, of {len(names):,} runs {listed(counts)}."
    wins: dict[str, int] = {}
    for pair, kind in zip(names, kinds, strict=True):
        if kind in ("better", "worse"):
            wins[pair.of(1 if kind == "better" else -1)] = wins.get(pair.of(1 if kind == "better" else -1), 0) + 1
    mixed = sum(kind == "mixed" for kind in kinds)
    clear = sum(wins.values())
    sentence = f"{clear + mixed:,} of {len(names):,} pairs differ significantly {how}"
    sentence += f", {mixed:,} of them with mixed evidence" * bool(mixed)
    if not wins:
        return f"{sentence}."
    ordered = sorted(wins.items(), key=lambda item: (-item[1], item[0]))[:MAX_RUNS_NAMED]
    winners = listed([f"{run} ({count:,})" for run, count in ordered])
    return f"{sentence}. Most wins: {winners}."


def _named(kind: str, runs: Sequence[str]) -> str:
    """Return the names of the first runs in brackets; inconclusive runs are only counted."""
    return "" if kind == "inconclusive" else f" ({_first(runs)})"


def _first(names: Sequence[str]) -> str:
    """Return the first names, and how many more there are."""
    more = [f"{len(names) - MAX_RUNS_NAMED:,} more"] if len(names) > MAX_RUNS_NAMED else []
    return listed([*names[:MAX_RUNS_NAMED], *more])


def _clause(line: EvidenceLine, pair: int) -> str:
    """Return what a secondary line says of b, as a clause that follows its name."""
    good = int(line.toward[pair]) > 0
    chance = f"{usual_test_name(line.test)}, Bonferroni-adjusted {p_text(float(line.p_adjusted[pair]))}"
    count_a, count_b = (round(float(value[pair]) * int(line.n[pair])) for value in (line.value_a, line.value_b))
    counts = f"{count_b:,} against {count_a:,} of {topics_text(int(line.n[pair]))}"
    if line.line == "answered":
        cutoff = line.measure.partition("@")[2]
        return f"answers {'more' if good else 'fewer'} topics within rank {cutoff} ({counts}, {chance})"
    if line.line == "dominance":
        return f"dominates in {'more' if good else 'fewer'} topics ({counts}, {chance})"
    if line.line == "first relevant":
        where = f"{'higher' if good else 'lower'} where both answer"
        shift = (
            f"shift {signed(line.difference[pair])} ranks where they differ, {topics_text(int(line.n[pair]))}, {chance}"
        )
        return f"ranks the first relevant document {where} ({shift})"
    ends = interval_text(line.low[pair], line.high[pair], confidence=line.interval_level)
    return f"is {'better' if good else 'worse'} on {line.measure} ({signed(line.difference[pair])}, {ends}, {chance})"


def correction_text(evidence: Evidence) -> str:
    """Return how the primary p-values are corrected, such as "Holm over 12 pairs"."""
    pairs = f"{len(evidence.primary.p):,} pairs"
    if evidence.joint:
        return "corrected over the pairs by the test"
    return f"{evidence.correction} over {pairs}" if evidence.correction else "not corrected"


def detectable_clause(evidence: Evidence, pair: int) -> str:
    """Return the difference that these topics could detect, as a clause; "" where it is not known."""
    difference = float(evidence.detectable[pair])
    if not isfinite(difference) or evidence.primary.n[pair] < LEAST_TOPICS:
        return ""
    by_t = evidence.primary.test == "t"
    what = f"{'' if by_t else 'mean '}difference of {difference:.3g} with 80% power{'' if by_t else ' by a t-test'}"
    return f"these topics could detect a {what}"


def constant_note(evidence: Evidence) -> list[str]:
    """Return a note on how many of several pairs have the same difference in every topic."""
    count, pairs = sum(map(evidence.has_constant_difference, range(len(evidence.primary.p)))), len(evidence.primary.p)
    return [f"{count:,} of {pairs:,} pairs have {CONSTANT}"] if count else []


def _few(evidence: Evidence, pair: int) -> list[str]:
    """Return a warning where the interval or p rests on little data."""
    topics, nonzero = int(evidence.primary.n[pair]), int(evidence.nonzero[pair])
    if topics == 1:
        return ["One topic allows no test."]
    if evidence.has_nothing_relevant(pair):
        return []
    if evidence.has_constant_difference(pair):
        never = f"With {topics_text(topics)} that test is never significant at level {evidence.level:g}."
        return [f"The runs have {CONSTANT}.", *[never] * (2.0 ** (1 - topics) > evidence.level)]
    if not evidence.primary.test.startswith(APPROXIMATE):
        return []
    if topics < FEW_TOPICS:
        return [f"With fewer than {FEW_TOPICS} topics the interval may be too short."]
    if nonzero < FEW_DIFFERENCES:
        return [f"The runs differ in only {topics_text(nonzero)}, so the interval may be too short."]
    return []
