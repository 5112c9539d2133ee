"""Two documents side by side in a real browser: keys, frames, a phone, the dark."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from django.urls import reverse

from cranfield.server.models import Vote
from cranfield.server.tasks import corpora
from tests.support.browser.served_site import faults_of
from tests.support.server.browser_login import log_in
from tests.support.server.preference_votes import judged, vote_all
from tests.support.server.users_and_tasks import DOCUMENTS, World, arrived

if TYPE_CHECKING:
    from playwright.sync_api import Page
    from pytest_django.live_server_helper import LiveServer

    from cranfield.server.models import Pool

pytestmark = [pytest.mark.once, pytest.mark.usefixtures("beside_a_browser")]


def with_texts(world: World) -> Pool:
    pool = judged(world)
    lines = [json.dumps({"id": name, "text": f"The text of {name}. " * 200}) for name in DOCUMENTS]
    corpora.set_corpus(pool.task, arrived("\n".join(lines), "documents.jsonl"), world.people["organiser"])
    world.work()
    return pool


def open_pairs(world: World, live_server: LiveServer, page: Page, pool: Pool, name: str = "assessor") -> None:
    log_in(page.context, world, live_server, name)
    page.goto(live_server.url + reverse("judge-pairs", args=[pool.key]))


def names_on(page: Page) -> tuple[str, str]:
    left, right = (page.locator(f"input[name={side}]").input_value() for side in ("left", "right"))
    return left, right


def press(page: Page, key: str) -> None:
    with page.expect_navigation():
        page.keyboard.press(key)


def test_keys_say_what_the_buttons_say(world_of_threads: World, live_server: LiveServer, page: Page) -> None:
    world = world_of_threads
    pool = with_texts(world)
    open_pairs(world, live_server, page, pool)
    choices = []
    for key in ("ArrowLeft", "ArrowRight", "=", "x"):
        left, right = names_on(page)
        page.wait_for_timeout(150)
        press(page, key)
        better = {"ArrowLeft": left, "ArrowRight": right}.get(key)
        choices.append((1 if better == min(left, right) else -1) if better else {"=": 0, "x": None}[key])
    votes = Vote.objects.order_by("id")
    assert [vote.choice for vote in votes] == choices
    assert all(0.1 <= vote.seconds < 60 for vote in votes)
    press(page, "u")
    assert sorted(names_on(page)) == [votes[3].pair.one, votes[3].pair.two]
    assert Vote.objects.filter(taken_back=None).count() == 3
    page.keyboard.press("?")
    assert page.locator("#keys").get_attribute("open") is not None
    page.locator("#use-keys").uncheck()
    page.keyboard.press("ArrowLeft")
    page.locator("#note").fill("= x u")  # keys that write are no answers
    page.wait_for_timeout(300)
    assert Vote.objects.filter(taken_back=None).count() == 3


def test_keys_work_after_a_click_in_a_document(world_of_threads: World, live_server: LiveServer, page: Page) -> None:
    world = world_of_threads
    open_pairs(world, live_server, page, with_texts(world))
    left, _ = names_on(page)
    inside = page.frame_locator(".pair-left iframe").locator("body")
    assert f"The text of {left}." in inside.inner_text()
    inside.click()
    press(page, "=")
    assert Vote.objects.get().choice == 0


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_axe_finds_nothing_serious_and_nothing_scrolls_sideways(
    world_of_threads: World, live_server: LiveServer, page: Page, width: int, colours: str
) -> None:
    world = world_of_threads
    pool = with_texts(world)
    page.set_viewport_size({"width": width, "height": 740})
    page.emulate_media(color_scheme="dark" if colours == "dark" else "light")
    open_pairs(world, live_server, page, pool, "organiser")
    page.locator("#keys summary").click()
    assert faults_of(page) == []
    tops = [page.locator(f".pair-{part}").bounding_box() for part in ("left", "say", "right")]
    heights = [box["y"] for box in tops if box is not None]
    assert heights == sorted(heights) if width == 360 else heights[0] == heights[2] < heights[1]
    vote_all(pool, world.people["organiser"])
    page.goto(live_server.url + reverse("pair-results", args=[pool.key]))
    assert faults_of(page) == []
    page.goto(live_server.url + reverse("judge-pairs", args=[pool.key]))
    assert faults_of(page) == []
