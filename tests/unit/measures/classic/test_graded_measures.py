"""Graded measures: the figures of their papers, the values of trec_eval and ir_measures, arithmetic."""

import random
from collections.abc import Sequence
from fractions import Fraction
from math import log2

import pytest

from cranfield.core import ParameterError, Scale
from cranfield.data import assess
from cranfield.measures import measure_all, parse_measure
from cranfield.studies import evaluate
from tests.support.guarded_peers import ir_measures, pytrec_eval
from tests.support.properties.topic_strategies import NOT_JUDGED, assess_grades
from tests.support.reference import measure_definitions
from tests.support.simulations.random_campaigns import Campaign, Scores, random_campaign

EXACT = 1e-14
CLOSE = 1e-12
SEEDS = range(40)


def value(measure: str, ranking: Sequence[int], missed: Sequence[int] = ()) -> float:
    """The value of one ranking, given as grades from the top."""
    return float(measure_all(assess_grades(ranking, missed=missed), measure).cube[0, 0, 0])


# jarvelin2002 §2: the gain vector G', its ideal, both cumulated, and the normalised vector, to rank 10.
GAINS = (3, 2, 3, 0, 0, 1, 2, 2, 3, 0)
NOT_THERE = (1, 1, 1)  # so that the ideal is the paper's: 3, 3, 3, 2, 2, 2, 1, 1, 1, 1
CUMULATED = (3, 5, 8, 8, 8, 9, 11, 13, 16, 16)
NORMALISED = (1, 0.83, 0.89, 0.73, 0.62, 0.6, 0.69, 0.76, 0.89, 0.84)


@pytest.mark.parametrize("k", range(1, 11))
def test_cumulated_gain_is_that_of_the_paper(k: int) -> None:
    assert value(f"CG@{k}", GAINS, NOT_THERE) == CUMULATED[k - 1]
    assert round(value(f"NCG@{k}", GAINS, NOT_THERE), 2) == NORMALISED[k - 1]


# [Ferro] Fig. 11, as in the other worked examples.
FIGURE_11 = (3, 0, 1, 2, 0, 0, 0, 2, 0, 0)
MISSED_11 = (3, 2, 1, 1)


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("CG", Fraction(8)),
        ("CG@4", Fraction(6)),
        ("NCG@4", Fraction(6, 3 + 3 + 2 + 2)),
        ("NCG", Fraction(8, 15)),
        ("gP@4", Fraction(6, 4 * 3)),
        ("gP(max_rel=4)@10", Fraction(8, 10 * 4)),
        ("gP@20", Fraction(8, 20 * 3)),
        ("gR@4", Fraction(6, 15)),
        ("gR", Fraction(8, 15)),
    ],
)
def test_sums_of_figure_11(measure: str, expected: Fraction) -> None:
    assert value(measure, FIGURE_11, MISSED_11) == pytest.approx(float(expected), abs=EXACT)


@pytest.mark.parametrize("seed", SEEDS)
def test_generalised_precision_and_recall_of_two_grades_are_precision_and_recall(seed: int) -> None:
    campaign = random_campaign(seed)
    binary = {topic: {d: min(grade, 1) for d, grade in grades.items()} for topic, grades in campaign.qrels.items()}
    cube = evaluate(binary, campaign.runs, ["gP(max_rel=1)@5", "P@5", "gR@5", "R@5", "NCG", "gR"]).cube
    assert cube[..., 0].tolist() == cube[..., 1].tolist()
    assert cube[..., 2].tolist() == cube[..., 3].tolist()
    assert cube[..., 4].tolist() == cube[..., 5].tolist(), "cut nowhere, the perfect ranking has all there is"


def test_the_top_grade_of_generalised_precision_stands_in_its_name() -> None:
    values = evaluate({"1": {"a": 1, "b": 3}}, {"run": {"1": {"a": 1.0}}}, ["gP@2"])
    assert [str(measure) for measure in values.measures] == ["gP(max_rel=3)@2"]
    assert values.cube[0, 0, 0] == pytest.approx(1 / 6, abs=EXACT)
    with pytest.raises(ParameterError, match=r"gP\(max_rel=2\)@2 meets a grade above 2\nhint: .*max_rel=3"):
        evaluate({"1": {"a": 1, "b": 3}}, {"run": {"1": {"a": 1.0}}}, ["gP(max_rel=2)@2"])
    with pytest.raises(ParameterError, match=r"gP needs a cut-off\nhint: "):
        parse_measure("gP")


