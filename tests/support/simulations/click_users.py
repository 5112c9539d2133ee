"""Users of each click model with known parameters, simulated rank by rank: nothing here is shared with the fits."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranfield.online import Pages, Pairs

Numbers = NDArray[np.float64]
TOPICS, DOCUMENTS, DEPTH = 60, 8, 5
TRUTH: dict[str, Numbers] = {  # parameters that all documents share
    "GCTR rate": np.array([0.13]),
    "RCTR rate": np.array([0.4, 0.25, 0.15, 0.1, 0.08]),
    "PBM examination": np.array([1, 0.75, 0.5, 0.35, 0.2]),
    "UBM examination": np.array([1, 0.6, 0.8, 0.4, 0.5, 0.7, 0.3, 0.35, 0.45, 0.6, 0.2, 0.3, 0.35, 0.4, 0.5]),
    "DCM continuation": np.array([0.6, 0.5, 0.4, 0.35, 0.3]),
    "DBN continuation": np.array([0.743]),
    "CCM continuation": np.array([0.8, 0.7, 0.3]),
}


@dataclass(frozen=True, eq=False)
class Simulated:
    """Pages with clicks, and the parameters behind them by name: of documents (pair,) or shared."""

    pages: Pages
    truth: dict[str, Numbers]


def simulate(model: str, impressions: int, seed: int) -> Simulated:
    """Simulate users of a model before pages of a ranker that prefers attractive documents, popular topics first."""
    stream = np.random.default_rng([seed, *map(ord, model)])
    attraction, satisfaction = stream.beta(1.2, 2.8, (2, TOPICS * DOCUMENTS))
    topic = (stream.random(impressions) ** 2 * TOPICS).astype(np.int64)
    noise = stream.random((impressions, DOCUMENTS)) - attraction.reshape(TOPICS, DOCUMENTS)[topic]
    pair = np.argsort(noise, axis=1)[:, :DEPTH] + (topic * DOCUMENTS)[:, np.newaxis]
    shared = {name.split()[1]: value for name, value in TRUTH.items() if name.split()[0] == model}
    truth = {"attraction": attraction, "satisfaction": satisfaction, **shared}
    clicked = USERS[model](stream, pair, truth)
    topics, documents = (tuple(map(str, range(many))) for many in (TOPICS, DOCUMENTS))
    pairs = Pairs(topics, documents, *np.divmod(np.arange(TOPICS * DOCUMENTS), DOCUMENTS))
    return Simulated(Pages(pairs, pair, clicked, np.ones(impressions)).distinct(), truth)


User = Callable[[np.random.Generator, NDArray[np.int64], dict[str, Numbers]], NDArray[np.bool_]]


def _independent(chance: Callable[[NDArray[np.int64], dict[str, Numbers]], Numbers]) -> User:
    """Users who click each rank with a chance that depends on nothing else they do."""
    return lambda stream, pair, truth: stream.random(pair.shape) < chance(pair, truth)


def _browsing(stream: np.random.Generator, pair: NDArray[np.int64], truth: dict[str, Numbers]) -> NDArray[np.bool_]:
    """UBM: examination depends on the rank and on the rank of the last click, 0 for none."""
    clicked, last = np.zeros(pair.shape, dtype=np.bool_), np.zeros(len(pair), dtype=np.int64)
    for rank in range(1, DEPTH + 1):
        examination = truth["examination"][rank * (rank - 1) // 2 + last]
        clicked[:, rank - 1] = stream.random(len(pair)) < examination * truth["attraction"][pair[:, rank - 1]]
        last[clicked[:, rank - 1]] = rank
    return clicked


Continue = Callable[[int, NDArray[np.int64], NDArray[np.bool_], dict[str, Numbers]], tuple[Numbers, Numbers, Numbers]]


def _cascade(chances: Continue) -> User:
    """Users who stop somewhere; ``chances`` are of satisfaction, and of going on without and with it."""

    def users(stream: np.random.Generator, pair: NDArray[np.int64], truth: dict[str, Numbers]) -> NDArray[np.bool_]:
        clicked, there = np.zeros(pair.shape, dtype=np.bool_), np.ones(len(pair), dtype=np.bool_)
        for rank in range(DEPTH):
            here = pair[:, rank]
            clicked[:, rank] = there & (stream.random(len(pair)) < truth["attraction"][here])
            satisfaction, unsatisfied, satisfied = chances(rank, here, clicked[:, rank], truth)
            glad = clicked[:, rank] & (stream.random(len(pair)) < satisfaction)
            there &= stream.random(len(pair)) < np.where(glad, satisfied, unsatisfied)
        return clicked

    return users


ZERO, ONE = np.zeros(1), np.ones(1)
USERS: dict[str, User] = {
    "GCTR": _independent(lambda _, truth: truth["rate"]),
    "RCTR": _independent(lambda _, truth: truth["rate"]),
    "DCTR": _independent(lambda pair, truth: truth["attraction"][pair]),
    "PBM": _independent(lambda pair, truth: truth["attraction"][pair] * truth["examination"]),
    "UBM": _browsing,
    "CM": _cascade(lambda *_: (ONE, ONE, ZERO)),
    "DCM": _cascade(lambda rank, *given: (1 - given[-1]["continuation"][rank : rank + 1], ONE, ZERO)),
    "SDBN": _cascade(lambda _, here, __, truth: (truth["satisfaction"][here], ONE, ZERO)),
    "DBN": _cascade(lambda _, here, __, truth: (truth["satisfaction"][here], truth["continuation"], ZERO)),
    "CCM": _cascade(
        lambda _, here, clicked, truth: (
            truth["attraction"][here],
            np.where(clicked, truth["continuation"][1], truth["continuation"][0]),
            truth["continuation"][2:],
        )
    ),
}
