"""cranfield measures."""

import click

from cranfield.core import Study, Table
from cranfield.measures import catalogue, explain

from ._show import output_options, put, show


@click.command("measures")
@click.argument("name", required=False)
@output_options()
def command(name: str | None, form: str | None, table: str | None, output: str | None) -> None:
    """The catalogue of measures, or NAME explained.

    \b
    cranfield measures
    cranfield measures nDCG
    cranfield measures --format json
    """
    rows = catalogue(name)
    columns = ("name", "family", "scale", "source", "direction", "parameters", "definition")
    study = Study("measures", {"catalogue": Table.from_rows(rows, columns, caption="measures")})
    if name and form is None and table is None:
        put(explain(name), output)
    else:
        show(study, form=form, table=table, output=output)
