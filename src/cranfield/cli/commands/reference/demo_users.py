"""Simulated users of the demo: agreement of clicks with measures, and preference between two runs."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from cranfield.cli.output.command_output import note, show
from cranfield.core import MissingExtra, Study, Table
from cranfield.core.rendering import paragraph, render
from cranfield.data import Values, connect
from cranfield.online import multileave
from cranfield.simulate import Written, simulate_log
from cranfield.studies import bridge, interleave

USERS = 2000  # of all runs together
OF_PAIR = 1000  # users who see two runs on one page
SHOWN = 10  # documents on a page
OUTCOME = "ctr"
COLUMNS = ("measure", "kendall", "kendall_low", "kendall_high", "agreement", "apart", "agreement_apart", "p_best")
LOGS = ("users.parquet", "pages.parquet")


def clicks_said(written: Written, values: Values, pair: tuple[str, str], seed: int, *, keep: Path | None) -> str:
    """Simulate users of all runs, and of two interleaved runs, and return what their clicks say.

    The text is empty where the packages for logs are missing. ``keep`` is a folder for the logs.
    """
    try:
        connect()
    except MissingExtra as error:
        note(f"the comparison with live users is not shown because packages are missing: {error.hint}")
        return ""
    click.echo(f"simulating {USERS + OF_PAIR:,} users …", err=True)
    files = {path.name.partition(".")[0]: path for path in written.runs}
    users = simulate_log(written.qrels, files, users=USERS, length=SHOWN, seed=seed)
    page = partial(multileave, length=SHOWN, runs=pair)
    both = {name: files[name] for name in pair}
    pages = simulate_log(written.qrels, both, page=page, users=OF_PAIR, length=SHOWN, seed=seed)
    for name, columns in zip(LOGS, (users, pages), strict=True):
        _keep(columns, keep and keep / name)
    agreement = bridge(values, users, outcome=OUTCOME, seed=seed)
    preferred = interleave(pages)
    said = f"{agreement.sentence} {OF_PAIR:,} other users saw {' and '.join(pair)} interleaved. {preferred.sentence}"
    return f"{render(_shown(agreement), 'text')}\n\n{paragraph(said, 'text')}"


def _keep(columns: Mapping[str, Any], place: Path | None) -> None:
    if place is not None:
        show(Study("simulate", {"log": Table(dict(columns))}), form=None, table=None, output=str(place))


def _shown(agreement: Study) -> Table:
    """Return the agreement of each measure with click-through rates."""
    found = agreement["bridge"]
    data = {name: found.data[name] for name in COLUMNS}
    caption = f"agreement of measures with the click-through rates of {USERS:,} simulated users, each of one run"
    return replace(found, data=data, caption=caption, notes=(), ends={"kendall": ("kendall_low", "kendall_high")})
