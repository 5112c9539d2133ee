"""Turn a documented class into a frozen, named, citable declaration."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import MISSING, dataclass, fields
from types import FunctionType
from typing import Any, Generic, TypeVar, cast, dataclass_transform

from .errors import UnknownName

T = TypeVar("T")
D = TypeVar("D")


@dataclass(frozen=True, slots=True)
class Parameter:
    """One setting of a declaration, as help pages show it."""

    name: str
    type: str
    default: object = None
    required: bool = False


class Catalogue(Generic[T]):
    """The declarations of one kind, by name: the single list everything else reads.

    ``see`` tells a user where the names are listed; without it an unknown name is answered with all of them.
    """

    def __init__(self, kind: str, *, see: str = "") -> None:
        self.kind, self.see = kind, see
        self._entries: dict[str, type[T]] = {}  # by name, in declared order
        self._known: dict[str, tuple[str, type[T]]] = {}  # names and aliases, case folded

    def declare(self, name: str, *, cite: str, aliases: tuple[str, ...] = ()) -> Callable[[type[D]], type[D]]:
        """Seal the class, give it its name and its source, and list it.

        Wrap it per kind in a module-level function under ``@dataclass_transform(frozen_default=True,
        kw_only_default=True)``: as a bound method mypy loses the constructor.
        ``cite`` holds one key of references.bib, or several separated by commas.
        """

        def list_it(cls: type[D]) -> type[D]:
            if not (cls.__doc__ or "").strip():
                raise TypeError(f"{self.kind} {name!r} has no docstring")
            for word in (name, *aliases):
                taken = self._known.get(word.casefold())
                if taken:
                    raise TypeError(f"{self.kind} {word!r} is declared twice: {taken[1].__qualname__} has that name")
            sealed = seal(cls)
            for attribute, value in (("name", name), ("cite", cite), ("aliases", aliases)):
                setattr(sealed, attribute, value)
            entry = cast("type[T]", sealed)
            self._entries[name] = entry
            for word in (*aliases, name):
                self._known[word.casefold()] = (word, entry)
            return sealed

        return list_it

    def names(self) -> list[str]:
        """The declared names, without aliases."""
        return list(self._entries)

    def where(self, holds: Callable[[type[T]], bool]) -> list[type[T]]:
        """The declarations for which ``holds`` is true, in declared order."""
        return [entry for entry in self if holds(entry)]

    def __getitem__(self, name: str) -> type[T]:
        """The declaration of that name: aliases count, case does not."""
        try:
            return self._known[name.casefold()][1]
        except KeyError:
            raise UnknownName(f"there is no {self.kind} named {name!r}", hint=self._hint(name)) from None

    def _hint(self, name: str) -> str:
        from difflib import get_close_matches

        near = get_close_matches(name.casefold(), self._known, n=3, cutoff=0.5)
        if near:
            return f"did you mean {' or '.join(self._known[word][0] for word in near)}?"
        return self.see or f"there are: {', '.join(self._entries) or 'none'}"

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.casefold() in self._known

    def __iter__(self) -> Iterator[type[T]]:
        return iter(self._entries.values())

    def __len__(self) -> int:
        return len(self._entries)

    def __repr__(self) -> str:
        return f"Catalogue({self.kind!r}: {', '.join(self._entries)})"


@dataclass_transform(frozen_default=True, kw_only_default=True)
def seal(cls: type[D]) -> type[D]:
    """Make the class a frozen, slotted dataclass with named parameters only.

    Slots build the class a second time. Zero-argument ``super()`` looks its class up in a cell that still holds the
    first one (python/cpython#90562, mended in 3.14), so the cells are pointed at the class that stays.
    """
    # A base that says how its kind is shown (a measure as its notation) is not overruled.
    shown = cls.__repr__ is not object.__repr__
    sealed = dataclass(frozen=True, slots=True, kw_only=True, repr=not shown)(cls)
    for member in vars(sealed).values():
        for function in _functions(member):
            for cell in function.__closure__ or ():
                if _content(cell) is cls:
                    cell.cell_contents = sealed
    return sealed


def _functions(member: object) -> list[FunctionType]:
    """The plain functions behind a method, property, classmethod or staticmethod."""
    if isinstance(member, property):
        found: list[Any] = [member.fget, member.fset, member.fdel]
    else:
        found = [getattr(member, "__func__", member)]
    return [inspect.unwrap(function) for function in found if isinstance(function, FunctionType)]


def _content(cell: Any) -> object:
    try:
        return cell.cell_contents
    except ValueError:  # a cell that nothing was put into yet
        return None


def parameters(cls: type) -> list[Parameter]:
    """The settings of a declaration, in order: name, type as text, default."""
    found = []
    for field in fields(cls):
        default = field.default_factory() if field.default_factory is not MISSING else field.default
        text = field.type if isinstance(field.type, str) else inspect.formatannotation(field.type)
        required = default is MISSING
        found.append(Parameter(field.name, text, None if required else default, required))
    return found


def definition(cls: type) -> str:
    """What a declaration means: its docstring up to the first blank line, as one line."""
    paragraph = inspect.cleandoc(cls.__doc__ or "").partition("\n\n")[0]
    return " ".join(paragraph.split())
