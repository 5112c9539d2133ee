"""Read judged answers: nuggets and their support, citations and answer lengths."""

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np

from cranfield._native import Strings
from cranfield.core import Input, ParameterError
from cranfield.data.files.data_source import Source, digest
from cranfield.data.files.rows import Rows

from .answer_rows import ANSWERED, ASSIGNED, CITED, KEY, read_judged, runs_of, support_of, words_of
from .judged_answers import Citations, JudgedAnswers, PerAnswer
from .nugget_support import find_support, join_nuggets


def read_answers(
    assignments: Any = (), *, nuggets: Any = None, citations: Any = None, answers: Any = None
) -> JudgedAnswers:
    """Answers as judges see them, from files or frames; of several files of assignments each may be a run.

    A row of ``assignments`` is a topic, a run, a nugget and its support; a line as nuggetizer writes it holds all
    nuggets of an answer. ``nuggets`` say which nuggets there are and how important each is, where the assignments do
    not. A row of ``citations`` is a sentence and a document that it cites; one without a document is a sentence without
    citations. ``answers`` hold texts or lengths. A run that is not named has the name of its file.
    """
    given = [assignments] if _is_one(assignments) else list(assignments)
    if not given and citations is None:
        hint = "give assignments of nuggets, citations, or both"
        raise ParameterError("there is nothing that judges said of answers", hint=hint)
    rows = [read_judged(one, ASSIGNED, ("topic", "nugget", "support")) for one in given]
    known = None if nuggets is None else read_judged(nuggets, KEY, ("topic", "nugget"))
    cited = None if citations is None else read_judged(citations, CITED, ("topic", "sentence", "support"))
    told = None if answers is None else read_judged(answers, ANSWERED, ("topic",))
    key = join_nuggets([known] if known is not None else rows, alone=known is not None) if rows else None
    every = [one for one in (*rows, cited, told) if one is not None]
    runs = tuple(dict.fromkeys(run for one in every for run in runs_of(one)))
    topics = tuple(dict.fromkeys([*(key.topics if key else ()), *([] if cited is None else words_of(cited, "topic"))]))
    support, assigned, notes = find_support(rows, key, runs)
    sentences = None if cited is None else _citations(cited, runs)
    characters, words = _lengths([*rows, *([] if told is None else [told])], runs, topics)
    place = {topic: t for t, topic in enumerate(topics)}
    there = np.zeros((len(runs), len(topics)), np.bool_)
    for run, topic in assigned:
        there[run, place[topic]] = True
    if sentences is not None:
        there[sentences.run, [place[sentences.topics[t]] for t in sentences.topic]] = True
    inputs = [_input(one, what) for one, what in zip((known, *rows, cited, told), _kinds(rows), strict=True) if one]
    return JudgedAnswers(runs, topics, there, key, support, sentences, characters, words, tuple(inputs), tuple(notes))


def _is_one(data: Any) -> bool:
    """Whether this is a file or a frame, and no list of them."""
    return isinstance(data, str | PathLike | Mapping) or hasattr(data, "columns") or hasattr(data, "column_names")


def _kinds(rows: Sequence[Rows]) -> list[str]:
    return ["nuggets", *(["assignments"] * len(rows)), "citations", "answers"]


def _input(rows: Rows, kind: str) -> Input:
    columns = [[own, *map(str, column.to_list())] for own, column in rows.columns.items()]
    return Source(rows.name, digest(*map(Strings, columns)), kind).as_input()


def _citations(rows: Rows, runs: Sequence[str]) -> Citations:
    """Sentences, and what they cite: a row without a document and without support is a sentence without citations."""
    import polars as pl

    worth = support_of(rows, empty=True)
    documents: list[str | None] = [None] * len(rows)
    if "document" in rows.columns:
        column = rows.columns["document"].cast(pl.String).str.strip_chars()
        documents = [cell or None for cell in column.to_list()]
    place = {run: r for r, run in enumerate(runs)}
    sentences: dict[tuple[str, str, str], int] = {}
    seen, of, supports = set(), [], []
    names = zip(runs_of(rows), words_of(rows, "topic"), words_of(rows, "sentence"), documents, strict=True)
    for row, (run, topic, sentence, document) in enumerate(names):
        at = sentences.setdefault((run, topic, sentence), len(sentences))
        if document is not None and np.isnan(worth[row]):
            hint = "say how far it supports the sentence; a sentence without citations has no document either"
            raise rows.refuse(row, "E-NULL", f"nothing is said of the citation of {document}", hint)
        if (at, document) in seen:
            what = f"sentence {sentence} of {run} in topic {topic}"
            message = f"{what} cites {document} twice" if document else f"{what} is there twice"
            raise rows.refuse(row, "E-DUPDOC", message, "keep one row for each citation of a sentence")
        seen.add((at, document))
        if not np.isnan(worth[row]):
            of.append(at)
            supports.append(worth[row])
    topics = tuple(dict.fromkeys(topic for _, topic, _ in sentences))
    where = {topic: t for t, topic in enumerate(topics)}
    order = np.argsort(of, kind="stable")
    return Citations(
        topics=topics,
        run=np.array([place[run] for run, _, _ in sentences], np.int64),
        topic=np.array([where[topic] for _, topic, _ in sentences], np.int64),
        sentence=np.array(of, np.int64)[order],
        support=np.array(supports, np.float64)[order],
    )


def _lengths(
    several: Sequence[Rows], runs: Sequence[str], topics: Sequence[str]
) -> tuple[PerAnswer | None, PerAnswer | None]:
    """(run, topic): characters without blanks and words of each answer; None where nothing says so."""
    place = {run: r for r, run in enumerate(runs)}, {topic: t for t, topic in enumerate(topics)}
    found = {own: np.full((len(runs), len(topics)), np.nan) for own in ("characters", "words")}
    for rows in several:
        told = {own: rows.small_numbers(own).tolist() for own in found if own in rows.columns}
        if "text" in rows.columns:
            texts = [_text(cell) for cell in rows.columns["text"].to_list()]
            told.setdefault("characters", [len("".join(text.split())) for text in texts])
            told.setdefault("words", [len(text.split()) for text in texts])
        for own, numbers in told.items():
            for row, (run, topic) in enumerate(zip(runs_of(rows), words_of(rows, "topic"), strict=True)):
                if topic not in place[1]:
                    continue
                at = place[0][run], place[1][topic]
                if numbers[row] < 0 or not (np.isnan(found[own][at]) or found[own][at] == numbers[row]):
                    message = f"the answer of {run} to topic {topic} has two lengths, or one below 0"
                    raise rows.refuse(row, "E-CONFLICT", message, "an answer has one length; give it in one file alone")
                found[own][at] = numbers[row]
    characters, words = (None if np.isnan(found[own]).all() else found[own] for own in ("characters", "words"))
    return characters, words


def _text(cell: Any) -> str:
    """An answer in one piece: text, or sentences as the RAG track of TREC has them."""
    if isinstance(cell, list):
        return " ".join(str(part.get("text", "")) if isinstance(part, dict) else str(part) for part in cell)
    return "" if cell is None else str(cell)
