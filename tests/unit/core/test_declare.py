"""Declarations: sealed, named once, found by any spelling."""

import pickle
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import FrozenInstanceError, replace
from typing import ClassVar, Literal, TypeVar

import pytest

from cranfield.core import Catalogue, Declared, Parameter, UnknownName, definition, parameters


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
    assert parameters(Square) == [
        Parameter("k", "int | None"),
        Parameter("side", "float", required=True),
        Parameter("unit", "Literal['m', 'km']", "m"),
    ]
    assert definition(Square) == "Four equal sides: the simplest."
