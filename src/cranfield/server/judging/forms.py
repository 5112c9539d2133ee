"""Forms for the settings of a pool: selection strategy, grades, guidelines and gold documents."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from django import forms

from cranfield.collections import STRATEGIES, parse_strategy
from cranfield.core import CranfieldError, ParameterError, definition, parameters
from cranfield.server.models import Pool, Task
from cranfield.server.site.form_fields import lines, number, whole
from cranfield.server.site.uploads import Arrived
from cranfield.server.tasks.forms import said

from . import pool_lifecycle

if TYPE_CHECKING:
    from collections.abc import Sequence

NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")
LARGE = 4 << 20  # bytes of a file of known documents
WRITTEN = "write parameter=value, with commas between several"
EACH, ALL = "each", "all"
PLAIN = ("depth", "budget", "first", "seed", "guidelines", "overlap", "judges")  # a form shows them as they are


def strategies() -> list[dict[str, Any]]:
    """Every strategy: its name, which document it asks for, what it is, its parameters as they are if nobody says."""
    return [
        {
            "name": one.name,
            "asks": one.asks,
            "about": definition(one),
            "reads": one.needs_text,
            "parameters": [
                {"usual": f"{each.name}={each.default!r}", "means": one.means[each.name], "limits": each.limits}
                for each in parameters(one)
            ],
        }
        for one in STRATEGIES
    ]


class Chosen(forms.Form):
    """How documents are chosen."""

    strategy = forms.ChoiceField(
        choices=lambda: [(one["name"], f"{one['name']}: {one['asks']}") for one in strategies()],
        initial="nrg",
        help_text="Which document is judged next. They are told apart below.",
    )
    settings = forms.CharField(
        max_length=pool_lifecycle.LONGEST["strategy"],
        required=False,
        label="Its parameters",
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "off", "spellcheck": "false"}),
        help_text="Those that are to be other than usual, as in: beta=0.2, fairness=0",
    )
    depth = whole(1, 10_000, initial=100, help_text="Documents of each run that may be asked for.")
    budget = whole(1, required=False, help_text="Documents to judge; empty: all that may be asked for.")
    shared = forms.ChoiceField(
        choices=[(EACH, "of each topic"), (ALL, "of all topics together")], initial=EACH, label="The budget is that"
    )
    first = whole(
        0,
        1000,
        initial=0,
        label="First of every run",
        help_text="So many documents of each run come before the strategy begins: fair to runs that start slowly.",
    )
    seed = whole(0, initial=0, help_text="The same seed and the same grades ask alike.")
    known = forms.BooleanField(required=False, initial=True, label="Leave out what is judged already")


class Judged(forms.Form):
    """How people judge."""

    guidelines = lines(
        6, required=False, help_text="What makes a document relevant. It stands beside every document. Markdown."
    )
    overlap = whole(
        0,
        100,
        initial=0,
        label="Judged by several, in percent",
        help_text="That share of the documents tells you how far people agree. 10 is usual.",
    )
    judges = whole(1, 10, initial=2, label="… by how many people", help_text="Each of those documents.")


class Graded(forms.Form):
    """The grades people may give."""

    grades = lines(
        4,
        2000,
        initial="0 not relevant\n1 relevant",
        help_text="A line for each, from the lowest: its number, then what it means.",
    )

    def clean_grades(self) -> list[list[str]]:
        """Numbers with what they mean."""
        found = []
        for place, line in enumerate(str(self.cleaned_data["grades"]).splitlines(), 1):
            if not line.strip():
                continue
            grade, *meaning = line.split(maxsplit=1)
            if not NUMBER.fullmatch(grade):
                raise forms.ValidationError(
                    f"Line {place} begins with “{grade}”, which is no number. Write for example: 0 not relevant."
                )
            found.append([grade, *(part.strip() for part in meaning or [""])])
        return found


class Drawing(Chosen, Graded, Judged):
    """A whole pool, before anybody judges."""

    minutes = number(
        initial=f"{pool_lifecycle.MINUTES:g}",
        min_value=0.01,
        max_value=600,
        label="Minutes for a judgment",
        help_text="To tell hours beforehand; it changes nothing else.",
    )

    field_order = (
        "strategy settings depth budget shared first seed known grades guidelines overlap judges minutes".split()
    )

    def __init__(self, task: Task, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self.task = task
        if task.version is None:
            del self.fields["known"]

    @property
    def chosen(self) -> dict[str, Any] | None:
        """The strategy that is chosen, as :func:`strategies` tells it."""
        return next((one for one in strategies() if one["name"] == self["strategy"].value()), None)

    def clean_strategy(self) -> str:
        """One that has what it needs."""
        name = str(self.cleaned_data["strategy"])
        try:
            pool_lifecycle.check_texts(self.task, parse_strategy(name))
        except CranfieldError as error:
            raise said(error) from None
        return name

    def clean_settings(self) -> str:
        """Parameters that the strategy has, in the notation of the command line."""
        told = str(self.cleaned_data["settings"])
        if told and "strategy" in self.cleaned_data:  # it stands before them
            try:
                parse_strategy(f"{self.cleaned_data['strategy']}({told})")
            except CranfieldError as error:
                names = error.hint.startswith(("write ", "name "))  # a hint for who writes the strategy, too
                raise said(ParameterError(error.problem, hint=WRITTEN if names else error.hint)) from None
        return told

    def how(self) -> dict[str, Any]:
        """The fields of the pool."""
        told = self.cleaned_data
        return {name: told[name] for name in (*PLAIN, "grades")} | {
            "strategy": str(parse_strategy(f"{told['strategy']}({told['settings']})")),
            "shared": told["shared"] == ALL,
            "known": self.task.version if told.get("known") else None,
        }

    def pool(self, runs: Sequence[str]) -> Pool:
        """The pool it would be, not kept; refused where it could not be judged."""
        made = Pool(task=self.task, runs=list(runs), **self.how())
        pool_lifecycle.check(made)
        return made


def told_by(pool: Pool) -> dict[str, Any]:
    """What a form shows of a pool."""
    strategy, _, settings = pool.strategy.partition("(")
    return {name: getattr(pool, name) for name in PLAIN} | {
        "strategy": strategy,
        "settings": settings.removesuffix(")"),
        "shared": ALL if pool.shared else EACH,
        "known": pool.known_id is not None,
        "grades": "\n".join(f"{grade} {meaning}".strip() for grade, meaning in pool.grades),
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
