"""How good is each run?"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any, Literal

from cranfield.core import SEED, InputError, ParameterError, Policy, Ties
from cranfield.data import (
    NEEDED,
    Assessed,
    Qrels,
    Values,
    assess,
    find_runs,
    find_topics,
    read_qrels,
    read_sides,
)
from cranfield.measures import (
    CURVES,
    DEFAULT,
    Measure,
    Relative,
    Scenario,
    Written,
    measure_all,
    tie_notes,
)

from .evaluation_spec import OPEN, Question
from .input_notes import reading_notes

USES = {"subtopics": "alpha_nDCG@20", "attributes": "AWRF@20", "aspects": "CAM"}
SINGLY = 3  # so many notes of one kind are given one by one


def evaluate(
    qrels: Any,
    runs: Any,
    measures: Written | Iterable[Written] | None = None,
    *,
    rel: float | Sequence[float] = (),
    topics: Literal["qrels", "both"] | None = None,
    only: Iterable[str] | None = None,
    aggregate: str | None = None,
    curve: str | None = None,
    ties: Ties | str | None = None,
    compat: str | None = None,
    unjudged: Scenario | None = None,
    residual: bool = False,
    lengths: Any = None,
    subtopics: bool = False,
    intents: Any = None,
    attributes: Any = None,
    aspects: Any = None,
    prior: Any = None,
    gains: bool = False,
    scale: Policy = "note",
    seed: int = SEED,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
    measuring: Callable[[int, int], object] | None = None,
    command: str = "",
) -> Values:
    """Values of measures for every run and topic.

    ``measures`` are texts, measures or classes of measures; AP, nDCG@10, RR, P@10, R@1000 and Judged@10 by default.
    ``qrels`` is a file, a frame or a dict of dicts; ``runs`` is one run or many: files, folders, patterns, frames,
    dicts, or a dict that names them. Every judged topic counts, one that a run misses as worst; ``topics="both"``
    leaves those out, ``only`` names the topics that count. Measures that ask whether a document is relevant are
    evaluated at each level of ``rel``, unless they name their own. ``aggregate`` (mean, median, gmean) replaces the
    measures' own way over topics, where that is no sum. ``curve="pr"`` adds the precision at levels of recall.

    ``ties`` orders documents of equal score, or takes the mean over all orders (``average``), or adds the worst and
    the best (``bounds``). ``compat`` does as a peer does (``trec_eval-9``, ``ranx``, …); what is said beside it counts
    more. ``residual`` adds the bounds that unjudged documents leave open, ``unjudged`` takes them ``as_worst`` or
    ``as_best``. ``lengths`` says how many words documents have, ``gains`` lets grades be decimals.

    Where a measure of diversity is asked for, or with ``subtopics``, the second column of the judgments is a subtopic,
    and the highest grade of a document over subtopics is its grade for other measures; ``intents`` says how likely each
    subtopic is meant. ``attributes`` says which group each document is in, for measures of fairness; ``aspects`` has
    other labels of the same documents, by name. ``prior`` says what
    is known before a run where a measure asks for it (NRG, TaSC, Unique, RareP): all ``others``, ``none``, or a list of
    runs, by name if they are evaluated too, else as files; :func:`novelty` knows more. Where means are
    compared that ask more of the numbers than their measure gives, ``scale`` says what to do: ``note`` it, ``refuse``,
    or ``ignore`` it.
    ``progress`` hears of the bytes that are read, ``measuring`` of the values that are made.
    """
    # Refuse before anything large is read.
    question = Question.of(
        DEFAULT if measures is None else measures,
        rel=rel,
        aggregate=aggregate,
        curve=curve,
        ties=ties,
        compat=compat,
        lengths=lengths,
        scale=scale,
    )
    wanted, like, order = question.measures, question.like, question.order
    given = {"subtopics": intents, "attributes": attributes, "aspects": aspects}
    _check_sides(wanted, given)
    judged = _judgments(qrels, wanted, gains=gains, subtopics=subtopics or intents is not None)
    if only is not None:
        only = list(only) if not isinstance(only, str) else [only]
        find_topics(judged.topics.to_list(), only)
    found, known = _with_prior(runs, wanted, prior)
    assessed = assess(
        judged,
        found,
        ties=question.reading,
        compat="trec_eval-9" if like.single else like.names or None,
        without_self=like.without_self,
        lengths=lengths,
        beside=read_sides(given),
        threads=threads,
        progress=progress,
    )
    shown = len(assessed.runs) if known is None else len(assessed.runs) - known.extra
    if known is not None:
        assessed = known.before(assessed)
    values = measure_all(
        assessed,
        wanted,
        topics=topics or like.topics,
        ties=order,
        unjudged=unjudged,
        residual=residual,
        seed=seed,
        command=command,
        progress=measuring,
    )
    own = values.notes[len(assessed.notes) :]
    tied = () if order in (*OPEN, Ties.RANK) else tie_notes(assessed, wanted)
    compared = question.notes if len(values.runs) > 1 else ()
    notes = (
        *_few(assessed.notes),
        *reading_notes(assessed.sources),
        *_by_subtopic(judged, wanted, assessed),
        *tied,
        *own,
        *compared,
    )
    values = replace(values, notes=notes if known is None else (*notes, known.said), by=aggregate)
    if curve:
        values = replace(values, curve=CURVES[curve](assessed, rel=question.levels[0] if question.levels else 1))
    values = values if shown == len(values.runs) else values.of_runs(range(shown))
    return values if only is None else values.only(only)


def _check_sides(measures: Sequence[Measure], given: Mapping[str, Any]) -> None:
    """Refuse a measure that needs what nobody gave, and what is given where no measure needs it."""
    for measure in measures:
        if measure.asks_for and measure.asks_for != "subtopics" and given[measure.asks_for] is None:
            raise ParameterError(f"{measure} needs {measure.asks_for}", hint=NEEDED[measure.asks_for])
    asked = {measure.asks_for for measure in measures}
    for kind, data in given.items():
        if data is not None and kind not in asked:
            hint = f"`cranfield measures` lists those that do, such as {USES[kind]}"
            raise ParameterError(f"no measure asks for {'intents' if kind == 'subtopics' else kind}", hint=hint)


def _judgments(qrels: Any, measures: Sequence[Measure], *, gains: bool, subtopics: bool) -> Qrels:
    """The judgments, by subtopic where somebody wants that; refused where there are none then."""
    asking = [measure for measure in measures if measure.asks_for == "subtopics"]
    judged = read_qrels(qrels, gains=gains, subtopics=subtopics or bool(asking))
    if asking and len(judged.subtopics) < 2:
        message = f"{judged.source.name}: {asking[0]} needs subtopics, and the second column names none"
        raise InputError(message, hint=f"{NEEDED['subtopics']}: topic subtopic document grade", code="E-SUBTOPICS")
    return judged


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known before every run, for measures that ask for it."""

    prior: str | Sequence[str]
    measures: Sequence[Measure]
    extra: int = 0  # runs at the end that are not evaluated themselves

    def before(self, assessed: Assessed) -> Assessed:
        """The runs, each after what is known before it; those that are not evaluated are no runs of the user's."""
        from cranfield.data import make_prior  # few evaluations ask for it

        files = [source.name for source in assessed.sources if source.kind == "run"]
        known = make_prior(self.prior, assessed.runs, files=files).known
        first = 1 + len(assessed.runs) - self.extra
        sources = [
            replace(source, kind="prior") if first <= i <= len(assessed.runs) else source
            for i, source in enumerate(assessed.sources)
        ]
        return replace(assessed.after(known), sources=tuple(sources))

    @property
    def said(self) -> str:
        """Against what the values are, in a sentence."""
        names = ", ".join(map(str, self.measures))
        if self.prior == "none":
            return f"{names}: nothing is known before a run"
        against = "all other runs" if self.prior == "others" else ", ".join(self.prior)
        return f"{names}: against {against}"


