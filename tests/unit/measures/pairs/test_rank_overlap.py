"""Rank-biased overlap: the definition of webber2010, added up depth by depth."""

import math
from collections.abc import Sequence
from itertools import pairwise, permutations, product
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cranfield.core import ParameterError
from cranfield.data import Run, read_run
from cranfield.measures import TIED, Overlap, overlap_by_topic, rbo
from tests.support.simulations.random_campaigns import random_campaign

DEEP = 5000  # 0.98^5000 is below 1e-43
CLOSE = 1e-12

rankings = st.lists(st.integers(0, 15), unique=True, min_size=1, max_size=12)
chances = st.sampled_from([0.1, 0.5, 0.9, 0.98])


def definition(a: Sequence[object], b: Sequence[object], p: float) -> float:
    """(1 − p) · Σ_d p^(d−1) · |a[:d] ∩ b[:d]| / d, two long rankings followed down."""
    seen_a, seen_b, shared, total = set(), set(), 0, []
    for d, (one, other) in enumerate(zip(a, b, strict=True), 1):
        seen_a.add(one)
        shared += one in seen_b
        seen_b.add(other)
        shared += other in seen_a
        total.append(p ** (d - 1) * shared / d)
    return (1 - p) * math.fsum(total)


def apart(a: Sequence[int], b: Sequence[int]) -> tuple[list[object], list[object]]:
    """The same rankings, going on with documents that the other never has."""
    return [*a, *(f"a{i}" for i in range(len(a), DEEP))], [*b, *(f"b{i}" for i in range(len(b), DEEP))]


def together(a: Sequence[int], b: Sequence[int]) -> tuple[list[object], list[object]]:
    """The same rankings, going on to agree as soon as they can."""
    short, long = sorted(([*a], [*b]), key=len)
    wanted_by_short = [document for document in long if document not in short]
    wanted_by_long = [document for document in short if document not in long]
    one: list[object] = [*short]
    other: list[object] = [*long]
    for d in range(len(short), DEEP):
        if d >= len(long):
            other.append(wanted_by_long.pop(0) if wanted_by_long else -d)
        if d >= len(long) and not wanted_by_long and other[-1] == -d:
            wanted_by_short.append(-d)
        one.append(wanted_by_short.pop(0))
    return one, other


def as_so_far(a: Sequence[int], b: Sequence[int], p: float) -> float:
    """The agreement extrapolated rank by rank: where one ends as at its end, where both end as there (§4.4)."""
    short, long = sorted((len(a), len(b)))
    at_short = len(set(a[:short]) & set(b[:short]))

    def agreement(d: int) -> float:
        there = min(d, long)
        shared = len(set(a[:there]) & set(b[:there])) + at_short * max(there - short, 0) / short
        return shared / there

    last = agreement(long)
    terms = [p ** (d - 1) * (agreement(d) if d <= long else last) for d in range(1, DEEP)]
    return (1 - p) * math.fsum(terms)


@given(a=rankings, b=rankings, p=chances)
def test_the_least_overlap_is_that_of_rankings_that_go_on_apart(a: list[int], b: list[int], p: float) -> None:
    assert rbo(a, b, p=p).low == pytest.approx(definition(*apart(a, b), p), abs=CLOSE)


@given(a=rankings, b=rankings, p=chances)
def test_the_most_overlap_is_that_of_rankings_that_go_on_together(a: list[int], b: list[int], p: float) -> None:
    found = rbo(a, b, p=p)
    assert found.low + found.residual == pytest.approx(definition(*together(a, b), p), abs=CLOSE)


@given(a=rankings, b=rankings, p=chances)
def test_the_extrapolated_overlap_goes_on_as_so_far(a: list[int], b: list[int], p: float) -> None:
    assert rbo(a, b, p=p).extrapolated == pytest.approx(as_so_far(a, b, p), abs=CLOSE)


@given(a=rankings, b=rankings, p=chances, depth=st.integers(1, 15))
def test_a_depth_cuts_both_rankings(a: list[int], b: list[int], p: float, depth: int) -> None:
    assert rbo(a, b, p=p, depth=depth) == rbo(a[:depth], b[:depth], p=p)


