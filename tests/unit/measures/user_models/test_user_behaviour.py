"""The users behind measures: curves that hang together, and what cwl_eval expects of the same users."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from cwl.ruler.cwl_ruler import INSQCWLMetric, INSTCWLMetric, NERReq10CWLMetric, PrecisionCWLMetric, RBPCWLMetric
from cwl.ruler.measures.cwl_metrics import CWLMetric
from cwl.ruler.ranking import Ranking
from hypothesis import given
from hypothesis import strategies as st

from cranfield.core import ParameterError, Study
from cranfield.measures import MEASURES, Browsing, Measure, parse_measure, user_model

TOP = 3
BROWSING = [cls(k=10).settled(TOP) for cls in MEASURES if issubclass(cls, Browsing)]
ENDLESS = [parse_measure(name).settled(TOP) for name in ("RBP", "RBP(p=0.99)", "INST", "INSQ", "NERR10", "IFT", "TBG")]
rankings = st.lists(st.integers(0, TOP), max_size=15)


def curve(study: Study, name: str) -> np.ndarray:
    return np.array([np.nan if cell is None else cell for cell in study["curves"].cells(name)], dtype=float)


def expected(study: Study) -> dict[str, float]:
    (row,) = study["expected"].rows()
    return row  # type: ignore[return-value]


@pytest.mark.parametrize("measure", BROWSING, ids=str)
@given(ranking=rankings)
def test_the_curves_of_a_user_hang_together(measure: Measure, ranking: list[int]) -> None:
    study = user_model(measure, grades=ranking, depth=12)
    goes_on, weight, last = (curve(study, name) for name in ("continues", "weight", "last"))
    expects = expected(study)
    assert weight.sum() == pytest.approx(1, abs=1e-12), "every look goes to some rank"
    assert last.sum() == pytest.approx(1, abs=1e-12), "everybody leaves at some rank"
    assert weight[0] == pytest.approx(1 / expects["ED"], abs=1e-12)
    # C(i) = V(i+1) / V(i) = W(i+1) / W(i); L(i) = V(i) · (1 − C(i)).
    here = weight[:-1] > 0
    np.testing.assert_allclose(goes_on[:-1][here], (weight[1:] / np.maximum(weight[:-1], 1e-300))[here], atol=1e-12)
    np.testing.assert_allclose(last[weight > 0], (weight * expects["ED"] * (1 - goes_on))[weight > 0], atol=1e-12)
    # ED is the mean of the last rank, and ETU what a whole visit brings.
    assert (last * np.arange(1, 13)).sum() == pytest.approx(expects["ED"], abs=1e-10)
    assert expects["EU"] * expects["ED"] == pytest.approx(expects["ETU"], abs=1e-12)
    assert expects["EC"] * expects["ED"] == pytest.approx(expects["ETC"], abs=1e-9)


@pytest.mark.parametrize("measure", ENDLESS, ids=str)
@given(ranking=rankings)
def test_an_endless_list_has_all_looks_in_the_end(measure: Measure, ranking: list[int]) -> None:
    study = user_model(measure, grades=ranking, depth=3000)
    left = 2e-3 if measure.name in ("INST", "INSQ") else 1e-11  # 1/3000 and more of an inverse square is below
    assert curve(study, "weight").sum() == pytest.approx(1, abs=left)
    assert curve(study, "last").sum() == pytest.approx(1, abs=left)
    assert not study["expected"].notes


PEERS: list[tuple[str, CWLMetric]] = [
    ("RBP(p=0.8,max_rel=3)", RBPCWLMetric(0.8)),
    ("INST(max_rel=3)", INSTCWLMetric(1.0)),
    ("INST(T=2,max_rel=3)", INSTCWLMetric(2.0)),
    ("INSQ(max_rel=3)", INSQCWLMetric(1.0)),
    ("NERR10(max_rel=3)", NERReq10CWLMetric(0.9)),
]


@pytest.mark.parametrize(("name", "peer"), PEERS, ids=[name for name, _ in PEERS])
@given(ranking=rankings)
def test_cwl_eval_expects_the_same_to_the_same_depth(name: str, peer: CWLMetric, ranking: list[int]) -> None:
    depth = 25
    peer.measure(Ranking("1", [grade / TOP for grade in ranking] or [0.0], [1.0] * max(len(ranking), 1), max_n=depth))
    ours = expected(user_model(f"{name}@{depth}", grades=ranking))
    assert ours["EU"] == pytest.approx(peer.expected_utility, abs=1e-12)
    assert ours["EC"] == pytest.approx(peer.expected_cost, abs=1e-12)
    assert ours["ED"] == pytest.approx(peer.expected_items, abs=1e-10)
    # cwl_eval leaves out those who would go past the last rank: ours are those it has, and they.
    c, gained = peer.c_vector(made := ranked(ranking, depth)), made.get_gain_vector()
    gone = float(np.prod(c))
    assert ours["ETU"] == pytest.approx(peer.expected_total_utility + gone * gained.sum(), abs=1e-10)
    assert ours["ETC"] == pytest.approx(peer.expected_total_cost + gone * depth, abs=1e-9)


def ranked(ranking: Sequence[int], depth: int) -> Ranking:
    return Ranking("1", [grade / TOP for grade in ranking] or [0.0], [1.0] * max(len(ranking), 1), max_n=depth)


def test_precision_is_a_user_who_reads_all_and_leaves() -> None:
    study = user_model("P@3", grades=(1, 0, 1))
    assert curve(study, "continues").tolist() == [1, 1, 0]
    assert curve(study, "weight").tolist() == pytest.approx([1 / 3] * 3)
    assert curve(study, "last").tolist() == [0, 0, 1]
    row = expected(study)
    assert (row["value"], row["EU"], row["ETU"], row["ED"]) == pytest.approx((2 / 3, 2 / 3, 2, 3))
    peer = PrecisionCWLMetric(3)
    peer.measure(Ranking("1", [1.0, 0.0, 1.0], [1.0] * 3, max_n=3))
    assert peer.expected_utility == pytest.approx(row["EU"])


def test_rank_biased_precision_looks_at_five_documents() -> None:
    row = expected(user_model("RBP", grades=(1, 0, 1)))
    assert row["ED"] == pytest.approx(1 / (1 - 0.8), abs=1e-12)
    assert row["EU"] == pytest.approx(row["value"]) == pytest.approx(0.2 * (1 + 0.8**2))


def test_time_is_what_a_look_costs() -> None:
    # The user of TBG meets 16.8-second documents and 4.4-second summaries.
    row = expected(user_model("TBG", grades=(1,)))
    other, relevant = 4.4 + 0.39 * 16.8, 4.4 + 0.64 * 16.8
    left = 2 ** (-relevant / 224)  # who goes on after the first
    looks = 1 + left / (1 - 2 ** (-other / 224))
    assert row["ED"] == pytest.approx(looks, abs=1e-9)
    assert row["ETC"] == pytest.approx(relevant + other * (looks - 1), abs=1e-8)
    assert row["ETU"] == pytest.approx(row["value"]) == pytest.approx(0.64 * 0.77)


def test_without_grades_there_is_nothing_and_there_is_everything() -> None:
    study = user_model(["NERR8(max_rel=2)@10", "DCG@10"], depth=5)
    rows = {(row["measure"], row["ranking"]): row for row in study["expected"].rows()}
    assert [rows["NERR8(max_rel=2)@10", ranking]["ED"] for ranking in ("nothing relevant", "all relevant")] == [10, 1]
    attention = sum(1 / math.log2(i + 1) for i in range(1, 11))
    assert rows["DCG@10", "nothing relevant"]["ED"] == pytest.approx(attention)
    assert len(study["curves"]) == 2 * 2 * 5
    assert study.charts == ("weights",)
    assert "NERR8(max_rel=2)@10 1.00 to 10.00" in study.sentence


def test_who_never_leaves_is_watched_to_the_depth() -> None:
    study = user_model("DCG RR", grades={"none": (), "second": (0, 1)}, depth=4)
    rows = {(row["measure"], row["ranking"]): row["ED"] for row in study["expected"].rows()}
    assert rows["DCG", "none"] == pytest.approx(sum(1 / math.log2(i + 1) for i in range(1, 5)))
    assert rows["RR", "none"] == 4
    assert rows["RR", "second"] == 2, "this one leaves"
    assert study["expected"].notes == (
        "DCG, none: users never leave, so looks are counted down to rank 4",
        "DCG, second: users never leave, so looks are counted down to rank 4",
        "RR, none: users never leave, so looks are counted down to rank 4",
    )
    assert curve(study, "weight").reshape(4, 4).sum(axis=1).tolist() == pytest.approx([1] * 4)


def test_who_is_never_there_goes_nowhere() -> None:
    assert user_model("RR", grades=(1,), depth=3)["curves"].cells("continues") == [0, None, None]


def test_a_measure_without_a_user_has_no_curves() -> None:
    with pytest.raises(ParameterError, match=r"AP has no user who reads down a ranking\nhint: these have one: .*INST"):
        user_model("AP")
