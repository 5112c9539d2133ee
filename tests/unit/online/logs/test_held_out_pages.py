"""Logs in two parts: counts say the same as pages, and no more is read than models need."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from hashlib import md5
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from cranfield.core import ParameterError
from cranfield.data import Log, read_log
from cranfield.online import (
    CLICK_MODELS,
    DBN,
    PBM,
    UBM,
    Cells,
    Pages,
    Part,
    Parted,
    foretell,
    parse_click_models,
    read_cells,
    read_pages,
    read_parted,
)
from cranfield.online.logs import held_out_pages as held_out
from tests.support.simulations import search_logs
from tests.support.simulations.click_logs import written

if TYPE_CHECKING:
    from cranfield.online import ClickModel, Foretold

NEAR = 1e-12
TEST = 0.3
COUNTING = [cls() for cls in CLICK_MODELS if cls.needs != "pages"]
SUMS = ("shown", "clicked", "predicted", "examined", "surprise", "conditional_surprise")


@pytest.fixture(scope="module")
def log() -> Log:
    """Pages of 3 and of 10 documents, some with gaps, some without results."""
    return read_log(search_logs.as_arrow(search_logs.made_up(800, 5)))


def same(one: Foretold, other: Foretold) -> None:
    for name in SUMS:
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=NEAR, err_msg=name)
    assert one.impressions == other.impressions
    assert one.log_likelihood() == pytest.approx(other.log_likelihood(), rel=NEAR)
    assert one.log_likelihood(mean="documents") == pytest.approx(other.log_likelihood(mean="documents"), rel=NEAR)
    for conditional in (False, True):
        found, wanted = (each.perplexity(conditional=conditional) for each in (one, other))
        assert found == pytest.approx(wanted, rel=NEAR)


@pytest.mark.parametrize("test", [0.0, TEST])
@pytest.mark.parametrize("model", COUNTING, ids=str)
def test_counts_say_the_same_as_pages(model: ClickModel, test: float, log: Log) -> None:
    counts, pages = (read_parted(log, [model], test=test, pages=asked) for asked in (False, True))
    assert (type(counts.every), type(pages.every)) == (Cells, Pages)
    assert counts.unseen() == pytest.approx(pages.unseen(), rel=NEAR)
    fitted = [model.fit(parted.learnt) for parted in (counts, pages)]
    for name, estimate in fitted[0].estimates.items():
        other = fitted[1].estimates[name]
        assert estimate.names() == other.names()
        np.testing.assert_allclose(estimate.value, other.value, rtol=NEAR)
        np.testing.assert_allclose(estimate.worth, other.worth, rtol=1e-9)
    (mine,), (theirs,) = foretell(log, fitted[:1], counts), foretell(log, fitted[1:], pages)
    assert mine.impressions < mine.shown.sum() / 3  # pages have 3 documents and more
    same(mine, theirs)


def test_which_models_tell_clicks_from_counts_alone() -> None:
    # Examination by the last click above is a matter of all that stands above.
    assert {model.name for model in COUNTING} == {"GCTR", "RCTR", "DCTR", "COEC", "PBM", "UBM"}
    assert {cls.name for cls in CLICK_MODELS if cls.tells == "cells"} == {model.name for model in COUNTING} - {"UBM"}


def test_pages_in_parts_come_to_the_same(log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    parted = read_parted(log, [UBM()])
    fitted = [PBM().fit(parted.every), UBM().fit(parted.every)]
    whole = foretell(log, fitted, parted)
    asked: list[Part] = []

    def read(log: Log, part: Part) -> Pages:
        asked.append(part)
        return read_pages(log, part)

    monkeypatch.setattr(held_out, "AT_ONCE", 100)
    monkeypatch.setattr(held_out, "read_pages", read)
    for one, other in zip(foretell(log, fitted, parted), whole, strict=True):
        same(one, other)
    assert len(asked) == int(np.ceil(parted.every.impressions / 100))


def test_nothing_is_read_twice_nor_in_vain(log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> Any:
        raise AssertionError("whole pages are read")

    monkeypatch.setattr(held_out, "read_pages", refuse)
    monkeypatch.setattr(held_out, "read_held_pages", refuse)
    models = parse_click_models("GCTR RCTR DCTR COEC PBM")
    parted = read_parted(log, models, test=TEST)
    assert len(foretell(log, [model.fit(parted.learnt) for model in models], parted)) == len(models)
    with pytest.raises(AssertionError, match="whole pages"):
        read_parted(log, [PBM(), DBN()], test=TEST)


def test_impressions_are_drawn_by_the_hash_of_their_names() -> None:
    names = [f"i{place}" for place in range(500)]
    one = {"topic": ["q"] * 500, "rank": [1] * 500, "document": names, "clicked": [0] * 500}
    log = read_log({"impression": names} | one)
    parted = read_parted(log, [PBM()], test=TEST, seed=7)
    held = {name for name in names if int(md5(f"7 {name}".encode()).hexdigest()[:8], 16) < int(TEST * 16**8)}
    assert shown(parted.tested) == held
    assert shown(parted.learnt) == set(names) - held
    assert shown(parted.every) == set(names)
    parts = [shown(read_pages(log, part)) for part in Part(seed=7).cut(4)]
    assert Counter(name for part in parts for name in part) == Counter(names)
    assert shown(read_parted(log, [PBM()], test=TEST, seed=8).tested) != held


def shown(log: Pages | Cells) -> set[str]:
    return {log.pairs.documents[document] for document in log.pairs.document[log.shown_by_pair > 0]}


def test_what_was_never_shown_is_counted() -> None:
    # Of 2 · 3 documents shown b and c are new, c twice.
    learnt, tested = written("2 a b"), written("2 a b c")
    assert Parted(tested, learnt, tested, Part()).unseen() == pytest.approx(2 / 6)
    assert Parted(learnt, learnt, learnt, Part()).unseen() == 0


def test_refusals(log: Log) -> None:
    few = read_log({"impression": ["a"], "topic": ["q"], "rank": [1], "document": ["x"], "clicked": [1]})
    for pages in (False, True):
        with pytest.raises(ParameterError, match=r"of 1 impressions (none can|all would) be held out"):
            read_parted(few, [PBM()], test=TEST, pages=pages)
    gap = read_log({"impression": ["a"], "topic": ["q"], "rank": [2], "document": ["x"], "clicked": [1]})
    with pytest.raises(ParameterError, match="no page of log is whole"):
        read_parted(gap, [PBM()])
    cells = read_cells(log)
    with pytest.raises(ParameterError, match="how long pages are"):
        PBM().fit(cells).foretell(cells)
    browsed = read_cells(log, after_click=True, whole=True)
    with pytest.raises(ParameterError, match="UBM foretells clicks on whole result pages"):
        UBM().fit(browsed).foretell(browsed)
    with pytest.raises(ParameterError, match="below the end"):
        replace(browsed, length=browsed.rank - 1)
