"""Values of pyNTCIREVAL: the measures of NTCIR, with linear and with exponential gains."""

import re

import pytest

from tests.support.golden.golden_values import EXACT, assessed, golden, said

GAINS = {"linear": "", "exponential": "gains={2:3,3:7}"}
# What it calls our measures; with exponential gains alone is its ERR that of others.
NAMES = {
    "P-measure": "Pmeasure()",
    "P-plus": "PPlus()",
    "NCUguP": "NCU(beta=0.0)",
    "NCUguBR": "NCU()",
    "NCUrbP": "NCU(beta=0.0,gamma=0.95)",
    "NCUrbBR": "NCU(gamma=0.95)",
    "RBP": "RBP(p=0.85,max_rel=3)",
    "ERR": "ERR(max_rel=3)",
    "MSnDCG": "MSnDCG()",
    "nERR": "nERR(max_rel=3)",
}


def ours(name: str, way: str) -> str:
    """What we call a measure of pyNTCIREVAL."""
    name, condensed, _ = name.partition(" condensed")
    stem, at, k = name.partition("@")
    stem = NAMES.get(stem, stem)
    settings = [re.sub(r".*\(|\)", "", stem)]
    settings += [GAINS[way]] * (not stem.startswith(("ERR", "nERR", "RBP"))) + ["judged_only=True"] * bool(condensed)
    return f"{stem.partition('(')[0]}({','.join(filter(None, settings))}){at}{k}"


CASES = [
    (name, way, measure)
    for name, ways in golden("pyntcireval").items()
    for way, measures in ways.items()
    for measure in measures
    # Ours have gains of their own: exponential in ERR, linear in RBP.
    if not (way == "linear" and "ERR" in measure) and not (way == "exponential" and measure.startswith("RBP"))
]


@pytest.mark.parametrize(("name", "way", "measure"), CASES)
def test_every_topic_has_the_value_of_pyntcireval(name: str, way: str, measure: str) -> None:
    theirs = golden("pyntcireval")[name][way][measure]
    found = said(assessed(name), ours(measure, way))
    assert {topic: found[topic] for topic in theirs} == pytest.approx(theirs, rel=0, abs=EXACT)
    assert all(value == 0 for topic, value in found.items() if topic not in theirs)  # nothing is relevant there


def test_the_input_tells_the_measures_apart() -> None:
    theirs = golden("pyntcireval")["graded"]["linear"]
    ours_too = ["Q(beta=1.0)", "O(beta=1.0)", "P-measure", "P-plus", "NCUguBR", "NCUrbBR"]
    assert len({tuple(theirs[measure].values()) for measure in ours_too}) == len(ours_too)
