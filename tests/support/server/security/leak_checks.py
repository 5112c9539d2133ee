"""Patterns of private numbers, and a snapshot of the rows that reading must not change."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from django.apps import apps

if TYPE_CHECKING:
    from collections.abc import Iterable


def numbers(values: Iterable[float], places: int) -> re.Pattern[str]:
    """Any of these numbers, rounded or cut to so many places, or longer."""
    told = {f"{value:.{places}f}"[1:] for value in values} | {f"{value:.17f}"[1 : places + 2] for value in values}
    return re.compile(r"(?<!\d)0?(?:" + "|".join(re.escape(one) for one in sorted(told)) + ")")


def rows() -> dict[str, list[str]]:
    """Everything in the database that no reading may change: without counted tries and the times of last use.

    Who asks what there is to judge has it in hand from then on.
    """
    found = {}
    for model in apps.get_models():
        if model.__name__ in ("Try", "Session", "Turn", "Question", "Event", "Pair"):
            continue
        names = [one.attname for one in model._meta.concrete_fields if one.attname not in ("used", "last_login")]
        found[model.__name__] = sorted(map(repr, model._default_manager.values_list(*names)))
    return found
