"""The form of a pool: the parameters of its strategy, and what it says of an entry that makes no sense."""

from __future__ import annotations

import json
from html import unescape
from typing import Any

import pytest

from cranfield.collections import STRATEGIES
from cranfield.core import parameters
from cranfield.server.judging import pool_lifecycle
from cranfield.server.models import Pool, Task
from cranfield.server.tasks import corpora
from tests.support.server.pool_forms import (
    BOTH,
    HTMX,
    ONE,
    PAGE,
    acts_of,
    drawn,
    judge_one,
    page_of,
    post,
    told,
    with_runs,
)
from tests.support.server.users_and_tasks import DOCUMENTS, TOPICS, World, arrived


@pytest.fixture
def task(world: World) -> Task:
    return with_runs(world)


def test_every_strategy_is_told(world: World, task: Task) -> None:
    text = page_of(world, PAGE)
    for one in STRATEGIES:
        assert f'<option value="{one.name}"' in text
        part = text.split(f"<dt>{one.name}")[1].split("</dd>")[0]
        for each in parameters(one):
            assert f"{each.name}={each.default!r}</code>: {one.means[each.name]}" in unescape(part)
            assert each.limits in part
    assert "Residual gain: the document from which the runs may still gain most" in text
    assert "Leave out what is judged already" not in text  # nothing is
    del task


@pytest.mark.parametrize(("changed", "said"), [
    ({"strategy": "dice"}, "dice is not one of the available choices"),
    ({"strategy": "cal"}, "The strategy cal reads documents, and there is no corpus that is ready."),
    ({"depth": 0}, "greater than or equal to 1"),
    ({"depth": "1e3"}, "Enter a whole number."),
    ({"budget": 0}, "greater than or equal to 1"),
    ({"budget": -5}, "greater than or equal to 1"),
    ({"budget": 2**31}, "less than or equal to 2147483647"),
    ({"budget": "9" * 5000}, "Enter a whole number."),
    ({"seed": -1}, "greater than or equal to 0"),
    ({"overlap": 101}, "less than or equal to 100"),
    ({"overlap": "NaN"}, "Enter a whole number."),
    ({"overlap": 20, "judges": 1}, "One person alone is not several. Give two people or more, or a share of 0 %."),
    ({"judges": 11}, "less than or equal to 10"),
    ({"minutes": 0}, "greater than or equal to 0.01"),
    ({"minutes": "nan"}, "Enter a number."),
    ({"shared": "none"}, "none is not one of the available choices"),
    ({"grades": "no\nyes"}, "Line 1 begins with “no”, which is no number."),
    ({"grades": "0 no\nnan yes"}, "Line 2 begins with “nan”, which is no number."),
    ({"grades": "1 yes\n0 no"}, "These are no grades. Two or more numbers from 0 up, the lowest first, none twice."),
    ({"grades": "0 no\n1 yes\n1.0 too"}, "These are no grades."),
    ({"grades": "0 no\n1" + "0" * 400}, "These are no grades."),
    ({"grades": "0 no\n-1 yes"}, "Line 2 begins with “-1”, which is no number."),
    ({"grades": "0 no\n١ yes"}, "Line 2 begins with “١”, which is no number."),
    ({"grades": "0 no"}, "These are no grades."),
    ({"grades": ""}, "This field is required."),
])  # fmt: skip
def test_what_makes_no_sense_makes_no_pool(world: World, task: Task, changed: dict[str, Any], said: str) -> None:
    text = post(world, PAGE, told(make="1", **changed))
    assert said in text
    assert "There is no pool yet: see what is wrong below." in text
    assert said in post(world, PAGE, told(**changed), headers=HTMX)
    assert not Pool.objects.exists()
    del task


def test_beside_the_form_an_error_says_of_which_field_it_is(world: World, task: Task) -> None:
    text = post(world, PAGE, told(depth=0, budget=0), headers=HTMX)
    for label in ("Depth", "Budget"):
        assert f"<p>{label}: Ensure this value is greater than or equal to 1.</p>" in text
    del task


def test_the_chosen_strategy_is_told_beside_the_form(world: World, task: Task) -> None:
    for text in (page_of(world, PAGE), post(world, PAGE, told(strategy="nrg"), headers=HTMX)):
        beside = text.split("What it costs</h2>")[0]
        assert "<strong>nrg</strong> Residual gain: the document from which" in beside
        assert "<code>fairness=1.0</code>: the larger, the more runs that have little yet count" in beside
    other = post(world, PAGE, told(strategy="mtf"), headers=HTMX)
    assert "<strong>mtf</strong> Move-to-front" in other
    assert "Its parameters" not in other  # it has none
    del task


