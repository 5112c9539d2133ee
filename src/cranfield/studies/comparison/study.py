"""Is one run really better than another?"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from cranfield.core import SEED, ParameterError, Policy, Scale, Study, weigh
from cranfield.data import Values, read_entries, read_scores
from cranfield.measures import cutoff_of, found_first
from cranfield.stats import (
    BASES,
    CORRECTIONS,
    LEVEL,
    Asked,
    Basis,
    Correction,
    Decide,
    Pairs,
    PairTest,
    adapt,
    check_deciding_test,
    check_level,
    check_margin,
    check_margin_test,
    choose_pairs,
    history_table,
    parse_decide,
    parse_method,
    parse_tests,
)

from .assembly import Comparison
from .margin_tests import FACET_MARGINS
from .requirements import Requirement, parse_requirement
from .text import PairNames

DECIDING_TEST = "t"
NAIVE_TESTS = ("rank-sum", "signed-rank", "t")  # lin2021, Table 1
DEPTH = 1000


def compare(
    values: Any,
    tests: str | PairTest | Iterable[str | PairTest] | None = None,
    *,
    by: Basis = "measure",
    pairs: Sequence[tuple[str, str]] = (),
    baseline: str | None = None,
    sota: Any = None,
    cutoff: int | None = None,
    rel: float = 1,
    depth: int = DEPTH,
    correct: str | Correction | None = None,
    decide: str | Decide = "signed-rank",
    margins: Mapping[str, float] | None = None,
    require: str | Requirement | Iterable[str | Requirement] = (),
    draws: int | None = None,
    level: float = LEVEL,
    scale: Policy = "note",
    seed: int = SEED,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Study:
    """Decide whether run b is better than run a: two runs, or each run against a baseline.

    The first measure of ``values`` is the primary measure and decides. The other measures, the topics answered, the
    rank of the first relevant document and dominance are further lines of evidence. The verdict is better, worse,
    mixed, equivalent or inconclusive.

    Parameters
    ----------
    values : Values, file or frame
        Values from :func:`evaluate`, or a table of scores.
    tests : str or tests, default "t"
        Paired tests of the measures. The first one decides. The table ``overall`` holds all of them, by default the
        three of lin2021.
    by : {"measure", "outcomes"}
        What the verdict is based on: the primary measure, or the outcome rule of lin2021 (topics answered, and
        ranking where both runs answer).
    pairs, baseline, sota
        Which runs are compared: the pairs named, every run against a baseline, or each state of the art with the one
        before it (a table of runs with dates). By default all pairs.
    cutoff : int, optional
        A topic is answered if a relevant document stands within this rank. Default: the cutoff of the primary measure,
        or 100 if it has none.
    rel : float, default 1
        Lowest grade that counts as relevant for the outcomes.
    depth : int, default 1000
        Rank down to which dominance compares rankings.
    correct : str or Correction, optional
        Correction of the primary p-values over several pairs. Default: Holm; Bonferroni in the tables of lin2021.
    decide : str or Decide, default "signed-rank"
        Test of ranks, correction over the pairs, or both, for the outcome rule.
    margins : dict, optional
        Differences that do not matter: ``{"nDCG@10": 0.02, "answered": 0.01, "ranking": 0.5}``. The one of the primary
        measure allows the verdict *equivalent*.
    require : str or list of str, optional
        Requirements such as ``"no-harm"`` or ``"min nDCG@10 0.4"``. The table ``requirements`` says which are met.
    draws, level, scale, seed, threads, progress
        Resamples of tests that draw, level of significance, what to do where a scale is too weak, seed, threads and a
        callback for progress.

    Returns
    -------
    Study
        ``study.verdict.kind`` is the verdict, ``study.sentence`` says it in words, ``study["evidence"]`` has the lines
        of evidence and ``study["verdicts"]`` one row for each pair.

    Examples
    --------
    >>> import cranfield as cf
    >>> scores = {"topic": ["1", "2", "3"], "old": [0.1, 0.3, 0.2], "new": [0.4, 0.5, 0.5]}
    >>> cf.compare(scores).verdict.kind
    'better'
    """
    given = (values if isinstance(values, Values) else read_scores(values)).in_topic_order()
    check_level(level)
    if by not in BASES:
        raise ParameterError(f"a verdict cannot be by {by!r}", hint=f"choose one of: {', '.join(BASES)}")
    required = [parse_requirement(one) for one in ([require] if isinstance(require, str | Requirement) else require)]
    wanted = [replace(one, measure=_written_out(given, one.measure, rel)) for one in required]
    named = None if tests is None else [adapt(one, draws=draws) for one in parse_tests(tests)]
    deciding = adapt(parse_tests(DECIDING_TEST)[0], draws=draws) if named is None else named[0]
    check_deciding_test(deciding)
    if margins:
        check_margin_test(deciding)
    naive = named or parse_tests(NAIVE_TESTS)
    chosen = choose_pairs(given, _sota_pairs(given, sota) if sota is not None else pairs, baseline)
    weighed = [(one.name, one.requires, measure) for measure in given.measures for one in (deciding, *naive)]
    weighed += [("the mean", Scale.INTERVAL, measure) for measure in given.measures]
    given, notes = _complete(given, chosen)
    within = cutoff or cutoff_of(given)
    ranks = found_first(given, rel=rel, cutoff=within)
    safe = "the sign test is safe" if ranks is None else "outcomes, the sign test and ESL where both answer are safe"
    notes = (*weigh(list(dict.fromkeys(weighed)), scale, safe=safe), *notes)
    if by == "outcomes" and ranks is None:
        hint = "give judgments and runs, or values of RR"
        raise ParameterError("the outcomes of topics are not known from these scores", hint=hint)
    comparison = Comparison(
        values=given,
        chosen=tuple(chosen),
        names=tuple(PairNames(given.runs[a], given.runs[b]) for a, b in chosen),
        test=deciding,
        naive=tuple(naive),
        by=by,
        correct=None if correct is None else parse_method(CORRECTIONS, correct),
        decide=decide if isinstance(decide, Decide) else parse_decide(decide),
        asked=Asked(level=level, seed=seed, threads=threads),
        margins=_named_margins(given, margins or {}, rel),
        cutoff=within,
        rel=rel,
        depth=depth,
        first=None if ranks is None else Pairs.given(ranks, chosen),
        made_by=replace(given.made_by, seed=seed),
    )
    return comparison.study(wanted, notes, steps=sota is not None, progress=progress)


def _written_out(values: Values, name: str, rel: float) -> str:
    """Return the name of a measure, with the level ``rel`` where it has values at that level alone."""
    if rel == 1 or any(measure.goes_by(name, None) for measure in values.measures):
        return name
    levels: list[Any] = [measure for measure in values.measures if getattr(measure, "rel", None) == rel]
    return next((str(measure) for measure in levels if replace(measure, rel=1).goes_by(name, None)), name)


def _named_margins(values: Values, margins: Mapping[str, float], rel: float) -> dict[str, float]:
    """Return the margins under the canonical names of their measures."""
    named = {
        name if name in FACET_MARGINS else str(values.measures[values.index(_written_out(values, name, rel))]): margin
        for name, margin in margins.items()
    }
    for name, margin in named.items():
        check_margin(name, margin)
    return named


def _sota_pairs(values: Values, entries: Any) -> list[tuple[str, str]]:
    """Return each state of the art with the one before it."""
    known = read_entries(entries)
    measure = values.measures[0]
    means = dict(zip(values.runs, values.aggregate()[:, 0].tolist(), strict=True))
    rows = history_table(known, means, lower_is_better=str(measure.direction) == "lower").rows()
    steps = [str(row["run"]) for row in rows if row["kind"] == "sota"]
    if len(steps) < 2:
        raise ParameterError(
            f"there is {'one state' if steps else 'no state'} of the art among these runs, and nothing before it",
            hint="runs need dates, and one must be above all baselines; --baseline compares with one run",
        )
    return list(pairwise(steps))


def _complete(values: Values, chosen: Sequence[tuple[int, int]]) -> tuple[Values, tuple[str, ...]]:
    """The values of the topics that count for every run that is compared."""
    runs = sorted({run for pair in chosen for run in pair})
    kept = values.topics_of(runs)
    left = len(values.topics) - len(kept)
    if not left:
        return values, ()
    if not kept:
        hint = "drop --topics both, or compare fewer runs at once"
        raise ParameterError("there is no topic that counts for every run", hint=hint)
    return values.only(kept), (f"{left:,} of {left + len(kept):,} topics do not count for every run and are excluded",)
