"""Sliding-window rate limits per account and network address."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime, timedelta
from ipaddress import ip_address, ip_network
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac

from cranfield.server.models import Try

if TYPE_CHECKING:
    from django.http import HttpRequest


WAIT = "cranfield.wait"  # of a request: seconds until it may be made again


@dataclass(frozen=True, kw_only=True, slots=True)
class Limit:
    """So many tries in so much time, for each key: an account, an address."""

    what: str
    most: int
    within: timedelta


LOG_IN = Limit(what="log-in", most=10, within=timedelta(minutes=15))  # that failed
SIGN_UP = Limit(what="sign-up", most=10, within=timedelta(hours=1))
CHECK = Limit(what="check", most=60, within=timedelta(hours=1))  # dry runs


@dataclass(frozen=True, kw_only=True, slots=True)
class Taken:
    """A try that was counted, or the time from which there is one more."""

    rows: tuple[int, ...] = ()
    until: datetime | None = None

    def give_back(self) -> None:
        """Do not count it: it was no failure."""
        Try.objects.filter(pk__in=self.rows).delete()


def take(limit: Limit, *keys: str) -> Taken:
    """Count a try under every key, unless one of them has none left.

    It is counted first and tried then, so that many at once are not more than the limit.
    """
    digests = sorted({salted_hmac(f"cranfield {limit.what}", key, algorithm="sha256").hexdigest() for key in keys})
    with transaction.atomic():
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                for digest in digests:  # sorted: two that need the same locks never wait for each other
                    cursor.execute("select pg_advisory_xact_lock(%s)", [int(digest[:15], 16)])
        since = timezone.now() - limit.within
        waits = [until for digest in digests if (until := _until(limit, digest, since))]
        if waits:
            return Taken(until=max(waits))
        return Taken(rows=tuple(Try.objects.create(what=limit.what, key=digest).pk for digest in digests))


def _until(limit: Limit, digest: str, since: datetime) -> datetime | None:
    recent = list(
        Try.objects.filter(what=limit.what, key=digest, at__gt=since)
        .order_by("-at")
        .values_list("at", flat=True)[: limit.most]
    )
    return recent[-1] + limit.within if len(recent) == limit.most else None


def address_of(request: HttpRequest) -> str:
    """Where a request comes from. Behind a proxy it is what our own proxy added last: anybody can write the rest.

    Of the newer addresses it is the network, because whoever has one of them has a network full of them.
    """
    told = request.META.get("REMOTE_ADDR", "")
    if settings.OPTIONS.proxied:
        told = request.META.get("HTTP_X_FORWARDED_FOR", "").rpartition(",")[2].strip() or told
    try:
        address = ip_address(told)
    except ValueError:
        return str(told)
    return str(address) if address.version == 4 else str(ip_network(f"{address}/64", strict=False))


def seconds_until(moment: datetime) -> int:
    """Whole seconds to wait, at least one."""
    return max(1, math.ceil((moment - timezone.now()).total_seconds()))


def minutes_until(moment: datetime) -> int:
    """Whole minutes to wait, at least one."""
    return math.ceil(seconds_until(moment) / 60)


def have_to_wait(request: HttpRequest, until: datetime) -> None:
    """Let the answer say, in its head, when it may be tried again."""
    request.META[WAIT] = seconds_until(until)
