"""Shells ask what a word may become."""

import os
import subprocess
import sys

import pytest


def completed(*words: str) -> list[str]:
    """What bash would offer for the last word."""
    asked = {"COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1), "_CRANFIELD_COMPLETE": "bash_complete"}
    done = subprocess.run(
        [sys.executable, "-c", "from cranfield.cli import run; run()"],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
        env=os.environ | asked,
    )
    return [line.partition(",")[2] for line in done.stdout.splitlines()]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("cranfield", "eval"), ["evaluate"]),
        (("cranfield", "evaluate", "--per"), ["--per-topic"]),
        (("cranfield", "evaluate", "qrels", "run", "--compat", "trec"), ["trec_eval-9", "trec_eval-10"]),
    ],
)
def test_words_are_completed(words: tuple[str, ...], expected: list[str]) -> None:
    assert completed(*words) == expected


def test_a_shell_is_told_how_to_ask() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from cranfield.cli import run; run()"],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
        env=os.environ | {"_CRANFIELD_COMPLETE": "bash_source"},
    )
    assert "complete" in done.stdout
    assert "_CRANFIELD_COMPLETE=bash_complete" in done.stdout
