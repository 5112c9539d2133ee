"""FA*IR's tables beside those of its authors."""

import pytest

import cranfield as cf
from cranfield.measures.fairness.prefix_parity import fewest
from tests.support.golden.golden_values import golden


@pytest.mark.parametrize("named", golden("fairsearchcore"))
def test_prefixes_may_hold_as_few_of_the_group(named: str) -> None:
    share, level = map(float, named.split())
    theirs = golden("fairsearchcore")[named]
    assert fewest(len(theirs), share, level).tolist() == theirs


@pytest.mark.parametrize("named", golden("fairsearchcore"))
def test_a_ranking_with_one_fewer_of_the_group_is_not_fair(named: str) -> None:
    share, level = map(float, named.split())
    theirs = golden("fairsearchcore")[named]
    # As late as may be: one of the group where a prefix must hold one more.
    order = ["few" if now > before else "many" for before, now in zip([0, *theirs], theirs, strict=False)]
    first = order.index("few")
    late = [*order[:first], "many", "few", *order[first + 2 :]] if order[first + 1 : first + 2] == ["many"] else None
    measure = f"FAIR(adjust=False,group='few',level={level},share={share})@{len(theirs)}"
    assert _value(order, measure) == 1
    assert late is not None
    assert _value(late, measure) == 0


def _value(order: list[str], measure: str) -> float:
    groups = {f"d{i}": group for i, group in enumerate(order)}
    run = {"t": {document: -float(i) for i, document in enumerate(groups)}}
    return float(cf.evaluate({"t": {"d0": 1}}, run, measure, attributes=groups, scale="ignore").cube[0, 0, 0])
