"""Makes cwl_eval.json: what cwl_eval 1.0.12 says of lists without ties, through ir_measures and by itself.

It looks at 1000 ranks: a longer list is cut, a shorter one goes on with documents worth nothing, and the weights of the
1000 ranks add up to 1. ir_measures cannot ask for another depth; cwl_eval itself can, and is asked for 10 as well.
Ten digits are kept, and twelve decimals: numpy's dot product, which it uses, ends in other bits on other machines.
Run from the root: python -m tests.golden.make.cwl_eval
"""

import logging
from math import nan

from cwl.ruler.cwl_ruler import (
    CWLMetric,
    IFTGoalCWLMetric,
    IFTGoalRateCWLMetric,
    IFTRateCWLMetric,
    INSQCWLMetric,
    INSTCWLMetric,
    NERReq10CWLMetric,
    NERReq11CWLMetric,
    RBPCWLMetric,
    TBGCWLMetric,
    UMeasureCWLMetric,
)
from cwl.ruler.ranking import Ranking

from tests.golden.make.writing import save
from tests.support.golden.ranking_inputs import lists, words
from tests.support.guarded_peers import ir_measures

# What ir_measures calls them. The gain of a grade is (grade - min_rel) / (max_rel - min_rel), no less than 0.
MEASURES = """
    RBP(p=0.5,rel=1) RBP(p=0.8,rel=1) RBP(p=0.8,rel=2) RBP(p=0.95,rel=3) RBP(p=0.99,rel=1)
    INST(T=0.5,max_rel=3) INST(T=1.0,max_rel=3) INST(T=2.0,max_rel=3) INST(T=3.5,max_rel=4)
    INST(T=1.0,max_rel=3,min_rel=1)
    INSQ(T=0.5,max_rel=3) INSQ(T=1.0,max_rel=3) INSQ(T=2.0,max_rel=3) INSQ(T=3.5,max_rel=4)
    INSQ(T=1.0,max_rel=3,min_rel=1)
    BPM(T=1.0,max_rel=3)@10 BPM(T=2.0,max_rel=3)@5 BPM(T=4.0,max_rel=3)@20 BPM(T=1.0,max_rel=4,min_rel=0)@3
    BPM(T=1.0,max_rel=3,min_rel=1)@10
    SDCG(max_rel=3)@5 SDCG(max_rel=3)@10 SDCG(max_rel=3)@100 SDCG(max_rel=4)@20 SDCG(max_rel=3,min_rel=1)@10
    NERR8(max_rel=3)@5 NERR8(max_rel=4)@10 NERR8(max_rel=4)@100 NERR8(max_rel=3,min_rel=1)@10
    NERR9(max_rel=3)@5 NERR9(max_rel=4)@10 NERR9(max_rel=4)@100 NERR9(max_rel=3,min_rel=1)@10
    NERR10(max_rel=3,p=0.5) NERR10(max_rel=4,p=0.9) NERR10(max_rel=3,min_rel=1,p=0.8)
    NERR11(T=1.0,max_rel=3) NERR11(T=3.0,max_rel=4) NERR11(T=0.5,max_rel=3,min_rel=1)
""".split()
TOP = 3
METRICS: dict[str, CWLMetric] = {
    "RBP(0.8)": RBPCWLMetric(0.8),
    "RBP(0.95)": RBPCWLMetric(0.95),
    "INST(1.0)": INSTCWLMetric(1.0),
    "INST(2.0)": INSTCWLMetric(2.0),
    "INSQ(1.0)": INSQCWLMetric(1.0),
    "INSQ(2.0)": INSQCWLMetric(2.0),
    "NERReq10(0.9)": NERReq10CWLMetric(0.9),
    "NERReq11(1.0)": NERReq11CWLMetric(1.0),
    "IFTGoal(2.0, 0.9, 1.0)": IFTGoalCWLMetric(2.0, 0.9, 1.0),
    "IFTGoal(1.0, 0.5, 3.0)": IFTGoalCWLMetric(1.0, 0.5, 3.0),
    "IFTRate(0.2, 0.9, 10.0)": IFTRateCWLMetric(0.2, 0.9, 10.0),
    "IFTRate(0.5, 0.3, 4.0)": IFTRateCWLMetric(0.5, 0.3, 4.0),
    "IFTGoalRate(2.0, 0.9, 1.0, 0.2, 0.9, 10.0)": IFTGoalRateCWLMetric(2.0, 0.9, 1.0, 0.2, 0.9, 10.0),
    "IFTGoalRate(1.0, 0.5, 3.0, 0.5, 0.3, 4.0)": IFTGoalRateCWLMetric(1.0, 0.5, 3.0, 0.5, 0.3, 4.0),
}
# What cwl_eval has to be told: what looking at a document takes and what it is worth, for its grade and its words.
# TBG, with the numbers of its authors (Smucker and Clarke 2012): seconds, and what is saved; then with ranks.
SECONDS = {
    "TBG(224.0)": (TBGCWLMetric(224.0), 4.4, 0.018, 7.8, 0.64, 0.39, 0.77),
    "TBG(30.0)": (TBGCWLMetric(30.0), 4.4, 0.018, 7.8, 0.64, 0.39, 0.77),
    "TBG(60.0) with other times": (TBGCWLMetric(60.0), 2.0, 0.05, 1.0, 0.9, 0.1, 0.5),
    "TBG(20.0) with ranks": (TBGCWLMetric(20.0), 1.0, 0.0, 0.0, 1.0, 1.0, 1.0),
}
# U (Sakai and Dou 2013): characters of a snippet, and a share of those of relevant documents, six to a word.
CHARACTERS = {
    "U(132000.0)": (UMeasureCWLMetric(132000.0), 200.0, 0.2),
    "U(5000.0)": (UMeasureCWLMetric(5000.0), 200.0, 0.2),
    "U(20000.0) with all read": (UMeasureCWLMetric(20000.0), 50.0, 1.0),
}
LETTERS = 6
USUAL = 500  # words of every document, where they are not its own
DEPTHS = (10, 1000)
COLUMNS = ("EU", "ETU", "EC", "ETC", "ED")


