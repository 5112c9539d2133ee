"""Three grammars: ir_measures, trec_eval and ranx, each read as it is meant, and compared with its owner."""

import time
from math import log2, sqrt
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cranfield.core import CranfieldError, ParameterError, UnknownName
from cranfield.data import assess
from cranfield.measures import (
    MEASURES,
    Measure,
    measure_all,
    parse_measure,
    parse_measures,
    requested_lines,
    trec_eval_text,
)
from cranfield.measures.notation.aliases import WORDS
from cranfield.measures.notation.trec_eval_names import ABSENT, NICKNAMES, ORDER, trec_names
from cranfield.measures.notation.trec_eval_output import trec_name
from cranfield.studies import evaluate
from tests.support.golden.golden_values import golden
from tests.support.golden.ranking_inputs import graded, inputs
from tests.support.guarded_peers import ir_measures, pytrec_eval

EXACT = 1e-12
CUTS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)


def read(text: str) -> list[str]:
    return [str(measure) for measure in parse_measures(text)]


def refused(text: str) -> tuple[str, str]:
    """What is said of a text that cannot be read: the problem and the hint."""
    with pytest.raises(CranfieldError) as caught:
        parse_measures(text)
    problem, hint = str(caught.value).splitlines()
    assert hint.startswith("hint: ")
    return problem, hint


# ir_measures


def as_first_used(name: str) -> str:
    """A measure of ir_measures with the parameters that it must have."""
    needed = {key for key, info in ir_measures.measures.registry[name].SUPPORTED_PARAMS.items() if info.required}
    needed |= {"cutoff"} if name == "P_IA" else set()  # it is read without one there, and ends with an error
    inside = "(max_rel=3)" if "max_rel" in needed else ""
    return f"{name}{inside}{'@10' if 'cutoff' in needed else ''}{'@0.3' if 'recall' in needed else ''}"


@pytest.mark.parametrize("name", list(ir_measures.measures.registry))
def test_every_name_of_ir_measures_is_read_and_written_as_it_does(name: str) -> None:
    text = as_first_used(name)
    assert str(parse_measure(text)) == repr(ir_measures.parse_measure(text))


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("SetRelP", "SetP(relative=True)"),
        ("SetRelP(rel=2)", "SetP(rel=2,relative=True)"),
        ("NumRelRet(rel=2)", "NumRet(rel=2)"),
        ("P(cutoff=5,rel=2)", "P(rel=2)@5"),
        ("IPrec(recall=0.1)", "IPrec@0.1"),
        ("SetF(beta=2.0)", "SetF(beta=2.0)"),
        ("RBP(rel=1,p=0.5)@10", "RBP(p=0.5)@10"),
    ],
)
def test_parameters_of_ir_measures(written: str, canonical: str) -> None:
    assert str(parse_measure(written)) == canonical
    assert repr(ir_measures.parse_measure(written))  # it reads them too


def test_beta_is_beta_here_and_its_square_in_ir_measures() -> None:
    # Two of four relevant documents are found among three: P = 2/3, R = 2/4.
    qrels = {"1": {"a": 1, "b": 1, "c": 1, "d": 1}}
    run = {"1": {"a": 3.0, "x": 2.0, "b": 1.0}}
    ours = measure_all(assess(qrels, {"run": run}), ["SetF(beta=2)", "set_F.2.0"]).cube[0, 0]
    theirs = ir_measures.calc_aggregate([ir_measures.parse_measure("SetF(beta=2.0)")], qrels, run)
    precision, recall = 2 / 3, 2 / 4
    assert ours.tolist() == pytest.approx([
        5 * precision * recall / (4 * precision + recall),
        3 * precision * recall / (2 * precision + recall),
    ])  # fmt: skip
    assert list(theirs.values()) == pytest.approx([ours[1]])


