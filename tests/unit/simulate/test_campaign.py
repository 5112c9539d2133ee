"""What a campaign promises whatever its size: order, determinism, habits of runs, sensible refusals."""

import subprocess
import sys
from dataclasses import replace
from datetime import date
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cranfield.core.errors import ParameterError
from cranfield.simulate import MSMARCO, SOURCES, TREC8, Campaign, Made, document_id

SMALL = Campaign(topics=12, groups=4, runs=15, depth=60, documents=3000, candidates=800, relevant=30, pool=20)


@st.composite
def campaigns(draw: st.DrawFn) -> Campaign:
    groups = draw(st.integers(1, 5))
    depth = draw(st.integers(1, 40))
    return Campaign(
        topics=draw(st.integers(1, 4)),
        groups=groups,
        runs=groups + draw(st.integers(0, 6)),
        depth=depth,
        documents=draw(st.integers(depth, 400)),
        relevant=draw(st.floats(0, 50)),
        grades=draw(st.sampled_from([(1.0,), (0.5, 0.5), (0.6, 0.0, 0.4)])),
        one_relevant=draw(st.booleans()),
        pool=draw(st.integers(1, 60)),
        pooled=draw(st.floats(0, 1)),
        spam=draw(st.sampled_from([0.0, 0.3, 1.0])),
        ties=draw(st.floats(0, 1)),
        missing=draw(st.floats(0, 1)),
        difficulty=draw(st.sampled_from([0.0, 0.5, 50.0])),
        skill=draw(st.sampled_from([0.0, 0.4, 20.0])),
        days=draw(st.integers(1, 30)),
        seed=draw(st.integers(0, 2**40)),
    )


@settings(max_examples=60, deadline=None)
@given(campaigns())
def test_every_campaign_is_well_formed(campaign: Campaign) -> None:
    made = campaign.make()
    assert len(set(made.names)) == campaign.runs
    assert {entry.group for entry in made.entries} == {name.rpartition("-")[0] for name in made.names}
    for name in made.names:
        topic, document, score = made.run(name)
        assert topic.size
        assert np.all(np.isfinite(score))
        assert np.array_equal(np.lexsort((-document, -score, topic)), np.arange(topic.size))
        assert len(set(zip(topic.tolist(), document.tolist(), strict=True))) == topic.size
        assert np.bincount(topic).max() <= campaign.depth
        assert document.max() < campaign.documents
    topic, document, grade = made.qrels
    assert np.array_equal(np.lexsort((document, topic)), np.arange(topic.size))
    assert np.array_equal(np.unique(topic[grade > 0]), np.arange(campaign.topics)), "a topic without relevant documents"
    assert grade.max() <= len(campaign.grades)
    assert grade.min() >= (-2 if campaign.spam else 0)


@pytest.mark.parametrize("seed", range(3))
def test_dates_follow_the_numbers_of_a_groups_runs(seed: int) -> None:
    made = replace(TREC8, topics=1, depth=10, seed=seed).make()
    first, last = date(2024, 3, 4), date(2024, 5, 2)
    for earlier, later in zip(made.entries, made.entries[1:], strict=False):
        assert first <= date.fromisoformat(later.date) <= last
        if earlier.group == later.group:
            assert int(later.run.rpartition("-")[2]) == int(earlier.run.rpartition("-")[2]) + 1
            assert earlier.date <= later.date
    assert len({entry.date for entry in made.entries}) > 20
    pooled = [entry.date for entry in made.entries if entry.pooled]
    assert len(pooled) == 78  # ⌈.6 × 129⌉
    assert max(pooled) <= min(entry.date for entry in made.entries if not entry.pooled)


def tied(made: Made, name: str) -> float:
    """The share of documents with the same score as the one above."""
    topic, _, score = made.run(name)
    return float(np.mean((np.diff(score) == 0) & (np.diff(topic) == 0)))


def test_only_runs_that_round_have_ties() -> None:
    made = Campaign(topics=10).make()
    found = [tied(made, name) for name in made.names]
    assert np.count_nonzero(found) == 8  # .2 × 40
    assert min(share for share in found if share) > 0.05
    without = Campaign(topics=2, ties=0).make()
    assert not any(tied(without, name) for name in without.names)


