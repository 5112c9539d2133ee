"""Output of --paper: the table of means with significance marks."""

from collections.abc import Mapping, Sequence
from typing import Any

import click

from cranfield.cli.options.value_options import notes_of
from cranfield.core import VERSION
from cranfield.core.rendering import render, visible
from cranfield.data import Values

from .command_output import FOR_PEOPLE, digits_shown, may_be_bold, note, put, show, typed, usual_format

paper_option = click.option(
    "--paper", is_flag=True, help="Print the table of means with significance marks for a paper."
)


def expect_paper_alone(options: Mapping[str, object]) -> None:
    """Refuse an option that the table of a paper would ignore; ``options`` are values by the names of options."""
    for option, value in options.items():
        if value:
            raise click.UsageError(f"{option} has no effect on --paper\nhint: leave out {option}, or --paper")


def show_paper(
    values: Values,
    baselines: Sequence[str],
    *,
    form: str | None,
    table: str | None,
    output: str | None,
    **settings: Any,
) -> None:
    """Write the table of a paper; ``settings`` are those of :func:`cranfield.studies.paper_table`.

    The notes go to stderr. A file of LaTeX has them as comments too, after the command that made it.
    """
    from cranfield.studies import paper_table  # loads the statistics

    paper = paper_table(values, baselines, **settings)
    notes = tuple(dict.fromkeys((*notes_of(values), *paper.study["paper"].notes)))
    form = form or usual_format(output, one=False)
    if table or form not in FOR_PEOPLE:
        show(paper.study, form=form, table=table, output=output, notes=notes)
        return
    text = render(paper.table, form, bold=form == "text" and not output and may_be_bold(), digits=digits_shown())
    if form == "latex" and output:
        lines = (f"cranfield {VERSION}: {typed()}", "needs \\usepackage{booktabs}", *(f"note: {one}" for one in notes))
        text = "\n".join([*(f"% {visible(line)}" for line in lines), text])
    put(text, output)
    for line in notes:
        note(line)
