"""Every method says what a literal loop over topics and documents says."""

import math
from typing import Any

import pytest

from cranfield.core import ParameterError, UnknownName
from cranfield.fusion import FUSIONS, ISR, RRF, CombMNZ, CombSUM, Fusion, code_runs, parse_fusion
from tests.support.reference.fusion_definitions import as_scores, drawn, fused, made

METHODS: list[tuple[str, str, dict[str, Any]]] = [
    ("rrf", "rrf", {}),
    ("rrf(k=0)", "rrf", {"k": 0}),
    ("rrf(k=2.5)", "rrf", {"k": 2.5}),
    ("isr", "isr", {}),
    *((f"comb{way}(norm={norm!r})", f"comb{way}", {"norm": norm}) for way in ("sum", "mnz") for norm in
      ("min-max", "z-score", "none")),
]  # fmt: skip


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("notation", "method", "settings"), METHODS, ids=[row[0] for row in METHODS])
def test_scores_are_those_of_a_literal_loop(notation: str, method: str, settings: dict[str, Any], seed: int) -> None:
    given = drawn(seed)
    for depth in (None, 7, 1):
        ours = as_scores(code_runs(given.runs, depth=depth).fuse(notation))
        theirs = fused(given.scores, method, depth=depth or 10**6, **settings)
        assert list(ours) == list(theirs)  # topics in order of first appearance
        for topic, scores in theirs.items():
            assert ours[topic] == pytest.approx(scores, rel=1e-12, abs=1e-12), topic


@pytest.mark.parametrize("norm", ["min-max", "z-score", "none"])
def test_arithmetic(norm: str) -> None:
    # Scores 4, 3, 1, 0: mean 2, squares of distances 4 + 1 + 1 + 4 = 10, deviation √(10/4).
    # Scores 9, 5: mean 7, deviation 2.
    given = made([{"1": {"a": 4, "b": 3, "c": 1, "d": 0}}, {"1": {"b": 9, "e": 5}}])
    root = math.sqrt(2.5)
    by_norm: dict[str, dict[str, float]] = {
        "min-max": {"a": 1, "b": 3 / 4 + 1, "c": 1 / 4, "d": 0, "e": 0},
        "z-score": {"a": 2 / root, "b": 1 / root + 1, "c": -1 / root, "d": -2 / root, "e": -1},
        "none": {"a": 4, "b": 12, "c": 1, "d": 0, "e": 5},
    }
    expected = by_norm[norm]
    coded = code_runs(given.runs)
    assert as_scores(coded.fuse(f"combsum(norm={norm!r})"))["1"] == pytest.approx(expected, rel=1e-15)
    twice = {document: score * (2 if document == "b" else 1) for document, score in expected.items()}
    assert as_scores(coded.fuse(f"combmnz(norm={norm!r})"))["1"] == pytest.approx(twice, rel=1e-15)


def test_ranks_of_two_runs_by_hand() -> None:
    coded = code_runs(made([{"1": {"a": 2, "b": 1}}, {"1": {"b": 9, "c": 8, "a": 7}}]).runs)
    assert as_scores(coded.fuse("rrf"))["1"] == {"b": 1 / 62 + 1 / 61, "a": 1 / 61 + 1 / 63, "c": 1 / 62}
    assert as_scores(coded.fuse("isr"))["1"] == {"b": 2 * (1 / 4 + 1), "a": 2 * (1 + 1 / 9), "c": 1 / 4}


@pytest.mark.parametrize("unit", [1e-300, 1e-12, 1, 1e150, 4e306])
def test_normalised_scores_have_no_unit(unit: float) -> None:
    plain = made([{"1": {"a": 4, "b": 3, "c": 1}}, {"1": {"b": 9, "e": 5, "a": 4}}])
    other = made([{"1": {d: s * unit for d, s in run["1"].items()}} for run in plain.scores])
    for norm in ("min-max", "z-score"):
        one, two = (as_scores(code_runs(given.runs).fuse(f"combsum(norm={norm!r})"))["1"] for given in (plain, other))
        assert one == pytest.approx(two, rel=1e-12)


@pytest.mark.parametrize("method", ["combsum", "combmnz(norm='z-score')", "combsum(norm='none')"])
def test_scores_too_large_to_be_added_are_refused(method: str) -> None:
    coded = code_runs(made([{"1": {"a": 1.5e308, "b": -1.5e308}}, {"1": {"a": 1.5e308, "b": 1}}]).runs)
    with pytest.raises(ParameterError, match="scores are too large to be added up") as caught:
        coded.fuse(method)
    assert caught.value.hint == "rrf and isr look at ranks alone"
    assert as_scores(coded.fuse("rrf"))["1"] == {"a": 2 / 61, "b": 2 / 62}


def test_the_catalogue() -> None:
    assert FUSIONS.names() == ["rrf", "combsum", "combmnz", "isr"]
    assert [parse_fusion(name) for name in FUSIONS.names()] == [RRF(), CombSUM(), CombMNZ(), ISR()]
    assert all(cls.formula.startswith("Σ") for cls in FUSIONS)


@pytest.mark.parametrize(
    ("text", "method", "canonical"),
    [
        ("RRF", RRF(k=60), "rrf"),
        ("rrf(k=10.0)", RRF(k=10), "rrf(k=10)"),
        ("CombSUM(norm='min-max')", CombSUM(), "combsum"),
        ("combmnz(norm='z-score')", CombMNZ(norm="z-score"), "combmnz(norm='z-score')"),
        (" isr ", ISR(), "isr"),
    ],
)
def test_notation(text: str, method: Fusion, canonical: str) -> None:
    parsed = parse_fusion(text)
    assert parsed == method
    assert str(parsed) == repr(parsed) == canonical
    assert parse_fusion(canonical) == parse_fusion(parsed) == method
    assert parsed != RRF(k=1)


HOW = "write a name, or name(parameter=value): rrf, rrf(k=10), combmnz(norm='z-score')"


@pytest.mark.parametrize(
    ("text", "problem", "hint"),
    [
        ("borda", "there is no fusion named 'borda'", "there are: rrf, combsum, combmnz, isr"),
        ("combsun", "there is no fusion named 'combsun'", "did you mean combsum or combmnz?"),
        ("rrf(60)", "cannot read the fusion 'rrf(60)': the argument '60' has no name and is not a fusion", HOW),
        ("rrf@10", "rrf has no @", HOW),
        ("rrf isr", "'rrf isr' holds 2 fusions where one is wanted", HOW),
        ("", "'' holds no fusion", HOW),
        ("rrf(k=-1)", "rrf cannot have k=-1", "k is a number from 0 up"),
        ("combsum(norm='max')", "combsum cannot have norm='max'", "norm is 'min-max' or 'z-score' or 'none'"),
        ("isr(k=1)", "isr has no parameter 'k'", "it has none"),
        ("rrf(isr)", "rrf takes no fusion in parentheses", "write rrf"),
    ],
)
def test_what_cannot_be_read(text: str, problem: str, hint: str) -> None:
    with pytest.raises((ParameterError, UnknownName)) as caught:
        parse_fusion(text)
    assert (caught.value.problem, caught.value.hint) == (problem, hint)
