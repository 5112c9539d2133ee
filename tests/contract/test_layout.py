"""The layout of the source tree: small folders, and names that hide nothing."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.source_tree import ROOT, SOURCE, catalogues, files, imports, package, packages

MAX_FILES = 20
GENERATED = {"migrations"}  # Django names and numbers its own files
# Sub-packages with public names of their own. The Spark functions have the names of their local counterparts, so
# `cranfield.integrations` cannot re-export them.
NAMESPACES = {Path("integrations", "spark")}


def crowded(root: Path) -> dict[str, int]:
    """Return the folders with more Python files than a reader can survey."""
    counts = {folder: len(list(folder.glob("*.py"))) for folder in (root, *root.rglob("*")) if folder.is_dir()}
    return {
        str(folder.relative_to(root)): count
        for folder, count in counts.items()
        if count > MAX_FILES and folder.name not in GENERATED
    }


def test_no_folder_is_crowded() -> None:
    assert not crowded(SOURCE)


def test_a_crowded_folder_is_found(tmp_path: Path) -> None:
    for folder, count in (("full", MAX_FILES), ("crowded", MAX_FILES + 1), ("migrations", MAX_FILES + 1)):
        (tmp_path / folder).mkdir()
        for number in range(count):
            (tmp_path / folder / f"m{number}.py").touch()
    assert crowded(tmp_path) == {"crowded": MAX_FILES + 1}


def _is_docstring(tree: ast.Module) -> bool:
    return len(tree.body) == 1 and ast.get_docstring(tree) is not None


def exporting(root: Path) -> list[str]:
    """Return the ``__init__`` files of sub-packages that hold more than a docstring."""
    return [
        str(init.relative_to(root))
        for init in root.glob("*/*/**/__init__.py")
        if init.parent.relative_to(root) not in NAMESPACES and init.parent.name not in GENERATED
        if not _is_docstring(ast.parse(init.read_text("utf-8")))
    ]


def test_sub_packages_hold_a_docstring_only() -> None:
    assert not exporting(SOURCE)


def test_a_sub_package_that_exports_is_found(tmp_path: Path) -> None:
    texts = {"stats/anova": '"""Doc."""\nfrom .tables import x', "stats/boards": '"""Doc."""\n', "stats/topics": ""}
    for folder, text in texts.items():
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "__init__.py").write_text(text)
    assert sorted(exporting(tmp_path)) == ["stats/anova/__init__.py", "stats/topics/__init__.py"]


def exported_names(init: Path) -> set[str]:
    """Return the names that an ``__init__`` imports for its users."""
    imported = [node for node in ast.walk(ast.parse(init.read_text("utf-8"))) if isinstance(node, ast.ImportFrom)]
    return {alias.asname or alias.name for node in imported for alias in node.names}


def shadowing(root: Path) -> list[str]:
    """Return modules and folders named like something that their package exports."""
    return [
        f"{path.relative_to(root)} has the name of something that cranfield.{init.parent.name} exports"
        for init in root.glob("*/__init__.py")
        for path in init.parent.rglob("*")
        if (path.suffix == ".py" or path.is_dir()) and path.stem in exported_names(init)
    ]


def test_no_module_is_named_like_a_public_name() -> None:
    assert not shadowing(SOURCE), "\n".join(shadowing(SOURCE))


def test_a_module_named_like_a_function_is_found(tmp_path: Path) -> None:
    (tmp_path / "stats" / "boards").mkdir(parents=True)
    (tmp_path / "stats" / "__init__.py").write_text("from .boards.letters import letters as letters\n")
    (tmp_path / "stats" / "boards" / "letters.py").touch()
    assert len(shadowing(tmp_path)) == 1


def test_modules_import_from_where_a_name_is_defined() -> None:
    # Inside a package: an import through its own __init__ would depend on the order in which modules load.
    wrong = []
    for path in files():
        here = package(path)
        for found in imports(path) if here and path.name != "__init__.py" else []:
            parts = found.name.split(".")
            if parts[:2] == ["cranfield", here] and len(parts) == 3:
                target = SOURCE / here / parts[2]
                if not (target.is_dir() or target.with_suffix(".py").exists()):
                    wrong.append(f"{path.relative_to(SOURCE)}:{found.line} imports {found.name}")
    assert not wrong, "\n".join(wrong)


def test_modules_need_no_underscore() -> None:
    private = [path.relative_to(SOURCE) for path in files() if path.stem.startswith("_") and path.parent != SOURCE]
    assert not [path for path in private if path.stem not in {"__init__", "__main__"}]


LISTING = """
import importlib, json, sys
module, name = sys.argv[1].rsplit(".", 1)
print(json.dumps(sorted(map(str, getattr(importlib.import_module(module), name)))))
"""


def exported_catalogues() -> dict[str, list[str]]:
    """Return the entries of every catalogue under its public name, with every module of the project loaded."""
    loaded = {id(catalogue): catalogue for catalogue in catalogues().values()}
    public = {}
    for name in packages():
        if name == "server":  # its modules load once Django is set up
            continue
        module = sys.modules[f"cranfield.{name}"]
        for exported in exported_names(SOURCE / name / "__init__.py"):
            if id(getattr(module, exported)) in loaded:
                public[f"cranfield.{name}.{exported}"] = sorted(map(str, getattr(module, exported)))
    return public


@pytest.mark.parametrize("name", sorted(exported_catalogues()))
def test_a_catalogue_is_complete_in_a_fresh_process(name: str) -> None:
    # A catalogue loads some of its modules on demand, by name. A name that is out of date shows here.
    done = subprocess.run(
        [sys.executable, "-c", LISTING, name], capture_output=True, text=True, cwd=ROOT, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    listed = json.loads(done.stdout)
    assert listed
    assert listed == exported_catalogues()[name]


def test_the_main_catalogues_are_public() -> None:
    names = {name.rsplit(".", 1)[1] for name in exported_catalogues()}
    assert names >= {"MEASURES", "TESTS", "CORRECTIONS", "STRATEGIES", "AGGREGATIONS", "FUSIONS", "CHARTS"}
    assert names >= {"CLICK_MODELS", "INTERLEAVINGS", "ESTIMATORS", "ONLINE_MEASURES"}


def test_the_order_of_a_catalogue_names_modules_that_declare() -> None:
    for name, catalogue in catalogues().items():
        assert set(catalogue._index) <= {entry.__module__ for entry in catalogue}, name
