"""The site as files, and a task as files: whole, readable without a server, and nothing that is not for everybody."""

from __future__ import annotations

import csv
import json
import re
from datetime import timedelta
from html.parser import HTMLParser
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import pytest
from django.conf import settings
from django.utils import timezone

from cranfield.core import ParameterError
from cranfield.server.jobs.scheduled_jobs import close
from cranfield.server.models import Announcement, Snapshot, Submission, Task
from cranfield.server.operations.exports import export_site, export_task, file_of, inside, made_local
from cranfield.server.site import blob_store
from tests.support.server.users_and_tasks import run_text

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.server.users_and_tasks import World


@pytest.fixture
def site(world: World, tmp_path: Path) -> Path:
    """A site with an open and a closed task, with a hidden and an unnamed run, as files."""
    soon = timezone.now().date() + timedelta(days=20)
    task = world.filled(private=4, embargo_days=30, anonymous_days=30, runs_public=True, labels_public=True)
    world.hand_in(task, "under-embargo", 3, embargo=soon, text=run_text("planted-secret", 3))
    world.hand_in(task, "without-name", 4, team="Beta", anonymous=soon)
    Announcement.objects.create(
        task=task, by=world.people["organiser"], text="See [the site](https://example.org/a?b=c)"
    )
    over = world.task("over", runs_public=True, labels_public=True, title='Over & <b>"out"</b>')
    world.hand_in(over, "last one (1)", 2, text=run_text("last", 2))
    close(task_id=over.pk, by="organiser")
    world.task("draft", state=Task.DRAFT, title="planted-draft")
    world.task("closed-shop", invited_only=True, title="planted-invited")
    world.work()
    seen: list[tuple[int, int]] = []
    count = export_site(tmp_path / "site", progress=lambda *step: seen.append(step))
    files = [path for path in (tmp_path / "site").rglob("*") if path.is_file()]
    assert count == len(files) == seen[-1][0] == seen[-1][1]
    return tmp_path / "site"


