"""The entry point: find the command, and turn every error into two lines."""

import os
import sys
from collections.abc import Sequence
from importlib import import_module

import click

from cranfield.core import VERSION, ChecksFailed, CranfieldError

# Loaded when used: `cranfield evaluate` must not wait for what other commands need.
COMMANDS = {
    "evaluate": ("_evaluate", "values of measures for runs: what trec_eval does, faster and stricter"),
    "lint": ("_lint", "what is wrong with runs and qrels, without evaluating them"),
    "convert": ("_convert", "a run or qrels in another format"),
    "measures": ("_measures", "the catalogue of measures, or one of them explained"),
    "simulate": ("_simulate", "a made-up campaign: topics, judgments and runs of many groups"),
    "demo": ("_demo", "the built-in campaign, made, evaluated and shown"),
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

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, without importing them."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in COMMANDS.items()])


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(VERSION, prog_name="cranfield")
def cranfield() -> None:
    """Is this search system really better than that one?

    \b
    cranfield evaluate qrels.txt runs/*.txt          values of every run
    cranfield evaluate qrels.txt bm25.txt -m AP -q   topic by topic
    cranfield lint qrels.txt runs/*.txt              what is wrong with the files
    cranfield demo                                   everything at once, on a built-in campaign
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command. Exit 0: done; 1: an error; 2: wrong usage; 3: a check that was asked for failed."""
    try:
        result = cranfield.main(arguments, standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Abort:
        _leave("interrupted", "", 130)
    except KeyboardInterrupt:
        _leave("interrupted", "", 130)
    except click.UsageError as error:
        problem, _, hint = error.format_message().partition("\nhint: ")
        _leave(problem, hint or f"see {error.ctx.command_path if error.ctx else 'cranfield'} --help", 2)
    except click.ClickException as error:
        _leave(error.format_message(), "", 1)
    except ChecksFailed as error:
        _leave(error.problem, error.hint, 3)
    except CranfieldError as error:
        _leave(error.problem, error.hint, 1)
    except BrokenPipeError:
        # The reader has seen enough (`| head`). Python would complain again when it closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as error:
        problem = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        _leave(problem, "check the name, the permissions and the disk", 1)
    except Exception as error:
        if os.environ.get("CRANFIELD_DEBUG"):
            raise
        problem = f"this should not happen: {type(error).__name__}: {error}"
        _leave(problem, "please report it with the command; CRANFIELD_DEBUG=1 shows where", 1)
    else:
        sys.exit(result if isinstance(result, int) else 0)


def _leave(problem: str, hint: str, code: int) -> None:
    click.echo(f"error: {problem}", err=True)
    if hint:
        click.echo(f"hint: {hint}", err=True)
    sys.exit(code)
