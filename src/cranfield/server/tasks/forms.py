"""Forms for the settings of a task, shared by the wizard and the settings page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.utils import timezone

from cranfield.core import CranfieldError, ParameterError
from cranfield.server.site.error_sentences import sentences
from cranfield.server.site.form_fields import lines, number, whole
from cranfield.stats import parse_tests

from . import lifecycle
from .label_versions import Looked

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

WHEN = forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")


def said(error: CranfieldError) -> forms.ValidationError:
    """An error of ours as one of a form."""
    return forms.ValidationError(sentences(error))


class Named(forms.Form):
    """What a task is called."""

    title = forms.CharField(max_length=150, widget=forms.TextInput(attrs={"autocomplete": "off"}))
    slug = forms.SlugField(
        max_length=60,
        required=False,
        label="Address",
        help_text="Stands in links; made from the title if left empty.",
        error_messages={"invalid": "Letters without accents, digits, - and _ only."},
    )
    summary = forms.CharField(max_length=300, required=False, help_text="One sentence for the list of tasks.")
    about = lines(4, required=False, help_text="What the task asks, who made the collection, how to cite it. Markdown.")

    def clean(self) -> dict[str, Any]:
        """An address that is free."""
        told: dict[str, Any] = super().clean() or self.cleaned_data
        if "slug" in self.fields and "slug" in told and "title" in told:
            told["slug"] = told["slug"] or lifecycle.slug_of(told["title"])
            if not told["slug"]:
                self.add_error("slug", "The title has no letters for an address: write one here.")
                return told
            try:
                lifecycle.check_slug(told["slug"])
            except CranfieldError as error:
                self.add_error("slug", said(error))
        return told


class Measured(forms.Form):
    """How runs are measured and told apart."""

    measures = forms.CharField(
        max_length=400, initial="nDCG@10 AP RR@100", help_text="Blanks between them; the first one ranks the runs."
    )
    rel = number(
        initial=1,
        label="Smallest relevant grade",
        help_text="Documents with this grade or a higher one are relevant.",
    )
    test = forms.CharField(
        max_length=60, initial="tukey", label="Test", help_text="Says which runs differ: tukey, t, sign, signed-rank …"
    )
    level = number(
        initial=0.05,
        min_value=0.0001,
        max_value=0.5,
        label="Level",
        help_text="The chance of calling a difference real that is none. 0.05 is usual.",
    )

    labels: Looked | None = None  # to try the measures on

    def clean_measures(self) -> str:
        """Canonical measures that these judgments allow."""
        try:
            return lifecycle.check_measures(
                self.cleaned_data["measures"], self.labels or Looked(problems=[], qrels=None)
            )
        except CranfieldError as error:
            raise said(error) from None

    def clean_rel(self) -> float:
        """The level, which measures that ask for one and name none get."""
        rel = float(self.cleaned_data["rel"])
        if "measures" in self.cleaned_data:  # they stand before it
            try:
                self.cleaned_data["measures"] = lifecycle.at_level(self.cleaned_data["measures"], rel)
            except CranfieldError as error:
                raise said(error) from None
        return rel

    def clean_test(self) -> str:
        """One test that is known."""
        try:
            found = parse_tests(self.cleaned_data["test"])
        except CranfieldError as error:
            raise said(error) from None
        if len(found) != 1:
            raise forms.ValidationError("Give one test.")
        return str(self.cleaned_data["test"])


class Split(forms.Form):
    """Which topics are private."""

    share = whole(
        0,
        90,
        initial=0,
        label="Private topics, in percent",
        help_text="Kept off the board until the task is closed: what nobody sees cannot be tuned on. 50 is usual.",
        error_messages={"max_value": "At most %(limit_value)s percent: the board needs topics, too."},
    )
    seed = whole(0, initial=0, required=False, help_text="The same seed draws the same topics.")
    listed = lines(
        2,
        200_000,
        required=False,
        label="Or these topics",
        help_text="Blanks, commas or new lines between them; the share does not count then.",
    )
    show_private = forms.BooleanField(
        required=False,
        label="Tell each team one value on private topics while the task is open",
        help_text="Rounded, and another one only after a real gain. Leak budget, on the desk, says what it costs.",
    )

    def private(self, topics: Sequence[str], *, judged: bool = True) -> list[str]:
        """The private topics among those that are judged, or that will be."""
        told = self.cleaned_data
        listed = told.get("listed") or ""
        unknown = [] if judged else [one for one in lifecycle.BETWEEN.split(listed) if one and one not in set(topics)]
        if unknown:
            raise ParameterError(f"there is no topic {unknown[0]}", hint="list topics of the file")
        return lifecycle.choose_private(
            topics, share=(told.get("share") or 0) / 100, seed=told.get("seed") or 0, listed=listed
        )


class Rules(forms.Form):
    """How often, how long, for whom."""

    limit = whole(0, 10_000, initial=2, label="Submissions of a team …")
    days = whole(
        1,
        3650,
        initial=30,
        label="… in how many days",
        help_text="The window slides: after so many days, a submission no longer counts.",
    )
    most = whole(0, 100_000, initial=100, label="Submissions of a team in all")
    embargo_days = whole(0, 3650, initial=0, label="Days a run may be hidden", help_text="0: not at all.")
    anonymous_days = whole(0, 3650, initial=0, label="Days a team may be unnamed", help_text="0: not at all.")
    opens = forms.DateTimeField(required=False, widget=WHEN, label="Opens (UTC)", help_text="No run is taken before.")
    closes = forms.DateTimeField(
        required=False,
        widget=WHEN,
        label="Closes (UTC)",
        help_text="By itself, at that time. Without one you close it by hand.",
    )
    invited_only = forms.BooleanField(required=False, label="Only those who are invited see it")
    labels_public = forms.BooleanField(
        required=False, label="Judgments may be downloaded", help_text="Of public topics now, of all once it is closed."
    )
    runs_public = forms.BooleanField(required=False, label="Runs may be downloaded once it is closed")

    def clean(self) -> dict[str, Any]:
        """It closes after it opens, and not by a slip: closing cannot be undone."""
        told: dict[str, Any] = super().clean() or self.cleaned_data
        opens, closes, was = told.get("opens"), told.get("closes"), self.initial.get("closes")
        if opens and closes and closes <= opens:
            self.add_error("closes", "It must close after it opens.")
        elif closes and closes <= timezone.now() and closes != (was and was.replace(second=0, microsecond=0)):
            self.add_error("closes", "This time is over. To close a task now, there is a button on its desk.")
        return told


class Parts:
    """Several forms over one request, valid together."""

    def __init__(self, kinds: Mapping[str, type[forms.Form]], data: Any = None, initial: Any = None) -> None:
        self.forms = {name: kind(data, initial=initial) for name, kind in kinds.items()}

    def __getitem__(self, name: str) -> forms.Form:
        return self.forms[name]

    def is_valid(self) -> bool:
        """Whether all of them are; each is asked, so that all errors show."""
        good = [form.is_valid() for form in self.forms.values()]
        return all(good)

    @property
    def told(self) -> dict[str, Any]:
        """Everything that was told and is good."""
        found: dict[str, Any] = {}
        for form in self.forms.values():
            found |= getattr(form, "cleaned_data", {})
        return found
