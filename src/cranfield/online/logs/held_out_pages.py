"""Split a log into training and held-out impressions, and test click models on the held-out ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from cranfield.core import SEED, ParameterError
from cranfield.online.clicks.base import ClickModel
from cranfield.online.clicks.click_prediction import Foretold
from cranfield.online.clicks.fitted_model import Fitted
from cranfield.online.clicks.probability_estimates import Numbers

from .click_counts import read_held_cells, read_held_pages, read_pages
from .clicked_pages import Cells, Pages
from .hash_samples import Part

if TYPE_CHECKING:
    from cranfield.data import Log

AT_ONCE = 100_000  # impressions whose pages are held in memory where all else is counts


@dataclass(frozen=True, slots=True, eq=False)
class Parted:
    """A log, and its two parts: what models learn from, and what is held out; the same where nothing is."""

    every: Pages | Cells
    learnt: Pages | Cells
    tested: Pages | Cells
    held: Part  # which impressions are tested

    def unseen(self) -> float:
        """The share of the documents held out, each as often as it was shown, that nothing was learnt of."""
        known = np.append(self.learnt.shown_by_pair > 0, False)
        shown = self.tested.shown_by_pair
        return float(shown @ ~known[self.learnt.pairs.find(self.tested.pairs)] / shown.sum())


def read_parted(
    log: "Log", models: Sequence[ClickModel], *, test: float = 0.0, seed: int = SEED, pages: bool = False
) -> Parted:
    """What some models need of a log: counts, where none of them needs more, or with ``pages`` pages all the same.

    A share ``test`` of the impressions is held out. Pages whose ranks have gaps are left out.
    """
    needs = {model.needs for model in models}
    held = Part(high=test, seed=seed)
    if pages or "pages" in needs:
        return _part_pages(*read_held_pages(log, held), held)
    return _part_cells(*read_held_cells(log, held, after_click="browsed" in needs), held)


def _part_pages(pages: Pages, count: Numbers, held: Part) -> Parted:
    if not _check_held(pages.impressions, float(count.sum()), held):
        return Parted(pages, pages, pages, Part())
    return Parted(pages, pages.counted(pages.count - count), pages.counted(count), held)


def _part_cells(cells: Cells, shown: Numbers, clicked: Numbers, held: Part) -> Parted:
    if not _check_held(cells.impressions, float(shown[cells.rank == 1].sum()), held):
        return Parted(cells, cells, cells, Part())
    learnt = cells.counted(cells.shown - shown, cells.clicked - clicked)
    return Parted(cells, learnt, cells.counted(shown, clicked), held)


def _check_held(impressions: float, drawn: float, held: Part) -> bool:
    """Whether something is held out; refused where nothing is though it should be, or nothing is left to learn from."""
    if held.high > 0 and not 0 < drawn < impressions:
        what = "all would be held out" if drawn else "none can be held out"
        hint = "give a longer log, or test on what was learnt from: --test 0"
        raise ParameterError(f"of {impressions:.0f} impressions {what}", hint=hint)
    return held.high > 0


def foretell(log: "Log", fitted: Sequence[Fitted], parted: Parted) -> list[Foretold]:
    """How well models foretell what was held out of a log.

    Where only counts were read and a model needs pages for that, these are read in parts and not kept.
    """
    found = {
        place: one.foretell(parted.tested)
        for place, one in enumerate(fitted)
        if isinstance(parted.tested, Pages) or one.model.tells == "cells"
    }
    if len(found) < len(fitted):
        some = [(place, one) for place, one in enumerate(fitted) if place not in found]
        for part in parted.held.cut(ceil(parted.tested.impressions / AT_ONCE)):
            pages = read_pages(log, part)
            for place, one in some:
                here = one.foretell(pages)
                found[place] = found[place] + here if place in found else here
    return [found[place] for place in range(len(fitted))]
