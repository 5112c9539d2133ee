"""What runs say of themselves: ir_metadata in their headers, well-formed, broken and hostile."""

from dataclasses import replace
from datetime import date
from pathlib import Path
from time import process_time

import pytest

from cranfield.core import InputError, ParameterError
from cranfield.data import Entry, Source, assess, entries_from_headers, join_entries, read_scores
from tests.support.expected_errors import check

# Written from the checklists of the schema: general information, actor and research goal (version 0.1), and the
# resources that version 0.2 adds.
OLD = """schema-version: 0.1
tag: h2oloo.ccrf.04
research goal:
  venue:
    name: ECIR
    year: 2019
  evaluation:
    baseline:
    - WCrobust04
actor:
  name: A. Person
  team: h2oloo
  fields:
  - ir
method:
  automatic: 'true'
  score ties: reverse alphabetical order
"""
NEW = """schema version: 0.2
method:
  name: bm25
  description: BM25 with RM3
resources:
  runtime:
    start time: "2025-01-30T23:59:00Z"
    stop time: "2025-01-31T00:01:00Z"
    wallclock: 2500 ms
    user: 2100 ms
  cpu:
    used process: 12
    energy used system: 31.5 J
  gpu:
    vram used process: 512 MB
    energy used system: 2 kJ
  ram:
    used process: 2048 KB
"""
FORM = "a header reads: # ir_metadata.start, lines of YAML behind #, # ir_metadata.end"


def header(text: str) -> str:
    """YAML as a run holds it, with a blank at the end of each line, as repro_eval writes them."""
    lines = ["ir_metadata.start", *(f"{line} " for line in text.splitlines()), "ir_metadata.end"]
    return "".join(f"# {line}\n" for line in lines)


def run(text: str, name: str = "a.run") -> Source:
    return Source(name, "0", "run", header=text)


def told(text: str) -> Entry:
    (entry,) = entries_from_headers([run(header(text))], ["a"])
    return entry


def test_the_team_is_the_group() -> None:
    assert told(OLD) == Entry("a", "h2oloo")


def test_resources_are_costs_and_the_day_is_the_date() -> None:
    costs = {"runtime_s": 2.5, "memory_mb": 2.048, "vram_mb": 512.0, "energy_j": 2031.5}  # 31.5 + 2000
    assert told(NEW) == Entry("a", None, date(2025, 1, 31), description="BM25 with RM3", costs=costs)


def test_a_header_may_say_more_before_and_after(tmp_path: Path) -> None:
    qrels, path = tmp_path / "q.txt", tmp_path / "mine.run"
    qrels.write_text("1 0 d1 1\n")
    path.write_text(f"# made by me\n{header(OLD)}# that is all\n1 Q0 d1 1 2.0 t\n# later\n")
    other = tmp_path / "other.run"
    other.write_text("# not ir_metadata.start\n1 Q0 d1 1 2.0 t\n")
    found = assess(qrels, [path, other], lengths={"d1": 3})
    entries = entries_from_headers(found.sources, found.runs)
    assert entries.entries == (Entry("mine", "h2oloo"), Entry("other"))
    assert entries.meet(found.runs) == ("1 of 2 runs have no ir_metadata (other): no group and no date",)
    assert (entries.source.name, entries.inputs) == ("ir_metadata", ())


def test_runs_without_headers_have_empty_entries_and_no_note() -> None:
    found = entries_from_headers([run(""), run("# hello\n")], ["a", "b"])
    assert found.entries == (Entry("a"), Entry("b"))
    assert found.notes == ()
    assert found.source.digest != entries_from_headers([run(""), run("")], ["a", "b"]).source.digest


def test_values_know_the_headers_of_their_runs(tmp_path: Path) -> None:
    scores = read_scores({"a": [0.5, 0.2], "b": [0.1, 0.2]})
    assert join_entries(scores).entries == (Entry("a"), Entry("b"))
    assert join_entries(scores).meet(scores.runs) == ()
    path = tmp_path / "a.run"
    path.write_text(f"{header(OLD)}1 Q0 d1 1 2.0 t\n")
    measured = replace(scores, assessed=assess({"1": {"d1": 1}}, {"a": path, "b": {"1": {"d1": 1.0}}}))
    assert join_entries(measured).entries == (Entry("a", "h2oloo"), Entry("b"))
    assert join_entries(measured).notes == ("1 of 2 runs have no ir_metadata (b): no group and no date",)


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ("2:16.24 min", 2 * 60 + 16.24),
        ("2:16.24", 2 * 60 + 16.24),
        ("1:02:03", 3600 + 2 * 60 + 3),
        ("1:02:03 h", 3600 + 2 * 60 + 3),
        ("1:30 h", 90 * 60),
        ("12", 12),
        ("250 ms", 0.25),
        ("3 minutes", 180),
        ("1.5H", 5400),
        ("2 d", 2 * 86_400),
        ("8 us", 8e-6),
    ],
)
def test_times_are_read_as_people_write_them(written: str, seconds: float) -> None:
    assert told(f"resources:\n  runtime: {written}\n").costs["runtime_s"] == pytest.approx(seconds, rel=1e-12)


