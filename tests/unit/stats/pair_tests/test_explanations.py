"""Every method in words: what it is, what it assumes, which scale it needs, when to use it."""

import pytest

from cranfield.core import UnknownName
from cranfield.core.declaration_help import WIDE
from cranfield.stats import FAMILIES_IN_WORDS, TESTS, PairTest, by_family, explain_method, methods, methods_explained
from cranfield.stats.pair_tests.explanations import CATALOGUES, declared

NAMES = sorted({cls.name for catalogue in CATALOGUES for cls in catalogue})
CONTRACT = ["name", "family", "scale", "source", "direction", "parameters", "definition"]


def test_every_method_is_listed_once() -> None:
    listed = by_family()
    assert len(listed) == sum(map(len, CATALOGUES))
    assert len(set(listed)) == len(listed)
    families = [cls.family for cls in listed]
    assert list(dict.fromkeys(families)) == list(FAMILIES_IN_WORDS)  # each in one piece, in the order of the headings
    assert sorted(families, key=list(FAMILIES_IN_WORDS).index) == families


def test_the_table_is_the_contract() -> None:
    table = methods()
    assert list(table.columns) == CONTRACT
    rows = {(row["name"], row["family"]): row for row in table.rows()}
    assert len(rows) == len(table)
    t = rows["t", "pair"]
    assert (t["scale"], t["source"], t["direction"]) == ("interval", "student1908,cohen1988", None)
    assert t["parameters"] == "alternative='two-sided'"
    assert t["definition"] == "Student's paired t: the mean difference, in units of its standard error."
    assert rows["sign", "pair"]["scale"] == "ordinal"
    assert rows["signed-rank", "pair"]["scale"] == "interval"
    assert rows["friedman", "omnibus"]["scale"] == "ordinal"


def test_a_name_may_stand_for_several() -> None:
    assert [row["family"] for row in methods("t").rows()] == ["pair", "interval", "power"]
    assert [row["name"] for row in methods("wilcoxon", "FDR").rows()] == ["signed-rank", "bh"]
    assert len(declared("anova")) == 2


@pytest.mark.parametrize("name", NAMES)
def test_every_method_is_explained(name: str) -> None:
    text = explain_method(name)
    lines = text.splitlines()
    assert lines[0].split(" ")[0] == name
    labels = {line[:11].strip() for line in lines if line[:1].strip() and line[11:12] == " "}
    assert labels >= {"kind", "assumes", "use it", "needs", "source"}
    assert "``" not in text
    assert max(map(len, lines)) <= WIDE
    for cls in declared(name):
        assert all(alias in text for alias in cls.aliases)
        assert cls.cite in text
        assert f"{cls.requires} numbers" in text


def test_all_that_is_said_of_one() -> None:
    assert explain_method("fdr").splitlines() == [
        "bh (also fdr, benjamini-hochberg)",
        "",
        "Benjamini–Hochberg: the expected share of false discoveries among all discoveries is",
        "kept.",
        "",
        "kind        for many questions: cranfield test --correct",
        "formula     min_{j≥i} N / j · p₍ⱼ₎",
        "assumes     questions that are independent or depend on each other positively",
        "use it      to explore many pairs, where some false discoveries may stand among the true",
        "            ones",
        "needs       nominal numbers",
        "source      benjamini1995",
    ]


def test_the_study_has_the_details() -> None:
    study = methods_explained()
    assert list(study.tables) == ["catalogue", "details", "parameters"]
    assert len(study["details"]) == len(study["catalogue"]) == len(by_family())
    effects = {row["name"]: row["effect"] for row in study["details"].rows() if row["effect"]}
    assert effects.keys() >= {cls.name for cls in TESTS}
    assert effects["sign"] == "share"
    settings = [row for row in study["parameters"].rows() if row["test"] == "max-t"]
    assert [(row["name"], row["default"], row["limits"]) for row in settings] == [
        ("alternative", "'two-sided'", ""),
        ("draws", "100000", "from 1 up"),
        ("step_down", "False", ""),
    ]


def test_methods_without_parameters_have_no_table_of_them() -> None:
    assert list(methods_explained("holm").tables) == ["catalogue", "details"]


@pytest.mark.parametrize("cls", TESTS, ids=lambda cls: cls.name)
def test_every_test_says_what_it_holds(cls: type[PairTest]) -> None:
    assert cls.effect
    assert cls.assumes
    assert cls.use
    assert cls.formula
    assert cls.family in ("pair", "all pairs")
    assert (cls.family == "all pairs") == cls.joint


def test_an_unknown_name() -> None:
    with pytest.raises(UnknownName) as caught:
        methods("signd-rank")
    assert caught.value.problem == "there is no test named 'signd-rank'"
    assert caught.value.hint == "did you mean signed-rank or bayes-signed-rank or sign?"
    with pytest.raises(UnknownName) as caught:
        explain_method("qqqq")
    assert caught.value.hint == "`cranfield tests` lists them"