def test_sums_of_grades_claim_what_counts_claim() -> None:
    for name in ("CG@5", "NCG@5", "gP@5", "gR@5"):
        claim = parse_measure(name).scale
        assert (claim.own, claim.top_heavy) == (Scale.INTERVAL, Scale.NOMINAL)


OF_TREC_EVAL = {"G": "G", "binG": "binG", "RnDCG": "Rndcg", "nDCGrel": "ndcg_rel"}


def trec_eval(campaign: Campaign, k: int | None) -> dict[tuple[str, str, str], float]:
    """What pytrec_eval says of runs cut at ``k``, by measure, run and topic.

    Topics without a relevant document are left out: with grades below 0 only, it may never come back from them.
    """
    qrels = {topic: grades for topic, grades in campaign.qrels.items() if max(grades.values()) > 0}
    peer = pytrec_eval.RelevanceEvaluator(qrels, set(OF_TREC_EVAL.values()))
    found: dict[tuple[str, str, str], float] = {}
    for run, topics in campaign.runs.items():
        cut = {t: {d: topics[t][d] for d in campaign.ranking(run, t)[:k]} for t in topics}
        for topic, values in peer.evaluate(cut).items():
            found |= {(name, run, topic): values[trec] for name, trec in OF_TREC_EVAL.items()}
    return found


@pytest.mark.parametrize("k", [None, 1, 2, 3, 5, 10])
@pytest.mark.parametrize("seed", SEEDS)
def test_every_topic_has_the_value_of_trec_eval(seed: int, k: int | None) -> None:
    campaign = random_campaign(seed)
    names = [name if k is None else f"{name}@{k}" for name in OF_TREC_EVAL]
    values = evaluate(campaign.qrels, campaign.runs, names)
    theirs = trec_eval(campaign, k)
    assert theirs
    for (name, run, topic), expected in theirs.items():
        place = values.runs.index(run), values.topics.index(topic), list(OF_TREC_EVAL).index(name)
        assert values.cube[place] == pytest.approx(expected, abs=CLOSE), (name, run, topic)


def test_the_end_of_a_ranking_is_a_point_of_rndcg_from_two_documents_beyond_on() -> None:
    # One relevant document, at rank 2: nDCG@1 is 0, nDCG at the end 1/log2(3).
    end = 1 / log2(3)
    assert value("RnDCG", (0, 1)) == 0
    assert value("RnDCG", (0, 1, 0)) == pytest.approx(end / 2, abs=EXACT)
    assert value("RnDCG", (0, 1, NOT_JUDGED)) == pytest.approx(end / 2, abs=EXACT)
    assert value("RnDCG@2", (0, 1, 0)) == 0


def test_gain_below_one_costs_as_much_as_one() -> None:
    # Two documents at best: 3 and 1, then 1 for every further rank. Found is the 1 at rank 4: 3 + 1 + 1 + 1 − 1 lack.
    assert value("G", (0, 0, 0, 1), (3,)) == pytest.approx(1 / log2(2 + 6 - 1) / 4, abs=EXACT)


def test_no_relevant_document_is_worth_nothing() -> None:
    for name in ("CG", "NCG", "gR", "gP(max_rel=1)@3", *OF_TREC_EVAL, "Compat", "Compat(normalize=False)"):
        assert value(name, (0, NOT_JUDGED, -2, 0)) == 0


def untied(campaign: Campaign, seed: int) -> dict[str, dict[str, Scores]]:
    """The same runs with scores from the number of documents down to 1, in a random order."""
    rng = random.Random(seed)
    return {
        run: {t: {d: float(i) for i, d in enumerate(rng.sample(list(scores), len(scores)), 1)} for t, scores in topics}
        for run, topics in ((run, topics.items()) for run, topics in campaign.runs.items())
    }


