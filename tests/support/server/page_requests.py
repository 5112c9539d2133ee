"""Requests to pages of the site, and the text of the answers."""

from __future__ import annotations

from html import unescape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from django.test import Client


def is_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


HTMX = {"HX-Request": "true"}


def shown(answer: Any) -> str:
    return unescape(answer.content.decode())


def text_of(client: Client, address: str) -> str:
    """A page as text; it must be there."""
    answer = client.get(address)
    assert answer.status_code == 200, address
    return unescape(answer.content.decode())


def policy_of(text: str) -> set[str]:
    return {part.strip() for part in text.split(";") if part.strip()}
