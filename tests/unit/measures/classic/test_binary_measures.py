"""Binary, set and count measures: by hand, by definition over all short rankings, and as their peers have them."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise, product
from math import exp, log

import numpy as np
import pytest

from cranfield.core import CranfieldError
from cranfield.data import assess, assess_grades
from cranfield.measures import AUPRC, Counterexample, IPrec, Measure, measure_all, parse_measure
from tests.support.guarded_peers import ir_measures, pytrec_eval

EXACT = 1e-14
NEAR = 1e-12

# Grades down a ranking (None: not in the judgments), and those of judged documents that it does not hold.
Given = tuple[tuple[int | None, ...], tuple[int, ...]]
GIVEN: dict[str, Given] = {
    "plain": ((1, 0, 1, None, 0, 2, 1, 0), (1, 0, 0)),
    "nothing judged on top": ((None, None, 1, 0, 2), ()),
    "nothing but relevant": ((1, 2, 1), ()),
    "no judged document below": ((2, None, 1, None), (3,)),
    "not drawn from the pool": ((-1, 1, -2, 0, 2, -1, None, 1), (-1, 0, 1)),
    "one document": ((1,), (0, 0, 2)),
    "one too many": ((0,), (1,)),
    "nothing relevant found": ((0, None, 0, -1), (1, 2)),
    "nothing relevant": ((0, None), (0,)),
    "more found than others judged": ((0, 1, 1, 2, 0, 1), ()),
    "deep": ((None,) * 9 + (1, 0, None) * 12, (1, 2, 0) * 3),
}
LEVELS = tuple(i / 10 for i in range(11))
TIMES = tuple(i / 5 for i in range(1, 11))

TREC = {
    "map": "AP",
    "map_cut_5": "AP@5",
    "Rprec": "Rprec",
    "bpref": "Bpref",
    "infAP": "infAP",
    "utility": "Utility",
    "11pt_avg": "IAP(rounding='trec_eval-9')",
    "set_P": "SetP",
    "set_relative_P": "SetP(relative=True)",
    "set_recall": "SetR",
    "set_map": "SetAP",
    "set_F": "SetF",
    "num_nonrel_judged_ret": "NumNonRel",
    **{f"relative_P_{k}": f"R(capped=True)@{k}" for k in (1, 2, 5, 100)},
    **{f"iprec_at_recall_{level:.2f}": f"IPrec(rounding='trec_eval-9')@{level}" for level in LEVELS},
    **{f"Rprec_mult_{times:.2f}": f"Rprec(times={times})" for times in TIMES},
}
ASKED = [name.replace("iprec_at_recall_", "iprec_at_recall.").replace("Rprec_mult_", "Rprec_mult.") for name in TREC]


def as_files(given: dict[str, Given]) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Judgments and a run."""
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for topic, (ranking, missed) in given.items():
        grades = (*ranking, *missed)
        qrels[topic] = {f"d{i}": grade for i, grade in enumerate(grades) if grade is not None}
        run[topic] = {f"d{i}": float(-i) for i in range(len(ranking))}
    return qrels, run


def by_topic(measure: str, given: dict[str, Given]) -> dict[str, float]:
    qrels, run = as_files(given)
    values = measure_all(assess(qrels, {"run": run}), measure)
    return dict(zip(values.topics, values.cube[0, :, 0].tolist(), strict=True))


def value(measure: str, ranking: Sequence[float], missed: Sequence[float] = ()) -> float:
    """The value of one ranking, given as grades from the top; -1 is unjudged."""
    return float(measure_all(assess_grades([ranking], [missed]), measure).cube[0, 0, 0])


OPTIONS = [(1, False), (2, False), (1, True), (2, True)]


@pytest.mark.parametrize(("rel", "judged_only"), OPTIONS)
@pytest.mark.parametrize("trec", TREC)
def test_every_topic_has_the_value_of_trec_eval(trec: str, rel: int, judged_only: bool) -> None:
    qrels, run = as_files(GIVEN)
    evaluator = pytrec_eval.RelevanceEvaluator(
        qrels, set(ASKED), relevance_level=rel, judged_docs_only_flag=judged_only
    )
    theirs = {topic: row[trec] for topic, row in evaluator.evaluate(run).items()}
    expression = parse_measure(TREC[trec])
    settings = {"rel": rel, "judged_only": judged_only}
    ours = by_topic(str(type(expression)(**{**vars(expression), **settings})), GIVEN)
    assert ours == pytest.approx(theirs, rel=0, abs=NEAR)


