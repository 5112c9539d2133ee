"""Convert user-written Markdown to safe HTML with an allow-list of elements."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

if TYPE_CHECKING:
    from collections.abc import MutableMapping, Sequence

    from markdown_it.renderer import RendererHTML
    from markdown_it.token import Token
    from markdown_it.utils import OptionsDict

# Pictures would let a reader be followed; lines of HTML stay text.
RULES = (
    "paragraph text newline escape entity heading lheading list blockquote code fence hr "
    "backticks emphasis strikethrough link autolink table"
).split()
ALLOWED = re.compile(r"https?://[^\s/]", re.IGNORECASE)
DEEPEST = 2  # a heading of theirs stands below the page's own


def to_html(text: str) -> SafeString:
    """Markdown as HTML that is safe to show: no tags of its own, no pictures, links to http(s) alone."""
    return mark_safe(_made().render(text))  # tags are the renderer's own


@lru_cache(maxsize=1)
def _made() -> MarkdownIt:
    made = MarkdownIt("zero", {"html": False, "linkify": False}).enable(
        [rule for rule in RULES if rule not in ("paragraph", "text")]
    )
    made.validateLink = _is_allowed  # type: ignore[method-assign]
    made.add_render_rule("link_open", _link)
    made.add_render_rule("heading_open", _heading)
    made.add_render_rule("heading_close", _heading)
    return made


def _is_allowed(url: str) -> bool:
    return ALLOWED.match(url.strip()) is not None


def _link(
    self: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: MutableMapping[str, Any]
) -> str:
    tokens[at].attrSet("rel", "nofollow noopener")
    return self.renderToken(tokens, at, options, env)


def _heading(
    self: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: MutableMapping[str, Any]
) -> str:
    token = tokens[at]
    token.tag = f"h{min(int(token.tag[1]) + DEEPEST - 1, 6)}"
    return self.renderToken(tokens, at, options, env)
