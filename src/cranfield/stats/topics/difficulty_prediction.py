"""Accuracy of predictors of topic difficulty: correlations and rank errors against values of runs."""

from typing import Any

import numpy as np

from cranfield.core import Direction, ParameterError, Table
from cranfield.core.types import Rows
from cranfield.data import Given, Values
from cranfield.stats.pair_tests.base import LEVEL, check_level
from cranfield.stats.pair_tests.float_ties import SUM_ERROR, mid_ranks

KINDS = ("pearson", "spearman", "kendall")
COLUMNS = (
    *("predictor", "run", "measure", "n"),
    *(f"{kind}{end}" for kind in KINDS for end in ("", "_low", "_high", "_p")),
    "smare",
)


def correlations(x: Rows, y: Rows, level: float = LEVEL) -> dict[str, float]:
    """Pearson's r, Spearman's ρ and Kendall's τ-b, each with its interval and two-sided p; NaN where one is constant.

    Intervals are those of Fisher's z: the variance is 1/(n − 3) for r, (1 + ρ²/2)/(n − 3) for ρ and .437/(n − 4) for τ
    (bonett2000).
    """
    from scipy import stats

    n = len(x)
    told = dict.fromkeys(COLUMNS[4:-1], np.nan)
    if n < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return told
    found = {"pearson": stats.pearsonr(x, y), "spearman": stats.spearmanr(x, y), "kendall": stats.kendalltau(x, y)}
    for kind, answer in found.items():
        r = float(answer.statistic)
        wide = {"pearson": 1.0, "spearman": 1 + r**2 / 2, "kendall": 0.437}[kind]
        told |= {kind: r, f"{kind}_p": float(answer.pvalue)}
        if n > 4 and abs(r) < 1 - SUM_ERROR:
            half = float(stats.norm.ppf(1 - level / 2)) * np.sqrt(wide / (n - 3 - (kind == "kendall")))
            told |= {f"{kind}_low": np.tanh(np.arctanh(r) - half), f"{kind}_high": np.tanh(np.arctanh(r) + half)}
    return told


def rank_errors(predicted: Rows, value: Rows) -> Rows:
    """(topic,): sARE, how far the rank of each topic by the predictor is off that by its value, as a share of topics.

    Topics that are equal share the mean of their ranks; sMARE is the mean over topics (faggioli2021smare).
    """
    ranks = [mid_ranks(side[None, :], np.abs(side[None, :]))[0] for side in (predicted, value)]
    return np.abs(ranks[0] - ranks[1]) / len(value)


def prediction_table(values: Values, predictions: Values, *, level: float = LEVEL, made_by: Any = None) -> Table:
    """One row for each predictor, run and measure: correlations over topics, and the mean error of ranks."""
    check_level(level)
    rows: list[dict[str, Any]] = []
    scores, own, theirs, notes = _shared(values, predictions)
    for measure in values.measures:
        matrix = values.matrix(measure)[own]
        upward = -1.0 if measure.direction is Direction.LOWER else 1.0
        for r, run in enumerate(values.runs):
            for p, predictor in enumerate(predictions.runs):
                both = ~np.isnan(matrix[:, r]) & ~np.isnan(scores[theirs, p])
                x, y = scores[theirs, p][both], upward * matrix[both, r]
                row = {"predictor": predictor, "run": run, "measure": str(measure), "n": len(x)}
                smare = float(rank_errors(x, y).mean()) if len(x) else np.nan
                rows.append(row | correlations(x, y, level) | {"smare": smare})
    caption = "what predictors say of topics, beside the values of runs"
    return Table.from_rows(rows, COLUMNS, caption=caption, made_by=made_by, notes=notes)


def prediction_errors(values: Values, predictions: Values, *, run: str, measure: object = None) -> Values:
    """SARE of each predictor in every topic, as values: predictors are compared as runs are, with any test or ANOVA.

    Less is better. Only topics count that have a value and a score by every predictor (faggioli2021smare).
    """
    scores, own, theirs, _ = _shared(values, predictions)
    chosen = values.measures[0 if measure is None else values.index(measure)]
    value = values.matrix(chosen)[own, values.run_index(run)]
    upward = -value if chosen.direction is Direction.LOWER else value
    whole = ~np.isnan(upward) & ~np.isnan(scores[theirs]).any(axis=1)
    if whole.sum() < 2:
        raise ParameterError("fewer than two topics have a value and every prediction", hint="give more topics")
    errors = [rank_errors(scores[theirs, p][whole], upward[whole]) for p in range(len(predictions.runs))]
    shape = (len(predictions.runs), int(whole.sum()))
    return Values(
        runs=predictions.runs,
        topics=tuple(np.array(values.topics, dtype=object)[own][whole].tolist()),
        measures=(Given("sARE", direction=Direction.LOWER),),
        cube=np.array(errors)[:, :, None],
        counted=np.ones(shape, np.bool_),
        missing=np.zeros(shape, np.bool_),
        without_relevant=np.zeros((1, shape[1]), np.bool_),
        made_by=values.made_by,
    )


def _shared(values: Values, predictions: Values) -> tuple[Any, list[int], list[int], tuple[str, ...]]:
    """The scores (topic, predictor), the places of the topics that both have, and a word on the others."""
    known = {topic: i for i, topic in enumerate(predictions.topics)}
    own = [i for i, topic in enumerate(values.topics) if topic in known]
    if not own:
        raise ParameterError("no topic that has values has a prediction", hint="check the names of the topics")
    left = len(values.topics) - len(own)
    note = f"{left:,} of {len(values.topics):,} topics have no prediction: left out"
    scores = predictions.matrix(predictions.measures[0])
    return scores, own, [known[values.topics[i]] for i in own], (note,) * bool(left)
