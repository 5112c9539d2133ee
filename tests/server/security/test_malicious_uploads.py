"""Files that are meant to hurt: each is answered in clear words, and leaves nothing behind."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from django.conf import settings
from django.test import Client

from cranfield.server.models import Blob, Submission
from tests.support.server.api_client import program
from tests.support.server.security.upload_attacks import EDGE, bomb, form, part
from tests.support.server.users_and_tasks import TOPICS, run_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.server.users_and_tasks import World

GOOD = run_text("x").encode()


def send(client: Client, body: bytes, path: str = "/tasks/ad-hoc/submit/", **more: Any) -> Any:
    return client.generic("POST", path, body, content_type=f"multipart/form-data; boundary={EDGE}", **more)


def nothing_left() -> None:
    assert list(Path(settings.HOME.incoming).iterdir()) == []


def zipped() -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("../../evil.run", GOOD)
    return made.getvalue()


def tarred(mode: str = "w") -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode=mode) as archive:  # type: ignore[call-overload]
        told = tarfile.TarInfo("../../evil.run")
        told.size = len(GOOD)
        archive.addfile(told, io.BytesIO(GOOD))
    return made.getvalue()


CONTENTS: dict[str, Callable[[], bytes]] = {
    "zip": zipped,
    "tar": tarred,
    "tar-gz": lambda: tarred("w:gz"),
    "seven-zip": lambda: b"7z\xbc\xaf\x27\x1c" + bytes(100),
    "gzip-of-gzip": lambda: gzip.compress(gzip.compress(GOOD)),
    "half-a-gzip": lambda: gzip.compress(GOOD)[:-20],
    "gzip-with-rubbish": lambda: gzip.compress(GOOD) + b"rubbish",
    "line-of-100-MB-packed": lambda: gzip.compress(b"a" * (100 << 20), 9),
    "zeros-packed-as-xz": lambda: lzma.compress(bytes(200 << 20)),
    "zeros-packed-as-bz2": lambda: bz2.compress(bytes(50 << 20)),
    "bomb-of-1-GB": lambda: bomb(1 << 30),
    "nul": lambda: GOOD.replace(b"Q0", b"Q\x000"),
    "nuls": lambda: bytes(1000),
    "utf-16": lambda: GOOD.decode().encode("utf-16"),
    "pdf": lambda: b"%PDF-1.7\n" + bytes(range(256)) * 10,
    "not-a-number": lambda: GOOD.replace(b" 99 ", b" nan "),
    "endless-number": lambda: GOOD.replace(b" 99 ", b" 1e999999999 "),
    "one-line-of-70-KB": lambda: f"{TOPICS[0]} Q0 {'D' * 70_000} 1 1 x\n".encode(),
    "many-documents": lambda: b"".join(f"{TOPICS[0]} Q0 D{n} 1 {n} x\n".encode() for n in range(10_001)),
    "many-topics": lambda: b"".join(f"T{n} Q0 D 1 1 x\n".encode() for n in range(100_001)),
    "program": lambda: b"\x7fELF" + bytes(500),
    "pickle": lambda: b"\x80\x04cos\nsystem\n(S'touch /tmp/x'\ntR.",
}


@pytest.mark.parametrize("what", CONTENTS)
def test_a_file_that_is_no_run_is_refused_in_words(world: World, what: str) -> None:
    task = world.task()
    content = CONTENTS[what]()
    alice = world.client("alice")
    before = Blob.objects.count()
    for path in ("/tasks/ad-hoc/submit/", "/tasks/ad-hoc/submit/check"):
        answer = send(alice, form(world, content), path)
        assert answer.status_code == 422, (what, answer.status_code)
        page = answer.content.decode()
        assert "E-" in page, what
        assert "Traceback" not in page
        nothing_left()
    told = program(world, "alice").post("tasks/ad-hoc/submissions", content, name="x")
    assert told.status == 422
    assert told.told["code"].startswith("E-")
    assert told.told["hint"]
    nothing_left()
    assert not Submission.objects.filter(task=task).exists()
    assert Blob.objects.count() == before


NAMES: dict[str, str | bytes] = {
    "up": "../../../../etc/passwd",
    "absolute": "/etc/passwd",
    "windows": "C:\\Windows\\system32\\x.run",
    "long": "n" * 500,
    "nul": b"x\x00y.run",
    "dots": "...",
    "turned-round": "\u202enur.exe",
    "wide": "\U0001f600" * 60,
    "slashes": "a//b///c.run",
    "script": "<script>alert(1)</script>",
    "header": b"x\r\nX-Evil: 1.run",
    "percent": "%2e%2e%2fetc%2fpasswd",
    "format": "{0.__class__}%s%n",
    "bytes": b"\xff\xfe\xfa.run",
    "device": "/dev/stdin",
    "pipe": "|touch evil",
    "dash": "--help",
}


@pytest.mark.parametrize("what", NAMES)
def test_names_of_files_never_come_near_the_disk(world: World, what: str) -> None:
    world.task()
    home = Path(settings.HOME.folder)
    before = {path for path in home.rglob("*") if settings.HOME.blobs not in path.parents}
    answer = send(world.client("alice"), form(world, GOOD, NAMES[what]))
    assert answer.status_code in (302, 400, 422), answer.status_code
    nothing_left()
    for path in Path(settings.HOME.blobs).rglob("*"):
        assert set(path.name) <= set("0123456789abcdef"), path
    assert {path for path in home.rglob("*") if settings.HOME.blobs not in path.parents} <= before
    for run in Submission.objects.all():
        assert not {"/", "\\", "\x00", "\r", "\n"} & set(run.file_name), run.file_name
        assert len(run.file_name) <= 200
        got = world.client("alice").get(f"/runs/{run.key}/file")
        assert b"".join(got) == GOOD
        assert "X-Evil" not in got.headers
        assert got.headers["Content-Disposition"].startswith("attachment")
        told = program(world, "alice").get(f"submissions/{run.key}/file")
        assert (told.status, told.body) == (200, GOOD)


def test_a_file_without_a_name_is_no_file(world: World) -> None:
    world.task()
    for name in ("", "/", "..", "."):
        answer = send(world.client("alice"), form(world, GOOD, name))
        assert answer.status_code in (302, 400, 422), name
        nothing_left()


BODIES: dict[str, Callable[[World], bytes]] = {
    "many-fields": lambda world: b"".join(part(f"f{n}", "x") for n in range(3000)) + form(world, GOOD),
    "many-files": lambda world: b"".join(part(f"f{n}", GOOD, "x.run") for n in range(9)) + form(world, GOOD),
    "a-field-of-3-MB": lambda world: part("description", b"x" * (3 << 20)) + form(world, GOOD),
    "header-of-1-MB": lambda world: f"--{EDGE}\r\nX: ".encode() + b"x" * (1 << 20) + form(world, GOOD),
}


@pytest.mark.parametrize("what", BODIES)
@pytest.mark.parametrize("path", ["/tasks/ad-hoc/submit/", "/api/tasks/ad-hoc/submissions", "/log-in/", "/nothing"])
def test_a_form_that_is_too_much_is_refused(world: World, what: str, path: str) -> None:
    world.task()
    headers = program(world, "alice").headers if path.startswith("/api/") else {}
    answer = send(world.client("alice"), BODIES[what](world), path, headers=headers)
    assert answer.status_code in (400, 404, 413, 422), answer.status_code
    if path.startswith("/api/"):
        assert {"error", "hint", "code"} <= set(json.loads(answer.content))
    nothing_left()
    assert not Submission.objects.exists()


def test_a_form_without_an_end(world: World) -> None:
    world.task()
    whole = form(world, GOOD)
    for body in (whole[:-200], whole[: len(whole) // 2], whole.removesuffix(f"--{EDGE}--\r\n".encode())):
        answer = send(world.client("alice"), body)
        # A file that ends too early may still be a run, of fewer topics: what came is what counts.
        assert answer.status_code in (302, 400, 422)
        nothing_left()
    Submission.objects.all().delete()
    for content in (
        "multipart/form-data",
        "multipart/form-data; boundary=",
        f"multipart/form-data; boundary={'x' * 300}",
    ):
        answer = world.client("alice").generic("POST", "/tasks/ad-hoc/submit/", whole, content_type=content)
        assert answer.status_code in (400, 403, 422), content
        nothing_left()
    assert not Submission.objects.exists()


def test_a_length_that_is_not_true(world: World) -> None:
    world.task()
    whole = form(world, GOOD)
    for told in ("-1", "x", "0", "", str(len(whole) // 2)):
        answer = send(world.client("alice"), whole, CONTENT_LENGTH=told)
        assert answer.status_code in (302, 400, 413, 422), told
        nothing_left()


def test_strangers_put_nothing_on_the_disk(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without an account, not a byte of a file is written, wherever it is sent."""
    world.task()
    made: list[object] = []
    monkeypatch.setattr("cranfield.server.site.uploads.Incoming", lambda: made.append(1))
    for path in ("/tasks/ad-hoc/submit/", "/log-in/", "/join/nothing/", "/nothing", "/api/tasks/ad-hoc/submissions"):
        assert send(Client(enforce_csrf_checks=True), form(world, GOOD), path).status_code in (302, 400, 401, 403, 404)
    assert not made
    nothing_left()