@pytest.mark.parametrize("trec", TREC)
def test_topics_differ_in_every_value_that_is_compared(trec: str) -> None:
    # A comparison of zeros would show nothing.
    assert len(set(by_topic(TREC[trec], GIVEN).values())) > 1


@pytest.mark.parametrize(("trec", "ours"), [("gm_map", "GMAP"), ("gm_bpref", "GMBpref")])
def test_a_geometric_mean_is_over_topics_and_has_a_floor(trec: str, ours: str) -> None:
    qrels, run = as_files(GIVEN)
    logs = [row[trec] for row in pytrec_eval.RelevanceEvaluator(qrels, {trec}).evaluate(run).values()]
    values = measure_all(assess(qrels, {"run": run}), ours)
    floored = np.maximum(values.cube[0, :, 0], 1e-5)
    assert np.log(floored).tolist() == pytest.approx(logs, abs=NEAR)
    assert values.aggregate()[0, 0] == pytest.approx(exp(sum(logs) / len(logs)), rel=NEAR)
    assert min(logs) == log(1e-5)


@pytest.mark.parametrize("x", [0.25, 1.0, 4.0, 9.0])
def test_trec_eval_and_ir_measures_take_the_square_of_beta(x: float) -> None:
    qrels, run = as_files(GIVEN)
    found = ir_measures.iter_calc([ir_measures.SetF(beta=x)], qrels, run)
    expected = {metric.query_id: metric.value for metric in found}
    assert by_topic(f"SetF(beta={x**0.5})", GIVEN) == pytest.approx(expected, abs=NEAR)


@pytest.mark.parametrize("at", ["", "@2", "@5"])
@pytest.mark.parametrize("rel", [1, 2])
def test_accuracy_is_that_of_ir_measures_where_it_has_one(at: str, rel: int) -> None:
    # It divides by 0 where everything down to the cut-off is relevant, and takes 0 for the grade of an unjudged one.
    some = {topic: given for topic, given in GIVEN.items() if any((grade or 0) < rel for grade in given[0][:2])}
    qrels, run = as_files(some)
    written = f"Accuracy(rel={rel}){at}"
    found = ir_measures.iter_calc([ir_measures.parse_measure(written)], qrels, run)
    expected = dict.fromkeys(some, 0.0) | {metric.query_id: metric.value for metric in found}
    assert by_topic(written, some) == pytest.approx(expected, abs=EXACT)
    assert len(some) > 5


