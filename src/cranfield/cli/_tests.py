"""cranfield tests."""

import textwrap

import click

from cranfield.core import Study, Table
from cranfield.stats import FAMILIES_IN_WORDS, explain_method, methods, methods_explained

from ._show import output_options, put, show, usual_format
from ._usage import Command

WIDE = 80


@click.command("tests", cls=Command)
@click.argument("names", nargs=-1, metavar="[NAME...]")
@output_options()
def command(names: tuple[str, ...], form: str | None, table: str | None, output: str | None) -> None:
    """The catalogue of tests, corrections, effects and transforms, or each NAME explained.

    What a test assumes, which scale it needs, when to use it, where it comes from.

    \b
    Examples:
      cranfield tests
      cranfield tests signed-rank
      cranfield tests --format json
    """
    if table is None and (form or usual_format(output, one=not names)) == "text":
        put("\n\n\n".join(map(explain_method, names)) if names else _text(methods()), output)
        return
    everything = form == "json" or table is not None
    study = methods_explained(*names) if everything else Study("tests", {"catalogue": methods(*names)})
    show(study, form=form, table=table, output=output)


def _text(known: Table) -> str:
    """The methods by family, each with its definition."""
    rows = [{key: str(cell) for key, cell in row.items()} for row in known.rows()]
    lines: list[str] = []
    indent = 2 + max(len(row["name"]) for row in rows) + 2
    for family in dict.fromkeys(row["family"] for row in rows):
        lines += ["", FAMILIES_IN_WORDS.get(family, family)] if lines else [FAMILIES_IN_WORDS.get(family, family)]
        for row in (row for row in rows if row["family"] == family):
            start = f"  {row['name']}".ljust(indent)
            about = row["definition"].replace("``", "")
            lines += textwrap.wrap(about, WIDE, initial_indent=start, subsequent_indent=" " * indent)
    return "\n".join([*lines, "", "cranfield tests signed-rank explains one: what it assumes, when to use it."])
