"""The entry point: find the command, and turn every error into two lines."""

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path

import click

from cranfield.core import VERSION, ChecksFailed, CranfieldError, InputError
from cranfield.core.render import visible

from ._usage import two_lines

# Loaded when used: `cranfield evaluate` must not wait for what other commands need.
COMMANDS = {
    "evaluate": ("_evaluate", "values of measures for runs, as trec_eval gives them"),
    "compare": ("_compare", "is B really better than A? outcomes, tests, a verdict in words"),
    "leaderboard": ("_leaderboard", "who leads, and how sure is that? ranks with intervals, history, private topics"),
    "novelty": ("_novelty", "what does a run find that others miss? residual gain, unique contributions"),
    "test": ("_test", "do runs differ? tests of pairs, corrected for their number"),
    "anova": ("_anova", "do any of many runs differ, and which? analysis of variance, all pairs"),
    "agreement": ("_agreement", "do two halves of the topics agree? how reliable the tests are"),
    "power": ("_power", "how many topics does it take, and what can so many show?"),
    "scale": ("_scale", "what do a measure's numbers mean? all its values, their steps, what follows"),
    "topics": ("_topics_command", "what do topics ask, and which of them are hard?"),
    "pool": ("_pool", "what should be judged? pools, learning strategies, replays of known judgments"),
    "crowd": ("_crowd", "labels of many workers become one: merging, agreement, workers, the order of runs"),
    "clicks": ("_clicks", "what do users click, and how do they come to? click models, measures fitted to a log"),
    "interleave": ("_interleave", "which of two runs do users prefer, when both are on one page?"),
    "ab": ("_ab", "is a treatment better than the control? experiments with users, who is in which arm"),
    "counterfactual": ("_counterfactual", "what would another policy have earned? estimates from an old log"),
    "bridge": ("_bridge", "does offline predict online? measures beside what users did"),
    "reproduce": ("_reproduce", "is a run that was made again the run that it should be?"),
    "nuggets": ("_nuggets", "what do written answers say, and does what they cite support it?"),
    "report": ("_report", "one page on runs: verdicts, tables, charts, methods, and how to make it again"),
    "rerun": ("_rerun", "make a report again, and say what changed"),
    "lint": ("_lint", "what is wrong with runs and qrels, without evaluating them"),
    "convert": ("_convert", "a run or qrels in another format"),
    "fuse": ("_fuse", "several runs become one: what they say together"),
    "measures": ("_measures", "the catalogue of measures, or one of them explained"),
    "tests": ("_tests", "the catalogue of tests and other statistics, or one of them explained"),
    "simulate": ("_simulate", "a made-up campaign: topics, judgments and runs of many groups"),
    "demo": ("_demo", "the built-in campaign, made, evaluated and shown"),
    "serve": ("_serve", "a leaderboard server: tasks, submissions, boards, in one folder"),
    "worker": ("_worker", "one more process that works for a server"),
    "submit": ("_submit", "hand in a run to a server, or only ask what is wrong with it"),
    "status": ("_status", "what became of a run, or of all of one's runs in a task"),
    "download": ("_download", "a board, its public judgments and one's own runs, as files"),
    "backup": ("_backup", "a whole server in one file, while it runs"),
    "restore": ("_restore", "a new home for a server, from a backup"),
    "export": ("_export", "a server's pages, or one of its tasks, as files"),
    "audit": ("_audit", "was anything in the log of a server changed?"),
}


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
        command: click.Command = import_module(f"cranfield.cli.{COMMANDS[name][0]}").command
        return command

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; two endings that click would handle in its own way are ours."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise click.Abort from None
        except BrokenPipeError:
            return _closed()

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, without importing them."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in COMMANDS.items()])


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80})
@click.version_option(VERSION, prog_name="cranfield")
def cranfield() -> None:
    """Is this search system really better than that one?

    \b
    Examples:
      cranfield demo                                  (a made-up campaign)
      cranfield evaluate qrels.txt runs/              (values of every run)
      cranfield compare qrels.txt a.run b.run         (is b really better?)
      cranfield leaderboard qrels.txt runs/           (who leads, and how surely)
      cranfield novelty qrels.txt runs/               (what each run adds)
      cranfield lint qrels.txt runs/                  (what is wrong in the files)
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
        _leave(error.problem, error.hint, 3)
    except CranfieldError as error:
        _leave(error.problem, _near(error) or error.hint, 1)
    except BrokenPipeError:
        sys.exit(_closed())
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


def _closed() -> int:
    """The reader has seen enough (`| head`): no failure. Python would complain again when it closes stdout."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


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
