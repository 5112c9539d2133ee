"""Judging campaigns: tasks with topics, pools, assessors and their judgments."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

from cranfield.server.judging import judgments, pool_lifecycle
from cranfield.server.judging.judgments import Said
from cranfield.server.models import Participant, Pool, Question, Role, Task, User
from cranfield.server.tasks import lifecycle
from tests.support.server.users_and_tasks import TOPICS, World, arrived, qrels

if TYPE_CHECKING:
    from collections.abc import Callable


TEXTS = "".join(f"{topic}\tquestion {topic}\n" for topic in TOPICS)


def campaign(world: World, **rules: Any) -> Task:
    how: dict[str, Any] = {"measures": "AP nDCG@10", "limit": 10, "publish_now": True} | rules
    topics = arrived(TEXTS, "topics.tsv").arriving
    made = lifecycle.make_task(world.people["organiser"], title="Campaign", topics=topics, **how)
    for team in world.teams.values():
        Participant.objects.create(task=made, team=team)
    Role.objects.create(task=made, user=world.people["assessor"], role=Role.ASSESSOR)
    return made


KEYS = count()

GRADES = [["0", "not relevant"], ["1", "relevant"], ["2", "highly relevant"]]

RIGHT = {(topic, document): float(grade) for topic, _, document, grade in map(str.split, qrels().splitlines())}


def right(question: Question) -> float:
    return RIGHT.get((question.topic, question.document), 0.0)


def said(question: Question, grade: float | None, key: str = "") -> Said:
    return Said(key=key or f"key-{next(KEYS)}", topic=question.topic, document=question.document, grade=grade)


def begun(world: World, task: Task, **how: object) -> Pool:
    pool = pool_lifecycle.draw_up(task, world.people["organiser"], **{"grades": GRADES} | how)
    pool_lifecycle.begin(pool, world.people["organiser"])
    return pool


def judge_all(pool: Pool, user: User, most: int = 10**6) -> list[Question]:
    """Answer as the labels do."""
    asked: list[Question] = []
    while len(asked) < most and (question := judgments.next_for(pool, user)) is not None:
        judgments.judge(pool, user, said(question, right(question)))
        asked.append(question)
    return asked


TWO = [["0", "not relevant"], ["1", "relevant"]]


def assessors(world: World, task: Task, *names: str) -> list[User]:
    """People who judge the task, new ones among them."""
    for name in names:
        Role.objects.get_or_create(task=task, user=world.people[name], role=Role.ASSESSOR)
    return [world.people[name] for name in names]


def answer_all(pool: Pool, user: User, grade: Callable[[Question], float | None], seconds: float = 0) -> int:
    """Judge all that is asked; how much that was."""
    done = 0
    while (question := judgments.next_for(pool, user)) is not None:
        told = Said(
            key=f"key-{next(KEYS)}",
            topic=question.topic,
            document=question.document,
            grade=grade(question),
            note=f"note of {user.username}",
            seconds=seconds + done,
        )
        judgments.judge(pool, user, told)
        done += 1
    return done


def shared(world: World, **how: Any) -> tuple[Task, Pool]:
    """A pool of two documents of each of the 12 topics, each judged by two people."""
    task = world.received()
    rules: dict[str, Any] = {"grades": TWO, "overlap": 100, "judges": 2, "budget": 2, "strategy": "depth"} | how
    return task, begun(world, task, **rules)


def differing(world: World, **how: Any) -> Pool:
    """A pool in which assessor and loner have judged all 24 documents and differ on those of topics 301 and 302."""
    task, pool = shared(world, **how)
    one, other = assessors(world, task, "assessor", "loner")
    assessors(world, task, "beth")
    answer_all(pool, one, lambda _: 0.0)
    answer_all(pool, other, lambda question: float(question.topic in ("301", "302")))
    return pool
