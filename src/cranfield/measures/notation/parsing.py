"""Parse the notation of measures, such as ``nDCG(dcg='exp-log2')@10``."""

from collections.abc import Iterable
from dataclasses import replace

from cranfield.core import CranfieldError, Expression, ParameterError, construct, parse, parse_many
from cranfield.core.notation import LONGEST_LIST
from cranfield.measures.base import MEASURES, Measure

from .aliases import translate, unknown, words

# Names that stand for a measure with parameters, and parameters that go by another name elsewhere.
SHORT = {"numrelret": "NumRet(rel=1)", "setrelp": "SetP(relative=True)"}
PARAMETERS = {"cutoff": "k"}


def parse_measure(text: str | Measure) -> Measure:
    """The measure that a notation such as ``nDCG(dcg='exp-log2')@10`` stands for."""
    if isinstance(text, Measure):
        return text
    found = _read(text)
    if len(found) != 1:
        raise ParameterError(f"{text!r} stands for {len(found)} measures where one is wanted", hint=f"write {found[0]}")
    return found[0]


def parse_measures(texts: str | Measure | Iterable[str | Measure]) -> list[Measure]:
    """The measures of one or many texts; a text may hold several: ``"AP nDCG@10"``.

    The words of trec_eval (``ndcg_cut.10``, ``P.5,10``, ``official``) and of ranx (``ndcg@10-l2``) are read too.
    """
    found: list[Measure] = []
    for text in [texts] if isinstance(texts, str | Measure) else texts:
        found += [text] if isinstance(text, Measure) else _read(text)
    if not found:
        raise ParameterError("no measure is given", hint="for example: AP nDCG@10")
    return list(dict.fromkeys(found))


def stands_for(text: str, measure: Measure, top: float | None) -> bool:
    """Whether a text stands for a measure, as it is or once the top grade of the judgments is known."""
    try:
        asked = parse_measure(text)
        return measure in (asked, asked if top is None else asked.settled(top))
    except CranfieldError:
        return False


def _read(text: str) -> list[Measure]:
    """Our own notation, with foreign words in between."""
    found: list[Expression] = []
    done = 0
    for start, end in words(text) if len(text) <= LONGEST_LIST else ():
        foreign = translate(text[start:end])
        if foreign is not None:
            found += [*_own(text[done:start]), *foreign]
            done = end
    found += _own(text[done:]) if done else parse_many([text])
    return [_measure(expression) for expression in found]


def _own(text: str) -> list[Expression]:
    return parse_many([text]) if text.replace(",", "").strip() else []


def _measure(expression: Expression) -> Measure:
    expression = _in_full(expression)
    if expression.name not in MEASURES:
        raise unknown(expression.name)
    return construct(MEASURES, expression, see="cranfield measures", renamed=PARAMETERS, inner=_inside)


def _inside(expression: Expression) -> Measure:
    """What stands in the parentheses of another; it may be a foreign word too."""
    foreign = None if expression.name in MEASURES else translate(str(expression))
    return _measure(foreign[0] if foreign and len(foreign) == 1 else expression)


def _in_full(expression: Expression) -> Expression:
    """A short name written out; what is given beside it counts more."""
    short = SHORT.get(expression.name.casefold())
    if short is None:
        return expression
    full = parse(short)
    settings = dict(full.parameters) | dict(expression.parameters)
    return replace(expression, name=full.name, parameters=tuple(sorted(settings.items())))
