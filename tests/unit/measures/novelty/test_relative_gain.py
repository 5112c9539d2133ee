"""What a run adds to others: the numbers of the paper, loops over simulated campaigns, small cases by hand."""

import math
import pickle
import re
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

import cranfield as cf
from cranfield.core import CranfieldError, ParameterError
from cranfield.data import Assessed, assess
from cranfield.measures import NDCG, NRG, RR, P, RareP, TaSC, Unique, explain, measure_all, parse_measure, seen_out
from cranfield.simulate import Campaign, Made
from tests.support.reference.novelty_definitions import RELATIVE, TOP, expected

NOISE = 1e-12
Prior = NDArray[np.bool_]


def ranked(*rankings: str, relevant: str, grade: int = 1) -> Assessed:
    """One topic; every ranking is a run, every document a letter."""
    runs = {f"R{i}": {"1": {d: -float(rank) for rank, d in enumerate(r)}} for i, r in enumerate(rankings, 1)}
    return assess({"1": dict.fromkeys(relevant, grade) | {"not relevant": 0}}, runs)


def before(assessed: Assessed, known: dict[str, str]) -> Prior:
    """For each run that is named, the runs that are known before it, separated by spaces."""
    return np.array([[other in known.get(run, "").split() for other in assessed.runs] for run in assessed.runs])


def value(assessed: Assessed, measure: str, run: str, known: str = "") -> float:
    """The value of one run after others in the only topic."""
    after = assessed.after(before(assessed, {run: known}))
    return float(measure_all(after, measure).cube[assessed.runs.index(run), 0, 0])


# Bigdeli et al. 2024, Table 1: the same ten documents in three orders; A, E, F and J are relevant, all of grade 4.
TABLE = ranked("ABCDEFGHIJ", "EDCBAFGHIJ", "JIHGFEDCBA", relevant="AEFJ", grade=4)


@pytest.mark.parametrize(
    ("run", "known", "printed"),
    [
        ("R1", "", 0.7933),
        ("R2", "", 0.7933),
        ("R3", "", 0.7933),
        ("R1", "R2", 0.7361),
        ("R1", "R3", 0.8277),
        ("R1", "R2 R3", 0.8417),
        ("R2", "R1", 0.7361),
        ("R2", "R3", 0.7988),
        ("R2", "R1 R3", 0.8316),
        ("R3", "R1", 0.8277),
        ("R3", "R2", 0.7988),
        ("R3", "R1 R2", 0.8681),
    ],
)
def test_the_table_of_the_paper(run: str, known: str, printed: float) -> None:
    assert round(value(TABLE, "NRG(nDCG@10)", run, known), 4) == printed


def test_one_number_of_the_table_worked_out() -> None:
    """R1 after R2: A stands at 5 there, E at 1, F at 6, J at 10."""

    def seen(rank: int) -> float:
        return 1 / math.log2(rank + 1)

    left = {"A": 1 - seen(5), "E": 0.0, "F": 1 - seen(6), "J": 1 - seen(10)}
    total = left["A"] * seen(1) + left["F"] * seen(6) + left["J"] * seen(10)
    best = left["J"] * seen(1) + left["F"] * seen(2) + left["A"] * seen(3)
    assert value(TABLE, "NRG(nDCG@10)", "R1", "R2") == pytest.approx(total / best, abs=NOISE)


@cache
def simulated() -> tuple[Made, Assessed, dict[str, dict[str, int]], dict[str, dict[str, list[str]]]]:
    """A small campaign with grades up to 3, grades below 0, ties and careless runs; and the same as dictionaries."""
    made = Campaign(
        topics=5, groups=4, runs=9, depth=30, documents=2000, candidates=150, relevant=18, grades=(0.5, 0.3, 0.2),
        pool=12, spam=0.2, ties=0.4, missing=0.4, seed=5,
    ).make()  # fmt: skip
    columns = made.qrels_columns()
    qrels: dict[str, dict[str, int]] = {}
    for topic, document, grade in zip(columns["topic"], columns["document"], columns["grade"], strict=True):
        qrels.setdefault(str(topic), {})[str(document)] = int(str(grade))
    rankings: dict[str, dict[str, list[str]]] = {}
    for name in made.names:
        run = made.run_columns(name)
        rows = zip(run["topic"], run["score"], run["document"], strict=True)
        for topic, _, document in sorted(rows, key=lambda row: (row[1], row[2]), reverse=True):
            rankings.setdefault(name, {}).setdefault(str(topic), []).append(str(document))
    runs = {name: made.run_columns(name) for name in made.names}
    return made, assess(columns, runs), qrels, rankings


