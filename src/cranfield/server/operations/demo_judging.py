"""Demo content: a judging campaign with simulated documents and a pool in progress."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

from cranfield.data import read_qrels, read_run, read_topics
from cranfield.server.judging import judgments, pool_lifecycle
from cranfield.server.models import Participant, Role, Team
from cranfield.server.site import blob_store
from cranfield.server.site.uploads import Arrived
from cranfield.server.submissions import intake
from cranfield.server.tasks import corpora, lifecycle

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from cranfield.server.models import Pool, Task, User
    from cranfield.simulate import Written

SLUG = "judging-2026"
TOPICS, RUNS, DEPTH = 8, 10, 40
BUDGET = 30  # judgments of each topic
FIRST = 120  # judgments that are there already
ABOUT = """\
A campaign from its beginning: there are topics, documents and runs, and nobody has judged yet. Assessors judge what
the pool asks for; the organiser sees how they agree, and makes labels of what they said.
"""
GUIDELINES = """\
A document is **relevant** if somebody who writes a report on the topic would use something it says.

- *2*: it is about the topic, and says much of use
- *1*: it says something of use, beside other things
- *0*: it says nothing of use, even if it has the words
"""
GRADES = [["0", "not relevant"], ["1", "relevant"], ["2", "highly relevant"]]
WORDS = """harbour valley letter engine market winter council bridge garden signal copper teacher festival map
island railway archive forest mill orchard window paper lantern village coast road measure record ship glass""".split()
ACTS = "describes follows counts mentions compares explains remembers lists leaves changes".split()


def fill(written: Written, organiser: User, assessors: tuple[User, User]) -> Task:
    """The campaign, its corpus read, a pool begun, and some judgments of two people who do not always agree."""
    texts = read_topics(written.topics)
    titles = {str(row["topic"]): str(row["title"] or "") for row in texts.to_table().rows()}
    topics = dict(list(titles.items())[:TOPICS])
    grades = {(topic, document): grade for topic, document, grade in _judged(written.qrels) if topic in topics}
    task = lifecycle.make_task(
        organiser,
        title="Judging 2026",
        slug=SLUG,
        topics=_file("".join(f"{topic}\t{title}\n" for topic, title in topics.items())).arriving,
        summary="A campaign that is being judged: made up, like the others.",
        about=ABOUT,
        measures="AP nDCG@10",
        publish_now=True,
    )
    for user in assessors:
        Role.objects.create(task=task, user=user, role=Role.ASSESSOR)
    documents: dict[str, str] = {}
    for path in written.runs[:: max(1, len(written.runs) // RUNS)][:RUNS]:
        documents |= _hand_in(task, path, organiser, topics)
    lines = (json.dumps(one) + "\n" for one in _texts(documents, topics, grades))
    corpora.set_corpus(task, Arrived(_file("".join(lines)).arriving, "documents.jsonl"), organiser)
    pool = pool_lifecycle.draw_up(
        task, organiser, strategy="nrg", depth=DEPTH, budget=BUDGET, overlap=30, judges=2, grades=GRADES,
        guidelines=GUIDELINES,
    )  # fmt: skip
    pool_lifecycle.begin(pool, organiser)
    _judge(pool, assessors, grades)
    return task


def _judged(qrels: Path) -> Iterator[tuple[str, str, int]]:
    for row in read_qrels(qrels).to_table().rows():
        yield str(row["topic"]), str(row["document"]), int(str(row["grade"]))


def _file(text: str) -> Arrived:
    file = blob_store.Incoming()
    file.write(text.encode())
    return Arrived(file, "file")


def _hand_in(task: Task, path: Path, by: User, topics: Mapping[str, str]) -> dict[str, str]:
    """A run of the campaign on these topics, down to some depth; its documents, and a topic of each."""
    name, lines, found = path.name.partition(".")[0], [], {}
    for row in read_run(path).first(DEPTH).to_table().rows():
        if row["topic"] in topics:
            lines.append(f"{row['topic']} Q0 {row['document']} {row['rank']} {row['score']} {name}\n")
            found[str(row["document"])] = str(row["topic"])
    team = Team.objects.get(name=name.rpartition("-")[0])
    Participant.objects.get_or_create(task=task, team=team)
    intake.receive(task, team, by, _file("".join(lines)), name=name, exempt=True)
    return found


def _texts(
    documents: Mapping[str, str], topics: Mapping[str, str], grades: Mapping[tuple[str, str], int]
) -> Iterator[dict[str, str]]:
    """Something to read: the better a document, the more it has of the words of its topic."""
    for document, topic in documents.items():
        draw = random.Random(document)
        own = [word for word in topics[topic].split() if len(word) > 2]
        share = (0.04, 0.25, 0.5)[min(2, max(0, grades.get((topic, document), 0)))]
        said = []
        for _ in range(draw.randint(6, 16)):
            a, b, c = (draw.choice(own) if own and draw.random() < share else draw.choice(WORDS) for _ in range(3))
            said.append(f"The {a} {draw.choice(ACTS)} the {b} of the {c}.")
        yield {"id": document, "title": said[0][4:-1].capitalize(), "text": " ".join(said)}


def _judge(pool: Pool, assessors: tuple[User, User], grades: Mapping[tuple[str, str], int]) -> None:
    draw = random.Random(SLUG)
    for number in range(FIRST):
        user = assessors[number % 2]
        question = judgments.next_for(pool, user)
        if question is None:
            return
        right = min(2, max(0, grades.get((question.topic, question.document), 0)))
        grade = right if draw.random() < 0.85 else draw.choice([0, 1, 2])
        told = judgments.Said(
            key=f"demo-{number}",
            topic=question.topic,
            document=question.document,
            grade=grade,
            seconds=round(draw.uniform(4, 40), 1),
        )
        judgments.judge(pool, user, told)
