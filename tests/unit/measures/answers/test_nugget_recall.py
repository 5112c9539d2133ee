"""Measures of written answers, by arithmetic."""

from typing import Any

import numpy as np
import pytest

import cranfield as cf
from cranfield.core import ParameterError, Scale
from cranfield.data import read_answers
from cranfield.measures import ANSWER_MEASURES, parse_answer_measure

# Topic 1: two vital nuggets and two okay ones. Topic 2: one vital nugget.
KEY: dict[str, Any] = {
    "topic": ["1", "1", "1", "1", "2"],
    "nugget": ["a", "b", "c", "d", "e"],
    "importance": ["vital", "vital", "okay", "okay", "vital"],
}
ASSIGNED: dict[str, Any] = {
    "topic": ["1"] * 4 + ["2"] + ["1"] * 2,
    "run": ["x"] * 5 + ["y"] * 2,
    "nugget": ["a", "b", "c", "d", "e", "a", "d"],
    "support": ["support", "partial_support", "support", "not_support", "support", "0", "partial_support"],
}
# x says 150 characters in topic 1, where two nuggets are supported in full: 200 are allowed.
LENGTHS: dict[str, Any] = {
    "topic": ["1", "2", "1"],
    "run": ["x", "x", "y"],
    "characters": [150, 400, 50],
    "words": [30, 80, 10],
}
CITED: dict[str, Any] = {
    "topic": ["1", "1", "1", "1", "2", "1"],
    "run": ["x", "x", "x", "x", "x", "y"],
    "sentence": ["1", "1", "2", "3", "1", "1"],
    "document": ["d1", "d2", "d1", None, "d3", None],
    "support": ["none", "full", "partial", None, "FS", None],
}


def of(measure: str, **given: Any) -> Any:
    """(run, topic): the values of one measure."""
    known = {"nuggets": KEY, "answers": LENGTHS, "citations": CITED} | given
    return cf.nuggets(ASSIGNED, measure, **known, scale="ignore").cube[:, :, 0].tolist()


RECALL: dict[str, Any] = {
    "NuggetAll": [[(1 + 1 / 2 + 1) / 4, 1], [(1 / 2) / 4, 0]],
    "NuggetAll(strict=True)": [[2 / 4, 1], [0, 0]],
    "NuggetVital": [[(1 + 1 / 2) / 2, 1], [0, 0]],
    "NuggetVital(strict=True)": [[1 / 2, 1], [0, 0]],
    # An okay nugget weighs 1/2: the four weigh 3.
    "NuggetWeighted": [[(1 + 1 / 2 + 1 / 2) / 3, 1], [(1 / 2 * 1 / 2) / 3, 0]],
    "NuggetWeighted(strict=True)": [[(1 + 1 / 2) / 3, 1], [0, 0]],
}


@pytest.mark.parametrize("measure", RECALL)
def test_recall_counts_what_is_supported(measure: str) -> None:
    np.testing.assert_allclose(of(measure), RECALL[measure], rtol=1e-15)


# Two nuggets allow 200 characters and 150 are written; one allows 100 and 400 are; none allows none.
PRECISION: Any = [[1, 1 - (400 - 100) / 400], [0, 0]]


def test_precision_is_what_the_allowance_is_of_the_length() -> None:
    np.testing.assert_allclose(of("NuggetPrecision"), PRECISION, rtol=1e-15)
    shorter: Any = [[100 / 150, 50 / 400], [0, 0]]
    np.testing.assert_allclose(of("NuggetPrecision(allowance=50)"), shorter, rtol=1e-15)


@pytest.mark.parametrize("beta", [1, 3, 5])
def test_f_counts_recall_beta_times_as_much(beta: int) -> None:
    square = beta**2
    recall: Any = [[1 / 2, 1], [0, 0]]
    expected = [
        [(square + 1) * p * r / (square * p + r) if p or r else 0 for p, r in zip(ps, rs, strict=True)]
        for ps, rs in zip(PRECISION, recall, strict=True)
    ]
    np.testing.assert_allclose(of(f"NuggetF(beta={beta})"), expected, rtol=1e-15)