# trec_eval


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("map", "AP"),
        ("MAP", "AP"),
        ("gm_map", "GMAP"),
        ("recip_rank", "RR"),
        ("Recip_Rank", "RR"),
        ("NRG(recip_rank)", "NRG(RR)"),
        ("interval(map_cut_10)", "interval(AP@10)"),
        ("bpref", "Bpref"),
        ("infAP", "infAP"),
        ("P.5,10", "P@5 P@10"),
        ("P_10", "P@10"),
        ("P_5,10", "P@5 P@10"),
        ("P", " ".join(f"P@{k}" for k in CUTS)),
        ("ndcg", "nDCG"),
        ("ndcg_cut.10", "nDCG@10"),
        ("ndcg_cut_10", "nDCG@10"),
        ("ndcg_cut@10", "nDCG@10"),
        ("ndcg_cut", " ".join(f"nDCG@{k}" for k in CUTS)),
        ("map_cut", " ".join(f"AP@{k}" for k in CUTS)),
        ("recall.5,1000", "R@5 R@1000"),
        ("success.1,5", "Success@1 Success@5"),
        ("relative_P.10", "R(capped=True)@10"),
        ("relative_P", " ".join(f"R(capped=True)@{k}" for k in CUTS)),
        ("unj.5", "Unjudged@5"),
        ("unj", "Unjudged@5 Unjudged@10 Unjudged@20"),
        ("ndcg.1=3.5,2=9.0", "nDCG(gains={1:3.5,2:9.0})"),
        ("ndcg_1=3,2=2", "nDCG(gains={1:3.0})"),
        ("set_F", "SetF"),
        ("set_F.1.0", "SetF"),
        ("set_F.4", "SetF(beta=2.0)"),
        ("set_F.2.0", f"SetF(beta={sqrt(2)!r})"),
        ("set_relative_P", "SetP(relative=True)"),
        ("utility", "Utility"),
        ("utility.1,-1,0,0", "Utility"),
        ("utility.2.5,-.5,0,0", "Utility(a=2.5,b=-0.5)"),
        ("iprec_at_recall.0,.1", "IPrec(rounding='trec_eval-9')@0.0 IPrec(rounding='trec_eval-9')@0.1"),
        ("iprec_at_recall_0.10", "IPrec(rounding='trec_eval-9')@0.1"),
        ("iprec_at_recall", " ".join(f"IPrec(rounding='trec_eval-9')@{i / 10}" for i in range(11))),
        ("11pt_avg", "IAP(rounding='trec_eval-9')"),
        ("11pt_avg.0,.1,.2,.3,.4,.5,.6,.7,.8,.9,1", "IAP(rounding='trec_eval-9')"),
        ("11pt_avg.0,.5,1", "IAP(points=3,rounding='trec_eval-9')"),
        ("11pt_avg.0.2", "IAP(levels='0.2',rounding='trec_eval-9')"),
        ("rbp_resid", "RBPResidual"),
        ("rbp_resid_p=0.5", "RBPResidual(p=0.5)"),
        ("dcg.1=3,2=9", "DCG(gains={1:3.0,2:9.0})"),
        ("ideal_dcg_1=3", "IdealDCG(gains={1:3.0})"),
        ("ideal_dcg", "IdealDCG"),
        ("yaap", "yaAP"),
        ("Rprec_mult.0.2", "Rprec(times=0.2)"),
        ("Rprec_mult_1.00", "Rprec"),
        ("Rprec_mult", " ".join(f"Rprec(times={i / 5})" if i != 5 else "Rprec" for i in range(1, 11))),
        ("num_rel_ret", "NumRet(rel=1)"),
        ("num_nonrel_judged_ret", "NumNonRel"),
        ("rbp.p=0.5", "RBP(p=0.5)"),
        ("rbp_p=0.8", "RBP"),
        ("judged.5,10", "Judged@5 Judged@10"),
    ],
)
def test_names_of_trec_eval(written: str, canonical: str) -> None:
    assert read(written) == canonical.split()


