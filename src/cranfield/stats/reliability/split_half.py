"""Agreement of conclusions between two halves of the topics (craswell2021msmarco §4.3)."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError, Table, listed
from cranfield.data import Splits, Values
from cranfield.stats.pair_tests.all_pairs import AGGREGATES, Aggregate, choose_pairs, places
from cranfield.stats.pair_tests.base import Asked, Pairs, PairTest
from cranfield.stats.pair_tests.bootstrap import Bootstrap
from cranfield.stats.pair_tests.closed_form import RankSum, Sign, T
from cranfield.stats.pair_tests.randomisation import Randomisation
from cranfield.stats.pair_tests.signed_rank import SignedRank
from cranfield.stats.pair_tests.split_half_rank_tests import Significant

from .split_half_counts import Winners, part_of, significant_in_halves, winners_in_halves

Column: TypeAlias = tuple[PairTest, Aggregate]  # as in craswell2021msmarco Table 4

FEWEST = 4  # topics: two in each half
LEFT_OUT = "not every run has a value in every topic; a pair is compared where both have one"
OF_MEANS = (T, Randomisation, Bootstrap)  # the paper has no median beside such a test


class Agreement(NamedTuple):
    """Proportions of cases, where a case is a pair of runs in one split.

    ``agree_significant`` and ``disagree_significant`` are proportions of the cases that are significant in at least one
    half. They are None where there is no such case.
    """

    agree: float
    partial: float
    disagree: float
    significant: float  # in at least one half
    ties: float  # equal in at least one half
    agree_significant: float | None  # significant in both halves, with the same winner
    disagree_significant: float | None
    separated: float  # significant in both halves, with the same winner


def columns_of(tests: Sequence[PairTest] = (), aggregates: Iterable[Aggregate] | None = None) -> list[Column]:
    """Tests and aggregates that are studied together: by default those of craswell2021msmarco Table 4.

    Without ``aggregates``, every test has the mean, and then those that are not about means have the median.
    """
    chosen = tests or (Sign(), RankSum(), SignedRank(), T())
    for test in chosen:
        if test.joint or test.equivalence:
            why = "looks at all pairs at once" if test.joint else "looks for equality"
            hint = "agreement is about tests of one pair, such as t, sign or randomisation"
            raise ParameterError(f"{test} {why}", hint=hint)
    if aggregates is None:
        return [(test, "mean") for test in chosen] + [(t, "median") for t in chosen if not isinstance(t, OF_MEANS)]
    wanted = list(dict.fromkeys(aggregates))
    for word in wanted:
        if word not in AGGREGATES:
            raise ParameterError(f"aggregate cannot be {word!r}", hint=f"choose one of: {', '.join(AGGREGATES)}")
    if not wanted:
        raise ParameterError("no aggregate is given", hint=f"choose some of: {', '.join(AGGREGATES)}")
    return [(test, aggregate) for aggregate in wanted for test in chosen]


def agreement_of(significant: Significant, winners: Winners) -> Agreement:
    """Count the agreement of halves, from arrays (pair, half): all first halves, then all second halves.

    Two halves *agree* on a pair where the same run is ahead in both, and the difference is significant in both or in
    neither. They agree *partially* where the same run is ahead and the difference is significant in one half, or
    different runs are ahead and it is significant in neither. They *disagree* where different runs are ahead and it is
    significant in at least one half. Two runs that are equal in a half are a tie, which is the same result only as
    another tie. A pair is *separated* where the same run is ahead in both halves, significantly in both.
    """
    one, other = np.split(significant, 2, axis=1)
    first, second = np.split(winners, 2, axis=1)
    same, either = first == second, one | other
    separated = same & one & other & (first != 0)
    opposite = ~same & either

    def share(holds: NDArray[np.bool_]) -> float:
        return float(holds.mean())

    def share_of_significant(holds: NDArray[np.bool_]) -> float | None:
        cases = np.count_nonzero(either)
        return np.count_nonzero(holds) / cases if cases else None

    return Agreement(
        agree=share(same & (one == other)),
        partial=share(np.where(same, one != other, ~either)),
        disagree=share(opposite),
        significant=share(either),
        ties=share((first == 0) | (second == 0)),
        agree_significant=share_of_significant(separated),
        disagree_significant=share_of_significant(opposite),
        separated=share(separated),
    )


def check_splits(values: Values, splits: Splits | None = None) -> None:
    """Refuse topics too few to be split, and splits of other topics."""
    topics = len(values.topics)
    if topics < FEWEST:
        count = f"{topics} topic{'s are' if topics != 1 else ' is'}"
        raise ParameterError(f"{count} too few to be split in two", hint=f"give {FEWEST} topics or more")
    if splits is not None and splits.topics != topics:
        hint = f"draw or read splits of {topics} topics"
        raise ParameterError(f"the splits are of {splits.topics} topics, the values of {topics}", hint=hint)


def agreement_table(values: Values, columns: Sequence[Column], splits: Splits, asked: Asked) -> Table:
    """One row for each measure, test and aggregate: how often two halves of the topics agree on a pair of runs."""
    check_splits(values, splits)
    chosen, inside = choose_pairs(values), splits.members()
    tests = list(dict.fromkeys(test for test, _ in columns))
    rows: list[dict[str, Any]] = []
    for i, measure in enumerate(values.measures):
        matrix = values.matrix(measure)
        pairs = Pairs.given(matrix, chosen, places(values, measure, matrix))
        ahead = {aggregate: winners_in_halves(pairs, inside, aggregate) for _, aggregate in columns}
        parts = [part_of(asked, i * len(tests) + j, len(values.measures) * len(tests)) for j in range(len(tests))]
        small = {
            test: significant_in_halves(test, pairs, inside, part) for test, part in zip(tests, parts, strict=True)
        }
        rows += [
            {"measure": str(measure), "test": str(test), "aggregate": aggregate}
            | agreement_of(small[test], ahead[aggregate])._asdict()
            for test, aggregate in columns
        ]
    caption = f"agreement of two halves of {len(values.topics):,} topics, at level {asked.level:g}"
    short = [str(measure) for measure in values.measures if np.isnan(values.matrix(measure)).any()]
    notes = (f"{listed(short)}: {LEFT_OUT}",) if short else ()
    names = ("measure", "test", "aggregate", *Agreement._fields)
    return Table.from_rows(rows, names, caption=caption, made_by=values.made_by, notes=notes)
