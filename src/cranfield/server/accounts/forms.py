"""Forms for log-in, accounts, teams, API tokens and invitations."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.password_validation import validate_password
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.exceptions import ValidationError

from cranfield.server.models import Task, Team, Token, User

NO_NAME = {"required": "Write a name."}


class LogIn(forms.Form):
    """Who it is."""

    username = forms.CharField(
        label="Account", max_length=150, widget=forms.TextInput(attrs={"autocomplete": "username", "autofocus": True})
    )
    password = forms.CharField(
        strip=False, max_length=1000, widget=forms.PasswordInput(attrs={"autocomplete": "current-password"})
    )


class TwicePassword(forms.Form):
    """A new password, written twice."""

    password = forms.CharField(
        strip=False,
        max_length=1000,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text="At least 10 characters. Four words in a row are easy to keep in mind.",
    )
    again = forms.CharField(
        label="Password again",
        strip=False,
        max_length=1000,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def person(self) -> User:
        """Whose password it is: it should not be their name. Somebody of whom nothing is known, unless a form knows."""
        return User()

    def clean(self) -> dict[str, Any]:
        """Both are the same, and hard to guess."""
        told = super().clean() or self.cleaned_data
        if "password" in told and "again" in told:
            if told["password"] != told["again"]:
                self.add_error("again", "This is not the same password.")
            else:
                try:
                    validate_password(told["password"], self.person())
                except ValidationError as error:
                    self.add_error("password", error)
        return told


class NewAccount(TwicePassword):
    """An account."""

    username = forms.CharField(
        label="Account",
        max_length=60,
        validators=[UnicodeUsernameValidator(message="Letters, digits and . @ + - _ only.")],
        widget=forms.TextInput(attrs={"autocomplete": "username"}),
        help_text="The name you log in with: letters, digits and\N{NO-BREAK SPACE}.@+-_",
    )
    name = forms.CharField(
        label="Your name", required=False, max_length=150, widget=forms.TextInput(attrs={"autocomplete": "name"})
    )
    email = forms.EmailField(label="E-mail", required=False, widget=forms.EmailInput(attrs={"autocomplete": "email"}))
    field_order = ["username", "name", "email", "password", "again"]

    def clean_username(self) -> str:
        """One that nobody has, however it is spelled."""
        wanted: str = self.cleaned_data["username"]
        if User.objects.filter(username__iexact=wanted).exists():
            raise ValidationError("This name is taken. Choose another one.")
        return wanted

    def person(self) -> User:
        """The account to be."""
        told = self.cleaned_data
        return User(username=told.get("username", ""), name=told.get("name", ""), email=told.get("email", ""))

    @property
    def account(self) -> dict[str, str]:
        """What an account is made from."""
        return {name: self.cleaned_data[name] for name in ("username", "password", "name", "email")}


class Account(forms.ModelForm):  # type: ignore[type-arg]
    """What a person says of themselves."""

    class Meta:
        """The parts of an account that are its owner's."""

        model = User
        fields = ["name", "email"]
        labels = {"name": "Your name", "email": "E-mail"}
        help_texts = {"name": "Others read it on the pages of your teams."}


class PasswordOf(TwicePassword):
    """Another password of somebody."""

    def __init__(self, *args: Any, user: User, **options: Any) -> None:
        super().__init__(*args, **options)
        self.user = user
        self.fields["password"].label = "New password"
        self.fields["again"].label = "New password again"

    def person(self) -> User:
        """The one whose account it is."""
        return self.user

    def save(self) -> User:
        """Set it."""
        self.user.set_password(self.cleaned_data["password"])
        self.user.save(update_fields=["password"])
        return self.user


class NewPassword(PasswordOf):
    """Another password, for who knows the one there is."""

    old = forms.CharField(
        label="Password now",
        strip=False,
        max_length=1000,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )
    revoke = forms.BooleanField(label="Revoke all my tokens too", required=False)
    field_order = ["old", "password", "again", "revoke"]


class TeamForm(forms.Form):
    """A team, as it describes itself."""

    name = forms.CharField(label="Name of the team", max_length=100, error_messages=NO_NAME)
    about = forms.CharField(required=False, max_length=4000, widget=forms.Textarea(attrs={"rows": 3}))
    link = forms.URLField(required=False, assume_scheme="https", max_length=200)


class TakePart(forms.Form):
    """With which team: one that is led already, or a new one."""

    team = forms.ModelChoiceField(Team.objects.none(), required=False, empty_label="a new team")
    new_team = forms.CharField(
        label="Name of a new team",
        required=False,
        max_length=100,
        help_text="The name that stands on the board. You can invite others to it afterwards.",
    )

    def __init__(self, *args: Any, user: User | None, task: Task, **options: Any) -> None:
        super().__init__(*args, **options)
        mine = Team.objects.filter(membership__user=user, membership__leader=True).exclude(participant__task=task)
        if user is None or not mine.exists():
            del self.fields["team"]
            self.fields["new_team"].required = True
            self.fields["new_team"].error_messages["required"] = "Write a name for your team."
        else:
            choice = self.fields["team"]
            assert isinstance(choice, forms.ModelChoiceField)
            choice.queryset = mine.order_by("name")
            choice.initial = choice.queryset.first()
            self.fields["new_team"].label = "Or the name of a new team"

    def clean(self) -> dict[str, Any]:
        """One of the two; a name that was written counts more than a team that was chosen already."""
        told = super().clean() or self.cleaned_data
        if told.get("new_team", "").strip():
            told["team"] = None
        elif not self.errors and not told.get("team"):
            self.add_error("new_team", "Choose a team, or write a name for a new one.")
        return told


class InviteToTeam(forms.Form):
    """A link for so many people."""

    uses = forms.IntegerField(label="For how many people", min_value=1, max_value=50, initial=1)
    days = forms.IntegerField(label="Good for how many days", min_value=1, max_value=90, initial=14)


class NewToken(forms.Form):
    """A token: what it is for, what it may do, how long."""

    name = forms.CharField(
        label="What is it for", max_length=60, help_text="For example: laptop, or nightly runs.", error_messages=NO_NAME
    )
    scope = forms.ChoiceField(label="What may it do", choices=Token.SCOPES, initial=Token.SUBMIT)
    days = forms.IntegerField(label="Good for how many days", min_value=1, max_value=365, initial=90)
