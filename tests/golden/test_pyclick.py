"""Click models beside PyClick's, on one log."""

from typing import Any

import numpy as np
import pytest

from cranfield.online import CM, DCM, DCTR, GCTR, PBM, RCTR, SDBN, UBM, ClickModel, Fitted, Pages
from tests.support.click_pages import pages
from tests.support.golden.click_inputs import sessions
from tests.support.golden.golden_values import golden

# PyClick runs 50 plain EM rounds with one success and one failure as prior, and counts DCM and SDBN.
ROUNDS: dict[str, Any] = {"first": "free", "method": "em", "a": 1, "b": 1, "rounds": 50, "tolerance": 0}
COUNTED: dict[str, Any] = {"exact": False}
MODELS = [GCTR(), RCTR(), DCTR(), CM(), DCM(**COUNTED), SDBN(**COUNTED), PBM(**ROUNDS), UBM(**ROUNDS)]
NAMES = {"attr": "attraction", "exam": "examination", "sat": "satisfaction", "cont": "continuation"}
NEAR = 1e-12


def learnt(fitted: Fitted, kind: str, page: Pages) -> list[float]:
    """(rank,): the chances of one kind for one page."""
    if kind == "ctr":
        return fitted.marginal(page)[0].tolist()
    name = NAMES[kind]
    if kind == "exam":
        browsing = fitted.browsing(page)
        looked = browsing.walk(lambda rank, _: page.clicked[:, rank]) / browsing.attraction
        return looked[0].tolist()
    if kind == "cont":
        return fitted.estimates[name].at(np.arange(page.depth)).tolist()
    return fitted.of(name, page)[0].tolist()


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_pyclick_learns_and_foretells_the_same(model: ClickModel) -> None:
    theirs, log = golden("pyclick")[model.name], sessions()
    fitted = model.fit(pages(*log))
    for session, parameters, marginal, done in zip(
        log, theirs["parameters"], theirs["marginal"], theirs["done"], strict=False
    ):
        page = pages(session)
        for kind in parameters[0]:
            assert learnt(fitted, kind, page) == pytest.approx([rank[kind] for rank in parameters], rel=NEAR), kind
        assert fitted.marginal(page)[0] == pytest.approx(marginal, rel=NEAR)
        if model.name != "CM":  # below the first click PyClick calls clicks and skips as impossible
            chance = fitted.conditional(page)
            assert np.where(page.clicked, chance, 1 - chance)[0] == pytest.approx(done, rel=NEAR)
    assert len(theirs["marginal"]) == 6
