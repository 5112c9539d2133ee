"""Read topics from markup: NIST's SGML with unclosed tags, and the XML of TREC and CLEF.

An XML parser would refuse the first, and can be made to fill the memory by the second: entities are never expanded
here, and nothing outside the file is ever read.
"""

import re
from bisect import bisect
from collections.abc import Iterator
from dataclasses import dataclass, field

from cranfield.core import InputError
from cranfield.data.files.input_problems import problem

from .topic_text import (
    DESCRIPTION,
    LANGUAGE,
    NARRATIVE,
    NUMBER,
    SUBTOPICS,
    TITLE,
    TopicText,
    named_parts,
    plain,
    without_entities,
)

CONTAINERS = ("top", "topic", "query")  # a <query> inside one of the others is a title
ASKED = frozenset((*TITLE, *DESCRIPTION, *NARRATIVE))
FIELDS = ASKED.union(NUMBER, SUBTOPICS)
HINT = "a topic reads: <top> <num> Number: 301 <title> … <desc> Description: … <narr> Narrative: … </top>"

# Possessive, so that no file makes the search go back and forth over it.
_MARK = re.compile(
    r"<!--|<!\[CDATA\[|<\?|<!(?P<declared>[A-Za-z]*+)"
    r"|<(?P<end>/?)(?P<name>[A-Za-z][\w.:-]*+)(?P<rest>[^<>]*+)>"
)
_CLOSED_BY = {"<!--": "-->", "<![CDATA[": "]]>", "<?": "?>"}
_ATTRIBUTE = re.compile(r"(?<![\w.:-])([\w.:-]++)\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\s\"'/]++))")
_PREFIXED = re.compile(r"([a-z]{2,3})-(title|desc|narr)")
# NIST says in words too what a field is.
_SAID = {
    **dict.fromkeys(TITLE, re.compile(r"^(topic|title) ?: ?", re.IGNORECASE)),
    **dict.fromkeys(DESCRIPTION, re.compile(r"^desc(ription)? ?: ?", re.IGNORECASE)),
    **dict.fromkeys(NARRATIVE, re.compile(r"^(narr(ative)? ?:|narrative\b) ?", re.IGNORECASE)),
    **dict.fromkeys(NUMBER, re.compile(r"^(number|num|topic) ?: ?", re.IGNORECASE)),
}


@dataclass(frozen=True, slots=True)
class Mark:
    """A tag, or the text up to the next one."""

    kind: str  # open, close, text
    word: str  # the tag's name in small letters, or the text
    at: int
    attributes: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Body:
    """What stands between the tags of one topic."""

    tag: Mark
    line: int
    inside: list[Mark]


def from_markup(text: str, name: str) -> list[tuple[int, TopicText]]:
    """The topics of a file, each with its line: one for each language in which a topic is written."""
    starts = [found.end() for found in re.finditer("\n", text)]
    found: list[tuple[int, TopicText]] = []
    body: Body | None = None
    for mark in _marks(text, name, starts):
        if body is None:
            if mark.kind == "open" and mark.word in CONTAINERS:
                body = Body(mark, bisect(starts, mark.at) + 1, [])
        elif mark.word == body.tag.word and mark.kind == "close":
            found += [(body.line, one) for one in _texts(body, name)]
            body = None
        elif mark.word == body.tag.word and mark.kind == "open":
            raise _unclosed(body, name)
        else:
            body.inside.append(mark)
    if body is not None:
        raise _unclosed(body, name)
    return found


def _unclosed(body: Body, name: str) -> InputError:
    hint = f"write </{body.tag.word}> at the end of the topic"
    return problem(name, "E-TOPIC", f"<{body.tag.word}> is never closed", hint, line=body.line)


def _marks(text: str, name: str, starts: list[int]) -> Iterator[Mark]:
    """Tags and texts as they come; what opens and is closed at once is both."""
    at = 0
    while found := _MARK.search(text, at):
        if found.start() > at:
            yield Mark("text", without_entities(text[at : found.start()]), at)
        here, at = found.start(), found.end()
        line = bisect(starts, here) + 1
        if closing := _CLOSED_BY.get(found[0]):
            end = text.find(closing, at)
            if end < 0:
                raise problem(name, "E-TOPIC", f"{found[0]} is never closed", f"it ends in {closing}", line=line)
            if found[0] == "<![CDATA[":
                yield Mark("text", text[at:end], at)
            at = end + len(closing)
        elif found["declared"] is not None:
            if found["declared"].upper() == "ENTITY":
                hint = "write the characters themselves: entities of a file's own are never expanded"
                raise problem(name, "E-ENTITY", "the file declares an entity", hint, line=line)
        else:
            tag = found["name"].lower()
            if not found["end"]:
                yield Mark("open", tag, here, _attributes(found["rest"]))
            if found["end"] or found["rest"].endswith("/"):
                yield Mark("close", tag, here)
    if at < len(text):
        yield Mark("text", without_entities(text[at:]), at)