def test_the_campaign_has_what_can_go_wrong() -> None:
    made, assessed, qrels, rankings = simulated()
    assert assessed.runs == made.names
    assert {grade for grades in qrels.values() for grade in grades.values()} == {-2, 0, 1, 2, TOP}
    assert assessed.missing.any()
    assert assessed.tied.any()
    assert any(d not in qrels[topic] for ranking in rankings.values() for topic in ranking for d in ranking[topic][:5])
    assert len({entry.group for entry in made.entries}) == 4
    assert len({entry.date for entry in made.entries}) > 1


def best_of_each_group() -> set[str]:
    """By mean nDCG@10 of the loop."""
    made, _, qrels, rankings = simulated()
    best: dict[str, tuple[float, str]] = {}
    for entry in made.entries:
        values = [expected("NRG(nDCG@10)", rankings[entry.run].get(t, []), grades, []) for t, grades in qrels.items()]
        best[entry.group] = max(best.get(entry.group, (-1.0, "")), (sum(values), entry.run))
    return {run for _, run in best.values()}


def known_before(prior: str) -> Callable[[str, str], bool]:
    """Whether the first run is known before the second."""
    made, *_ = simulated()
    entry = {one.run: one for one in made.entries}
    if prior == "a list":
        return lambda other, _: other in made.names[:3]
    if prior == "all others":
        return lambda *_: True
    if prior == "chronological":
        return lambda other, run: entry[other].date < entry[run].date
    if prior == "other groups":
        return lambda other, run: entry[other].group != entry[run].group
    best = best_of_each_group()
    return lambda other, run: other in best and entry[other].group != entry[run].group


@pytest.mark.parametrize("prior", ["none", "a list", "all others", "chronological", "best per group", "other groups"])
@pytest.mark.parametrize("name", RELATIVE)
def test_a_campaign_has_the_values_of_the_definitions(name: str, prior: str) -> None:
    _, assessed, qrels, rankings = simulated()
    known: dict[str, list[str]] = {run: [] for run in assessed.runs}
    if prior != "none":
        is_known = known_before(prior)
        known = {run: [o for o in assessed.runs if o != run and is_known(o, run)] for run in assessed.runs}
        assert max(map(len, known.values())) > 1
    matrix = np.array([[other in known[run] for other in assessed.runs] for run in assessed.runs])
    found = assessed.after(matrix).map([parse_measure(name).settled(TOP)])[:, :, 0]
    literal = [
        [
            expected(name, rankings[run].get(topic, []), qrels[topic], [rankings[o].get(topic, []) for o in known[run]])
            for topic in assessed.topics
        ]
        for run in assessed.runs
    ]
    np.testing.assert_allclose(found, literal, rtol=0, atol=NOISE)


def test_every_run_may_have_a_prior_of_its_own() -> None:
    """All at once is each by itself, whoever shares a prior with whom."""
    _, assessed, *_ = simulated()
    rng = np.random.default_rng(3)
    prior = rng.random((9, 9)) < 0.4
    prior[5], prior[6] = prior[4], False
    prior[:, 4:6] = False  # nobody knows these two, before which the same rankings are known
    np.fill_diagonal(prior, val=False)
    measures = [NRG(of=NDCG(k=10)), Unique(k=10), TaSC(), RareP(k=5), NRG(of=RR())]
    together = assessed.after(prior).map(measures)
    for run in range(9):
        alone = np.zeros_like(prior)
        alone[run] = prior[run]
        np.testing.assert_allclose(assessed.after(alone).map(measures)[run], together[run], rtol=0, atol=NOISE)


