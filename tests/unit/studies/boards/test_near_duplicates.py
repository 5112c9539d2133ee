"""Which runs are the same: files, frames and dicts, of all or of different groups."""

from pathlib import Path

import pytest

import cranfield as cf
from cranfield.data import read_run
from cranfield.studies import duplicates

DOCUMENTS = [f"d{i:02}" for i in range(30)]


def ranking(*, swap: int | None = None, turned: bool = False) -> dict[str, dict[str, float]]:
    documents = DOCUMENTS[::-1] if turned else list(DOCUMENTS)
    if swap is not None:
        documents[swap], documents[swap + 1] = documents[swap + 1], documents[swap]
    return {str(t): {d: 100.0 - i for i, d in enumerate(documents)} for t in range(3)}


RUNS = {
    "a": ranking(),
    "copy": {t: {d: s / 7 for d, s in ds.items()} for t, ds in ranking().items()},
    "near": ranking(swap=25),
    "other": ranking(turned=True),
}
TEAMS = {"a": "one", "copy": "two", "near": "one", "other": "three"}


def named(study: cf.Study) -> list[tuple[object, object, object]]:
    return [(row["a"], row["b"], row["equal"]) for row in study["pairs"].rows()]


def test_equal_runs_and_near_ones() -> None:
    study = duplicates(RUNS)
    assert named(study) == [("a", "copy", True), ("a", "near", False), ("copy", "near", False)]
    # One swap at ranks 26 and 27: at depth 26 they share 25 of 26 documents, elsewhere all.
    lost = 0.02 * 0.98**25 / 26
    assert study["pairs"].cells("rbo")[1] == pytest.approx(1 - lost)
    assert study.verdict is not None
    assert (study.verdict["pairs"], study.verdict["alike"], study.verdict["equal"]) == (6, 3, 1)
    assert study.sentence == (
        "Of 6 pairs of runs, 1 is equal and 2 overlap by more than 0.999; most alike are a and copy."
    )
    assert duplicates(RUNS, depth=20)["pairs"].cells("equal") == [True, True, True]
    assert named(duplicates(RUNS, most=1)) == [("a", "copy", True)]
    assert len(duplicates(RUNS, most=0.9999, p=0.5)["pairs"]) == 3


def test_runs_of_one_group_are_not_compared() -> None:
    for groups in (TEAMS, {"run": list(TEAMS), "group": list(TEAMS.values())}):
        study = duplicates(RUNS, groups=groups)
        assert named(study) == [("a", "copy", True), ("copy", "near", False)]
        assert study["pairs"].cells("group_a") == ["one", "two"]
        assert "of different groups" in study.sentence
    # Nobody knows whose "near" is: it may be anybody's.
    assert named(duplicates(RUNS, groups={**TEAMS, "near": None}))[1:] == [
        ("a", "near", False),
        ("copy", "near", False),
    ]


def test_one_run_against_the_others() -> None:
    study = duplicates(RUNS, against="copy", groups=TEAMS)
    assert named(study) == [("copy", "a", True), ("copy", "near", False)]
    assert study.verdict is not None
    assert study.verdict["pairs"] == 3
    assert duplicates(RUNS, against="other").sentence == (
        "None of 3 pairs of runs is equal or overlaps by more than 0.999."
    )
    with pytest.raises(cf.ParameterError, match="nobody"):
        duplicates(RUNS, against="nobody")


def test_files_runs_and_dicts_are_the_same(tmp_path: Path) -> None:
    for name, rankings in RUNS.items():
        lines = [f"{t} Q0 {d} {i} {s} tag\n" for t, ds in rankings.items() for i, (d, s) in enumerate(ds.items(), 1)]
        (tmp_path / f"{name}.txt").write_text("".join(lines))
    files, read = duplicates(tmp_path), duplicates([read_run(one, name=name) for name, one in RUNS.items()])
    assert files["pairs"].rows() == read["pairs"].rows() == duplicates(RUNS)["pairs"].rows()
    assert files.made_by is not None
    assert len(files.made_by.inputs) == 4


def test_a_run_from_standard_input_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    text = "".join(f"1 Q0 {d} {i} {100 - i} tag\n" for i, d in enumerate(DOCUMENTS, 1))
    (tmp_path / "other.txt").write_text(text)
    read, write = os.pipe()
    os.write(write, text.encode())
    os.close(write)
    kept = os.dup(0)
    os.dup2(read, 0)
    try:
        study = duplicates(["-", tmp_path / "other.txt"])
    finally:
        os.dup2(kept, 0)
        os.close(kept)
        os.close(read)
    assert study["pairs"].cells("equal") == [True]


def test_what_is_refused() -> None:
    with pytest.raises(cf.ParameterError, match="p=0"):
        duplicates(RUNS, p=0)
    with pytest.raises(cf.ParameterError, match="depth 0"):
        duplicates(RUNS, depth=0)


@pytest.mark.shared
def test_real_runs_are_all_different(shared_data: Path) -> None:
    runs = shared_data / "trec-covid" / "runs"
    study = duplicates(runs, most=0.5)
    assert study.verdict is not None
    assert study.verdict["pairs"] == 22 * 21 // 2
    assert study.verdict["equal"] == 0
    from cranfield.measures import overlap_by_topic

    row = study["pairs"].rows()[0]
    one, other = (read_run(runs / f"{row[side]}.gz", depth=1000) for side in ("a", "b"))
    found = [value or 0.0 for value in overlap_by_topic(one, other, p=0.98).cells("extrapolated")]
    assert row["rbo"] == pytest.approx(sum(map(float, found)) / len(found))  # type: ignore[arg-type]
