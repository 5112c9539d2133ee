"""Transforms against scipy and arithmetic; norms from the runs at hand and from files; what is refused and said."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special, stats

from cranfield.core import InputError, ParameterError, Scale
from cranfield.data import Norms, read_norms, write_norms
from cranfield.stats.estimates import value_transforms
from cranfield.stats.estimates.value_transforms import (
    TRANSFORMS,
    ArcsineRoot,
    Logit,
    Sakai,
    Standardised,
    Transform,
    Urbano,
    Webber,
    ZScore,
)

NAN = float("nan")
EXACT = 1e-12
STANDARD: list[Standardised] = [ZScore(), Webber(), Sakai(), Urbano()]
EVERY: list[Transform] = [ArcsineRoot(), Logit(), *STANDARD]


def matrix(topics: int = 6, runs: int = 9) -> NDArray[np.float64]:
    """Two decimals, so that there are ties."""
    return np.random.default_rng(8).integers(0, 40, (topics, runs)) / 40


def test_arcsine_root_and_logit_are_scipys() -> None:
    values = matrix()
    assert ArcsineRoot().apply(values) == pytest.approx(np.arcsin(np.sqrt(values)), abs=EXACT)
    assert ArcsineRoot().apply(np.array([[0.0, 0.5, 1.0]])) == pytest.approx(np.array([[0, np.pi / 4, np.pi / 2]]))
    assert Logit(floor=0.01).apply(values) == pytest.approx(special.logit(np.clip(values, 0.01, 0.99)), abs=EXACT)


def test_a_number_that_is_1_but_for_the_float_is_1() -> None:
    values = np.array([[1 + 1e-15, -1e-16]])
    assert ArcsineRoot().apply(values) == pytest.approx(np.array([[np.pi / 2, 0]]))


@pytest.mark.parametrize("transform", [ArcsineRoot(), Logit()], ids=str)
def test_what_is_no_share_is_refused_by_name(transform: Transform) -> None:
    values = np.array([[0.5, 0.2], [0.1, 1.2]])
    with pytest.raises(ParameterError, match=r"has no value for 1\.2 \(topic 402, run bm25\)\nhint: ") as caught:
        transform.apply(values, topics=["401", "402"], runs=["lm", "bm25"])
    assert transform.name in str(caught.value)
    with pytest.raises(ParameterError, match=r"-0\.3 \(topic 1, run 2\)"):
        transform.apply(np.array([[0.5, -0.3]]))
    with pytest.raises(ParameterError, match="needs no norms"):
        transform.apply(matrix(), norms=Standardised.norms(matrix()))


def test_logit_says_how_many_values_it_moved() -> None:
    values = np.array([[0.0, 0.2], [1.0, 0.001]])
    assert Logit(floor=0.01).notes(values) == ("3 of 4 values lie beyond the floor of 0.01",)
    assert Logit(floor=0.01).notes(np.array([[0.3, 0.4]])) == ()
    assert ArcsineRoot().notes(values) == ()


@pytest.mark.parametrize("floor", [0.0, 0.5, 0.7])
def test_a_floor_lies_below_the_middle(floor: float) -> None:
    with pytest.raises(ParameterError, match="logit cannot have floor"):
        Logit(floor=floor)


def test_z_scores_are_scipys() -> None:
    values = matrix()
    z = stats.zscore(values, axis=1, ddof=1)
    assert ZScore().apply(values) == pytest.approx(z, abs=EXACT)
    assert Webber().apply(values) == pytest.approx(stats.norm.cdf(z), abs=EXACT)
    # urbano2019std: Sakai's is the distribution function of a uniform one, from mean − sd·B/A to mean + sd·(1 − B)/A.
    uniform = stats.uniform(loc=-0.5 / 0.15, scale=1 / 0.15)
    assert Sakai().apply(values) == pytest.approx(uniform.cdf(z), abs=EXACT)
    assert Sakai(spread=0.1, middle=0.2).apply(values) == pytest.approx(np.clip(0.1 * z + 0.2, 0, 1), abs=EXACT)


def test_urbano_is_the_empirical_distribution() -> None:
    values, reference = matrix(), matrix(runs=7)[:, ::-1]
    found = Urbano().apply(values, norms=Standardised.norms(reference))
    for topic, row in enumerate(values):
        peer = [stats.percentileofscore(reference[topic], value, kind="weak") / 100 for value in row]
        assert found[topic] == pytest.approx(np.array(peer), abs=EXACT)
    # Equal as decimals: .1 + .2 is not above .3.
    row = np.array([[0.3, 0.1 + 0.2, 0.5]])
    assert Urbano().apply(row) == pytest.approx(np.array([[2 / 3, 2 / 3, 1]]))


def test_urbano_in_blocks_of_topics(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Urbano().apply(matrix())
    monkeypatch.setattr(value_transforms, "CELLS", 2 * 9 * 9)
    assert np.array_equal(whole, Urbano().apply(matrix()))


@pytest.mark.parametrize("transform", STANDARD, ids=str)
def test_an_increasing_line_for_each_topic_changes_nothing(transform: Standardised) -> None:
    values = matrix()
    slope, shift = (np.random.default_rng(1).random((2, len(values), 1)) + 0.5).tolist()
    assert transform.apply(values * slope + shift) == pytest.approx(transform.apply(values), abs=1e-9)


def test_urbano_alone_needs_no_more_than_an_order() -> None:
    assert Urbano().apply(matrix() ** 3) == pytest.approx(Urbano().apply(matrix()), abs=EXACT)
    # ferro2024 §7: standardising takes interval numbers; bending the scale, as shares allow, a meaningful 0.
    scales = {cls.name: cls.requires for cls in TRANSFORMS}
    assert scales == {
        "arcsine-root": Scale.RATIO,
        "logit": Scale.RATIO,
        "z-score": Scale.INTERVAL,
        "webber": Scale.INTERVAL,
        "sakai": Scale.INTERVAL,
        "urbano": Scale.ORDINAL,
    }


@pytest.mark.parametrize(
    ("transform", "value", "said"),
    [
        (ZScore(), 0, "every run has 0 there"),
        (Webber(), 0.5, "every run has 1/2 there"),
        (Sakai(middle=0.4), 0.4, "every run has 0.4 there"),
        (Urbano(), 1, "a run with that value has 1 there"),
    ],
    ids=str,
)
def test_a_topic_without_spread_is_said(transform: Standardised, value: float, said: str) -> None:
    values = np.array([[0.1, 0.2, 0.6], [0.3, 0.1 + 0.2, 0.3]])
    assert transform.apply(values)[1] == pytest.approx(value, abs=EXACT)
    note = f"topic 7: all reference runs have the same value; {said}"
    assert transform.notes(values, topics=["5", "7"]) == (note,)
    assert transform.notes(values[:1]) == ()


def test_many_topics_without_spread_are_counted() -> None:
    note = ZScore().notes(np.ones((5, 2)))
    assert note == ("topics 1, 2, 3 and 2 more: all reference runs have the same value; every run has 0 there",)


def test_a_new_run_in_a_topic_without_spread_has_no_z() -> None:
    # Nothing says how far off it is: 0, as for the runs that the norms are made of.
    norms = Standardised.norms(np.array([[0.3, 0.3]]))
    assert ZScore().apply(np.array([[0.9]]), norms=norms).tolist() == [[0]]
    assert ZScore().apply(np.array([[0.4]])).tolist() == [[0]]  # one run is its own mean


@pytest.mark.parametrize("transform", EVERY, ids=str)
def test_what_is_missing_stays_missing(transform: Transform) -> None:
    values = np.array([[0.1, NAN, 0.4, 0.5], [NAN, NAN, NAN, NAN], [0.2, 0.2, 0.7, NAN]])
    found = transform.apply(values)
    assert np.isnan(found).tolist() == np.isnan(values).tolist()
    alone = transform.apply(values[:1, [0, 2, 3]])  # the others are standardised as if it were not there
    assert found[0, [0, 2, 3]] == pytest.approx(alone[0], abs=EXACT)


def old() -> Norms:
    return Standardised.norms(matrix(), ["301", "302", "303", "304", "305", "306"], measure="AP")


@pytest.mark.parametrize("transform", STANDARD, ids=str)
def test_new_runs_meet_old_norms_by_name(transform: Standardised, tmp_path: Path) -> None:
    write_norms(old(), tmp_path / "norms.csv")
    norms = read_norms(tmp_path / "norms.csv")
    new = matrix(topics=2, runs=3)
    found = transform.apply(new, norms=norms, topics=["304", "301"])
    swapped = transform.apply(np.vstack([new[1], new[1], new[1], new[0], new[1], new[1]]), norms=old())
    assert found.tolist() == [swapped[3].tolist(), swapped[0].tolist()]  # to the last digit: files keep them all


def test_norms_without_names_meet_as_many_topics() -> None:
    with pytest.raises(ParameterError, match="norms for 6 topics, and values for 2"):
        ZScore().apply(matrix(topics=2), norms=old())
    with pytest.raises(InputError, match="the runs at hand: there are no norms for topic 999") as caught:
        ZScore().apply(matrix(topics=2), norms=old(), topics=["301", "999"])
    assert caught.value.code == "E-NORM"


def test_norms_as_a_file(tmp_path: Path) -> None:
    path = tmp_path / "norms.csv"
    write_norms(old(), path)
    assert path.read_text(encoding="utf-8").splitlines()[0] == "topic,measure,mean,sd,1,2,3,4,5,6,7,8,9"
    norms = read_norms(path, measure="AP")
    assert norms.topics == old().topics
    assert norms.mean.tolist() == old().mean.tolist()
    assert norms.sd.tolist() == old().sd.tolist()
    assert norms.reference is not None
    assert norms.reference.tolist() == np.sort(matrix(), axis=1).tolist()
    assert repr(norms) == f"Norms({str(path)!r}: 6 topics, 9 runs)"


def test_norms_of_several_measures_and_of_unequal_many_runs(tmp_path: Path) -> None:
    path = tmp_path / "norms.csv"
    gaps = matrix(topics=2, runs=3)
    gaps[0, 1] = NAN
    other = Norms(("301",), np.array([0.2]), np.array([0.1]), measure="RR")
    write_norms([Standardised.norms(gaps, ["301", "302"], measure="P@10"), other], path)
    first = read_norms(path, measure="P@10")
    assert first.reference is not None
    assert np.isnan(first.reference).tolist() == [[False, False, True], [False, False, False]]
    assert read_norms(path, measure="RR").reference is None
    assert repr(read_norms(path, measure="RR")).endswith(": 1 topics)")
    with pytest.raises(InputError, match="norms of 2 measures\nhint: name one of P@10, RR"):
        read_norms(path)
    with pytest.raises(InputError, match="no norms of AP\nhint: there are: P@10, RR"):
        read_norms(path, measure="AP")
    with pytest.raises(ParameterError, match=r"urbano needs the values of the reference runs; .*norms\.csv has none"):
        Urbano().apply(np.array([[0.3]]), norms=read_norms(path, measure="RR"))


def test_the_file_of_trec_eval(tmp_path: Path) -> None:
    path = tmp_path / "zscores.txt"
    path.write_text("301 map 0.25 0.125\n301 P_10 0.5 0.2\n\n302\tmap  0.5 0.25\n")
    norms = read_norms(path, measure="map")
    assert (norms.topics, norms.mean.tolist(), norms.sd.tolist()) == (("301", "302"), [0.25, 0.5], [0.125, 0.25])
    assert ZScore().apply(np.array([[0.5], [0.25]]), norms=norms, topics=["301", "302"]).tolist() == [[2], [-1]]


def test_columns_have_other_names_too(tmp_path: Path) -> None:
    path = tmp_path / "norms.csv"
    path.write_text("qid,stddev,mean\n007,0.5,0.25\n")
    norms = read_norms(path)
    assert (norms.topics, norms.mean.tolist(), norms.sd.tolist()) == (("007",), [0.25], [0.5])


@pytest.mark.parametrize(
    ("name", "text", "code", "message"),
    [
        ("n.csv", "topic,sd\n1,2\n", "E-COLUMNS", "there is no column mean"),
        ("n.csv", "topic,mean,sd\n", "E-EMPTY", "the file has no rows"),
        ("n.csv", "", "E-EMPTY", "the file has no rows"),
        ("n.csv", "topic,mean,sd\n1,2,3\n1,2,3\n", "E-DUPTOPIC", "topic 1 stands twice"),
        ("n.csv", "topic,mean,sd\n1,2,-3\n", "E-RANGE", "sd -3 of topic 1 is below 0"),
        ("n.csv", "topic,mean,sd\n1,many,3\n", "E-TYPE", 'mean "many" in row 0 is not a number'),
        ("n.csv", "topic,mean,sd\n1,2,\n", "E-FINITE", "there is no sd in row 0"),
        ("n.csv", "topic,mean,sd,1\n1,2,3,high\n", "E-TYPE", 'value "high" in row 0 is not a number'),
        ("n.txt", "1 map 2\n", "E-FIELDS", "n.txt:1: the line has 3 fields"),
        ("n.txt", "1 map 2 3\n1\n", "E-FIELDS", "n.txt:2: the line has 1 field"),
        ("n.txt", "\n", "E-EMPTY", "the file has no rows"),
    ],
)
def test_what_is_no_norm_is_refused(name: str, text: str, code: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_norms(path)
    assert caught.value.code == code
    assert message in str(caught.value)
    assert "\nhint: " in str(caught.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    for name in ("gone.csv", "gone.txt"):
        with pytest.raises(InputError, match="there is no such file"):
            read_norms(tmp_path / name)
