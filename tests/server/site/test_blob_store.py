"""Files by their hash: whole or not there, once, and never where a user says."""

from __future__ import annotations

import gc
import hashlib
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from django.conf import settings
from django.db import transaction

from cranfield.server.models import Blob
from cranfield.server.site import blob_store
from tests.support.server.concurrency import in_threads

if TYPE_CHECKING:
    from collections.abc import Callable

CONTENT = b"1 Q0 a 1 1.0 mine\n"
DIGEST = hashlib.sha256(CONTENT).hexdigest()


def on_their_way() -> list[Path]:
    return list(Path(settings.HOME.incoming).iterdir())


def in_the_store() -> list[str]:
    return sorted(path.name for path in Path(settings.HOME.blobs).rglob("*") if path.is_file())


@pytest.mark.django_db
def test_content_is_found_by_its_hash() -> None:
    made = blob_store.put(CONTENT)
    assert (made.digest, made.size, str(made)) == (DIGEST, len(CONTENT), DIGEST)
    assert blob_store.read(DIGEST) == CONTENT
    assert blob_store.is_sound(DIGEST)
    assert blob_store.path_of(DIGEST).relative_to(settings.HOME.blobs).parts == (DIGEST[:2], DIGEST)
    assert blob_store.path_of(DIGEST).stat().st_mode & 0o777 == 0o600
    assert on_their_way() == []


@pytest.mark.django_db
def test_the_same_content_is_kept_once_and_may_come_in_pieces() -> None:
    first = blob_store.put(CONTENT)
    second = blob_store.put(CONTENT[i : i + 1] for i in range(len(CONTENT)))
    assert first == second
    assert Blob.objects.count() == 1
    assert in_the_store() == [DIGEST]


@pytest.mark.django_db
def test_what_is_not_kept_is_gone() -> None:
    with blob_store.incoming() as file:
        file.write(CONTENT)
        assert len(on_their_way()) == 1
    assert on_their_way() == []
    with suppress(ZeroDivisionError), blob_store.incoming() as file:
        file.write(CONTENT)
        _ = 1 / 0
    assert (on_their_way(), in_the_store(), Blob.objects.count()) == ([], [], 0)


@pytest.mark.django_db
def test_what_is_simply_forgotten_is_gone_too() -> None:
    file = blob_store.Incoming()
    file.write(CONTENT)
    del file  # its sender broke off, and nobody asks for it any more
    gc.collect()
    assert on_their_way() == []


@pytest.mark.django_db
def test_what_is_kept_stays_when_its_handle_goes() -> None:
    file = blob_store.Incoming()
    file.write(CONTENT)
    file.keep()
    file.drop()
    del file
    gc.collect()
    assert blob_store.is_sound(DIGEST)


@pytest.mark.django_db
def test_a_damaged_file_is_known_and_mended_when_the_content_comes_again() -> None:
    blob_store.put(CONTENT)
    path = blob_store.path_of(DIGEST)
    path.write_bytes(CONTENT[:-1] + b"!")
    assert not blob_store.is_sound(DIGEST)
    path.write_bytes(CONTENT[:5])  # as after a crash of the file system
    assert not blob_store.is_sound(DIGEST)
    blob_store.put(CONTENT)
    assert blob_store.is_sound(DIGEST)
    path.unlink()
    assert not blob_store.is_sound(DIGEST)


@pytest.mark.parametrize("name", ["", "..", "../" * 21 + "x", "A" * 64, DIGEST[:-1], DIGEST + "0", "/" * 64, "é" * 64])
def test_only_digests_lead_to_files(name: str) -> None:
    with pytest.raises(ValueError, match="no digest"):
        blob_store.path_of(name)


@pytest.mark.django_db(transaction=True)
def test_no_row_no_file_that_counts_and_the_next_comer_keeps_it() -> None:
    with suppress(ZeroDivisionError), transaction.atomic():
        blob_store.put(CONTENT)
        _ = 1 / 0
    assert (Blob.objects.count(), in_the_store()) == (0, [DIGEST])
    assert blob_store.put(CONTENT).digest == DIGEST
    assert Blob.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_many_keep_the_same_at_once() -> None:
    def work(number: int) -> None:
        for piece in range(5):
            with transaction.atomic():
                blob_store.put(CONTENT * (piece + 1))
            with transaction.atomic():
                blob_store.put(b"%d %d" % (number, piece))

    assert in_threads(6, work) == []
    assert Blob.objects.count() == len(in_the_store()) == 5 + 30
    assert all(blob_store.is_sound(name) for name in in_the_store())


@pytest.mark.django_db
@pytest.mark.parametrize(
    "act", [lambda file: file.end(), lambda file: file.write(CONTENT * 100_000)], ids=["end", "write"]
)
def test_a_full_disk_leaves_nothing_behind(act: Callable[[blob_store.Incoming], None]) -> None:
    file = blob_store.Incoming()
    file.write(CONTENT)
    os.dup2(os.open("/dev/full", os.O_WRONLY), file._file.fileno())  # from here on the disk is full
    with pytest.raises(OSError, match="No space left"):
        act(file)
    assert (on_their_way(), in_the_store(), Blob.objects.count()) == ([], [], 0)
    file.drop()


def test_sweeping_takes_only_what_is_old() -> None:
    old, new = (Path(settings.HOME.incoming) / name for name in ("old", "new"))
    for path, age in ((old, 500), (new, 5)):
        path.write_bytes(CONTENT)
        os.utime(path, (time.time() - age,) * 2)
    assert blob_store.sweep(older=100) == 1
    assert on_their_way() == [new]


@pytest.mark.django_db
def test_the_bytes_are_on_the_disk_before_anybody_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []
    sync, replace, create = os.fsync, Path.replace, Blob.objects.get_or_create

    def synced(handle: int) -> None:
        order.append("folder" if os.path.isdir(f"/proc/self/fd/{handle}") else "file")  # noqa: PTH112
        sync(handle)

    def replaced(self: Path, target: Path) -> Path:
        order.append("move")
        return replace(self, target)

    def told(_: object, **given: Any) -> Any:
        order.append("row")
        return create(**given)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(Path, "replace", replaced)
    monkeypatch.setattr(type(Blob.objects), "get_or_create", told)
    blob_store.put(CONTENT)
    assert order == ["file", "folder", "move", "folder", "row"]
