"""The tables of scales and of values."""

from itertools import pairwise, permutations
from typing import Any

import numpy as np
import pytest

from cranfield.core import ParameterError, Provenance, Table
from cranfield.measures import Rankings, Spacing, parse_measure
from cranfield.studies.scales.ranking_spacings import spacings
from cranfield.studies.scales.ranking_text import written
from cranfield.studies.scales.tables import ORDERS, scales_table, values_table
from tests.support.reference import ranking_enumeration

MADE_BY = Provenance(command="cranfield scale")


def scales(measures: str, **asked: Any) -> Table:
    found = spacings(measures, **asked)
    return scales_table(list(found), spacings=found, made_by=MADE_BY)


def values(measures: str, *, most: int = 10_000, **asked: Any) -> Table:
    return values_table(spacings(measures, **asked), most=most, made_by=MADE_BY)


def test_what_measures_claim_without_a_length() -> None:
    table = scales_table("AP RBP(p=0.5) ESL", made_by=MADE_BY)
    assert table.columns == (
        *("measure", "scale", "source", "equispaced", "top_heavy"),
        *("rankings", "values", "smallest", "largest", "range"),
    )
    told = [[row[name] for name in ("measure", "scale", "source", "top_heavy")] for row in table.rows()]
    assert told == [
        ["AP", "ordinal", "ferrante2021", "nominal"],
        ["RBP(p=0.5)", "interval", "ferrante2021", "interval"],
        ["ESL", "ratio", "lin2021", "ordinal"],
    ]
    for name in ("equispaced", "rankings", "values", "smallest", "largest", "range"):
        assert table.cells(name) == [None] * 3
    assert (table.caption, table.made_by, table.notes) == (f"scales ({ORDERS})", MADE_BY, ())
    with pytest.raises(ParameterError, match="no measure is given"):
        scales_table([])


def test_the_figure_of_the_chapter() -> None:  # [Ferro] Fig. 19
    table = scales("P R RBP(p=0.5) SBTO RBTO AP RR RBP(p=0.3) RBP(p=0.8) DCG", length=4)
    assert table.cells("equispaced") == [True] * 5 + [False] * 5
    assert table.cells("rankings") == [16] * 10
    # Of AP only 1000 and 0101 share a value, 1/4: (1/2 + 2/4)/4.
    assert table.cells("values") == [5, 5, 16, 5, 16, 15, 5, 16, 16, 16]
    assert table.caption == f"scales, all rankings of 4; 4 relevant ({ORDERS})"
    assert table.made_by == MADE_BY


@pytest.mark.parametrize("name", list(ranking_enumeration.MEASURES))
def test_gaps_and_range_by_plain_loops(name: str) -> None:
    (row,) = scales(name, length=5, relevant=[3]).rows()
    found = [float(value) for value, _ in ranking_enumeration.grouped(name, 5, {1: 3})]
    gaps = [high - low for low, high in pairwise(found)]
    ends = [row[column] for column in ("smallest", "largest", "range")]
    assert ends == pytest.approx([min(gaps), max(gaps), found[-1] - found[0]], abs=1e-12)
    assert row["equispaced"] is (max(gaps) - min(gaps) < 1e-9)
    assert (row["values"], row["rankings"]) == (len(found), ranking_enumeration.how_many(5, {1: 3}))


def test_a_claim_that_these_rankings_do_not_bear_out() -> None:
    # 0, 1, 2, 4, 8 of 15: with one relevant document there is no 3.
    table = scales("RBTO RBP(p=0.5) P RR", length=4, relevant=[1])
    assert table.cells("equispaced") == [False, False, True, False]
    assert [note.partition(" ")[0] for note in table.notes] == ["RBTO@4", "RBP(p=0.5)@4"]
    assert "claims equal steps, and has none here" in table.notes[0]


def test_a_claim_that_depends_on_the_top_grade() -> None:
    # gRBP has equal steps at p = G/(G+1), G = 1/2 the smallest step of gain ([Ferro] §7.7.2).
    (row,) = scales(f"RBP(max_rel=2,p={1 / 3!r})", length=3, grades=2).rows()
    assert (row["scale"], row["equispaced"]) == ("interval", True)
    assert scales("nDCG", length=2, relevant=[1, 3], grades=2).caption == (
        f"scales, all rankings of 2; 1 of grade 1, 3 of grade 2 ({ORDERS})"
    )


def test_sums_of_grades_are_interval_if_the_grades_have_a_ratio_scale() -> None:  # [Ferro] §7.8
    table = scales_table("gP(max_rel=3)@4 gR@4 CG@4 P@4 RBP(p=0.5)")
    assert table.cells("scale") == ["interval"] * 5
    condition = "interval if the grades have a ratio scale"
    assert table.notes == tuple(f"{name}: {condition}" for name in ("gP(max_rel=3)@4", "gR@4", "CG@4"))


