"""A pool with texts, and LLM judges that label it."""

from __future__ import annotations

import json
import re
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from django.conf import settings

from cranfield.server.judging import judgments
from cranfield.server.judging.llm import judges
from cranfield.server.judging.llm.prompts import PROMPT
from cranfield.server.tasks import corpora
from tests.support.server.judging_campaigns import begun, campaign, right, said
from tests.support.server.llm_endpoint import StandIn, graded, standing_in
from tests.support.server.users_and_tasks import DOCUMENTS, World, arrived

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

    from cranfield.server.models import Judgment, Machine, Pool


KEY = "sk-very-secret-0123456789"
VARIABLE = "CRANFIELD_TEST_MACHINE_KEY"
ASKED = re.compile(r"question (\d+)\n.*Words of (D\d\d)\.", re.DOTALL)
PAGE = "/organise/campaign/pools/1/machines/"
CORPUS = "".join(json.dumps({"id": name, "title": "", "text": f"Words of {name}."}) + "\n" for name in DOCUMENTS)
RUNS = (("one", 0), ("two", 3), ("three", 5))
TWO = [["0", "off the point"], ["1", "to the point"]]


def item(prompt: str) -> tuple[str, str]:
    """Topic and document of a prompt."""
    found = ASKED.search(prompt)
    assert found is not None, prompt
    return found[1], found[2]


@contextmanager
def set_up(patch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    """A model that says 1 of everything, set up by the operator."""
    with standing_in(lambda _: graded(1)) as found:
        told = replace(settings.OPTIONS, machine_url=found.url, machine_models=["standin", "other"])
        patch.setattr(settings, "OPTIONS", replace(told, machine_key_variable=VARIABLE))
        patch.setenv(VARIABLE, KEY)
        yield found


def pooled(world: World, *, asked: int = 6, judged: int = 6, **how: Any) -> Pool:
    """A pool with texts: so many of its questions are judged; if not all are, the first is in somebody's hand."""
    task = campaign(world)
    for name, shift in RUNS:
        world.hand_in(task, name, shift)
    corpora.set_corpus(task, arrived(CORPUS, "docs.jsonl"), world.people["organiser"])
    world.work()
    how = {"grades": TWO, "budget": asked, "shared": True, "guidelines": "Read it all."} | how
    pool = begun(world, task, **how)
    left = judgments.next_for(pool, world.people["loner"]) if judged < asked else None
    for _ in range(judged):
        question = judgments.next_for(pool, world.people["assessor"])
        assert question is not None
        assert question != left
        judgments.judge(pool, world.people["assessor"], said(question, min(right(question), 1.0)))
    return pool


def start(world: World, pool: Pool, prompt: str = PROMPT, name: str = "standin") -> Machine:
    """Ask a machine, as an organiser does."""
    return judges.begin(pool, world.people["organiser"], model=name, prompt=prompt)


def spoken(machine: Machine) -> list[Judgment]:
    """What it has said, in order."""
    return list(judges.said_by(machine).select_related("question").order_by("id"))


def seen(machine: Machine) -> tuple[str, str]:
    """How it stands now."""
    machine.refresh_from_db()
    return machine.state, machine.failure
