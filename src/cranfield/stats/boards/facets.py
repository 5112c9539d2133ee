"""Leaderboard by two facets: topics answered, and rank of the first relevant document (lin2021 §5)."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError, Provenance, Table
from cranfield.core.types import Matrix
from cranfield.stats.comparison.facet_verdict import Decide, judge
from cranfield.stats.pair_tests.base import Asked, Pairs


def facet_board(
    first: Matrix,
    runs: Sequence[str],
    groups: Mapping[str, str | None] | None = None,
    *,
    decide: Decide | None = None,
    asked: Asked | None = None,
    made_by: Provenance | None = None,
) -> Table:
    """Runs from best to worst by how many others they lose to and beat, doing no harm.

    ``first`` is (topic, run): the rank of the first relevant document, NaN where none is found. ``answered`` is the
    share of topics with one, ``esl`` the mean of these ranks, ``rr`` the mean of their reciprocals, 0 where there is
    none. Every pair is judged: a run beats another if it is significantly better in topics answered or in rank, and
    significantly worse in neither. ``better`` is how many runs it beats, ``worse`` how many beat it. A correction in
    ``decide`` makes harm harder to show too: it takes wins away, and may add some.

    Do no harm is not transitive: a may beat b, b beat c, and a and c not differ, or c even beat a, because each pair
    is ranked by the topics that these two answer. So it makes no order by itself. The rank is 1 + ``worse``, as on a
    board by a test; equal ranks are ordered by ``better``, then by the topics answered, then by ESL, then by name. A
    run may stand below one that it beats; a note says if one does.
    """
    ranks = np.asarray(first, dtype=float)
    if ranks.ndim != 2 or ranks.shape[1] != len(runs) or len(runs) < 2 or not len(ranks):
        shape = " × ".join(map(str, ranks.shape))
        raise ParameterError(
            f"{len(runs)} runs, but ranks of {shape}", hint="give a rank for each topic, and two runs or more"
        )
    wins = _wins(ranks, decide, asked or Asked())
    better, worse = wins.sum(axis=1), wins.sum(axis=0)
    found = ~np.isnan(ranks)
    answered = found.mean(axis=0)
    sums = np.where(found, ranks, 0.0).sum(axis=0)
    esl = np.divide(sums, found.sum(axis=0), out=np.full(len(runs), np.nan), where=found.any(axis=0))
    rr = np.where(found, 1 / np.where(found, ranks, 1.0), 0.0).mean(axis=0)
    order = np.lexsort((np.array(runs), np.where(np.isnan(esl), np.inf, esl), -answered, -better, worse))
    names = np.array(runs, dtype=object)[order]
    columns = {
        "run": names,
        "group": [(groups or {}).get(run) for run in names],
        "rank": 1 + worse[order],
        "answered": answered[order],
        "esl": esl[order],
        "rr": rr[order],
        "better": better[order],
        "worse": worse[order],
    }
    return Table(
        columns, "runs by topics answered and by rank, doing no harm", made_by, _notes(wins[order][:, order], names)
    )


def _wins(ranks: Matrix, decide: Decide | None, asked: Asked) -> NDArray[np.bool_]:
    """(run, run): whether the first beats the second."""
    pairs = Pairs.every(ranks)
    verdict = judge(pairs, decide=decide, asked=asked).do_no_harm
    wins = np.zeros((ranks.shape[1], ranks.shape[1]), dtype=bool)
    wins[pairs.b, pairs.a] = verdict == 1
    wins[pairs.a, pairs.b] = verdict == -1
    return wins


def _notes(wins: NDArray[np.bool_], names: NDArray[np.object_]) -> tuple[str, ...]:
    """A word on pairs that stand the wrong way round, runs being in the order of the board."""
    below, above = np.nonzero(np.tril(wins))
    if not len(below):
        return ()
    count = f"{len(below)} pair{'s' * (len(below) > 1)}"
    such = f"{names[below[0]]} beats {names[above[0]]}, and stands below"
    return (f"do no harm is not transitive: {count} the wrong way round ({such})",)
