"""Ties worked out by hand, drawn instead of listed, for measures of all kinds; and what is said of them."""

from fractions import Fraction
from itertools import permutations
from math import comb, factorial, log2
from pathlib import Path
from random import Random
from typing import ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

from cranfield.core import ParameterError
from cranfield.core.types import Grades, Rows
from cranfield.data import Assessed, Block, assess
from cranfield.measures import AP, Bpref, Measure, P, expected, parse_measures, straddling, tie_bounds, tie_notes
from cranfield.measures.ties import tie_orders
from tests.support.properties.measure_cases import CASES
from tests.support.properties.topic_strategies import TOP, assess_beside

EXACT = 1e-14


def settled(measures: str, top: int = 2) -> list[Measure]:
    return [measure.settled(float(top)) for measure in parse_measures(measures)]


# One document, then four of one score: a and c are relevant, b is not, nobody judged x.
QRELS = {"1": {"a": 1, "b": 0, "c": 2, "missed": 1}}
RUN = {"1": {"top": 2.0, "a": 1.0, "b": 1.0, "c": 1.0, "x": 1.0}}


@pytest.mark.parametrize(
    ("measure", "mean"),
    [
        ("P@3", Fraction(2 * 2, 4) / 3),  # two of the four places are above the cut
        ("R@4", Fraction(2 * 3, 4) / 3),
        ("F@3", 2 * Fraction(2 * 2, 4) / (3 + 3)),
        ("Rprec", Fraction(2 * 2, 4) / 3),
        ("Judged@3", Fraction(3 * 2, 4) / 3),
        ("Success@2", Fraction(1, 2)),
        ("Success@3", 1 - Fraction(comb(2, 2), comb(4, 2))),
        # The first of two among four places is the first with chance 3/6, the second 2/6, the third 1/6.
        ("RR", Fraction(3, 6) / 2 + Fraction(2, 6) / 3 + Fraction(1, 6) / 4),
        ("RR@3", Fraction(3, 6) / 2 + Fraction(2, 6) / 3),
        ("ESL", 1 + Fraction(4 + 1, 2 + 1)),  # cooper1968: the mean place of the first of m among n is (n+1)/(m+1)
        ("ESL(missing=9)@3", Fraction(3, 6) * 2 + Fraction(2, 6) * 3 + Fraction(1, 6) * 9),
        # One at place i, the other above it with chance (i-1)/3.
        ("AP", sum(Fraction(2, 4) * (1 + Fraction(i - 1, 3)) / (1 + i) for i in (1, 2, 3, 4)) / 3),
        ("RBP(p=0.5)", sum(Fraction(2, 4) / 2 ** (1 + i) for i in (1, 2, 3, 4))),
        ("CG@2", Fraction(1 + 2, 4)),
        # b is above each of a and c, or not; it counts for half, as there are three relevant and one that is not.
        ("Bpref", (2 * Fraction(1, 2)) / 3),
        # Without x: three documents at ranks 1 to 3.
        ("RR(judged_only=True)", Fraction(2, 3) + Fraction(1, 3) / 2),
        ("P(judged_only=True)@1", Fraction(2, 3)),
    ],
)
def test_means_worked_out_by_hand(measure: str, mean: Fraction) -> None:
    cube, errors, notes = expected(assess(QRELS, {"run": RUN}), settled(measure))
    assert cube[0, 0].tolist() == pytest.approx([float(mean)], abs=EXACT)
    assert (errors, notes) == (None, ())


def test_the_mean_of_a_discount_is_that_of_its_places() -> None:
    discounts = sum(1 / log2(rank + 1) for rank in (2, 3, 4, 5)) / 4
    cube, _, _ = expected(assess(QRELS, {"run": RUN}), settled("DCG nDCG"))
    assert cube[0, 0].tolist() == pytest.approx([3 * discounts, 3 * discounts / (2 + 1 / log2(3) + 1 / 2)], abs=EXACT)


@pytest.mark.parametrize("k", [1, 2, 3, 5, None])
def test_the_mean_of_a_cascade(k: int | None) -> None:
    def err(stops: tuple[Fraction, ...]) -> Fraction:
        total, looking = Fraction(0), Fraction(1)
        for rank, stop in enumerate((Fraction(0), *stops)[:k], 1):
            total += looking * stop / rank
            looking *= 1 - stop
        return total

    orders = list(permutations((Fraction(1, 4), Fraction(0), Fraction(3, 4), Fraction(0))))
    cube, _, _ = expected(assess(QRELS, {"run": RUN}), settled(f"ERR@{k}" if k else "ERR"))
    assert cube[0, 0, 0] == pytest.approx(float(sum(map(err, orders)) / len(orders)), abs=EXACT)


