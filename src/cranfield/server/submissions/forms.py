"""Forms for submitting a run and editing its description."""

from __future__ import annotations

import re
from datetime import date, timedelta
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils import timezone

from cranfield.server.models import Submission, Task, Team

from .intake import NAME

if TYPE_CHECKING:
    from collections.abc import Sequence

KINDS = [("", "as the file says"), ("automatic", "automatic"), ("manual", "manual: people had a hand in it")]
ENDINGS = {".gz", ".bz2", ".xz", ".zst", ".txt", ".tsv", ".run", ".res", ".trec", ".eval"}


def name_from(file: str) -> str:
    """A name for a run, from the name of its file: without its endings, and without letters that names do not have."""
    path = PurePath(file.replace("\\", "/")).name
    while (ending := PurePath(path).suffix) and ending.casefold() in ENDINGS and path != ending:
        path = path[: -len(ending)]
    return re.sub(r"[^\w.+@ ()=:,-]+|^[^\w]+", "-", path).strip("- .")[:100]


def _day(label: str, most: int) -> forms.DateField:
    last = timezone.now().date() + timedelta(days=most)
    return forms.DateField(
        label=label,
        required=False,
        help_text=f"At the latest {last:%Y-%m-%d}.",
        widget=forms.DateInput(
            format="%Y-%m-%d",
            attrs={
                "type": "date",
                "max": f"{last:%Y-%m-%d}",
                "min": f"{timezone.now().date() + timedelta(days=1):%Y-%m-%d}",
            },
        ),
    )


class Said(forms.Form):
    """What people say of a run."""

    description = forms.CharField(
        required=False, max_length=4000, widget=forms.Textarea(attrs={"rows": 4}), help_text="How it was made."
    )
    kind = forms.ChoiceField(label="Type", choices=KINDS, required=False)
    link = forms.URLField(
        required=False, assume_scheme="https", max_length=200, help_text="A paper, or code: http or https."
    )

    def clean_link(self) -> str:
        """Links lead to web pages."""
        link: str = self.cleaned_data["link"]
        if link and not link.lower().startswith(("https://", "http://")):
            raise ValidationError("A link starts with https:// or http://.")
        return link


class Submit(Said):
    """A run to hand in."""

    team = forms.ModelChoiceField(Team.objects.none(), empty_label=None)
    run = forms.FileField(
        label="File",
        max_length=200,
        error_messages={
            "required": "Choose a file.",
            "empty": "The file is empty.",
            "max_length": "The name of the file is too long.",
        },
        help_text="A line reads: topic Q0 document rank score tag. MS MARCO’s form too; gzip, bzip2, xz and zstd.",
    )
    name = forms.CharField(required=False, max_length=100, help_text="Without one, the run is called as its file.")
    field_order = ["team", "run", "name", "description", "kind", "link"]

    def __init__(self, *args: Any, task: Task, teams: Sequence[Team], check: str, **options: Any) -> None:
        super().__init__(*args, **options)
        chosen = self.fields["team"]
        assert isinstance(chosen, forms.ModelChoiceField)
        chosen.queryset = Team.objects.filter(pk__in=[team.pk for team in teams]).order_by("name")
        chosen.initial = teams[0].pk if teams else None
        if len(teams) == 1:
            chosen.widget = chosen.hidden_widget()
        if task.embargo_days:
            self.fields["embargo"] = _day("Hide it until", task.embargo_days)
        if task.anonymous_days:
            self.fields["anonymous"] = _day("Do not name our team until", task.anonymous_days)
        # A script looks at the size before anything is sent; htmx has the file looked at as soon as it is chosen.
        self.fields["run"].widget.attrs |= {
            "data-most": settings.OPTIONS.upload_mb << 20,
            "data-most-said": f"The file is larger than {settings.OPTIONS.upload_mb} MB. Pack it with gzip or zstd.",
            "hx-post": check,
            "hx-trigger": "checkfile",
            "hx-target": "#problems",
            "hx-encoding": "multipart/form-data",
            "hx-indicator": "#submit",
            "hx-sync": "this:replace",
        }

    @property
    def first(self) -> dict[str, Any]:
        """The file and whose it is: what was found in the file is told right beneath it."""
        seen = [field for field in self.visible_fields() if field.name in ("team", "run")]
        return {
            "non_field_errors": self.non_field_errors(),
            "hidden_fields": self.hidden_fields(),
            "visible_fields": seen,
        }

    @property
    def rest(self) -> dict[str, Any]:
        """What is said of it."""
        return {"visible_fields": [field for field in self.visible_fields() if field.name not in ("team", "run")]}

    def clean_name(self) -> str:
        """The name, or the file's."""
        file = self.cleaned_data.get("run")
        wanted: str = self.cleaned_data["name"] or (name_from(file.name) if file else "")
        if wanted and not NAME.fullmatch(wanted):
            raise ValidationError(
                "A name has letters, digits, spaces and . _ - + @ ( ) = : , only, and starts with a letter or a digit."
            )
        if not wanted and file:
            raise ValidationError("Write a name.")
        return wanted


class Edit(Said):
    """What may change of a run that was handed in: what is said of it, and an earlier day to show or name it."""

    def __init__(self, *args: Any, run: Submission, **options: Any) -> None:
        self.run = run
        options["initial"] = {"description": run.description, "kind": run.kind, "link": run.link}
        super().__init__(*args, **options)
        if run.kind and run.kind not in dict(KINDS):  # a program handed it in
            self.fields["kind"].choices = [*KINDS, (run.kind, run.kind)]  # type: ignore[attr-defined]
        for name, label, hidden in (
            ("embargo", "Hidden until", run.is_hidden),
            ("anonymous", "Not named until", run.is_anonymous),
        ):
            if hidden:
                until: date = getattr(run, name)
                field = _day(label, (until - timezone.now().date()).days)
                field.help_text = f"Now {until:%Y-%m-%d}. It can be earlier, not later; empty: from today on."
                field.initial = until
                self.fields[name] = field