@pytest.mark.parametrize("written", ["fast", "2:16 s", "1:02:03 min", "1:12 d", "3 weeks", "-3 s", "1:2:3:4", "1e9999"])
def test_other_times_are_left_out_with_a_word(written: str) -> None:
    found = entries_from_headers([run(header(f"resources:\n  runtime: {written}\n"))], ["a"])
    assert found.entries == (Entry("a"),)
    assert found.notes == (f"a: runtime {written!r} is no time: left out",)


@pytest.mark.parametrize(
    ("written", "megabytes"),
    [("2048", 2.048), ("2 GB", 2000), ("1 MiB", 1.048576), ("3e3 kb", 3), ("{max: 5 MB, min: 1 MB}", 5), ("9 B", 9e-6)],
)
def test_memory_is_in_megabytes(written: str, megabytes: float) -> None:
    entry = told(f"resources:\n  ram:\n    used process: {written}\n")
    assert entry.costs == {"memory_mb": pytest.approx(megabytes, rel=1e-12)}


def test_a_size_or_an_energy_that_is_none_is_left_out_with_a_word() -> None:
    text = (
        "resources:\n  ram:\n    used process: much\n    energy used system: 3 J\n  cpu:\n    energy used system: ?x\n"
    )
    found = entries_from_headers([run(header(text))], ["a"])
    assert found.entries == (Entry("a"),)  # a part of the energy is not the energy
    assert found.notes == ("a: used process 'much' is no size: left out", "a: energy '?x' is none: left out")


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("date: 2020-08-11", date(2020, 8, 11)),
        ("date: 2020/08/11", date(2020, 8, 11)),
        ("date: soon\nresources:\n  runtime:\n    start time: 2020-08-12T10:00", date(2020, 8, 12)),
        ("date: 2020-02-30", None),
        ("date: [2020-08-11]", None),
        ("actor: nobody", None),
    ],
)
def test_a_date_is_looked_for_in_three_places(text: str, day: date | None) -> None:
    assert told(text).date == day


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("actor:\n  team: [a, b\ntag: x", 4),  # a colon where the list is not yet closed
        ("actor:\n\tteam: x", 3),
        ("a: &x 1\nb: *y", 3),
        ("? [a]\n: b", 2),
    ],
)
def test_broken_headers_are_refused_with_file_and_line(text: str, line: int) -> None:
    for above in ("", "# first\n# second\n"):
        at = line + above.count("\n")
        with pytest.raises(
            InputError, match=rf"^a\.run:{at}: the ir_metadata is not YAML: .+\nhint: {FORM}$"
        ) as caught:
            entries_from_headers([run(above + header(text))], ["a"])
        assert (caught.value.code, caught.value.file, caught.value.line) == ("E-FORMAT", "a.run", at)


@pytest.mark.parametrize("text", ["- a\n- b", "", "just words"])
def test_headers_without_keys_are_refused(text: str) -> None:
    check(lambda: told(text), "E-FORMAT", "a.run:1: the ir_metadata holds no keys", FORM)


def test_a_header_without_an_end_is_refused() -> None:
    hint = f"{FORM}; at most 64 kB are read"
    text = "# hello\n# ir_metadata.start\n# tag: x\n"
    problem = "a.run:2: ir_metadata.start has no ir_metadata.end"
    check(lambda: entries_from_headers([run(text)], ["a"]), "E-FORMAT", problem, hint)


def test_a_header_that_is_too_long_is_refused() -> None:
    text = "tag: " + "x" * (1 << 16)
    check(lambda: told(text), "E-LARGE", "a.run:1: the ir_metadata is too long", "at most 64 kB are read")


def test_hostile_headers_do_no_harm() -> None:
    start = process_time()
    levels = [f"k{i}: &k{i} {{<<: [{', '.join([f'*k{i - 1}'] * 20)}]}}" for i in range(1, 60)]
    assert told("\n".join(["k0: &k0 {x: 1}", *levels, "actor:", "  team: t"])).group == "t"
    laughs = [f"k{i}: &k{i} [{', '.join([f'*k{i - 1}'] * 20)}]" for i in range(1, 60)]
    assert told("\n".join(["k0: &k0 lol", *laughs, "actor:", "  team: *k59"])).group is None
    check(lambda: told("[" * 60_000), "E-FORMAT", "a.run:1: the ir_metadata is nested too deeply", FORM)
    assert told("actor:\n  team: !!python/object/apply:os.system ['true']").group is None
    assert told("actor:\n  team: !!python/name:os.system x").group == "x"
    assert told("tag: 1" + "0" * 5000 + "\nactor: {team: 2:16}").group == "2:16"
    assert process_time() - start < 30  # minutes, if anything grew without end


def test_every_run_needs_its_source() -> None:
    with pytest.raises(ParameterError, match="there are 2 runs and 1 sources"):
        entries_from_headers([Source("q", "0", "qrels"), run("")], ["a", "b"])
