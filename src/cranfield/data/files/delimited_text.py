"""Text files with columns separated by commas, tabs or spaces."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cranfield.core import InputError

from .columns import column_suffix
from .compressed_files import unpacked
from .input_problems import problem
from .text_checks import check_utf8

if TYPE_CHECKING:
    import polars as pl


def text_of(path: Path, name: str) -> bytes:
    """The bytes of a file, which are text and not blank."""
    content = unpacked(path).removeprefix(b"\xef\xbb\xbf")
    check_utf8(content, name)
    if not content.strip():
        raise problem(name, "E-EMPTY", "the file has no rows", "is it the right file?")
    return content


@dataclass(frozen=True, slots=True, eq=False)
class CutText:
    """A text of columns, from its first line that is not blank."""

    name: str
    content: bytes
    separator: str
    skipped: int  # blank lines above

    @classmethod
    def of(cls, path: Path, name: str) -> "CutText":
        """The text of a file; what cuts its lines is told by its name and its first line."""
        content, start = text_of(path, name), 0
        while not (first := content[start:].partition(b"\n")[0]).strip():
            start += len(first) + 1
        skipped, content = content.count(b"\n", 0, start), content[start:]
        if column_suffix(path) == ".csv" or (b"," in first and len(first.split()) == 1):
            return cls(name, content, ",", skipped)
        if b"\t" in first:
            return cls(name, content, "\t", skipped)
        while b"  " in content:  # as many blanks as one likes
            content = content.replace(b"  ", b" ")
        content = content.replace(b"\r\n", b"\n").replace(b" \n", b"\n").replace(b"\n ", b"\n").strip(b" ")
        return cls(name, content, " ", skipped)

    def records(self) -> Iterator[tuple[int, list[str]]]:
        """The number of the line where each row starts, and its cells without the blanks around them."""
        lines = (line.decode().rstrip("\r\n") + "\n" for line in BytesIO(self.content))
        if self.separator != ",":
            cut = (line[:-1].split(self.separator) for line in lines)
            for number, cells in enumerate(cut, start=1):
                yield self.skipped + number, [cell.strip() for cell in cells]
            return
        reader, start = csv.reader(lines), 0
        try:
            for cells in reader:  # a quoted cell may run over several lines
                yield self.skipped + start + 1, [cell.strip() for cell in cells]
                start = reader.line_num
        except csv.Error as error:
            hint = "are its quotation marks in pairs?"
            told = f"the row cannot be read: {error}"
            raise problem(self.name, "E-FORMAT", told, hint, line=self.skipped + start + 1) from None

    def line(self, record: int) -> int:
        """Where a row starts."""
        if self.separator != "," or b'"' not in self.content:
            return self.skipped + record + 1
        return next(islice(self.records(), record, None))[0]

    def frame(self, width: int) -> "pl.DataFrame":
        """The cells of all rows, blank lines too; a cell that is empty or not there is null."""
        import polars as pl

        schema = {str(i): pl.String for i in range(width)}
        quote = '"' if self.separator == "," else None
        options: dict[str, Any] = {"has_header": False, "separator": self.separator, "quote_char": quote}
        try:
            frame = pl.read_csv(BytesIO(self.content), schema=schema, **options)
        except pl.exceptions.PolarsError as error:
            self.check_widths(width)
            message = f"the file cannot be read: {str(error).partition(chr(10))[0]}"
            raise problem(self.name, "E-FORMAT", message, "are its quotation marks in pairs?") from None
        return frame.with_columns(pl.all().str.strip_chars())

    def check_widths(self, width: int) -> None:
        """Refuse a row that has not as many cells as the first."""
        for record, (_, cells) in enumerate(self.records()):
            if any(cells) and len(cells) != width:
                message = f"the line has {len(cells)} columns, the first has {width}"
                raise self.refuse(record, message, "every line has the same columns")

    def refuse(self, record: int, message: str, hint: str) -> InputError:
        """The exception for a row of too many or too few cells."""
        return problem(self.name, "E-FIELDS", message, hint, line=self.line(record))