def test_a_value_that_some_order_does_not_have_has_no_mean_and_no_worst() -> None:
    measures = settled("ESL@3 ESL@4")
    assessed = assess(QRELS, {"run": RUN})
    cube, _, _ = expected(assessed, measures)
    low, high, _ = tie_bounds(assessed, measures)
    np.testing.assert_array_equal(np.isnan(cube[0, 0]), [True, False])
    np.testing.assert_array_equal(low[0, 0], [2, 2])
    np.testing.assert_array_equal(high[0, 0], [np.nan, 4])


def test_bounds_worked_out_by_hand() -> None:
    low, high, notes = tie_bounds(assess(QRELS, {"run": RUN}), settled("P@3 RR AP ESL Judged@3 RR(judged_only=True)"))
    assert low[0, 0].tolist() == pytest.approx([0, 1 / 4, (1 / 4 + 2 / 5) / 3, 2, 1 / 3, 1 / 2], abs=EXACT)
    assert high[0, 0].tolist() == pytest.approx([2 / 3, 1 / 2, (1 / 2 + 2 / 3) / 3, 4, 2 / 3, 1], abs=EXACT)
    assert notes == ()


@pytest.mark.parametrize("places", [1_000, 100_000])
def test_one_score_for_a_long_list(places: int) -> None:
    run = {"1": {"found": 1.0} | {f"x{i}": 1.0 for i in range(places - 1)}}
    measures = settled("RR AP P@10 Success@10 ERR@10 ESL IAP")
    cube, errors, notes = expected(assess({"1": {"found": 2}}, {"run": run}), measures)
    harmonic = sum(1 / rank for rank in range(1, places + 1))
    ten = sum(1 / rank for rank in range(1, 11))
    means = [harmonic, harmonic, 10 / 10, 10, 3 / 4 * ten, places * (places + 1) / 2, harmonic]
    assert cube[0, 0].tolist() == pytest.approx([mean / places for mean in means], rel=1e-12)
    assert (errors, notes) == (None, ())  # as many orders as places


def crowd(documents: int, *, seed: int = 1, runs: int = 1, levels: int = 3) -> Assessed:
    """Many documents of few scores."""
    rng = Random(seed)
    topics = ("1", "2")
    qrels = {topic: {f"d{i}": rng.choice([0, 0, 1, 2, TOP]) for i in range(0, documents, 2)} for topic in topics}
    scores = {
        f"run{r}": {topic: {f"d{i}": float(rng.randrange(levels)) for i in range(documents)} for topic in topics}
        for r in range(runs)
    }
    return assess_beside(qrels, scores)


def test_drawn_orders_agree_with_listed_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    assessed = crowd(9)
    truth, none, _ = expected(assessed, CASES)
    assert none is None
    monkeypatch.setattr(tie_orders, "LISTED", 1)
    cube, errors, notes = expected(assessed, CASES)
    assert errors is not None
    there = ~np.isnan(truth)
    assert (abs(cube - truth)[there] <= 4 * errors[there] + 1e-12).all()
    # Those in closed form have no error; the others have one, and a note each.
    some = (errors[0] > 0).any(axis=0)
    assert [note.partition(": ")[0] for note in notes] == [
        str(m) for m, drawn in zip(CASES, some, strict=True) if drawn
    ]
    assert not some[CASES.index(AP())]
    assert some[CASES.index(Bpref(k=5))]


def test_the_spread_of_drawn_orders_is_that_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    # One relevant document, in any of eight places: IAP is 1/rank.
    run = {"1": {f"d{i}": 1.0 for i in range(8)}}
    monkeypatch.setattr(tie_orders, "LISTED", 1)
    _, errors, notes = expected(assess({"1": {"d3": 1}}, {"run": run}), settled("IAP"), seed=3)
    values = [1 / rank for rank in range(1, 9)]
    spread = sum((value - sum(values) / 8) ** 2 for value in values) / 8
    assert errors is not None
    assert errors[0, 0, 0] == pytest.approx((spread / 10_000) ** 0.5, rel=0.03)
    assert notes == ("IAP: mean of 10,000 drawn orders of ties in 1 ranking (seed 3); standard error up to 0.003",)


