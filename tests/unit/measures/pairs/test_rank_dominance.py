"""Dominance of one ranking over another, and the rank of the first relevant document."""

import numpy as np
import pytest

import cranfield as cf
from cranfield.data import Assessed, assess, read_qrels
from cranfield.measures import dominate, first_ranks
from cranfield.measures.pairs import rank_dominance as kernel

A, B, EQUAL, INCOMPARABLE = -1, 1, 0, 2  # who dominates
GRADES = {"x": 3, "y": 2, "z": 1, "w": 1, "n": 0, "s": -2}  # any other letter is a document that nobody judged

Grades = dict[str, float]


def ranked(qrels: dict[str, Grades], *runs: dict[str, str]) -> Assessed:
    """Runs of topics, each a word whose letters are the documents from the top."""
    scores = {
        f"run{r}": {topic: {document: -float(i) for i, document in enumerate(word)} for topic, word in run.items()}
        for r, run in enumerate(runs)
    }
    return assess(read_qrels(qrels, gains=True), scores)


def compare(a: str, b: str, *, grades: Grades | None = None, depth: int = 1000) -> dict[str, int]:
    """Who dominates at each level in one topic; a last one makes every run a run."""
    qrels: dict[str, Grades] = {"1": grades or dict(GRADES), "last": {"n": 0}}
    runs = [{"last": "n"} | ({"1": word} if word else {}) for word in (a, b)]
    found = dominate(ranked(qrels, *runs), [(0, 1)], depth=depth)
    assert found.outcome.shape == (1, len(found.levels), 2)
    assert not found.outcome[:, :, 1].any()
    return dict(zip(found.levels, found.outcome[0, :, 0].tolist(), strict=True))


@pytest.mark.parametrize(
    ("a", "b", "one", "two", "three", "jointly"),
    [
        ("zn", "nz", A, EQUAL, EQUAL, A),  # the same document higher up
        ("z", "y", EQUAL, B, EQUAL, B),  # a better document in its place
        ("yz", "zy", EQUAL, A, EQUAL, A),  # the better one first
        ("zn", "ny", A, B, EQUAL, INCOMPARABLE),  # sooner, or better
        ("ztuw", "tzwu", INCOMPARABLE, EQUAL, EQUAL, INCOMPARABLE),  # from grade 1: 1 1 1 2 against 0 1 2 2
        ("xtuy", "ytux", EQUAL, EQUAL, A, A),
        ("xyz", "xyz", EQUAL, EQUAL, EQUAL, EQUAL),
        ("zn", "wt", EQUAL, EQUAL, EQUAL, EQUAL),  # other documents, the same grades as far as they count
    ],
)
def test_levels_by_hand(a: str, b: str, one: int, two: int, three: int, jointly: int) -> None:
    assert compare(a, b) == {"all": jointly, "1": one, "2": two, "3": three}
    turned = {A: B, B: A}
    back = {"all": jointly, "1": one, "2": two, "3": three}
    assert compare(b, a) == {level: turned.get(outcome, outcome) for level, outcome in back.items()}


def test_a_topic_that_is_missing_is_an_empty_ranking() -> None:
    assert compare("", "nz") == {"all": B, "1": B, "2": EQUAL, "3": EQUAL}
    assert compare("x", "") == {"all": A, "1": A, "2": A, "3": A}
    assert set(compare("", "nst").values()) == {EQUAL}  # nothing relevant was found
    assert set(compare("", "").values()) == {EQUAL}


def test_rankings_of_different_length() -> None:
    assert compare("z", "ztuvnw")["all"] == B  # one more, however deep
    assert compare("tz", "ztuvnw")["all"] == B
    assert compare("tz", "z")["all"] == B
    assert compare("z", "tuvnwx")["all"] == INCOMPARABLE  # sooner, or more
    assert compare("z", "ztuvn")["all"] == EQUAL  # nothing that counts


def test_what_stands_below_the_depth_does_not_count() -> None:
    assert compare("zt", "zw")["all"] == B
    assert compare("zt", "zw", depth=2)["all"] == B
    assert compare("zt", "zw", depth=1)["all"] == EQUAL
    # From grade 1: 1 1 1 2 against 0 1 2 2; the first three ranks cannot be compared, the first alone can.
    assert compare("ztuw", "tzwu", depth=3)["all"] == INCOMPARABLE
    assert compare("ztuw", "tzwu", depth=2)["all"] == A


def test_unjudged_documents_and_grades_up_to_0_count_for_nothing() -> None:
    assert compare("nz", "tz")["all"] == EQUAL
    assert compare("sz", "tz")["all"] == EQUAL
    assert compare("nsz", "stz")["all"] == EQUAL
    assert compare("zs", "sz")["all"] == A


