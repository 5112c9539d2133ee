"""Pages for log-in, sign-up, invitations, the user's account and API tokens."""

from __future__ import annotations

from datetime import timedelta
from functools import wraps
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import authenticate, login, logout, update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import PasswordResetConfirmView, redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import URLPattern, path, reverse, reverse_lazy
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from cranfield.server.accounts import invitations
from cranfield.server.accounts.forms import Account, LogIn, NewAccount, NewPassword, NewToken, PasswordOf, TakePart
from cranfield.server.models import Invite, Role, Token, User
from cranfield.server.operations import audit_log
from cranfield.server.site import rate_limits
from cranfield.server.site.pages.access import number_of
from cranfield.server.submissions.intake import Refused

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

WRONG = "The account or the password is wrong."
MOST_TOKENS = 20
BACKEND = "django.contrib.auth.backends.ModelBackend"


def onwards(request: HttpRequest, otherwise: str = "tasks") -> str:
    """Where somebody wanted to go, if that is a page of ours."""
    wanted = request.POST.get("next") or request.GET.get("next") or ""
    ours = url_has_allowed_host_and_scheme(
        wanted, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return wanted if ours and wanted.startswith("/") else reverse(otherwise)  # a bare word would name a view


def too_often(request: HttpRequest, until: datetime, what: str = "tries") -> str:
    """What is said to somebody who has to wait."""
    rate_limits.have_to_wait(request, until)
    minutes = rate_limits.minutes_until(until)
    return f"Too many {what}. Wait {minutes} minute{'s' * (minutes != 1)}, then try again."


def needs_account(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Send strangers to the log-in; where htmx asks for a part of a page, the whole page goes there."""

    @wraps(view)
    def seen(request: HttpRequest, *args: str, **options: str) -> HttpResponse:
        if request.user.is_authenticated:
            return view(request, *args, **options)
        if request.headers.get("HX-Request") != "true":
            return redirect_to_login(request.get_full_path())
        here = urlsplit(request.headers.get("HX-Current-URL", "")).path
        return HttpResponse(headers={"HX-Redirect": f"{reverse('log-in')}?next={quote(here or '/')}"})

    return seen


@sensitive_post_parameters("password")
@never_cache
@require_http_methods(["GET", "POST"])
def log_in(request: HttpRequest) -> HttpResponse:
    """Log in; after many failures one has to wait, whether the account exists or not."""
    if request.method == "GET" and request.user.is_authenticated:
        return redirect(onwards(request))
    form, status = LogIn(request.POST or None), 200
    if form.is_valid():
        user, said = _try_password(request, form.cleaned_data["username"], form.cleaned_data["password"])
        if user is not None:
            login(request, user)  # a new session: nobody who knew the old one is in it
            return redirect(onwards(request))
        status = 200 if said == WRONG else 429
        form.add_error(None, said)
    told = {"form": form, "next": onwards(request)}
    return render(request, "server/log_in.html", told, status=status)


def _try_password(request: HttpRequest, name: str, password: str) -> tuple[User | None, str]:
    """The person, or what to say. Unknown names take as long: Django hashes the password for them too."""
    keys = f"account {name.casefold()}", f"address {rate_limits.address_of(request)}"
    taken = rate_limits.take(rate_limits.LOG_IN, *keys)
    if taken.until is not None:
        return None, too_often(request, taken.until)
    spelled = User.objects.filter(username__iexact=name).values_list("username", flat=True).first()
    user = authenticate(request, username=spelled or name, password=password)
    if user is None:
        return None, WRONG
    taken.give_back()
    return user, ""


@require_POST
def log_out(request: HttpRequest) -> HttpResponse:
    """Log out."""
    logout(request)
    return redirect("tasks")


@sensitive_post_parameters("password", "again")
@never_cache
@require_http_methods(["GET", "POST"])
def sign_up(request: HttpRequest) -> HttpResponse:
    """Make an account, where anybody may."""
    if settings.OPTIONS.sign_up != "open":
        raise Http404
    if request.user.is_authenticated:
        return redirect(onwards(request))
    form, status = NewAccount(request.POST or None), 200
    if form.is_valid():
        taken = rate_limits.take(rate_limits.SIGN_UP, f"address {rate_limits.address_of(request)}")
        if taken.until is not None:
            form.add_error(None, too_often(request, taken.until, "new accounts"))
            status = 429
        else:
            try:
                login(request, invitations.sign_up(**form.account), BACKEND)
                return redirect(onwards(request))
            except Refused as no:
                form.add_error("username", str(no.problem))
    return render(request, "server/sign_up.html", {"form": form, "next": onwards(request)}, status=status)


@sensitive_post_parameters("password", "again")
@never_cache
@require_http_methods(["GET", "POST"])
def redeem(request: HttpRequest, text: str) -> HttpResponse:
    """Use an invite: with a new account, or as the person who is logged in."""
    invite = invitations.find_invite(text)
    if invite is None:
        return render(request, "server/redeem.html", {"invite": None}, status=404)
    user = request.user if isinstance(request.user, User) else None
    asked = request.method == "POST"
    account = NewAccount(request.POST if asked else None) if user is None else None
    part = None
    if invite.task and not invite.team and not invite.role:
        part = TakePart(request.POST if asked else None, user=user, task=invite.task)
    said = None
    valid = [form.is_valid() for form in (account, part) if form is not None]  # each tells its errors
    if asked and all(valid):
        try:
            person = invitations.join(
                text,
                user=user,
                account=account.account if account else None,
                team=part.cleaned_data.get("team") if part else None,
                new_team=part.cleaned_data["new_team"] if part else "",
            )
        except Refused as no:
            said = no
        else:
            if user is None:
                login(request, person, BACKEND)
            messages.success(request, _welcome(invite))
            return redirect(_place_of(invite))
    told = {"invite": invite, "account": account, "part": part, "refused": said, "operator": invitations.OPERATOR}
    return render(request, "server/redeem.html", told)


def _welcome(invite: Invite) -> str:
    if invite.role == invitations.OPERATOR:
        return "You are an operator of this server."
    if invite.task and invite.role:
        return f"You are an {invite.role} of {invite.task.title}."
    if invite.task:
        return f"Your team takes part in {invite.task.title}."
    return f"You are in {invite.team.name}." if invite.team else "You have an account."


def _place_of(invite: Invite) -> str:
    """Where to go with it."""
    if invite.role == invitations.OPERATOR:
        return reverse("operate")
    if invite.task:
        if invite.role == Role.ASSESSOR:
            return reverse("judge-list")
        name = "task-desk" if invite.role == Role.ORGANISER else "submit"
        return reverse(name, args=[invite.task.slug])
    return reverse("team", args=[invite.team.slug]) if invite.team else reverse("tasks")


def _me(request: HttpRequest) -> User:
    """The person who is logged in."""
    assert isinstance(request.user, User)
    return User.objects.get(username=request.user.username)


@sensitive_post_parameters("old", "password", "again")
@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def my_account(request: HttpRequest) -> HttpResponse:
    """Name, e-mail and password."""
    user = _me(request)
    asked = request.POST.get("do") if request.method == "POST" else None
    about = Account(request.POST if asked == "about" else None, instance=user)
    password = NewPassword(request.POST if asked == "password" else None, user=user)
    if asked == "about" and about.is_valid():
        with audit_log.acting():
            about.save()
            audit_log.record(user, "account changed")
        messages.success(request, "Your account is changed.")
        return redirect("my-account")
    if asked == "password" and password.is_valid() and _change_password(request, user, password):
        messages.success(request, "Your password is changed. You are logged out everywhere else.")
        return redirect("my-account")
    return render(request, "server/account.html", {"about": about, "password": password})


def _change_password(request: HttpRequest, user: User, form: NewPassword) -> bool:
    taken = rate_limits.take(rate_limits.LOG_IN, f"account {user.username.casefold()}")
    if taken.until is not None:
        form.add_error("old", too_often(request, taken.until))
        return False
    if not user.check_password(form.cleaned_data["old"]):
        form.add_error("old", "This is not your password.")
        return False
    taken.give_back()
    with audit_log.acting():
        form.save()
        gone = Token.objects.filter(user=user).delete()[0] if form.cleaned_data["revoke"] else 0
        audit_log.record(user, "password changed", tokens_revoked=gone)
    update_session_auth_hash(request, user)
    return True


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def my_tokens(request: HttpRequest) -> HttpResponse:
    """Tokens for programs: made, listed, revoked. A new one is shown on the answer itself, and never again."""
    user = _me(request)
    if request.method == "POST" and request.POST.get("do") == "revoke":
        _revoke(user, number_of(request.POST.get("token")))
        messages.success(request, "The token is revoked.")
        return redirect("my-tokens")
    form, text = NewToken(request.POST if request.method == "POST" else None), ""
    if form.is_valid():
        text = _make_token(user, form)
    told = {
        "form": NewToken() if text else form,
        "text": text,
        "tokens": user.tokens.order_by("-made"),
        "now": timezone.now(),
    }
    return render(request, "server/tokens.html", told)


def _make_token(user: User, form: NewToken) -> str:
    told = form.cleaned_data
    with audit_log.acting():
        if user.tokens.filter(name__iexact=told["name"]).exists():  # a page that is loaded again makes no second one
            form.add_error("name", "You have a token of this name. Revoke it first, or choose another name.")
            return ""
        if user.tokens.count() >= MOST_TOKENS:
            form.add_error(None, f"You have {MOST_TOKENS} tokens. Revoke one first.")
            return ""
        until = timezone.now() + timedelta(days=told["days"])
        made, text = Token.make(user, told["name"], told["scope"], until)
        audit_log.record(user, "token", token=made.start, scope=made.scope, days=told["days"])
    return text


def _revoke(user: User, number: int) -> None:
    with audit_log.acting():
        token = user.tokens.filter(pk=number).first()
        if token is None:
            raise Http404
        token.delete()
        audit_log.record(user, "token revoked", token=token.start)


class PasswordByLink(PasswordResetConfirmView):
    """Set a password by a link of the operator's."""

    template_name = "server/new_password.html"
    form_class = PasswordOf  # type: ignore[assignment]
    success_url = reverse_lazy("log-in")

    def form_valid(self, form: Any) -> HttpResponse:
        """Set it, write that down, and let no program in any more that somebody else may have set up."""
        with audit_log.acting():
            answer = super().form_valid(form)
            Token.objects.filter(user=self.user).delete()
            audit_log.record(self.user, "password by link")
        messages.success(self.request, "Your password is set: log in with it.")
        return answer


urls: list[URLPattern] = [
    path("log-in/", log_in, name="log-in"),
    path("log-out/", log_out, name="log-out"),
    path("sign-up/", sign_up, name="sign-up"),
    path("join/<str:text>/", redeem, name="redeem"),
    path("new-password/<str:uidb64>/<str:token>/", PasswordByLink.as_view(), name="new-password"),
    path("my/account/", my_account, name="my-account"),
    path("my/tokens/", my_tokens, name="my-tokens"),
]
