"""Measures of ir_measures, computed here, beside what its own providers say."""

import gzip
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from ir_measures import AP, ERR, RBP, RR, Judged, NumQ, NumRel, P, SetF, nDCG

from cranfield.core import InputError
from cranfield.integrations import CranfieldProvider, register
from tests.support.golden import diversity_inputs
from tests.support.golden.golden_values import golden
from tests.support.guarded_peers import ir_measures

AGREED = 1e-9
ROUNDED = 5.1e-6  # gdeval prints five decimals

QRELS = {"1": {"a": 1, "b": 0, "c": 2}, "2": {"a": 1}, "3": {"d": 1}}
RUN = {"1": {"b": 3.0, "a": 2.0, "x": 1.0}, "2": {"y": 2.0, "a": 1.0}}

# Where its engines sort ties alike, in trec_eval's order.
SORTED = """
    AP AP@10 AP(rel=2) AP(judged_only=True) P@5 P(rel=2)@10 P(judged_only=True)@10 R@100 R(rel=2)@20 RR RR(rel=2)
    RR(judged_only=True) nDCG nDCG@10 nDCG(judged_only=True)@10 nDCG(gains={1:5,2:1})@10 Rprec Rprec(rel=2) Bpref
    Bpref(rel=2) infAP IPrec@0.0 IPrec@0.3 IPrec@0.7 Success@1 Success(rel=2)@5 SetP SetP(relative=True) SetR SetAP SetF
    SetF(beta=2.0) SetF(beta=0.25,rel=2) NumRet NumRet(rel=1) NumRet(rel=2)
""".split()
# Where they do not: here they are given rankings without ties.
UNSORTED = """
    RR@10 RR(rel=2)@100 Judged@10 Judged@1000 Judged Compat Compat(p=0.8) Compat(normalize=False) RBP(rel=1)
    RBP(p=0.5,rel=2) BPM(T=1.0,max_rel=2)@10 SDCG(max_rel=2)@10 NERR8(max_rel=2)@10 NERR9(max_rel=2)@10
    NERR10(max_rel=2) NERR11(max_rel=2) INST(max_rel=2) INSQ(max_rel=2)
""".split()


def parsed(texts: Iterable[str]) -> list[Any]:
    return [ir_measures.parse_measure(text) for text in texts]


def per_topic(found: Iterable[Any]) -> dict[tuple[str, str], float]:
    return {(str(metric.measure), metric.query_id): metric.value for metric in found}


def test_values_of_a_case_that_can_be_seen() -> None:
    # Topic 1: a of grade 1 at rank 2, c is missed; topic 2: a at rank 2; topic 3 is missed.
    found = per_topic(CranfieldProvider().iter_calc([AP, RR, P @ 2], QRELS, RUN))
    ap, rr, p = ({"1": 0.25, "2": 0.5, "3": 0.0}, {"1": 0.5, "2": 0.5, "3": 0.0}, {"1": 0.5, "2": 0.5, "3": 0.0})
    expected = {(name, t): v for name, row in (("AP", ap), ("RR", rr), ("P@2", p)) for t, v in row.items()}
    assert found == expected
    assert CranfieldProvider().calc_aggregate([AP, NumQ, NumRel], QRELS, RUN) == {AP: 0.25, NumQ: 3, NumRel: 4}


def test_whatever_ir_measures_takes_is_taken() -> None:
    qrels = [ir_measures.Qrel(t, d, g) for t, row in QRELS.items() for d, g in row.items()]
    run = [ir_measures.ScoredDoc(t, d, s) for t, row in RUN.items() for d, s in row.items()]
    frames = (pd.DataFrame(qrels), pd.DataFrame(run).assign(query="words", qid="other", rank=0))
    expected = per_topic(CranfieldProvider().iter_calc([AP, nDCG @ 10], QRELS, RUN))
    for given in ((qrels, run), (iter(qrels), iter(run)), frames):
        assert per_topic(CranfieldProvider().iter_calc([AP, nDCG @ 10], *given)) == expected


def test_judgments_are_read_once_for_many_runs() -> None:
    evaluator = CranfieldProvider().evaluator([AP, AP @ 2], QRELS)
    for run in (RUN, {"1": {"a": 1.0}}, RUN):
        theirs = ir_measures.calc_aggregate([AP, AP @ 2], QRELS, run)
        assert evaluator.calc_aggregate(run) == pytest.approx(theirs, abs=AGREED)
    assert evaluator.calc(RUN).aggregated == evaluator.calc_aggregate(RUN)


def test_a_topic_that_is_named_and_not_judged_counts_as_in_ir_measures() -> None:
    judged = {**QRELS, "4": {}}
    theirs = ir_measures.pytrec_eval.calc_aggregate([AP], judged, RUN)
    assert CranfieldProvider().calc_aggregate([AP], judged, RUN) == theirs


