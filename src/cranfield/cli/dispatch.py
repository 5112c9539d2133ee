"""Find the command on the command line, run it, and report every error as error and hint."""

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path

import click

from cranfield.cli.options.usage_errors import in_options, two_lines
from cranfield.cli.output.closed_pipes import discard_stdout
from cranfield.core import VERSION, ChecksFailed, CranfieldError, Inconclusive, InputError
from cranfield.core.rendering import visible

# What people come for, and the commands for it. A command is loaded when it is used: `cranfield evaluate` must not wait
# for what others need.
GROUPS = {
    "Evaluate and compare runs": {
        "evaluate": ("evaluation.evaluate", "values of measures for runs, as trec_eval gives them"),
        "compare": ("evaluation.compare", "is B really better than A? a verdict with its evidence"),
        "leaderboard": ("evaluation.leaderboard", "rank runs: intervals, significance groups, history"),
        "novelty": ("evaluation.novelty", "what does a run find that others miss?"),
        "nuggets": ("evaluation.nuggets", "what do written answers say, and is it supported?"),
        "reproduce": ("evaluation.reproduce", "is a run that was made again the run that it should be?"),
        "report": ("evaluation.report", "one page on runs: verdicts, tables, charts, methods"),
        "rerun": ("evaluation.rerun", "make a report or a result again, and say what changed"),
    },
    "Ask how sure a difference is": {
        "test": ("statistics.test", "do runs differ? tests of pairs, corrected for their number"),
        "anova": ("statistics.anova", "do any of many runs differ, and which? all pairs"),
        "agreement": ("statistics.agreement", "do two halves of the topics agree? how reliable tests are"),
        "power": ("statistics.power", "how many topics does it take, and what can so many show?"),
        "scale": ("statistics.scale", "what do a measure's numbers mean, and what may be done?"),
    },
    "Make judgments": {
        "topics": ("judgments.topics", "what do topics ask, and which of them are hard?"),
        "pool": ("judgments.pool", "what should be judged? pools, and strategies that learn"),
        "crowd": ("judgments.crowd", "labels of many workers, or machines, become one"),
    },
    "Learn from live users": {
        "clicks": ("online.clicks", "what do users click, and why? click models, fitted measures"),
        "interleave": ("online.interleave", "which of two runs do users prefer, both on one page?"),
        "ab": ("online.ab", "is a treatment better than the control? experiments with users"),
        "counterfactual": ("online.counterfactual", "what would another policy have earned? from an old log"),
        "bridge": ("online.bridge", "does offline predict online? measures beside what users did"),
    },
    "Look after files": {
        "lint": ("files.lint", "what is wrong with runs and qrels, without evaluating them"),
        "convert": ("files.convert", "a run or qrels in another format"),
        "fuse": ("files.fuse", "several runs become one: what they say together"),
    },
    "Look things up, and try them": {
        "measures": ("reference.measures", "the catalogue of measures, or one of them explained"),
        "tests": ("reference.tests", "the catalogue of tests, or one of them explained"),
        "simulate": ("reference.simulate", "simulate a campaign: topics, judgments and runs"),
        "demo": ("reference.demo", "simulate a campaign, evaluate and rank it"),
    },
    "Take part in a task on a server": {
        "submit": ("remote.submit", "hand in a run, or only ask what is wrong with it"),
        "status": ("remote.status", "what became of a run, or of all of one's runs in a task"),
        "download": ("remote.download", "a board, its public judgments and one's own runs, as files"),
    },
    "Run a server": {
        "serve": ("server.serve", "tasks, submissions, boards, in one folder"),
        "worker": ("server.worker", "one more process that works for a server"),
        "backup": ("server.backup", "a whole server in one file, while it runs"),
        "restore": ("server.restore", "a new home for a server, from a backup"),
        "export": ("server.export", "a server's pages, or one of its tasks, as files"),
        "audit": ("server.audit", "was anything in the log of a server changed?"),
    },
}
COMMANDS = {name: found for group in GROUPS.values() for name, found in group.items()}


