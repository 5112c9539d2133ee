"""Pools as forms: how documents are chosen, how people judge them, what is known beforehand."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from django import forms

from cranfield.core import CranfieldError, ParameterError
from cranfield.pooling import STRATEGIES
from cranfield.server import campaigns
from cranfield.server.models import Corpus, Pool, Task
from cranfield.server.uploads import Arrived

from .tasks import said

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST = 2**31 - 1
NUMBER = re.compile(r"\d+(?:\.\d+)?")
LARGE = 4 << 20  # bytes of a file of known documents
EACH, ALL = "each", "all"
CHOSEN = ("strategy", "depth", "budget", "shared", "first", "seed", "known")  # fixed once judging has begun


def strategies() -> list[dict[str, Any]]:
    """Every strategy: its name, which document it asks for, what it is."""
    return [
        {"name": one.name, "asks": one.asks, "about": (one.__doc__ or "").partition("\n")[0], "reads": one.needs_text}
        for one in STRATEGIES
    ]


class Chosen(forms.Form):
    """How documents are chosen."""

    strategy = forms.ChoiceField(
        choices=lambda: [(one["name"], f"{one['name']}: {one['asks']}") for one in strategies()],
        initial="nrg",
        help_text="Which document is judged next. They are told apart below.",
    )
    depth = forms.IntegerField(
        initial=100, min_value=1, max_value=10_000, help_text="Documents of each run that may be asked for."
    )
    budget = forms.IntegerField(
        required=False, min_value=1, max_value=MOST, help_text="Documents to judge; empty: all that may be asked for."
    )
    shared = forms.ChoiceField(
        choices=[(EACH, "of each topic"), (ALL, "of all topics together")], initial=EACH, label="The budget is that"
    )
    first = forms.IntegerField(
        initial=0,
        min_value=0,
        max_value=1000,
        label="First of every run",
        help_text="So many documents of each run come before the strategy begins: fair to runs that start slowly.",
    )
    seed = forms.IntegerField(
        initial=0, min_value=0, max_value=MOST, help_text="The same seed and the same grades ask alike."
    )
    known = forms.BooleanField(required=False, initial=True, label="Leave out what is judged already")


class Judged(forms.Form):
    """How people judge."""

    guidelines = forms.CharField(
        max_length=50_000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text="What makes a document relevant. It stands beside every document. Markdown.",
    )
    overlap = forms.IntegerField(
        initial=0,
        min_value=0,
        max_value=100,
        label="Judged by several, in percent",
        help_text="That share of the documents tells you how far people agree. 10 is usual.",
    )
    judges = forms.IntegerField(
        initial=2, min_value=1, max_value=10, label="… by how many people", help_text="Each of those documents."
    )


class Graded(forms.Form):
    """The grades people may give."""

    grades = forms.CharField(
        initial="0 not relevant\n1 relevant",
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="A line for each, from the lowest: its number, then what it means.",
    )

    def clean_grades(self) -> list[list[str]]:
        """Numbers with what they mean."""
        found = []
        for place, line in enumerate(str(self.cleaned_data["grades"]).splitlines(), 1):
            if not line.strip():
                continue
            grade, _, meaning = line.strip().partition(" ")
            if not NUMBER.fullmatch(grade):
                raise forms.ValidationError(
                    f"Line {place} begins with “{grade}”, which is no number. Write for example: 0 not relevant."
                )
            found.append([grade, meaning.strip()])
        return found


class Drawing(Chosen, Graded, Judged):
    """A whole pool, before anybody judges."""

    minutes = forms.FloatField(
        initial=f"{campaigns.MINUTES:g}",
        min_value=0.01,
        max_value=600,
        widget=forms.NumberInput(attrs={"step": "any"}),
        label="Minutes for a judgment",
        help_text="To tell hours beforehand; it changes nothing else.",
    )

    field_order = "strategy depth budget shared first seed known grades guidelines overlap judges minutes".split()

    def __init__(self, task: Task, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self.task = task
        now = self.initial.get("strategy", "")
        if "(" in now:  # one with other parameters than usual, which no choice has
            choice = self.fields["strategy"]
            assert isinstance(choice, forms.ChoiceField)
            choice.choices = [(now, now), *((one["name"], f"{one['name']}: {one['asks']}") for one in strategies())]
        if task.version is None:
            del self.fields["known"]

    def clean_strategy(self) -> str:
        """One that has what it needs."""
        name = str(self.cleaned_data["strategy"])
        ready = Corpus.objects.filter(task=self.task, state=Corpus.READY).exists()
        if STRATEGIES[name.partition("(")[0]].needs_text and not ready:
            raise forms.ValidationError(
                f"The strategy {name} reads documents, and there is no corpus that is ready. "
                "Upload one under Corpus, or choose another strategy."
            )
        return name

    def how(self) -> dict[str, Any]:
        """The fields of the pool."""
        told = self.cleaned_data
        names = "strategy depth budget first seed grades guidelines overlap judges".split()
        found: dict[str, Any] = {name: told[name] for name in names}
        return found | {"shared": told["shared"] == ALL, "known": self.task.version if told.get("known") else None}

    def pool(self, runs: Sequence[str]) -> Pool:
        """The pool it would be, not kept; refused where it could not be judged."""
        made = Pool(task=self.task, runs=list(runs), **self.how())
        campaigns.check(made)
        return made


def told_by(pool: Pool) -> dict[str, Any]:
    """What a form shows of a pool."""
    found = {name: getattr(pool, name) for name in (*CHOSEN, "guidelines", "overlap", "judges")}
    lines = "\n".join(f"{grade} {meaning}".strip() for grade, meaning in pool.grades)
    return found | {
        "shared": ALL if pool.shared else EACH,
        "known": pool.known_id is not None,
        "grades": lines,
    }


class Gold(forms.Form):
    """Documents of which the grade is known."""

    gold = forms.FileField(
        label="Documents with their grades",
        help_text="Tabs between topic, document, grade and why it is that. Everybody judges these first, and is told.",
        error_messages={"required": "Choose a file.", "empty": "The file is empty."},
    )

    def clean_gold(self) -> list[tuple[str, str, float, str]]:
        """The rows of the file."""
        file = self.cleaned_data["gold"]
        assert isinstance(file, Arrived)
        try:
            return _rows(file)
        except CranfieldError as error:
            raise said(error) from None


def _rows(file: Arrived) -> list[tuple[str, str, float, str]]:
    """Topic, document, grade, why."""
    name, shape = file.name or "gold", "each line: topic, document, grade, why, with tabs between them"
    if (file.size or 0) > LARGE:
        raise ParameterError(
            f"the file {name} is larger than {LARGE >> 20} MB", hint="a trial is some twenty documents"
        )
    try:
        text = file.arriving.path.read_text("utf-8-sig")
    except UnicodeDecodeError:
        raise ParameterError(f"the file {name} is no text in UTF-8", hint=shape) from None
    found: dict[tuple[str, str], tuple[str, str, float, str]] = {}
    for place, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        parts = [part.strip() for part in line.split("\t", 3)]
        if len(parts) < 3 or not parts[0] or not parts[1]:
            raise ParameterError(f"line {place} of {name} has too few columns", hint=shape)
        if not NUMBER.fullmatch(parts[2]):
            raise ParameterError(f"line {place} of {name}: “{parts[2]}” is no grade", hint=shape)
        key = parts[0], parts[1]
        if key in found:
            hint = "keep one line for each document of a topic"
            raise ParameterError(
                f"line {place} of {name}: document {key[1]} of topic {key[0]} is there twice", hint=hint
            )
        found[key] = (*key, float(parts[2]), parts[3] if len(parts) > 3 else "")
    if not found:
        raise ParameterError(f"the file {name} holds no document", hint=shape)
    return list(found.values())
