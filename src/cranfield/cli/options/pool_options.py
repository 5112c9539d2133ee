"""Checks on combinations of the options of `cranfield pool`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from cranfield.cli.output.atomic_files import check_place
from cranfield.collections import TREC, Judging, State, parse_strategy, read_state
from cranfield.core import InputError
from cranfield.data import Run, RunFile, RunFrame

MAKING = ("judged", "state", "audit", "batch", "minutes", "topic_file", "language")  # what a replay does not ask
REPLAYING = (
    *("budgets", "entries", "columns", "unjudged", "leave_out", "measure", "test", "correct", "level", "threads"),
)
LOOKING = ("judged", "batch", "minutes", "topic_file", "language")  # what an audit does not ask
NEEDS = {"batch": "state", "audit": "state", "language": "topic_file", "columns": "entries"}
READ = ("simulate", "judged", "state", "corpus", "topic_file", "entries")  # files
DRAWN = {"replay": ("recall", "pool-order", "pool-bias", "reuse", "unjudged"), "pool": ("costs",), "audit": ()}


def check_options(settings: dict[str, Any], *, simulate: str | None) -> None:
    """Refuse options that have no meaning beside the others."""
    for name in READ:
        if (settings | {"simulate": simulate})[name] == "":
            raise click.UsageError(f"{_option(name)} names no file\nhint: give its name, or leave it out")
    if simulate is not None:
        _refuse(MAKING, "--simulate replays known judgments")
    else:
        _refuse(REPLAYING, "known judgments are not replayed", "--simulate qrels.txt replays them")
    for name, needed in NEEDS.items():
        if settings[name] and not settings[needed]:
            raise click.UsageError(f"{_option(name)} needs {_option(needed)}\nhint: give both, or leave it out")
    if settings["audit"]:
        _refuse(LOOKING, "--audit looks at what was asked for")
    if _is_said("share") and not settings["shared"]:
        _refuse(["share"], "topics do not share a budget", "add --shared, or leave it out")
    if settings["share"] != "even" and simulate is None and not settings["state"]:
        why = "a pool that is asked for at once hears nothing of what topics yield"
        _refuse(["share"], why, "keep the pool with --state, or leave it out")
    if settings["budget"] and settings["budgets"]:
        raise click.UsageError("--budget and --budgets say the same\nhint: name one or several with --budgets")
    if simulate is None and len(settings["strategies"]) > 1:
        raise click.UsageError("a pool has one strategy\nhint: --simulate qrels.txt compares several")


def check_outputs(settings: dict[str, Any], *, simulate: str | None, chart: str | None, suffix: str) -> None:
    """Refuse a file or a chart of something that this question does not answer."""
    asked = "replay" if simulate is not None else "audit" if settings["audit"] else "pool"
    which = {"replay": "a replay", "audit": "an audit", "pool": "a pool"}[asked]
    if suffix in TREC and asked != "pool":
        raise click.UsageError(f"{which} has no pool to write as {suffix}\nhint: write a table: -o {asked}.tsv")
    if not chart:
        return
    if not DRAWN[asked]:
        raise click.UsageError(f"{which} has no chart\nhint: leave out --chart")
    if _is_said("draw") and settings["draw"] not in DRAWN[asked]:
        problem = f"{which} has no chart named {settings['draw']}"
        raise click.UsageError(f"{problem}\nhint: choose one of: {', '.join(DRAWN[asked])}")


def check_files(
    output: str | None, runs: Sequence[Run | RunFile | RunFrame], settings: dict[str, Any], *, simulate: str | None
) -> None:
    """Refuse to read standard input twice, to write over what is read, and to keep a pool where no file can be."""
    named = [file for name in READ if (file := (settings | {"simulate": simulate})[name])]
    read = [str(run.path) if isinstance(run, RunFile) else run.source.name for run in runs]
    if [*named, *read].count("-") > 1:
        raise click.UsageError("standard input can be read only once\nhint: write - for one file, name the others")
    if output and any(Path(output).resolve() == Path(file).resolve() for file in [*named, *read]):
        raise InputError(f"{output}: this file is read", hint="write to another file: -o pool.qrels")
    if settings["state"]:
        check_place(settings["state"])


def begun_with(settings: dict[str, Any]) -> State | None:
    """What the state file keeps; depth and order of ties are its own where nothing else is said."""
    if not settings["state"] or not Path(settings["state"]).exists():
        return None
    state = read_state(settings["state"])
    settings |= {name: getattr(state, name) for name in ("depth", "ties") if not _is_said(name)}
    return state


def expect_the_same(judging: Judging, strategy: str | None, making: dict[str, Any]) -> None:
    """Refuse to go on in another way than a pool was begun."""
    if strategy is not None and parse_strategy(strategy) != judging.strategy:
        raise click.UsageError(f"the pool was begun with {judging.strategy}\nhint: go on with it, or begin another one")
    for name, value in making.items():
        before = getattr(judging, name)
        if _is_said(name) and before != value:
            how = f"with --{name} {before:g}" if isinstance(before, float) else f"with --{name} {before}"
            how = f"without --{name}" if before is None or before is False else how
            raise click.UsageError(f"the pool was begun {how}\nhint: leave the option out, or begin another state")


def _refuse(options: Sequence[str], why: str, hint: str = "leave it out") -> None:
    for name in options:
        if _is_said(name):
            raise click.UsageError(f"{_option(name)} has no meaning here: {why}\nhint: {hint}")


def _is_said(name: str) -> bool:
    """Whether an option was typed."""
    return click.get_current_context().get_parameter_source(name) is not click.core.ParameterSource.DEFAULT


def _option(name: str) -> str:
    """How an option is typed."""
    return next(one.opts[-1] for one in click.get_current_context().command.params if one.name == name)
