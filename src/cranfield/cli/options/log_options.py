"""Options shared by the commands that read logs."""

import click

from .usage_errors import OneOf

ranks_from_option = click.option(
    "--ranks-from",
    type=OneOf(["0", "1"]),
    default="1",
    show_default=True,
    callback=lambda _ctx, _param, value: int(value),
    help="Rank of the first document of a page in the log.",
)
