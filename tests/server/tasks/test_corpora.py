"""Documents of a task: read by a worker, found by name and by word."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest

from cranfield.core import CranfieldError
from cranfield.server.models import Audit, Corpus, Document, Job
from cranfield.server.tasks import corpora
from tests.support.server.users_and_tasks import World, arrived

if TYPE_CHECKING:
    from cranfield.data import Found
    from tests.support.ir_datasets_catalogue import Catalogue

TEXTS = {
    "D01": ("Railways", "The marine railway lifts ships out of the sea."),
    "D02": ("", "Ships sail the sea; no railway is near. Café."),
    "D03": ("船と鉄道", "船は海を渡る。鉄道は陸を走る。"),
    "D04": ("سفينة", "السفينة في البحر"),
}
LINES = "".join(json.dumps({"docno": k, "title": t, "text": x}) + "\n" for k, (t, x) in TEXTS.items())


def test_a_file_becomes_documents_that_are_found(world: World) -> None:
    task = world.task()
    made = corpora.set_corpus(task, arrived(LINES, "docs.jsonl"), world.people["organiser"])
    assert made.state == Corpus.WAITING
    assert corpora.search(task, "railway") == []
    world.work()
    made.refresh_from_db()
    assert (made.state, made.size) == (Corpus.READY, 4)
    found = corpora.document_of(task, "D02")
    assert found is not None
    assert found.text.startswith("Ships sail")
    assert corpora.document_of(task, "D99") is None

    def names(words: str) -> list[str]:
        return [one.name for one in corpora.search(task, words)]

    assert sorted(names("RAILWAY sea")) == ["D01", "D02"]
    assert names("marine") == ["D01"]
    assert names("鉄道") == ["D03"]
    assert names("البحر") == ["D04"]
    assert names("railway desert") == []
    assert names('"; drop table -- *') == []
    assert names('sea" OR "x') == []
    assert names("") == []
    assert len(corpora.search(task, "sea", most=1)) == 1


def test_another_file_takes_the_place_of_the_first(world: World) -> None:
    task = world.task()
    corpora.set_corpus(task, arrived(LINES, "docs.jsonl"), world.people["organiser"])
    world.work()
    packed = gzip.compress(b'{"id": "X", "text": "other words"}\n')
    corpora.set_corpus(task, arrived(packed, "docs.jsonl.gz"), world.people["organiser"])
    world.work()
    assert list(Document.objects.values_list("name", flat=True)) == ["X"]
    assert corpora.search(task, "railway") == []
    assert [one.name for one in corpora.search(task, "words")] == ["X"]


def test_words_follow_a_text_that_changes(world: World) -> None:
    task = world.task()
    corpora.set_corpus(task, arrived(LINES, "docs.jsonl"), world.people["organiser"])
    world.work()
    Document.objects.filter(name="D01").update(text="A desert.")
    assert [one.name for one in corpora.search(task, "desert")] == ["D01"]
    assert corpora.search(task, "marine") == []
    Corpus.objects.all().delete()  # FTS5 takes a deletion of other words for a damaged file
    assert not Document.objects.exists()
    corpora.set_corpus(task, arrived(LINES, "docs.jsonl"), world.people["organiser"])
    world.work()
    assert [one.name for one in corpora.search(task, "marine")] == ["D01"]


@pytest.mark.parametrize(("text", "name", "problem"), [
    ("", "docs.jsonl", "no documents"),
    ("{nonsense\n", "docs.jsonl", "JSON"),
    ('{"id": "X"}\n', "docs.jsonl", "text"),
])  # fmt: skip
def test_what_is_no_corpus_is_refused_at_once(world: World, text: str, name: str, problem: str) -> None:
    task = world.task()
    with pytest.raises(CranfieldError, match=problem):
        corpora.set_corpus(task, arrived(text, name), world.people["organiser"])
    assert not Corpus.objects.exists()


def test_what_is_wrong_further_down_is_told(world: World) -> None:
    task = world.task()
    corpora.set_corpus(task, arrived(LINES + LINES, "docs.jsonl"), world.people["organiser"])
    world.work()
    made = Corpus.objects.get()
    assert made.state == Corpus.FAILED
    assert "D01 is there twice" in made.failure


def test_documents_in_use_stay_until_others_have_been_read_through(world: World) -> None:
    task, by = world.task(), world.people["organiser"]
    corpora.set_corpus(task, arrived(LINES, "docs.jsonl"), by)
    world.work()
    corpora.set_corpus(task, arrived(LINES.replace("D01", "E01") + LINES, "other.jsonl"), by)
    made = Corpus.objects.get()
    assert (made.name, made.state, made.coming_name) == ("docs.jsonl", Corpus.READY, "other.jsonl")
    world.work()
    made.refresh_from_db()
    assert (made.name, made.state, made.size, made.coming_id) == ("docs.jsonl", Corpus.READY, 4, None)
    assert "D02 is there twice" in made.failure
    page = world.client("organiser").get(f"/organise/{task.slug}/corpus/").content.decode()
    assert "The documents that were here stay." in page
    assert [one.name for one in corpora.search(task, "marine")] == ["D01"]
    corpora.set_corpus(task, arrived(LINES.replace("D01", "E01"), "good.jsonl"), by)
    assert (
        "good.jsonl takes its place" in world.client("organiser").get(f"/organise/{task.slug}/corpus/").content.decode()
    )
    world.work()
    made.refresh_from_db()
    assert (made.name, made.state, made.size, made.failure) == ("good.jsonl", Corpus.READY, 4, "")
    assert [one.name for one in corpora.search(task, "marine")] == ["E01"]


def test_what_is_replaced_while_it_is_read_is_left(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    task, by = world.task(), world.people["organiser"]
    monkeypatch.setattr(corpora, "MANY", 2)
    row, seen = corpora._row, []

    def interrupted(corpus: Corpus, one: Found) -> Document:
        seen.append(one.document)
        if len(seen) == 3:  # in the second batch
            corpora.set_corpus(task, arrived(LINES.replace("D0", "E0"), "other.jsonl"), by)
        return row(corpus, one)

    monkeypatch.setattr(corpora, "_row", interrupted)
    corpora.set_corpus(task, arrived(LINES, "docs.jsonl"), by)
    world.work()
    assert (Corpus.objects.get().name, Corpus.objects.get().state) == ("other.jsonl", Corpus.READY)
    assert sorted(Document.objects.values_list("name", flat=True)) == ["E01", "E02", "E03", "E04"]
    assert not Job.objects.filter(state=Job.FAILED).exists()


def test_letters_that_no_database_keeps(world: World) -> None:
    task, by = world.task(), world.people["organiser"]
    corpora.set_corpus(task, arrived('{"id": "A", "title": "a\\u0000b", "text": "c\\ud800d\\u0000"}\n', "d.jsonl"), by)
    world.work()
    made = Document.objects.get()
    assert (made.title, made.text) == ("a b", "c?d ")
    for name in ("A\\u0000", "A" * 401):
        Corpus.objects.all().delete()
        corpora.set_corpus(task, arrived(f'{{"id": "{name}", "text": "c"}}\n', "d.jsonl"), by)
        world.work()
        assert "the name of document 'A" in Corpus.objects.get().failure


def test_a_file_that_grows_without_end_is_refused(world: World) -> None:
    packed = gzip.compress(b'{"id": "A", "text": "' + b" " * (65 << 20) + b'"}\n')
    with pytest.raises(CranfieldError, match="a line is longer than 64 MB"):
        corpora.set_corpus(world.task(), arrived(packed, "docs.jsonl.gz"), world.people["organiser"])


def test_a_dataset_is_read_by_its_id(world: World, catalogue: Catalogue) -> None:
    task = world.task()
    named = catalogue.add("cranfield-test/ships", catalogue.documents())
    made = corpora.set_dataset(task, "cranfield-test/ships", world.people["organiser"])
    assert (made.name, made.file_id, made.state) == (named, None, Corpus.WAITING)
    assert Audit.objects.get(what="corpus").about == {"dataset": named}
    world.work()
    made.refresh_from_db()
    assert (made.state, made.size) == (Corpus.READY, 2)
    assert [one.name for one in corpora.search(task, "railway")] == ["D2"]
    Document.objects.all().delete()  # as after a backup came back
    corpora.read_again()
    world.work()
    assert [one.name for one in corpora.search(task, "railway")] == ["D2"]
    corpora.set_corpus(task, arrived(LINES, "docs.jsonl"), world.people["organiser"])
    world.work()
    assert Corpus.objects.get().size == 4


def test_a_dataset_that_is_unknown_or_has_no_documents_is_refused_at_once(world: World, catalogue: Catalogue) -> None:
    task = world.task()
    corpora.set_corpus(task, arrived(LINES, "docs.jsonl"), world.people["organiser"])
    queries = catalogue.package.formats.TsvQueries(catalogue.file("queries.tsv", "1\tbees\n"))
    named = catalogue.add("cranfield-test/queries", queries)
    for name, problem in (("no/such", "knows no such id"), (named, "has no documents")):
        with pytest.raises(CranfieldError, match=problem):
            corpora.set_dataset(task, name, world.people["organiser"])
    assert Corpus.objects.get().name == "docs.jsonl"


def test_a_dataset_that_cannot_be_had_is_told(world: World, catalogue: Catalogue) -> None:
    library = catalogue.package
    away = library.util.Download([library.util.RequestsDownload("http://127.0.0.1:9/docs.tsv", tries=1)])
    named = catalogue.add("cranfield-test/away", library.formats.TsvDocs(away))
    corpora.set_dataset(world.task(), named, world.people["organiser"])
    world.work()
    made = Corpus.objects.get()
    assert made.state == Corpus.FAILED
    assert made.failure.startswith(f"{named}: the data cannot be had: ")


def test_a_file_may_be_called_like_a_dataset(world: World) -> None:
    corpora.set_corpus(world.task(), arrived(LINES, "ir_datasets:docs.jsonl"), world.people["organiser"])
    world.work()
    assert (Corpus.objects.get().state, Corpus.objects.get().size) == (Corpus.READY, 4)
