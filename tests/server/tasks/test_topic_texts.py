"""What topics ask, as pages show it: every form of file, every language of a topic."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from django.urls import reverse

from cranfield.server.accounts import roles
from cranfield.server.judging import document_html
from cranfield.server.judging.llm import prompts
from cranfield.server.models import Participant, Role, Task
from cranfield.server.tasks.topic_texts import text_of
from tests.support.server.form_fields import a_file, told
from tests.support.server.judging_campaigns import begun
from tests.support.server.users_and_tasks import World, arrived

if TYPE_CHECKING:
    from cranfield.server.models import Pool

RUN = "41 Q0 D1 1 9 x\n41 Q0 D2 2 8 x\n"
PARTS = ("Pesticides in baby food", "Find reports on pesticides.", "Relevant documents name a product.")
FORMS = {  # what stands before the topics, one topic, what stands after them
    "trec.txt": (
        "",
        "<top>\n\n<num> Number: {}\n<title> {}\n\n<desc> Description:\n{}\n\n<narr> Narrative:\n{}\n\n</top>\n\n",
        "",
    ),
    "trec.xml": (
        "<topics>",
        '<topic number="{}"><query>{}</query><question>{}</question><narrative>{}</narrative></topic>',
        "</topics>",
    ),
    "clef.xml": (
        '<?xml version="1.0" encoding="UTF-8"?>\n<topics>\n',
        '<topic lang="en">\n<identifier>{}</identifier>\n<title>{}</title>\n<description>{}</description>\n'
        "<narrative>{}</narrative>\n</topic>\n",
        "</topics>\n",
    ),
    "old-clef.txt": (
        "",
        "<top>\n<num> {} </num>\n<EN-title> {} </EN-title>\n<EN-desc> {} </EN-desc>\n<EN-narr> {} </EN-narr>\n</top>\n",
        "",
    ),
    "header.tsv": ("topic\ttitle\tdescription\tnarrative\n", "{}\t{}\t{}\t{}\n", ""),
    "header.csv": ("topic,title,description,narrative\n", "{},{},{},{}\n", ""),
    "lines.jsonl": ("", '{{"id": "{}", "title": "{}", "description": "{}", "narrative": "{}"}}\n', ""),
    "list.json": (
        "[",
        '{{"id": {}, "query": "{}", "desc": "{}", "narr": "{}"}},',
        '{"id": 43, "title": "Another one"}]',
    ),
}
FRENCH, ARABIC = "Des pesticides dans la nourriture pour bébés", "DDT في طعام الأطفال"
OTHER = "<topic><num>42</num><title>Another one</title></topic>"
CLEF = f"""<?xml version="1.0" encoding="UTF-8"?>
<topic>
  <identifier>41</identifier>
  <title lang="en">{PARTS[0]}</title>
  <title xml:lang="fr">{FRENCH}</title>
  <title lang="ar">{ARABIC}</title>
  <description lang="en">{PARTS[1]}</description>
  <description lang="ar">ابحث عن تقارير.</description>
  <narrative lang="en">{PARTS[2]}</narrative>
