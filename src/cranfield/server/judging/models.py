"""Database models of pools, questions, judgments, LLM judges and preference votes."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from cranfield.server.submissions.models import new_key
from cranfield.server.tasks.models import LabelVersion, Task


def two_grades() -> list[list[str]]:
    """The grades of a pool that says nothing else."""
    return [["0", "not relevant"], ["1", "relevant"]]


class Pool(models.Model):
    """Documents that people judge for a task: how they are chosen, by which grades, how often each."""

    DRAFT, OPEN, ENDED = "draft", "open", "ended"
    STATES = [(DRAFT, "draft"), (OPEN, "judging"), (ENDED, "ended")]

    key = models.CharField(max_length=12, unique=True, default=new_key)
    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="pools")
    number = models.PositiveIntegerField()
    state = models.CharField(max_length=5, choices=STATES, default=DRAFT)
    made = models.DateTimeField(auto_now_add=True)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    begun = models.DateTimeField(null=True, blank=True)
    ended = models.DateTimeField(null=True, blank=True)

    runs = models.JSONField(default=list)  # keys of submissions, fixed when it is drawn up
    known = models.ForeignKey(LabelVersion, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    strategy = models.CharField(max_length=200, default="nrg")
    depth = models.PositiveIntegerField(default=100)  # documents of a run that may be asked for
    first = models.PositiveIntegerField(default=0)  # documents of every run that come first
    budget = models.PositiveIntegerField(null=True, blank=True)  # judgments of each topic, or …
    shared = models.BooleanField(default=False)  # … of all together
    seed = models.PositiveIntegerField(default=0)

    grades = models.JSONField(default=two_grades)  # [grade, what it means], from the lowest
    guidelines = models.TextField(blank=True, max_length=50_000)  # Markdown
    overlap = models.PositiveSmallIntegerField(default=0)  # percent of the documents that several people judge …
    judges = models.PositiveSmallIntegerField(default=2)  # … each by so many
    trial = models.PositiveSmallIntegerField(default=0)  # documents with a known grade that everybody judges first

    class Meta:
        constraints = [models.UniqueConstraint(fields=["task", "number"], name="pool_once")]

    def __str__(self) -> str:
        return f"pool {self.number}"


class Event(models.Model):
    """A step of a pool, as in :class:`cranfield.collections.Event`. The steps determine the next question."""

    pool = models.ForeignKey(Pool, on_delete=models.CASCADE, related_name="events")
    number = models.PositiveIntegerField()  # from 1, without a gap
    kind = models.CharField(max_length=5)
    topic = models.CharField(max_length=200)
    document = models.CharField(max_length=400)
    grade = models.FloatField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["pool", "number"], name="event_once")]


class Question(models.Model):
    """A document that is to be judged for a topic."""

    pool = models.ForeignKey(Pool, on_delete=models.CASCADE, related_name="questions")
    topic = models.CharField(max_length=200)
    document = models.CharField(max_length=400)
    made = models.DateTimeField(auto_now_add=True)
    wanted = models.PositiveSmallIntegerField(default=1)  # how many people are to judge it
    given = models.PositiveSmallIntegerField(default=0)  # how many did
    grade = models.FloatField(null=True, blank=True)  # what holds, once all have judged and agree
    disputed = models.BooleanField(default=False)  # they differ, and nobody has decided yet
    gold = models.FloatField(null=True, blank=True)  # the right grade of a document of the trial
    why = models.CharField(max_length=1000, blank=True)  # it is, told to who has judged it

    class Meta:
        constraints = [models.UniqueConstraint(fields=["pool", "topic", "document"], name="question_once")]
        indexes = [models.Index(fields=["pool", "disputed"])]


class Turn(models.Model):
    """That somebody has a question in hand, or has put it off."""

    OUT, LATER = "out", "later"
    STATES = [(OUT, "in hand"), (LATER, "put off")]

    question = models.ForeignKey(Question, on_delete=models.CASCADE, related_name="turns")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    state = models.CharField(max_length=5, choices=STATES, default=OUT)
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.UniqueConstraint(fields=["question", "user"], name="turn_once")]


class Judgment(models.Model):
    """What somebody says of a document. It is never deleted; it may be taken back."""

    FIRST, LAST, CROWD, MACHINE = "first", "last", "crowd", "machine"
    KINDS = [(FIRST, "judgment"), (LAST, "decision"), (CROWD, "from a file"), (MACHINE, "machine")]

    question = models.ForeignKey(Question, on_delete=models.CASCADE, related_name="judgments")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    worker = models.CharField(max_length=150, blank=True)  # who has no account: somebody of a file, a machine
    key = models.CharField(max_length=40)  # made by the page, so that what is sent twice is kept once
    kind = models.CharField(max_length=7, choices=KINDS, default=FIRST)
    grade = models.FloatField(null=True, blank=True)  # nothing: it cannot be judged
    note = models.CharField(max_length=1000, blank=True)
    seconds = models.FloatField(default=0)  # on the document
    made = models.DateTimeField(db_default=Now())
    taken_back = models.DateTimeField(null=True, blank=True)
    about = models.JSONField(default=dict)  # of a machine: its model, its prompt, its answer

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "key"], name="judgment_sent_once"),
            models.UniqueConstraint(
                fields=["question", "user", "kind"], condition=Q(taken_back=None), name="judgment_once"
            ),
            models.UniqueConstraint(
                fields=["question", "worker", "kind"],
                condition=Q(taken_back=None, user=None),
                name="judgment_of_worker_once",
            ),
        ]
        indexes = [models.Index(fields=["question", "taken_back"])]


class Machine(models.Model):
    """A model that was asked to judge a pool; what it says is marked, and never counts as what people say."""

    WAITING, ASKING, DONE, FAILED = "waiting", "asking", "done", "failed"
    STATES = [(WAITING, "waiting"), (ASKING, "asking"), (DONE, "done"), (FAILED, "failed")]

    pool = models.ForeignKey(Pool, on_delete=models.CASCADE, related_name="machines")
    name = models.CharField(max_length=150)  # under which its judgments stand: the model, and a number if asked again
    model = models.CharField(max_length=120)
    prompt = models.TextField(max_length=20_000)
    state = models.CharField(max_length=7, choices=STATES, default=WAITING)
    made = models.DateTimeField(auto_now_add=True)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    failure = models.CharField(max_length=400, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["pool", "name"], name="machine_once")]


class Pair(models.Model):
    """Two documents of a topic, of which somebody is to say which is better."""

    pool = models.ForeignKey(Pool, on_delete=models.CASCADE, related_name="pairs")
    topic = models.CharField(max_length=200)
    one = models.CharField(max_length=400)  # the smaller name
    two = models.CharField(max_length=400)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["pool", "topic", "one", "two"], name="pair_once")]


class Vote(models.Model):
    """Which of two documents somebody prefers. It is never deleted; it may be taken back."""

    pair = models.ForeignKey(Pair, on_delete=models.CASCADE, related_name="votes")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    key = models.CharField(max_length=40)  # made by the page
    choice = models.SmallIntegerField(null=True, blank=True)  # 1: one, −1: two, 0: neither; none: cannot say
    swapped = models.BooleanField(default=False)  # the second stood on the left
    note = models.CharField(max_length=1000, blank=True)
    seconds = models.FloatField(default=0)
    made = models.DateTimeField(db_default=Now())
    taken_back = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "key"], name="vote_sent_once"),
            models.UniqueConstraint(fields=["pair", "user"], condition=Q(taken_back=None), name="vote_once"),
        ]
