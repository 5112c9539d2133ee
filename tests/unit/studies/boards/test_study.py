"""The study `leaderboard`: what the parts say together; each part is tested where it lives."""

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import cranfield as cf
from cranfield.charts import draw
from cranfield.core import ParameterError, ScaleError, Study
from cranfield.data import Values, read_entries
from cranfield.simulate import Campaign
from cranfield.stats import rank_stability
from cranfield.stats.boards import conditions as board_conditions

SCORES: dict[str, list[Any]] = {
    "topic": ["1", "2", "3"],
    "x": [0.9, 0.5, 0.4],
    "y": [0.8, 0.6, 0.3],
    "z": [0.1, 0.1, 0.2],
}


def rows(study: Study, table: str) -> list[dict[str, Any]]:
    return study[table].rows()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("campaign") / "c"
    Campaign(topics=30, groups=3, runs=8, depth=60).write(place)
    return place


@pytest.fixture(scope="module")
def values(folder: Path) -> Values:
    return cf.evaluate(folder / "qrels.txt", folder / "runs", "AP nDCG@10")


def test_three_topics_are_drawn_in_all_ways() -> None:
    """All 27 ways to draw three topics, by hand: who is at which rank."""
    study = cf.leaderboard(SCORES)
    shares = {(row["run"], row["rank"]): row["share"] for row in rows(study, "stability")}
    counts: dict[tuple[str, int], float] = {}
    for drawn in product(range(3), repeat=3):
        means = {run: round(sum(SCORES[run][t] for t in drawn), 9) for run in "xyz"}
        for run, mean in means.items():
            above = sum(other > mean for other in means.values())
            level = sum(other == mean for other in means.values())
            for rank in range(above + 1, above + level + 1):
                counts[run, rank] = counts.get((run, rank), 0) + 1 / level / 27
    assert shares == pytest.approx(counts)
    first = {row["run"]: row["p_first"] for row in rows(study, "ranks")}
    assert first == pytest.approx({run: counts.get((run, 1), 0) for run in "xyz"})


def test_the_contract(values: Values) -> None:
    study = cf.leaderboard(values)
    columns = "run group mean low high rank rank_low rank_high rank_mean p_first letters".split()
    assert list(study["ranks"].columns) == columns
    assert list(study["stability"].columns) == ["run", "rank", "share"]
    means = values.matrix("AP").mean(axis=0)
    assert [row["run"] for row in rows(study, "ranks")] == [values.runs[i] for i in np.argsort(-means)]
    low, high = stats.t.interval(0.95, 29, means.max(), stats.sem(values.matrix("AP")[:, means.argmax()]))
    best = rows(study, "ranks")[0]
    assert (best["mean"], best["low"], best["high"]) == pytest.approx((means.max(), low, high))
    json.loads(study.to_json(), parse_constant=lambda word: pytest.fail(word))


def test_rank_counts_the_runs_that_are_significantly_better(values: Values) -> None:
    study = cf.leaderboard(values, test="t", correct="holm")
    tested = rows(cf.test(values, "t", correct="holm"), "tests")
    worse: dict[str, int] = dict.fromkeys(values.runs, 0)
    for row in tested:
        if row["measure"] == "AP" and row["p_adjusted"] <= 0.05:
            worse[row["b"] if row["difference"] < 0 else row["a"]] += 1
    assert {row["run"]: row["rank"] for row in rows(study, "ranks")} == {run: 1 + n for run, n in worse.items()}


