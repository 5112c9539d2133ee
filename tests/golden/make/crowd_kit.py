"""Makes crowd_kit.json: what crowd-kit says of the answers in crowd_inputs.py.

crowd-kit is among no requirements: it brings models of language with it. It has a folder of its own:
pip install --target /path/to/folder crowd-kit==1.4.2
Run from the root: CROWD_KIT=/path/to/folder python -m tests.golden.make.crowd_kit
"""

import os
import sys
import warnings
from importlib import import_module
from math import inf
from typing import Any

import numpy as np

from tests.golden.make.writing import save
from tests.support.golden.crowd_inputs import Crowd, crowds

ROUNDS = (1, 5, 300)  # of EM; the last is as good as for ever
KNOWN = 10  # the right choice of every so-manieth item is told


def make() -> object:
    """For each input what every method says, with ten decimals."""
    sys.path.append(os.environ["CROWD_KIT"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it calls pandas as one did some years ago
        return said()


def said() -> object:
    """The same, whatever pandas warns of."""
    frame, kit = import_module("pandas").DataFrame, import_module("crowdkit.aggregation")
    made = {}
    for name, crowd in crowds().items():
        data = frame({"task": crowd.item, "worker": crowd.worker, "label": crowd.choice})
        vote, wawa = kit.MajorityVote().fit(data), kit.Wawa().fit(data)
        weighted = kit.MajorityVote().fit(data, wawa.skills_)  # as Wawa does, which new versions of scikit-learn stop
        told = {
            "majority": {"share": shares(vote.probas_, crowd), "quality": workers(vote.skills_, crowd)},
            "weighted": {"share": shares(weighted.probas_, crowd), "weight": workers(wawa.skills_, crowd)},
            "dawid-skene": [skene(kit.DawidSkene(n_iter=n, tol=-inf).fit(data), crowd) for n in ROUNDS],
            "one-coin": [one_coin(kit.OneCoinDawidSkene(n_iter=n, tol=-inf).fit(data), crowd) for n in ROUNDS],
            "stops": len(kit.DawidSkene(n_iter=1000).fit(data).loss_history_),
        }
        if crowd.truth is not None:
            known = import_module("pandas").Series(crowd.truth)[::KNOWN]
            told["gold"] = skene(kit.DawidSkene(n_iter=ROUNDS[-1], tol=-inf).fit(data, known), crowd)
        made[name] = told
    return {"rounds": ROUNDS, "known": KNOWN, "inputs": made}


def skene(fitted: Any, crowd: Crowd) -> dict[str, Any]:
    """Shares, frequencies and confusion (worker, true choice, chosen) of a Dawid–Skene model."""
    confusion = np.zeros((crowd.workers, crowd.choices, crowd.choices))
    for (worker, chosen), row in fitted.errors_.iterrows():
        confusion[worker, :, chosen] = row.reindex(range(crowd.choices)).to_numpy()
    prior = fitted.priors_.reindex(range(crowd.choices)).to_numpy()
    return {"share": shares(fitted.probas_, crowd), "prior": rounded(prior), "confusion": rounded(confusion)}


def one_coin(fitted: Any, crowd: Crowd) -> dict[str, Any]:
    """Shares and chances of being right of a one-coin model."""
    return {"share": shares(fitted.probas_, crowd), "quality": workers(fitted.skills_, crowd)}


def shares(frame: Any, crowd: Crowd) -> Any:
    """(item, choice)."""
    return rounded(frame.reindex(index=range(crowd.items), columns=range(crowd.choices)).to_numpy())


def workers(series: Any, crowd: Crowd) -> Any:
    """(worker,)."""
    return rounded(series.reindex(range(crowd.workers)).to_numpy())


def rounded(numbers: Any) -> Any:
    """Plain numbers of ten decimals."""
    return np.round(np.asarray(numbers, dtype=float), 10).tolist()


if __name__ == "__main__":
    save("crowd_kit", make())
