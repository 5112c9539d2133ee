"""Machines on the pages of organisers: what would be sent, consent, and machines beside people."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from django.utils.html import escape

from cranfield.server.judging.llm import judges
from cranfield.server.judging.llm.prompts import LONGEST, PROMPT, fixed, prompt_for
from cranfield.server.models import Machine
from cranfield.studies import evaluate
from tests.support.server.llm_endpoint import StandIn, completion, graded
from tests.support.server.llm_judging import PAGE, RUNS, item, pooled, seen, set_up, start
from tests.support.server.users_and_tasks import TOPICS, World, run_text

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    with set_up(monkeypatch) as found:
        yield found


def test_it_can_be_stopped_and_goes_on(world: World, model: StandIn) -> None:
    pool = pooled(world)
    machine = start(world, pool)
    client = world.client("organiser")
    answer = client.post(PAGE, {"act": "stop", "which": machine.pk}, follow=True).content.decode()
    assert "standin is asked no more." in answer
    world.work()
    assert model.heard == []
    assert seen(machine) == (Machine.FAILED, judges.STOPPED)
    answer = client.post(PAGE, {"act": "stop", "which": machine.pk}, follow=True).content.decode()
    assert "Standin is not being asked" in answer
    answer = client.post(PAGE, {"act": "go on", "which": machine.pk}, follow=True).content.decode()
    assert "standin is asked for the rest." in answer
    world.work()
    assert seen(machine) == (Machine.DONE, "")
    assert client.post(PAGE, {"act": "stop", "which": 10**6}).status_code == 404


def test_what_would_be_sent_is_counted(world: World, model: StandIn) -> None:
    pool = pooled(world, asked=6, judged=5)
    told = judges.plan(pool, PROMPT)
    machine = start(world, pool)
    world.work()
    assert (told.documents, told.judged, told.textless) == (6, 5, 0)
    # Every text is counted with one character between title and text, which an empty title does not need.
    assert told.characters == sum(map(len, model.prompts)) + 6
    corpus = pool.task.corpus
    corpus.documents.update(text="y" * (LONGEST + 5000))
    frame = len(fixed(pool, PROMPT)) - len("{topic}{document}")
    assert judges.plan(pool, PROMPT).characters == 6 * (frame + len("question 301") + LONGEST)
    [question, *_] = pool.questions.order_by("id")
    assert prompt_for(machine, question).count("y" * LONGEST) == 1
    assert "y" * (LONGEST + 1) not in prompt_for(machine, question)
    corpus.documents.exclude(name=question.document).delete()
    few = judges.plan(pool, PROMPT)
    assert few.documents + few.textless == 6
    assert few.documents == pool.questions.filter(document=question.document).count()


def share(of: float) -> str:
    """A percentage as pages set it."""
    return f"{100 * of:.1f}\N{NO-BREAK SPACE}%"


def test_machine_and_people_side_by_side(world: World, model: StandIn) -> None:
    pool = pooled(world, asked=24, judged=24)
    held = {(q.topic, q.document): q.grade for q in pool.questions.all()}
    zeros = sorted(key for key, grade in held.items() if grade == 0)
    ones = sorted(key for key, grade in held.items() if grade == 1)
    more, less = set(zeros[:3]), set(ones[:1])
    says = {key: 1 - grade if key in more | less else grade for key, grade in held.items() if grade is not None}
    model.says = lambda prompt: graded(int(says[item(prompt)]))
    start(world, pool)
    world.work()
    ended = "No machine is asked any more"
    assert ended in world.client("organiser").get(PAGE, headers={"HX-Request": "true"}).content.decode()
    page = world.client("organiser").get(PAGE).content.decode()
    assert ended not in page  # all is there
    n, yes, told = len(held), len(ones), len(ones) + len(more) - len(less)
    chance = (yes * told + (n - yes) * (n - told)) / n**2
    kappa = ((n - 4) / n - chance) / (1 - chance)  # cohen1960
    assert n == 24
    assert f"standin says what people say of {share(20 / 24)} of 24 items (κ {kappa:.2f})" in page
    assert f"more of {share(3 / 24)} and less of {share(1 / 24)}" in page
    ranked: dict[str, dict[str, dict[str, float]]] = {}
    for name, shift in RUNS:
        lines = [line.split() for line in run_text(name, shift).splitlines()]
        ranked[name] = {topic: {row[2]: float(row[4]) for row in lines if row[0] == topic} for topic in TOPICS}
    both = []
    for grades in (held, says):
        judged: dict[str, dict[str, int]] = {}
        for (topic, document), grade in grades.items():
            judged.setdefault(topic, {})[document] = int(grade or 0)
        values = evaluate(judged, ranked, "AP", scale="ignore")
        both.append(dict(zip(values.runs, values.aggregate()[:, 0].tolist(), strict=True)))
    for name in ranked:
        for side in both:
            assert re.search(rf"<td>AP</td><td>{name}</td>.*{side[name]:.4f}", page), name
    assert "Where they differ" in page
    assert len(re.findall(r"<td>It says so\.</td>", page)) == 4


def test_without_the_operator_the_page_says_so(world: World) -> None:
    pooled(world)
    page = world.client("organiser").get(PAGE).content.decode()
    assert "The operator of this server has not set up machines." in page
    assert "<textarea" not in page
    told = {"model": "standin", "prompt": PROMPT, "agree": "on"}
    assert world.client("organiser").post(PAGE, told).status_code == 302
    assert not Machine.objects.exists()


def test_the_page_asks_for_consent_and_shows_what_becomes_of_it(world: World, model: StandIn) -> None:
    pool = pooled(world, asked=6, judged=5)
    client = world.client("organiser")
    page = client.get(PAGE).content.decode()
    characters = judges.plan(pool, PROMPT).characters
    assert "6 documents, of which people have judged 5" in page
    assert f"about {characters:,} characters would be sent to 127.0.0.1" in page
    assert "<strong>leave this server</strong>" in page
    assert "You test a search engine." in page
    sample = escape(judges.sample(pool, PROMPT))
    assert (
        item(judges.sample(pool, PROMPT))
        == pool.questions.filter(given=1).order_by("id").values_list("topic", "document").first()
    )
    assert sample in page
    told = {"model": "standin", "prompt": PROMPT.replace("\n", "\r\n")}
    assert "Nothing is sent without your consent." in client.post(PAGE, told).content.decode()
    odd = told | {"agree": "on", "prompt": "Is it good? {topic}"}
    assert "The prompt has no {document}." in client.post(PAGE, odd).content.decode()
    assert not Machine.objects.exists()
    answer = client.post(PAGE, told | {"agree": "on"}, follow=True).content.decode()
    assert "standin is being asked" in answer
    assert 'hx-trigger="every 5s"' in answer
    assert Machine.objects.get().prompt == fixed(pool, PROMPT)
    world.work()
    model.says = lambda _: completion("<b>no</b> idea")
    client.post(PAGE, told | {"agree": "on", "model": "other"})
    world.work()
    page = client.get(PAGE).content.decode()
    assert 'hx-trigger="every 5s"' not in page
    assert "Machines beside people" in page
    assert "&lt;b&gt;no&lt;/b&gt; idea" in page
    assert page.count('<span class="badge">machine</span>') == 2


def test_the_page_is_for_organisers(world: World, model: StandIn) -> None:
    pooled(world)
    for name in ("assessor", "alice", "loner"):
        assert world.client(name).get(PAGE).status_code == 404
        assert world.client(name).post(PAGE, {"act": "stop", "which": 1}).status_code == 404
    assert world.client().get(PAGE).status_code == 302
    assert world.client("operator").get(PAGE).status_code == 200
    assert world.client("organiser").get(PAGE.replace("/1/", "/7/")).status_code == 404
    assert model.heard == []
