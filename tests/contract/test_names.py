"""Names: no function hides a package, everything public is documented, no list is kept by hand."""

import ast
import inspect
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import cranfield
from cranfield.core import CranfieldError
from tests.support.source_tree import SOURCE, files, imports, packages


def given_by(init: Path) -> set[str]:
    """The names a package's ``__init__`` gives: what it imports and what it defines."""
    names = {found.name.split(".")[-1] for found in imports(init) if not found.lazy}
    tree = ast.parse(init.read_text(encoding="utf-8"))
    return names | {n.name for n in tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef)}


def test_no_name_hides_a_module_of_its_own_package() -> None:
    # `cf.crowd(x)` would work once, and then the module of that name would shadow it.
    wrong = [
        f"{init.parent.relative_to(SOURCE.parent)} gives {name!r}, and has a module of that name"
        for init in SOURCE.rglob("__init__.py")
        for name in given_by(init)
        if (init.parent / f"{name}.py").exists() or (init.parent / name / "__init__.py").exists()
    ]
    assert not wrong, "\n".join(wrong)


def public() -> dict[str, object]:
    """What a user of the package sees."""
    given = {name: getattr(cranfield, name) for name in dir(cranfield) if not name.startswith("_")}
    return {name: value for name, value in given.items() if not isinstance(value, ModuleType)}


def test_no_public_function_has_the_name_of_a_subpackage() -> None:
    assert not set(public()) & set(packages())


def test_every_public_name_is_documented() -> None:
    ours = {
        name: value
        for name, value in public().items()
        if (inspect.isclass(value) or callable(value))
        and (getattr(value, "__module__", "") or "").startswith("cranfield")
    }
    assert not [name for name, value in ours.items() if not (value.__doc__ or "").strip()]


def test_every_module_says_what_it_is() -> None:
    silent = [path for path in files() if not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))]
    # Migrations are written by Django.
    assert not [path for path in silent if "migrations" not in path.parts]


def test_no_list_of_names_is_kept_by_hand() -> None:
    kept = [
        path
        for path in files()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Name) and node.id == "__all__"
    ]
    assert not kept


def test_what_is_loaded_later_is_what_types_see() -> None:
    """A name under TYPE_CHECKING is looked up on first use, and the other way round."""
    inside = SOURCE / "server"  # its packages can be loaded only once Django is set up, and none loads names later
    for init in (found for found in SOURCE.rglob("__init__.py") if inside not in found.parent.parents):
        module = import_module(".".join(("cranfield", *init.parent.relative_to(SOURCE).parts)))
        seen = {found.name.split(".")[-1] for found in imports(init) if found.lazy}
        places = vars(module)["__getattr__"].places if "__getattr__" in vars(module) else {}
        assert seen == set(places), init
        assert all(hasattr(module, name) for name in seen), init
        with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
            _ = module.nothing


def test_every_error_of_ours_has_one_root() -> None:
    roots = [
        f"{path.relative_to(SOURCE)}: {node.name}"
        for path in files()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
        and {ast.unparse(base) for base in node.bases} & {"Exception", "BaseException"}
    ]
    assert roots == [f"core/errors.py: {CranfieldError.__name__}"]
