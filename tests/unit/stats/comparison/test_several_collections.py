"""Systems on several collections: the tables against scipy and metafor, and the sentence to the letter."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

from cranfield.core import Direction, ParameterError, Provenance, Table
from cranfield.data import Values, read_scores
from cranfield.data.values.value_cube import Given
from cranfield.stats.comparison.several_collections import collection_tables
from tests.support.golden import meta_analysis_inputs
from tests.support.golden.golden_values import golden

Several = Sequence[tuple[str, Values]]
ROUGH = "score: χ² is rough for so few collections; Iman and Davenport's F has p = "


def scores(rows: Any, systems: Sequence[str] = ("A", "B", "C", "D")) -> Values:
    values = np.asarray(rows, dtype=float)
    return read_scores(pl.DataFrame({name: values[:, i] for i, name in enumerate(systems[: values.shape[1]])}))


def metafor() -> Several:
    """The matrices of which metafor knows the differences of the first three runs."""
    return [(name, scores(np.array(rows)[:, :3])) for name, rows in meta_analysis_inputs.collections().items()]


def drawn(collections: int, systems: int, seed: int = 0) -> Several:
    random = np.random.default_rng(seed)
    step = np.arange(systems) * 0.05
    sizes = random.integers(8, 30, collections)
    return [(f"c{i}", scores(random.normal(0.4 + step, 0.2, (n, systems)))) for i, n in enumerate(sizes)]


def found(table: Table, **asked: object) -> list[dict[str, Any]]:
    return [dict(row) for row in table.rows() if all(row[name] == value for name, value in asked.items())]


def test_each_collection_has_its_t_test() -> None:
    given = drawn(4, 3)
    rows = collection_tables(given, level=0.1)["collections"]
    names = "a b measure collection topics difference low high p weight"
    assert rows.columns == tuple(names.split())
    assert len(rows) == 3 * 4
    for (name, values), a, b in [(one, *pair) for one in given for pair in ("AB", "AC", "BC")]:
        (row,) = found(rows, a=a, b=b, collection=name, measure="score")
        first, second = (values.matrix()[:, values.runs.index(run)] for run in (a, b))
        student = stats.ttest_rel(second, first)
        low, high = student.confidence_interval(0.9)
        numbers = [row[key] for key in ("topics", "difference", "p", "low", "high")]
        assert numbers == pytest.approx([len(first), (second - first).mean(), student.pvalue, low, high])


def test_together_they_say_what_metafor_says() -> None:
    tables = collection_tables(metafor())
    names = "a b measure collections difference low high p predicted_low predicted_high tau2 q df p_heterogeneity i2"
    assert tables["pooled"].columns == tuple(names.split())
    for case, pair in (("0-1", "AB"), ("0-2", "AC"), ("1-2", "BC")):
        theirs = golden("r_pooled")[case]
        (row,) = found(tables["pooled"], a=pair[0], b=pair[1])
        difference, _, low, high, p, tau2 = theirs["reml knha"]
        expected = [4, difference, low, high, p, tau2, *theirs["heterogeneity"]]
        ours = [row[name] for name in tables["pooled"].columns[3:] if not name.startswith("predicted")]
        assert ours == pytest.approx(expected, rel=1e-8, abs=1e-12)
        weights = [one["weight"] for one in found(tables["collections"], a=pair[0], b=pair[1])]
        assert weights == pytest.approx(theirs["reml knha weight"])
        for options, name in (({"tau": "dl"}, "dl knha"), ({"widened": True}, "reml adhoc")):
            (other,) = collection_tables(metafor(), pairs=[(pair[0], pair[1])], **options)["pooled"].rows()
            assert [other["low"], other["high"]] == pytest.approx(golden("r_pooled")[case][name][2:4], rel=1e-8)


def test_friedman_over_collections_is_scipys() -> None:
    given = drawn(6, 4, seed=2)
    tables = collection_tables(given)
    means = np.array([values.matrix().mean(axis=0) for _, values in given])
    theirs = stats.friedmanchisquare(*means.T)
    (row,) = tables["friedman"].rows()
    assert tables["friedman"].columns == ("measure", "systems", "collections", "statistic", "df", "p", "w")
    assert (row["measure"], row["systems"], row["collections"], row["df"]) == ("score", 4, 6, 3)
    assert row["statistic"] == pytest.approx(theirs.statistic)
    assert row["p"] == pytest.approx(theirs.pvalue)
    assert row["w"] == pytest.approx(theirs.statistic / (6 * 3))
    ranks = np.mean([stats.rankdata(-one) for one in means], axis=0)
    placed = {one["run"]: one["mean_rank"] for one in found(tables["placed"])}
    assert placed == pytest.approx(dict(zip("ABCD", ranks, strict=True)))
    assert list(placed.values()) == sorted(placed.values())


def test_letters_are_nemenyis() -> None:
    # One order of four systems in all of ten collections: mean ranks 1 to 4. The range of four has 3.633 at .05, and
    # √(4·5 / (12·10)) = .408: what is 1.483 apart or more differs.
    means = np.array([0.4, 0.3, 0.2, 0.1])
    given = [(f"c{i}", scores(np.stack([means + i, means + i + [0.01, 0, 0.01, 0]]))) for i in range(10)]
    tables = collection_tables(given)
    assert tables["friedman"].rows()[0]["w"] == 1
    placed = [(row["run"], row["mean_rank"], row["letters"]) for row in tables["placed"].rows()]
    assert placed == [("A", 1, "a"), ("B", 2, "ab"), ("C", 3, "bc"), ("D", 4, "c")]


def as_cost(given: Several) -> Several:
    """The same numbers, the lower the better."""
    cost = Given("cost", direction=Direction.LOWER)
    return [(name, replace(values, measures=(cost,))) for name, values in given]


def test_the_direction_of_a_measure_turns_places_and_words_only() -> None:
    given = drawn(5, 3, seed=4)
    up, down = collection_tables(given), collection_tables(as_cost(given))
    for name in ("difference", "low", "high", "p"):
        assert up["pooled"].cells(name) == down["pooled"].cells(name)
    ranks = [{row["run"]: row["mean_rank"] for row in found(tables["placed"])} for tables in (up, down)]
    assert ranks[1] == pytest.approx({run: 4 - rank for run, rank in ranks[0].items()})
    assert down["friedman"].cells("statistic") == pytest.approx(up["friedman"].cells("statistic"))


def two_measures(given: Several) -> Several:
    return [
        (name, replace(values, measures=(Given("x"), Given("y")), cube=np.concatenate([values.cube, -values.cube], 2)))
        for name, values in given
    ]


def test_measures_stand_one_after_the_other() -> None:
    tables = collection_tables(two_measures(drawn(3, 3)), baseline="B")
    assert tables["pooled"].cells("measure") == ["x", "x", "y", "y"]
    assert (
        list(zip(tables["pooled"].cells("a"), tables["pooled"].cells("b"), strict=True)) == [("B", "A"), ("B", "C")] * 2
    )
    x, y = np.array(tables["pooled"].cells("difference"), dtype=float).reshape(2, 2)
    np.testing.assert_allclose(x, -y)
    assert tables["collections"].cells("collection") == ["c0", "c1", "c2"] * 4
    assert tables["friedman"].cells("measure") == ["x", "y"]
    assert tables["placed"].cells("measure") == ["x"] * 3 + ["y"] * 3


def test_systems_that_a_collection_lacks_are_left_out() -> None:
    first, second = scores([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]]), scores([[0.5, 0.1], [0.3, 0.2]], ("B", "A"))
    tables = collection_tables([("one", first), ("two", second)])
    assert [(row["a"], row["b"]) for row in tables["pooled"].rows()] == [("A", "B")]
    assert tables["collections"].cells("difference") == pytest.approx([0.0, 0.25])
    assert tables["collections"].notes[0] == "left out, because some collection lacks them: C"


def test_a_pair_is_compared_where_both_have_a_value() -> None:
    one = scores([[0.1, 0.2, 0.3], [0.2, 0.4, 0.1], [0.3, 0.5, 0.4]])
    holes = replace(one, cube=one.cube.copy())
    holes.cube[2, 0] = np.nan
    rest = ("whole", scores([[0.1, 0.3, 0.2], [0.2, 0.2, 0.6], [0.2, 0.2, 0.7]]))
    tables = collection_tables([("holes", holes), rest])
    assert tables["collections"].cells("topics") == [3, 3, 2, 3, 2, 3]
    # Means over topics two and three: A .25, B .45, C .25 there; A .167, B .233, C .5 in the other.
    placed = {row["run"]: row["mean_rank"] for row in tables["placed"].rows()}
    assert placed == {"A": 2.75, "B": 1.5, "C": 1.75}


def test_a_collection_without_a_common_topic_counts_for_nobody() -> None:
    one = scores([[0.1, 0.2, 0.3], [0.2, 0.4, 0.1]])
    apart = replace(one, cube=one.cube.copy())
    apart.cube[0, 0], apart.cube[1:, 1] = np.nan, np.nan  # A has the second topic, B and C the first
    tables = collection_tables([("apart", apart), ("one", one)])
    (row,) = found(tables["pooled"], a="A", b="B")
    assert (row["collections"], row["df"]) == (1, 0)
    assert {row[name] for name in ("difference", "low", "p", "tau2", "q", "i2", "predicted_low")} == {None}
    (first, second) = found(tables["collections"], a="A", b="B")
    assert (first["topics"], first["difference"], first["p"], first["weight"]) == (0, None, None, None)
    assert second["difference"] == pytest.approx(0.15)
    assert found(tables["friedman"]) == [
        {"measure": "score", "systems": 3, "collections": 1, "statistic": None, "df": None, "p": None, "w": None}
    ]
    assert set(tables["placed"].cells("mean_rank")) == {None}
    assert set(tables["placed"].cells("letters")) == {""}
    assert tables["collections"].notes == (
        "score: where topics show no spread, the weight comes from the spread in other collections (apart)",
        "score: there is only one collection: nothing is summed up (2 of 3 pairs)",
        "score: no topic has values of all systems in apart, which Friedman's test leaves out",
    )


def pair(*differences: Sequence[float]) -> Several:
    """Two systems, a collection for each list of differences."""
    return [(f"c{i}", scores([[0.5, 0.5 + d] for d in each])) for i, each in enumerate(differences)]


# Differences around a mean m, of which the mean is m and the standard error .01: m ± .01 · √2.
def around(mean: float, error: float = 0.01) -> list[float]:
    return [mean - error, mean + error]


def test_identical_runs_have_p_1_and_no_nan() -> None:
    tables = collection_tables(pair([0, 0], [0, 0, 0]))
    assert tables["collections"].cells("p") == [1, 1]
    assert tables["collections"].cells("weight") == [0.5, 0.5]
    (row,) = tables["pooled"].rows()
    assert (row["difference"], row["low"], row["high"], row["p"], row["q"], row["i2"]) == (0, 0, 0, 1, 0, 0)
    assert tables["friedman"].cells("p") == [1]
    assert "score: no collection shows a spread: all count alike" in tables["collections"].notes


def test_what_differs_without_any_spread_has_no_q() -> None:
    (row,) = collection_tables(pair([0.1, 0.1], [0.2, 0.2]))["pooled"].rows()
    assert (row["q"], row["p_heterogeneity"], row["i2"]) == (None, 0, 1)


def test_notes_say_what_is_odd() -> None:
    # Two systems in one order in three collections: F is infinite, and 2 of 2³ orders agree.
    odd = collection_tables(pair(around(0.1), [0.1], around(0.1)))["collections"].notes
    assert odd == (
        "score: where topics show no spread, the weight comes from the spread in other collections (c1)",
        "score: narrower than if all had one true difference: the collections lie close",
        "score: χ² is rough for so few collections; all collections have one order of the systems, "
        "and the exact chance of that is p = 0.25",
    )
    # W = (χ² = .2) / 5: two systems, three wins of five; F = 4 · .04 / .96 with 1 and 4 degrees of freedom.
    five = pair(*(around(mean) for mean in (0.1, 0.2, -0.1, 0.3, -0.2)))
    assert collection_tables(five)["collections"].notes == (f"{ROUGH}{stats.f.sf(4 * 0.04 / 0.96, 1, 4):.3g}",)
    many = pair(*(around(0.1 * i) for i in range(1, 12)))
    assert collection_tables(many)["collections"].notes == ()


def test_a_constant_difference_within_a_collection_has_a_note() -> None:
    notes = collection_tables(pair(around(0.1), [0.1, 0.1, 0.1], [0.2]))["collections"].notes
    assert "score: the same difference in every topic of c1: t is infinite there" in notes


def test_tables_know_how_they_were_made() -> None:
    made_by = Provenance(command="compare --collections list.csv")
    assert {table.made_by for table in collection_tables(drawn(2, 2), made_by=made_by).values()} == {made_by}


@pytest.mark.parametrize(
    ("given", "options", "message"),
    [
        (drawn(1, 2), {}, "there is only one collection\nhint: give two collections or more"),
        ([drawn(1, 2)[0]] * 2, {}, "two collections are called c0\nhint: give every collection a name of its own"),
        ([*drawn(1, 2), ("other", two_measures(drawn(1, 2))[0][1])], {},
         "collection c0 has values of score, other of x and y\nhint: measure the same on every collection"),
        ([("one", scores([[1, 2]], "AB")), ("two", scores([[1, 2]], "BC"))], {},
         "collections need two systems in common\n"
         "hint: name systems alike in every collection; in common there is B"),
        ([("one", scores([[1, 2]], "AB")), ("two", scores([[1, 2]], "CD"))], {},
         "collections need two systems in common\n"
         "hint: name systems alike in every collection; in common there is none"),
        ([("one", scores([[1, 2, 3]], "ABC")), ("two", scores([[1, 2]], "AB"))], {"baseline": "C"},
         "system C is missing from collection two\nhint: run it there too, or leave it out"),
        ([("one", scores([[1, 2, 3]], "ABC")), ("two", scores([[1, 2]], "AB"))], {"pairs": [("A", "C")]},
         "system C is missing from collection two\nhint: run it there too, or leave it out"),
        (drawn(2, 2), {"baseline": "Z"}, "there is no run named Z\nhint: there are: A, B"),
        (drawn(2, 2), {"level": 2}, "the level cannot be 2\nhint: a level lies between 0 and 1, such as .05"),
    ],
)  # fmt: skip
def test_refusals(given: Several, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        collection_tables(given, **options)
    assert str(caught.value) == message
