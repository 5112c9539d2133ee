"""Tables of click models, judgments from clicks, and how models are written."""

import numpy as np
import pytest

from cranfield.core import ParameterError, UnknownName
from cranfield.online import (
    CLICK_MODELS,
    COEC,
    DBN,
    DCTR,
    PBM,
    SDBN,
    UBM,
    fit_table,
    inferred_qrels,
    parameters_table,
    parse_click_model,
    parse_click_models,
    ranks_table,
)
from tests.support.simulations.click_logs import drawn, written

PAGES = written("6 A b", "3 a B", "1 b")


def test_names_are_parsed() -> None:
    assert set(CLICK_MODELS.names()) == set("GCTR RCTR DCTR COEC CM PBM UBM DCM SDBN DBN CCM".split())
    assert parse_click_model("pbm(rounds=20, first='free')") == PBM(rounds=20, first="free")
    assert str(PBM(rounds=20, first="free")) == "PBM(first='free',rounds=20)"
    assert parse_click_models(["DBN ubm", DBN()]) == [DBN(), UBM()]
    assert len(parse_click_models("all")) == len(CLICK_MODELS)
    with pytest.raises(UnknownName):
        parse_click_model("PDM")
    with pytest.raises(ParameterError, match="PBM cannot have a=0"):
        parse_click_model("PBM(a=0)")
    with pytest.raises(ParameterError, match="no click model"):
        parse_click_models([])


def test_fit_has_the_columns_of_the_contract() -> None:
    fitted = [DCTR().fit(PAGES), DBN().fit(PAGES)]
    table = fit_table([one.foretell(PAGES) for one in fitted])
    contract = ("model", "log_likelihood", "perplexity", "conditional_perplexity", "impressions")
    assert table.columns[:5] == contract
    rows = table.rows()
    assert [row["model"] for row in rows] == ["DCTR", "DBN"]
    assert [row["rounds"] for row in rows] == [None, fitted[1].rounds]
    for row, one in zip(rows, fitted, strict=True):
        assert row["log_likelihood"] == one.log_likelihood(PAGES)
        assert row["log_likelihood_by_document"] == one.log_likelihood(PAGES, mean="documents")
        assert row["impressions"] == 10
    with pytest.raises(ParameterError, match="no click model"):
        fit_table([])


def test_parameters_have_their_ends() -> None:
    table = parameters_table([DCTR().fit(PAGES), UBM().fit(PAGES)])
    assert table.columns == ("model", "name", "key", "value", "low", "high")
    rows = table.rows()
    assert [row["key"] for row in rows[:2]] == ["t b", "t a"]  # shown ten times and nine: the most certain first
    assert {"model": "DCTR", "name": "attraction", "key": "t a", "value": 7 / 11}.items() <= rows[1].items()
    assert [row["key"] for row in rows if row["name"] == "examination"] == ["1 after 0", "2 after 0", "2 after 1"]
    assert all(row["low"] <= row["value"] <= row["high"] for row in rows)  # type: ignore[operator]
    assert parameters_table(DCTR().fit(PAGES)).rows() == rows[:2]


def test_ranks_are_over_pages_that_have_them() -> None:
    rows = ranks_table([model.fit(PAGES).foretell(PAGES) for model in (PBM(), SDBN(exact=False))]).rows()
    assert [(row["model"], row["rank"], row["impressions"]) for row in rows] == [
        ("PBM", 1, 10),
        ("PBM", 2, 9),
        ("SDBN(exact=False)", 1, 10),
        ("SDBN(exact=False)", 2, 9),
    ]
    assert [row["observed"] for row in rows[:2]] == [6 / 10, 3 / 9]
    assert [row["examined"] for row in rows[::2]] == [1, 1]
    # SDBN: a is clicked 6 of 9 times, b 3 of 4 down to the last click; 6 of 6 and 3 of 3 are last.
    attraction, satisfaction = 7 / 11, 7 / 8
    assert rows[3]["examined"] == pytest.approx(1 - attraction * satisfaction)
    assert rows[3]["predicted"] == pytest.approx((1 - attraction * satisfaction) * 4 / 6)


def test_relevance_becomes_judgments() -> None:
    fitted = DCTR().fit(PAGES)  # a: 7/11; b: 4/12
    qrels = inferred_qrels(fitted, PAGES)
    judged = dict(zip(qrels.document.to_list(), qrels.grade.tolist(), strict=True))
    assert judged == pytest.approx({"a": 7 / 11, "b": 4 / 12})
    graded = inferred_qrels(fitted, PAGES, cuts=(1 / 3, 0.5, 0.9))
    assert dict(zip(graded.document.to_list(), graded.grade.tolist(), strict=True)) == {"a": 2, "b": 1}
    lower = inferred_qrels(fitted, PAGES, lower=True)
    assert lower.grade.tolist() == pytest.approx(fitted.relevance.lower().tolist())
    assert inferred_qrels(fitted, PAGES, least=10).document.to_list() == ["b"]
    assert qrels.source.name == "inferred from clicks by DCTR"


def test_judgments_are_refused_where_there_are_none() -> None:
    fitted = DCTR().fit(PAGES)
    with pytest.raises(ParameterError, match="no document has 100 impressions"):
        inferred_qrels(fitted, PAGES, least=100)
    with pytest.raises(ParameterError, match="no document has 1 impressions and was learnt"):
        inferred_qrels(fitted, written("1 x Y"))
    with pytest.raises(ParameterError, match="do not rise"):
        inferred_qrels(fitted, PAGES, cuts=(0.5, 0.2))


def test_chances_tied_to_groups() -> None:
    pages = drawn(count=300)
    grouped = pages.grouped(np.array([0, 0, 0, 1, 1, 1]), ["low", "high"])
    fitted = DBN().fit(grouped)
    assert fitted.estimates["attraction"].names() == ["any low", "any high"]
    assert fitted.marginal(grouped).shape == grouped.pair.shape
    ratio = COEC().fit(grouped).estimates["attraction"]
    assert len(ratio) == 2
