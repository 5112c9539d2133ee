"""Tables of papers, made again: what a page of the gallery shows is what its script makes."""

import importlib
import os
from pathlib import Path
from types import ModuleType

import pytest

from tests.support.source_tree import ROOT

FOLDER = ROOT / "docs" / "gallery"
writing = importlib.import_module("docs.gallery.tables.writing")
PAPERS = {
    name: importlib.import_module(f"docs.gallery.tables.{name}") for name in ("bigdeli", "craswell", "ferro", "lin")
}
MADE_UP = [pytest.param(paper, name, id=name) for paper in PAPERS.values() for name in paper.TABLES]
FROM_DATA = [pytest.param(paper, name, id=name) for paper in PAPERS.values() for name in paper.FROM_DATA]
FROM_RUNS = [
    pytest.param(paper, name, id=name) for paper in PAPERS.values() for name in getattr(paper, "FROM_RUNS", {})
]


@pytest.mark.parametrize(("paper", "name"), MADE_UP)
def test_a_table_of_a_page_is_what_its_script_makes(paper: ModuleType, name: str) -> None:
    assert writing.held(FOLDER / paper.PAGE)[name] == paper.TABLES[name]()


@pytest.mark.parametrize(("paper", "name"), FROM_DATA)
def test_a_table_of_public_data_is_what_its_script_makes(paper: ModuleType, name: str, shared_data: Path) -> None:
    assert writing.held(FOLDER / paper.PAGE)[name] == paper.FROM_DATA[name](shared_data)


if "TREC8_SCORES" in os.environ:  # the runs of TREC-8 are public, but not part of the data that CRANFIELD_DATA names

    @pytest.mark.parametrize(("paper", "name"), FROM_RUNS)
    def test_a_table_of_the_runs_of_trec_8_is_what_its_script_makes(paper: ModuleType, name: str) -> None:
        assert writing.held(FOLDER / paper.PAGE)[name] == paper.FROM_RUNS[name](Path(os.environ["TREC8_SCORES"]))


def test_all_counts_of_ferros_third_table_come_out() -> None:
    lines = writing.held(FOLDER / PAPERS["ferro"].PAGE)["ferro-scales"].splitlines()[2:]
    cells = [[cell.strip() for cell in line.split("|")[4:-1]] for line in lines]
    assert len(cells) == 9
    assert all(ranks == ours and means == also for ranks, ours, means, also in cells)


@pytest.mark.parametrize("paper", PAPERS.values(), ids=PAPERS.keys())
def test_a_page_holds_all_tables_of_its_script_and_no_other(paper: ModuleType) -> None:
    assert set(writing.held(FOLDER / paper.PAGE)) == {
        *paper.TABLES,
        *paper.FROM_DATA,
        *getattr(paper, "FROM_RUNS", {}),
    }


def test_a_table_is_put_where_its_name_stands(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Page\n\n<!-- made: one -->\n\n| old |\n\n<!-- end -->\n\nwords\n")
    made = writing.table(["run", "value"], [["a", 1], ["b", "0.5"]])
    assert made == "| run | value |\n| --- | ---: |\n| a | 1 |\n| b | 0.5 |"
    writing.write({"one": made, "elsewhere": "| x |"}, page)
    assert writing.held(page) == {"one": made}
    assert page.read_text() == f"# Page\n\n<!-- made: one -->\n\n{made}\n\n<!-- end -->\n\nwords\n"


def test_what_papers_printed_adds_up() -> None:
    """Shares of outcomes and of agreement are of the whole; the total of ferro2024 Table 1 is the one that is not."""
    lin, craswell, ferro = PAPERS["lin"], PAPERS["craswell"], PAPERS["ferro"]
    for line in lin.APART:
        assert sum(float(share.rstrip("%")) for share in line[:4]) == pytest.approx(
            100, abs=1.5
        )  # rounded, four of them
    for line in (line[part] for line in craswell.AGREEMENT for part in (craswell.BY_RR, craswell.BY_NDCG)):
        assert sum(float(share.rstrip("%")) for share in line[:3]) == pytest.approx(100, abs=0.15)
    topic, system, error, total = (float(row[0]) for row in ferro.ANOVA.values())
    assert topic + system + error == pytest.approx(313.3775)
    assert total == 313.3375
