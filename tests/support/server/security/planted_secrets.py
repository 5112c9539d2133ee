"""A test site in which every secret is a unique word."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.contrib.sessions.models import Session
from django.utils import timezone

from cranfield.server.accounts import invitations
from cranfield.server.boards import board_documents
from cranfield.server.boards.pages import board_access, leaderboards, panels
from cranfield.server.judging import judgments, pool_lifecycle
from cranfield.server.models import (
    Announcement,
    Invite,
    Job,
    LabelVersion,
    Membership,
    Participant,
    Picture,
    Pool,
    Role,
    Snapshot,
    Submission,
    Task,
    Team,
    Token,
    User,
    Webhook,
)
from cranfield.server.site import blob_store
from cranfield.server.submissions import run_comparison
from cranfield.server.submissions.evaluation import values_of
from cranfield.server.tasks import corpora, topic_texts
from cranfield.server.tasks.label_versions import add_version
from tests.support.server.users_and_tasks import PASSWORD, World, arrived

if TYPE_CHECKING:
    from collections.abc import Callable

MAIN = "shown-task"
PUBLIC = [str(number) for number in range(301, 309)]
PRIVATE = [f"zqtopic{number}" for number in range(41, 47)]
DOCUMENTS = [f"D{number:02d}" for number in range(1, 11)]
HEADER = "# ir_metadata.start\n# platform:\n#   software:\n#     libraries: [{word}meta]\n# ir_metadata.end"
# Everybody who looks; wanda's team has the embargoed run, nina's the anonymous one, rival organises another task.
ROLES = ("", "loner", "beth", "alice", "adam", "wanda", "nina", "assessor", "rival", "organiser", "operator")
OPERATORS = frozenset(("organiser", "operator"))


def judged(*, private: int = 0) -> str:
    """Judgments; ``private`` says which judgments the private topics have, and changes nothing else."""
    lines = []
    for place, topic in enumerate(PUBLIC):
        for number, document in enumerate(DOCUMENTS[:8]):
            lines.append(f"{topic} 0 {document} {(2 if number == 0 else 1) if number <= place % 3 else 0}")
    for place, topic in enumerate(PRIVATE):
        for number, document in enumerate(DOCUMENTS):
            lines.append(f"{topic} 0 {document} {(number * 7 + place * 3 + private) % 4}")
    return "\n".join(lines) + "\n"


def turned(tag: str, shift: int, *, private: int = 0, header: str = "", more: str = "") -> str:
    """A run whose order turns by ``shift``; on private topics by more, as ``private`` says."""
    lines = [header] if header else []
    for place, topic in enumerate(PUBLIC + PRIVATE):
        hidden = place >= len(PUBLIC)
        by = (shift * (1 + place % 4) + (private + place if hidden else 0)) % len(DOCUMENTS)
        order = DOCUMENTS[-by:] + DOCUMENTS[:-by] if by else DOCUMENTS
        lines += [f"{topic} Q0 {document} {rank} {100 - rank} {tag}" for rank, document in enumerate(order, 1)]
    return "\n".join([*lines, *([more] if more else [])]) + "\n"


@dataclass
class Secret:
    """Words, and who may read them on which routes (their patterns; an empty set is every route)."""

    words: list[str]
    readers: dict[str, frozenset[str]]


def of(*roles: str, on: tuple[str, ...] = ()) -> dict[str, frozenset[str]]:
    return dict.fromkeys(roles, frozenset(on))


@dataclass
class Planted:
    """The world with its secrets."""

    world: World
    task: Task
    runs: dict[str, Submission] = field(default_factory=dict)
    texts: dict[str, Callable[[int], str]] = field(default_factory=dict)  # of runs, by what they do on private topics
    tokens: dict[str, str] = field(default_factory=dict)
    invite: str = ""
    pool: Pool = field(init=False)
    secrets: dict[str, Secret] = field(default_factory=dict)

    @classmethod
    def make(cls) -> Planted:
        """People, teams, tasks and runs of every sort."""
        world = World.make()
        _more_people(world)
        task = world.task(
            MAIN,
            private=0,
            embargo_days=90,
            anonymous_days=90,
            labels_public=True,
            runs_public=True,
            about="Everybody reads this.",
        )
        LabelVersion.objects.filter(task=task).delete()
        task.private = PRIVATE
        texts = "".join(f"{topic}\ta question\n" for topic in PUBLIC) + "".join(
            f"{topic}\tpademelon{place} asks\n" for place, topic in enumerate(PRIVATE)
        )
        task.topics = blob_store.put(texts.encode())
        task.save()
        add_version(task, arrived(judged(), "qrels.txt").arriving, world.people["organiser"], note="the first")
        made = cls(world, task)
        made._hand_in()
        made._judge()
        made._other_tasks()
        made._doors()
        made.list_secrets()
        forget()
        return made

    def _hand_in(self) -> None:
        from cranfield.server.submissions import intake

        later = timezone.now().date() + timedelta(days=60)

        def give(name: str, person: str, team: str, shift: int, **more: Any) -> Submission:
            word = more.pop("word", "")
            extra = f"{word}topic Q0 {word}document 1 1 {word}tag" if word else ""
            header = HEADER.format(word=word) if word else ""
            self.texts[name] = lambda private: turned(word or name, shift, private=private, header=header, more=extra)
            said: dict[str, Any] = {"description": f"{word}description", "kind": f"{word}kind"} if word else {}
            link: dict[str, Any] = {"link": f"https://{word}link.example.org/paper"} if word else {}
            file = arrived(self.texts[name](0), f"{word or name}file.run")
            made = intake.receive(
                self.task, self.world.teams[team], self.world.people[person], file, name=name, **said, **link, **more
            )
            self.runs[name] = made
            return made

        give("ideal", "alice", "Alpha", 0)
        give("good", "beth", "Beta", 1)
        give("fair", "alice", "Alpha", 2)
        give("poor", "beth", "Beta", 5)
        give("wombatrun", "wanda", "Wombatteam", 3, word="wombat", embargo=later)
        give("numbatrun", "nina", "Numbatteam", 4, word="numbat", anonymous=later)
        give("potoroorun", "alice", "Alpha", 6, word="potoroo")
        intake.withdraw(give("bilbyrun", "alice", "Alpha", 7, word="bilby"), self.world.people["alice"])
        potoroo = {"state": Submission.FAILED, "failure": "potoroofailure it is"}
        Submission.objects.filter(name="potoroorun").update(**potoroo)
        Job.objects.filter(kind="score", about__submission=self.runs["potoroorun"].pk).delete()
        self.world.work()
        give("quollrun", "alice", "Alpha", 8, word="quoll")  # waits
        Job.objects.filter(kind="score", state=Job.WAITING).update(attempts=1, error="kowarierror: tried\nand tried")
        Submission.objects.filter(name="fair").update(
            report=[{"run": self.runs["good"].key, "name": "dunnartname", "team": "Beta", "rbo": 1.0, "equal": True}]
        )
        for run in self.runs.values():
            run.refresh_from_db()

    def _judge(self) -> None:
        """A pool with documents to read; two people have judged, and differ."""
        by, first, other = (self.world.people[name] for name in ("organiser", "assessor", "kultarr"))
        Role.objects.create(task=self.task, user=other, role=Role.ASSESSOR)
        texts = "".join(f'{{"id": "{name}", "text": "a honeyeater in {name}"}}\n' for name in DOCUMENTS)
        corpora.read(corpus=corpora.set_corpus(self.task, arrived(texts, "documents.jsonl"), by).pk)
        Job.objects.filter(kind="corpus").delete()  # it is done; others are to wait
        pool = pool_lifecycle.draw_up(self.task, by, overlap=100, judges=2, strategy="depth", guidelines="Be fair.")
        pool_lifecycle.begin(pool, by)
        for number in range(4):
            for user, word in ((other, "mulgaranote"), (first, "ningauinote")):
                question = judgments.next_for(pool, user)
                assert question is not None
                grade = float(user == other and number % 2)
                about: dict[str, Any] = {
                    "topic": question.topic,
                    "document": question.document,
                    "grade": grade,
                    "note": word,
                }
                judgments.judge(pool, user, judgments.Said(key=f"{word}{number}", **about))
        for user in (first, other):  # they have the next one in hand: a page that is read changes nothing
            judgments.next_for(pool, user)
        self.pool = pool

    def _other_tasks(self) -> None:
        world = self.world
        words: dict[str, Any] = {"summary": "bettongsummary", "about": "bettongabout **it**", "title": "Bettongtitle"}
        draft = world.task("bettong-draft", state=Task.DRAFT, **words)
        Announcement.objects.create(task=draft, text="bettongannounced")
        circle = world.task(
            "circle", invited_only=True, title="Cuscustitle", summary="cuscussummary", about="cuscusabout"
        )
        Participant.objects.filter(task=circle).exclude(team=world.teams["Alpha"]).delete()
        world.hand_in(circle, "cuscusrun")
        other = world.task("rival-task", title="Another task")
        Participant.objects.filter(task=other, team__name__endswith="batteam").delete()
        Role.objects.filter(task=other).delete()
        Role.objects.create(task=other, user=world.people["rival"], role=Role.ORGANISER)
        # What waits in the main task stays waiting.
        Job.objects.filter(task=self.task, state=Job.WAITING).update(after=timezone.now() + timedelta(days=1))
        world.work()
        Job.objects.filter(task=self.task, state=Job.WAITING).update(after=timezone.now())

    def _doors(self) -> None:
        """Tokens, links, webhooks, sessions."""
        world = self.world
        for role in ROLES:
            if role:
                _, text = Token.make(
                    world.people[role], f"{role}token", Token.ORGANISE, timezone.now() + timedelta(days=9)
                )
                self.tokens[role] = text
                world.client(role)
        _, self.invite = invitations.make_invite(
            world.people["organiser"], task=self.task, role="assessor", note="antechinusnote"
        )
        hook = {"secret": "thylacinesecret", "events": ["scored"]}
        Webhook.objects.create(
            url="https://phascogaleteam.example.org/", team=world.teams["Alpha"], made_by=world.people["alice"], **hook
        )
        Webhook.objects.create(
            url="https://phascogaletask.example.org/", task=self.task, made_by=world.people["organiser"], **hook
        )

    def list_secrets(self) -> None:
        """What is secret while the task is open, and from whom it is not."""
        alpha, key = ("alice", "adam"), {name: run.key for name, run in self.runs.items()}
        files = ("runs/<slug:key>/file", "api/submissions/<key>/file")
        every = "tasks/<slug:slug>/downloads/topics"  # a run needs all topics; which are private, the file does not say
        judge = ("judge/<slug:key>/", "judge/<slug:key>/next", "judge/<slug:key>/document/", "judge/<slug:key>/pairs/")
        decide = "judge/<slug:key>/decide/"
        asked = of(*ROLES, on=(every,)) | of("assessor", on=(every, *judge, decide))
        own = of("alice", "adam", "beth", "wanda", "nina", on=(*files, every))  # their own run, as they sent it
        nobody: dict[str, frozenset[str]] = {}
        self.secrets = {
            "a hidden run": Secret(["wombat", key["wombatrun"]], of("wanda", *OPERATORS)),
            "who is anonymous": Secret(["numbat"], of("nina", *OPERATORS)),
            "a failed run": Secret(["potoroo", key["potoroorun"]], of(*alpha, *OPERATORS)),
            "a withdrawn run": Secret(["bilby", key["bilbyrun"]], of(*alpha, *OPERATORS)),
            "a run that waits": Secret(["quoll", key["quollrun"]], of(*alpha, *OPERATORS)),
            "why it is tried again": Secret(["kowarierror"], of(*alpha, *OPERATORS)),
            "runs that are alike": Secret(["dunnart"], of(*OPERATORS)),
            "private topics": Secret([*PRIVATE], asked | own | of(*OPERATORS)),
            "their texts": Secret(["pademelon"], asked | of(*OPERATORS)),
            "what documents say": Secret(["honeyeater"], of("assessor", *OPERATORS)),
            "notes of others": Secret(["mulgaranote"], of("assessor", on=(decide,)) | of(*OPERATORS)),
            "who judges beside them": Secret(["kultarr"], of(*OPERATORS)),
            "the pool": Secret([self.pool.key], of("assessor", *OPERATORS)),
            "a draft": Secret(["bettong", "Bettong"], of(*OPERATORS)),
            "a task by invitation": Secret(["cuscus", "Cuscus"], of(*alpha, "assessor", *OPERATORS)),
            "notes of links": Secret(["antechinusnote"], of(*OPERATORS)),
            "where a team is told": Secret(["phascogaleteam"], of(*alpha)),
            "where organisers are told": Secret(["phascogaletask"], of(*OPERATORS)),
            "secrets of webhooks": Secret(["thylacinesecret"], nobody),
            "tokens": Secret([*self.tokens.values(), *_all(Token, "digest")], nobody),
            "links": Secret([self.invite, *_all(Invite, "digest")], nobody),
            "passwords": Secret([PASSWORD, *_all(User, "password")], nobody),
            "sessions": Secret(_all(Session, "session_key"), nobody),
            "the key of the server": Secret([settings.SECRET_KEY], nobody),
            "the folder": Secret([str(settings.HOME.folder)], of("operator", on=("operate/",))),
            "the full board": Secret(
                [
                    *Snapshot.objects.filter(kind=Snapshot.FULL).values_list("document_id", flat=True),
                    *_full_pictures(),
                ],
                of(*OPERATORS),
            ),
        } | {
            f"the address of {person}": Secret(
                [f"{person}@example.org"],
                of(person, on=("my/account/",)) | of("operator", on=("operate/users/", "my/account/")),
            )
            for person in self.world.people
        }

    def private_values(self) -> tuple[list[float], list[float]]:
        """Means on private topics by the measure that ranks, and every value there."""
        means, each = [], []
        for run in self.runs.values():
            for result in run.results.all():
                means.append(result.private[self.task.measure])
                each += [values[topic] for values in values_of(result).values() for topic in PRIVATE]
        return means, [value for value in each if 0 < value < 1]


def _more_people(world: World) -> None:
    for name in ("wanda", "nina", "rival", "kultarr"):
        world.people[name] = User.objects.create_user(name, f"{name}@example.org", PASSWORD)
    for name, person in (("Wombatteam", "wanda"), ("Numbatteam", "nina")):
        world.teams[name] = Team.objects.create(name=name, slug=name.lower())
        Membership.objects.create(team=world.teams[name], user=world.people[person], leader=True)


def _all(model: Any, name: str) -> list[str]:
    return list(model.objects.values_list(name, flat=True))


def _full_pictures() -> list[str]:
    public = set(Picture.objects.filter(snapshot__kind=Snapshot.PUBLIC).values_list("blob_id", flat=True))
    full = Picture.objects.filter(snapshot__kind=Snapshot.FULL).values_list("blob_id", flat=True)
    return [digest for digest in full if digest not in public]


def forget() -> None:
    """Empty what pages remember: the next test has other rows under the same numbers."""
    for kept in (
        leaderboards._whole,
        panels._whole,
        board_access.table_of,
        board_documents.document_of,
        run_comparison._compared,
        topic_texts._texts,
    ):
        kept.forget()
