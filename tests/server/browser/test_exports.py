"""A site that was written as files, opened from the disk in Chromium."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.server import home_subprocess

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page


def test_a_site_opens_from_the_disk_with_its_pictures(page: Page, tmp_path: Path) -> None:
    home_subprocess.ask(tmp_path / "home", "make_filled")
    done = home_subprocess.cranfield("export", "site", "--static", "--home", "home", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    site = tmp_path / "site"
    assert done.stdout == f"site: {sum(path.is_file() for path in site.rglob('*'))} files\n"
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
    page.on("requestfailed", lambda request: said.append(f"{request.url}: {request.failure}"))
    page.goto((site / "index.html").as_uri())
    assert page.evaluate("document.styleSheets.length") == 1
    page.get_by_role("link", name="The ad-hoc task").first.click()
    assert page.url == (site / "tasks" / "ad-hoc" / "index.html").as_uri()
    pictures = 0
    for path in sorted((site / "tasks").rglob("*.html")):
        page.goto(path.as_uri())
        page.wait_for_load_state()
        widths = page.evaluate("[...document.images].map(one => one.naturalWidth)")
        assert all(width > 100 for width in widths), path
        pictures += len(widths)
    assert pictures >= 3
    left = [one for one in said if "ERR_ABORTED" not in one]  # an icon, when the next page was quicker
    assert left == []