@pytest.mark.parametrize(
    "name", ["Compat", "Compat(p=0.3)", "Compat(normalize=False)", "Compat(p=0.8,normalize=False)"]
)
@pytest.mark.parametrize("seed", SEEDS)
def test_compatibility_has_the_values_of_ir_measures(seed: int, name: str) -> None:
    campaign = random_campaign(seed)
    runs = untied(campaign, seed)
    values = evaluate(campaign.qrels, runs, [name])
    for r, run in enumerate(values.runs):
        theirs = {
            found.query_id: found.value
            for found in ir_measures.iter_calc([ir_measures.parse_measure(name)], campaign.qrels, runs[run])
        }
        ours = dict(zip(values.topics, values.cube[r, :, 0].tolist(), strict=True))
        assert ours == pytest.approx({topic: theirs.get(topic, 0.0) for topic in ours}, abs=CLOSE)


@pytest.mark.parametrize("k", [1, 3, 10, 1000])
@pytest.mark.parametrize("seed", SEEDS)
def test_compatibility_to_a_depth_is_the_sum_of_the_paper(seed: int, k: int) -> None:
    # The script of its authors goes to depth 1000.
    campaign = random_campaign(seed)
    values = evaluate(campaign.qrels, campaign.runs, [f"Compat@{k}", f"Compat(p=0.999)@{k}"])
    for r, run in enumerate(values.runs):
        for t, topic in enumerate(values.topics):
            for i, p in enumerate((0.95, 0.999)):
                expected = measure_definitions.compatibility(campaign.ranking(run, topic), campaign.qrels[topic], p, k)
                assert values.cube[r, t, i] == pytest.approx(expected, abs=CLOSE)


def test_a_depth_beyond_all_weight_changes_nothing() -> None:
    ranking, missed = (0, 2, 1, 0, 1), (2, 1)
    assert value("Compat@1000000000", ranking, missed) == value("Compat@100000", ranking, missed)


def test_compatibility_sees_the_order_not_the_scores() -> None:
    # ir_measures takes 0 as the score of what was not retrieved, and puts it first where scores are below 0.
    qrels = {"1": {"a": 1, "b": 1, "c": 1}}
    high = {"1": {"a": 3.0, "x": 2.0, "b": 1.0}}
    low = {"1": {document: score - 10 for document, score in high["1"].items()}}
    one, other = (float(measure_all(assess(qrels, {"run": run}), "Compat").cube[0, 0, 0]) for run in (high, low))
    assert one == other
    theirs = [ir_measures.parse_measure("Compat").calc_aggregate(qrels, run) for run in (high, low)]
    assert theirs[0] == pytest.approx(one, abs=CLOSE)
    assert theirs[1] < theirs[0]


@pytest.mark.parametrize("p", [0.05, 0.2, 0.68, 0.82])
def test_rounding_never_takes_rbp_above_1(p: float) -> None:
    # The weights of 2000 ranks add up to 1 - p^2000. Added up as floats they exceed 1 for each of these p.
    assert sum((1 - p) * p**i for i in range(2000)) > 1
    qrels = {"1": {f"d{i}": 1 for i in range(2000)}}
    run = {"1": {f"d{i}": -float(i) for i in range(2000)}}
    values = evaluate(qrels, run, [f"RBP(p={p})", f"RBP(max_rel=1,p={p})"], residual=True)
    assert values.high is not None
    assert values.cube.max() == 1
    assert values.high.max() == 1


@pytest.mark.parametrize(("measure", "documents"), [("Compat", 30), ("Compat", 100), ("NCU", 100)])
def test_rounding_never_takes_a_perfect_ranking_above_1(measure: str, documents: int) -> None:
    # Both numerator and denominator are sums of floats, which round differently.
    qrels = {"1": {f"d{i:03}": 2 for i in range(documents)}}
    run = {"1": {f"d{i:03}": -float(i) for i in range(documents)}}
    value = evaluate(qrels, run, measure).cube.max()
    assert value == pytest.approx(1, abs=1e-12)
    assert value <= 1
