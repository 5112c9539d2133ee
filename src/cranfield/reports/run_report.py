"""Report on a set of runs: leaderboard, comparisons, novelty and all values."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from cranfield.core import SEED, ParameterError, Policy, Study
from cranfield.data import Values, join_entries, read_entries
from cranfield.measures import Browsing
from cranfield.stats import LEVEL
from cranfield.studies import compare, leaderboard, novelty, wide_dominance, wide_outcomes, wide_overall

from .report import Report, Section, Term, compose

MANY = 3  # so many runs have a board
NARROW = ("run", "group", "value", "nrg", "low", "high", "unique", "tasc", "rareness")  # columns that fit on a page
HEADINGS = {
    "ranks": "The board",
    "sota": "Steps of the state of the art",
    "groups": "Groups",
    "shakeup": "Orders under other conditions",
    "moves": "Public and private ranks",
    "overfitting": "Do gains hold on private topics?",
    "cost": "Cost beside value",
    "flips": "If labels were wrong",
    "facets": "The board by answers and ranks",
    "sizes": "How many topics until the order is stable",
    "orders": "Agreement between measures",
}
WORDS = {
    "board": "A run's rank is one more than the number of runs that are significantly better. Topics are drawn again, "
    "with replacement, to see which ranks each run takes; runs that share a letter cannot be told apart.",
    "novelty": "Normalised residual gain is the measure for somebody who has read other rankings, and gains nothing "
    "twice: what is left of a document's gain is what these have not shown. Runs above the line of the picture find "
    "more that is new than their value would let one expect.",
    "compare": "Every topic has one of four outcomes: neither run finds a relevant document within the cut-off, only "
    "the first, only the second, or both do. Topics answered are counted against each other, and ranks are compared "
    "only where both answer. A run is strictly better where it is significantly better in both respects, and better "
    "without harm where it is better in one and not significantly worse in the other.",
}
BOARD = (
    Term(
        name="rank bootstrap",
        definition="Topics drawn again with replacement, as many as there are; runs ranked by their means. A tie's "
        "share is divided over the ranks it spans.",
        cite="craswell2021msmarco",
    ),
    Term(
        name="τ, τ_AP and RBO",
        definition="How alike two orders are: pairs in the same order less those that are not; the same, the top "
        "weighing more; the overlap of both from the top down.",
        cite="kendall1945,yilmaz2008,webber2010",
    ),
)
ADDED = (
    Term(
        name="NRG",
        definition="A measure with gains times Π (1 − seen) over the rankings that are known before; unique "
        "contributions are relevant documents that none of them has in its first ranks.",
        cite="bigdeli2024",
    ),
    Term(
        name="rareness and TaSC",
        definition="Precision in which documents that few runs find count more; a value times what the best known "
        "value lacks to 1.",
        cite="turkmen2023,arabzadeh2023tasc",
    ),
)
COMPARED = (
    Term(
        name="binomial",
        definition="Exact test of the topics that one run alone answers, as throws of a fair coin.",
        cite="conover1999",
    ),
    Term(
        name="interval of shares",
        definition="Wilson's score interval of a share of topics; Tango's of the difference of two shares of the same "
        "topics.",
        cite="wilson1927,tango1998",
    ),
    Term(
        name="dominance",
        definition="A ranking dominates another if at every rank, and for every grade, it has at least as many "
        "documents of that grade or better, and somewhere more.",
        cite="ferrante2019",
    ),
)


def report_on(
    values: Values,
    *,
    title: str | None = None,
    entries: Any = None,
    pairs: Sequence[tuple[str, str]] = (),
    baseline: str | None = None,
    cutoff: int | None = None,
    private: Any = None,
    labels: Mapping[str, Values] | None = None,
    costs: Sequence[str] = (),
    flips: Sequence[float] = (),
    robust: bool = True,
    level: float = LEVEL,
    scale: Policy = "note",
    draws: int = 10_000,
    seed: int = SEED,
    threads: int | None = None,
    command: Sequence[str] = (),
    progress: Callable[[int, int], object] | None = None,
) -> Report:
    """A report on runs: the board where there are three or more, comparisons in words, all values.

    Compared are the ``pairs`` given, each run with a ``baseline``, or the two that lead.
    """
    if len(values.runs) < 2:
        raise ParameterError("there is only one run", hint="a report compares two runs or more")
    sections: list[Section] = []
    led: Study | None = None
    if len(values.runs) >= MANY:
        led = leaderboard(
            values,
            entries=entries,
            private=private,
            labels=labels,
            costs=costs,
            flips=flips,
            robust=robust,
            draws=draws,
            level=level,
            scale=scale,
            seed=seed,
            threads=threads,
            progress=progress,
        )
        sections.append(_board(led))
    if private is not None and not isinstance(private, Values):
        values, _ = values.parted(private)  # private topics are for the board to be looked at, not to be tuned to
    chosen = pairs if pairs or baseline is not None else [_leaders(values, led)]
    compared = compare(
        values,
        pairs=chosen,
        baseline=baseline,
        cutoff=cutoff,
        level=level,
        scale=scale,
        seed=seed,
        threads=threads,
        progress=progress,
    )
    sections.append(_compared(compared))
    if len(values.runs) >= MANY and values.assessed is not None:
        sections += _added(values, entries, level=level, seed=seed, threads=threads)
    means = replace(values.study(), tables={"means": values.mean(), **values.study().tables})
    sections.append(Section("Values", means, tables={"means": "Means over topics"}, rows=200))
    return compose(sections, title=title or _title(values), command=command)


def _leaders(values: Values, board: Study | None) -> tuple[str, str]:
    """The run that leads and the one behind it, the latter first: what is asked is whether the lead is real."""
    if board is None:
        return values.runs[0], values.runs[1]
    first, second, *_ = board["ranks"].cells("run")
    return str(second), str(first)


def _board(study: Study) -> Section:
    shown = {name: heading for name, heading in HEADINGS.items() if name in study.tables and len(study[name])}
    cite = "craswell2021msmarco"
    return Section("Who leads, and how sure is that?", study, WORDS["board"], shown, terms=BOARD, cite=cite)


def _compared(study: Study) -> Section:
    """The comparison with its tables as papers print them in front of the exact ones."""
    title, cite = "Is it really better?", "lin2021"
    if "outcomes" not in study.tables:
        return Section(title, study, cite=cite)
    wide = {"table_2": wide_outcomes(study), "table_1": wide_overall(study)}
    headings = {"table_2": "Outcomes", "answered": "Topics that one run alone answers", "table_1": "The whole measure"}
    if "dominance" in study.tables:
        wide["by_dominance"] = wide_dominance(study)
        headings |= {"by_dominance": "Whatever the measure: dominance", "splits": "Where neither dominates"}
    headings |= {"meaning": "If only the order of values means something", "movers": "The topics that decide"}
    laid = replace(study, tables={**study.tables, **wide})
    return Section(title, laid, WORDS["compare"], headings, terms=COMPARED, cite=cite)


def _added(values: Values, entries: Any, **asked: Any) -> list[Section]:
    """What each run adds, by the first measure that can tell; against the best of each other group where there are."""
    measure = next((one for one in values.measures if isinstance(one, Browsing)), None)
    if measure is None:
        return []
    known = join_entries(values) if entries is None else read_entries(entries)
    groups = {known.of(run).group for run in values.runs} - {None}
    prior = "best-per-group" if len(groups) >= MANY else "others"
    study = novelty(values, measures=[measure], prior=prior, entries=known, **asked)
    shown = {"novelty": "What each run adds", "bests": "Who stands for each group"}
    headings = {name: heading for name, heading in shown.items() if name in study.tables}
    title, cite = "What does each run find that others miss?", "bigdeli2024"
    columns = {"novelty": NARROW if groups else [column for column in NARROW if column != "group"]}
    drawn = replace(study, charts=("novelty",))
    return [Section(title, drawn, WORDS["novelty"], headings, columns, terms=ADDED, cite=cite)]


def _title(values: Values) -> str:
    runs = f"{values.runs[1]} against {values.runs[0]}" if len(values.runs) == 2 else f"{len(values.runs)} runs"
    return f"{runs}, {len(values.topics):,} topics, {', '.join(map(str, values.measures))}"