def test_unique_contributions_are_a_difference_of_sets() -> None:
    assessed = ranked("ABCDEFG", "DCXYZ", "GA", relevant="ABCDGX")
    assert value(assessed, "Unique@4", "R1") == len(set("ABCD"))
    assert value(assessed, "Unique@4", "R1", "R2") == len(set("ABCD") - set("DCXY"))
    assert value(assessed, "Unique@4", "R1", "R3") == len(set("ABCD") - set("GA"))
    assert value(assessed, "Unique@4", "R1", "R2 R3") == len(set("ABCD") - set("DCXYGA")) == 1
    assert value(assessed, "Unique@7", "R2", "R1 R3") == len(set("DCX") - set("ABCDEFG")) == 1


def test_rareness_over_all_runs() -> None:
    """Türkmen et al.: of three runs, all have A in their first three, two have B, one has C."""
    assessed = ranked("ABC", "BAx", "Axy", relevant="ABC")
    everybody = "R1 R2 R3"
    shares = {"A": 3 / 3, "B": 2 / 3, "C": 1 / 3}
    for run, found in (("R1", "ABC"), ("R2", "AB"), ("R3", "A")):
        others = everybody.replace(run, "")
        rare = sum(1 + (1 - shares[document]) for document in found) / 3
        assert value(assessed, "RareP@3", run, others) == pytest.approx(rare, abs=NOISE)
        half = sum(1 + 0.5 * (1 - shares[document]) for document in found) / 3
        assert value(assessed, "RareP(alpha=0.5)@3", run, others) == pytest.approx(half, abs=NOISE)
        assert value(assessed, "RareP(alpha=0)@3", run, others) == value(assessed, "P@3", run)
        assert value(assessed, "RareP@3", run) == value(assessed, "P@3", run)


def test_coverage_by_the_best_and_by_the_mean() -> None:
    assessed = ranked("AxB", "xyA", "BxA", relevant="AB")
    assert value(assessed, "TaSC(P@3)", "R1", "R2 R3") == pytest.approx(2 / 3 * (1 - 2 / 3), abs=NOISE)
    assert value(assessed, "TaSC(P@3,by='mean')", "R1", "R2 R3") == pytest.approx(2 / 3 * (1 - (1 / 3 + 2 / 3) / 2))
    assert value(assessed, "TaSC(AP)", "R1", "R3") == pytest.approx((1 + 2 / 3) / 2 * (1 - (1 + 2 / 3) / 2), abs=NOISE)


def test_of_several_relevant_documents_one_is_worth_most() -> None:
    # A is half known and stands first: 1/2. B is not known and stands second: 1/2. C, third: 1/3. Then all but B is.
    assessed = ranked("ABC", "xA", "B", "xyA", relevant="ABC")
    assert value(assessed, "RR", "R1") == value(assessed, "NRG(RR)", "R1") == 1
    assert value(assessed, "NRG(RR)", "R1", "R2") == pytest.approx(max(1 / 2, 1 / 2, 1 / 3))
    assert value(assessed, "NRG(RR)", "R1", "R3") == 1
    assert value(assessed, "NRG(RR)", "R1", "R2 R4") == pytest.approx(max(1 / 2 * 2 / 3, 1 / 2, 1 / 3))
    assert value(assessed, "NRG(RR)", "R1", "R2 R3 R4") == pytest.approx(max(1 / 2 * 2 / 3, 0, 1 / 3))
    assert value(assessed, "NRG(RR@1)", "R1", "R2 R3 R4") == 1  # nobody saw A at rank 2 who looks at one
    assert value(assessed, "NRG(RR@2)", "R1", "R2 R3 R4") == pytest.approx(1 / 2)


