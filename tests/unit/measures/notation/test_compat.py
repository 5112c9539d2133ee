"""Presets: what each says is done, done, and compared with the tool itself."""

from collections.abc import Iterable
from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any

import pytest
from ir_measures.bin import msmarco_eval

from cranfield.core import ParameterError, Ties, UnknownName
from cranfield.data import Values, assess
from cranfield.measures import PEERS, Peer, measure_all, parse_measure, peer
from cranfield.studies import evaluate
from tests.support.golden.golden_values import by_topic, golden
from tests.support.golden.ranking_inputs import graded, inputs
from tests.support.guarded_peers import pytrec_eval
from tests.support.properties.measure_cases import CASES

ROOT = Path(__file__).parents[4]
EXACT = 1e-12
ROUNDED = 5.1e-6  # five decimals


def values_of(name: str, qrels: Any, run: Any, measures: Iterable[str]) -> Values:
    """Values as a preset says that they are to be made."""
    preset = peer(name)
    compat = "trec_eval-9" if preset.single else None
    assessed = assess(qrels, {"run": run}, ties=preset.ties, compat=compat)
    return measure_all(assessed, [preset.read(measure) for measure in measures], topics=preset.topics)


def test_a_preset_is_found_by_its_name() -> None:
    assert list(PEERS) == ["trec_eval-9", "trec_eval-10", "msmarco", "ranx", "beir", "gdeval"]
    assert all(peer(name.upper()) is PEERS[name] for name in PEERS)
    with pytest.raises(
        UnknownName, match=r"there is no preset named 'trec'\nhint: there are: trec_eval-9, trec_eval-10"
    ):
        peer("trec")
    with pytest.raises(FrozenInstanceError):
        peer("ranx").single = True  # type: ignore[misc]


@pytest.mark.parametrize("preset", PEERS.values(), ids=list(PEERS))
def test_the_page_tells_every_difference(preset: Peer) -> None:
    page = " ".join((ROOT / "docs/how-to/match-other-tools.md").read_text(encoding="utf-8").split())
    assert [said for said in preset.differences if said not in page] == []
    ordered = "the rank column" if preset.ties is Ties.RANK else "id, descending"
    scores = "float32" if preset.single else "float64" if preset.ties is not Ties.RANK else "–"
    topics = {"qrels": "all judged", "both": "those of the run"}[preset.topics]
    assert f"| `{preset.name}` | {ordered} | {scores} | {topics} |" in page
    assert f"{{cite:p}}`{preset.cite}`" in page


@pytest.mark.parametrize("preset", PEERS.values(), ids=list(PEERS))
def test_what_a_peer_computes_it_reads_as_that(preset: Peer) -> None:
    refused = {str(measure) for measure in CASES if measure.name == "RBP" and "rel=2" in str(measure)}
    for measure in CASES:
        if preset.name != "ranx" or str(measure) not in refused:
            read = preset.read(measure)
            assert preset.read(read) == read == preset.read(str(measure))


@pytest.mark.parametrize(
    ("name", "written", "read"),
    [
        ("trec_eval-9", "IPrec@0.3", "IPrec(rounding='trec_eval-9')@0.3"),
        ("trec_eval-10", "iprec_at_recall.0.3", "IPrec(rounding='trec_eval-10')@0.3"),
        ("trec_eval-10", "11pt_avg", "IAP(rounding='trec_eval-10')"),
        ("trec_eval-9", "nDCG@10", "nDCG@10"),
        ("trec_eval-10", "rbp", "RBP(by_topic=True,p=0.9)"),
        ("trec_eval-10", "RBP", "RBP"),
        ("trec_eval-9", "rbp", "RBP"),
        ("msmarco", "MRR", "RR@10"),
        ("msmarco", "RR@100", "RR@100"),
        ("msmarco", "AP", "AP"),
        ("ranx", "rbp.95", "RBP(max_rel=1,p=0.95)"),
        ("ranx", "ndcg@10-l2", "nDCG(gains={1:0})@10"),
        ("ranx", "RBP(max_rel=3)", "RBP(max_rel=3)"),
        ("beir", "Accuracy@5", "Success@5"),
        ("beir", "Accuracy(rel=2)@5", "Success(rel=2)@5"),
        ("beir", "R_cap@10", "R(capped=True)@10"),
        ("gdeval", "nDCG", "nDCG(dcg='exp-log2')@20"),
        ("gdeval", "nDCG@10", "nDCG(dcg='exp-log2')@10"),
        # What a user writes wins over a preset.
        ("gdeval", "ERR(max_rel=2)@10", "ERR(max_rel=2)@10"),
        ("gdeval", "nDCG(dcg='log2')@10", "nDCG@10"),
        ("trec_eval-9", "IPrec(rounding='trec_eval-10')@0.1", "IPrec(rounding='trec_eval-10')@0.1"),
        ("trec_eval-9", "IPrec(rounding='exact')@0.1", "IPrec@0.1"),
        ("trec_eval-10", "IAP(rounding='trec_eval-9')", "IAP(rounding='trec_eval-9')"),
        ("gdeval", "ERR", "ERR(max_rel=4)@20"),
        ("gdeval", "RR", "RR"),
    ],
)
def test_measures_are_read_as_the_peer_computes_them(name: str, written: str, read: str) -> None:
    assert str(peer(name).read(written)) == read