def test_a_measure_means_what_it_means_there() -> None:
    theirs = ir_measures.calc_aggregate([SetF(beta=2.0)], QRELS, RUN)
    assert CranfieldProvider().calc_aggregate([SetF(beta=2.0)], QRELS, RUN) == pytest.approx(theirs, abs=AGREED)
    # gdeval: (2^1 - 1) / 2^4 at rank 2, in two of three topics
    assert CranfieldProvider().calc_aggregate([ERR @ 20], QRELS, RUN) == pytest.approx({ERR @ 20: 2 / 3 / 2 / 16})


def test_two_names_of_one_measure_have_one_value() -> None:
    found = CranfieldProvider().calc_aggregate([RBP, RBP(rel=1)], QRELS, RUN)
    assert found[RBP] == found[RBP(rel=1)] == pytest.approx(2 / 3 * 0.2 * 0.8)


def test_scores_are_as_in_trec_eval_9_or_as_they_are() -> None:
    near = {"1": {"a": 1.0, "b": 1.00000001}}
    judged = {"1": {"a": 0, "b": 1}}
    assert CranfieldProvider().calc_aggregate([RR], judged, near)[RR] == 1  # b is the later of the two names
    assert CranfieldProvider().calc_aggregate([RR], {"1": {"a": 1}}, near)[RR] == 0.5
    swapped = {"1": {"a": 1.00000001, "b": 1.0}}
    assert CranfieldProvider().calc_aggregate([RR], {"1": {"a": 1}}, swapped)[RR] == 0.5
    assert CranfieldProvider(single=False).calc_aggregate([RR], {"1": {"a": 1}}, swapped)[RR] == 1
    assert ir_measures.calc_aggregate([RR], {"1": {"a": 1}}, swapped)[RR] == 0.5


def test_every_measure_of_ir_measures_is_ours_too() -> None:
    settings = {"cutoff": 10, "max_rel": 2, "recall": 0.5}
    for measure in ir_measures.measures.registry.values():
        needed = {name: settings[name] for name, info in measure.SUPPORTED_PARAMS.items() if info.required}
        asked = measure(**needed) if measure.NAME != "P_IA" else measure @ 10
        assert CranfieldProvider().supports(asked), asked


def test_what_is_not_shared_is_not_supported() -> None:
    def first(qrels: object, run: object) -> float:
        return 1.0

    own = ir_measures.define_byquery(first, name="AP")
    assert not CranfieldProvider().supports(own)
    assert not CranfieldProvider().supports(nDCG(gains={-1: 2}))
    with pytest.raises(AssertionError, match="invalid param"):
        CranfieldProvider().supports(P)


def test_a_document_that_stands_twice_is_refused() -> None:
    rows = [ir_measures.ScoredDoc("1", "a", 2.0), ir_measures.ScoredDoc("1", "a", 1.0)]
    with pytest.raises(InputError, match="document a stands twice in topic 1"):
        CranfieldProvider().calc_aggregate([AP], QRELS, rows)


@pytest.mark.usefixtures("providers_as_they_were")
def test_once_registered_it_is_asked_first() -> None:
    provider = register()
    assert register() is provider
    assert ir_measures.providers.registry["cranfield"] is provider
    assert [one.NAME for one in ir_measures.DefaultPipeline.providers][:3] == ["runtime", "cranfield", "pytrec_eval"]
    assert type(ir_measures.evaluator([AP, Judged @ 5], QRELS)).__module__.startswith("cranfield")
    # What no other provider has: RBP without a level, ERR without a cut-off.
    assert ir_measures.calc_aggregate([RBP, ERR], QRELS, RUN)[RBP] == pytest.approx(2 / 3 * 0.2 * 0.8)
    register(first=False)
    assert "cranfield" not in [one.NAME for one in ir_measures.DefaultPipeline.providers]
    assert ir_measures.providers.registry["cranfield"] is provider


@pytest.mark.usefixtures("providers_as_they_were")
def test_measures_that_are_defined_in_place_stay_with_their_own_provider() -> None:
    register()
    ones = ir_measures.define_byquery(lambda qrels, run: 1.0, name="ones")
    found = ir_measures.calc_aggregate([ones, AP], QRELS, RUN)
    assert found[AP] == 0.25
    assert found[ones] == pytest.approx(2 / 3)  # the topic that is missed has 0


