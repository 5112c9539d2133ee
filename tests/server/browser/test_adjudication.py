"""Deciding in a real browser: the time on the document goes with the decision."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

import pytest
from django.urls import reverse

from cranfield.server.models import Judgment
from tests.support.server.judging_campaigns import differing

if TYPE_CHECKING:
    from playwright.sync_api import Page
    from pytest_django.live_server_helper import LiveServer

    from tests.support.server.users_and_tasks import World

pytestmark = [pytest.mark.once, pytest.mark.usefixtures("beside_a_browser")]


def test_the_time_on_a_document_is_kept_with_what_is_decided(
    world_of_threads: World, live_server: LiveServer, page: Page
) -> None:
    world = world_of_threads
    pool = differing(world)
    cookie = world.client("beth").cookies["cranfield"].value
    page.context.add_cookies([{"name": "cranfield", "value": cookie, "url": live_server.url}])
    page.goto(live_server.url + reverse("judge-decide", args=[pool.key]))
    page.wait_for_timeout(1500)
    begun = monotonic()
    for _ in range(2):
        with page.expect_navigation():
            page.get_by_role("button", name="1 relevant").click()
    took = monotonic() - begun
    first, second = Judgment.objects.filter(kind=Judgment.LAST).order_by("id")
    assert 1.4 < first.seconds < 60
    assert 0 <= second.seconds < took  # each document begins at 0
