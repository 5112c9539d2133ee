"""Database models of tasks, label versions, roles and participating teams."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from cranfield.measures import parse_measures
from cranfield.server.accounts.models import Team
from cranfield.server.site.models import Blob

ENOUGH = 1000  # private topics for a value of three decimals


class Task(models.Model):
    """A question put to search systems: topics, judgments, measures, rules."""

    DRAFT, OPEN, CLOSED = "draft", "open", "closed"
    STATES = [(DRAFT, "draft"), (OPEN, "open"), (CLOSED, "closed")]

    slug = models.SlugField(max_length=60, unique=True)
    title = models.CharField(max_length=150)
    summary = models.CharField(max_length=300, blank=True)
    about = models.TextField(blank=True, max_length=50_000)  # Markdown
    state = models.CharField(max_length=6, choices=STATES, default=DRAFT)
    made = models.DateTimeField(auto_now_add=True)
    opens = models.DateTimeField(null=True, blank=True)  # no submission before
    closes = models.DateTimeField(null=True, blank=True)  # closed by itself
    closed = models.DateTimeField(null=True, blank=True)  # when it was
    invited_only = models.BooleanField(default=False)  # who is no part of it does not see it

    measures = models.CharField(max_length=400, default="nDCG@10 AP RR@100")  # canonical, the first ranks
    rel = models.FloatField(default=1)  # the smallest relevant grade
    level = models.FloatField(default=0.05)
    test = models.CharField(max_length=60, default="tukey")  # which runs differ

    topics = models.ForeignKey(Blob, null=True, blank=True, on_delete=models.PROTECT, related_name="+")  # their texts
    private = models.JSONField(default=list)  # topics that are kept off the board while it is open
    show_private = models.BooleanField(default=False)  # one value on them while open, whatever their number
    labels_public = models.BooleanField(default=False)  # judgments of public topics may be downloaded
    runs_public = models.BooleanField(default=False)  # runs may be downloaded once it is closed

    limit = models.PositiveIntegerField(default=2)  # submissions of a team …
    days = models.PositiveIntegerField(default=30)  # … in so many days
    most = models.PositiveIntegerField(default=100)  # submissions of a team at all
    embargo_days = models.PositiveIntegerField(default=0)  # how long a run may be hidden; 0: not at all
    anonymous_days = models.PositiveIntegerField(default=0)  # how long a team may be unnamed

    people = models.ManyToManyField(settings.AUTH_USER_MODEL, through="Role", related_name="tasks")
    teams = models.ManyToManyField(Team, through="Participant", related_name="tasks")

    def __str__(self) -> str:
        return self.title

    @property
    def is_open(self) -> bool:
        """Whether a run may be submitted now."""
        now = timezone.now()
        return (
            self.state == self.OPEN and (not self.opens or self.opens <= now) and (not self.closes or now < self.closes)
        )

    @property
    def opens_later(self) -> bool:
        """Whether it is announced, and not open yet."""
        return self.state == self.OPEN and self.opens is not None and timezone.now() < self.opens

    @property
    def is_closed(self) -> bool:
        """Whether what was private may be told; the passing of the date alone is not enough."""
        return self.state == self.CLOSED

    @property
    def tells_private(self) -> bool:
        """Whether one value on private topics is told while it is open: rounded, where there are enough of them."""
        return bool(self.private) and not self.is_closed and (self.show_private or len(self.private) >= ENOUGH)

    @property
    def measure(self) -> str:
        """The measure that ranks."""
        return str(parse_measures(self.measures)[0])

    @property
    def version(self) -> "LabelVersion | None":
        """The newest labels."""
        return self.versions.order_by("-number").first()


class LabelVersion(models.Model):
    """The judgments of a task as they stood; a changed judgment makes the next version."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    qrels = models.ForeignKey(Blob, on_delete=models.PROTECT, related_name="+")
    note = models.CharField(max_length=300, blank=True)
    made = models.DateTimeField(auto_now_add=True)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    judgments = models.PositiveIntegerField(default=0)
    judged = models.JSONField(default=list)  # the topics, in the order of the file
    about = models.JSONField(default=dict)  # where judgments of a pool come from: who, how merged, how many
    changes = models.ForeignKey(Blob, null=True, blank=True, on_delete=models.PROTECT, related_name="+")  # what moved

    class Meta:
        constraints = [models.UniqueConstraint(fields=["task", "number"], name="version_once")]

    def __str__(self) -> str:
        return f"version {self.number}"

    @property
    def public_topics(self) -> list[str]:
        """The topics the board goes by while the task is open."""
        private = set(self.task.private)
        return [topic for topic in self.judged if topic not in private]

    @property
    def private_topics(self) -> list[str]:
        """The topics that are kept off it."""
        private = set(self.task.private)
        return [topic for topic in self.judged if topic in private]


class Role(models.Model):
    """What a person is in a task."""

    ORGANISER, ASSESSOR = "organiser", "assessor"
    ROLES = [(ORGANISER, "organiser"), (ASSESSOR, "assessor")]

    task = models.ForeignKey(Task, on_delete=models.CASCADE)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    role = models.CharField(max_length=12, choices=ROLES)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["task", "user", "role"], name="role_once")]


class Participant(models.Model):
    """That a team takes part in a task. Its row is locked while a submission is counted."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE)
    team = models.ForeignKey(Team, on_delete=models.CASCADE)
    made = models.DateTimeField(auto_now_add=True)
    blocked = models.BooleanField(default=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["task", "team"], name="participant_once")]
