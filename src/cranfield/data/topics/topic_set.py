"""Texts of a set of topics: titles, descriptions and narratives, in one or several languages."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from cranfield._native import Strings
from cranfield.core import ParameterError, Provenance, Table
from cranfield.data.files.columns import read_frame
from cranfield.data.files.compressed_files import unpacked
from cranfield.data.files.data_source import Source, digest, is_dataset
from cranfield.data.files.input_problems import Problem, Problems, listed, problem
from cranfield.data.files.ir_datasets import dataset_topics
from cranfield.data.files.text_checks import check_not_utf16
from cranfield.data.values.name_lookup import find_topics

from .topic_markup import from_markup
from .topic_rows import LINE, from_json, from_lines, from_object
from .topic_text import TopicText

MOST = 256 * 2**20  # bytes of a file, unpacked: a million topics have a tenth of it
KEPT = 100  # warnings
LONG = 60  # letters that a message holds of what was read
START = 200  # bytes in which an XML file says how it is written
MARKED = re.compile(r"^[ \t]*+<(top|topic|topics|query|queries)[\s>]", re.IGNORECASE | re.MULTILINE)
DECLARED = re.compile(rb"\s*<\?xml[^>]*encoding\s*=\s*[\"']([\w-]+)[\"']", re.IGNORECASE)
# What files in a language of their own are written in; Python knows codecs that are no text, too.
ENCODINGS = re.compile(r"iso-8859-\d+|windows-125\d|koi8-[ru]|gb2312|gbk|gb18030|big5|euc-jp|euc-kr|shift_jis", re.I)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TopicTexts:
    """The texts of topics: one for each topic and language, in the order of the file."""

    texts: tuple[TopicText, ...]
    source: Source

    def __len__(self) -> int:
        return len(self.texts)

    def __repr__(self) -> str:
        spoken = f" in {listed(self.languages)}" if any(self.languages) else ""
        many = "s" * (len(self.topics) != 1)
        return f"TopicTexts({self.source.name!r}: {len(self.topics)} topic{many}{spoken})"

    @property
    def topics(self) -> tuple[str, ...]:
        """What the topics are called, each once."""
        return tuple(dict.fromkeys(text.topic for text in self.texts))

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages in which there are texts, each once; "" where nobody said."""
        return tuple(dict.fromkeys(text.language for text in self.texts))

    def of(self, topic: str, language: str | None = None) -> TopicText:
        """The text of one topic: in this language, or the first that there is."""
        find_topics(self.topics, [topic])  # refuses a topic that is not there
        mine = [text for text in self.texts if text.topic == topic]
        found = [text for text in mine if language is None or text.language == language.lower()]
        if not found:
            hint = f"there are: {listed([text.language or 'one without a language' for text in mine], most=12)}"
            raise ParameterError(f"topic {topic} has no text in {language}", hint=hint)
        return found[0]

    def in_language(self, language: str) -> "TopicTexts":
        """The texts in one language; those of which nobody said what they are in are taken for it."""
        wanted = language.lower()
        own = {text.topic for text in self.texts if text.language == wanted}
        kept = tuple(
            replace(text, language=wanted)
            for text in self.texts
            if text.language == wanted or (not text.language and text.topic not in own)
        )
        if not kept:
            hint = f"there are: {listed(self.languages, most=12)}"
            raise problem(self.source.name, "E-LANGUAGE", f"no topic is in {language}", hint)
        return replace(self, texts=kept)

    def titles(self, topics: Iterable[str]) -> dict[str, str]:
        """The titles of some topics, in the first language; of those that have no text, none.

        Topic 51 may be written 051, as in the files of the first TRECs.
        """
        known: dict[str, str] = {}
        for text in reversed(self.texts):
            known[text.topic.lstrip("0")] = text.short
        known |= {text.topic: text.short for text in reversed(self.texts)}
        found = {topic: known.get(topic) or known.get(topic.lstrip("0")) for topic in topics}
        return {topic: title for topic, title in found.items() if title}

    def to_table(self, *, made_by: Provenance | None = None) -> Table:
        """One row for each topic and language; nothing where a part is not there."""
        names = ("topic", "language", "title", "description", "narrative")
        columns = {name: [getattr(text, name) or None for text in self.texts] for name in names}
        spoken = [language for language in self.languages if language]
        caption = f"{len(self.topics):,} topic{'s' * (len(self.topics) != 1)}"
        caption += f" in {len(spoken)} languages" if len(spoken) > 1 else ""
        notes = tuple(one.message for one in self.source.problems.warnings)
        made_by = made_by or Provenance(inputs=(self.source.as_input(),))
        return Table(columns, caption, made_by, notes)


