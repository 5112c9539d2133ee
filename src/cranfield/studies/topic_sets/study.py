"""Which texts do the topics have, and which topics are hard?"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from cranfield.core import InputError, ParameterError, Policy, Provenance, Scale, Study, Table, listed, stack, weigh
from cranfield.data import TopicTexts, Values, read_scores, read_topics, unjudged_notes, warning_notes
from cranfield.measures import parse_measures
from cranfield.stats import difficulty_table, difficulty_verdict, prediction_table

MOST = 3  # topics that a message names


def topics(
    texts: Any = None,
    values: Any = None,
    *,
    measures: Any = None,
    language: str | None = None,
    predictions: Any = None,
    scale: Policy = "note",
    command: str = "",
) -> Study:
    """The texts of topics, and how hard topics are for runs.

    ``texts`` are a file in one of the forms of TREC and CLEF, a frame, or a dict of topic and title; of several
    languages one may be chosen. ``values`` come from :func:`evaluate`, or are a table of scores: with them the topics
    are put in order, the hardest first, by each of the ``measures``, all if none is named. ``predictions`` are scores
    of predictors, a table with topics as rows and predictors as columns: how well do they foretell the values?
    """
    if texts is None and values is None:
        raise ParameterError("there are neither topics nor values", hint="give a file of topics, values, or both")
    asked = None if texts is None else read_topics(texts, language=language)
    if asked is None and language is not None:
        raise ParameterError("there are no texts that could be in a language", hint="give a file of topics")
    given = values if values is None or isinstance(values, Values) else read_scores(values)
    foretold = predictions if predictions is None or isinstance(predictions, Values) else read_scores(predictions)
    if foretold is not None and given is None:
        raise ParameterError("there are no values that predictors could foretell", hint="give judgments and runs")
    made_by = _provenance(asked, given, command)
    if foretold is not None:
        made_by = replace(made_by, inputs=(*made_by.inputs, *foretold.made_by.inputs))
    tables: dict[str, Table] = {}
    if asked is not None:
        tables["topics"] = asked.to_table(made_by=made_by)
    if given is None:
        return Study("topics", tables, None if asked is None else _about(asked), made_by)
    wanted = _chosen(given, measures)
    notes = weigh(
        [("the mean over runs", Scale.INTERVAL, measure) for measure in wanted], scale, safe="the median is safe"
    )
    titles, said = _titles(asked, given.topics)
    parts = [difficulty_table(given, measure, titles=titles, made_by=made_by) for measure in wanted]
    whole = stack(parts)
    caption = parts[0].caption if len(parts) == 1 else f"topics by {listed(list(map(str, wanted)))}, the hardest first"
    tables["difficulty"] = replace(
        whole,
        caption=caption,
        notes=(*whole.notes, *said, *notes, *warning_notes(given), *unjudged_notes(given.of_measures(wanted))),
    )
    verdict = difficulty_verdict(given, parts[0])
    if foretold is not None:
        tables["prediction"] = prediction_table(given, foretold, made_by=made_by)
        verdict = {**verdict, "sentence": f"{verdict['sentence']} {_foretold(tables['prediction'])}"}
    return Study("topics", tables, verdict, made_by, charts=("difficulty",))


def _foretold(table: Table) -> str:
    """The predictor whose order of topics is nearest to that of the first run and measure, in words."""
    rows: list[dict[str, Any]] = [row for row in table.rows() if row["kendall"] is not None]
    rows = [row for row in rows if (row["run"], row["measure"]) == (rows[0]["run"], rows[0]["measure"])]
    if not rows:
        return "No predictor tells these topics apart."
    best = max(rows, key=lambda row: row["kendall"])
    ends = "" if best["kendall_low"] is None else f" [{best['kendall_low']:.2f}, {best['kendall_high']:.2f}]"
    which = f"Of {len(rows)} predictors {best['predictor']}" if len(rows) > 1 else best["predictor"]
    verb = "foretells best" if len(rows) > 1 else "foretells"
    return f"{which} {verb} {best['measure']} of {best['run']}: τ = {best['kendall']:.2f}{ends}."


def _provenance(asked: TopicTexts | None, given: Values | None, command: str) -> Provenance:
    own = () if asked is None else (asked.source.as_input(),)
    if given is None:
        return Provenance(command=command, inputs=own)
    return replace(given.made_by, command=command or given.made_by.command, inputs=(*own, *given.made_by.inputs))


def _chosen(values: Values, measures: Any) -> list[Any]:
    """The measures that are asked for, as the values have them; all that are no counts if none is named."""
    if measures is None:
        return [one for one in values.measures if one.family != "count"] or list(values.measures[:1])
    named = list(measures) if isinstance(measures, Iterable) and not isinstance(measures, str | type) else [measures]
    if not named:
        raise ParameterError("no measure is given", hint=f"there are: {', '.join(map(str, values.measures))}")
    return [values.measures[i] for one in named for i in _places(values, one)]


def _places(values: Values, asked: Any) -> list[int]:
    """Where the values of a measure stand, or of several in one text."""
    try:
        return [values.index(asked)]
    except ParameterError:
        return [values.index(measure) for measure in parse_measures(asked)]


def _titles(asked: TopicTexts | None, there: Sequence[str]) -> tuple[dict[str, str], tuple[str, ...]]:
    """The titles of the topics that have values, and a word where some have none."""
    if asked is None:
        return {}, ()
    titles = asked.titles(there)
    if not titles:
        name = asked.source.name
        hint = f"it has {_some(asked.topics)}, the values have {_some(there)}: do they belong together?"
        raise InputError(f"{name}: no topic that has values is in it", hint=hint, code="E-TOPICS", file=name)
    without = [topic for topic in there if topic not in titles]
    verb = "has" if len(without) == 1 else "have"
    return titles, (f"{len(without):,} of {len(there):,} topics {verb} no text: {_some(without)}",) if without else ()


def _some(names: Sequence[str]) -> str:
    rest = len(names) - MOST
    return ", ".join(names[:MOST]) + (f" and {rest:,} more" if rest > 0 else "")


def _about(asked: TopicTexts) -> dict[str, Any]:
    """How many topics there are, in which languages, and how much of each is there."""
    rows = len(asked.texts)
    spoken = [language for language in asked.languages if language]
    many = f"{len(asked.topics):,} topic{'s' * (len(asked.topics) != 1)}"
    many += f" in {listed(spoken)}" if spoken else ""
    parts = []
    for part in ("title", "description", "narrative"):
        count = sum(bool(getattr(text, part)) for text in asked.texts)
        parts.append(f"{part}s: {'all' if count == rows else f'{count:,}' if count else 'none'}")
    verdict = {"topics": len(asked.topics), "texts": rows, "languages": spoken}
    return verdict | {"sentence": f"{many}, {rows:,} text{'s' * (rows != 1)}; {', '.join(parts)}."}
