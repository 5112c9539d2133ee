"""Back up a running server to one file, restore it, and verify stored data."""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.management import call_command
from django.core.serializers.json import DjangoJSONEncoder
from django.db import connection, models, transaction
from django.db.migrations.executor import MigrationExecutor

from cranfield.core import VERSION, ChecksFailed, ParameterError
from cranfield.server.site.blob_store import is_sound, path_of

from . import audit_log
from .backup_archive import FORM, MANIFEST, ROWS, SETTINGS, damaged, exists, packed, packing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from django.apps.registry import Apps

    from .backup_archive import Packed

APP = "server"
MADE_AGAIN = {"document"}  # rows that follow from a file, which is in the backup, or a dataset: both may be large
MANY = 500  # rows that are written at once
ELSEWHERE = re.compile(r"^\s*database\s*=", re.MULTILINE)  # of the server that was backed up: it may still be running


@dataclass(frozen=True, kw_only=True)
class Kept:
    """What a backup holds."""

    path: Path
    rows: dict[str, int]
    blobs: int
    acts: int

    @property
    def sentence(self) -> str:
        """What it holds, in words."""
        return f"{self.path}: {sum(self.rows.values()):,} rows, {self.blobs:,} blobs, {self.acts:,} acts in the log"


def backup(
    target: str | os.PathLike[str] | None = None, *, progress: Callable[[int, int], object] | None = None
) -> Kept:
    """Write everything to one file, while the server runs: rows as they stand at one moment, then their blobs.

    Sessions and the secret key are not in it: after a restore everybody logs in again.
    """
    now = datetime.now(UTC)
    path = Path(target) if target else Path(settings.HOME.backups) / f"cranfield-{now:%Y%m%d-%H%M%S}.tar"
    if path.exists():
        raise exists(path)
    if not path.parent.is_dir():
        raise ParameterError(f"{path.parent}: there is no such folder", hint="make it first, or choose another")
    apps, migration = _apps_now()
    with packing(path) as pack:
        with _one_moment():
            rows, counts = _rows(apps)
            acts, head = audit_log.head()
            names = sorted(apps.get_model(APP, "Blob").objects.values_list("digest", flat=True))
        manifest = {
            "form": FORM,
            "version": VERSION,
            "made": now.isoformat(timespec="seconds"),
            "migration": migration,
            "rows": counts,
            "digest": hashlib.sha256(rows).hexdigest(),
            "acts": acts,
            "head": head,
            "blobs": len(names),
        }
        pack.add(MANIFEST, json.dumps(manifest, indent=1).encode())
        pack.add(ROWS, rows)
        if settings.HOME.settings.exists():
            pack.add(SETTINGS, settings.HOME.settings.read_bytes())
        for done, name in enumerate(names, 1):
            pack.add_blob(name, path_of(name))
            if progress:
                progress(done, len(names))
    return Kept(path=path, rows=counts, blobs=len(names), acts=acts)


def restore(source: str | os.PathLike[str], *, progress: Callable[[int, int], object] | None = None) -> Kept:
    """Fill an empty home from a backup. Every byte of it is compared before anything is written."""
    home = settings.HOME
    with packed(source) as pack:
        if home.blobs.exists() and any(home.blobs.iterdir()):
            raise ParameterError(f"{home.folder} is not empty", hint="restore into a new folder")
        _check_empty()
        rows = pack.read(ROWS) or b""
        found = _put_blobs(pack, progress)
        told = pack.read(SETTINGS)
        if told is not None:
            home.settings.write_text(ELSEWHERE.sub(r"# elsewhere: \g<0>", told.decode()), encoding="utf-8")
        _load(rows, pack)
        manifest = pack.manifest
    return Kept(path=pack.path, rows=dict(manifest["rows"]), blobs=found, acts=int(manifest["acts"]))


def _check_empty() -> None:
    """Refuse a database in which there is something, before anything in it is touched."""
    with connection.cursor() as cursor:
        for name in connection.introspection.table_names(cursor):
            if name.startswith(f"{APP}_"):
                cursor.execute(f"select 1 from {connection.ops.quote_name(name)} limit 1")
                if cursor.fetchone():
                    raise ParameterError("the database is not empty", hint="restore into a new one")


def check(progress: Callable[[int, int], object] | None = None) -> int:
    """Compare every blob with its hash and every act with its chain; how many blobs there are."""
    from cranfield.server.models import Blob

    wrong = [f"act {row}: {why}" for row, why in audit_log.broken()]
    names = list(Blob.objects.values_list("digest", flat=True))
    for done, name in enumerate(names, 1):
        if not is_sound(name):
            wrong.append(f"blob {name[:12]}… is missing or changed")
        if progress:
            progress(done, len(names))
    if wrong:
        more = f" and {len(wrong) - 1} more" * (len(wrong) > 1)
        raise ChecksFailed(f"{wrong[0]}{more}", hint="restore the last good backup into a new folder")
    return len(names)


@contextmanager
def _one_moment() -> Iterator[None]:
    """Everything that is read inside is of one moment, and nobody has to wait for it."""
    if connection.vendor == "sqlite":
        cursor = connection.cursor()
        cursor.execute("BEGIN DEFERRED")  # Django's own would keep writers out
        try:
            yield
        finally:
            cursor.execute("ROLLBACK")
    else:
        with transaction.atomic():
            connection.cursor().execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            yield


