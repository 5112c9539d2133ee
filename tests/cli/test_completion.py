"""Shells ask what a word may become."""

import os
import subprocess
import sys

import pytest


def asked(**words: str) -> str:
    """What a command says to a shell."""
    command = [sys.executable, "-c", "from cranfield.cli import run; run()"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120, env=os.environ | words)
    return done.stdout


def completed(*words: str) -> list[str]:
    """What bash would offer for the last word."""
    said = asked(COMP_WORDS=" ".join(words), COMP_CWORD=str(len(words) - 1), _CRANFIELD_COMPLETE="bash_complete")
    return [line.partition(",")[2] for line in said.splitlines()]


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
    script = asked(_CRANFIELD_COMPLETE="bash_source")
    assert "_CRANFIELD_COMPLETE=bash_complete" in script
