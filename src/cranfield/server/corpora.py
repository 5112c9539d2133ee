"""The documents of a task: read from a file or a dataset by a worker, shown to assessors, searched."""

from __future__ import annotations

import re
import tempfile
from contextlib import contextmanager
from itertools import islice
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import connection, transaction

from cranfield.data import DATASET, each_document, find_dataset

from . import audit, blobs, jobs
from .models import Corpus, Document, Task

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .models import User
    from .uploads import Arrived

MANY = 500  # documents that are written at once
FOUND = 50  # documents that a search shows
UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]")  # written without blanks between words
WORD = re.compile(r"\w+")
FTS5 = (
    "select d.* from document_words w join server_document d on d.id = w.rowid "
    "where document_words match %s and d.corpus_id = %s order by w.rank, d.id limit %s"
)
TSEARCH = (  # by the index of migration 0003
    "select d.* from server_document d, plainto_tsquery('simple', %s) q "
    "where to_tsvector('simple', title || ' ' || left(text, 500000)) @@ q and d.corpus_id = %s "
    "order by ts_rank(to_tsvector('simple', title || ' ' || left(text, 500000)), q) desc, d.id limit %s"
)


def set_corpus(task: Task, file: Arrived, by: User) -> Corpus:
    """Keep a file of documents, and ask for it to be read; what was there before is replaced."""
    name = PurePath(file.name or "documents.jsonl").name[:200]
    with _called(file.path, name) as path:
        next(iter(each_document(path, name=name)), None)  # one that cannot be read at all is refused at once
    with audit.acting():
        made = _ask(task, by, file=file.arriving.keep(), name=name)
        audit.record(by, "corpus", task=task, file=name, digest=made.file_id)
    return made


def set_dataset(task: Task, name: str, by: User) -> Corpus:
    """Ask for the documents that ir_datasets has under an id; what was there before is replaced."""
    name = DATASET + name.removeprefix(DATASET)
    find_dataset(name)  # one that nobody knows is refused at once
    with audit.acting():
        made = _ask(task, by, name=name)
        audit.record(by, "corpus", task=task, dataset=name)
    return made


def _ask(task: Task, by: User, **about: Any) -> Corpus:
    Corpus.objects.filter(task=task).delete()
    made = Corpus.objects.create(task=task, made_by=by, **about)
    jobs.put("corpus", task=task, corpus=made.pk)
    return made


@contextmanager
def _source(corpus: Corpus) -> Iterator[str | Path]:
    """Where the documents of a corpus are read from."""
    if corpus.file_id is None:
        yield corpus.name
    else:
        with _called(blobs.path_of(corpus.file_id), corpus.name) as path:
            yield path


@contextmanager
def _called(path: str | Path, name: str) -> Iterator[Path]:
    """A file under a name with its own ending, which says what it is."""
    with tempfile.TemporaryDirectory(dir=settings.HOME.incoming) as folder:
        there = Path(folder) / ("documents" + "".join(PurePath(name).suffixes[-2:]))
        there.symlink_to(Path(path).absolute())
        yield there


@jobs.kind("corpus")
def read(*, corpus: int) -> None:
    """Write documents as rows, so that they are found by name and by word."""
    found = Corpus.objects.filter(pk=corpus).first()
    if found is None or found.state == Corpus.READY:  # replaced meanwhile, or done by another worker
        return
    Document.objects.filter(corpus=found).delete()
    with _source(found) as source:
        every = each_document(source, name=found.name)
        while some := list(islice(every, MANY)):
            with transaction.atomic():
                jobs.confirm()
                Document.objects.bulk_create(
                    [Document(corpus=found, name=one.document, title=one.title, text=one.text) for one in some]
                )
    found.size, found.state = Document.objects.filter(corpus=found).count(), Corpus.READY
    found.save(update_fields=["size", "state"])


def read_again() -> None:
    """Ask for every corpus to be read, where rows of documents did not come along with the rest."""
    for found in Corpus.objects.filter(state=Corpus.READY):
        found.state = Corpus.WAITING
        found.save(update_fields=["state"])
        jobs.put("corpus", task=found.task, corpus=found.pk)


@jobs.if_failed("corpus")
def give_up(*, corpus: int, error: str) -> None:
    """Say why the documents could not be read."""
    said = error.partition("\n")[0][:400]
    Corpus.objects.filter(pk=corpus).update(state=Corpus.FAILED, failure=said)


def document_of(task: Task, name: str) -> Document | None:
    """A document by its name; None where the task has no corpus, or none with it."""
    return Document.objects.filter(corpus__task=task, name=name).first()


def search(task: Task, words: str, *, most: int = FOUND) -> list[Document]:
    """Documents that hold all of the words, the best first."""
    corpus = Corpus.objects.filter(task=task, state=Corpus.READY).first()
    wanted = [word for word in WORD.findall(words) if word.strip("_")]
    if corpus is None or not wanted:
        return []
    every = Document.objects.filter(corpus=corpus)
    if UNSPACED.search(words):
        for word in wanted:
            every = every.filter(text__contains=word) | every.filter(title__contains=word)
        return list(every.order_by("id")[:most])
    if connection.vendor == "sqlite":
        return list(Document.objects.raw(FTS5, [" ".join(f'"{word}"' for word in wanted), corpus.pk, most]))
    return list(Document.objects.raw(TSEARCH, [" ".join(wanted), corpus.pk, most]))
