"""Intervals that come from few collections or few items: how often they do not contain the truth."""

from typing import Any, NamedTuple

import numpy as np
import pytest

from cranfield.collections import crowd_agreement_table
from cranfield.collections.crowds.worker_agreement import krippendorff
from cranfield.data import Answers, Labels
from cranfield.stats.comparison.meta_analysis import pool_effects
from tests.support.calibration.error_rates import LEVEL, Check, Rate
from tests.support.calibration.page_figures import Judge
from tests.support.calibration.repeated_procedures import scaled
from tests.support.run_size import Size
from tests.support.worker_labels import labels_of

COLLECTIONS = "The difference in another collection"
AGREEMENT = "Agreement of workers"


@pytest.mark.parametrize("collections", [3, 5, 12, 20])
@pytest.mark.parametrize("tau", [0.3, 0.6, 1.0, 3.0])
def test_the_predicted_difference_lies_in_its_interval(collections: int, tau: float, judge: Judge, size: Size) -> None:
    """τ is in units of the usual standard error of a collection's mean, which comes from 20 to 120 topics."""
    simulations = scaled(size.draws, 30)
    random = np.random.default_rng(collections)
    shape = (simulations, collections)
    topics = random.integers(20, 120, shape)
    variance = 50 * random.uniform(0.7, 1.3, shape) ** 2 / topics
    effect = random.normal(0, tau, shape) + random.normal(0, np.sqrt(variance))
    found = pool_effects(effect, variance * random.chisquare(topics - 1) / (topics - 1), level=LEVEL)
    new = random.normal(0, tau, simulations)
    rate = Rate(((new < found.predicted_low) | (new > found.predicted_high))[None])
    judge(COLLECTIONS, f"prediction interval, τ = {tau:g}", "normal", collections, rate, Check.at_most(LEVEL, rate))


class Crowd(NamedTuple):
    """Workers who give each item its grade with the chance ``accuracy``, and a neighbouring grade otherwise."""

    grades: tuple[float, ...]  # chance of each grade
    accuracy: float
    each: int = 3  # labels of an item

    def labels(self, items: int, seed: int) -> Labels:
        random, choices = np.random.default_rng([seed, items]), len(self.grades)
        grade = random.choice(choices, items, p=self.grades)[:, None]
        wrong = np.clip(grade + random.choice([-1, 1], (items, self.each)), 0, choices - 1)
        choice = np.where(random.random((items, self.each)) < self.accuracy, grade, wrong)
        item, worker = np.divmod(np.arange(items * self.each), self.each)
        return labels_of(Answers(item, worker, choice.ravel(), items, self.each, choices))


CROWDS = {"rare grade": Crowd((0.9, 0.1), 0.95), "four grades": Crowd((0.6, 0.2, 0.15, 0.05), 0.8)}


@pytest.mark.parametrize("items", [20, 50, 100])
@pytest.mark.parametrize("name", CROWDS)
def test_krippendorffs_alpha_lies_in_its_interval(name: str, items: int, judge: Judge, size: Size) -> None:
    metric, crowd = "nominal" if len(CROWDS[name].grades) == 2 else "interval", CROWDS[name]
    whole = crowd.labels(200_000, seed=0)
    truth = krippendorff(whole.answers, whole.grades, metric)  # type: ignore[arg-type]  # one of two metrics
    wrong = []
    for seed in range(1, scaled(size.draws, 15) + 1):
        table = crowd_agreement_table(crowd.labels(items, seed), level=LEVEL)
        rows: list[dict[str, Any]] = list(table.rows())
        (row,) = [row for row in rows if row["statistic"] == f"Krippendorff α ({metric})"]
        if row["low"] is not None:  # full agreement, or one grade alone, has no interval
            wrong.append(not row["low"] <= truth <= row["high"])
    rate = Rate(np.array(wrong)[None])
    check = Check.at_most(LEVEL, rate) if items >= 50 else None
    judge(AGREEMENT, f"interval of α ({metric})", f"{name}, items", items, rate, check)
