"""A running ``cranfield serve`` for browser tests, and pages whose errors and requests are recorded."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.support.cli.server_process import ROOT, ended, first_line, free_port, started

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Locator, Page

PATIENCE = 30_000  # milliseconds: the machine may be busy
expect.set_options(timeout=PATIENCE)
REPLACED = ("htmx:sendAbort", "htmx:afterRequest")  # a newer request took the place of one that was on its way


@dataclass
class Served:
    """A server that answers."""

    url: str
    said: Path
    """What it said on stderr."""
    password: str = ""
    """Everybody's."""
    keys: dict[str, str] = field(default_factory=dict)
    """Of runs, by task/name; of a pool, by its task."""
    files: dict[str, str] = field(default_factory=dict)
    """Runs, judgments and topics to hand in."""
    kept: dict[str, Any] = field(default_factory=dict)
    """Cookies of people who logged in once."""

    @property
    def link(self) -> str:
        """The link that makes the first account, as it was printed."""
        [found] = re.findall(r"^  (http\S+)$", self.said.read_text(), re.MULTILINE)
        return str(found)


@contextmanager
def serving(folder: Path, *, filled: bool = True) -> Iterator[Served]:
    """A server over a new home, with people and tasks in it or without."""
    home, said, told = folder / "home", folder / "said.txt", dict[str, Any]()
    if filled:
        words = [sys.executable, "-m", "tests.support.browser.site_content", str(home)]
        made = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
        assert made.returncode == 0, made.stderr
        told = json.loads(made.stdout)
    process = started("serve", "--home", str(home), "--port", str(free_port()), said=said)
    try:
        yield Served(first_line(process, said), said, **told)
    finally:
        assert ended(process) == 0


class Walk:
    """Somebody on their way through the site; what the browser complains about, and whom it asks, is written down."""

    def __init__(self, browser: Browser, served: Served, who: str = "", **look: Any) -> None:
        self.served, self.faults = served, list[str]()
        self.refusals: set[int] = set()
        """Statuses of answers that this walk is meant to get."""
        look.setdefault("viewport", {"width": 1280, "height": 800})
        self.context = browser.new_context(base_url=served.url, **look)
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("request", self._request)
        if who:
            self.log_in(who)

    def _console(self, message: Any) -> None:
        meant = any(f"status of {status} " in message.text for status in self.refusals)
        meant |= message.text.startswith(REPLACED)
        if message.type in ("error", "warning") and not meant:
            self.faults.append(f"{self.page.url}: {message.text}")

    def _request(self, request: Any) -> None:
        if not request.url.startswith((f"{self.served.url}/", "data:", "blob:")):
            self.faults.append(f"{self.page.url} asked {urlsplit(request.url).netloc}")

    def log_in(self, who: str) -> None:
        """Log in as people do, which ends on the front page; a second time the cookies of the first do."""
        if who in self.served.kept:
            self.context.add_cookies(self.served.kept[who])
            self.page.goto("/")
        else:
            self.page.goto("/log-in/")
            self.page.get_by_label("Account").fill(who)
            self.page.get_by_label("Password").fill(self.served.password)
            self.page.get_by_role("button", name="Log in").click()
            expect(self.page.locator(".menu summary")).to_have_text(who)
            self.served.kept[who] = self.context.cookies()

    def __enter__(self) -> Page:
        return self.page

    def __exit__(self, kind: object, *_: object) -> None:
        self.context.close()
        if kind is None:
            assert not self.faults


def upload(name: str, text: str) -> Any:
    """A file as a person chooses it."""
    return {"name": name, "mimeType": "text/plain", "buffer": text.encode()}


def look_until(page: Page, there: Locator) -> None:
    """Load the page again until the workers have done what it is to show."""
    until = time.monotonic() + 2 * PATIENCE / 1000
    while not there.count():
        assert time.monotonic() < until, f"{page.url} never showed {there}"
        page.wait_for_timeout(250)
        page.reload()
    expect(there.first).to_be_visible()


def faults_of(page: Page, *rules: str) -> list[str]:
    """What axe finds serious or critical, by these rules or by all, and whether the page is wider than its window."""
    found = [
        f"{page.url}: {one['id']}: {one['nodes'][0]['html']}"
        for one in Axe().run(page, options={"runOnly": list(rules)} if rules else None).response["violations"]
        if one["impact"] in ("serious", "critical")
    ]
    room, wide = page.evaluate("[document.documentElement.clientWidth, document.documentElement.scrollWidth]")
    return found + [f"{page.url}: {wide} pixels wide in {room}"] * (wide > room)
