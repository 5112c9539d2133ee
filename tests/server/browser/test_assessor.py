"""The assessor's page in a real browser: keys, a connection that goes and comes, documents that mean harm."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import expect

from cranfield.server.judging import judgments, pool_lifecycle
from cranfield.server.models import Corpus, Judgment, Role, Turn
from tests.support.browser.served_site import faults_of
from tests.support.server.assessment_tasks import taken, with_texts
from tests.support.server.browser_login import log_in
from tests.support.server.judging_campaigns import begun, said
from tests.support.server.live_server import wait_for
from tests.support.server.users_and_tasks import DOCUMENTS, World

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Dialog, Page
    from pytest_django.live_server_helper import LiveServer

    from cranfield.server.models import Pool

pytestmark = [pytest.mark.once, pytest.mark.usefixtures("beside_a_browser", "quiet")]

TEXT = "\n\n".join(f"Paragraph {number}: a ship and a café by the sea." for number in range(60))
HARM = """<script>window.top.document.title = "harmed"</script> <img src="/harm.png" onerror="alert(1)">
<meta http-equiv="refresh" content="0; url=/harm"> <a href="javascript:alert(1)" target="_top">click me</a>
</iframe><script>alert(2)</script> <base href="https://evil.example/"> <form action="/harm"><input autofocus></form>
</main></body></html><svg onload="alert(3)"></svg> <link rel="stylesheet" href="/harm.css">
<iframe src="/harm"></iframe>"""
KEYS = {"strategy": "depth", "guidelines": "# What counts\n\nA document counts when it **says so**."}


def pooled(world: World, text: str = TEXT, **how: Any) -> Pool:
    """A pool whose documents have texts."""
    task = taken(world)
    with_texts(task, world, **dict.fromkeys(DOCUMENTS, text))
    return begun(world, task, **KEYS | how)


def opened(page: Page, world: World, server: LiveServer, pool: Pool, who: str = "assessor", *, frames: int = 1) -> None:
    log_in(page.context, world, server, who)
    page.goto(f"{server.url}/judge/{pool.key}/")
    wait_loaded(page, frames)


def wait_loaded(page: Page, count: int) -> None:
    """Wait until so many questions are there with their documents: the one that is shown, and what came ahead."""
    expect(page.locator(".question:visible")).to_have_count(1)
    page.wait_for_function(
        """(count) => { const all = [...document.querySelectorAll(".question iframe")];
        return all.length >= count && all.every((one) => one.contentDocument.querySelector("main")
        && one.contentDocument.readyState === "complete"); }""",
        arg=count,
    )


def shown(page: Page) -> tuple[str, str]:
    """The topic and the document at hand."""
    now = page.locator(".question:visible")
    return str(now.get_attribute("data-topic")), str(now.get_attribute("data-document"))


def kept(pool: Pool) -> list[tuple[tuple[str, str], float | None, str]]:
    found = Judgment.objects.filter(question__pool=pool, taken_back=None).order_by("id").select_related("question")
    return [((one.question.topic, one.question.document), one.grade, one.note) for one in found]


def press(page: Page, key: str) -> tuple[str, str]:
    """Press a key that leads on; what it was pressed for, once another question is shown."""
    was = shown(page)
    page.keyboard.press(key)
    page.wait_for_function(
        """(was) => [...document.querySelectorAll(".question")].some((one) => !one.hidden &&
        (one.dataset.topic !== was[0] || one.dataset.document !== was[1]))""",
        arg=list(was),
    )
    return was


def wait_kept(pool: Pool, count: int) -> None:
    wait_for(lambda: len(kept(pool)) == count, 20, f"{count} judgments, but {kept(pool)}")


def one_judged(page: Page, world: World, server: LiveServer) -> Pool:
    """A pool of which one document is judged and two more are at hand."""
    pool = pooled(world)
    opened(page, world, server, pool)
    press(page, "0")
    wait_kept(pool, 1)
    wait_loaded(page, 2)
    return pool


def test_five_documents_by_keyboard(world_of_threads: World, live_server: LiveServer, page: Page) -> None:
    world = world_of_threads
    pool = pooled(world, budget=6)
    opened(page, world, live_server, pool)
    one = press(page, "2")
    later = press(page, "l")
    page.keyboard.press("n")
    expect(page.locator("textarea")).to_be_focused()
    page.keyboard.type("u 1 l x ?")  # while one writes, letters are letters
    page.keyboard.press("Escape")
    two = press(page, "0")
    expect(page.locator("textarea")).to_have_value("")
    three = press(page, "x")
    slip = press(page, "1")
    wait_kept(pool, 4)
    page.keyboard.press("u")
    expect(page.locator(".notice")).to_have_text("Your last judgment is taken back.")
    assert shown(page) == slip
    assert press(page, "2") == slip
    page.get_by_role("button", name="highly relevant").click()
    wait_kept(pool, 5)
    expected = [(one, 2.0, ""), (two, 0.0, "u 1 l x ?"), (three, None, ""), (slip, 2.0, "")]
    assert kept(pool)[:4] == expected
    assert Judgment.objects.filter(taken_back__isnull=False).count() == 1
    assert Turn.objects.get(state=Turn.LATER).question.document == later[1]
    expect(page.locator(".progress")).to_have_text("5 judged by you; 5 of 72 in all")  # 12 topics, 6 of each
    seconds = list(Judgment.objects.values_list("seconds", flat=True))
    assert all(0 <= spent < 60 for spent in seconds)
    assert max(seconds) > 0
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("2")  # no key but its own does anything now
    page.keyboard.press("Escape")
    page.keyboard.press("g")
    expect(page.get_by_text("A document counts when it says so.")).to_be_hidden()
    page.keyboard.press("g")
    expect(page.get_by_text("A document counts when it says so.")).to_be_visible()
    assert len(kept(pool)) == 5


def test_what_is_said_without_a_connection_is_kept_once(
    world_of_threads: World, live_server: LiveServer, page: Page
) -> None:
    pool = one_judged(page, world_of_threads, live_server)
    page.context.set_offline(True)
    one = press(page, "1")
    two = shown(page)
    page.keyboard.press("2")
    expect(page.locator(".unsent")).to_have_text("not sent yet: 2")
    expect(page.get_by_text("The next document comes when the connection is back.")).to_be_visible()
    page.keyboard.press("u")  # what has not left can be unsaid
    expect(page.locator(".unsent")).to_have_text("not sent yet: 1")
    assert shown(page) == two
    page.keyboard.press("0")
    expect(page.locator(".unsent")).to_have_text("not sent yet: 2")
    assert len(kept(pool)) == 1
    page.context.set_offline(False)
    wait_kept(pool, 3)
    assert kept(pool)[1:] == [(one, 1.0, ""), (two, 0.0, "")]
    expect(page.locator(".unsent")).to_have_text("")
    expect(page.locator(".question:visible")).to_have_count(1)
    assert Judgment.objects.count() == 3


def test_what_is_not_sent_outlives_the_page_and_the_answer_that_got_lost(
    world_of_threads: World, live_server: LiveServer, page: Page
) -> None:
    pool = one_judged(page, world_of_threads, live_server)

    def lose(route: Any) -> None:
        route.fetch()  # the server has it, the page never hears of it
        route.abort()

    page.route(re.compile("/say$"), lose)
    one = press(page, "1")
    expect(page.locator(".unsent")).to_have_text("not sent yet: 1")
    wait_kept(pool, 2)
    page.unroute(re.compile("/say$"))
    page.route(re.compile("/say$"), lambda route: route.abort())
    two = shown(page)
    page.keyboard.press("2")
    expect(page.locator(".unsent")).to_have_text("not sent yet: 2")
    page.reload()
    expect(page.locator(".unsent")).to_have_text("not sent yet: 2")
    page.unroute(re.compile("/say$"))
    wait_kept(pool, 3)
    expect(page.locator(".unsent")).to_have_text("")
    assert kept(pool)[1:] == [(one, 1.0, ""), (two, 2.0, "")]
    assert Judgment.objects.count() == 3
    assert shown(page) not in (one, two)


def test_who_is_logged_out_loses_nothing(world_of_threads: World, live_server: LiveServer, page: Page) -> None:
    pool = pooled(world_of_threads)
    opened(page, world_of_threads, live_server, pool)
    Session.objects.all().delete()
    was = shown(page)
    page.keyboard.press("2")
    expect(page.locator(".notice")).to_contain_text("You are logged out. Nothing is lost")
    link = page.locator(".notice").get_by_role("link", name="Log in")
    assert link.get_attribute("href") == f"/log-in/?next=%2Fjudge%2F{pool.key}%2F"
    assert kept(pool) == []
    log_in(page.context, world_of_threads, live_server)
    wait_kept(pool, 1)
    assert kept(pool) == [(was, 2.0, "")]
    expect(page.locator(".notice")).to_be_hidden()


def test_a_refused_answer_is_told_and_dropped(world_of_threads: World, live_server: LiveServer, page: Page) -> None:
    pool = pooled(world_of_threads)
    opened(page, world_of_threads, live_server, pool)
    question = judgments.next_for(pool, world_of_threads.people["assessor"])
    assert question is not None
    judgments.judge(pool, world_of_threads.people["assessor"], said(question, 0))  # on another page
    press(page, "2")
    expect(page.locator(".notice")).to_contain_text("You have judged this document.")
    pool_lifecycle.end(pool, world_of_threads.people["organiser"])
    page.keyboard.press("2")
    expect(page.locator(".notice")).to_contain_text("The pool takes no judgments now.")
    expect(page.locator(".over")).to_contain_text("Judging has ended.")
    assert [grade for _, grade, _ in kept(pool)] == [0]
    assert page.evaluate("Object.values(localStorage)") == ["[]"]


def test_keys_and_find_after_a_click_in_the_document(
    world_of_threads: World, live_server: LiveServer, page: Page
) -> None:
    pool = pooled(world_of_threads)
    opened(page, world_of_threads, live_server, pool)
    for expected in (1, 2):  # the second question was loaded ahead, unseen
        page.frame_locator(".question:visible iframe").get_by_text("Paragraph 3:").click()
        press(page, "1")
        wait_kept(pool, expected)
        wait_loaded(page, 2)
    page.frame_locator(".question:visible iframe").get_by_text("Paragraph 3:").click()
    page.keyboard.press("/")
    expect(page.locator("#find")).to_be_focused()
    page.keyboard.type("CAFE by")  # without its accent; once in each of 60 paragraphs
    expect(page.locator(".hits")).to_have_text("1 of 60")
    page.keyboard.press("Enter")
    expect(page.locator(".hits")).to_have_text("2 of 60")
    for place in (1, 60):
        page.keyboard.press("Shift+Enter")
        expect(page.locator(".hits")).to_have_text(f"{place} of 60")
    last = page.frame_locator(".question:visible iframe").get_by_text("Paragraph 59:")
    expect(last).to_be_in_viewport()
    chosen = "document.querySelector('.question:not([hidden]) iframe').contentWindow.getSelection().toString()"
    assert page.evaluate(chosen) == "café by"
    page.locator("#find").fill("nowhere")
    expect(page.locator(".hits")).to_have_text("not found")
    page.keyboard.press("Escape")
    expect(page.locator("#find")).to_be_hidden()
    press(page, "0")
    wait_kept(pool, 3)
    # A keyboard that writes Arabic: its keys are known by where they lie.
    strike = "(told) => document.dispatchEvent(new KeyboardEvent('keydown', told))"
    page.evaluate(strike, {"key": "\u0661", "code": "Digit1"})
    wait_kept(pool, 4)
    page.evaluate(strike, {"key": "\u0639", "code": "KeyU"})
    wait_kept(pool, 3)


def test_a_document_that_means_harm_does_none(world_of_threads: World, live_server: LiveServer, page: Page) -> None:
    pool = pooled(world_of_threads, HARM)
    heard: list[str] = []

    def hear(dialog: Dialog) -> None:
        heard.append("dialog")
        dialog.dismiss()

    page.on("dialog", hear)
    page.on("console", lambda line: heard.append(line.text) if line.type in ("error", "warning") else None)
    page.on("request", lambda asked: heard.append(asked.url) if "harm" in asked.url or "evil" in asked.url else None)
    page.on("popup", lambda other: heard.append(other.url))
    opened(page, world_of_threads, live_server, pool)
    address = page.url
    frame = page.frame_locator(".question:visible iframe")
    expect(frame.locator("main")).to_contain_text("click me")  # it is read, as it was written
    expect(frame.locator("main")).to_contain_text('<script>window.top.document.title = "harmed"</script>')
    frame.get_by_text("click me").click()
    assert frame.locator("main :is(a, img, script, form, iframe, base, meta, svg, link)").count() == 0
    inside = page.locator(".question:visible iframe").element_handle().content_frame()
    assert inside is not None
    assert heard == []
    # Even a tag that got in would not run: neither the frame nor the policy of its page lets it.
    page.evaluate(
        """() => { const inside = document.querySelector(".question:not([hidden]) iframe").contentDocument;
        const one = inside.createElement("div"); one.innerHTML = '<img src="data:," onerror="top.harmed = 1">';
        inside.body.append(one);
        const two = inside.createElement("script"); two.textContent = "top.harmed = 2"; inside.body.append(two); }"""
    )
    page.wait_for_timeout(300)
    assert page.evaluate("window.harmed") is None
    assert page.url == address
    assert page.title().startswith("Judge")
    assert "/document/?" in inside.url
    assert heard  # the browser says that it stopped what was put in by hand
    assert all("Blocked script" in line or "Content Security Policy" in line for line in heard)


def test_the_trial_tells_and_goes_on_with_a_key(world_of_threads: World, live_server: LiveServer, page: Page) -> None:
    pool = pooled(world_of_threads)
    rows = [("301", "G1", 2.0, "It says so."), ("301", "G2", 0.0, "It does not.")]
    Corpus.objects.all().delete()
    pool_lifecycle.set_gold(pool, world_of_threads.people["organiser"], rows)
    opened(page, world_of_threads, live_server, pool, frames=0)  # these documents have no text
    for document, key, words, why in (
        ("G1", "1", "Not right: the grade is 2 (highly relevant).", "It says so."),
        ("G2", "0", "Right: the grade is 0 (not relevant).", "It does not."),
    ):
        assert shown(page) == ("301", document)
        page.keyboard.press(key)
        told = page.get_by_role("dialog", name=words)
        expect(told).to_contain_text(why)
        page.keyboard.press("2")  # does nothing now
        assert shown(page) == ("301", document)
        press(page, "Enter")
        expect(told).to_be_hidden()
    wait_kept(pool, 2)
    press(page, "1")
    wait_kept(pool, 3)


def test_two_people_judge_the_same_documents(
    world_of_threads: World, live_server: LiveServer, browser: Browser
) -> None:
    world = world_of_threads
    pool = pooled(world, overlap=100, judges=2, budget=1)
    Role.objects.create(task=pool.task, user=world.people["loner"], role=Role.ASSESSOR)
    pages = {}
    for who in ("assessor", "loner"):
        pages[who] = browser.new_context().new_page()
        opened(pages[who], world, live_server, pool, who)
    for topic in range(12):
        for who, key in (("assessor", "1"), ("loner", "2")):
            expect(pages[who].locator("fieldset")).to_be_enabled()
            count = len(kept(pool))
            pages[who].keyboard.press(key)
            wait_kept(pool, count + 1)
            expect(pages[who].locator(".progress")).to_contain_text(f"{topic + 1} judged by you")
    for page in pages.values():
        expect(page.locator(".over")).to_contain_text("nothing more for you to judge")
        page.context.close()
    grades = sorted((question, grade) for question, grade, _ in kept(pool) if grade is not None)
    assert [grade for _, grade in grades] == [1.0, 2.0] * 12


@pytest.mark.parametrize("width", [360, 1280])
def test_axe_finds_nothing_serious_and_grades_are_within_reach(
    world_of_threads: World, live_server: LiveServer, browser: Browser, width: int
) -> None:
    pool = pooled(world_of_threads)
    context = browser.new_context(viewport={"width": width, "height": 740}, reduced_motion="reduce")
    page = context.new_page()
    opened(page, world_of_threads, live_server, pool)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme="light" if scheme == "light" else "dark")
        assert faults_of(page) == []
        for button in page.locator(".grades button").all():
            expect(button).to_be_in_viewport(ratio=1)
    page.keyboard.press("f")
    assert faults_of(page) == []
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    assert faults_of(page) == []
    page.goto(f"{live_server.url}/judge/")
    assert faults_of(page) == []
    context.close()
