"""Report on a set of runs: leaderboard, comparisons, novelty and all values."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from cranfield.core import SEED, ParameterError, Policy, Study
from cranfield.data import Values, join_entries, read_entries
from cranfield.measures import Browsing
from cranfield.stats import LEVEL
from cranfield.studies import (
    PAIR_COLUMNS,
    compare,
    leaderboard,
    novelty,
    readable_evidence,
    summary_of_values,
    wide_dominance,
    wide_outcomes,
    wide_overall,
)

from .report import Report, Section, Term, compose

MANY = 3  # runs from which a report has a leaderboard
NARROW = ("run", "group", "value", "nrg", "low", "high", "unique", "tasc", "rareness")  # columns that fit on a page
HEADINGS = {
    "ranks": "Leaderboard",
    "sota": "Steps of the state of the art",
    "groups": "Groups",
    "shakeup": "Order of the runs under other conditions",
    "moves": "Public and private ranks",
    "overfitting": "Improvements on private topics",
    "cost": "Cost and value",
    "flips": "Order of the runs with wrong labels",
    "facets": "Leaderboard by topics answered and by ranks",
    "sizes": "Number of topics for a stable order",
    "orders": "Agreement between measures",
}
WORDS = {
    "board": "The rank of a run is 1 plus the number of runs that are significantly better. Runs that share a letter "
    "are not significantly different. The interval of a rank comes from bootstrap resamples of the topics.",
    "novelty": "Normalised residual gain is the value of a ranking for a user who has already read other rankings. A "
    "document counts only as far as the other rankings have not shown it. Runs above the line in the chart find more "
    "new relevant documents than their value predicts.",
    "compare": "The first measure decides: a run is better or worse if its difference is significant and no other line "
    "of evidence is significant in the opposite direction. With such a line the verdict is mixed. Without a "
    "significant difference it is inconclusive, which does not mean that the runs are equal. The other lines are "
    "corrected among themselves (Bonferroni).",
}
PICKED = (
    "These are the first two runs of the leaderboard. The p-value below is not corrected for that choice; the "
    "leaderboard has the corrected test."
)
BOARD = (
    Term(
        name="rank bootstrap",
        definition="Topics are resampled with replacement, as many as there are, and the runs are ranked by their "
        "means in each resample. Tied runs share the ranks that they span.",
        cite="craswell2021msmarco",
    ),
    Term(
        name="τ, τ_AP and RBO",
        definition="Agreement of two orders of runs. τ is the proportion of pairs in the same order minus the "
        "proportion in the opposite order, τ_AP gives more weight to the top, and RBO is the overlap of both orders "
        "from the top down.",
        cite="kendall1945,yilmaz2008,webber2010",
    ),
)
ADDED = (
    Term(
        name="NRG",
        definition="A measure whose gains are multiplied by Π (1 − seen) over the other rankings. Unique contributions "
        "are relevant documents that no other ranking has in its first ranks.",
        cite="bigdeli2024",
    ),
    Term(
        name="rareness and TaSC",
        definition="Rareness is precision with more weight on documents that few runs find. TaSC is a value times the "
        "difference between 1 and the best known value.",
        cite="turkmen2023,arabzadeh2023tasc",
    ),
)
COMPARED = (
    Term(
        name="binomial",
        definition="Exact test of the number of topics that only one of two runs answers, against one half.",
        cite="conover1999",
    ),
    Term(
        name="interval of proportions",
        definition="Wilson's score interval for a proportion of topics, and Tango's for the difference of two "
        "proportions of the same topics.",
        cite="wilson1927,tango1998",
    ),
    Term(
        name="dominance",
        definition="A ranking dominates another if, at every rank and for every grade, it has at least as many "
        "documents of that grade or a higher one, and more at some rank.",
        cite="ferrante2019",
    ),
    Term(
        name="strict and do no harm",
        definition="The outcome rule. A run is strictly better if it answers significantly more topics and ranks "
        "significantly better where both runs answer. It is better without harm if one of the two holds and the other "
        "is not significantly worse.",
        cite="lin2021",
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
    rel: float = 1,
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
    """Return a report on runs: a leaderboard for three or more runs, comparisons, novelty and all values.

    It compares the ``pairs`` given, each run with a ``baseline``, or the runner-up with the leader.
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
            rel=rel,
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
        values, _ = values.parted(private)  # comparisons use public topics only
    chosen = pairs if pairs or baseline is not None else [_leaders(values, led)]
    compared = compare(
        values,
        pairs=chosen,
        baseline=baseline,
        cutoff=cutoff,
        rel=rel,
        level=level,
        scale=scale,
        seed=seed,
        threads=threads,
        progress=progress,
    )
    sections.append(_compared(compared, picked=led is not None and chosen is not pairs and baseline is None))
    if len(values.runs) >= MANY and values.assessed is not None:
        sections += _added(values, entries, rel=rel, level=level, seed=seed, threads=threads)
    means = replace(values.study(), tables={"means": values.mean(), **values.study().tables})
    sections.append(Section("Values", means, tables={"means": "Means over topics"}, rows=200))
    return compose(sections, title=title or _title(values), command=command)


