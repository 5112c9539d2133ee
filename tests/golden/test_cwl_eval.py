"""Values of cwl_eval: user models, through ir_measures and by itself.

It looks at 1000 ranks and lets the weights of these add up to 1; without a cut-off ours go on for ever.
"""

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from cranfield.core.types import Gains, Grades, Rows
from cranfield.data import Block, assess
from cranfield.measures import RBP, Reader, parse_measure
from tests.support.golden.golden_values import assessed, golden, said
from tests.support.golden.ranking_inputs import lists, words

DIGITS = 1e-9  # ten digits are kept
DEPTH = 1000

THROUGH_IR_MEASURES = [name for name in golden("cwl_eval") if " to " not in name]
# By itself, without the depth, which becomes the cut-off; its gains are grades out of 3.
BY_ITSELF = {
    "INST(1.0)": "INST(T=1.0,max_rel=3)",
    "INST(2.0)": "INST(T=2.0,max_rel=3)",
    "INSQ(1.0)": "INSQ(T=1.0,max_rel=3)",
    "INSQ(2.0)": "INSQ(T=2.0,max_rel=3)",
    "NERReq10(0.9)": "NERR10(p=0.9,max_rel=3)",
    "NERReq11(1.0)": "NERR11(T=1.0,max_rel=3)",
    # With the smallest b2 the rate of gain is no reason to leave, with the largest b1 it is the only one.
    "IFTGoal(2.0, 0.9, 1.0)": "IFT(T=2.0,b1=0.9,R1=1.0,b2=1e-300,max_rel=3)",
    "IFTGoal(1.0, 0.5, 3.0)": "IFT(T=1.0,b1=0.5,R1=3.0,b2=1e-300,max_rel=3)",
    "IFTRate(0.2, 0.9, 10.0)": "IFT(A=0.2,b1=1e300,b2=0.9,R1=0.1,R2=10.0,max_rel=3)",
    "IFTRate(0.5, 0.3, 4.0)": "IFT(A=0.5,b1=1e300,b2=0.3,R1=0.1,R2=4.0,max_rel=3)",
    "IFTGoalRate(2.0, 0.9, 1.0, 0.2, 0.9, 10.0)": "IFT(T=2.0,b1=0.9,R1=1.0,A=0.2,b2=0.9,R2=10.0,max_rel=3)",
    "IFTGoalRate(1.0, 0.5, 3.0, 0.5, 0.3, 4.0)": "IFT(T=1.0,b1=0.5,R1=3.0,A=0.5,b2=0.3,R2=4.0,max_rel=3)",
}
# Seconds and characters in its costs.
TIMED = {
    "TBG(224.0)": "TBG",
    "TBG(30.0)": "TBG(half_life=30.0)",
    "TBG(60.0) with other times": (
        "TBG(half_life=60.0,summary=2.0,reading=0.05,opening=1.0,click_relevant=0.9,click_other=0.1,save=0.5)"
    ),
    "TBG(20.0) with ranks": (
        "TBG(half_life=20.0,summary=1.0,reading=0.0,opening=0.0,click_relevant=1.0,click_other=1.0,save=1.0)"
    ),
    "U(132000.0)": "U",
    "U(5000.0)": "U(L=5000.0)",
    "U(20000.0) with all read": "U(L=20000.0,snippet=50.0,read=1.0)",
}


def column(name: str, column: str) -> dict[str, float]:
    """What cwl_eval says, by topic."""
    return dict(zip(lists().run, golden("cwl_eval")[name][column], strict=True))


@pytest.mark.parametrize("measure", THROUGH_IR_MEASURES)
def test_every_topic_has_the_value_of_ir_measures(measure: str) -> None:
    ours = parse_measure(measure if "@" in measure else f"{measure}@{DEPTH}")
    # The weights of RBP are not made to add up to 1 here.
    share = 1 - ours.p**DEPTH if isinstance(ours, RBP) else 1
    expected = {topic: value * share for topic, value in column(measure, "EU").items()}
    assert said(assessed("lists"), str(ours)) == pytest.approx(expected, rel=0, abs=DIGITS)


@pytest.mark.parametrize("depth", [10, DEPTH])
@pytest.mark.parametrize("name", BY_ITSELF)
def test_every_topic_has_the_value_of_cwl_eval(name: str, depth: int) -> None:
    expected = column(f"{name} to {depth}", "EU")
    assert said(assessed("lists"), f"{BY_ITSELF[name]}@{depth}") == pytest.approx(expected, rel=0, abs=DIGITS)


@dataclass(frozen=True, slots=True)
class Depth:
    """How many documents the user of a measure looks at."""

    of: Reader

    @property
    def reach(self) -> float:
        return self.of.reach

    def kernel(self, block: Block) -> Rows:
        return self.of.depth(block)

    def gain(self, grade: Grades) -> Gains:
        return self.of.gain(grade)

    def earns(self, grade: Grades) -> NDArray[np.bool_]:
        return self.of.earns(grade)


@pytest.mark.parametrize("depth", [10, DEPTH])
@pytest.mark.parametrize("name", BY_ITSELF)
def test_every_user_looks_at_as_many_documents_as_that_of_cwl_eval(name: str, depth: int) -> None:
    measure = parse_measure(f"{BY_ITSELF[name]}@{depth}")
    assert isinstance(measure, Reader)
    found = dict(zip(lists().qrels, assessed("lists").map([Depth(measure)])[0, :, 0].tolist(), strict=True))
    assert found == pytest.approx(column(f"{name} to {depth}", "ED"), rel=DIGITS)


@pytest.mark.parametrize("depth", [10, DEPTH])
@pytest.mark.parametrize("lengths", ["", " with words"])
@pytest.mark.parametrize("name", TIMED)
def test_time_and_text_are_counted_as_cwl_eval_counts_them(name: str, lengths: str, depth: int) -> None:
    given = lists()
    of = assess(given.qrels, {"run": given.run}, lengths=words() if lengths else None)
    # Its total utility: the authors of both measures do not divide by what is looked at.
    expected = column(f"{name}{lengths} to {depth}", "ETU")
    assert said(of, f"{TIMED[name]}@{depth}") == pytest.approx(expected, rel=DIGITS, abs=DIGITS)


@pytest.mark.parametrize("p", [0.8, 0.95])
@pytest.mark.parametrize("depth", [10, DEPTH])
def test_graded_rbp_is_that_of_cwl_eval_but_for_the_weights_below_the_cut_off(p: float, depth: int) -> None:
    expected = {topic: value * (1 - p**depth) for topic, value in column(f"RBP({p}) to {depth}", "EU").items()}
    assert said(assessed("lists"), f"RBP(max_rel=3,p={p})@{depth}") == pytest.approx(expected, rel=0, abs=DIGITS)


def test_the_lists_hold_what_tells_conventions_apart() -> None:
    given = lists()
    lengths = [len(row) for row in given.run.values()]
    assert min(lengths) == 1
    assert max(lengths) > DEPTH
    assert all(len(set(row.values())) == len(row) for row in given.run.values())  # no ties
    judged = [grade for grades in given.qrels.values() for grade in grades.values()]
    assert set(judged) == {0, 1, 2, 3}
    assert sum(document not in given.qrels[topic] for topic, row in given.run.items() for document in row) > 100
    below = [given.qrels["20"].get(document, 0) for document in list(given.run["20"])[DEPTH:]]
    assert max(below) > 0
