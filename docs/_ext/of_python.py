"""The page of public names, and how Sphinx writes their signatures and fields."""

import ast
import inspect
import re
import textwrap
from dataclasses import is_dataclass
from typing import TYPE_CHECKING, Any

import cranfield as cf
from cranfield.core import EXPERIMENTAL, Stability, parameters, stability

if TYPE_CHECKING:
    from sphinx.application import Sphinx

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
    """Add what a thing promises, where that is not all, and the fields of a value with the comments on them."""
    del app, name, options
    if stability(value) is Stability.EXPERIMENTAL:
        lines += ["", f"*{EXPERIMENTAL}*", ""]
    if what != "class" or value not in IN_FULL or not is_dataclass(value) or issubclass(value, cf.Measure):
        return
    body = inspect.getsource(value).partition("\n    def ")[0].partition("\n    @")[0]
    lines += ["", "Fields:", ""]
    for field in FIELD.finditer(body):
        lines.append(f"- ``{field['name']}``" + (f": {field['about']}" if field["about"] else ""))
    lines.append("")
