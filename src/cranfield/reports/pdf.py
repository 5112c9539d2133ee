"""PDF version of a report, printed from its HTML page."""

from os import PathLike
from pathlib import Path

from cranfield.core import MissingExtra, need

from .html_page import to_html
from .report import Report


def to_pdf(report: Report, path: str | PathLike[str]) -> None:
    """Print the page into a PDF with bookmarks and tags; nothing outside it is read."""
    try:
        weasyprint = need("weasyprint", extra="report")
    except OSError as error:  # it is installed, and does not find what pip cannot bring
        hint = "install Pango; on Debian: apt install libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0"
        raise MissingExtra("a PDF needs the library Pango", hint=hint) from error
    fetcher = weasyprint.urls.URLFetcher(allowed_protocols=("data",))
    page = weasyprint.HTML(string=to_html(report), url_fetcher=fetcher)
    Path(path).write_bytes(page.write_pdf(pdf_tags=True))
