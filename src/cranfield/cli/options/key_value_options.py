"""Parameter type for NAME=TEXT arguments, and the `--column` option."""

from collections.abc import Callable
from typing import TypeVar

import click

F = TypeVar("F", bound=Callable[..., object])


class Named(click.ParamType[tuple[str, str]]):
    """A word and what it stands for: WORD=TEXT."""

    def __init__(self, name: str, example: str) -> None:
        self.name, self.example = name, example

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        """Both parts."""
        if isinstance(value, tuple):
            return value
        word, sign, text = str(value).partition("=")
        if not sign or not word:
            self.fail(f"cannot be {value}\nhint: write it as {self.example}", param, ctx)
        return word.strip(), text.strip()


def column_option(holds: str, example: str, *, to: str = "named") -> Callable[[F], F]:
    """Add --column, which may be repeated: what the column ``holds``, and what one would write."""
    text = f"Which column {holds}, if its name does not say so."
    return click.option("--column", to, type=Named("WHAT=NAME", example), multiple=True, help=text)
