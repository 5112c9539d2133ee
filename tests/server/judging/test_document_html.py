"""What an assessor reads: the topic, the document in its frame, the words that are marked."""

from __future__ import annotations

import re

import pytest

from cranfield.server.judging import document_html, judgments
from tests.support.server.assessment_tasks import in_turn, taken, with_texts
from tests.support.server.judging_campaigns import begun, campaign, said
from tests.support.server.page_requests import policy_of
from tests.support.server.users_and_tasks import DOCUMENTS, World, arrived

TOPIC_TEXTS = """<top><num> Number: 301
<title> Ships' naïve Railways
<desc> Description: Which ships travel by rail?
<narr> Narrative: A ship on rails is relevant.
</top>
"""


def test_the_topic_and_the_document_are_shown(world: World) -> None:
    task = campaign(world)
    task.topics = arrived(TOPIC_TEXTS, "topics.xml").arriving.keep()
    task.save()
    world.hand_in(task, "run")
    pool = begun(world, task, strategy="depth")
    page = world.client("assessor").get(f"/judge/{pool.key}/").content.decode()
    for words in ("Ships&#x27; naïve Railways", "Which ships travel by rail?", "A ship on rails is relevant."):
        assert words in page
    assert "no texts of documents here" in page
    with_texts(task, world, D01="A NAIVE railway.\n\nShips’ rails; shipment of <b>bold</b>.", D02="x")
    question = in_turn(pool, world)
    assert (question.topic, question.document) == ("301", "D01")
    page = world.client("assessor").get(f"/judge/{pool.key}/").content.decode()
    assert f'src="/judge/{pool.key}/document/?topic=301&amp;document=D01"' in page
    frame = world.client("assessor").get(f"/judge/{pool.key}/document/?topic=301&document=D01").content.decode()
    assert '<p dir="auto">A <mark>NAIVE</mark> <mark>railway</mark>.</p>' in frame
    assert "<mark>Ships</mark>’ rails; <mark>shipment</mark> of &lt;b&gt;bold&lt;/b&gt;." in frame
    for wrong in ("topic=302&document=D02", "topic=301&document=D99", "topic=&document=", "topic=301&document=D0%001x"):
        assert world.client("assessor").get(f"/judge/{pool.key}/document/?{wrong}").status_code == 404
    judgments.judge(pool, world.people["assessor"], said(question, 1))
    while (question := in_turn(pool, world)).document != "D03":
        judgments.judge(pool, world.people["assessor"], said(question, 1))
    assert "not among the texts of the task" in world.client("assessor").get(f"/judge/{pool.key}/").content.decode()


def test_a_frame_can_do_nothing(world: World) -> None:
    pool = begun(world, taken(world), strategy="depth")
    bad = '<script>alert(1)</script><img src=x onerror=alert(1)></iframe><base href="/"><a href="javascript:alert(1)">x'
    with_texts(pool.task, world, **dict.fromkeys(DOCUMENTS, bad))
    question = in_turn(pool, world)
    client = world.client("assessor")
    told = {"topic": question.topic, "document": question.document}
    frame = client.get(f"/judge/{pool.key}/document/", told)
    assert policy_of(frame.headers["Content-Security-Policy"]) == {
        "default-src 'none'",
        "style-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'self'",
        "sandbox allow-same-origin",
    }
    assert frame.headers["X-Frame-Options"] == "SAMEORIGIN"
    assert "no-store" in frame.headers["Cache-Control"]
    tags = set(re.findall(r"<(/?\w+)", frame.content.decode().partition("<main>")[2].partition("</main>")[0]))
    assert tags == {"h1", "/h1", "p", "/p"}
    page = client.get(f"/judge/{pool.key}/")
    assert 'sandbox="allow-same-origin"' in page.content.decode()  # and nothing else is allowed
    policy = policy_of(page.headers["Content-Security-Policy"])
    assert {"frame-src 'self'", "script-src 'self'", "frame-ancestors 'none'"} <= policy
    assert page.headers["X-Frame-Options"] == "DENY"


@pytest.mark.parametrize(
    ("title", "text", "html"),
    [
        ("marine railway", "The MARINE railways", "The <mark>MARINE</mark> <mark>railways</mark>"),
        ("café", "Cafe\u0301s & CAFÉ", "<mark>Cafe\u0301s</mark> &amp; <mark>CAFÉ</mark>"),
        ("the art of war", "the party of an art", "the party of an <mark>art</mark>"),
        ("鉄道の歴史", "日本の鉄道は、歴史が長い。", "日本の<mark>鉄道</mark>は、<mark>歴史</mark>が長い。"),
        ("经济发展", "中国的经济和发展", "中国的<mark>经济</mark>和<mark>发展</mark>"),
        ("경제", "한국의 경제가", "한국의 <mark>경제</mark>가"),
        ("السفينة", "السَّفِينَة في البحر", "<mark>السَّفِينَة</mark> في البحر"),
        ("Straße", "STRASSE und straßen", "<mark>STRASSE</mark> und <mark>straßen</mark>"),
        ("", "nothing <is> marked", "nothing &lt;is&gt; marked"),
        ("c++ (", "c (a", "c (a"),
    ],
)
def test_words_of_the_topic_are_marked_in_any_script(title: str, text: str, html: str) -> None:
    assert document_html.marked(text, document_html.terms_of({"title": title})) == html


def test_paragraphs_keep_lines_that_were_broken_on_purpose() -> None:
    full = "a line that is as long as a page is wide, as mail has it\n" * 2 + "and its end"
    found = document_html.paragraphs(f"{full}\r\n \r\n\r\nroses\nviolets\n\n\n")
    assert [kept for _, kept in found] == [False, True]
    assert [str(text) for text, _ in found] == [full, "roses\nviolets"]
    assert document_html.paragraphs(" \n\n ") == []
    long = document_html.paragraphs("x" * (document_html.MOST + 5))
    assert [len(text) for text, _ in long] == [document_html.MOST]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("船は海を渡る。鉄道は陸を走る。", "ja"),
        ("中国的经济和发展", "zh"),
        ("한국의 경제가 성장", "ko"),
        ("السفينة في البحر", "ar"),
        ("ספינה בים", "he"),
        ("A ship at sea, un navire en mer", "und"),
        ("", "und"),
    ],
)
def test_the_script_says_the_language_where_it_can(text: str, language: str) -> None:
    assert document_html.language_of(text) == language
