"""The tutorial "Run your leaderboard", followed to the letter: its commands, and every name that is in bold."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

from playwright.sync_api import expect

from tests.support.browser.served_site import PATIENCE, Walk, look_until, serving
from tests.support.cli.server_process import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Page

PAGE = (ROOT / "docs" / "tutorials" / "run-your-leaderboard.md").read_text(encoding="utf-8")
THERE = "http://127.0.0.1:8000"  # on the page; here a port that is free
PANELS = {
    "Ad hoc search 2025",
    "Ad hoc search 2024",
}  # what the demo serves: tests/server/operations/test_demo_tasks.py


def commands(kind: str) -> list[str]:
    """The commands of all blocks of one kind."""
    blocks = re.findall(rf"^```{kind}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    return re.findall(r"^\$ (cranfield .*)$", "\n".join(blocks).replace("\\\n> ", ""), re.MULTILINE)


def typed(command: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """A command, as it stands on the page."""
    return subprocess.run(
        [sys.executable, "-c", "from cranfield.cli import main; main()", *command.split()[1:]],
        cwd=folder,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


class Follower:
    """Somebody who presses what is in bold."""

    def __init__(self, page: Page) -> None:
        self.page, self.used = page, set[str]()

    def press(self, name: str, role: str = "link") -> None:
        self.used.add(name)
        self.page.get_by_role(role, name=name, exact=True).first.click()  # type: ignore[arg-type]

    def give(self, label: str, *, text: str = "", file: Path | None = None) -> None:
        self.used.add(label)
        box = self.page.get_by_label(label, exact=True)
        if file:
            box.set_input_files(file)
        else:
            box.fill(text)


def hand_in(me: Follower, run: Path) -> None:
    me.page.goto("/tasks/first-task/")
    me.press("Submit a run")
    me.give("File", file=run)
    expect(me.page.locator("#problems .verdict")).to_contain_text(f"{run.name} can be submitted as it is")
    me.press("Submit", "button")
    row = me.page.locator("tr", has=me.page.get_by_role("rowheader", name=run.stem))
    expect(row.get_by_role("status")).to_have_text("evaluated", timeout=4 * PATIENCE)


def test_the_tutorial_can_be_followed(browser: Browser, tmp_path: Path) -> None:
    demo, serve, submit = commands("text")
    assert demo == "cranfield demo --serve"  # tests/server/operations/test_demo_tasks.py follows that one
    assert serve == "cranfield serve --home boards"  # what `serving` starts
    made, _ = commands("console")
    assert typed(made, tmp_path).returncode == 0
    with serving(tmp_path, filled=False) as server, Walk(browser, server) as page:
        me = Follower(page)
        page.goto(server.link)
        page.get_by_label("Account", exact=True).fill("olga")
        for box in page.locator("input[type=password]").all():
            box.fill("a long enough pass phrase")
        me.press("Make the account and accept", "button")
        # Two files make a task.
        me.press("Organise")
        me.press("New task")
        me.give("Judgments", file=tmp_path / "campaign" / "qrels.txt")
        me.give("Topics (optional)", file=tmp_path / "campaign" / "topics.tsv")
        me.give("Title", text="First task")
        me.give("Private topics, in percent", text="50")
        page.get_by_label("Private topics, in percent").blur()
        expect(page.locator("#preview")).to_contain_text("20 public topics; 20 private until it is closed")
        me.press("Publish", "button")
        expect(page.locator(".messages")).to_contain_text("First task is published")
        # Two runs, and a third that is refused.
        page.goto("/tasks/first-task/")
        me.press("Submit a run")
        page.get_by_label("Name of a new team").fill("Team Olga")
        me.press("Take part", "button")
        for name in ("delta-5", "aurora-2"):
            assert f"`campaign/runs/{name}.txt`" in PAGE
            hand_in(me, tmp_path / "campaign" / "runs" / f"{name}.txt")
        page.goto("/tasks/first-task/")
        look_until(page, page.get_by_role("link", name="aurora-2", exact=True))
        page.goto("/tasks/first-task/submit/")
        expect(page.locator("main")).to_contain_text("No submission left. The next one is possible from")
        # The command line, with a token.
        page.locator(".menu summary").click()
        me.press("Tokens for programs")
        page.get_by_label("What is it for").fill("laptop")
        me.press("Make a token", "button")
        token = page.locator("#token").inner_text().strip()
        told = typed(submit.replace(THERE, server.url), tmp_path, CRANFIELD_TOKEN=token)
        assert told.returncode == 0, told.stderr
        assert told.stdout + told.stderr == "campaign/runs/cedar-1.txt: no problems: the file is as it should be\n"
        # The end.
        me.press("Organise")
        page.get_by_role("link", name="First task").first.click()
        me.used.add("Close the task …")
        page.get_by_role("link", name="Close the task").click()
        page.get_by_label("Write first-task to confirm").fill("first-task")
        page.get_by_role("button", name="Close the task").click()
        page.goto("/tasks/first-task/")
        look_until(page, page.get_by_text("Ranked by 20 private topics"))
        me.press("History")
        expect(page.get_by_role("rowheader", name="Board ").first).to_be_visible()
    assert set(re.findall(r"\*\*(.+?)\*\*", PAGE)) == me.used | PANELS
