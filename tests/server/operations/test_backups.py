"""A backup of a server that goes on working, restored elsewhere: every row, every byte, every act."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
import threading
from typing import TYPE_CHECKING, Any

import pytest
from django.conf import settings
from django.db import connection

from cranfield.core import ChecksFailed, InputError, ParameterError
from cranfield.server.judging import judgments, pool_lifecycle
from cranfield.server.models import Audit, Blob, Snapshot, Submission, Task, Token
from cranfield.server.operations import audit_log
from cranfield.server.operations.backup_archive import Packing, packed
from cranfield.server.operations.backups import backup, check, restore
from cranfield.server.operations.health_checks import last_backup
from cranfield.server.site import blob_store
from cranfield.server.tasks import corpora, label_change_report
from cranfield.server.tasks.label_versions import add_version
from tests.support.server import home_subprocess
from tests.support.server.users_and_tasks import arrived, qrels

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.ir_datasets_catalogue import Catalogue
    from tests.support.server.users_and_tasks import World

STRANGE = {"1e16": 1e16, "pi": 3.14, "one": 1.0, "deep": [{"z": None, "a": True}], "é": "\u2028 ☃ \\"}


@pytest.fixture
def full(world_of_threads: World) -> Task:
    """A task with boards of two label versions, and rows of many kinds."""
    from django.utils import timezone

    world = world_of_threads
    task = world.filled(private=4)
    Submission.objects.filter(name="good").update(metadata=STRANGE, stated=0.1 + 0.2, description="a\nb\r\nc\u2028d")
    Token.make(world.people["alice"], "mine", Token.SUBMIT, timezone.now())
    add_version(task, arrived(qrels({("301", "D01"): 0}), "q").arriving, world.people["organiser"], note="mended")
    label_change_report.PAUSE = label_change_report.PAUSE * 0
    world.work()
    return task


@pytest.fixture
def light(world_of_threads: World) -> Task:
    """A task with runs that nobody has evaluated yet."""
    task = world_of_threads.task()
    for number, team in enumerate(("Alpha", "Beta", "Alpha", "Beta")):
        world_of_threads.hand_in(task, f"run-{number}", number, team=team)
    return task


def restored(tmp_path: Path, file: Path, *more: str, name: str = "new") -> Path:
    done = home_subprocess.cranfield("restore", str(file), "--home", name, "--verify", *more, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("restored from ")
    return tmp_path / name


def test_everything_comes_back(full: Task, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    kept = backup(tmp_path / "all.tar", progress=lambda *step: seen.append(step))
    count = Blob.objects.count()
    assert (kept.blobs, kept.acts, kept.rows["submission"]) == (count, Audit.objects.count(), 4)
    assert seen == [(number, count) for number in range(1, count + 1)]
    assert kept.sentence.startswith(f"{tmp_path / 'all.tar'}: {sum(kept.rows.values())} rows, {count} blobs, ")
    home = restored(tmp_path, kept.path)
    there, here = home_subprocess.ask(home, "all_rows"), home_subprocess.all_rows()
    assert there == here
    if connection.vendor == "sqlite":  # PostgreSQL keeps no order in JSON
        assert str(there) == str(here)
    assert home_subprocess.ask(home, "checked") == [count, *audit_log.head(), []]
    # What was shown at an address is shown there again, to the byte.
    numbers = list(Snapshot.objects.filter(kind=Snapshot.PUBLIC).values_list("number", flat=True))
    assert len(numbers) >= 2
    pages = [
        f"/tasks/{full.slug}/boards/{number}/{page}" for number in numbers for page in ("", "board.json", "board.csv")
    ]
    shown = home_subprocess.ask(home, "answers", pages)
    assert shown == home_subprocess.answers(pages)
    assert {status for status, _ in shown.values()} == {200}


def test_a_server_that_is_restored_goes_on(light: Task, tmp_path: Path) -> None:
    del light
    home = restored(tmp_path, backup(tmp_path / "all.tar").path)
    assert home_subprocess.ask(home, "hand_in_another") == ["another", "scored"]


def test_judging_goes_on_where_it_was_and_documents_are_read_again(world_of_threads: World, tmp_path: Path) -> None:
    world = world_of_threads
    task, by, user = world.filled(), world.people["organiser"], world.people["assessor"]
    texts = "".join(f'{{"id": "D0{number}", "text": "the ship number {number}"}}\n' for number in range(1, 4))
    corpora.set_corpus(task, arrived(texts, "docs.jsonl"), by)
    world.work()
    pool = pool_lifecycle.draw_up(task, by, strategy="thompson", seed=4)
    pool_lifecycle.begin(pool, by)
    for number in range(9):
        question = judgments.next_for(pool, user)
        assert question is not None
        told = judgments.Said(key=f"k{number}", topic=question.topic, document=question.document, grade=number % 2)
        judgments.judge(pool, user, told)
    kept = backup(tmp_path / "all.tar")
    assert "document" not in kept.rows
    assert kept.rows["judgment"] == 9
    home = restored(tmp_path, kept.path)
    assert home_subprocess.ask(home, "judge_on") == home_subprocess.judge_on()
    assert home_subprocess.judge_on()[0] == ["D01", "D02", "D03"]


def test_a_corpus_that_is_a_dataset_is_read_again_by_its_id(
    world_of_threads: World, catalogue: Catalogue, tmp_path: Path
) -> None:
    world = world_of_threads
    named = catalogue.add("cranfield-test/ships", catalogue.documents())
    corpora.set_dataset(world.task(), named, world.people["organiser"])
    assert home_subprocess.read_dataset() == [named, "ready", "", ["D2"]]
    kept = backup(tmp_path / "all.tar")
    assert "document" not in kept.rows
    assert (
        home_subprocess.ask(restored(tmp_path, kept.path), "read_dataset", str(tmp_path))
        == home_subprocess.read_dataset()
    )
    # A machine that knows no such dataset says so, and the rest is there.
    name, state, failure, found = home_subprocess.ask(restored(tmp_path, kept.path, name="bare"), "read_dataset")
    assert (name, state, found) == (named, "failed", [])
    assert failure.startswith(f"{named}: ir_datasets knows no such id")


def test_nobody_else_may_read_it(light: Task, tmp_path: Path) -> None:
    del light
    file = backup(tmp_path / "all.tar").path
    assert file.stat().st_mode & 0o777 == 0o600
    home = restored(tmp_path, file)
    assert home.stat().st_mode & 0o777 == 0o700
    key = home / "secret.key"
    assert key.stat().st_mode & 0o777 == 0o600
    assert key.read_bytes() != (settings.HOME.folder / key.name).read_bytes()  # sessions are not brought over
    with tarfile.open(file) as tar:
        assert {member.mode for member in tar} == {0o600}
        assert not any("secret" in name for name in tar.getnames())


def test_while_others_write(world_of_threads: World, tmp_path: Path) -> None:
    world = world_of_threads
    task = world.task(limit=1000, most=1000)
    stop, errors, made = threading.Event(), list[BaseException](), []

    def write() -> None:
        number = 0
        try:
            while not stop.is_set():
                number += 1
                made.append(world.hand_in(task, f"run-{number}", number % 7))
        except BaseException as error:
            errors.append(error)
        finally:
            connection.close()

    writer = threading.Thread(target=write)
    writer.start()
    files = []
    try:
        for turn in range(3):
            before = len(made)
            while len(made) < before + 3 and not errors:
                stop.wait(0.05)
            files.append(backup(tmp_path / f"{turn}.tar"))
    finally:
        stop.set()
        writer.join(30)
    assert errors == []
    assert files[0].rows["submission"] < files[1].rows["submission"] < files[2].rows["submission"]
    home = restored(tmp_path, files[1].path)
    blob_count, acts, head, wrong = home_subprocess.ask(home, "checked")
    assert (blob_count, acts, wrong) == (files[1].blobs, files[1].acts, [])
    assert Audit.objects.order_by("id")[acts - 1].digest == head  # the log as it was at that moment, and no further
    there = home_subprocess.ask(home, "all_rows")
    here = home_subprocess.all_rows()
    assert there["Submission"] == here["Submission"][: len(there["Submission"])]
    # One moment: for every run its act and its job, and no act without its run.
    assert len(there["Submission"]) == sum(row["what"] == "submit" for row in there["Audit"])
    assert len(there["Submission"]) == sum(row["kind"] == "score" for row in there["Job"])


def test_a_flipped_byte_is_found_wherever_it_is(light: Task, tmp_path: Path) -> None:
    del light
    whole = backup(tmp_path / "all.tar").path.read_bytes()
    seal = whole.rindex(b"sha256\0")
    places = {
        *range(0, len(whole), len(whole) // 100),
        *range(seal - 5, len(whole), 41),
        seal,
        seal + 512,
        len(whole) - 1,
    }
    bad = tmp_path / "bad.tar"
    for place in sorted(places):
        flipped = bytearray(whole)
        flipped[place] ^= 1 << (place % 8)
        bad.write_bytes(flipped)
        with pytest.raises(InputError, match=r"bad\.tar") as error, packed(bad):
            pass
        assert error.value.code == "E-DAMAGED", place


def test_a_file_that_ends_too_early_or_too_late_is_found(light: Task, tmp_path: Path) -> None:
    del light
    whole = backup(tmp_path / "all.tar").path.read_bytes()
    bad = tmp_path / "bad.tar"
    lengths = (0, 1, 511, 512, 5120, 10240, len(whole) // 2, len(whole) - 10240, len(whole) - 512, len(whole) - 1)
    for content in [whole[:length] for length in lengths] + [whole + b"\0", whole + bytes(10240), whole + whole]:
        bad.write_bytes(content)
        with pytest.raises(InputError) as error, packed(bad):
            pass
        assert error.value.code == "E-DAMAGED", len(content)


def test_a_damaged_file_leaves_no_home(light: Task, tmp_path: Path) -> None:
    del light
    file = backup(tmp_path / "all.tar").path
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    done = home_subprocess.cranfield("restore", "all.tar", "--home", "new", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    first = "error: all.tar: its bytes are not those that were written"
    assert done.stderr.splitlines() == [first, "hint: take another backup"]
    assert not (tmp_path / "new").exists()


def sealed(path: Path, **members: bytes) -> Path:
    """A file with a good seal and whatever inside."""
    out = io.BytesIO()
    pack = Packing(out)
    for name, content in members.items():
        pack.add(name.replace("__", "/").replace("_json", ".json").replace("_toml", ".toml"), content)
    pack.close()
    path.write_bytes(out.getvalue())
    return path


def manifest(**changed: Any) -> bytes:
    rows = b""
    said = {"form": 1, "migration": "0001_initial", "rows": {}, "digest": hashlib.sha256(rows).hexdigest()}
    return json.dumps(said | {"acts": 0, "head": audit_log.START, "blobs": 0} | changed).encode()


def test_what_is_well_sealed_and_yet_no_backup(tmp_path: Path) -> None:
    later = sealed(tmp_path / "later.tar", manifest_json=manifest(form=2))
    with pytest.raises(ParameterError, match="a backup of form 2"), packed(later):
        pass
    nothing = sealed(tmp_path / "nothing.tar")
    with pytest.raises(ParameterError, match="a backup of form None"), packed(nothing):
        pass


@pytest.mark.django_db(transaction=True)
def test_what_a_restore_refuses(tmp_path: Path) -> None:
    wrong = sealed(tmp_path / "a.tar", manifest_json=manifest(blobs=1), **{f"blobs__{'0' * 64}": b"content"})
    with pytest.raises(InputError, match="blob 000000000000… is not what its name says"):
        restore(wrong)
    blob_store.path_of("0" * 64).unlink()
    blob_store.path_of("0" * 64).parent.rmdir()
    with pytest.raises(InputError, match="it holds 0 of 2 blobs"):
        restore(sealed(tmp_path / "b.tar", manifest_json=manifest(blobs=2)))
    with pytest.raises(ParameterError, match="this version knows no database 9999_later"):
        restore(sealed(tmp_path / "c.tar", manifest_json=manifest(migration="9999_later")))
    with pytest.raises(InputError, match="there is no such file"):
        restore(tmp_path / "nowhere.tar")
    settings.HOME.settings.unlink(missing_ok=True)


def test_a_home_or_a_database_with_something_in_it_is_left_alone(light: Task, tmp_path: Path) -> None:
    del light
    file = backup(tmp_path / "all.tar").path
    before = home_subprocess.all_rows()
    with pytest.raises(ParameterError, match="is not empty"):
        restore(file)
    for path in settings.HOME.blobs.iterdir():  # the folder is new, the database is not
        path.rename(tmp_path / path.name)
    with pytest.raises(ParameterError, match="the database is not empty"):
        restore(file)
    assert home_subprocess.all_rows() == before


def test_a_backup_is_never_overwritten_and_never_half_there(light: Task, tmp_path: Path) -> None:
    del light
    path = tmp_path / "all.tar"
    path.write_text("mine")
    with pytest.raises(ParameterError, match="is there already"):
        backup(path)
    assert path.read_text() == "mine"
    with pytest.raises(ZeroDivisionError):
        backup(tmp_path / "other.tar", progress=lambda *_: 1 / 0)
    assert [one.name for one in tmp_path.iterdir()] == ["all.tar"]


def test_a_name_that_is_taken_meanwhile(light: Task, tmp_path: Path) -> None:
    del light
    path = tmp_path / "all.tar"
    with pytest.raises(ParameterError, match="is there already"):
        backup(path, progress=lambda *_: path.write_text("mine"))
    assert path.read_text() == "mine"
    assert [one.name for one in tmp_path.iterdir()] == ["all.tar"]


def test_a_backup_of_a_damaged_store_is_refused(light: Task, tmp_path: Path) -> None:
    del light
    digest = Blob.objects.order_by("digest").values_list("digest", flat=True)[1]
    place = blob_store.path_of(digest)
    content = place.read_bytes()
    for damage in (lambda: place.write_bytes(content + b"!"), place.unlink):
        damage()
        with pytest.raises(ChecksFailed, match=f"blob {digest[:12]}… is missing or changed"):
            backup(tmp_path / "all.tar")
        with pytest.raises(ChecksFailed, match="is missing or changed"):
            check()
    assert list(tmp_path.iterdir()) == []


def test_check_counts_what_is_wrong(light: Task) -> None:
    seen: list[tuple[int, int]] = []
    assert check(lambda *step: seen.append(step)) == Blob.objects.count() == len(seen)
    Audit.objects.filter(what="labels").update(who="bob")
    with pytest.raises(ChecksFailed, match=r"act \d+: it was changed"):
        check()
    blob_store.path_of(Blob.objects.values_list("digest", flat=True)[0]).unlink()
    with pytest.raises(ChecksFailed, match=r"act \d+: it was changed and 1 more"):
        check()
    del light


def test_the_usual_place_and_when_the_last_one_was_made(light: Task) -> None:
    del light
    assert last_backup() is None
    (settings.HOME.backups / ".half.tar.1.part").write_bytes(b"")
    assert last_backup() is None
    kept = backup()
    assert kept.path.parent == settings.HOME.backups
    assert kept.path.name.startswith("cranfield-2")
    assert last_backup() is not None
    for path in settings.HOME.backups.iterdir():
        path.unlink()


def test_settings_come_along_but_not_the_database_of_the_other_server(light: Task, tmp_path: Path) -> None:
    del light
    settings.HOME.settings.write_text(
        'name = "Boards"\n  database = "postgresql://me:secret@db/boards"\nupload_mb = 7\n'
    )
    try:
        file = backup(tmp_path / "all.tar").path
    finally:
        settings.HOME.settings.unlink()
    home = restored(tmp_path, file)
    lines = (home / "cranfield.toml").read_text().splitlines()
    assert lines[0::2] == ['name = "Boards"', "upload_mb = 7"]
    assert lines[1].startswith("# elsewhere:")
    assert len(home_subprocess.ask(home, "all_rows")["Submission"]) == 4


@pytest.mark.services
def test_to_postgresql_and_back(full: Task, tmp_path: Path, postgres: str) -> None:
    del full
    rows, first = home_subprocess.all_rows(), backup(tmp_path / "first.tar").path
    there = restored(tmp_path, first, "--database", postgres, name="there")
    assert not (there / "database.sqlite3").exists()
    assert home_subprocess.ask(there, "all_rows", database=postgres) == rows
    assert home_subprocess.ask(there, "hand_in_another", database=postgres) == ["another", "scored"]  # sequences go on
    again = home_subprocess.cranfield("restore", "first.tar", "--home", "again", "--database", postgres, cwd=tmp_path)
    assert again.stderr.splitlines() == ["error: the database is not empty", "hint: restore into a new one"]
    assert not (tmp_path / "again").exists()
    done = home_subprocess.cranfield("backup", "second.tar", "--home", "there", "--database", postgres, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    back = restored(tmp_path, tmp_path / "second.tar", name="back")
    assert (back / "database.sqlite3").exists()
    assert home_subprocess.ask(back, "all_rows") == home_subprocess.ask(there, "all_rows", database=postgres)
    assert home_subprocess.ask(back, "checked")[3] == []


def test_a_backup_needs_a_database(tmp_path: Path) -> None:
    assert home_subprocess.ask(tmp_path / "home", "make_without_rows") == "made"
    done = home_subprocess.cranfield("backup", "--home", "home", cwd=tmp_path)
    assert done.stderr.splitlines()[0] == "error: the database of this home is empty"
    assert done.returncode == 1
