"""Attacks in a real browser: whatever people write, nothing of it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cranfield.server.models import Snapshot, Team, User
from tests.support.server.browser_login import log_in
from tests.support.server.security.hostile_content import poison
from tests.support.server.security.planted_secrets import MAIN, PUBLIC, Planted

if TYPE_CHECKING:
    from playwright.sync_api import ConsoleMessage, Dialog, Page
    from pytest_django.live_server_helper import LiveServer

    from tests.support.server.users_and_tasks import World


pytestmark = pytest.mark.usefixtures("beside_a_browser")


def test_texts_of_people_do_nothing_in_a_browser(
    world_of_threads: World, live_server: LiveServer, page: Page, quiet: None
) -> None:
    del quiet
    world_of_threads.people["operator"].delete()  # everybody is made anew
    User.objects.all().delete()
    Team.objects.all().delete()
    planted = poison(Planted.make())
    said: list[str] = []

    def hear(dialog: Dialog) -> None:
        said.append(f"dialog at {page.url}")
        dialog.dismiss()

    def read(line: ConsoleMessage) -> None:
        if line.type in ("error", "warning"):
            said.append(f"{page.url}: {line.text}")

    page.on("dialog", hear)
    page.on("console", read)
    page.on("requestfailed", lambda asked: said.append(f"{page.url}: {asked.url} failed"))
    log_in(page.context, planted.world, live_server, "operator")
    run = planted.runs["good"]
    number = Snapshot.objects.filter(task=planted.task, kind=Snapshot.PUBLIC).count()
    for path in (
        "/",
        f"/tasks/{MAIN}/",
        f"/tasks/{MAIN}/?q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E",
        f"/tasks/{MAIN}/about/",
        f"/tasks/{MAIN}/history/",
        f"/tasks/{MAIN}/full/",
        f"/tasks/{MAIN}/full/stability/",
        f"/tasks/{MAIN}/boards/{number}/",
        f"/tasks/{MAIN}/boards/{number}/significance/",
        f"/tasks/{MAIN}/boards/{number}/picture/stability",
        f"/tasks/{MAIN}/compare/?runs={run.key},{planted.runs['ideal'].key}",
        f"/tasks/{MAIN}/topics/{PUBLIC[0]}/",
        f"/runs/{run.key}/",
        "/my/account/",
        "/my/tokens/",
        "/teams/alpha/",
        f"/organise/{MAIN}/",
        f"/organise/{MAIN}/settings/",
        f"/organise/{MAIN}/labels/",
        f"/organise/{MAIN}/people/",
        f"/organise/{MAIN}/announcements/",
        f"/organise/{MAIN}/audit/",
        f"/organise/{MAIN}/leak/",
        f"/organise/{MAIN}/runs/",
        f"/organise/{MAIN}/import/",
        f"/organise/{MAIN}/webhooks/",
        "/operate/",
        "/operate/users/",
        "/operate/jobs/",
        f"/join/{planted.invite}/",
    ):
        answer = page.goto(live_server.url + path)
        assert answer is not None
        assert answer.status == 200, path
        page.wait_for_load_state("networkidle")
    assert not said