def test_where_everything_stood_first_in_some_ranking_nothing_is_left() -> None:
    qrels = {"one": {"A": 1, "x": 0}, "two": {"A": 1, "B": 2}, "none": {"x": 0}}
    runs = {
        "first": {topic: {"A": 2.0, "B": 1.0} for topic in qrels},
        "second": {"two": {"B": 2.0, "A": 1.0}, "one": {"x": 2.0, "A": 1.0}},
        "third": {topic: {"B": 2.0, "A": 1.0} for topic in qrels},
    }
    assessed = assess(qrels, runs)
    after = assessed.after(before(assessed, {"first": "second", "second": "first", "third": "first second"}))
    out = {(run, topic) for run, topic in zip(*np.nonzero(seen_out(after, NDCG(k=10))), strict=True)}
    names = {(after.runs[run], after.topics[topic]) for run, topic in out}
    assert names == {("second", "one"), ("third", "one"), ("third", "two")}
    found = after.map([NRG(of=NDCG(k=10))])[:, :, 0]
    assert [found[r, t] for r, t in out] == [0, 0, 0]
    # To somebody who looks at two documents, both were seen wherever they stood.
    assert seen_out(after, P(k=2)).tolist() == [[True, True, False]] * 3
    assert not seen_out(assessed, NDCG(k=10)).any()
    assert not seen_out(assessed.after(np.zeros((3, 3), np.bool_)), NDCG()).any()


def test_where_nothing_earns_nothing_is_left_and_nothing_is_seen_out() -> None:
    assessed = ranked("AB", "BA", relevant="AB", grade=0)
    for measure in ("NRG(nDCG@10)", "NRG(P@1)", "Unique@2", "RareP@2", "TaSC(nDCG)"):
        assert value(assessed, measure, "R1", "R2") == 0
    assert not seen_out(assessed.after(before(assessed, {"R1": "R2"})), NDCG()).any()


def test_judged_but_worthless_documents_never_keep_a_topic_from_being_seen_out() -> None:
    """TBG without the unjudged documents is shown those that are not relevant too."""
    assessed = ranked("Ax", "Ay", relevant="A")
    after = assessed.after(before(assessed, {"R1": "R2"}))
    assert seen_out(after, parse_measure("TBG")).tolist() == [[True], [False]]
    assert seen_out(after, parse_measure("TBG(judged_only=True)")).tolist() == [[True], [False]]