def read_topics(data: Any, *, language: str | None = None, name: str | None = None) -> TopicTexts:
    """The texts of topics from a file, a frame, a dict of texts or a list of dicts.

    A file is what it looks like inside, whatever its name: SGML of TREC, XML of TREC or CLEF, lines of topic and text
    with a tab between them, CSV with a header, JSON; packed or not. ``ir_datasets:ID`` is what ir_datasets has under an
    id. With a ``language`` only texts in it are kept.
    """
    if not isinstance(data, TopicTexts):
        name = name or (fspath(data) if isinstance(data, str | PathLike) else "topics")
        data = _read(data, name)
    return data if language is None else data.in_language(language)


def _read(data: Any, name: str) -> TopicTexts:
    warnings: list[Problem] = []
    if is_dataset(data):
        found = from_object(dataset_topics(data), name)
    elif isinstance(data, str | PathLike):
        found = _from_file(Path(data), name, warnings)
    else:
        found = from_object(data, name)
    if not found:
        raise problem(name, "E-EMPTY", "there is no topic in it", LINE)
    seen: set[tuple[str, str]] = set()
    for line, text in found:
        if " " in text.topic:  # no judgments could name it
            hint = "what a topic is called comes first, and holds no spaces"
            raise problem(name, "E-TOPIC", f'"{text.topic[:LONG]}" is not what a topic is called', hint, line=line)
        if (text.topic, text.language) in seen:
            spoken = f" in {text.language}" * bool(text.language)
            message = f"topic {text.topic} stands twice{spoken}"
            raise problem(name, "E-DUPTOPIC", message, "keep one text for each topic and language", line=line)
        seen.add((text.topic, text.language))
        if not text.short:
            message = f"topic {text.topic} has no text"
            warnings.append(Problem(name, line, "W-TOPIC", message, "was its text left out?"))
    texts = tuple(text for _, text in found)
    return TopicTexts(texts, Source(name, _digest(texts), "topics", _problems(warnings)))


def _problems(warnings: Sequence[Problem]) -> Problems:
    codes = [one.code for one in warnings]
    return Problems(tuple(warnings[:KEPT]), tuple((code, codes.count(code)) for code in dict.fromkeys(codes)))


def _digest(texts: Sequence[TopicText]) -> str:
    names = ("topic", "language", "title", "description", "narrative")
    return digest(*(Strings([getattr(text, name) for text in texts]) for name in names))


def _from_file(path: Path, name: str, warnings: list[Problem]) -> list[tuple[int, TopicText]]:
    if path.is_dir():
        raise problem(name, "E-FOLDER", "this is a folder", "name the file with the topics")
    content = unpacked(path, most=MOST)
    if content.startswith(b"PAR1"):
        return from_object(read_frame(path, "read_parquet"), name)
    text = _decoded(content, name, warnings).replace("\r\n", "\n").replace("\r", "\n")
    start = text.lstrip()[:1]
    if not start:
        raise problem(name, "E-EMPTY", "the file is empty", LINE)
    if start in "{[":
        return from_json(text, name)
    return from_markup(text, name) if start == "<" or MARKED.search(text) else from_lines(text, name)


def _decoded(content: bytes, name: str, warnings: list[Problem]) -> str:
    """The text: UTF-8, or what an XML file says it is, or else Latin-1 with a warning."""
    check_not_utf16(content, name)
    if content.startswith(b"PK\x03\x04"):
        raise problem(name, "E-ARCHIVE", "this is a zip archive", "unpack it and name the file inside")
    if (at := content.find(b"\0")) >= 0:
        line = content.count(b"\n", 0, at) + 1
        raise problem(name, "E-NUL", "the line holds a NUL byte", "is this a text file, or a packed one?", line=line)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
    declared = found[1].decode() if (found := DECLARED.match(content[:START])) else ""
    if ENCODINGS.fullmatch(declared):
        try:
            return content.decode(declared)
        except (UnicodeDecodeError, LookupError):
            pass
    message = "the text is not UTF-8: it is read as Latin-1"
    warnings.append(Problem(name, line, "W-ENCODING", message, "convert the file, for example with iconv"))
    return content.decode("latin-1")
