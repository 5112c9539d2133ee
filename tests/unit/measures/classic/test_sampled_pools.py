"""Measures of stratified samples: by hand, and beside loops over dictionaries."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, permutations, product
from math import floor, log2
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from cranfield.core import InputError
from cranfield.data import Assessed, assess, judgments_of, read_qrels, strata_of, with_unjudged_as
from cranfield.measures import Measure, expected, measure_all, parse_measure, parse_measures, tie_bounds

SMALL = 1e-5
Judged = dict[str, tuple[str, int]]  # document: stratum and grade; below 0: not drawn
MEASURES = parse_measures(
    "xinfAP xinfAP@1 xinfAP@3 xinfAP@7 xinfAP(rel=2) xinfAP(judged_only=True) xinfAP(judged_only=True)@4 "
    "infNDCG infNDCG@1 infNDCG@3 infNDCG@7 infNDCG(judged_only=True) infNDCG(judged_only=True)@4"
)


def columns(topics: dict[str, Judged]) -> dict[str, list[object]]:
    """Judgments with a second column."""
    rows = [
        (topic, stratum, document, grade) for topic, j in topics.items() for document, (stratum, grade) in j.items()
    ]
    names = ("topic", "iteration", "document", "grade")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def meet(judged: Judged, *rankings: Sequence[str]) -> Assessed:
    """One topic, and a run for each ranking."""
    runs = {f"run{r}": {"t": {d: -float(i) for i, d in enumerate(docs)}} for r, docs in enumerate(rankings)}
    return assess(columns({"t": judged}), runs)


def value(measure: str, judged: Judged, ranking: Sequence[str]) -> float:
    """The value of one ranking of one topic."""
    return float(measure_all(meet(judged, ranking), measure).cube[0, 0, 0])


def literal(measure: Measure, judged: Judged, ranking: Sequence[str]) -> float:
    """The value as the script counts it, document by document."""
    documents = [d for d in ranking if not measure.judged_only or judged.get(d, ("", -1))[1] >= 0]
    documents = documents[: min(measure.k or 1000, 1000)]
    size: dict[str, int] = {}
    drawn: dict[str, int] = {}
    for stratum, grade in judged.values():
        size[stratum] = size.get(stratum, 0) + 1
        drawn[stratum] = drawn.get(stratum, 0) + (grade >= 0)
    if measure.name == "infNDCG":
        return literal_ndcg(documents, judged, size, drawn, min(measure.k or 1000, 1000))
    rel = float(measure.rel)  # type: ignore[attr-defined]  # xinfAP has one
    pooled, seen, found = (dict.fromkeys(size, 0) for _ in range(3))
    precisions = dict.fromkeys(size, 0.0)
    for rank, document in enumerate(documents, 1):
        if document not in judged:
            continue
        stratum, grade = judged[document]
        if grade >= rel:
            above = sum(pooled[s] * (found[s] + SMALL) / (seen[s] + 3 * SMALL) for s in size)
            precisions[stratum] += 1 / rank + above / rank
            found[stratum] += 1
        pooled[stratum] += 1
        seen[stratum] += grade >= 0
    relevant = {s: sum(grade >= rel for stratum, grade in judged.values() if stratum == s) for s in size}
    number = {s: relevant[s] * size[s] / drawn[s] if drawn[s] else 0.0 for s in size}
    total = sum(number.values())
    if total == 0:
        return 0.0
    mean = sum(number[s] / total * precisions[s] / relevant[s] for s in size if relevant[s])
    return mean * (total / 1000 if total > 1000 else 1)


def literal_ndcg(
    documents: Sequence[str], judged: Judged, size: dict[str, int], drawn: dict[str, int], cut: int
) -> float:
    pooled, seen = (dict.fromkeys(size, 0) for _ in range(2))
    gains = dict.fromkeys(size, 0.0)
    for rank, document in enumerate(documents, 1):
        if document in judged:
            stratum, grade = judged[document]
            pooled[stratum] += 1
            seen[stratum] += grade >= 0
            gains[stratum] += max(grade, 0) / log2(rank + 1)
    best: list[int] = []
    for of in sorted({grade for _, grade in judged.values() if grade > 0}, reverse=True):
        counts = {s: sum(pair == (s, of) for pair in judged.values()) for s in size}
        number = sum(counts[s] * size[s] / drawn[s] for s in sorted(size) if counts[s])
        best += [of] * floor(number + 0.5)
    ideal = sum(grade / log2(rank + 1) for rank, grade in enumerate(best[:cut], 1))
    dcg = sum(pooled[s] * gains[s] / seen[s] for s in size if seen[s])
    return dcg / ideal if ideal else 0.0


# Two of two were drawn of the first stratum, two of four of the second: R = 1 + 2.
HAND: Judged = {"a1": ("a", 1), "a2": ("a", 0), "b1": ("b", 2), "b2": ("b", -1), "b3": ("b", -1), "b4": ("b", 0)}


def test_a_sample_by_hand() -> None:
    ranking = ("b1", "x", "b2", "a1")  # x was not in the pool
    # At b1, which stands for two, the precision is 1; above a1 stand b1 and b2, of which one was drawn, relevant.
    above_a1 = 2 * (1 + SMALL) / (1 + 3 * SMALL)
    assert value("xinfAP", HAND, ranking) == pytest.approx((2 * 1 + 1 * (1 + above_a1) / 4) / 3, abs=1e-15)
    # Of the second stratum the ranking holds two, of which one was drawn. Two documents of grade 2 are expected.
    ideal = 2 / log2(2) + 2 / log2(3) + 1 / log2(4)
    assert value("infNDCG", HAND, ranking) == pytest.approx((2 * 2 / log2(2) + 1 / log2(5)) / ideal, abs=1e-15)
    assert value("infNDCG@2", HAND, ranking) == pytest.approx(2 / (2 + 2 / log2(3)), abs=1e-15)
    assert value("infNDCG(judged_only=True)", HAND, ranking) == pytest.approx((2 + 1 / log2(3)) / ideal, abs=1e-15)


def test_nothing_drawn_above_is_a_third() -> None:
    judged: Judged = {"a": ("1", -1), "b": ("2", -1), "c": ("2", -1), "d": ("2", 1)}
    assert value("xinfAP", judged, "abcd") == pytest.approx((1 + 3 / 3) / 4, abs=1e-15)


def test_a_stratum_of_which_nothing_was_drawn_counts_nothing() -> None:
    judged: Judged = {"a": ("1", 1), "b": ("2", -1), "c": ("2", -1)}
    assert value("infNDCG", judged, "bac") == pytest.approx(1 / log2(3), abs=1e-15)
    assert value("xinfAP", judged, "abc") == 1
    assert strata_of(meet(judged, "a")).weight.tolist() == [1, 0, 0]


def test_halves_are_rounded_up() -> None:
    judged: Judged = {"a": ("1", 1), "b": ("1", 0), **{f"c{i}": ("1", -1) for i in range(3)}}  # 5/2 are relevant
    assert value("infNDCG", judged, "a") == pytest.approx(1 / (1 + 1 / log2(3) + 1 / 2), abs=1e-15)


def test_a_value_may_lie_above_one() -> None:
    judged: Judged = {"a": ("1", 1), "b": ("1", -1), "c": ("1", 0), "d": ("1", 0)}  # 4/3 are relevant
    assert value("infNDCG", judged, "ab") == 2


DOCUMENTS = [f"d{i}" for i in range(14)]
SAMPLES = st.dictionaries(
    st.sampled_from(DOCUMENTS),
    st.tuples(st.sampled_from(["1", "2", "10", "x"]), st.sampled_from([-2, -1, -1, 0, 0, 1, 1, 2, 3])),
    min_size=1,
)


@given(judged=SAMPLES, order=st.permutations(DOCUMENTS), length=st.integers(1, len(DOCUMENTS)))
def test_values_are_those_of_loops(judged: Judged, order: list[str], length: int) -> None:
    ranking = order[:length]
    found = meet(judged, ranking).map(MEASURES)[0, 0]
    assert found == pytest.approx([literal(measure, judged, ranking) for measure in MEASURES], rel=1e-12, abs=1e-12)


@given(judged=SAMPLES, order=st.permutations(DOCUMENTS), seed=st.integers(0, 99))
def test_neither_the_order_of_lines_nor_other_topics_change_a_bit(judged: Judged, order: list[str], seed: int) -> None:
    rng = Random(seed)
    alone = meet(judged, order).map(MEASURES)[0, 0]
    shuffled = dict(rng.sample(sorted(judged.items()), len(judged)))
    other = {document: (rng.choice("az1"), rng.choice([-1, 0, 1, 5])) for document in DOCUMENTS}
    run = {topic: {d: -float(i) for i, d in enumerate(order)} for topic in ("u", "t")}
    beside = assess(columns({"u": other, "t": shuffled}), {"run": run}).map(MEASURES)[0, 1]
    assert beside.tolist() == alone.tolist()


@given(judged=SAMPLES, order=st.permutations(DOCUMENTS), length=st.integers(1, len(DOCUMENTS)))
def test_where_everything_was_drawn(judged: Judged, order: list[str], length: int) -> None:
    # Above a relevant document n·(r + ε)/(n + 3ε) stands for r: between 2ε less, where all n are relevant, and ε more,
    # where none is. So far, and no farther, is xinfAP from AP, whatever the strata.
    complete = {document: (stratum, max(grade, 0)) for document, (stratum, grade) in judged.items()}
    names = [(f"{name}{cut}") for name in ("xinfAP", "AP", "infNDCG", "nDCG") for cut in ("", "@1", "@5")]
    x, ap, inferred, ndcg = meet(complete, order[:length]).map(parse_measures(names))[0, 0].reshape(4, 3)
    assert (x - ap >= -2 * SMALL).all()
    assert (x - ap <= SMALL).all()
    assert inferred == pytest.approx(ndcg, rel=1e-14)


def test_without_a_second_column_there_is_one_stratum() -> None:
    grades = {"a": 1, "b": -1, "c": 0, "d": 2}
    run = {"run": {"t": {"b": 4.0, "a": 3.0, "x": 2.0, "d": 1.0}}}
    plain = assess({"t": grades}, run)
    assert plain.stratum is None
    same = assess(columns({"t": {document: ("7", grade) for document, grade in grades.items()}}), run)
    assert same.stratum is None
    judged: Judged = {document: ("", grade) for document, grade in grades.items()}
    for assessed in (plain, same):
        values = assessed.map(MEASURES)[0, 0]
        assert values == pytest.approx([literal(measure, judged, "baxd") for measure in MEASURES], rel=1e-13)


def test_only_a_thousand_ranks_count() -> None:
    judged: Judged = {f"d{i}": ("1", int(i in (0, 999, 1000))) for i in range(1001)}
    ranking = [f"d{i}" for i in range(1001)]
    for name in ("xinfAP", "infNDCG"):
        found = [value(f"{name}{cut}", judged, ranking) for cut in ("", "@1000", "@1001", "@5000")]
        assert found == [found[0]] * 4
        assert found[0] == pytest.approx(literal(parse_measure(name), judged, ranking), rel=1e-12)
        assert value(f"{name}@999", judged, ranking) < found[0]
    # As nDCG@1000 and AP@1000 are.
    assert value("infNDCG", judged, ranking) == pytest.approx(value("nDCG@1000", judged, ranking), rel=1e-14)
    assert value("xinfAP", judged, ranking) == pytest.approx(value("AP@1000", judged, ranking), abs=SMALL)


def test_no_run_holds_more_than_a_thousand_relevant_documents() -> None:
    judged: Judged = {f"d{i}": ("1", 2 - i % 2) for i in range(1500)}
    ranking = sorted(judged, key=lambda document: -judged[document][1])
    # Perfect, to the rank: 750 of grade 2 and 250 of the 750 of grade 1.
    assert value("AP@1000", judged, ranking) == pytest.approx(1000 / 1500)
    assert value("xinfAP", judged, ranking) == pytest.approx(1, abs=2 * SMALL)
    assert value("infNDCG", judged, ranking) == pytest.approx(1, rel=1e-13)
    for name in ("xinfAP", "xinfAP@50", "infNDCG"):
        assert value(name, judged, ranking) == pytest.approx(literal(parse_measure(name), judged, ranking), rel=1e-12)


def test_ranks_are_counted_once_unjudged_documents_are_taken_out() -> None:
    ranking = ("x", "b2", "y", "b1", "a1", "b4")
    for name in ("xinfAP(judged_only=True)@2", "infNDCG(judged_only=True)@2"):
        measure = parse_measure(name)
        assert value(name, HAND, ranking) == pytest.approx(literal(measure, HAND, ("b1", "a1")), rel=1e-14)
    judged: Judged = {f"d{i}": ("1", int(i in (0, 1000))) for i in range(1002)}  # and still no more than 1000
    for name in ("xinfAP(judged_only=True)", "infNDCG(judged_only=True)"):
        there = literal(parse_measure(name), judged, list(judged)[:1000])
        assert value(name, judged, list(judged)) == pytest.approx(there, rel=1e-14)


@dataclass(frozen=True)
class Shown:
    """Two topics and two runs, with strata."""

    qrels: dict[str, Judged]
    runs: dict[str, dict[str, dict[str, float]]]

    def assessed(self) -> Assessed:
        return assess(columns(self.qrels), self.runs)

    def values(self, qrels: dict[str, Judged]) -> list[list[list[float]]]:
        """By loops."""
        return [
            [
                [
                    literal(measure, qrels[topic], sorted(run[topic], key=lambda d: -run[topic][d]))
                    for measure in MEASURES
                ]
                for topic in qrels
            ]
            for run in self.runs.values()
        ]


@pytest.fixture
def shown() -> Shown:
    rng = Random(7)
    qrels = {t: {d: (rng.choice("123"), rng.choice([-1, -1, 0, 1, 2])) for d in DOCUMENTS[:11]} for t in ("t", "u")}
    runs = {r: {t: {d: rng.random() for d in DOCUMENTS[2:]} for t in qrels} for r in ("one", "two")}
    return Shown(qrels, runs)


def test_other_grades_keep_their_strata(shown: Shown) -> None:
    assessed = shown.assessed()
    higher = {t: {d: (s, g + 1 if g >= 0 else g) for d, (s, g) in j.items()} for t, j in shown.qrels.items()}
    grade = np.where(assessed.grade >= 0, assessed.grade + 1, assessed.grade)
    np.testing.assert_allclose(assessed.map(MEASURES), shown.values(shown.qrels), rtol=1e-12)
    np.testing.assert_allclose(assessed.with_grades(grade).map(MEASURES), shown.values(higher), rtol=1e-12)


def test_some_runs_and_other_runs_keep_their_strata(shown: Shown) -> None:
    assessed = shown.assessed()
    whole = assessed.map(MEASURES)
    assert assessed.of_runs([1]).map(MEASURES).tolist() == whole[[1]].tolist()
    again = assess(judgments_of(assessed), shown.runs)
    assert again.map(MEASURES).tolist() == whole.tolist()
    alone = assess({"t": {"a": 1}}, {"run": {"t": {"a": 1.0}}})
    assert judgments_of(alone).subtopics.to_list() == ["0"]


def test_ideal_rankings_keep_their_strata() -> None:
    # b1 and a1 lead, a2 and b4 follow; b1 stands for two and is followed by one of each stratum.
    ideal = meet(HAND, "b4").ideal
    names = ["b1", "a1", "a2", "b4"]
    assert ideal.map(MEASURES)[0, 0] == pytest.approx([literal(m, HAND, names) for m in MEASURES], rel=1e-12)


@pytest.mark.parametrize("strata_there", [True, False])
def test_documents_judged_in_addition_are_a_stratum_of_their_own(shown: Shown, *, strata_there: bool) -> None:
    qrels = {t: {d: (s if strata_there else "", g) for d, (s, g) in j.items()} for t, j in shown.qrels.items()}
    assessed = replace(shown, qrels=qrels).assessed()
    assert (assessed.stratum is not None) == strata_there
    for r, run in enumerate(shown.runs.values()):
        there = with_unjudged_as(assessed, 1.0, run=r, depth=5).map(MEASURES)[0]
        for t, (topic, judged) in enumerate(qrels.items()):
            ranking = sorted(run[topic], key=lambda document: -run[topic][document])
            more = dict(judged)
            for document in ranking[:5]:
                stratum, grade = judged.get(document, ("new", -1))
                more[document] = (stratum, grade if grade >= 0 else 1)
            assert there[t] == pytest.approx([literal(m, more, ranking) for m in MEASURES], rel=1e-12)


def test_a_document_in_two_strata_with_two_grades_is_refused() -> None:
    rows = [("t", "2", "a", 1), ("t", "1", "a", 0), ("t", "2", "b", 0), ("t", "1", "c", -1)]
    given = dict(zip(("topic", "iteration", "document", "grade"), map(list, zip(*rows, strict=True)), strict=True))
    with pytest.raises(InputError) as refused:
        read_qrels(given)
    assert refused.value.code == "E-CONFLICT"


def test_nothing_in_the_pool() -> None:
    assessed = meet(HAND, "x", ("a1",))
    nothing = assessed.with_grades(np.full(len(assessed.grade), -np.inf)).map(MEASURES)
    assert set(nothing.ravel().tolist()) == {0.0}


def orders(judged: Judged, groups: Iterable[Sequence[str]]) -> NDArray[np.float64]:
    """(order, measure): the values of every order of documents with one score, by loops."""
    every = (list(chain(*order)) for order in product(*map(permutations, groups)))
    return np.array([[literal(measure, judged, order) for measure in MEASURES] for order in every])


@given(judged=SAMPLES, order=st.permutations(DOCUMENTS), sizes=st.lists(st.integers(1, 4), min_size=1, max_size=3))
def test_ties_between_strata(judged: Judged, order: list[str], sizes: list[int]) -> None:
    ends = np.cumsum(sizes).tolist()
    groups = [order[end - size : end] for end, size in zip(ends, sizes, strict=True)]
    scores = {document: -float(place) for place, group in enumerate(groups) for document in group}
    assessed = assess(columns({"t": judged}), {"run": {"t": scores}})
    values = orders(judged, groups)
    mean, errors, _ = expected(assessed, MEASURES)
    low, high, unsure = tie_bounds(assessed, MEASURES)
    assert (errors, unsure) == (None, ())
    assert mean[0, 0] == pytest.approx(values.mean(axis=0), rel=1e-12, abs=1e-12)
    assert low[0, 0] == pytest.approx(values.min(axis=0), rel=1e-12, abs=1e-12)
    assert high[0, 0] == pytest.approx(values.max(axis=0), rel=1e-12, abs=1e-12)


def test_of_tied_documents_that_stand_for_many_the_grade_is_not_what_counts() -> None:
    # a stands for itself, b for two: R = 3. By grade a would come first in the best order.
    judged: Judged = {"a": ("1", 2), "b": ("2", 1), "c": ("2", -1)}
    assessed = assess(columns({"t": judged}), {"run": {"t": {"a": 1.0, "b": 1.0}}})
    low, high, _ = tie_bounds(assessed, [parse_measure("xinfAP@1")])
    assert (low.item(), high.item()) == pytest.approx((1 / 3, 2 / 3))
