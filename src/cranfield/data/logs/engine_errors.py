"""Translate errors of DuckDB and Spark on unreadable files into errors with file, line and hint."""

import csv
import json
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from cranfield.core import CranfieldError, InputError, ParameterError
from cranfield.data.files.input_problems import problem
from cranfield.data.files.text_checks import not_utf8

LINES = 100_000  # of a file that are looked through, where the engine does not say which is wrong
COLUMNS = "every line has the same columns; a cell with a comma in it stands in quotes"
FILE = re.compile(r'^  file = (?P<csv>.+)$|in file "(?P<json>[^"]+)"', re.MULTILINE)
LINE = re.compile(r"[Ll]ine:? (\d+)")
WIDTH = re.compile(r"Expected Number of Columns: (\d+) Found: (\d+)")


def fault_of(error: Exception) -> CranfieldError | None:
    """What DuckDB says of rows that it meets while it counts, if it is about them."""
    said = str(error)
    if "out of range" in said.lower():
        hint = "give them in another unit, or leave out what cannot be"
        return ParameterError("numbers are too large to be summed up", hint=hint)
    file = FILE.search(said)
    if file is None:
        return None
    path = Path(file["csv"] or file["json"])
    name = str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)
    return unreadable(name, path.suffix, error, [])


def unreadable(name: str, suffix: str, error: Exception, paths: list[str]) -> InputError:
    """The error for a file that cannot be read, with its line where somebody knows it."""
    said = str(error)
    found = LINE.search(said)
    line = int(found[1]) if found else 0
    if "utf-8 encoded" in said:
        return not_utf8(name, line)
    if width := WIDTH.search(said):
        return _wide(name, line, int(width[2]), int(width[1]))
    if "unterminated quote" in said:
        return problem(name, "E-FORMAT", "a quote does not end", COLUMNS, line=line)
    if "Malformed JSON" in said:
        place = FILE.search(said)
        line = _no_json(Path(place["json"]), line) if place and place["json"] else line
        return problem(name, "E-JSON", "this is not JSON", "a line is one object", line=line)
    if "sniffing" in said and len(paths) == 1 and suffix in (".csv", ".tsv"):
        for told in _faults(name, Path(paths[0]), "\t" if suffix == ".tsv" else ","):
            return told
    first = next((part for part in said.splitlines() if part.strip()), type(error).__name__)
    message = f"the file cannot be read: {first.strip()[:200]}"
    return problem(name, "E-FORMAT", message, f"check that it is what its name says: {suffix}", line=line)


def _wide(name: str, line: int, here: int, first: int) -> InputError:
    message = f"the line has {here} column{'s' * (here != 1)}, the first has {first}"
    return problem(name, "E-FIELDS", message, COLUMNS, line=line)


def _faults(name: str, path: Path, apart: str) -> Iterator[InputError]:
    """The first line of a text that cannot be."""
    first = 0
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = csv.reader(islice(file, LINES), delimiter=apart)
            for row in rows:
                first = first or len(row)
                if row and len(row) != first:
                    yield _wide(name, rows.line_num, len(row), first)
                    return
    except UnicodeDecodeError:
        with path.open("rb") as text:
            wrong = next((number for number, line in enumerate(text, 1) if not _is_text(line)), 0)
        yield not_utf8(name, wrong)
    except csv.Error:
        return


def _no_json(path: Path, line: int) -> int:
    """The line that is no JSON: what DuckDB names may be the one below it."""
    with path.open("rb") as file:
        near = list(islice(enumerate(file, 1), max(line - 2, 0), line))
    for number, text in near:
        try:
            json.loads(text)
        except ValueError:
            return number
    return line


def _is_text(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def spark_fault(error: Exception, name: str) -> CranfieldError:
    """What Spark says of a table, in two lines: which file is missing, or is none of Parquet; else its first words."""
    said = str(error).strip()
    condition = getattr(error, "getCondition", lambda: None)() or ""
    if condition == "PATH_NOT_FOUND" or "does not exist" in said.partition("\n")[0]:
        return problem(name, "E-MISSING", "there is no such file", "check the name; files are read where Spark is")
    if condition == "PATH_ALREADY_EXISTS":
        return problem(name, "E-EXISTS", "there is something of this name already", "overwrite=True writes over it")
    if condition == "UNABLE_TO_INFER_SCHEMA":
        return problem(name, "E-EMPTY", "there is no file of Parquet in it", "name the folder that holds the files")
    if condition.startswith(("FAILED_READ_FILE", "CANNOT_READ_FILE_FOOTER")) or "is not a Parquet file" in said:
        hint = "runs and judgments on Spark are Parquet; `cranfield convert` writes it"
        return problem(name, "E-FORMAT", "a file of it is not Parquet, or is damaged", hint)
    first = next((line.strip() for line in said.splitlines() if line.strip()), type(error).__name__)
    hint = "the logs of Spark's workers say more; the engine local[2] tries it on this machine"
    return InputError(f"{name}: Spark could not finish: {first[:200]}", hint=hint, code="E-ENGINE")
