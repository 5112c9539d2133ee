"""Form fields with bounds: whole numbers, decimal numbers and multi-line text."""

from __future__ import annotations

from typing import Any

from django import forms

MOST = 2**31 - 1  # that a database keeps
LONGEST = 50_000  # characters of a text in Markdown


def whole(low: int, high: int = MOST, **told: Any) -> forms.IntegerField:
    """A whole number between two others."""
    return forms.IntegerField(min_value=low, max_value=high, **told)


def number(**told: Any) -> forms.FloatField:
    """A number with as many digits as somebody likes."""
    return forms.FloatField(widget=forms.NumberInput(attrs={"step": "any"}), **told)


def lines(rows: int, longest: int = LONGEST, **told: Any) -> forms.CharField:
    """A text of several lines, shown as so many rows."""
    return forms.CharField(max_length=longest, widget=forms.Textarea(attrs={"rows": rows}), **told)
