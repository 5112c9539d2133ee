"""Write runs and qrels as TREC, MS MARCO, JSON, JSON Lines, Parquet or CSV files."""

import json
from collections.abc import Mapping
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cranfield.data.judgments.qrels import Qrels
from cranfield.data.runs.run import Run, run_name

from .compressed_files import PACKERS
from .input_problems import problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

SUFFIXES = ".txt .run .trec .qrels (TREC), .tsv (MS MARCO), .json, .jsonl, .parquet, .csv; text also with .gz .bz2 .xz"


def write(data: Run | Qrels, path: str | PathLike[str], *, metadata: Mapping[str, Any] | None = None) -> None:
    """Write a run or qrels in the format that the name ends in, packed if it ends in .gz, .bz2 or .xz.

    ``metadata`` is ir_metadata, which stands in the header of a run of TREC text; no other format has room for it.
    """
    target = Path(path)
    pack, suffix = _ending(target)
    if metadata and not (is_trec(target) and isinstance(data, Run)):
        hint = "name a file that ends in .txt, .run or .trec"
        raise problem(str(target), "E-FORMAT", "only a run of TREC text has a header for metadata", hint)
    if suffix == ".parquet":
        data.to_polars().write_parquet(target)
        return
    makers: dict[str, Callable[[Run | Qrels], str]] = {".json": _json, ".jsonl": _jsonl, ".csv": _csv, ".tsv": _msmarco}
    if suffix not in makers and not is_trec(target):
        raise problem(str(target), "E-FORMAT", f"no format ends in {suffix}", f"there are: {SUFFIXES}")
    text = makers.get(suffix, _trec)(data)
    if metadata:
        from cranfield.data.runs.ir_metadata import write_metadata

        text = write_metadata(metadata) + text
    target.write_bytes(import_module(pack).compress(text.encode()) if pack else text.encode())


def is_trec(path: str | PathLike[str]) -> bool:
    """Whether a file of this name is TREC text, packed or not."""
    return _ending(Path(path))[1] in ("", ".txt", ".run", ".trec", ".res", ".qrels", ".qrel")


def _ending(target: Path) -> tuple[str | None, str]:
    """How a file of this name is packed, if it is, and what the name inside ends in."""
    pack = PACKERS.get(target.suffix.lower())
    return pack, (target.with_suffix("") if pack else target).suffix.lower()


def write_text(pieces: "Iterable[str]", path: str | PathLike[str]) -> None:
    """Write pieces of text, packed if the name ends in .gz, .bz2 or .xz."""
    pack = PACKERS.get(Path(path).suffix.lower())
    opened = import_module(pack).open if pack else open
    with opened(path, "wt", encoding="utf-8", errors="surrogateescape", newline="") as file:
        file.writelines(pieces)


def _lines(columns: dict[str, Any], name: str) -> str:
    import polars as pl

    frame = pl.DataFrame(columns)
    for what in ("topic", "document"):
        cut = frame[what].filter(frame[what].str.contains(r"\s"))
        if len(cut):
            hint = "write .csv, .jsonl or .parquet"
            raise problem(name, "E-FIELDS", f'{what} "{cut[0]}" has white space, which would cut the line', hint)
    return frame.write_csv(separator="\t", include_header=False, quote_style="never")


def _trec(data: Run | Qrels) -> str:
    table = data.to_table().data
    if isinstance(data, Qrels):
        second = data.subtopics.take(data.subtopic.astype(np.int64)).to_list()
        columns = {"topic": table["topic"], "0": second, "document": table["document"], "grade": table["grade"]}
    else:
        tag = "_".join((data.source.tag or run_name(Path(data.name))).split()) or "run"
        constant = {"Q0": ["Q0"] * len(data), "tag": [tag] * len(data)}
        columns = {"topic": table["topic"], "Q0": constant["Q0"], "document": table["document"]}
        columns |= {"rank": table["rank"], "score": table["score"], "tag": constant["tag"]}
    return _lines(columns, data.source.name).replace("\t", " ")


def _msmarco(data: Run | Qrels) -> str:
    if isinstance(data, Qrels):
        return _trec(data).replace(" ", "\t")
    table = data.to_table().data
    return _lines({name: table[name] for name in ("topic", "document", "rank")}, data.source.name)


def _csv(data: Run | Qrels) -> str:
    return data.to_table().to_csv()


def _jsonl(data: Run | Qrels) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in data.to_table().rows())


def _json(data: Run | Qrels) -> str:
    if isinstance(data, Qrels) and data.by_subtopic:
        message = "a dict of dicts has one grade for each document, not one for each subtopic"
        raise problem(data.source.name, "E-FORMAT", message, "write .jsonl, .csv, .parquet or TREC text")
    table = data.to_table()
    out: dict[str, dict[str, Any]] = {}
    last = table.columns[-1]
    for topic, document, number in zip(table.cells("topic"), table.cells("document"), table.cells(last), strict=True):
        out.setdefault(str(topic), {})[str(document)] = number
    return json.dumps(out, ensure_ascii=False)
