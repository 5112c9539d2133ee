"""HTTP requests to URLs of untrusted users: public addresses only, no redirects, with a time limit."""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import TypeAlias
from urllib.parse import urlsplit

from cranfield.core import CranfieldError

SECONDS = 10.0  # for one message, from the first packet to the answer
NAT64 = IPv6Network("64:ff9b::/96")

Address: TypeAlias = "IPv4Address | IPv6Address"


class NotSent(CranfieldError):
    """A message that did not arrive, and why."""


def is_outside(address: Address) -> bool:
    """Whether this is a machine of the outside world: not ours, not our network's, whatever way it is written."""
    if isinstance(address, IPv6Address):
        inner = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
        if address in NAT64:
            inner.append(IPv4Address(int(address) & 0xFFFFFFFF))
        if any(one is not None and not is_outside(one) for one in inner):
            return False
        if address.ipv4_mapped is not None:
            return True  # what it stands for was looked at
    return address.is_global and not address.is_multicast


def resolve(host: str, port: int, *, local: bool) -> str:
    """The address of a host, looked up once; refused where any of its addresses is inside."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise NotSent(f"there is no host {host}"[:200]) from None
    addresses = [str(one[4][0]).partition("%")[0] for one in found]
    if not local and not all(is_outside(ip_address(one)) for one in addresses):
        raise NotSent("the address lies in a private network: the operator may allow it")
    return addresses[0]


def post(url: str, body: bytes, headers: dict[str, str], *, local: bool) -> int:
    """Send a message; the status of the answer. A redirect is an answer like any other, and is not followed."""
    try:
        parts = urlsplit(url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        raise NotSent("the address makes no sense") from None
    link = _connect(parts.hostname or "", port, resolve(parts.hostname or "", port, local=local))
    # A timeout counts from packet to packet: an answer that drips would hold a worker for ever.
    late = threading.Event()
    alarm = threading.Timer(SECONDS, _cut, [link, late])
    alarm.start()
    try:
        if parts.scheme == "https":
            _secure(link, parts.hostname or "")
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        link.request("POST", target, body, headers)
        status = link.getresponse().status
        if late.is_set():  # half an answer is none
            raise TimeoutError
    except (OSError, http.client.HTTPException, ValueError) as error:
        # Cut while the other side still talks, a connection ends in one of several ways: the cause is one.
        raise NotSent(f"no answer: {_why(TimeoutError() if late.is_set() else error)}") from None
    finally:
        alarm.cancel()
        link.close()
    return status


def _connect(host: str, port: int, address: str) -> http.client.HTTPConnection:
    """A connection to that very address, under the name of the host."""
    link = http.client.HTTPConnection(host, port, timeout=SECONDS)
    try:
        link.sock = socket.create_connection((address, port), timeout=SECONDS)
    except OSError as error:
        raise NotSent(f"no connection: {_why(error)}") from None
    return link


def _secure(link: http.client.HTTPConnection, host: str) -> None:
    checked = ssl.create_default_context()
    link.sock = checked.wrap_socket(link.sock, server_hostname=host, do_handshake_on_connect=False)
    link.sock.do_handshake()


def _cut(link: http.client.HTTPConnection, late: threading.Event) -> None:
    """End a connection from beside: whoever waits for it wakes up."""
    late.set()
    with suppress(OSError):
        socket.socket.shutdown(link.sock, socket.SHUT_RDWR)


def _why(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return f"nothing within {SECONDS:.0f} seconds"
    said = error.strerror if isinstance(error, OSError) else None
    return said or str(error).strip() or type(error).__name__
