"""Votes between two documents: words, lists, both directions; all pairs again by loops."""

import gzip
import json
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cranfield.core import ParameterError
from cranfield.data import Votes, read_votes
from tests.support.expected_errors import check
from tests.support.label_files import FILL, called, write

NAMES = ("topic", "a", "b", "worker", "vote")
ROWS = [
    ("t1", "x", "y", "ann", "a"),
    ("t2", "y", "x", "bob", "b"),
    ("t1", "y", "x", "bob", "a"),
    ("t1", "z", "x", "ann", "n"),
    ("t1", "x", "y", "ann", "b"),
]
FRAME = pl.DataFrame(ROWS, schema=NAMES, orient="row")
COLUMNS = FRAME.to_dict(as_series=False)
TEXT = "".join("\t".join(row) + "\n" for row in ROWS)
LINE = "a line reads: topic a b worker vote"
WORDS = "a vote is one of: a, left, n, tie, neither, b, right"


def told(votes: Votes) -> list[tuple[str, frozenset[str], str, str | None]]:
    """Topic, pair, worker and the better document of every vote."""
    found = []
    answers = votes.answers
    for item, worker, choice in zip(
        answers.item.tolist(), answers.worker.tolist(), answers.choice.tolist(), strict=True
    ):
        first, second = votes.first[item], votes.second[item]
        assert first < second
        assert votes.topic[item] == votes.document_topic[first] == votes.document_topic[second]
        pair = votes.documents[int(first)], votes.documents[int(second)]
        better = (pair[0], None, pair[1])[choice]
        found.append((votes.topics[votes.topic[item]], frozenset(pair), votes.workers[worker], better))
    return found


def expected(rows: list[tuple[str, str, str, str, str]]) -> list[tuple[str, frozenset[str], str, str | None]]:
    return [(t, frozenset((a, b)), w, {"a": a, "b": b}.get(vote)) for t, a, b, w, vote in rows]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("plain.tsv", TEXT),
        ("plain.txt.gz", gzip.compress(TEXT.replace("\t", " ").encode())),
        ("header.csv", "query_id,response_a,response_b,worker,vote\n" + TEXT.replace("\t", ",")),
        ("lines.jsonl", "".join(json.dumps(dict(zip(NAMES, row, strict=True))) + "\n" for row in ROWS)),
        ("words.tsv", "qid\tleft\tright\tassessor\tpreference\n" + TEXT.replace("\ta\n", "\tLEFT\n")),
        ("other.tsv", TEXT.replace("\tb\n", "\tRight \n").replace("\tn\n", "\tTie\n")),
    ],
)
def test_a_file_holds_votes(name: str, content: str | bytes, tmp_path: Path) -> None:
    path = write(tmp_path, name, content)
    votes = read_votes(path)
    assert told(votes) == expected(ROWS)
    assert votes.topics == ("t1", "t2")
    assert votes.documents.to_list() == ["x", "y", "z", "y", "x"]  # of the first topic, then of the second
    assert votes.document_topic.tolist() == [0, 0, 0, 1, 1]
    assert (votes.answers.items, votes.answers.workers, votes.answers.choices) == (3, 2, 3)
    assert (votes.source.name, votes.source.kind) == (str(path), "votes")
    assert votes.source.digest == read_votes(FRAME).source.digest
    assert votes.source.problems.counts == ()


@pytest.mark.parametrize(
    "data", [FRAME, FRAME.to_arrow(), COLUMNS, pd.DataFrame(COLUMNS)], ids=lambda d: type(d).__name__
)
def test_so_does_a_frame(data: object) -> None:
    votes = read_votes(data, machines="b*")
    assert told(votes) == expected(ROWS)
    assert votes.machine.tolist() == [False, True]
    assert read_votes(votes) is votes
    assert read_votes(votes, machines=["ann"]).machine.tolist() == [True, True]


def test_rows_say_who_is_a_machine() -> None:
    kinds = ["person", "llm", "llm", "person", "person"]
    assert read_votes({**COLUMNS, "kind": kinds}).machine.tolist() == [False, True]


