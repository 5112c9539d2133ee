"""An evaluation of two runs: the command, its JSON tables and its errors."""

from typing import Any

from tests.support.cli.commands import Ended, read_json

ASK = ["evaluate", "qrels.txt", "run.txt", "other.txt", "-m", "AP", "--scale", "ignore"]


def tables(ended: Ended) -> dict[str, list[dict[str, Any]]]:
    """The tables of a command that ended well."""
    assert ended.code == 0, ended.err
    found: dict[str, list[dict[str, Any]]] = read_json(ended.out)["tables"]
    return found


def error(problem: str, hint: str, code: int = 1) -> Ended:
    """How a command ends that refuses."""
    return Ended(code, "", f"error: {problem}\nhint: {hint}\n")
