"""Lines of words among what programs print are wrapped; rows of tables, whose columns would part, are not."""

import re
from html import unescape
from typing import Any

from sphinx.application import Sphinx

BLOCK = re.compile(r'(<div class="highlight-(console|text|python) notranslate">.*?<pre>)(.*?)(</pre>)', re.DOTALL)
TAG = re.compile(r"<[^>]+>")
SHORT = 40  # what fits on a phone
DRAWN = re.compile("  |\t|[─│├└┬]")  # columns, and the lines of a diagram
HYPHENED = re.compile(r"[^\s<>]*-[^\s<>]*")  # browsers would break a line within --scale
# A backslash that goes on in the next line stays beside the word before it.
ENDS = re.compile(r'([^\s<>]+)<span class="w"> </span><span class="se">\\</span>$')
KEPT = r'<span class="whole">\1<span class="w"> </span><span class="se">\\</span></span>'
# Of Python only what it prints; on a command line what is typed too. Other text has no marks.
BEGINS = {"console": ('<span class="go">', '<span class="gp">'), "python": ('<span class="go">',), "text": ("",)}


def wrapped(body: str) -> str:
    """A page whose lines of words are marked."""
    return BLOCK.sub(_block, body)


def _block(found: re.Match[str]) -> str:
    before, language, lines, after = found.groups()
    # Pygments puts an empty span before the first line.
    first, rest = ("<span></span>", lines[13:]) if lines.startswith("<span></span>") else ("", lines)
    return before + first + "\n".join(_line(line, BEGINS[language]) for line in rest.split("\n")) + after


def _line(line: str, begins: tuple[str, ...]) -> str:
    text = unescape(TAG.sub("", line)).strip()
    if len(text) <= SHORT or DRAWN.search(text) or not line.startswith(begins):
        return line
    parts = (part if TAG.match(part) else HYPHENED.sub(_whole, part) for part in re.split(f"({TAG.pattern})", line))
    return f'<span class="words">{ENDS.sub(KEPT, "".join(parts))}</span>'


def _whole(found: re.Match[str]) -> str:
    return f'<span class="whole">{found[0]}</span>' if len(found[0]) <= SHORT else found[0]


def setup(app: Sphinx) -> dict[str, bool]:
    """What Sphinx calls."""

    def mark(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: object) -> None:
        del app, pagename, templatename, doctree
        if "body" in context:
            context["body"] = wrapped(context["body"])

    app.connect("html-page-context", mark)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
