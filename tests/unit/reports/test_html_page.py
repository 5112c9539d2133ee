"""The page: one file, the same bytes each time, harmless whatever runs are called."""

import base64
import hashlib
import json
import re
import sys
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest

from cranfield.core import MissingExtra, ParameterError, Study, Table
from cranfield.reports import Section, compose, keep, read_report, to_html
from cranfield.reports.embedded_charts import Drawn, draw_all
from tests.support.sample_reports import STRANGE, analysed, compared, sample

BIDI = set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c")


class Read(HTMLParser):
    """What a browser would make of a page: the tags with their attributes, and the text outside scripts."""

    VOID = frozenset({"meta", "link", "br", "hr", "img", "input"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> closes nothing"

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("script", "style"):
            self.text += data

    def every(self, attribute: str) -> list[str]:
        return [str(found[attribute]) for _, found in self.tags if attribute in found]


@pytest.fixture(scope="module")
def page() -> str:
    return to_html(sample())


def test_equal_reports_give_equal_pages(page: str) -> None:
    assert to_html(sample()) == page


def test_every_tag_is_closed_and_every_id_is_there_once(page: str) -> None:
    read = Read(page)
    assert read.open == []
    assert not [name for name, times in Counter(read.every("id")).items() if times > 1]


def test_links_lead_to_places_on_the_page(page: str) -> None:
    read = Read(page)
    links = [str(found["href"]) for tag, found in read.tags if tag == "a"]
    assert links
    assert {link.removeprefix("#") for link in links} <= set(read.every("id"))


def test_nothing_is_loaded_from_elsewhere(page: str) -> None:
    read = Read(page)
    assert not [tag for tag, _ in read.tags if tag in {"iframe", "object", "embed", "img", "form", "base"}]
    assert not read.every("src")
    assert [found["href"] for tag, found in read.tags if tag == "link"] == ["data:,"]
    assert "@import" not in page
    assert not re.findall(r"url\((?!#)", page)


def test_the_policy_allows_this_script_alone(page: str) -> None:
    policy = next(
        str(found["content"]) for _, found in Read(page).tags if found.get("http-equiv") == "Content-Security-Policy"
    )
    script = re.search(r"<script>(.*?)</script>", page, re.DOTALL)
    assert script
    digest = base64.b64encode(hashlib.sha256(script[1].encode()).digest()).decode()
    assert policy.split("; ") == [
        "default-src 'none'",
        "style-src 'unsafe-inline'",
        "img-src data:",
        f"script-src 'sha256-{digest}'",
        "base-uri 'none'",
        "form-action 'none'",
    ]


@pytest.mark.parametrize("name", STRANGE)
def test_names_of_strangers_do_no_harm(name: str, tmp_path: Path) -> None:
    report = sample(a=name, b=f"the other {name}", title=f"{name} again")
    text = to_html(report)
    text.encode("utf-8")
    read = Read(text)
    assert read.open == []
    tags = Counter(tag for tag, _ in read.tags)
    plain = Counter(tag for tag, _ in Read(to_html(sample())).tags)
    assert tags["script"] == 2
    assert not {tag for tag in tags if tag not in plain}
    assert not set(text) & BIDI
    assert not [attribute for _, found in read.tags for attribute in found if attribute.startswith("on")]
    assert "49" not in re.findall(r"report qrels\.txt (\d+)", read.text)
    path = tmp_path / "report.html"
    path.write_text(text, encoding="utf-8")
    assert read_report(path) == keep(report)


def test_the_page_keeps_every_digit() -> None:
    values = [0.1 + 0.2, 1e-300, 1 / 3, None, 5e-324]
    study = Study("x", {"t": Table({"v": values, "n": [2**60, -1, 0, 1, 2]})}, {"sentence": "</script><!-- & <script>"})
    text = to_html(compose([Section("t", study)], title="t"))
    inside = re.search(r'id="cranfield-report">(.*?)</script>', text, re.DOTALL)
    assert inside
    data = json.loads(inside[1])
    assert [row["v"] for row in data["studies"][0]["tables"]["t"]] == values
    assert [row["n"] for row in data["studies"][0]["tables"]["t"]] == [2**60, -1, 0, 1, 2]
    assert data["studies"][0] == study.as_dict()
    assert (data["contract"], data["command"]) == (2, [])
    assert "<" not in inside[1]


def test_verdicts_stand_on_top_and_in_their_section(page: str) -> None:
    said = "dense answers more topics than bm25; neither is better."
    assert Read(page).text.count(said) == 2
    alone = to_html(compose([Section("t", compared())], title="t"))
    assert Read(alone).text.count(said) == 1
    assert "Summary" not in alone


def test_tables_of_the_details_are_folded_below_the_others() -> None:
    section = Section("t", compared(), tables={"topics": "", "overall": "", "outcomes": ""}, details=["overall"])
    html = to_html(compose([section], title="t"))
    start, end = (
        html.index('<details class="more">'),
        html.rindex("</details>", 0, html.index('<section aria-labelledby="methods"')),
    )
    assert html.index('id="topics"') < html.index('id="outcomes"') < start < html.index('id="overall"') < end
    with pytest.raises(ParameterError, match="does not show the table 'dominance'"):
        Section("t", compared(), tables={"topics": ""}, details=["dominance"])


def test_long_tables_are_cut_and_say_so(page: str) -> None:
    assert "the first 25 of 40 rows; the rest is in the data of this page" in page
    text = to_html(compose([Section("t", compared(topics=1_001), rows=3)], title="t"))
    assert "the first 3 of 1,001 rows" in text
    assert "LaTeX (3 of 1,001 rows)" in text
    assert "CSV (3 of 1,001 rows)" in text
    whole = to_html(compose([Section("t", compared(topics=1_000), rows=3)], title="t"))
    assert "LaTeX (" not in whole
    assert whole.count("q999") > text.count("q999") == 1  # in the data


def test_a_table_without_rows_says_so(page: str) -> None:
    assert "no rows" in Read(page).text
    assert "nothing at all" in Read(page).text


def test_columns_that_say_one_thing_are_told_above(page: str) -> None:
    assert "a: bm25 · b: dense" in re.sub(r"\s+", " ", Read(page).text)


def test_the_only_row_of_a_wide_table_stands_upright() -> None:
    row: dict[str, list[object]] = {f"c{i}": [i / 8] for i in range(8)}
    row |= {"mean": [0.5], "low": [None], "high": [None], "p": [1e-20]}
    row |= {"value": [0.25], "value_low": [0.125], "value_high": [None], "<b>": ["<i>"]}
    text = to_html(compose([Section("t", Study("x", {"t": Table(row)}))], title="t"))
    lines = re.findall(r'<tr><th scope="row">(.*?)</th><td class="number">(.*?)</td></tr>', text)
    assert lines[:2] == [("c0", "0.0000"), ("c1", "0.1250")]
    assert lines[8:] == [("mean", "0.5000"), ("p", "&lt; 1e-10"), ("value", "0.2500 [0.1250, ]")]
    assert "<b>: <b>" not in text  # told above the table, harmless
    assert "&lt;b&gt;: <b>&lt;i&gt;</b>" in text
    narrow = to_html(compose([Section("t", Study("x", {"t": Table({"a": [1], "b": [2]})}))], title="t"))
    assert '<th scope="col" class="number">b</th>' in narrow


def test_keys_in_cells_are_numbers_too() -> None:
    table = Table({"check": ["skew", "ties"], "why": ["five topics do (blanca2017)", "none (unheard2001)"]})
    text = to_html(compose([Section("t", Study("x", {"t": table}))], title="t"))
    assert 'five topics do <a href="#ref-1">[1]</a></td>' in text
    assert "none (unheard2001)</td>" in text
    assert "Is ANOVA Still a Valid Option?" in text


def test_only_tables_that_are_whole_can_be_sorted() -> None:
    text = to_html(compose([Section("t", compared(topics=30), tables={"topics": "", "overall": ""})], title="t"))
    regions = re.findall(r'class="scroll size-\d( sorts)?"', text)
    assert regions == ["", " sorts"]


def test_every_table_is_there_as_latex_and_csv(page: str) -> None:
    assert page.count("\\begin{tabular}") == 6  # all tables but the one without rows
    assert "q39,0.025,-0.075" in page


def test_citations_are_numbered_and_listed(page: str) -> None:
    text = " ".join(Read(page).text.split())
    assert "Then the rest. [1] [no_such_key]" in text  # of two paragraphs the last
    assert "RR@10 is ordinal [2]" in text
    assert "Jacob Cohen (1988). Statistical Power Analysis" in text
    assert "@book{cohen1988," in text
    numbers = [int(str(found["value"])) for tag, found in Read(page).tags if tag == "li" and "value" in found]
    assert numbers == list(range(1, len(numbers) + 1))


def test_sources_without_words_have_a_line_of_their_own() -> None:
    text = to_html(compose([Section("t", analysed(), cite="holm1979")], title="t"))
    assert "Sources: [1]" in Read(text).text


def test_definitions_show_code_as_code(page: str) -> None:
    assert "The share of <code>b</code> minus that of <code>a</code>." in page


def test_how_it_was_made_holds_no_clock(page: str) -> None:
    text = " ".join(Read(page).text.split())
    assert "cranfield report qrels.txt bm25 dense -m 'RR@10 nDCG@10' -o report.html" in text
    assert f'qrels.txt</th><td>qrels</td><td class="digest"><code>{"ab" * 32}</code>' in page
    assert "with the seed 7" in text
    bare = to_html(compose([Section("t", Study("x", {"t": Table({"x": [1]})}))], title="t"))
    assert "seed" not in Read(bare).text
    assert "makes it again" not in bare
    assert "Methods" not in bare
    assert "References" not in bare


def test_charts_say_what_they_are_and_share_no_id(page: str) -> None:
    pictures = [found for tag, found in Read(page).tags if tag == "svg"]
    assert len(pictures) == 2
    assert all(found["role"] == "img" and "Means of RR@10" in str(found["aria-label"]) for found in pictures)


def test_ids_of_a_picture_are_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    inside = '<clipPath id="clip0"/><g clip-path="url(#clip0)"><use xlink:href="#mark" data-id="x"/></g>'
    svg = f'<svg width="1">{inside}</svg>'
    monkeypatch.setattr("cranfield.charts.save", lambda picture, path: path.write_text(svg))
    drawn = Drawn("x", None, 'a "title" <b>', "", "")  # type: ignore[arg-type]
    assert drawn.svg(3) == (
        '<svg role="img" aria-label="a &quot;title&quot; &lt;b&gt;" width="1"><clipPath id="chart-3-clip0"/>'
        '<g clip-path="url(#chart-3-clip0)"><use xlink:href="#chart-3-mark" data-id="x"/></g></svg>'
    )


def test_a_chart_without_rows_becomes_a_word() -> None:
    nothing = Study("x", {"systems": Table({"run": [], "mean": []})}, charts=("intervals",))
    assert draw_all(nothing, ("intervals",)) == (
        [],
        ["there is no chart intervals: there is nothing to draw: systems has no rows"],
    )
    assert "there is no chart intervals" in to_html(compose([Section("t", nothing)], title="t"))


def test_titles_without_letters_have_anchors_too() -> None:
    study = Study("x", {"t": Table({"x": [1]})})
    titles = ["比較", "Methods", "比較", "methods", "Ref 1", "Main"]
    text = to_html(compose([Section(title, study, tables={"t": "測試"}) for title in titles], title="t"))
    found = Read(text).every("id")
    assert {"section-1", "methods-2", "section-3", "methods-4", "table-1", "on-ref-1", "main-6"} <= set(found)
    assert len(found) == len(set(found))


def test_without_jinja_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from cranfield.reports import html_page

    html_page._template.cache_clear()
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(MissingExtra) as caught:
        to_html(compose([Section("t", Study("x", {}))], title="t"))
    assert caught.value.hint == "pip install 'cranfield[report]'"
