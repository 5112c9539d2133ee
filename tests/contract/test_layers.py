"""Imports point down: packages in one row never import each other."""

import ast
from pathlib import Path

import pytest

from tests.support.source_tree import SOURCE, files, imports, package, packages

LAYERS = [  # lowest first, as drawn in the design
    {"core"},
    {"data"},
    {"measures", "stats", "fusion", "simulate"},
    {"collections", "online"},
    {"studies", "charts"},
    {"reports"},
    {"integrations"},
    {"server"},
    {"cli"},
]
HEIGHT = {name: height for height, row in enumerate(LAYERS) for name in row}
FRONT = {"server", "cli"}  # what may use the package as a user does: `import cranfield`
TOP_FILES = {"__init__.py", "__main__.py", "_lazy_imports.py"}  # these belong to no layer
PREFETCH = Path("cli", "prefetch.py")  # starts to read before anything else is loaded


def exported(root: Path) -> dict[str, str]:
    """The public names of the package and the subpackage each comes from."""
    return {
        found.name.split(".")[-1]: found.name.split(".")[1]
        for found in imports(root / "__init__.py", root)
        if found.name.startswith("cranfield.")
    }


def problems(root: Path) -> list[str]:
    """Every import that does not point down."""
    home = exported(root)
    wrong = []
    for path in files(root):
        here = package(path, root)
        if not here:
            continue
        for found in imports(path, root):
            where = f"{path.relative_to(root)}:{found.line}"
            parts = found.name.split(".")
            if parts[0] != "cranfield":
                continue
            there = parts[1] if len(parts) > 1 else ""
            if there == "_lazy_imports":  # imports nothing of ours
                continue
            there = there if there in HEIGHT or there == "_native" else home.get(there, "")
            if there == "_native":
                if here != "data" and path.relative_to(root) != PREFETCH:
                    wrong.append(f"{where} imports the native module, which is for data alone")
            elif not there:
                if here not in FRONT:
                    wrong.append(f"{where} imports {found.name}: name the subpackage it comes from")
            elif there != here and HEIGHT[there] >= HEIGHT[here]:
                wrong.append(f"{where} imports {there}, which is not below {here}")
    return wrong


def test_imports_point_down() -> None:
    assert not problems(SOURCE), "\n".join(problems(SOURCE))


def test_every_package_has_a_layer() -> None:
    assert set(packages()) <= set(HEIGHT)
    others = {path.name for path in SOURCE.glob("*.py")} - TOP_FILES
    assert not others, f"{others} belong to no layer"


def test_nothing_is_called_utils() -> None:
    vague = {"utils", "util", "helpers", "helper", "common", "misc", "manager", "managers", "base2"}
    assert not [path for path in SOURCE.rglob("*") if path.stem.strip("_") in vague]


@pytest.mark.parametrize(
    ("file", "line", "wrong"),
    [
        ("stats/_x.py", "from cranfield.measures import AP", True),
        ("stats/_x.py", "from ..measures import AP", True),
        ("stats/_x.py", "from .. import measures", True),
        ("stats/_x.py", "from cranfield import measures", True),
        ("stats/_x.py", "import cranfield.measures as m", True),
        ("stats/_x.py", "def f():\n    from ..studies import compare", True),
        ("stats/_x.py", "import importlib\nimportlib.import_module('cranfield.cli')", True),
        ("stats/_x.py", "import cranfield", True),
        ("stats/_x.py", "from cranfield import Unheard", True),
        ("stats/_x.py", "from cranfield import NDCG", True),  # exported from measures
        ("stats/deep/_x.py", "from ...measures import AP", True),
        ("stats/_x.py", "from .._native import read", True),
        ("stats/_x.py", "from ..core import Table", False),
        ("stats/_x.py", "from . import _y", False),
        ("stats/_x.py", "from cranfield import Table", False),  # exported from core
        ("data/_x.py", "from cranfield import _native", False),
        ("studies/_x.py", "from cranfield import NDCG", False),
        ("cli/_x.py", "import cranfield as cf", False),
    ],
)
def test_this_test_sees_every_way_to_import(tmp_path: Path, file: str, line: str, wrong: bool) -> None:
    (tmp_path / file).parent.mkdir(parents=True)
    (tmp_path / file).write_text(line)
    (tmp_path / "__init__.py").write_text("from .measures import NDCG as NDCG\nfrom .core import Table as Table")
    assert bool(problems(tmp_path)) is wrong


def test_every_file_parses_on_the_oldest_python() -> None:
    for path in files():
        ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 11))
