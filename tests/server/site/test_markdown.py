"""Markdown of people: what is shown, and what never is."""

from __future__ import annotations

import pytest

from cranfield.server.site.markdown import to_html


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("# Rules", "<h2>Rules</h2>\n"),
        ("###### Deep", "<h6>Deep</h6>\n"),
        ("*a* **b** `c`", "<p><em>a</em> <strong>b</strong> <code>c</code></p>\n"),
        ("- one\n- two", "<ul>\n<li>one</li>\n<li>two</li>\n</ul>\n"),
        ("[site](https://example.org/a)", '<p><a href="https://example.org/a" rel="nofollow noopener">site</a></p>\n'),
        (
            "<https://example.org>",
            '<p><a href="https://example.org" rel="nofollow noopener">https://example.org</a></p>\n',
        ),
        ("[site](HTTP://example.org)", '<p><a href="HTTP://example.org" rel="nofollow noopener">site</a></p>\n'),
        ("a & b < c", "<p>a &amp; b &lt; c</p>\n"),
        ("", ""),
    ],
    ids=["heading", "deep-heading", "words", "list", "link", "bare-link", "upper-case", "signs", "nothing"],
)
def test_markdown_is_shown(text: str, html: str) -> None:
    assert to_html(text) == html


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "<a href='javascript:alert(1)'>x</a>",
        "before <b onmouseover=alert(1)>x</b>",
        "<!-- <script> -->",
        "```\n</code></pre><script>alert(1)</script>\n```",
        "`<script>`",
        "# <script>",
        "| <script> |\n|---|\n| <img src=x> |",
        '[x](https://a.org "\'onmouseover=alert(1)")',
        '```x"onload=alert(1)\ncode\n```',
    ],
    ids=["script", "picture", "anchor", "inline", "comment", "fence", "code", "heading", "table", "title", "language"],
)
def test_tags_of_people_stay_text(text: str) -> None:
    html = to_html(text)
    for tag in ("<script", "<img", "<b ", "<a href='javascript", "<!--"):
        assert tag not in html
    assert '"onload' not in html
    assert " onmouseover" not in html.replace("&quot;", "").replace("&lt;b onmouseover", "")


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "data:text/html,x",
        "vbscript:x",
        "file:///etc/passwd",
        "//example.org",
        "/tasks/",
        "mailto:a@b.org",
        "https:",
        "https:///x",
        "&#106;avascript:alert(1)",
        "java\\nscript:x",
    ],
)
def test_only_addresses_of_the_web_become_links(url: str) -> None:
    assert "<a" not in to_html(f"[x]({url})")
    assert "<a" not in to_html(f"[x]: {url}\n\n[x]")


def test_pictures_are_not_fetched() -> None:
    assert "<img" not in to_html("![followed](https://example.org/pixel.png)")
