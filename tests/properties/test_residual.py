"""What is left of a measure for somebody who has read other rankings."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from cranfield.core.types import Matrix
from cranfield.data import Assessed, assess
from cranfield.measures import NRG, Browsing, Measure, P, Unique, parse_measure, seen_out
from cranfield.measures.novelty.residual_gain import known
from tests.support.properties.measure_cases import CASES
from tests.support.properties.topic_strategies import GRADES, NOT_JUDGED, TOP
from tests.support.reference.novelty_definitions import READ, RELATIVE, Grades, expected
from tests.support.run_size import Size

NOISE = 1e-12
BROWSING = [measure for measure in CASES if isinstance(measure, Browsing) and measure.family != "count"]
ADDED_UP = [measure for measure in BROWSING if measure.whole is None]
DOCUMENTS = [f"d{i}" for i in range(12)]

Prior = NDArray[np.bool_]


@dataclass(frozen=True)
class Campaign:
    """Judgments of some topics, runs with ties and topics they miss, and who is known before each run."""

    qrels: dict[str, Grades]
    runs: dict[str, dict[str, dict[str, float]]]
    prior: Prior

    def assessed(self, *, lengths: bool = False) -> Assessed:
        words = {document: 100.0 * i for i, document in enumerate(DOCUMENTS)} if lengths else None
        return assess(self.qrels, self.runs, lengths=words)

    def ranking(self, run: str, topic: str) -> list[str]:
        """By score, then by name, both from the top."""
        scores = self.runs[run].get(topic, {})
        return sorted(scores, key=lambda document: (scores[document], document.encode()), reverse=True)

    def before(self, run: str, prior: Prior) -> list[str]:
        names = list(self.runs)
        return [other for other, there in zip(names, prior[names.index(run)], strict=True) if there]


@st.composite
def campaigns(draw: st.DrawFn) -> Campaign:
    """Graded topics with unjudged documents and grades below 0; every run answers the first topic at least."""
    topics = [f"t{i}" for i in range(draw(st.integers(1, 2)))]
    qrels = {}
    for topic in topics:
        judged = {document: draw(st.sampled_from(GRADES)) for document in DOCUMENTS}
        qrels[topic] = {document: grade for document, grade in judged.items() if grade != NOT_JUDGED} or {"d0": 0}
    runs: dict[str, dict[str, dict[str, float]]] = {}
    for r in range(draw(st.integers(1, 4))):
        runs[f"run{r}"] = {}
        for topic in topics:
            order = draw(st.permutations(DOCUMENTS))[: draw(st.integers(topic == "t0", len(DOCUMENTS)))]
            if order:  # documents that share a score stand in the order of their names
                runs[f"run{r}"][topic] = {document: -float(draw(st.integers(0, 9))) for document in order}
    size = len(runs)
    prior = np.array(draw(st.lists(st.booleans(), min_size=size**2, max_size=size**2))).reshape(size, size)
    np.fill_diagonal(prior, val=False)
    return Campaign(qrels, runs, prior)


def nrg(assessed: Assessed, measures: Sequence[Measure], prior: Prior | None) -> NDArray[np.float64]:
    """(run, topic, measure): the residual gains after a prior."""
    return assessed.after(prior).map([NRG(of=measure) for measure in measures])


def test_these_have_a_user() -> None:
    names = {measure.name for measure in BROWSING}
    assert names >= {
        "nDCG",
        "DCG",
        "RBP",
        "P",
        "RR",
        "ERR",
        "INST",
        "INSQ",
        "BPM",
        "IFT",
        "TBG",
        "U",
        "CG",
        "NCG",
        "gR",
    }
    assert not names & {"AP", "bpref", "R", "Rprec", "ESL", "NRG", "TaSC"}
    assert {measure.name for measure in BROWSING if measure.whole is not None} == {"nDCG", "NCG", "gR"}
    assert {measure.judged_only for measure in BROWSING} == {True, False}


def large_campaign(seed: int) -> Campaign:
    """The same, with so many topics that few of them show much."""
    rng = Random(seed)
    qrels, runs = {}, {f"run{r}": {"t0": {"d0": 1.0}} for r in range(5)}
    for topic in (f"t{i}" for i in range(12)):
        judged = {document: rng.choice(GRADES) for document in DOCUMENTS}
        qrels[topic] = {document: grade for document, grade in judged.items() if grade != NOT_JUDGED} or {"d0": 0}
        for answered in runs.values():
            order = rng.sample(DOCUMENTS, rng.randint(0, len(DOCUMENTS)))
            if order:
                answered[topic] = {document: -float(rng.randint(0, 9)) for document in order}
    prior = np.array([[rng.random() < 0.5 and a != b for a in range(5)] for b in range(5)])
    return Campaign(qrels, runs, prior)


@pytest.mark.parametrize("lengths", [False, True])
def test_where_nothing_is_known_before_every_measure_is_what_it_was(size: Size, lengths: bool) -> None:
    for seed in range(size.examples // 10):
        campaign = large_campaign(seed)
        assessed = campaign.assessed(lengths=lengths)
        absolute = assessed.map(BROWSING)
        for prior in (None, np.zeros_like(campaign.prior)):
            np.testing.assert_allclose(nrg(assessed, BROWSING, prior), absolute, rtol=0, atol=NOISE)


@given(campaign=campaigns(), name=st.sampled_from(sorted({measure.name for measure in BROWSING})))
def test_where_nothing_is_known_before_it_is_the_measure(campaign: Campaign, name: str) -> None:
    assessed, measures = campaign.assessed(), [measure for measure in BROWSING if measure.name == name]
    np.testing.assert_allclose(nrg(assessed, measures, None), assessed.map(measures), rtol=0, atol=NOISE)


def check_falls(assessed: Assessed, measures: Sequence[Measure], fewer: Prior, prior: Prior) -> None:
    """What is left after some rankings is no more than all, and no less than after more of them."""
    absolute, some, more = (nrg(assessed, measures, known) for known in (None, fewer, prior))
    assert (some <= absolute + NOISE).all()
    assert (more <= some + NOISE).all()
    assert (more >= 0).all()


@given(campaign=campaigns(), name=st.sampled_from(sorted({measure.name for measure in ADDED_UP})), data=st.data())
def test_another_known_ranking_never_raises_what_is_left(campaign: Campaign, name: str, data: st.DataObject) -> None:
    kept = data.draw(st.lists(st.booleans(), min_size=campaign.prior.size, max_size=campaign.prior.size))
    fewer = campaign.prior & np.array(kept).reshape(campaign.prior.shape)
    measures = [measure for measure in ADDED_UP if measure.name == name]
    check_falls(campaign.assessed(), measures, fewer, campaign.prior)


def test_another_known_ranking_never_raises_what_is_left_of_any_measure(size: Size) -> None:
    for seed in range(size.examples // 10):
        campaign = large_campaign(seed)
        others = ~np.eye(len(campaign.prior), dtype=bool)
        check_falls(campaign.assessed(), ADDED_UP, campaign.prior, others)


@given(campaign=campaigns())
def test_what_is_a_share_stays_one(campaign: Campaign) -> None:
    shares = [measure for measure in BROWSING if measure.whole is not None]
    left = nrg(campaign.assessed(), shares, campaign.prior)
    assert ((left >= 0) & (left <= 1 + NOISE)).all()


@pytest.mark.parametrize("lengths", [False, True])
def test_nobody_knows_a_document_more_than_for_certain(lengths: bool) -> None:
    assessed = large_campaign(0).assessed(lengths=lengths)
    for measure in BROWSING:
        share = known(assessed, measure)
        assert ((share >= 0) & (share <= 1 + NOISE)).all(), measure


def literally(campaign: Campaign, name: str, prior: Prior | None) -> Matrix:
    """(run, topic): the value, ranking by ranking."""
    return np.array(
        [
            [
                expected(
                    name,
                    campaign.ranking(run, topic),
                    campaign.qrels[topic],
                    [] if prior is None else [campaign.ranking(other, topic) for other in campaign.before(run, prior)],
                )
                for topic in campaign.qrels
            ]
            for run in campaign.runs
        ]
    )


@pytest.mark.parametrize("name", RELATIVE)
@given(campaign=campaigns())
def test_it_is_what_the_definition_says(name: str, campaign: Campaign) -> None:
    measure, assessed = parse_measure(name).settled(TOP), campaign.assessed()
    for prior in (None, campaign.prior):
        found = assessed.after(prior).map([measure])[:, :, 0]
        np.testing.assert_allclose(found, literally(campaign, name, prior), rtol=0, atol=NOISE)


@pytest.mark.parametrize("name", READ)
@given(campaign=campaigns())
def test_unjudged_documents_can_be_taken_out_of_every_ranking(name: str, campaign: Campaign) -> None:
    # As if nobody had retrieved what nobody judged.
    condensed = Campaign(
        campaign.qrels,
        {
            run: {
                topic: {d: score for d, score in scores.items() if campaign.qrels[topic].get(d, -1) >= 0}
                for topic, scores in answered.items()
            }
            for run, answered in campaign.runs.items()
        },
        campaign.prior,
    )
    measure = replace(parse_measure(name).settled(TOP), judged_only=True)
    found = nrg(campaign.assessed(), [measure], campaign.prior)[:, :, 0]
    np.testing.assert_allclose(found, literally(condensed, f"NRG({name})", campaign.prior), rtol=0, atol=NOISE)


@given(campaign=campaigns(), k=st.integers(1, 12))
def test_unique_contributions_are_what_is_left_of_precision(campaign: Campaign, k: int) -> None:
    assessed = campaign.assessed().after(campaign.prior)
    unique, left = np.moveaxis(assessed.map([Unique(k=k), NRG(of=P(k=k))]), 2, 0)
    np.testing.assert_allclose(unique, left * k, rtol=0, atol=NOISE)
    assert (unique == np.rint(unique)).all()


@pytest.mark.parametrize("name", READ)
@given(campaign=campaigns())
def test_a_topic_is_seen_out_where_everything_relevant_is_known_for_certain(name: str, campaign: Campaign) -> None:
    of, read = parse_measure(name).settled(TOP), READ[name]
    found = seen_out(campaign.assessed().after(campaign.prior), of)
    for r, run in enumerate(campaign.runs):
        for t, (topic, grades) in enumerate(campaign.qrels.items()):
            priors = [campaign.ranking(other, topic) for other in campaign.before(run, campaign.prior)]
            relevant = [document for document, grade in grades.items() if read.gain(grade) > 0]
            left = [read.residual_gain(document, grades, priors) for document in relevant]
            assert found[r, t] == (bool(relevant) and max(left) == 0)
