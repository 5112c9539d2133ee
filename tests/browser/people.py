"""Fills a home: ``python -m tests.browser.people HOME``, a process of its own, for Django is set up once in each."""

from __future__ import annotations

import json
import sys
from typing import Any

from cranfield.server.starting import migrate, start

SUMMARY = "Find the documents that answer a question."
ABOUT = "Find **all** documents that answer.\n\n- Half of the topics are private.\n- Cite [us](https://example.org)."


def fill() -> dict[str, Any]:
    """One task for each test that changes something, one open and one closed to look at; what tests need to know."""
    from cranfield.server import people, tasks
    from cranfield.server.models import Announcement, Submission
    from tests.server.world import PASSWORD, TOPICS, World, qrels, run_text

    world = World.make()
    people.set_may_organise(world.people["organiser"], world.people["operator"], may=True)
    shown: dict[str, Any] = {
        "summary": SUMMARY,
        "about": ABOUT,
        "labels_public": True,
        "runs_public": True,
        "private": 6,
    }
    for slug, title in (("looked-at", "Ad hoc search"), ("over", "Ad hoc search, the year before")):
        task = world.filled(slug, title=title, anonymous_days=90, embargo_days=90, **shown)
        Announcement.objects.create(task=task, by=world.people["organiser"], text="Welcome. Read the *rules*.")
    tasks.close(task, world.people["organiser"])
    task = world.task("first-steps", title="First steps", limit=4, **shown)
    for name, shift in (("good", 1), ("poor", 5)):
        world.hand_in(task, name, shift, team="Beta")
    world.work()
    world.task("draft", state="draft", title="A draft")
    files = {name: run_text(name, shift) for name, shift in (("ideal", 0), ("good", 1), ("fair", 2))}
    files |= {"qrels": qrels(), "topics": "".join(f"{topic}\tWhat is number {topic}?\n" for topic in TOPICS)}
    keys = {f"{run.task.slug}/{run.name}": run.key for run in Submission.objects.select_related("task")}
    return {"password": PASSWORD, "keys": keys, "files": files}


if __name__ == "__main__":
    start(sys.argv[1])
    migrate()
    json.dump(fill(), sys.stdout)
