"""Samples of a pool: what is drawn, how likely, and what can be estimated from it."""

from math import floor
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from cranfield.collections import (
    Candidates,
    Sample,
    Stratified,
    estimate_relevant,
    parse_strategy,
    replay,
    sample_table,
    sampled_qrels,
    strata,
)
from cranfield.core import ParameterError
from cranfield.data import Qrels, Run, assess, read_qrels, write
from cranfield.measures import parse_measure
from cranfield.simulate import Campaign
from tests.support.guarded_peers import pytrec_eval
from tests.support.reference.strategy_definitions import Case, campaign, case_of
from tests.support.run_size import Size

TWO = Stratified(depths="3 12", shares="1 .4")


def cells(case: Case, bounds: tuple[int, ...]) -> dict[tuple[int, int], list[int]]:
    """(topic, stratum from 1) → places; 0 is deeper than all."""
    out: dict[tuple[int, int], list[int]] = {}
    for place, (topic, best) in enumerate(zip(case.candidates.topic, case.candidates.best, strict=True)):
        stratum = next((i for i, bound in enumerate(bounds, 1) if best <= bound), 0)
        out.setdefault((int(topic), stratum), []).append(place)
    return out


@pytest.mark.parametrize("seed", range(4))
def test_shares_of_strata(seed: int) -> None:
    case = campaign(seed)
    sample = strata(TWO, case.candidates, seed=seed)
    share = {0: 0.0, 1: 1.0, 2: 0.4}
    for (_, stratum), places in cells(case, (3, 12)).items():
        number = floor(share[stratum] * len(places) + 0.5)
        assert sample.stratum[places].tolist() == [stratum] * len(places)
        assert sample.sampled[places].sum() == number
        assert sample.probability[places].tolist() == [number / len(places)] * len(places)


def test_every_stratum_gives_one_at_least() -> None:
    case = campaign(1)
    sample = strata(Stratified(depths="1 20", shares=".01 .001"), case.candidates)
    for (_, stratum), places in cells(case, (1, 20)).items():
        assert stratum > 0
        assert sample.sampled[places].sum() == 1
        assert sample.probability[places] == pytest.approx(1 / len(places))


@pytest.mark.parametrize("budget", [0, 1, 2, 5, 9, 17, 40, 1000])
def test_a_budget_scales_all_strata(budget: int) -> None:
    case = campaign(2)
    whole, part = strata(TWO, case.candidates), strata(TWO, case.candidates, budget=budget)
    assert not (part.sampled & ~whole.sampled).any()  # nested: judging may go on
    by_cell = cells(case, (3, 12))
    for topic in range(len(case.topics)):
        full = {s: int(whole.sampled[by_cell[topic, s]].sum()) for s in (1, 2)}
        given = dict.fromkeys(full, 0)
        for _ in range(min(budget, sum(full.values()))):  # one by one to the stratum that has had least of its share
            given[min(full, key=lambda s: (given[s] / full[s] if given[s] < full[s] else 9, s))] += 1
        for stratum, number in given.items():
            places = by_cell[topic, stratum]
            assert part.sampled[places].sum() == number
            assert part.probability[places] == pytest.approx(number / len(places))
            if 0 < budget < sum(full.values()):
                assert abs(number - budget * full[stratum] / sum(full.values())) <= 1
    assert part.probability[case.candidates.best > 12].max(initial=0) == 0


def test_the_strategy_asks_for_its_sample_and_for_parts_of_it() -> None:
    case = campaign(3)
    for seed in (0, 5):
        asked = replay(TWO, case.candidates, case.relevant, seed=seed)
        for budget in (1, 4, 11, 1000):
            sample = strata(TWO, case.candidates, budget=budget, seed=seed)
            assert asked.judged(budget).tolist() == sample.sampled.tolist()
    other = strata(TWO, case.candidates, seed=1)
    assert other.sampled.tolist() != strata(TWO, case.candidates, seed=2).sampled.tolist()


def test_documents_of_a_stratum_are_drawn_alike(size: Size) -> None:
    case = campaign(4)
    draws = size.draws
    drawn = np.mean([strata(TWO, case.candidates, budget=12, seed=seed).sampled for seed in range(draws)], axis=0)
    sample = strata(TWO, case.candidates, budget=12)
    # Five standard errors: of 200 documents one in ten thousand such tests would fail.
    error = np.sqrt(sample.probability * (1 - sample.probability) / draws)
    assert (np.abs(drawn - sample.probability) <= 5 * error + 1e-12).all()