def test_scores_survive_single_precision() -> None:
    # trec_eval 9 holds scores as float32: what it reads must tie exactly where we do.
    made = Campaign(topics=4).make()
    for name in made.names:
        score = made.run(name).score
        assert np.array_equal(np.diff(score) == 0, np.diff(score.astype(np.float32)) == 0)


def test_only_careless_runs_miss_topics_or_stop_early() -> None:
    made = Campaign().make()
    lengths = np.array([np.diff(part.ends, prepend=0) for part in made.parts])
    careless = (lengths < 1000).any(axis=0)
    assert careless.sum() == 4  # .1 × 40
    assert (lengths[:, careless] == 0).any()
    assert ((lengths[:, careless] > 0) & (lengths[:, careless] < 1000)).any()
    assert lengths[0].min() > 0


def test_grades_and_spam_come_in_their_shares() -> None:
    grade = replace(SMALL, topics=60, grades=(0.5, 0.3, 0.2), spam=0.25, pool=60, pooled=1).make().qrels.grade
    assert set(grade.tolist()) == {-2, 0, 1, 2, 3}
    # Four standard errors of a share in a few thousand judgments are below .03.
    assert np.mean(grade[grade <= 0] == -2) == pytest.approx(0.25, abs=0.03)
    # Higher grades are easier to find, so the pool holds more of them than there are.
    assert 0.2 < np.mean(grade[grade > 0] == 3) < 0.35


def test_a_topic_does_not_depend_on_how_many_follow() -> None:
    short, long = replace(SMALL, topics=3).make(), SMALL.make()
    for before, after in zip(short.parts, long.parts, strict=False):
        for field in ("ends", "document", "quanta", "judged", "grade"):
            np.testing.assert_array_equal(getattr(before, field), getattr(after, field))
    assert short.texts == long.texts[:3]


def test_the_seed_is_all_that_chance_has() -> None:
    one, again, other = SMALL.make(), SMALL.make(), replace(SMALL, seed=9).make()
    assert one.entries == again.entries
    np.testing.assert_array_equal(one.run("aurora-1").document, again.run("aurora-1").document)
    assert not np.array_equal(one.run("aurora-1").document, other.run("aurora-1").document)


def test_exposed_sources_are_retrieved_more_often() -> None:
    made = Campaign(topics=10, missing=0).make()
    source = made.campaign.attributes()
    assert source.shape == made.campaign.lengths().shape == (500_000,)
    top = source[np.concatenate([part.ranking(0)[0][:100] for part in made.parts])]
    lift = np.bincount(top, minlength=3) / top.size / (np.bincount(source) / source.size)
    assert lift[SOURCES.index("news")] > 1 > lift[SOURCES.index("forum")]


def test_lengths_are_log_normal_around_330_words() -> None:
    words = np.log(Campaign().lengths())
    # Half a million draws: the standard error of the median is about .0014.
    assert np.median(words) == pytest.approx(np.log(330), abs=0.01)
    assert words.std() == pytest.approx(0.8, abs=0.01)


def test_ids_sort_as_numbers_do() -> None:
    assert document_id(12345) == "D0012345"
    assert document_id(9) < document_id(10) < document_id(9_999_999)


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ({"topics": 0}, "a count is below 1"),
        ({"groups": 50}, "40 runs are too few for 50 groups"),
        ({"depth": 6000}, "depth 6000 is more than the 5000 candidates"),
        ({"documents": 20_000_000}, "20000000 documents are more than 7 digits"),
        ({"ties": 1.5}, "no share"),
        ({"grades": ()}, "grades are no shares"),
        ({"skill": -1.0}, "negative"),
    ],
)
def test_a_campaign_that_cannot_be_drawn_says_why(wrong: dict[str, Any], problem: str) -> None:
    with pytest.raises(ParameterError, match=problem):
        Campaign(**wrong)


def test_the_named_campaigns_have_their_models_size() -> None:
    assert (TREC8.topics, TREC8.runs, TREC8.depth, TREC8.pool) == (50, 129, 1000, 100)
    assert (MSMARCO.topics, MSMARCO.documents) == (6980, 8_841_823)


def test_drawing_needs_numpy_alone() -> None:
    script = (
        "import sys; from cranfield.simulate import Campaign; Campaign(topics=1, runs=12, depth=5).make();"
        "sys.exit(bool({'polars', 'scipy', 'pandas'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