def test_the_seed_and_the_names_decide_what_is_drawn() -> None:
    measures = settled("IAP INST@20", TOP)
    many = crowd(60, runs=2)
    cube, errors, notes = expected(many, measures, seed=5)
    assert errors is not None
    assert len(notes) == 2
    again, _, _ = expected(many, measures, seed=5)
    other, _, _ = expected(many, measures, seed=6)
    alone, _, _ = expected(many, measures[1:], seed=5)
    np.testing.assert_array_equal(again, cube)
    np.testing.assert_array_equal(alone, cube[:, :, 1:])
    assert (abs(other - cube) <= 6 * errors).all()
    assert (other != cube).all()


def test_one_thread_or_many_say_the_same(tmp_path: Path) -> None:
    rng = Random(2)
    for run in ("a", "b", "c", "d"):
        rows = [f"{t} Q0 d{i} 0 {rng.randrange(4)} {run}" for t in range(3) for i in range(50)]
        (tmp_path / run).write_text("\n".join(rows) + "\n")
    qrels = {str(t): {f"d{i}": i % 4 % 3 for i in range(0, 50, 3)} for t in range(3)}
    measures = settled("AP nDCG@10 ERR@10 IAP INST@20")
    one, many = (expected(assess(qrels, tmp_path, threads=n), measures) for n in (1, 2))
    np.testing.assert_array_equal(one[0], many[0])
    assert one[2] == many[2] != ()


def test_bounds_of_drawn_orders_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    assessed = crowd(7, levels=2)
    measures = settled("G(judged_only=True) NumNonRel@3 AP", TOP)
    low, high, _ = tie_bounds(assessed, measures)
    monkeypatch.setattr(tie_orders, "LISTED", 1)
    lower, higher, notes = tie_bounds(assessed, measures)
    what = "bounds from 10,000 drawn orders of ties in 2 rankings (seed 0): others may lie outside"
    assert sorted(notes) == sorted([f"G(judged_only=True): {what}", f"NumNonRel@3: {what}"])
    np.testing.assert_allclose([lower, higher], [low, high], rtol=0, atol=EXACT)  # 10,000 of at most 7! = 5,040


def test_ties_that_change_nothing_change_no_bit() -> None:
    # Equal grades, and nobody else: whatever the order, it is the same.
    run = {"1": {"a": 3.0, "b": 3.0, "c": 3.0, "d": 2.0, "e": 2.0}}
    assessed = assess({"1": {"a": 1, "b": 1, "c": 1, "d": 0, "e": 0}}, {"run": run})
    alike = [measure for measure in CASES if not measure.asks_for]
    measures = [measure for measure in alike if getattr(measure, "max_rel", None) in (None, TOP)]
    np.testing.assert_array_equal(expected(assessed, measures)[0], assessed.map(measures))


class Squared(P):
    """A measure that replaces the value of one that has a closed form, and says nothing of ties."""

    def value(self, block: Block) -> Rows:
        return super().value(block) ** 2


class Counted(Squared):
    """A measure that says so, and is wrong: nobody can help it."""

    linear: ClassVar[bool] = True


def test_a_closed_form_is_not_taken_for_a_value_that_it_was_not_written_for() -> None:
    # Two relevant documents among four places, two of them above the cut: none, one or both with chances 1/6, 4/6, 1/6.
    assessed = assess(QRELS, {"run": RUN})
    mean = Fraction(4, 6) * Fraction(1, 9) + Fraction(1, 6) * Fraction(4, 9)
    assert expected(assessed, [Squared(k=3)])[0][0, 0, 0] == pytest.approx(float(mean), abs=EXACT)
    assert expected(assessed, [Counted(k=3)])[0][0, 0, 0] == pytest.approx(2 * Fraction(2, 4) / 9, abs=EXACT)


class Passed(Measure):
    """A measure that asks how many judged documents stand above a relevant one without being shown them."""

    name: ClassVar[str] = "Passed"

    def earns(self, grade: Grades) -> NDArray[np.bool_]:
        return grade >= 1

    def value(self, block: Block) -> Rows:
        return np.where(block.grade >= 1, block.judged, 0).sum(axis=1).astype(np.float64)


