"""A crawler that requests every URL of the server as every role."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from django.urls.resolvers import RoutePattern
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from cranfield.server.boards.panels import PANELS
from cranfield.server.models import LabelVersion, Pool, Snapshot, Submission, Task, Team
from tests.support.server.security.planted_secrets import MAIN, PRIVATE, PUBLIC, ROLES, Planted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


NO_KEY = "0123456789ab"
PROGRAM = Client()  # with no cookie: making one reads every file that is served


@dataclass(frozen=True)
class Route:
    """An address with gaps."""

    pattern: str
    gaps: tuple[str, ...]
    view: Callable[..., Any]


def routes(found: Any = None, before: str = "") -> Iterator[Route]:
    """Every route of the server, as Django itself knows them."""
    for one in (found or get_resolver()).url_patterns:
        assert isinstance(one.pattern, RoutePattern), f"{one.pattern} is no plain path"
        pattern = before + str(one.pattern)
        if isinstance(one, URLResolver):
            yield from routes(one, pattern)
        else:
            assert isinstance(one, URLPattern)
            yield Route(pattern, tuple(re.findall(r"<(?:\w+:)?(\w+)>", pattern)), one.callback)


def paths_of(route: Route, planted: Planted) -> list[str]:
    """A route with its gaps filled by everything there is."""
    slugs = [*Task.objects.values_list("slug", flat=True), "nothing"]
    if "teams/<" in route.pattern:
        slugs = [*Team.objects.values_list("slug", flat=True), "nothing"]
    most = max(Snapshot.objects.filter(task=planted.task).count(), LabelVersion.objects.count())
    choices: dict[str, list[str]] = {
        "slug": slugs,
        "key": [
            *(Pool if route.pattern.startswith("judge/") else Submission).objects.values_list("key", flat=True),
            NO_KEY,
        ],
        "number": [str(number) for number in range(1, most + 1)],
        "n": [str(number) for number in range(1, most + 1)],
        "name": [*(panel.name for panel in PANELS), "nothing"],
        "topic": [*PUBLIC[:2], *PRIVATE, "nothing"],
        "text": [planted.invite, "nothing"],
        "rest": ["nothing"],
        "uidb64": [urlsafe_base64_encode(force_bytes(planted.world.people["alice"].pk))],
        "token": ["set-password", "nothing"],
    }
    unknown = set(route.gaps) - set(choices)
    assert not unknown, f"say in planted_secrets.py what {sorted(unknown)} of {route.pattern} stand for"
    found = []
    for values in product(*(choices[gap] for gap in route.gaps)):
        filled = dict(zip(route.gaps, values, strict=True))
        if filled.get("slug", MAIN) != MAIN and (
            filled.get("number", "1") != "1"
            or filled.get("n", "1") != "1"
            or filled.get("name", "stability") != "stability"
            or filled.get("topic", PUBLIC[0]) not in (PUBLIC[0], PRIVATE[0])
        ):
            continue  # one of a kind is enough in other tasks
        path = route.pattern
        for gap, value in filled.items():
            path = re.sub(rf"<(?:\w+:)?{gap}>", value, path)
        found.append("/" + path)
    return found


def questions(planted: Planted) -> dict[str, list[str]]:
    """What may be asked behind an address, by the pattern of its route."""
    keys = [run.key for run in planted.runs.values()]
    pairs = [f"?runs={keys[0]},{keys[place]}" for place in (1, 5)] + [f"?run={keys[0]}&run={keys[1]}&run={keys[4]}"]
    return {
        "tasks/<slug:slug>/": ["?sort=released&order=down", "?q=a", "?meta=meta&kind=automatic"],
        "tasks/<slug:slug>/full/": ["?sort=run"],
        "tasks/<slug:slug>/compare/": pairs,
        "api/tasks/<slug>/board": ["?full=true"],
        "api/submissions": [f"?task={MAIN}", "?task=bettong-draft"],
        "api/tasks/<slug>/left": ["?team=wombatteam"],
        "operate/users/": ["?name=a"],
        "organise/<slug:slug>/corpus/": ["?q=in"],
        "judge/<slug:key>/document/": [f"?topic={PRIVATE[0]}&document=D01"],
        "operate/jobs/": ["?state=waiting", "?state=failed"],
        "log-in/": [f"?next=/tasks/{MAIN}/"],
    }


@dataclass(frozen=True)
class Answer:
    """What came back."""

    role: str
    route: str
    path: str
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def kind(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0]

    @cached_property
    def text(self) -> str:
        """Everything in it that can be read: headers, cookies, body, and pictures that stand in a page."""
        body = self.body.decode("utf-8", "replace")
        inside = [
            base64.b64decode(one).decode("utf-8", "replace")
            for one in re.findall(r"data:image/svg\+xml;base64,([\w+/=]+)", body)
        ]
        return "\n".join([*(f"{name}: {value}" for name, value in self.headers.items()), body, *inside])


def ask(planted: Planted, role: str, route: str, path: str, method: str = "get", **headers: str) -> Answer:
    """One request of somebody: pages by their cookie, the API by their token."""
    if path.startswith("/api/"):
        client = PROGRAM
        client.cookies.clear()
        if role:
            headers["Authorization"] = f"Bearer {planted.tokens[role]}"
    else:
        client = planted.world.client(role or None)
    answer = getattr(client, method)(path, headers=headers)
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    told = {name.lower(): value for name, value in answer.headers.items()}
    cookies = {
        f"set-cookie {name}": f"{name}={cookie.value}; {cookie.OutputString()}"
        for name, cookie in answer.cookies.items()
        if name != settings.SESSION_COOKIE_NAME
    }
    return Answer(role, route, path, answer.status_code, told | cookies, body)


def crawl(planted: Planted, roles: tuple[str, ...] = ROLES) -> Iterator[Answer]:
    """Every address, with everything that may be asked behind it, by everybody."""
    asked = questions(planted)
    newest = str(Snapshot.objects.filter(task=planted.task, kind=Snapshot.PUBLIC).count())
    for route in routes():
        for path in paths_of(route, planted):
            old = re.search(r"/boards/(\d+)/", path)
            for role in roles if not old or old[1] == newest else roles[:1]:
                behind = (
                    asked.get(route.pattern, [])
                    if not route.gaps or f"/{MAIN}/" in path or planted.pool.key in path
                    else []
                )
                for query in ["", *behind]:
                    yield ask(planted, role, route.pattern, path + query)
        for role in ("", "alice", "operator"):
            if role in roles and not route.pattern.startswith("api/"):  # a part of a page, as htmx asks for it
                yield ask(planted, role, route.pattern, path, **{"HX-Request": "true"})
