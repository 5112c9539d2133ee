"""A campaign with two runs, and the form that draws up its pools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cranfield.server.judging import judgments
from cranfield.server.models import Audit, Pool, Question, Task
from tests.support.server.judging_campaigns import campaign

if TYPE_CHECKING:
    from tests.support.server.users_and_tasks import World

HTMX = {"HX-Request": "true"}
PAGE = "/organise/campaign/pools/"
ONE = f"{PAGE}1/"
GRADES = "0 not relevant\n1 relevant\n2 highly relevant"
BOTH = [len({*range(4), *((place - 3 * (1 + topic % 4)) % 10 for place in range(4))}) for topic in range(12)]


def told(**changed: Any) -> dict[str, Any]:
    """What the form sends: the first four documents of two runs, each by one person."""
    usual = {"strategy": "depth", "depth": 4, "budget": "", "shared": "each", "first": 0, "seed": 7, "grades": GRADES}
    return usual | {"settings": "", "guidelines": "", "overlap": 0, "judges": 2, "minutes": 1} | changed


def with_runs(world: World) -> Task:
    """A campaign with two runs, one of each team."""
    made = campaign(world)
    world.hand_in(made, "run-0", 0)
    world.hand_in(made, "run-3", 3, team="Beta")
    return made


def post(world: World, address: str, sent: dict[str, Any], **how: Any) -> str:
    answer = world.client("organiser").post(address, sent, follow=True, **how)
    assert answer.status_code == 200
    return answer.content.decode()


def drawn(world: World, **changed: Any) -> Pool:
    assert "is drawn up" in post(world, PAGE, told(make="1", **changed))
    return Pool.objects.latest("number")


def page_of(world: World, address: str) -> str:
    return world.client("organiser").get(address).content.decode()


def acts_of(task: Task) -> list[str]:
    """What was done to pools, in order."""
    found = Audit.objects.filter(task=task.slug, what__startswith="pool").order_by("pk")
    return list(found.values_list("what", flat=True))


def judge_one(pool: Pool, world: World, grade: float | None, seconds: float = 4) -> Question:
    """Somebody judges what is due."""
    question = judgments.next_for(pool, world.people["assessor"])
    assert question is not None
    key = f"{question.topic}-{question.document}"
    said = judgments.Said(key=key, topic=question.topic, document=question.document, grade=grade, seconds=seconds)
    judgments.judge(pool, world.people["assessor"], said)
    return question