def test_weights_of_a_file_make_a_pyramid() -> None:
    # Of nine judges 9, 3, 0 and 6 call the nuggets of topic 1 vital, all call that of topic 2 so.
    pyramid = {**KEY, "weight": [1, 1 / 3, 0, 2 / 3, 1]}
    del pyramid["importance"]
    recall: Any = [[1 / 2, 1], [0, 0]]
    np.testing.assert_allclose(of("NuggetWeighted(strict=True)", nuggets=pyramid), recall, rtol=1e-15)
    # Recall 1/2 and precision 1 in topic 1; recall 1 and precision 1/4 in topic 2.
    f: Any = [[10 * (1 / 2) / (9 + 1 / 2), 10 * (1 / 4) / (9 / 4 + 1)], [0, 0]]
    np.testing.assert_allclose(of("NuggetF(recall='weighted')", nuggets=pyramid), f, rtol=1e-15)
    with pytest.raises(ParameterError, match="NuggetVital needs to know which nuggets are vital"):
        of("NuggetVital", nuggets=pyramid)


CITATIONS: dict[str, Any] = {
    # x cites d1 (none), d2 (full) and d1 (partial) in topic 1; y cites nothing.
    "CitationPrecision": [[(0 + 1 + 1 / 2) / 3, 1], [0, 0]],
    "CitationPrecision(strict=True)": [[1 / 3, 1], [0, 0]],
    "CitationPrecision(cited='first')": [[(0 + 1 / 2) / 2, 1], [0, 0]],
    # Three sentences: the best citation of the first is full, of the second partial, the third has none.
    "CitationRecall": [[(1 + 1 / 2 + 0) / 3, 1], [0, 0]],
    "CitationRecall(strict=True)": [[1 / 3, 1], [0, 0]],
    "CitationRecall(cited='first')": [[(0 + 1 / 2 + 0) / 3, 1], [0, 0]],
}


@pytest.mark.parametrize("measure", CITATIONS)
def test_citations_support_sentences(measure: str) -> None:
    np.testing.assert_allclose(of(measure), CITATIONS[measure], rtol=1e-15)


def test_length_is_told_or_counted() -> None:
    assert of("AnswerLength") == [[30, 80], [10, 0]]
    assert of("AnswerLength(unit='characters')") == [[150, 400], [50, 0]]
    texts = {"topic": ["1", "2", "1"], "run": ["x", "x", "y"], "answer_text": ["Two  words.", "a b\nc", "one"]}
    assert of("AnswerLength", answers=texts) == [[2, 3], [1, 0]]
    assert of("AnswerLength(unit='characters')", answers=texts) == [[9, 3], [3, 0]]


def test_sentences_of_the_rag_track_are_one_text() -> None:
    parts = [[{"text": "Two words.", "citations": [0]}, {"text": "And three more.", "citations": []}]]
    judged = read_answers({key: cells[:1] for key, cells in ASSIGNED.items()}, answers={
        "topic_id": ["1"], "run_id": ["x"], "answer": parts,
    })  # fmt: skip
    assert judged.words is not None
    assert judged.words.tolist() == [[5]]


def test_topics_that_one_file_has_alone_have_no_value_for_the_other() -> None:
    cited = {**CITED, "topic": ["1", "1", "1", "1", "3", "1"]}
    values = cf.nuggets(ASSIGNED, "NuggetAll CitationRecall", nuggets=KEY, citations=cited, scale="ignore")
    assert values.topics == ("1", "2", "3")
    np.testing.assert_array_equal(np.isnan(values.cube[0]), [[False, False], [False, True], [True, False]])
    assert values.aggregate()[0].tolist() == [(2.5 / 4 + 1) / 2, (1.5 / 3 + 1) / 2]
    assert "not every one of 3 topics is judged for every measure (NuggetAll 2, CitationRecall 2)" in values.notes[-1]


