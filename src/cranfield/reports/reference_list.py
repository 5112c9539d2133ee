"""Numbered references of a report, read from the bundled BibTeX file."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from cranfield.core import InputError

BIB = "references.bib"
MARKS = "\u0301\u0300\u0308\u0302\u0303\u0304\u0307\u0306\u030c\u030b\u0327\u030a\u0328"
ACCENTS = dict(zip("'`\"^~=.uvHcrk", MARKS, strict=True))
LETTERS = {"ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł", "aa": "å", "i": "ı"}
ACCENTED = re.compile(r"\\(?:(['`\"^~=.])|([uvHcrk])(?![a-zA-Z]))\s*\{?(\\?[a-zA-Z])\}?")
HEAD = re.compile(r"@(\w+)\{\s*([^,\s]+)\s*,")
FIELD = re.compile(r"\s*(\w+)\s*=\s*")
BETWEEN = re.compile(r"\s+and\s+(?![^{}]*\})")  # names, but not the words of a name in braces
HOMES = ("journal", "booktitle", "institution", "school")  # in what something was published


@dataclass(frozen=True, slots=True)
class Source:
    """A publication: its key, its kind, its fields as BibTeX has them."""

    key: str
    kind: str
    fields: Mapping[str, str]

    def text(self, name: str) -> str:
        """A field in plain letters."""
        return plain_text(self.fields.get(name, ""))

    @property
    def authors(self) -> str:
        """The names, first names first."""
        names = [_in_order(name) for name in BETWEEN.split(self.fields.get("author", ""))]
        return ", ".join(names[:-1]) + " and " * (len(names) > 1) + names[-1]

    @property
    def home(self) -> str:
        """Where it appeared: journal, proceedings or publisher, with volume and pages."""
        place = next((text for name in HOMES if (text := self.text(name))), "")
        volume = self.text("volume") + (f"({self.text('number')})" if self.text("number") else "")
        if self.kind == "techreport":
            volume = " ".join(filter(None, [self.text("type"), self.text("number")]))
        edition = f"{self.text('edition')} edition" if self.text("edition") else ""
        chapter = f"chapter {self.text('chapter')}" if self.text("chapter") else ""
        pages = self.text("pages") and f"pages {self.text('pages')}"
        place = f"In {place}" if place and self.text("booktitle") else place
        told = [place, self.text("series"), volume, edition, chapter, pages, self.text("publisher"), self.text("note")]
        return ", ".join(filter(None, told))

    def __str__(self) -> str:
        title = self.text("title")
        parts = [f"{self.authors} ({self.text('year')})", title, self.home]
        return " ".join(part if part.endswith("?") else f"{part}." for part in parts if part)

    def bibtex(self) -> str:
        """The entry, one field to a line."""
        lines = [f"  {name} = {{{value}}}," for name, value in self.fields.items()]
        return "\n".join([f"@{self.kind}{{{self.key},", *lines, "}"])


@dataclass
class Citations:
    """References numbered in the order in which a page first names them; kept while that page is made."""

    known: Mapping[str, Source]
    numbers: dict[str, int] = field(default_factory=dict)

    def number(self, key: str) -> int | None:
        """The number of a key, a new one at its first naming; none for a key that is not in the bibliography."""
        if key not in self.known:
            return None
        return self.numbers.setdefault(key, len(self.numbers) + 1)

    def listed(self) -> list[tuple[int, Source]]:
        """What was named, by number."""
        return [(number, self.known[key]) for key, number in self.numbers.items()]


@cache
def bibliography() -> Mapping[str, Source]:
    """Every source that declarations name, by key."""
    text = files(__package__).joinpath(BIB).read_text(encoding="utf-8")
    return MappingProxyType({source.key: source for source in read_bibtex(text)})


def read_bibtex(text: str) -> Iterator[Source]:
    """The entries of a BibTeX text whose values stand in braces: of ours, not of any."""
    for head in HEAD.finditer(text):
        kind, key = head.groups()
        place, fields = head.end(), {}
        while named := FIELD.match(text, place):
            end = _closing(text, named.end(), key)
            fields[named[1].lower()] = " ".join(text[named.end() + 1 : end].split())
            place = end + 1 + (text[end + 1 : end + 2] == ",")
        if text[place:].lstrip()[:1] != "}":
            raise InputError(f"{BIB}: the entry {key} does not end", hint="values stand in braces, commas between them")
        yield Source(key, kind.lower(), MappingProxyType(fields))


def _closing(text: str, start: int, key: str) -> int:
    """Where the brace closes that opens at ``start``."""
    depth = 0
    for sign in re.compile(r"\\.|[{}]|$").finditer(text, start):
        depth += {"{": 1, "}": -1}.get(sign[0], 0)
        if depth == 0:
            break
    if text[start : start + 1] != "{" or depth:
        raise InputError(f"{BIB}: a value of {key} has no braces around it", hint="write name={value}")
    return sign.start()


def plain_text(tex: str) -> str:
    """TeX as letters: accents composed, braces gone, dashes and quotes as they are printed."""

    def accented(found: re.Match[str]) -> str:
        letter = found[3].removeprefix("\\")  # the dotless i takes its accent as i does
        return unicodedata.normalize("NFC", letter + ACCENTS[found[1] or found[2]])

    text = ACCENTED.sub(accented, tex)
    text = re.sub(r"\\([a-zA-Z]+)\s*", lambda found: LETTERS.get(found[1], found[1]), text)
    text = re.sub(r"\\([&%$#_{}])", r"\1", re.sub(r"(?<!\\)[{}$]", "", text))
    for written, printed in (("---", "—"), ("--", "–"), ("``", "“"), ("''", "”"), ("~", "\u00a0")):
        text = text.replace(written, printed)
    return text


def _in_order(name: str) -> str:
    """``Last, First`` as ``First Last``; what stands in braces is one name, commas and all."""
    last, comma, first = name.partition(", ")
    return plain_text(f"{first} {last}" if comma and not name.startswith("{") else name)
