"""Values of trec_eval 9.0.8: inputs that are hard in one way each, and two hundred simulated topics."""

from math import exp, log
from pathlib import Path

import pytest

from cranfield.core import InputError
from cranfield.data import assess
from cranfield.measures import measure_all, trec_eval_text
from cranfield.studies import evaluate
from tests.support.golden.golden_values import (
    EXACT,
    FLOOR,
    as_trec_eval,
    assessed,
    by_topic,
    golden,
    noise,
    said,
    values_of,
)
from tests.support.golden.ranking_inputs import (
    KINDS,
    all_trec,
    cases,
    halves,
    inputs,
    is_graded,
    notation,
    trec_files,
    trec_names,
)
from tests.support.guarded_peers import pytrec_eval

OPTIONS = {"": (1, False), "-l2": (2, False), "-J": (1, True), "-l2 -J": (2, True)}
CASES = [
    (options, trec) for options, (rel, _) in OPTIONS.items() for trec in trec_names() if rel == 1 or not is_graded(trec)
]
QRELS = "1 0 a 1\n1 0 b 0\n"
RUN = "1 Q0 a 1 2.0 tag\n1 Q0 b 2 1.0 tag\n"


@pytest.mark.parametrize("trec", trec_names())
def test_every_topic_has_the_value_of_trec_eval(trec: str) -> None:
    for name, theirs in golden("trec_eval").items():
        expected = {topic: row[trec] for topic, row in theirs.items()}
        ours = said(assessed(name), notation(trec))
        found = {topic: as_trec_eval(trec, ours[topic]) for topic in expected}
        assert found == pytest.approx(expected, rel=0, abs=noise(trec)), name


@pytest.mark.parametrize(("options", "trec"), CASES)
def test_every_simulated_topic_has_the_value_of_trec_eval(options: str, trec: str) -> None:
    rel, judged_only = OPTIONS[options]
    ours = said(assessed("cases"), notation(trec, rel=rel, judged_only=judged_only))
    found = {topic: as_trec_eval(trec, ours[topic]) for topic in cases().run}
    # Where trec_eval divides 0 by 0, precision in an empty list, we say 0.
    expected = dict(zip(cases().run, (value or 0.0 for value in golden("trec_eval_cases")[options][trec]), strict=True))
    assert found == pytest.approx(expected, rel=0, abs=noise(trec))


def test_the_simulated_topics_are_of_all_kinds() -> None:
    given, tied = cases(), dict(zip(assessed("cases").topics, assessed("cases").tied.tolist(), strict=True))
    apart = dict(zip(given.qrels, assessed("cases", compat=None).tied.tolist(), strict=True))
    ndcg = dict(zip(given.run, golden("trec_eval_cases")[""]["ndcg"], strict=True))
    assert list(given.qrels) == [f"{kind} {i}" for kind in KINDS for i in range(20)]
    for topic, grades in given.qrels.items():
        kind, retrieved = topic.rpartition(" ")[0], given.run.get(topic, {})
        hard = {
            "ties": tied[topic] > 20,
            "close scores": tied[topic] == len(retrieved) and len(set(retrieved.values())) > 3,
            "short": 2 <= len(retrieved) <= 6,
            "one document": len(retrieved) == 1,
            "unjudged": len(grades) < 15 and len(retrieved.keys() - grades.keys()) > 15,
            "negative grades": min(grades.values()) == -2 and -1 in grades.values(),
            "nothing relevant": max(grades.values()) == 0,
            "deep": len(retrieved) > 100,
            "perfect": ndcg.get(topic) == 1.0,
            "missing": not retrieved,
        }
        assert hard[kind], topic
        assert apart[topic] <= tied[topic]


@pytest.mark.parametrize("trec", ["gm_map", "gm_bpref"])
def test_a_geometric_mean_takes_the_mean_of_logarithms(trec: str) -> None:
    theirs = golden("trec_eval_cases")[""][trec]
    missing = len(cases().qrels) - len(theirs)  # trec_eval -c
    mean = exp((sum(theirs) + missing * log(FLOOR)) / len(cases().qrels))
    values = measure_all(assessed("cases"), [notation(trec)])
    assert values.aggregate()[0, 0] == pytest.approx(mean, rel=1e-12)
    both = measure_all(assessed("cases"), [notation(trec)], topics="both")
    assert both.aggregate()[0, 0] == pytest.approx(exp(sum(theirs) / len(theirs)), rel=1e-12)


def test_every_measure_of_pytrec_eval_is_looked_at() -> None:
    known = pytrec_eval.supported_measures
    looked_at = {name if name in known else name.rpartition("_")[0] for name in trec_names()}
    assert looked_at == known - {"runid", "num_q", "relstring"}  # a name, a sum over topics, and a string of grades


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


@pytest.mark.parametrize("trec", ["num_q", *all_trec()])
def test_means_half_way_between_two_decimals_are_rounded_as_trec_eval_does(trec: str) -> None:
    for name in halves():
        theirs = dict(line.split()[::2] for line in golden("trec_eval_text")[name].splitlines())
        values = measure_all(assessed(name), ["NumQ" if trec == "num_q" else notation(trec)], topics="both")
        assert trec_eval_text(values).split()[-1] == theirs[trec], name


def test_every_mean_that_trec_eval_prints_is_looked_at() -> None:
    for text in golden("trec_eval_text").values():
        assert {line.split()[0] for line in text.splitlines()} == {"runid", "num_q", *all_trec()}


@pytest.mark.parametrize("name", tuple(halves()))
def test_everything_is_printed_as_trec_eval_prints_it(name: str, tmp_path: Path) -> None:
    theirs = golden("trec_eval_text")[name]
    values = evaluate(*trec_files(halves()[name], tmp_path), "all_trec", topics="both", compat="trec_eval-9")
    assert trec_eval_text(values) == theirs
