"""Declarations: sealed, named once, found by any spelling."""

import pickle
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import FrozenInstanceError, replace
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, TypeVar

import numpy as np
import pytest

from cranfield.core import (
    Catalogue,
    Chance,
    Declared,
    Limits,
    Parameter,
    ParameterError,
    Positive,
    Share,
    UnknownName,
    definition,
    parameters,
)


class Shape(Declared, ABC):
    """A thing with an area."""

    name: ClassVar[str]
    cite: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]]
    k: int | None = None

    @abstractmethod
    def area(self) -> float: ...

    def label(self) -> str:
        return f"shape {self.name}"


SHAPES: Catalogue[Shape] = Catalogue("shape", see="see `cranfield shapes`")
S = TypeVar("S", bound=Shape)


def shape(name: str, *, cite: str, aliases: tuple[str, ...] = ()) -> Callable[[type[S]], type[S]]:
    return SHAPES.declare(name, cite=cite, aliases=aliases)


@shape("Square", cite="euclid1", aliases=("Quad", "SQUARE"))
class Square(Shape):
    """Four equal sides:
    the simplest.

    More about it.
    """  # noqa: D205  a definition of two lines

    side: float
    unit: Literal["m", "km"] = "m"

    def area(self) -> float:
        return self.side**2

    def label(self) -> str:
        return super().label() + "!"

    @property
    def twice(self) -> str:
        return super().label() * 2

    @classmethod
    def kind(cls) -> type:
        return __class__  # type: ignore[name-defined]  # the cell that super() reads


@shape("Disc", cite="euclid1,euclid2")
class Disc(Shape):
    """A filled circle."""

    radius: float = 1.0

    def area(self) -> float:
        return 3 * self.radius**2


def test_a_declaration_is_a_value() -> None:
    square = Square(side=2.0)
    assert square == Square(side=2.0, k=None) != replace(square, k=3)
    assert len({square, Square(side=2.0)}) == 1
    assert pickle.loads(pickle.dumps(square)) == square
    with pytest.raises(FrozenInstanceError):
        square.side = 3.0  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del square.side
    with pytest.raises(TypeError):
        Square(2.0)  # type: ignore[call-arg,arg-type]
    with pytest.raises(TypeError, match="Square needs side"):
        Square()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="Square has no size"):
        Square(side=1.0, size=2)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        Shape()  # type: ignore[abstract]


def test_zero_argument_super_works_in_a_declaration() -> None:
    square = Square(side=1.0)
    assert square.label() == "shape Square!"
    assert square.twice == "shape Squareshape Square"
    assert Square.kind() is Square


def test_names_are_found_in_any_case_and_by_alias() -> None:
    assert SHAPES["Square"] is SHAPES["square"] is SHAPES["QUAD"] is Square
    assert "disc" in SHAPES
    assert "cube" not in SHAPES
    assert 3 not in SHAPES
    assert SHAPES.names() == ["Square", "Disc"]
    assert list(SHAPES) == [Square, Disc]
    assert len(SHAPES) == 2
    assert (Disc.name, Disc.cite, Square.aliases) == ("Disc", "euclid1,euclid2", ("Quad", "SQUARE"))
    assert SHAPES.where(lambda cls: "euclid2" in cls.cite) == [Disc]


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="there is no shape named 'sqare'") as caught:
        SHAPES["sqare"]
    assert caught.value.hint.startswith("did you mean S")
    with pytest.raises(UnknownName) as caught:
        SHAPES["xyz"]
    assert caught.value.hint == "see `cranfield shapes`"
    with pytest.raises(UnknownName) as caught:
        Catalogue[Shape]("ring")["xyz"]
    assert caught.value.hint == "there are: none"


@pytest.mark.parametrize(("name", "aliases"), [("SQUARE", ()), ("quad", ()), ("Box", ("disc",))])
def test_a_name_is_declared_once(name: str, aliases: tuple[str, ...]) -> None:
    with pytest.raises(TypeError, match="declared twice"):

        @shape(name, cite="x", aliases=aliases)
        class Other(Shape):
            """Another."""

            def area(self) -> float:
                return 0.0

    assert SHAPES.names() == ["Square", "Disc"]


def test_a_declaration_needs_a_docstring() -> None:
    with pytest.raises(TypeError, match="'Bare' has no docstring"):

        @shape("Bare", cite="x")
        class Bare(Shape):
            def area(self) -> float:
                return 0.0


def test_help_pages_read_parameters_and_definition() -> None:
    assert list(parameters(Square)) == [
        Parameter("k", "int | None"),
        Parameter("side", "float", required=True),
        Parameter("unit", "Literal['m', 'km']", "m"),
    ]
    assert definition(Square) == "Four equal sides: the simplest."


