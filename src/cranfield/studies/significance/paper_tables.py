"""Table of means for a paper: best values in bold, significance marks against baselines."""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from string import ascii_letters
from typing import Any, Literal, TypeAlias

import numpy as np

from cranfield.core import SEED, Direction, ParameterError, Policy, Study, Table
from cranfield.core.rendering import DIGITS
from cranfield.data import Named, Values, has_better, read_scores, unjudged_notes, warning_notes
from cranfield.stats import LEVEL, Alternative, Correction, Family, PairTest, adapt, looks_for_differences, parse_tests

from .baselines import find_baselines
from .paper_legend import Comparisons, paper_caption, paper_legend
from .study import test as test_pairs

Signs: TypeAlias = dict[tuple[str, str, str], int]  # (run, measure, baseline): 1 significantly better, −1 worse

BETTER, WORSE = "†", "‡"  # marks where there is one baseline
DOWN = "↓"  # with several baselines, it precedes the letters of those that the run is worse than
TESTED = ("mean", "median")  # ways to aggregate that the tests are about
MAX_EXAMPLES = 3  # of pairs in a note
OF_INTERVALS = re.compile("low and high are|an interval that contains 0")  # notes on what the table does not show


@dataclass(frozen=True, slots=True)
class PaperTable:
    """Means of runs with significance marks: ``table`` for people, ``study`` with the exact rows for programs."""

    table: Table
    study: Study

    def __str__(self) -> str:
        return str(self.table)

    def _repr_html_(self) -> str:
        return self.table._repr_html_()

    def to_latex(self, *, digits: int = DIGITS) -> str:
        """Return a booktabs table, rounded to ``digits`` decimals."""
        return self.table.to_latex(digits=digits)

    def to_markdown(self, *, digits: int = DIGITS) -> str:
        """Return a pipe table, rounded to ``digits`` decimals."""
        return self.table.to_markdown(digits=digits)


