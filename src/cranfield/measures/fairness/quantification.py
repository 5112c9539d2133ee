"""Group weights in a ranking, quantified from the group membership probabilities of its documents.

A classifier that looks at one document at a time is right about all documents together, and can be wrong about those
that a ranking brings to the top. Quantification asks for the shares of groups there, not for the group of each
(fabris2023).
"""

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cranfield.core.types import Rows
from cranfield.measures.base import ratio

Counting: TypeAlias = Literal["shares", "likeliest", "em"]
Shares: TypeAlias = NDArray[np.float64]  # (document, group), or (row, group)
Places: TypeAlias = NDArray[np.int64]  # (document,): which row each is in

STEPS = 1000  # of expectation and maximisation, at most
STILL = 1e-9  # what moves by less has come to rest


def in_groups(counting: Counting, share: Shares, weight: Rows, row: Places, before: Shares) -> Shares:
    """(row, group): the weight of the documents of each group, in each row.

    ``before`` are the shares of groups, row by row, among the documents for which the probabilities were made. With
    ``"em"`` those of a row are what makes its probabilities likeliest (saerens2002), documents counted by weight.
    """
    if counting == "shares":
        return _added(share * weight[:, None], row, len(before))
    if counting == "likeliest":
        return _added(np.eye(share.shape[1])[share.argmax(axis=1)] * weight[:, None], row, len(before))
    total = np.bincount(row, weight, minlength=len(before))[:, None]
    lift = ratio(share, before[row])
    found, moving = before.copy(), total[:, 0] > 0
    for _ in range(STEPS):
        live = moving[row]
        if not live.any():
            break
        row, lift, weight = row[live], lift[live], weight[live]
        chance = found[row] * lift
        chance = ratio(chance, np.broadcast_to(chance.sum(axis=1, keepdims=True), chance.shape))
        after = ratio(_added(chance * weight[:, None], row, len(found)), np.broadcast_to(total, found.shape))
        after = np.where(moving[:, None], after, found)
        moving &= np.abs(after - found).max(axis=1) >= STILL
        found = after
    return found * total


def _added(some: Shares, row: Places, rows: int) -> Shares:
    return np.stack([np.bincount(row, column, minlength=rows) for column in some.T], axis=1)
