"""Every measure of the catalogue, with several cut-offs and parameters.

A new declaration is included automatically. Settings of parameters that only one measure has belong in EXTRA.
"""

from dataclasses import fields
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Direction, ParameterError
from cranfield.data import Assessed
from cranfield.measures import (
    AP,
    DCG,
    ERR,
    INST,
    MEASURES,
    NDCG,
    RBP,
    RR,
    Counterexample,
    Measure,
    P,
)
from tests.support.properties.topic_strategies import TOP, Topic, assess_grades, assess_topics

# For each parameter that any measure may have, what it is set to besides its default.
SETTINGS: dict[str, tuple[Any, ...]] = {"judged_only": (True,), "rel": (2,), "max_rel": (TOP, 5)}
ROUNDINGS = ("exact", "trec_eval-9", "trec_eval-10")
EXTRA: dict[str, tuple[dict[str, Any], ...]] = {
    "RBP": ({"p": 0.3}, {"p": 0.5}, {"p": 0.95}, {"p": 0.5, "max_rel": TOP}, {"by_topic": True}),
    "RBPResidual": ({"p": 0.3}, {"tail": False}),
    "DCG": ({"dcg": "exp-log2"}, {"b": 2.0}, {"b": 10.0}, {"gains": {1: 5, 2: 1}}, {"gains": {0: 1, 1: 0}}),
    "nDCG": ({"dcg": "exp-log2"}, {"b": 2.0}, {"b": 10.0}, {"gains": {1: 5, 2: 1}}, {"gains": {0: 1, 1: 0}}),
    "ESL": ({"missing": 100.0},),
    "INST": ({"T": 0.5}, {"T": 2.5}, {"min_rel": 1}),
    "INSQ": ({"T": 0.3}, {"T": 2.5}, {"min_rel": 1}),
    "NERR10": ({"p": 0.5}, {"min_rel": 1}),
    "NERR11": ({"T": 0.3}, {"T": 2.5}),
    "BPM": ({"T": 0.5}, {"T": 2.0}, {"min_rel": 1}),
    "TBG": ({"half_life": 10.0}, {"words": 5000.0, "click_other": 0.9}),
    "U": ({"L": 2000.0}, {"L": 100.0}, {"read": 0.0}),
    "IFT": ({"T": 1.0, "R1": 5.0}, {"A": 0.5, "R2": 2.0}, {"b2": 1e-9, "R1": 0.1}),
    "CWL": ({"continuation": "0.3"}, {"continuation": "0.9 0 0.5 0.1"}, {"continuation": "0.2 1"}),
    "MP": (
        {"states": "all"},
        {"states": "all", "links": "local", "distance": "inverse-log"},
        {"links": "local"},
        {"loops": True, "distance": "none", "with_recall": True},
        {"holding": "0 1 5 2", "distance": "inverse-log"},
        {"transitions": "0.2 0.8 0/0.5 0 0.5/1 0 1"},
        {"transitions": "0 1/0 1"},
    ),
    "uPBM": ({"attraction": "0 0.9 0.1 0.5"}, {"examination": "0.5 1 0.2"}),
    "uUBM": ({"attraction": "0 0.9 0.1 0.5"}, {"examination": "0.9/0.5 1"}),
    **dict.fromkeys(("uDCM", "rrDCM"), ({"continuation": "1 0 0.5"}, {"continuation": "0.5"})),
    **dict.fromkeys(("uSDBN", "rrSDBN"), ({"attraction": "1 0.9 0.1 0.5"}, {"satisfaction": "0 1 0.5 0.5"})),
    **dict.fromkeys(("uDBN", "rrDBN"), ({"continuation": 0.3}, {"continuation": 1.0})),
    **dict.fromkeys(("uCCM", "rrCCM"), ({"after_click": 0.1}, {"after_skip": 0.5, "after_satisfied": 0.9})),
    "Compat": ({"p": 0.3}, {"normalize": False}, {"p": 0.5, "normalize": False}),
    **dict.fromkeys(
        ("Q", "O", "Pmeasure", "PPlus"),
        ({"beta": 0.0}, {"beta": 10.0}, {"gains": {1: 5, 2: 1}}, {"gains": {0: 1, 1: 0}}),
    ),
    "GAP": ({"gains": {1: 1, 2: 3, 3: 7}}, {"gains": {1: 5, 2: 1}}, {"gains": {0: 1, 1: 0}}),
    "NCU": ({"beta": 0.0}, {"gamma": 0.95}, {"gamma": 0.1}, {"gamma": 1.0, "beta": 0.0}),
    "EBR": ({"beta": 0.0}, {"gains": {1: 1, 2: 3, 3: 7}}),
    "iRBU": ({"p": 0.5},),
    "R": ({"capped": True},),
    "AP": ({"capped": True},),
    "Rprec": ({"times": 0.4}, {"times": 2.0}),
    **dict.fromkeys(("F", "E", "SetF"), ({"beta": 0.0}, {"beta": 0.5}, {"beta": 3.0})),
    "SetP": ({"relative": True}, {"relative": True, "judged_only": True}),
    "Utility": ({"b": 0.5}, {"b": 0.5, "judged_only": True}, {"a": 3.0, "b": 0.0, "rel": 2}),
    "IPrec": tuple({"recall": 0.5, "rounding": way} for way in ROUNDINGS),
    "IAP": ({"points": 3}, {"levels": "0.2 0.5 0.8"}, *({"rounding": way} for way in ROUNDINGS)),
    "NRG": tuple({"of": of} for of in (DCG(), NDCG(dcg="exp-log2"), RBP(), RR(rel=2), ERR(), INST(), P(k=5))),
    "TaSC": ({"by": "mean"}, {"of": AP()}, {"of": RR(), "by": "mean"}),
    **dict.fromkeys(("alpha_DCG", "ERR_IA"), ({"alpha": 0.0}, {"alpha": 0.9}, {"normalize": False})),
    **dict.fromkeys(("alpha_nDCG", "nERR_IA"), ({"alpha": 0.0}, {"alpha": 0.3}, {"alpha": 1.0})),
    **dict.fromkeys(("NRBP", "nNRBP"), ({"beta": 0.9}, {"alpha": 0.3})),
    "nDCG_IA": ({"dcg": "exp-log2"},),
    "DSharp_nDCG": ({"gamma": 0.2},),
    **dict.fromkeys(("EE_L", "EE_D", "EE_R", "DTR", "DIR"), ({"attention": "log"}, {"p": 0.9})),
    "AWRF": (
        *({"distance": way} for way in ("absolute", "squared", "hellinger", "kl")),
        *({"target": target, "attention": "log"} for target in ("population", "equal")),
    ),
    **dict.fromkeys(("rND", "rKL", "rRD"), ({"step": 2}, {"step": 3, "group": "a"})),
    "uBpref": ({"top": 2}, {"aspect": "credibility"}),
    **dict.fromkeys(("uRBP", "cRBP"), ({"p": 0.3}, {"level": 2}, {"top": 2}, {"aspect": "credibility"})),
    **dict.fromkeys(
        ("CAM", "MM"), ({"of": AP()}, {"of": RBP(), "weight": 0.2}, {"weight": 1.0}, {"of": ERR(k=3, max_rel=TOP)})
    ),
    "FAIR": ({"share": 0.3}, {"adjust": False, "group": "b"}, {"level": 0.3}),
    "RareP": ({"alpha": 0.0}, {"alpha": 3.0}),
    "interval": (
        *({"of": of} for of in (RR(), NDCG(k=5), RBP(k=5), ERR(k=3))),
        *({"of": AP(k=5), "by": by} for by in ("rankings", "maximin")),
    ),
}
CUTS = (None, 1, 3, 5, 20)


