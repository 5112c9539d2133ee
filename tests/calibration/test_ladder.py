"""The Ladder against teams that mix two runs: what they end up with, over many draws.

A gain is the true private value of the run a team ends up with, less that of the better of its two runs. What the
server was specified by are figures of TREC-8 for the attack that votes: a hundred mixtures of two runs of mean AP .33
buy .372 at any rounding, and .342 under the Ladder at the decimals of 50 topics.
"""

from collections.abc import Callable
from math import exp, hypot
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cranfield.core import generator
from cranfield.data import read_scores
from cranfield.stats import FULL, Mixed, replay_mixing
from tests.support.run_size import Size

MOST = 2_000  # draws: more would fill the memory
SHARE = 0.4  # of what plain values give, at most
FEW = Size(name="few", examples=0, draws=100)  # of 1,200 topics there are 120,000 coins a submission
Recorder = Callable[[str, object], None]
Two = tuple[NDArray[np.float64], NDArray[np.float64]]


def twins(topics: int, seed: int) -> Two:
    """Two runs with the same mean: topics come in pairs, and what one run has in one, the other has in the other."""
    random = generator(seed, "twins")
    easy = random.beta(1, 2, topics // 2)
    one, other = np.clip(easy + random.normal(0, 0.15, (2, topics // 2)), 0, 1)
    return np.concatenate([one, other]), np.concatenate([other, one])


@pytest.fixture(scope="module")
def trec8(shared_data: Path) -> Two:
    """The two runs of TREC-8 whose mean AP is .33."""
    matrix = read_scores(shared_data / "score-matrices" / "adhoc8_ap.csv").matrix()
    a, b = np.flatnonzero(np.round(matrix.mean(axis=0), 2) == 0.33)
    return matrix[:, a], matrix[:, b]


def replay(two: Two, size: Size, record: Recorder, **options: Any) -> Mixed:
    found = replay_mixing(*two, draws=min(size.draws, MOST), **options)
    told = " ".join(f"{name}={value}" for name, value in options.items())
    record("figure", f"{len(two[0])} topics {told}: {found.start:.4f} to {found.value.mean():.4f} ± {found.error:.4f}")
    return found


@pytest.mark.parametrize("decimals", [1, 2, 4, FULL])
def test_on_trec8_votes_buy_the_same_at_any_rounding_and_less_under_the_ladder(
    trec8: Two, decimals: int, size: Size, record_property: Recorder
) -> None:
    plain = replay(trec8, size, record_property, rule="plain", decimals=decimals)
    assert plain.value.mean() == pytest.approx(0.372, abs=0.004)
    ladder = replay(trec8, size, record_property, rule="ladder")
    assert ladder.value.mean() == pytest.approx(0.342, abs=0.005)
    assert ladder.gain + 4 * ladder.error <= SHARE * plain.gain


@pytest.mark.parametrize("topics", [50, 1_200])
def test_made_up_runs_gain_as_little(topics: int, record_property: Recorder) -> None:
    two = twins(topics, seed=1)
    plain = replay(two, FEW, record_property, rule="plain", decimals=FULL)
    for decimals in (None, FULL):
        ladder = replay(two, FEW, record_property, rule="ladder", decimals=decimals)
        assert plain.gain > 0.01
        assert ladder.gain + 4 * ladder.error <= SHARE * plain.gain


def test_who_knows_the_ladder_is_only_slowed(size: Size, record_property: Recorder) -> None:
    """A block of many topics gains z standard deviations: plain values keep z > 0, the Ladder z > 1.

    Of normal numbers E[z; z > 1] / E[z; z > 0] = φ(1) / φ(0) = e^(−1/2): the Ladder leaves 61 % to whoever climbs by
    blocks, and no more than that can be claimed for it.
    """
    two = twins(1_200, seed=2)
    options = {"attack": "climb", "submissions": 20, "decimals": FULL}
    plain, ladder = (replay(two, size, record_property, rule=rule, **options) for rule in ("plain", "ladder"))
    share = ladder.gain / plain.gain
    error = share * hypot(ladder.error / ladder.gain, plain.error / plain.gain)
    assert share == pytest.approx(exp(-0.5), abs=4 * error + 0.01)  # sums of 60 topics are nearly normal


def test_decimals_slow_who_climbs_where_the_ladder_alone_does_not(
    trec8: Two, size: Size, record_property: Recorder
) -> None:
    options: dict[str, Any] = {"attack": "climb"}
    plain = replay(trec8, size, record_property, rule="plain", decimals=4, **options)
    assert plain.value == pytest.approx(np.full(len(plain.value), np.maximum(*trec8).mean()))  # all there is
    ladder = replay(trec8, size, record_property, rule="ladder", decimals=FULL, **options)
    both = replay(trec8, size, record_property, rule="ladder", **options)
    assert ladder.gain > SHARE * plain.gain
    assert both.gain + 4 * both.error <= SHARE * plain.gain