@given(a=rankings, b=rankings, p=chances)
@example(a=[0, 1, 2], b=[0, 2, 3, 1], p=0.9)  # sums in another order differ in the last bit
def test_it_is_the_same_from_both_sides_and_lies_between_its_bounds(a: list[int], b: list[int], p: float) -> None:
    found = rbo(a, b, p=p)
    assert found == rbo(b, a, p=p)
    bounds = [0, found.low, found.extrapolated, found.low + found.residual, 1]
    assert all(less <= more + CLOSE for less, more in pairwise(bounds))


@pytest.mark.parametrize("p", [0.1, 0.9, 0.98])
def test_a_ranking_agrees_with_itself(p: float) -> None:
    for length in (1, 10, 300):
        assert rbo(range(length), range(length), p=p).extrapolated == pytest.approx(1, abs=CLOSE)


def test_the_weight_of_the_first_ranks_is_that_of_the_paper() -> None:
    # webber2010 §4.2: with p = .9 the first 10 ranks have 86 % of the weight.
    assert round(rbo(range(10), range(10), p=0.9).low, 2) == 0.86


def test_worked_by_hand() -> None:
    # Shared: nothing at depth 1, both at depth 2. Beyond, X = 2: Σ_{d≥2} 2/d · 2^−d = 2·(ln 2 − 1/2).
    found = rbo("ab", "ba", p=0.5)
    assert found.low == pytest.approx(2 * (math.log(2) - 1 / 2), abs=CLOSE)
    assert found.low + found.residual == pytest.approx(1 / 2, abs=CLOSE), "all but the first rank"
    assert found.extrapolated == pytest.approx(1 / 2, abs=CLOSE)
    assert rbo("ab", "cd", p=0.5).low == rbo("ab", "cd", p=0.5).extrapolated == 0


def test_an_empty_ranking_may_be_anything() -> None:
    for a, b in (("", "abc"), ("abc", ""), ("", "")):
        found = rbo(a, b)
        assert found.low == 0
        assert found.residual == pytest.approx(1, abs=CLOSE)
        assert math.isnan(found.extrapolated)


