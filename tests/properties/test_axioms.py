"""What every measure of the catalogue promises by its axioms, and the counterexamples of those that do not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cranfield.measures import AXIOMS, CONDENSED, MEASURES, Counterexample, Measure

from .catalogue import NAMES, cases, goodness, of_first_topic, with_axiom, worth
from .strategies import Ranking, Topic, assess_grades, assess_topics, topics

NOISE = 1e-12  # sums in another order


def prefer_the_better(measures: list[Measure], topic: Topic, one: Ranking, other: Ranking, pair: Ranking) -> None:
    """Show that of two rankings no measure prefers the second, if ``pair`` is (better, worse) in its eyes; and back."""
    values = of_first_topic(assess_topics(Topic(topic.grades, (one, other))), measures)
    for measure, (first, second) in zip(measures, values.tolist(), strict=True):
        better, worse = (goodness(measure, grade) for grade in topic.down(pair))
        if better > worse:
            assert first >= second - NOISE, measure
        elif better < worse:
            assert second >= first - NOISE, measure


@pytest.mark.parametrize("name", with_axiom("swap"))
@given(topic=topics(least=2), data=st.data())
def test_moving_a_better_document_up_one_place_never_hurts(name: str, topic: Topic, data: st.DataObject) -> None:
    (ranking,) = topic.rankings
    place = data.draw(st.integers(0, len(ranking) - 2))
    pair = ranking[place : place + 2]
    swapped = (*ranking[:place], *pair[::-1], *ranking[place + 2 :])
    prefer_the_better(cases(name, axiom="swap"), topic, ranking, swapped, pair)


@pytest.mark.parametrize("name", with_axiom("replacement"))
@given(topic=topics(least=1, missed=1), data=st.data())
def test_a_better_document_that_was_missed_never_hurts_in_the_place_of_another(
    name: str, topic: Topic, data: st.DataObject
) -> None:
    (ranking,) = topic.rankings
    place = data.draw(st.integers(0, len(ranking) - 1))
    missed = data.draw(st.sampled_from([d for d in range(len(topic.grades)) if d not in ranking]))
    replaced = (*ranking[:place], missed, *ranking[place + 1 :])
    prefer_the_better(cases(name, axiom="replacement"), topic, replaced, ranking, (missed, ranking[place]))


@pytest.mark.parametrize("name", with_axiom("ideal-best"))
@given(topic=topics(rankings=3))
def test_no_ranking_is_better_than_the_perfect_one(name: str, topic: Topic) -> None:
    measures = cases(name, axiom="ideal-best")
    assessed = assess_topics(topic)
    for measure, values in zip(measures, of_first_topic(assessed, measures), strict=True):
        best = worth(measure, assessed.at_best(measure))[0]
        assert (values <= best + NOISE).all(), measure


def falls(measure: Measure, example: Counterexample) -> bool:
    """Whether the ranking that is better by the axiom has the worse value."""
    ((before, after),) = of_first_topic(assess_grades(example.before, example.after, missed=example.missed), [measure])
    return bool(after < before)


@pytest.mark.parametrize("cls", [cls for cls in MEASURES if cls.gives_up], ids=lambda cls: cls.name)
def test_who_gives_up_an_axiom_shows_why(cls: type[Measure]) -> None:
    for example in cls.gives_up:
        assert falls(cls(), example)
        assert example.axiom not in cls().axioms


# Counts see every judged document, wherever it stands: nothing is pushed down there.
RANKED = [cls for cls in MEASURES if cls.family != "count"]


@pytest.mark.parametrize("cls", RANKED, ids=lambda cls: cls.name)
def test_leaving_out_the_unjudged_gives_up_replacement(cls: type[Measure]) -> None:
    measure = cls(k=1, judged_only=True).settled(1.0)
    assert falls(measure, CONDENSED)
    assert CONDENSED.axiom not in measure.axioms
    assert CONDENSED.axiom in cls(k=1).axioms


@pytest.mark.parametrize("name", ["AP", "RR", "nDCG"])
def test_leaving_out_the_unjudged_gives_up_replacement_without_a_cut_off_too(name: str) -> None:
    assert falls(MEASURES[name](judged_only=True), CONDENSED)


def test_counterexamples_are_better_by_their_axiom() -> None:
    for example in (CONDENSED, *(example for cls in MEASURES for example in cls.gives_up)):
        if example.axiom == "replacement":
            changed = [(a, b) for a, b in zip(example.before, example.after, strict=True) if a != b]
            assert len(changed) == 1
            assert changed[0][0] < changed[0][1]
            assert changed[0][1] in example.missed
        elif example.axiom == "swap":
            assert sorted(example.before) == sorted(example.after)
        else:
            judged = sorted([g for g in (*example.before, *example.missed) if g >= 0], reverse=True)
            assert example.after == tuple(judged)


def test_every_axiom_is_kept_by_nearly_all() -> None:
    # A property that runs on nothing shows nothing.
    for axiom in AXIOMS:
        assert set(with_axiom(axiom)) | {"NumRet"} == set(NAMES)


def test_lower_is_better_for_esl_and_no_value_is_worst() -> None:
    assert [cls.name for cls in MEASURES if cls.direction == "lower"] == ["ESL"]
    assessed = assess_grades((1, 0), (0, 1), (0,))
    ((first, second, never),) = of_first_topic(assessed, [MEASURES["ESL"]()])
    assert (first, second, never) == (-1.0, -2.0, -np.inf)
