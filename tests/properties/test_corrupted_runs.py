"""Corrupted runs and judgments are refused, noted or harmless, in every format; never silently different."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cranfield as cf
from tests.support.corruptions.base import Corruption, Response
from tests.support.corruptions.runs import CORRUPTIONS, FORMATS, Campaign, good_campaign, other_run

MEASURES = ["AP", "nDCG@10", "P@10", "RR", "RBP(p=0.8)"]
CELLS = [(one, kind) for one in CORRUPTIONS.all for kind in one.formats or FORMATS]


def evaluated(campaign: Campaign, folder: Path, kind: str) -> Response:
    """Evaluate a campaign next to an undamaged run; numbers by topic, whose order does not matter."""
    qrels, run = campaign.write(folder, kind)
    values = cf.evaluate(qrels, {"mine": run, "other": other_run(np.random.default_rng(0))}, MEASURES, scale="ignore")
    order = np.argsort(values.topics)
    return Response(values.cube[0, order].tolist(), frozenset(values.mean().notes))


@pytest.mark.parametrize("kind", FORMATS)
def test_good_data_are_silent(kind: str, tmp_path: Path) -> None:
    assert not evaluated(good_campaign(np.random.default_rng(1)), tmp_path, kind).messages


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(("corruption", "kind"), CELLS, ids=[f"{one}-{kind}" for one, kind in CELLS])
def test_corruption_is_never_silent(corruption: Corruption[Campaign], kind: str, seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    good = good_campaign(rng)
    (tmp_path / "good").mkdir()
    expected: Any = evaluated(good, tmp_path / "good", kind)
    bad = corruption.change(good, rng)
    if corruption.answer == "error":
        with pytest.raises(cf.InputError) as raised:
            evaluated(bad, tmp_path, kind)
        assert raised.value.hint
        assert not corruption.code or raised.value.code == corruption.code
        return
    answer = evaluated(bad, tmp_path, kind)
    if corruption.answer == "warning":
        assert answer.messages - expected.messages
        assert not corruption.code or any(corruption.code in note for note in answer.messages)
    else:
        assert answer.numbers == expected.numbers
