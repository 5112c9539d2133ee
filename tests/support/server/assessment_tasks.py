"""Tasks for assessors: submitted runs, document texts and the next document to judge."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from cranfield.server.judging import judgments
from cranfield.server.tasks import corpora
from tests.support.server.users_and_tasks import World, arrived

if TYPE_CHECKING:
    from cranfield.server.models import Pool, Question, Task


def with_texts(task: Task, world: World, **texts: str) -> None:
    lines = "".join(json.dumps({"docno": name, "title": name, "text": text}) + "\n" for name, text in texts.items())
    corpora.set_corpus(task, arrived(lines, "docs.jsonl"), world.people["organiser"])
    world.work()


def taken(world: World, slug: str = "ad-hoc") -> Task:
    """A task with two runs that nobody has evaluated yet: enough for a pool."""
    task = world.task(slug)
    for name, shift, team in (("ideal", 0, "Alpha"), ("turned", 3, "Beta")):
        world.hand_in(task, name, shift, team=team)
    return task


def in_turn(pool: Pool, world: World) -> Question:
    found = judgments.next_for(pool, world.people["assessor"])
    assert found is not None
    return found
