"""Pages that are made from the code: catalogues, of measures, tests and more, the command line, the public names.

A page holds the line ``<!-- from the code -->``; what stands in its place is written here, each time the docs are
built. Tests read the pages too, where there is no Sphinx.
"""

import ast
import inspect
import re
import sys
import textwrap
from dataclasses import is_dataclass
from typing import TYPE_CHECKING, Any

import click

import cranfield as cf
from cranfield import stats
from cranfield.cli._main import COMMANDS
from cranfield.cli._main import cranfield as program
from cranfield.clickmodels import Pages
from cranfield.core import definition, parameters
from cranfield.crowds import AGGREGATIONS, AWARE
from cranfield.fusion import FUSIONS
from cranfield.measures import Counterexample, by_family, explained, first_use
from cranfield.online import (
    FRAMEWORKS,
    ONLINE_CATALOGUES,
    ONLINE_FAMILIES,
    ONLINE_MEASURES,
    Framework,
    online_catalogue,
    online_facts,
)
from cranfield.pooling import STRATEGIES

if TYPE_CHECKING:
    from sphinx.application import Sphinx

HERE = "<!-- from the code -->"
WIDTH = 88
EVERYWHERE = (*parameters(cf.Measure), *parameters(stats.PairTest))  # the pages say them once


ABOUT = {
    "binary": "A document is relevant or it is not; `rel` is the smallest grade that is.",
    "graded": "Grades count, not only whether there is one.",
    "user model": "Somebody reads down the ranking and leaves at some rank: [](../concepts/users.md).",
    "diversity": "Documents are judged for each subtopic of a topic: [](../concepts/diversity.md).",
    "fairness": "Groups of documents get attention; `--attributes` says who is in which: [](../concepts/fairness.md).",
    "aspects": "Documents have other labels beside relevance: `--aspect NAME=FILE`.",
    "interval": "Made to have equal steps: [](../concepts/scales.md).",
    "count": "How many there are of something; no word about quality.",
}


def measures() -> str:
    """A table of all measures, family by family, then each one in full."""
    families: dict[str, list[type[cf.Measure]]] = {}
    for cls in by_family():
        families.setdefault(cls.family, []).append(cls)
    told = [f"## All {len(by_family())}"]
    for family, members in families.items():
        rows = [f"| {family} | what it is | scale |", "|---|---|---|"]
        rows += [
            f"| [{m.name}](#measure-{m.name.lower()}) | {cell(definition(m))} | {first_use(m).scale.own} |"
            for m in members
        ]
        told.append("\n".join(rows))
    for family, members in families.items():
        told += [f"## {family.capitalize()}", ABOUT.get(family, ""), *map(one_measure, members)]
    return "\n\n".join(told)


def one_measure(cls: type[cf.Measure]) -> str:
    """A section about one measure."""
    shown = first_use(cls)
    written = [] if cls.needs_cutoff else [cls()]
    written += [shown, shown @ 20] if shown.k is None and cls.at == "k" else [shown]
    low, high = cls.range
    claim = shown.scale
    given_up = {c.axiom: c for c in shown.gives_up}
    trec = " ".join(f"`{name.replace('{k}', 'K')}`" for name in cls.trec if name)
    details = explained(cls.name)
    facts = {
        "formula": f"`{cls.formula}`" * bool(cls.formula),
        "example": worked_example(details),
        "needs": cls.needs,
        "user": details["details"].rows()[0]["user"],
        "write": ", ".join(f"`{form}`" for form in dict.fromkeys((*map(str, written), *cls.aliases)))
        + " (needs a cut-off)" * cls.needs_cutoff,
        "range": f"{low:g} to {high:g}, {cls.direction} is better".replace("inf", "∞"),
        "over topics": cls.aggregate,
        "missing topic": missing(shown.worst),
        "scale": f"{claim.own} for `{shown}`, within one topic; against the top-heavy order: {claim.top_heavy} "
        f"{{cite:p}}`{claim.cite}`",
        "axioms": ", ".join(sorted(shown.axioms)) or "none",
        "residual": "has bounds: `--residual`" * shown.bounded,
        "gives up": "; ".join(lost(c) for c in given_up.values()),
        "trec_eval": trec,
        "source": f"{{cite:p}}`{cls.cite}`",
    }
    return section(cls, f"measure-{cls.name.lower()}", facts)