@pytest.mark.parametrize(
    ("measure", "ranking", "missed", "expected"),
    [
        ("F@5", (1, 0, 1), (1,), Fraction(2, 1) / (Fraction(5, 2) + Fraction(3, 2))),  # 2 / (1/P + 1/R), P 2/5, R 2/3
        ("F", (1, 0, 1), (1,), Fraction(2, 3)),  # P 2/3, R 2/3
        ("E@5", (1, 0, 1), (1,), Fraction(1, 2)),
        ("E", (0, -1), (1,), Fraction(1)),
        ("F(beta=2.0)@4", (1, 0, 0, 0), (1,), Fraction(5) / (Fraction(4) + 4 * Fraction(2))),  # 5 / (1/P + 4/R)
        ("F(beta=0.0)@4", (1, 0, 0, 0), (1,), Fraction(1, 4)),  # precision alone
        ("SetF@5", (1, 0, 1), (1,), Fraction(2, 3)),  # of the three there are
        ("SetP@5", (1, 0, 1), (1,), Fraction(2, 3)),
        ("SetP@2", (1, 0, 1), (1,), Fraction(1, 2)),
        ("SetP(relative=True)", (1, 0, 1), (1, 1, 1), Fraction(2, 3)),
        ("SetP(judged_only=True)", (1, -1, 0, 1), (), Fraction(2, 3)),
        ("SetR@1", (1, 0, 1), (1,), Fraction(1, 3)),
        ("SetAP", (1, 0, 1), (1,), Fraction(4, 9)),
        ("R(capped=True)@2", (1, 0, 1), (1,), Fraction(1, 2)),
        ("R(capped=True)@5", (1, 0, 1), (1,), Fraction(2, 3)),
        ("R(capped=True)", (1, 0, 1), (1,), Fraction(2, 3)),
        ("AP(capped=True)@2", (1, 1, 1), (1,), Fraction(1)),
        ("AP(capped=True)@3", (1, 0, 1), (1, 1), Fraction(1, 3) * (1 + Fraction(2, 3))),
        ("AP@3", (1, 0, 1), (1, 1), Fraction(1, 4) * (1 + Fraction(2, 3))),
        ("Rprec(times=0.5)", (1, 0, 1), (1,), Fraction(1, 2)),  # 0.5 · 3 + 0.9 = 2.4: the first two
        ("Rprec(times=2.0)", (1, 0, 1), (1,), Fraction(2, 6)),
        ("Rprec(times=0.01)", (1, 0, 1), (1,), Fraction(0)),  # 0.93: none at all
        ("Accuracy", (1, 1, 1), (1,), Fraction(1)),
        ("Accuracy@3", (0, 1, 1, 0), (), Fraction(0)),
        ("Accuracy(judged_only=True)", (-1, 1, 0, 1), (), Fraction(1, 2)),
        ("Unjudged@20", (-1,) * 4 + (0, 1) * 5 + (0,), (), Fraction(4, 20)),  # the example in trec_eval 10
        ("Unjudged@2", (-1, 0, -1), (), Fraction(1, 2)),
        ("Unjudged", (-1, 0, -1), (), Fraction(2, 3)),
        ("NumNonRel(rel=2)", (2, 1, 0, -1), (0,), Fraction(2)),
        ("NumNonRel@2", (0, 1, 0, -1), (0,), Fraction(1)),
        ("Bpref@2", (1, 0, 1), (0,), Fraction(1, 2)),
        # The note "bpref_bug" of trec_eval: the relevant documents stand above those that were not even retrieved.
        ("Bpref", (0, 1, 1, 1, 1), (0, 0, 0, 1, 1), Fraction(1, 2)),
        # Linear utility of the filtering track: 3 for a relevant document, -2 for another.
        ("Utility(a=3,b=-2)", (1, 0, -1, 1), (1,), Fraction(3 * 2 - 2 * 2)),
        ("Utility(a=3,b=-2)@3", (1, 0, -1, 1), (1,), Fraction(3 * 1 - 2 * 2)),
        ("Utility(c=-1.0)", (1, 0, -1, 1), (1, 1), Fraction(2 - 2 - 2)),
        ("Utility(d=0.01,collection=100)", (1, 0, -1, 1), (1, 1), Fraction(100 - 4 - 2, 100)),  # 2 - 2 + 94 / 100
        ("IPrec@0.0", (0, 1, 1), (), Fraction(2, 3)),
        ("IPrec(k=2)@0.0", (0, 1, 1), (), Fraction(1, 2)),
        ("IPrec@0.5", (1, 0, 0, 1, 1), (1,), Fraction(3, 5)),
        ("IPrec@0.75", (1, 0, 0, 1, 1), (1,), Fraction(3, 5)),
        ("IPrec@0.76", (1, 0, 0, 1, 1), (1,), Fraction(0)),
        ("IAP(points=2)", (1, 0, 1), (), (1 + Fraction(2, 3)) / 2),
        ("IAP(points=3)", (1, 0, 1), (), (2 + Fraction(2, 3)) / 3),
        ("AP11", (1, 0, 1), (1, 1, 1), (3 * 1 + 2 * Fraction(2, 3)) / 11),  # to recall .2, to .4, then nothing
    ],
)
def test_what_can_be_worked_out_by_hand(
    measure: str, ranking: tuple[int, ...], missed: tuple[int, ...], expected: Fraction
) -> None:
    assert value(measure, ranking, missed) == pytest.approx(float(expected), abs=EXACT)