# Values of pyndeval, and the measures of ir_measures that have them.
DIVERSE = {
    "alpha_nDCG(alpha=0.5,rel=1)@10": "alpha_nDCG@10",
    "alpha_nDCG(alpha=0.9,rel=2)@20": "alpha_nDCG(alpha=0.9,rel=2)@20",
    "alpha_DCG(alpha=0.3,rel=1)@5": "alpha_DCG(alpha=0.3)@5",
    "ERR_IA(alpha=0.5,rel=1)@20": "ERR_IA@20",
    "nERR_IA(alpha=0.5,rel=2)@10": "nERR_IA(rel=2)@10",
    "NRBP(alpha=0.3,beta=0.7,rel=1)": "NRBP(alpha=0.3,beta=0.7)",
    "P_IA(rel=1)@10": "P_IA@10",
    "StRecall(rel=2)@5": "StRecall(rel=2)@5",
    "AP_IA(rel=1)": "AP_IA",
}


def test_measures_of_diversity_see_subtopics() -> None:
    qrels = [ir_measures.Qrel(t, d, grade, subtopic) for t, subtopic, d, grade in diversity_inputs.judgments()]
    asked = dict(zip(DIVERSE, parsed(DIVERSE.values()), strict=True))
    found = per_topic(
        CranfieldProvider().iter_calc(
            asked.values(), qrels, [ir_measures.ScoredDoc(*row) for row in diversity_inputs.run()]
        )
    )
    for name, measure in asked.items():
        theirs = golden("pyndeval")[name]
        assert {t: found[str(measure), t] for t in theirs} == pytest.approx(theirs, rel=0, abs=AGREED), name


def test_to_other_measures_the_highest_grade_of_a_document_counts() -> None:
    qrels = [ir_measures.Qrel("1", "a", 1, "1"), ir_measures.Qrel("1", "a", 0, "2")]
    alpha = ir_measures.alpha_nDCG @ 10
    assert CranfieldProvider().calc_aggregate([RR, alpha], qrels, RUN) == {RR: 0.5, alpha: pytest.approx(0.63093, 1e-5)}


def test_without_ir_measures_it_is_said_what_to_install(tmp_path: Path) -> None:
    script = "import sys; sys.modules['ir_measures'] = None\nfrom cranfield.integrations import register"
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert ended.stderr.splitlines()[-2:] == [
        "cranfield.core.errors.MissingExtra: this needs ir_measures",
        "hint: pip install ir_measures",
    ]


def read(path: Path) -> dict[str, dict[str, float]]:
    run: dict[str, dict[str, float]] = {}
    with gzip.open(path, "rt") as lines:
        for topic, _, document, _, score, _ in map(str.split, lines):
            run.setdefault(topic, {})[document] = float(score)
    return run


def untied(run: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
    """The same rankings, with scores that all differ."""
    order = {t: sorted(row, key=lambda d: (row[d], d), reverse=True) for t, row in run.items()}
    return {t: {d: float(len(row) - i) for i, d in enumerate(row)} for t, row in order.items()}


@pytest.fixture(scope="module")
def covid(shared_data: Path) -> Path:
    return shared_data / "trec-covid"


@pytest.fixture(scope="module")
def judged(covid: Path) -> dict[str, dict[str, int]]:
    rows = ir_measures.read_trec_qrels(str(covid / "qrels-rnd1.txt"))
    found: dict[str, dict[str, int]] = ir_measures.util.QrelsConverter(rows).as_dict_of_dict()
    return found


@pytest.mark.parametrize("tied", [True, False])
def test_22_runs_have_the_values_of_its_own_providers(
    covid: Path, judged: dict[str, dict[str, int]], tied: bool
) -> None:
    measures = parsed(SORTED if tied else UNSORTED)
    evaluator = CranfieldProvider().evaluator(measures, judged)
    runs = sorted((covid / "runs").glob("*.gz"))
    assert len(runs) == 22
    for path in runs:
        run = read(path) if tied else untied(read(path))
        theirs = [metric for measure in measures for metric in ir_measures.iter_calc([measure], judged, run)]
        assert len(theirs) == 30 * len(measures)
        assert per_topic(evaluator.iter_calc(run)) == pytest.approx(per_topic(theirs), rel=0, abs=AGREED), path.name


@pytest.mark.skipif(not shutil.which("perl"), reason="gdeval is a script of Perl")
def test_22_runs_have_the_values_of_gdeval(covid: Path, judged: dict[str, dict[str, int]]) -> None:
    measures = [ERR @ 20, nDCG(dcg="exp-log2") @ 10]
    for path in sorted((covid / "runs").glob("*.gz")):
        run = untied(read(path))
        theirs = per_topic(ir_measures.gdeval.iter_calc(measures, judged, run))
        assert len(theirs) == 60
        found = per_topic(CranfieldProvider().iter_calc(measures, judged, run))
        assert found == pytest.approx(theirs, rel=0, abs=ROUNDED), path.name
