"""Which axioms measures keep; what numbers of a scale allow."""

import pytest

from cranfield.core import Provenance, Scale, UnknownName
from cranfield.data import assess_grades
from cranfield.measures import BPM, MEASURES, first_use, measure_all
from cranfield.stats import OMNIBUS, TESTS
from cranfield.studies.scales.axioms import axioms_table
from cranfield.studies.scales.permissible_statistics import permissible_table


def test_one_row_for_every_measure_of_the_catalogue() -> None:
    table = axioms_table(made_by=Provenance(seed=1))
    assert table.columns == ("measure", "swap", "replacement", "ideal_best", "counterexample")
    assert sorted(map(str, table.cells("measure"))) == sorted(str(first_use(cls)) for cls in MEASURES)
    assert table.made_by == Provenance(seed=1)
    for row in table.rows():
        kept = [row[column] for column in ("swap", "replacement", "ideal_best")]
        assert (row["counterexample"] is None) is all(kept)


@pytest.mark.parametrize("name", ["AP", "RR", "nDCG", "RBP", "ERR", "P", "R", "RBTO", "SBTO", "INST", "Success"])
def test_these_keep_all(name: str) -> None:
    (row,) = axioms_table(name).rows()
    assert list(row.values())[1:] == [True, True, True, None]


@pytest.mark.parametrize("name", ["SetP", "SetF", "Bpref", "infAP", "BPM", "TBG", "U"])
def test_these_give_one_up(name: str) -> None:
    (row,) = axioms_table(name).rows()
    assert not all((row["swap"], row["replacement"], row["ideal_best"]))


def test_a_counterexample_in_words() -> None:
    # G rewards relevant documents near the end of the ranking: the better one moves up, and it falls.
    (row,) = axioms_table("G").rows()
    assert list(row.values()) == ["G", False, True, True, "swap: 1 2 3 → 1 3 2 falls (trec_eval)"]
    before, after = measure_all(assess_grades([(1, 2, 3), (1, 3, 2)]), "G").cube[0, :, 0]
    assert after < before


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("nDCGrel", "replacement: 0 0 3 → 0 1 3 falls (1 not retrieved before; trec_eval)"),
        ("Utility(b=-0.5)", "ideal-best: nothing → 0 falls (0 not retrieved before; lewis1995utility)"),
        ("Bpref", "replacement: ? 1 → 0 1 falls (0 not retrieved before; sakai2007bpref)"),
    ],
)
def test_what_else_one_has_to_know(name: str, text: str) -> None:
    assert axioms_table(name).cells("counterexample") == [text]


def test_several_and_other_settings_and_long_documents() -> None:
    (told,) = axioms_table("BPM").cells("counterexample")
    assert told == (
        "replacement: 1 0 0 2 → 1 0 1 2 falls (BPM@5; 1 not retrieved before; zhang2017bejeweled); "
        "swap: 0 0 1 2 → 0 0 2 1 falls (BPM@5; zhang2017bejeweled)"
    )
    assert "(100,000 words in a document of grade 2; " in str(axioms_table("TBG").cells("counterexample")[0]).replace(
        "2 not retrieved before; ", ""
    )


def test_what_rises_where_lower_is_better() -> None:
    (row,) = axioms_table("NumNonRel").rows()
    assert [row["swap"], row["replacement"], row["ideal_best"]] == [True, False, False]
    assert str(row["counterexample"]).startswith("replacement: ? → 0 rises (")


def test_measures_may_be_named_written_or_given() -> None:
    assert axioms_table("P").cells("measure") == [str(first_use(MEASURES["P"]))]  # as one would first use it
    assert axioms_table(["AP@7 RR", BPM(k=1)]).cells("measure") == ["AP@7", "RR", "BPM@1"]
    assert axioms_table(BPM(k=1)).cells("swap") == [True]  # one document cannot be swapped
    with pytest.raises(UnknownName, match="nonsense"):
        axioms_table("nonsense")


def test_what_numbers_of_a_scale_allow() -> None:
    table = permissible_table(made_by=Provenance(seed=1))
    assert table.columns == ("scale", "transformations", "statistics", "tests")
    assert table.made_by == Provenance(seed=1)
    assert table.cells("scale") == ["nominal", "ordinal", "interval", "ratio"]
    assert table.cells("transformations") == ["one-to-one", "strictly increasing", "a·x + b, a > 0", "a·x, a > 0"]
    assert table.cells("statistics") == [
        "mode, counts",
        "median, quantiles",
        "mean, standard deviation",
        "geometric mean, harmonic mean, coefficient of variation",
    ]


def test_tests_stand_with_the_scale_that_they_need() -> None:
    told = {row["scale"]: str(row["tests"] or "").split(", ") for row in permissible_table().rows()}
    assert {"sign", "rank-sum", "kruskal-wallis", "friedman"} <= set(told["ordinal"])
    assert {"t", "signed-rank", "randomisation", "bootstrap", "anova"} <= set(told["interval"])
    assert told["nominal"] == told["ratio"] == [""]
    every = [name for names in told.values() for name in names if name]
    assert sorted(every) == sorted(cls.name for catalogue in (TESTS, OMNIBUS) for cls in catalogue)
    for catalogue in (TESTS, OMNIBUS):
        for cls in catalogue:
            assert cls.name in told[str(Scale(cls.requires))]
