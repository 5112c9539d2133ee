"""The study `scale`: what the parts say together; each part is tested where it lives."""

from pathlib import Path
from typing import Any

import pytest
from scipy import stats

from cranfield.core import CranfieldError, Study
from cranfield.measures import MEASURES
from cranfield.simulate import Campaign
from cranfield.studies import evaluate, scale


def rows(study: Study, table: str) -> list[dict[str, Any]]:
    return study[table].rows()


def test_reciprocal_rank_of_three() -> None:
    study = scale("RR@3")
    assert [row["value"] for row in rows(study, "values")] == pytest.approx([1, 1 / 2, 1 / 3, 0])
    assert [row["runs"] for row in rows(study, "values")] == [4, 2, 1, 1]  # 1··, 01·, 001, 000
    # [Craswell] Table 3: between 010 and 001 lies a difference that asks for values of .83 and .17.
    first = rows(study, "solvability")[0]
    assert (first["difference"], first["needs_high"], first["needs_low"]) == pytest.approx((1 / 6, 5 / 6, 1 / 6))
    assert first["realised"] is False
    assert study.sentence == "RR@3 has no equal steps."
    assert study.charts == ("spacing",)


def test_the_figure_of_the_survey() -> None:
    # [Ferro] Fig. 19: rankings of four documents, four relevant ones.
    even, uneven = "P R RBP(p=0.5) SBTO RBTO", "AP RR RBP(p=0.3) RBP(p=0.8) DCG(b=2)"
    study = scale(f"{even} {uneven}", length=4, relevant=4)
    found = {row["measure"]: row["equispaced"] for row in rows(study, "scales")}
    assert list(found.values()) == [True] * 5 + [False] * 5
    assert {row["rankings"] for row in rows(study, "scales")} == {16}
    assert "P@4" in study.sentence.split(";")[0]


def test_grades_and_how_many_there_are_of_each() -> None:
    study = scale("DCG@2", grades=2, relevant=(1, 2))
    # Nine rankings of three grades, without 11: there is one document of grade 1.
    assert rows(study, "scales")[0]["rankings"] == 8
    same = scale("DCG@2", relevant={1: 1, 2: 2})
    assert rows(same, "values") == rows(study, "values")


def test_without_a_length_there_are_claims_alone() -> None:
    study = scale("AP")
    assert "values" not in study.tables
    assert rows(study, "scales")[0]["equispaced"] is None
    assert any("--length" in note for note in study["scales"].notes)
    assert study.charts == ()
    assert [row["measure"] for row in rows(study, "axioms")] == ["AP"]


def test_the_whole_catalogue() -> None:
    study = scale()
    assert len(study["scales"]) == len([cls for cls in MEASURES if cls.family != "count"])
    claims = [row["scale"] in ("interval", "ratio") for row in rows(study, "scales")]
    assert study.sentence.startswith(f"{sum(claims)} of {len(claims)} measures")
    assert [row["scale"] for row in rows(study, "permissible")] == ["nominal", "ordinal", "interval", "ratio"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("campaign") / "c"
    Campaign(topics=30, groups=3, runs=5, depth=50).write(place)
    return place


def test_what_changes_for_runs(folder: Path) -> None:
    qrels, runs = folder / "qrels.txt", folder / "runs"
    study = scale("AP@5", qrels=qrels, runs=runs, correct="none")
    values = evaluate(qrels, runs, "AP@5 interval(AP@5)")
    plain, mapped = values.matrix("AP@5"), values.matrix("interval(AP@5)")
    pairs = [(a, b) for a in range(5) for b in range(a + 1, 5)]
    before, after = (
        {pair for pair in pairs if stats.ttest_rel(m[:, pair[0]], m[:, pair[1]]).pvalue <= 0.05}
        for m in (plain, mapped)
    )
    (row,) = [row for row in rows(study, "changed") if row["to"] == "interval(AP@5), t"]
    assert row["from"] == "AP@5, t"
    assert row["pairs"] == 10
    assert (row["both"], row["gained"], row["lost"]) == (len(before & after), len(after - before), len(before - after))
    names = {frozenset((values.runs[a], values.runs[b])) for a, b in before ^ after}
    changes = [one for one in rows(study, "changes") if one["to"] == "interval(AP@5), t"]
    assert {frozenset((one["a"], one["b"])) for one in changes if one["change"] != "reversed"} == names
    assert study.charts == ("changes", "spacing")
    assert study.made_by is not None
    assert [source.kind for source in study.made_by.inputs] == ["qrels", *["run"] * 5]


def test_what_cannot_be_mapped_is_compared_all_the_same(folder: Path) -> None:
    study = scale("bpref@5", qrels=folder / "qrels.txt", runs=folder / "runs")
    assert [row["to"].rpartition(", ")[2] for row in rows(study, "changed")] == ["sign", "signed-rank", "median"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measures": "AP@10", "qrels": "q.txt"}, "judgments and runs belong together"),
        ({"qrels": {"1": {"a": 1}}, "runs": {"x": {"1": {"a": 1.0}}}}, "no measure is given"),
        ({"measures": "AP", "relevant": 3}, "how long are the rankings"),
        ({"measures": "AP@30"}, "rankings of 30 documents"),
        ({"measures": "AP@10", "length": 5}, "more documents than rankings of 5"),
        ({"measures": "AP@3", "relevant": (1, 2)}, "2 counts"),
        ({"measures": "NRG(P@3)"}, "they depend on other runs"),
        ({"measures": "AP@3", "level": 0}, "level"),
        ({"measures": "Nope"}, "Nope"),
    ],
)
def test_what_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(CranfieldError, match=message):
        scale(**options)