def test_rankings_without_a_value_are_told() -> None:
    table = scales("ESL", length=3)
    assert table.notes == ("ESL@3: 1 of 8 rankings has no value",)
    assert [table.cells(name) for name in ("rankings", "values", "smallest", "range")] == [[8], [3], [1], [2]]
    # With a first rank alone, 0 and 00, 01 have none.
    assert values("ESL@1", length=2).notes == ("ESL@1: 2 of 4 rankings have no value",)


def test_one_value_has_no_gap_and_none_no_range() -> None:
    table = scales("Success", length=2, relevant=[0])
    assert [table.cells(name)[0] for name in ("values", "smallest", "largest", "range")] == [1, None, None, 0]
    table = scales("ESL", length=2, relevant=[0])
    assert [table.cells(name)[0] for name in ("rankings", "values", "range")] == [1, 0, None]
    assert len(values("ESL", length=2, relevant=[0])) == 0
    nothing = Spacing(Rankings(2, ()), np.zeros(1), np.array([1]), np.array([0]))
    found = {parse_measure("AP@2"): nothing}
    assert (
        scales_table(list(found), spacings=found).caption
        == f"scales, all rankings of 2; nothing is relevant ({ORDERS})"
    )


def test_the_table_of_the_paper() -> None:  # craswell2021msmarco, Table 3
    table = values("RR", length=3)
    assert table.columns == ("measure", "value", "runs", "gap", "rankings")
    assert table.cells("measure") == ["RR@3"] * 4
    assert table.cells("value") == pytest.approx([1, 1 / 2, 1 / 3, 0])
    assert table.cells("runs") == [4, 2, 1, 1]
    assert table.cells("gap") == [None, *map(pytest.approx, (1 / 2, 1 / 6, 1 / 3))]
    assert table.cells("rankings") == ["100 101 110 111", "010 011", "001", "000"]
    assert (table.caption, table.made_by, table.notes) == ("values, all rankings of 3; 3 relevant", MADE_BY, ())


@pytest.mark.parametrize("name", ["RR", "AP", "P", "nDCG", "ERR"])
@pytest.mark.parametrize(("length", "counts"), [(5, {1: 5}), (5, {1: 2}), (4, {1: 2, 2: 1}), (13, {1: 2})], ids=str)
def test_values_and_their_rankings_by_plain_loops(name: str, length: int, counts: dict[int, int]) -> None:
    rows = values(name, length=length, relevant=counts).rows()
    expected = ranking_enumeration.grouped(name, length, counts)[::-1]
    assert [row["value"] for row in rows] == pytest.approx([float(value) for value, _ in expected], abs=1e-12)
    for row, (_, some) in zip(rows, expected, strict=True):
        shown = " ".join(map(ranking_enumeration.text, some[:8])) + " …" * (len(some) > 8)
        assert (row["runs"], row["rankings"]) == (len(some), shown)


def test_rankings_that_come_in_several_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = values("RR P", length=6)
    monkeypatch.setattr("cranfield.measures.scales.all_rankings.CHUNK", 42)  # seven rankings of six at once
    assert values("RR P", length=6) == whole


def test_of_many_values_some_are_shown_from_the_lowest_to_the_highest() -> None:
    table = values("RBTO P", length=4, most=3)
    # Of the 16 values of RBTO the lowest, the highest, and the eighth step between; of P 0, 2/4 and 4/4.
    assert table.cells("rankings") == ["1111", "1000", "0000", "1111", whole_of("0011"), "0000"]
    assert table.cells("gap") == [None, *[pytest.approx(1 / 15)] * 2, None, *[pytest.approx(1 / 4)] * 2]
    assert table.notes == (
        "RBTO@4: of 16 values 3 are shown, evenly chosen",
        "P@4: of 5 values 3 are shown, evenly chosen",
    )


def whole_of(digits: str) -> str:
    """All rankings of the same documents, as numbers go up."""
    return " ".join(sorted({"".join(one) for one in permutations(digits)}))


def test_grades_of_several_figures_are_parted() -> None:
    table = values("CG", length=2, relevant={10: 1, 1: 1})
    assert table.cells("rankings") == ["1 10, 10 1", "0 10, 10 0", "0 1, 1 0", "0 0"]
    assert table.cells("value") == [11, 10, 1, 0]


def test_many_rankings_are_written_as_one_is() -> None:
    for rankings in (Rankings(3, ((1.0, 3), (2.0, 2))), Rankings(2, ((0.5, 2), (10.0, 2)))):
        number = np.arange(rankings.base**rankings.length)
        assert written(rankings, number) == [rankings.written(one) for one in number.tolist()]
