"""Parse test names with parameters: ``t``, ``signed-rank(zeros='pratt')``."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from typing import Any, TypeVar

from cranfield.core import Catalogue, ParameterError, construct, parse_many

from .base import TESTS, PairTest

# The grammar of measures has no hyphen in a name; ours have. What stands in quotes is left as it is.
HYPHENED = re.compile(r"(?<![\w'\"-])[^\W\d]\w*(?:-[^\W\d]\w*)+(?![\w'\"-])")
SEE = "cranfield tests"
M = TypeVar("M")


def parse_methods(catalogue: Catalogue[M], text: str, *, see: str = SEE) -> list[M]:
    """What the names in a text stand for; several are parted by white space or commas. ``see`` lists the names."""
    spelled = {_plain(name).casefold(): name for name in _names(catalogue)}
    written = {_plain(name): name for name in HYPHENED.findall(text)}
    try:
        read = parse_many([HYPHENED.sub(lambda found: _plain(found.group()), text)])
    except ParameterError as error:
        raise _reworded(error, catalogue.kind, written, see) from None
    found = []
    for one in read:
        name = spelled.get(one.name.casefold(), written.get(one.name, one.name))
        found.append(construct(catalogue, replace(one, name=name), see=see))
    return found


def parse_method(catalogue: Catalogue[M], text: str | M, *, see: str = SEE) -> M:
    """The one method that a text stands for."""
    if not isinstance(text, str):
        return text
    found = parse_methods(catalogue, text, see=see)
    if len(found) != 1:
        kind = catalogue.kind
        many = f"{kind[:-1]}ies" if kind.endswith("y") else f"{kind}s"
        raise ParameterError(f"{text!r} holds {len(found)} {many} where one is wanted", hint=f"name one {kind}")
    return found[0]


def parse_tests(texts: str | PairTest | Iterable[str | PairTest]) -> list[PairTest]:
    """The tests of one or many texts; a text may hold several: ``"t signed-rank"``."""
    found: list[PairTest] = []
    for text in [texts] if isinstance(texts, str | PairTest) else texts:
        found += [text] if isinstance(text, PairTest) else parse_methods(TESTS, text)
    if not found:
        raise ParameterError("no test is given", hint="for example: t sign")
    return list(dict.fromkeys(found))


def adapt(method: M, **settings: Any) -> M:
    """The method with those of the settings that it has, and that are not None."""
    known = {field.name for field in fields(method)}  # type: ignore[arg-type]  # every method is a dataclass
    given = {name: value for name, value in settings.items() if name in known and value is not None}
    return replace(method, **given) if given else method  # type: ignore[type-var]  # as above


def _names(catalogue: Catalogue[M]) -> list[str]:
    return [name for cls in catalogue for name in (cls.name, *cls.aliases)]  # type: ignore[attr-defined]  # declared


def _plain(name: str) -> str:
    return name.replace("-", "_")


def _reworded(error: ParameterError, kind: str, written: Mapping[str, str], see: str) -> ParameterError:
    """What the grammar of measures says of a text, said of what was meant, with names as they were written."""
    article = "an" if kind[0] in "aeiou" else "a"
    problem = error.problem.replace("a measure", f"{article} {kind}").replace("measure", kind)
    for plain, name in written.items():
        problem = problem.replace(plain, name)
    by_name = f"write a name, or name(parameter=value); `{see}` lists them"
    return ParameterError(problem, hint=by_name if "@" in error.hint else error.hint)  # nothing of ours has an @
