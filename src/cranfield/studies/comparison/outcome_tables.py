"""Tables of the outcome rule of lin2021: topics answered, ranks where both runs answer, and tests of the measure."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Provenance, Table
from cranfield.data import Values
from cranfield.stats import (
    LEVEL,
    OUTCOMES,
    Answer,
    Asked,
    Correction,
    Facets,
    Outcomes,
    Pairs,
    PairTest,
    SignedRank,
    T,
    Uncorrected,
    binomial_p,
    check_level,
    compare_pairs,
    difference_interval,
    finite,
    means_of_both,
    share_interval,
)

BETTER = {1: "b", -1: "a", 0: "neither", 2: "mixed"}  # run that is better in a facet


def outcomes_table(
    first: Pairs, runs: Sequence[str], *, level: float = LEVEL, made_by: Provenance | None = None
) -> Table:
    """Four rows for each pair: the topics that neither answers, only a, only b, both; proportions of all topics.

    ``low`` and ``high`` are the Wilson interval of each proportion.
    """
    check_level(level)
    outcomes = Outcomes.of(first)
    parts = []
    for outcome in OUTCOMES:
        count = getattr(outcomes, outcome)
        low, high = share_interval(count, outcomes.topics, level=level)
        share = count / (outcomes.topics or np.nan)
        parts.append(
            named(first, runs)
            | {"outcome": throughout(first, outcome), "topics": count, "share": share, "low": low, "high": high}
        )
    return Table(by_pair(parts), f"outcomes of {outcomes.topics:,} topic{'s' * (outcomes.topics != 1)}", made_by)


def both_table(
    first: Pairs,
    runs: Sequence[str],
    *,
    correction: Correction,
    asked: Asked,
    search_length: Answer | None = None,
    made_by: Provenance | None = None,
) -> Table:
    """Four rows for each pair, on the ``n`` topics that both answer: ESL and RR, each with signed-rank and t.

    ESL is the rank of the first relevant document, RR its reciprocal. p is corrected over the pairs of one measure and
    one test.
    """
    parts: list[dict[str, Any]] = []
    notes: list[str] = []
    asked = replace(asked, intervals=False)
    for measure, pairs in (("ESL", first), ("RR", replace(first, values=1 / first.values))):
        value_a, value_b = means_of_both(pairs)
        seen = named(pairs, runs) | {"measure": throughout(pairs, measure), "n": pairs.topics}
        seen |= {"value_a": value_a, "value_b": value_b, "difference": pairs.mean_difference}
        tests: tuple[PairTest, ...] = (SignedRank(), T())
        for test in tests:
            known = search_length if measure == "ESL" and test == SignedRank() else None
            answer = known or test.compare(pairs, asked)
            chances = {"p": answer.p, "p_adjusted": correction.adjust(answer.p)}
            parts.append(seen | {"test": throughout(pairs, test.name)} | chances)
            notes += conventions(test, answer, family(correction, answer.p))
    return Table(by_pair(parts), "where both runs answer", made_by, tuple(dict.fromkeys(notes)))


def answered_table(
    first: Pairs, runs: Sequence[str], *, correction: Correction, asked: Asked, made_by: Provenance | None = None
) -> Table:
    """One row for each pair: an exact binomial test of the topics that one run alone answers.

    ``difference`` is the proportion of topics answered by b less that of a, ``low`` and ``high`` its Tango interval.
    """
    check_level(asked.level)
    outcomes = Outcomes.of(first)
    low, high = difference_interval(outcomes, level=asked.level)
    p = binomial_p(outcomes.only_a, outcomes.only_b)
    columns = named(first, runs) | {
        "test": throughout(first, "binomial"),
        "only_a": outcomes.only_a,
        "only_b": outcomes.only_b,
        "difference": outcomes.difference,
        "low": low,
        "high": high,
        "p": p,
        "p_adjusted": correction.adjust(p),
    }
    note = f"binomial: exact, two-sided, of the topics that one run alone answers; {family(correction, p)}"
    return Table(columns, "topics that one run alone answers", made_by, (note,))


def overall_table(
    values: Values,
    chosen: Sequence[tuple[int, int]],
    tests: Sequence[PairTest],
    *,
    correction: Correction,
    asked: Asked,
    made_by: Provenance | None = None,
) -> Table:
    """One row for each pair, measure and test: means over the ``n`` topics of both, and the effect as the test has it.

    p is corrected over the pairs of one measure and one test, unless the test is joint.
    """
    parts: list[dict[str, Any]] = []
    notes: list[str] = []
    for one in compare_pairs(values, tests, chosen, correction=correction, asked=replace(asked, intervals=False)):
        pairs = one.pairs.complete() if one.test.joint else one.pairs  # what the answer is about
        value_a, value_b = means_of_both(pairs)
        parts.append(
            named(pairs, values.runs)
            | {"measure": throughout(pairs, one.measure), "n": pairs.topics}
            | {"value_a": value_a, "value_b": value_b, "difference": one.difference}
            | {"test": throughout(pairs, str(one.test))}
            | {"p": one.answer.p, "p_adjusted": one.adjusted, "effect": finite(one.answer.effect)}
        )
        notes += conventions(one.test, one.answer, f"effect: {one.test.effect}", one.family)
    return Table(by_pair(parts), "the whole measure", made_by, tuple(dict.fromkeys(notes)))


def facets_table(first: Pairs, runs: Sequence[str], facets: Facets, made_by: Provenance | None = None) -> Table:
    """Two rows for each pair: who is better in topics answered, and in ranking where both answer.

    ``difference`` is b − a: of the proportions of topics answered, where higher is better; of the mean ranks (ESL),
    where lower is better. ``p_decide`` is corrected over the pairs, ``p_holm`` then over the two facets.
    """
    parts = []
    for name, facet in (("answered", facets.answered), ("ranking", facets.ranking)):
        parts.append(
            named(first, runs)
            | {"facet": throughout(first, name), "better": _in_words(facet.better)}
            | {"test": throughout(first, facet.test), "difference": facet.difference}
            | {"p": facet.p, "p_decide": facet.p_decide, "p_holm": facet.p_holm}
        )
    return Table(by_pair(parts), f"facets at level {facets.level:g}", made_by)


def named(pairs: Pairs, runs: Sequence[str]) -> dict[str, Any]:
    """(pair,): the names of both runs."""
    names = np.array(runs, dtype=object)
    return {"a": names[pairs.a], "b": names[pairs.b]}


def throughout(pairs: Pairs, word: object) -> NDArray[np.object_]:
    """(pair,): the same for every pair."""
    return np.full(len(pairs), word, dtype=object)


def by_pair(parts: Sequence[Mapping[str, Any]]) -> dict[str, NDArray[Any]]:
    """Merge columns (pair,) of several parts: all rows of the first pair, then all of the second, and so on."""
    return {column: np.stack([part[column] for part in parts], axis=1).reshape(-1) for column in parts[0]}


def conventions(test: PairTest, answer: Answer, *more: str) -> list[str]:
    """Return the conventions that a test used, each once, with further notes."""
    return ["; ".join([f"{test}: {note}", *more]) for note in dict.fromkeys(answer.note)]


def family(correction: Correction, p: NDArray[np.float64]) -> str:
    """Return the correction and the number of p-values, in words."""
    size = int((~np.isnan(p)).sum())
    over = f"{correction} over {size:,} test{'s' * (size != 1)}"
    return "not corrected" if isinstance(correction, Uncorrected) else over


def _in_words(sides: NDArray[np.int64]) -> NDArray[np.object_]:
    return np.array([BETTER[side] for side in sides.tolist()], dtype=object)
