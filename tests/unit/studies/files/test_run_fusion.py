"""cf.fuse: from anything that is a run to one run."""

import subprocess
import sys
from pathlib import Path

import pytest

import cranfield as cf
from cranfield.core import InputError, ParameterError
from cranfield.fusion import RRF
from tests.support.reference.fusion_definitions import as_scores, drawn, fused, ordered


def lines(scores: dict[str, dict[str, float]]) -> str:
    return "".join(f"{t} Q0 {d} 1 {s!r} x\n" for t, row in scores.items() for d, s in row.items())


def test_files_frames_and_dicts(tmp_path: Path) -> None:
    given = drawn(11, runs=3).scores
    (tmp_path / "a.txt").write_text(lines(given[0]))
    rows = [(t, d, s) for t, row in given[1].items() for d, s in row.items()]
    frame = dict(zip(("topic", "document", "score"), map(list, zip(*rows, strict=True)), strict=True))
    run = cf.fuse({"a": tmp_path / "a.txt", "b": frame, "c": given[2]})
    expected = fused(given, "rrf")
    assert (run.name, run.source.tag) == ("rrf", "rrf")
    for topic, scores in as_scores(run).items():
        assert scores == pytest.approx(expected[topic], rel=1e-12)
        assert list(scores) == ordered(scores)


def test_a_folder_and_progress(tmp_path: Path) -> None:
    for name, scores in zip("abc", drawn(12, runs=3).scores, strict=True):
        (tmp_path / f"{name}.run").write_text(lines(scores))
    seen: list[tuple[int, int]] = []
    run = cf.fuse(str(tmp_path), method=RRF(k=1), name="all", progress=lambda done, all_: seen.append((done, all_)))
    assert seen == [(1, 3), (2, 3), (3, 3)]
    assert run.name == "all"


def test_depth_is_of_the_runs_and_of_the_result() -> None:
    given = drawn(13, runs=3).scores
    run = as_scores(cf.fuse(dict(zip("abc", given, strict=True)), method="isr", depth=2))
    whole = fused(given, "isr", depth=2)
    for topic, scores in whole.items():
        assert run[topic] == pytest.approx({d: scores[d] for d in ordered(scores)[:2]}, rel=1e-12)
    everything = cf.fuse(dict(zip("abc", given, strict=True)), depth=None)
    assert len(everything) == len({(t, d) for scores in given for t, row in scores.items() for d in row})


def test_ties_are_of_the_runs() -> None:
    a, b = {"1": {"x": 1.0, "y": 1.0}}, {"1": {"x": 1.0}}
    assert as_scores(cf.fuse([a, b], method="isr"))["1"] == {"x": 2 * (1 / 4 + 1), "y": 1.0}
    assert as_scores(cf.fuse([a, b], method="isr", ties="docno-asc"))["1"] == {"x": 4.0, "y": 1 / 4}


def test_topics_that_some_runs_lack() -> None:
    a = {str(topic): {"x": 1.0} for topic in range(1, 7)}
    b = {"1": {"x": 2.0, "y": 1.0}}
    c = {str(topic): {"y": 1.0} for topic in range(2, 8)}
    run = cf.fuse({"a": a, "b": b, "c": c})
    assert run.topics.to_list() == ["1", "2", "3", "4", "5", "6", "7"]
    assert as_scores(run)["7"] == {"y": 1 / 61}
    assert [(p.file, p.code, p.message) for p in run.source.problems.kept] == [
        ("a", "W-MISSING", "1 of 7 topics is missing (7)"),
        ("b", "W-MISSING", "6 of 7 topics are missing (2, 3, 4 and 3 more)"),
        ("c", "W-MISSING", "1 of 7 topics is missing (1)"),
    ]
    assert run.source.problems.counts == (("W-MISSING", 3),)
    assert cf.fuse([a, a]).source.problems.counts == ()


@pytest.mark.parametrize("runs", [[], [{"1": {"a": 1.0}}], {"only": {"1": {"a": 1.0}}}])
def test_one_run_is_not_enough(runs: object) -> None:
    with pytest.raises(ParameterError, match=r"^(no runs|1 run) cannot be fused") as caught:
        cf.fuse(runs)
    assert caught.value.hint == "give two runs or more"


def test_a_run_of_other_topics_is_refused() -> None:
    a = {"1": {"x": 1.0}, "2": {"x": 1.0}}
    other = {str(topic): {"x": 1.0} for topic in (7, 8, 9, 10)}
    with pytest.raises(InputError) as caught:
        cf.fuse({"a": a, "b": a, "other": other})
    assert caught.value.problem == "other: no topic of the run is in another run (it has 7, 8, 9 and 1 more)"
    assert caught.value.hint == "the others have 1, 2: do they belong together?"
    assert (caught.value.code, caught.value.file) == ("E-TOPICS", "other")


def test_the_method_is_looked_at_before_anything_is_read() -> None:
    with pytest.raises(cf.UnknownName, match="no fusion named 'borda'"):
        cf.fuse(["missing.txt", "missing-too.txt"], method="borda")
    with pytest.raises(ParameterError, match="ties=average is not an order of ties"):
        cf.fuse([{"1": {"a": 1.0}}, {"1": {"a": 1.0}}], ties="average")
    with pytest.raises(ParameterError, match="cannot be cut at depth 0"):
        cf.fuse([{"1": {"a": 1.0}}, {"1": {"a": 1.0}}], depth=0)


def test_a_start_does_not_wait_for_fusion() -> None:
    script = "import sys, cranfield; print([name for name in sys.modules if 'fus' in name or 'named' in name])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "[]\n"


def test_a_fused_run_is_evaluated_like_any_other() -> None:
    qrels = {"1": {"a": 1, "b": 0}}
    a, b = {"1": {"b": 2.0, "a": 1.0}}, {"1": {"a": 2.0, "c": 1.0}}
    values = cf.evaluate(qrels, {"a": a, "b": b, "both": cf.fuse([a, b])}, "RR")
    assert values.cube[:, 0, 0].tolist() == [1 / 2, 1, 1]