def make() -> object:
    """{measure: {column: values}}, in the order of the topics; what cwl_eval says by itself has a depth in its name.

    Its residuals, the same columns with an R before, are what they would gain if every unjudged document and every
    rank below the list were worth 1.
    """
    logging.getLogger("ir_measures.cwl_eval").disabled = True  # it says which grades it does not see
    made = {measure: _through_ir_measures(measure) for measure in MEASURES}
    for name, metric in METRICS.items():
        for depth in DEPTHS:
            made[f"{name} to {depth}"] = _by_itself(metric, [_looked_at(topic) for topic in lists().run], depth)
    for own, count in (("", dict.fromkeys(words(), USUAL)), (" with words", words())):
        for depth in DEPTHS:
            for name, (metric, *numbers) in SECONDS.items():
                made[f"{name}{own} to {depth}"] = _total(metric, _timed(count, *numbers), depth)
            for name, (metric, snippet, read) in CHARACTERS.items():
                rows = [_from_the_end(row[:depth]) for row in _written(count, snippet, read)]
                made[f"{name}{own} to {depth}"] = _total(metric, rows, depth + 2)
    return made


def _through_ir_measures(measure: str) -> dict[str, list[float]]:
    given = lists()
    found = ir_measures.cwl_eval.iter_calc([ir_measures.parse_measure(measure)], given.qrels, given.run)
    rows = {metric.query_id: [_digits(number) for number in metric[2:]] for metric in found}
    return dict(zip(COLUMNS, map(list, zip(*(rows[topic] for topic in given.run), strict=True)), strict=True))


Look = tuple[float, float]  # what a document is worth, and what it takes


def _looked_at(topic: str) -> list[Look]:
    return [(nan if grade is None else grade / TOP, 1.0) for grade in _grades(topic)]


def _timed(
    count: dict[str, int],
    summary: float,
    reading: float,
    opening: float,
    click_relevant: float,
    click_other: float,
    save: float,
) -> list[list[Look]]:
    rows = []
    for topic, run in lists().run.items():
        relevant = [(grade or 0) > 0 for grade in _grades(topic)]
        clicks = [click_relevant if good else click_other for good in relevant]
        taken = [summary + click * (reading * count[doc] + opening) for click, doc in zip(clicks, run, strict=True)]
        rows.append([(good * click_relevant * save, took) for good, took in zip(relevant, taken, strict=True)])
    return rows


def _written(count: dict[str, int], snippet: float, read: float) -> list[list[Look]]:
    rows = []
    for topic, run in lists().run.items():
        grades = [grade or 0 for grade in _grades(topic)]
        taken = [snippet + (grade > 0) * read * LETTERS * count[doc] for grade, doc in zip(grades, run, strict=True)]
        rows.append([((2**grade - 1) / 2**TOP, took) for grade, took in zip(grades, taken, strict=True)])
    return rows


def _from_the_end(row: list[Look]) -> list[Look]:
    """The same one rank further down, so that what a document takes stands above it.

    To cwl_eval the place of a document is where its text starts, to the authors of U where it ends. Nor does cwl_eval
    ever look at its last rank; there is one more of them therefore.
    """
    gains, costs = zip(*row, strict=True)
    return list(zip([0.0, *gains], [*costs, costs[-1]], strict=True))


def _grades(topic: str) -> list[int | None]:
    return [lists().qrels[topic].get(document) for document in lists().run[topic]]


def _by_itself(metric: CWLMetric, rows: list[list[Look]], depth: int) -> dict[str, list[float]]:
    metric.residuals = True
    made: dict[str, list[float]] = {column: [] for column in (*COLUMNS, *(f"R{column}" for column in COLUMNS))}
    for row in rows:
        gains, costs = zip(*row, strict=True)
        metric.measure(Ranking("topic", list(gains), list(costs), max_n=depth))
        residuals = [
            *(metric.residual_expected_utility, metric.residual_expected_total_utility),
            *(metric.residual_expected_cost, metric.residual_expected_total_cost, metric.residual_expected_items),
        ]
        for column, number in zip(made, [*metric.get_scores(), *residuals], strict=True):
            made[column].append(_digits(number))
    return made


def _total(metric: CWLMetric, rows: list[list[Look]], depth: int) -> dict[str, list[float]]:
    """The total utility alone: the other columns depend on what ranks below the list take, which nobody knows."""
    return {"ETU": _by_itself(metric, rows, depth)["ETU"]}


def _digits(number: float) -> float:
    return round(float(f"{number:.10g}"), 12) + 0.0  # no −0


if __name__ == "__main__":
    save("cwl_eval", make())
