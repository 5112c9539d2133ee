"""Chromium opens a page of ours, clicks, and draws what a person would see."""

from __future__ import annotations

import io
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Page

PAGE = """<!doctype html>
<html lang="en">
<title>runs</title>
<link rel="icon" href="data:,">
<h1 style="color: #1b5e20">Two runs</h1>
<button onclick="document.querySelector('output').textContent = 'dense is better'">Compare</button>
<output>nothing yet</output>
<div style="width: 300px; height: 100px; background: linear-gradient(90deg, #0d47a1, #ff6f00)"></div>
</html>
"""


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def site(tmp_path: Path) -> Iterator[str]:
    (tmp_path / "index.html").write_text(PAGE, encoding="utf-8")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietHandler, directory=str(tmp_path))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


def test_a_click_changes_the_page(page: Page, site: str) -> None:
    page.goto(site)
    expect(page.locator("output")).to_have_text("nothing yet")
    page.get_by_role("button", name="Compare").click()
    expect(page.locator("output")).to_have_text("dense is better")


def test_a_screenshot_shows_the_page(page: Page, site: str) -> None:
    page.goto(site)
    picture = np.asarray(Image.open(io.BytesIO(page.screenshot())).convert("RGB"))
    assert picture.shape == (600, 800, 3)
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 100  # the gradient
    red, green, blue = picture[:80, :400].astype(int).transpose(2, 0, 1)
    assert ((green - red > 40) & (green - blue > 40)).sum() > 200  # the letters of the heading