@given(
    st.lists(
        st.tuples(
            st.sampled_from("tu"),
            st.permutations("vxyz"),
            st.sampled_from("mnw"),
            st.sampled_from(["a", "b", "n"]),
        ),
        min_size=1,
        max_size=20,
    )
)
def test_a_pair_is_one_item_in_either_direction(drawn: list[tuple[str, list[str], str, str]]) -> None:
    rows = [(topic, order[0], order[1], worker, vote) for topic, order, worker, vote in drawn]
    votes = read_votes(dict(zip(NAMES, map(list, zip(*rows, strict=True)), strict=True)))
    assert told(votes) == expected(rows)
    assert votes.answers.items == len({(topic, frozenset((a, b))) for topic, a, b, _, _ in rows})
    documents = [pair for topic, a, b, _, _ in rows for pair in ((topic, a), (topic, b))]
    named = zip(votes.document_topic.tolist(), votes.documents.to_list(), strict=True)
    assert [(votes.topics[topic], document) for topic, document in named] == sorted(
        dict.fromkeys(documents), key=lambda pair: votes.topics.index(pair[0])
    )


LISTS = [
    {"topic": "t1", "a": "x", "b": "y", "worker": ["ann", "bob"], "overall": ["A", "N"]},
    {"topic": "t1", "a": "y", "b": "x", "worker": [], "overall": []},
    {"topic": "t1", "a": "y", "b": "z", "worker": ["bob"], "overall": ["B"]},
]
UNROLLED = [("t1", "x", "y", "ann", "a"), ("t1", "x", "y", "bob", "n"), ("t1", "y", "z", "bob", "b")]


def test_lists_are_unrolled(tmp_path: Path) -> None:
    path = write(tmp_path, "lists.jsonl", "".join(json.dumps(row) + "\n" for row in LISTS))
    for data in (path, pl.DataFrame(LISTS), pd.DataFrame(LISTS)):
        assert told(read_votes(data, columns={"vote": "overall"})) == expected(UNROLLED)
    one = read_votes(path, columns={"vote": "overall"}, worker="llm")
    assert told(one) == expected([(*row[:3], "llm", row[4]) for row in UNROLLED])


def test_one_worker_may_give_all_votes(tmp_path: Path) -> None:
    path = write(tmp_path, "llm.tsv", "t1\tx\ty\ta\nt1\ty\tx\tb\n")
    votes = read_votes(path, worker="gpt", machines=["gpt"])
    assert told(votes) == expected([("t1", "x", "y", "gpt", "a"), ("t1", "y", "x", "gpt", "b")])
    assert (votes.workers, votes.machine.tolist()) == (("gpt",), [True])
    assert read_votes(FRAME, worker="gpt").workers == ("gpt",)


def test_rows_without_a_vote_are_left_out(tmp_path: Path) -> None:
    path = write(tmp_path, "gaps.tsv", "t9\tx\ty\teve\t\n" + TEXT + "t1\tx\ty\tann\t \n")
    votes = read_votes(path)
    assert told(votes) == expected(ROWS)
    assert votes.workers == ("ann", "bob")
    assert votes.source.problems.counts == (("W-VOTE", 2),)
    (problem,) = votes.source.problems.kept
    assert (problem.where, problem.message) == (f"{path}:1", "rows without a vote: 2, left out")
    lists = [{**LISTS[0], "overall": ["a", None]}]
    assert told(read_votes(pl.DataFrame(lists), columns={"vote": "overall"})) == expected(UNROLLED[:1])


