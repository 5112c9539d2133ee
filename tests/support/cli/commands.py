"""Small input files, and the result of a command: exit code, output, error lines and JSON."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

QRELS = b"1 0 a 1\n1 0 b 0\n2 0 c 2\n2 0 d 0\n"

RUN = b"1 Q0 a 1 2.5 mine\n1 Q0 x 2 1.5 mine\n2 Q0 c 1 9.0 mine\n2 Q0 y 2 8.0 mine\n"

# AP of RUN is 1 in both topics; here a stands at rank 2 and c at rank 1, so it is 1/2 and 1.
OTHER = RUN.replace(b" a ", b" ? ").replace(b" x ", b" a ").replace(b" ? ", b" x ")


@dataclass(frozen=True)
class Ended:
    """How a command ended: its exit code, what it said on stdout and on stderr."""

    code: int
    out: str
    err: str


Command = Callable[..., Ended]


def expect_refusal(ended: Ended, code: int, error: str, hint: str | None) -> None:
    """Two lines on stderr, the second of them this hint if one is given; nothing else."""
    first, second = ended.err.splitlines()
    assert first == f"error: {error}"
    assert second.startswith("hint: ")
    assert hint is None or second == f"hint: {hint}"
    assert (ended.code, ended.out) == (code, "")


def read_json(text: str) -> dict[str, Any]:
    """The object, if it is JSON as the world knows it: no NaN, no Infinity."""

    def never(word: str) -> object:
        raise AssertionError(word)

    found: dict[str, Any] = json.loads(text, parse_constant=never)
    return found
