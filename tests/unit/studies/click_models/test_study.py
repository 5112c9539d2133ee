"""The study of clicks: users whose ways are known, and a real log."""

from __future__ import annotations

import ast
import re
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

import cranfield as cf
from cranfield.core import CranfieldError, Verdict
from tests.support.simulations import position_biased_log

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

PAGES = 3000
LOG = position_biased_log.columns(PAGES)
MODELS = "RCTR PBM DBN"


@pytest.fixture(scope="module")
def study() -> cf.Study:
    """All of it."""
    return cf.clicks(
        LOG, models=MODELS, calibrate="RBP CWL ERR uPBM MP TBG", qrels=position_biased_log.QRELS, infer=True
    )


def rows(study: cf.Study, table: str, **equal: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = list(study[table].rows())
    return [row for row in found if all(row[name] == value for name, value in equal.items())]


def test_tables_in_their_order(study: cf.Study) -> None:
    assert list(study.tables) == ["dropped", "online", "fit", "ranks", "calibrated", "inferred", "parameters"]
    assert study["fit"].columns[:5] == (
        *("model", "log_likelihood", "perplexity", "conditional_perplexity", "impressions"),
    )
    assert study["parameters"].columns == ("model", "name", "key", "value", "low", "high")
    assert study.charts == ("click-curves", "examination")
    assert study.made_by is not None
    assert [one.kind for one in study.made_by.inputs] == ["log", "qrels"]


def test_what_users_do_is_counted(study: cf.Study) -> None:
    pages: dict[str, int] = {}
    for impression, click in zip(LOG["impression"], LOG["clicked"], strict=True):
        pages[impression] = pages.get(impression, 0) + click
    share = sum(clicks > 0 for clicks in pages.values()) / PAGES
    (ctr,) = rows(study, "online", measure="ctr")
    assert ctr["value"] == pytest.approx(share)
    verdict: Any = study.verdict
    assert (verdict["impressions"], verdict["users"]) == (PAGES, 40)
    assert verdict["click_through"] == pytest.approx(share)
    assert study.sentence.startswith(f"3,000 impressions of 40 users; {share:.1%} have a click. ")


def test_the_model_that_users_follow_predicts_best(study: cf.Study) -> None:
    likelihood = {row["model"]: row["log_likelihood"] for row in rows(study, "fit")}
    assert max(likelihood, key=lambda model: likelihood[model]) == "PBM"
    assert (study.verdict or Verdict())["model"] == "PBM"
    second = max(value for model, value in likelihood.items() if model != "PBM")
    best_words = f"best: log-likelihood −{-likelihood['PBM']:.4f}, "
    assert re.search(
        rf"PBM predicts the [\d,]+ held-out impressions {best_words}\w+ −{-second:.4f} \(0 is", study.sentence
    )
    assert re.search(
        r"By PBM, of those who look at rank 1, [\d.]+% look at rank 2 and [\d.]+% look at rank 5\.", study.sentence
    )
    held_out = rows(study, "fit")[0]["impressions"]
    # A fifth of 3,000, each by chance: five standard errors are 5 · √(3000 · .2 · .8) = 110.
    assert abs(held_out - PAGES / 5) < 110


def test_what_the_model_learns_is_how_users_are(study: cf.Study) -> None:
    looked = {row["key"]: row for row in rows(study, "parameters", model="PBM", name="examination")}
    for rank, truth in enumerate(position_biased_log.EXAMINED, 1):
        row = looked[str(rank)]
        assert abs(row["value"] - truth) <= 5 * (row["high"] - row["low"]) / 3.92
    for row in rows(study, "parameters", model="PBM", name="attraction"):
        truth = position_biased_log.ATTRACTS[row["key"][-1]]
        assert abs(row["value"] - truth) <= 5 * (row["high"] - row["low"]) / 3.92


def test_ranks_say_what_was_seen_and_expected(study: cf.Study) -> None:
    likelihood = {row["model"]: row["log_likelihood"] for row in rows(study, "fit")}
    best_first = sorted(likelihood, key=lambda model: -likelihood[model])
    assert [row["model"] for row in rows(study, "ranks", rank=1)] == best_first
    for row in rows(study, "ranks", model="PBM"):
        assert row["low"] <= row["observed"] <= row["high"]
        error = (row["high"] - row["low"]) / 3.92
        assert abs(row["predicted"] - row["observed"]) < 5 * error
    assert all(row["examined"] is None for row in rows(study, "ranks", model="RCTR"))


def test_fitted_measures_are_those_of_the_users(study: cf.Study) -> None:
    measures = {row["name"]: row["measure"] for row in rows(study, "calibrated")}
    assert list(measures) == ["RBP", "CWL", "ERR", "uPBM", "MP", "TBG"]
    assert (study.verdict or Verdict())["measures"] == list(measures.values())
    for text in measures.values():
        assert str(cf.parse_measure(text)) == text
    by_grade = {row["parameter"]: row for row in rows(study, "calibrated", name="uPBM")}
    # Of grade 0 are d and e, of grade 1 b and c, all shown as often as each other; of grade 2 is a alone.
    for grade, truth in enumerate(((0.2 + 0.1) / 2, (0.5 + 0.45) / 2, 0.8)):
        row = by_grade[f"attraction({grade})"]
        assert abs(row["value"] - truth) <= 5 * (row["high"] - row["low"]) / 3.92


def test_inferred_judgments_order_documents_as_users_like_them(study: cf.Study) -> None:
    grades = {row["document"]: row["grade"] for row in rows(study, "inferred")}
    assert len(grades) == len(position_biased_log.TOPICS) * len(position_biased_log.ATTRACTS)
    for topic in position_biased_log.TOPICS:
        assert grades[f"{topic}-a"] > grades[f"{topic}-b"] > grades[f"{topic}-d"]
    cut = cf.clicks(LOG, models="PBM", infer=True, cuts=(0.3, 0.65), test=0)
    letters = {row["document"][-1]: row["grade"] for row in rows(cut, "inferred")}
    assert letters == position_biased_log.GRADES


def test_the_same_seed_gives_the_same(study: cf.Study) -> None:
    again = cf.clicks(LOG, models=MODELS)
    assert again["fit"] == study["fit"]
    assert cf.clicks(LOG, models=MODELS, seed=7)["fit"] != study["fit"]


def test_tested_on_what_was_learnt() -> None:
    study = cf.clicks(LOG, models="PBM", test=0)
    assert rows(study, "fit")[0]["impressions"] == PAGES
    assert "PBM predicts the 3,000 impressions that it learnt from with log-likelihood −0." in study.sentence


def test_measures_and_frameworks_are_asked_for() -> None:
    study = cf.clicks(LOG, models="GCTR", measures="dwell abandonment")
    assert study["online"].cells("measure") == ["dwell", "abandonment"]
    assert study.charts == ("click-curves",)  # a rate says nothing of what is looked at
    assert "look at" not in study.sentence
    heart = cf.clicks(LOG, models="GCTR", framework="HEART")
    assert "queries_per_session" in heart["online"].cells("measure")
    assert heart["online"].notes == ("the log does not say: satisfaction",)


def test_notes_tell_what_models_cannot_see() -> None:
    log = {name: list(cells) for name, cells in position_biased_log.columns(200, seed=3).items()}
    log["rank"][4] = 9  # the last document of the first page
    log["document"] = [f"{name}-{page}" for name, page in zip(log["document"], log["impression"], strict=True)]
    notes = cf.clicks(log, models="PBM")["fit"].notes
    assert notes[0] == "click models leave out 1 of 200 impressions, whose ranks have gaps"
    assert notes[1].startswith("100.0% of the documents held out were never shown before for their topic; ")


def test_damaged_pages_and_robots_make_the_verdict_untrusted() -> None:
    """Of 400 pages 3% lack their second row; a robot has 200 pages without a click."""
    log = position_biased_log.columns(400)
    lost = {f"i{page}" for page in range(0, 400, 33)}
    kept = [row for row, page in enumerate(log["impression"]) if page not in lost or log["rank"][row] != 2]
    gaps = cf.clicks({name: [cells[row] for row in kept] for name, cells in log.items()}, models="RCTR")
    pages = len(log["rank"])
    robot = {name: [*cells, *cells[: pages // 2]] for name, cells in log.items()}
    robot["impression"] = [page if row < pages else f"more {page}" for row, page in enumerate(robot["impression"])]
    robot["user"] = [user if row < pages else "robot" for row, user in enumerate(robot["user"])]
    robot["clicked"] = [click if row < pages else 0 for row, click in enumerate(robot["clicked"])]
    robot["click_time"] = [at if row < pages else None for row, at in enumerate(robot["click_time"])]
    named = cf.clicks(robot, models="RCTR")
    for damaged, word in ((gaps, "ranks are missing on 3.25% of the pages"), (named, "robot")):
        assert damaged.verdict is not None
        assert damaged.verdict["trusted"] is False
        assert word in damaged.sentence
    good = cf.clicks(log, models="RCTR").verdict
    assert good is not None
    assert good["trusted"] is True


def test_progress_is_told() -> None:
    news: list[tuple[int, int]] = []
    cf.clicks(LOG, models="PBM UBM", progress=lambda done, total: news.append((done, total)))
    assert news[-1] == (100, 100)
    assert [done for done, _ in news] == sorted(done for done, _ in news)


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        ({"test": 1.0}, "a share of 1.0 cannot be held out"),
        ({"test": float("nan")}, "cannot be held out"),
        ({"level": 2.0}, "level"),
        ({"models": "XYZ"}, "'XYZ'"),
        ({"models": ()}, "no click model is given"),
        ({"calibrate": "nDCG"}, "no measure named 'nDCG' is fitted to a log"),
        ({"calibrate": ["ERR"]}, "ERR is fitted by grade"),
        ({"measures": "ctr", "framework": "HEART"}, "both given"),
        ({"measures": "revenue"}, "needs the column revenue"),
        ({"models": "RCTR", "infer": True}, "says anything of documents"),
        ({"columns": {"topic": "nothing"}}, "there is no column nothing"),
    ],
)
def test_what_cannot_be_asked_is_refused(asked: dict[str, Any], error: str) -> None:
    with pytest.raises(CranfieldError, match=error):
        cf.clicks(LOG, **({"models": "PBM"} | asked))


def test_too_few_impressions_are_refused() -> None:
    with pytest.raises(CranfieldError, match="of 3 impressions none can be held out"):
        cf.clicks(position_biased_log.columns(3), models="PBM")


def real(folder: Path, *names: str) -> tuple[dict[str, list[Any]], dict[str, dict[str, int]]]:
    """Pages of a real search engine with clicks, and labels where there are any; below 0 is spam."""
    log: dict[str, list[Any]] = {name: [] for name in ("impression", "session", "topic", "rank", "document", "clicked")}
    judged: dict[str, dict[str, int]] = {}
    lines = [line for name in names for line in (folder / "clicks-session" / name).read_text().splitlines()]
    for number, line in enumerate(lines):
        session, topic, documents, _, clicks, *labels = line.split("\t")
        shown = [str(document) for document in ast.literal_eval(documents)]
        for rank, (document, click) in enumerate(zip(shown, ast.literal_eval(clicks), strict=True), 1):
            for name, cell in zip(log, (number, session, topic, rank, document, click), strict=True):
                log[name].append(cell)
        for document, label in zip(shown, ast.literal_eval(labels[0]) if labels else (), strict=False):
            judged.setdefault(topic, {})[document] = max(label, 0)
    return log, judged


def test_a_real_log(shared_data: Path) -> None:
    log, _ = real(shared_data, *(f"{part}_per_query_quid.txt" for part in ("train", "valid", "test")))
    study = cf.clicks(log, models="RCTR PBM UBM DBN", calibrate="RBP")
    (clicks,) = rows(study, "online", measure="clicks")
    assert (clicks["amount"], clicks["counted"]) == (1610, 3596)  # as INDEX.md has them
    seen = [row["value"] for row in rows(study, "parameters", model="RCTR")]
    assert seen == sorted(seen, reverse=True)  # click-through falls with rank
    likelihood = {str(row["model"]): float(str(row["log_likelihood"])) for row in study["fit"].rows()}
    assert min(likelihood, key=likelihood.__getitem__) == "RCTR"
    assert (study.verdict or Verdict())["not_converged"] == []


def ranker(*blocks: tuple[int, int], topics: int = 50, pages: int = 5000) -> dict[str, list[Any]]:
    """Return a log of PBM users of a ranker that reorders documents only within blocks of ranks."""
    random = Random(3)
    attraction = {(topic, document): random.betavariate(1.2, 2.8) for topic in range(topics) for document in range(6)}
    log: dict[str, list[Any]] = {name: [] for name in ("impression", "topic", "rank", "document", "clicked")}
    for page in range(pages):
        topic = random.randrange(topics)
        order = [document for first, last in blocks for document in random.sample(range(first, last), last - first)]
        for rank, document in enumerate(order, 1):
            click = random.random() < attraction[topic, document] * (1, 0.75, 0.5, 0.35, 0.25, 0.2)[rank - 1]
            for name, cell in zip(log, (page, f"t{topic}", rank, f"d{document}", int(click)), strict=True):
                log[name].append(cell)
    return log


@pytest.mark.parametrize(
    ("blocks", "ranks"),
    [
        (((0, 6),), {2, 5}),
        (((0, 2), (2, 6)), {2}),
        (((0, 1), (1, 6)), set()),
        ([(rank, rank + 1) for rank in range(6)], set()),
    ],
)
@pytest.mark.parametrize("model", ["PBM", "UBM"])
def test_the_sentence_has_only_examination_that_the_log_determines(
    model: str, blocks: Sequence[tuple[int, int]], ranks: set[int]
) -> None:
    sentence = cf.clicks(ranker(*blocks), models=model, measures="ctr").sentence
    assert {int(rank) for rank in re.findall(r"% look at rank (\d+)", sentence)} == ranks
    assert ("does not determine" in sentence) == (ranks != {2, 5})


def test_models_that_have_not_converged_are_named(shared_data: Path) -> None:
    log, _ = real(shared_data, "valid_per_query_quid.txt")
    study = cf.clicks(log, models="RCTR DBN(rounds=2)", test=0)
    assert (study.verdict or Verdict())["not_converged"] == ["DBN(rounds=2)"]
    assert [row["converged"] for row in study["fit"].rows()] == [True, False]


def test_a_real_log_with_labels(shared_data: Path) -> None:
    log, judged = real(shared_data, "human_label_for_NCM_per_query_quid.txt")
    study = cf.clicks(log, models="RCTR", calibrate="ERR uPBM rrDBN", qrels=judged)
    for name, declared in (("ERR", "rrSDBN"), ("uPBM", "uPBM"), ("rrDBN", "rrDBN")):
        found = rows(study, "calibrated", name=name)
        assert found[0]["measure"].startswith(f"{declared}(")
        attraction = [row["value"] for row in found if row["parameter"].startswith("attraction")]
        assert attraction[-1] > attraction[0], name  # the best documents are clicked more often than the worst
