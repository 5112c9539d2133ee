"""Measures of relevance and other labels at once."""

from math import log2
from pathlib import Path
from typing import Any

import pytest

import cranfield as cf
from cranfield.core import CranfieldError

EXACT = 1e-12
QRELS = {"t": {"a": 2, "b": 1, "c": 0, "d": 1}}
EASY = {"t": {"a": 0, "b": 2, "c": 1, "u": 2}}  # u is not judged for relevance, d has no label
TRUE = {"t": {"a": 1, "b": 0, "d": 1}}


def value(measure: str, ranking: str, aspects: Any) -> float:
    run = {"t": {document: -float(i) for i, document in enumerate(ranking)}}
    found = cf.evaluate(QRELS, {"run": run}, measure, aspects=aspects, scale="ignore")
    return float(found.cube[0, 0, 0])


def ndcg(*gains: float, ideal: tuple[float, ...]) -> float:
    return sum(g / log2(i + 2) for i, g in enumerate(gains)) / sum(g / log2(i + 2) for i, g in enumerate(ideal))


RELEVANCE = ndcg(2, 1, 0, ideal=(2, 1, 1))  # a b u at depth 3
EASINESS = ndcg(0, 2, 2, ideal=(2, 2, 1))
TRUTH = ndcg(1, 0, 0, ideal=(1, 1, 0))


@pytest.mark.parametrize(
    ("measure", "ranking", "expected"),
    [
        ("uRBP", "abdc", 0.2 * 0.8),  # b alone is relevant and understood
        ("uRBP(rel=0)", "abdc", 0.2 * (0.8 + 0.8**3)),
        ("uRBP(top=2,p=0.5)", "bc", 0.5 * 1),
        ("uRBP(level=2)@1", "b", 0.2),
        ("uRBP", "u", 0),
        ("uBpref", "cba", (1 - 1 / 1) * 1 / 3),  # c is judged not relevant, and stands above
        ("uBpref", "buca", 1 / 3),
        ("uBpref(top=2,rel=0)", "bc", (1 + 1 / 2) / 4),
        ("CAM(nDCG@3)", "abu", (RELEVANCE + EASINESS) / 2),
        ("CAM(nDCG@3,weight=0.9)", "abu", 0.9 * RELEVANCE + 0.1 * EASINESS),
        ("CAM(P@1)", "c", (0 + 1) / 2),
        ("MM(nDCG@3)", "abu", 2 / (1 / RELEVANCE + 1 / EASINESS)),
        ("MM(P@1)", "c", 0),
    ],
)
def test_one_other_label(measure: str, ranking: str, expected: float) -> None:
    assert value(measure, ranking, {"easy": EASY}) == pytest.approx(expected, abs=EXACT)


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("cRBP", 0.2 * 1),
        ("uRBP(aspect='easy')", 0.2 * 0.8),
        ("CAM(nDCG@3)", RELEVANCE / 2 + (EASINESS + TRUTH) / 4),
        ("MM(nDCG@3)", 1 / (0.5 / RELEVANCE + 0.25 / EASINESS + 0.25 / TRUTH)),
        ("MM(nDCG@3,weight=0.0)", 1 / (0.5 / EASINESS + 0.5 / TRUTH)),
    ],
)
def test_two_other_labels(measure: str, expected: float) -> None:
    assert value(measure, "abu", {"easy": EASY, "credibility": TRUE}) == pytest.approx(expected, abs=EXACT)


def test_each_label_has_a_top_grade_of_its_own() -> None:
    # ERR: relevance goes up to 2, truth to 1.
    relevance, truth = 3 / 4, 1 / 2
    assert value("CAM(ERR@1)", "a", {"true": TRUE}) == pytest.approx((relevance + truth) / 2, abs=EXACT)


def test_several_runs_and_topics_are_each_their_own() -> None:
    qrels, easy = QRELS | {"s": {"a": 1}}, EASY | {"s": {"a": 1}, "x": {"z": 1}}
    runs = {"one": {"t": {"c": 2.0, "a": 1.0}}, "two": {"s": {"a": 1.0}, "t": {"b": 1.0}}}
    values = cf.evaluate(qrels, runs, "CAM(P@1) P@1", aspects={"easy": easy}, scale="ignore")
    assert values.topics == ("t", "s")
    assert values.cube[:, :, 0].tolist() == [[0.5, 0], [1, 1]]
    assert values.cube[:, :, 1].tolist() == [[0, 0], [1, 1]]


def test_labels_come_from_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from cranfield.cli import main

    (tmp_path / "q.txt").write_text("t 0 a 1\nt 0 b 1\n")
    (tmp_path / "easy.txt").write_text("t 0 a 0\nt 0 b 1\n")
    (tmp_path / "run.txt").write_text("t Q0 a 1 2 r\nt Q0 b 2 1 r\n")
    files = [str(tmp_path / name) for name in ("q.txt", "run.txt")]
    easy = f"understandability={tmp_path / 'easy.txt'}"
    with pytest.raises(SystemExit) as ended:
        main(["evaluate", *files, "-m", "uRBP", "--aspect", easy, "--format", "tsv"])
    assert ended.value.code in (0, None)
    assert float(capsys.readouterr().out.splitlines()[1].split("\t")[3]) == pytest.approx(0.2 * 0.8)


@pytest.mark.parametrize(
    ("measures", "aspects", "problem", "hint"),
    [
        ("uRBP", None, "uRBP needs aspects", "--aspect NAME=FILE"),
        ("AP", {"easy": EASY}, "no measure asks for aspects", "CAM"),
        ("uRBP", {"easy": EASY, "true": TRUE}, "no labels are named 'understandability'", "there are: easy, true"),
        ("CAM(DCG@3)", {"easy": EASY}, "DCG@3 cannot be put together", "nDCG@10"),
        ("MM(alpha_nDCG@3)", {"easy": EASY}, "alpha_nDCG@3 cannot be put together", "nDCG@10"),
        ("uRBP(top=1)", {"easy": EASY}, "meets a label above 1", "write top=2"),
        ("uRBP", 3, "type int holds no aspects", "give a dict"),
    ],
)
def test_what_is_refused(measures: str, aspects: Any, problem: str, hint: str) -> None:
    with pytest.raises(CranfieldError) as error:
        cf.evaluate(QRELS, {"run": {"t": {"a": 1.0, "b": 0.5}}}, measures, aspects=aspects)
    assert problem in error.value.problem
    assert hint in error.value.hint