def test_the_number_of_relevant_documents_is_estimated_without_bias(size: Size) -> None:
    case = campaign(5)
    within = case.candidates.best <= 12
    true = np.bincount(case.candidates.topic[within & case.relevant], minlength=4)
    assert true.min() > 0
    estimates = []
    for seed in range(size.draws):
        sample = strata(TWO, case.candidates, budget=14, seed=seed)
        told = case.relevant & sample.sampled  # what nobody drew is not known
        estimates.append(estimate_relevant(sample, case.candidates, told))
    error = np.std(estimates, axis=0) / np.sqrt(size.draws)
    assert (np.abs(np.mean(estimates, axis=0) - true) <= 4 * error + 1e-9).all()
    whole = strata(Stratified(depths="12", shares="1"), case.candidates)
    assert estimate_relevant(whole, case.candidates, case.relevant).tolist() == true.tolist()


def by_hand() -> tuple[Candidates, Sample]:
    case = campaign(6, depth=2)
    number = len(case.candidates)
    return case.candidates, Sample(np.full(number, 1), np.full(number, 0.25), np.arange(number) % 4 == 0)


def test_an_estimate_by_hand() -> None:
    candidates, sample = by_hand()
    everything = np.ones(len(candidates), dtype=bool)
    number = [int(sample.sampled[a:b].sum()) for a, b in zip(candidates.starts, candidates.starts[1:], strict=False)]
    assert estimate_relevant(sample, candidates, everything).tolist() == [4 * n for n in number]
    assert estimate_relevant(sample, candidates, ~everything).tolist() == [0] * len(candidates.topics)


def full_qrels(case: Case, names: list[tuple[str, str]]) -> Qrels:
    grades: dict[str, dict[str, int]] = {}
    for (topic, document), hit in zip(names, case.relevant.tolist(), strict=True):
        grades.setdefault(topic, {})[document] = int(hit)
    return read_qrels(grades)


def names_of(case: Case) -> list[tuple[str, str]]:
    return [(case.topics[t], d) for t, d in zip(case.candidates.topic, case.candidates.document.to_list(), strict=True)]


def test_judgments_of_a_sample(tmp_path: Path) -> None:
    case = campaign(7)
    names = names_of(case)
    sample = strata(TWO, case.candidates)
    known = full_qrels(case, names)
    judged = sampled_qrels(sample, case.candidates, known)
    write(judged, tmp_path / "sample.qrels")
    lines = (tmp_path / "sample.qrels").read_text().splitlines()
    expected = [
        f"{topic} {stratum} {document} {int(hit) if drawn else -1}"
        for (topic, document), stratum, hit, drawn in zip(
            names, sample.stratum.tolist(), case.relevant.tolist(), sample.sampled.tolist(), strict=True
        )
        if stratum
    ]
    assert lines == expected
    assert read_qrels(tmp_path / "sample.qrels", name=judged.source.name).to_table() == judged.to_table()
    nothing = sampled_qrels(sample, case.candidates, read_qrels({case.topics[0]: {names[0][1]: -2}}))
    assert set(nothing.grade.tolist()) == {-1}  # drawn, and judged by nobody


def test_the_table() -> None:
    case = campaign(8)
    sample = strata(TWO, case.candidates, budget=7)
    rows = sample_table(sample, case.candidates).rows()
    assert list(rows[0]) == ["topic", "document", "stratum", "probability", "sampled"]
    names, within = names_of(case), np.flatnonzero(sample.stratum).tolist()
    assert [(row["topic"], row["document"]) for row in rows] == [names[place] for place in within]
    assert [row["sampled"] for row in rows] == sample.sampled[within].tolist()
    assert [row["stratum"] for row in rows] == sample.stratum[within].tolist()
    assert [row["probability"] for row in rows] == sample.probability[within].tolist()
    assert {row["stratum"] for row in rows} == {1, 2}


def values(qrels: Qrels, runs: list[Run], measure: str) -> NDArray[np.float64]:
    """(run, topic)."""
    return assess(qrels, runs).map([parse_measure(measure)])[:, :, 0]


@pytest.fixture(scope="module")
def rich() -> Case:
    """Many relevant documents: where a sample holds none, infAP has nothing to go by."""
    shape = Campaign(
        topics=3, groups=3, runs=5, depth=60, documents=900, candidates=250, relevant=90, pool=60, missing=0
    )
    return case_of(shape, 60)


