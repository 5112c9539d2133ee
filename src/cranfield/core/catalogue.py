"""Catalogues of declarations: frozen classes with a name, a source and checked parameters."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import MISSING, FrozenInstanceError, dataclass, fields
from functools import cache
from importlib import import_module
from math import inf
from types import NoneType, UnionType
from typing import Annotated, Any, Generic, Literal, TypeVar, cast, dataclass_transform, get_args, get_origin

import numpy as np

from .errors import ParameterError, UnknownName

T = TypeVar("T")
D = TypeVar("D")


@dataclass(frozen=True, slots=True)
class Limits:
    """Between what a number may lie: it stands in the type of a parameter, ``Annotated[float, Limits(0, 1)]``."""

    low: float = -inf
    high: float = inf
    open: bool = False  # the ends themselves are left out

    def __contains__(self, number: float) -> bool:
        # An end at infinity is never reached: no parameter is infinite.
        above = self.low < number if self.open or self.low == -inf else self.low <= number
        below = number < self.high if self.open or self.high == inf else number <= self.high
        return above and below

    def __str__(self) -> str:
        if self.high == inf:
            return f"above {self.low:g}" if self.open else f"from {self.low:g} up"
        return f"between {self.low:g} and {self.high:g}" + ", both included" * (not self.open)


# The kinds of number that parameters are made of.
Chance = Annotated[float, Limits(0, 1, open=True)]
Share = Annotated[float, Limits(0, 1)]
Positive = Annotated[float, Limits(0, open=True)]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One setting of a declaration, as help pages show it."""

    name: str
    type: str
    default: object = None
    required: bool = False
    limits: str = ""  # in words


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
            object.__setattr__(self, field.name, _checked(self, field.name, field.type, value))
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


MOST = 1e300  # beyond it a setting is a slip of the hand
WORDS = {float: "a number", int: "a whole number", bool: "True or False", str: "text"}


@cache
def _kind(annotation: Any) -> tuple[frozenset[type], Limits | None, tuple[object, ...]]:
    """What a parameter's type admits: plain types (none: the declaration looks itself), limits of numbers, words."""
    limits = next((m for m in getattr(annotation, "__metadata__", ()) if isinstance(m, Limits)), None)
    bare = get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation
    parts = get_args(bare) if isinstance(bare, UnionType) else (bare,)
    words = tuple(word for part in parts if get_origin(part) is Literal for word in get_args(part))
    plain = {type(word) for word in words} | {part for part in parts if part in {*WORDS, NoneType}}
    known = all(get_origin(part) is Literal or part in plain for part in parts)
    return frozenset(plain if known else ()), limits, words


def _checked(declared: object, name: str, annotation: Any, value: Any) -> Any:
    """A value for a parameter in the one form that its type has for it; refused where the type has none."""
    admitted, limits, words = _kind(annotation)
    value = value.item() if isinstance(value, np.generic) else value
    if not admitted:
        return value
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if number and abs(value) <= MOST and (not limits or value in limits):
        # 2 and 2.0 are the same setting, and are written in one way.
        if int in admitted and value == int(value):
            return int(value)
        if float in admitted:
            return float(value)
    elif not number and isinstance(value, tuple(admitted - {int, float})) and (not words or value in (*words, None)):
        return value
    what = " or ".join(map(repr, words)) or " or ".join(WORDS[kind] for kind in WORDS if kind in _widest(admitted))
    called = getattr(declared, "name", type(declared).__name__)
    hint = f"{name} is {what}{f' {limits}' if limits else ''}"
    raise ParameterError(f"{called} cannot have {name}={value!r}", hint=hint)


def _widest(admitted: frozenset[type]) -> frozenset[type]:
    """Without whole numbers where all numbers may stand."""
    return admitted - {int} if float in admitted else admitted


class Catalogue(Generic[T]):
    """The declarations of one kind, by name: the single list everything else reads.

    ``see`` tells a user where the names are listed; without it an unknown name is answered with all of them. ``later``
    are modules with more declarations, which are not loaded before somebody asks for a name that is not known yet, or
    for all of them: a start does not wait for what it does not need. ``order`` names modules, without the leading
    ``cranfield.``, in the order in which their declarations are listed. Declarations of other modules follow as loaded.
    """

    def __init__(self, kind: str, *, see: str = "", later: tuple[str, ...] = (), order: tuple[str, ...] = ()) -> None:
        self.kind, self.see = kind, see
        self._index = {f"cranfield.{module}": index for index, module in enumerate(order)}
        self._later = later
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

    def _load(self) -> bool:
        """Load what was left for later; whether there was anything."""
        modules = self._later
        for module in modules:
            import_module(module)
        self._later = ()  # only now: another thread may look meanwhile
        return bool(modules)

    def _listed(self) -> list[str]:
        """Return all names in the order of their modules."""
        self._load()
        index, last = self._index, len(self._index)
        return sorted(self._entries, key=lambda name: index.get(self._entries[name].__module__, last))

    def names(self) -> list[str]:
        """The declared names, without aliases."""
        return self._listed()

    def where(self, holds: Callable[[type[T]], bool]) -> list[type[T]]:
        """The declarations for which ``holds`` is true, in declared order."""
        return [entry for entry in self if holds(entry)]

    def __getitem__(self, name: str) -> type[T]:
        """The declaration of that name: aliases count, case does not."""
        if name in self:
            return self._known[name.casefold()][1]
        raise UnknownName(f"there is no {self.kind} named {name!r}", hint=self._hint(name))

    def _hint(self, name: str) -> str:
        from difflib import get_close_matches

        near = get_close_matches(name.casefold(), self._known, n=3, cutoff=0.5)
        if near:
            return f"did you mean {' or '.join(self._known[word][0] for word in near)}?"
        return self.see or f"there are: {', '.join(self._listed()) or 'none'}"

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str):
            return False
        folded = name.casefold()
        return folded in self._known or (self._load() and folded in self._known)

    def __iter__(self) -> Iterator[type[T]]:
        return iter([self._entries[name] for name in self._listed()])

    def __len__(self) -> int:
        self._load()
        return len(self._entries)

    def __repr__(self) -> str:
        return f"Catalogue({self.kind!r}: {', '.join(self._listed())})"


@cache
def parameters(cls: type) -> tuple[Parameter, ...]:
    """The settings of a declaration, in order: name, type as text, default."""
    found = []
    for field in fields(cls):
        default = field.default_factory() if field.default_factory is not MISSING else field.default
        kind = get_args(field.type)[0] if get_origin(field.type) is Annotated else field.type
        text = kind if isinstance(kind, str) else _text(kind)
        required = default is MISSING
        limits = _kind(cast("Any", field.type))[1]
        found.append(Parameter(field.name, text, None if required else default, required, str(limits or "")))
    return tuple(found)


def _text(kind: Any) -> str:
    """A type in words that a help page can show: of a declaration its family."""
    if isinstance(kind, type) and issubclass(kind, Declared):
        return kind.__name__.lower()
    return inspect.formatannotation(kind).replace("collections.abc.", "")


def definition(cls: type) -> str:
    """What a declaration means: its docstring up to the first blank line, as one line."""
    paragraph = inspect.cleandoc(cls.__doc__ or "").partition("\n\n")[0]
    return " ".join(paragraph.split())