class Settings(Declared):
    """Parameters of every kind."""

    name: ClassVar[str] = "S"
    p: Chance = 0.5
    times: Positive = 1.0
    depth: Annotated[int | None, Limits(1)] = None
    grade: Annotated[int | float, Limits(0)] = 1
    share: Share = 0.0
    way: Literal["up", "down"] = "up"
    there: bool = False
    free: Any = None


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"p": 1}, "S cannot have p=1\nhint: p is a number between 0 and 1"),
        ({"p": "a"}, "S cannot have p='a'\nhint: p is a number between 0 and 1"),
        ({"p": True}, "S cannot have p=True\nhint: p is a number between 0 and 1"),
        ({"p": float("nan")}, "S cannot have p=nan\nhint: p is a number between 0 and 1"),
        ({"times": 0}, "S cannot have times=0\nhint: times is a number above 0"),
        ({"depth": 0}, "S cannot have depth=0\nhint: depth is a whole number from 1 up"),
        ({"depth": 2.5}, "S cannot have depth=2.5\nhint: depth is a whole number from 1 up"),
        ({"depth": 10**400}, f"S cannot have depth={10**400}\nhint: depth is a whole number from 1 up"),
        ({"grade": -1}, "S cannot have grade=-1\nhint: grade is a number from 0 up"),
        ({"share": 1.5}, "S cannot have share=1.5\nhint: share is a number between 0 and 1, both included"),
        ({"way": "left"}, "S cannot have way='left'\nhint: way is 'up' or 'down'"),
        ({"there": 1}, "S cannot have there=1\nhint: there is True or False"),
    ],
)
def test_a_value_outside_the_type_of_its_parameter_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        Settings(**given)
    assert str(caught.value) == message


def test_a_number_has_one_form() -> None:
    whole = Settings(times=2, depth=np.int64(3), grade=2.0, share=1)  # type: ignore[arg-type]  # a number is a number
    assert (repr(whole.times), repr(whole.depth), repr(whole.grade), repr(whole.share)) == ("2.0", "3", "2", "1.0")
    assert Settings(grade=1.5).grade == 1.5
    assert Settings(depth=None).depth is None
    assert Settings(free={"any": "thing"}).free == {"any": "thing"}


def test_limits_are_part_of_the_help() -> None:
    shown = {parameter.name: (parameter.type, parameter.limits) for parameter in parameters(Settings)}
    assert shown["p"] == ("float", "between 0 and 1")
    assert shown["depth"] == ("int | None", "from 1 up")
    assert shown["way"] == ("Literal['up', 'down']", "")


class Frame(Declared):
    """A thing around a shape."""

    of: Shape | None = None
    inside: Shape


def test_a_parameter_that_is_a_declaration_is_called_by_its_family() -> None:
    assert [(parameter.name, parameter.type) for parameter in parameters(Frame)][1] == ("inside", "shape")


LATER = '''
from dataclasses import dataclass
from declared_here import CATALOGUE

@CATALOGUE.declare("Late", cite="somebody2001", aliases=("Later",))
class Late:
    """Late: declared where nobody has looked yet."""
'''


def test_what_is_declared_elsewhere_is_loaded_when_it_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    here = 'from cranfield.core import Catalogue\nCATALOGUE = Catalogue("thing", later=("declared_late",))\n'
    (tmp_path / "declared_here.py").write_text(here)
    (tmp_path / "declared_late.py").write_text(LATER)

    def fresh() -> Any:
        for name in ("declared_here", "declared_late"):
            sys.modules.pop(name, None)
        made = import_module("declared_here").CATALOGUE
        assert "declared_late" not in sys.modules
        return made

    for ask in (len, list, repr, lambda c: c.names(), lambda c: "later" in c, lambda c: c["LATE"]):
        assert ask(fresh())
        assert "declared_late" in sys.modules
    catalogue = fresh()
    assert 3 not in catalogue
    assert "declared_late" not in sys.modules
    assert "nonsense" not in catalogue
    assert catalogue.names() == ["Late"]


def test_declarations_are_listed_in_the_order_of_their_modules() -> None:
    catalogue: Catalogue[Declared] = Catalogue("thing", order=("b", "a"))
    for name, module in (
        ("first", "cranfield.a"),
        ("second", "elsewhere"),
        ("third", "cranfield.b"),
        ("last", "cranfield.a"),
    ):
        made = type(name.title(), (Declared,), {"__doc__": "A thing.", "__module__": module})
        catalogue.declare(name, cite="x")(made)
    assert catalogue.names() == ["third", "first", "last", "second"]
    assert [entry.__name__ for entry in catalogue] == ["Third", "First", "Last", "Second"]
    assert repr(catalogue) == "Catalogue('thing': third, first, last, second)"
    with pytest.raises(UnknownName) as refused:
        _ = catalogue["zzz"]
    assert refused.value.hint == "there are: third, first, last, second"
