"""Sections and reports: what is shown, and what is refused."""

import pytest

from cranfield.core import Input, ParameterError, Provenance, Study, Table
from cranfield.measures import AP
from cranfield.reports import Section, Term, compose
from cranfield.reports.methods_used import terms
from cranfield.stats import Holm
from tests.support.sample_reports import analysed, compared, sample


def test_a_section_shows_all_unless_told() -> None:
    section = Section("Means", analysed())
    assert dict(section.tables or {}) == {"systems": "Systems", "days": "Days"}
    assert section.charts == ("intervals",)
    named = Section("One", compared(), words="one paragraph", tables={"overall": "", "topics": "Topic by topic"})
    assert dict(named.tables or {}) == {"overall": "Overall", "topics": "Topic by topic"}
    assert named.words == ("one paragraph",)
    assert Section("None", analysed(), charts=()).charts == ()


def test_headings_are_words() -> None:
    study = Study("x", {"per_topic": Table({"x": [1]})})
    assert dict(Section("t", study).tables or {}) == {"per_topic": "Per topic"}


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"tables": {"ranks": ""}}, "no table named 'ranks'"),
        ({"columns": {"ranks": ("run",)}}, "no table named 'ranks'"),
        ({"columns": {"systems": ("median",)}}, "no column named 'median'"),
        ({"charts": ("boxes",)}, "no chart named 'boxes'"),
        ({"rows": 0}, "cannot show 0 rows"),
    ],
)
def test_a_section_of_what_is_not_there_is_refused(settings: dict[str, object], why: str) -> None:
    with pytest.raises(ParameterError, match=why) as caught:
        Section("t", analysed(), **settings)  # type: ignore[arg-type]
    assert caught.value.hint


def test_a_report_needs_a_section() -> None:
    with pytest.raises(ParameterError, match="no section"):
        compose([], title="empty")


def test_a_report_is_made_by_what_made_its_studies() -> None:
    first = Provenance(inputs=(Input("q", "1", "qrels"), Input("r", "2", "run")), measures=("AP",))
    second = Provenance(inputs=(Input("q", "1", "qrels"), Input("s", "3", "run")), measures=("AP", "RR"), seed=3)
    studies = [Study("x", {}, made_by=first), Study("y", {}, made_by=second), Study("z", {})]
    report = compose([Section("t", study) for study in studies], title="t", command=["report", "a b", "-o", "x"])
    assert report.made_by == Provenance(
        command="cranfield report 'a b' -o x",
        inputs=(Input("q", "1", "qrels"), Input("r", "2", "run"), Input("s", "3", "run")),
        measures=("AP", "RR"),
        seed=3,
    )
    assert compose([Section("t", studies[2])], title="t").made_by == Provenance()


def test_declarations_are_terms() -> None:
    assert Term.of(Holm).cite == "holm1979"
    assert Term.of(Holm).name == "holm"
    assert Term.of(Holm).assumes.startswith("nothing")
    assert Term.of(AP, name="AP@10").name == "AP@10"
    assert Term.of(AP).assumes == ""


def test_methods_are_found_in_the_tables() -> None:
    found = {heading: [term.name for term in named] for heading, named in terms(sample().sections).items()}
    assert found == {
        "Measures": ["RR@10", "nDCG@10"],
        "Tests and other methods": ["t", "signed-rank", "holm", "anova", "tukey", "Tango's interval"],
    }


def test_measures_of_one_kind_stand_together_and_names_that_are_none_are_left_out() -> None:
    table = Table({"measure": ["nDCG@10", "nDCG@20", "my score", None], "p_bonferroni": [1, 1, 1, 1], "by": ["x"] * 4})
    found = terms([Section("t", Study("x", {"t": table}))])
    assert {heading: [term.name for term in named] for heading, named in found.items()} == {
        "Measures": ["nDCG@10, nDCG@20"],
        "Tests and other methods": ["bonferroni"],
    }


def test_sources_of_an_analysis_name_their_tests() -> None:
    table = Table({"source": ["friedman: system", "error"], "test": ["bootstrap(draws=10)", "unheard"]})
    found = terms([Section("t", Study("x", {"t": table}))])
    assert [term.name for term in found["Tests and other methods"]] == ["bootstrap", "friedman"]


def test_a_report_without_methods_has_none() -> None:
    assert terms([Section("t", Study("x", {"t": Table({"run": ["a"]})}))]) == {}


def test_measures_of_written_answers_are_explained_too() -> None:
    table = Table({"measure": ["NuggetVital", "NuggetVital(strict=True)", "seconds"]})
    (term,) = terms([Section("t", Study("x", {"t": table}))])["Measures"]
    assert term.name == "NuggetVital, NuggetVital(strict=True)"
    assert term.formula == "Σ_vital support(nugget) / number of vital nuggets"
    assert term.cite == "pradeep2024nuggets,voorhees2003qa"