def to_depth(k: int) -> int:
    """Documents of both runs to a depth: D01 … D10 in order, and the same turned by 3, 6, 9 or 2 (12) places."""
    turned = [{(place - 3 * (1 + topic % 4)) % 10 for place in range(k)} for topic in range(12)]
    return sum(len({*range(k)} | other) for other in turned)


def test_parameters_count_in_the_cost_and_in_the_pool(world: World, task: Task) -> None:
    live = post(world, PAGE, told(settings="k=2"), headers=HTMX)
    assert f"<strong>{to_depth(2)}</strong> documents" in live
    pool = drawn(world, settings=" k = 2 ")
    assert pool.strategy == "depth(k=2)"
    text = page_of(world, ONE)
    assert 'value="depth" selected' in text
    assert 'name="settings" value="k=2"' in text
    assert "Saved." in post(world, ONE, told(act="change", settings="k=3", overlap=10))
    pool.refresh_from_db()
    assert (pool.strategy, pool.overlap) == ("depth(k=3)", 10)
    post(world, ONE, {"act": "begin"})
    pool.refresh_from_db()
    assert pool_lifecycle.progress(pool).budget == to_depth(3)
    assert acts_of(task) == ["pool", "pool changed", "pool begun"]


def test_what_is_usual_is_not_written_and_text_has_quotes(world: World, task: Task) -> None:
    assert drawn(world, strategy="nrg", settings="beta=0.1, fairness=0").strategy == "nrg(fairness=0.0)"
    pool = drawn(world, strategy="stratified", settings="depths='2 4', shares='1 .5'")
    assert pool.strategy == "stratified(depths='2 4',shares='1 .5')"
    assert "depths=&#x27;2 4&#x27;,shares=&#x27;1 .5&#x27;" in page_of(world, f"{PAGE}2/")
    del task


@pytest.mark.parametrize(("strategy", "settings", "said"), [
    ("nrg", "gamma=1", "nrg has no parameter 'gamma'. It has: beta, fairness."),
    ("mtf", "k=1", "mtf has no parameter 'k'. It has none."),
    ("nrg", "beta=2", "nrg cannot have beta=2. Beta is a number between 0 and 1."),
    ("nrg", "beta=nan", "nan is not a value of beta."),
    ("nrg", "(", "'(' at character 4 is never closed. Write parameter=value, with commas between several."),
    ("nrg", "0.2", "Write parameter=value, with commas between several."),
    ("nrg", "beta", "nrg takes no strategy in parentheses. Write parameter=value, with commas between several."),
    ("nrg", "beta=.2) depth(k=1", "holds 2 strategies where one is wanted. Write parameter=value,"),
    ("nrg", "beta=.2,beta=.3", "the parameter beta is given twice. Write parameter=value,"),
    ("depth", "k=0", "depth cannot have k=0. K is a whole number from 1 up."),
    ("stratified", "depths='5 2'", "stratified cannot have depths='5 2'."),
    ("stratified", "shares='1'", "stratified cannot have 3 depths and 1 shares."),
    ("rrf", "k=1e250", "The parameters of the strategy are too long."),  # 251 digits
    ("nrg", "beta=0." + "1" * 200, "at most 200 characters"),
])  # fmt: skip
def test_parameters_that_it_cannot_have_are_refused_as_on_the_command_line(
    world: World, task: Task, strategy: str, settings: str, said: str
) -> None:
    sent = told(strategy=strategy, settings=settings)
    for how in ({"sent": sent | {"make": "1"}}, {"sent": sent, "headers": HTMX}):
        text = unescape(post(world, PAGE, **how))
        assert said.casefold() in text.casefold()  # a sentence begins with a capital letter
    assert not Pool.objects.exists()
    del task


def test_a_tab_parts_a_grade_from_its_meaning_too(world: World, task: Task) -> None:
    assert drawn(world, grades="0\tno\n 1   yes, it is \n2").grades == [["0", "no"], ["1", "yes, it is"], ["2", ""]]
    del task


def test_a_strategy_that_reads_needs_a_corpus_and_takes_one(world: World, task: Task) -> None:
    lines = "".join(json.dumps({"docno": name, "text": f"the text of {name}"}) + "\n" for name in DOCUMENTS)
    corpora.set_corpus(task, arrived(lines, "docs.jsonl"), world.people["organiser"])
    assert "no corpus that is ready" in post(world, PAGE, told(strategy="cal"), headers=HTMX)
    world.work()
    assert f"<strong>{sum(BOTH)}</strong> documents" in post(world, PAGE, told(strategy="cal"), headers=HTMX)
    pool = drawn(world, strategy="cal")
    post(world, ONE, {"act": "begin"})
    pool.refresh_from_db()
    assert judge_one(pool, world, 1).topic == TOPICS[0]
    assert "1 of " in page_of(world, ONE)
