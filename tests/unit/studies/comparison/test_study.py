"""The study `compare`: outcomes, tests and verdict, made again by plain loops over the files and by scipy."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise, product
from math import comb, isclose
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import cranfield as cf
from cranfield.core import ParameterError, ScaleError, Study
from cranfield.simulate import Campaign

Ranks = dict[str, int]  # topic: rank of the first relevant document


def rows(study: Study, table: str) -> list[dict[str, Any]]:
    return study[table].rows()


def only(study: Study, table: str, **wanted: object) -> dict[str, Any]:
    """The one row that has these cells."""
    found = [row for row in rows(study, table) if all(row[key] == cell for key, cell in wanted.items())]
    assert len(found) == 1, found
    return found[0]


# The examples of the paper, worked by hand


def single(**ranks: dict[str, int | None]) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, dict[str, float]]]]:
    """Judgments with one relevant document per topic, and runs that have it at these ranks."""
    topics = list(next(iter(ranks.values())))
    qrels = {topic: {"good": 1} for topic in topics}
    runs: dict[str, dict[str, dict[str, float]]] = {}
    for name, places in ranks.items():
        runs[name] = {}
        for topic, place in places.items():
            documents = [f"bad{i}" for i in range(1, 101)]
            if place is not None:
                documents.insert(place - 1, "good")
            runs[name][topic] = {document: float(-i) for i, document in enumerate(documents)}
    return qrels, runs


def test_equal_search_lengths_hide_different_reciprocal_ranks() -> None:
    """ESL 1 and 9 against 4 and 6: both 5 on average, RR (1 + 1/9) / 2 = .556 and (1/4 + 1/6) / 2 = .208."""
    qrels, runs = single(A={"1": 1, "2": 9}, B={"1": 4, "2": 6})
    study = cf.compare(cf.evaluate(qrels, runs, "RR@100"))
    esl, rr = only(study, "both", measure="ESL", test="t"), only(study, "both", measure="RR", test="t")
    assert (esl["value_a"], esl["value_b"], esl["difference"]) == (5, 5, 0)
    assert rr["value_a"] == pytest.approx((1 + 1 / 9) / 2)
    assert rr["value_b"] == pytest.approx((1 / 4 + 1 / 6) / 2)
    assert study.verdict is not None
    assert study.verdict["strict"] == study.verdict["do_no_harm"] == "neither"


def test_two_topics_of_equal_worth() -> None:
    """Ranks 1 and 5 against 4 and 2: a mean search length of 3 each."""
    qrels, runs = single(A={"q5": 1, "q6": 5}, B={"q5": 4, "q6": 2})
    row = only(cf.compare(cf.evaluate(qrels, runs, "RR@100")), "both", measure="ESL", test="signed-rank")
    assert (row["n"], row["value_a"], row["value_b"]) == (2, 3, 3)


def test_a_topic_that_one_run_misses_is_no_search_length() -> None:
    """Ranks 1 and none against 100 and 99: one topic both answer, one that only B does."""
    qrels, runs = single(A={"q7": 1, "q8": None}, B={"q7": 100, "q8": 99})
    study = cf.compare(cf.evaluate(qrels, runs, "RR@100"))
    assert [row["topics"] for row in rows(study, "outcomes")] == [0, 0, 1, 1]
    row = only(study, "both", measure="ESL", test="t")
    assert (row["n"], row["value_a"], row["value_b"]) == (1, 1, 100)
    assert only(study, "answered")["p"] == 1  # one toss of a coin


# Campaigns, made again


@dataclass(frozen=True, eq=False)
class Made:
    """Files of a campaign in one format."""

    qrels: Path
    runs: dict[str, Path]
    rows: Callable[[Path], list[tuple[str, str, int]]]  # topic, document, rank of a run


def trec_rows(path: Path) -> list[tuple[str, str, int]]:
    """Documents by score, those of equal score by name, both descending: rank from 1."""
    by_topic: dict[str, list[tuple[float, str]]] = {}
    for line in path.read_text().splitlines():
        topic, _, document, _, score, _ = line.split()
        by_topic.setdefault(topic, []).append((float(score), document))
    return [
        (topic, document, rank)
        for topic, found in by_topic.items()
        for rank, (_, document) in enumerate(sorted(found, key=lambda pair: (pair[0], pair[1]), reverse=True), 1)
    ]


def msmarco_rows(path: Path) -> list[tuple[str, str, int]]:
    found = (line.split("\t") for line in path.read_text().splitlines())
    return [(topic, document, int(rank)) for topic, document, rank in found]


def write(folder: Path, style: str) -> Made:
    """Runs with the relevant document at the edge of the cut-offs, missing topics, and topics that nobody judged."""
    draws = np.random.default_rng(7)
    topics = [f"{1000 + t}" for t in range(300)]
    folder.mkdir()
    qrels = folder / ("qrels.tsv" if style == "msmarco" else "qrels.txt")
    gap = "\t" if style == "msmarco" else " "
    qrels.write_text("".join(f"{topic}{gap}0{gap}D{topic}{gap}1\n" for topic in topics))
    runs = {}
    for name, centre in (("first", 1.2), ("second", 1.6), ("third", 1.2)):
        lines = []
        for t, topic in enumerate([*topics, "unjudged"]):
            if (t + len(name)) % 17 == 0 and topic != "unjudged":
                continue  # a topic that the run misses
            place = int(np.exp(draws.normal(centre, 1.5))) + 1
            place = {3: 10, 4: 11, 5: 100, 6: 101}.get(t, place)  # just inside and just outside
            documents = [f"N{i}" for i in range(1, 121)]
            if draws.random() < 0.85 and place <= 120:
                documents.insert(place - 1, f"D{topic}")
            for rank, document in enumerate(documents, 1):
                row = (topic, document, rank) if style == "msmarco" else (topic, "Q0", document, rank, 500 - rank, name)
                lines.append(gap.join(map(str, row)))
        runs[name] = folder / f"{name}.{'tsv' if style == 'msmarco' else 'txt'}"
        runs[name].write_text("\n".join(lines) + "\n")
    return Made(qrels, runs, msmarco_rows if style == "msmarco" else trec_rows)


@pytest.fixture(scope="module", params=["trec", "msmarco"])
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Made:
    return write(tmp_path_factory.mktemp("campaign") / request.param, request.param)


@cache
def first_found(made: Made, run: str, cutoff: int) -> tuple[list[str], Ranks]:
    """The judged topics, and the rank of the relevant document in those that the run answers."""
    judged = {tuple(line.split()[::2][:2]) for line in made.qrels.read_text().splitlines()}
    topics = [line.split()[0] for line in made.qrels.read_text().splitlines()]
    found = {t: rank for t, document, rank in made.rows(made.runs[run]) if (t, document) in judged and rank <= cutoff}
    return topics, found


def signed_rank(a: list[float], b: list[float]) -> float:
    """Tied normal without zeros, by scipy; gaps rounded: it would take 1/2 − 1/3 and 1/3 − 1/6 for two numbers."""
    gaps = [round(y - x, 12) for x, y in zip(a, b, strict=True) if not isclose(x, y, abs_tol=1e-13)]
    assert len(gaps) > 50
    return float(stats.wilcoxon(gaps, zero_method="wilcox", correction=False, method="approx").pvalue)


@pytest.mark.parametrize(("cutoff", "pair"), list(product((10, 100), (("first", "second"), ("first", "third")))))
def test_everything_made_again(made: Made, cutoff: int, pair: tuple[str, str]) -> None:
    study = cf.compare(cf.evaluate(made.qrels, made.runs, f"RR@{cutoff}"), pairs=[pair], correct="bonferroni")
    topics, a = first_found(made, pair[0], cutoff)
    _, b = first_found(made, pair[1], cutoff)
    counts = {
        "neither": sum(t not in a and t not in b for t in topics),
        "only_a": sum(t in a and t not in b for t in topics),
        "only_b": sum(t not in a and t in b for t in topics),
        "both": sum(t in a and t in b for t in topics),
    }
    for outcome, count in counts.items():
        row = only(study, "outcomes", outcome=outcome)
        wilson = stats.binomtest(count, len(topics)).proportion_ci(method="wilson")
        assert (row["topics"], row["share"]) == (count, count / len(topics))
        assert (row["low"], row["high"]) == pytest.approx((wilson.low, wilson.high))
    alone = counts["only_a"] + counts["only_b"]
    exact = min(1, 2 * sum(comb(alone, k) for k in range(min(counts["only_a"], counts["only_b"]) + 1)) / 2**alone)
    assert only(study, "answered")["p"] == pytest.approx(exact)
    shared = [t for t in topics if t in a and t in b]
    for measure, worth in (("ESL", float), ("RR", lambda rank: 1 / rank)):
        one, two = [worth(a[t]) for t in shared], [worth(b[t]) for t in shared]
        t = only(study, "both", measure=measure, test="t")
        assert (t["value_a"], t["value_b"]) == pytest.approx((np.mean(one), np.mean(two)))
        assert t["p"] == pytest.approx(stats.ttest_rel(two, one).pvalue)
        assert only(study, "both", measure=measure, test="signed-rank")["p"] == pytest.approx(signed_rank(one, two))
    whole = [[1 / found[t] if t in found else 0.0 for t in topics] for found in (a, b)]
    row = only(study, "overall", test="t")
    assert (row["value_a"], row["value_b"]) == pytest.approx(tuple(map(np.mean, whole)))
    assert row["p"] == pytest.approx(stats.ttest_rel(whole[1], whole[0]).pvalue)
    summed = stats.mannwhitneyu(whole[1], whole[0], method="asymptotic", use_continuity=True)
    assert only(study, "overall", test="rank-sum")["p"] == pytest.approx(summed.pvalue)


def test_the_measure_brings_its_cut_off(made: Made) -> None:
    """The cutoff is that of the first measure, whatever other measures are named."""
    pair = [("first", "second")]
    for measures, cutoff in (("RR@10 nDCG", 10), ("nDCG RR@10", 100), ("nDCG", 100)):
        values = cf.evaluate(made.qrels, made.runs, measures)
        study = cf.compare(values, pairs=pair)
        assert study.verdict is not None
        assert study.verdict["cutoff"] == cutoff
        assert study["outcomes"] == cf.compare(values, pairs=pair, cutoff=cutoff)["outcomes"]
        assert study["outcomes"] != cf.compare(values, pairs=pair, cutoff=110 - cutoff)["outcomes"]


def test_values_of_reciprocal_rank_are_enough(made: Made, tmp_path: Path) -> None:
    """From a table of RR the same outcomes follow as from the rankings."""
    values = cf.evaluate(made.qrels, made.runs, "RR@100")
    table = {"topic": values.topics} | {run: values.matrix()[:, i].round(4) for i, run in enumerate(values.runs)}
    scores = cf.read_scores(table)
    named = type(scores)(**{**vars(scores), "measures": (cf.parse_measure("RR@100"),)})
    assert cf.compare(named)["outcomes"] == cf.compare(values)["outcomes"]
    bare = cf.compare(scores)
    assert not {"outcomes", "answered", "both", "facets", "dominance"} & set(bare.tables)
    assert {row["line"] for row in rows(bare, "evidence")} == {"measure"}


# What the study says


def ranks(counts: dict[tuple[int | None, int | None], int]) -> Study:
    """A comparison of runs A and B with so many topics of each pair of ranks."""
    places = [pair for pair, count in counts.items() for _ in range(count)]
    a = {str(i): one for i, (one, _) in enumerate(places)}
    b = {str(i): two for i, (_, two) in enumerate(places)}
    qrels, runs = single(A=a, B=b)
    return cf.compare(cf.evaluate(qrels, runs, "RR@100"))


def test_opposite_effects_are_told() -> None:
    """B answers 30 topics more (binomial p = 2⁻²⁹), A ranks better in all 60 that both answer."""
    study = ranks({(None, 1): 30, (1, 2): 60})
    assert study.verdict is not None
    assert study.verdict["do_no_harm"] == study.verdict["strict"] == "neither"
    assert study.verdict["outcome_sentence"] == "B answers more topics; where both answer, A ranks better."
    # RR: 30 topics gain 1 and 60 lose 1/2: the mean difference is 0, so the primary measure decides nothing.
    assert study.verdict.kind == "inconclusive"
    assert only(study, "evidence", line="answered")["status"] == "better"
    assert only(study, "evidence", line="first relevant")["status"] == "worse"


def test_better_in_both_facets_is_strict() -> None:
    study = ranks({(None, 1): 30, (2, 1): 60})
    assert study.verdict is not None
    assert (study.verdict["strict"], study.verdict["do_no_harm"], study.verdict["do_no_harm_holm"]) == ("b", "b", "b")


def test_identical_runs_are_equal() -> None:
    study = ranks({(3, 3): 4, (None, None): 2})
    assert study.verdict is not None
    assert study.verdict["do_no_harm"] == "neither"
    for table in ("both", "answered", "overall", "facets"):
        assert {row["p"] for row in rows(study, table)} == {1.0}, table
        assert {row["difference"] for row in rows(study, table)} == {0.0}, table
    assert rows(study, "movers") == []
    json.loads(study.to_json(), parse_constant=lambda word: pytest.fail(word))


def test_movers_are_the_largest_differences_either_way() -> None:
    study = ranks({(1, 2): 3, (2, 1): 12, (None, 4): 1, (5, None): 1, (7, 7): 5})
    gaps = [row["difference"] for row in rows(study, "movers")]
    assert gaps == pytest.approx([0.5] * 10 + [-0.2] + [-0.5] * 3)


def test_each_run_beside_a_baseline_and_every_pair(made: Made) -> None:
    values = cf.evaluate(made.qrels, made.runs, "RR@100")
    beside = cf.compare(values, baseline="third")
    assert [(row["a"], row["b"]) for row in rows(beside, "verdicts")] == [("third", "first"), ("third", "second")]
    assert len(cf.compare(values)["verdicts"]) == 3
    assert beside.verdict is not None
    assert beside.verdict.kind is None
    assert sum(beside.verdict[kind] for kind in ("better", "worse", "mixed", "equivalent", "inconclusive")) == 2


def test_bonferroni_over_the_pairs(made: Made) -> None:
    study = cf.compare(cf.evaluate(made.qrels, made.runs, "RR@100"))
    for table in ("both", "answered", "overall"):
        for row in rows(study, table):
            assert row["p_adjusted"] == pytest.approx(min(1, 3 * row["p"]))


def test_state_of_the_art_beside_the_one_before(tmp_path: Path) -> None:
    Campaign(topics=20, groups=3, runs=8, depth=50).write(tmp_path / "c")
    values = cf.evaluate(tmp_path / "c/qrels.txt", tmp_path / "c/runs", "AP")
    study = cf.compare(values, sota=tmp_path / "c/runs.csv")
    dates = [line.split(",") for line in (tmp_path / "c/runs.csv").read_text().splitlines()[1:]]
    means = dict(zip(values.runs, values.aggregate()[:, 0], strict=True))
    best, steps = -1.0, []
    for run, *_ in sorted(dates, key=lambda row: row[2]):
        if means[run] > best:
            best = means[run]
            steps.append(run)
    told = [(row["a"], row["b"]) for row in rows(study, "verdicts")]
    assert told == list(pairwise(steps))
    assert all(means[a] < means[b] for a, b in told)


def test_several_relevant_documents_are_told_and_compared_by_dominance() -> None:
    qrels = {"1": {"x": 1, "y": 2}, "2": {"x": 1, "y": 1}, "3": {"z": 0}}
    a = {"1": {"x": 2.0, "y": 1.0}, "2": {"n": 3.0, "x": 2.0, "y": 1.0}}
    b = {"1": {"y": 2.0, "x": 1.0}, "2": {"x": 3.0, "n": 2.0, "m": 1.0}}
    study = cf.compare(cf.evaluate(qrels, {"A": a, "B": b}, "nDCG@10 AP"))
    assert "1 topic has no relevant document: neither run answers" in " ".join(study["verdicts"].notes)
    assert study.verdict is not None
    assert study.verdict["single_relevant"] == 0
    counts = {(row["level"], row["outcome"]): row["topics"] for row in rows(study, "dominance")}
    # Topic 1: B has the better document first. Topic 2: B is first at rank 1, A has two at rank 3. Topic 3: nothing.
    assert counts["all", "b"] == counts["all", "incomparable"] == counts["all", "equal"] == 1
    split = only(study, "splits", measure="AP")
    # AP of topic 2: A (1/2 + 2/3) / 2 = .583, B 1/2.
    assert (split["incomparable"], split["better_a"], split["better_b"], split["equal"]) == (1, 1, 0, 0)


def test_margins_ask_for_no_harm() -> None:
    study = ranks({(None, 1): 30, (1, 2): 60})
    values_again = rows(study, "facets")
    assert {row["better"] for row in values_again} == {"a", "b"}
    places: dict[str, int | None] = {str(i): 1 for i in range(60)}
    worse: dict[str, int | None] = {str(i): 2 if i % 3 else 1 for i in range(60)}
    qrels, runs = single(A=places, B=worse)
    found = cf.compare(cf.evaluate(qrels, runs, "RR@100"), margins={"ranking": 1.0, "answered": 0.1, "RR@100": 0.1})
    told = {row["facet"]: row["shown"] for row in rows(found, "harm")}
    # On average .67 ranks later, of which less than 1 is shown; no topic lost; .33 of RR lost.
    assert told == {"ranking": True, "answered": True, "RR@100": False}


# What it refuses


def test_refusals(made: Made) -> None:
    values = cf.evaluate(made.qrels, made.runs, "RR@100")
    with pytest.raises(ParameterError, match="only one run"):
        cf.compare(cf.evaluate(made.qrels, {"a": made.runs["first"]}, "RR@100"))
    with pytest.raises(ParameterError, match="itself"):
        cf.compare(values, pairs=[("first", "first")])
    with pytest.raises(ParameterError, match="level"):
        cf.compare(values, level=1.5)
    with pytest.raises(ScaleError, match="ordinal"):
        cf.compare(values, scale="refuse")
    with pytest.raises(ParameterError, match="state"):
        cf.compare(values, sota={"run": list(made.runs), "date": ["2020-01-01"] * 3, "baseline": ["x"] * 3})


def test_topics_that_do_not_count_for_both_are_left_out(made: Made) -> None:
    values = cf.evaluate(made.qrels, made.runs, "RR@100", topics="both")
    study = cf.compare(values, pairs=[("first", "second")])
    there = {run: {topic for topic, _, _ in made.rows(path)} for run, path in made.runs.items()}
    missed = {run: set(values.topics) - topics for run, topics in there.items()}
    kept = len(values.topics) - len(missed["first"] | missed["second"])
    assert sum(row["topics"] for row in rows(study, "outcomes")) == kept
    assert any("excluded" in note for note in study["verdicts"].notes)
