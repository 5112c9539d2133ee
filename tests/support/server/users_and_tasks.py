"""Users, teams, tasks and runs of a test site, created through the functions that the pages use."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from django.test import Client

from cranfield.server.jobs import job_queue
from cranfield.server.models import Membership, Participant, Role, Submission, Task, Team, User
from cranfield.server.site import blob_store
from cranfield.server.site.uploads import Arrived
from cranfield.server.submissions import intake
from cranfield.server.tasks.label_versions import add_version

PASSWORD = "correct horse battery"
TOPICS = [str(number) for number in range(301, 313)]  # 12
DOCUMENTS = [f"D{number:02d}" for number in range(1, 11)]  # 10 a topic


def qrels(changed: dict[tuple[str, str], int] | None = None) -> str:
    """Judgments: in topic i the documents D01 … D0(1 + i mod 3) are relevant, with grades 1 and 2."""
    lines = []
    for place, topic in enumerate(TOPICS):
        for number, document in enumerate(DOCUMENTS[:8]):  # two are not judged
            grade = (2 if number == 0 else 1) if number <= place % 3 else 0
            lines.append(f"{topic} 0 {document} {(changed or {}).get((topic, document), grade)}")
    return "\n".join(lines) + "\n"


def run_text(tag: str, shift: int = 0, *, topics: list[str] | None = None, header: str = "") -> str:
    """A run that turns the order of documents by ``shift``, more in later topics; 0 is the ideal order."""
    lines = [header] if header else []
    for place, topic in enumerate(topics or TOPICS):
        turned = (shift * (1 + place % 4)) % len(DOCUMENTS)
        order = DOCUMENTS[-turned:] + DOCUMENTS[:-turned] if turned else DOCUMENTS
        lines += [f"{topic} Q0 {doc} {rank} {100 - rank} {tag}" for rank, doc in enumerate(order, 1)]
    return "\n".join(lines) + "\n"


def arrived(text: str | bytes, name: str = "run.txt") -> Arrived:
    """A file as it comes in."""
    file = blob_store.Incoming()
    file.write(text.encode() if isinstance(text, str) else text)
    return Arrived(file, name)


@dataclass
class World:
    """Everybody, by what they are."""

    people: dict[str, User]
    teams: dict[str, Team]
    clients: dict[str, Client] = field(default_factory=dict)

    @classmethod
    def make(cls) -> World:
        """An operator, an organiser, an assessor, two people of team Alpha, one of team Beta, one without a team."""
        people = {
            name: User.objects.create_user(name, f"{name}@example.org", PASSWORD)
            for name in ("operator", "organiser", "assessor", "alice", "adam", "beth", "loner")
        }
        User.objects.filter(pk=people["operator"].pk).update(is_superuser=True)
        people["operator"].refresh_from_db()
        teams = {name: Team.objects.create(name=name, slug=name.lower()) for name in ("Alpha", "Beta")}
        for team, person, leader in (("Alpha", "alice", True), ("Alpha", "adam", False), ("Beta", "beth", True)):
            Membership.objects.create(team=teams[team], user=people[person], leader=leader)
        return cls(people, teams)

    def client(self, name: str | None = None) -> Client:
        """A browser of somebody, logged in; of nobody without a name. Forms must carry their token, as in life."""
        key = name or ""
        if key not in self.clients:
            self.clients[key] = Client()
            if name:
                self.clients[key].force_login(self.people[name])
        return self.clients[key]

    def task(self, slug: str = "ad-hoc", *, private: int = 0, state: str = Task.OPEN, **rules: Any) -> Task:
        """A task with labels, in which both teams take part; the last ``private`` topics are kept off the board."""
        asked = {"measures": "nDCG@10 AP", "limit": 10, "title": f"The {slug} task"} | rules
        made = Task.objects.create(
            slug=slug, state=state, private=TOPICS[len(TOPICS) - private :] if private else [], **asked
        )
        Role.objects.create(task=made, user=self.people["organiser"], role=Role.ORGANISER)
        Role.objects.create(task=made, user=self.people["assessor"], role=Role.ASSESSOR)
        for team in self.teams.values():
            Participant.objects.create(task=made, team=team)
        add_version(made, arrived(qrels(), "qrels.txt").arriving, self.people["organiser"], note="the first")
        return made

    def hand_in(self, task: Task, name: str, shift: int = 0, *, team: str = "Alpha", **more: Any) -> Submission:
        """A run of a team, received but not yet evaluated."""
        by = self.people["alice" if team == "Alpha" else "beth"]
        text = more.pop("text", None) or run_text(name, shift)
        return intake.receive(task, self.teams[team], by, arrived(text, f"{name}.run"), name=name, **more)

    def work(self) -> int:
        """Do everything that waits."""
        return job_queue.work(once=True)

    def received(self, slug: str = "ad-hoc", **rules: Any) -> Task:
        """A task with four runs that nobody has evaluated yet: enough to judge."""
        task = self.task(slug, **rules)
        for name, shift, team in (
            ("ideal", 0, "Alpha"),
            ("good", 1, "Beta"),
            ("fair", 2, "Alpha"),
            ("poor", 5, "Beta"),
        ):
            self.hand_in(task, name, shift, team=team)
        return task

    def filled(self, slug: str = "ad-hoc", **rules: Any) -> Task:
        """A task with four runs that are evaluated, and a board."""
        task = self.received(slug, **rules)
        self.work()
        task.refresh_from_db()
        return task
