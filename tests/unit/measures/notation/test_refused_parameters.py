"""Measures that cannot be: two lines each, what is wrong and what to do."""

import pytest

from cranfield.core import CranfieldError
from cranfield.data import assess
from cranfield.measures import MEASURES, catalogue, explain, first_use, measure_all, parse_measure, parse_measures


@pytest.mark.parametrize(
    "written",
    [
        "P",
        "P@0",
        "P@-1",
        "P@3.5",
        "P(rel=-1)@5",
        "P(rel='a')@5",
        "AP(rel=True)",
        "AP(grade=1)",
        "AP(nDCG)",
        "NumRet(rel=-2)",
        "RBP(p=0)",
        "RBP(p=1)",
        "RBP(p='a')",
        "RBP(max_rel=0)",
        "RBP(max_rel='a')",
        "RBP(rel=-1)",
        "ERR(max_rel=0)",
        "ERR(max_rel=2000)",
        "DCG(b=1)",
        "DCG(b='a')",
        "nDCG(dcg='ln')",
        "ESL(missing=11)",
        "ESL(missing=10)@10",
        "ESL(missing='a')@10",
        "Judged(judged_only=True)@10",
        "",
    ],
)
def test_what_cannot_be_is_refused_in_two_lines(written: str) -> None:
    with pytest.raises(CranfieldError) as caught:
        parse_measure(written)
    problem, hint = str(caught.value).splitlines()
    assert problem
    assert hint.startswith("hint: ")


@pytest.mark.parametrize("name", [name for name in MEASURES.names() if MEASURES[name].at == "k"])
def test_no_measure_has_a_cutoff_beyond_32_bits(name: str) -> None:
    measure = first_use(MEASURES[name])
    for k in (2**31, 10**25):
        with pytest.raises(CranfieldError, match=f"cannot have k={k}\nhint: "):
            measure @ k


def test_the_limit_of_cutoffs_is_reported() -> None:
    for written in ("P@2147483648", "P(k=2147483648)", "interval(P@2147483648)", "P@4294967296"):
        with pytest.raises(CranfieldError, match=r"P cannot have k=\d+\nhint: a cut-off is at most 2,147,483,647$"):
            parse_measure(written)
    # One relevant document in 2^31 - 1 ranks: the largest cut-off counts them all.
    values = measure_all(assess({"1": {"a": 1}}, {"run": {"1": {"a": 1.0}}}), "P@2147483647")
    assert values.cube[0, 0].tolist() == [1 / (2**31 - 1)]


def test_no_measure_at_all_is_refused() -> None:
    with pytest.raises(CranfieldError, match=r"no measure is given\nhint: for example"):
        parse_measures([])


def test_topics_are_counted_in_one_of_two_ways() -> None:
    assessed = assess({"1": {"a": 1}}, {"run": {"1": {"a": 1.0}}})
    with pytest.raises(CranfieldError, match=r"topics='all' is not known\nhint: choose"):
        measure_all(assessed, "AP", topics="all")  # type: ignore[arg-type]


def test_counts_of_judged_documents_leave_out_the_others() -> None:
    run = {"1": {"a": 3.0, "x": 2.0, "b": 1.0}}
    values = measure_all(assess({"1": {"a": 1, "b": 0, "c": 1}}, {"run": run}), "NumRet NumRet(judged_only=True)")
    assert values.cube[0, 0].tolist() == [3, 2]


@pytest.mark.parametrize("name", MEASURES.names())
def test_every_measure_is_explained(name: str) -> None:
    text = explain(name)
    (row,) = catalogue(name).rows()
    assert row["name"] == name
    assert str(row["definition"]).split(":")[0] in text
    assert MEASURES[name].cite in text