def test_runs_stand_beside_the_best_and_on_request_beside_each_other(values: Values) -> None:
    study = cf.leaderboard(values, test="t")
    assert "pairs" not in study.tables
    assert "p-matrix" not in study.charts
    means = {row["run"]: row["mean"] for row in rows(study, "ranks")}
    best = max(means, key=lambda run: means[run])
    told = {frozenset((row["a"], row["b"])): row for row in rows(cf.test(values, "t", correct="holm"), "tests")[:28]}
    for row in rows(study, "behind"):
        assert row["best"] == best
        assert row["difference"] == pytest.approx(means[row["run"]] - means[best])
        if row["run"] != best:
            there = told[frozenset((row["run"], best))]
            assert (row["p"], row["p_adjusted"]) == pytest.approx((there["p"], there["p_adjusted"]))
    whole = cf.leaderboard(values, test="t", pairs=True)
    assert len(whole["pairs"]) == 8 * 7 // 2
    assert whole.charts[:3] == ("board", "stability", "p-matrix")
    assert rows(whole, "ranks") == rows(study, "ranks")
    assert draw(whole, "p-matrix").to_dict()["title"]["text"] == "t on AP"
    first, (pair, *_) = rows(cf.test(values, "t", correct="holm"), "tests")[0], rows(whole, "pairs")
    assert {name: first[name] for name in ("a", "b")} == {name: pair[name] for name in ("a", "b")}
    assert (first["difference"], first["p_adjusted"]) == pytest.approx((pair["difference"], pair["p_adjusted"]))


def test_groups_and_history(values: Values, folder: Path) -> None:
    study = cf.leaderboard(values, entries=folder / "runs.csv")
    assert {"groups", "sota", "history"} <= set(study.tables)
    assert {row["group"] for row in rows(study, "ranks")} == {row["group"] for row in rows(study, "groups")}
    steps = [row["mean"] for row in rows(study, "sota")]
    assert steps == sorted(steps)
    assert steps[-1] == pytest.approx(max(row["mean"] for row in rows(study, "ranks")))
    told = {row["run"]: row["significant"] for row in rows(study, "sota")}
    assert {row["run"]: row["significant"] for row in rows(study, "history") if row["kind"] == "sota"} == told
    assert "state of the art" in study.sentence


def test_baselines_are_no_state_of_the_art(values: Values, folder: Path) -> None:
    best = rows(cf.leaderboard(values), "ranks")[0]["run"]
    study = cf.leaderboard(values, entries=folder / "runs.csv", baselines=[best])
    assert best not in {row["run"] for row in rows(study, "sota")}
    assert {row["kind"] for row in rows(study, "history") if row["run"] == best} == {"baseline"}


def test_private_topics_take_no_part_in_the_board(values: Values, folder: Path) -> None:
    hidden = list(values.topics[:12])
    study = cf.leaderboard(values, entries=folder / "runs.csv", private=hidden)
    public = cf.leaderboard(values.only(values.topics[12:]), entries=folder / "runs.csv")
    for table in ("ranks", "stability", "sota"):
        assert rows(study, table) == rows(public, table)
    private = values.only(hidden)
    told = {row["run"]: row["private"] for row in rows(study, "moves")}
    assert told == pytest.approx(dict(zip(values.runs, private.matrix("AP").mean(axis=0), strict=True)))
    conditions = {row["condition"]: row["private"] for row in rows(study, "conditions")}
    assert conditions == {"public, AP": False, "public, nDCG@10": False, "private, AP": True, "private, nDCG@10": True}
    assert {row["group"] for row in rows(study, "overfitting")} <= {row["group"] for row in rows(study, "groups")}
    given = cf.leaderboard(values.only(values.topics[12:]), entries=folder / "runs.csv", private=private)
    assert rows(given, "moves") == rows(study, "moves")


