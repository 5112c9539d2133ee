"""Which documents workers prefer: the study, beside counts of the votes."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from math import exp, log
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from cranfield.collections import MACE, bradley_terry, crowd_agreement_table, strengths_table
from cranfield.core import CranfieldError, Study
from cranfield.data import Votes, read_votes
from cranfield.studies import preferences

Row = tuple[str, str, str, str, str]  # topic, a, b, worker, vote
STRENGTH = {"A": 2.0, "B": 1.0, "C": 0.0, "D": -1.0, "E": -2.0}


def votes_of(rows: Sequence[Row], **options: Any) -> Votes:
    names = ("topic", "a", "b", "worker", "vote")
    data = {name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}
    return read_votes(data, **options).in_order()


def rows_of(study: Study, table: str) -> list[dict[str, Any]]:
    return study[table].rows()


def drawn(seed: int, *, topics: int = 4, workers: Sequence[str] = ("ann", "bob", "cat", "dan")) -> list[Row]:
    """Who votes prefers a document with the chance that its strength gives; ``blind`` votes at random."""
    random = Random(seed)
    rows: list[Row] = []
    for topic in range(topics):
        for worker in workers:
            for pair in combinations(STRENGTH, 2):
                a, b = random.sample(pair, 2)
                better = 0.5 if worker == "blind" else 1 / (1 + exp(STRENGTH[b] - STRENGTH[a]))
                vote = "n" if random.random() < 0.1 else "a" if random.random() < better else "b"
                rows.append((f"t{topic}", a, b, worker, vote))
    return rows


def counted(rows: Sequence[Row], topic: str, document: str) -> tuple[int, int, int]:
    """Wins, losses and ties of a document."""
    wins = losses = ties = 0
    for t, a, b, _, vote in rows:
        if t == topic and document in (a, b):
            ties += vote == "n"
            wins += vote != "n" and (a if vote == "a" else b) == document
            losses += vote != "n" and (a if vote == "a" else b) != document
    return wins, losses, ties


ROWS = drawn(1)


def test_strengths_are_from_counted_votes() -> None:
    study = preferences(votes_of(ROWS), methods="majority", draws=5)
    rows = rows_of(study, "strengths")
    assert len(rows) == 4 * 5
    for row in rows:
        assert (row["wins"], row["losses"], row["ties"]) == counted(ROWS, row["topic"], row["document"])
    assert study["strengths"] == strengths_table(bradley_terry(votes_of(ROWS)))  # every vote counts once
    assert list(study.tables) == ["aggregations", "agreement", "workers", "strengths"]
    assert study.charts == ("strengths", "workers")
    assert study.verdict is not None
    assert study.verdict["method"] == "majority"
    assert study.sentence.startswith("160 votes on 40 pairs by 4 workers; votes are tied for ")


def test_two_documents_by_hand() -> None:
    rows: list[Row] = [("t", "p", "q", f"w{i}", "a" if i < 6 else "b") for i in range(9)]
    study = preferences(votes_of(rows), methods="majority", draws=5)
    first, second = rows_of(study, "strengths")
    assert (first["document"], second["document"]) == ("p", "q")
    assert first["strength"] == pytest.approx(-second["strength"])
    assert 0 < first["strength"] < log(6 / 3) / 2  # σ(2s) would be 6/9, but for what the prior takes off
    assert study.sentence.endswith(" The strongest document's interval does not lie above that of the next.")


def test_votes_weigh_what_their_worker_does() -> None:
    rows = drawn(2, topics=20, workers=("ann", "bob", "cat", "dan", "blind"))
    votes = votes_of(rows)
    study = preferences(votes, draws=5)
    workers = {row["worker"]: row["weight"] for row in rows_of(study, "workers")}
    assert min(workers, key=lambda worker: workers[worker]) == "blind"
    merged = MACE().merge(votes.as_labels().answers)
    trust = merged.weight / merged.weight[votes.answers.worker].mean()  # the mean vote counts for 1
    assert study["strengths"].rows() == strengths_table(bradley_terry(votes, weight=trust)).rows()
    assert sum(row["wins"] + row["losses"] + row["ties"] for row in rows_of(study, "strengths")) == pytest.approx(
        2 * len(votes)
    )
    assert (
        study["strengths"].notes[-1]
        == "a vote counts for what its worker weighs by mace: --table workers has the weights"
    )
    plain = preferences(votes, weigh=False, draws=5)
    assert plain["strengths"] == strengths_table(bradley_terry(votes))
    assert plain["workers"] == study["workers"]
    assert "blind (1 worker, 20.0% of the votes) answers as if without looking." in study.sentence


@pytest.mark.parametrize("methods", ["majority", "mace"])
def test_who_is_listed_first_makes_no_difference_to_what_workers_are_worth(methods: str) -> None:
    # The better documents first in one file, shuffled in the other.
    rows = drawn(3, topics=12)
    best_first: list[Row] = []
    for topic, a, b, worker, vote in rows:
        if STRENGTH[a] > STRENGTH[b]:
            best_first.append((topic, a, b, worker, vote))
        else:
            best_first.append((topic, b, a, worker, {"a": "b", "b": "a", "n": "n"}[vote]))
    shuffled = rows[:]
    Random(4).shuffle(shuffled)
    fleiss, trust = [], []
    for each in (best_first, shuffled):
        study = preferences(votes_of(each), methods=methods, draws=5)
        fleiss.append(next(row["value"] for row in rows_of(study, "agreement") if row["statistic"] == "Fleiss κ"))
        trust.append({row["worker"]: row["weight"] for row in rows_of(study, "workers")})
    assert fleiss[0] == pytest.approx(fleiss[1], abs=0.03)
    assert fleiss[0] > 0.2
    assert trust[0] == pytest.approx(trust[1], abs=0.1)


def test_agreement_is_that_of_pairs_as_items() -> None:
    study = preferences(votes_of(ROWS), methods="majority", draws=30, level=0.1, seed=8)
    assert study["agreement"] == crowd_agreement_table(votes_of(ROWS).as_labels(), draws=30, level=0.1, seed=8)
    percent = rows_of(study, "agreement")[0]["value"]
    said: dict[tuple[str, frozenset[str]], list[str]] = {}
    for topic, a, b, _, vote in ROWS:
        said.setdefault((topic, frozenset((a, b))), []).append({"a": a, "b": b, "n": ""}[vote])
    equal = [[x == y for x, y in combinations(each, 2)] for each in said.values()]
    assert percent == pytest.approx(sum(sum(each) / len(each) for each in equal) / len(equal))


MACHINE: list[Row] = [
    (topic, a, b, "gpt", "a")
    for topic in ("t0", "t1")
    for a, b in combinations("ABCDE", 2)  # always what is better
]


def test_machines_are_no_part_of_what_people_say() -> None:
    alone = preferences(votes_of(ROWS), draws=5)
    beside = preferences(votes_of([*ROWS, *MACHINE], machines=["gpt"]), draws=5)
    for table in ("aggregations", "agreement", "workers", "strengths"):
        assert beside[table] == alone[table], table
    assert list(beside.tables) == [*list(alone.tables)[:-1], "machines", "machine_confusion", "strengths"]
    told = beside.sentence.removeprefix(alone.sentence)
    assert told.startswith(" gpt votes as people together do on ")


def test_what_a_machine_prefers_beside_people() -> None:
    study = preferences(votes_of([*ROWS, *MACHINE], machines=["gpt"]), methods="majority", draws=5)
    said: dict[tuple[str, str, str], Counter[str]] = {}
    for topic, a, b, _, vote in ROWS:
        said.setdefault((topic, min(a, b), max(a, b)), Counter())[{"a": a, "b": b, "n": "neither"}[vote]] += 1
    (row,) = rows_of(study, "machines")
    assert (row["machine"], row["labels"], row["items"]) == ("gpt", 20, 20)
    clear = {pair: votes.most_common(2) for pair, votes in said.items()}
    sure = [pair for pair, most in clear.items() if len(most) == 1 or most[0][1] > most[1][1]]
    equal = sum(clear[pair][0][0] == pair[1] for pair in sure if pair[0] in ("t0", "t1"))
    tied = sum(pair not in sure for pair in clear if pair[0] in ("t0", "t1"))
    assert equal / 20 <= row["equal"] <= (equal + tied) / 20
    assert (row["higher"], row["lower"]) == (None, None)  # none of two documents is the higher
    assert study["machines"].columns[-2:] == ("higher", "lower")
    assert sum(row["labels"] for row in rows_of(study, "machine_confusion")) == 20


def test_machines_may_be_workers_like_any_other() -> None:
    votes = votes_of([*ROWS, *MACHINE], machines=["gpt"])
    study = preferences(votes, methods="majority", machines=True, draws=5)
    assert study["strengths"] == strengths_table(bradley_terry(votes))
    assert " by 4 workers and 1 machine; " in study.sentence
    assert "machines" not in study.tables
    alone = preferences(votes_of(MACHINE, machines=["gpt"]), methods="majority", draws=5)
    assert alone["strengths"] == strengths_table(bradley_terry(votes_of(MACHINE)))
    assert alone.sentence.startswith("20 votes on 20 pairs by 1 machine; ")


def clearly(better: str, worse: str, topic: str, times: int = 200) -> list[Row]:
    return [(topic, better, worse, f"w{i}", "a") for i in range(times)]


def test_in_how_many_topics_one_document_stands_clear() -> None:
    # p wins 200 times against q: their intervals are apart. Of r and s each wins as often.
    even: list[Row] = [("u", "r", "s", f"w{i}", "ab"[i % 2]) for i in range(200)]
    given: Any = {"methods": "majority", "draws": 5}
    both = preferences(votes_of([*clearly("p", "q", "t"), *even]), **given)
    low = {(row["topic"], row["document"]): row["low"] for row in rows_of(both, "strengths")}
    high = {(row["topic"], row["document"]): row["high"] for row in rows_of(both, "strengths")}
    assert low["t", "p"] > high["t", "q"]
    assert low["u", "r"] < high["u", "s"]
    assert both.sentence.endswith(" In 1 of 2 topics the strongest document's interval lies above that of the next.")
    one = preferences(votes_of(clearly("p", "q", "t")), **given)
    assert one.sentence.endswith(" The strongest document's interval lies above that of the next.")


def test_documents_that_no_votes_link_do_not_stand_clear_of_each_other() -> None:
    # p won against q, and r against s as often as not: of p and r nothing is known.
    rows = [*clearly("p", "q", "t"), *((("t", "r", "s", f"w{i}", "ab"[i % 2])) for i in range(200))]
    study = preferences(votes_of(rows), methods="majority", draws=5)
    assert rows_of(study, "strengths")[0]["low"] > rows_of(study, "strengths")[1]["high"]
    assert study.sentence.endswith(" The strongest document's interval does not lie above that of the next.")


def test_several_methods_and_news_of_them() -> None:
    heard: list[tuple[int, int]] = []
    study = preferences(
        votes_of(ROWS), methods="majority dawid-skene", draws=5, progress=lambda *news: heard.append(news), command="c"
    )
    assert heard == [(1, 2), (2, 2)]
    assert [row["method"] for row in rows_of(study, "aggregations")] == ["majority", "dawid-skene"]
    assert study.made_by is not None
    assert [one.kind for one in study.made_by.inputs] == ["votes"]
    assert (study.made_by.command, study.made_by.seed) == ("c", 0)
    assert {table.made_by for table in study.tables.values()} == {study.made_by}


def test_rows_without_a_vote_are_told_of() -> None:
    names = ("topic", "a", "b", "worker", "vote")
    data: dict[str, list[Any]] = {
        name: list(column) for name, column in zip(names, zip(*ROWS[:20], strict=True), strict=True)
    }
    data["vote"][3] = None
    study = preferences(read_votes(data, name="pairs.csv"), methods="majority", draws=5)
    (note,) = study["aggregations"].notes
    assert note.startswith("pairs.csv")
    assert "rows without a vote: 1, left out" in note


def test_one_vote_is_enough_to_go_on() -> None:
    study = preferences(votes_of([("t", "p", "q", "w", "b")]), draws=5)
    assert [row["document"] for row in rows_of(study, "strengths")] == ["q", "p"]
    assert study.sentence == (
        "1 vote on 1 pair by 1 worker; votes are tied for 0.0% of the pairs, and mace changes none of them. "
        "The strongest document's interval does not lie above that of the next."
    )
    assert "NaN" not in study.to_json()


def test_only_votes_for_neither() -> None:
    study = preferences(votes_of([("t", "p", "q", w, "n") for w in "xyz"]), methods="majority", draws=5)
    assert [row["rank"] for row in rows_of(study, "strengths")] == [1, 1]
    assert study.sentence.endswith(" The strongest document's interval does not lie above that of the next.")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"methods": "nothing"}, "there is no aggregation named 'nothing'"),
        ({"level": 0}, "level"),
        ({"draws": 0}, "0 draws give no interval"),
    ],
)
def test_what_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(CranfieldError, match=message):
        preferences(votes_of(ROWS), **options)


@pytest.mark.shared
def test_the_votes_of_rag_2025(shared_data: Path) -> None:
    path = shared_data / "crowd-rag25" / "ratings.jsonl.gz"
    votes = read_votes(path, columns={"vote": "quality_overall_vote"})
    study = preferences(votes, methods="majority", draws=20)
    assert len(rows_of(study, "workers")) == len(votes.workers)
    assert sum(row["labels"] for row in rows_of(study, "workers")) == len(votes)
    rows = rows_of(study, "strengths")
    assert sum(row["wins"] for row in rows) == sum(row["losses"] for row in rows) == len(votes)
    for topic in np.unique(votes.document_topic).tolist():
        ranks = [row["rank"] for row in rows if row["topic"] == votes.topics[topic]]
        assert ranks == sorted(ranks)
        assert ranks[0] == 1