class Leads(HTMLParser):
    """Every address a page names, and every tag."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.tags: set[str] = set()
        self.names: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.names.update(name for name, _ in attrs)
        self.links += [value or "" for name, value in attrs if name in ("href", "src", "action", "srcset")]


def test_every_link_leads_to_a_file_and_nothing_asks_for_a_server(site: Path) -> None:
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 30
    for page in pages:
        read = Leads(page.read_text(encoding="utf-8"))
        assert not read.tags & {"form", "script", "input", "button", "iframe"}, page
        assert not any(name.startswith(("hx-", "on")) for name in read.names), page
        assert read.links
        for link in read.links:
            parts = urlsplit(link)
            if parts.scheme or link.startswith("#"):
                assert parts.scheme in ("", "https"), link
                continue
            assert parts.path, f"{page}: {link}"
            assert not parts.path.startswith("/"), f"{page}: {link}"
            assert (page.parent / unquote(parts.path)).is_file(), f"{page}: {link}"


def test_the_pages_that_everybody_reads_are_there(site: Path) -> None:
    names = {str(path.relative_to(site)) for path in site.rglob("*")}
    last = Snapshot.objects.filter(task__slug="ad-hoc", kind=Snapshot.PUBLIC).count()
    wanted = {"index.html", "static/server/site.css", "tasks/ad-hoc/index.html", "tasks/over/index.html"}
    wanted |= {f"tasks/ad-hoc/{page}/index.html" for page in ("about", "methods", "history", "downloads")}
    wanted |= {f"tasks/ad-hoc/boards/{last}/board.{ending}" for ending in ("csv", "json")}
    wanted |= (
        {f"tasks/ad-hoc/boards/{last}/ranks/index.html"} if f"tasks/ad-hoc/boards/{last}/ranks" in names else set()
    )
    wanted |= {
        f"runs/{run.key}/index.html" for run in Submission.objects.filter(name__in=("ideal", "good", "last one (1)"))
    }
    assert wanted <= names
    assert any(name.endswith(".svg") and "/picture/" in name for name in names)
    text = (site / "tasks" / "ad-hoc" / "index.html").read_text(encoding="utf-8")
    assert 'href="https://example.org/a?b=c"' in text
    assert "Over &amp; &lt;b&gt;" in (site / "index.html").read_text(encoding="utf-8")


def test_nothing_that_is_not_for_everybody_is_in_it(site: Path) -> None:
    hidden = Submission.objects.get(name="under-embargo")
    unnamed = Submission.objects.get(name="without-name")
    secrets = [b"planted-", b"under-embargo", b"without-name", hidden.key.encode(), b"csrfmiddlewaretoken", b"alice"]
    secrets += [str(hidden.blob_id).encode(), str(unnamed.blob_id).encode()]
    for path in site.rglob("*"):
        assert hidden.key not in path.name
        if path.is_file():
            content = path.read_bytes()
            assert not [secret for secret in secrets if secret in content], path
    private = re.compile(rb"\b(309|310|311|312)\b")  # the private topics of the open task
    for path in (site / "tasks" / "ad-hoc").rglob("*.csv"):
        assert not private.search(path.read_bytes()), path


def test_what_a_page_becomes() -> None:
    files = {"/": "index.html", "/tasks/x/": "tasks/x/index.html", "/tasks/x/p?": "never", "/a%20b": "a%20b.html"}
    for before, after in (
        ('<a href="/tasks/x/#top">x</a>', '<a href="../../tasks/x/index.html#top">x</a>'),
        ('<a class="k" href="/gone/">x <b>y</b></a>', "x <b>y</b>"),
        ('<a href="?sort=value">Value</a>', "Value"),
        ('<a href="/a%20b">x</a>', '<a href="../../a%2520b.html">x</a>'),
        ('<a href="https://example.org/?a=1&amp;b=2">x</a>', '<a href="https://example.org/?a=1&amp;b=2">x</a>'),
        ('<li><a href="/log-in/?next=/">Log in <i>now</i></a></li>', ""),
        ('<p><a href="/tasks/x/submit/">Submit</a></p>', "<p></p>"),
        ('<form><label>a<input name="x"><select><option>1</select></label></form>b', "b"),
        ('a<input type="checkbox" form="f">b', "ab"),
        ('<div hx-get="/x" class="c" hidden>d</div>', '<div class="c" hidden>d</div>'),
        ('<svg viewBox="0 0 1 1"><rect X="1"/></svg>', '<svg viewBox="0 0 1 1"><rect X="1"/></svg>'),
        ("&amp;&#65;<br>é", "&amp;&#65;<br>é"),
        ("<!DOCTYPE html>", "<!DOCTYPE html>"),
        ('<script src="/static/x.js"></script>c', "c"),
        ('<meta name="htmx-config" content="{}">c', "c"),
    ):
        assert made_local(before, "/tasks/y/", files) == after, before


def test_where_a_page_lies() -> None:
    assert file_of("/") == "index.html"
    assert file_of("/tasks/x/") == "tasks/x/index.html"
    assert file_of("/tasks/x/picture/ranks", "image/png") == "tasks/x/picture/ranks.png"
    assert file_of("/board.csv", "text/csv") == "board.csv"
    assert file_of("/static/site.css", "text/css") == "static/site.css"
    for wicked in ("/tasks/../../etc/", "/%2e%2e/x", "/tasks/%2E%2E/", "/."):
        assert file_of(wicked) is None
    assert file_of("/topics/..%2F..%2Fetc/") == "topics/..%2F..%2Fetc/index.html"
    assert file_of("/topics/a%00b/") == "topics/a%00b/index.html"
    long = file_of(f"/topics/{'x' * 400}/")
    assert long is not None
    assert max(len(part) for part in long.split("/")) < 120
    assert long != file_of(f"/topics/{'x' * 401}/")


def test_what_is_inside_the_site() -> None:
    assert inside("/tasks/x/", "../y/") == "/tasks/y/"
    for away in ("https://example.org/", "//example.org/x", "mailto:a@b", "/log-in/", "/my/runs/", "/api/docs", "?q=1"):
        assert inside("/tasks/x/", away) is None


def test_a_task_as_files(world: World, tmp_path: Path) -> None:
    task = world.task(private=4)
    world.hand_in(
        task,
        "ideal",
        0,
        description='says "x", y',
        text=run_text("ideal", header="# ir_metadata.start\n# tag: a\n# ir_metadata.end"),
    )
    world.hand_in(task, "poor", 5, team="Beta", kind="manual")
    world.work()
    with blob_store.incoming() as topics:
        topics.write(b"301\twhat is it\n")
        Task.objects.filter(pk=task.pk).update(topics=topics.keep())
    folder = export_task("ad-hoc", tmp_path / "task")
    names = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    runs = {run.name: run for run in Submission.objects.all()}
    assert names == {
        *("qrels.1.txt", "topics.txt", "private.txt", "entries.csv", "metadata.json", "values.csv"),
        *("board.public.json", "board.full.json"),
        *(f"runs/{run.key}.run" for run in runs.values()),
    }
    assert (folder / "private.txt").read_text().split() == task.private
    assert (folder / "runs" / f"{runs['poor'].key}.run").read_text() == run_text("poor", 5)
    with (folder / "entries.csv").open(newline="") as file:
        entries = {row["run"]: row for row in csv.DictReader(file)}
    assert entries["poor"]["group"] == "Beta"
    assert (entries["poor"]["kind"], entries["poor"]["state"]) == ("manual", "scored")
    assert entries["ideal"]["description"] == 'says "x", y'
    with (folder / "values.csv").open(newline="") as file:
        values = list(csv.DictReader(file))
    assert len(values) == 2 * 2 * 12  # runs, measures, topics
    assert {row["value"] for row in values if row["run"] == "ideal" and row["measure"] == "nDCG@10"} == {"1.0"}
    assert json.loads((folder / "board.full.json").read_text())["kind"] == "full"
    assert json.loads((folder / "metadata.json").read_text()) == {"ideal": runs["ideal"].metadata}


def test_what_an_export_refuses(world: World, tmp_path: Path) -> None:
    del world
    with pytest.raises(ParameterError, match="there is no task x") as error:
        export_task("x", tmp_path / "a")
    assert error.value.hint == "there are: none"
    assert not (tmp_path / "a").exists()
    (tmp_path / "file").write_text("mine")
    for target in (tmp_path, tmp_path / "file"):
        with pytest.raises(ParameterError, match="is not empty"):
            export_site(target)
    with pytest.raises(ParameterError, match="is the home of the server"):
        export_site(settings.HOME.folder)
    with pytest.raises(ParameterError, match="is in the home of the server"):
        export_site(settings.HOME.folder / "blobs" / "site")
    assert (tmp_path / "file").read_text() == "mine"
