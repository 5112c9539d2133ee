"""The files of the project, their imports, comments and catalogues."""

import ast
import importlib
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from cranfield.core import Catalogue

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "cranfield"


@dataclass(frozen=True)
class Import:
    """One imported name, in full: ``from ..core import Table`` is ``cranfield.core.Table``."""

    name: str
    line: int
    lazy: bool  # inside a function, or for the type checker alone


def files(root: Path = SOURCE) -> list[Path]:
    """Every Python file of the package."""
    return sorted(root.rglob("*.py"))


def package(path: Path, root: Path = SOURCE) -> str:
    """The subpackage a file is in; nothing for files beside the subpackages."""
    parts = path.relative_to(root).parts
    return parts[0] if len(parts) > 1 else ""


def packages(root: Path = SOURCE) -> list[str]:
    """The subpackages there are."""
    return sorted(path.parent.name for path in root.glob("*/__init__.py"))


def imports(path: Path, root: Path = SOURCE) -> list[Import]:
    """What a file imports, however it writes it; ``import_module("…")`` and ``need("…")`` count too."""
    return list(_walk(ast.parse(path.read_text(encoding="utf-8")), path, root, lazy=False))


def _walk(tree: ast.AST, path: Path, root: Path, *, lazy: bool) -> Iterator[Import]:
    for node in ast.iter_child_nodes(tree):
        inside = lazy or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) or _for_types(node)
        if isinstance(node, ast.Import):
            yield from (Import(alias.name, node.lineno, lazy) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            here = ("cranfield", *path.relative_to(root).with_suffix("").parts)
            base = ".".join(here[: -node.level]) if node.level else ""
            module = ".".join(part for part in (base, node.module) if part)
            yield from (Import(f"{module}.{alias.name}", node.lineno, lazy) for alias in node.names)
        elif isinstance(node, ast.Call) and (name := _imported_by_call(node)):
            yield Import(name, node.lineno, lazy)
        yield from _walk(node, path, root, lazy=inside)


def _for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) in {"TYPE_CHECKING", "typing.TYPE_CHECKING"}


def _imported_by_call(node: ast.Call) -> str:
    called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    first = node.args[0] if node.args else None
    if called in {"import_module", "__import__", "need"} and isinstance(first, ast.Constant):
        return str(first.value)
    return ""


@cache
def catalogues() -> dict[str, Catalogue[object]]:
    """Every catalogue of the project, by where it stands. The server is left out: Django wants settings first."""
    found: dict[int, tuple[str, Catalogue[object]]] = {}
    for path in files():
        if package(path) in {"server", ""} or path.stem == "__main__":
            continue
        parts = path.relative_to(SOURCE.parent).with_suffix("").parts
        module = importlib.import_module(".".join(parts).removesuffix(".__init__"))
        for name, value in vars(module).items():
            if isinstance(value, Catalogue):
                found.setdefault(id(value), (f"{module.__name__}.{name}", value))
    return dict(found.values())


def comments_and_docstrings(path: Path) -> Iterator[tuple[int, str]]:
    """The prose of a file, with the line it starts on."""
    with tokenize.open(path) as stream:
        for token in tokenize.generate_tokens(stream.readline):
            if token.type == tokenize.COMMENT or (token.type == tokenize.STRING and '"""' in token.string):
                yield token.start[0], token.string
