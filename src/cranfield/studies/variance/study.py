"""Which of many runs differ, by analysis of variance and tests of all pairs?"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal

from cranfield.core import SEED, Direction, ParameterError, Policy, Scale, Study, Table, listed, weigh
from cranfield.data import (
    Factors,
    Replicated,
    Values,
    has_replicates,
    read_factors,
    read_replicates,
    read_scores,
    unjudged_notes,
    warning_notes,
)
from cranfield.stats import (
    CORRECTIONS,
    LEVEL,
    NO_ERROR,
    TESTS,
    TRANSFORMS,
    Analysed,
    Asked,
    Correction,
    PairTest,
    Replicates,
    Source,
    Transform,
    adapt,
    analysed,
    analysis_tables,
    change,
    check_level,
    complete_topics,
    parse_method,
    places,
)
from cranfield.studies.small_samples import few_topics_notes

BOOTSTRAP = 10_000  # draws
SMALLEST = 1e-4  # a p below it is told by its power of ten
THESE_TOPICS = (
    "This comparison holds for these topics only, because the interaction of topic and run is not part of the error."
)
MODELS = {  # by the sources that are tested; what has others tells them itself
    ("system",): "A one-way ANOVA",
    ("topic", "system"): "A two-way ANOVA without interaction",
    ("topic", "system", "topic×system"): "A two-way ANOVA with interaction",
}


def anova(
    values: Any,
    *,
    model: Literal["two-way", "one-way"] = "two-way",
    after: str | PairTest = "tukey",
    correct: str | Correction | None = None,
    df: Literal["error", "inf"] | None = None,
    ranks: bool = False,
    factors: Any = None,
    nested: bool | None = None,
    interactions: bool = False,
    random: Literal["topic"] | None = None,
    covariates: Sequence[str] = (),
    replicates: Replicates = "repeated",
    transform: str | Transform | None = None,
    norms: Any = None,
    bootstrap: bool = False,
    measure: str | None = None,
    draws: int | None = None,
    level: float = LEVEL,
    scale: Policy = "note",
    seed: int = SEED,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Study:
    """Analysis of variance of all runs, then all pairs ``after`` it.

    ``values`` come from :func:`evaluate`, or are a table of scores. A column named replicate (or shard, seed, variant)
    beside the topic tells the interaction of topic and system from error. ``factors`` say what runs are made of: a
    table with a row per run. A factor is tested against the runs within it, which are its unit. With
    ``random="topic"`` topics are a sample too; ``covariates`` names factors whose levels are numbers with one slope.
    ``df="inf"`` takes the error for known, ``ranks`` adds Kruskal–Wallis and Friedman.
    ``bootstrap`` draws the errors again instead of taking them for normal; its pairs are corrected by ``correct``: bh
    there, holm for other tests that do not correct themselves.
    """
    check_level(level)
    given = _read(values)
    chosen = interactions or nested is not None or random is not None or bool(covariates)
    _check_model(model, given, replicates, factors, within=chosen)
    if random not in (None, "topic"):
        raise ParameterError(f"random cannot be {random!r}", hint="choose topic, or leave it out")
    procedure = _procedure(after, model, df, draws)
    correction = parse_method(CORRECTIONS, correct or ("bh" if bootstrap else "holm"))
    changed = None if transform is None else parse_method(TRANSFORMS, transform)
    asked = Asked(level=level, seed=seed, threads=threads, progress=progress)
    options: dict[str, Any] = {"one_way": model == "one-way", "ranks": ranks, "asked": asked}
    if bootstrap:
        options["bootstrap"] = BOOTSTRAP if draws is None else draws
    notes: tuple[str, ...] = ()
    met: tuple[tuple[str, Scale, object], ...] = ()
    if isinstance(given, Replicated):
        if factors is not None or changed or norms is not None:
            hint = "average the replicates first, or leave the other out"
            raise ParameterError("replicates go with neither factors nor transforms", hint=hint)
        matrix, name = given.cube.mean(axis=0), given.measure
        options |= {"cube": given.cube, "replicates": replicates}
    else:
        which = _only(given) if measure is None else given.measures[given.index(measure)]
        given, notes = change(given, changed, norms)
        matrix, kept = complete_topics(given.matrix(which))
        order = places(given, which, given.matrix(which))
        options["order"] = None if order is None else order[kept]
        options["lower"] = which.direction is Direction.LOWER
        topics = [topic for topic, keep in zip(given.topics, kept.tolist(), strict=True) if keep]
        name = f"{changed} of {which}" if changed else str(which)
        met = tuple((who, needed, which) for who, needed in _needs(procedure, changed, bootstrap=bootstrap).items())
        if lost := len(given.topics) - len(topics):
            notes += (f"{lost} of {len(given.topics)} topics are left out: some run has no value there",)
        notes += (*warning_notes(given), *unjudged_notes(given.of_measures([which])))
    made_of = None if factors is None else _factors(factors).of(given.runs)
    said = weigh(met, scale, safe="Friedman is safe (--ranks), and so is cranfield test -t nemenyi")
    found = analysed(
        given.runs,
        matrix,
        procedure,
        correction,
        factors=made_of,
        nested=nested,
        interactions=interactions,
        random_topics=random == "topic",
        covariates=covariates,
        **options,
    )
    inputs = given.made_by.inputs + (() if made_of is None else (made_of.source.as_input(),))
    made_by = replace(given.made_by, seed=seed, inputs=inputs)
    tables = analysis_tables(found, name, level=level, made_by=made_by)
    notes += tuple(few_topics_notes(len(matrix), level))
    tables["anova"] = replace(tables["anova"], notes=(*tables["anova"].notes, *notes, *said))
    count = int(found.significant(level).sum())
    verdict = {
        "pairs": len(found.pairs),
        "significant": count,
        "half_width": found.half_width,
        "sentence": _paragraph(found, name, level, tables["assumptions"], said),
    }
    return Study("anova", tables, verdict, made_by, charts=("intervals", "boxes"))


def _read(values: Any) -> Values | Replicated:
    if isinstance(values, Values | Replicated):
        given = values
    else:
        given = read_replicates(values) if has_replicates(values) else read_scores(values)
    return given if isinstance(given, Replicated) else given.in_topic_order()


def _check_model(model: str, given: Values | Replicated, replicates: str, factors: Any, *, within: bool) -> None:
    """Refuse what would be asked for in vain."""
    if model not in ("two-way", "one-way"):
        raise ParameterError(f"the model cannot be {model!r}", hint="choose one of: two-way, one-way")
    replicated = isinstance(given, Replicated)
    if model == "one-way" and (replicated or factors is not None):
        what = "replicates" if replicated else "factors"
        raise ParameterError(
            f"the one-way model has no place for {what}", hint="take the two-way model, or leave them out"
        )
    if within and factors is None:
        hint = "give them: --factors FILE"
        raise ParameterError("nested, crossed, interactions, random and covariates need factors of runs", hint=hint)
    if replicates != "repeated" and not replicated:
        hint = "add one beside the topic, called replicate, shard, seed or variant"
        raise ParameterError("the scores have no column for the replicate", hint=hint)


def _factors(factors: Any) -> Factors:
    return factors if isinstance(factors, Factors) else read_factors(factors)


def _procedure(after: str | PairTest, model: str, df: str | None, draws: int | None) -> PairTest:
    """The test of all pairs; one that takes its error from the analysis takes it from this one."""
    test = parse_method(TESTS, after)
    if test.equivalence:
        raise ParameterError(f"{test.name} looks for equality, not for differences", hint="choose tukey or nemenyi")
    changed = adapt(test, error=model, df=df, draws=draws)
    if df and changed == adapt(test, error=model, draws=draws) and getattr(changed, "df", None) != df:
        raise ParameterError(f"{test.name} has no degrees of freedom to choose", hint="df goes with tukey")
    return changed


def _only(values: Values) -> Any:
    values.matrix()  # refuses where there are several
    return values.measures[0]


def _needs(procedure: PairTest, transform: Transform | None, *, bootstrap: bool) -> dict[str, Scale]:
    needs = {"ANOVA": Scale.INTERVAL} | ({} if bootstrap else {procedure.name: procedure.requires})
    return needs | ({transform.name: transform.requires} if transform else {})


def _paragraph(found: Analysed, name: str, level: float, checks: Table, said: tuple[str, ...]) -> str:
    """What was done and found, in words for a paper."""
    fitted = found.fitted
    shape = f"{fitted.runs} runs, {fitted.topics} topics"
    shape += f", {fitted.replicates} replicates" if fitted.replicates > 1 else ""
    tested = [row for row in fitted.rows if row.p == row.p]
    sources, told = tuple(row.source for row in tested), "; ".join(f"{row.source}: {_f(row)}" for row in tested)
    count, pairs = int(found.significant(level).sum()), len(found.pairs)
    apart = (
        f": those whose means are more than {2 * found.half_width:.4f} apart" if found.half_width is not None else ""
    )
    like, best = found.like_the_best(), found.runs[int(found.order[0])]
    beside = (
        f"{like - 1} other run{'s' * (like > 2)} cannot be told from it" if like > 1 else "it differs from all others"
    )
    end = "lowest" if found.lower else "highest"
    return " ".join(
        [
            f"{MODELS.get(sources, 'An ANOVA')} of {name} ({shape}) gives {told}.",
            f"{found.procedure[:1].upper()}{found.procedure[1:]}, {found.family}, at a level of {level:g}",
            f"tells {count:,} of {pairs:,} pairs apart ({count / pairs:.1%}){apart}.",
            f"{best} has the {end} mean, {fitted.means[found.order[0]]:.4f}; {beside}.",
            *[THESE_TOPICS] * found.within_topics,
            *_caveats(checks, (*said, *[NO_ERROR] * found.without_error)),
        ]
    )


def _caveats(checks: Table, said: tuple[str, ...]) -> list[str]:
    """What a reader should bear in mind, in a sentence; the tables say more."""
    scale = [text.partition(". ")[0] for text in said]
    matter = [f"{row['check']} ({_short(row['value'])})" for row in checks.rows() if row["matters"]]
    assumed = [f"of what the tests assume, {listed(matter)} matter{'s' * (len(matter) == 1)} here"] if matter else []
    return [f"Caveats: {'; '.join([*scale, *assumed])}."] if scale or assumed else []


def _short(value: Any) -> str:
    return "" if value is None else f"{value:.3g}"


def _f(row: Source) -> str:
    """F with its degrees of freedom, p and ω², as papers have it."""
    effect = f", ω² = {row.effect:.3f}" + (f" ({row.size})" if row.size else "")
    return f"F({row.df:g}, {row.df2:g}) = {row.statistic:.4g}, {p_in_words(row.p, row.log10_p)}{effect}"


def p_in_words(p: float, log10_p: float) -> str:
    """A p-value that is never shown as 0."""
    if p >= SMALLEST:
        return f"p = {p:.4f}"
    return "p = 0" if log10_p == float("-inf") else f"p < 1e{-int(-log10_p)}"
