"""Pages that are made from the code: catalogues, of measures, tests and more, the command line, the public names.

A page holds the line ``<!-- from the code -->``; what stands in its place is written here, each time the docs are
built. Tests read the pages too, where there is no Sphinx.
"""

from typing import TYPE_CHECKING, Any

import click
from of_measures import measures
from of_python import fields, public_names, signature
from of_users import live_users
from sections import cell, public_path, section

from cranfield import stats
from cranfield.cli.dispatch import COMMANDS
from cranfield.cli.dispatch import cranfield as program
from cranfield.collections import AGGREGATIONS, AWARE, STRATEGIES
from cranfield.core import definition
from cranfield.fusion import FUSIONS

if TYPE_CHECKING:
    from sphinx.application import Sphinx

HERE = "<!-- from the code -->"
WIDTH = 88


def methods() -> str:
    """A table of all methods of statistics, family by family, then each one in full."""
    families: dict[str, list[type[stats.Method]]] = {}
    for cls in stats.by_family():
        families.setdefault(cls.family, []).append(cls)
    told = [f"## All {len(stats.by_family())}"]
    for family, members in families.items():
        rows = [f"| {family} | what it is | needs |", "|---|---|---|"]
        rows += [f"| [{m.name}](#{label(m)}) | {cell(definition(m))} | {m.requires} |" for m in members]
        told.append("\n".join(rows))
    for family, members in families.items():
        heading, options = about(family)
        told += [f"## {heading}", options, *map(one_method, members)]
    return "\n\n".join(told)


def about(family: str) -> tuple[str, str]:
    """What methods of a family are for, as a heading, and the options that take them."""
    heading, _, options = stats.FAMILIES_IN_WORDS[family].partition(": ")
    return heading.capitalize(), ", ".join(f"`{option}`" for option in options.split(", ") if option)


def label(cls: type[stats.Method]) -> str:
    """Where a method is told: a name may stand for a test, an interval and a design."""
    return "-".join([cls.family, cls.name]).replace(" ", "-").replace("_", "-")


def one_method(cls: type[stats.Method]) -> str:
    """A section about one method."""
    exported = getattr(stats, cls.__name__, None) is cls
    facts = {
        "formula": f"`{cls.formula}`" * bool(cls.formula),
        "write": ", ".join(f"`{name}`" for name in (cls.name, *cls.aliases)),
        "needs": f"{cls.requires} numbers",
        "assumes": cls.assumes,
        "use it": cls.use,
        "effect": getattr(cls, "effect", ""),
        "in Python": f"`cranfield.stats.{cls.__name__}`" * exported,
        "source": f"{{cite:p}}`{cls.cite.replace(' ', '')}`",
    }
    return section(cls, label(cls), facts)


def collections() -> str:
    """Strategies of pools, ways to merge labels, and ways to fuse runs."""
    parts = ["## Strategies of pools", *(one_declared(cls, "strategy", "asks for", cls.asks) for cls in STRATEGIES)]
    parts += ["## Ways to merge labels"]
    parts += [one_declared(cls, "aggregation", "weighs", cls.weighs) for cls in AGGREGATIONS]
    parts += [one_declared(AWARE, "aggregation", "weighs", "workers the farther from chance the more")]
    parts += ["## Ways to fuse runs", *(one_declared(cls, "fusion", "score", f"`{cls.formula}`") for cls in FUSIONS)]
    return "\n\n".join(parts)


def one_declared(cls: Any, family: str, what: str, told: str) -> str:
    """A section about one declaration."""
    names = (cls.name, *getattr(cls, "aliases", ()))
    facts = {
        what: told,
        "write": ", ".join(f"`{name}`" for name in names),
        "learns": "from judgments, as they come in" * getattr(cls, "adaptive", False),
        "in Python": public_path(cls),
        "source": f"{{cite:p}}`{cls.cite.replace(' ', '')}`",
    }
    return section(cls, f"{family}-{cls.name.lower()}", facts)


def command_line() -> str:
    """The help of every command."""
    parts = [f"## cranfield\n\n{help_of(program, 'cranfield')}"]
    for name in COMMANDS:
        command = program.get_command(click.Context(program), name)
        if command:
            parts.append(f"(command-{name})=\n## cranfield {name}\n\n{help_of(command, f'cranfield {name}')}")
    return "\n\n".join(parts)


def help_of(command: click.Command, name: str) -> str:
    """What ``--help`` prints."""
    context = click.Context(command, info_name=name, terminal_width=WIDTH, help_option_names=["-h", "--help"])
    return f"```text\n{command.get_help(context)}\n```"


PAGES = {
    "reference/measures": measures,
    "reference/tests": methods,
    "reference/collections": collections,
    "reference/online": live_users,
    "reference/command-line": command_line,
    "reference/python": public_names,
}


def fill(app: "Sphinx", page: str, content: list[str]) -> None:
    """Put what the code says into the page."""
    del app
    if page == "contributing":  # a symbolic link to the file in the root folder, where its links start
        content[0] = content[0].replace("](docs/", "](")
    if page in PAGES:
        before, here, after = content[0].partition(HERE)
        if not here:
            raise ValueError(f"{page} has no line {HERE}")
        content[0] = before + PAGES[page]() + after


def setup(app: "Sphinx") -> dict[str, bool]:
    """What Sphinx calls."""
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("source-read", fill)
    app.connect("env-get-outdated", lambda *_: list(PAGES))
    app.connect("autodoc-process-signature", signature)
    app.connect("autodoc-process-docstring", fields)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