MEASURE = '''
import logging, sys
logging.disable(logging.CRITICAL)
from cranfield.server.site.django_setup import start, migrate
start(sys.argv[1]); migrate()
from django.test import Client
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from tests.support.server.users_and_tasks import World, run_text
from tests.support.server.security.upload_attacks import EDGE, bomb, form, packed
world = World.make(); world.task()
client = Client(); client.force_login(world.people["alice"])
cookie = f"cranfield={client.cookies['cranfield'].value}; csrftoken={'a' * 32}"
application = get_wsgi_application()
whole = form(world, b"HERE")
before, after = whole.split(b"HERE")

class Stream:
    """A body that is made while it is read."""
    def __init__(self, before, piece, times, after):
        self.parts = iter([before, *([piece] * times), after]); self.rest = b""
    def read(self, size=-1):
        while len(self.rest) < size:
            more = next(self.parts, None)
            if more is None: break
            self.rest += more
        given, self.rest = self.rest[:size], self.rest[size:]
        return given
    def readline(self, size=-1):
        raise NotImplementedError

def send(name, before, piece, times, after):
    length = len(before) + len(piece) * times + len(after)
    environ = {"REQUEST_METHOD": "POST", "PATH_INFO": "/tasks/ad-hoc/submit/", "SERVER_NAME": "localhost",
               "SERVER_PORT": "80", "HTTP_HOST": "localhost", "CONTENT_LENGTH": str(length), "HTTP_COOKIE": cookie,
               "CONTENT_TYPE": f"multipart/form-data; boundary={EDGE}", "HTTP_X_CSRFTOKEN": "a" * 32,
               "wsgi.input": Stream(before, piece, times, after), "wsgi.url_scheme": "http", "wsgi.errors": sys.stderr,
               "wsgi.version": (1, 0), "wsgi.multithread": False, "wsgi.multiprocess": False, "wsgi.run_once": False,
               "REMOTE_ADDR": "127.0.0.1", "SCRIPT_NAME": ""}
    said = []
    answer = application(environ, lambda status, headers, *rest: said.append(status))
    body = b"".join(answer); answer.close()
    peak = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
    left = len(list(settings.HOME.incoming.iterdir()))
    print(name, said[0].split()[0], int(peak) // 1024, left, flush=True)

MB = 1 << 20
send("good", before, run_text("x").encode(), 1, after)
send("line", before, b"a" * MB, 300, after)
send("too-large", before, b"a" * MB, 1025, after)
send("bomb", before, bomb(1 << 24), 640, after)
send("line-packed", before, packed(b"a" * MB, 64), 16, after)
send("field", before.replace(b'name="name"\\r\\n\\r\\nattack', b'name="name"\\r\\n\\r\\n') , b"a" * MB, 300, after)
'''


def test_memory_stays_small_whatever_is_sent(tmp_path: Path) -> None:
    """A line of 300 MB, a file of 1 GB, 10 MB that unpack to 10 GB, a line of 1 GB in 1 MB, a form of 300 MB."""
    root = Path(__file__).parents[3]
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, str(tmp_path / "home")],
        cwd=root,
        env={name: value for name, value in os.environ.items() if not name.startswith("CRANFIELD_")}
        | {"PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    told = {line.split()[0]: [int(word) for word in line.split()[1:]] for line in done.stdout.splitlines()}
    assert {name: found[0] for name, found in told.items()} == {
        "good": 302,
        "line": 422,
        "too-large": 413,
        "bomb": 422,
        "line-packed": 422,
        "field": 422,
    }
    assert all(found[2] == 0 for found in told.values()), told  # nothing is left on its way in
    usual = told["good"][1]
    assert max(found[1] for found in told.values()) < max(200, usual + 60), told
