"""Messages to addresses of strangers: to the outside world only, within seconds."""

from __future__ import annotations

import socket
import struct
import threading
import time
from contextlib import contextmanager
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any

import pytest

from cranfield.server.jobs import outbound_http
from cranfield.server.jobs.outbound_http import NotSent, is_outside, post, resolve
from tests.support.server.webhook_receiver import listening

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.mark.parametrize(
    ("address", "outside"),
    [
        ("8.8.8.8", True),
        ("2606:4700::1111", True),
        ("::ffff:8.8.8.8", True),
        ("127.0.0.1", False),
        ("10.1.2.3", False),
        ("172.16.0.1", False),
        ("192.168.1.1", False),
        ("169.254.169.254", False),
        ("100.64.0.1", False),
        ("0.0.0.0", False),
        ("224.0.0.1", False),
        ("255.255.255.255", False),
        ("::1", False),
        ("::", False),
        ("fe80::1", False),
        ("fc00::1", False),
        ("ff02::1", False),
        ("::ffff:10.0.0.1", False),
        ("64:ff9b::a00:1", False),
        ("64:ff9b::808:808", True),
        ("2002:a00:1::", False),
    ],
)
def test_which_addresses_are_outside(address: str, outside: bool) -> None:
    assert is_outside(ip_address(address)) is outside


def test_a_name_is_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that changes its address between the look and the call would get in: there is only one look."""
    asked = []
    real = socket.getaddrinfo

    def answers(host: str, port: int, *words: Any, **named: Any) -> Any:
        if host != "changing.example":
            return real(host, port, *words, **named)
        asked.append(host)
        address = "127.0.0.1" if len(asked) == 1 else "8.8.8.8"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

    monkeypatch.setattr(socket, "getaddrinfo", answers)
    with listening() as receiver:
        port = int(receiver.url.rpartition(":")[2].strip("/"))
        assert post(f"http://changing.example:{port}/x", b"{}", {}, local=True) == 200
    assert asked == ["changing.example"]
    [(_, headers, _)] = receiver.heard
    assert headers["Host"] == f"changing.example:{port}"


def test_one_inner_address_among_several_is_enough_to_refuse(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, 80)) for one in ("8.8.8.8", "10.0.0.1")]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *words, **named: found)
    with pytest.raises(NotSent, match="private network"):
        resolve("both.example", 80, local=False)
    assert resolve("both.example", 80, local=True) == "8.8.8.8"


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://no-such-host.invalid/", "there is no host"),
        ("http://127.0.0.1:99999/", "makes no sense"),
        ("http://127.0.0.1:1/", "no connection"),
    ],
)
def test_why_a_message_was_not_sent(url: str, why: str) -> None:
    with pytest.raises(NotSent, match=why):
        post(url, b"{}", {}, local=True)


@contextmanager
def talking(*pieces: bytes, pause: float = 0, rude: bool = False) -> Iterator[str]:
    """Something that is no web server: it says some bytes, with pauses, and may slam the door at the end."""
    ear = socket.create_server(("127.0.0.1", 0))

    def talk() -> None:
        line, _ = ear.accept()
        with line:
            for piece in pieces:
                try:
                    line.sendall(piece)
                except OSError:
                    return
                time.sleep(pause)
            if rude:
                line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # close by a reset

    thread = threading.Thread(target=talk)
    thread.start()
    try:
        yield f"127.0.0.1:{ear.getsockname()[1]}/"
    finally:
        thread.join()
        ear.close()


def test_an_answer_that_drips_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbound_http, "SECONDS", 0.5)
    started = time.monotonic()
    drops = [b"HTTP/1.1 200 OK\r\nX: ", *[b"y"] * 30]
    with talking(*drops, pause=0.1) as place, pytest.raises(NotSent, match="nothing within"):
        post(f"http://{place}", b"{}", {}, local=True)
    assert time.monotonic() - started < 10


def test_a_reset_after_the_time_is_up_is_still_a_want_of_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other side may answer the cut with a reset, which can come before whoever waits wakes up."""
    monkeypatch.setattr(outbound_http, "SECONDS", 0.5)
    monkeypatch.setattr(outbound_http, "_cut", lambda link, late: late.set())
    with talking(*[b"H"] * 10, pause=0.2, rude=True) as place, pytest.raises(NotSent, match="nothing within"):
        post(f"http://{place}", b"{}", {}, local=True)


def test_a_reset_in_time_is_called_so() -> None:
    with talking(b"H", rude=True) as place, pytest.raises(NotSent, match=r"reset by peer|Broken pipe"):
        post(f"http://{place}", b"{}", {}, local=True)


def test_what_does_not_speak_http_or_tls_is_no_answer() -> None:
    with talking(b"hello\r\n") as place, pytest.raises(NotSent, match="no answer"):
        post(f"http://{place}", b"{}", {}, local=True)
    with talking(b"hello\r\n") as place, pytest.raises(NotSent, match="no answer"):
        post(f"https://{place}", b"{}", {}, local=True)
