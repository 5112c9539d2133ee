"""Sentences that summarise the tables of leaderboard panels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cranfield.core import Verdict
from cranfield.measures import parse_measure
from cranfield.stats import answers_sentence, private_sentence, sota_sentence

if TYPE_CHECKING:
    from cranfield.core import Study

Rows = list[dict[str, Any]]


def of_ranking(study: Study) -> str:
    """Return the sentence on the ranking, without the parts that other panels show."""
    said = study.sentence
    for other in (_history(study), _private(study)):
        said = said.replace(other, "").strip() if other else said
    return said or study.sentence


def _history(study: Study) -> str:
    return sota_sentence(study["sota"]) if "sota" in study.tables else ""


def _private(study: Study) -> str:
    if "overfitting" not in study.tables:
        return ""
    return private_sentence(study["conditions"], study["shakeup"], study["overfitting"])


def of_history(study: Study) -> str:
    """Return the number of steps of the state of the art, and how many are significant."""
    rows: Rows = study["sota"].rows()
    if not rows:
        return "No run is above the baselines."
    tested = [row for row in rows if row["significant"] is not None]
    said = f"{_many(len(rows), 'SOTA step')}, {_none(sum(map(_is_sure, tested)))} significant"
    if len(tested) < len(rows) - 1:
        said += f" ({_none(len(rows) - 1 - len(tested))} could not be tested)"
    last = rows[-1]
    has = f"has had the best mean since {last['date']}" if last["date"] else "has the best mean"
    return f"{said}. {last['run']} ({last['mean']:.4f}) {has}."


def _is_sure(row: dict[str, Any]) -> bool:
    return bool(row["significant"])


def of_stability(study: Study) -> str:
    """Return how far ranks vary over bootstrap resamples of the topics."""
    rows: Rows = study["ranks"].rows()
    first = rows[0]
    if len(rows) == 1:
        return f"{first['run']} is the only run: there is no rank to lose."
    fixed = sum(row["rank_low"] == row["rank_high"] for row in rows)
    widest = max(rows, key=lambda row: row["rank_high"] - row["rank_low"])
    said = f"{first['run']} is first in {100 * first['p_first']:.1f}% of the bootstrap resamples of the topics; "
    said += f"{_none(fixed)} of {len(rows):,} runs keep{'s' * (fixed == 1)} one rank"
    if widest["rank_high"] > widest["rank_low"]:
        said += f", and {widest['run']} moves most, from {widest['rank_low']} to {widest['rank_high']}"
    return f"{said}."


def of_pairs(study: Study) -> str:
    """How many pairs of runs differ."""
    rows: Rows = study["pairs"].rows()
    sure = sum(map(_is_sure, rows))
    how = f"significantly (test: {study['pairs'].caption})"
    if len(rows) == 1:
        return f"The two runs {'differ' if sure else 'do not differ'} {how}."
    return f"{_none(sure).capitalize()} of {len(rows):,} pairs of runs differ{'s' * (sure == 1)} {how}."


def of_answers(study: Study) -> str:
    """Which topics are answered."""
    verdict = study.verdict or Verdict()
    return answers_sentence(study["answers"], verdict["cutoff"], verdict["never"])


def of_baseline(study: Study) -> str:
    """Return how many runs win significantly more topics than they lose against the baseline."""
    return study.sentence.removeprefix(of_answers(study)).strip()


def of_topics(study: Study) -> str:
    """The topic that is hardest even for the best run, and those in which all runs are equal."""
    rows: Rows = [row for row in study["per_topic"].rows() if row["value"] is not None]
    if not rows:
        return "No topic has a value."
    measure = rows[0]["measure"]
    best, worst = (min, max) if str(parse_measure(measure).direction) == "lower" else (max, min)
    by: dict[str, list[float]] = {}
    for row in rows:
        by.setdefault(str(row["topic"]), []).append(row["value"])
    hardest = worst(by, key=lambda topic: best(by[topic]))
    equal = sum(min(values) == max(values) for values in by.values())
    said = f"Topic {hardest} is the hardest of {len(by):,}: the best run there has {measure} {best(by[hardest]):.4f}"
    if equal and len({row["run"] for row in rows}) > 1:
        said += f"; in {_many(equal, 'topic')} all runs are equal"
    return f"{said}."


def of_private(study: Study) -> str:
    """Whether the order holds on private topics."""
    return _private(study) or study.sentence


def of_moves(study: Study) -> str:
    """Who changes its rank between public and private topics."""
    rows: Rows = [row for row in study["moves"].rows() if row["move"] is not None]
    moved = [row for row in rows if row["move"]]
    if not moved:
        return f"No run of {len(rows):,} changes its rank on private topics."
    most = max(moved, key=lambda row: abs(row["move"]))
    said = f"{len(moved):,} of {_many(len(rows), 'run')} change{'s' * (len(moved) == 1)} the rank on private topics"
    return f"{said}; {most['run']} moves most, from {most['public_rank']} to {most['private_rank']}."


def _none(count: int) -> str:
    return f"{count:,}" if count else "none"


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}{'s' * (count != 1)}"
