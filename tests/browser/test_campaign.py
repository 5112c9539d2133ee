"""A campaign from its topics to its board, in a real browser: organiser, team, two assessors who differ, a third."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from playwright.sync_api import expect

from tests.support.browser.served_site import Walk, faults_of, look_until, upload

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

    from tests.support.browser.served_site import Served

SLUG = "a-campaign"
EACH = 20  # documents that each of two people judges
DOCUMENTS = [f"D{number:02d}" for number in range(1, 11)]
SLIP = 3  # the answer that the first takes back
ODD = 5  # the answer in which they differ


def right(served: Served) -> dict[tuple[str, str], int]:
    """What the labels say that others made."""
    lines = map(str.split, served.files["qrels"].splitlines())
    return {(topic, document): min(int(grade), 1) for topic, _, document, grade in lines}


def set_up(page: Page, served: Served) -> None:
    """A task of topics alone, its documents, its teams and assessors."""
    page.goto("/organise/new/")
    page.locator("#id_topics").set_input_files(upload("topics.tsv", served.files["topics"]))
    page.get_by_label("Title").fill("A campaign")
    page.get_by_role("textbox", name="Measures").fill("AP nDCG@10")
    page.get_by_role("button", name="Publish").click()
    expect(page).to_have_url(f"{served.url}/organise/{SLUG}/")
    page.goto(f"/organise/{SLUG}/people/")
    for team in ("Alpha", "Beta"):
        page.get_by_label("Team", exact=True).fill(team)
        page.get_by_role("button", name="Add").last.click()
        expect(page.locator(".messages")).to_contain_text(team)
    for person in ("assessor", "loner", "adam"):
        page.locator("#id_username").fill(person)
        page.locator("section", has=page.locator("#id_username")).locator("select").select_option("assessor")
        page.locator("section", has=page.locator("#id_username")).get_by_role("button", name="Add").click()
        expect(page.locator(".messages")).to_contain_text(person)
    page.goto(f"/organise/{SLUG}/corpus/")
    lines = "".join(json.dumps({"id": name, "text": f"What {name} says of number 301."}) + "\n" for name in DOCUMENTS)
    page.locator("input[type=file]").set_input_files(upload("documents.jsonl", lines))
    page.get_by_role("button", name="Upload").click()
    look_until(page, page.get_by_text("10 documents"))
    assert faults_of(page) == []


def hand_in(page: Page, served: Served, name: str) -> None:
    page.goto(f"/tasks/{SLUG}/submit/")
    page.get_by_label("File").set_input_files(upload(f"{name}.run", served.files[name]))
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.locator(".messages")).to_contain_text(f"{name} is received.")


def begin(page: Page) -> str:
    """A pool of 20 documents that two people judge; its address for assessors."""
    page.goto(f"/organise/{SLUG}/pools/")
    page.get_by_label("Strategy").select_option("mtf")
    page.get_by_label("Budget", exact=False).first.fill(str(EACH))
    page.get_by_label("The budget is that").select_option("all")
    page.get_by_label("Judged by several").fill("100")
    with page.expect_response(lambda answer: answer.url.endswith("/pools/") and answer.ok):  # what it costs now
        page.get_by_label("Judged by several").press("Tab")
    expect(page.locator("#cost")).to_contain_text(str(2 * EACH))  # told before anything is begun
    page.get_by_role("button", name="Draw it up").click()
    assert faults_of(page) == []
    page.get_by_role("button", name="Begin").click()
    page.get_by_role("dialog").get_by_role("button", name="Begin").click()
    expect(page.get_by_role("link", name="Judge", exact=True)).to_be_visible()
    address = page.get_by_role("link", name="Judge", exact=True).get_attribute("href")
    assert address is not None
    return address


def shown(page: Page, pair: tuple[str, str]) -> Locator:
    """The question on the page, if it is that one."""
    return page.locator(f'.question:not([hidden])[data-topic="{pair[0]}"][data-document="{pair[1]}"]')


def judge(page: Page, address: str, known: dict[tuple[str, str], int], *, slips: bool) -> list[tuple[str, str]]:
    """Judge by keyboard as the labels say; the first slips once, the second sees one document differently."""
    page.goto(address)
    seen: list[tuple[str, str]] = []
    for number in range(EACH):
        question = page.locator(".question:not([hidden])").first
        expect(question).to_be_visible()
        pair = (question.get_attribute("data-topic") or "", question.get_attribute("data-document") or "")
        assert pair not in seen
        grade = known.get(pair, 0)
        if slips and number == SLIP:
            page.keyboard.press(str(1 - grade))
            expect(shown(page, pair)).to_have_count(0)
            page.keyboard.press("u")
            expect(page.locator(".question:not([hidden])").first).to_have_attribute("data-document", pair[1])
        if not slips and number == ODD:
            grade = 1 - grade
        page.keyboard.press(str(grade))
        seen.append(pair)
        expect(shown(page, pair)).to_have_count(0)
    expect(page.locator(".over")).to_be_visible()
    return seen


def test_a_campaign_from_topics_to_the_board(browser: Browser, served: Served) -> None:
    known = right(served)
    with Walk(browser, served, "organiser") as desk:
        set_up(desk, served)
        for who, name in (("alice", "ideal"), ("beth", "good"), ("alice", "fair")):
            with Walk(browser, served, who) as page:
                hand_in(page, served, name)
        address = begin(desk)
        with Walk(browser, served, "assessor") as page:
            first = judge(page, address, known, slips=True)
            assert faults_of(page) == []
        with Walk(browser, served, "loner") as page:
            second = judge(page, address, known, slips=False)
        assert sorted(first) == sorted(second)
        stranger = Walk(browser, served, "alice")  # who takes part has no way in
        stranger.refusals.add(404)
        with stranger as page:
            assert page.goto(address).status == 404  # type: ignore[union-attr]
        odd = second[ODD]
        with Walk(browser, served, "adam") as page:  # a third assessor decides
            page.goto(f"{address}decide/")
            expect(page.locator(".question:not([hidden])")).to_have_attribute("data-document", odd[1])
            expect(page.locator("main")).not_to_contain_text("loner")  # not who, only what
            assert faults_of(page) == []
            page.locator(f'button[name=grade][value="{known.get(odd, 0)}"]').click()
            expect(page.locator("main .empty")).to_be_visible()
        desk.goto(f"/organise/{SLUG}/pools/1/quality/")
        expect(desk.locator("main")).to_contain_text("α")
        assert faults_of(desk) == []
        desk.goto(f"/organise/{SLUG}/pools/1/labels/")
        desk.get_by_role("link", name="Look").first.click()
        desk.get_by_role("button", name="Make version 1").click()
        desk.goto(f"/tasks/{SLUG}/")
        look_until(desk, desk.get_by_role("link", name="ideal", exact=True))
        ranks = desk.locator("tbody tr th, tbody tr [data-label=Rank]")
        assert ranks.count() >= 3
        desk.goto(f"/tasks/{SLUG}/datasheet/")
        expect(desk.locator("main")).to_contain_text("mtf")
        expect(desk.locator("main")).not_to_contain_text("loner")
        assert faults_of(desk) == []