@pytest.mark.parametrize("wrong", [{"p": 0}, {"p": 1}, {"p": math.nan}, {"depth": 0}])
def test_what_cannot_be_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ParameterError, match=r"cannot .*\nhint: "):
        rbo("ab", "ab", **wrong)  # type: ignore[arg-type]
    run = read_run({"1": {"a": 1.0}}, name="run")
    with pytest.raises(ParameterError, match=r"cannot .*\nhint: "):
        overlap_by_topic(run, run, **wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(("a", "b"), [("aba", "abc"), ("abc", "aba")])
def test_a_document_twice_is_refused(a: str, b: str) -> None:
    with pytest.raises(ParameterError, match=r"a ranking holds a document twice\nhint: "):
        rbo(a, b)


def documents(run: Run) -> dict[str, list[str]]:
    """The rankings of a run."""
    found = run.document.to_list()
    starts = run.starts.tolist()
    return {t: found[i:j] for t, i, j in zip(run.topics.to_list(), starts, starts[1:], strict=False)}


@pytest.mark.parametrize("depth", [None, 1, 5])
@pytest.mark.parametrize("seed", range(15))
def test_runs_overlap_topic_by_topic(seed: int, depth: int | None) -> None:
    campaign = random_campaign(seed)
    ties = Random(seed).choice(["trec", "docno-asc", "input"])
    a, b = (read_run(campaign.runs[name], name=name, ties=ties) for name in ("bm25", "dense"))
    table = overlap_by_topic(a, b, p=0.8, depth=depth)
    assert table.columns == ("topic", "low", "residual", "extrapolated")
    one, other = documents(a), documents(b)
    assert sorted(table.cells("topic"), key=str) == sorted({*one, *other})
    for row in table.rows():
        topic = str(row["topic"])
        expected = rbo(one.get(topic, []), other.get(topic, []), p=0.8, depth=depth)
        extrapolated = math.nan if row["extrapolated"] is None else row["extrapolated"]
        found = Overlap(row["low"], row["residual"], extrapolated)  # type: ignore[arg-type]
        assert found.low == pytest.approx(expected.low, abs=CLOSE)
        assert found.residual == pytest.approx(expected.residual, abs=CLOSE)
        assert found.extrapolated == pytest.approx(expected.extrapolated, abs=CLOSE, nan_ok=True)


def test_the_table_says_what_it_was_made_of() -> None:
    a, b = read_run({"1": {"x": 1.0}}, name="one"), read_run({"1": {"x": 1.0}}, name="two")
    table = overlap_by_topic(a, b)
    assert table.caption == "rank-biased overlap of one and two, p = 0.9"
    assert table.made_by is not None
    assert [source.digest for source in table.made_by.inputs] == [a.source.digest, b.source.digest]


def test_runs_without_a_common_topic_are_refused() -> None:
    a, b = read_run({"1": {"x": 1.0}}, name="one"), read_run({"2": {"x": 1.0}}, name="two")
    with pytest.raises(ParameterError, match=r"one and two have no topic in common\nhint: "):
        overlap_by_topic(a, b)


def orders(ranking: Sequence[frozenset[str]]) -> list[list[str]]:
    """Every order of a ranking with ties."""
    several = [permutations(sorted(group)) for group in ranking]
    return [[document for group in chosen for document in group] for chosen in product(*several)]


def test_ties_in_any_order_have_the_mean_of_all_orders() -> None:
    a = [frozenset("ab"), frozenset("cde"), frozenset("f")]
    b = [frozenset("a"), frozenset("cf"), frozenset("b"), frozenset("de")]
    each = [rbo(one, other, p=0.9) for one in orders(a) for other in orders(b)]
    found = rbo(a, b, p=0.9, ties="a")
    assert found.low == pytest.approx(math.fsum(one.low for one in each) / len(each), abs=CLOSE)
    assert found.extrapolated == pytest.approx(math.fsum(one.extrapolated for one in each) / len(each), abs=CLOSE)


def test_what_ties_mean_to_a_ranking_beside_itself() -> None:
    a = [frozenset("ab"), frozenset("c")]
    # Equal documents agree wholly at every depth; of documents in any order a reader of the first sees 1/2 · 1/2 twice.
    assert rbo(a, a, p=0.5, ties="w").extrapolated == pytest.approx(1, abs=CLOSE)
    assert rbo(a, a, p=0.5, ties="b").extrapolated == pytest.approx(1, abs=CLOSE)
    assert rbo(a, a, p=0.5, ties="a").extrapolated == pytest.approx(1 / 2 * 1 / 2 + 1 / 2, abs=CLOSE)


def test_rankings_without_ties_have_one_overlap() -> None:
    a, b = list("abcdef"), list("bahgc")
    for ties in TIED:
        found, plain = rbo(a, b, p=0.8, ties=ties), rbo(a, b, p=0.8)
        assert found.low == pytest.approx(plain.low, abs=CLOSE)
        assert found.residual == pytest.approx(plain.residual, abs=CLOSE)
        assert found.extrapolated == pytest.approx(plain.extrapolated, abs=CLOSE)


def test_ties_of_runs_are_documents_of_one_score() -> None:
    a = read_run({"1": {"a": 2.0, "b": 2.0, "c": 1.0}, "2": {"x": 1.0}}, name="a")
    b = read_run({"1": {"b": 3.0, "a": 2.0, "c": 1.0}, "3": {"x": 1.0}}, name="b")
    table = overlap_by_topic(a, b, p=0.7, ties="a")
    mean = (rbo(list("abc"), list("bac"), p=0.7).extrapolated + 1) / 2
    assert table.cells("topic") == ["1", "2", "3"]
    assert table.cells("extrapolated")[0] == pytest.approx(mean, abs=CLOSE)
    assert table.cells("extrapolated")[1:] == [None, None]
    # A tie that begins above the cut stays whole.
    cut = overlap_by_topic(a, b, p=0.7, depth=1, ties="w").cells("low")[0]
    assert cut == rbo([frozenset("ab")], ["b"], p=0.7, ties="w").low


def test_ties_have_three_meanings() -> None:
    with pytest.raises(ParameterError, match="ties of rankings cannot be 'c'"):
        rbo(["a"], ["a"], ties="c")  # type: ignore[arg-type]
