"""The page of the corpus: a file is taken or refused with its line, read, searched, looked at."""

from __future__ import annotations

import gzip
import json
import sys
from typing import TYPE_CHECKING

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from cranfield.server.models import Audit, Corpus
from cranfield.server.tasks.pages.corpora import marked
from tests.support.server.users_and_tasks import DOCUMENTS, World

if TYPE_CHECKING:
    from tests.support.ir_datasets_catalogue import Catalogue

TEXTS = {name: f"Ships sail the sea. This is {name}." for name in DOCUMENTS[:7]}
LINES = "".join(json.dumps({"docno": name, "title": f"On {name}", "text": text}) + "\n" for name, text in TEXTS.items())
PAGE = "/organise/ad-hoc/corpus/"


def upload(world: World, text: str | bytes, name: str = "docs.jsonl") -> str:
    content = text.encode() if isinstance(text, str) else text
    sent = {"corpus": SimpleUploadedFile(name, content)}
    return world.client("organiser").post(PAGE, sent, follow=True).content.decode()


def shown(world: World, question: str = "") -> str:
    answer = world.client("organiser").get(PAGE + question)
    assert answer.status_code == 200
    return answer.content.decode()


def test_it_is_for_organisers_alone(world: World) -> None:
    world.task()
    assert reverse("task-corpus", args=["ad-hoc"]) == PAGE
    for who in ("alice", "assessor", "loner"):
        assert world.client(who).get(PAGE).status_code == 404
        sent = {"corpus": SimpleUploadedFile("docs.jsonl", LINES.encode())}
        assert world.client(who).post(PAGE, sent).status_code == 404
    assert world.client().get(PAGE).status_code == 302
    assert not Corpus.objects.exists()


def test_a_file_is_taken_read_and_counted(world: World) -> None:
    world.received()
    assert "No corpus is here yet" in shown(world)
    text = upload(world, LINES)
    assert "docs.jsonl is here, and is being read." in text
    assert "being read</span>" in text
    assert 'hx-trigger="every 2s"' in text
    world.work()
    text = shown(world)
    assert "7 documents" in text
    assert "every 2s" not in text
    # The runs hold the ten documents D01 … D10, seven of which have a text.
    assert "<strong>7 of 10</strong> documents among the first 100 of each of 4 runs have a text" in text
    named = text.split("without one</span> ")[1].split("</dd>")[0]
    assert sorted(named.split(", ")) == ["D08", "D09", "D10"]
    assert Audit.objects.filter(what="corpus").count() == 1
    upload(world, gzip.compress(b'{"id": "D08", "text": "other words"}\n'), "docs.jsonl.gz")
    world.work()
    assert "<strong>1 of 10</strong>" in shown(world)


def test_a_task_without_runs_has_nothing_to_count(world: World) -> None:
    world.task()
    upload(world, LINES)
    world.work()
    assert "no run is in yet" in shown(world)


@pytest.mark.parametrize(("text", "said"), [
    ("{nonsense\n", "docs.jsonl cannot be used: nothing was changed."),
    ('{"id": "X"}\n', "E-"),
    ("", "The file is empty."),
])  # fmt: skip
def test_what_is_no_corpus_is_refused_and_the_first_stays(world: World, text: str, said: str) -> None:
    world.task()
    upload(world, LINES)
    world.work()
    assert said in upload(world, text)
    assert Corpus.objects.get().size == 7
    sent = world.client("organiser").post(PAGE)
    assert "Choose a file of documents, or name a dataset: one of the two." in sent.content.decode()


def test_an_error_at_the_beginning_is_told_with_its_line(world: World) -> None:
    world.task()
    text = upload(world, '\n{"id": "X", "text": \n')
    assert "1 problem" in text
    assert '<td class="number">2</td>' in text
    assert not Corpus.objects.exists()


def test_an_error_further_down_is_told_with_its_line(world: World) -> None:
    world.task()
    upload(world, LINES + LINES)
    world.work()
    text = shown(world)
    assert "failed</span>" in text
    assert "docs.jsonl:8: document D01 is there twice" in text  # the first line of the second half


