"""Rankings that are read after others, and some of the runs by themselves."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cranfield.core import ParameterError
from cranfield.data import Assessed, assess
from cranfield.measures import AP, NDCG, NRG, RBP, Measure, P, TaSC, parse_measure
from tests.support.simulations.random_campaigns import Campaign, random_campaign

MEASURES: list[Measure] = [
    AP(),
    NDCG(k=3),
    P(k=5),
    RBP(judged_only=True),
    parse_measure("TBG"),
    parse_measure("Judged@4"),
]


def campaign(seed: int = 1) -> Campaign:
    """Three runs: bm25, dense, mixed."""
    return random_campaign(seed)


def others(runs: int = 3) -> NDArray[np.bool_]:
    return ~np.eye(runs, dtype=np.bool_)


def values(assessed: Assessed, *measures: Measure) -> NDArray[np.float64]:
    return assessed.map(measures or MEASURES)


def test_rankings_that_are_read_after_others_stay_what_they_are() -> None:
    assessed = campaign().assessed()
    after = assessed.after(others())
    assert assessed.prior is None
    assert after.prior is not None
    assert (after.runs, after.topics, repr(after)) == (assessed.runs, assessed.topics, repr(assessed))
    np.testing.assert_array_equal(values(after), values(assessed))
    assert (values(after, NRG()) < values(assessed, NRG())).any()
    np.testing.assert_array_equal(values(after.after(None), NRG()), values(assessed, NRG()))


@pytest.mark.parametrize(
    "wrong",
    [
        np.zeros((2, 3), np.bool_),
        np.zeros((4, 4), np.bool_),
        np.zeros(3, np.bool_),
        np.eye(3, dtype=np.bool_),
        np.ones((3, 3), np.bool_),
    ],
    ids=["too few rows", "too many runs", "one row", "a run before itself", "everybody"],
)
def test_a_prior_says_of_each_run_which_others_are_known(wrong: NDArray[np.bool_]) -> None:
    with pytest.raises(ParameterError, match=r"which others are known\nhint: \(run, run\), no run its own"):
        campaign().assessed().after(wrong)


def test_other_grades_leave_the_prior() -> None:
    assessed = campaign().assessed().after(others())
    again = assessed.with_grades(np.where(assessed.grade >= 1, 1.0, assessed.grade))
    assert again.prior is assessed.prior
    assert again.ideal.prior is None


def test_a_part_of_the_documents_is_read_after_the_same_rankings() -> None:
    assessed = campaign().assessed()
    relevant = assessed.grade >= 1
    one, other = assessed.after(others()).only(relevant), assessed.only(relevant).after(others())
    condensed = [NRG(of=NDCG(judged_only=True)), TaSC(of=RBP(judged_only=True)), RBP(judged_only=True)]
    np.testing.assert_array_equal(values(other, *condensed), values(one, *condensed))
    np.testing.assert_array_equal(values(one, *condensed), values(assessed.after(others()), *condensed))


def test_a_part_down_to_a_rank() -> None:
    assessed = campaign().assessed()
    judged = assessed.grade >= 0
    for reach in (1, 3, 10_000):
        near = assessed.only(judged, reach)
        kept = judged[assessed.document] & (assessed.rank <= reach)
        assert near.rank.tolist() == assessed.rank[kept].tolist()
        assert near.document.tolist() == assessed.document[kept].tolist()
        assert near.row.tolist() == assessed.row[kept].tolist()
        assert near.judged.tolist() == assessed.judged[kept].tolist()
        assert near.retrieved.tolist() == assessed.retrieved.tolist()
    assert assessed.only(np.ones_like(judged)) is assessed


def test_what_follows_from_rankings_is_made_once_for_whoever_shows_them() -> None:
    assessed = campaign().assessed()
    made: list[str] = []

    def ask(of: Assessed, word: str) -> str:
        def make() -> str:
            made.append(word)
            return word

        return of.once_here("word", make)

    assert (
        ask(assessed, "first") == ask(assessed, "second") == ask(assessed.only(assessed.grade >= 1), "third") == "first"
    )
    assert ask(assessed.after(others()), "other prior") == "other prior"
    assert ask(assessed.of_runs([0]), "other runs") == "other runs"
    assert ask(assessed.with_grades(assessed.grade), "other grades") == "other grades"
    assert made == ["first", "other prior", "other runs", "other grades"]


def test_what_follows_from_the_judgments_is_shared() -> None:
    assessed = campaign().assessed()
    best = assessed.at_best(NDCG(k=3))
    assert assessed.after(others()).at_best(NDCG(k=3)) is best
    assert assessed.of_runs([2, 0]).at_best(NDCG(k=3)) is best


@pytest.mark.parametrize("chosen", [[0], [2], [1, 0], [2, 0, 1], [0, 1, 2]])
@pytest.mark.parametrize("lengths", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_some_runs_are_what_they_would_be_alone(chosen: list[int], lengths: bool, seed: int) -> None:
    given = campaign(seed)
    options: dict[str, Any] = {"lengths": given.lengths} if lengths else {}
    whole = given.assessed(**options)
    names = [whole.runs[place] for place in chosen]
    some = whole.of_runs(chosen)
    alone = Campaign(
        given.qrels, {name: given.runs[name] for name in names}, given.lengths, given.subtopics, given.groups
    ).assessed(**options)
    assert some.runs == alone.runs == tuple(names)
    for field in ("starts", "document", "rank", "tie_first", "tie_last", "retrieved", "tied", "judged", "pooled"):
        assert getattr(some, field).tolist() == getattr(alone, field).tolist(), field
    if lengths:
        assert some.above is not None
        assert alone.above is not None
        np.testing.assert_array_equal(some.above, alone.above)
    np.testing.assert_array_equal(values(some), values(alone))
    np.testing.assert_array_equal(values(some), values(whole)[chosen])


def test_before_some_of_the_runs_nothing_is_known() -> None:
    some = campaign().assessed().after(others()).of_runs([1, 2])
    assert some.prior is None
    assert some.missing.shape == (2, len(some.topics))
    known = np.array([[False, True], [False, False]])
    assert (values(some.after(known), NRG()) <= 1).all()


def test_a_run_may_stand_there_twice() -> None:
    """Whoever reads a run for the second time finds nothing new in its first place."""
    assessed = assess({"1": {"a": 1}}, {"run": {"1": {"a": 1.0}}}).of_runs([0, 0])
    assert assessed.runs == ("run", "run")
    found = values(assessed.after(np.array([[False, False], [True, False]])), NRG())
    assert found[:, 0, 0].tolist() == [1.0, 0.0]
