"""Every model finds the chances that its own users were made with, within what it says of its sureness."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from cranfield.online import (
    CCM,
    CM,
    COEC,
    DBN,
    DCM,
    DCTR,
    GCTR,
    PBM,
    RCTR,
    SDBN,
    UBM,
    ClickModel,
    Fitted,
    Pages,
    Pairs,
)
from cranfield.online.clicks.examination_models import Looks
from cranfield.online.clicks.expectation_maximisation import Climbing
from tests.support.simulations.click_logs import drawn, known, shown

FITTED: list[ClickModel] = [
    GCTR(),
    RCTR(),
    DCTR(),
    CM(),
    PBM(),
    UBM(),
    SDBN(),
    DCM(),
    DBN(),
    CCM(),
]
GIVEN: dict[str, Any] = {
    "PBM": {"examination": [1, 0.7, 0.5, 0.3]},
    "UBM": {"examination": [1, 0.6, 0.8, 0.4, 0.5, 0.7, 0.3, 0.35, 0.45, 0.6]},
    "DBN": {"continuation": [0.743]},
    "CCM": {"continuation": [0.8, 0.7, 0.3]},
}


def away(found: Fitted, truth: Fitted) -> dict[str, float]:
    """How many standard errors the farthest chance of each kind is from the truth."""
    farthest = {}
    for name, estimate in found.estimates.items():
        free = estimate.value < 1
        error = np.sqrt(estimate.value * (1 - estimate.value) / estimate.worth)[free]
        farthest[name] = float((np.abs(estimate.value - truth.estimates[name].value)[free] / error).max())
    return farthest


@pytest.mark.parametrize("model", FITTED, ids=str)
def test_a_model_recovers_its_own_chances(model: ClickModel) -> None:
    pages = shown(each=3000)
    truth = known(model, replace(pages, clicked=pages.pair % 2 == 0), **GIVEN.get(model.name, {}))
    found = model.fit(truth.simulate(pages, seed=5))
    assert found.converged
    assert max(away(found, truth).values()) < 5
    assert not found.attraction or found.attraction.worth.min() > 300  # so this says something


def test_exact_em_finds_the_continuation() -> None:
    model = DBN()
    pages = shown(topics=1, documents=5, depth=5, each=20_000)
    truth = known(model, replace(pages, clicked=pages.pair % 2 == 0), continuation=[0.743])
    found = model.fit(truth.simulate(pages, seed=2)).estimates["continuation"]
    low, high = found.interval(5e-7)  # 5 standard errors
    assert low[0] < 0.743 < high[0]
    assert high[0] - low[0] < 0.1


@pytest.mark.parametrize("model", [PBM(first="free"), UBM(first="free")], ids=str)
def test_without_a_first_rank_only_the_products_are_known(model: Climbing) -> None:
    pages = shown(each=3000)
    truth = known(model, replace(pages, clicked=pages.pair % 2 == 0))
    found = model.fit(truth.simulate(pages, seed=5))
    held = replace(model, first="one").fit(truth.simulate(pages, seed=5))  # type: ignore[call-arg]
    expected, products = truth.marginal(pages), found.marginal(pages)
    assert np.abs(products - expected).max() < 0.1
    assert np.abs(products - expected).mean() < 0.02
    # That nothing but the prior settles the scale is seen in what attraction is worth.
    assert found.estimates["attraction"].worth.max() < held.estimates["attraction"].worth.min()


def test_clicks_over_expected_clicks_are_known_up_to_their_mean() -> None:
    pages = shown(topics=1, each=20_000)
    rates = COEC().fit(replace(pages, clicked=pages.pair % 2 == 0))
    ratio = np.array([0.4, 0.6, 0.9, 1.1, 1.4, 1.6])  # of mean 1, on pages in random order
    estimates = {
        "attraction": replace(rates.estimates["attraction"], value=ratio),
        "rate": replace(rates.estimates["rate"], value=np.array([0.5, 0.3, 0.2, 0.1])),
    }
    found = COEC().fit(replace(rates, estimates=estimates).simulate(pages, seed=1)).estimates["attraction"]
    assert np.abs(found.value - ratio).max() < 5 * np.sqrt(ratio / found.worth).max()
    low, high = found.interval(5e-7)
    assert ((low < ratio) & (ratio < high)).all()


@pytest.mark.parametrize("model", [SDBN(exact=False), DCM(exact=False)], ids=str)
def test_counts_take_the_last_click_for_the_last_look(model: SDBN | DCM) -> None:
    pages = shown(each=3000)
    exact = replace(model, exact=True)
    truth = known(exact, replace(pages, clicked=pages.pair % 2 == 0))
    log = truth.simulate(pages, seed=5)
    counted, found = model.fit(log), exact.fit(log)
    assert counted.estimates["attraction"].value.mean() > truth.estimates["attraction"].value.mean() + 0.02
    assert max(away(counted, truth).values()) > 10  # what the docstring warns of
    assert found.log_likelihood(log) > counted.log_likelihood(log)


@pytest.mark.parametrize("model", [PBM(), DBN()], ids=str)
def test_intervals_hold_the_truth_as_often_as_they_say(model: ClickModel) -> None:
    pages = shown(topics=20, documents=8, depth=4, each=1000)  # 160 attractions
    truth = known(model, replace(pages, clicked=pages.pair % 2 == 0), **GIVEN[model.name])
    found = model.fit(truth.simulate(pages, seed=9)).estimates["attraction"]
    low, high = found.interval(0.1)
    value = truth.estimates["attraction"].value
    inside = ((low < value) & (value < high)).mean()
    assert abs(inside - 0.9) < 5 * np.sqrt(0.9 * 0.1 / len(value))
    assert abs((value < found.lower(0.1)).mean() - 0.1) < 5 * np.sqrt(0.9 * 0.1 / len(value))


@pytest.mark.parametrize("model", [PBM(rounds=30), PBM(rounds=30, first="free"), UBM(rounds=30)], ids=str)
def test_second_derivatives_are_those_that_differences_show(model: PBM | UBM) -> None:
    pages = drawn(count=200)
    looks = model.looks(model.cells(pages))
    values = {name: estimate.value for name, estimate in model.fit(pages).estimates.items()}
    exact, differences = looks.around(values, "examination"), super(Looks, looks).around(values, "examination")
    assert exact.shared == pytest.approx(differences.shared, rel=1e-5, abs=1e-4)
    assert exact.cross.toarray() == pytest.approx(differences.cross, rel=1e-5, abs=1e-4)


EXAMINATION = np.array([1, 0.75, 0.5, 0.35, 0.25, 0.2])


def in_blocks(*blocks: tuple[int, int], topics: int = 200, count: int = 20_000) -> Pages:
    """Simulate PBM users of a ranker that reorders documents only within blocks of ranks."""
    stream = np.random.default_rng(1)
    depth = len(EXAMINATION)
    attraction = stream.beta(1.2, 2.8, topics * depth)
    topic = stream.integers(0, topics, count)
    rank = [first + np.argsort(stream.random((count, last - first)), axis=1) for first, last in blocks]
    pair = np.hstack(rank) + (topic * depth)[:, np.newaxis]
    clicked = stream.random(pair.shape) < attraction[pair] * EXAMINATION
    names = (tuple(map(str, range(topics))), tuple(map(str, range(depth))))
    return Pages(Pairs(*names, *np.divmod(np.arange(topics * depth), depth)), pair, clicked, np.ones(count)).distinct()


@pytest.mark.parametrize("model", [PBM(), UBM()], ids=str)
@pytest.mark.parametrize("fixed", [1, 2, 6])
def test_ranks_that_share_no_document_with_the_first_have_intervals_that_exclude_little(
    model: PBM | UBM, fixed: int
) -> None:
    # The log determines examination within a block, and not how two blocks relate.
    blocks = {1: [(0, 1), (1, 6)], 2: [(0, 2), (2, 6)], 6: [(rank, rank + 1) for rank in range(6)]}[fixed]
    examination = model.fit(in_blocks(*blocks)).estimates["examination"]
    low, high = examination.interval()
    for key, name in enumerate(examination.names()):
        rank = int(name.split(" after ")[0])
        assert low[key] <= EXAMINATION[rank - 1] <= high[key], name
        if rank == 2:
            assert (high[key] - low[key] < 0.2) == (fixed == 2), name
        elif rank > 2:
            assert high[key] > 3 * low[key], name


def from_a_good_ranker(stream: np.random.Generator, topics: int, documents: int, count: int) -> tuple[Any, Any]:
    """Return attraction (pair,) and pages of six pairs, the attractive documents of frequent topics first."""
    attraction = stream.beta(1, 3, (topics, documents))
    frequency = 1 / np.arange(1, topics + 1)
    topic = stream.choice(topics, count, p=frequency / frequency.sum())
    score = attraction + 0.2 * stream.standard_normal((topics, documents))
    noise = 0.15 * stream.standard_normal((count, documents))
    order = np.argsort(-(score[topic] + noise), axis=1)[:, : len(EXAMINATION)]
    return attraction.ravel(), order + (topic * documents)[:, np.newaxis]


def as_pages(topics: int, documents: int, pair: Any, clicked: Any) -> Pages:
    """Return the pages of topics with as many documents each."""
    names = (tuple(map(str, range(topics))), tuple(map(str, range(documents))))
    pairs = Pairs(*names, *np.divmod(np.arange(topics * documents), documents))
    return Pages(pairs, pair, clicked, np.ones(len(pair))).distinct()


@pytest.mark.parametrize("count", [800, 8000])
def test_examination_that_is_nearly_sure_is_inside_its_intervals(count: int) -> None:
    # On real logs nearly all users who click a document examine the next.
    topics, documents, seeds = 200, 12, 20
    missed, errors = [], []
    for seed in range(seeds):
        stream = np.random.default_rng(seed)
        attraction, pair = from_a_good_ranker(stream, topics, documents, count)
        last, clicked = np.zeros(count, dtype=np.int64), np.zeros(pair.shape, dtype=np.bool_)
        truth = np.array(
            [
                0.95 / (rank - previous) ** 0.5 if previous else rank**-0.7
                for rank in range(1, pair.shape[1] + 1)
                for previous in range(rank)
            ]
        )
        for rank in range(pair.shape[1]):
            examined = truth[rank * (rank + 1) // 2 + last]
            clicked[:, rank] = stream.random(count) < attraction[pair[:, rank]] * examined
            last[clicked[:, rank]] = rank + 1
        found = UBM().fit(as_pages(topics, documents, pair, clicked)).estimates["examination"]
        low, high = found.interval()
        missed.append(((truth < low) | (truth > high))[1:])
        errors.append((found.value - truth)[1:])
    # 20 parameters in 20 logs with a level of .05; those of one log depend on each other.
    assert np.mean(missed) < 0.09
    assert np.mean(errors) == pytest.approx(0, abs=0.05 if count == 800 else 0.01)


@pytest.mark.parametrize("model", [DBN(), DCM()], ids=str)
def test_continuation_has_no_bias_from_a_ranker_that_shows_attractive_documents_first(model: DBN | DCM) -> None:
    # With one prior mean for all documents, those of low ranks seem attractive, and their skips a sign of users who
    # stopped: the 95% interval of DBN misses .8 in more than one of three logs, and that of DCM in one of four.
    topics, documents, count, seeds = 200, 12, 4000, 6
    truth = np.array([0.8]) if isinstance(model, DBN) else np.array([0.7, 0.6, 0.5, 0.45, 0.4])
    errors, attraction_errors = [], []
    for seed in range(seeds):
        stream = np.random.default_rng(seed)
        attraction, pair = from_a_good_ranker(stream, topics, documents, count)
        satisfaction = stream.beta(1.5, 2, topics * documents)
        reads, clicked = np.ones(count, dtype=np.bool_), np.zeros(pair.shape, dtype=np.bool_)
        for rank in range(pair.shape[1]):
            clicked[:, rank] = reads & (stream.random(count) < attraction[pair[:, rank]])
            if isinstance(model, DBN):
                satisfied = clicked[:, rank] & (stream.random(count) < satisfaction[pair[:, rank]])
                reads &= ~satisfied & (stream.random(count) < truth[0])
            else:
                reads &= ~clicked[:, rank] | (stream.random(count) < truth[min(rank, len(truth) - 1)])
        found = model.fit(as_pages(topics, documents, pair, clicked)).estimates
        errors.append(found["continuation"].value[: len(truth)] - truth)
        rare = (found["attraction"].den > 0) & (found["attraction"].den < 100)
        attraction_errors.append(np.mean((found["attraction"].value - attraction)[rare]))
    assert np.mean(errors, axis=0)[0] == pytest.approx(0, abs=0.012)
    assert np.mean(attraction_errors) == pytest.approx(0, abs=0.045)
