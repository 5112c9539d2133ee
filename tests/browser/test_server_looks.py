"""How every page looks and can be used: axe in light and dark, wide and narrow; paper; the keyboard alone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.support.browser.served_site import Walk, faults_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from tests.support.browser.served_site import Served

WIDTHS = {"wide": 1280, "narrow": 320}
DESK = "runs/ labels/ labels/1/ people/ announcements/ leak/ import/ webhooks/ audit/ settings/ close".split()
JUDGED = "corpus/?q=words pools/ pools/1/ pools/2/ pools/3/".split()
JUDGED += [f"pools/1/{page}/" for page in ("quality", "labels", "import", "machines")]
PAGES = {
    "": [
        *("/", "/log-in/", "/tasks/over/", "/tasks/over/?q=nobody", "/runs/KEY/"),
        *(f"/tasks/looked-at/{page}" for page in ("", "about/", "methods/", "history/", "downloads/")),
        *(f"/tasks/looked-at/{page}" for page in ("topics/301/", "compare/", "compare/?runs=KEY,OTHER")),
        *(f"/tasks/over/boards/2/{panel}" for panel in ("", "sota/", "topics/", "private/", "moves/")),
        "/tasks/campaign/datasheet/",
    ],
    "alice": ["/tasks/looked-at/submit/", "/my/runs/", "/my/teams/", "/teams/alpha/", "/my/tokens/", "/my/account/"],
    "loner": ["/tasks/looked-at/submit/", "/my/runs/", "/my/teams/"],
    "organiser": [
        *("/organise/", "/organise/new/", "/organise/looked-at/", "/tasks/looked-at/full/", "/organise/draft/"),
        *(f"/organise/looked-at/{page}" for page in DESK),
    ],
    "assessor": ["/judge/", "/judge/POOL/", "/judge/POOL/pairs/"],
    "organiser of a campaign": [
        *("/judge/POOL/decide/", "/judge/POOL/pairs/results/"),
        *(f"/organise/campaign/{page}" for page in JUDGED),
    ],
    "operator": ["/operate/", "/operate/users/", "/operate/jobs/"],
}


def pages_of(served: Served, who: str) -> list[str]:
    """Their addresses, with keys of runs and of a pool that there are."""
    keys = {"KEY": served.keys["looked-at/ideal"], "OTHER": served.keys["looked-at/good"]}
    keys["POOL"] = served.keys["campaign"]
    return [re.sub("KEY|OTHER|POOL", lambda found: keys[found[0]], page) for page in PAGES[who]]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("who", PAGES, ids=[who or "visitor" for who in PAGES])
def test_axe_finds_nothing_serious_and_no_page_scrolls_sideways(
    browser: Browser, served: Served, who: str, width: str
) -> None:
    with Walk(browser, served, who.partition(" ")[0], viewport={"width": WIDTHS[width], "height": 800}) as page:
        found = []
        for address in pages_of(served, who):
            answer = page.goto(address)
            assert answer is not None
            assert answer.status == 200, address
            page.emulate_media(color_scheme="light")
            found += faults_of(page)
            page.emulate_media(color_scheme="dark")
            found += faults_of(page, "color-contrast")
        assert found == []


def test_what_is_not_there_is_said_on_a_page(browser: Browser, served: Served) -> None:
    walk = Walk(browser, served)
    walk.refusals.add(404)
    with walk as page:
        page.goto("/tasks/there-is-none/")
        expect(page.locator("h1")).to_be_visible()
        page.get_by_role("link", name="Leaderboards").click()
        expect(page.locator("h1")).to_have_text("Tasks")


def test_the_dark_page_is_dark(browser: Browser, served: Served) -> None:
    lightness = "() => getComputedStyle(document.documentElement).backgroundColor.match(/\\d+/g).map(Number)"
    for scheme, is_dark in (("light", False), ("dark", True)):
        with Walk(browser, served, color_scheme=scheme) as page:
            page.goto("/tasks/looked-at/")
            assert (max(page.evaluate(lightness)) < 64) is is_dark


def test_a_board_on_paper_is_the_board_alone(browser: Browser, served: Served) -> None:
    with Walk(browser, served, color_scheme="dark", viewport={"width": 688, "height": 1000}) as page:  # A4 less margins
        page.goto("/tasks/looked-at/")
        page.emulate_media(media="print", color_scheme="dark")
        for hidden in (".top", ".filters", ".task-nav", ".tabs", ".actions", ".foot"):
            expect(page.locator(hidden).first).to_be_hidden()
        expect(page.locator(".board")).to_be_visible()
        expect(page.locator(".verdict")).to_be_visible()
        assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgb(255, 255, 255)"
        assert page.evaluate("document.documentElement.scrollWidth") <= 688
        rows = page.locator(".board tbody tr")
        assert rows.first.evaluate("(row) => getComputedStyle(row).display") == "table-row"  # no cards on paper
        assert page.pdf(format="A4").startswith(b"%PDF")


def test_on_a_phone_rows_are_cards_that_say_what_their_numbers_are(browser: Browser, served: Served) -> None:
    with Walk(browser, served, viewport={"width": 360, "height": 740}) as page:
        page.goto("/tasks/looked-at/")
        said = page.locator(".board [data-label=Rank]").first.evaluate(
            "(cell) => getComputedStyle(cell, '::before').content"
        )
        assert said == '"Rank"'


@pytest.mark.parametrize("who", ["assessor", "organiser of a campaign"])
def test_on_a_phone_there_is_room_for_a_finger(browser: Browser, served: Served, who: str) -> None:
    small = """() => [...document.querySelectorAll("main :is(.button, .tabs a, summary, select)")].filter(
        (one) => one.checkVisibility() && one.getBoundingClientRect().height < 43.9).map((one) => one.outerHTML)"""
    with Walk(browser, served, who.partition(" ")[0], viewport={"width": 360, "height": 740}) as page:
        found = {}
        for address in pages_of(served, who):
            page.goto(address)
            assert page.locator("main :is(.button, .tabs a, summary, select)").count(), address
            found[address] = page.evaluate(small)
        assert not {address: some for address, some in found.items() if some}


def test_marked_words_can_be_read_in_the_dark(browser: Browser, served: Served) -> None:
    lightness = "(mark) => Math.max(...getComputedStyle(mark).backgroundColor.match(/\\d+/g).map(Number))"
    for scheme, is_dark in (("light", False), ("dark", True)):
        with Walk(browser, served, "organiser", color_scheme=scheme) as page:
            page.goto("/organise/campaign/corpus/?q=words")
            assert (page.locator("mark").first.evaluate(lightness) < 128) is is_dark


def test_the_keyboard_alone_gets_everywhere(browser: Browser, served: Served) -> None:
    ring = "() => { const s = getComputedStyle(document.activeElement); return [s.outlineStyle, s.outlineWidth]; }"
    with Walk(browser, served, "alice") as page:
        page.goto("/tasks/looked-at/")
        page.keyboard.press("Tab")
        expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
        expect(page.get_by_role("link", name="Skip to the content")).to_be_in_viewport()
        page.keyboard.press("Enter")
        expect(page.locator("main")).to_be_focused()
        for _ in range(6):
            page.keyboard.press("Tab")
            assert page.evaluate(ring) == ["solid", "2px"]
        # A menu opens, closes and gives the focus back.
        menu = page.locator(".menu summary")
        menu.focus()
        page.keyboard.press("Enter")
        account = page.get_by_role("link", name="My account")
        expect(account).to_be_visible()
        page.keyboard.press("Tab")
        expect(account).to_be_focused()
        page.keyboard.press("Escape")
        expect(account).to_be_hidden()
        expect(menu).to_be_focused()
        # Columns are sorted from the keyboard, and the focus stays where it was.
        header = page.locator("#by-value")
        header.focus()
        page.keyboard.press("Enter")
        expect(page.locator("th[aria-sort]")).to_have_text(re.compile("nDCG"))
        expect(page.locator("#by-value")).to_be_focused()


def test_a_question_is_asked_in_a_dialog_that_can_be_left(browser: Browser, served: Served) -> None:
    with Walk(browser, served, "adam") as page:
        page.goto("/my/tokens/")
        page.get_by_label("What is it for").fill("a script")
        page.keyboard.press("Enter")
        expect(page.locator("#token")).to_be_visible()
        page.get_by_role("button", name="Revoke a script").focus()
        page.keyboard.press("Enter")
        asked = page.get_by_role("dialog")
        expect(asked).to_be_visible()
        expect(asked.get_by_role("button", name="Cancel")).to_be_focused()
        assert faults_of(page) == []
        page.keyboard.press("Escape")
        expect(asked).to_have_count(0)
        page.get_by_role("button", name="Revoke a script").focus()
        page.keyboard.press("Enter")
        page.keyboard.press("Shift+Tab")
        expect(asked.get_by_role("button", name="Revoke")).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.locator(".messages")).to_contain_text("The token is revoked.")


def test_nothing_moves_for_those_who_want_no_motion(browser: Browser, served: Served) -> None:
    moving = """() => [...document.querySelectorAll("*")].map((one) => getComputedStyle(one)).filter(
        (style) => parseFloat(style.transitionDuration) > 0 || style.animationName !== "none").length"""
    with Walk(browser, served, reduced_motion="reduce") as page:
        page.goto("/tasks/looked-at/")
        assert page.evaluate(moving) == 0
