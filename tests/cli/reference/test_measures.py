"""cranfield measures, as a user runs it."""

import json

import pytest

from cranfield.measures import MEASURES, catalogue, others
from cranfield.online import ONLINE_CATALOGUES
from tests.support.cli.commands import Command, read_json

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


def test_the_list_says_where_the_others_are(cranfield: Command) -> None:
    *_, other, online = cranfield("measures", "--format", "text").out.splitlines()
    assert other == "cranfield measures --other: those of written answers, preferences, sessions."
    assert online == "cranfield measures --online: what live users are asked by."


def test_measures_of_something_else_are_readable(cranfield: Command) -> None:
    ended = cranfield("measures", "--other", "--format", "text")
    *lines, _, more = ended.out.splitlines()
    assert not [line for line in lines if len(line) > 80]
    assert "``" not in ended.out
    assert [line for line in lines if line and line[0] != " "] == [
        "written answers: cranfield nuggets -m",
        "preferences between documents: cranfield evaluate --prefs -m",
        "sessions of several rankings, in Python: cranfield.measures.session_values",
    ]
    names = [line.split()[0] for line in lines if line.startswith("  ") and line[2] != " "]
    assert names == [cls.name for cls in others()]
    assert more.startswith("cranfield measures NuggetAll explains one")


def test_measures_of_something_else_in_full(cranfield: Command) -> None:
    found = json.loads(cranfield("measures", "--other", "--format", "json").out)
    assert (found["study"], list(found["tables"])) == ("measures", ["catalogue", "details", "parameters", "examples"])
    assert all(list(row) == ROW for row in found["tables"]["catalogue"])
    assert {row["family"] for row in found["tables"]["catalogue"]} == {"answers", "preferences", "session"}
    vital = next(row for row in found["tables"]["examples"] if row["measure"] == "NuggetVital")
    assert (vital["beside"], vital["value"]) == ("nuggets vital 1, vital 0.5, okay 1, okay 0", (1 + 1 / 2) / 2)


@pytest.mark.parametrize("name", [cls.name for cls in others()])
def test_measures_of_something_else_are_explained(name: str, cranfield: Command) -> None:
    ended = cranfield("measures", name, "--format", "text")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith(name)
    assert {"formula", "example", "of", "parameters", "range", "scale", "source"} <= {
        line.split(" ")[0] for line in ended.out.splitlines() if line
    }


def test_names_of_other_tools_are_explained_too(cranfield: Command) -> None:
    for theirs, ours in (("strict_vital_score", "NuggetVital"), ("prefs_pair_ret", "PrefPair"), ("nuggetf", "NuggetF")):
        assert cranfield("measures", theirs, "--format", "text").out.startswith(ours)
    # One has the letters of the other: SDCG is of a ranking, sDCG of a session.
    assert cranfield("measures", "SDCG", "--format", "text").out.startswith("SDCG")
    assert cranfield("measures", "sDCG", "--format", "text").out.startswith("sDCG")
    near = cranfield("measures", "NuggetAl")
    assert near.err.startswith("error: there is no measure named 'NuggetAl'\nhint: did you mean NuggetAll")


def test_a_ranking_is_not_measured_as_an_answer_is(cranfield: Command) -> None:
    ended = cranfield("evaluate", "qrels.txt", "run.txt", "-m", "NuggetAll")
    assert ended.code == 1
    assert ended.err == (
        "error: NuggetAll is no measure of rankings\nhint: it is one of written answers: cranfield nuggets -m\n"
    )


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
    both = cranfield("measures", "--online", "--other")
    assert (both.code, both.err) == (2, "error: --other and --online are two lists\nhint: ask for one of them\n")
    unknown = cranfield("measures", "--online", "ctrr")
    assert unknown.code == 1
    assert unknown.err.startswith("error: nothing of live users is named 'ctrr'\nhint: did you mean ctr ")


def test_the_scale_shown_is_that_of_the_parameters_written(cranfield: Command) -> None:
    # [Ferro] §7.8: RBP has an interval scale at p = 1/2 only.
    ended = cranfield("measures", "RBP", "RBP(p=0.5)", "RBP(p=0.3)", "--format", "json")
    found = read_json(ended.out)["tables"]
    rows = [(row["name"], row["scale"]) for row in found["catalogue"]]
    assert rows == [("RBP", "ordinal"), ("RBP(p=0.5)", "interval"), ("RBP(p=0.3)", "ordinal")]
    assert [row["top_heavy"] for row in found["details"]] == ["nominal", "interval", "ordinal"]
    text = cranfield("measures", "RBP(p=0.5)", "--format", "text").out
    assert "RBP(p=0.5): interval" in " ".join(text.split())
    for written in ("rbp.p=0.5", "rbp.50"):  # as trec_eval 10 and ranx write it
        ended = cranfield("measures", written, "MAP", "--format", "json")
        found = read_json(ended.out)["tables"]["catalogue"]
        assert [(row["name"], row["scale"]) for row in found] == [("RBP(p=0.5)", "interval"), ("AP", "ordinal")]


def test_a_source_is_that_of_what_is_computed(cranfield: Command) -> None:
    assert "(lin2021)" in cranfield("measures", "ESL", "--format", "text").out  # ESL's ratio scale
    assert "if the grades have a ratio scale" in " ".join(cranfield("measures", "gR", "--format", "text").out.split())
    ctr = cranfield("measures", "--online", "ctr", "--format", "json").out
    # Impressions with a click: 1 less abandonment. ferro2024 defines clicks for each document shown, our ctr_at.
    assert read_json(ctr)["tables"]["catalogue"][0]["source"] == "radlinski2008"
