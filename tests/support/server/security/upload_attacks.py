"""Multipart forms and compressed files for attacks on uploads."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from tests.support.server.users_and_tasks import DOCUMENTS, TOPICS

if TYPE_CHECKING:
    from tests.support.server.users_and_tasks import World


EDGE = "----the-edge"


def part(name: str, content: bytes | str, file: str | bytes | None = None) -> bytes:
    """A part of a form, with a file name that no browser would send."""
    called = b"" if file is None else b'; filename="' + (file.encode() if isinstance(file, str) else file) + b'"'
    body = content.encode() if isinstance(content, str) else content
    head = f'--{EDGE}\r\nContent-Disposition: form-data; name="{name}"'.encode() + called
    return head + b"\r\n\r\n" + body + b"\r\n"


def form(world: World, content: bytes, file: str | bytes = "x.run", name: str = "attack") -> bytes:
    team = str(world.teams["Alpha"].pk)
    return part("team", team) + part("name", name) + part("run", content, file) + f"--{EDGE}--\r\n".encode()


LINE = f"{TOPICS[0]} Q0 {DOCUMENTS[0]} 1 1 x\n".encode()


def packed(content: bytes, times: int) -> bytes:
    """The same content again and again, packed without ever being in memory as a whole."""
    packer = zlib.compressobj(9, wbits=31)
    return b"".join(packer.compress(content) for _ in range(times)) + packer.flush()


def bomb(most: int) -> bytes:
    """``most`` bytes of good lines, packed into a thousandth."""
    return packed(LINE * 1000, (1 << 24) // len(LINE) // 1000) * (most >> 24)
