"""cranfield tests, as a user runs it."""

import csv
import io
import json
from pathlib import Path

import pytest

from cranfield.cli.dispatch import COMMANDS
from cranfield.stats.pair_tests.explanations import CATALOGUES, FAMILIES_IN_WORDS
from tests.support.cli.commands import Command, Ended
from tests.support.cli.latex_characters import KNOWN

ROW = ["name", "family", "scale", "source", "direction", "parameters", "definition"]
NAMES = [cls.name for catalogue in CATALOGUES for cls in catalogue]


def test_the_list_is_readable(cranfield: Command) -> None:
    ended = cranfield("tests", "--format", "text")
    lines = ended.out.splitlines()
    headings = list(FAMILIES_IN_WORDS.values())
    assert not [line for line in lines if len(line) > 80 and line not in headings]
    assert "``" not in ended.out
    names = [line.split()[0] for line in lines if line.startswith("  ") and line[2] != " "]
    assert sorted(names) == sorted(NAMES)
    assert [line for line in lines if line in headings] == headings


def test_headings_name_options_that_there_are(cranfield: Command) -> None:
    for heading in FAMILIES_IN_WORDS.values():
        for asked in heading.partition(": ")[2].split(", "):
            command, *options = (
                asked.removeprefix("cranfield ").split() if asked.startswith("cranfield ") else ["", asked]
            )
            pages = [command] if command in COMMANDS else ["test", "anova"]
            for option in filter(None, options):
                assert any(option in cranfield(page, "--help").out for page in pages), heading


def test_a_pipe_gets_a_table(cranfield: Command) -> None:
    lines = cranfield("tests").out.splitlines()
    assert lines[0] == "\t".join(ROW)
    assert len(lines) == 1 + len(NAMES)


def test_json_is_the_contract(cranfield: Command) -> None:
    found = json.loads(cranfield("tests", "--format", "json").out)
    assert list(found) == ["contract", "study", "verdict", "tables", "made_by"]
    assert (found["study"], list(found["tables"])) == ("tests", ["catalogue", "details", "parameters"])
    assert all(list(row) == ROW for row in found["tables"]["catalogue"])
    assert sorted(row["name"] for row in found["tables"]["catalogue"]) == sorted(NAMES)


def test_csv_holds_what_json_does(cranfield: Command) -> None:
    rows = list(csv.DictReader(io.StringIO(cranfield("tests", "--format", "csv").out)))
    known = json.loads(cranfield("tests", "--format", "json").out)["tables"]["catalogue"]
    assert [row["definition"] for row in rows] == [row["definition"] for row in known]


@pytest.mark.parametrize("name", sorted(set(NAMES)))
def test_every_method_is_explained(name: str, cranfield: Command) -> None:
    ended = cranfield("tests", name)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith(name)
    for label in ("kind", "assumes", "use it", "needs", "source"):
        assert f"\n{label:<12}" in ended.out
    assert "``" not in ended.out


def test_several_names(cranfield: Command) -> None:
    found = json.loads(cranfield("tests", "wilcoxon", "fdr", "--format", "json").out)
    assert [row["name"] for row in found["tables"]["catalogue"]] == ["signed-rank", "bh"]
    text = cranfield("tests", "wilcoxon", "fdr").out
    assert text.startswith("signed-rank (also wilcoxon)\n")
    assert "\nbh (also fdr, benjamini-hochberg)\n" in text
    assert cranfield("tests", "t", "--format", "tsv").out.count("\nt\t") == 3  # a test, an interval, a design


def test_one_table(cranfield: Command) -> None:
    lines = cranfield("tests", "max-t", "--table", "parameters", "--format", "tsv").out.splitlines()
    assert [line.split("\t")[1] for line in lines] == ["name", "alternative", "draws", "step_down"]


def test_a_file(here: Path, cranfield: Command) -> None:
    assert cranfield("tests", "-o", "tests.md").code == 0
    assert "| max-t |" in (here / "tests.md").read_text()


def test_latex_has_only_signs_that_it_knows(cranfield: Command) -> None:
    latex = cranfield("tests", "--format", "latex").out
    assert {sign for sign in latex if not sign.isascii()} <= KNOWN


def test_an_unknown_name(cranfield: Command) -> None:
    assert cranfield("tests", "signd-rank") == Ended(
        1,
        "",
        "error: there is no test named 'signd-rank'\nhint: did you mean signed-rank or bayes-signed-rank or sign?\n",
    )
    assert cranfield("tests", "holm", "qqqq").err == (
        "error: there is no test named 'qqqq'\nhint: `cranfield tests` lists them\n"
    )
    assert cranfield("tests", "--table", "nothing").code == 1