def section(cls: type[Any], label: str, facts: dict[str, str]) -> str:
    """What is declared: its docstring, the facts about it, its parameters."""
    text = inspect.cleandoc(cls.__doc__ or "")
    table = ["| | |", "|---|---|", *(f"| {key} | {cell(fact)} |" for key, fact in facts.items() if fact)]
    own = [p for p in parameters(cls) if p not in EVERYWHERE]
    settings = ["| parameter | type | default | |", "|---|---|---|---|"]
    settings += [f"| `{p.name}` | `{cell(p.type)}` | `{cell(repr(p.default))}` | {p.limits} |" for p in own]
    parts = [f"({label})=\n### {cls.name}", text, "\n".join(table), "\n".join(settings) * bool(own)]
    return "\n\n".join(filter(None, parts))


def cell(text: str) -> str:
    """Text that stands in one cell of a table."""
    return text.replace("|", "\\|")


def worked_example(details: cf.Study) -> str:
    """A ranking and its value, worked by hand."""
    if "examples" not in details.tables:
        return ""
    (row,) = details["examples"].rows()
    missed = f" ({row['missed']} missed)" if row["missed"] else ""
    beside = f", beside them {row['beside']}" if row["beside"] else ""
    return f"`{row['measure']}` of grades {row['ranking']}{missed}{beside}: `{row['working']}` = {row['value']:.4f}"


def lost(example: Counterexample) -> str:
    """Why an axiom does not hold."""
    before, after, missed = (
        " ".join("?" if grade < 0 else str(grade) for grade in grades)
        for grades in (example.before, example.after, example.missed)
    )
    told = f" ({missed} missed)" if missed else ""
    beside = "; ".join(f"{' '.join(f'{x:g}' for x in row)} of grade {grade}" for grade, row in example.beside)
    told += f" (beside them {beside})" if beside else ""
    return f"{example.axiom}: {after or 'nothing'} has a worse value than {before}{told} {{cite:p}}`{example.cite}`"


def missing(worst: float | None) -> str:
    """What a topic counts for which a run has nothing."""
    if worst is None:
        return "the judgments alone decide"
    return "has no value and is left out" if worst != worst else f"counts {worst:g}"


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
        "in Python": f"`{cls.__module__.rpartition('.')[0]}.{cls.__name__}`",
        "source": f"{{cite:p}}`{cls.cite.replace(' ', '')}`",
    }
    return section(cls, f"{family}-{cls.name.lower()}", facts)


def live_users() -> str:
    """Tables of all that live users are asked by, family by family, then each in full."""
    known = {(row["family"], row["name"]): row for row in online_catalogue().rows()}
    told = ["## All of them"]
    for family, catalogue in ONLINE_CATALOGUES.items():
        measured = family == "online measure"
        rows = [f"| {family} | what it is | {'unit' if measured else 'needs'} |", "|---|---|---|"]
        rows += [
            f"| [{cls.name}](#{online_label(family, cls)}) | {cell(definition(cls))} "
            f"| {known[family, cls.name]['unit' if measured else 'needs'] or ''} |"
            for cls in catalogue
        ]
        told.append("\n".join(rows))
    for family, catalogue in ONLINE_CATALOGUES.items():
        heading, _, options = ONLINE_FAMILIES[family].partition(": ")
        told += [f"## {heading.capitalize()}", f"`{options}`", *(one_online(family, cls) for cls in catalogue)]
        if family == "online measure":
            told += ["## Ready-made sets", "`cranfield clicks --set`", *map(one_set, FRAMEWORKS.values())]
    return "\n\n".join(told)


def online_label(family: str, cls: Any) -> str:
    """Where a declaration is told: pbm is a click model and an estimator."""
    return f"{family}-{cls.name.lower()}".replace(" ", "-").replace("_", "-")


def one_online(family: str, cls: Any) -> str:
    """A section about something that live users are asked by."""
    facts = online_facts(family, cls)
    if "formula" in facts:
        facts["formula"] = f"`{facts['formula']}`"
    facts |= {
        "learns": learnt(cls) if family == "click model" else "",
        "write": ", ".join(f"`{name}`" for name in (cls.name, *cls.aliases)),
        "in Python": in_python(cls),
        "source": f"{{cite:p}}`{cls.cite.replace(' ', '')}`",
    }
    return section(cls, online_label(family, cls), facts)


def in_python(cls: Any) -> str:
    """The name that a class goes by, if its package gives it away."""
    package = cls.__module__.rpartition(".")[0]
    return f"`{package}.{cls.__name__}`" * (getattr(sys.modules[package], cls.__name__, None) is cls)


TWO_PAGES = Pages.from_rows("aabb", "tttt", [1, 2, 1, 2], "xyyx", [True, False, True, True])


def learnt(cls: Any) -> str:
    """The chances that a click model learns, and what each of them is of."""
    return "; ".join(f"{name} {of_what(found.keys)}" for name, found in cls().fit(TWO_PAGES).estimates.items())


