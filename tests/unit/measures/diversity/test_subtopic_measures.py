"""Measures of diversity: worked by hand, beside literal loops, with weights of intents, and what is refused."""

from collections.abc import Mapping, Sequence
from math import log, log2
from random import Random
from typing import Any

import numpy as np
import polars as pl
import pytest

import cranfield as cf
from cranfield.core import CranfieldError
from cranfield.data import assess, read_intents, read_qrels
from cranfield.measures import TaSC, measure_all, parse_measure

EXACT = 1e-12
NAMES = ("topic", "subtopic", "document", "grade")

Judged = Mapping[str, Mapping[str, int]]  # document: subtopic: grade
ABOUT: Judged = {"a": {"1": 2, "2": 1}, "b": {"1": 1}, "c": {"3": 1, "1": 0}, "d": {"2": 3, "3": 1}, "e": {"4": 0}}


def columns(judged: Mapping[str, Judged]) -> dict[str, list[Any]]:
    rows = [
        (topic, subtopic, document, grade)
        for topic, about in judged.items()
        for document, grades in about.items()
        for subtopic, grade in grades.items()
    ]
    return dict(zip(NAMES, map(list, zip(*rows, strict=True)), strict=True))


def value(measure: str, ranking: str, about: Judged = ABOUT, intents: Any = None) -> float:
    run = {"t": {document: -float(i) for i, document in enumerate(ranking)}}
    found = cf.evaluate(columns({"t": about}), {"run": run}, measure, intents=intents, scale="ignore")
    return float(found.cube[0, 0, 0])


def weights(**each: float) -> dict[str, list[Any]]:
    """How likely subtopics s1, s2, … of topic t are."""
    return {"topic": ["t"] * len(each), "subtopic": [name[1:] for name in each], "weight": list(each.values())}


# The judgments of ABOUT: nothing is relevant to subtopic 4, so that three count.
@pytest.mark.parametrize(
    ("measure", "ranking", "expected"),
    [
        ("StRecall@1", "abcd", 2 / 3),
        ("StRecall", "ab", 2 / 3),
        ("StRecall(rel=3)", "ab", 0),
        ("StRecall(rel=3)", "xd", 1),
        ("P_IA@2", "ax", (1 + 1 + 0) / 3 / 2),
        ("AP_IA", "abcd", ((1 + 1) / 2 + (1 + 2 / 4) / 2 + (1 / 3 + 2 / 4) / 2) / 3),
        ("AP_IA@2", "abcd", (2 / 2 + 1 / 2 + 0) / 3),
        ("nDCG_IA@1", "a", (2 / 2 + 1 / 3 + 0) / 3),
        ("nDCG_IA(dcg='exp-log2')@1", "a", (3 / 3 + 1 / 7 + 0) / 3),
        ("D_nDCG@2", "ad", (3 + 4 / log2(3)) / (4 + 3 / log2(3))),
        ("DSharp_nDCG@1", "a", (2 / 3 + 3 / 4) / 2),
        ("DSharp_nDCG(gamma=0.0)@1", "a", 3 / 4),
        ("alpha_DCG(normalize=False)@2", "ab", 2 + 0.5 / log2(3)),
        ("alpha_DCG(alpha=0.0,normalize=False)@2", "ab", 2 + 1 / log2(3)),
        ("alpha_DCG(alpha=1.0)@2", "ab", 2 / 3),
        ("ERR_IA(normalize=False)", "ab", ((1 / 2 + 1 / 4 / 2) + 1 / 2 + 0) / 3),  # the mean of three ERR
        ("ERR_IA", "x", 0),
        ("alpha_nDCG(judged_only=True)@1", "xa", 1),
    ],
)
def test_values_worked_by_hand(measure: str, ranking: str, expected: float) -> None:
    assert value(measure, ranking) == pytest.approx(expected, abs=EXACT)


def test_without_a_cut_off_the_divisor_is_the_whole_series() -> None:
    everything = {"a": {"1": 1, "2": 1}}
    assert value("ERR_IA", "a", everything) == pytest.approx(1 / (2 * log(2)), rel=1e-14)  # Σ 2^(1-i)/i
    series = sum(0.5 ** (i - 1) / log2(i + 1) for i in range(1, 80))
    assert value("alpha_DCG", "a", everything) == pytest.approx(1 / series, rel=1e-14)


