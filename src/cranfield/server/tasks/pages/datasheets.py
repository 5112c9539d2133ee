"""Datasheet of a collection as a page, as JSON and as Markdown."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import URLPattern, path, reverse
from django.utils.cache import patch_cache_control

from cranfield.server.accounts.visibility import Thing, sees
from cranfield.server.boards.pages.board_access import task_for, viewer_of
from cranfield.server.tasks.datasheet_text import parts_of, to_markdown
from cranfield.server.tasks.datasheets import datasheet_of, may_read

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cranfield.server.models import Task


def datasheet(request: HttpRequest, slug: str) -> HttpResponse:
    """What is known of the collection, part by part."""
    task, sheet = _found(request, slug)
    parts = [
        {"title": part.title, "says": part.says, "facts": part.facts, "tables": [_shown(one) for one in part.tables]}
        for part in parts_of(sheet)
    ]
    told = {"task": task, "sheet": sheet, "parts": parts}
    told["sees_full"] = sees(viewer_of(request), Thing.FULL_BOARD, task)
    return _unkept(render(request, "server/datasheet.html", told))


def datasheet_json(request: HttpRequest, slug: str) -> HttpResponse:
    """The same with every digit, for a program."""
    _, sheet = _found(request, slug)
    text = json.dumps(sheet, ensure_ascii=False, allow_nan=False, indent=1)
    return _named(HttpResponse(text, content_type="application/json"), f"{slug}-datasheet.json")


def datasheet_md(request: HttpRequest, slug: str) -> HttpResponse:
    """The same as a text that goes beside the files."""
    _, sheet = _found(request, slug)
    return _named(HttpResponse(to_markdown(sheet), content_type="text/markdown; charset=utf-8"), f"{slug}-datasheet.md")


def _found(request: HttpRequest, slug: str) -> tuple[Task, dict[str, Any]]:
    task, viewer = task_for(request, slug), viewer_of(request)
    if not may_read(viewer, task):
        raise Http404
    address = settings.OPTIONS.link(reverse("board", args=[slug]))
    return task, datasheet_of(task, viewer, address=address)


def _shown(table: Mapping[str, Any]) -> dict[str, Any]:
    """A table as pages show it: with each column whether it holds numbers."""
    rows: list[list[Any]] = table["rows"]
    columns = [
        (name, any(isinstance(row[place], int | float) for row in rows)) for place, name in enumerate(table["columns"])
    ]
    return {"caption": table["caption"], "columns": columns, "rows": rows}


def _named(answer: HttpResponse, name: str) -> HttpResponse:
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return _unkept(answer)


def _unkept(answer: HttpResponse) -> HttpResponse:
    """Who asks decides what it tells: nobody on the way may keep it."""
    patch_cache_control(answer, private=True, no_cache=True)
    return answer


urls: list[URLPattern] = [
    path("tasks/<slug:slug>/datasheet/", datasheet, name="datasheet"),
    path("tasks/<slug:slug>/datasheet.json", datasheet_json, name="datasheet-json"),
    path("tasks/<slug:slug>/datasheet.md", datasheet_md, name="datasheet-md"),
]