def of_what(keys: Any) -> str:
    """What there is a chance for: documents, ranks, or the keys as they are called."""
    if not isinstance(keys, tuple):
        return "of each document of a topic"
    if keys == ("any",):
        return "(one for all)"
    if " after " in keys[0]:
        return "of each rank, by the last click above"
    return "of each rank" if keys[0] == "1" else f"(after a {', a '.join(keys)})"


def one_set(framework: Framework) -> str:
    """A section about a ready-made set of measures."""
    rows = ["| | measures |", "|---|---|"]
    rows += [
        f"| {letter} | {', '.join(map(of_set, names)) or 'no log of pages says'} |"
        for letter, names in framework.letters
    ]
    return f"### {framework.name}\n\n{{cite:p}}`{framework.cite}`\n\n" + "\n".join(rows)


def of_set(name: str) -> str:
    """A measure of a set, with a link if it is in the catalogue."""
    if name not in ONLINE_MEASURES:
        return f"{name} (learnt from labelled sessions: `cranfield.online.SatisfactionModel`)"
    return f"[{name}](#{online_label('online measure', ONLINE_MEASURES[name])})"


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


HEADINGS = {
    "studies": "Questions",
    "data": "Data",
    "measures": "Measures",
    "core": "Results and errors",
}
IN_FULL = (cf.Assessed, cf.Measure, cf.Qrels, cf.Run, cf.Study, cf.Table, cf.Values, cf.Scale)


def public_names() -> str:
    """Every name that the package gives, by the subpackage it comes from."""
    found: dict[str, list[str]] = {part: [] for part in HEADINGS}
    later = {name: getattr(cf, name) for name in cf.__getattr__.places}
    for name, value in (vars(cf) | later).items():
        if name.startswith("_") or inspect.ismodule(value) or name in {"VERSION", "Later", "TYPE_CHECKING"}:
            continue
        home = value.__module__ if hasattr(value, "__qualname__") else "cranfield.measures"
        found.setdefault(home.split(".")[1], []).append(directive(name, value))
    return "\n\n".join(
        f"## {HEADINGS.get(part, part.capitalize())}\n\n```{{eval-rst}}\n.. currentmodule:: cranfield\n\n"
        + "\n\n".join(entries)
        + "\n```"
        for part, entries in found.items()
        if entries
    )


def directive(name: str, value: object) -> str:
    """The directive that documents one public name."""
    if inspect.isclass(value):
        members = "\n   :members:" if issubclass(value, IN_FULL) and value in IN_FULL else ""
        return f".. autoclass:: {name}{members}"
    if callable(value):
        return f".. autofunction:: {name}"
    about = inspect.cleandoc(type(value).__doc__ or "").partition("\n\n")[0]
    return f".. py:data:: {name}\n\n" + textwrap.indent(about, "   ")


def signature(
    app: "Sphinx", what: str, name: str, value: Any, options: object, arguments: str | None, returns: str | None
) -> tuple[str, str | None] | None:
    """Signatures as they are written in the source; of classes only where people call them."""
    del app, name, options, arguments, returns
    if inspect.isclass(value):
        if issubclass(value, cf.Measure) and value is not cf.Measure:
            return "(" + ", ".join(["*", *(f"{p.name}={p.default!r}" for p in parameters(value))]) + ")", None
        return "", None
    if what not in ("function", "method") or not hasattr(value, "__code__"):
        return None
    function = ast.parse(textwrap.dedent(inspect.getsource(value))).body[0]
    if not isinstance(function, ast.FunctionDef):
        return None
    every = function.args
    every.args = [argument for argument in every.args if argument.arg not in ("self", "cls")]
    for argument in (*every.args, *every.kwonlyargs):
        argument.annotation = unquoted(argument.annotation)
    result = unquoted(function.returns)
    return f"({ast.unparse(every)})", ast.unparse(result) if result else None


def unquoted(annotation: ast.expr | None) -> ast.expr | None:
    """An annotation without the quotes that keep it from being evaluated."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return ast.parse(annotation.value, mode="eval").body
    return annotation


FIELD = re.compile(r"^    (?P<name>[a-z]\w*): (?P<type>[^=#]+?)(?: = [^#]*?)?(?:\s*# (?P<about>.*))?$", re.MULTILINE)


def fields(app: "Sphinx", what: str, name: str, value: Any, options: object, lines: list[str]) -> None:
    """Add the fields of a value, with the comments that explain them."""
    del app, name, options
    if what != "class" or value not in IN_FULL or not is_dataclass(value) or issubclass(value, cf.Measure):
        return
    body = inspect.getsource(value).partition("\n    def ")[0].partition("\n    @")[0]
    lines += ["", "Fields:", ""]
    for field in FIELD.finditer(body):
        lines.append(f"- ``{field['name']}``" + (f": {field['about']}" if field["about"] else ""))
    lines.append("")


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