def test_recall_points_are_rounded_in_three_ways() -> None:
    # Four relevant documents, at ranks 1, 4, 10, 20: precisions 1, 1/2, 3/10, 1/5.
    ranking = [1 if rank in (1, 4, 10, 20) else 0 for rank in range(1, 21)]

    def at(recall: float, rounding: str) -> float:
        return value(f"IPrec(rounding={rounding!r})@{recall}", ranking)

    ways = ("exact", "trec_eval-9", "trec_eval-10")
    # 0.3 · 4 = 1.2: two documents reach it; 1.2 + 0.9 goes down to 2; the nearest number is 1.
    assert [at(0.3, way) for way in ways] == [0.5, 0.5, 1.0]
    # 0.51 · 4 = 2.04: three reach it; 2.94 goes down to 2; the nearest is 2.
    assert [at(0.51, way) for way in ways] == [0.3, 0.5, 0.5]
    # 0.9 · 4 = 3.6: four, whoever counts.
    assert [at(0.9, way) for way in ways] == [0.2, 0.2, 0.2]
    # 0, .4, .8 → 1; 1.2, 1.6, 2 → 2; 2.4, 2.8 → 3; 3.2, 3.6, 4 → 4; to the nearest: 0 0 1 1 2 2 2 3 3 4 4.
    assert value("IAP", ranking) == pytest.approx((3 * 1 + 3 * 0.5 + 2 * 0.3 + 3 * 0.2) / 11, abs=EXACT)
    nearest = (4 * 1 + 3 * 0.5 + 2 * 0.3 + 2 * 0.2) / 11
    assert value("IAP(rounding='trec_eval-10')", ranking) == pytest.approx(nearest, abs=EXACT)


def test_a_recall_that_is_a_whole_number_of_documents_is_reached_by_as_many() -> None:
    # 0.07 · 100 is 7.000000000000001 in floating point.
    assert 0.07 * 100 > 7
    assert value("IPrec@0.07", (1,) * 7, (1,) * 93) == 1


SHORT = [ranking for length in range(1, 6) for ranking in product((0, 1), repeat=length)]


def curve(ranking: Sequence[int], relevant: int) -> list[tuple[Fraction, Fraction]]:
    """Recall and precision at every rank."""
    return [
        (Fraction(sum(ranking[:rank]), relevant), Fraction(sum(ranking[:rank]), rank))
        for rank in range(1, len(ranking) + 1)
    ]


@pytest.mark.parametrize("missed", [(), (1,), (1, 0, 1)])
def test_interpolated_precision_is_the_best_at_any_higher_recall(missed: tuple[int, ...]) -> None:
    assessed = assess_grades(SHORT, [missed] * len(SHORT))
    levels = [Fraction(i, 20) for i in range(21)]
    values = assessed.map([IPrec(recall=float(level)) for level in levels])[0]
    for ranking, found in zip(SHORT, values.tolist(), strict=True):
        points = curve(ranking, max(1, sum(ranking) + sum(missed)))
        for level, ours in zip(levels, found, strict=True):
            assert ours == pytest.approx(float(max((p for r, p in points if r >= level), default=0)), abs=EXACT)


@pytest.mark.parametrize("missed", [(), (1,), (1, 0, 1)])
def test_the_area_under_the_curve_is_its_integral(missed: tuple[int, ...]) -> None:
    values = assess_grades(SHORT, [missed] * len(SHORT)).map([AUPRC()])[0, :, 0]
    for ranking, ours in zip(SHORT, values.tolist(), strict=True):
        points = curve(ranking, max(1, sum(ranking) + sum(missed)))
        steps = sorted({Fraction(0), *(r for r, _ in points)})
        # The curve is flat between two recalls, as high as the better of what follows.
        area = sum((high - low) * max(p for r, p in points if r >= high) for low, high in pairwise(steps))
        assert ours == pytest.approx(float(area), abs=EXACT)


def test_inferred_average_precision_is_average_precision_where_everything_is_judged() -> None:
    assessed = assess_grades(SHORT, [(1, 0)] * len(SHORT))
    inferred, plain = assessed.map([parse_measure("infAP"), parse_measure("AP")])[0].T
    assert inferred == pytest.approx(plain, abs=1e-4)  # it smooths by 0.00001
    assert (inferred != plain).any()


