"""Parameter types, command class and messages for usage errors."""

import re
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

import click
from click.core import augment_usage_errors

if TYPE_CHECKING:
    from cranfield.core import Stability


class OneOf(click.Choice[str]):
    """One word of a list."""

    def get_invalid_choice_message(self, value: object, ctx: click.Context | None) -> str:
        """What :func:`two_lines` puts behind the option's name."""
        del ctx
        return f"cannot be {value}\nhint: choose one of: {', '.join(self.choices)}"


class Whole(click.types.IntParamType):
    """A whole number."""

    name = "N"

    def __init__(self, *, least: int = 1, most: int | None = None) -> None:
        self.least, self.most = least, most

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number that the text holds."""
        try:
            number = int(str(value))
        except ValueError:
            number = self.least - 1
        if number < self.least or (self.most is not None and number > self.most):
            ends = f", {self.least} or more" if self.most is None else f" from {self.least} to {self.most}"
            self.fail(f"cannot be {value}\nhint: give a whole number{ends}", param, ctx)
        return number


threads_option = click.option("--threads", type=Whole(), help="How many threads work.  [default: one per processor]")


class Wholes(click.ParamType[tuple[int, ...]]):
    """Whole numbers with commas between them, as they come."""

    name = "N,N"

    def __init__(self, *, least: int = 1, hint: str) -> None:
        self.least, self.hint = least, hint

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        """The numbers that the text holds."""
        if isinstance(value, tuple):
            return value
        words = [word.strip() for word in str(value).split(",")]
        if not all(re.fullmatch(r"\d{1,9}", word, re.ASCII) and int(word) >= self.least for word in words):
            self.fail(f"cannot be {value}\nhint: {self.hint}", param, ctx)
        return tuple(map(int, words))


class Command(click.Command):
    """A command whose usage errors know where they happened: click leaves that out of some.

    It promises what the study of its name promises, and its help says so where that is not all.
    """

    @property
    def stability(self) -> "Stability":
        """Whether it is stable or experimental."""
        from cranfield import studies
        from cranfield.core import stability

        return stability(getattr(studies, self.name or "", None))

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """What may change, below the options."""
        from cranfield.core import EXPERIMENTAL, Stability

        super().format_epilog(ctx, formatter)
        if self.stability is Stability.EXPERIMENTAL:
            formatter.write_paragraph()
            formatter.write_text(EXPERIMENTAL)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read what was typed."""
        with augment_usage_errors(ctx):
            return super().parse_args(ctx, args)


def two_lines(error: click.UsageError) -> tuple[str, str]:
    """What is wrong, and what to do; a message of ours brings its own hint after a line end."""
    path = error.ctx.command_path if error.ctx else "cranfield"
    match error:
        case click.NoSuchOption():
            near = f"did you mean {error.possibilities[0]}? " if error.possibilities else ""
            return f"there is no option {error.option_name}", f"{near}{path} --help lists the options"
        case click.BadOptionUsage() if "requires" in error.message:
            return f"{error.option_name} needs a value", f"{path} --help says which"
        case click.BadOptionUsage():
            return f"{error.option_name} takes no value", f"{path} --help lists the options"
        case click.MissingParameter():
            name = error.param.make_metavar(error.ctx) if error.param and error.ctx else "an argument"
            return f"{name.rstrip('.')} is missing", f"write: {_usage(error.ctx)}"
        case click.BadParameter():
            name = error.param.opts[-1] if error.param else "a value"
            problem, _, hint = error.message.partition("\nhint: ")
            return f"{name} {problem}", hint or f"see {path} --help"
    problem, _, hint = error.format_message().rstrip(".").partition("\nhint: ")
    return (problem, hint) if hint else (problem[:1].lower() + problem[1:], f"write: {_usage(error.ctx)}")


def spelled(name: str) -> str:
    """An option of the running command as one types it, by the name under which its function gets it."""
    options = click.get_current_context().command.params
    return next(max(option.opts, key=len) for option in options if option.name == name)


def refuse_without_effect(names: Iterable[str], purpose: str) -> None:
    """Refuse options that were typed but would be ignored for ``purpose``, such as "with --paper"."""
    context = click.get_current_context()
    for name in names:
        if context.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT:
            option = spelled(name)
            raise click.UsageError(f"{option} has no effect {purpose}\nhint: leave out {option}")


def in_options(hint: str, options: Collection[str]) -> str:
    """A hint that speaks of arguments in Python, in the words of a command with these ``options``.

    What the command has no option for is left out.
    """

    def column(found: re.Match[str]) -> str:
        theirs = found["theirs"].strip("\"'")
        return f"--column {found['ours']}={'NAME' if theirs == '…' else theirs}"

    if "--column" not in options:
        hint = re.sub(r"; [^;]*columns=\{[^}]*\}", "", hint)
    hint = re.sub(r"""columns=\{["'](?P<ours>\w+)["']: (?P<theirs>"[^"]*"|'[^']*'|…)\}""", column, hint)
    ordered = r"columns=\(\"(\w+)\", …\)"
    if "--columns" in options:
        hint = re.sub(ordered, r"--columns \1,…", hint)
    hint = re.sub(rf"; [^;]*{ordered}$", "", hint)
    hint = hint if "--gains" in hint else hint.replace("gains=True", "--gains")
    return re.sub(r"; [^;]*\brepeated='number'$", "", hint)  # the command line has no such choice


def _usage(ctx: click.Context | None) -> str:
    return " ".join(ctx.get_usage().split()).removeprefix("Usage: ") if ctx else "cranfield --help"