def _apps_now() -> tuple[Apps, str]:
    """The models as the database has them, and the name of its last migration."""
    executor = MigrationExecutor(connection)
    applied = sorted(name for app, name in executor.loader.applied_migrations if app == APP)
    if not applied:
        raise ParameterError(
            "the database of this home is empty", hint="cranfield serve makes one; is --database right?"
        )
    return _apps_at(applied[-1]), applied[-1]


def _apps_at(migration: str) -> Apps:
    loader = MigrationExecutor(connection).loader
    if (APP, migration) not in loader.graph.nodes:
        hint = "use the version of cranfield that made it, or a newer one"
        raise ParameterError(f"this version knows no database {migration}", hint=hint)
    return loader.project_state((APP, migration)).apps


def _models(apps: Apps) -> list[type[models.Model]]:
    """Our own models, in an order that does not change."""
    found = [model for model in apps.get_models(include_auto_created=False) if model._meta.app_label == APP]
    kept = [model for model in found if model._meta.model_name not in MADE_AGAIN]
    return sorted(kept, key=lambda model: model._meta.model_name or "")


def _rows(apps: Apps) -> tuple[bytes, dict[str, int]]:
    """Every row as one line, in an order that does not change; how many there are of each kind."""
    out = io.StringIO()
    counts: dict[str, int] = {}
    for model in _models(apps):
        name = str(model._meta.model_name)
        columns = [field.attname for field in model._meta.concrete_fields]
        counts[name] = 0
        for row in model._default_manager.order_by("pk").values_list(*columns).iterator(MANY):
            out.write(json.dumps([name, dict(zip(columns, row, strict=True))], cls=Exact) + "\n")
            counts[name] += 1
    return out.getvalue().encode(), counts


class Exact(DjangoJSONEncoder):
    """Moments keep their microseconds: the chain of acts is over them."""

    def default(self, o: Any) -> Any:
        """A moment in full; everything else as Django writes it."""
        return o.isoformat() if isinstance(o, datetime) else super().default(o)


def _load(rows: bytes, pack: Packed) -> None:
    """Rows into a database of the form they had, which is compared, and then brought to today's."""
    migration = str(pack.manifest["migration"])
    apps = _apps_at(migration)
    call_command("migrate", APP, migration, verbosity=0, interactive=False)
    known = {str(model._meta.model_name): model for model in _models(apps)}
    for model in known.values():
        for field in model._meta.concrete_fields:
            if getattr(field, "auto_now_add", False):
                vars(field)["auto_now_add"] = False  # moments are those of the backup, not of the restore
    with transaction.atomic():
        _insert(rows, known)
        _reset_sequences(list(known.values()))
        if not _equal(rows, _rows(apps)[0]):
            raise damaged(pack.path, "its rows do not come back as they were written")
    call_command("migrate", verbosity=0, interactive=False)
    from cranfield.server.tasks.corpora import read_again

    read_again()


def _equal(a: bytes, b: bytes) -> bool:
    """Whether rows say the same. PostgreSQL keeps no order inside of JSON, and takes 1e16 for a whole number."""
    pairs = zip_longest(a.splitlines(), b.splitlines(), fillvalue=b"null")
    return all(one == other or json.loads(one) == json.loads(other) for one, other in pairs)


def _insert(rows: bytes, known: dict[str, type[models.Model]]) -> None:
    waiting: dict[str, list[models.Model]] = {name: [] for name in known}
    for line in rows.splitlines():
        name, cells = json.loads(line)
        model = known[name]
        fields = {field.attname: field for field in model._meta.concrete_fields}
        waiting[name].append(model(**{key: _cell(fields[key], cell) for key, cell in cells.items()}))
        if len(waiting[name]) >= MANY:
            model._default_manager.bulk_create(waiting[name])
            waiting[name] = []
    for name, rest in waiting.items():
        known[name]._default_manager.bulk_create(rest)


def _cell(field: models.Field[Any, Any], cell: Any) -> Any:
    if isinstance(field, models.JSONField):
        return cell
    if isinstance(field, models.ForeignKey):
        return field.target_field.to_python(cell)
    return field.to_python(cell)


def _reset_sequences(found: list[type[models.Model]]) -> None:
    from django.core.management.color import no_style

    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), found):
            cursor.execute(statement)


def _put_blobs(pack: Packed, progress: Callable[[int, int], object] | None) -> int:
    """Blobs into their places; the name of each must be the hash of its content."""
    found, expected = 0, int(pack.manifest["blobs"])
    for name, file in pack.blobs():
        if not _put(name, file):
            raise damaged(pack.path, f"blob {name[:12]}… is not what its name says")
        found += 1
        if progress:
            progress(found, expected)
    if found != expected:
        raise damaged(pack.path, f"it holds {found} of {expected} blobs")
    return found


def _put(name: str, file: Any) -> bool:
    place = path_of(name)
    place.parent.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    with os.fdopen(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
        while piece := file.read(1 << 20):
            digest.update(piece)
            out.write(piece)
        out.flush()
        os.fsync(out.fileno())
    return digest.hexdigest() == name
