"""Runs that are alike: against rank-biased overlap topic by topic, and against all pairs without a filter."""

from itertools import combinations
from random import Random

import pytest

from cranfield.core import ParameterError, Table
from cranfield.data import Run, read_run
from cranfield.measures import check_overlap, duplicates_sentence, duplicates_table, may_overlap, rbo

Rankings = dict[str, list[str]]


def run(name: str, rankings: Rankings) -> Run:
    return read_run({t: {d: -float(i) for i, d in enumerate(ds)} for t, ds in rankings.items()}, name=name)


def campaign(seed: int, *, runs: int = 8, topics: int = 4, deep: int = 30) -> dict[str, Rankings]:
    """Runs of which some are near copies of others, some shorter, some without a topic."""
    draw = Random(seed)
    found: dict[str, Rankings] = {}
    for r in range(runs):
        copied = found.get(f"r{draw.randrange(r)}") if r and draw.random() < 0.7 else None
        mine = {f"t{t}": draw.sample([f"d{i}" for i in range(60)], deep) for t in range(topics)}
        if copied:
            mine = {t: list(ds) for t, ds in copied.items()}
            for _ in range(draw.randrange(4)):
                ds = mine[draw.choice(list(mine))]
                i = draw.randrange(len(ds) - 1)
                ds[i], ds[i + 1] = ds[i + 1], ds[i]
        if draw.random() < 0.3:
            t = draw.choice(list(mine))
            mine[t] = mine[t][: draw.randrange(2, deep)]
        if draw.random() < 0.15:
            del mine[draw.choice(list(mine))]
        found[f"r{r}"] = mine
    return found


def mean(a: Rankings, b: Rankings, p: float) -> float:
    """The mean over the topics that either has; one that only one has counts 0."""
    topics = {*a, *b}
    return sum(rbo(a[t], b[t], p=p).extrapolated for t in topics if t in a and t in b) / len(topics)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("p", "most"), [(0.98, 0.999), (0.9, 0.95), (0.7, 0.6)])
def test_pairs_by_loops(seed: int, p: float, most: float) -> None:
    found = campaign(seed)
    runs = [run(name, rankings) for name, rankings in found.items()]
    pairs = list(combinations(range(len(runs)), 2))
    near = may_overlap([one.first(10) for one in runs], pairs, p=p, most=most)
    table = duplicates_table(dict(enumerate(runs)), near, p=p, most=most)
    wanted = {
        (a, b): (found[a] == found[b], mean(found[a], found[b], p), len({*found[a], *found[b]}))
        for a, b in combinations(found, 2)
        if found[a] == found[b] or mean(found[a], found[b], p) > most
    }
    rows = table.rows()
    assert {(row["a"], row["b"]) for row in rows} == set(wanted)
    for row in rows:
        equal, overlap, topics = wanted[str(row["a"]), str(row["b"])]
        assert (row["equal"], row["topics"]) == (equal, topics)
        assert row["rbo"] == pytest.approx(overlap, abs=1e-12)
    assert rows == sorted(rows, key=lambda row: (not row["equal"], -row["rbo"]))  # type: ignore[operator]


def test_some_are_alike_and_some_are_sorted_out_by_their_first_documents() -> None:
    runs = [run(name, rankings) for name, rankings in campaign(0, runs=12).items()]
    pairs = list(combinations(range(12), 2))
    near = may_overlap([one.first(10) for one in runs], pairs, p=0.98, most=0.999)
    assert 0 < len(near) < len(pairs) / 2


def test_scores_and_the_order_of_topics_do_not_matter() -> None:
    a = read_run({"1": {"x": 9.0, "y": 8.0}, "2": {"z": 1.0}}, name="a")
    b = read_run({"2": {"z": 70.0}, "1": {"x": 0.2, "y": 0.1}}, name="b")
    c = read_run({"1": {"y": 9.0, "x": 8.0}, "2": {"z": 1.0}}, name="c")
    runs = {4: a, 7: b, 9: c}
    rows = duplicates_table(runs, [(4, 7), (4, 9)], p=0.9, most=0.999, groups={"a": "g"}).rows()
    told = {"a": "a", "b": "b", "group_a": "g", "group_b": None, "equal": True, "rbo": 1.0, "topics": 2}
    assert rows == [told]


def test_no_pairs_are_no_rows() -> None:
    assert may_overlap([], [], p=0.9, most=0.9) == []
    assert len(duplicates_table({}, [], p=0.9, most=0.9)) == 0


@pytest.mark.parametrize(
    ("p", "most", "depth", "problem"),
    [
        (1.0, 0.9, 10, "rank-biased overlap cannot have p=1.0"),
        (0.9, 0.0, 10, "an overlap cannot exceed 0.0"),
        (0.9, 1.5, 10, "an overlap cannot exceed 1.5"),
        (0.9, 0.9, 0, "rankings cannot be cut at depth 0"),
    ],
)
def test_what_cannot_be(p: float, most: float, depth: int, problem: str) -> None:
    with pytest.raises(ParameterError, match=problem):
        check_overlap(p, most, depth)


def test_sentences() -> None:
    def said(equal: int, near: int, pairs: int, *, grouped: bool) -> str:
        many = equal + near
        kinds = [True] * equal + [False] * near
        table = Table({"a": ["x"] * many, "b": ["y"] * many, "equal": kinds})
        return duplicates_sentence(table, pairs, most=0.999, grouped=grouped)

    assert said(0, 0, 1, grouped=False) == "None of 1 pair of runs is equal or overlaps by more than 0.999."
    assert said(0, 0, 1200, grouped=True).startswith("None of 1,200 pairs of runs of different groups is equal")
    assert said(1, 2, 9, grouped=False) == (
        "Of 9 pairs of runs, 1 is equal and 2 overlap by more than 0.999; most alike are x and y."
    )
    assert said(2, 0, 9, grouped=True) == "Of 9 pairs of runs of different groups, 2 are equal; most alike are x and y."
    assert said(0, 1, 1, grouped=False) == "Of 1 pair of runs, 1 overlaps by more than 0.999; most alike are x and y."