def paper_table(
    values: Any,
    baselines: str | Sequence[str] = (),
    *,
    test: str | PairTest = "t",
    correct: str | Correction = "holm",
    family: Family = "pairs",
    aggregate: Literal["mean", "median"] | None = None,
    alternative: Alternative | None = None,
    draws: int | None = None,
    level: float = LEVEL,
    scale: Policy = "note",
    seed: int = SEED,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> PaperTable:
    """Make the table of a paper: one row per run, one column per measure, marks for significant differences.

    Baselines come first. Each other run is tested against each baseline; baselines are not tested against each other.
    P-values are corrected over all these comparisons of one measure, or of all measures with ``family="measures"``.

    Parameters
    ----------
    values
        Values from :func:`evaluate`, or a table of scores with topics as rows and runs as columns.
    baselines
        One baseline or several, by the names or files of the runs. Without one there are no marks.
    test
        The test of differences, such as ``"t"`` or ``"signed-rank"``.
    correct
        The correction for the number of comparisons, such as ``"holm"``, ``"bh"`` or ``"none"``.
    aggregate
        ``"mean"`` or ``"median"`` over topics in place of each measure's usual aggregate.
    level
        A difference is significant if its corrected p-value is at most this.

    Returns
    -------
    PaperTable
        ``table`` shows the best of each column, the marks and a legend, in every format. ``study`` has the exact rows
        in ``paper`` (run, measure, mean, best, better_than, worse_than) and the tests behind the marks in ``tests``.

    Examples
    --------
    >>> import cranfield as cf
    >>> values = cf.evaluate(
    ...     {"1": {"d": 1}, "2": {"d": 1}},
    ...     {"bm25": {"1": {"d": 1.0}}, "dense": {"1": {"d": 1.0}, "2": {"d": 1.0}}},
    ...     "P@1",
    ... )
    >>> print(cf.paper_table(values, "bm25").to_markdown(digits=2).splitlines()[-1])
    | dense | **1.00** |
    """
    values = (values if isinstance(values, Values) else read_scores(values)).in_topic_order()
    values = values if aggregate is None else replace(values, by=aggregate)
    names = find_baselines(values, baselines)
    if len(names) > len(ascii_letters):
        raise ParameterError(f"{len(names)} baselines are too many", hint=f"name at most {len(ascii_letters)}")
    if not names:
        return _assemble(values, [], {}, [*warning_notes(values), *unjudged_notes(values)])
    method = adapt(_one_test(test), alternative=alternative, draws=draws)
    tested, notes = _tested_measures(values)
    study = test_pairs(
        values.of_measures(tested),
        method,
        baseline=names,
        correct=correct,
        family=family,
        aggregate="median" if values.by == "median" else "mean",
        level=level,
        scale=scale,
        seed=seed,
        threads=threads,
        progress=progress,
    )
    signs, opposed = _significant_signs(study["tests"], tested, method, level)
    facts = Comparisons.of(study["tests"], method, correct, family=family, level=level)
    kept = [one for one in study["tests"].notes if not OF_INTERVALS.search(one)]
    return _assemble(values, names, signs, (*kept, *notes, *opposed), facts, study["tests"])


def _one_test(test: str | PairTest) -> PairTest:
    methods = parse_tests(test)
    if len(methods) > 1:
        raise ParameterError(f"the marks of a table come from one test, not {len(methods)}", hint="name one test")
    return looks_for_differences(methods[0])


def _tested_measures(values: Values) -> tuple[list[Named], list[str]]:
    """Return the measures on which one run can be significantly better, and a note on the others."""
    unknown = [str(one) for one in values.measures if not has_better(one)]
    others = [str(one) for one in values.measures if has_better(one) and values.way(one) not in TESTED]
    tested = [one for one in values.measures if str(one) not in {*unknown, *others}]
    why = {
        "it is not known whether higher values are better": (unknown, "name the measure: cranfield test --scale-of AP"),
        "the tests are about means and medians": (others, "use the mean or the median, or leave out the baselines"),
    }
    if not tested:
        reason, (names, hint) = next((reason, found) for reason, found in why.items() if found[0])
        raise ParameterError(f"{', '.join(names)} cannot have marks, because {reason}", hint=hint)
    notes = [f"{', '.join(names)}: no marks, because {reason}" for reason, (names, _) in why.items() if names]
    return tested, notes


def _significant_signs(
    tests: Table, measures: Sequence[Named], method: PairTest, level: float
) -> tuple[Signs, list[str]]:
    """Return the sign of each significant difference, and a note on those that contradict the values.

    The direction is that of the test: the sign test counts topics, which can contradict the order of the means.
    """
    down = {str(one) for one in measures if one.direction is Direction.LOWER}
    signs: Signs = {}
    opposed = []
    rows: list[dict[str, Any]] = list(tests.rows())
    for row in rows:
        if row["p_adjusted"] is None or row["p_adjusted"] > level:
            continue
        # An infinite effect is missing in the table. Then every topic has the same difference.
        centre = 0.5 if method.effect == "share" else 0
        lead = row["difference"] if row["effect"] is None else row["effect"] - centre
        signs[row["b"], row["measure"], row["a"]] = int(np.sign(lead)) * (-1 if row["measure"] in down else 1)
        if lead * row["difference"] < 0:
            opposed.append(f"{row['b']} and {row['a']} on {row['measure']}")
    if not opposed:
        return signs, []
    some = "; ".join(opposed[:MAX_EXAMPLES]) + "; …" * (len(opposed) > MAX_EXAMPLES)
    return signs, [f"the marks follow {method.name}, which contradicts the order of the values of {some}"]


def _assemble(
    values: Values,
    baselines: Sequence[str],
    signs: Signs,
    notes: Sequence[str] = (),
    facts: Comparisons | None = None,
    tests: Table | None = None,
) -> PaperTable:
    """Lay out the means with the baselines first, and list the same as exact rows."""
    means = values.mean()
    order = [values.runs.index(name) for name in baselines]
    order += [run for run in range(len(values.runs)) if run not in order]
    columns = [str(measure) for measure in values.measures]
    runs = [values.runs[run] for run in order]
    data: dict[str, Sequence[Any]] = {
        "run": runs,
        **{column: [means.cells(column)[run] for run in order] for column in columns},
    }
    best = frozenset((order.index(run), column) for run, column in means.best)
    marks = _marks(runs, columns, baselines, signs)
    made_by = values.made_by if tests is None else tests.made_by
    legend = paper_legend(facts, baselines, (BETTER, WORSE, DOWN)) if facts else ""
    table = Table(data, paper_caption(values), made_by, (), best, marks=marks, legend=legend)
    rows = _exact_rows(table, baselines, signs, facts.measures if facts else ())
    exact = replace(rows, made_by=made_by, notes=(*notes, *_without_best(values, {column for _, column in best})))
    tables = {"paper": exact} if tests is None else {"tests": replace(tests, notes=()), "paper": exact}
    return PaperTable(table, Study("paper", tables, facts.as_dict(baselines) if facts else None, made_by))


def _without_best(values: Values, marked: Collection[str]) -> list[str]:
    """Return a note on measures whose best value is not in bold."""
    names = [str(one) for one in values.measures if has_better(one) and str(one) not in marked]
    if not names or len(values.runs) < 2:
        return []
    return [f"{', '.join(names)}: no value is in bold, because the runs have values in different topics"]


def _marks(
    runs: Sequence[str], columns: Sequence[str], baselines: Sequence[str], signs: Signs
) -> dict[tuple[int, str], str]:
    """Return the superscripts by row and column; with several baselines, each has its letter at its name."""
    letters = dict(zip(baselines, ascii_letters, strict=False))
    marks = {(row, "run"): letters[name] for row, name in enumerate(baselines)} if len(baselines) > 1 else {}
    for row, run in enumerate(runs):
        for column in columns:
            better, worse = (_baselines_with(sign, run, column, baselines, signs) for sign in (1, -1))
            if len(baselines) == 1:
                mark = BETTER if better else WORSE if worse else ""
            else:
                mark = "".join(letters[name] for name in better)
                mark += DOWN * bool(worse) + "".join(letters[name] for name in worse)
            if mark:
                marks[row, column] = mark
    return marks


def _exact_rows(table: Table, baselines: Sequence[str], signs: Signs, tested: Sequence[str]) -> Table:
    """Return one row per run and measure; the names of baselines are null where nothing was tested."""
    rows = []
    for row, run in enumerate(map(str, table.cells("run"))):
        for column in table.columns[1:]:
            better, worse = (_baselines_with(sign, run, column, baselines, signs) for sign in (1, -1))
            known = column in tested and run not in baselines
            rows.append(
                {
                    "run": run,
                    "measure": column,
                    "mean": table.cells(column, slice(row, row + 1))[0],
                    "best": (row, column) in table.best,
                    "better_than": ", ".join(better) if known else None,
                    "worse_than": ", ".join(worse) if known else None,
                }
            )
    return Table.from_rows(rows, tuple(rows[0]), caption="means and significant differences")


def _baselines_with(sign: int, run: str, measure: str, baselines: Sequence[str], signs: Signs) -> list[str]:
    return [name for name in baselines if signs.get((run, measure, name)) == sign]
