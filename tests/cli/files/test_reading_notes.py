"""Notes on warnings about runs, on the command line."""

from pathlib import Path

import pytest

from tests.support.cli.commands import Command

COMMANDS = {
    "evaluate": "evaluate qrels.csv ranks.csv -m AP",
    "prefs": "evaluate prefs.txt ranks.csv --prefs",
    "compare": "compare qrels.csv ranks.csv good.csv -m AP",
    "test": "test qrels.csv ranks.csv good.csv -m AP",
    "leaderboard": "leaderboard qrels.csv ranks.csv good.csv -m AP",
    "fuse": "fuse ranks.csv good.csv -o fused.txt",
    "pool": "pool ranks.csv good.csv -o pool.txt",
    "replay": "pool ranks.csv good.csv --simulate qrels.csv --strategy depth",
    "page": "interleave ranks.csv good.csv --topic 1",
    "convert": "convert ranks.csv converted.txt",
    "reproduce": "reproduce qrels.csv ranks.csv --original good.csv",
}


@pytest.mark.parametrize("command", COMMANDS.values(), ids=list(COMMANDS))
def test_scores_that_are_ranks_are_noted_once(command: str, here: Path, cranfield: Command) -> None:
    rows = [(topic, rank) for topic in "12" for rank in range(1, 9)]
    for name, last, cell in (
        ("qrels", "grade", lambda r: r % 3),
        ("ranks", "score", int),
        ("good", "score", lambda r: -r),
    ):
        lines = [f"topic,document,{last}", *(f"{topic},d{rank},{cell(rank)}" for topic, rank in rows)]
        (here / f"{name}.csv").write_text("\n".join(lines) + "\n")
    (here / "prefs.txt").write_text("".join(f"{topic} 0 d{rank} {rank % 3}\n" for topic, rank in rows))
    ended = cranfield(*command.split())
    assert (ended.code, (ended.out + ended.err).count("(W-INVERTED)")) == (0, 1)
