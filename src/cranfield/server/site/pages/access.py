"""Decorators that restrict pages to logged-in users, organisers or operators, and form helpers."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeAlias

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.cache import patch_cache_control

from cranfield.core import CranfieldError
from cranfield.server.accounts.visibility import Thing, Viewer, sees
from cranfield.server.models import Task, User
from cranfield.server.site.error_sentences import sentences

Page: TypeAlias = Callable[..., HttpResponse]


def user_of(request: HttpRequest) -> User:
    """Who is logged in; the pages here are for nobody else."""
    user = Viewer.of(request.user).user
    assert user is not None
    return user


def logged_in(page: Page) -> Page:
    """A page for people with an account; others may log in first, whether or not there is such a page."""

    @wraps(page)
    def guarded(request: HttpRequest, *args: Any, **named: Any) -> HttpResponse:
        if Viewer.of(request.user).user is None:
            return redirect_to_login(request.get_full_path())
        answer = page(request, *args, **named)
        patch_cache_control(answer, private=True, no_store=True)
        return answer

    return guarded


def for_organisers(page: Page) -> Page:
    """A page for the organisers of a task, which it is given."""

    @wraps(page)
    def guarded(request: HttpRequest, slug: str, *args: Any, **named: Any) -> HttpResponse:
        task = Task.objects.filter(slug=slug).first()
        if task is None or not sees(Viewer.of(request.user), Thing.LOG, task):
            raise Http404
        return page(request, task, *args, **named)

    return logged_in(guarded)


def for_operators(page: Page) -> Page:
    """A page for operators."""

    @wraps(page)
    def guarded(request: HttpRequest, *args: Any, **named: Any) -> HttpResponse:
        if not Viewer.of(request.user).is_operator:
            raise Http404
        return page(request, *args, **named)

    return logged_in(guarded)


def number_of(text: str | None) -> int:
    """The number of a row as a form sends it; 0, which no row has, where it is none."""
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 18 else 0


def attempt(request: HttpRequest, act: Callable[[], Any], done: str) -> bool:
    """Do something, and say that it was done, or why not."""
    try:
        act()
    except CranfieldError as error:
        messages.error(request, sentences(error))
        return False
    messages.success(request, done)
    return True