@pytest.mark.parametrize(
    ("name", "content", "code", "line", "message", "hint"),
    [
        ("a.tsv", TEXT + "t1\tx\ty\tann\tboth\n", "E-VOTE", 6, '"both" is no vote', WORDS),
        ("a.tsv", TEXT + "t1\tx\ty\tann\t-1\n", "E-VOTE", 6, '"-1" is no vote', WORDS + "; a number may mean either"),
        (
            "a.tsv",
            TEXT + "t1\tx\tx \tann\ta\n",
            "E-VOTE",
            6,
            "document x is compared with itself",
            "drop the row; a vote is on two documents",
        ),
        ("a.tsv", "t1\tx\ty\t\ta\n", "E-NULL", 1, "there is no worker", FILL),
        ("a.tsv", "t1\tx\ty\tann\t\n", "E-EMPTY", 0, "there are no votes", LINE),
        (
            "a.csv",
            "topic,a,b,vote\nt,x,y,a\n",
            "E-COLUMNS",
            0,
            "there is no column for the worker",
            called("worker", "worker, worker_id, workerid, annotator, annotator_id"),
        ),
        (
            "a.csv",
            "topic,a,worker,vote\nt,x,y,a\n",
            "E-COLUMNS",
            0,
            "there is no column for the b",
            called("b", "b, response_b, document_b, right"),
        ),
        ("a.csv", "topic,a,b,worker,vote\n", "E-EMPTY", 0, "there are no votes", LINE),
        (
            "a.tsv",
            "t1\tx\ty\ta\n",
            "E-FIELDS",
            1,
            "the line has 4 columns",
            LINE + '; or name the columns, in order: columns=("topic", …)',
        ),
        (
            "a.jsonl",
            '{"topic": 1, "a": 1, "b": 2, "worker": ["w"], "vote": ["a"]}\n\n'
            '{"topic": 1, "a": 1, "b": 2, "worker": ["w"], "vote": ["a", "b"]}\n',
            "E-FIELDS",
            3,
            "there are 2 votes by 1 workers",
            "the lists of workers and votes are of one length",
        ),
        (
            "a.jsonl",
            '{"topic": 1, "a": 1, "b": 2, "worker": ["w", "v"], "vote": ["a", "x"]}\n',
            "E-VOTE",
            1,
            '"x" is no vote',
            WORDS,
        ),
        (
            "a.jsonl",
            '{"topic": 1, "a": 1, "b": 2, "worker": "w", "vote": ["a"]}\n',
            "E-TYPE",
            0,
            "the votes of a row are a list, the worker is not",
            "worker and vote are lists of one length, or both are words",
        ),
        (
            "a.jsonl",
            '{"topic": 1, "a": 1, "b": 2, "worker": ["w"], "vote": "a"}\n',
            "E-TYPE",
            0,
            "the workers of a row are a list, the vote is not",
            "worker and vote are lists of one length, or both are words",
        ),
        (
            "a.jsonl",
            '{"topic": 1, "a": 1, "b": 2, "worker": ["w"], "vote": ["a"]}\n'
            '{"topic": 1, "a": 1, "b": 2, "worker": ["w"]}\n',
            "E-NULL",
            2,
            "there is no vote",
            FILL,
        ),
    ],
)
def test_what_is_no_vote_is_refused(
    name: str, content: str, code: str, line: int, message: str, hint: str, tmp_path: Path
) -> None:
    path = write(tmp_path, name, content)
    where = f"{path}:{line}" if line else str(path)
    check(lambda: read_votes(path), code, f"{where}: {message}", hint)


def test_a_row_in_memory_is_named_as_it_was_before_lists_were_unrolled() -> None:
    lists = {**{key: [row[key] for row in LISTS] for key in LISTS[0]}, "overall": [["a", "n"], [], ["?"]]}
    check(lambda: read_votes(lists, columns={"vote": "overall"}), "E-VOTE", 'votes: "?" is no vote (row 2)', WORDS)


def test_other_refusals() -> None:
    with pytest.raises(ParameterError, match="no worker is called gpt"):
        read_votes(FRAME, machines=["gpt"])
    with pytest.raises(ParameterError, match="votes have no column grade"):
        read_votes(FRAME, columns={"grade": "vote"})
    hint = "give a file name or a frame with columns topic, a, b, worker, vote"
    check(lambda: read_votes(3), "E-KIND", "votes: an object of type int holds no votes", hint)


DIMENSIONS = (
    "correctness_topical coherence_logical coherence_stylistic coverage_broad coverage_deep consistency_internal"
)


def rag(vote: str) -> dict[str, str]:
    return {"topic": "query_id", "a": "response_a", "b": "response_b", "vote": vote}


def test_the_crowd_of_rag_2025(shared_data: Path) -> None:
    path = shared_data / "crowd-rag25" / "ratings.jsonl.gz"
    with gzip.open(path, "rt") as lines:
        rows: list[dict[str, Any]] = [json.loads(line) for line in lines]
    total = 0
    for dimension in (*DIMENSIONS.split(), "quality_overall"):
        votes = read_votes(path, columns=rag(f"{dimension}_vote"))
        assert len(votes.workers) == 420
        total += len(votes)
    assert total == 47_320
    flat = [
        (row["query_id"], row["response_a"], row["response_b"], worker, vote.lower())
        for row in rows
        for worker, vote in zip(row["worker"], row["quality_overall_vote"], strict=True)
    ]
    assert told(votes) == expected(flat)


def test_a_machine_compared_them_too(shared_data: Path) -> None:
    path = shared_data / "crowd-rag25" / "llm_ratings.jsonl.gz"
    with gzip.open(path, "rt") as lines:
        rows: list[dict[str, Any]] = [json.loads(line) for line in lines]
    votes = read_votes(path, columns=rag("quality_overall"), worker="llm", machines=["llm"])
    flat = [
        (row["query_id"], row["response_a"], row["response_b"], "llm", row["quality_overall"])
        for row in rows
        if row["quality_overall"]
    ]
    assert told(votes) == expected(flat)
    assert votes.source.problems.counts == (("W-VOTE", len(rows) - len(flat)),)
