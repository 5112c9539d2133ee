"""cranfield tests: list or explain tests, corrections, effect sizes and transforms."""

import click

from cranfield.cli.options.usage_errors import Command
from cranfield.cli.output.command_output import by_family, output_options, put, show, usual_format
from cranfield.core import Study
from cranfield.stats import FAMILIES_IN_WORDS, explain_method, methods, methods_explained

MORE = "cranfield tests signed-rank explains one: what it assumes, when to use it."


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
        put(
            "\n\n\n".join(map(explain_method, names)) if names else by_family(methods(), FAMILIES_IN_WORDS, MORE),
            output,
        )
        return
    everything = form == "json" or table is not None
    study = methods_explained(*names) if everything else Study("tests", {"catalogue": methods(*names)})
    show(study, form=form, table=table, output=output)
