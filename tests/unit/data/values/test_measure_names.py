"""One measure may be written in several ways: values are found by every one of them."""

from collections.abc import Callable

import pytest

import cranfield as cf
from cranfield.data import Given

QRELS = {str(t): {"a": 2, "b": 1, "c": 0} for t in range(4)}
RUNS = {
    "x": {str(t): {"a": 3.0, "b": 2.0, "c": 1.0} for t in range(4)},
    "y": {str(t): {"c": 3.0, "b": 2.0 + t % 2, "a": 1.0 + t} for t in range(4)},
    "z": {str(t): {"b": 3.0, "c": 2.0, "a": 1.0 + t} for t in range(4)},
}
WAYS = {
    "RBP": ["RBP(p=0.8)", "rbp", "RBP(rel=1)", "RBP( p = .8 )", "rbp.8"],
    "AP": ["map", "MAP", "AP(rel=1)", "ap"],
    "nDCG@10": ["ndcg_cut_10", "ndcg_cut.10", "nDCG(dcg='log2')@10", "ndcg@10"],
    "P@5": ["P_5", "precision@5"],
    "ERR(max_rel=2)@10": ["ERR@10", "err(max_rel=2)@10"],
}


@pytest.fixture(scope="module")
def values() -> cf.Values:
    """Three runs by five measures."""
    asked = [name.replace("(max_rel=2)", "") for name in WAYS]
    return cf.evaluate(QRELS, RUNS, asked, scale="ignore")


@pytest.mark.parametrize(("name", "way"), [(name, way) for name, ways in WAYS.items() for way in ways])
def test_a_measure_is_found_however_it_is_written(name: str, way: str, values: cf.Values) -> None:
    place = list(WAYS).index(name)
    assert str(values.measures[place]) == name
    assert values.index(way) == values.index(name) == place
    assert values.matrix(way).tolist() == values.cube[:, :, place].T.tolist()
    assert [str(one) for one in values.of_measures([way]).measures] == [name]


@pytest.mark.parametrize("way", ["nDCG@5", "RBP(p=0.5)", "nDCG", "ERR(max_rel=3)@10", "AP nDCG@10", "no such thing"])
def test_another_measure_is_not(way: str, values: cf.Values) -> None:
    with pytest.raises(cf.ParameterError, match="there are no values of") as caught:
        values.index(way)
    assert caught.value.hint == "there are: RBP, AP, nDCG@10, P@5, ERR(max_rel=2)@10"


STUDIES: dict[str, Callable[[cf.Values, str], cf.Study]] = {
    "anova": lambda values, one: cf.anova(values, measure=one, scale="ignore"),
    "leaderboard": lambda values, one: cf.leaderboard(values, measure=one, draws=20, scale="ignore"),
    "power": lambda values, one: cf.power(values, measure=one, topics=20, scale="ignore"),
    "topics": lambda values, one: cf.topics(values=values, measures=one, scale="ignore"),
}


@pytest.mark.parametrize("study", STUDIES)
def test_every_study_gains(study: str, values: cf.Values) -> None:
    for way, name in (("RBP(p=0.8)", "RBP"), ("map", "AP"), ("ERR@10", "ERR(max_rel=2)@10")):
        assert STUDIES[study](values, way).verdict == STUDIES[study](values, name).verdict


def test_a_margin_is_of_a_measure_in_whichever_way_it_is_written(values: cf.Values) -> None:
    for way in ("map", "AP"):
        harm = cf.compare(values, pairs=[("x", "y")], margins={way: 0.1}, scale="ignore")["harm"]
        assert harm.cells("facet") == ["AP"]
    with pytest.raises(cf.ParameterError, match="there are no values of nDCG@5"):
        cf.compare(values, pairs=[("x", "y")], margins={"nDCG@5": 0.1}, scale="ignore")


def test_topics_are_asked_for_several_in_one_text(values: cf.Values) -> None:
    several = cf.topics(values=values, measures="map ERR@10", scale="ignore")["difficulty"].cells("measure")
    assert set(several) == {"AP", "ERR(max_rel=2)@10"}


def test_numbers_that_came_as_they_are_have_the_name_of_their_file() -> None:
    scores = cf.read_scores({"topic": ["1", "2"], "x": [0.1, 0.2], "y": [0.3, 0.4]})
    assert scores.index("score") == 0
    assert not Given("AP").goes_by("map")
    with pytest.raises(cf.ParameterError, match="there are no values of AP"):
        scores.index("AP")
