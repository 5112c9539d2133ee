"""Convert the text of a document to safe HTML with the terms of the topic marked."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

MOST = 500_000  # characters that are shown
LONG = 40  # characters of a line that was broken because it was full
STEM = 4  # letters from which on a word is marked, too, that only begins so
PARAGRAPH = re.compile(r"\n[^\S\n]*\n\s*")
HAN = r"\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
KATAKANA, HIRAGANA, HANGUL, THAI = r"\u30a0-\u30ff", r"\u3041-\u309f", r"\uac00-\ud7af", r"\u0e00-\u0e7f"
UNSPACED = re.compile(f"[{HAN}{KATAKANA}{HIRAGANA}{HANGUL}{THAI}]")
RUN = re.compile(f"[{HAN}]+|[{KATAKANA}]+|[{HANGUL}]+|[{THAI}]+|[^\\W_{HAN}{KATAKANA}{HIRAGANA}{HANGUL}{THAI}]+")
LANGUAGES = {  # the script alone tells the language, or which shapes of its letters are wanted
    "ja": re.compile(f"[{HIRAGANA}{KATAKANA}]"),
    "ko": re.compile(f"[{HANGUL}]"),
    "zh": re.compile(f"[{HAN}]"),
    "th": re.compile(f"[{THAI}]"),
    "he": re.compile(r"[\u0590-\u05ff]"),
    "ar": re.compile(r"[\u0600-\u06ff]"),
}
COMMON = frozenset(
    "a about after all also an and any are as at be been but by can could did do does for from had has have how if in "
    "into is it its may more most no not of on or other should such than that the their them there these they this "
    "those to was were what when where which who whom whose why will with would".split()
)


def terms_of(text: Mapping[str, Any]) -> frozenset[str]:
    """The words of a topic that are marked, in every language: of its title, or else of its description."""
    told = " ".join(one.get("title") or one.get("description") or "" for one in (text, *text.get("others", ())))
    found: set[str] = set()
    for word in RUN.findall(_folded(told)[0]):
        if UNSPACED.match(word):  # no blanks say where words end: two characters together are nearly one
            found |= {word, *(word[at : at + 2] for at in range(len(word) - 1))}
        elif word not in COMMON and (len(word) > 1 or word.isdigit()):
            found.add(word.removesuffix("s") if len(word) > STEM else word)
    return frozenset(found)


def language_of(text: str) -> str:
    """What a page is to say of its language: what the script tells, else that it is not known."""
    start = text[:2000]
    counts = {name: len(script.findall(start)) for name, script in LANGUAGES.items()}
    if counts["ja"] * 20 > counts["zh"]:  # Japanese is mostly Chinese characters, Chinese has no kana
        counts["ja"] += counts["zh"]
    name = max(counts, key=lambda one: counts[one])
    return name if counts[name] * 4 > len(start) else "und"


def paragraphs(text: str, terms: Iterable[str] = ()) -> list[tuple[SafeString, bool]]:
    """The paragraphs of a text as HTML, and of each whether its lines are to stay as they are."""
    pattern = _pattern(frozenset(terms))
    parts = PARAGRAPH.split(text[:MOST].replace("\r\n", "\n").replace("\r", "\n").strip("\n"))
    return [(_marked(part, pattern), _is_set(part)) for part in parts if part.strip()]


def marked(text: str, terms: Iterable[str]) -> SafeString:
    """A text as HTML, with the terms marked."""
    return _marked(text, _pattern(frozenset(terms)))


def _is_set(part: str) -> bool:
    """Whether the lines of a paragraph were broken on purpose: one that is not the last is short."""
    return any(len(line) < LONG for line in part.split("\n")[:-1])


@lru_cache(maxsize=256)
def _pattern(terms: frozenset[str]) -> re.Pattern[str] | None:
    if not terms:
        return None
    inside = [re.escape(term) for term in terms if UNSPACED.match(term)]
    words = [_word(term) for term in terms if not UNSPACED.match(term)]
    return re.compile("|".join(sorted(inside, key=len, reverse=True) + sorted(words, key=len, reverse=True)))


def _word(term: str) -> str:
    """What a word looks like that is marked for a term: the term, or more letters after a long one."""
    more = r"\w*" if len(term) >= STEM and term.isalpha() else r"s?(?!\w)"
    return rf"(?<![^\W_]){re.escape(term)}{more}"


def _marked(text: str, pattern: re.Pattern[str] | None) -> SafeString:
    if pattern is None:
        return escape(text)
    pieces, at = [], 0
    for start, end in _hits(text, pattern):
        pieces += [escape(text[at:start]), f"<mark>{escape(text[start:end])}</mark>"]
        at = end
    return mark_safe("".join([*pieces, escape(text[at:])]))  # every piece is escaped


def _hits(text: str, pattern: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Where the text has a term, whatever its case and accents; neighbours are one."""
    folded, places = _folded(text)
    start = end = -1
    for hit in pattern.finditer(folded):
        first, last = places[hit.start()], places[hit.end() - 1] + 1
        while last < len(text) and not _fold(text[last]):
            last += 1  # an accent belongs to its letter
        if first > end:
            if end > start:
                yield start, end
            start = first
        end = last
    if end > start:
        yield start, end


def _folded(text: str) -> tuple[str, range | list[int]]:
    """A text without case and accents, and where each of its characters comes from."""
    if text.isascii():
        return text.lower(), range(len(text))
    pieces = [_fold(char) for char in text]
    return "".join(pieces), [place for place, piece in enumerate(pieces) for _ in piece]


@lru_cache(maxsize=65_536)
def _fold(char: str) -> str:
    if UNSPACED.match(char):
        return char  # marks of kana, Hangul and Thai are letters, not accents
    apart = unicodedata.normalize("NFKD", char)
    return "".join(one for one in apart if unicodedata.category(one) != "Mn").casefold()
