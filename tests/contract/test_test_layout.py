"""The layout of the tests: shared code is in tests/support, and tests and conftests import only from there."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.source_tree import ROOT, SOURCE

TESTS = ROOT / "tests"
FILES = sorted(TESTS.rglob("*.py"))

# Libraries that tests compare cranfield with. A run of tests that need no peer must not import one.
PEERS = {
    "baycomp",
    "beir",
    "crowdkit",
    "cwl",
    "fairsearchcore",
    "ir_measures",
    "nuggetizer",
    "obp",
    "pyNTCIREVAL",
    "pyclick",
    "pyndeval",
    "pyterrier",
    "pytrec_eval",
    "quapy",
    "ranx",
    "repro_eval",
    "trectools",
}
GUARDED = {"ir_measures", "pytrec_eval"}
GUARD = "tests.support.guarded_peers"

# Other modules that may be next to tests, as patterns of paths below tests, with the reason.
ELSEWHERE = {
    r"support/.+": "the shared modules",
    r"golden/make/.+": "makers of golden values, each run by its own command",
    r"cli/bad_files/\w+\.py": "tables of cases that only test_bad_files.py imports",
    r"server/releases/make\.py": "maker of the backup of a release, next to the file it writes",
}


# Where the tests of a folder are, and folders there that have no counterpart in the source.
MIRRORS = {
    "unit": (SOURCE, frozenset[str]()),
    "cli": (SOURCE / "cli" / "commands", frozenset({"bad_files"})),
    "server": (SOURCE / "server", frozenset({"browser", "releases", "security"})),
}


def module_of(path: Path) -> str:
    """Return the dotted name under which a file of the tests is imported."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


MODULES = {module_of(path) for path in FILES}


def imports_of(source: str, package: str) -> Iterator[str]:
    """Yield every name that code imports, in full; code in strings counts too."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *filter(None, [node.module])])
            yield from (f"{base}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            for base, names in re.findall(r"\bfrom (tests[\w.]*) import ([\w, *]+)", node.value):
                yield from (f"{base}.{name.split()[0]}" for name in names.split(",") if name.split())


def imported_modules(path: Path) -> set[str]:
    """Return the modules of the tests that a file imports."""
    found = set()
    for name in imports_of(path.read_text(encoding="utf-8"), module_of(path).rpartition(".")[0]):
        found |= {name, name.rpartition(".")[0]} & MODULES
    return found


def is_test_or_conftest(module: str) -> bool:
    """Return whether a module is collected by pytest: a test module or a conftest."""
    name = module.rpartition(".")[2]
    return name.startswith("test_") or name == "conftest"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import tests.cli.test_a", {"tests.cli.test_a"}),
        ("from tests.cli import test_a", {"tests.cli.test_a"}),
        ("from .test_a import b", {"tests.cli.test_a.b"}),
        ("from ..server.conftest import c", {"tests.server.conftest.c"}),
        ('code = "x = 1; from tests.cli.test_a import b, c; b()"', {"tests.cli.test_a.b", "tests.cli.test_a.c"}),
    ],
)
def test_every_form_of_import_is_found(source: str, expected: set[str]) -> None:
    assert set(imports_of(source, "tests.cli")) == expected


def test_no_module_imports_a_test_or_a_conftest() -> None:
    files = [*FILES, *(ROOT / "benchmarks").rglob("*.py")]
    wrong = {
        str(path.relative_to(ROOT)): bad
        for path in files
        if (bad := sorted(filter(is_test_or_conftest, imported_modules(path))))
    }
    assert not wrong, f"move what they share to tests/support: {wrong}"


def test_shared_modules_are_in_support() -> None:
    others = [path for path in FILES if path.name != "__init__.py" and not is_test_or_conftest(path.stem)]
    names = [str(path.relative_to(TESTS)) for path in others]
    wrong = [name for name in names if not any(re.fullmatch(pattern, name) for pattern in ELSEWHERE)]
    assert not wrong, f"move to tests/support: {wrong}"


def test_every_exception_is_used() -> None:
    names = [str(path.relative_to(TESTS)) for path in FILES]
    assert [pattern for pattern in ELSEWHERE if not any(re.fullmatch(pattern, name) for name in names)] == []


def test_no_test_is_hidden_in_support() -> None:
    assert [path.name for path in (TESTS / "support").rglob("*.py") if is_test_or_conftest(path.stem)] == []


def test_tables_of_bad_files_are_imported_by_their_test_only() -> None:
    folder = TESTS / "cli" / "bad_files"
    tables = {module_of(path) for path in folder.glob("*.py")}
    assert [path.name for path in FILES if path.parent != folder and imported_modules(path) & tables] == []


def test_conftest_imports_no_peer() -> None:
    source = (TESTS / "conftest.py").read_text(encoding="utf-8")
    assert {name.split(".")[0] for name in imports_of(source, "tests")} & PEERS == set()


def test_conftest_and_its_plugins_load_no_peer() -> None:
    code = (
        "import sys, importlib, tests.conftest as conftest\n"
        "[importlib.import_module(name) for name in conftest.pytest_plugins]\n"
        f"print(*sorted({PEERS!r} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []


def test_trec_eval_is_only_called_behind_its_guard() -> None:
    wrong = []
    for path in FILES:
        names = set(imports_of(path.read_text(encoding="utf-8"), module_of(path).rpartition(".")[0]))
        peers = {name.split(".")[0] for name in names} & GUARDED
        if peers and module_of(path) != GUARD and GUARD not in imported_modules(path):
            wrong.append(str(path.relative_to(ROOT)))
    assert not wrong, f"import {sorted(GUARDED)} from {GUARD}: {wrong}"


@pytest.mark.parametrize("folder", MIRRORS)
def test_folders_of_tests_mirror_the_source(folder: str) -> None:
    source, others = MIRRORS[folder]
    folders = {path.parent.relative_to(TESTS / folder) for path in (TESTS / folder).rglob("test_*.py")}
    assert not {str(path) for path in folders if not (source / path).is_dir()} - others


def test_most_unit_tests_are_named_after_a_module() -> None:
    # The others test several modules together, or one aspect of a large module.
    tests = [path.relative_to(TESTS / "unit") for path in (TESTS / "unit").rglob("test_*.py")]
    named = [path for path in tests if (SOURCE / path.parent / f"{path.stem.removeprefix('test_')}.py").exists()]
    assert len(named) / len(tests) > 0.9
