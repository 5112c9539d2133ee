"""Turn a documented class into a frozen, named, citable declaration."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import MISSING, FrozenInstanceError, dataclass, fields
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


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Declared:
    """A frozen value made of named parameters: it compares, hashes, copies and pickles by them.

    A dataclass in all but the code that ``dataclass`` would write and compile for every class: half a millisecond each,
    which a catalogue of a hundred would cost every command at its start.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        said, cls.__doc__ = cls.__doc__, cls.__doc__ or "-"  # where nothing is said, dataclass would make something up
        dataclass(init=False, repr=False, eq=False, kw_only=True)(cls)
        cls.__doc__ = said

    def __init__(self, **given: Any) -> None:
        for field in fields(self):  # type: ignore[arg-type]  # every subclass is a dataclass
            if field.name in given:
                value = given.pop(field.name)
            elif field.default is not MISSING:
                value = field.default
            elif field.default_factory is not MISSING:
                value = field.default_factory()
            else:
                raise TypeError(f"{type(self).__name__} needs {field.name}")
            object.__setattr__(self, field.name, value)
        if given:
            raise TypeError(f"{type(self).__name__} has no {next(iter(given))}")
        self.__post_init__()

    def __post_init__(self) -> None:
        """Check the parameters; a subclass may refuse them here."""

    def _values(self) -> tuple[object, ...]:
        return tuple(getattr(self, field.name) for field in fields(self))  # type: ignore[arg-type]

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self._values() == other._values()

    def __hash__(self) -> int:
        return hash((type(self), self._values()))

    def __setattr__(self, name: str, value: object) -> None:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> None:
        raise FrozenInstanceError(f"cannot delete field {name!r}")


class Catalogue(Generic[T]):
    """The declarations of one kind, by name: the single list everything else reads.

    ``see`` tells a user where the names are listed; without it an unknown name is answered with all of them.
    """

    def __init__(self, kind: str, *, see: str = "") -> None:
        self.kind, self.see = kind, see
        self._entries: dict[str, type[T]] = {}  # by name, in declared order
        self._known: dict[str, tuple[str, type[T]]] = {}  # names and aliases, case folded

    def declare(self, name: str, *, cite: str, aliases: tuple[str, ...] = ()) -> Callable[[type[D]], type[D]]:
        """Give a class its name and its source, and list it.

        ``cite`` holds one key of references.bib, or several separated by commas.
        """

        def list_it(cls: type[D]) -> type[D]:
            if not (cls.__doc__ or "").strip():
                raise TypeError(f"{self.kind} {name!r} has no docstring")
            for word in (name, *aliases):
                taken = self._known.get(word.casefold())
                if taken:
                    raise TypeError(f"{self.kind} {word!r} is declared twice: {taken[1].__qualname__} has that name")
            for attribute, value in (("name", name), ("cite", cite), ("aliases", aliases)):
                setattr(cls, attribute, value)
            entry = cast("type[T]", cls)
            self._entries[name] = entry
            for word in (*aliases, name):
                self._known[word.casefold()] = (word, entry)
            return cls

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
