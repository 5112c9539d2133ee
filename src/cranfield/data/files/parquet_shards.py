"""Tables in several Parquet files, named as on Hugging Face: ``data/test-00000-of-00003.parquet``."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .input_problems import listed, problem

SHARD = re.compile(r"(?P<split>.+)-(?P<part>\d{5})-of-(?P<parts>\d{5})\.parquet")
PLACES = ("", "qrels", "data")  # where the shards of judgments lie in the folder of a dataset


def find_shards(path: Path) -> list[Path]:
    """The files of a table that a word names: its split (``data/test``), or its folder if it has one split; else none.

    One of several shards stands for no table, and neither do some of them: both are refused.
    """
    if path.is_file():
        named = SHARD.fullmatch(path.name)
        if named and int(named["parts"]) > 1:
            hint = f"for all of them: {path.with_name(named['split'])}"
            raise problem(str(path), "E-SHARDS", f"this is one of {int(named['parts'])} parts of a table", hint)
        return []
    if path.exists() and not path.is_dir():
        return []
    if path.is_dir():
        inside = [splits for place in PLACES if (splits := splits_in(path / place))]
        if not inside:
            return []
        if len(inside[0]) > 1:
            hint = f"name one of them: {listed(map(str, inside[0]))}"
            raise problem(str(path), "E-SHARDS", f"the folder has {len(inside[0])} tables", hint)
        return find_shards(inside[0][0])
    found = sorted(one for one in path.parent.glob("*.parquet") if _split(one) == path.name)
    parts = int(SHARD.fullmatch(found[0].name)["parts"]) if found else 0  # type: ignore[index]  # each is a shard
    if len(found) < parts:
        message = f"there are {len(found)} of {parts} parts of the table"
        raise problem(str(path), "E-SHARDS", message, "fetch the others too")
    return found


def splits_in(folder: Path) -> list[Path]:
    """The tables of a folder that lie there in shards, each as the path before its number."""
    found = (split for file in sorted(folder.glob("*.parquet")) if (split := _split(file)))
    return [folder / split for split in dict.fromkeys(found)]


def files_of(folder: Path) -> list[Path]:
    """The files of a folder in their order; those that are shards of a table as that table, at the end."""
    files = sorted(file for file in folder.iterdir() if file.is_file() and not file.name.startswith("."))
    return [*(file for file in files if not _split(file)), *splits_in(folder)]


def _split(file: Path) -> str:
    shard = SHARD.fullmatch(file.name)
    return shard["split"] if shard else ""


def joined(frames: Sequence[Any]) -> Any:
    """One table of its parts."""
    import polars as pl

    return pl.concat(frames, how="vertical_relaxed")
