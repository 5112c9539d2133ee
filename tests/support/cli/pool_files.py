"""Readers of the files that the pool command reads and writes."""

from pathlib import Path
from typing import Any

from tests.support.cli.commands import Ended, read_json


def ranked(here: Path) -> dict[str, dict[str, list[str]]]:
    """Run → topic → documents, by score and then by id, descending."""
    found: dict[str, dict[str, list[tuple[float, str]]]] = {}
    for path in sorted((here / "runs").iterdir()):
        of = found.setdefault(path.stem, {})
        for line in path.read_text().splitlines():
            topic, _, document, _, score, _ = line.split()
            of.setdefault(topic, []).append((float(score), document))
    return {
        run: {topic: [document for _, document in sorted(rows, reverse=True)] for topic, rows in of.items()}
        for run, of in found.items()
    }


def first(here: Path, depth: int) -> set[tuple[str, str]]:
    every = ranked(here).values()
    return {(topic, document) for of in every for topic, rows in of.items() for document in rows[:depth]}


def grades(file: Path) -> dict[tuple[str, str], int]:
    lines = [line.split() for line in file.read_text().splitlines()]
    return {(topic, document): int(grade) for topic, _, document, grade in lines}


def rows_of(ended: Ended, table: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = read_json(ended.out)["tables"][table]
    return rows
