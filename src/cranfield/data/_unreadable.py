"""What an engine says of a file that it cannot read, in words that help."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from cranfield.core import InputError

from ._problems import problem

OF_FILES = (
    "InvalidInputException",
    "IOException",
    "ConversionException",
)  # of DuckDB: it is the file, not the question
LONGEST = 200  # letters of what an engine says


@contextmanager
def readable(name: str) -> Iterator[None]:
    """Say which file it was, where an engine stumbles over what stands in it."""
    try:
        yield
    except Exception as error:
        if type(error).__name__ not in OF_FILES:
            raise
        raise unreadable(name, error) from None


def unreadable(name: str, error: Exception, suffix: str = "") -> InputError:
    """What is wrong with a file, as far as the engine tells."""
    said = str(error)
    at = re.search(r"CSV Error on Line: (\d+)", said)  # lines of JSON are counted otherwise by each reader
    line = int(at[1]) if at else 0
    if re.search(r"not utf-?8|invalid unicode|utf8 encod|valid UTF-?8", said, re.IGNORECASE):
        hint = "write it as UTF-8: iconv -f LATIN1 -t UTF-8 OLD > NEW"
        return problem(name, "E-FORMAT", "the file is not UTF-8", hint, line=line)
    if columns := re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", said):
        hint = "give every line as many columns as the first; quote cells that hold a comma"
        message = f"the line has {columns[2]} columns where the first has {columns[1]}"
        return problem(name, "E-FORMAT", message, hint, line=line)
    if "sniffing" in said:
        hint = "give every line as many columns as the first, and quotes in pairs"
        return problem(name, "E-FORMAT", "the lines do not fall into the same columns", hint, line=line)
    first = next((part for part in said.splitlines() if part.strip()), type(error).__name__)
    told = first.strip().partition("Error: ")[2] or first.strip()
    told = re.sub(r' in file "[^"]*", at byte \d+ in [^:]*', "", told)
    hint = f"check that it is what its name says: {suffix}" if suffix else "check that it is what its name says"
    return problem(name, "E-FORMAT", f"the file cannot be read: {told[:LONGEST]}", hint, line=line)
