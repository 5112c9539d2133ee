"""Token authentication and request limits of the API."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any, cast

from django.http import HttpRequest
from django.utils import timezone
from ninja.security import HttpBearer

from cranfield.server.accounts.models import digest_of
from cranfield.server.accounts.visibility import Viewer
from cranfield.server.models import Token, User
from cranfield.server.site.rate_limits import Limit, address_of, seconds_until, take

from .errors import TOKENS, Fault

# Requests that change something, or make work.
PER_TOKEN = Limit(what="api token", most=120, within=timedelta(minutes=10))
PER_ADDRESS = Limit(what="api address", most=300, within=timedelta(minutes=10))
SEEN = timedelta(minutes=1)  # the time of last use is not written more often


@dataclass(frozen=True)
class Caller:
    """Who asks, and what their token is good for."""

    viewer: Viewer
    token: Token | None = None

    @property
    def user(self) -> User:
        """The account; only where a token was asked for."""
        assert self.viewer.user is not None
        return self.viewer.user


class Asked(HttpRequest):
    """A request, and who makes it."""

    auth: Caller


def caller(request: HttpRequest) -> Caller:
    """Who makes a request."""
    return cast("Asked", request).auth


class Bearer(HttpBearer):
    """A token from the page /my/tokens/, good for as much as was said when it was made."""

    def __init__(self, scope: str = Token.READ) -> None:
        super().__init__()
        self.scope = scope

    def __call__(self, request: HttpRequest) -> Caller | None:
        """The caller; None where no token was sent."""
        sent = request.headers.get("Authorization", "")
        if not sent:
            return None
        scheme, _, text = sent.partition(" ")
        if scheme.lower() != "bearer":
            raise _refused("the header Authorization holds no token")
        return self.authenticate(request, text.strip())

    def authenticate(self, request: HttpRequest, token: str) -> Caller:
        """The caller with that token."""
        found = Token.objects.select_related("user").filter(digest=digest_of(token)).first()
        if found is None or not found.user.is_active:
            raise _refused("nobody has this token")
        now = timezone.now()
        if found.expires <= now:
            raise _refused(f"the token {found.start}… expired on {found.expires:%Y-%m-%d}")
        if not found.allows(self.scope):
            hint = f"make one that may {dict(Token.SCOPES)[self.scope]}, on the page /my/tokens/"
            raise Fault(403, f"the token {found.start}… may not do this", hint=hint, code="E-SCOPE")
        if request.method != "GET":
            count(PER_TOKEN, str(found.pk))
            count(PER_ADDRESS, address_of(request))
        if found.used is None or found.used < now - SEEN:
            Token.objects.filter(pk=found.pk).update(used=now)
        return Caller(Viewer.of(found.user), found)


def everybody(request: HttpRequest) -> Caller:
    """Who shows no token sees what everybody sees."""
    del request
    return Caller(Viewer(None))


def _refused(what: str) -> Fault:
    return Fault(401, what, hint=TOKENS, code="E-TOKEN", headers={"WWW-Authenticate": "Bearer"})


def count(limit: Limit, key: str) -> None:
    """Count a request, unless there were too many of late."""
    taken = take(limit, key)
    if taken.until is not None:
        wait = seconds_until(taken.until)
        hint = f"wait {wait} seconds: {limit.most} requests in {limit.within.seconds // 60} minutes are possible"
        raise Fault(429, "too many requests", hint=hint, code="E-OFTEN", headers={"Retry-After": str(wait)})


ANYBODY = (Bearer(), everybody)
OPEN: dict[str, Any] = {"security": [{}]}  # for the OpenAPI: a token may be shown, and need not
