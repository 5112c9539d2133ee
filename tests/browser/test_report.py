"""A report in a real browser: light and dark, narrow and wide, without network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from cranfield.reports import to_html
from tests.support.sample_reports import STRANGE, sample

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page, Route

LOOKS = [(scheme, width) for scheme in ("light", "dark") for width in (320, 1400)]

# For every text on the page: its colour, and the first background behind it that is not transparent.
CONTRASTS = """() => {
  const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const part = (c) => { c /= 255; return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
  const light = ([r, g, b]) => 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  const behind = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const found = numbers(getComputedStyle(e).backgroundColor);
      if (found.length < 4 || found[3] > 0) return found;
    }
    return [255, 255, 255];
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || element.closest("script, style, svg, .anchor")) continue;
    const [one, two] = [light(numbers(getComputedStyle(element).color)), light(behind(element))];
    const ratio = (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05);
    found.push([ratio, element.tagName + "." + element.className, walker.currentNode.textContent.slice(0, 40)]);
  }
  return found;
}"""


class Opened:
    """A report that was opened, with what it asked for and complained about."""

    def __init__(self, page: Page, path: Path) -> None:
        self.page, self.said, self.asked = page, list[str](), list[str]()
        page.set_default_timeout(10_000)
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.route("**/*", self._let_pass)
        page.goto(path.as_uri())

    def _let_pass(self, route: Route) -> None:
        self.asked.append(route.request.url)
        route.continue_()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Two reports: one as they come, one on runs with the worst of names."""
    folder = tmp_path_factory.mktemp("reports")
    pages = {"plain": sample(), "strange": sample(a=STRANGE[3], b=" ".join(STRANGE[:3]), title=STRANGE[3])}
    for name, report in pages.items():
        (folder / f"{name}.html").write_text(to_html(report), encoding="utf-8")
    return {name: folder / f"{name}.html" for name in pages}


@pytest.fixture(params=LOOKS, ids=lambda look: f"{look[0]}-{look[1]}")
def look(request: pytest.FixtureRequest, browser: Browser) -> Iterator[Page]:
    """A page as somebody has it before them."""
    scheme, width = request.param
    context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 800})
    yield context.new_page()
    context.close()


@pytest.fixture
def wide(browser: Browser, made: dict[str, Path]) -> Iterator[Opened]:
    context = browser.new_context(viewport={"width": 1400, "height": 800})
    opened = Opened(context.new_page(), made["plain"])
    yield opened
    context.close()
    assert not opened.said


@pytest.mark.parametrize("name", ["plain", "strange"])
def test_it_opens_offline_and_quietly(look: Page, made: dict[str, Path], name: str) -> None:
    opened = Opened(look, made[name])
    assert opened.said == []
    assert [url for url in opened.asked if not url.startswith(("file:", "data:"))] == []
    assert opened.asked[0] == made[name].as_uri()


@pytest.mark.parametrize("name", ["plain", "strange"])
def test_the_page_itself_never_scrolls_sideways(look: Page, made: dict[str, Path], name: str) -> None:
    page = Opened(look, made[name]).page
    for details in page.locator("summary").all():
        details.click()
    widths: Any = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    assert widths[0] <= widths[1]


def test_text_stands_out_from_what_is_behind_it(look: Page, made: dict[str, Path]) -> None:
    page = Opened(look, made["plain"]).page
    for details in page.locator("summary").all():
        details.click()
    found: list[Any] = page.evaluate(CONTRASTS)
    assert len(found) > 100
    assert [text for text in found if text[0] < 4.5] == []


def test_dark_is_dark_and_charts_stay_on_white(browser: Browser, made: dict[str, Path]) -> None:
    context = browser.new_context(color_scheme="dark")
    page = Opened(context.new_page(), made["plain"]).page
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgb(22, 23, 27)"
    assert page.locator(".card").first.evaluate("e => getComputedStyle(e).backgroundColor") == "rgb(255, 255, 255)"
    context.close()


def test_contents_lead_to_their_sections(wide: Opened) -> None:
    links = wide.page.locator("nav a").all()
    assert [link.inner_text() for link in links][:2] == ["Is it better?", "Means"]
    for link in links:
        link.click()
        target = wide.page.locator(":target")
        expect(target).to_be_in_viewport()
        assert target.inner_text().endswith(link.inner_text())
    # The contents stay in sight beside the last section.
    expect(wide.page.locator("nav")).to_be_in_viewport()


def test_citations_lead_to_their_references(wide: Opened) -> None:
    wide.page.locator(".cite").first.click()
    expect(wide.page.locator("li:target")).to_contain_text("Jacob Cohen")


def test_headers_sort_whole_tables(wide: Opened) -> None:
    table = wide.page.get_by_role("region", name="Systems").locator("table")
    header = table.get_by_role("button", name="mean")

    def runs() -> list[str]:
        return table.locator("tbody th").all_inner_texts()

    assert runs() == ["bm25", "dense", "fused"]
    header.click()
    header.click()
    assert runs() == ["fused", "dense", "bm25"]
    assert table.locator("thead th").nth(1).get_attribute("aria-sort") == "descending"
    table.get_by_role("button", name="run").click()
    assert runs() == ["bm25", "dense", "fused"]
    assert table.locator("[aria-sort]").count() == 1


def test_blocks_can_be_copied(browser: Browser, made: dict[str, Path]) -> None:
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = Opened(context.new_page(), made["plain"]).page
    box = page.locator("section", has=page.locator("#made"))
    box.get_by_role("button", name="Copy").click()
    expect(box.get_by_role("button")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()").startswith("cranfield report qrels.txt")
    context.close()


def test_it_reads_the_same_without_scripts(browser: Browser, made: dict[str, Path]) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(made["plain"].as_uri())
    expect(page.get_by_role("heading", name="dense against bm25")).to_be_visible()
    expect(page.get_by_role("button")).to_have_count(0)
    page.locator("summary", has_text="LaTeX").first.click()
    expect(page.locator("details[open] pre")).to_contain_text("\\toprule")
    context.close()


def test_a_stranger_cannot_run_a_script(browser: Browser, tmp_path: Path) -> None:
    """Should a name ever slip through as HTML, the policy stops it."""
    text = to_html(sample()).replace(
        "</main>", "<script>document.title = 'taken'</script><img src=x onerror=alert(1)></main>"
    )
    path = tmp_path / "report.html"
    path.write_text(text, encoding="utf-8")
    context = browser.new_context()
    opened = Opened(context.new_page(), path)
    assert opened.page.title() == "dense against bm25"
    assert any("Content Security Policy" in said for said in opened.said)
    context.close()