def test_levels_are_the_grades_that_the_judgments_hold() -> None:
    assert list(compare("x", "y", grades={"x": 4, "y": 2})) == ["all", "2", "4"]
    assert list(compare("x", "y", grades={"x": 2.5, "y": 10, "z": 0.5})) == ["all", "0.5", "2.5", "10"]
    # A topic may lack a grade that another has.
    qrels: dict[str, Grades] = {"1": {"x": 1}, "2": {"y": 3}}
    found = dominate(ranked(qrels, {"1": "xt", "2": "yt"}, {"1": "tx", "2": "ty"}), [(0, 1)])
    assert found.levels == ("all", "1", "3")
    assert found.outcome.tolist() == [[[A, A], [A, A], [EQUAL, A]]]


def test_without_relevant_documents_all_is_equal() -> None:
    assert compare("xy", "yx", grades={"x": 0, "y": -1}) == {"all": EQUAL}


@pytest.mark.parametrize(("a", "b"), [(1, 3), (3, 1), (2, 2), (1, None), (None, 4), (None, None)])
def test_a_single_relevant_document_leaves_only_its_rank(a: int | None, b: int | None) -> None:
    words = ["tuv"[: rank - 1] + "x" if rank else "tuv" for rank in (a, b)]
    first, second = (rank or np.inf for rank in (a, b))
    expected = B if second < first else A if first < second else EQUAL
    assert compare(*words, grades={"x": 1}) == {"all": expected, "1": expected}


def campaign(seed: int, *, runs: int, topics: int) -> Assessed:
    """Runs that order nine documents at random, some of them relevant."""
    rng = np.random.default_rng(seed)
    letters = np.array(list("abcdefghi"))
    qrels = {str(t): dict(zip(letters.tolist(), rng.integers(0, 4, 9).tolist(), strict=True)) for t in range(topics)}
    each = [
        {str(t): "".join(rng.permutation(letters)[: rng.integers(1, 10)]) for t in range(topics)} for _ in range(runs)
    ]
    return ranked(qrels, *each)


def test_blocks_of_pairs_change_nothing_and_progress_hears_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    assessed = campaign(1, runs=7, topics=11)
    pairs = [(a, b) for a in range(7) for b in range(7) if a != b]
    heard: list[tuple[int, int]] = []
    whole = dominate(assessed, pairs, progress=lambda done, total: heard.append((done, total)))
    assert heard == [(42, 42)]
    heard.clear()
    monkeypatch.setattr(kernel, "CELLS", 1)
    parts = dominate(assessed, pairs, progress=lambda done, total: heard.append((done, total)))
    assert heard == [(done, 42) for done in range(1, 43)]
    np.testing.assert_array_equal(parts.outcome, whole.outcome)
    assert {A, B, INCOMPARABLE} <= set(whole.outcome[:, 0].flat)
    # The other way round it is the other run.
    turned = {(a, b): row for (a, b), row in zip(pairs, whole.outcome, strict=True)}
    for (a, b), row in turned.items():
        np.testing.assert_array_equal(turned[b, a], np.where(row == INCOMPARABLE, row, -row))


def test_no_pair_has_no_outcome() -> None:
    assert dominate(campaign(2, runs=1, topics=3), []).outcome.shape == (0, 4, 3)


@pytest.mark.parametrize("depth", [0, -1])
def test_a_depth_without_a_document_is_refused(depth: int) -> None:
    assessed = campaign(3, runs=2, topics=1)
    with pytest.raises(cf.ParameterError, match=f"the depth cannot be {depth}"):
        dominate(assessed, [(0, 1)], depth=depth)
    with pytest.raises(cf.ParameterError, match=f"the depth cannot be {depth}"):
        first_ranks(assessed, depth=depth)


def test_ranks_of_the_first_relevant_document_by_hand() -> None:
    qrels: dict[str, Grades] = {"1": dict(GRADES), "2": dict(GRADES), "3": {"n": 0}}
    assessed = ranked(qrels, {"1": "tzx", "2": "nst", "3": "n"}, {"1": "nswy"})
    none = np.nan
    np.testing.assert_array_equal(first_ranks(assessed), [[2, 3], [none, none], [none, none]])
    np.testing.assert_array_equal(first_ranks(assessed, rel=2), [[3, 4], [none, none], [none, none]])
    np.testing.assert_array_equal(first_ranks(assessed, rel=4), np.full((3, 2), none))
    np.testing.assert_array_equal(first_ranks(assessed, depth=2), [[2, none], [none, none], [none, none]])
    np.testing.assert_array_equal(first_ranks(assessed, rel=0), [[2, 1], [1, none], [1, none]])


@pytest.mark.parametrize("rel", [1, 2, 3])
@pytest.mark.parametrize("depth", [None, 1, 4])
def test_ranks_of_the_first_relevant_document_are_what_rr_inverts(rel: int, depth: int | None) -> None:
    assessed = campaign(4, runs=5, topics=20)
    reciprocal = assessed.map([cf.RR(rel=rel, k=depth)])[:, :, 0].T
    rank = first_ranks(assessed, rel=rel, depth=depth)
    np.testing.assert_array_equal(np.where(np.isnan(rank), 0, 1 / rank), reciprocal)
    assert rank.shape == (20, 5)
    assert np.isfinite(rank).any()
