"""The state of a pool: the tables of its parts, with groups and without."""

from pathlib import Path

import pytest

import cranfield as cf
from cranfield.charts import draw
from cranfield.collections import Groups, reuse_table, unjudged_sentence, unjudged_table
from cranfield.core import ParameterError
from cranfield.data import read_scores
from cranfield.studies import evaluate, health, unjudged
from tests.support.reference.pool_evaluation import Plain, as_dicts, covid, simulated


def entries(case: Plain) -> dict[str, list[str]]:
    return {"run": list(case.team), "group": list(case.team.values())}


def test_the_tables_are_those_of_the_pool() -> None:
    case = simulated(3, topics=6)
    study = health(case.judgments, as_dicts(case), entries=entries(case), depth=case.depth)
    assert (study.name, list(study.tables), study.charts) == ("health", ["unjudged", "reuse"], ("unjudged", "reuse"))
    from cranfield.data import read_entries

    known = read_entries(entries(case))
    assert study["unjudged"].rows() == unjudged_table(case.assessed, entries=known).rows()
    candidates = case.candidates.judged_by(case.qrels).filled()
    groups = Groups.among(case.assessed.runs, known)
    assert study["reuse"].rows() == reuse_table(candidates, case.assessed, groups).rows()
    assert study.verdict is not None
    assert (study.verdict["groups"], study.verdict["measure"]) == (len(set(case.team.values())), "AP")
    assert "alone brought in" in study.sentence
    assert "are unjudged" in study.sentence
    for chart in study.charts:
        draw(study, chart)


def test_unjudged_documents_by_loops() -> None:
    case = simulated(4, topics=5)
    found = {(row["run"], row["k"]): row for row in health(case.judgments, as_dicts(case))["unjudged"].rows()}
    for run, rankings in case.rankings.items():
        first = [(topic, document) for topic in case.judgments for document in list(rankings.get(topic, ()))[:10]]
        free = [at for at in first if case.judgments[at[0]].get(at[1], -1) < 0]
        assert found[run, 10]["unjudged"] == len(free)
        assert found[run, 10]["share"] == pytest.approx(len(free) / len(first))


def test_a_single_group_has_no_reuse() -> None:
    case = simulated(3, topics=4)
    one = {"run": list(case.team), "group": ["us"] * len(case.team)}
    study = health(case.judgments, as_dicts(case), entries=one)
    assert (list(study.tables), study.charts) == (["unjudged"], ("unjudged",))
    assert study.sentence == unjudged_sentence(study["unjudged"])
    assert study.sentence.startswith("Of the first 10 documents of ")


def test_what_is_given_is_used() -> None:
    case = simulated(3, topics=4)
    some = {name: column[:-1] for name, column in entries(case).items()}
    study = health(case.judgments, as_dicts(case), entries=some, measure="P@5", rel=2, depth=5, command="me")
    assert study["reuse"].caption.startswith("P@5 under the pool to depth 5")
    assert any("no group" in note for note in study["unjudged"].notes)
    assert study.made_by is not None
    assert study.made_by.command == "me"
    assert [source.kind for source in study.made_by.inputs][-1] == "entries"


def test_a_value_that_does_not_exist_leaves_the_sentence_to_the_unjudged() -> None:
    # Without what x alone has, nothing is relevant: there is no rank at which a first relevant document stands.
    qrels = {"1": {"a": 1, "b": 0}}
    runs = {"x": {"1": {"a": 2.0, "b": 1.0}}, "y": {"1": {"b": 2.0, "c": 1.0}}}
    study = health(qrels, runs, measure="ESL")
    assert None in study["reuse"].cells("difference")
    assert study.charts == ("unjudged",)
    assert study.sentence == unjudged_sentence(study["unjudged"])


def test_what_is_refused() -> None:
    with pytest.raises(cf.ParameterError, match="grade 0"):
        health({"1": {"a": 1}}, {"x": {"1": {"a": 1.0}}}, rel=0)


@pytest.mark.shared
def test_a_real_campaign(shared_data: Path) -> None:
    case = covid(shared_data / "trec-covid", depth=20)
    study = health(case.judgments, as_dicts(case), entries=entries(case), depth=20)
    assert study["reuse"].cells("unique") == sorted(study["reuse"].cells("unique"), reverse=True)  # type: ignore[type-var]
    assert len(study["reuse"]) == 9


def test_the_quick_part_counts_in_the_topics_of_the_values_alone() -> None:
    qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 0}}
    runs = {"r": {"1": {"a": 3.0, "x": 2.0, "y": 1.0}, "2": {"a": 2.0, "z": 1.0}}}
    values = evaluate(qrels, runs, "AP")
    both = {row["k"]: row["unjudged"] for row in unjudged(values)["unjudged"].rows()}
    first = {row["k"]: row["unjudged"] for row in unjudged(values.only(["1"]))["unjudged"].rows()}
    assert both[5] == 3  # x and y of topic 1, z of topic 2
    assert first[5] == 2
    with pytest.raises(ParameterError, match="does not say what was judged"):
        unjudged(read_scores({"topic": ["1", "2"], "r": [0.1, 0.2]}))
