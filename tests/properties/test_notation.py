"""A measure is what it is written as: every one of the catalogue, with whatever parameters."""

import copy
import pickle
import re
from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from cranfield.core import ParameterError, UnknownName
from cranfield.measures import MEASURES, NDCG, RBP, RR, Measure, parse_measure, parse_measures
from cranfield.measures.notation.trec_eval_names import trec_names
from cranfield.measures.notation.trec_eval_output import trec_name
from tests.support.properties.measure_cases import CASES, NAMES, cases

GRADE = st.integers(0, 12)
# By the name of the parameter; one that is not here keeps its default.
SHARES = st.floats(0, 1)
TEXTS = st.lists(SHARES, min_size=4, max_size=4).map(lambda numbers: " ".join(map(str, numbers)))
PARAMETERS: dict[str, st.SearchStrategy[Any]] = {
    "k": st.none() | st.integers(1, 10_000),
    "judged_only": st.booleans(),
    "rel": GRADE,
    "max_rel": st.none() | st.integers(1, 12),
    "p": st.floats(0, 1, exclude_min=True, exclude_max=True),
    "dcg": st.sampled_from(["log2", "exp-log2"]),
    "b": st.none() | st.floats(1, 100, exclude_min=True),
    "gains": st.none() | st.dictionaries(GRADE, GRADE | st.floats(0, 100), max_size=4),
    "missing": st.none() | st.integers(1, 20_000) | st.floats(1, 20_000),
    "recall": st.floats(0, 1),
    "rounding": st.sampled_from(["exact", "trec_eval-9", "trec_eval-10"]),
    "points": st.integers(2, 1001),
    "times": st.floats(0, 100, exclude_min=True),
    "beta": st.floats(0, 1000),
    "capped": st.booleans(),
    "relative": st.booleans(),
    "normalize": st.booleans(),
    "a": st.floats(0, 1000),
    "c": st.floats(-1000, 0),
    "T": st.floats(0.5, 100),
    "min_rel": st.integers(0, 2),
    "alpha": st.floats(0, 100),
    "attraction": TEXTS,
    "satisfaction": TEXTS,
    "holding": TEXTS,
    "after_click": SHARES,
    "of": st.sampled_from([NDCG(), NDCG(judged_only=True), RBP(p=0.5), RR(rel=2)]),
}


@st.composite
def measures(draw: st.DrawFn, name: str) -> Measure:
    """A measure with parameters of all kinds."""
    cls = MEASURES[name]
    known = [field.name for field in fields(cls) if field.name in PARAMETERS]
    chosen = draw(st.sets(st.sampled_from(known)))
    try:
        return cls(**{parameter: draw(PARAMETERS[parameter]) for parameter in sorted(chosen | {"k"})})
    except ParameterError:
        assume(False)
        raise


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
def test_what_is_written_reads_back_as_the_same(name: str, data: st.DataObject) -> None:
    measure = data.draw(measures(name))
    again = parse_measure(str(measure))
    assert again == measure
    assert hash(again) == hash(measure)
    assert str(again) == str(measure)
    assert type(again) is type(measure)


@pytest.mark.parametrize("measure", CASES, ids=str)
def test_every_case_is_a_value(measure: Measure) -> None:
    assert parse_measure(measure) is measure
    assert parse_measure(str(measure)) == measure == copy.deepcopy(measure) == pickle.loads(pickle.dumps(measure))
    assert repr(measure) == str(measure)
    with pytest.raises(AttributeError):
        measure.k = 7  # type: ignore[misc]


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
def test_what_trec_eval_calls_it_is_read_as_the_same(name: str, data: st.DataObject) -> None:
    for measure in (data.draw(measures(name)), *cases(name)):
        printed = trec_name(measure)
        # trec_eval 10 rounds recall points in its own way and prints the names of 9.
        later = getattr(measure, "rounding", "") == "trec_eval-10" and printed != str(measure)
        meant = replace(measure, rounding="trec_eval-9") if later else measure  # type: ignore[call-arg]
        assert parse_measure(printed) == meant


def test_names_of_trec_eval_are_given_to_the_cases_that_it_has() -> None:
    named = {re.sub(r"_[\d.,=-]+$", "", trec_name(measure)) for measure in CASES if trec_name(measure) != str(measure)}
    # What the cases do not hold: other recall points, multiples of R, …; see the tests of the grammars.
    assert named >= {"map", "map_cut", "P", "recall", "recip_rank", "ndcg", "ndcg_cut", "success", "set_relative_P"}
    assert named <= set(trec_names())


def test_no_two_cases_are_written_alike() -> None:
    assert len({str(measure) for measure in CASES}) == len(set(CASES)) == len(CASES)


@pytest.mark.parametrize("cls", list(MEASURES), ids=lambda cls: cls.name)
def test_names_and_aliases_are_known_in_any_case(cls: type[Measure]) -> None:
    at: dict[str, Any] = {cls.at: 1}
    for word in (cls.name, *cls.aliases):
        for spelled in (word, word.lower(), word.upper()):
            assert parse_measure(f"{spelled}@1") == cls(**at)


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("ndcg @ 10", "nDCG@10"),
        ("P(rel=1)@5", "P@5"),
        ("P(rel=2,judged_only=True)@5", "P(judged_only=True,rel=2)@5"),
        ("P(cutoff=5)", "P@5"),
        ("nDCG(gains={2:5,1:1})", "nDCG(gains={2:5})"),
        ("nDCG(gains={1:1})", "nDCG"),
        ("RBP(p=0.8)", "RBP"),
        ("NumRelRet", "NumRet(rel=1)"),
        ("MAP", "AP"),
        ("MRR@10", "RR@10"),
        ("recall@1000", "R@1000"),
        ("P (rel=2) @ 3", "P(rel=2)@3"),
    ],
)
def test_other_spellings_have_one_canonical_form(written: str, canonical: str) -> None:
    assert str(parse_measure(written)) == canonical


@pytest.mark.parametrize(("wrong", "meant"), [("nDCF@10", "nDCG"), ("RPB", "RBP"), ("Rpec", "Rprec"), ("MAPP", "MAP")])
def test_an_unknown_name_is_answered_with_a_near_one(wrong: str, meant: str) -> None:
    with pytest.raises(UnknownName, match=rf"there is no measure named .*\nhint: did you mean .*{meant}"):
        parse_measure(wrong)


def test_a_name_like_no_other_is_answered_with_where_to_look() -> None:
    with pytest.raises(UnknownName, match=r"\nhint: `cranfield measures` lists them all"):
        parse_measure("xyzzy")


def test_many_measures_in_one_text_are_read_once_each() -> None:
    assert [str(m) for m in parse_measures(["AP nDCG@10, P@5", "MAP", MEASURES["RR"]()])] == [
        "AP",
        "nDCG@10",
        "P@5",
        "RR",
    ]
