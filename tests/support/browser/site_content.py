"""The users, tasks and pools of a test site, written to a home: ``python -m tests.support.browser.site_content HOME``.

It runs in a separate process because Django can be set up only once in a process.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from cranfield.server.site.django_setup import migrate, start

if TYPE_CHECKING:
    from cranfield.server.models import Pool
    from tests.support.server.users_and_tasks import World

SUMMARY = "Find the documents that answer a question."
MACHINES = 'machine_url = "http://127.0.0.1:9/v1"\nmachine_models = ["a-model"]\n'  # which nobody asks
ABOUT = "Find **all** documents that answer.\n\n- Half of the topics are private.\n- Cite [us](https://example.org)."


def fill() -> dict[str, Any]:
    """One task for each test that changes something, one open and one closed to look at; what tests need to know."""
    from cranfield.server.accounts import roles
    from cranfield.server.models import Announcement, Submission
    from cranfield.server.tasks import lifecycle
    from tests.support.server.users_and_tasks import PASSWORD, TOPICS, World, qrels, run_text

    world = World.make()
    roles.set_may_organise(world.people["organiser"], world.people["operator"], may=True)
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
    lifecycle.close(task, world.people["organiser"])
    task = world.task("first-steps", title="First steps", limit=4, **shown)
    for name, shift in (("good", 1), ("poor", 5)):
        world.hand_in(task, name, shift, team="Beta")
    world.work()
    world.task("draft", state="draft", title="A draft")
    files = {name: run_text(name, shift) for name, shift in (("ideal", 0), ("good", 1), ("fair", 2))}
    files |= {"qrels": qrels(), "topics": "".join(f"{topic}\tWhat is number {topic}?\n" for topic in TOPICS)}
    keys = {f"{run.task.slug}/{run.name}": run.key for run in Submission.objects.select_related("task")}
    keys["campaign"] = campaign(world).key
    return {"password": PASSWORD, "keys": keys, "files": files}


def campaign(world: World) -> Pool:
    """A pool that two people judge, who differ once, beside a draft and one that has ended; labels made from it."""
    from cranfield.server.judging import judgments, pool_lifecycle, preference_judgments
    from cranfield.server.judging.label_aggregation import HOLDS, make_version
    from tests.support.server.judging_campaigns import begun, right, said
    from tests.support.server.llm_judging import TWO, pooled

    organiser, other = world.people["organiser"], world.people["adam"]
    pool = pooled(world, asked=4, judged=8, shared=False, overlap=100, judges=2, strategy="mtf")
    for number in range(8):
        question = judgments.next_for(pool, other)
        assert question is not None
        grade = min(right(question), 1.0)
        judgments.judge(pool, other, said(question, grade if number else 1 - grade))
    pair = preference_judgments.next_for(pool, other)
    assert pair is not None
    preference_judgments.prefer(pool, other, preference_judgments.Preferred(key="first", shown=pair, side="left"))
    pool_lifecycle.draw_up(pool.task, organiser, strategy="mtf", depth=5, budget=2, grades=TWO)
    pool_lifecycle.end(begun(world, pool.task, depth=1), organiser)
    make_version(pool, organiser, HOLDS, note="from pool 1")
    world.work()
    return pool


if __name__ == "__main__":
    home = start(sys.argv[1])
    with home.settings.open("a", encoding="utf-8") as settings:
        settings.write(MACHINES)
    migrate()
    json.dump(fill(), sys.stdout)
