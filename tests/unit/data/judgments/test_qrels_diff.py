"""What differs between two sets of judgments, against dicts."""

from random import Random

import numpy as np
import pytest

from cranfield.core import ParameterError, Provenance
from cranfield.data import Qrels, Strings, judgments_table, read_qrels
from cranfield.data.files.data_source import Source


def test_judgments_are_added_removed_raised_lowered_or_the_same() -> None:
    before = {"1": {"a": 0, "b": 1, "c": 2, "d": -1}, "2": {"a": 1}}
    after = {"1": {"a": 1, "b": 0, "c": 2, "d": 1, "e": -1}, "3": {"a": 1}}
    # a raised, b lowered, c the same; d was no judgment and is one; e is none; topic 2 is gone, topic 3 is new.
    table = judgments_table(read_qrels(before), read_qrels(after), made_by=Provenance(command="me"))
    assert table.columns == ("what", "count")
    found = dict(zip(table.cells("what"), table.cells("count"), strict=True))
    assert found == {"added": 2, "removed": 1, "raised": 1, "lowered": 1, "same": 1}
    assert table.made_by == Provenance(command="me")


@pytest.mark.parametrize("seed", range(3))
def test_by_loops(seed: int) -> None:
    draw = Random(seed)
    sides = [
        {str(t): {f"d{d}": draw.randint(-1, 2) for d in range(30) if draw.random() < 0.7} | {"x": 0} for t in range(4)}
        for _ in range(2)
    ]
    counts = dict.fromkeys(("added", "removed", "raised", "lowered", "same"), 0)
    for topic in sides[0]:
        for document in {*sides[0][topic], *sides[1][topic]}:
            old, new = (side[topic].get(document, -1) for side in sides)
            if old < 0 and new < 0:
                continue
            what = "added" if old < 0 else "removed" if new < 0 else "same" if old == new else None
            counts[what or ("raised" if new > old else "lowered")] += 1
    table = judgments_table(*(read_qrels(side) for side in sides))
    assert dict(zip(table.cells("what"), table.cells("count"), strict=True)) == counts


def test_subtopics_are_refused() -> None:
    twice = Qrels(
        Strings(["1"]),
        np.zeros(2, np.uint32),
        Strings(["a", "a"]),
        np.ones(2),
        Strings(["1", "2"]),
        np.array([0, 1], np.uint32),
        Source("web.txt", "", "qrels"),
    )
    with pytest.raises(ParameterError, match=r"web\.txt: a document is judged for several subtopics"):
        judgments_table(twice, twice)
