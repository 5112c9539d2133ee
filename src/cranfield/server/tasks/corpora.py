"""Load the documents of a task from a file or dataset, and search them."""

from __future__ import annotations

import re
import tempfile
from contextlib import contextmanager
from itertools import islice
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from cranfield.core import InputError
from cranfield.data import DATASET, Limits, each_document, find_dataset
from cranfield.server.jobs import job_queue
from cranfield.server.models import Corpus, Document, Task
from cranfield.server.operations import audit_log
from cranfield.server.site import blob_store

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cranfield.data import Found
    from cranfield.server.models import Blob, User
    from cranfield.server.site.uploads import Arrived

MANY = 500  # documents that are written at once
LINE = 64 << 20  # bytes of a line of a file: a document
LONGEST = 400  # letters of the name of a document
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
    """Keep a file of documents, and ask for it to be read."""
    name = PurePath(file.name or "documents.jsonl").name[:200]
    with _called(file.path, name) as path:
        next(iter(each_document(path, name=name, limits=_limits())), None)  # what is no such file is refused at once
    with audit_log.acting():
        kept = file.arriving.keep()
        made = _ask(task, by, name, kept)
        audit_log.record(by, "corpus", task=task, file=name, digest=kept.pk)
    return made


def set_dataset(task: Task, name: str, by: User) -> Corpus:
    """Ask for the documents that ir_datasets has under an id."""
    name = DATASET + name.removeprefix(DATASET)
    find_dataset(name)  # one that nobody knows is refused at once
    with audit_log.acting():
        made = _ask(task, by, name)
        audit_log.record(by, "corpus", task=task, dataset=name)
    return made


def _ask(task: Task, by: User, name: str, file: Blob | None = None) -> Corpus:
    """Ask for documents to be read; those in use stay until the others have been read through."""
    made = Corpus.objects.select_for_update(no_key=True).filter(task=task, state=Corpus.READY).first()
    if made is None:
        Corpus.objects.filter(task=task).delete()
        made = Corpus.objects.create(task=task, made_by=by, name=name, file=file)
    else:
        made.coming, made.coming_name, made.made_by, made.failure = file, name, by, ""
        made.save(update_fields=["coming", "coming_name", "made_by", "failure"])
    job_queue.put("corpus", task=task, corpus=made.pk)
    return made


def _limits() -> Limits:
    """How much a file of documents may hold."""
    return Limits(bytes=settings.OPTIONS.unpacked_mb << 20, line=LINE)


@contextmanager
def _documents(file: str | None, name: str) -> Iterator[Iterator[Found]]:
    """The documents of a file, or of a dataset where there is none."""
    if file is None:
        yield each_document(name)
    else:
        with _called(blob_store.path_of(file), name) as path:
            yield each_document(path, name=name, limits=_limits())


@contextmanager
def _called(path: str | Path, name: str) -> Iterator[Path]:
    """A file under a name with its own ending, which says what it is."""
    with tempfile.TemporaryDirectory(dir=settings.HOME.incoming) as folder:
        there = Path(folder) / ("documents" + "".join(PurePath(name).suffixes[-2:]))
        there.symlink_to(Path(path).absolute())
        yield there


@job_queue.kind("corpus")
def read(*, corpus: int) -> None:
    """Write documents as rows, so that they are found by name and by word."""
    found = Corpus.objects.filter(pk=corpus).first()
    if found is None or (found.coming_name and not _replace(found)):
        return
    if found.state == Corpus.READY:  # done by another worker
        return
    Document.objects.filter(corpus=found).delete()
    with _documents(found.file_id, found.name) as every:
        while some := [_row(found, one) for one in islice(every, MANY)]:
            with transaction.atomic():
                job_queue.confirm()
                if not Corpus.objects.select_for_update(no_key=True).filter(pk=corpus).exists():  # replaced meanwhile
                    return
                Document.objects.bulk_create(some)
    found.size, found.state = Document.objects.filter(corpus=found).count(), Corpus.READY
    found.save(update_fields=["size", "state"])


def _replace(found: Corpus) -> bool:
    """Read through what is to come, then let it take the place of what is there; False: something else is to come."""
    with _documents(found.coming_id, found.coming_name) as every:
        for one in every:
            _row(found, one)
    with transaction.atomic():
        job_queue.confirm()
        same = Corpus.objects.filter(pk=found.pk, coming=found.coming_id, coming_name=found.coming_name)
        now = {"file": found.coming_id, "name": found.coming_name, "made": timezone.now(), "state": Corpus.WAITING}
        taken = same.update(coming=None, coming_name="", **now)
    found.refresh_from_db()
    return bool(taken)


def _row(corpus: Corpus, one: Found) -> Document:
    if "\0" in one.document or len(one.document) > LONGEST:
        what = f"the name of document {one.document[:20]!r} cannot be kept"
        raise InputError(what, hint=f"give it one of at most {LONGEST} letters", code="E-NAMES", file=one.file)
    title, text = (part.replace("\0", " ") for part in (one.title, one.text))  # PostgreSQL knows no such letter
    return Document(corpus=corpus, name=one.document, title=title, text=text)


def read_again() -> None:
    """Ask for every corpus to be read, where rows of documents did not come along with the rest."""
    for found in Corpus.objects.filter(state=Corpus.READY):
        found.state = Corpus.WAITING
        found.save(update_fields=["state"])
        job_queue.put("corpus", task=found.task, corpus=found.pk)


@job_queue.if_failed("corpus")
def give_up(*, corpus: int, error: str) -> None:
    """Say why the documents could not be read; those that are in use stay."""
    said = error.partition("\n")[0][:400]
    found = Corpus.objects.filter(pk=corpus)
    if not found.exclude(coming_name="").update(coming=None, coming_name="", failure=said):
        found.update(state=Corpus.FAILED, failure=said)


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
