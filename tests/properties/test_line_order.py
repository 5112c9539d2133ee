"""The order of lines in a file changes no result, whatever is drawn."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import cranfield as cf

TOPICS = [f"q{i}" for i in range(1, 25)]
RUNS = ("a", "b", "c")


def _files(folder: Path, order: random.Random | None) -> tuple[str, list[str], str]:
    """Write judgments, runs and scores, always the same, with lines in another order where one is given."""
    data = random.Random(3)
    judged = [f"{topic} 0 d{d} {data.choice([0, 0, 1, 2])}" for topic in TOPICS for d in range(12)]
    runs = {
        run: [f"{topic} Q0 d{d} 1 {data.random():.6f} {run}" for topic in TOPICS for d in data.sample(range(15), 9)]
        for run in RUNS
    }
    scores = [",".join([topic, *(f"{data.random():.4f}" for _ in RUNS)]) for topic in TOPICS]
    for lines in (judged, *runs.values(), scores):
        if order is not None:
            order.shuffle(lines)
    folder.mkdir()
    (folder / "qrels.txt").write_text("\n".join(judged) + "\n")
    for run, lines in runs.items():
        (folder / f"{run}.txt").write_text("\n".join(lines) + "\n")
    (folder / "scores.csv").write_text("\n".join(["topic," + ",".join(RUNS), *scores]) + "\n")
    return str(folder / "qrels.txt"), [str(folder / f"{run}.txt") for run in RUNS], str(folder / "scores.csv")


def _first(values: Any) -> str | None:
    return None if isinstance(values, str) else str(values.measures[0])


DRAWN = "randomisation bootstrap max-t randomised-tukey"
STUDIES: dict[str, Callable[[Any], Any]] = {
    "test": lambda values: cf.test(values, DRAWN, draws=500, swaps=True, rope=0.01),
    "compare": lambda values: cf.compare(values, "bootstrap", draws=500),
    "leaderboard": lambda values: cf.leaderboard(values, test="max-t", draws=500, robust=True),
    "private": lambda values: cf.leaderboard(values, private=["q20", "q3", "q11", "q4"], draws=500),
    "agreement": lambda values: cf.agreement(values, DRAWN.split()[:2], splits=20, draws=200),
    "anova": lambda values: cf.anova(values, bootstrap=True, draws=200, measure=_first(values)),
}
NEED_RUNS: dict[str, Callable[[str, list[str]], Any]] = {
    "flips": lambda qrels, runs: cf.leaderboard(cf.evaluate(qrels, runs, "AP"), flips=[0.1, 0.3], draws=200),
    "novelty": lambda qrels, runs: cf.novelty(cf.evaluate(qrels, runs, "nDCG@5"), interval="percentile"),
    "reproduce": lambda qrels, runs: cf.reproduce(qrels, runs[1:], originals=runs[:1], draws=500),
    "ties": lambda qrels, runs: cf.evaluate(qrels, runs, "AP", ties="average").in_topic_order().study(per_topic=True),
}


def _tables(study: Any) -> dict[str, Any]:
    """Return the cells of all tables, numbers to twelve digits, as sums round."""
    return {name: [list(map(_shown, row.values())) for row in table.rows()] for name, table in study.tables.items()}


def _shown(cell: Any) -> Any:
    return f"{cell:.12g}" if isinstance(cell, float) else cell


@pytest.mark.parametrize("name", STUDIES)
def test_the_order_of_lines_changes_no_draw(name: str, tmp_path: Path) -> None:
    plain, mixed = _files(tmp_path / "plain", None), _files(tmp_path / "mixed", random.Random(9))
    for read in (lambda files: cf.evaluate(files[0], files[1], "AP nDCG@5"), lambda files: files[2]):
        one, other = (_tables(STUDIES[name](read(files))) for files in (plain, mixed))
        assert one == other


@pytest.mark.parametrize("name", NEED_RUNS)
def test_the_order_of_lines_changes_no_draw_that_needs_rankings(name: str, tmp_path: Path) -> None:
    plain, mixed = _files(tmp_path / "plain", None), _files(tmp_path / "mixed", random.Random(9))
    one, other = (_tables(NEED_RUNS[name](files[0], files[1])) for files in (plain, mixed))
    assert one == other


def _labels(order: random.Random | None) -> dict[str, list[Any]]:
    """Return labels of seven workers, and their votes between documents."""
    data = random.Random(5)
    rows = [
        (topic, f"d{d}", f"w{worker}", (d + (data.random() < 0.3)) % 2, f"d{d + 1}", data.choice("abn"))
        for topic in TOPICS[:9]
        for d in range(6)
        for worker in data.sample(range(7), 3)
    ]
    if order is not None:
        order.shuffle(rows)
    names = ("topic", "document", "worker", "grade", "b", "vote")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


@pytest.mark.parametrize("method", ["mace", "glad", "dawid-skene"])
def test_the_order_of_labels_changes_no_draw(method: str) -> None:
    studies = []
    for order in (None, random.Random(9)):
        labels = {name: column for name, column in _labels(order).items() if name not in ("b", "vote")}
        study = _tables(cf.crowd(labels, methods=method, draws=50))  # workers: drift is over the order of rows
        studies.append({name: study[name] for name in ("aggregations", "agreement", "confusion", "labels")})
    assert studies[0] == studies[1]


def test_the_order_of_votes_changes_no_draw() -> None:
    studies = []
    for order in (None, random.Random(9)):
        labels = _labels(order)
        votes = {"topic": labels["topic"], "a": labels["document"], "b": labels["b"]}
        study = _tables(cf.preferences(votes | {"worker": labels["worker"], "vote": labels["vote"]}, draws=50))
        studies.append({name: study[name] for name in ("aggregations", "agreement", "strengths")})
    assert studies[0] == studies[1]
