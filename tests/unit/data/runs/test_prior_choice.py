"""Whose rankings are known before a run."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cranfield.core import ParameterError
from cranfield.data import Entries, find_runs, make_prior, read_entries, split_known

RUNS = ("a", "b", "c", "d")


def entries(**columns: list[Any]) -> Entries:
    return read_entries({"run": list(RUNS), **columns})


def before(prior: Any, **options: Any) -> dict[str, set[str]]:
    """For each run the names of those that are known before it."""
    known = make_prior(prior, RUNS, **options).known
    return {run: {RUNS[i] for i in np.flatnonzero(row)} for run, row in zip(RUNS, known, strict=True)}


def test_none_and_others() -> None:
    assert before("none") == {run: set() for run in RUNS}
    assert before("others") == {run: set(RUNS) - {run} for run in RUNS}


def test_a_list_is_before_all_but_itself() -> None:
    assert before(["b", "c"]) == {"a": {"b", "c"}, "b": {"c"}, "c": {"b"}, "d": {"b", "c"}}
    assert make_prior(["c", "b"], RUNS).name == "b, c"
    assert make_prior(["x/b.run"], RUNS, files=["x/a.run", "x/b.run", "x/c.run", "x/d.run"]).name == "b"


def test_earlier_days_only() -> None:
    dated = entries(date=["2020-01-02", "2020-01-01", "2020-01-02", "2020-01-03"])
    assert before("chronological", entries=dated) == {"a": {"b"}, "b": set(), "c": {"b"}, "d": {"a", "b", "c"}}
    assert make_prior("chronological", RUNS, entries=dated).count == [1, 0, 1, 3]


def test_groups_leave_out_their_own() -> None:
    grouped = entries(group=["x", "x", "y", "z"])
    assert before("other-groups", entries=grouped) == {
        "a": {"c", "d"},
        "b": {"c", "d"},
        "c": {"a", "b", "d"},
        "d": {"a", "b", "c"},
    }
    means = {"a": 0.1, "b": 0.3, "c": 0.2, "d": 0.5}
    best = before("best-per-group", entries=grouped, means=means)
    assert best == {"a": {"c", "d"}, "b": {"c", "d"}, "c": {"b", "d"}, "d": {"b", "c"}}
    lower = before("best-per-group", entries=grouped, means=means, lower_is_better=True)
    assert lower["c"] == {"a", "d"}


def test_equals_are_told_and_the_smallest_name_is_taken() -> None:
    grouped = entries(group=["x", "x", "y", None])
    prior = make_prior("best-per-group", RUNS, entries=grouped, means={"a": 0.1 + 0.2, "b": 0.3, "c": 0.2, "d": 0.5})
    (x, y, alone) = prior.bests
    assert (x.run, x.tied, x.runs) == ("a", ("b",), 2)
    assert (y.run, y.tied) == ("c", ())
    assert alone.group == "d (alone)"
    assert any("x (a, b)" in note for note in prior.notes)
    assert any("no group: d" in note for note in prior.notes)


@pytest.mark.parametrize(
    ("prior", "options", "message"),
    [
        ("earlier", {}, "the prior cannot be 'earlier'"),
        ([], {}, "the prior lists no run"),
        (["nobody"], {}, "there is no run named nobody"),
        ("chronological", {}, "no run has a date"),
        ("other-groups", {"entries": entries()}, "no run has a group"),
        ("best-per-group", {"entries": entries(group=["x"] * 4), "means": {"a": 1.0}}, "there is no mean of b, c, d"),
        ("chronological", {"entries": entries(date=["2020-01-01", None, None, None])}, "there is no date of b, c, d"),
    ],
)
def test_what_is_refused(prior: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        make_prior(prior, RUNS, **options)


def test_runs_that_are_evaluated_too_and_runs_that_are_not(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.run").write_text(f"1 Q0 d 1 1.0 {name}\n")
    found = find_runs([tmp_path / "a.run", tmp_path / "b.run"])
    places, others = split_known(found, ["b", str(tmp_path / "a.run"), tmp_path / "c.run"])
    assert places == [1, 0]
    assert [run.name for run in others] == ["c"]
    places, others = split_known(found, [str(tmp_path / "*.run")])
    assert (sorted(places), [run.name for run in others]) == ([0, 1], ["c"])
    with pytest.raises(ParameterError, match="there is no run named z"):
        split_known(found, ["z"])
