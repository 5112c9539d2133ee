"""Every function that takes measures answers an odd argument with a message in the user's words, never a raw error."""

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest

import cranfield as cf
from tests.support.simulations.experiment_log import log_of
from tests.support.simulations.experiment_users import users

TOPICS = [str(number) for number in range(12)]
QRELS = {topic: {"a": 2, "b": 1, "c": 0} for topic in TOPICS}
RUNS = {
    name: {topic: {document: float(rng.random()) for document in "abc"} for topic in TOPICS}
    for name, rng in (("x", np.random.default_rng(1)), ("y", np.random.default_rng(2)), ("z", np.random.default_rng(3)))
}
VALUES = cf.evaluate(QRELS, RUNS, ["nDCG@10", "AP"])
LOG = pl.DataFrame([row | {"arm": "xyz"[int(row["user"][1:]) % 3]} for row in log_of(60)])
USERS = users(60)

FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "evaluate": lambda given: cf.evaluate(QRELS, RUNS, given),
    "scale": cf.scale,
    "series": lambda given: cf.series(QRELS, RUNS, given),
    "answers": lambda given: cf.answers(VALUES, measure=given),
    "anova": lambda given: cf.anova(VALUES, measure=given),
    "ladder": lambda given: cf.ladder(VALUES, measure=given),
    "leaderboard": lambda given: cf.leaderboard(VALUES, measure=given),
    "novelty": lambda given: cf.novelty(VALUES, measures=given),
    "power": lambda given: cf.power(VALUES, measure=given),
    "relabel": lambda given: cf.relabel(VALUES, VALUES, measure=given),
    "replay_pool": lambda given: cf.replay_pool(RUNS, QRELS, strategies=["take"], measure=given),
    "topics": lambda given: cf.topics(values=VALUES, measures=given),
    "ab of a log": lambda given: cf.ab(LOG, given),
    "ab of users": lambda given: cf.ab(USERS, given),
    "clicks": lambda given: cf.clicks(LOG, models=["RCTR"], measures=given),
    "bridge": lambda given: cf.bridge(VALUES, LOG, outcome=given, draws=10),
}
ARGUMENTS = {
    "None": None,
    "a list of None": [None],
    "a class": cf.AP,
    "a list of a class": [cf.AP],
    "a class that needs a cut-off": cf.P,
    "a list of it": [cf.P],
    "a measure": cf.P @ 10,
    "a list of a measure": [cf.P @ 10],
    "an empty list": [],
    "an empty text": "",
    "a number": 5,
    "a cut-off of 0": "P@0",
    "an unknown name": "XX",
    "a set": {"AP"},
    "a list with None": ["AP", None],
    "an array": np.array(["AP"]),
    "a column": pl.Series(["AP"]),
    "a function": len,
}


@pytest.mark.parametrize("argument", ARGUMENTS)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_an_odd_measure_is_read_or_refused_in_words(function: str, argument: str) -> None:
    try:
        FUNCTIONS[function](ARGUMENTS[argument])
    except cf.CranfieldError as error:
        refused, hint = str(error), error.hint
    else:
        return
    assert hint
    assert "<class" not in refused
    assert "cranfield.measures" not in refused


def test_classes_and_cut_offs_name_measures() -> None:
    assert [str(one) for one in cf.evaluate(QRELS, RUNS, [cf.AP, cf.P @ 10]).measures] == ["AP", "P@10"]
    with pytest.raises(cf.CranfieldError, match="P needs a cut-off"):
        cf.evaluate(QRELS, RUNS, cf.P)
    with pytest.raises(cf.CranfieldError, match="AP is not an online measure"):
        cf.ab(LOG, [cf.AP])