def test_documents_that_are_not_shown_are_put_in_order_too_where_they_are_counted() -> None:
    # a and c are passed by b with chance 1/2 each; one of them by the other: 1 + 1/2 + 1 + 1/2 and 1.
    cube, _, _ = expected(assess(QRELS, {"run": RUN}), [Passed()])
    assert cube[0, 0, 0] == pytest.approx(4, abs=EXACT)


LENGTHS = {"top": 10, "a": 100, "b": 2000, "c": 30_000, "x": 7}


def test_documents_of_one_grade_differ_by_their_lengths() -> None:
    qrels = {"1": {"a": 1, "b": 0, "c": 1}}
    tied = assess(qrels, {"run": RUN}, lengths=LENGTHS)
    orders = {
        str(n): {"1": {"top": 9.0} | {document: -float(i) for i, document in enumerate(order)}}
        for n, order in enumerate(permutations("abcx"))
    }
    every = assess(qrels, orders, lengths=LENGTHS)
    measures = settled("U U(L=9000)@4 TBG(judged_only=True)", 1)
    values = every.map(measures)[:, 0]
    assert len(values) == factorial(4)
    low, high, _ = tie_bounds(tied, measures)
    np.testing.assert_allclose(expected(tied, measures)[0][0, 0], values.mean(axis=0), rtol=0, atol=1e-12)
    np.testing.assert_allclose(low[0, 0], values.min(axis=0), rtol=0, atol=1e-12)
    np.testing.assert_allclose(high[0, 0], values.max(axis=0), rtol=0, atol=1e-12)


@pytest.mark.parametrize("over", [expected, tie_bounds])
def test_lengths_that_ties_move_are_refused(over: object) -> None:
    assert callable(over)
    message = (
        r"TBG adds up lengths of documents that ties may move\nhint: choose an order of ties, or leave the lengths"
    )
    with pytest.raises(ParameterError, match=message):
        over(assess(QRELS, {"run": RUN}, lengths=LENGTHS), settled("AP TBG"))
    over(assess(QRELS, {"run": RUN}), settled("AP TBG"))
    apart = {"1": {document: -float(i) for i, document in enumerate(RUN["1"])}}
    over(assess(QRELS, {"run": apart}, lengths=LENGTHS), settled("AP TBG"))


def test_pairs_that_straddle_a_cut_off() -> None:
    assessed = assess(QRELS | {"2": {"z": 1}}, {"run": RUN})
    assert [straddling(assessed, k).tolist() for k in (1, 2, 3, 4, 5, 9)] == [
        [[0, 0]],
        [[1 * 3, 0]],
        [[2 * 2, 0]],
        [[3 * 1, 0]],
        [[0, 0]],
        [[0, 0]],
    ]


def test_what_is_said_of_pairs_that_straddle() -> None:
    assessed = assess(QRELS, {"run": RUN})
    assert tie_notes(assessed, settled("AP P@1 RR")) == ()
    assert tie_notes(assessed, settled("P@3 RR@3 AP P@2")) == (
        "3 tied pairs straddle rank 2 in 1 topic",
        "4 tied pairs straddle rank 3 in 1 topic",
    )
    pair = {"1": {"a": 1.0, "b": 1.0}}
    assert tie_notes(assess(QRELS, {"run": pair}), settled("P@1")) == ("1 tied pair straddles rank 1 in 1 topic",)
    # Five runs: four tie at the cut.
    runs = dict.fromkeys(("bm25", "lm", "dfr", "rm3"), pair) | {"none": {"1": {"a": 2.0, "b": 1.0}}}
    few = {name: runs[name] for name in ("bm25", "none", "rm3")}
    assert tie_notes(assess(QRELS, few), settled("P@1")) == (
        "2 tied pairs straddle rank 1 in 1 topic (bm25: 1, rm3: 1)",
    )
    assert tie_notes(assess(QRELS, runs), settled("P@1")) == (
        "4 tied pairs straddle rank 1 in 1 topic (4 of 5 runs, most: bm25, 1)",
    )
    long = {"1": {f"d{i}": 1.0 for i in range(9)} | {"a": 1.0}}
    assert tie_notes(assess(QRELS, {"run": long}), settled("P@5 R@6 nDCG@7 RR@8")) == (
        "25 tied pairs straddle rank 5 in 1 topic; so do pairs at 3 more cut-offs",
    )
