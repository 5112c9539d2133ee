"""Find active content in an answer: foreign scripts, links that run code, cells that compute."""

from __future__ import annotations

import csv
import io
import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from xml.etree import ElementTree as ET

if TYPE_CHECKING:
    from tests.support.server.security.crawler import Answer

LEADS = {"href", "src", "action", "formaction", "poster", "cite", "data", "xlink:href"} | {
    f"hx-{verb}" for verb in ("get", "post", "put", "patch", "delete", "push-url", "replace-url")
}
NEVER = {"iframe", "object", "embed", "base", "applet", "foreignobject", "frame", "style"}
BLANK = re.compile(r"[\x00-\x20]")


class Harmless(HTMLParser):
    """Notes whatever in a page could do something."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.faults: list[str] = []
        self.script = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = {name: value or "" for name, value in attrs}
        data = tag == "script" and told.get("type") == "application/json"  # which browsers do not run
        self.script = tag == "script" and not data
        # Documents are read in a frame of our own, in which nothing runs.
        own = (
            tag == "iframe" and told.get("sandbox") == "allow-same-origin" and told.get("src", "").startswith("/judge/")
        )
        if tag in NEVER and not own:
            self.faults.append(f"<{tag}>")
        if self.script and not told.get("src", "").startswith("/static/"):
            self.faults.append(f"a script from {told.get('src') or 'the page itself'}")
        if tag == "meta" and "http-equiv" in told:
            self.faults.append("a meta that acts")
        for name, value in told.items():
            if name.startswith("on") or "hx-on" in name or name in ("style", "srcdoc", "hx-vars"):
                self.faults.append(f"{tag} {name}={value[:60]!r}")
            if name in LEADS:
                self._leads(tag, name, value, told)

    def _leads(self, tag: str, name: str, value: str, told: dict[str, str]) -> None:
        parts = urlsplit(BLANK.sub("", value))
        picture = tag == "img" and value.startswith(("data:image/svg+xml;base64,", "data:image/png;base64,"))
        if parts.scheme not in ("", "http", "https") and not picture:
            self.faults.append(f"{tag} {name}={value[:60]!r}")
        if parts.netloc and not picture and not {"nofollow", "noopener"} <= set(told.get("rel", "").split()):
            self.faults.append(f"{tag} leads away to {value[:60]!r}")

    def handle_data(self, data: str) -> None:
        if self.script and data.strip():
            self.faults.append(f"script {data[:60]!r}")

    def handle_endtag(self, tag: str) -> None:
        if tag == "script":
            self.script = False


def faults_of(answer: Answer) -> list[str]:
    """What is wrong with an answer; nothing should be."""
    body = answer.body.decode("utf-8", "replace")
    if answer.kind == "text/html":
        reader = Harmless()
        reader.feed(body)
        reader.close()
        return reader.faults
    if answer.kind == "image/svg+xml":
        return _in_svg(body)
    if answer.kind == "text/csv":
        return [f"cell {cell[:60]!r}" for row in csv.reader(io.StringIO(body)) for cell in row if _computes(cell)]
    return []


def _in_svg(body: str) -> list[str]:
    found = []
    for one in ET.fromstring(body).iter():
        tag = str(one.tag).rpartition("}")[2].lower()
        if tag in ("script", "foreignobject", "iframe", "animate", "set", "handler"):
            found.append(f"<{tag}>")
        for name, value in one.attrib.items():
            short = name.rpartition("}")[2].lower()
            if short.startswith("on") or (short == "href" and not value.startswith(("#", "data:image/png;base64,"))):
                found.append(f"{tag} {short}={value[:60]!r}")
    return found


def _computes(cell: str) -> bool:
    if not cell.startswith(("=", "+", "-", "@", "\t", "\r")):
        return False
    try:
        float(cell)
    except ValueError:
        return True
    return False  # a negative number is one