@pytest.mark.parametrize("name", ["many ties", "close scores", "missing topics", "negative grades", "graded"])
def test_trec_eval_9(name: str) -> None:
    given = inputs()[name]
    asked = {"map", "ndcg", "P_10", "recip_rank", "bpref", "11pt_avg", "iprec_at_recall", "infAP"}
    theirs = pytrec_eval.RelevanceEvaluator(given.qrels, asked).evaluate(given.run)
    names = sorted(next(iter(theirs.values())))
    found = values_of("trec_eval-9", given.qrels, given.run, names).aggregate()[0]
    means = [sum(row[name] for row in theirs.values()) / len(theirs) for name in names]
    assert found.tolist() == pytest.approx(means, abs=EXACT)


def test_trec_eval_rounds_recall_points_in_two_ways() -> None:
    # Four relevant documents, found at ranks 1 and 4: precision 1, then 2/4. A recall of .3 is 1.2 documents: two for
    # trec_eval 9 (1.2 + .9 without its decimals), one for trec_eval 10 (the nearest).
    qrels = {"1": dict.fromkeys("abcd", 1)}
    run = {"1": {"a": 9.0, "x": 8.0, "y": 7.0, "b": 6.0}}
    nine, ten = (values_of(f"trec_eval-{v}", qrels, run, ["IPrec@0.3", "IAP"]).cube[0, 0] for v in (9, 10))
    assert (nine[0], ten[0]) == (2 / 4, 1)
    # 0 .1 .2 | .3 .4 .5 | .6 and more: 0 0.4 0.8 1.2 1.6 2 2.4 …; 9 asks for 0 1 1 2 2 2 3 …, 10 for 0 0 1 1 2 2 2 3 ….
    assert nine[1] == pytest.approx((3 * 1 + 3 * 2 / 4) / 11)
    assert ten[1] == pytest.approx((4 * 1 + 3 * 2 / 4) / 11)
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"11pt_avg", "iprec_at_recall"}).evaluate(run)["1"]
    assert (theirs["iprec_at_recall_0.30"], theirs["11pt_avg"]) == pytest.approx((nine[0], nine[1]))


def test_a_written_parameter_is_not_lost_next_to_one_that_the_preset_sets() -> None:
    # Both texts are the same measure of ours; the preset changes the first alone.
    given = ({"1": {"a": 1}}, {"run": {"1": {"a": 1.0}}})
    values = evaluate(*given, ["IAP", "IAP(rounding='exact')"], compat="trec_eval-9")
    assert list(map(str, values.measures)) == ["IAP(rounding='trec_eval-9')", "IAP"]
    assert list(map(str, evaluate(*given, ["IAP", "IAP(rounding='exact')"]).measures)) == ["IAP"]


