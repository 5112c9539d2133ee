"""Log a browser in with a session cookie, without the form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.test import Client

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext
    from pytest_django.live_server_helper import LiveServer

    from tests.support.server.users_and_tasks import World


def log_in(context: BrowserContext, world: World, server: LiveServer, who: str = "assessor") -> None:
    """Give a browser the cookie of somebody."""
    client = Client()
    client.force_login(world.people[who])
    cookie = client.cookies["cranfield"].value
    context.add_cookies([{"name": "cranfield", "value": cookie, "url": server.url}])