@pytest.mark.parametrize(("written", "canonical"), [("recall", "R"), ("success", "Success"), ("rbp", "RBP")])
def test_what_our_own_notation_reads_is_read_so(written: str, canonical: str) -> None:
    assert read(written) == [canonical]


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("P.5,10,AP", "P@5 P@10 AP"),
        ("AP,P.5,10 nDCG @ 10", "AP P@5 P@10 nDCG@10"),
        ("P.5,11pt_avg", "P@5 IAP(rounding='trec_eval-9')"),
        ("P.5,nDCG(gains={1:2,2:5})@10, ndcg_cut.5", "P@5 nDCG(gains={1:2,2:5})@10 nDCG@5"),
        ("ndcg_cut_5\tP (rel=2) @ 3\nrecip_rank", "nDCG@5 P(rel=2)@3 RR"),
        (" , P_5 ,", "P@5"),
        ("P.5 P_5 P@5", "P@5"),
    ],
)
def test_commas_part_measures_unless_a_parameter_follows(written: str, canonical: str) -> None:
    assert read(written) == canonical.split()


def test_nicknames_are_those_of_trec_eval() -> None:
    for name, theirs in pytrec_eval.supported_nicknames.items():
        if name in NICKNAMES:
            assert set(NICKNAMES[name]) == set(theirs)
    assert set(NICKNAMES) == {"official", "set", "all_trec"}
    assert read("set") == [
        *("NumQ", "NumRet", "NumRel", "NumRet(rel=1)", "Utility"),
        *("SetP", "SetP(relative=True)", "SetR", "SetAP", "SetF"),
    ]
    assert [f"R@{k}" in read("all_trec") for k in CUTS] == [True] * len(CUTS)


def test_every_name_of_pytrec_eval_is_read_or_refused_with_a_reason() -> None:
    known = {name.casefold() for name in trec_names()}
    assert {name for name in pytrec_eval.supported_measures if name.casefold() not in known} <= set(ABSENT)


@pytest.mark.parametrize("name", ABSENT)
def test_what_is_not_here_is_said_to_be_not_here(name: str) -> None:
    assert refused(name) == (f"there is no {name} here", f"hint: {ABSENT[name]}")


@pytest.mark.parametrize("version", ["", "trec_eval-9", "trec_eval-10"])
@pytest.mark.parametrize("word", ["runid.3", "runid.", "relstring.x", "relstring.5,10", "relstring.2.5", "relstring."])
def test_texts_have_no_other_parameters_than_a_number_of_documents(word: str, version: str) -> None:
    with pytest.raises(ParameterError, match=f"{word.partition('.')[0]} cannot have "):
        requested_lines([word], version)
    assert [line.label for line in requested_lines(["relstring.7 runid"], version)] == ["relstring_7", "runid"]


@pytest.mark.parametrize("name", ["G", "Rndcg", "ndcg_rel"])
def test_gains_that_trec_eval_takes_and_we_do_not_are_named(name: str) -> None:
    assert refused(f"{name}.1=3") == (f"gains of grades are not offered for {name}", "hint: ndcg.1=3 has them")


@pytest.mark.parametrize("word", ["rbp.p=0.5", "rbp_resid", "rbp_resid.p=0.5", "rbp_resid_p=0.5", "dcg.1=3"])
def test_names_that_version_10_alone_has_are_printed_for_its_measures_alone(word: str) -> None:
    (later,) = requested_lines([word], "trec_eval-10")
    assert later.label == (word if word.startswith("rbp_resid_") else word.replace(".", "_", 1))
    for version in ("", "trec_eval-9"):
        (line,) = requested_lines([word], version)
        assert not line.label
        measure = parse_measure(line.measure)
        assert trec_name(measure) == str(measure)


def test_the_square_of_beta_is_the_number_that_trec_eval_takes() -> None:
    """3PR / (2P + R) = 6/64 = .09375 is half way between two fourth decimals, and √2 · √2 is 2.0000000000000004."""
    qrels = {"1": {f"d{i}": 1 for i in range(29)}}
    run = {"1": {f"d{i}": float(-i) for i in range(27, 33)}}  # 6 documents, 2 of the 29 relevant ones
    precision, recall = 2 / 6, 2 / 29
    value = measure_all(assess(qrels, {"run": run}), ["set_F.2.0"]).cube.item()
    assert value == (2.0 + 1.0) * precision * recall / (2.0 * precision + recall)


