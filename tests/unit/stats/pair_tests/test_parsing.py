"""What people write, and the tests it stands for; every refusal to the letter."""

from typing import Any, ClassVar

import pytest

from cranfield.core import Catalogue, CranfieldError, Declared, Expression, ParameterError, UnknownName, construct
from cranfield.stats import (
    CORRECTIONS,
    DESIGNS,
    INTERVALS,
    TESTS,
    TRANSFORMS,
    BayesSignedRank,
    Bootstrap,
    Equivalence,
    Holm,
    MaxT,
    PairTest,
    Randomisation,
    RandomisedTukey,
    Sign,
    SignedRank,
    T,
    Tukey,
    adapt,
    parse_method,
    parse_tests,
)
from cranfield.stats.pair_tests.parsing import parse_methods

READ = "write a name, or name(parameter=value); `cranfield tests` lists them"


@pytest.mark.parametrize(
    ("text", "tests"),
    [
        ("t", [T()]),
        ("t sign", [T(), Sign()]),
        ("t,sign", [T(), Sign()]),
        ("t, sign,  max-t", [T(), Sign(), MaxT()]),
        ("student", [T()]),
        ("t-test", [T()]),
        ("Wilcoxon", [SignedRank()]),
        ("signed-rank", [SignedRank()]),
        ("signed_rank", [SignedRank()]),
        ("SIGNED-RANK", [SignedRank()]),
        ("randomised-tukey(draws=500) max-t(step_down=True)", [RandomisedTukey(draws=500), MaxT(step_down=True)]),
        ("signed-rank(zeros='pratt',continuity=True)", [SignedRank(zeros="pratt", continuity=True)]),
        ('tukey( error = "one-way", df="inf" )', [Tukey(error="one-way", df="inf")]),
        ("tost(margin=0.02)", [Equivalence(margin=0.02)]),
        ("tost(margin=2)", [Equivalence(margin=2.0)]),
        ("t(alternative='two-sided')", [T()]),
        ("bootstrap(kind='studentised')", [Bootstrap(kind="studentised")]),
        ("t t sign t", [T(), Sign()]),
        ("t student", [T()]),
    ],
)
def test_texts(text: str, tests: list[PairTest]) -> None:
    assert parse_tests(text) == tests


def test_texts_and_tests_together() -> None:
    assert parse_tests(["sign", T(), "t randomisation"]) == [Sign(), T(), Randomisation()]
    assert parse_tests(T()) == [T()]


def test_a_method_stands_for_itself() -> None:
    assert parse_method(CORRECTIONS, Holm()) == Holm()
    assert parse_method(TESTS, "hsd") == Tukey()


WRONG: list[tuple[Catalogue[Any], str, str, str]] = [
    (TESTS, "tt", "there is no test named 'tt'", "did you mean tost or t or t-test?"),
    (TESTS, "rank-sun", "there is no test named 'rank-sun'", "did you mean rank-sum or ranksum or rank-tukey?"),
    (TESTS, "xyzzy", "there is no test named 'xyzzy'", "`cranfield tests` lists them"),
    (TESTS, "x-y-z", "there is no test named 'x-y-z'", "`cranfield tests` lists them"),
    (CORRECTIONS, "hol", "there is no correction named 'hol'", "did you mean holm?"),
    (INTERVALS, "bcaa", "there is no interval named 'bcaa'", "did you mean bca?"),
    (TRANSFORMS, "logi", "there is no transform named 'logi'", "did you mean logit or log-odds?"),
    (DESIGNS, "anov", "there is no design named 'anov'", "did you mean anova?"),
    (TESTS, "", "'' holds no test", READ),
    (INTERVALS, " ,", "' ,' holds no interval", READ),
    (TESTS, "t(", "cannot read the test 't(': '(' at character 2 is never closed", READ),
    (TESTS, "max-t(max-t", "cannot read the test 'max-t(max-t': '(' at character 6 is never closed", READ),
    (TESTS, "t)", "cannot read the test 't)': ')' at character 2 closes nothing", READ),
    (TESTS, "t; rm", "cannot read the test 't; rm': there is no place for '; rm' at character 2", READ),
    (TESTS, "5", "cannot read the test '5': '5' is not the name of a test", READ),
    (INTERVALS, "5", "cannot read the interval '5': '5' is not the name of an interval", READ),
    (TESTS, "tost(0.1)", "cannot read the test 'tost(0.1)': the argument '0.1' has no name and is not a test", READ),
    (
        TESTS,
        "signed-rank(zeros=pratt)",
        "cannot read the test 'signed-rank(zeros=pratt)': pratt is not a value of zeros",
        "put text in quotes: zeros='pratt'",
    ),
    (TESTS, "t(margin=1)", "t has no parameter 'margin'", "it has: alternative"),
    (CORRECTIONS, "holm(n=2)", "holm has no parameter 'n'", "it has none"),
    (TESTS, "t@5", "t has no @", "write t; see `cranfield tests t`"),
    (TESTS, "sign(t)", "sign takes no test in parentheses", "write sign"),
    (TESTS, "tost(margin=-1)", "tost cannot have margin=-1", "margin is a number above 0"),
    (TESTS, "max-t(draws=0)", "max-t cannot have draws=0", "draws is a whole number from 1 up"),
    (
        TESTS,
        "t(alternative='up')",
        "t cannot have alternative='up'",
        "alternative is 'two-sided' or 'greater' or 'less'",
    ),
]


