"""Home folder of a server: database, stored files, secret key and ``cranfield.toml`` options."""

from __future__ import annotations

import os
import re
import secrets
import tomllib
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from cranfield.core import ParameterError

FOLDER, DATABASE, URL = "CRANFIELD_HOME", "CRANFIELD_DATABASE", "CRANFIELD_URL"  # environment
SETTINGS = """\
# Settings of this server. What is commented out is the default; a change counts from the next start.
# name = "Leaderboards"              # stands at the top of every page
# database = ""                      # postgresql://user:password@host/name; otherwise SQLite in this folder
# url = "http://127.0.0.1:8000"      # where people reach it: in links, webhooks and cookies
# hosts = []                         # more names under which it may be asked for
# sign_up = "invited"                # or "open": anybody may make an account
# proxied = false                    # behind a proxy that sets X-Forwarded-Proto and X-Forwarded-For
# upload_mb = 512                    # of one file as it comes
# unpacked_mb = 4096                 # of one file after unpacking
# backup_days = 2                    # the operator is told when the last backup is older
# local_webhooks = false             # messages may go to addresses in this machine's own network
# machine_url = ""                   # where machines judge: https://example.org/v1, as OpenAI's API has it
# machine_models = []                # models that organisers may choose there
# machine_key_variable = ""          # the environment variable with the key for it; never write the key here
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Options:
    """What an operator may set in ``cranfield.toml``."""

    name: str = "Leaderboards"
    database: str = ""
    url: str = "http://127.0.0.1:8000"
    hosts: list[str] = field(default_factory=list)
    sign_up: str = "invited"
    proxied: bool = False
    upload_mb: int = 512
    unpacked_mb: int = 4096
    backup_days: int = 2
    local_webhooks: bool = False
    machine_url: str = ""
    machine_models: list[str] = field(default_factory=list)
    machine_key_variable: str = ""

    def link(self, path: str) -> str:
        """The whole address of a page, for where there is no request."""
        return f"{self.url.rstrip('/')}/{path.lstrip('/')}"


@dataclass(frozen=True, slots=True)
class Home:
    """Where a server keeps everything."""

    folder: Path

    @classmethod
    def here(cls) -> Home:
        """The home that the environment names."""
        return cls(Path(os.environ.get(FOLDER) or "cranfield-home").absolute())

    @property
    def database(self) -> Path:
        """The SQLite database, where there is no other."""
        return self.folder / "database.sqlite3"

    @property
    def blobs(self) -> Path:
        """Files by the hash of their content."""
        return self.folder / "blobs"

    @property
    def incoming(self) -> Path:
        """Files that are still on their way in."""
        return self.folder / "incoming"

    @property
    def backups(self) -> Path:
        """Where backups go if nobody says otherwise."""
        return self.folder / "backups"

    @property
    def settings(self) -> Path:
        """What the operator has set."""
        return self.folder / "cranfield.toml"

    def make(self) -> Home:
        """The same, with everything in its place; secrets are made once, and are for their owner alone."""
        for folder in (self.folder, self.blobs, self.incoming, self.backups):
            folder.mkdir(parents=True, exist_ok=True)
        self.folder.chmod(0o700)
        if not self.settings.exists():
            self.settings.write_text(SETTINGS, encoding="utf-8")
        if not self._key_file.exists():
            _write_secret(self._key_file, secrets.token_urlsafe(48))
        return self

    @property
    def _key_file(self) -> Path:
        return self.folder / "secret.key"

    def key(self) -> str:
        """What cookies and links are signed with; without a folder, one that is forgotten with the process."""
        try:
            return self._key_file.read_text(encoding="ascii").strip()
        except FileNotFoundError:
            return secrets.token_urlsafe(48)

    def options(self) -> Options:
        """What the operator has set; the environment may name another database."""
        told: dict[str, Any] = {}
        if self.settings.exists():
            try:
                told = tomllib.loads(self.settings.read_text(encoding="utf-8"))
            except ValueError as error:  # no TOML, or no UTF-8
                raise ParameterError(f"{self.settings}: {error}", hint='a line reads: name = "Leaderboards"') from None
        known = {one.name: one for one in fields(Options)}
        for name, value in told.items():
            if name not in known:
                raise ParameterError(
                    f"{self.settings}: there is no setting {name}", hint=f"there are: {', '.join(known)}"
                )
            usual = getattr(Options(), name)
            if type(value) is not type(usual):
                kind = {str: "text", bool: "true or false", int: "a whole number", list: "a list"}[type(usual)]
                raise ParameterError(f"{self.settings}: {name} cannot be {value!r}", hint=f"it is {kind}")
        if URL in os.environ:
            told.setdefault("url", os.environ[URL])  # where it answers, if nobody says how people reach it
        found = Options(**told)
        for name, good, hint in (
            ("sign_up", found.sign_up in ("invited", "open"), "choose invited or open"),
            ("url", _is_address(found.url), "write it as https://example.org, without a path"),
            ("hosts", all(isinstance(host, str) for host in found.hosts), 'write it as ["example.org"]'),
            ("upload_mb", found.upload_mb > 0, "give a whole number, 1 or more"),
            ("unpacked_mb", found.unpacked_mb > 0, "give a whole number, 1 or more"),
            ("backup_days", found.backup_days > 0, "give a whole number, 1 or more"),
        ):
            if not good:
                raise ParameterError(f"{self.settings}: {name} cannot be {getattr(found, name)!r}", hint=hint)
        for name, good, hint in (  # these may hold a key by mistake, and are not repeated
            ("machine_url", _is_endpoint(found.machine_url), "write it as https://example.org/v1, without a key"),
            ("machine_models", all(map(_is_model, found.machine_models)), 'write it as ["model-a", "model-b"]'),
            ("machine_key_variable", _is_variable(found.machine_key_variable), "give the name of a variable, no key"),
        ):
            if not good:
                raise ParameterError(f"{self.settings}: {name} cannot be that", hint=hint)
        return found


def _is_address(text: str) -> bool:
    """Whether it is that of a whole server: links and cookies know of no path before their own."""
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.path in ("", "/")
    except ValueError:
        return False


def _is_endpoint(text: str) -> bool:
    """Whether machines can be asked there; empty is good, and means that none are."""
    try:
        parts = urlsplit(text)
        plain = not (parts.username or parts.password or parts.query or parts.fragment)
        return not text or (parts.scheme in ("http", "https") and bool(parts.hostname) and plain and parts.port != 0)
    except ValueError:
        return False


def _is_model(name: object) -> bool:
    return isinstance(name, str) and 0 < len(name) <= 120 and name == name.strip() and name.isprintable()


def _is_variable(name: str) -> bool:
    return re.fullmatch(r"([A-Za-z_]\w*)?", name, re.ASCII) is not None


def _write_secret(path: Path, text: str) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
        file.write(text)


def sync_folder(folder: Path) -> None:
    """Make sure that the names in a folder are on the disk, not only on their way to it."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def database_settings(home: Home, url: str) -> dict[str, Any]:
    """What Django is told about the database: PostgreSQL by its URL, otherwise SQLite in the home."""
    if not url:
        # WAL lets pages be read while something is written; FULL, because NORMAL can lose an acknowledged commit when
        # the power goes; IMMEDIATE, because a transaction that starts as a reader may fail when it begins to write.
        pragmas = "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;"
        options = {"transaction_mode": "IMMEDIATE", "timeout": 30, "init_command": pragmas}
        test = {"NAME": home.folder / "test.sqlite3"}  # a file, because threads cannot share what is in memory
        return {"ENGINE": "django.db.backends.sqlite3", "NAME": home.database, "OPTIONS": options, "TEST": test}
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("postgresql", "postgres") and bool(parts.path.strip("/")) and (parts.port or 1) > 0
    except ValueError:
        good = False
    if not good:
        shown = re.sub(r":[^/@]*@", ":…@", url)  # no password
        raise ParameterError(
            f"the database cannot be {shown!r}", hint="write it as postgresql://user:password@host:5432/name"
        )
    more = dict(parse_qsl(parts.query))
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.strip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": more.pop("host", None) or parts.hostname or "",
        "PORT": str(parts.port or more.pop("port", "")),
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": more,
    }
