"""Values of written answers in every study that takes values: what their scale allows is told there too."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import cranfield as cf
from cranfield.core import ScaleError

NUGGETS = ("vital", "vital", "vital", "okay", "okay")
TOPICS = 12
LENGTH = "AnswerLength(unit='characters')"
STUDIES: dict[str, Callable[..., cf.Study]] = {
    "test": lambda values, **how: cf.test(values, "t", **how),
    "anova": cf.anova,
    "leaderboard": lambda values, **how: cf.leaderboard(values, draws=50, **how),
    "power": lambda values, **how: cf.power(values, topics=20, **how),
    "compare": lambda values, **how: cf.compare(values, baseline="a", **how),
    "agreement": lambda values, **how: cf.agreement(values, splits=5, **how),
    "topics": lambda values, **how: cf.topics(values=values, **how),
}


@pytest.fixture(scope="module")
def values() -> cf.Values:
    """Three runs, twelve topics, five nuggets each."""
    rng = np.random.default_rng(3)
    rows = [(str(t), run, f"n{n}", NUGGETS[n]) for run in "abc" for t in range(TOPICS) for n in range(len(NUGGETS))]
    names = ("topic", "run", "nugget", "importance")
    table: dict[str, Any] = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    table["support"] = rng.choice([0.0, 0.5, 1.0], len(rows)).tolist()
    table["characters"] = [100 + 20 * int(topic) ** {"a": 0, "b": 1, "c": 2}[run] for topic, run, *_ in rows]
    return cf.nuggets(table, f"NuggetAll NuggetF {LENGTH}", scale="ignore")


def notes(study: cf.Study) -> list[str]:
    """What is said about scales."""
    return [note for table in study.tables.values() for note in table.notes if "numbers; " in note]


@pytest.mark.parametrize("name", STUDIES)
def test_an_order_is_told_where_equal_steps_are_needed(name: str, values: cf.Values) -> None:
    ask, f = STUDIES[name], values.of_measures(["NuggetF"])
    (note,) = dict.fromkeys(notes(ask(f)))
    assert " interval numbers; NuggetF is ordinal (ferrante2021). " in note
    assert not notes(ask(f, scale="ignore"))
    with pytest.raises(ScaleError, match="NuggetF is ordinal"):
        ask(f, scale="refuse")


@pytest.mark.parametrize("measure", ["NuggetAll", LENGTH])
@pytest.mark.parametrize("name", STUDIES)
def test_equal_steps_are_enough(name: str, measure: str, values: cf.Values) -> None:
    if (name, measure) == ("topics", LENGTH):
        with pytest.raises(cf.ParameterError):  # no answer is hard because it is long
            STUDIES[name](values.of_measures([measure]), scale="refuse")
        return
    assert not notes(STUDIES[name](values.of_measures([measure]), scale="refuse"))


def test_names_of_nuggetizer_find_the_values(values: cf.Values) -> None:
    assert values.index("all_score") == values.index("NuggetAll(strict=False)") == 0
    assert cf.anova(values, measure="F_other", scale="ignore").verdict == (
        cf.anova(values, measure="NuggetF", scale="ignore").verdict
    )
    assert cf.topics(values=values, measures="all_score")["difficulty"].cells("measure")[0] == "NuggetAll"
    with pytest.raises(cf.ParameterError, match="there are no values of NuggetVital"):
        values.matrix("NuggetVital")