def test_what_nobody_can_find_counts_for_nothing() -> None:
    assert value("StRecall", "abc") == 1  # whatever subtopic 4 may be
    assert value("StRecall", "abc", {"a": {"1": 0}, "b": {"2": 0}}) == 0


# Intents


@pytest.mark.parametrize(
    ("measure", "ranking", "expected"),
    [
        ("P_IA@1", "a", 0.6 + 0.3),
        ("P_IA@1", "c", 0.1),
        ("AP_IA", "ab", 0.6 * 1 + 0.3 * (1 / 2)),
        ("nDCG_IA@1", "d", 0.6 * 0 + 0.3 * 1 + 0.1 * 1),
        ("D_nDCG@1", "d", (0.3 * 3 + 0.1 * 1) / (0.6 * 2 + 0.3 * 1)),
        ("ERR_IA(normalize=False)@2", "ba", (0.6 * (1 / 2 + 1 / 4 / 2) + 0.3 * (1 / 2) / 2)),
        ("StRecall@1", "a", 2 / 3),  # they count alike
        ("alpha_DCG(normalize=False)@1", "a", 3 * 0.9),
    ],
)
def test_subtopics_count_as_likely_as_they_are(measure: str, ranking: str, expected: float) -> None:
    # 4 has a weight and nothing relevant: the others are scaled to 1.
    likely = weights(s1=3, s2=1.5, s3=0.5, s4=5)
    assert value(measure, ranking, intents=likely) == pytest.approx(expected, abs=EXACT)


def test_the_ideal_ranking_looks_at_the_weights() -> None:
    about = {"a": {"1": 1}, "b": {"2": 1}}
    assert value("alpha_nDCG@1", "a", about, weights(s1=1, s2=3)) == pytest.approx(1 / 3, abs=EXACT)
    assert value("alpha_nDCG@1", "b", about, weights(s1=1, s2=3)) == 1


def test_a_topic_of_which_no_weight_is_said_has_equal_ones() -> None:
    qrels = columns({"t": ABOUT, "u": ABOUT})
    run = {topic: {"a": 1.0} for topic in "tu"}
    values = cf.evaluate(qrels, {"run": run}, "P_IA@1", intents=weights(s1=1, s2=0, s3=0), scale="ignore")
    assert values.cube[0, :, 0].tolist() == pytest.approx([1, 2 / 3])


@pytest.mark.parametrize("suffix", ["tsv", "txt", "csv", "header.csv", "parquet", "jsonl"])
def test_weights_come_from_any_table(suffix: str, tmp_path: Any) -> None:
    frame = pl.DataFrame(weights(s1=3, s2=1))
    path = tmp_path / f"intents.{suffix}"
    match suffix:
        case "parquet":
            frame.write_parquet(path)
        case "jsonl":
            frame.write_ndjson(path)
        case "header.csv":
            frame.write_csv(path)
        case _:
            frame.write_csv(path, include_header=False, separator={"tsv": "\t", "txt": " ", "csv": ","}[suffix])
    for given in (path, frame, frame.to_pandas(), frame.lazy()):
        assert read_intents(given).weights == {("t", "1"): 3.0, ("t", "2"): 1.0}


@pytest.mark.parametrize(
    ("data", "code", "problem", "hint"),
    [
        (weights(s1=-1), "E-RANGE", "weight -1 in row 0 is below 0", "from 0 up"),
        ({"topic": ["t", "t"], "subtopic": ["1", "1"], "weight": [1, 2]}, "E-DUPDOC", "stands twice", "keep one line"),
        ({"topic": ["t"], "weight": [1]}, "E-COLUMNS", "no column for the subtopic", "intent"),
        ({"topic": [], "subtopic": [], "weight": []}, "E-EMPTY", "there are no weights", "topic subtopic weight"),
        (3, "E-KIND", "type int holds no columns", "topic, subtopic, weight"),
        ({"topic": ["x"], "subtopic": ["1"], "weight": [1]}, "E-TOPICS", "no topic of the weights", "the qrels have t"),
        ({"topic": ["t"], "subtopic": ["9"], "weight": [1]}, "E-TOPICS", "no subtopic of the weights", "t 1"),
    ],
)
def test_weights_that_cannot_be(data: Any, code: str, problem: str, hint: str) -> None:
    with pytest.raises(cf.InputError) as error:
        value("P_IA@1", "a", intents=data)
    assert (error.value.code, problem in error.value.problem, hint in error.value.hint) == (code, True, True)


# The ideal ranking