def test_what_was_not_drawn_from_the_pool_is_taken_for_as_good_as_what_was() -> None:
    # 1/4 for itself; of three above, all in the pool, one of two judged ones is relevant: 1/4 · 3 · 1/2.
    given: dict[str, Given] = {"drawn": ((1, 0, -1, 1), ()), "not in the pool": ((1, 0, None, 1), ())}
    found = by_topic("infAP", given)
    assert found["drawn"] == pytest.approx((1 + 1 / 4 + 3 / 4 * 1 / 2) / 2, abs=1e-5)
    assert found["not in the pool"] == pytest.approx((1 + 1 / 4 + 2 / 4 * 1 / 2) / 2, abs=1e-5)


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("IPrec@0.1", "IPrec@0.1"),
        ("IPrec", "IPrec@0.0"),
        ("iprec(recall=0.25)", "IPrec@0.25"),
        ("IPrec@1", "IPrec@1.0"),
        ("IPrec(k=10)@0.1", "IPrec(k=10)@0.1"),
        ("AP11", "IAP"),
        ("BPref", "Bpref"),
        ("R(capped=True)@10", "R(capped=True)@10"),
        ("SetF(beta=2)", "SetF(beta=2.0)"),
        ("Utility(b=-2)", "Utility(b=-2.0)"),
    ],
)
def test_they_are_written_in_one_way(written: str, canonical: str) -> None:
    assert str(parse_measure(written)) == canonical
    assert parse_measure(canonical) == parse_measure(written)


def test_a_recall_stands_behind_the_at_sign_in_python_too() -> None:
    assert IPrec() @ 0.1 == IPrec(recall=0.1)
    assert IPrec(k=10) @ 0.1 == IPrec(k=10, recall=0.1)


@pytest.mark.parametrize(
    "written",
    [
        "IPrec@1.5",
        "IPrec@-0.1",
        "IPrec(rounding='up')@0.1",
        "IAP(points=1)",
        "F(beta=-1)@10",
        "Rprec(times=0)",
        "R(capped=1)@10",
        "Unjudged(judged_only=True)@10",
        "Utility(d=1)",  # of how many?
        "Utility(a=-1,b=1)",  # better without relevant documents
        "Utility(collection=0)",
    ],
)
def test_what_cannot_be_is_refused_in_two_lines(written: str) -> None:
    with pytest.raises(CranfieldError) as caught:
        parse_measure(written)
    problem, hint = str(caught.value).splitlines()
    assert problem
    assert hint.startswith("hint: ")


def shorter_than(example: Counterexample) -> list[Counterexample]:
    """Every other case of the axiom of replacement in rankings that are shorter."""
    found = []
    for length in range(1, len(example.before)):
        for before, more in product(product((-1, 0, 1), repeat=length), ((), (0,), (1,), (0, 1))):
            for place, better in product(range(length), (0, 1)):
                if before[place] < better:
                    after = (*before[:place], better, *before[place + 1 :])
                    found.append(Counterexample(example.axiom, before, after, (better, *more), example.cite))
    return found


@pytest.mark.parametrize("measure", [parse_measure("Bpref"), parse_measure("Accuracy")], ids=str)
def test_no_shorter_ranking_shows_that_replacement_may_hurt(measure: Measure) -> None:
    (example,) = (example for example in measure.gives_up if example.axiom == "replacement")
    shorter = shorter_than(example)
    # What comes in was missed before; what goes out is missed after.
    missed = [[list(e.missed), [*e.missed[1:], *set_aside(e)]] for e in shorter]
    rankings = [ranking for e in shorter for ranking in (e.before, e.after)]
    values = assess_grades(rankings, [side for both in missed for side in both]).map([measure])[0, :, 0]
    before, after = values.reshape(-1, 2).T
    assert len(shorter) > 10
    assert (after >= before - EXACT).all()


def set_aside(example: Counterexample) -> list[int]:
    return [a for a, b in zip(example.before, example.after, strict=True) if a != b and a >= 0]
