"""Choice of a test by the pairs that it separates and by its disagreement between halves of the topics."""

from collections.abc import Sequence
from typing import NamedTuple

MIN_SEPARATED = 0.01  # of cases; a test that separates less is hardly ever significant in both halves


class ColumnChoice(NamedTuple):
    """Positions of the columns that lead on each of two counts; the same columns where some lead on both.

    ``excluded`` are columns that separate less than ``MIN_SEPARATED`` of the cases. A test that is hardly ever
    significant hardly ever disagrees with itself, so that these columns are not compared.
    """

    most_separated: tuple[int, ...]  # of those that separate most, the ones that disagree least
    least_disagreement: tuple[int, ...]  # of those that disagree least, the ones that separate most
    excluded: tuple[int, ...]

    @property
    def best(self) -> tuple[int, ...]:
        """Columns that separate most and disagree least; empty where no column does both."""
        return self.most_separated if self.most_separated == self.least_disagreement else ()


def choose_columns(separated: Sequence[float], disagree_significant: Sequence[float | None]) -> ColumnChoice:
    """Find the columns that separate the most pairs, and those that disagree least where they are significant.

    Proportions are compared as they are printed, to 0.1%. Smaller differences depend on which splits were drawn.

    Parameters
    ----------
    separated : sequence of float
        Proportion of cases in which the same run is ahead in both halves, significantly in both; one per column.
    disagree_significant : sequence of float or None
        Proportion of the cases significant in at least one half whose halves have different winners.

    Returns
    -------
    ColumnChoice
        Positions of the columns; all of them are excluded where no column separates enough pairs.

    Examples
    --------
    >>> choose_columns([0.45, 0.25], [0.02, 0.03]).best
    (0,)
    >>> choose_columns([0.45, 0.25], [0.03, 0.01]).best
    ()
    """
    power = [_printed(share) for share in separated]
    disagreement = [_printed(share or 0.0) for share in disagree_significant]  # None: never significant, excluded below
    rivals = [i for i, share in enumerate(power) if share >= _printed(MIN_SEPARATED)]
    excluded = tuple(i for i in range(len(power)) if i not in rivals)
    if not rivals:
        return ColumnChoice((), (), excluded)
    strongest = max((power[i], -disagreement[i]) for i in rivals)
    most_consistent = max((-disagreement[i], power[i]) for i in rivals)
    return ColumnChoice(
        tuple(i for i in rivals if (power[i], -disagreement[i]) == strongest),
        tuple(i for i in rivals if (-disagreement[i], power[i]) == most_consistent),
        excluded,
    )


def _printed(share: float) -> float:
    """Return the percentage with the digits of ``f"{share:.1%}"``."""
    return round(100 * share, 1)
