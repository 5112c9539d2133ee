"""Input modes of `cranfield evaluate` and the options that each mode accepts."""

from collections.abc import Mapping, Sequence

import click

from .value_options import expect_scores_alone

# Of the options that shape values. Without a way, all are taken.
TAKEN = {
    "--scores": (),
    "--engine": ("--rel", "--topics both", "--ties", "--compat", "--prior", "--gains"),
    "--prefs": ("--ties",),
    "--series": ("--rel", "--topics both", "--unjudged", "--equity", "--lengths", "--attributes", "--gains"),
}
WHY = {
    "--engine": "is for one machine, and --engine asks others",
    "--prefs": "is for grades, and --prefs reads preferences",
    "--series": "is for one ranking of a topic, and --series reads several",
}


def expect_way(asked: Mapping[str, object], files: Sequence[str], form: str | None) -> None:
    """Refuse an option that the way to the values would leave aside; ``asked`` are the ways and the options."""
    way = next((way for way in TAKEN if asked[way]), None)
    if way is None:
        return
    others = [option for option, given in asked.items() if given and option != way and option not in TAKEN[way]]
    if way == "--scores":
        expect_scores_alone([*files, *others], form)
    elif others:
        raise click.UsageError(f"{others[0]} {WHY[way]}\nhint: leave out {others[0]}, or {way}")