@pytest.mark.parametrize("name", sorted(set(inputs()) - {"lists"}))
def test_every_name_gives_the_value_that_trec_eval_gives(name: str) -> None:
    given = inputs()[name]
    texts = {"runid", "relstring", "gm_map", "gm_bpref", "num_q"}  # one topic of gm_map is a logarithm
    asked = set(pytrec_eval.supported_nicknames["all_trec"]) - texts
    theirs = pytrec_eval.RelevanceEvaluator(given.qrels, asked).evaluate(given.run)
    ours = assess(given.qrels, {"run": given.run}, compat="trec_eval-9")
    names = sorted(next(iter(theirs.values())))
    cube = ours.map([parse_measure(printed) for printed in names])[0]
    assert len(names) == 11 + 10 + 5 * len(CUTS) + 3 + 21  # recall points, multiples of R, cut-offs, the rest
    for i, printed in enumerate(names):
        found = {topic: cube[ours.topics.index(topic), i] for topic in theirs}
        expected = {topic: row[printed] if row[printed] == row[printed] else 0 for topic, row in theirs.items()}
        assert found == pytest.approx(expected, rel=0, abs=EXACT), printed


def test_gains_of_trec_eval_by_arithmetic() -> None:
    values = measure_all(
        assess({"1": {"a": 1, "b": 2, "d": 3}}, {"1": {"b": 9.0, "a": 8.0}}), ["ndcg.1=0.5,2=0.9,3=0.7"]
    )
    # trec_eval 9.0.8 prints 0.0000 here: it sorts the gains by their differences, cut to whole numbers.
    ideal = 0.9 / log2(2) + 0.7 / log2(3) + 0.5 / log2(4)
    assert values.cube.item() == pytest.approx((0.9 / log2(2) + 0.5 / log2(3)) / ideal)


@pytest.mark.parametrize("measure", [m for text in NICKNAMES for m in parse_measures(text)], ids=str)
def test_a_name_that_is_printed_reads_back(measure: Measure) -> None:
    assert trec_name(measure) != str(measure) or str(measure) in ORDER
    assert parse_measure(trec_name(measure)) == measure


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("SetF(beta=2)", "set_F_4.0"),
        ("set_F.2.0", "set_F_2.0"),
        ("set_F.3", "set_F_3.0"),
        ("Utility(a=2)", "utility_2,-1,0,0"),
        ("nDCG(gains={1:3,2:9,4:4.5})", "ndcg_1=3,2=9,4=4.5"),
        ("Rprec(times=0.35)", "Rprec_mult_0.35"),
        ("IPrec(rounding='trec_eval-9')@0.25", "iprec_at_recall_0.25"),
        ("IPrec(rounding='trec_eval-10')@0.25", "iprec_at_recall_0.25"),
        ("IAP(rounding='trec_eval-10')", "11pt_avg"),
        ("R(capped=True)@7", "relative_P_7"),
        ("Unjudged@20", "unj_20"),
    ],
)
def test_parameters_are_printed_as_trec_eval_prints_them(written: str, printed: str) -> None:
    assert trec_name(parse_measure(written)) == printed


@pytest.mark.parametrize(
    "written",
    [
        *("P(rel=2)@5", "AP(judged_only=True)", "RR@10", "nDCG(dcg='exp-log2')@10", "nDCG(gains={1:3})@10", "R", "RBP"),
        *("IPrec@0.1", "IAP(points=5)", "Rprec(times=0.123)", "SetF(rel=2)", "GMAP@10", "Judged@10"),
    ],
)
def test_what_trec_eval_does_not_have_is_printed_in_our_notation(written: str) -> None:
    assert trec_name(parse_measure(written)) == written


def test_all_trec_is_printed_line_by_line(shared_data: Path) -> None:
    folder = shared_data / "small-collections" / "trec_eval-test"
    for run, topics, file in (
        ("results.test", "both", "v9.0.8.q.out"),
        ("results.trunc", "qrels", "v9.0.8.q_c.results.trunc.out"),
    ):
        values = evaluate(folder / "qrels.test", folder / run, "all_trec", topics=topics, compat="trec_eval-9")  # type: ignore[arg-type]
        theirs = (folder / file).read_text().splitlines()
        ours = trec_eval_text(values, per_topic=True).splitlines()
        assert ours == [line for line in theirs if not line.startswith("relstring")]


