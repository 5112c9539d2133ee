"""Importance-weighted reuse of logged interleaved pages to compare other rankings."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError, Provenance, Table
from cranfield.stats import LEVEL, check_level

from .base import Interleaved, Lists
from .probabilistic import Probabilistic

COLUMNS = ("estimator", "impressions", "difference", "low", "high", "weight", "largest", "ess")


def reused_table(
    shown: Sequence[Interleaved],
    clicks: Sequence[Iterable[int | str]],
    lists: Sequence[Lists],
    *,
    level: float = LEVEL,
    made_by: Provenance | None = None,
) -> Table:
    """What two other lists would gain from pages that probabilistic interleaving showed: hofmann2013reuse.

    One page, its clicks and the two lists stand for each impression. ``difference`` is the expected credit of a less
    b for each impression: weighted by how much likelier the page is for the new lists (``ips``), or that over the sum
    of weights (``snips``). The mean ``weight`` is near 1 where the old lists could show all that the new ones would;
    below, pages are missing. ``ess`` is the number of impressions that would tell as much without weights.
    """
    check_level(level)
    if not len(shown) == len(clicks) == len(lists):
        message = f"{len(shown)} pages, {len(clicks)} sets of clicks, {len(lists)} pairs of lists"
        raise ParameterError(message, hint="give one of each for every impression")
    if len(shown) < 2:
        raise ParameterError(f"{len(shown)} impressions have no spread", hint="give two or more")
    pages = [_again(page, pair) for page, pair in zip(shown, lists, strict=True)]
    credit = np.array([page.credit(clicked) for page, clicked in zip(pages, clicks, strict=True)])
    ahead = credit[:, 0] - credit[:, 1]
    weight = np.array([np.prod(new.chance) / np.prod(old.chance) for new, old in zip(pages, shown, strict=True)])
    return Table.from_rows(_rows(ahead, weight, level), COLUMNS, caption="Two lists on old pages", made_by=made_by)


def _again(page: Interleaved, lists: Lists) -> Interleaved:
    """The page as if the lists had made it."""
    if not isinstance(page.method, Probabilistic) or not page.chance:
        message = f"{page.method} does not say how likely a page was"
        raise ParameterError(message, hint="give pages that probabilistic made")
    if len(lists) != 2 or min(map(len, lists)) < len(page.documents):
        message = f"a page of {len(page.documents)} documents, but not two lists as long"
        raise ParameterError(message, hint="give two lists that are no shorter than the page")
    return page.method.made(lists, page.documents, page.teams)


def _rows(ahead: NDArray[np.float64], weight: NDArray[np.float64], level: float) -> list[dict[str, Any]]:
    from scipy.special import ndtri

    n, total = len(ahead), weight.sum()
    if total == 0:
        hint = "show pages that hold documents of the new lists"
        raise ParameterError("the new lists would have made none of the pages", hint=hint)
    plain, ratio = (weight * ahead).mean(), (weight * ahead).sum() / total
    errors = (weight * ahead).std(ddof=1) / np.sqrt(n), np.sqrt((weight**2 * (ahead - ratio) ** 2).sum()) / total
    shared = {
        "impressions": n,
        "weight": float(weight.mean()),
        "largest": float(weight.max()),
        "ess": float(total**2 / (weight**2).sum()),
    }
    reach = float(ndtri(1 - level / 2))
    return [
        {"estimator": name, "difference": float(value), "low": float(value - reach * error)}
        | {"high": float(value + reach * error)}
        | shared
        for name, value, error in zip(("ips", "snips"), (plain, ratio), errors, strict=True)
    ]
