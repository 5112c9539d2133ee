"""Text of one topic, and the names that files use for its parts."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import unescape
from typing import TypedDict

# The names under which the field keeps the parts of a topic; of several that are there the first counts.
NUMBER = ("num", "number", "identifier", "identifrier", "topic_id", "topicid", "query_id", "qid", "id")
TITLE = ("title", "query", "text")
DESCRIPTION = ("description", "desc", "question", "text")  # a text beside a title describes it
NARRATIVE = ("narrative", "narr")
LANGUAGE = ("language", "lang", "xml:lang")
SUBTOPICS = ("subtopics", "subtopic")

_ENTITY = re.compile(r"&#?\w{1,32};")


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicText:
    """What a topic asks, in one language: "" where a part is not there, or where nobody said which language it is."""

    topic: str
    language: str = ""
    title: str = ""
    description: str = ""
    narrative: str = ""
    subtopics: tuple[str, ...] = ()

    @property
    def short(self) -> str:
        """The title; where there is none, the description or the narrative."""
        return self.title or self.description or self.narrative


class Parts(TypedDict):
    """The parts of a topic that may have other names elsewhere."""

    title: str
    description: str
    narrative: str


def named_parts(there: Mapping[str, str]) -> Parts:
    """Texts under names that others gave them, under ours: of several names for one part the first counts."""
    title = next((name for name in TITLE if there.get(name)), "")
    rest = {name: text for name, text in there.items() if name != title}
    return {
        "title": there.get(title, ""),
        "description": next((rest[name] for name in DESCRIPTION if rest.get(name)), ""),
        "narrative": next((rest[name] for name in NARRATIVE if rest.get(name)), ""),
    }


def plain(text: str) -> str:
    """A text on one line, in characters that every file can hold."""
    return " ".join(text.encode("utf-8", "replace").decode("utf-8").split())


def without_entities(text: str) -> str:
    """The text with ``&amp;`` and its like as what they stand for; an ampersand that begins none of them stays."""
    return _ENTITY.sub(lambda found: unescape(found[0]), text)
