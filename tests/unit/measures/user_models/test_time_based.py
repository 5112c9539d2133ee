"""Time-biased gain and U-measure against literal loops over whole rankings, and against cwl_eval."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from cwl.ruler.measures.cwl_tbg import TBGCWLMetric
from cwl.ruler.measures.cwl_umeasure import UMeasureCWLMetric
from cwl.ruler.ranking import Ranking
from hypothesis import given
from hypothesis import strategies as st

from cranfield.core import CranfieldError, ParameterError
from cranfield.data import Assessed, assess, assess_grades
from cranfield.measures import TBG, Measure, Timed, U, measure_all, parse_measure
from tests.support.reference import measure_definitions
from tests.support.simulations.random_campaigns import Campaign, random_campaign

SEEDS = range(15)
MEAN = 700.0  # of a document whose length nobody knows


def literal_u(ranking: Sequence[str], grades: Mapping[str, int], lengths: Mapping[str, float], top: int) -> float:
    """Sakai & Dou 2013: a text of snippets and, after those of relevant documents, a fifth of the documents."""
    position = total = 0.0
    for document in ranking:
        grade = max(grades.get(document, 0), 0)
        position += 200
        if grade:
            position += 0.2 * 6 * lengths.get(document, MEAN)
            total += (2**grade - 1) / 2**top * max(0.0, 1 - position / 132000)
    return total


def with_lengths(campaign: Campaign) -> Assessed:
    # One more document, so long that the mean is what the loops take for an unknown one.
    known = campaign.lengths | {"one more": MEAN * (len(campaign.lengths) + 1) - sum(campaign.lengths.values())}
    assert math.isclose(sum(known.values()) / len(known), MEAN)
    return assess(campaign.qrels, campaign.runs, lengths=known)


@pytest.mark.parametrize("seed", SEEDS)
def test_lengths_make_time_and_text_what_they_are(seed: int) -> None:
    campaign = random_campaign(seed)
    lengths = {document: length / 10 for document, length in campaign.lengths.items()}
    campaign = Campaign(campaign.qrels, campaign.runs, lengths, {}, {})
    assessed = with_lengths(campaign)
    found = assessed.map([TBG(), U(max_rel=3)])
    for r, run in enumerate(campaign.runs):
        for t, (topic, grades) in enumerate(campaign.qrels.items()):
            ranking = campaign.ranking(run, topic)
            time = measure_definitions.time_biased_gain(ranking, grades, lengths, MEAN)
            assert found[r, t].tolist() == pytest.approx([time, literal_u(ranking, grades, lengths, 3)], abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_without_lengths_every_document_has_as_many_words(seed: int) -> None:
    campaign = random_campaign(seed)
    assessed = campaign.assessed()
    found = assessed.map([TBG(words=MEAN), U(words=MEAN, max_rel=3)])
    one = assessed.documents[0]  # the others are taken to be as long
    everywhere = assess(campaign.qrels, campaign.runs, lengths={one: MEAN}).map([TBG(), U(max_rel=3)])
    np.testing.assert_allclose(found, everywhere, rtol=0, atol=1e-13)
    for r, run in enumerate(campaign.runs):
        for t, (topic, grades) in enumerate(campaign.qrels.items()):
            ranking = campaign.ranking(run, topic)
            time = measure_definitions.time_biased_gain(ranking, grades, {}, MEAN)
            assert found[r, t].tolist() == pytest.approx([time, literal_u(ranking, grades, {}, 3)], abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("written", ["TBG(judged_only=True)", "U(judged_only=True,max_rel=3)"])
def test_what_is_taken_out_takes_no_time(seed: int, written: str) -> None:
    campaign = random_campaign(seed)
    judged = {
        run: {
            topic: {d: s for d, s in row.items() if campaign.qrels[topic].get(d, -1) >= 0}
            for topic, row in topics.items()
            if topic in campaign.qrels
        }
        for run, topics in campaign.runs.items()
    }
    for lengths in (None, campaign.lengths):
        everything = assess(campaign.qrels, campaign.runs, lengths=lengths)
        measure = parse_measure(written)
        found = everything.map([measure])[:, :, 0]
        for r, run in enumerate(judged):
            if any(judged[run].values()):
                rows = {topic: row for topic, row in judged[run].items() if row}
                left = assess(campaign.qrels, {run: rows}, lengths=lengths)
                alone = left.map([replace(measure, judged_only=False)])[0, :, 0]
                np.testing.assert_allclose(found[r], alone, rtol=0, atol=1e-13)


grades = st.lists(st.sampled_from([-1, 0, 1, 2, 3]), max_size=20)


def costs(measure: Timed, ranking: Sequence[float]) -> list[float]:
    (block,) = assess_grades([ranking]).blocks()
    return measure.cost(block)[0, : len(ranking)].tolist()


@given(ranking=grades, half_life=st.sampled_from([20.0, 224.0]))
def test_time_biased_gain_is_cwl_evals_total_utility(ranking: list[int], half_life: float) -> None:
    ranking = [1, *ranking]
    measure = TBG(half_life=half_life)
    cwl = TBGCWLMetric(half_life)
    gains = [0.64 * 0.77 * (grade > 0) for grade in ranking]
    cwl.measure(Ranking("1", gains, costs(measure, ranking), max_n=len(ranking) + 1))
    assert value(measure, ranking) == pytest.approx(cwl.expected_total_utility, rel=1e-12)


@given(ranking=grades)
def test_the_text_of_u_starts_one_document_later_in_cwl_eval(ranking: list[int]) -> None:
    # cwl_eval asks where a document begins; with one worth nothing before the list, that is where the one before ends.
    ranking = [1, *ranking]
    measure = U(L=5000, max_rel=3)
    cwl = UMeasureCWLMetric(5000)
    gains = [(2 ** max(grade, 0) - 1) / 8 for grade in ranking]
    paid = [*costs(measure, ranking), 1.0]
    cwl.measure(Ranking("1", [0.0, *gains], paid, max_n=len(ranking) + 2))
    assert value(measure, ranking) == pytest.approx(cwl.expected_total_utility, rel=1e-12)


def value(measure: Measure, ranking: Sequence[float]) -> float:
    return float(assess_grades([ranking]).map([measure])[0, 0, 0])


def test_a_long_document_in_a_good_place_can_hurt() -> None:
    # Worth saving, but who has read it has no time left: half an hour, and the half-life is four minutes.
    qrels = {"1": {"long": 1, **{f"d{i}": 1 for i in range(10)}}}
    below = {f"d{i}": 10.0 - i for i in range(10)}
    runs = {"other": {"1": {"unjudged": 20.0, **below}}, "better": {"1": {"long": 20.0, **below}}}
    values = measure_all(assess(qrels, runs, lengths={"long": 100_000, "unjudged": 100, "others": 100}), "TBG")
    other, better = values.cube[:, 0, 0]
    assert better < other


def test_a_measure_without_a_length_says_so() -> None:
    (block,) = assess_grades([(1,)]).blocks()
    with pytest.raises(ParameterError, match=r"nobody knows how long the documents are\nhint: assess with lengths="):
        _ = block.length


def test_lengths_stand_in_the_provenance(tmp_path: Path) -> None:
    (tmp_path / "lengths.tsv").write_text("a\t10\nb\t30\n")
    assessed = assess({"1": {"a": 1}}, {"run": {"1": {"b": 2.0, "a": 1.0}}}, lengths=tmp_path / "lengths.tsv")
    assert assessed.above is not None
    assert assessed.above.tolist() == [30]
    assert assessed.sources[-1].kind == "lengths"
    assert [found.kind for found in measure_all(assessed, "TBG").made_by.inputs][-1] == "lengths"
    with pytest.raises(CranfieldError, match="only one attribute can be summed up"):
        assess({"1": {"a": 1}}, {"run": {"1": {"a": 1.0}}}, lengths={"a": 1}, sum_above=object())  # type: ignore[arg-type]
