"""The study of topics: their texts, and how hard they are."""

from pathlib import Path

import polars as pl
import pytest

import cranfield as cf
from cranfield.core import InputError, ParameterError, ScaleError, Verdict

QRELS = {"1": {"a": 1}, "2": {"b": 2, "c": 1}, "3": {"c": 1}}
RUNS = {
    "x": {"1": {"a": 2.0, "z": 1.0}, "2": {"b": 1.0}, "3": {"z": 1.0}},
    "y": {"1": {"z": 2.0, "a": 1.0}, "2": {"z": 1.0}, "3": {"z": 1.0}},
}
TEXTS = {"1": "first", "2": "second", "3": "third", "4": "fourth"}


def test_texts_alone() -> None:
    study = cf.topics([{"id": 1, "title": "a", "lang": "en"}, {"id": 1, "title": "b", "narr": "c", "lang": "de"}])
    assert (study.name, list(study.tables), study.charts) == ("topics", ["topics"], ())
    assert study["topics"].cells("title") == ["a", "b"]
    assert dict(study.verdict or Verdict()) == {
        "topics": 1,
        "texts": 2,
        "languages": ["en", "de"],
        "sentence": "1 topic in en and de, 2 texts; titles: all, descriptions: none, narratives: 1.",
    }
    assert cf.topics(TEXTS).sentence == "4 topics, 4 texts; titles: all, descriptions: none, narratives: none."


def test_one_language() -> None:
    rows = [{"id": 1, "title": "a", "lang": "en"}, {"id": 1, "title": "b", "lang": "de"}]
    assert cf.topics(rows, language="de")["topics"].cells("title") == ["b"]
    study = cf.topics(rows, pl.DataFrame({"topic": ["1"], "x": [0.5], "y": [0.25]}), language="de")
    assert study["difficulty"].cells("title") == ["b"]


def test_values_alone() -> None:
    study = cf.topics(values=cf.evaluate(QRELS, RUNS, "RR"))
    assert (list(study.tables), study.charts) == (["difficulty"], ("difficulty",))
    # By hand: 1 and 1/2 in topic 1, 1 and 0 in topic 2, 0 and 0 in topic 3.
    assert study["difficulty"].cells("topic") == ["3", "2", "1"]
    assert study["difficulty"].cells("mean") == [0.0, 0.5, 0.75]
    assert study["difficulty"].cells("title") == [None] * 3
    assert study.verdict is not None
    assert (study.verdict["hardest"], study.verdict["easiest"]) == ("3", "1")
    assert study.sentence.startswith("By mean RR the hardest topic is 3 (0.0000), the easiest 1 (0.7500).")


def test_texts_and_values(tmp_path: Path) -> None:
    (tmp_path / "topics.tsv").write_text("1\tfirst\n3\tthird\n4\tfourth\n")
    values = cf.evaluate(QRELS, RUNS, "RR")
    study = cf.topics(tmp_path / "topics.tsv", values, command="cranfield topics")
    assert list(study.tables) == ["topics", "difficulty"]
    assert study["difficulty"].cells("title") == ["third", None, "first"]
    assert study["difficulty"].notes[0] == "1 of 3 topics has no text: 2"
    assert study["topics"].cells("topic") == ["1", "3", "4"]
    made_by = study.made_by
    assert made_by is not None
    assert made_by is study["difficulty"].made_by
    assert (made_by.command, made_by.measures) == ("cranfield topics", ("RR",))
    assert [one.kind for one in made_by.inputs] == ["topics", "qrels", "run", "run"]


def test_several_measures() -> None:
    values = cf.evaluate(QRELS, RUNS, "RR P@1 NumRel")
    study = cf.topics(TEXTS, values)
    assert study["difficulty"].cells("measure") == ["RR"] * 3 + ["P@1"] * 3  # what counts is left out
    assert study["difficulty"].caption == "topics by RR and P@1, the hardest first"
    assert cf.topics(values=values, measures="P@1")["difficulty"].cells("mean") == [0.0, 0.5, 0.5]
    assert (
        cf.topics(values=values, measures=["P_1", cf.RR()])["difficulty"].cells("measure") == ["P@1"] * 3 + ["RR"] * 3
    )
    graded = cf.evaluate(QRELS, RUNS, "ERR")  # whose highest grade comes from the judgments
    assert len(cf.topics(values=graded, measures="ERR")["difficulty"]) == 3


def test_scores() -> None:
    frame = pl.DataFrame({"topic": ["1", "2"], "x": [0.5, 0.25], "y": [0.75, 0.5]})
    study = cf.topics(TEXTS, frame, measures="score")
    assert study["difficulty"].cells("title") == ["second", "first"]
    assert study["difficulty"].notes == ()


def test_the_scale_of_a_mean() -> None:
    values = cf.evaluate(QRELS, RUNS, "RR")
    note = "the mean over runs needs interval numbers; RR is ordinal (ferrante2021)"
    assert any(one.startswith(note) for one in cf.topics(values=values)["difficulty"].notes)
    assert not any("RR" in one for one in cf.topics(values=values, scale="ignore")["difficulty"].notes)
    with pytest.raises(ScaleError, match="the mean over runs needs interval numbers"):
        cf.topics(values=values, scale="refuse")


def test_what_is_refused() -> None:
    values = cf.evaluate(QRELS, RUNS, "RR NumRel")
    with pytest.raises(ParameterError, match="there are neither topics nor values"):
        cf.topics()
    with pytest.raises(ParameterError, match="there are no texts that could be in a language"):
        cf.topics(values=values, language="en")
    with pytest.raises(ParameterError, match="there are no values of AP"):
        cf.topics(values=values, measures="AP")
    with pytest.raises(ParameterError, match="no topic is hard by NumRel"):
        cf.topics(values=cf.evaluate(QRELS, RUNS, "NumRel"))
    with pytest.raises(InputError, match="topics: no topic that has values is in it") as caught:
        cf.topics({str(i): "text" for i in range(301, 306)}, values)
    assert caught.value.hint == "it has 301, 302, 303 and 2 more, the values have 1, 2, 3: do they belong together?"
    assert caught.value.code == "E-TOPICS"
