"""Options shared by the statistical commands: level, draws, seed, engine and charts."""

from collections.abc import Callable, Sequence
from typing import TypeVar

import click

from cranfield.cli.output.atomic_files import check_place, whole
from cranfield.stats import LEVEL

from .usage_errors import OneOf, Whole

F = TypeVar("F", bound=Callable[..., object])


class Between(click.types.FloatParamType):
    """A number between two ends, which are left out."""

    name = "X"

    def __init__(self, low: float, high: float | None = None, *, example: str = ".05") -> None:
        self.low, self.high, self.example = low, high, example

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number that the text holds."""
        try:
            number = float(str(value))
        except ValueError:
            number = float("nan")
        if not (self.low < number and (self.high is None or number < self.high) and number < float("inf")):
            ends = f"above {self.low:g}" if self.high is None else f"between {self.low:g} and {self.high:g}"
            self.fail(f"cannot be {value}\nhint: give a number {ends}, such as {self.example}", param, ctx)
        return number


level_option = click.option(
    "--level", type=Between(0, 1), default=LEVEL, show_default=True, help="Significant means p at most this."
)
draws_option = click.option("--draws", type=Whole(), help="How often tests and intervals draw.")
seed_option = click.option(
    "--seed", type=Whole(least=0), default=0, show_default=True, help="The same seed gives the same draws."
)
engine_option = click.option(
    "--engine",
    metavar="ADDRESS",
    help="Where a log is asked: duckdb (in this process), spark://HOST:PORT, local[2] or sc://HOST:PORT.  "
    "[default: duckdb]",
)


def chart_options(names: Sequence[str], *, usual: str) -> Callable[[F], F]:
    """Add --chart, and --draw for which of several it is."""

    def add(command: F) -> F:
        which = f"Which chart --chart is: {', '.join(names)}."
        kind = OneOf(list(names))
        command = click.option("--draw", type=kind, default=usual, metavar="NAME", show_default=True, help=which)(
            command
        )
        text = "Draw one of the charts: .svg, .png, .pdf or .html."
        return click.option("--chart", metavar="FILE", help=text)(command)

    return add


def check_chart(chart: str | None) -> None:
    """Refuse a picture that cannot be drawn before the long work, not after it."""
    if chart:
        from cranfield.charts import check_suffix

        check_suffix(chart)
        check_place(chart)


def asked_chart(draw: str, *usual: str) -> str:
    """The chart that was asked for; where none was, the one that the question is about."""
    said = click.get_current_context().get_parameter_source("draw") is not click.core.ParameterSource.DEFAULT
    return draw if said or not usual else usual[0]


def draw_chart(study: object, name: str, chart: str | None) -> None:
    """Draw one chart of a study to a file."""
    if chart:
        from cranfield.charts import draw, save

        picture = draw(study, name)  # type: ignore[arg-type]  # a Study
        with whole(chart) as place:
            save(picture, place)