def test_among_equals_the_highest_id_is_taken_and_that_can_matter() -> None:
    # b and c both add two subtopics; after c comes a with one more, after b nothing new does.
    about = {"a": {"1": 1, "4": 1}, "b": {"1": 1, "2": 1}, "c": {"2": 1, "3": 1}}
    best = 2 + 2 / log2(3) + (0.5 + 0.5) / 2  # c, a, b
    assert value("alpha_nDCG", "b", about) == pytest.approx(2 / best, abs=EXACT)
    other = {"a": {"2": 1, "3": 1}, "b": {"1": 1, "4": 1}, "c": {"1": 1, "2": 1}}
    worse = 2 + 1.5 / log2(3) + 1.5 / 2  # c, b, a, though a, b, c would be better
    assert value("alpha_nDCG", "ab", other) == pytest.approx((2 + 2 / log2(3)) / worse, abs=EXACT)


def test_it_goes_as_deep_as_one_likes() -> None:
    about = {f"d{i:03}": {str(1 + i % 3): 1} for i in range(120)}
    ranking = sorted(about, key=lambda d: (int(next(iter(about[d]))), d))  # all of the first subtopic, then the second
    run = {"t": {document: -float(i) for i, document in enumerate(ranking)}}

    def dcg(order: Sequence[str], k: int) -> float:
        met: dict[str, int] = {}
        total = 0.0
        for rank, document in enumerate(order[:k], 1):
            (subtopic,) = about[document]
            total += 0.9 ** met.get(subtopic, 0) / log2(rank + 1)
            met[subtopic] = met.get(subtopic, 0) + 1
        return total

    measures = [f"alpha_nDCG(alpha=0.1)@{k}" for k in (21, 50, 100)] + ["alpha_nDCG(alpha=0.1)"]
    values = cf.evaluate(columns({"t": about}), {"run": run}, measures, scale="ignore").cube[0, 0]
    # Every third rank a new document of each: any order that goes round is best.
    expected = [dcg(ranking, k) / dcg(sorted(about), k) for k in (21, 50, 100, 120)]
    assert values.tolist() == pytest.approx(expected, rel=1e-12)


def literal(
    name: str, alpha: float, k: int, ranking: Sequence[str], about: Judged, likely: Mapping[str, float]
) -> float:
    """The definitions, document by document."""
    hits = {d: {s for s, grade in grades.items() if grade >= 1} for d, grades in about.items()}
    meant = {s: likely[s] for s in likely if any(s in found for found in hits.values())}
    total = sum(meant.values())

    def added(order: Sequence[str]) -> float:
        met, value = dict.fromkeys(meant, 0), 0.0
        for rank, document in enumerate(order[:k], 1):
            discount = {"alpha_nDCG": 1 / log2(rank + 1), "nERR_IA": 1 / rank, "nNRBP": 0.5 ** (rank - 1)}[name]
            for subtopic in sorted(hits.get(document, set()) & set(meant)):
                value += meant[subtopic] / total * (1 - alpha) ** met[subtopic] * discount
                met[subtopic] += 1
        return value

    best: list[str] = []
    left, met = set(hits), dict.fromkeys(meant, 0)
    while left:
        gain = {d: sum(meant[s] / total * (1 - alpha) ** met[s] for s in hits[d] & set(meant)) for d in left}
        best.append(max(left, key=lambda d: (round(gain[d], 12), d)))
        left.remove(best[-1])
        for subtopic in hits[best[-1]] & set(meant):
            met[subtopic] += 1
    return added(ranking) / added(best) if total and added(best) else 0.0


@pytest.mark.parametrize("seed", range(20))
def test_novelty_measures_are_what_the_definitions_say(seed: int) -> None:
    rng = Random(seed)
    names = [f"d{i}" for i in range(14)]
    topics = {
        f"t{t}": {d: {s: rng.choice([0, 0, 1, 2]) for s in rng.sample("1234", rng.randint(1, 4))} for d in names}
        for t in range(3)
    }
    likely = {(t, s): rng.choice([0.5, 1.0, 2.0]) for t in topics for s in "1234"}
    rankings = {t: rng.sample([*names, "x", "y"], rng.randint(1, 16)) for t in topics}
    runs = {t: {d: -float(i) for i, d in enumerate(ranking)} for t, ranking in rankings.items()}
    told = {"topic": [t for t, _ in likely], "subtopic": [s for _, s in likely], "weight": list(likely.values())}
    cases = [
        (name, alpha, k) for name in ("alpha_nDCG", "nERR_IA", "nNRBP") for alpha in (0.5, 0.3, 1.0) for k in (1, 5, 20)
    ]
    # All in one call: one alpha is not taken for another.
    asked = [f"{name}(alpha={alpha})@{k}" for name, alpha, k in cases]
    cube = cf.evaluate(columns(topics), {"run": runs}, asked, intents=told, scale="ignore").cube[0]
    for t, topic in enumerate(topics):
        weight = {s: likely[topic, s] for s in "1234"}
        expected = [literal(*case, rankings[topic], topics[topic], weight) for case in cases]
        assert cube[t].tolist() == pytest.approx(expected, abs=EXACT)


