"""What ranx does beside its measures: tests, fusions, missing topics, ties. Its measures are in tests/unit/measures."""

import pytest

import cranfield as cf
from tests.support.golden.fusion_inputs import runs
from tests.support.golden.golden_values import EXACT, golden
from tests.support.golden.ranking_inputs import graded, inputs, three_runs

SAID = golden("ranx_habits")
NAMES = {"map": "AP", "ndcg@10": "nDCG@10"}
FUSIONS = {"rrf": "rrf", "isr": "isr", "sum": "combsum", "mnz": "combmnz"}


@pytest.mark.parametrize(("theirs", "ours"), [("student", "t"), ("tukey", "tukey(error='one-way')")])
def test_p_values_are_those_of_ranx(theirs: str, ours: str) -> None:
    values = cf.evaluate(graded().qrels, three_runs(), list(NAMES))
    told = cf.test(values, ours, correct="none")["tests"].rows()
    found = {(f"{row['a']} {row['b']}", row["measure"]): row["p_adjusted"] for row in told}
    expected = {(pair, NAMES[m]): p for pair, row in SAID["p"][theirs].items() for m, p in row.items()}
    assert found == pytest.approx(expected, rel=1e-9)


def test_tukey_of_ranx_leaves_how_hard_topics_are_in_the_error() -> None:
    values = cf.evaluate(graded().qrels, three_runs(), list(NAMES))
    for row in cf.test(values, "tukey")["tests"].rows():
        theirs = SAID["p"]["tukey"][f"{row['a']} {row['b']}"]
        assert row["p_adjusted"] < {NAMES[m]: p for m, p in theirs.items()}[str(row["measure"])]


@pytest.mark.parametrize("method", FUSIONS)
def test_fused_runs_have_the_scores_of_ranx(method: str) -> None:
    named = {f"run{i}": run for i, run in enumerate(runs())}
    made = cf.fuse(named, method=FUSIONS[method]).to_table().rows()
    found = {(row["topic"], row["document"]): row["score"] for row in made}
    expected = {(topic, d): score for topic, row in SAID["fused"][method].items() for d, score in row.items()}
    assert found == pytest.approx(expected, rel=EXACT, abs=EXACT)


def test_missing_topics_are_refused_there_unless_it_is_told_and_count_as_worst_here() -> None:
    assert "make_comparable=True" in SAID["refuses"]
    given = inputs()["missing topics"]
    values = cf.evaluate(given.qrels, given.run, list(NAMES))
    for metric, measure in NAMES.items():
        found = dict(zip(values.topics, values.matrix(measure)[:, 0].tolist(), strict=True))
        assert found == pytest.approx(SAID["make_comparable"][metric], abs=EXACT)


def test_rbp_of_grades_exceeds_1_there_and_not_here() -> None:
    given = graded()
    values = cf.evaluate(given.qrels, given.run, ["RBP", "RBP(max_rel=3)"])
    assert max(SAID["rbp.8"].values()) > 1 >= values.cube.max()
    # A grade is its own gain there, a third of it here.
    thirds = [SAID["rbp.8"][topic] / 3 for topic in values.topics]
    assert values.matrix("RBP(max_rel=3)")[:, 0].tolist() == pytest.approx(thirds, abs=EXACT)


def test_ties_follow_neither_ids_nor_lines_there() -> None:
    lines = sorted(SAID["ties"])  # the file had them in ascending order
    assert SAID["ties"] not in (lines, lines[::-1])
    found = cf.evaluate({"1": {"d19": 1}}, {"1": dict.fromkeys(lines, 1.0)}, "RR").cube.item()
    assert (found, SAID["ties"].index("d19")) == (1, 19)
