"""Values of trec_eval 9.0.8, inputs that are hard in one way each."""

from pathlib import Path

import pytest
import pytrec_eval

from cranfield.core import InputError
from cranfield.data import assess
from cranfield.measures import trec_eval_text
from cranfield.studies import evaluate

from .inputs import TREC, halves, inputs, trec_files
from .reading import by_topic, golden, values_of

EXACT = 1e-12
LOGARITHMS = ("ndcg", "ndcg_cut")  # trec_eval divides natural ones; all the rest is equal to the last bit
NAMES = tuple(inputs())
QRELS = "1 0 a 1\n1 0 b 0\n"
RUN = "1 Q0 a 1 2.0 tag\n1 Q0 b 2 1.0 tag\n"


@pytest.mark.parametrize("name", NAMES)
def test_every_topic_has_the_value_of_trec_eval(name: str) -> None:
    values = values_of(inputs()[name], TREC.values(), compat="trec_eval-9")
    theirs = golden("trec_eval")[name]
    for trec, ours in TREC.items():
        found = by_topic(values, ours)
        expected = {topic: row[trec] for topic, row in theirs.items()}
        noise = EXACT if trec.startswith(LOGARITHMS) else 0
        assert {topic: found[topic] for topic in theirs} == pytest.approx(expected, abs=noise), ours


def test_only_topics_that_the_run_misses_are_not_in_the_golden_file() -> None:
    for name, given in inputs().items():
        assert set(golden("trec_eval")[name]) == set(given.qrels) & set(given.run)


def test_a_missing_topic_counts_as_zero_in_the_mean() -> None:
    given = inputs()["missing topics"]
    values = values_of(given, ["AP", "P@5", "nDCG"], compat="trec_eval-9")
    theirs = golden("trec_eval")["missing topics"]
    for ours, trec in (("AP", "map"), ("P@5", "P_5"), ("nDCG", "ndcg")):
        mean = sum(row[trec] for row in theirs.values()) / len(given.qrels)  # trec_eval -c
        assert values.aggregate()[0, values.index(ours)] == pytest.approx(mean, abs=EXACT)
        assert by_topic(values, ours)["not in the run"] == 0


def test_the_mean_over_common_topics_is_that_of_trec_eval_without_c() -> None:
    given = inputs()["missing topics"]
    values = evaluate(given.qrels, {"run": given.run}, ["AP"], topics="both", compat="trec_eval-9")
    theirs = [row["map"] for row in golden("trec_eval")["missing topics"].values()]
    assert values.aggregate()[0, 0] == pytest.approx(sum(theirs) / len(theirs), abs=EXACT)


def test_close_scores_tie_only_as_float32() -> None:
    given = inputs()["close scores"]
    single = by_topic(values_of(given, ["RR"], compat="trec_eval-9"), "RR")
    double = by_topic(values_of(given, ["RR"]), "RR")
    assert (single["large"], double["large"]) == (0.5, 1.0)
    assert (single["apart"], double["apart"]) == (1.0, 1.0)


def test_the_tie_heavy_input_is_tie_heavy() -> None:
    given = inputs()["many ties"]
    assessed = assess(given.qrels, {"run": given.run})
    assert (assessed.retrieved == 1000).all()
    assert (assessed.tied > 900).all()
    # The order of ties matters here, or the test would show nothing.
    ascending = assess(given.qrels, {"run": given.run}, ties="docno-asc")
    assert not (ascending.rank == assessed.rank).all()


@pytest.mark.parametrize(("qrels", "run"), [(QRELS + "1 0 a 1\n", RUN), (QRELS, RUN + "1 Q0 a 3 0.5 tag\n")])
def test_a_line_given_twice_is_refused_by_both(tmp_path: Path, qrels: str, run: str) -> None:
    (tmp_path / "qrels").write_text(qrels)
    (tmp_path / "run").write_text(run)
    with pytest.raises(InputError, match=r":3: .*\nhint: ") as caught:
        evaluate(tmp_path / "qrels", tmp_path / "run", ["AP"], compat="trec_eval-9")
    assert caught.value.line == 3
    parse, name = (pytrec_eval.parse_qrel, "qrels") if qrels != QRELS else (pytrec_eval.parse_run, "run")
    with (tmp_path / name).open() as lines, pytest.raises(AssertionError):
        parse(lines)


@pytest.mark.parametrize("name", tuple(halves()))
def test_means_half_way_between_two_decimals_are_rounded_as_trec_eval_does(name: str, tmp_path: Path) -> None:
    theirs = golden("trec_eval_text")[name]
    cuts = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
    asked = ["NumQ NumRet NumRel NumRet(rel=1) AP Rprec RR nDCG Success@1 Success@5 Success@10"]
    asked += [f"{measure}@{k}" for measure in ("P", "R", "nDCG", "AP") for k in cuts]
    values = evaluate(*trec_files(halves()[name], tmp_path), asked, topics="both", compat="trec_eval-9")
    assert trec_eval_text(values) == theirs
