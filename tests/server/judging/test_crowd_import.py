"""Judgments of a crowd from a file: looked at first, kept once, asked of nobody."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from cranfield.core import CranfieldError
from cranfield.server.judging import crowd_import, judgments, live_pools, pool_lifecycle
from cranfield.server.judging.judgment_quality import quality_of
from cranfield.server.models import Audit, Corpus, Document, Judgment, Pool
from tests.support.server.judging_campaigns import TWO, assessors, begun, said, shared
from tests.support.server.users_and_tasks import DOCUMENTS, World, arrived

if TYPE_CHECKING:
    from cranfield.server.judging.crowd_import import Looked

PAGE = "/organise/ad-hoc/pools/1/import/"
HEADER = "worker,topic,document,label\n"
LINES = """\
w1,301,D01,1
w2,301,D01,0
w1,302,D02,1
w1,301,D01,0
w1,999,D01,1
w2,301,X77,1
w2,303,D03,5
"""


def look(pool: Pool, text: str, name: str = "crowd.csv") -> Looked:
    file = arrived(text, name)
    return crowd_import.look_at(pool, file.path, name, file.arriving.digest)


def take_in(world: World, pool: Pool, text: str, name: str = "crowd.csv") -> int:
    file = arrived(text, name)
    return crowd_import.import_labels(pool, world.people["organiser"], file.path, name, file.arriving.digest)


def test_a_file_is_looked_at_first(world: World) -> None:
    _, pool = shared(world)
    looked = look(pool, HEADER + LINES)
    assert (looked.labels, looked.workers, looked.machines) == (7, 2, 0)
    assert [(one.worker, one.topic, one.document, one.grade) for one in looked.new] == [
        ("w1", "301", "D01", 1),
        ("w2", "301", "D01", 0),
        ("w1", "302", "D02", 1),
    ]
    assert looked.known == 1  # w1 says it twice
    assert (looked.topics, looked.documents, looked.grades) == (["999"], ["X77"], [5])
    assert looked.left_out == 3
    assert looked.fresh == 2  # D01 and D02, of which nobody was asked yet
    assert not Judgment.objects.exists()
    assert not pool.questions.exists()


@pytest.mark.parametrize("name", ["crowd.csv", "crowd.tsv", "crowd.jsonl"])
def test_files_of_every_kind_say_the_same(world: World, name: str) -> None:
    _, pool = shared(world)
    rows = [line.split(",") for line in LINES.splitlines()]
    texts = {
        "crowd.csv": HEADER + LINES,
        "crowd.tsv": (HEADER + LINES).replace(",", "\t"),
        "crowd.jsonl": "".join(
            json.dumps(dict(zip(HEADER.strip().split(","), row, strict=True))) + "\n" for row in rows
        ),
    }
    looked = look(pool, texts[name], name)
    assert [one.document for one in looked.new] == ["D01", "D01", "D02"]
    assert (looked.left_out, looked.known) == (3, 1)


def test_an_import_is_kept_once_and_asked_of_nobody(world: World) -> None:
    _, pool = shared(world)
    assert take_in(world, pool, HEADER + LINES) == 3
    assert take_in(world, pool, HEADER + LINES) == 0
    assert take_in(world, pool, HEADER + "w1,301,D01,0\nw3,301,D01,1\n", "more.csv") == 1  # w1 has said it
    found = Judgment.objects.order_by("id").select_related("question")
    assert [(one.worker, one.question.document, one.grade, one.kind, one.user) for one in found] == [
        ("w1", "D01", 1, Judgment.CROWD, None),
        ("w2", "D01", 0, Judgment.CROWD, None),
        ("w1", "D02", 1, Judgment.CROWD, None),
        ("w3", "D01", 1, Judgment.CROWD, None),
    ]
    assert {len(one.key) for one in found} == {40}
    assert len({one.key for one in found}) == 4
    assert set(pool.questions.values_list("wanted", "given", "disputed", "grade")) == {(0, 0, False, None)}
    assert not pool.events.exists()  # the strategy has heard nothing
    acts = [row.about for row in Audit.objects.filter(what="judgments imported").order_by("id")]
    assert [(about["file"], about["judgments"], about["pool"]) for about in acts] == [
        ("crowd.csv", 3, 1),
        ("more.csv", 1, 1),
    ]


def test_a_document_that_people_judge_already_has_both(world: World) -> None:
    task, pool = shared(world, overlap=0)
    (one,) = assessors(world, task, "assessor")
    asked = []
    for _ in range(2):
        question = judgments.next_for(pool, one)
        assert question is not None
        judgments.judge(pool, one, said(question, 0))
        asked.append(question)
    text = HEADER + "".join(f"w{n},{q.topic},{q.document},1\n" for n in range(2) for q in asked)
    assert look(pool, text).fresh == 0
    assert take_in(world, pool, text) == 4
    assert pool.questions.count() == 2
    for question in asked:
        question.refresh_from_db()
        assert (question.wanted, question.given, question.disputed) == (1, 1, False)
        assert question.grade == 0  # what people here said, whatever the file says
    assert quality_of(pool).shared == 2
    assert {person.name for person in quality_of(pool).people if person.from_file} == {"w0", "w1"}


def test_what_a_crowd_alone_has_judged_is_counted_apart(world: World) -> None:
    """One document by a person and the crowd, D09 of 301 and 302 by the crowd alone, D08 of 303 by nobody."""
    task, pool = shared(world, overlap=0)
    (one,) = assessors(world, task, "assessor")
    question = judgments.next_for(pool, one)
    assert question is not None
    judgments.judge(pool, one, said(question, 1))
    places = [(question.topic, question.document), ("301", "D09"), ("302", "D09")]
    assert take_in(world, pool, HEADER + "".join(f"w1,{topic},{name},1\n" for topic, name in places)) == 3
    refused = pool.questions.create(topic="303", document="D08", given=1)
    Judgment.objects.create(question=refused, user=one, key="none", grade=None)
    stand = pool_lifecycle.progress(pool)
    # Of the two that only the file has nobody was asked, and nobody is waited for.
    assert (stand.asked, stand.judged, stand.crowd, stand.waiting) == (2, 2, 2, 0)
    words = "2 more only by a crowd."
    assert words in world.client("organiser").get("/organise/ad-hoc/pools/1/").content.decode()
    quality = world.client("organiser").get("/organise/ad-hoc/pools/1/quality/").content.decode()
    assert "1 document judged by assessors, 2 only by a crowd." in quality
    told = json.loads(world.client("organiser").get("/tasks/ad-hoc/datasheet.json").content)["pools"][0]
    assert (told["asked"], told["judged"], told["crowd"]) == (2, 3, 2)
    sheet = world.client("organiser").get("/tasks/ad-hoc/datasheet.md").content.decode()
    assert "- Documents: 2 asked for, 3 judged, 2 of them by a crowd alone\n" in sheet
    other = pool.questions.get(topic="302", document="D09")
    Judgment.objects.create(question=other, user=one, key="own", grade=0)  # somebody here says something, too
    assert pool_lifecycle.progress(pool).crowd == 1


def test_machines_of_a_file_are_no_crowd(world: World) -> None:
    _, pool = shared(world)
    text = "worker,topic,document,label,kind\nann,301,D01,1,person\nbert,301,D01,0,machine\n"
    assert look(pool, text).machines == 1
    assert take_in(world, pool, text) == 2
    assert take_in(world, pool, text) == 0
    assert dict(Judgment.objects.values_list("worker", "kind")) == {"ann": Judgment.CROWD, "bert": Judgment.MACHINE}
    assert [person.name for person in quality_of(pool).people] == ["ann"]


def test_the_order_is_that_of_time(world: World) -> None:
    _, pool = shared(world)
    text = "worker,topic,document,label,time\nw1,301,D01,1,30\nw1,301,D02,1,10\nw1,301,D03,0,20\n"
    assert take_in(world, pool, text) == 3
    assert list(Judgment.objects.order_by("id").values_list("question__document", flat=True)) == ["D02", "D03", "D01"]


def test_documents_of_the_corpus_are_known(world: World) -> None:
    task, pool = shared(world)
    file = arrived("x").arriving.keep()
    corpus = Corpus.objects.create(task=task, file=file, name="documents.jsonl", state=Corpus.READY)
    Document.objects.create(corpus=corpus, name="X77", text="a text")
    assert look(pool, HEADER + LINES).documents == []
    assert take_in(world, pool, HEADER + LINES) == 4


@pytest.mark.parametrize(
    ("text", "name", "problem"),
    [
        ("nothing of that kind\n", "crowd.csv", "column"),
        ("", "crowd.csv", "no rows"),
        (HEADER + "w1,301,D01,good\n", "crowd.csv", 'grade "good" is not a finite number'),
        (HEADER + "w1,301,D0\0,1\n", "crowd.csv", "NUL byte"),
        (HEADER + LINES, "crowd.zip", "ends in “.zip”"),
        (HEADER + f"{'w' * 151},301,D01,1\n", "crowd.csv", "a name of 151 letters"),
        ("301 0 D01 1\n302 0 D01 0\n", "qrels.txt", "these are judgments"),
    ],
)
def test_what_is_no_file_of_labels_is_refused(world: World, text: str, name: str, problem: str) -> None:
    _, pool = shared(world)
    with pytest.raises(CranfieldError, match=problem) as raised:
        take_in(world, pool, text, name)
    assert "/incoming/" not in str(raised.value)  # where it lies is nobody's business
    assert "columns=" not in str(raised.value)  # nobody writes Python here
    assert not Judgment.objects.exists()
    assert not Audit.objects.filter(what="judgments imported").exists()


def test_a_pool_that_is_not_open_takes_nothing(world: World) -> None:
    task = world.received()
    pool = pool_lifecycle.draw_up(task, world.people["organiser"], grades=TWO)
    with pytest.raises(CranfieldError, match="takes no judgments now"):
        take_in(world, pool, HEADER + LINES)
    pool_lifecycle.begin(pool, world.people["organiser"])
    pool_lifecycle.end(pool, world.people["organiser"])
    with pytest.raises(CranfieldError, match="takes no judgments now"):
        take_in(world, pool, HEADER + LINES)


def a_file(text: str, name: str = "crowd.csv") -> dict[str, Any]:
    return {"file": SimpleUploadedFile(name, text.encode())}


def test_the_page_shows_what_would_come_in(world: World) -> None:
    shared(world)
    client = world.client("organiser")
    assert "Look at the file" in client.get(PAGE).content.decode()
    text = client.post(PAGE, a_file(HEADER + LINES + "w9,<b>1</b>,D01,1\n")).content.decode()
    assert "3 of 8 judgments would be imported, of 3 workers." in text
    assert "2 unknown topics: 999, &lt;b&gt;1&lt;/b&gt;" in text
    assert "1 unknown document, in no run of the pool and not among the texts: X77" in text
    assert "1 grade that the pool does not have: 5" in text
    assert not Judgment.objects.exists()
    token = text.split('name="held_file" value="')[1].split('"')[0]
    answer = client.post(PAGE, {"held_file": token, "import": "1"}, follow=True)
    assert answer.redirect_chain == [("/organise/ad-hoc/pools/1/quality/", 302)]
    assert "3 judgments are imported." in answer.content.decode()
    again = client.post(PAGE, {"held_file": token, "import": "1"}, follow=True)
    assert "Nothing of the file was new." in again.content.decode()
    assert "3 judgments of 2 workers came from files so far." in again.content.decode()
    assert Judgment.objects.count() == 3


def test_the_page_says_what_is_wrong(world: World) -> None:
    shared(world)
    client = world.client("organiser")
    assert "Choose a file." in client.post(PAGE, {}).content.decode()
    assert "no longer here" in client.post(PAGE, {"held_file": "made-up", "import": "1"}).content.decode()
    text = client.post(PAGE, a_file(HEADER + "w1,301,D01,good\n")).content.decode()
    assert "is not a finite number" in text
    assert world.client("assessor").post(PAGE, a_file(HEADER + LINES)).status_code == 404
    assert not Judgment.objects.exists()


def test_many_labels_come_in_at_once(world: World) -> None:
    task = world.received()
    pool = begun(world, task, grades=TWO)
    topics = live_pools.candidates_of(pool).topics
    rows = [f"w{n},{topic},{document},{n % 2}" for n in range(20) for topic in topics for document in DOCUMENTS]
    assert len(rows) == 20 * 12 * 10
    assert take_in(world, pool, HEADER + "\n".join(rows)) == 2400
    assert pool.questions.count() == 120


def test_a_label_below_zero_is_told(world: World) -> None:
    _, pool = shared(world)
    looked = look(pool, HEADER + "w1,301,D01,-1\nw1,301,D02,1\n")
    assert [row["code"] for row in looked.problems] == ["W-NEGATIVE"]
    assert len(looked.new) == 1
