"""Values of ir_measures: a second peer, and the only one for forms that trec_eval has no name for."""

from math import sqrt

import pytest

import cranfield as cf
from cranfield.measures import parse_measure
from tests.support.golden.golden_values import EXACT, assessed, by_topic, golden, said, values_of
from tests.support.golden.ranking_inputs import graded, inputs
from tests.support.guarded_peers import ir_measures

ROUNDED = 5.1e-6  # gdeval prints five decimals

CASES = [(name, measure) for name, measures in golden("ir_measures").items() for measure in measures]
COMPAT = [(name, measure) for name, measure in CASES if measure.startswith("Compat")]


def ours(measure: str) -> str:
    """What we call a measure of ir_measures."""
    if measure.startswith("IPrec("):
        return measure.replace("(", "(rounding='trec_eval-9',")
    if measure.startswith("IPrec"):
        return measure.replace("@", "(rounding='trec_eval-9')@")
    if "beta=" in measure:  # trec_eval's x is the square of it
        _, _, rest = measure.partition("beta=")
        x = rest.rstrip(")").split(",")[0]
        return measure.replace(f"beta={x}", f"beta={sqrt(float(x))}")
    return measure


@pytest.mark.parametrize(("name", "measure"), [case for case in CASES if case not in COMPAT])
def test_every_topic_has_the_value_of_ir_measures(name: str, measure: str) -> None:
    theirs = golden("ir_measures")[name][measure]
    found = said(assessed(name), ours(measure))
    if measure.startswith("Accuracy"):  # it has no value for a topic without a relevant document in the list
        found = {topic: found[topic] for topic in theirs}
    assert found == pytest.approx(theirs, rel=0, abs=EXACT)


@pytest.mark.parametrize(("name", "measure"), COMPAT)
def test_compatibility_is_that_of_ir_measures_at_its_depth(name: str, measure: str) -> None:
    given, theirs = inputs()[name], golden("ir_measures")[name][measure]
    assert said(assessed(name), measure) == pytest.approx(theirs, rel=0, abs=EXACT)
    for topic, value in theirs.items():
        # It goes as deep as the longer of the list and the ideal one, whatever p is.
        relevant = sum(grade > 0 for grade in given.qrels[topic].values())
        depth = max(len(given.run.get(topic, ())), relevant)
        assert said(assessed(name), f"{measure}@{depth}")[topic] == pytest.approx(value, rel=0, abs=EXACT), topic


@pytest.mark.parametrize("measure", golden("gdeval"))
def test_every_topic_has_the_value_of_gdeval(measure: str) -> None:
    found = by_topic(values_of(graded(), [measure]), parse_measure(measure))
    assert found == pytest.approx(golden("gdeval")[measure], rel=0, abs=ROUNDED)


def test_leaving_out_the_unjudged_makes_a_difference_in_the_input() -> None:
    theirs = golden("ir_measures")["graded"]
    for whole, condensed in (("AP", "AP(judged_only=True)"), ("nDCG", "nDCG(judged_only=True)")):
        assert all(theirs[whole][topic] < theirs[condensed][topic] for topic in theirs[whole])


def test_ir_measures_sees_two_rankings_of_one_run_where_scores_tie() -> None:
    qrels, run = {"1": {"a": 1}}, {"1": {"a": 1.0, "z": 1.0}}
    theirs = ir_measures.calc_aggregate([ir_measures.RR, ir_measures.RR @ 10], qrels, run)
    assert theirs == {ir_measures.RR: 1 / 2, ir_measures.RR @ 10: 1}
    assert cf.evaluate(qrels, run, "RR RR@10").cube[0, 0].tolist() == [1 / 2, 1 / 2]
    assert cf.evaluate(qrels, run, "RR RR@10", ties="docno-asc").cube[0, 0].tolist() == [1, 1]


@pytest.mark.parametrize("written", ["ndcg@10", "map", "mrr"])
def test_names_of_measures_may_be_written_in_any_case_here(written: str) -> None:
    with pytest.raises(NameError):
        ir_measures.parse_measure(written)
    assert str(parse_measure(written)) in ("nDCG@10", "AP", "RR")
