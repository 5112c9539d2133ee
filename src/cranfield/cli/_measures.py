"""cranfield measures."""

import textwrap

import click

from cranfield.core import Study, Table
from cranfield.measures import catalogue, explain

from ._show import output_options, put, show, usual_format
from ._usage import Command

WIDE = 80


@click.command("measures", cls=Command)
@click.argument("name", required=False, metavar="[NAME]")
@output_options()
def command(name: str | None, form: str | None, table: str | None, output: str | None) -> None:
    """The catalogue of measures, or NAME explained.

    \b
    Examples:
      cranfield measures
      cranfield measures nDCG
      cranfield measures --format json
    """
    rows = catalogue(name)
    if table is None and (form or usual_format(output, one=not name)) == "text":
        put(explain(name) if name else _text(rows), output)
        return
    columns = ("name", "family", "scale", "source", "direction", "parameters", "definition")
    study = Study("measures", {"catalogue": Table.from_rows(rows, columns, caption="measures")})
    show(study, form=form, table=table, output=output)


def _text(rows: list[dict[str, str]]) -> str:
    """The measures by family, each with its definition."""
    lines: list[str] = []
    indent = 2 + max(len(row["name"]) for row in rows) + 2
    for family in dict.fromkeys(row["family"] for row in rows):
        lines += ["", family] if lines else [family]
        for row in (row for row in rows if row["family"] == family):
            start = f"  {row['name']}".ljust(indent)
            about = row["definition"].replace("``", "")
            lines += textwrap.wrap(about, WIDE, initial_indent=start, subsequent_indent=" " * indent)
    return "\n".join([*lines, "", "cranfield measures nDCG explains one: its parameters, its scale, its source."])
