"""Makes rank_fairness.json: fairness of attention and of exposure by the code of Raj and Ekstrand (SIGIR 2022).

It is no package: it is commit b2b7e8f of github.com/BoiseState/rank-fairness-metrics, in a folder of its own; it needs
pandas.
Run from the root: RANK_FAIRNESS=/path/to/rank-fairness-metrics python -m tests.golden.make.rank_fairness
"""

import os
import sys
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tests.golden.make.writing import save
from tests.support.golden.group_inputs import GROUPS, PATIENCE, grouped, ranked

MAJOR, MINOR, UNKNOWN = GROUPS


def make() -> object:
    """{patience: {what: {topic: value}}}.

    AWRF is how far the smaller group's share of attention is from its target; of DTR and DIR, which it calls exposed
    and realised utility ratio, it gives the logarithm. It divides the utility, but not the exposure, by how many there
    are of a group: so that both are sums, it is told that there is one of each. It multiplies by one over the weights.
    """
    sys.path.insert(0, str(Path(os.environ["RANK_FAIRNESS"], "bookgender")))
    pandas, numpy = import_module("pandas"), import_module("numpy")
    awrf = import_module("fair_metrics.sapiezynski").awrf
    ratios = import_module("fair_metrics.singh_joachims")
    rbp = import_module("metric_utils.position").rbp
    called = SimpleNamespace(minor=MINOR, major=MAJOR, unknown=UNKNOWN, category="group")
    called.group_freqs = dict.fromkeys(GROUPS, 1)
    made: dict[str, dict[str, dict[str, float]]] = {}
    for p in PATIENCE:
        for topic, documents in ranked().items():
            frame, every = (pandas.DataFrame(_rows(topic, some)) for some in (documents, grouped()[topic]))
            weight = numpy.asarray(rbp(p)(frame))
            said = {
                f"AWRF {target}": awrf(frame, called, weight, p_hat=share) for target, share in _targets(topic).items()
            }
            said["DTR"] = ratios.exposed_utility_ratio(frame, every, called, 1 / weight)
            said["DIR"] = ratios.realized_utility_ratio(frame, every, called, 1 / weight)
            for what, value in said.items():
                made.setdefault(str(p), {}).setdefault(what, {})[topic] = float(value)
    return made


def _rows(topic: str, documents: Iterable[str]) -> dict[str, list[Any]]:
    """Documents down a list: the rank, the grade, the group, and a column for each group."""
    grades, groups = zip(*(grouped()[topic][document] for document in documents), strict=True)
    columns: dict[str, list[Any]] = {name: [float(group == name) for group in groups] for name in GROUPS}
    told = {
        "rank": [*range(1, len(groups) + 1)],
        "rating": [*grades],
        "group": [*groups],
        "user": [topic] * len(groups),
    }
    return told | columns


def _targets(topic: str) -> dict[str, float]:
    """The share of the smaller group that is due: half, or its share of the relevant documents."""
    relevant = [group for grade, group in grouped()[topic].values() if grade > 0 and group != UNKNOWN]
    return {"equal": 0.5, "relevant": relevant.count(MINOR) / len(relevant)}


if __name__ == "__main__":
    save("rank_fairness", make())
