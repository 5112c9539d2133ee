"""Preferences with as many nonrelevant documents as relevant ones, beside what trec_eval printed for its test files.

trec_eval describes these measures in its help, and counts otherwise in four places. ``as_counted`` goes through the
documents as its program does; without the ``slips`` it does what the help says. With them it gives every number that
trec_eval printed, without them every one of ours: so the two differ in these places, and in no other.
"""

from pathlib import Path

import numpy as np
import pytest

from cranfield.data import Preferences, read_preferences, read_run
from cranfield.measures import preference_values

FILES = [
    ("out.test.prefs", "prefs.test", "prefs.results.test"),
    ("out.test.qrels_prefs", "qrels.test", "results.test"),
]
NAMES = {"prefs_avgjg_Rnonrel": False, "prefs_avgjg_Rnonrel_ret": True}
Group = dict[str, dict[str, float]]  # part → document → level


def as_counted(groups: list[Group], ranking: list[str], *, ret: bool, slips: bool) -> float:
    """The mean over groups; where a group has no preference the program divides by 0, and the topic has 0."""
    documents = dict.fromkeys(document for parts in groups for part in parts.values() for document in part)
    retrieved = [document for document in ranking if document in documents]
    rank = {document: i for i, document in enumerate([*retrieved, *(d for d in documents if d not in set(retrieved))])}
    counts = [of_group(parts, rank, len(retrieved), ret=ret, slips=slips) for parts in groups]
    if slips and not all(possible for _, possible in counts):
        return 0.0
    return sum(fulfilled / possible if possible else 0 for fulfilled, possible in counts) / len(groups)


def of_group(parts: Group, rank: dict[str, int], last: int, *, ret: bool, slips: bool) -> tuple[int, int]:
    """How many preferences of a group are fulfilled, and how many are possible; ``last`` documents are retrieved."""
    level = {document: grade for part in parts.values() for document, grade in part.items()}
    lowest = [(part, min(part.values())) for part in parts.values()]
    better = [(part, a) for part, least in lowest for a in part if part[a] > least]
    wins = {(a, b) for part, a in better for b in part if part[a] > part[b]}
    while more := {(a, d) for a, b in wins for c, d in wins if b == c} - wins if len(parts) > 1 else set():
        wins |= more
    shown = [document for document in level if not ret or rank[document] < last]
    relevant = [document for document in shown if level[document] > 0]
    others = sorted((document for document in shown if level[document] <= 0), key=rank.__getitem__)
    more_than_enough = len(others) > len(relevant)
    every = sum(grade > 0 for grade in level.values())
    enough = every if slips and ret and len(parts) > 1 else len(relevant)  # the number retrieved was meant
    left_out = set(others[enough:]) if more_than_enough else set()
    left = set(shown) - left_out
    kept = [(a, b) for a, b in wins if a in left and b in left]
    fulfilled, possible = sum(rank[a] < rank[b] and rank[a] < last for a, b in kept), len(kept)
    if not more_than_enough:
        made_up = len(relevant) - len(others)
        above = sum(rank[document] < last for document in relevant)
        # Those of all relevant documents, of which only the retrieved ones were meant.
        return fulfilled + above * made_up, possible + (every if slips else len(relevant)) * made_up
    if slips and len(parts) == 1:  # nonrelevant documents are taken to be preferred to those that are kept
        beside = [(a, b) for a in others for b in others[: len(relevant)]]
        fulfilled += sum(rank[a] < rank[b] and rank[a] < last for a, b in beside)
        possible += len(beside)
    return fulfilled, possible


def groups_of(path: Path) -> dict[str, list[Group]]:
    """The groups of every topic."""
    topics: dict[str, dict[str, Group]] = {}
    for line in path.read_text().splitlines():
        topic, group, *part, document, level = line.split()
        parts = topics.setdefault(topic, {}).setdefault(group, {})
        parts.setdefault(part[0] if part else "0", {})[document] = float(level)
    return {topic: list(groups.values()) for topic, groups in topics.items()}


@pytest.mark.parametrize(("said", "judged", "run"), FILES)
@pytest.mark.parametrize(("name", "ret"), NAMES.items())
def test_where_we_differ_from_trec_eval_is_known(
    shared_data: Path, said: str, judged: str, run: str, name: str, ret: bool
) -> None:
    folder = shared_data / "small-collections" / "trec_eval-test"
    lines = [line.split() for line in (folder / said).read_text().splitlines()]
    printed = {topic: number for which, topic, number in lines if which == name and topic != "all"}
    values = preference_values(folder / judged, folder / run, [name], ties="docno-asc")
    ours = dict(zip(values.topics, values.cube[0, :, 0].tolist(), strict=True))
    groups, ranked = groups_of(folder / judged), read_run(folder / run, ties="docno-asc").by_topic()
    assert printed
    for topic, number in printed.items():
        theirs = as_counted(groups[topic], ranked[topic], ret=ret, slips=True)
        meant = as_counted(groups[topic], ranked[topic], ret=ret, slips=False)
        assert f"{theirs:.4f}" == number, topic
        assert ours[topic] == pytest.approx(meant, abs=1e-12), topic


def test_where_the_program_does_what_it_says_the_numbers_are_those_it_printed(shared_data: Path) -> None:
    # No group of these topics has more nonrelevant documents than relevant ones.
    folder = shared_data / "small-collections" / "trec_eval-test"
    lines = [line.split() for line in (folder / "out.test.prefs").read_text().splitlines()]
    printed = {topic: number for which, topic, number in lines if which == "prefs_avgjg_Rnonrel"}
    values = preference_values(
        folder / "prefs.test", folder / "prefs.results.test", ["prefs_avgjg_Rnonrel"], ties="docno-asc"
    )
    retrieved = set(read_run(folder / "prefs.results.test").topics.to_list())
    found = {t: v for t, v in zip(values.topics, values.cube[0, :, 0].tolist(), strict=True) if t in retrieved}
    assert {topic: f"{value:.4f}" for topic, value in found.items()} | {
        "all": f"{sum(found.values()) / len(found):.4f}"
    } == printed


def _pairs(given: Preferences, topic: str) -> list[set[tuple[str, str]]]:
    """What each group prefers to what."""
    names = given.documents[topic]
    return [{(names[a], names[b]) for a, b in np.argwhere(wins)} for wins in given.wins[topic]]


def test_one_and_the_same_preferences_have_two_values_in_trec_eval(shared_data: Path) -> None:
    # Topics 24 and 34 hold the same preferences, in one part and in several.
    folder = shared_data / "small-collections" / "trec_eval-test"
    given = read_preferences(folder / "prefs.test")
    same = [sorted(map(sorted, _pairs(given, topic))) for topic in ("24.EC.mg", "34.PA.mg")]
    assert same[0] == same[1]
    lines = [line.split() for line in (folder / "out.test.prefs").read_text().splitlines()]
    printed = {topic: number for which, topic, number in lines if which == "prefs_avgjg_Rnonrel_ret"}
    assert (printed["24.EC.mg"], printed["34.PA.mg"]) == ("0.4810", "0.6476")
    values = preference_values(
        folder / "prefs.test", folder / "prefs.results.test", ["prefs_avgjg_Rnonrel_ret"], ties="docno-asc"
    )
    ours = dict(zip(values.topics, values.cube[0, :, 0].tolist(), strict=True))
    assert ours["24.EC.mg"] == pytest.approx(ours["34.PA.mg"], abs=1e-12)