@pytest.mark.parametrize(
    ("asked", "named"),
    [(["official"], True), (["AP", "map,SET"], True), (["map runid"], True), (["AP nDCG@10"], False), (["P.5"], False)],
)
def test_the_run_is_named_with_lists_of_measures(asked: list[str], named: bool) -> None:
    # trec_eval has runid in its nicknames: the golden text of all_trec starts its summary with it.
    assert any(line.label == "runid" for line in requested_lines(asked)) == named


def test_r_precision_is_printed_twice_only_beside_its_multiples() -> None:
    given = graded()
    assessed = assess(given.qrels, {"run": given.run})

    def labels(asked: str) -> list[str]:
        return [line.split()[0] for line in trec_eval_text(measure_all(assessed, asked)).splitlines()]

    assert labels("Rprec RR") == ["runid", "Rprec", "recip_rank"]
    assert labels("Rprec_mult.0.2,1.0 Rprec") == ["runid", "Rprec", "Rprec_mult_0.20", "Rprec_mult_1.00"]


# ranx, BEIR, MTEB


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("ndcg@10-l2", "nDCG(gains={1:0})@10"),
        ("ndcg-l3", "nDCG(gains={1:0,2:0})"),
        ("ndcg@10-l1", "nDCG@10"),
        ("ndcg_burges@10", "nDCG(dcg='exp-log2')@10"),
        ("dcg_burges", "DCG(dcg='exp-log2')"),
        ("dcg@10", "DCG@10"),
        ("rbp.8", "RBP"),
        ("rbp.95-l2", "RBP(p=0.95,rel=2)"),
        ("rbp@8", "RBP@8"),
        ("hits@5", "NumRet(rel=1)@5"),
        ("hits-l2", "NumRet(rel=2)"),
        ("hit_rate@5", "Success@5"),
        ("precision", "SetP"),
        ("precision-l2", "SetP(rel=2)"),
        ("precision@5-l2", "P(rel=2)@5"),
        ("recall@5", "R@5"),
        ("f1@5", "F@5"),
        ("f1", "F"),
        ("r-precision", "Rprec"),
        ("R-precision-l2", "Rprec(rel=2)"),
        ("r_precision", "Rprec"),
        ("mrr@10-l3", "RR(rel=3)@10"),
        ("map-l2", "AP(rel=2)"),
        ("bpref-l2", "Bpref(rel=2)"),
        ("ndcg_at_10", "nDCG@10"),
        ("precision_at_5", "P@5"),
        ("mrr_at_10", "RR@10"),
        ("hit_rate_at_1", "Success@1"),
        ("NDCG@10", "nDCG@10"),
        ("Recall@100", "R@100"),
        ("MAP@10", "AP@10"),
        ("MRR@10", "RR@10"),
        ("R_cap@10", "R(capped=True)@10"),
        ("Hole@10", "Unjudged@10"),
        ("top_k_accuracy@5", "Success@5"),
        ("Accuracy@5", "Accuracy@5"),
    ],
)
def test_words_of_ranx_beir_and_mteb(written: str, canonical: str) -> None:
    assert read(written) == [canonical]


@pytest.mark.parametrize("metric", [metric for metric in golden("ranx") if not metric.startswith("rbp")])
def test_every_word_gives_the_value_that_ranx_gives(metric: str) -> None:
    given = graded()
    assessed = assess(given.qrels, {"run": given.run})
    found = dict(zip(assessed.topics, assessed.map([parse_measure(metric)])[0, :, 0].tolist(), strict=True))
    assert found == pytest.approx(golden("ranx")[metric], rel=0, abs=EXACT)


@pytest.mark.parametrize("metric", ["rbp.5", "rbp.8", "rbp.95"])
def test_rbp_is_that_of_ranx_where_grades_are_0_and_1(metric: str) -> None:
    given = graded()
    binary = {topic: {doc: min(grade, 1) for doc, grade in row.items()} for topic, row in given.qrels.items()}
    assessed = assess(binary, {"run": given.run})
    found = dict(zip(assessed.topics, assessed.map([parse_measure(metric)])[0, :, 0].tolist(), strict=True))
    assert found == pytest.approx(golden("ranx")[metric], rel=0, abs=EXACT)