def _with_prior(runs: Any, measures: Sequence[Measure], prior: Any) -> tuple[Any, _Known | None]:
    """The runs, with those that are only known before them at the end."""
    asking = [measure for measure in measures if isinstance(measure, Relative)]
    if not asking:
        if prior is not None:
            hint = "measures that ask for one: NRG(nDCG@10), TaSC(nDCG@10), Unique@10, RareP@10"
            raise ParameterError("no measure asks what is known before a run", hint=hint)
        return runs, None
    if prior is None or prior in ("none", "others"):
        return runs, _Known(prior or "others", asking)
    from cranfield.data import PRIORS, split_known

    if isinstance(prior, str) and prior in PRIORS:
        raise ParameterError(f"prior={prior} needs to know the runs better", hint="the study novelty has it")
    found = find_runs(runs)
    named = [prior] if isinstance(prior, str | PathLike) else list(prior)
    places, others = split_known(found, named)
    joined = find_runs([*found, *others])
    names = [joined[place].name for place in places] + [run.name for run in joined[len(found) :]]
    return joined, _Known(names, asking, len(others))


def _few(notes: Sequence[str]) -> Sequence[str]:
    """Notes on the topics that runs have and the qrels have not: the first speaks for many."""
    if len(notes) <= SINGLY:
        return notes
    return [f"{notes[0]}; {len(notes) - 1} more runs have such topics"]


def _by_subtopic(judged: Qrels, measures: Sequence[Measure], assessed: Assessed) -> list[str]:
    """What a grade is to measures that know nothing of subtopics, and whether subtopics are what was read as such."""
    if not judged.by_subtopic:
        return []
    others = [str(measure) for measure in measures if measure.asks_for != "subtopics" and measure.name != "NumQ"]
    notes = [f"{', '.join(others)}: the grade of a document is its highest over subtopics"] if others else []
    if len(judged) <= len(assessed.grade):
        notes.append("no document is judged for two subtopics: is the second column of the judgments a subtopic?")
    return notes
