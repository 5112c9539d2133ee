"""Errors: two lines, the right families, and they survive a process border."""

import pickle

import pytest

from cranfield.core import errors
from cranfield.core.errors import CranfieldError, InputError, MissingExtra, need

KINDS = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, CranfieldError)]


def test_the_tree_in_the_docstring_is_the_tree() -> None:
    drawn = {line.split()[1] for line in (errors.__doc__ or "").splitlines() if line.strip()[:1] in {"├", "└"}}
    assert drawn == {kind.__name__ for kind in KINDS} - {"CranfieldError"}


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_is_two_lines_and_pickles(kind: type[CranfieldError]) -> None:
    error = kind("it is wrong", hint="do this")
    again = pickle.loads(pickle.dumps(error))
    assert str(error) == str(again) == "it is wrong\nhint: do this"
    assert (again.problem, again.hint, type(again)) == ("it is wrong", "do this", kind)
    assert str(kind("alone")) == "alone"


def test_an_input_error_keeps_its_place() -> None:
    error = InputError("run.txt:7: bad score", hint="fix it", code="E-SCORE", file="run.txt", line=7)
    again = pickle.loads(pickle.dumps(error))
    assert (again.code, again.file, again.line) == ("E-SCORE", "run.txt", 7)
    assert isinstance(error, ValueError)


@pytest.mark.parametrize(
    ("extra", "problem", "hint"),
    [
        ("charts", "charts need no_such_package", "pip install 'cranfield[charts]'"),
        ("spark", "spark needs no_such_package", "pip install 'cranfield[spark]'"),
        ("", "this needs no_such_package", "pip install no_such_package"),
    ],
)
def test_a_missing_package_names_its_extra(extra: str, problem: str, hint: str) -> None:
    with pytest.raises(MissingExtra) as caught:
        need("no_such_package.part", extra=extra)
    assert (caught.value.problem, caught.value.hint) == (problem, hint)
    assert isinstance(caught.value, ImportError)


def test_a_package_that_is_there_is_given() -> None:
    assert need("json").loads("[1]") == [1]