def test_the_board_is_not_drawn_again_as_a_condition(values: Values, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def counted(matrix: Any, **how: Any) -> Any:
        asked.append(matrix.shape)
        return rank_stability(matrix, **how)

    monkeypatch.setattr(board_conditions, "rank_stability", counted)
    study = cf.leaderboard(values, private=list(values.topics[:12]), draws=300)
    assert asked == [(18, 8), (12, 8), (12, 8)]  # public nDCG@10, private AP and nDCG@10
    found = {row["run"]: row["p_first"] for row in rows(study, "conditions") if row["condition"] == "public, AP"}
    assert found == {row["run"]: row["p_first"] for row in rows(study, "ranks")}


def test_other_labels_are_another_condition(values: Values, folder: Path) -> None:
    hidden = list(values.topics[:12])
    study = cf.leaderboard(values, private=hidden, labels={"strict": values})
    names = dict.fromkeys(row["condition"] for row in rows(study, "condition_ranks"))
    assert "private strict, AP" in names
    assert {row["topics"] for row in rows(study, "conditions") if row["labels"] == "strict"} == {12}
    open_ = cf.leaderboard(values, labels={"strict": values})
    assert {row["private"] for row in rows(open_, "conditions")} == {False}
    with pytest.raises(ParameterError, match="no private topic"):
        cf.leaderboard(values, private=hidden, labels={"other": values.only(values.topics[20:])})


def test_wrong_labels(values: Values) -> None:
    study = cf.leaderboard(values, flips=(0.01, 0.5), flip_draws=5)
    few, many = rows(study, "flips")[:2]
    assert (few["share"], few["draws"], many["share"]) == (0.01, 5, 0.5)
    assert 1 >= few["tau"] > many["tau"]
    with pytest.raises(ParameterError, match="cannot be flipped"):
        cf.leaderboard(SCORES, flips=(0.1,))


def test_robustness(values: Values) -> None:
    study = cf.leaderboard(values, robust=True)
    assert len(study["left_out"]) == 30
    ours = [row["tau"] for row in rows(study, "orders")]
    means = values.matrix("AP").mean(axis=0), values.matrix("nDCG@10").mean(axis=0)
    assert ours == pytest.approx([stats.kendalltau(*means).statistic])
    assert {row["run"] for row in rows(study, "facets")} == set(values.runs)
    assert {"sizes", "orders", "facets"} <= set(study.charts)


def test_cost_beside_value(values: Values) -> None:
    latency = [float(i) for i in range(8, 0, -1)]
    entries = {"run": list(values.runs), "latency": latency}
    study = cf.leaderboard(values, entries=entries, costs=["latency"])
    means = dict(zip(values.runs, values.matrix("AP").mean(axis=0), strict=True))
    price = dict(zip(values.runs, latency, strict=True))
    for row in rows(study, "cost"):
        beaten = any(means[r] >= row["mean"] and price[r] < row["value"] for r in means if r != row["run"])
        assert row["front"] is not beaten
    with pytest.raises(ParameterError, match="no run has a cost named 'energy'"):
        cf.leaderboard(values, entries=entries, costs=["energy"])


def test_headers_of_runs_are_entries(folder: Path, tmp_path: Path) -> None:
    for run in sorted((folder / "runs").iterdir())[:3]:
        header = f"# ir_metadata.start\n# actor:\n#   team: team {run.stem[0]}\n# ir_metadata.end\n"
        (tmp_path / run.name).write_text(header + run.read_text())
    study = cf.leaderboard(cf.evaluate(folder / "qrels.txt", tmp_path, "AP"))
    assert {row["group"] for row in rows(study, "ranks")} == {f"team {row['run'][0]}" for row in rows(study, "ranks")}


def test_only_means(shared_data: Path) -> None:
    """The hand-set trophies of both boards: 17 and 20."""
    for name, columns, value, trophies in (
        ("document", {"baseline": ""}, "MRR@100 (Eval)", 17),
        ("passage", {"baseline": "", "run": "description"}, "eval", 20),
    ):
        board = shared_data / f"leaderboards/msmarco-{name}.csv"
        entries = read_entries(board, columns=columns, value=value, repeated="number")
        study = cf.leaderboard(None, entries=entries)
        assert len(study["sota"]) == trophies
        assert board.read_text().count("🏆") == trophies
        assert study.charts == ("sota",)
        title = draw(study, "sota").to_dict()["title"]["text"]
        assert (title if isinstance(title, str) else " ".join(title)).startswith(f"{trophies} steps in ")
        assert {row["p"] for row in rows(study, "sota")} == {None}


def test_trec_covid_with_teams(shared_data: Path) -> None:
    table = shared_data / "trec-covid/leaderboard-round1.csv"
    folder = shared_data / "trec-covid"
    values = cf.evaluate(folder / "qrels-rnd1.txt", folder / "runs", "AP nDCG@10", compat="trec_eval-9")
    study = cf.leaderboard(values, entries=table)
    official = {}
    for line in table.read_text().splitlines()[1:]:
        cells = line.split(",")
        official[cells[0]] = (cells[1], float(cells[-1]))
    found = rows(study, "ranks")
    assert len(found) == 22
    assert len({row["group"] for row in found}) == 9
    for row in found:
        assert row["group"] == official[row["run"]][0]
        assert row["mean"] == pytest.approx(official[row["run"]][1], abs=5e-5)


def test_refusals(values: Values) -> None:
    for wrong, words in (
        ({"test": "t sign"}, "one test"),
        ({"private": list(values.topics)}, "every topic is private"),
        ({"private": ["nowhere"]}, "there is no topic nowhere"),
        ({"level": 0}, "level"),
        ({"measure": "RR"}, "no values of RR"),
        ({"draws": 0}, "draws"),
        ({"steps": "max-t"}, "cannot test a step"),
    ):
        with pytest.raises(ParameterError, match=words):
            cf.leaderboard(values, entries={"run": list(values.runs), "date": ["2024-01-01"] * 8}, **wrong)
    with pytest.raises(ScaleError):
        cf.leaderboard(values, scale="refuse")
    with pytest.raises(ParameterError, match="nothing to rank"):
        cf.leaderboard(None)
    with pytest.raises(ParameterError, match="no values"):
        cf.leaderboard(None, entries={"run": ["a"], "date": ["2024-01-01"]})


def test_one_run_is_alone() -> None:
    study = cf.leaderboard({"topic": ["1", "2"], "x": [0.1, 0.2]})
    assert rows(study, "ranks")[0]["rank"] == rows(study, "ranks")[0]["p_first"] == 1
    assert study.sentence.startswith("x is the only run (")


def test_the_same_on_one_thread_or_two(values: Values) -> None:
    assert cf.leaderboard(values, threads=1).to_json() == cf.leaderboard(values, threads=2).to_json()


def test_labels_are_flipped_for_every_measure(folder: Path) -> None:
    """Each measure has the rows that it has alone; counts have no order to keep."""
    qrels, runs = folder / "qrels.txt", sorted((folder / "runs").iterdir())
    asked: dict[str, Any] = {"flips": [0.1, 0.3], "flip_draws": 3, "draws": 50, "scale": "ignore"}
    board = cf.leaderboard(cf.evaluate(qrels, runs, "AP NumRet ESL P@5"), **asked)
    several = rows(board, "flips")
    assert [note.partition(":")[0] for note in board["flips"].notes] == ["NumRet"]
    alone = [
        row
        for name in ("AP", "ESL", "P@5")
        for row in rows(cf.leaderboard(cf.evaluate(qrels, runs, name), **asked), "flips")
    ]
    assert several == alone
    first = cf.leaderboard(cf.evaluate(qrels, runs, "AP P@5"), measure="P@5", **asked)["flips"].cells("measure")
    assert first == ["P@5", "P@5", "AP", "AP"]


def test_topics_that_do_not_count_do_not_count_with_flipped_labels(folder: Path) -> None:
    """No label is wrong, so the order is the original one, whichever topics count."""
    qrels, runs = folder / "qrels.txt", sorted((folder / "runs").iterdir())
    values = cf.evaluate(qrels, runs, "AP", topics="both")
    board = cf.leaderboard(values, flips=[0.0], flip_draws=1, draws=50, scale="ignore")
    assert board["flips"].cells("tau") == [1]


def test_labels_are_flipped_for_relative_measures_where_all_runs_are_at_hand(folder: Path) -> None:
    qrels, runs = folder / "qrels.txt", sorted((folder / "runs").iterdir())
    whole = cf.evaluate(qrels, runs, "NRG(nDCG@10)")
    assert len(rows(cf.leaderboard(whole, flips=[0.1], flip_draws=2, draws=50), "flips")) == 1
    part = cf.evaluate(qrels, runs[1:], "NRG(nDCG@10)", prior=[runs[0]])
    with pytest.raises(ParameterError, match="what is known before is gone"):
        cf.leaderboard(part, flips=[0.1], flip_draws=2, draws=50)
