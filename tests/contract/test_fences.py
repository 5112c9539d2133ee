"""Which package may use which library, and what a start may load."""

import importlib.util
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.source_tree import SOURCE, files, imports, package

COMPUTING = {"measures", "stats", "fusion", "simulate", "collections", "online"}


@dataclass(frozen=True)
class Fence:
    """Where a library may be imported."""

    only: frozenset[str] = frozenset()  # these packages; empty for all
    lazy: bool = False  # inside functions alone


def within(*names: str, lazy: bool = False) -> Fence:
    """A library for some packages alone."""
    return Fence(only=frozenset(names), lazy=lazy)


FENCES = {
    "numpy": Fence(),
    "scipy": within(*COMPUTING),
    "polars": Fence(lazy=True),  # .15 s to import
    "pandas": Fence(lazy=True),
    "pyarrow": Fence(lazy=True),
    "click": within("cli"),
    "rich": within("cli", lazy=True),
    "altair": within("charts"),
    "vl_convert": within("charts"),
    "weasyprint": within("reports", lazy=True),
    "jinja2": within("reports", "server", lazy=True),
    "grpc": within("data", lazy=True),
    "pyspark": within("data", "integrations", lazy=True),
    "ibis": within("data", "online", "integrations", lazy=True),
    "duckdb": within("data", lazy=True),
    "tea_tasting": within("online", lazy=True),
    "ir_datasets": within("data", lazy=True),
    "ir_measures": within("integrations", lazy=True),
    "yaml": within("data", lazy=True),
    "hypothesis": within("simulate", lazy=True),
    "sklearn": within("collections", "online", "integrations", lazy=True),
    "django": within("server", "cli"),
    "markdown_it": within("server"),
    "ninja": within("server"),
    "django_htmx": within("server"),
    "csp": within("server"),
    "whitenoise": within("server"),
    "granian": within("server", "cli", lazy=True),
    "pydantic": within("server"),  # it comes with django-ninja
}


def problems(root: Path) -> list[str]:
    """Every import of a library where it may not be."""
    wrong = []
    for path in files(root):
        here = package(path, root)
        for found in imports(path, root):
            library = found.name.partition(".")[0]
            if library == "cranfield" or library in sys.stdlib_module_names:
                continue
            where = f"{path.relative_to(root)}:{found.line}"
            fence = FENCES.get(library)
            if fence is None:
                wrong.append(f"{where} imports {library}, for which there is no fence")
            elif fence.only and here not in fence.only:
                wrong.append(f"{where} imports {library}, which is not for {here or 'the front'}")
            elif fence.lazy and not found.lazy:
                wrong.append(f"{where} imports {library} at module level")
    return wrong


def test_libraries_stay_behind_their_fences() -> None:
    assert not problems(SOURCE), "\n".join(problems(SOURCE))


@pytest.mark.parametrize(
    ("file", "line", "wrong"),
    [
        ("studies/_x.py", "import numpy as np", False),
        ("studies/_x.py", "def f():\n    from scipy import stats", True),
        ("core/x.py", "import polars as pl", True),
        ("core/x.py", "from polars import DataFrame", True),
        ("core/x.py", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import polars", False),
        ("core/x.py", "def f():\n    import polars", False),
        ("stats/_x.py", "import click", True),
        ("reports/_x.py", "import altair", True),
        ("charts/_x.py", "from cranfield.core import need\nneed('altair', extra='charts')", False),
        ("stats/_x.py", "import left_pad", True),
        ("stats/_x.py", "import numpy, json, scipy.stats", False),
    ],
)
def test_this_test_sees_through_the_fence(tmp_path: Path, file: str, line: str, wrong: bool) -> None:
    (tmp_path / file).parent.mkdir(parents=True)
    (tmp_path / file).write_text(line)
    assert bool(problems(tmp_path)) is wrong


def loaded(statement: str, folder: Path) -> set[str]:
    """The libraries (not of Python's own) that a statement loads in a fresh process."""
    script = f"""
import json, sys
before = set(sys.modules)
try:
{statement}
except SystemExit as end:
    assert not end.code, end.code
# numpy's generators leave names of Cython's own in sys.modules
roots = {{name.partition(".")[0] for name in set(sys.modules) - before if "cython" not in name}}
print("\\n" + json.dumps(sorted(roots - set(sys.stdlib_module_names))))
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=folder, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_core_loads_numpy_alone(tmp_path: Path) -> None:
    names = [path.stem for path in files() if package(path) == "core" and path.stem != "__init__"]
    statement = "\n".join(f"    import cranfield.core.{name}" for name in names)
    assert loaded(statement, tmp_path) <= {"cranfield", "numpy"}


def test_the_package_loads_numpy_alone(tmp_path: Path) -> None:
    assert loaded("    import cranfield", tmp_path) <= {"cranfield", "numpy"}


QRELS = "1 0 a 1\n1 0 b 0\n2 0 a 0\n2 0 c 2\n"
RUN = "1 Q0 a 1 2.5 x\n1 Q0 b 2 1.5 x\n2 Q0 c 1 9 x\n"
HAS_COMMANDS = importlib.util.find_spec("cranfield.cli") is not None
COMMANDS = [
    "import cranfield",  # always there, so that the list is never empty
    *(f"evaluate qrels run --format {form}" for form in ("text", "tsv", "json") if HAS_COMMANDS),
]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_start_is_light(command: str, tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "run").write_text(RUN)
    statement = f"    {command}"
    if not command.startswith("import"):
        statement = (
            f"    from cranfield.cli import main\n    sys.argv = {['cranfield', *command.split()]!r}\n    main()"
        )
    assert loaded(statement, tmp_path) <= {"cranfield", "numpy", "click"}