def _leaders(values: Values, board: Study | None) -> tuple[str, str]:
    """Return the runner-up and the leader: the comparison asks whether the leader is better."""
    if board is None:
        return values.runs[0], values.runs[1]
    first, second, *_ = board["ranks"].cells("run")
    return str(second), str(first)


def _board(study: Study) -> Section:
    shown = {name: heading for name, heading in HEADINGS.items() if name in study.tables and len(study[name])}
    return Section("Leaderboard", study, WORDS["board"], shown, terms=BOARD, cite="craswell2021msmarco")


def _compared(study: Study, *, picked: bool) -> Section:
    """Return the comparison: the evidence or the verdicts, with all other tables in the details.

    ``picked`` says that the two runs are the first two of the leaderboard, which no test of one pair accounts for.
    """
    if len(study["verdicts"]) == 1:
        title = "Comparison of two runs"
        tables, headings = {"readable_evidence": readable_evidence(study)}, {"readable_evidence": "Evidence"}
    else:
        title = "Comparison of pairs of runs"
        tables, headings = {}, {"verdicts": "Verdicts"}
    details: dict[str, str] = {}
    if "outcomes" in study.tables:
        tables |= {"table_2": wide_outcomes(study), "table_1": wide_overall(study)}
        details |= {"table_2": "Outcomes of topics", "answered": "Topics that one run alone answers"}
        details |= {"table_1": "Other tests of the measures"}
    if "dominance" in study.tables:
        tables["by_dominance"] = wide_dominance(study)
        details |= {"by_dominance": "Dominance", "splits": "Topics in which neither run dominates"}
    details |= {"meaning": "Means if only the order of values is meaningful"}
    details |= {"movers": "Topics with the largest differences"}
    return Section(
        title,
        replace(study, tables={**study.tables, **tables}),
        WORDS["compare"],
        headings | details,
        {"verdicts": PAIR_COLUMNS},
        terms=COMPARED if "outcomes" in study.tables else (),
        cite="lin2021",
        details=tuple(details),
        summary=" ".join(filter(None, [summary_of_values(study), PICKED * picked])),
        notes=study["verdicts"].notes if "verdicts" not in headings else (),
    )


def _added(values: Values, entries: Any, **asked: Any) -> list[Section]:
    """Return the section on novelty by the first measure that has it, against the best run of each other group."""
    measure = next((one for one in values.measures if isinstance(one, Browsing)), None)
    if measure is None:
        return []
    known = join_entries(values) if entries is None else read_entries(entries)
    groups = {known.of(run).group for run in values.runs} - {None}
    prior = "best-per-group" if len(groups) >= MANY else "others"
    study = novelty(values, measures=[measure], prior=prior, entries=known, **asked)
    shown = {"novelty": "Novelty of each run", "bests": "Best run of each group"}
    headings = {name: heading for name, heading in shown.items() if name in study.tables}
    title, cite = "Relevant documents that other runs miss", "bigdeli2024"
    columns = {"novelty": NARROW if groups else [column for column in NARROW if column != "group"]}
    drawn = replace(study, charts=("novelty",))
    return [Section(title, drawn, WORDS["novelty"], headings, columns, terms=ADDED, cite=cite)]


def _title(values: Values) -> str:
    runs = f"{values.runs[1]} against {values.runs[0]}" if len(values.runs) == 2 else f"{len(values.runs)} runs"
    return f"{runs}, {len(values.topics):,} topics, {', '.join(map(str, values.measures))}"