class Commands(click.Group):
    """Commands by name, each imported when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order in which people meet them."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """The command of that name, or the one that was probably meant."""
        if name not in COMMANDS:
            from difflib import get_close_matches

            near = get_close_matches(name, COMMANDS, n=1)
            hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(COMMANDS)}"
            raise click.UsageError(f"there is no command {name}\nhint: {hint}", ctx)
        command: click.Command = import_module(f"cranfield.cli.commands.{COMMANDS[name][0]}").command
        return command

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; two endings that click would handle in its own way are ours."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise click.Abort from None
        except BrokenPipeError:
            discard_stdout()
            return 0

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands by what they are for, without importing them; then where to begin."""
        del ctx
        width = max(map(len, COMMANDS))
        for group, commands in GROUPS.items():
            with formatter.section(group):
                # In columns of one width over all groups, which write_dl would not do.
                for name, (_, about) in commands.items():
                    formatter.write(f"{'':{formatter.current_indent}}{name:{width}}  {about}\n")
        with formatter.section("First steps"):
            for step, about in FIRST:
                formatter.write(f"{'':{formatter.current_indent}}{step:42}({about})\n")


FIRST = (
    ("cranfield demo", "a simulated leaderboard"),
    ("cranfield evaluate qrels.txt runs/", "values of every run"),
    ("cranfield compare qrels.txt a.run b.run", "is b really better than a?"),
)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80})
@click.version_option(VERSION, prog_name="cranfield")
def cranfield() -> None:
    """Is this search system really better than that one?

    `cranfield COMMAND --help` explains a command, with examples, and so does `man cranfield-COMMAND`.
    """


def run() -> None:
    """Run the command that was typed, and leave at once: to take all modules apart first would cost 20 ms."""
    code: object = 0
    try:
        main()
    except SystemExit as end:
        code = end.code
    with suppress(BrokenPipeError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code if isinstance(code, int) else int(code is not None))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command. Exit 0: done; 1: an error; 2: wrong usage; 3: a check that was asked for failed."""
    typed = sys.argv[1:] if arguments is None else list(arguments)
    for stream in (sys.stdout, sys.stderr):  # ids from strangers' files may hold what the terminal cannot show
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        result = cranfield.main(typed, prog_name="cranfield", standalone_mode=False, obj=typed)
        sys.stdout.flush()
    except (click.Abort, KeyboardInterrupt):
        if sys.stderr.isatty():
            click.echo(err=True)  # behind the terminal's ^C
        _leave("interrupted", "", 130)
    except click.exceptions.NoArgsIsHelpError as help_page:
        click.echo(help_page.format_message(), err=True)
        sys.exit(2)
    except click.UsageError as error:
        _leave(*two_lines(error), 2)
    except ChecksFailed as error:
        _leave(error.problem, _typed_hint(error, typed), 4 if isinstance(error, Inconclusive) else 3)
    except CranfieldError as error:
        _leave(error.problem, _near(error) or _typed_hint(error, typed), 1)
    except BrokenPipeError:
        discard_stdout()
        sys.exit(0)
    except OSError as error:
        problem = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        _leave(problem, "check the name, the permissions and the disk", 1)
    except Exception as error:
        if os.environ.get("CRANFIELD_DEBUG"):
            raise
        if _interrupted(error):
            _leave("interrupted", "", 130)
        problem = f"this should not happen: {type(error).__name__}: {error}"
        _leave(problem, "please report it with the command; CRANFIELD_DEBUG=1 shows where", 1)
    else:
        sys.exit(result if isinstance(result, int) else 0)


def _interrupted(error: BaseException) -> bool:
    """Whether Ctrl-C is what went wrong: compiled modules that are just imported make another error of it."""
    before = error.__cause__ or error.__context__
    return isinstance(error, KeyboardInterrupt) or (before is not None and _interrupted(before))


def _typed_hint(error: CranfieldError, typed: Sequence[str]) -> str:
    """A hint in the words of the command that was typed."""
    command = cranfield.get_command(click.Context(cranfield), typed[0]) if typed and typed[0] in COMMANDS else None
    options = {option for parameter in command.params for option in parameter.opts} if command else set()
    return in_options(error.hint, options)


def _near(error: CranfieldError) -> str:
    """The file that was probably meant, where one is missing."""
    if not isinstance(error, InputError) or error.code != "E-MISSING" or not error.file:
        return ""
    from difflib import get_close_matches

    path = Path(error.file)
    if path.exists():  # what is missing is another file, which this one names
        return ""
    try:
        there = [other.name for other in path.parent.iterdir()]
    except OSError:  # no folder either, or one that may not be read
        return ""
    near = get_close_matches(path.name, there, n=1, cutoff=0.8)
    return f"did you mean {path.with_name(near[0])}?" if near else ""


def _leave(problem: str, hint: str, code: int) -> None:
    click.echo(f"error: {visible(problem)}", err=True)
    if hint:
        click.echo(f"hint: {visible(hint)}", err=True)
    sys.exit(code)