# What cannot be read


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [
        ("ndcg_cu.10", "ndcg_cut"),
        ("ndcg_cu_10", "ndcg_cut"),
        ("recip_ran", "recip_rank"),
        ("num_rel_re", "num_rel_ret"),
        ("iprec_recall.0.1", "iprec_at_recall"),
        ("hit_rat@5", "hit_rate"),
        ("ndcg_burge@10-l2", "ndcg_burges"),
        ("r-precison", "r-precision"),
        ("oficial", "official"),
        ("nDCF@10", "nDCG"),
    ],
)
def test_a_wrong_name_is_answered_with_a_near_one_of_any_grammar(wrong: str, meant: str) -> None:
    with pytest.raises(UnknownName, match=rf"there is no measure named .*\nhint: did you mean .*\b{meant}\b.*\?"):
        parse_measures(wrong)


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ("P.ten", "cannot read the measure 'P.ten': what follows P are no parameters"),
        ("map.10", "map of trec_eval has no parameter 10"),
        ("recip_rank@10", "recip_rank of trec_eval has no parameter 10"),
        ("ndcg.10", "ndcg cannot have 10"),
        ("ndcg_10", "ndcg cannot have 10"),
        ("ndcg.-1=2", "nDCG cannot have gains=((-1, 2.0),)"),
        ("set_F.1,2", "set_F cannot have 1,2"),
        ("set_F.-1", "set_F cannot have -1"),
        ("utility.1,2", "utility cannot have 1,2"),
        ("11pt_avg.0=2", "11pt_avg cannot have 0=2"),
        ("11pt_avg.0.2,1.5", "IAP cannot have levels='0.2 1.5'"),
        ("rbp.0.8", "rbp cannot have 0.8"),
        ("rbp.p=0.8,1=0.5", "rbp cannot have p=0.8,1=0.5"),
        ("P.1=5", "P of trec_eval has no parameter 1=5"),
        ("ndcg@10-l1000", "-l1000 is no grade"),
        ("NumQ-l2", "NumQ has no relevance level"),
        ("r-precision@5", "r-precision has no cut-off"),
        ("R_cap", "R_cap needs a cut-off"),
        ("relstring.20", "there is no relstring.20 here"),
    ],
)
def test_wrong_parameters_are_refused_in_two_lines(wrong: str, problem: str) -> None:
    assert refused(wrong)[0] == problem


def test_one_measure_is_not_many() -> None:
    with pytest.raises(ParameterError, match=r"'P' stands for 9 measures where one is wanted\nhint: write P@5"):
        parse_measure("P")


def attempt(text: str) -> tuple[list[Measure], CranfieldError | None]:
    try:
        return parse_measures(text), None
    except CranfieldError as error:
        return [], error


HOSTILE = [
    *("P." + "9" * 5000, "P." + "1," * 30_000 + "1", "P_" * 20_000, "_" * 90_000, "." * 90_000, "a." * 40_000),
    *("ndcg@10" + "-l2" * 20_000, "rbp." + "9" * 90_000, "-l" * 40_000, "=" * 90_000, "P.1=" * 20_000),
    *("P_1 " * 20_000, "'" + "\\'" * 40_000, "(" * 90_000, "P.5" + "," * 90_000, "ndcg@" + "1" * 90_000 + "-l2"),
]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:8])
def test_hostile_text_is_answered_soon_and_briefly(text: str) -> None:
    start = time.process_time()
    found, refusal = attempt(text)
    assert time.process_time() - start < 10
    assert found or len(str(refusal)) < 3000


WORDS_OF_ALL = [*WORDS, *NICKNAMES, *ORDER, *ABSENT, *MEASURES.names()]
PARTS = st.sampled_from([*WORDS_OF_ALL, *".,@=-_l()' {}", "10", "0.5", "-l2", "_at_", "rel=2", "\t"])


@given(parts=st.lists(PARTS, max_size=8))
def test_any_text_is_read_or_refused_in_two_lines(parts: list[str]) -> None:
    found, refusal = attempt("".join(parts))
    assert found if refusal is None else refusal.problem.isprintable() and refusal.hint
    assert attempt(" ".join(map(str, found)))[0] == found
