"""Parse the notation of measures, such as ``nDCG(dcg='exp-log2')@10``."""

from collections.abc import Collection, Iterable
from dataclasses import MISSING, fields, replace
from typing import TypeAlias

from cranfield.core import CranfieldError, Expression, ParameterError, construct, parse, parse_many
from cranfield.core.notation import LONGEST_LIST
from cranfield.measures.base import MEASURES, Measure

from .aliases import translate, unknown, words
from .trec_eval_names import Labelled, not_offered

# Names that stand for a measure with parameters, and parameters that go by another name elsewhere.
SHORT = {"numrelret": "NumRet(rel=1)", "setrelp": "SetP(relative=True)"}
PARAMETERS = {"cutoff": "k"}
Written: TypeAlias = str | Measure | type[Measure]  # a class stands for the measure with its default parameters


def parse_measure(text: Written) -> Measure:
    """The measure that a notation such as ``nDCG(dcg='exp-log2')@10`` stands for."""
    if not isinstance(text, str):
        return _instance(text)
    found = parse_measures(text)
    if len(found) != 1:
        raise ParameterError(f"{text!r} stands for {len(found)} measures where one is wanted", hint=f"write {found[0]}")
    return found[0]


def parse_measures(texts: Written | Iterable[Written]) -> list[Measure]:
    """The measures of one or many texts; a text may hold several: ``"AP nDCG@10"``.

    The words of trec_eval (``ndcg_cut.10``, ``P.5,10``, ``official``) and of ranx (``ndcg@10-l2``) are read too.
    """
    return list(dict.fromkeys(measure for measure, _ in parse_written(texts)))


def parse_written(texts: Written | Iterable[Written], version: str = "") -> list[tuple[Measure, frozenset[str]]]:
    """Return the measures of texts, each with the names of the parameters that the user wrote.

    Of a measure that is given as an object, parameters that differ from their default count as written. With a
    ``version`` of trec_eval its names mean what they mean there: ``recall`` is nine measures. A measure comes twice if
    other parameters of it are written, since a preset may change those that are not.
    """
    pairs: dict[tuple[Measure, frozenset[str]], None] = {}
    for text in texts if isinstance(texts, Iterable) and not isinstance(texts, str) else [texts]:
        if not isinstance(text, str):
            given = _instance(text)
            pairs[given, _changed(given)] = None
        else:
            for expression in _expressions(text, version):
                measure = _measure(expression)
                at = {measure.at} if expression.at is not None else set()
                names = {PARAMETERS.get(name, name) for name, _ in expression.parameters}
                pairs[measure, frozenset(names | at)] = None
    if not pairs:
        raise ParameterError("no measure is given", hint="for example: AP nDCG@10")
    return list(pairs)


def _instance(given: object) -> Measure:
    """Return a measure; a class stands for the measure with its default parameters."""
    if isinstance(given, type) and issubclass(given, Measure):
        return given()
    if not isinstance(given, Measure):
        what = f"a {type(given).__name__}" if isinstance(given, Collection) else repr(given)
        raise ParameterError(f"{what} is not a measure", hint="name one, such as 'nDCG@10', or give AP or P@10")
    return given


def stands_for(text: str, measure: Measure, top: float | None) -> bool:
    """Whether a text stands for a measure, as it is or once the top grade of the judgments is known."""
    try:
        asked = parse_measure(text)
        return measure in (asked, asked if top is None else asked.settled(top))
    except CranfieldError:
        return False


def read_labelled(text: str, version: str = "") -> list[Labelled]:
    """Return the measures of a text, each with trec_eval's name for it where the text uses that name."""
    found: list[Labelled] = []
    done = 0
    for start, end in words(text) if len(text) <= LONGEST_LIST else ():
        foreign = translate(text[start:end], version)
        if foreign is not None:
            found += [*_own(text[done:start]), *foreign]
            done = end
    return [*found, *(_own(text[done:]) if done else [Labelled("", one) for one in parse_many([text])])]


def _changed(measure: Measure) -> frozenset[str]:
    """Return the names of the parameters that differ from their default."""
    known = [field for field in fields(measure) if field.default is not MISSING]
    return frozenset(field.name for field in known if getattr(measure, field.name) != field.default)


def _expressions(text: str, version: str = "") -> list[Expression]:
    """Return the measures of a text; lines of text that only trec_eval's lists hold are ignored."""
    read = read_labelled(text, version)
    found = [one.expression for one in read if one.expression is not None]
    if read and not found:
        raise not_offered(read[0].label.replace("_", ".", 1), read[0].label.split("_")[0])
    return found


def _own(text: str) -> list[Labelled]:
    return [Labelled("", one) for one in parse_many([text])] if text.replace(",", "").strip() else []


def _measure(expression: Expression) -> Measure:
    expression = _in_full(expression)
    if expression.name not in MEASURES:
        raise unknown(expression.name)
    return construct(MEASURES, expression, see="cranfield measures", renamed=PARAMETERS, inner=_inside)


def _inside(expression: Expression) -> Measure:
    """What stands in the parentheses of another; it may be a foreign word too."""
    foreign = None if expression.name in MEASURES else translate(str(expression))
    return _measure((foreign[0].expression if foreign and len(foreign) == 1 else None) or expression)


def _in_full(expression: Expression) -> Expression:
    """A short name written out; what is given beside it counts more."""
    short = SHORT.get(expression.name.casefold())
    if short is None:
        return expression
    full = parse(short)
    settings = dict(full.parameters) | dict(expression.parameters)
    return replace(expression, name=full.name, parameters=tuple(sorted(settings.items())))