@pytest.mark.parametrize(("catalogue", "text", "problem", "hint"), WRONG, ids=[text for _, text, _, _ in WRONG])
def test_refused(catalogue: Catalogue[Any], text: str, problem: str, hint: str) -> None:
    with pytest.raises(CranfieldError) as caught:
        parse_methods(catalogue, text)
    assert (caught.value.problem, caught.value.hint) == (problem, hint)
    assert type(caught.value) is (UnknownName if " named " in problem else ParameterError)


class Recipe(Declared):
    """Something with a parameter that must be given."""

    name: ClassVar[str]
    at: ClassVar[str] = "size"
    size: int


RECIPES: Catalogue[Recipe] = Catalogue("recipe")
RECIPES.declare("cake", cite="nobody")(Recipe)


def test_what_must_be_given() -> None:
    with pytest.raises(ParameterError) as caught:
        construct(RECIPES, Expression("cake"), see="the book")
    assert caught.value.problem == "cake cannot be made: Recipe needs size"
    assert caught.value.hint == "see `the book cake`"
    assert construct(RECIPES, Expression("cake", at=3), see="the book") == Recipe(size=3)
    assert construct(RECIPES, Expression("Cake", (("wide", 4),)), see="", renamed={"wide": "size"}) == Recipe(size=4)
    with pytest.raises(ParameterError) as caught:
        construct(RECIPES, Expression("cake", inner=(Expression("t"),)), see="the book")
    assert (caught.value.problem, caught.value.hint) == ("cake takes no recipe in parentheses", "write cake@10")


def test_very_long_text() -> None:
    with pytest.raises(ParameterError, match=r"the test 'tost.* is too long"):
        parse_tests(f"tost(margin={'1' * 2000})")


def test_one_where_one_is_wanted() -> None:
    with pytest.raises(ParameterError) as caught:
        parse_method(CORRECTIONS, "holm bh")
    assert caught.value.problem == "'holm bh' holds 2 corrections where one is wanted"
    assert caught.value.hint == "name one correction"


def test_no_test_at_all() -> None:
    with pytest.raises(ParameterError) as caught:
        parse_tests([])
    assert (caught.value.problem, caught.value.hint) == ("no test is given", "for example: t sign")


def test_only_what_a_test_has_is_set() -> None:
    assert adapt(T(), draws=5, alternative="less") == T(alternative="less")
    assert adapt(T(), draws=5) is not None
    assert adapt(MaxT(draws=7), draws=None, alternative=None) == MaxT(draws=7)
    assert adapt(BayesSignedRank(rope=0.02), draws=50) == BayesSignedRank(rope=0.02, draws=50)


def test_a_setting_is_checked() -> None:
    with pytest.raises(ParameterError, match="tost cannot have alternative='less'"):
        adapt(Equivalence(), alternative="less")
