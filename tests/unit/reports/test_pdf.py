"""Reports as PDF, and in parts for a paper."""

import re
import sys
import zlib
from pathlib import Path

import pytest

from cranfield.core import MissingExtra
from cranfield.reports import Section, compose, to_pdf, write_parts
from tests.support.sample_reports import STRANGE, analysed, compared, sample


def streams(pdf: bytes) -> bytes:
    """What is packed inside a PDF."""
    packed = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", pdf, re.DOTALL)
    return b"\n".join(zlib.decompress(part) for part in packed if part[:1] == b"x")


def test_a_report_becomes_a_pdf(tmp_path: Path) -> None:
    path = tmp_path / "report.pdf"
    to_pdf(sample(), path)
    made = path.read_bytes()
    assert made.startswith(b"%PDF-")
    assert made.rstrip().endswith(b"%%EOF")
    inside = made + streams(made)
    # Titles are bookmarks; letters on pages are numbers of glyphs.
    for title in (b"dense against bm25", b"Is it better?", b"How this report was made"):
        assert title in inside or title.decode().encode("utf-16-be") in inside
    assert inside.count(b"/Type /Page\n") + inside.count(b"/Type /Page/") + inside.count(b"/Type /Page ") >= 2
    again = tmp_path / "again.pdf"
    to_pdf(sample(), again)
    assert again.read_bytes() == made


def test_names_of_strangers_are_printed_too(tmp_path: Path) -> None:
    for number, name in enumerate(STRANGE):
        report = compose([Section(name, compared(name, "b"), tables={"outcomes": ""})], title=name)
        to_pdf(report, tmp_path / f"{number}.pdf")
        assert (tmp_path / f"{number}.pdf").read_bytes().startswith(b"%PDF-")


def test_nothing_outside_the_page_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = tmp_path / "secret.css"
    secret.write_text("* { color: red }")
    asked: list[str] = []
    monkeypatch.setattr("urllib.request.OpenerDirector.open", lambda *about, **more: asked.append(str(about)))
    to_pdf(
        compose([Section("t", compared(), words=f'<link rel="stylesheet" href="{secret.as_uri()}">')], title="t"),
        tmp_path / "r.pdf",
    )
    assert asked == []


def test_without_weasyprint_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "weasyprint", None)
    with pytest.raises(MissingExtra) as caught:
        to_pdf(sample(), tmp_path / "report.pdf")
    assert caught.value.hint == "pip install 'cranfield[report]'"
    assert not (tmp_path / "report.pdf").exists()


def test_without_pango_the_packages_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def lacks(module: str, *, extra: str = "") -> None:
        raise OSError("cannot load library 'libpango-1.0-0'")

    monkeypatch.setattr("cranfield.reports.pdf.need", lacks)
    with pytest.raises(MissingExtra, match="needs the library Pango") as caught:
        to_pdf(sample(), tmp_path / "report.pdf")
    assert "libpangoft2-1.0-0" in caught.value.hint


def test_parts_are_files_for_a_paper(tmp_path: Path) -> None:
    report = compose(
        [Section("Is it better?", compared(topics=30), tables={"topics": ""}), Section("Means", analysed())], title="t"
    )
    written = write_parts(report, tmp_path / "new" / "parts")
    assert [path.name for path in written] == [
        "1-compare-topics.tex",
        "1-compare-topics.csv",
        "2-anova-intervals.svg",
        "2-anova-intervals.png",
        "2-anova-intervals.pdf",
        "2-anova-systems.tex",
        "2-anova-systems.csv",
        "2-anova-days.tex",
        "2-anova-days.csv",
    ]
    assert sorted(written) == sorted((tmp_path / "new" / "parts").iterdir())
    latex = written[0].read_text()
    assert "\\toprule" in latex
    assert "every topic (a: bm25; b: dense)" in latex
    assert "q29" in latex  # all rows
    assert written[1].read_text() == compared(topics=30)["topics"].to_csv()
    assert written[2].read_text().startswith("<svg")
    assert written[3].read_bytes().startswith(b"\x89PNG")
    assert written[4].read_bytes().startswith(b"%PDF")
