"""Diversity as ndeval has it."""

from pathlib import Path

import pytest

from cranfield.data import Assessed, assess, read_qrels
from cranfield.measures import measure_all, parse_measure
from tests.support.golden.diversity_inputs import judgments, run
from tests.support.golden.golden_values import EXACT, golden, said


@pytest.fixture(scope="module")
def assessed() -> Assessed:
    topic, subtopic, document, grade = map(list, zip(*judgments(), strict=True))
    qrels = {"topic": topic, "subtopic": subtopic, "document": document, "grade": grade}
    topics, documents, scores = map(list, zip(*run(), strict=True))
    ranked = {"topic": topics, "document": documents, "score": scores}
    return assess(read_qrels(qrels, subtopics=True), {"run": ranked})


# Where its loop begins at the second rank, ndeval forgets to divide: these are sums over subtopics at rank 1.
FORGOTTEN = [name for name in golden("pyndeval") if name.startswith(("alpha_DCG", "ERR_IA")) and name.endswith("@1")]


@pytest.mark.parametrize("name", [name for name in golden("pyndeval") if name not in FORGOTTEN])
def test_we_say_what_ndeval_says(name: str, assessed: Assessed) -> None:
    theirs = {topic: 0.0 if value is None else value for topic, value in golden("pyndeval")[name].items()}
    assert said(assessed, name) == pytest.approx(theirs, rel=EXACT, abs=EXACT)


def test_only_where_nothing_is_relevant_it_has_no_value(assessed: Assessed) -> None:
    empty = {topic for topic, _, _, grade in judgments() if grade > 0}
    for name, values in golden("pyndeval").items():
        none = {topic for topic, value in values.items() if value is None}
        assert none == (set(assessed.topics) - empty if name.startswith("nNRBP") else set()), name


@pytest.mark.parametrize("name", FORGOTTEN)
def test_at_rank_1_it_does_not_divide_by_the_number_of_subtopics(name: str, assessed: Assessed) -> None:
    rel = getattr(parse_measure(name), "rel", 1)
    number = {
        topic: len({s for t, s, _, grade in judgments() if t == topic and grade >= rel}) for topic in assessed.topics
    }
    ours = {topic: value * number[topic] for topic, value in said(assessed, name).items()}
    assert ours == pytest.approx(golden("pyndeval")[name], rel=EXACT, abs=EXACT)


# Means over the 50 topics of TREC 2012's web track that pyndeval 0.0.8 gives for two runs; its ties are ascending.
WEB_2012 = {
    "indri-ql-cata-filtered": {
        "ERR_IA@20": 0.29043183221941665,
        "alpha_nDCG@20": 0.3940672042676405,
        "nERR_IA@5": 0.28410659701147756,
        "alpha_DCG@10": 0.32816771554018553,
        "AP_IA": 0.08026897331120711,
        "P_IA@20": 0.16321666666666665,
        "StRecall@10": 0.5826666666666667,
    },
    "indri-rm-cata-filtered": {
        "ERR_IA@20": 0.29783544525730216,
        "alpha_nDCG@20": 0.4011365342107993,
        "nERR_IA@5": 0.2927055839362604,
        "alpha_DCG@10": 0.3395102548031344,
        "AP_IA": 0.08173087135430705,
        "P_IA@20": 0.17373333333333335,
        "StRecall@10": 0.611,
    },
}


@pytest.mark.parametrize("name", WEB_2012)
def test_the_web_track_of_2012(name: str, shared_data: Path) -> None:
    folder = shared_data / "diversity-web12"
    qrels = read_qrels(folder / "qrels-for-ndeval.txt.gz", subtopics=True)
    values = measure_all(assess(qrels, folder / f"{name}.run.gz", ties="docno-asc"), list(WEB_2012[name]))
    assert len(values.topics) == 50
    assert values.aggregate()[0].tolist() == pytest.approx(list(WEB_2012[name].values()), rel=EXACT)
