"""What holds for every test of pairs, every analysis and every correction, whatever the values are.

A new declaration is in here by itself, once with its defaults and once for each word or switch that it may be set to.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from cranfield.core import Catalogue, ParameterError, Scale
from cranfield.core.types import Matrix
from cranfield.stats import (
    CORRECTIONS,
    EFFECTS,
    INTERVALS,
    OMNIBUS,
    TESTS,
    TRANSFORMS,
    Answer,
    Asked,
    Correction,
    Omnibus,
    Pairs,
    PairTest,
    adapt,
    parse_method,
    parse_tests,
)
from cranfield.stats.pair_tests.explanations import CATALOGUES
from tests.support.properties.stats_cases import CASES, cases
from tests.support.run_size import SIZE

FEW = settings(max_examples=SIZE.examples // 4)  # of each case: many cases are of one test
SAME = 1e-9  # chances that differ by less are equal
STEPS = 20  # values are twentieths, so that many of them are equal


ALONE = [case for case in CASES if not case.joint]
JOINT = [case for case in CASES if case.joint]
TWO_SIDED = [case for case in CASES if case.alternative == "two-sided"]
SCALE_FREE = [case for case in CASES if not getattr(case, "margin", 0)]
ORDINAL = [case for case in SCALE_FREE if case.requires <= Scale.ORDINAL]
WITHIN_TOPICS = [case for case in ORDINAL if case.name in ("sign", "nemenyi")]  # METHODS: one order for each topic
# Tests on ranks of values compare these bit for bit.
OF_DIFFERENCES = [case for case in CASES if case.name not in ("rank-sum", "rank-tukey", "nemenyi")]
DRAWING = [case for case in CASES if hasattr(case, "draws")]


@dataclass(frozen=True)
class Steps:
    """Values (topic, run) as whole numbers of steps."""

    cells: tuple[tuple[int, ...], ...]

    @property
    def values(self) -> Matrix:
        return np.array(self.cells, dtype=float) / STEPS


@st.composite
def matrices(draw: st.DrawFn, *, topics: int = 2, runs: int = 2) -> Steps:
    """Values of at least so many topics and runs, with ties within topics and between them."""
    wide = draw(st.integers(runs, 4))
    row = st.tuples(*[st.integers(0, STEPS)] * wide)
    return Steps(tuple(draw(st.lists(row, min_size=topics, max_size=8))))


def answer(test: PairTest, values: Matrix, pairs: list[tuple[int, int]] | None = None, **asked: Any) -> Answer:
    """What a test says of some pairs, of all where none are given."""
    chosen = Pairs.every(values) if pairs is None else Pairs.given(values, pairs)
    return test.compare(chosen, Asked(**{"threads": 1} | asked))


def chance(test: PairTest, found: Answer) -> NDArray[np.float64]:
    """The p-values: of tests that look at all pairs at once the corrected ones."""
    if not test.joint:
        assert found.adjusted is None
        return found.p
    assert found.adjusted is not None
    return found.adjusted


def drawn(found: Answer) -> bool:
    """Whether anything was left to chance."""
    return any("draw" in note for note in found.note)


def turned(test: PairTest) -> PairTest:
    """The test that asks the same of b and a."""
    other = {"greater": "less", "less": "greater"}
    return adapt(test, alternative=other.get(test.alternative))


def assert_same(test: PairTest, one: Answer, other: Answer) -> None:
    np.testing.assert_allclose(chance(test, one), chance(test, other), rtol=SAME, atol=SAME)
    np.testing.assert_allclose(one.effect, other.effect, rtol=1e-6, atol=SAME)
    np.testing.assert_array_equal(one.n, other.n)


def test_every_test_has_its_cases() -> None:
    assert {case.name for case in CASES} == set(TESTS.names())
    assert {str(case) for case in CASES} > {"t(alternative='less')", "signed-rank(zeros='pratt')", "tukey(df='inf')"}
    for some in (ALONE, JOINT, ORDINAL, WITHIN_TOPICS, DRAWING):
        assert some


@FEW
@pytest.mark.parametrize("test", CASES, ids=str)
@given(steps=matrices(), place=st.integers(0, 3))
def test_identical_runs_do_not_differ(test: PairTest, steps: Steps, place: int) -> None:
    values = steps.values
    copied = values[:, [place % values.shape[1]]]
    found = answer(test, np.concatenate([copied, copied, values], axis=1), [(0, 1), (1, 0)])
    assert chance(test, found).tolist() == [0.0 if test.equivalence else 1.0] * 2
    assert not np.isnan(found.statistic).any()
    assert found.effect.tolist() == [0.5 if test.effect == "share" else 0.0] * 2


@pytest.mark.parametrize("test", [case for case in ALONE if not case.equivalence], ids=str)
def test_identical_runs_do_not_differ_in_one_topic(test: PairTest) -> None:
    found = answer(test, np.full((1, 2), 0.3))
    assert found.p.tolist() == [1.0]
    assert not np.isnan([found.statistic, found.effect]).any()


@FEW
@pytest.mark.parametrize("test", CASES, ids=str)
@given(steps=matrices())
def test_chances_lie_between_0_and_1(test: PairTest, steps: Steps) -> None:
    found = answer(test, steps.values)
    p = chance(test, found)
    assert ((p >= 0) & (p <= 1)).all()
    certain = [note for note, each in zip(found.notes(), p.tolist(), strict=True) if each == 0]
    allowed = ("the same difference in every topic", "the error is 0")
    assert all(any(text in note for text in allowed) for note in certain)
    if found.low is not None and found.high is not None:
        whole = ~np.isnan(found.low) & ~np.isnan(found.high)
        assert (found.low[whole] <= found.high[whole]).all()


@FEW
@pytest.mark.parametrize("test", CASES, ids=str)
@given(steps=matrices())
def test_b_beside_a_is_a_beside_b(test: PairTest, steps: Steps) -> None:
    values = steps.values
    there, back = answer(test, values, [(0, 1)]), answer(turned(test), values, [(1, 0)])
    np.testing.assert_allclose(chance(test, there), chance(test, back), rtol=SAME, atol=SAME)
    mirrored = 1 - back.effect if test.effect == "share" else -back.effect
    np.testing.assert_allclose(there.effect, mirrored, rtol=1e-6, atol=SAME)
    np.testing.assert_array_equal(there.n, back.n)
    for end, other in ((there.low, back.high), (there.high, back.low)):
        if end is not None and other is not None:
            np.testing.assert_allclose(end, -other, rtol=1e-6, atol=SAME)
    ahead, behind = (Pairs.given(values, [pair]).mean_difference.tolist() for pair in ((0, 1), (1, 0)))
    assert ahead == [-difference for difference in behind]


@FEW
@pytest.mark.parametrize("test", CASES, ids=str)
@given(steps=matrices(topics=4), more=st.lists(st.integers(1, 5), min_size=8, max_size=8))
def test_b_ahead_everywhere_is_b_ahead(test: PairTest, steps: Steps, more: list[int]) -> None:
    ahead = steps.values[:, 0] + 5 * np.array(more[: len(steps.cells)]) / STEPS  # beyond every margin
    values = np.column_stack([steps.values[:, 0], ahead])
    found = answer(test, values)
    assert (found.effect > (0.5 if test.effect == "share" else 0)).all()
    if found.low is not None and found.high is not None and test.alternative == "two-sided":
        assert not (found.high <= 0).any()  # NaN: too few topics for a finite interval
    if test.alternative == "greater":
        other = answer(turned(test), values)
        assert (chance(test, found) < chance(test, other)).all()
        assert (chance(test, other) >= 0.5).all()
    if test.equivalence:
        assert (found.p > 0.5).all()


@FEW
@pytest.mark.parametrize("test", [case for case in CASES if case.alternative == "greater"], ids=str)
@given(steps=matrices())
def test_two_sides_are_as_likely_as_one_twice(test: PairTest, steps: Steps) -> None:
    both = answer(adapt(test, alternative="two-sided"), steps.values)
    sides = [answer(side, steps.values) for side in (test, turned(test))]
    if drawn(both) or test.name == "bootstrap" or test.joint:  # counts of both ends, and of all pairs, are their own
        return
    least = np.minimum(*(side.p for side in sides))
    np.testing.assert_allclose(both.p, np.minimum(1.0, 2 * least), rtol=SAME, atol=SAME)


@FEW
@pytest.mark.parametrize("test", CASES, ids=str)
@given(steps=matrices(), data=st.data())
def test_the_order_of_topics_does_not_matter(test: PairTest, steps: Steps, data: st.DataObject) -> None:
    values = steps.values
    order = data.draw(st.permutations(range(len(values))))
    one, other = answer(test, values), answer(test, values[order])
    if not drawn(one):
        assert_same(test, one, other)
    np.testing.assert_array_equal(one.n, other.n)


@FEW
@pytest.mark.parametrize("test", ALONE, ids=str)
@given(steps=matrices(runs=3))
def test_a_pair_does_not_see_other_runs(test: PairTest, steps: Steps) -> None:
    values = steps.values
    every = answer(test, values)
    pairs = Pairs.every(values)
    for i, (a, b) in enumerate(zip(pairs.a, pairs.b, strict=True)):
        alone = answer(test, values[:, [a, b]])
        np.testing.assert_allclose(alone.p, every.p[[i]], rtol=SAME, atol=SAME)
        np.testing.assert_allclose(alone.effect, every.effect[[i]], rtol=1e-6, atol=SAME)


@FEW
@pytest.mark.parametrize("test", CASES, ids=str)
@given(steps=matrices(runs=3), data=st.data())
def test_the_order_of_runs_does_not_matter(test: PairTest, steps: Steps, data: st.DataObject) -> None:
    values = steps.values
    order = data.draw(st.permutations(range(values.shape[1])))
    place = np.argsort(order)  # where each run went
    pairs = Pairs.every(values)
    moved = list(zip(place[pairs.a].tolist(), place[pairs.b].tolist(), strict=True))
    one, other = answer(test, values), answer(test, values[:, order], moved)
    if not (drawn(one) and test.joint):  # what is permuted among runs, are places
        assert_same(test, one, other)


@FEW
@pytest.mark.parametrize("test", CASES, ids=str)
@given(steps=matrices())
def test_equal_runs_have_equal_answers(test: PairTest, steps: Steps) -> None:
    values = np.concatenate([steps.values, steps.values[:, [1]]], axis=1)
    found = answer(test, values, [(0, 1), (0, values.shape[1] - 1)])
    p = chance(test, found)
    assert p[0] == pytest.approx(p[1], rel=SAME, abs=SAME)
    assert found.effect[0] == pytest.approx(found.effect[1], rel=1e-6, abs=SAME)


@FEW
@pytest.mark.parametrize("test", SCALE_FREE, ids=str)
@given(steps=matrices(), factor=st.sampled_from([1 / 7, 0.5, 3.0, 10.0, 1000.0]))
def test_the_unit_does_not_matter(test: PairTest, steps: Steps, factor: float) -> None:
    one, other = answer(test, steps.values), answer(test, factor * steps.values)
    assert_same(test, one, other)
    unit = 1.0 if test.effect == "share" else factor  # a proportion of topics has no unit
    for end, scaled in ((one.low, other.low), (one.high, other.high)):
        if end is not None and scaled is not None:
            np.testing.assert_allclose(unit * end, scaled, rtol=1e-6, atol=SAME * factor)


@pytest.mark.parametrize(
    "test", [case for case in CASES if hasattr(case, "margin") and case not in SCALE_FREE], ids=str
)
@given(steps=matrices(), factor=st.sampled_from([0.5, 2.0, 8.0]))  # which floats multiply by without rounding
def test_a_margin_has_the_unit_of_the_values(test: PairTest, steps: Steps, factor: float) -> None:
    larger = adapt(test, margin=factor * test.margin)  # type: ignore[attr-defined]  # so they were chosen
    assert_same(test, answer(test, steps.values), answer(larger, factor * steps.values))


@FEW
@pytest.mark.parametrize("test", [case for case in CASES if case.requires >= Scale.INTERVAL], ids=str)
@given(steps=matrices(), shift=st.sampled_from([-1.0, 0.5, 3.0]))
def test_where_the_scale_begins_does_not_matter(test: PairTest, steps: Steps, shift: float) -> None:
    assert_same(test, answer(test, steps.values), answer(test, steps.values + shift))


def stretched(steps: NDArray[np.int64], gaps: list[int]) -> Matrix:
    """An increasing function of steps: each is as far above the last one as the gaps say."""
    return np.concatenate([[0.0], np.cumsum(gaps)])[steps] / sum(gaps)


gaps = st.lists(st.integers(1, 50), min_size=STEPS, max_size=STEPS)


@FEW
@pytest.mark.parametrize("test", ORDINAL, ids=str)
@given(steps=matrices(), gaps=gaps)
def test_what_needs_only_order_sees_only_order(test: PairTest, steps: Steps, gaps: list[int]) -> None:
    bent = stretched(np.array(steps.cells), gaps)
    assert_same(test, answer(test, steps.values), answer(test, bent))


@FEW
@pytest.mark.parametrize("test", WITHIN_TOPICS, ids=str)
@given(steps=matrices(), data=st.data())
def test_each_topic_may_have_a_scale_of_its_own(test: PairTest, steps: Steps, data: st.DataObject) -> None:
    bent = np.array([stretched(np.array(row), data.draw(gaps)) for row in steps.cells])
    assert_same(test, answer(test, steps.values), answer(test, bent))


@FEW
@pytest.mark.parametrize("test", OF_DIFFERENCES, ids=str)
@given(steps=matrices(), data=st.data())
def test_differences_equal_as_decimals_are_equal(test: PairTest, steps: Steps, data: st.DataObject) -> None:
    tenths = np.array(steps.cells)
    away = np.array([data.draw(st.tuples(*[st.integers(0, 4)] * len(row))) for row in steps.cells])
    rounded = (tenths + away) / 10 - away / 10  # 0.3 − 0.1 and 0.2
    assert_same(test, answer(test, tenths / 10), answer(test, rounded))


def with_holes(data: st.DataObject, values: Matrix) -> Matrix:
    gone = np.array([data.draw(st.tuples(*[st.booleans()] * len(row))) for row in values])
    return np.where(gone, np.nan, values)


@FEW
@pytest.mark.parametrize("test", ALONE, ids=str)
@given(steps=matrices(runs=3), data=st.data())
def test_a_pair_is_compared_where_both_have_a_value(test: PairTest, steps: Steps, data: st.DataObject) -> None:
    values = with_holes(data, steps.values)
    found = answer(test, values)
    pairs = Pairs.every(values)
    for i, (a, b) in enumerate(zip(pairs.a, pairs.b, strict=True)):
        common = values[:, [a, b]][~np.isnan(values[:, [a, b]]).any(axis=1)]
        assert pairs.topics[i] == len(common)
        if not len(common):
            assert np.isnan([found.p[i], found.effect[i], found.statistic[i], pairs.mean_difference[i]]).all()
            assert "no topic in which both have a value" in found.notes()[i]
            continue
        alone = answer(test, common)
        assert found.n[i] == alone.n[0]
        assert pairs.mean_difference[i] == pytest.approx((common[:, 1] - common[:, 0]).mean(), abs=1e-12)
        assert found.effect[i] == pytest.approx(alone.effect[0], rel=1e-6, abs=SAME, nan_ok=True)
        if "draw" not in found.notes()[i] or test.name == "bootstrap":  # flips belong to places of topics
            assert found.p[i] == pytest.approx(alone.p[0], rel=SAME, abs=SAME, nan_ok=True)


@FEW
@pytest.mark.parametrize("test", JOINT, ids=str)
@given(steps=matrices(runs=3), data=st.data())
def test_all_pairs_are_compared_where_every_run_has_a_value(test: PairTest, steps: Steps, data: st.DataObject) -> None:
    values = with_holes(data, steps.values)
    whole = values[~np.isnan(values).any(axis=1)]
    if len(whole) < 2:
        values, whole = np.concatenate([values, steps.values]), np.concatenate([whole, steps.values])
    assert_same(test, answer(test, values), answer(test, whole))


@pytest.mark.parametrize("test", JOINT, ids=str)
def test_without_a_common_topic_all_pairs_cannot_be_compared(test: PairTest) -> None:
    with pytest.raises(ParameterError, match="no topic in which every run has a value"):
        answer(test, np.array([[0.1, np.nan], [np.nan, 0.2]]))


def many_topics(kind: str) -> Matrix:
    """Values of 60 topics, more than what is listed, counted or worked out exactly: in steps, or of any size."""
    values = np.random.default_rng(11).beta(1, 2, (60, 3))
    return np.rint(values * STEPS) / STEPS if kind == "steps" else values


FOR_MANY = [case for case in CASES if not (case.name == "bootstrap" and getattr(case, "exact", "") == "always")]


@pytest.mark.parametrize("kind", ["steps", "any"])
@pytest.mark.parametrize("test", FOR_MANY, ids=str)
def test_many_topics(test: PairTest, kind: str) -> None:
    values = many_topics(kind)
    if kind == "any" and getattr(test, "exact", "") == "always" and test.name == "randomisation":
        with pytest.raises(ParameterError, match="cannot be counted"):
            answer(test, values)
        return
    found = answer(test, values)
    p = chance(test, found)
    assert ((p > 0) & (p <= 1)).all()
    pairs = Pairs.every(values)
    swapped = Pairs(values, pairs.b, pairs.a)
    back = turned(test).compare(swapped, Asked(threads=1))
    np.testing.assert_allclose(p, chance(test, back), rtol=1e-6, atol=SAME)
    if not getattr(test, "margin", 0):
        assert_same(test, found, answer(test, 3 * values))
    if not drawn(found):
        assert_same(test, found, answer(test, values[::-1]))
    rounded = (values + 0.7) - 0.7
    assert_same(test, found, answer(test, rounded))
    same = answer(test, values[:, [0, 0, 1]], [(0, 1)])
    assert chance(test, same).tolist() == [0.0 if test.equivalence else 1.0]


@pytest.mark.parametrize("test", [adapt(case, draws=600) for case in DRAWING], ids=str)  # three blocks of draws
def test_threads_and_seeds(test: PairTest) -> None:
    values = np.random.default_rng(7).random((8, 4))
    one, two, again = (chance(test, answer(test, values, threads=threads)) for threads in (1, 2, 1))
    assert one.tolist() == two.tolist() == again.tolist()
    other = answer(test, values, seed=1)
    if drawn(other):
        assert chance(test, other).tolist() != one.tolist()
        assert chance(test, other) * 601 == pytest.approx(np.rint(chance(test, other) * 601))  # (count + 1) / 601


@pytest.mark.parametrize("test", CASES, ids=str)
def test_what_is_written_can_be_read(test: PairTest) -> None:
    assert parse_tests(str(test)) == [test]
    assert hash(parse_method(TESTS, str(test))) == hash(test)


@pytest.mark.parametrize("catalogue", CATALOGUES, ids=lambda catalogue: catalogue.kind)
def test_every_method_can_be_written_and_read(catalogue: Catalogue[Any]) -> None:
    for case in cases(catalogue):
        assert parse_method(catalogue, str(case)) == case
        for name in (case.name, *case.aliases, case.name.upper(), case.name.replace("-", "_")):
            assert type(parse_method(catalogue, name)) is type(case)


@pytest.mark.parametrize("analysis", [case for case in cases(OMNIBUS) if case.requires <= Scale.ORDINAL], ids=str)
@given(steps=matrices(), gaps=gaps)
def test_analyses_of_ranks_see_only_order(analysis: Omnibus, steps: Steps, gaps: list[int]) -> None:
    bent = stretched(np.array(steps.cells), gaps)
    one, other = ([row.p for row in analysis.sources(values)] for values in (steps.values, bent))
    assert one == pytest.approx(other, rel=SAME, abs=SAME)


@pytest.mark.parametrize("analysis", cases(OMNIBUS), ids=str)
@given(steps=matrices(), place=st.integers(0, 3))
def test_analyses_of_identical_runs_find_nothing(analysis: Omnibus, steps: Steps, place: int) -> None:
    values = steps.values[:, [place % len(steps.cells[0])] * 3]
    rows = {row.source: row for row in analysis.sources(values) if row.source.startswith("system")}
    assert rows
    assert {row.p for row in rows.values()} == {1.0}
    assert not np.isnan([row.statistic for row in rows.values()]).any()


chances = st.lists(st.floats(0, 1) | st.just(float("nan")), min_size=1, max_size=12)


@pytest.mark.parametrize("correction", cases(CORRECTIONS), ids=str)
@given(p=chances, data=st.data())
def test_a_correction_never_lowers_a_chance(correction: Correction, p: list[float], data: st.DataObject) -> None:
    raw = np.array(p)
    adjusted = correction.adjust(raw)
    asked = ~np.isnan(raw)
    assert (np.isnan(adjusted) == np.isnan(raw)).all()
    assert (adjusted[asked] >= raw[asked] * (1 - 1e-12)).all()
    assert (adjusted[asked] <= 1).all()
    upwards = adjusted[asked][np.argsort(raw[asked], kind="stable")]
    assert (np.diff(upwards) >= -1e-15).all()  # who was more certain still is
    order = data.draw(st.permutations(range(len(p))))
    np.testing.assert_allclose(correction.adjust(raw[order]), adjusted[order], rtol=1e-12)
    np.testing.assert_allclose(correction.adjust(raw[asked]), adjusted[asked], rtol=1e-12)


@pytest.mark.parametrize("correction", cases(CORRECTIONS), ids=str)
@given(p=st.floats(0, 1))
def test_a_single_question_needs_no_correction(correction: Correction, p: float) -> None:
    assert correction.adjust(np.array([p])).tolist() == [p]


@pytest.mark.parametrize("effect", cases(EFFECTS), ids=str)
@given(steps=matrices())
def test_effects_mirror(effect: Any, steps: Steps) -> None:
    there, back = (effect.size(Pairs.given(steps.values, [pair])) for pair in ((0, 1), (1, 0)))
    np.testing.assert_allclose(there, 1 - back if effect.name == "share" else -back, rtol=1e-6, atol=SAME)


@pytest.mark.parametrize("interval", cases(INTERVALS), ids=str)
@given(steps=matrices())
def test_intervals_hold_the_mean_difference(interval: Any, steps: Steps) -> None:
    pairs = Pairs.every(steps.values)
    low, high = interval.of(pairs, Asked(threads=1))
    assert (low <= high).all()
    if interval.name == "t":
        assert (low <= pairs.mean_difference + SAME).all()
        assert (pairs.mean_difference <= high + SAME).all()


@pytest.mark.parametrize("transform", cases(TRANSFORMS), ids=str)
@given(steps=matrices())
def test_transforms_keep_the_order_within_topics(transform: Any, steps: Steps) -> None:
    before, after = Pairs.every(steps.values), Pairs.every(transform.apply(steps.values))
    assert (before.sign * after.sign >= 0).all()