def test_msmarco(tmp_path: Path) -> None:
    relevant = {1: [17, 4], 2: [8], 3: [5], 4: [9]}
    ranked = {1: [3, 17, 4], 2: [*range(100, 110), 8], 3: [6, 2, 5]}  # below ten, and a topic that is missing
    lines = [(topic, doc, rank) for topic, docs in ranked.items() for rank, doc in enumerate(docs, 1)]
    (tmp_path / "run.tsv").write_text("".join(f"{t}\t{d}\t{r}\n" for t, d, r in reversed(lines)))
    (tmp_path / "qrels").write_text("".join(f"{t}\t0\t{d}\t1\n" for t, docs in relevant.items() for d in docs))
    script: Any = msmarco_eval  # without types
    reference, candidates = script.load_reference(tmp_path / "qrels"), script.load_candidate(tmp_path / "run.tsv")
    theirs = script.compute_metrics(reference, candidates)["MRR @10 by query"]
    values = values_of("msmarco", tmp_path / "qrels", tmp_path / "run.tsv", ["RR"])
    assert by_topic(values, "RR@10") == {str(topic): theirs.get(topic, 0) for topic in relevant}
    # msmarco_eval divides by the number of topics in its reference.
    assert values.aggregate().item() == sum(theirs.values()) / len(reference) == (1 / 2 + 0 + 1 / 3 + 0) / 4


def test_msmarco_takes_ranks_and_not_scores(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("1 Q0 a 2 9.0 tag\n1 Q0 b 1 1.0 tag\n")
    assert values_of("msmarco", {"1": {"a": 1}}, tmp_path / "run", ["RR"]).cube.item() == 1 / 2


@pytest.mark.parametrize("metric", golden("ranx"))
def test_ranx(metric: str) -> None:
    given = graded()
    graded_too = not metric.startswith("rbp")
    qrels = {t: {d: g if graded_too else min(g, 1) for d, g in row.items()} for t, row in given.qrels.items()}
    values = values_of("ranx", qrels, given.run, [metric])
    assert by_topic(values, values.measures[0]) == pytest.approx(golden("ranx")[metric], rel=0, abs=EXACT)


def test_ranx_computes_rbp_that_is_none() -> None:
    given = graded()
    with pytest.raises(ParameterError, match=r"RBP\(max_rel=1\) meets a grade above 1\nhint: "):
        values_of("ranx", given.qrels, given.run, ["rbp.8"])
    with pytest.raises(ParameterError, match=r"RBP\(rel=2\) cannot be computed as ranx does\nhint: "):
        peer("ranx").read("rbp.8-l2")


def test_beir() -> None:
    given = inputs()["missing topics"]
    asked = {"ndcg_cut_3": "NDCG@3", "map_cut_3": "MAP@3", "recall_3": "Recall@3", "P_3": "P@3"}
    theirs = pytrec_eval.RelevanceEvaluator(given.qrels, set(asked)).evaluate(given.run)
    values = values_of("beir", given.qrels, given.run, asked.values())
    means = [sum(row[name] for row in theirs.values()) / len(theirs) for name in asked]
    assert values.aggregate()[0].tolist() == pytest.approx(means, abs=EXACT)
    assert peer("beir").without_self


def test_beir_custom_metrics_by_arithmetic() -> None:
    # Three of three relevant documents may be found in two: b only. x was judged by nobody.
    qrels = {"1": {"a": 1, "b": 2, "c": 1, "d": 0}, "2": {"a": 1}}
    run = {"1": {"x": 9.0, "b": 8.0, "a": 7.0}, "2": {"d": 2.0}}
    values = values_of("beir", qrels, run, ["R_cap@2", "Hole@2", "MRR@2", "Accuracy@2", "Accuracy@1"])
    assert values.cube[0].tolist() == [[1 / 2, 1 / 2, 1 / 2, 1, 0], [0, 1 / 2, 0, 0, 0]]


@pytest.mark.parametrize("cut", [5, 20])
def test_gdeval(cut: int) -> None:
    given = graded()
    values = values_of("gdeval", given.qrels, given.run, [f"nDCG@{cut}", f"ERR@{cut}"])
    for measure in values.measures:
        assert by_topic(values, measure) == pytest.approx(golden("gdeval")[str(measure)], abs=ROUNDED)
    usual = values_of("gdeval", given.qrels, given.run, ["nDCG", "ERR"])
    assert [str(measure) for measure in usual.measures] == ["nDCG(dcg='exp-log2')@20", "ERR(max_rel=4)@20"]


def test_gdeval_refuses_a_grade_above_4() -> None:
    with pytest.raises(ParameterError, match=r"ERR\(max_rel=4\)@20 meets a grade above 4"):
        values_of("gdeval", {"1": {"a": 5}}, {"1": {"a": 1.0}}, ["ERR"])


def test_a_measure_may_be_given_as_itself() -> None:
    assert peer("msmarco").read(parse_measure("RR")) == parse_measure("RR@10")
