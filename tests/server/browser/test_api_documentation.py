"""The page of the API in a real browser: under the strict policy, without any other site."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page, Request
    from pytest_django.live_server_helper import LiveServer


pytestmark = pytest.mark.usefixtures("beside_a_browser")


def test_the_page_works_and_asks_nobody_else(live_server: LiveServer, page: Page) -> None:
    said: list[str] = []

    def note(request: Request) -> None:
        if not request.url.startswith((live_server.url, "data:")):
            said.append(request.url)

    page.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
    page.on("request", note)
    page.goto(f"{live_server.url}/api/docs")
    page.get_by_text("/api/tasks/{slug}/submissions").first.wait_for()
    page.get_by_text("/api/health").first.click()
    page.get_by_text("Try it out").first.click()
    page.get_by_text("Execute").first.click()
    page.get_by_text('"status": "ok"').first.wait_for()
    assert said == []