</topic>
{OTHER}
"""


def campaign(world: World, text: str, name: str) -> Pool:
    """A pool of a task that the wizard made of topics alone."""
    roles.set_may_organise(world.people["organiser"], world.people["operator"], may=True)
    client = world.client("organiser")
    client.post(reverse("new-task"), told(topics=a_file(text, name), publish="1"))
    task = Task.objects.get()
    Participant.objects.create(task=task, team=world.teams["Alpha"])
    Role.objects.create(task=task, user=world.people["assessor"], role=Role.ASSESSOR)
    world.hand_in(task, "x", text=RUN)
    return begun(world, task)


def asks(world: World, pool: Pool) -> str:
    """What the page of an assessor says of the topic."""
    page = world.client("assessor").get(f"/judge/{pool.key}/").content.decode()
    return page.partition('<div class="asks">')[2].partition('<p class="name note">')[0]


@pytest.mark.parametrize("name", FORMS)
def test_every_form_of_topics_is_judged_with_its_parts(world: World, name: str) -> None:
    before, one, after = FORMS[name]
    text = before + one.format("41", *PARTS) + one.format("42", "Other", "things", "altogether") + after
    page = asks(world, campaign(world, text, name))
    spoken = ' lang="en"' * ("clef" in name)
    assert f'<h2 tabindex="-1"{spoken} dir="auto">{PARTS[0]}</h2>' in page
    assert f'<p{spoken} dir="auto">{PARTS[1]}</p>' in page
    assert f'<summary>What is relevant</summary><p{spoken} dir="auto">{PARTS[2]}</p>' in page
    assert page.count("<details") == 1


def test_lines_of_topic_and_text_have_a_title_alone(world: World) -> None:
    page = asks(world, campaign(world, "41\tPesticides in baby food\n42\tOther\n", "topics.tsv"))
    assert '<h2 tabindex="-1" dir="auto">Pesticides in baby food</h2>' in page
    assert "What is relevant" not in page


def test_a_topic_in_several_languages_can_be_read_in_each(world: World) -> None:
    pool = campaign(world, CLEF, "topics.xml")
    page = asks(world, pool)
    assert f'<h2 tabindex="-1" lang="en" dir="auto">{PARTS[0]}</h2>' in page
    french = f'<summary>In French</summary><div lang="fr" dir="auto"><p><strong>{FRENCH}</strong></p></div>'
    assert french in page
    # It begins with Latin letters, which dir="auto" would follow.
    arabic = f'<summary>In Arabic</summary><div lang="ar" dir="rtl"><p><strong>{ARABIC}</strong></p>'
    assert f"{arabic}<p>ابحث عن تقارير.</p></div>" in page
    terms = document_html.terms_of(text_of(pool.task, "41"))
    assert {"pesticide", "nourriture", "ddt"} <= terms
    assert prompts.words_of(pool.task, "41") == "\n".join(PARTS)


@pytest.mark.parametrize("form", ["lines", "files"])
def test_a_topic_may_stand_once_for_each_language(world: World, form: str) -> None:
    if form == "lines":
        rows = [{"lang": "he", "title": "ספינות"}, {"language": "EN", "title": "Ships"}]
        text = "".join(json.dumps({"id": 41} | row) + "\n" for row in rows) + '{"id": 42, "title": "Other"}\n'
    else:  # two files, one after the other
        one = '<?xml version="1.0"?>\n<topics><topic lang="{}"><num>41</num><title>{}</title></topic></topics>\n'
        text = one.format("he", "ספינות") + one.format("en", "Ships") + OTHER
    page = asks(world, campaign(world, text, "topics"))
    assert '<h2 tabindex="-1" lang="he" dir="rtl">ספינות</h2>' in page
    assert '<summary>In English</summary><div lang="en" dir="auto"><p><strong>Ships</strong></p></div>' in page


@pytest.mark.parametrize(("title", "marks"), [
    ("Ships", 'dir="auto"'),
    ("船は海を渡る", 'lang="ja" dir="auto"'),
    ("السفن في البحر", 'lang="ar" dir="rtl"'),
    ("Суда в море", 'dir="auto"'),
])  # fmt: skip
def test_where_nobody_says_the_language_the_script_may(world: World, title: str, marks: str) -> None:
    pool = campaign(world, f"41\t{title}\n42\tOther\n", "topics.tsv")
    assert f'<h2 tabindex="-1" {marks}>{title}</h2>' in asks(world, pool)


def test_a_language_cannot_leave_its_attribute(world: World) -> None:
    row = {"id": 41, "language": '"><script>', "title": "<b>Ships</b>"}
    page = asks(world, campaign(world, json.dumps([row, {"id": 42, "title": "Other"}]), "topics.json"))
    assert "<script>" not in page
    assert 'lang="&quot;&gt;&lt;script&gt;" dir="auto">&lt;b&gt;Ships&lt;/b&gt;</h2>' in page


def test_the_same_topic_twice_in_one_language_is_told(world: World) -> None:
    roles.set_may_organise(world.people["organiser"], world.people["operator"], may=True)
    sent = told(topics=a_file("41\tShips\n41\tBateaux\n", "topics.tsv"), publish="1")
    text = world.client("organiser").post(reverse("new-task"), sent).content.decode()
    assert "topic 41 stands twice" in text
    assert "keep one text for each topic and language" in text
    assert not Task.objects.exists()


def test_the_page_of_a_topic_shows_every_language(world: World) -> None:
    task = world.task()
    file = arrived(CLEF.replace("<identifier>41", "<identifier>301"), "topics.xml").arriving
    Task.objects.filter(pk=task.pk).update(topics=file.keep())
    page = world.client().get("/tasks/ad-hoc/topics/301/").content.decode()
    assert f'<h1>Topic 301: <bdi lang="en" dir="auto">{PARTS[0]}</bdi>' in page
    assert f'<p class="note" lang="en" dir="auto">{PARTS[2]}</p>' in page
    assert '<summary>In Arabic</summary><div lang="ar" dir="rtl">' in page