def test_an_answer_that_is_missing_is_worst_or_left_out() -> None:
    assert cf.nuggets(ASSIGNED, "NuggetAll", nuggets=KEY).aggregate()[:, 0].tolist() == [(2.5 / 4 + 1) / 2, 1 / 16]
    there = cf.nuggets(ASSIGNED, "NuggetAll", nuggets=KEY, topics="both")
    assert there.aggregate()[:, 0].tolist() == [(2.5 / 4 + 1) / 2, 1 / 8]
    assert there.missing.tolist() == [[False, False], [False, True]]


def test_a_topic_without_vital_nuggets_is_told() -> None:
    key = {**KEY, "importance": ["vital", "vital", "okay", "okay", "okay"]}
    values = cf.nuggets(ASSIGNED, "NuggetVital NuggetAll", nuggets=key)
    assert values.without_relevant.tolist() == [[False, True], [False, False]]
    assert values.cube[0, 1].tolist() == [0, 1]
    assert "1 topic has no vital nugget for some measure (2)" in values.mean().notes


def test_what_is_not_assigned_is_not_supported() -> None:
    (note,) = cf.nuggets(ASSIGNED, "NuggetAll", nuggets=KEY).notes
    assert note == "2 nuggets are not assigned in answers that are there: taken as not supported"


def test_the_usual_measures_follow_from_what_is_known() -> None:
    names = [str(one) for one in cf.nuggets(ASSIGNED, nuggets=KEY, citations=CITED, answers=LENGTHS).measures]
    assert names == [
        *("NuggetVital(strict=True)", "NuggetVital", "NuggetAll(strict=True)", "NuggetAll"),
        *("CitationPrecision", "CitationRecall", "AnswerLength"),
    ]
    assert [str(one) for one in cf.nuggets(citations=CITED).measures] == ["CitationPrecision", "CitationRecall"]


def test_scales_are_declared() -> None:
    scales = {name: ANSWER_MEASURES[name]().scale.own for name in ANSWER_MEASURES.names()}
    assert scales == {
        "NuggetAll": Scale.INTERVAL,
        "NuggetVital": Scale.INTERVAL,
        "NuggetWeighted": Scale.ORDINAL,
        "NuggetPrecision": Scale.ORDINAL,
        "NuggetF": Scale.ORDINAL,
        "CitationPrecision": Scale.ORDINAL,
        "CitationRecall": Scale.ORDINAL,
        "AnswerLength": Scale.RATIO,
    }
    values = cf.nuggets(ASSIGNED, "NuggetAll NuggetF", nuggets=KEY, answers=LENGTHS)
    assert values.notes[0].startswith("the mean needs interval numbers; NuggetF is ordinal (ferrante2021)")


@pytest.mark.parametrize(
    ("theirs", "ours"), [("strict_all_score", "NuggetAll(strict=True)"), ("vital_score", "NuggetVital")]
)
def test_names_of_nuggetizer_are_understood(theirs: str, ours: str) -> None:
    assert str(parse_answer_measure(theirs)) == ours
    assert parse_answer_measure(ours) == parse_answer_measure(theirs)


def test_lengths_must_be_known_where_they_count() -> None:
    short = {key: cells[:2] for key, cells in LENGTHS.items()}
    with pytest.raises(
        ParameterError, match="NuggetF needs the length of answers, and that of y to topic 1 is not known"
    ):
        of("NuggetF", answers=short)
    with pytest.raises(ParameterError, match="CitationRecall needs citations"):
        of("CitationRecall", citations=None)
    with pytest.raises(ParameterError, match="NuggetAll needs nuggets"):
        cf.nuggets((), "NuggetAll", citations=CITED)
    with pytest.raises(ParameterError, match="there is nothing that judges said of answers"):
        cf.nuggets()
    with pytest.raises(ParameterError, match="no measure is asked for"):
        cf.nuggets(ASSIGNED, [], nuggets=KEY)