def test_a_file_beyond_the_cap_is_told_so(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.task()
    monkeypatch.setattr(settings, "OPTIONS", settings.OPTIONS.__class__(upload_mb=1))
    text = upload(world, b"x" * ((1 << 20) + 1))
    assert "The file is larger than 1 MB. Pack it with gzip or zstd." in text
    assert "Choose a file" not in text


def test_words_are_found_and_marked(world: World) -> None:
    world.task()
    upload(world, LINES + json.dumps({"docno": "a/b ?&", "text": "<b>Other</b> words & a SEA"}) + "\n")
    world.work()
    text = shown(world, "?q=sail+D03")
    assert "1 document with all of these words" in text
    assert "Ships <mark>sail</mark> the sea. This is <mark>D03</mark>." in text
    assert "document=D03" in text
    found = shown(world, "?q=other")
    assert "&lt;b&gt;<mark>Other</mark>&lt;/b&gt; words &amp; a SEA" in found
    link = "?" + found.split('href="?')[1].split('"')[0].replace("&amp;", "&")
    whole = shown(world, link)
    assert "&lt;b&gt;Other&lt;/b&gt; words &amp; a SEA" in whole
    assert "Back to what was found" in whole
    assert "No document has all of these words." in shown(world, "?q=desert")
    assert "No document has all of these words." in shown(world, "?q=%22%3B")
    assert world.client("organiser").get(PAGE + "?document=D99").status_code == 404


def test_a_snippet_stands_around_the_first_word() -> None:
    text = "a " * 200 + "needle" + " b" * 200
    found = marked(text, "Needle")
    assert found.startswith("… a a")
    assert found.endswith("b …")
    assert "<mark>needle</mark>" in found
    assert len(found) == 300 + len("… ") + len(" …") + len("<mark></mark>")
    whole = marked("seven " * 90 + "needle" + " eleven" * 90, "needle")  # no word is cut
    assert set(whole.removeprefix("… ").removesuffix(" …").split()) == {"seven", "<mark>needle</mark>", "eleven"}
    assert marked("<i> needles", "needle") == "&lt;i&gt; needles"  # another word
    assert marked("船は海を渡る。", "海") == "船は<mark>海</mark>を渡る。"
    assert marked("some text", "…") == "some text"


def name_dataset(world: World, name: str) -> str:
    return world.client("organiser").post(PAGE, {"dataset": name}, follow=True).content.decode()


def test_a_dataset_is_named_instead_of_a_file(world: World, catalogue: Catalogue) -> None:
    world.received()
    lines = "".join(f"{name}\t{text}\n" for name, text in TEXTS.items())
    catalogue.add("cranfield-test/ships", catalogue.documents(lines))
    text = name_dataset(world, "cranfield-test/ships")
    assert "cranfield-test/ships is being read." in text
    assert ">ir_datasets:cranfield-test/ships</h2>" in text
    world.work()
    text = shown(world)
    assert "7 documents" in text
    assert "<strong>7 of 10</strong>" in text
    assert "<dt>Asked for</dt>" in text
    assert "<dt>Size</dt>" not in text
    told = world.client("organiser").get("/tasks/ad-hoc/datasheet.json").json()
    assert told["corpus"] == {"documents": 7, "dataset": "ir_datasets:cranfield-test/ships"}
    assert b"ir_datasets:cranfield-test/ships" in world.client("organiser").get("/tasks/ad-hoc/datasheet/").content


def test_a_dataset_that_nobody_knows_is_refused_with_a_hint(world: World, catalogue: Catalogue) -> None:
    world.task()
    catalogue.add("ships-and-railways", catalogue.documents())
    text = name_dataset(world, "ships-and-railway")
    assert "ships-and-railway cannot be used: nothing was changed." in text
    assert "E-DATASET" in text
    assert "did you mean ships-and-railways?" in text
    assert not Corpus.objects.exists()
    sent = {"corpus": SimpleUploadedFile("docs.jsonl", LINES.encode()), "dataset": "ships-and-railways"}
    text = world.client("organiser").post(PAGE, sent).content.decode()
    assert "one of the two" in text
    assert not Corpus.objects.exists()


def test_without_the_library_no_dataset_is_asked_for(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.task()
    assert 'name="dataset"' in shown(world)
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    assert 'name="dataset"' not in shown(world)
    assert "Choose a file of documents." in name_dataset(world, "beir/scifact")
    assert not Corpus.objects.exists()
    assert "docs.jsonl is here, and is being read." in upload(world, LINES)