def _cases() -> list[Measure]:
    found: dict[Measure, None] = {}
    for cls in MEASURES:
        known = {field.name for field in fields(cls)}
        settings = [{}, *EXTRA.get(cls.name, ())]
        settings += [{name: value} for name in sorted(SETTINGS.keys() & known) for value in SETTINGS[name]]
        for setting in settings:
            for k in CUTS:
                try:
                    found[cls(k=k, **setting).settled(float(TOP))] = None
                except ParameterError:  # a measure says itself what it cannot be: P without a cut-off
                    continue
        assert any(isinstance(measure, cls) for measure in found), f"{cls.name} was never made"
    return list(found)


CASES = _cases()
NAMES = MEASURES.names()


@cache
def cases(name: str, *, axiom: str | None = None) -> list[Measure]:
    """The cases of one measure; only those that keep an axiom, if one is named."""
    return [measure for measure in CASES if measure.name == name and (axiom is None or axiom in measure.axioms)]


def with_axiom(axiom: str) -> list[str]:
    """The measures that keep an axiom in some case."""
    return [name for name in NAMES if cases(name, axiom=axiom)]


def assessed_for(name: str, *given: Topic) -> Assessed:
    """Topics with what a measure has to know of documents beside their grades, if it has to know anything."""
    return assess_topics(*given, beside=any(measure.asks_for for measure in cases(name)))


def worth(measure: Measure, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values turned so that higher is better; no value is worst."""
    turned = -values if measure.direction is Direction.LOWER else values
    return np.where(np.isnan(turned), -np.inf, turned)


def of_first_topic(assessed: Assessed, measures: list[Measure]) -> NDArray[np.float64]:
    """(measure, run): what the rankings of the first topic are worth."""
    cube = assessed.map(measures)
    return np.array([worth(measure, cube[:, 0, i]) for i, measure in enumerate(measures)])


def goodness(measure: Measure, grade: int) -> tuple[float, int]:
    """By what a measure that keeps the axioms may prefer a document: its gain, then its grade; unjudged is last."""
    gain = float(measure.gain(np.array([float(grade)]))[0]) if grade >= 0 else 0.0
    return gain, max(grade, -1)


def falls(measure: Measure, example: Counterexample) -> bool:
    """Whether the ranking that is better by the axiom has the worse value."""
    assessed = assess_grades(
        example.before,
        example.after,
        missed=example.missed,
        lengths=example.lengths,
        kind=measure.asks_for,
        beside=example.beside,
    )
    ((before, after),) = of_first_topic(assessed, [measure])
    return bool(after < before)
