"""Fit an analysis of variance, compare all pairs of runs, and build the result tables."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Provenance, Table, definition
from cranfield.core.types import Cube, Matrix, Rows
from cranfield.data import Factors
from cranfield.stats.boards.compact_letters import letters
from cranfield.stats.estimates.confidence_intervals import TInterval
from cranfield.stats.multiple.corrections import Correction
from cranfield.stats.multiple.family_intervals import interval_level
from cranfield.stats.multiple.omnibus_base import OMNIBUS, Source
from cranfield.stats.multiple.tukey import AfterAnova
from cranfield.stats.pair_tests.all_pairs import finite
from cranfield.stats.pair_tests.base import Answer, Asked, Pairs, PairTest
from cranfield.stats.pair_tests.float_ties import SUM_ERROR, TIE, largest, mid_ranks

from .assumption_checks import assumptions
from .bootstrap import bootstrap_anova
from .factor_designs import factor_anova, level_means
from .replicated_designs import Replicates, replicated_anova
from .variance_analysis import Anova, OneWay, TwoWay
from .variance_components import Components, components, replicated_components

TARGET = 0.95  # of the dependability of an order of runs
NO_ERROR = "the error is 0: F is infinite and p is 0, however few topics there are"
AGREEMENT = "friedman: all topics have one order, so F (Iman–Davenport) is infinite; its p is the exact chance of that"


@dataclass(frozen=True, eq=False)
class Analysed:
    """All runs together: the model, every pair after it, and what stands behind them."""

    runs: tuple[str, ...]
    matrix: Matrix  # (topic, run): means over replicates, where there are any
    fitted: Anova
    after: PairTest
    procedure: str  # in words
    pairs: Pairs
    answer: Answer
    adjusted: Rows  # (pair,)
    family: str
    low: Rows  # (run,)
    high: Rows
    half_width: float | None
    letters: list[str]
    components: Components
    ranks: tuple[tuple[str, Source], ...] = ()
    factors: Factors | None = None
    covariates: tuple[str, ...] = ()
    lower: bool = False  # lower values are better

    @property
    def order(self) -> NDArray[np.intp]:
        """Return the runs (run,) from the best mean to the worst, equal means in the order of the runs."""
        means = self.fitted.means if self.lower else -self.fitted.means
        scale = np.full((1, len(means)), SUM_ERROR / TIE * largest(means))
        return np.argsort(mid_ranks(means[None], scale)[0], kind="stable")

    def significant(self, level: float) -> NDArray[np.bool_]:
        """(pair,): p ≤ level."""
        return self.adjusted <= level

    @property
    def without_error(self) -> bool:
        """Return whether the error is 0 although runs differ, so that their F is infinite."""
        return any(row.statistic == inf and row.source != "topic" for row in self.fitted.rows)

    @property
    def within_topics(self) -> bool:
        """Return whether pairs are compared with the error of replicates, which excludes topic × run."""
        by_bootstrap = any(name == "bootstrap" for name, _ in self.ranks)
        return self.fitted.replicates > 1 and (by_bootstrap or isinstance(self.after, AfterAnova))

    def like_the_best(self) -> int:
        """How many runs share a letter with the one on top, itself included."""
        best = set(_signs(self.letters[int(self.order[0])]))
        return sum(bool(best & set(_signs(each))) for each in self.letters)


def analysed(
    runs: Sequence[str],
    matrix: Matrix,
    after: PairTest,
    correction: Correction,
    *,
    one_way: bool = False,
    cube: Cube | None = None,
    replicates: Replicates = "repeated",
    factors: Factors | None = None,
    nested: bool | None = None,
    interactions: bool = False,
    random_topics: bool = False,
    covariates: Sequence[str] = (),
    ranks: bool = False,
    order: Matrix | None = None,
    bootstrap: int | None = None,
    lower: bool = False,
    asked: Asked,
) -> Analysed:
    """Fit the model that is asked for, then compare all pairs.

    ``cube`` is (replicate, topic, run). With ``bootstrap`` so many draws of the errors take the place of ``after``.
    """
    half: float | None
    again = Source(source="system")
    if factors is not None:
        fitted = factor_anova(
            matrix,
            factors,
            nested=nested,
            interactions=interactions,
            random_topics=random_topics,
            covariates=covariates,
        )
    elif cube is not None:
        fitted = replicated_anova(cube, replicates=replicates)
    else:
        fitted = (OneWay() if one_way else TwoWay()).fit(matrix)
    pairs = Pairs.every(matrix, order)
    each = interval_level(asked.level, len(pairs), correction)  # p-values and intervals of pairs are one family
    if bootstrap is not None:
        values = matrix[None] if cube is None else cube
        drawn = bootstrap_anova(values, draws=bootstrap, asked=asked, pair_level=each)
        answer, half, low, high = drawn.answer, None, drawn.low, drawn.high
        again = Source(source="system", statistic=drawn.statistic, p=drawn.p, log10_p=float(np.log10(drawn.p)))
    elif isinstance(after, AfterAnova):
        answer = after.after(fitted, pairs.a, pairs.b, level=asked.level)
        half = after.distance(fitted, asked.level) / 2
        low, high = fitted.means - half, fitted.means + half
    else:
        answer, half = after.compare(pairs, asked if after.joint else replace(asked, level=each)), None
        low, high = TInterval().around(matrix, asked)
    adjusted = correction.adjust(answer.p) if answer.adjusted is None else answer.adjusted
    family = (
        "corrected for all pairs" if answer.adjusted is not None else f"{correction.name} over {len(pairs):,} pairs"
    )
    found = (("bootstrap", again),) * (bootstrap is not None) + tuple(
        (name, row)
        for name in (("kruskal-wallis", "friedman") if ranks else ())
        for row in OMNIBUS[name]().sources(order if order is not None and name == "friedman" else matrix)
    )
    return Analysed(
        runs=tuple(runs),
        matrix=matrix,
        fitted=fitted,
        after=after,
        procedure="bootstrap ANOVA" if bootstrap is not None else definition(type(after)).partition(":")[0],
        pairs=pairs,
        answer=answer,
        adjusted=adjusted,
        family=family,
        low=low,
        high=high,
        half_width=half,
        letters=letters(-fitted.means if lower else fitted.means, _square(pairs, adjusted <= asked.level, len(runs))),
        components=components(matrix) if cube is None else replicated_components(cube),
        ranks=found,
        factors=factors,
        covariates=tuple(covariates),
        lower=lower,
    )


def analysis_tables(found: Analysed, name: str, *, level: float, made_by: Provenance) -> dict[str, Table]:
    """The tables of the study, the most detailed last; ``name`` says what the values are."""
    tables = {
        "anova": _anova_table(found, name),
        "systems": _systems_table(found, name, level),
        "components": _components_table(found.components),
        "dependability": _dependability_table(found.components, len(found.matrix)),
        "assumptions": _assumptions_table(found.matrix, level),
        "boxes": _boxes_table(found, name),
        "pairs": _pairs_table(found, level),
    }
    if found.factors is not None:
        means = level_means(found.matrix, found.factors, covariates=found.covariates)
        rows = [{"factor": m.factor, "level": m.level, "runs": m.runs, "mean": m.mean} for m in means]
        caption = "levels of factors"
        tables = {"levels": Table.from_rows(rows, ("factor", "level", "runs", "mean"), caption=caption)} | tables
        tables = {"anova": tables["anova"]} | tables
    return {name: _by(table, made_by) for name, table in tables.items()}


def _by(table: Table, made_by: Provenance) -> Table:
    return Table(table.data, table.caption, made_by, table.notes)


def _anova_table(found: Analysed, name: str) -> Table:
    named = [(row.source, row) for row in found.fitted.rows]
    named += [(f"{test}: {row.source}", row) for test, row in found.ranks]
    rows = [
        {
            "source": source,
            "ss": row.ss,
            "df": row.df,
            "ms": row.ms,
            "f": row.statistic if np.isfinite(row.statistic) else np.nan,
            "p": row.p,
            "log10_p": row.log10_p if np.isfinite(row.log10_p) else np.nan,
            "omega2": row.effect,
            "size": row.size,
        }
        for source, row in named
    ]
    notes = [found.fitted.note] if found.fitted.note else []
    notes += [NO_ERROR] * found.without_error
    notes += [AGREEMENT] * any(test == "friedman" and row.statistic == inf for test, row in found.ranks)
    columns: dict[str, Any] = {name: [row[name] for row in rows] for name in rows[0]}
    columns["df"] = [int(row.df) if row.df == row.df else None for _, row in named]
    return Table(columns, f"analysis of variance of {name}", notes=tuple(notes))


def _systems_table(found: Analysed, name: str, level: float) -> Table:
    order = found.order
    if found.half_width is not None:
        rule = f"runs whose intervals do not meet differ at {level:g} ({found.after.name})"
        told = f"means of {name} ± {found.half_width:.4f}: {rule}"
    else:
        told = f"means of {name} with their own intervals: letters by {found.procedure} at {level:g}"
    columns: dict[str, Any] = {
        "run": [found.runs[run] for run in order],
        "mean": found.fitted.means[order],
        "low": found.low[order],
        "high": found.high[order],
        "letters": [found.letters[run] for run in order],
    }
    return Table(columns, told)


def _pairs_table(found: Analysed, level: float) -> Table:
    names = np.array(found.runs, dtype=object)
    nothing = np.full(len(found.pairs), np.nan)
    # An interval of another estimate than the mean difference does not belong next to it.
    of_means = found.answer.estimate is None
    low, high = (found.answer.low, found.answer.high) if of_means else (None, None)
    columns: dict[str, Any] = {
        "a": names[found.pairs.a],
        "b": names[found.pairs.b],
        "difference": found.pairs.mean_difference,
        "q": finite(found.answer.statistic),
        "p": found.adjusted,
        "significant": found.significant(level),
        "low": nothing if low is None else finite(low),
        "high": nothing if high is None else finite(high),
    }
    return Table(columns, f"all pairs: {found.procedure}, {found.answer.note[0]}; {found.family}")


def _components_table(found: Components) -> Table:
    columns: dict[str, Any] = {
        "source": [part.source for part in found.parts],
        "variance": [part.variance for part in found.parts],
        "share": [part.share for part in found.parts],
    }
    return Table(
        columns, "what one value varies by, topics and runs taken as samples", notes=tuple(filter(None, [found.note]))
    )


def _dependability_table(found: Components, topics: int) -> Table:
    kinds = {"order of runs (Eρ²)": found.relative, "means (Φ)": found.absolute}
    rows = []
    for kind, strength in kinds.items():
        value, low, high = strength.dependable(topics)
        needed, fewest, most = (count if np.isfinite(count) else np.nan for count in strength.needed(TARGET))
        rows.append(
            {"of": kind, "topics": topics, "value": value, "low": low, "high": high}
            | {"target": TARGET, "needed": needed, "needed_low": fewest, "needed_high": most}
        )
    whole = {"needed", "needed_low", "needed_high"}
    columns = {
        name: [None if row[name] != row[name] else int(row[name]) if name in whole else row[name] for row in rows]  # type: ignore[call-overload]  # numbers
        for name in rows[0]
    }
    return Table(columns, f"how dependable {topics} topics are, and how many reach {TARGET:g}")


def _assumptions_table(matrix: Matrix, level: float) -> Table:
    found = assumptions(matrix, level=level)
    columns: dict[str, Any] = {
        "check": [one.check for one in found],
        "value": finite(np.array([one.value for one in found], dtype=float)),
        "p": [one.p for one in found],
        "matters": [one.matters for one in found],
        "why": [one.why for one in found],
    }
    return Table(columns, "what the tests assume, and whether it matters here")


def _boxes_table(found: Analysed, name: str) -> Table:
    """One row with the quarters of each run, the best first, and one for each topic beyond its whiskers (tukey1977)."""
    columns: dict[str, list[Any]] = {
        name: [] for name in ("run", "mean", "low", "q1", "median", "q3", "high", "outlier")
    }

    def add(*cells: Any) -> None:
        for column, cell in zip(columns.values(), cells, strict=True):
            column.append(cell)

    for run in found.order:
        values, who, mean = found.matrix[:, run], found.runs[run], float(found.fitted.means[run])
        q1, median, q3 = np.quantile(values, [0.25, 0.5, 0.75]).tolist()
        reach = 1.5 * (q3 - q1)
        inside = values[(values >= q1 - reach) & (values <= q3 + reach)]
        add(who, mean, float(inside.min()), q1, median, q3, float(inside.max()), None)
        for value in sorted(values[(values < q1 - reach) | (values > q3 + reach)].tolist()):
            add(who, mean, None, None, None, None, None, value)
    return Table(columns, f"{name} over {len(found.matrix)} topics")


def _square(pairs: Pairs, significant: NDArray[np.bool_], runs: int) -> NDArray[np.bool_]:
    square = np.zeros((runs, runs), dtype=bool)
    square[pairs.a, pairs.b] = significant
    return square


def _signs(written: str) -> list[str]:
    from cranfield.stats.boards.compact_letters import SIGN

    return SIGN.findall(written)
