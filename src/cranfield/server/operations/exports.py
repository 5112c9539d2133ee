"""Export the public site as static files, or one task with its runs."""

from __future__ import annotations

import hashlib
import json
import logging
import re
import shutil
from contextlib import contextmanager
from html import escape
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urljoin, urlsplit

from django.conf import settings
from django.test import Client

from cranfield.core import ParameterError, Table
from cranfield.server.models import LabelVersion, Result, Snapshot, Submission, Task
from cranfield.server.site import blob_store
from cranfield.server.submissions.evaluation import values_of

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Mapping

KINDS = {"text/html": ".html", "image/svg+xml": ".svg", "image/png": ".png", "application/octet-stream": ".txt"}
# What needs a server: nobody who reads files can log in, submit, filter or compare.
LEFT_OUT = re.compile(
    r"/(log-in|log-out|sign-up|my|api|organise|operate|join|health)(/|$)|/(submit|join|withdraw|edit|compare)/?$"
)
LONG = 120  # characters of a name on a disk


def export_site(target: str | os.PathLike[str], *, progress: Callable[[int, int], object] | None = None) -> int:
    """Write every page that nobody has to log in for, as files that need no server; how many there are."""
    with _new(target) as folder, _quiet():
        return _write_site(folder, progress)


def _write_site(folder: Path, progress: Callable[[int, int], object] | None) -> int:
    client = Client(SERVER_NAME="localhost")
    waiting, seen = ["/"], {"/"}
    files: dict[str, str] = {}  # address → file
    pages: list[str] = []
    while waiting:
        address = waiting.pop(0)
        answer = client.get(address)
        kind = str(answer.headers.get("Content-Type", "")).partition(";")[0]
        name = file_of(address, kind)
        if answer.status_code != 200 or name is None:
            continue
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        with place.open("wb") as file:
            file.writelines(answer if answer.streaming else [answer.content])
        files[address] = name
        if kind == "text/html":
            pages.append(address)
            found = [one for one in links_in(place.read_text(encoding="utf-8"), address) if one not in seen]
            seen.update(found)
            waiting += dict.fromkeys(found)
        if progress:
            progress(len(files), len(files) + len(waiting))
    for address in pages:  # only now is it known which links lead to a file
        place = folder / files[address]
        place.write_text(made_local(place.read_text(encoding="utf-8"), address, files), encoding="utf-8")
    return len(files)


def file_of(address: str, kind: str = "text/html") -> str | None:
    """Where a page lies: a folder's page is its index. None for an address that no file should have."""
    *folders, last = [unquote(part) for part in address.split("/")[1:]]
    if any(part in (".", "..") for part in (*folders, last)):
        return None
    ending = KINDS.get(kind, "")
    name = "index.html" if not last else last if last.endswith(ending) else f"{last}{ending}"
    return "/".join(_on_disk(part) for part in (*folders, name))


def _on_disk(part: str) -> str:
    """A name for a disk: plain letters, and not too many."""
    plain = quote(part, safe=" ")
    if len(plain) <= LONG and plain:
        return plain
    return f"{plain[: LONG // 2]}-{hashlib.sha256(part.encode()).hexdigest()[:16]}{Path(plain).suffix[:8]}"


def inside(page: str, link: str) -> str | None:
    """The address within the site that a link on a page leads to; None if it leads away or needs a server."""
    parts = urlsplit(urljoin(f"http://here{page}", link))
    if parts.netloc != "here" or parts.scheme != "http" or parts.query or LEFT_OUT.search(parts.path):
        return None
    return parts.path


def links_in(text: str, address: str) -> list[str]:
    """The addresses within the site that a page leads to."""
    reader = Local(address, None)
    reader.feed(text)
    return reader.found


def made_local(text: str, address: str, files: Mapping[str, str]) -> str:
    """A page whose links lead to files; without what needs a server: forms, scripts, links to either."""
    reader = Local(address, files)
    reader.feed(text)
    reader.close()
    return re.sub(r"<li[^>]*>\s*</li>", "", "".join(reader.out))  # where a link was