# The way in


def test_what_is_asked_decides_how_the_judgments_are_read() -> None:
    run = {"run": {"t": {"a": 2.0, "b": 1.0}}}
    values = cf.evaluate(columns({"t": ABOUT}), run, "nDCG@2 alpha_nDCG@2 DCG@1", scale="ignore")
    assert values.cube[0, 0, 2] == 2  # the highest grade of a over its subtopics
    assert "nDCG@2, DCG@1: the grade of a document is its highest over subtopics" in values.notes
    again = cf.evaluate(read_qrels(columns({"t": ABOUT}), subtopics=True), run, "alpha_nDCG@2", scale="ignore")
    assert again.cube[0, 0, 0] == values.cube[0, 0, 1]


def test_other_commands_may_have_them_inside_others() -> None:
    assert TaSC(of=parse_measure("nDCG_IA@10")).asks_for == "subtopics"
    run = {"run": {"t": {"a": 2.0}}}
    both = cf.evaluate(columns({"t": ABOUT}), run, "TaSC(nDCG_IA@2) nDCG_IA@2", prior="none", scale="ignore")
    assert both.cube[0, 0, 0] == both.cube[0, 0, 1] > 0


@pytest.mark.parametrize(
    ("options", "problem", "hint"),
    [
        ({"measures": "alpha_nDCG@5"}, "alpha_nDCG@5 needs subtopics, and the second column", "second column is"),
        ({"measures": "AP", "intents": weights(s1=1)}, "no measure asks for intents", "alpha_nDCG@20"),
        ({"measures": "alpha_DCG(alpha=0.0)"}, "without a cut-off needs an alpha of 0.0001", "@20, or normalize=False"),
        ({"measures": "P_IA"}, "P_IA needs a cut-off", "P_IA@10"),
        ({"measures": "alpha_nDCG(alpha=1.5)"}, "cannot have alpha=1.5", "between 0 and 1"),
    ],
)
def test_what_is_refused(options: dict[str, Any], problem: str, hint: str) -> None:
    with pytest.raises(CranfieldError) as error:
        cf.evaluate({"t": {"a": 1}}, {"run": {"t": {"a": 1.0}}}, **options)
    assert problem in error.value.problem
    assert hint in error.value.hint


def test_a_scenario_of_unjudged_documents_has_no_subtopics() -> None:
    with pytest.raises(cf.ParameterError, match="nobody knows what subtopics the unjudged documents have"):
        cf.evaluate(columns({"t": ABOUT}), {"run": {"t": {"a": 1.0}}}, "alpha_nDCG@2", unjudged="as_best")


def test_other_grades_have_no_subtopics() -> None:
    assessed = assess(read_qrels(columns({"t": ABOUT}), subtopics=True), {"run": {"t": {"a": 1.0}}})
    with pytest.raises(cf.ParameterError, match="alpha_nDCG@2 needs subtopics"):
        measure_all(assessed.with_grades(np.ones(len(assessed.grade))), "alpha_nDCG@2")


def test_the_order_of_lines_and_of_subtopics_changes_no_bit() -> None:
    judged = columns({"t": ABOUT})
    order = Random(1).sample(range(len(judged["topic"])), len(judged["topic"]))
    shuffled = {name: [column[i] for i in order] for name, column in judged.items()}
    measures = "alpha_nDCG(alpha=0.3) ERR_IA AP_IA nDCG_IA D_nDCG DSharp_nDCG nNRBP(alpha=0.3,beta=0.7)"
    run = {"run": {"t": {"c": 3.0, "a": 2.0, "d": 1.0}}}
    one, other = (cf.evaluate(qrels, run, measures, scale="ignore").cube for qrels in (judged, shuffled))
    assert one.tolist() == other.tolist()