@pytest.mark.parametrize(
    ("wrong", "message", "hint"),
    [
        ("NRG(AP)", "AP has no NRG: it has no user who reads down a ranking, rank by rank", "these have one: .*nDCG"),
        ("NRG(bpref)", "Bpref has no NRG", "these have one: "),
        ("NRG(R@10)", "R@10 has no NRG", "these have one: "),
        ("NRG(NRG(nDCG))", r"NRG\(nDCG\) has no NRG", "these have one: "),
        ("TaSC(DCG)", "DCG has no TaSC: its values lie between 0 and ∞", "choose a measure from 0 to 1"),
        ("TaSC(NRG(DCG))", "its values lie between 0 and ∞", "choose a measure from 0 to 1"),
        ("TaSC(ESL)", "ESL has no TaSC: its values lie between 1 and ∞", "choose a measure from 0 to 1"),
        ("TaSC(E@10)", "E@10 has no TaSC", "choose a measure from 0 to 1"),
        ("NRG(nDCG@10)@5", "NRG has two cut-offs, 10 and 5", r"write NRG\(nDCG@10\)"),
        ("NRG(nDCG,P@5)", "NRG is of one measure", r"write NRG\(nDCG\)"),
        ("NRG(nDCG,rel=2)", "NRG has no parameter 'rel'", "it has: judged_only, k, of"),
        ("TaSC(nDCG,by='median')", "'median'", "max"),
        ("P(nDCG)@5", "P takes no measure in parentheses", "write P@10"),
        ("Unique", "Unique needs a cut-off", "write Unique@10"),
        ("RareP", "RareP needs a cut-off", "write RareP@10"),
        ("NRG(xyzzy)", "there is no measure named 'xyzzy'", "`cranfield measures` lists them all"),
    ],
)
def test_what_cannot_be_is_refused(wrong: str, message: str, hint: str) -> None:
    with pytest.raises(CranfieldError, match=rf"(?s){message}.*\nhint: .*{hint}"):
        parse_measure(wrong)


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("NRG(nDCG@10)", "NRG(nDCG@10)"),
        ("NRG(nDCG)@10", "NRG(nDCG@10)"),
        ("NRG(nDCG@10)@10", "NRG(nDCG@10)"),
        ("NRG", "NRG(nDCG)"),
        ("NRG@10", "NRG(nDCG@10)"),
        ("nrg ( ndcg @ 10 )", "NRG(nDCG@10)"),
        ("NRG(MRR@10)", "NRG(RR@10)"),
        ("NormalizedResidualGain(RBP(p=0.8))", "NRG(RBP)"),
        ("NRG(RBP(rel=2,p=0.5))@20", "NRG(RBP(p=0.5,rel=2)@20)"),
        ("NRG(nDCG(judged_only=True)@10)", "NRG(nDCG(judged_only=True)@10)"),
        ("NRG(nDCG@10,judged_only=True)", "NRG(nDCG(judged_only=True)@10)"),
        ("TaSC(nDCG@10,by='max')", "TaSC(nDCG@10)"),
        ("TaSC(MAP,by='mean')", "TaSC(AP,by='mean')"),
        ("Unique@10", "Unique@10"),
        ("RareP(alpha=1)@10", "RareP@10"),
        ("RareP(rel=2,alpha=0.5)@10", "RareP(alpha=0.5,rel=2)@10"),
    ],
)
def test_notation_goes_there_and_back(written: str, canonical: str) -> None:
    measure = parse_measure(written)
    assert str(measure) == repr(measure) == canonical
    again = parse_measure(canonical)
    assert again == measure == pickle.loads(pickle.dumps(measure))
    assert hash(again) == hash(measure)


def test_a_cut_off_may_be_put_on_later() -> None:
    assert NRG() @ 10 == NRG(of=NDCG(k=10)) == NRG(of=NDCG()) @ 10 == NRG(k=10)
    assert NRG(of=NDCG(k=10)) @ 5 == NRG(of=NDCG(k=5))
    assert NRG(of=NDCG(k=10)) != NRG(of=NDCG(k=5))
    assert NRG(k=10).k == 10
    assert NRG(of=NDCG(judged_only=True)).judged_only
    assert len({parse_measure(text) for text in ("NRG@10", "NRG(nDCG@10)", "NRG(nDCG)@10")}) == 1


def test_they_are_evaluated_by_their_notation() -> None:
    qrels = {"1": {"A": 1, "B": 1}}
    runs = {"x": {"1": {"A": 2.0, "B": 1.0}}}
    values = cf.evaluate(qrels, runs, "nDCG@10 NRG(nDCG@10) TaSC(nDCG@10) Unique@10 RareP@10")
    assert [str(measure) for measure in values.measures][1:3] == ["NRG(nDCG@10)", "TaSC(nDCG@10)"]
    assert values.cube[0, 0].tolist() == [1.0, 1.0, 1.0, 2.0, 0.2]


@pytest.mark.parametrize(
    "name", ["NRG", "TaSC", "Unique", "RareP", "interval", "NRG(nDCG@10)", "NormalizedResidualGain"]
)
def test_each_is_explained(name: str) -> None:
    cls = parse_measure(name.partition("(")[0] + "@5")
    text = explain(name)
    assert text.startswith(cls.name)
    assert cls.formula.split()[0] in text
    assert re.search(rf"\n *source +{cls.cite}", text)
    assert cls.example is not None
    assert cls.example.of in text


def test_ties_and_scenarios_are_refused_where_other_runs_count() -> None:
    assessed = ranked("AB", "BA", relevant="A")
    for options in ({"ties": "average"}, {"ties": "bounds"}, {"unjudged": "as_best"}, {"residual": True}):
        with pytest.raises(ParameterError, match="looks at other runs as they are"):
            measure_all(assessed, "Unique@1", **options)
