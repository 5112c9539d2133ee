"""Measures at several levels of relevance."""

from pathlib import Path

import pytest

import cranfield as cf
from cranfield.cli import main
from cranfield.measures import at_levels

QRELS = {"1": {"a": 1, "b": 2, "c": 0}}
RUN = {"1": {"a": 3.0, "c": 2.0, "b": 1.0}}


def levels(measures: str, *wanted: float) -> list[str]:
    return [str(measure) for measure in at_levels(cf.parse_measures(measures), wanted)]


def test_every_level_of_every_measure_that_asks() -> None:
    assert levels("AP P@5", 1, 2) == ["AP", "AP(rel=2)", "P@5", "P(rel=2)@5"]
    assert levels("AP", 2) == ["AP(rel=2)"]
    assert levels("AP nDCG@10", 2, 1, 2) == ["AP(rel=2)", "AP", "nDCG@10"]
    assert levels("AP nDCG@10") == ["AP", "nDCG@10"]


def test_what_names_its_own_level_or_has_none_stays_as_it_is() -> None:
    assert levels("AP(rel=2) AP", 1, 3) == ["AP(rel=2)", "AP", "AP(rel=3)"]
    assert levels("nDCG@10 NumRet NumQ RBP(max_rel=2)", 1, 2) == ["nDCG@10", "NumRet", "NumQ", "RBP(max_rel=2)"]
    assert levels("RBP", 1, 2) == ["RBP", "RBP(rel=2)"]


@pytest.mark.parametrize("level", [-1, float("nan"), float("inf"), True])
def test_a_level_is_a_grade(level: float) -> None:
    with pytest.raises(cf.ParameterError, match="is no level of relevance"):
        levels("AP", level)


def test_evaluate_at_levels() -> None:
    values = cf.evaluate(QRELS, RUN, "AP RR", rel=(1, 2))
    # a is at rank 1, b (grade 2) at rank 3.
    assert dict(zip(map(str, values.measures), values.cube[0, 0], strict=True)) == pytest.approx(
        {"AP": (1 + 2 / 3) / 2, "AP(rel=2)": 1 / 3, "RR": 1.0, "RR(rel=2)": 1 / 3}
    )
    assert cf.evaluate(QRELS, RUN, "RR", rel=2).measures == (cf.RR(rel=2),)


def test_a_level_that_no_measure_asks_for_is_refused() -> None:
    with pytest.raises(cf.ParameterError, match="the measure does not ask from which grade on"):
        cf.evaluate(QRELS, RUN, "nDCG@10", rel=2)
    with pytest.raises(cf.ParameterError, match="none of the measures asks from which grade on"):
        cf.evaluate(QRELS, RUN, "nDCG@10 AP(rel=2)", rel=1)
    assert cf.evaluate(QRELS, RUN, "nDCG@10", rel=2, curve="pr").curve_table()["precision"][0] == 1 / 3
    with pytest.raises(cf.ParameterError, match="a curve has one level of relevance, not 2"):
        cf.evaluate(QRELS, RUN, "AP", rel=(1, 2), curve="pr")


def test_every_count_of_relevant_documents_follows_the_level() -> None:
    values = cf.evaluate(QRELS, RUN, "num_ret num_rel num_rel_ret num_nonrel_judged_ret", rel=2)
    names = ["NumRet", "NumRel(rel=2)", "NumRet(rel=2)", "NumNonRel(rel=2)"]
    assert list(map(str, values.measures)) == names
    # Only b has grade 2; a (grade 1) and c (grade 0) are judged and not relevant.
    assert values.cube[0, 0].tolist() == [3, 1, 1, 2]


def test_trec_eval_names_a_measure_without_its_level(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 2\n1 0 c 0\n")
    (tmp_path / "run").write_text("1 Q0 a 1 3.0 tag\n1 Q0 c 2 2.0 tag\n1 Q0 b 3 1.0 tag\n")
    words = ["evaluate", str(tmp_path / "qrels"), str(tmp_path / "run"), "--format", "trec_eval", "-m", "map AP"]

    def labels(*levels: str) -> list[list[str]]:
        with pytest.raises(SystemExit):
            main([*words, *levels])
        return [line.split()[::2] for line in capsys.readouterr().out.splitlines()]

    assert labels("--rel", "2") == [["map", "0.3333"]]
    # Two levels under one name would be ambiguous.
    assert labels("--rel", "1,2") == [["map", "0.8333"], ["AP(rel=2)", "0.3333"]]
