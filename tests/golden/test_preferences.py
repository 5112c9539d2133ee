"""Preference measures beside what trec_eval printed for its own test files."""

from pathlib import Path

import pytest

from cranfield.data import read_run
from cranfield.measures import parse_preference_measure, preference_values

STEMS = [f"prefs_{what}{way}" for what in ("simp", "pair", "avgjg") for way in ("", "_ret", "_imp")]
FILES = [
    ("out.test.prefs", "prefs.test", "prefs.results.test"),
    ("out.test.qrels_prefs", "qrels.test", "results.test"),
]


@pytest.mark.parametrize(("said", "judged", "run"), FILES)
def test_every_topic_has_the_value_that_trec_eval_printed(shared_data: Path, said: str, judged: str, run: str) -> None:
    folder = shared_data / "small-collections" / "trec_eval-test"
    lines = [line.split() for line in (folder / said).read_text().splitlines()]
    printed = {(name, topic): number for name, topic, number in lines if name in STEMS}
    values = preference_values(folder / judged, folder / run, STEMS, ties="docno-asc")
    retrieved = set(read_run(folder / run).topics.to_list())  # trec_eval leaves out what a run misses
    for i, stem in enumerate(STEMS):
        mine = dict(zip(values.topics, values.cube[0, :, i].tolist(), strict=True))
        mine = {topic: value for topic, value in mine.items() if topic in retrieved}
        assert {topic: f"{value:.4f}" for topic, value in mine.items()} == {
            topic: number for (name, topic), number in printed.items() if name == stem and topic != "all"
        }
        assert f"{sum(mine.values()) / len(mine):.4f}" == printed[stem, "all"]


def test_names_of_trec_eval_are_understood() -> None:
    assert [str(parse_preference_measure(stem)) for stem in STEMS[:4]] == [
        *("PrefSimp", "PrefSimp(count='both')", "PrefSimp(count='either')", "PrefPair"),
    ]
    assert [str(parse_preference_measure(stem)) for stem in STEMS[6:8]] == ["PrefGroup", "PrefGroup(count='both')"]
