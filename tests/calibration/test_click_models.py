"""Click models with their defaults, on simulated users of the same model: intervals contain the truth."""

import numpy as np
import pytest
from numpy.typing import NDArray

from cranfield.online import CLICK_MODELS
from cranfield.online import parse_click_model as parse
from tests.support.calibration.error_rates import CLOSE, ERRORS, LEVEL, Check, Rate
from tests.support.calibration.page_figures import Judge
from tests.support.calibration.repeated_procedures import scaled
from tests.support.run_size import Size
from tests.support.simulations.click_users import TOPICS, TRUTH, USERS, simulate

SECTION = "Parameters of click models"
IMPRESSIONS = 8000  # 83 for a document in the mean, below 10 for the rarest
ENOUGH = 100  # impressions of a document for its attraction, clicks for its satisfaction
FEWER = "fewer clicks"


def misses(model: str, seed: int) -> dict[str, NDArray[np.bool_]]:
    """Return for each kind of parameter which intervals do not contain the truth."""
    simulated = simulate(model, IMPRESSIONS, seed)
    fitted = CLICK_MODELS[model]().fit(simulated.pages)
    assert fitted.converged
    found = {}
    for name, estimate in fitted.estimates.items():
        low, high = estimate.interval(LEVEL)
        free = estimate.value < 1 if f"{model} {name}" in TRUTH else estimate.den >= ENOUGH
        missed = (simulated.truth[name] < low) | (simulated.truth[name] > high)
        found[name] = missed[free]
        if name == "satisfaction":
            found[f"{name}, {FEWER}"] = missed[~free]
    return found


def within_error(rate: Rate, by: float) -> Check:
    """Return the band of three standard errors around the level, or of ``by`` where that is wider."""
    off = max(by, ERRORS * rate.error(LEVEL))
    return Check(simulations=rate.independent(LEVEL), lowest=max(0.0, LEVEL - off), highest=LEVEL + off)


@pytest.mark.parametrize("model", USERS)
def test_intervals_contain_the_parameters_that_users_were_simulated_with(model: str, judge: Judge, size: Size) -> None:
    simulations = [misses(model, seed) for seed in range(scaled(size.draws, 2))]
    for name in simulations[0]:
        shared = f"{model} {name}" in TRUTH
        found = [one[name] for one in simulations]
        by_simulation = shared and len(found[0]) > 1
        rate = Rate(np.stack(found) if by_simulation else np.concatenate(found)[np.newaxis])
        if FEWER in name:
            check = Check.at_most(LEVEL, rate)
        else:
            check = within_error(rate, by=0.0 if shared else CLOSE)
        judge(SECTION, model, name if shared or FEWER in name else f"{name}, {ENOUGH} or more", TOPICS, rate, check)


def test_examination_has_no_bias_however_rare_documents_are() -> None:
    # 2,000 impressions for 480 documents: EM with a = b = 1, the former default, is biased.
    truth = TRUTH["PBM examination"]
    errors: dict[str, list[NDArray[np.float64]]] = {"": [], ",method='em',a=1,b=1": []}
    for seed in range(20):
        pages = simulate("PBM", 2000, seed).pages
        for options, found in errors.items():
            found.append(parse(f"PBM(first='one'{options})").fit(pages).estimates["examination"].value - truth)
    conditional, jointly = (np.array(found)[:, 1:] for found in errors.values())
    error = conditional.std(axis=0, ddof=1) / 20**0.5
    assert (np.abs(conditional.mean(axis=0)) < 4 * error).all()
    assert (np.abs(jointly.mean(axis=0)) > 4 * jointly.std(axis=0, ddof=1) / 20**0.5).any()
