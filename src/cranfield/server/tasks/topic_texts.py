"""Titles, descriptions and narratives of a task's topics, in all their languages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.utils.html import format_html
from django.utils.translation import get_language_info

from cranfield.core import CranfieldError
from cranfield.data import read_topics
from cranfield.server.judging import document_html
from cranfield.server.site import blob_store
from cranfield.server.site.single_flight_cache import kept

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cranfield.data import TopicText
    from cranfield.server.models import Task

PARTS = ("title", "description", "narrative")
UNKNOWN = "und"  # as a script says of a language that it does not tell
RIGHT_TO_LEFT = frozenset("ar ckb dv fa he iw ps sd ug ur yi".split())


@kept(16)
def _texts(digest: str) -> Mapping[str, Mapping[str, Any]]:
    try:
        told = read_topics(blob_store.path_of(digest))
    except CranfieldError:  # looked at when it came; a file that cannot be read is no reason for a page to fail
        return {}
    found: dict[str, dict[str, Any]] = {}
    for text in told.texts:
        shown = _shown(text)
        if text.topic in found:
            found[text.topic].setdefault("others", []).append(shown)
        else:
            found[text.topic] = {"topic": text.topic, **shown}
    return found


def _shown(text: TopicText) -> dict[str, Any]:
    """The parts that are there, what the language is called, and the attributes of an element in it."""
    parts = {part: words for part in PARTS if (words := getattr(text, part))}
    language = text.language or document_html.language_of(" ".join(parts.values()))
    way = "rtl" if language.partition("-")[0] in RIGHT_TO_LEFT else "auto"
    known = format_html('lang="{}" ', language) if language != UNKNOWN else ""
    return {**parts, "spoken": _called(text.language), "marks": format_html('{}dir="{}"', known, way)}


def _called(language: str) -> str:
    """What a language is called in English, or its code; Django takes Chinese for simplified Chinese."""
    try:
        return "Chinese" if language == "zh" else str(get_language_info(language)["name"])
    except KeyError:
        return language


def texts_of(task: Task) -> Mapping[str, Mapping[str, Any]]:
    """What every topic of a task asks, in the order of the file; nothing where it has no texts."""
    return _texts(task.topics_id) if task.topics_id else {}


def text_of(task: Task, topic: str) -> Mapping[str, Any]:
    """Title, description and narrative of a topic in its first language, ``others`` in which it is told, too."""
    return texts_of(task).get(topic, {})
