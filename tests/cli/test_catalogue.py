"""cranfield measures, as a user runs it."""

import json

import pytest

from cranfield.measures import MEASURES, catalogue
from cranfield.online import ONLINE_CATALOGUES
from tests.cli.conftest import Command

ROW = ["name", "family", "scale", "source", "direction", "parameters", "definition"]


def test_the_list_is_readable(cranfield: Command) -> None:
    ended = cranfield("measures", "--format", "text")
    lines = ended.out.splitlines()
    assert not [line for line in lines if len(line) > 80]
    assert "``" not in ended.out
    names = [line.split()[0] for line in lines if line.startswith("  ") and line[2] != " "]
    assert sorted(names) == sorted(MEASURES.names())


def test_a_pipe_gets_a_table(cranfield: Command) -> None:
    lines = cranfield("measures").out.splitlines()
    assert lines[0] == "\t".join(ROW)
    assert len(lines) == 1 + len(MEASURES)


def test_json_is_the_contract(cranfield: Command) -> None:
    found = json.loads(cranfield("measures", "--format", "json").out)
    assert list(found) == ["contract", "study", "verdict", "tables", "made_by"]
    assert list(found["tables"]) == ["catalogue", "details", "parameters", "examples", "gives_up"]
    assert all(list(row) == ROW for row in found["tables"]["catalogue"])
    assert [row["name"] for row in found["tables"]["catalogue"]] == [row["name"] for row in catalogue().rows()]
    assert {row["name"] for row in found["tables"]["catalogue"]} == set(MEASURES.names())


@pytest.mark.parametrize("name", MEASURES.names())
def test_every_measure_is_explained(name: str, cranfield: Command) -> None:
    ended = cranfield("measures", name)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith(name)
    assert {"formula", "example", "parameters", "range", "scale", "source"} <= {
        line.split(" ")[0] for line in ended.out.splitlines() if line
    }
    assert "``" not in ended.out


def test_one_measure_in_another_format(cranfield: Command) -> None:
    found = json.loads(cranfield("measures", "mrr", "--format", "json").out)
    assert [row["name"] for row in found["tables"]["catalogue"]] == ["RR"]
    assert cranfield("measures", "map", "--format", "tsv").out.splitlines()[1].startswith("AP\t")


def test_an_unknown_name(cranfield: Command) -> None:
    ended = cranfield("measures", "nDGC")
    assert ended.code == 1
    assert ended.err == "error: there is no measure named 'nDGC'\nhint: did you mean nDCG or RnDCG or α_nDCG?\n"


def test_what_live_users_are_asked_by_is_readable(cranfield: Command) -> None:
    ended = cranfield("measures", "--online", "--format", "text")
    *lines, _, more = ended.out.splitlines()
    assert not [line for line in lines if len(line) > 80]
    assert "``" not in ended.out
    names = [line.split()[0] for line in lines if line.startswith("  ") and line[2] != " "]
    assert names == [cls.name for catalogue in ONLINE_CATALOGUES.values() for cls in catalogue]
    assert more.startswith("cranfield measures --online ctr")
    assert cranfield("measures", "--online").out.splitlines()[0].startswith("name\tfamily\tunit\t")


def test_what_live_users_are_asked_by_in_full(cranfield: Command) -> None:
    found = json.loads(cranfield("measures", "--online", "--format", "json").out)
    assert (found["study"], list(found["tables"])) == ("online", ["catalogue", "parameters", "sets"])
    one = cranfield("measures", "--online", "UBM", "--format", "text")
    assert (one.code, one.err) == (0, "")
    assert one.out.startswith("UBM (also user-browsing)")
    assert "first      'one'" in one.out


def test_online_is_a_list_of_its_own(cranfield: Command) -> None:
    both = cranfield("measures", "--online", "--user", "RBP")
    assert (both.code, both.err) == (2, "error: --user and --online are two lists\nhint: ask for one of them\n")
    unknown = cranfield("measures", "--online", "ctrr")
    assert unknown.code == 1
    assert unknown.err.startswith("error: nothing of live users is named 'ctrr'\nhint: did you mean ctr ")
