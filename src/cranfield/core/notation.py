"""Notation of measures as in ir_measures: ``Name``, ``Name@10``, ``Name(parameter=value,...)@10``.

Added to it: negative numbers, and measures inside measures (``NRG(nDCG@10)``). Text is cut into tokens here, so that
nothing but names, numbers, quoted text and a few signs reaches Python's ``ast``; nothing is ever evaluated. Strangers
write these strings: repeats in the pattern are possessive (no backtracking), and length and depth are bounded.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from math import isfinite
from typing import Any, TypeAlias

import numpy as np

from .catalogue import parameters
from .errors import ParameterError

Scalar: TypeAlias = int | float | str | bool | None
Pairs: TypeAlias = tuple[tuple[Scalar, Scalar], ...]  # a mapping, sorted by key
Value: TypeAlias = Scalar | Pairs

LONGEST = 1000  # characters of one measure
LONGEST_LIST = 100_000  # characters of a list of measures
DEEPEST = 10  # parentheses and braces inside each other
SHOWN = 60  # characters of a text that an error message repeats

_GRAMMAR = "a measure reads: Name, Name@10 or Name(parameter=value)@10"
_TOKEN = re.compile(
    r"""(?P<space>\s+)
      | (?P<name>[^\W\d]\w*+(?!['"]))
      | (?P<number>(?:0[xX][0-9a-fA-F]++|(?:\d++(?:_\d++)*+(?:\.\d*+)?+|\.\d++)(?:[eE][+-]?\d++)?+)(?!\w))
      | (?P<text>'(?:[^'\\\n\r\0]|\\(?:[\\'"abfnrtv]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}))*'
                |"(?:[^"\\\n\r\0]|\\(?:[\\'"abfnrtv]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}))*")
      | (?P<sign>[(){}@,=:-])""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Expression:
    """A measure as written: its name, its parameters by name, what stands after ``@``, the measures inside it."""

    name: str
    parameters: tuple[tuple[str, Value], ...] = ()  # sorted by name
    at: int | float | None = None
    inner: tuple["Expression", ...] = ()

    def __str__(self) -> str:
        return write(self)


def parse(text: str) -> Expression:
    """Read one measure."""
    found = parse_many([text])
    if len(found) != 1:
        raise ParameterError(f"{_quote(text)} holds {len(found)} measures where one is wanted", hint=_GRAMMAR)
    return found[0]


def parse_many(texts: Iterable[str]) -> list[Expression]:
    """Read several measures: one or more per text, separated by white space or commas."""
    return [_parse_one(piece) for text in ([texts] if isinstance(texts, str) else texts) for piece in _split(text)]


def write(expression: Expression) -> str:
    """The canonical text: no spaces, parameters and mappings sorted, text in single quotes. It parses back."""
    arguments = [write(inner) for inner in expression.inner]
    arguments += [f"{name}={_write_value(value)}" for name, value in sorted(expression.parameters)]
    called = f"({','.join(arguments)})" if arguments else ""
    at = "" if expression.at is None else f"@{expression.at!r}"
    return f"{expression.name}{called}{at}"


def describe(instance: Any) -> Expression:
    """The canonical expression of a declared value: defaults left out, the field that ``at`` names put after ``@``.

    ``at`` is a class variable of the declaration and "k" where there is none; a number there is always written. Fields
    that hold declarations themselves stand first, as inner measures, default or not; what these say already
    (``implied``) is not said again.
    """
    declared: Any = type(instance)
    at_field = getattr(declared, "at", "k")
    defaults = {p.name: p.default for p in parameters(declared) if not p.required}
    found: dict[str, Value] = {}
    inner: list[Expression] = []
    at: int | float | None = None
    for field in fields(instance):
        value = getattr(instance, field.name)
        if field.name in getattr(declared, "implied", ()):
            continue
        if nested := _declared(value):
            inner += [describe(measure) for measure in nested]
            continue
        if field.name in defaults and value == defaults[field.name] and (field.name != at_field or value is None):
            continue
        if field.name == at_field and not isinstance(value, str | bool | None):
            at = _number(value)
        else:
            found[field.name] = _value(value)
    return Expression(instance.name, tuple(sorted(found.items())), at, tuple(inner))


def _split(text: str) -> list[str]:
    """Cut at white space and commas outside parentheses; ``nDCG @ 10`` and ``P (rel=2)`` stay whole."""
    if len(text) > LONGEST_LIST:
        raise ParameterError(f"a list of measures has {len(text)} characters", hint=f"at most {LONGEST_LIST} are read")
    pieces = [""]
    opened: list[tuple[str, int]] = []
    gap = False
    for kind, token, start in _tokens(text):
        if kind == "space":
            gap = True
            continue
        if not opened and (token == "," or (gap and not pieces[-1].endswith(("@", "-")) and token not in {"@", "("})):
            pieces.append("")
        if opened or token != ",":
            # White space may be all that parts two words inside parentheses; elsewhere it means nothing.
            pieces[-1] += f" {token}" if gap and opened else token
            if len(pieces[-1]) > LONGEST:
                hint = f"at most {LONGEST} characters are read"
                raise ParameterError(f"the measure {_quote(pieces[-1])} is too long", hint=hint)
        gap = False
        _balance(text, token, start, opened)
    if opened:
        raise _unreadable(text, f"{opened[-1][0]!r} at character {opened[-1][1] + 1} is never closed")
    found = [piece for piece in pieces if piece]
    if not found:
        raise ParameterError(f"{_quote(text)} holds no measure", hint=_GRAMMAR)
    return found


def _balance(text: str, token: str, start: int, opened: list[tuple[str, int]]) -> None:
    """Keep ``opened``, the parentheses and braces that are open after this token."""
    if token in {"(", "{"}:
        opened.append((token, start))
        if len(opened) > DEEPEST:
            raise _unreadable(text, f"parentheses go more than {DEEPEST} deep at character {start + 1}")
    elif token in {")", "}"} and (not opened or opened.pop()[0] + token not in {"()", "{}"}):
        raise _unreadable(text, f"{token!r} at character {start + 1} closes nothing")


def _tokens(text: str) -> Iterator[tuple[str, str, int]]:
    place = 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            if text[place] in "'\"":
                why = f"the quotation at character {place + 1} is never closed, or holds an escape Python does not know"
            else:
                why = f"there is no place for {text[place : place + 12]!r} at character {place + 1}"
            raise _unreadable(text, why)
        yield str(match.lastgroup), match.group(), place
        place = match.end()


def _parse_one(text: str) -> Expression:
    try:
        node = ast.parse(text, mode="eval").body
    except SyntaxError as error:
        raise _unreadable(text, _what_syntax(text, error)) from None
    except (ValueError, RecursionError, MemoryError):  # what Python's parser raises for text no measure looks like
        raise _unreadable(text, "it is no expression") from None
    expression = _Reader(text).expression(node)
    if len(write(expression)) > LONGEST:  # escapes can grow; what is accepted must parse back
        raise ParameterError(f"the measure {_quote(text)} is too long when written out", hint="use shorter text in it")
    return expression


def _what_syntax(text: str, error: SyntaxError) -> str:
    offset = error.offset or 0
    rest = text[offset - 1 :] if 0 < offset <= len(text) else ""
    if "positional argument follows keyword" in error.msg:
        return "a measure inside it must stand before the named parameters"
    if text.endswith(("@", "-", "=", ":")):
        return "it ends too early"
    return f"unexpected {rest[:12]!r} at character {offset}" if rest else "it is no expression"


class _Reader:
    """Walks the syntax tree of one measure and admits the few nodes the grammar has."""

    def __init__(self, text: str) -> None:
        self.text = text

    def expression(self, node: ast.expr) -> Expression:
        at: int | float | None = None
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            at = self.number(node.right, "after @ stands {}, which is not a number")
            node = node.left
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
                raise _unreadable(self.text, "there is more than one @")
        named: dict[str, Value] = {}
        inner: tuple[Expression, ...] = ()
        if isinstance(node, ast.Call):
            inner = tuple(self.measure(argument) for argument in node.args)
            for keyword in node.keywords:
                name = keyword.arg or ""
                if name in named:
                    raise _unreadable(self.text, f"the parameter {name} is given twice")
                named[name] = self.value(keyword.value, name)
            node = node.func
        if not isinstance(node, ast.Name):
            raise _unreadable(self.text, f"{self.source(node)} is not the name of a measure")
        return Expression(node.id, tuple(sorted(named.items())), at, inner)

    def measure(self, node: ast.expr) -> Expression:
        """An argument without a name: a measure, or a parameter whose name was forgotten."""
        if isinstance(node, ast.Name | ast.Call) or (isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult)):
            return self.expression(node)
        raise _unreadable(
            self.text,
            f"the argument {self.source(node)} has no name and is not a measure",
            hint="give parameters by name: P(rel=2)@5, RBP(p=0.8)",
        )

    def value(self, node: ast.expr, name: str) -> Value:
        if isinstance(node, ast.Dict):
            # A key of None in the tree is Python's ** inside braces: no token of ours makes one.
            keys = [self.scalar(key, name) for key in node.keys if key is not None]
            if len(set(keys)) != len(keys):
                raise _unreadable(self.text, f"a key of {name} is given twice")
            values = [self.scalar(value, name) for value in node.values]
            return _sorted_pairs(zip(keys, values, strict=True))
        return self.scalar(node, name)

    def scalar(self, node: ast.expr, name: str) -> Scalar:
        if isinstance(node, ast.Constant) and isinstance(node.value, str | bool | None):
            return node.value
        if isinstance(node, ast.Name):
            hint = f"put text in quotes: {name}='{node.id}'"
            raise _unreadable(self.text, f"{node.id} is not a value of {name}", hint=hint)
        return self.number(node, "{} is not a value of " + name)

    def number(self, node: ast.expr, otherwise: str) -> int | float:
        negative = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)
        inside = node.operand if isinstance(node, ast.UnaryOp) and negative else node
        found = inside.value if isinstance(inside, ast.Constant) else None
        if isinstance(found, bool) or not isinstance(found, int | float) or not _finite(found):
            raise _unreadable(self.text, otherwise.format(self.source(node)))
        return -found if negative else found

    def source(self, node: ast.expr) -> str:
        return _quote(ast.get_source_segment(self.text, node) or self.text)


def _unreadable(text: str, why: str, *, hint: str = _GRAMMAR) -> ParameterError:
    return ParameterError(f"cannot read the measure {_quote(text)}: {why}", hint=hint)


def _quote(text: str) -> str:
    """The text on one line and not too long, whatever is in it."""
    return repr(text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}...")


def _finite(number: float) -> bool:
    return isinstance(number, int) or isfinite(number)


def _write_value(value: Value) -> str:
    if isinstance(value, tuple):
        return "{" + ",".join(f"{_write_value(key)}:{_write_value(worth)}" for key, worth in value) + "}"
    if isinstance(value, str):
        quoted = repr(value)  # double quotes only where the text holds a single one and no double one
        return quoted if quoted[0] == "'" else "'" + quoted[1:-1].replace("'", "\\'") + "'"
    return repr(value)


def _sorted_pairs(pairs: Iterable[tuple[Scalar, Scalar]]) -> Pairs:
    def order(pair: tuple[Scalar, Scalar]) -> tuple[bool, float, str]:
        key = pair[0]
        is_number = isinstance(key, int | float)
        return (not is_number, float(key) if isinstance(key, int | float) else 0.0, str(key))

    return tuple(sorted(pairs, key=order))


def _declared(value: object) -> tuple[Any, ...]:
    """The declarations a field holds: one, several in a tuple, or none."""
    several = value if isinstance(value, tuple) else (value,)
    return several if several and all(is_dataclass(v) and hasattr(type(v), "name") for v in several) else ()


def _value(value: Any) -> Value:
    if isinstance(value, Mapping):
        return _sorted_pairs((_scalar(key), _scalar(worth)) for key, worth in value.items())
    if isinstance(value, tuple):
        return _sorted_pairs((_scalar(key), _scalar(worth)) for key, worth in value)
    return _scalar(value)


def _scalar(value: Any) -> Scalar:
    if isinstance(value, Enum):
        return str(value)
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, str | bool | None):
        return value
    return _number(value)


def _number(value: Any) -> int | float:
    plain = value.item() if isinstance(value, np.generic) else value
    if not isinstance(plain, int | float) or not _finite(plain):
        raise ParameterError(f"{plain!r} cannot stand in a measure", hint="use a finite number, text or a mapping")
    return plain
