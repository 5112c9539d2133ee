"""A new task on one screen: from two files to a board."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from django.conf import settings
from django.urls import reverse

from cranfield.core import ParameterError
from cranfield.data import split_topics
from cranfield.server.accounts import roles
from cranfield.server.models import Audit, LabelVersion, Role, Snapshot, Task
from cranfield.server.site import blob_store, pending_uploads
from cranfield.server.tasks import lifecycle
from tests.support.server.form_fields import a_file, told
from tests.support.server.users_and_tasks import TOPICS, arrived, qrels, run_text

if TYPE_CHECKING:
    from django.test import Client

    from tests.support.server.users_and_tasks import World

HTMX = {"HX-Request": "true"}
TEXTS = "".join(f"{topic}\tthe question of {topic}\n" for topic in TOPICS)


@pytest.fixture
def client(world: World) -> Client:
    """Somebody who may make tasks."""
    roles.set_may_organise(world.people["loner"], world.people["operator"], may=True)
    return world.client("loner")


def test_only_those_who_may_organise_find_it(world: World, client: Client) -> None:
    page = reverse("new-task")
    assert client.get(page).status_code == 200
    assert world.client("operator").get(page).status_code == 200
    for who in ("organiser", "alice", "assessor"):
        assert world.client(who).get(page).status_code == 404
        assert world.client(who).post(page, told(qrels=a_file(qrels()))).status_code == 404
    assert world.client().get(page).status_code == 302
    assert not Task.objects.exists()


def test_two_files_become_a_published_task_in_one_step(world: World, client: Client) -> None:
    sent = told(qrels=a_file(qrels()), topics=a_file(TEXTS, "topics.tsv"), share=50, seed=3, publish="1")
    answer = client.post(reverse("new-task"), sent)
    assert answer["Location"] == reverse("task-desk", args=["ad-hoc-search"])
    task = Task.objects.get()
    assert task.state == Task.OPEN
    assert task.private == list(split_topics(TOPICS, 0.5, seed=3)[1])
    assert len(task.private) == 6
    assert task.topics_id is not None
    assert blob_store.read(task.topics_id).decode() == TEXTS
    version = LabelVersion.objects.get()
    assert (version.number, version.judgments, version.judged) == (1, 96, TOPICS)  # 12 topics, 8 documents each
    assert blob_store.read(version.qrels_id).decode() == qrels()
    assert Role.objects.get().user == world.people["loner"]
    assert [act.what for act in Audit.objects.filter(task=task.slug)] == ["new task", "labels", "publish"]
    world.work()
    assert Snapshot.objects.filter(task=task).exists()
    assert world.client().get(reverse("board", args=["ad-hoc-search"])).status_code == 200


def test_a_draft_is_seen_by_nobody_else(world: World, client: Client) -> None:
    client.post(reverse("new-task"), told(qrels=a_file(qrels()), draft="1", slug="hidden"))
    assert Task.objects.get().state == Task.DRAFT
    assert client.get(reverse("board", args=["hidden"])).status_code == 200
    for who in ("alice", None):
        assert world.client(who).get(reverse("board", args=["hidden"])).status_code == 404


def test_topics_may_be_listed(client: Client) -> None:
    client.post(reverse("new-task"), told(qrels=a_file(qrels()), listed="305,301\n 303", share=50, draft="1"))
    assert Task.objects.get().private == ["301", "303", "305"]


def test_the_preview_is_live(client: Client) -> None:
    answer = client.post(
        reverse("new-task"), told(qrels=a_file(qrels()), topics=a_file(TEXTS, "t.tsv"), share=25), headers=HTMX
    )
    text = answer.content.decode()
    assert "<html" not in text
    assert "96 judgments on 12 topics" in text
    assert "1 to 3" in text  # relevant documents of a topic
    assert "9 public topics; 3 private" in text
    assert "/tasks/ad-hoc-search/" in text
    assert "ordinal" in text
    # Grade 2: the first document of each topic. Grade 1: 0, 1 or 2 more of them, 12 in all; the rest of 96 are 0.
    cells = [cell.split("<")[0] for cell in text.split('class="number">')[4:]]
    assert cells[:9] == ["2", "12", "12", "1", "12", "8", "0", "72", "12"]
    assert not Task.objects.exists()
    assert not list(settings.HOME.incoming.iterdir())  # nothing is left behind by looking


def test_the_preview_tells_problems_with_their_codes(client: Client) -> None:
    bad = qrels() + "301 0 D01 1\n"
    text = client.post(reverse("new-task"), told(qrels=a_file(bad)), headers=HTMX).content.decode()
    assert "E-CONFLICT" in text
    assert "cannot be used yet" in text
    run = client.post(reverse("new-task"), told(qrels=a_file(run_text("x"))), headers=HTMX).content.decode()
    assert "E-SWAPPED" in run
    assert "choose a file of judgments" in run  # there is no order of files on a page
    wrong = told(qrels=a_file(qrels()), measures="nDCH@10", title="", share=50)
    text = client.post(reverse("new-task"), wrong, headers=HTMX).content.decode()
    assert "There is no measure named" in text
    assert "required" not in text  # nobody is blamed for what they have not written yet
    text = client.post(reverse("new-task"), told(listed="999", qrels=a_file(qrels())), headers=HTMX).content.decode()
    assert "Nobody judged topic 999" in text
    few = a_file("301\twhat is asked\n", "t.tsv")
    text = client.post(reverse("new-task"), told(qrels=a_file(qrels()), topics=few), headers=HTMX).content.decode()
    assert "none for 11 judged topics" in text
    none = qrels({("301", "D01"): 0})
    text = client.post(reverse("new-task"), told(qrels=a_file(none)), headers=HTMX).content.decode()
    assert "1 topic without any" in text
    text = client.post(reverse("new-task"), told(), headers=HTMX).content.decode()
    assert "Choose a file of judgments" in text


def test_without_script_files_wait_for_the_second_step(client: Client) -> None:
    page = reverse("new-task")
    text = client.post(page, told(title="", qrels=a_file(qrels()), publish="1")).content.decode()
    assert "required" in text
    assert "<strong>qrels.txt</strong> is here" in text
    token = text.split('name="held_qrels" value="')[1].split('"')[0]
    looked = client.post(page, told(held_qrels=token, look="1")).content.decode()
    assert "96 judgments" in looked
    assert not Task.objects.exists()
    assert client.post(page, told(held_qrels=token, publish="1")).status_code == 302
    assert blob_store.read(LabelVersion.objects.get().qrels_id).decode() == qrels()


def test_a_held_file_is_for_who_sent_it(world: World) -> None:
    alice, beth = world.people["alice"], world.people["beth"]
    token = pending_uploads.hold(arrived("some text", "../../name.txt"), alice)
    found = pending_uploads.held(token, alice)
    assert found is not None
    assert found.name == "name.txt"
    assert found.arriving.path.read_text() == "some text"
    assert pending_uploads.held(token, beth) is None
    assert pending_uploads.held(token + "x", alice) is None
    assert pending_uploads.held("", alice) is None
    for path in settings.HOME.incoming.glob("held-*"):
        path.unlink()
    assert pending_uploads.held(token, alice) is None


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"title": ""}, "required"),
        ({"slug": "taken"}, "The address taken is taken"),
        ({"slug": "new"}, "The address new is taken"),
        ({"title": "検索", "slug": ""}, "no letters for an address"),
        ({"slug": "../etc"}, "digits, - and _ only"),
        ({"measures": "nDCG@10 nothing"}, "There is no measure named"),
        ({"share": "100"}, "At most 90 percent"),
        ({"seed": "-1"}, "greater than or equal to 0"),
        ({"listed": " ".join(TOPICS)}, "No topic is left for the board."),
        ({"measures": "Foo@3"}, "Did you mean O or F?<"),
        ({"closes": "2020-01-01T12:00"}, "This time is over"),
        ({"opens": "2030-01-02T12:00", "closes": "2030-01-01T12:00"}, "It must close after it opens"),
        ({"listed": " ".join(TOPICS[1:])}, "Only one topic is left for the board."),
        ({"test": "dice"}, "There is no test named"),
    ],
)
def test_what_makes_no_sense_makes_no_task(world: World, client: Client, changed: dict[str, Any], said: str) -> None:
    world.task("taken")
    answer = client.post(reverse("new-task"), told(qrels=a_file(qrels()), publish="1", **changed))
    assert answer.status_code == 200
    text = answer.content.decode()
    assert said in text
    assert "There is no task yet: some fields below say what is wrong." in text
    assert Task.objects.count() == 1


def test_a_task_needs_judgments_and_good_topics(client: Client) -> None:
    page = reverse("new-task")
    assert "Choose a file of judgments" in client.post(page, told(publish="1")).content.decode()
    empty = client.post(page, told(qrels=a_file(""), publish="1")).content.decode()
    assert "qrels.txt cannot be used: see what is wrong with it." in empty
    assert "E-EMPTY" in empty
    broken = told(qrels=a_file(qrels()), topics=a_file('{"no": ', "topics.json"), publish="1")
    text = client.post(page, broken).content.decode()
    assert "topics.json cannot be used: see what is wrong with it, or leave it out." in text
    assert "E-" in text
    assert 'name="held_topics"' not in text  # so that it can be left out
    assert 'name="held_qrels"' in text
    gone = told(held_qrels="forged", publish="1")
    assert "Choose a file of judgments" in client.post(page, gone).content.decode()
    assert not Task.objects.exists()


def test_a_topic_without_a_text_does_not_stop_a_task(client: Client) -> None:
    texts = a_file(TEXTS.replace("the question of 301", ""), "topics.tsv")
    preview = client.post(reverse("new-task"), told(qrels=a_file(qrels()), topics=texts), headers=HTMX).content.decode()
    assert "W-TOPIC" in preview
    texts.seek(0)
    client.post(reverse("new-task"), told(qrels=a_file(qrels()), topics=texts, draft="1"))
    assert Task.objects.get().topics is not None


def test_a_share_that_is_refused_promises_no_topics(client: Client) -> None:
    sent = told(qrels=a_file(qrels()), share="100")
    text = client.post(reverse("new-task"), sent, headers=HTMX).content.decode()
    assert "12 topics: ready" in text
    assert "public topic" not in text


def test_two_with_one_address_make_one_task(world: World) -> None:
    by = world.people["operator"]
    lifecycle.make_task(by, title="One", qrels=arrived(qrels()).arriving)
    with pytest.raises(ParameterError, match="the address one is taken"):
        lifecycle.make_task(by, title="One", qrels=arrived(qrels()).arriving)


def test_titles_with_markup_are_text(client: Client) -> None:
    client.post(reverse("new-task"), told(title="<script>alert(1)</script> x", qrels=a_file(qrels()), draft="1"))
    text = client.get(reverse("task-desk", args=[Task.objects.get().slug])).content.decode()
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert(1)" in text


def test_measures_ask_from_the_smallest_relevant_grade_on(client: Client) -> None:
    sent = told(qrels=a_file(qrels()), measures="nDCG@10 AP P(rel=1)@5 P(rel=2)@9", rel=2, publish="1")
    client.post(reverse("new-task"), sent)
    assert Task.objects.get().measures == "nDCG@10 AP(rel=2) P(rel=2)@5 P(rel=2)@9"  # 1 is the usual one


def test_topics_alone_make_a_campaign(world: World, client: Client) -> None:
    page = reverse("new-task")
    sent = told(topics=a_file(TEXTS, "topics.tsv"), share=25, seed=3)
    text = client.post(page, sent, headers=HTMX).content.decode()
    assert "12 topics without judgments: ready for a campaign" in text
    assert "9 public topics; 3 private" in text  # a quarter of 12
    assert not Task.objects.exists()
    answer = client.post(page, sent | {"topics": a_file(TEXTS, "topics.tsv"), "publish": "1"})
    assert answer["Location"] == reverse("task-desk", args=["ad-hoc-search"])
    task = Task.objects.get()
    assert (task.state, task.version) == (Task.OPEN, None)
    assert task.private == list(split_topics(TOPICS, 0.25, seed=3)[1])
    assert [act.what for act in Audit.objects.filter(task=task.slug)] == ["new task", "publish"]
    desk = client.get(answer["Location"]).content.decode()
    assert "A campaign: what comes next" in desk
    assert "Upload the corpus" in desk
    assert "Wait for runs" in desk
    assert "<dt>Private topics</dt><dd>3</dd>" in desk
    assert world.client().get(reverse("board", args=["ad-hoc-search"])).status_code == 200


def test_the_private_topics_of_a_campaign_are_of_its_file(client: Client) -> None:
    page = reverse("new-task")
    wrong = told(topics=a_file(TEXTS, "topics.tsv"), listed="301 999", publish="1")
    assert "There is no topic 999. List topics of the file." in client.post(page, wrong).content.decode()
    few = told(topics=a_file("301\tone\n302\ttwo\n", "topics.tsv"), listed="302", publish="1")
    assert "Only one topic is left for the board." in client.post(page, few).content.decode()
    assert not Task.objects.exists()
    client.post(page, told(topics=a_file(TEXTS, "topics.tsv"), listed="303, 301", publish="1"))
    assert Task.objects.get().private == ["301", "303"]


def test_topics_that_cannot_be_used_make_no_campaign(client: Client) -> None:
    text = client.post(reverse("new-task"), told(topics=a_file('{"no": ', "topics.json"), publish="1"))
    assert "topics.json cannot be used: see what is wrong with it." in text.content.decode()
    assert "The topics cannot be used yet." in text.content.decode()
    assert not Task.objects.exists()


def test_judgments_that_were_refused_do_not_turn_a_task_into_a_campaign(client: Client) -> None:
    page = reverse("new-task")
    text = client.post(
        page, told(qrels=a_file("nonsense\n"), topics=a_file(TEXTS, "topics.tsv"), publish="1")
    ).content.decode()
    assert "qrels.txt cannot be used" in text
    again = {name: text.split(f'name="held_{name}" value="')[1].split('"')[0] for name in ("qrels", "topics")}
    sent = told(held_qrels=again["qrels"], held_topics=again["topics"], publish="1")
    assert "Choose a file of judgments again" in client.post(page, sent).content.decode()
    assert not Task.objects.exists()
    assert client.post(page, sent | {"qrels": a_file(qrels())}).status_code == 302
    assert Task.objects.get().version is not None
