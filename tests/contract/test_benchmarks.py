"""The page of benchmarks: on which machine, and how to repeat it, as the program that writes it says now."""

import re

from benchmarks import run
from benchmarks.report import HEAD, Row, machine, report
from tests.support.source_tree import ROOT

PAGE = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")


def test_the_page_begins_as_it_would_be_written_now() -> None:
    parts = [re.escape(part) for part in re.split(r"\{\w+\}", HEAD)]
    assert re.match(".+?".join(parts), PAGE)


def test_every_part_that_can_be_asked_for_is_named() -> None:
    named = re.search(r"\(`((?:\w+ )+\w+)`\)", HEAD)
    assert named is not None
    assert named[1].split() == [part.__name__ for part in run.PARTS]


def test_a_report_says_where_it_was_made_and_what_was_missed() -> None:
    text = report([Row("work", "3 s", "≤ 2 s", met=False)], rounds=5)
    assert machine() in text
    assert "medians of 5 rounds" in text
    assert text.endswith("| work | 3 s | ≤ 2 s | **no** |\n")
    assert re.match(r"\d+ cores of .+ with \d+ GB \(\w+, Python 3\.\d+\.\d+, pytrec-eval-terrier [\d.]+, ", machine())
