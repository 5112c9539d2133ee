"""The board by topics answered and by rank: by plain loops, by hand, and where do no harm goes in a circle."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from cranfield.core import ParameterError, Provenance
from cranfield.stats import Asked, Bonferroni, Decide, T
from cranfield.stats.boards.facets import facet_board

Numbers = NDArray[np.float64]
NAN = np.nan


def drawn(topics: int, runs: int, seed: int) -> Numbers:
    """(topic, run): later runs answer more, and middle ones rank worse."""
    random = np.random.default_rng(seed)
    rank = random.geometric(0.12 + 0.05 * np.abs(np.arange(runs) - runs // 2), (topics, runs)).astype(float)
    return np.where(random.random((topics, runs)) < 0.6 + 0.06 * np.arange(runs), rank, NAN)


def beats(one: Numbers, other: Numbers, level: float) -> bool:
    """Whether the first answers more or ranks better, and is worse in neither: scipy's binomial test and t."""
    only_one = int((~np.isnan(one) & np.isnan(other)).sum())
    only_other = int((np.isnan(one) & ~np.isnan(other)).sum())
    answered = stats.binomtest(only_one, only_one + only_other).pvalue <= level
    both = ~np.isnan(one) & ~np.isnan(other)
    ranking = stats.ttest_rel(one[both], other[both]).pvalue <= level
    sides = [np.sign(only_one - only_other) * answered, np.sign(other[both].mean() - one[both].mean()) * ranking]
    return max(sides) == 1 and min(sides) >= 0


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("level", [0.05, 0.2])
def test_every_pair_is_judged_as_plain_loops_do(seed: int, level: float) -> None:
    first, runs = drawn(150, 6, seed), [f"r{i}" for i in range(6)]
    table = facet_board(first, runs, decide=Decide(ranking=T()), asked=Asked(level=level))
    assert table.columns == ("run", "group", "rank", "answered", "esl", "rr", "better", "worse")
    rows = {str(row["run"]): row for row in table.rows()}
    assert sum(len({run}) for run in rows) == 6
    for i, run in enumerate(runs):
        column = first[:, i]
        found = [rank for rank in column if rank == rank]
        better = sum(beats(column, first[:, j], level) for j in range(6) if j != i)
        worse = sum(beats(first[:, j], column, level) for j in range(6) if j != i)
        row = rows[run]
        assert (row["better"], row["worse"], row["rank"], row["group"]) == (better, worse, 1 + worse, None)
        numbers = [row["answered"], row["esl"], row["rr"]]
        assert numbers == pytest.approx(
            [len(found) / 150, sum(found) / len(found), sum(1 / rank for rank in found) / 150]
        )
    keys = [(row["rank"], -row["better"], -row["answered"], row["esl"]) for row in table.rows()]  # type: ignore[operator]
    assert keys == sorted(keys)
    assert sum(table.cells("better")) == sum(table.cells("worse")) > 0  # type: ignore[arg-type]


def test_a_correction_makes_harm_harder_to_show_too() -> None:
    first, runs = drawn(150, 6, seed=0), [f"r{i}" for i in range(6)]
    plain, strict = (
        {row["run"]: row["better"] for row in facet_board(first, runs, decide=decide).rows()}
        for decide in (Decide(ranking=T()), Decide(ranking=T(), correction=Bonferroni()))
    )
    for found, level in ((plain, 0.05), (strict, 0.05 / 15)):  # fifteen pairs
        wins = [[i != j and beats(first[:, i], first[:, j], level) for j in range(6)] for i in range(6)]
        assert found == {run: sum(row) for run, row in zip(runs, wins, strict=True)}
    # Run 0 ranks better than run 2, and answers less: that harm is not shown after the correction.
    assert beats(first[:, 0], first[:, 2], 0.05 / 15)
    assert not beats(first[:, 0], first[:, 2], 0.05)


def test_runs_that_do_not_differ_share_the_first_place() -> None:
    first = np.array([[1, 2, NAN, 2], [4, NAN, 1, NAN]])
    table = facet_board(first, ["slow", "b", "quick", "a"], {"quick": "lab", "b": "lab"})
    # Nobody beats anybody: those who answer more come first, then the sooner, then by name.
    assert table.cells("run") == ["slow", "quick", "a", "b"]
    assert table.cells("group") == [None, "lab", None, "lab"]
    assert table.cells("rank") == [1, 1, 1, 1]
    assert table.cells("answered") == [1, 0.5, 0.5, 0.5]
    assert table.cells("esl") == [2.5, 1, 2, 2]
    assert table.cells("rr") == [0.625, 0.5, 0.25, 0.25]
    assert table.notes == ()


def test_a_run_that_answers_nothing_is_last_and_has_no_esl() -> None:
    topics = 8
    first = np.stack([np.full(topics, NAN), np.full(topics, 3.0), np.full(topics, NAN)], axis=1)
    made_by = Provenance(seed=1)
    table = facet_board(first, ["none", "all", "nothing"], made_by=made_by)
    # Eight topics of eight that one alone answers: p = 2 / 2⁸.
    assert [tuple(row.values()) for row in table.rows()] == [
        ("all", None, 1, 1, 3, pytest.approx(1 / 3), 2, 0),
        ("none", None, 2, 0, None, 0, 0, 1),
        ("nothing", None, 2, 0, None, 0, 0, 1),
    ]
    assert table.made_by == made_by


def test_answering_more_does_not_help_a_run_that_ranks_worse() -> None:
    # In 20 topics both answer, a at rank 1 and b at rank 9; 10 more only b answers: each is better in one facet.
    first = np.array([[1.0, 9.0]] * 20 + [[NAN, 9.0]] * 10)
    table = facet_board(first, ["a", "b"])
    assert table.cells("better") == table.cells("worse") == [0, 0]
    # Where both answer at one rank, b beats a.
    table = facet_board(np.where(np.isnan(first), NAN, 9.0), ["a", "b"])
    assert [(row["run"], row["rank"], row["better"], row["worse"]) for row in table.rows()] == [
        ("b", 1, 1, 0),
        ("a", 2, 0, 1),
    ]


def test_do_no_harm_may_go_in_a_circle() -> None:
    # Three blocks of topics, in each of which one run finds nothing, and of the others the first is sooner: a before b,
    # b before c, c before a. All answer as much.
    steps = np.arange(10)
    sooner, later, nothing = 1.0 + steps % 3, 9.0 + steps, np.full(10, NAN)
    blocks = [[sooner, later, nothing], [nothing, sooner, later], [later, nothing, sooner]]
    first = np.concatenate([np.stack(block, axis=1) for block in blocks])
    table = facet_board(first, ["a", "b", "c"])
    assert table.cells("run") == ["a", "b", "c"]
    assert table.cells("better") == table.cells("worse") == [1, 1, 1]
    assert table.cells("rank") == [2, 2, 2]
    assert table.notes == ("do no harm is not transitive: 1 pair the wrong way round (c beats a, and stands below)",)


@pytest.mark.parametrize(
    ("first", "runs", "message"),
    [
        (np.ones((3, 2)), ["a"], "1 runs, but ranks of 3 × 2"),
        (np.ones((3, 1)), ["a"], "1 runs, but ranks of 3 × 1"),
        (np.ones(3), ["a", "b", "c"], "3 runs, but ranks of 3"),
        (np.ones((0, 2)), ["a", "b"], "2 runs, but ranks of 0 × 2"),
    ],
)
def test_refusals(first: Numbers, runs: list[str], message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        facet_board(first, runs)
    assert str(caught.value) == f"{message}\nhint: give a rank for each topic, and two runs or more"
