"""What the pages of the documentation list is what a server has: settings, requests."""

import re
import tomllib
from dataclasses import asdict

import pytest
from django.test import Client

from cranfield.server.site.home_folder import SETTINGS, Options
from tests.support.source_tree import ROOT

HOW_TO = ROOT / "docs" / "how-to"


def test_the_settings_of_the_page_are_those_of_a_new_server() -> None:
    page = (HOW_TO / "run-a-server.md").read_text(encoding="utf-8")
    shown = next(block for block in re.findall(r"```toml\n(.*?)```", page, re.DOTALL) if "upload_mb" in block)
    written = "".join(line.removeprefix("# ") for line in SETTINGS.splitlines(keepends=True)[1:])
    assert shown == written
    assert tomllib.loads(shown) == asdict(Options())


@pytest.mark.django_db
def test_the_requests_of_the_page_are_those_of_the_api() -> None:
    page = (
        (HOW_TO / "use-the-api.md")
        .read_text(encoding="utf-8")
        .replace("`…/labels/{n}`", "`GET /api/tasks/{slug}/labels/{n}`")
    )
    shown = set(re.findall(r"`(GET|POST) /api/([^`]+)`", page))
    there = {
        (verb.upper(), path.removeprefix("/api/"))
        for path, verbs in Client().get("/api/openapi.json").json()["paths"].items()
        for verb in verbs
    }
    assert shown == there
