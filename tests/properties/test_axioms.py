"""What every measure of the catalogue promises by its axioms, and the counterexamples of those that do not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cranfield.measures import AXIOMS, CONDENSED, MEASURES, Counterexample, Measure, parse_measure
from tests.support.properties.measure_cases import (
    CASES,
    NAMES,
    assessed_for,
    cases,
    falls,
    goodness,
    of_first_topic,
    with_axiom,
    worth,
)
from tests.support.properties.topic_strategies import Ranking, Topic, assess_grades, topics

NOISE = 1e-12  # sums in another order


def prefer_the_better(name: str, axiom: str, topic: Topic, one: Ranking, other: Ranking, pair: Ranking) -> None:
    """Show that of two rankings no measure prefers the second, if ``pair`` is (better, worse) in its eyes; and back."""
    measures = cases(name, axiom=axiom)
    values = of_first_topic(assessed_for(name, Topic(topic.grades, (one, other))), measures)
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
    prefer_the_better(name, "swap", topic, ranking, swapped, pair)


@pytest.mark.parametrize("name", with_axiom("replacement"))
@given(topic=topics(least=1, missed=1), data=st.data())
def test_a_better_document_that_was_missed_never_hurts_in_the_place_of_another(
    name: str, topic: Topic, data: st.DataObject
) -> None:
    (ranking,) = topic.rankings
    place = data.draw(st.integers(0, len(ranking) - 1))
    missed = data.draw(st.sampled_from([d for d in range(len(topic.grades)) if d not in ranking]))
    replaced = (*ranking[:place], missed, *ranking[place + 1 :])
    prefer_the_better(name, "replacement", topic, replaced, ranking, (missed, ranking[place]))


@pytest.mark.parametrize("name", with_axiom("ideal-best"))
@given(topic=topics(rankings=3))
def test_no_ranking_is_better_than_the_perfect_one(name: str, topic: Topic) -> None:
    measures = cases(name, axiom="ideal-best")
    assessed = assessed_for(name, topic)
    for measure, values in zip(measures, of_first_topic(assessed, measures), strict=True):
        best = worth(measure, assessed.at_best(measure))[0]
        assert (values <= best + NOISE).all(), measure


def shown_with(measure: Measure, example: Counterexample) -> Measure:
    """The measure that a counterexample is shown with."""
    written = example.of or (measure.example.of if measure.example else str(measure))
    return parse_measure(written).settled(float(max(*example.before, *example.after, *example.missed, 1)))


GIVEN_UP = {
    (measure.name, example): measure for measure in CASES for example in measure.gives_up if example != CONDENSED
}


@pytest.mark.parametrize(("name", "example"), GIVEN_UP, ids=[f"{name} {e.axiom}" for name, e in GIVEN_UP])
def test_who_gives_up_an_axiom_shows_why(name: str, example: Counterexample) -> None:
    measure = shown_with(GIVEN_UP[name, example], example)
    assert measure.name == name
    assert example in measure.gives_up
    assert example.axiom not in measure.axioms
    assert falls(measure, example)


# Counts see every judged document, wherever it stands: nothing is pushed down there. What needs more than grades keeps
# no axiom of grades.
RANKED = [cls for cls in MEASURES if cls.family != "count" and not cls.needs]


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
    for example in (CONDENSED, *(example for _, example in GIVEN_UP)):
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


def test_an_axiom_that_a_measure_never_keeps_has_its_counterexample() -> None:
    # A property that runs on nothing shows nothing.
    for axiom in AXIOMS:
        never = set(NAMES) - set(with_axiom(axiom))
        assert never <= {name for name, example in GIVEN_UP if example.axiom == axiom}
        plain = {cls.name for cls in MEASURES if not cls.needs}
        assert len(never & plain) < len(plain) / 3


def test_lower_is_better_for_esl_and_no_value_is_worst() -> None:
    assessed = assess_grades((1, 0), (0, 1), (0,))
    ((first, second, never),) = of_first_topic(assessed, [MEASURES["ESL"]()])
    assert (first, second, never) == (-1.0, -2.0, -np.inf)
