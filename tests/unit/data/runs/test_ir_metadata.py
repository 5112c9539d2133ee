"""ir_metadata as a whole: read, flattened, written; and the same again when it was written and read."""

import gzip
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cranfield.core import InputError, ParameterError
from cranfield.data import (
    Limits,
    Source,
    flatten_metadata,
    header_of,
    inspect,
    read_metadata,
    run_type,
    write_metadata,
)
from tests.support.expected_errors import check

FORM = "a header reads: # ir_metadata.start, lines of YAML behind #, # ir_metadata.end"
TEXT = """tag: bm25+ce
extra:
  note: on top
actor:
  name: Jürgen
  team: ours
  fields: [ir, nlp]
method:
  automatic: true
  retrieval:
    - name: bm25
      k1: 0.9
    - name: cross
      reranks: bm25
research goal:
  venue: {name: ECIR, year: 2019}
  description: |
    Two lines
    of text.
platform:
resources:
  runtime: 2:16
"""
TOLD = {
    "tag": "bm25+ce",
    "extra": {"note": "on top"},
    "actor": {"name": "Jürgen", "team": "ours", "fields": ["ir", "nlp"]},
    "method": {
        "automatic": "true",
        "retrieval": [{"name": "bm25", "k1": "0.9"}, {"name": "cross", "reranks": "bm25"}],
    },
    "research goal": {"venue": {"name": "ECIR", "year": "2019"}, "description": "Two lines\nof text.\n"},
    "platform": "",
    "resources": {"runtime": "2:16"},
}


def header(text: str) -> str:
    lines = ["ir_metadata.start", *text.splitlines(), "ir_metadata.end"]
    return "".join(f"# {line}\n" for line in lines)


def test_all_of_it_is_read_and_every_end_is_text() -> None:
    assert read_metadata(header(TEXT)) == TOLD
    assert read_metadata(Source("a.run", "0", "run", header="# first\n" + header(TEXT) + "# last\n")) == TOLD


def test_a_run_that_says_nothing_has_nothing() -> None:
    assert read_metadata("") == {}
    assert read_metadata("# made by me\n") == {}


def test_paths_come_in_the_order_of_the_parts() -> None:
    assert flatten_metadata(TOLD) == [
        ("tag", "bm25+ce"),
        ("platform", ""),
        ("research goal.venue.name", "ECIR"),
        ("research goal.venue.year", "2019"),
        ("research goal.description", "Two lines\nof text.\n"),
        ("method.automatic", "true"),
        ("method.retrieval.1.name", "bm25"),
        ("method.retrieval.1.k1", "0.9"),
        ("method.retrieval.2.name", "cross"),
        ("method.retrieval.2.reranks", "bm25"),
        ("actor.name", "Jürgen"),
        ("actor.team", "ours"),
        ("actor.fields", "ir, nlp"),
        ("resources.runtime", "2:16"),
        ("extra.note", "on top"),
    ]
    assert flatten_metadata({}) == []
    assert flatten_metadata({"a": [], "b": {}, "c": [["x", 1], "y"]}) == [("a", ""), ("c.1", "x, 1"), ("c.2", "y")]


def test_what_is_written_reads_like_a_header() -> None:
    told = {"tag": "x", "method": {"automatic": True, "b": 0.4, "k": 3, "none": None, "stages": ["bm25", "ce"]}}
    assert write_metadata(told).splitlines() == [
        "# ir_metadata.start",
        "# tag: x",
        "# method:",
        "#   automatic: true",
        "#   b: 0.4",
        "#   k: 3",
        "#   none:",
        "#   stages:",
        "#   - bm25",
        "#   - ce",
        "# ir_metadata.end",
    ]
    assert write_metadata({}) == ""


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30) | st.sampled_from(
    [
        "ir_metadata.end",
        "# x",
        "- y",
        "a: b",
        "x\u2028y",
        "\x85",
        "1\n\n2\n",
        "---",
        "...",
        "&a",
        "*a",
        "<<",
        "?",
        "| ",
        "\ufeff",
    ]
)
TREES = st.recursive(
    TEXTS, lambda inside: st.lists(inside, max_size=4) | st.dictionaries(TEXTS, inside, max_size=4), max_leaves=12
)


@given(told=st.dictionaries(TEXTS, TREES, max_size=5))
def test_what_is_written_is_read_again(told: dict[str, Any]) -> None:
    written = write_metadata(told)
    assert read_metadata(written) == told
    assert all(line.startswith("# ") for line in written.splitlines())