def _attributes(rest: str) -> dict[str, str]:
    found = {}
    for one in _ATTRIBUTE.finditer(rest):
        found[one[1].lower()] = plain(without_entities(one[2] or one[3] or one[4] or ""))
    return found


def _language(attributes: dict[str, str]) -> str:
    return next((attributes[key].lower() for key in LANGUAGE if key in attributes), "")


def _texts(body: Body, name: str) -> list[TopicText]:
    """The text of a topic, one for each of its languages."""
    parts = _parts(body)
    number = _number(body, parts)
    if not number:
        raise problem(name, "E-TOPIC", "the topic has no number", HINT, line=body.line)
    languages = dict.fromkeys(language for language, tag, _ in parts if tag in ASKED)
    if len(languages.keys() - {""}) == 1:  # what says no language is in that of the others
        (one,) = languages.keys() - {""}
        parts, languages = [(one, tag, words) for _, tag, words in parts], {one: None}
    if languages:
        return _by_language(number, list(languages), parts)
    # Topics of other kinds: what their fields say together, or the text between the tags.
    words = plain(" ".join(words for _, tag, words in parts if tag not in NUMBER))
    return [TopicText(topic=number, language=_language(body.tag.attributes), title=words)]


def _parts(body: Body) -> list[tuple[str, str, str]]:
    """(language, tag, text) of every field; the tag is "" for what stands in none.

    A field that is closed somewhere in the topic ends there, and tags that nobody knows are part of it; another one
    ends at the next tag.
    """
    closed = {mark.word for mark in body.inside if mark.kind == "close"}
    base = _language(body.tag.attributes)
    tag = raw = ""
    found: list[tuple[str, str, list[str]]] = [(base, "", [])]
    for mark in body.inside:
        if mark.kind == "text":
            found[-1][2].append(mark.word)
        elif mark.kind == "close":
            if mark.word == raw:
                tag = raw = ""
                found.append((base, "", []))
        else:
            prefixed = _PREFIXED.fullmatch(mark.word)
            known = prefixed[2] if prefixed else mark.word
            if raw in closed and (known not in FIELDS or tag in SUBTOPICS):
                continue
            tag, raw = known, mark.word
            found.append((prefixed[1] if prefixed else _language(mark.attributes) or base, tag, []))
    told = ((language, tag, plain("".join(texts))) for language, tag, texts in found)
    if body.tag.word == "top":
        told = ((language, tag, _SAID[tag].sub("", words) if tag in _SAID else words) for language, tag, words in told)
    return [(language, tag, words) for language, tag, words in told if words]


def _number(body: Body, parts: list[tuple[str, str, str]]) -> str:
    """What the topic is called: by a field of its own, by its tag, or by an id somewhere in it."""
    inside = {tag: words for _, tag, words in reversed(parts)}
    own = [inside.get(key, "") for key in NUMBER]
    tag = [body.tag.attributes.get(key, "") for key in NUMBER]
    sure = NUMBER.index("topic_id")
    return next(filter(None, [*own[:sure], *tag, *own[sure:]]), "")


def _by_language(number: str, languages: list[str], parts: list[tuple[str, str, str]]) -> list[TopicText]:
    """The parts put together; subtopics in none of the languages stand with the first."""
    known, words = set(languages), dict[tuple[str, str], list[str]]()
    for language, tag, text in parts:
        part = SUBTOPICS[0] if tag in SUBTOPICS else tag
        spoken = language if language in known else languages[0]
        words.setdefault((spoken, part), []).append(text)
    found = []
    for language in languages:
        there = {tag: " ".join(words[language, tag]) for tag in ASKED if (language, tag) in words}
        found.append(
            TopicText(
                topic=number,
                language=language,
                subtopics=tuple(words.get((language, SUBTOPICS[0]), ())),
                **named_parts(there),
            )
        )
    return found
