"""Audit log: a hash chain of actions, each written in the transaction that it records."""

from __future__ import annotations

import hashlib
import json
import threading
from contextlib import contextmanager
from datetime import UTC
from typing import TYPE_CHECKING, Any

from django.db import connection, transaction
from django.utils import timezone

from cranfield.server.models import Audit, Task

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from cranfield.server.models import User

START = "0" * 64  # before the first act
LOCK = 0x43524E46  # of PostgreSQL: one writer of the chain at a time
_here = threading.local()  # the acts of the transaction that this thread is in


@contextmanager
def acting() -> Iterator[None]:
    """A transaction whose acts are written down as its last step, so that nobody waits while holding the log."""
    outer: list[Audit] | None = getattr(_here, "acts", None)
    acts = [] if outer is None else outer
    before = len(acts)
    _here.acts = acts
    try:
        with transaction.atomic():
            yield
            if outer is None:
                _write(acts)
    except BaseException:
        del acts[before:]
        raise
    finally:
        _here.acts = outer


def record(who: User | str | None, what: str, *, task: Task | None = None, **about: Any) -> Audit:
    """Write down an act at the end of the transaction that does it: see :func:`acting`; outside of one, now."""
    name = who if isinstance(who, str) else who.username if who else "the server"
    row = Audit(at=timezone.now(), who=name, what=what, task=task.slug if task else "", about=_plain(about))
    acts: list[Audit] | None = getattr(_here, "acts", None)
    if acts is None:
        with transaction.atomic():
            _write([row])
    else:
        acts.append(row)
    return row


def _write(acts: list[Audit]) -> None:
    if acts and connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("select pg_advisory_xact_lock(%s)", [LOCK])
    for row in acts:
        row.previous = Audit.objects.order_by("-id").values_list("digest", flat=True).first() or START
        row.digest = digest_of(row)
        row.save()


def _plain(value: Any) -> Any:
    """What comes back from either database as it went in: PostgreSQL turns 1e16 into a whole number."""
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def digest_of(row: Audit) -> str:
    """What the row says and the digest before it, as one digest."""
    said = [_moment(row.at), row.who, row.what, row.task, row.about, row.previous]
    return hashlib.sha256(json.dumps(said, sort_keys=True, ensure_ascii=True, allow_nan=False).encode()).hexdigest()


def _moment(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def broken() -> Iterator[tuple[int, str]]:
    """The rows that are not as they were written, with what is wrong; none if the chain holds."""
    previous = START
    for row in Audit.objects.order_by("id").iterator(2000):
        if row.previous != previous:
            yield row.pk, "what stood before it was removed or changed"
        if digest_of(row) != row.digest:
            yield row.pk, "it was changed"
        previous = row.digest


def holds(digest: str) -> bool:
    """Whether the digest that was once the last is still there; if not, the end was cut off, or all is anew."""
    return digest == START or Audit.objects.filter(digest=digest).exists()


def head() -> tuple[int, str]:
    """How many acts there are, and the last digest, to be noted elsewhere: see :func:`holds`."""
    return Audit.objects.count(), Audit.objects.order_by("-id").values_list("digest", flat=True).first() or START