@given(told=st.dictionaries(TEXTS, TREES, min_size=1, max_size=3))
def test_a_file_keeps_what_was_written(told: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("runs") / "8f3a"
    path.write_bytes(write_metadata(told).encode() + b"1 Q0 a 1 2.5 mine\n")
    assert read_metadata(header_of(path)) == told
    assert inspect(path).header == header_of(path)


@pytest.mark.parametrize(
    ("told", "kind"),
    [
        ({"method": {"automatic": "true"}}, "automatic"),
        ({"method": {"automatic": " True "}}, "automatic"),
        ({"method": {"automatic": "false"}}, "manual"),
        ({"method": {"automatic": "no"}}, "manual"),
        ({"method": {"automatic": "ENTER_VALUE_HERE"}}, ""),
        ({"method": {"automatic": ["true"]}}, ""),
        ({"method": "automatic"}, ""),
        ({"automatic": "true"}, ""),
        ({}, ""),
    ],
)
def test_a_run_is_automatic_or_manual_where_it_says_so(told: dict[str, Any], kind: str) -> None:
    assert run_type(told) == kind


def test_only_the_head_of_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "8f3a"
    content = header("tag: x").encode() + b"1 Q0 a 1 not-a-number mine\n" + b"\xff" * 10 + b"\n# late\n"
    for packed in (content, gzip.compress(content), gzip.compress(content + b"x" * 3_000_000)[:-2000]):
        path.write_bytes(packed)
        assert header_of(path, Limits(lines=4)) == header("tag: x")
    check(
        lambda: header_of(path, Limits(lines=2), name="bm25.run"),
        "E-LARGE",
        "bm25.run:3: the file has more than 2 lines",
        "is it the right file? cut it to the topics and depth you need",
    )
    none = tmp_path / "none"
    check(lambda: header_of(none), "E-MISSING", f"{none}: there is no such file", "check the name of the file")


def test_broken_headers_are_refused_by_name() -> None:
    unended = "# hello\n# ir_metadata.start\n# tag: x\n"
    problem = "bm25.run:2: ir_metadata.start has no ir_metadata.end"
    hint = f"{FORM}; at most 64 kB are read"
    check(lambda: read_metadata(unended, name="bm25.run"), "E-FORMAT", problem, hint)
    check(lambda: read_metadata(header("words")), "E-FORMAT", "header:1: the ir_metadata holds no keys", FORM)
    with pytest.raises(InputError, match=r"^header:2: the ir_metadata is not YAML: "):
        read_metadata(header("a: [b"))


def test_what_unfolds_without_end_is_refused() -> None:
    start = process_time()
    large, deep = "header:1: the ir_metadata is too long", "header:1: the ir_metadata is nested too deeply"
    laughs = [f"k{i}: &k{i} [{', '.join([f'*k{i - 1}'] * 20)}]" for i in range(1, 40)]
    hint = "at most 64 kB are read"
    check(lambda: read_metadata(header("\n".join(["k0: &k0 lol", *laughs]))), "E-LARGE", large, hint)
    wide = f"? {'x' * 30_000}\n: [{'[a],' * 5000}]"  # a long path to each of many ends
    check(lambda: read_metadata(header(wide)), "E-LARGE", large, hint)
    with pytest.raises(InputError, match="the ir_metadata is not YAML: found unconstructable recursive node"):
        read_metadata(header("a: &a [*a]"))
    check(lambda: read_metadata(header("a: " + "[" * 60 + "]" * 60)), "E-FORMAT", deep, FORM)
    assert read_metadata(header("a: &a [b, c]\nd: *a")) == {"a": ["b", "c"], "d": ["b", "c"]}
    assert process_time() - start < 30


def test_what_no_header_can_hold_is_not_written() -> None:
    endless: dict[str, Any] = {}
    endless["again"] = endless
    for told in (endless, {"a": "x" * (1 << 21)}):
        with pytest.raises(ParameterError, match="the metadata is too long or nested too deeply"):
            write_metadata(told)
    with pytest.raises(ParameterError, match="the metadata is too long\nhint: a header has at most 64 kB"):
        write_metadata({"a": "x" * (1 << 16)})
    with pytest.raises(ParameterError, match="1 is no key of metadata"):
        write_metadata({"a": {1: "x"}})
    with pytest.raises(ParameterError, match="is no metadata\nhint: give texts, numbers, lists and mappings"):
        write_metadata({"a": {"x"}})