@pytest.mark.parametrize(("share", "near"), [("1", 1e-4), (".8", 0.02), (".4", 0.06)])
def test_inferred_average_precision_of_a_sample_is_near_that_of_the_pool(
    share: str, near: float, rich: Case, size: Size
) -> None:
    known = full_qrels(rich, names_of(rich))
    true = values(known, rich.runs, "AP")
    drawn, naive = [], []
    for seed in range(size.draws // 4):
        sample = strata(Stratified(depths="60", shares=share), rich.candidates, seed=seed)
        judged = sampled_qrels(sample, rich.candidates, known)
        drawn.append(values(judged, rich.runs, "infAP"))
        naive.append(values(judged, rich.runs, "AP"))
    error = np.std(drawn, axis=0) / np.sqrt(len(drawn))
    # Where nothing is judged above a relevant document it takes half of it for relevant: the fewer are drawn, the
    # more it falls short of a high AP; AP itself takes all that was not drawn for not relevant.
    assert (np.abs(np.mean(drawn, axis=0) - true) <= 4 * error + near).all()
    far = (1 - float(share)) * np.mean(true)
    assert np.abs(np.mean(drawn) - np.mean(true)) <= near
    assert np.mean(true) - np.mean(naive) >= 0.7 * far - 1e-12  # means of many equal numbers differ in the last digit


def test_trec_eval_reads_a_sample_as_we_do(rich: Case) -> None:
    known = full_qrels(rich, names_of(rich))
    sample = strata(Stratified(depths="5 60", shares="1 .3"), rich.candidates, seed=1)
    judged = sampled_qrels(sample, rich.candidates, known)
    grades: dict[str, dict[str, int]] = {}
    for row in judged.to_table().rows():
        grades.setdefault(str(row["topic"]), {})[str(row["document"])] = int(str(row["grade"]))
    evaluator = pytrec_eval.RelevanceEvaluator(grades, {"infAP"})
    ours = values(judged, rich.runs, "infAP")
    for run, row in zip(rich.runs, ours, strict=True):
        scores: dict[str, dict[str, float]] = {}
        for line in run.to_table().rows():
            scores.setdefault(str(line["topic"]), {})[str(line["document"])] = float(str(line["score"]))
        theirs = evaluator.evaluate(scores)
        assert row.tolist() == pytest.approx([theirs[topic]["infAP"] for topic in rich.topics], abs=1e-12)


def test_notation() -> None:
    assert parse_strategy("stratified") == Stratified(depths="10 50 100", shares="1 0.5 0.1")
    assert str(TWO) == "stratified(depths='3 12',shares='1 .4')"
    assert parse_strategy(str(TWO)) == TWO
    assert Stratified(depths="3,12", shares="1, .4").bounds.tolist() == [3, 12]


DEPTHS = "depths are whole numbers from 1 up, each above the one before: '10 50 100'"
SHARES = "shares are numbers above 0, and 1 at most: '1 .5 .1'"


@pytest.mark.parametrize(
    ("depths", "shares", "problem", "hint"),
    [
        ("ten", "1", "stratified cannot have depths='ten'", DEPTHS),
        ("", "1", "stratified cannot have depths=''", DEPTHS),
        ("10 10", "1 1", "stratified cannot have depths='10 10'", DEPTHS),
        ("20 10", "1 1", "stratified cannot have depths='20 10'", DEPTHS),
        ("0 10", "1 1", "stratified cannot have depths='0 10'", DEPTHS),
        ("2.5", "1", "stratified cannot have depths='2.5'", DEPTHS),
        ("inf", "1", "stratified cannot have depths='inf'", DEPTHS),
        ("10", "0", "stratified cannot have shares='0'", SHARES),
        ("10", "1.5", "stratified cannot have shares='1.5'", SHARES),
        ("10", "half", "stratified cannot have shares='half'", SHARES),
        ("10", "nan", "stratified cannot have shares='nan'", SHARES),
        ("10 20", "1", "stratified cannot have 2 depths and 1 shares", "give one share for each depth"),
    ],
)
def test_what_is_refused(depths: str, shares: str, problem: str, hint: str) -> None:
    with pytest.raises(ParameterError) as caught:
        Stratified(depths=depths, shares=shares)
    assert (caught.value.problem, caught.value.hint) == (problem, hint)


def test_no_documents_no_sample() -> None:
    case = campaign(0)
    nothing = case.candidates.without(range(7))
    sample = strata(TWO, nothing)
    assert len(sample.stratum) == len(sample.probability) == len(sample.sampled) == 0
    assert estimate_relevant(sample, nothing, np.zeros(0, dtype=bool)).tolist() == [0] * 4
    assert len(sample_table(sample, nothing)) == 0
