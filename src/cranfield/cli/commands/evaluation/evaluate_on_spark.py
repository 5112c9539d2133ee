"""cranfield evaluate --engine: compute the values of runs on Spark."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from cranfield.cli.options.value_options import expect_files
from cranfield.cli.output.command_output import typed
from cranfield.data import Values


def evaluate_there(
    engine: str,
    qrels: str | None,
    runs: Sequence[str],
    measures: Any,
    *,
    landing: str | None,
    only: list[str] | None,
    **options: Any,
) -> Values:
    """The values of tables in Parquet.

    They land in a folder of Parquet too, written by those who made them, where that is the output.
    """
    if landing is not None and only is not None:
        hint = "leave out the names of topics, or write another format"
        raise click.UsageError(f"the values of all topics land in Parquet, and --topics names some\nhint: {hint}")
    expect_files(qrels, tuple(runs))
    from cranfield.integrations.spark import evaluate

    found = evaluate(qrels, list(runs), measures, engine=engine, command=typed(), **options)
    if landing is not None:
        found.write(landing)
    values = found.collect()
    found.release()
    return values if only is None else values.only(only)


def landing_of(form: str | None, output: str | None) -> str | None:
    """The folder in which values land, if that is what was asked for."""
    wanted = output is not None and (form == "parquet" or (form is None and Path(output).suffix == ".parquet"))
    return output if wanted else None