class Local(HTMLParser):
    """Reads a page, and says it again as a file; without files, only where it leads to."""

    DROPPED = frozenset({"form", "script", "button", "input", "select", "textarea"})
    EMPTY = frozenset({"input", "link", "img", "meta", "br", "hr"})

    def __init__(self, address: str, files: Mapping[str, str] | None) -> None:
        super().__init__(convert_charrefs=False)
        self.address, self.files = address, files
        self.found: list[str] = []
        self.out: list[str] = []
        self._silent: list[str] = []  # elements that are left out, the outermost first
        self._bare: list[bool] = []  # for each open <a>: whether only its content stays
        up = len((file_of(address) or "").split("/")) - 1
        self._up = "../" * up

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep a tag, change its links, or leave it out with all that is in it."""
        told = dict(attrs)
        if self._silent or tag in self.DROPPED or told.get("name") == "htmx-config" or self._acts(tag, told):
            if tag not in self.EMPTY:
                self._silent.append(tag)
            return
        link = "href" if "href" in told else "src" if "src" in told else ""
        bare = False
        if link and tag != "use":
            told[link], bare = self._led(told[link] or "")
        if tag == "a":
            self._bare.append(bare)
        if not bare:
            self.out.append(self._said(tag, told))

    handle_startendtag = handle_starttag

    def _acts(self, tag: str, told: Mapping[str, str | None]) -> bool:
        """Whether it is a link to what needs a server."""
        parts = urlsplit(urljoin(f"http://here{self.address}", told.get("href") or ""))
        return tag == "a" and parts.netloc == "here" and bool(LEFT_OUT.search(parts.path))

    def _led(self, link: str) -> tuple[str, bool]:
        """The link as a file has it, and whether it leads nowhere."""
        if link.startswith("#") or urlsplit(urljoin(f"http://here{self.address}", link)).netloc != "here":
            return link, False
        there = inside(self.address, link)
        if there is None:  # another order of the same page
            return link, True
        self.found.append(there)
        name = (self.files or {}).get(there)
        fragment = urlsplit(link).fragment
        return f"{self._up}{quote(name or '')}{'#' * bool(fragment)}{fragment}", name is None

    def _said(self, tag: str, told: Mapping[str, str | None]) -> str:
        kept = {name: value for name, value in told.items() if not name.startswith("hx-")}
        text = self.get_starttag_text() or ""
        if kept == told and "href" not in told and "src" not in told:
            return text  # as it was, to the letter: SVG knows large letters
        words = "".join(
            f' {name}="{escape(value)}"' if value is not None else f" {name}" for name, value in kept.items()
        )
        return f"<{tag}{words}>"

    def handle_endtag(self, tag: str) -> None:
        """Close what was opened."""
        if self._silent:
            if tag in self._silent:
                while self._silent.pop() != tag:
                    pass
            return
        if tag == "a" and self._bare and self._bare.pop():
            return
        self.out.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        """Text."""
        if not self._silent:
            self.out.append(data)

    def handle_entityref(self, name: str) -> None:
        """A sign with a name."""
        self.handle_data(f"&{name};")

    def handle_charref(self, name: str) -> None:
        """A sign with a number."""
        self.handle_data(f"&#{name};")

    def handle_decl(self, decl: str) -> None:
        """What kind of page it is."""
        self.handle_data(f"<!{decl}>")


def export_task(slug: str, target: str | os.PathLike[str]) -> Path:
    """Everything of one task, for its organisers: judgments, topics, runs as they came, values, entries, the board."""
    task = Task.objects.filter(slug=slug).first()
    if task is None:
        known = ", ".join(Task.objects.values_list("slug", flat=True)) or "none"
        raise ParameterError(f"there is no task {slug}", hint=f"there are: {known}")
    with _new(target) as folder:
        _write_task(task, folder)
        return folder


def _write_task(task: Task, folder: Path) -> None:
    for version in LabelVersion.objects.filter(task=task):
        shutil.copyfile(blob_store.path_of(version.qrels_id), folder / f"qrels.{version.number}.txt")
    if task.topics_id:
        shutil.copyfile(blob_store.path_of(task.topics_id), folder / "topics.txt")
    (folder / "private.txt").write_text("".join(f"{topic}\n" for topic in task.private), encoding="utf-8")
    runs = folder / "runs"
    runs.mkdir()
    entries = []
    for run in Submission.objects.filter(task=task).select_related("team").order_by("received"):
        if run.blob_id:
            shutil.copyfile(blob_store.path_of(run.blob_id), runs / f"{run.key}.run")
        entries.append(
            {
                "run": run.name,
                "group": run.team.name,
                "date": run.received.date().isoformat(),
                "file": f"runs/{run.key}.run" if run.blob_id else "",
                "state": run.state,
                "kind": run.kind,
                "baseline": int(run.baseline),
                "description": run.description,
                "link": run.link,
                "value": run.stated,
            }
        )
    columns = ("run", "group", "date", "file", "state", "kind", "baseline", "description", "link", "value")
    Table.from_rows(entries, columns).to_csv(folder / "entries.csv")
    (folder / "metadata.json").write_text(
        json.dumps({run.name: run.metadata for run in task.submissions.all() if run.metadata}, indent=1),
        encoding="utf-8",
    )
    newest = task.version
    if newest is not None:
        rows = [
            {"run": result.submission.name, "measure": measure, "topic": topic, "value": value}
            for result in Result.objects.filter(version=newest).select_related("submission")
            for measure, values in values_of(result).items()
            for topic, value in values.items()
        ]
        Table.from_rows(rows, ("run", "measure", "topic", "value")).to_csv(folder / "values.csv")
    for kind in (Snapshot.PUBLIC, Snapshot.FULL):
        last = task.snapshots.filter(kind=kind).order_by("-number").first()
        if last is not None:
            shutil.copyfile(blob_store.path_of(last.document_id), folder / f"board.{kind}.json")


@contextmanager
def _quiet() -> Iterator[None]:
    """A page that is gone, such as that of a withdrawn run, is no news here."""
    log = logging.getLogger("django.request")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(level)


@contextmanager
def _new(target: str | os.PathLike[str]) -> Iterator[Path]:
    """A folder to fill; gone again if that does not come to its end."""
    folder = Path(target)
    if folder.resolve() == Path(settings.HOME.folder).resolve():
        raise ParameterError(f"{folder} is the home of the server", hint="choose another folder")
    if folder.resolve().is_relative_to(Path(settings.HOME.folder).resolve()):
        raise ParameterError(f"{folder} is in the home of the server", hint="choose another folder")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ParameterError(f"{folder} is not empty", hint="choose a new folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield folder
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
