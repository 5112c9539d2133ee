"""Fairness of attention and of exposure beside the code of Raj and Ekstrand."""

from math import exp

import pytest

import cranfield as cf
from tests.support.golden.golden_values import golden
from tests.support.golden.group_inputs import GROUPS, PATIENCE, grouped, ranked


def values(measure: str) -> dict[str, float]:
    """Ours, by topic."""
    qrels = {topic: {one: grade for one, (grade, _) in some.items()} for topic, some in grouped().items()}
    groups = {one: group for some in grouped().values() for one, (_, group) in some.items() if group != GROUPS[2]}
    run = {topic: {one: -float(rank) for rank, one in enumerate(some)} for topic, some in ranked().items()}
    found = cf.evaluate(qrels, run, measure, attributes=groups, scale="ignore")
    return dict(zip(found.topics, found.cube[0, :, 0].tolist(), strict=True))


@pytest.mark.parametrize("target", ["equal", "relevant"])
@pytest.mark.parametrize("p", PATIENCE)
def test_every_topic_is_as_far_from_its_target(p: float, target: str) -> None:
    theirs = golden("rank_fairness")[str(p)][f"AWRF {target}"]
    # Of two groups the one is as far above its target as the other is below: half the sum of both is the distance.
    ours = values(f"AWRF(distance='absolute',p={p},target='{target}')")
    assert ours == pytest.approx({topic: 1 - distance for topic, distance in theirs.items()}, abs=1e-12)
    assert min(theirs.values()) > 0.01


@pytest.mark.parametrize("name", ["DTR", "DIR"])
@pytest.mark.parametrize("p", PATIENCE)
def test_every_topic_has_the_ratio_of_its_two_groups(p: float, name: str) -> None:
    theirs = {topic: exp(-abs(log)) for topic, log in golden("rank_fairness")[str(p)][name].items()}
    # It adds a millionth to what it takes the logarithm of, some of which is below a hundredth.
    assert values(f"{name}(p={p})") == pytest.approx(theirs, rel=2e-4, abs=0)
    assert len({round(value, 3) for value in theirs.values()}) == len(theirs)
