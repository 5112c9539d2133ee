"""Values that measures take on all rankings of a given length."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from cranfield.core import Expression, ParameterError, parse_many
from cranfield.measures import MEASURES, Measure, Rankings, Spacing, parse_measure, parse_measures, spacing

Asked: TypeAlias = str | Measure | Iterable[str | Measure]
Relevant: TypeAlias = Sequence[int] | Mapping[int, int] | Mapping[float, int]
Progress: TypeAlias = Callable[[int, int], object]


def spacings(
    measures: Asked,
    *,
    length: int,
    relevant: Relevant = (),
    grades: int | None = None,
    progress: Progress | None = None,
) -> dict[Measure, Spacing]:
    """The values that each measure takes on all rankings of ``length`` documents.

    ``relevant`` says how many relevant documents there are: one number, or with ``grades`` from 1 to so many, a number
    for each grade, lowest first (one number for all of them: the same for each); or how many there are by grade.
    Nothing: as many of each as there are ranks, so that no ranking is missing. A measure without a cut-off is cut off
    at the length.
    """
    rankings = all_rankings(length, relevant, grades)
    wanted = cut_off(measures, length)
    whole = rankings.base**rankings.length
    found = {}
    for place, measure in enumerate(wanted):
        told = _after(progress, place * whole, len(wanted) * whole) if progress else None
        found[measure] = spacing(measure, rankings, told)
    return found


def _after(progress: Progress, done: int, total: int) -> Progress:
    """How far it has got with all measures, where that of one is told."""
    return lambda here, _: progress(done + here, total)


def all_rankings(length: int, relevant: Relevant = (), grades: int | None = None) -> Rankings:
    """The rankings that a length and numbers of relevant documents stand for."""
    if grades is not None and grades < 1:
        raise ParameterError(f"there cannot be {grades} grades", hint="one is for relevant or not; 0 is not counted")
    if isinstance(relevant, Mapping):
        if grades is not None:
            hint = "leave the number of grades out, or give a list of counts"
            raise ParameterError("how many documents each grade has is given, and a number of grades too", hint=hint)
        return Rankings(length, tuple(sorted((float(grade), count) for grade, count in relevant.items())))
    counts = list(relevant) or [length]
    kinds = grades or 1
    if len(counts) not in {1, kinds}:
        hint = f"one number for all grades, or {kinds}: one for each, lowest first" if grades else _several(len(counts))
        what = f"{kinds} grades" if kinds > 1 else "relevant documents of one grade"
        raise ParameterError(f"there are {len(counts)} counts for {what}", hint=hint)
    counts = counts if len(counts) == kinds else counts * kinds
    return Rankings(length, tuple((float(grade), count) for grade, count in enumerate(counts, 1)))


def _several(counts: int) -> str:
    return f"give one count, or say that there are grades: --grades {counts}"


def cut_off(measures: Asked, length: int) -> list[Measure]:
    """The measures with a cut-off: at the length where they have none."""
    found = [_cut(measure, length) for text in _each(measures) for measure in _parsed(text, length)]
    if not found:
        raise ParameterError("no measure is given", hint="for example: AP RR nDCG@10")
    return list(dict.fromkeys(found))


def _each(measures: Asked) -> Iterator[str | Measure]:
    yield from [measures] if isinstance(measures, str | Measure) else measures


def _parsed(text: str | Measure, length: int) -> list[Measure]:
    """What a text stands for; a measure that cannot be without a cut-off gets one, where trec_eval has a list."""
    if isinstance(text, Measure):
        return [text]
    try:
        expressions = parse_many([text])
    except ParameterError:
        return parse_measures(text)  # the words of others, or the same error again
    return [measure for one in expressions for measure in _read(one, length)]


def _read(expression: Expression, length: int) -> list[Measure]:
    own = expression.name in MEASURES
    return [parse_measure(str(_given(expression, length)))] if own else parse_measures(str(expression))


def _given(expression: Expression, length: int) -> Expression:
    """The same, with a cut-off wherever one is needed and none is written."""
    inner = tuple(_given(one, length) for one in expression.inner)
    cut = expression.at is not None or any(one.at is not None for one in inner)
    cut = cut or any(name in {"k", "cutoff"} for name, _ in expression.parameters)
    needs = expression.name in MEASURES and MEASURES[expression.name].needs_cutoff
    return replace(expression, inner=inner, at=length if needs and not cut else expression.at)


def _cut(measure: Measure, length: int) -> Measure:
    if measure.family == "relative":
        hint = "take the measure that it extends: nDCG@10 for NRG(nDCG@10)"
        raise ParameterError(f"{measure} has no values of its own: they depend on other runs", hint=hint)
    if measure.asks_for:
        hint = "take a measure of grades: nDCG@10 for alpha_nDCG@10"
        raise ParameterError(f"{measure} has no values of grades alone: it needs {measure.asks_for}", hint=hint)
    if measure.k is None:
        # What stands behind the @ of interpolated precision is a level of recall.
        return measure @ length if measure.at == "k" else measure
    if measure.k > length:
        hint = f"give a length of {measure.k}, or cut off at {length}"
        raise ParameterError(f"{measure} looks at more documents than rankings of {length} have", hint=hint)
    return measure