def test_values_go_where_any_others_go() -> None:
    rng = np.random.default_rng(3)
    runs, topics, many = ("a", "b", "c"), [str(t) for t in range(12)], range(5)
    rows = [(t, r, f"n{n}") for r in runs for t in topics for n in many]
    table: dict[str, Any] = dict(zip(("topic", "run", "nugget"), map(list, zip(*rows, strict=True)), strict=True))
    table |= {"support": rng.choice([0.0, 0.5, 1.0], len(rows)).tolist()}
    values = cf.nuggets(table, "NuggetAll")
    by_hand = np.array(table["support"]).reshape(3, 12, 5).mean(axis=2)
    np.testing.assert_allclose(values.matrix(), by_hand.T, rtol=1e-15)
    assert cf.test(values, "t sign")["tests"].cells("p").count(None) == 0
    assert set(cf.leaderboard(values, draws=50)["ranks"]["run"]) == set(runs)
    assert cf.anova(values)["systems"].cells("mean") == pytest.approx(sorted(by_hand.mean(axis=1), reverse=True))
    assert cf.power(values, topics=20).verdict
    assert {row["measure"] for row in cf.compare(values, baseline="a")["overall"].rows()} == {"NuggetAll"}


def shares(**given: Any) -> dict[tuple[Any, Any], list[Any]]:
    """What nuggets and sentences come to, by kind and run."""
    known = {"nuggets": KEY, "citations": CITED} | given
    rows = cf.support(ASSIGNED, **known)["support"].rows()
    return {(row["of"], row["run"]): [*row.values()][2:] for row in rows}


def test_nuggets_and_sentences_are_counted_by_their_support() -> None:
    found = shares()
    # x: of two vital nuggets in topic 1 one in full, one in part; the one of topic 2 in full. y has no answer there.
    assert found["vital nuggets", "x"] == [(1 / 2 + 1) / 2, (1 / 2 + 0) / 2, 0, None, 3, 2]
    assert found["vital nuggets", "y"] == [0, 0, 1, None, 3, 2]
    # Topic 2 has no okay nugget: the share is that of topic 1 alone.
    assert found["okay nuggets", "x"] == [1 / 2, 0, 1 / 2, None, 2, 1]
    assert found["okay nuggets", "y"] == [0, 1 / 2, 1 / 2, None, 2, 1]
    # Three sentences in topic 1: the best citation of one is full, of one partial, one has none; one in topic 2.
    assert found["sentences", "x"] == pytest.approx([(1 / 3 + 1) / 2, (1 / 3) / 2, 0, (1 / 3) / 2, 4, 2])
    # One sentence that cites nothing in topic 1, and no answer to topic 2: nothing is supported there.
    assert found["sentences", "y"] == [0, 0, 1 / 2, 1 / 2, 1, 2]


def test_what_is_missing_is_left_out_of_shares_if_asked() -> None:
    both = shares(topics="both")
    assert both["vital nuggets", "y"] == [0, 0, 1, None, 3, 1]
    assert both["sentences", "y"] == [0, 0, 0, 1, 1, 1]
    one = shares(only=["2"])
    assert one["vital nuggets", "x"] == [1, 0, 0, None, 1, 1]
    assert one["sentences", "x"] == [1, 0, 0, 0, 1, 1]


def test_the_best_run_stands_first_in_every_kind() -> None:
    assert list(shares()) == [(of, run) for of in ("vital nuggets", "okay nuggets", "sentences") for run in "xy"]
    pyramid = {key: cells for key, cells in KEY.items() if key != "importance"}
    assert list(shares(nuggets=pyramid, citations=None)) == [("nuggets", "x"), ("nuggets", "y")]


@pytest.mark.parametrize(("things", "measure"), [("vital nuggets", "NuggetVital"), ("sentences", "CitationRecall")])
def test_shares_are_those_of_the_measures(things: str, measure: str) -> None:
    strict, partly = (np.mean(of(f"{measure}{how}"), axis=1) for how in ("(strict=True)", ""))
    for i, run in enumerate("xy"):
        full, partial, *_ = shares()[things, run]
        assert (strict[i], partly[i]) == pytest.approx((full, full + partial / 2))
