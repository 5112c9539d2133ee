"""Click models as users of a result page: expected clicks, utility and effort (chuklin2013).

A page is what was retrieved of the first ``k`` ranks. What nobody judged there is of grade 0, and is clicked as such
documents are. How likely a document is clicked, and satisfies, depends on its grade: ``attraction`` and
``satisfaction`` have a number for each grade from 0 up. Those that stand here as defaults are for grades 0 to 3, and
were fitted to other people's users, or to nobody: take what your own log says.
"""

from abc import abstractmethod
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError, Share
from cranfield.core.types import Gains, Grades, Rows, Weights
from cranfield.data import Block
from cranfield.measures.base import Measure, stays
from cranfield.measures.declared_properties import Counterexample
from cranfield.measures.number_lists import by_grade, by_rank, keep_row, read_numbers

AT_ONCE = 1 << 20  # ranks of all the pages that are looked at together

FITTED = "0.491912 0.570803 0.695883 0.931482"  # to the users of Yandex (chuklin2013)
AS_ERR = "0 0.125 0.375 0.875"  # (2^grade - 1) / 8


class Clicked(Measure):
    """A user who clicks on a page of results as a click model says."""

    family: ClassVar[str] = "user model"
    needs_cutoff: ClassVar[bool] = True
    by_grade: ClassVar[tuple[str, ...]] = ("attraction",)  # the parameters that have a number for each grade
    attraction: str = FITTED

    def __post_init__(self) -> None:
        super().__post_init__()
        for parameter in self.by_grade:
            keep_row(self, parameter, least=2)
        if len(set(self._tops())) > 1:
            hint = f"a number for each grade from 0 up, in each of {', '.join(self.by_grade)}"
            raise ParameterError(f"{self.name} needs as many numbers for every parameter", hint=hint)

    def _tops(self) -> list[int]:
        return [len(read_numbers(getattr(self, parameter))) - 1 for parameter in self.by_grade]

    @property
    def top(self) -> int:
        """The highest grade that the parameters speak of."""
        return self._tops()[0]

    @property
    def reach(self) -> float:
        return np.inf if self.judged_only else float(self.k or np.inf)

    def settled(self, top: float) -> Self:
        if top > self.top:
            hint = f"the judgments go up to {top:g}: {', '.join(self.by_grade)} need a number for each grade from 0 up"
            raise ParameterError(f"{self.name} knows grades up to {self.top} only", hint=hint)
        return self

    def earns(self, grade: Grades) -> NDArray[np.bool_]:
        return grade > 0  # what is of grade 0 is what fills the page

    def value(self, block: Block) -> Rows:
        step = max(1, AT_ONCE // (self.k or 1))
        parts = [self._pages(block, slice(at, at + step)) for at in range(0, len(block.row), step)]
        return np.concatenate([np.zeros(0), *parts])

    def _pages(self, block: Block, some: slice) -> Rows:
        """The value of some rows: their grades are put where they stand on the page."""
        ranks, k = block.rank[some], self.k or 0
        row, column = np.nonzero(ranks <= k)
        page = np.zeros((len(ranks), k))
        page[row, ranks[row, column].astype(np.int64) - 1] = np.maximum(block.grade[some][row, column], 0)
        shown = np.arange(1, k + 1) <= block.retrieved[some, None]
        return self.worth(page, by_grade(self.attraction, page) * shown)

    @abstractmethod
    def clicks(self, page: Grades, attraction: Weights) -> Weights:
        """(row, rank): how likely each document of a page is clicked."""

    @abstractmethod
    def worth(self, page: Grades, attraction: Weights) -> Rows:
        """(row,): what the clicks on a page are worth."""


class Utility(Clicked):
    """The gains of all clicks: a document of grade g has (2^g - 1) / 2^top."""

    range: ClassVar[tuple[float, float]] = (0.0, np.inf)

    def useful(self, grade: Grades) -> Gains:
        """What a click on a document of this grade brings."""
        return (np.exp2(np.maximum(grade, 0)) - 1) / 2.0**self.top

    def gain(self, grade: Grades) -> Gains:
        return by_grade(self.attraction, np.maximum(grade, 0)) * self.useful(grade)

    def worth(self, page: Grades, attraction: Weights) -> Rows:
        return (self.clicks(page, attraction) * self.useful(page)).sum(axis=1)

    def lost(self, axiom: str, before: tuple[int, ...], after: tuple[int, ...], settings: str) -> Counterexample:
        """A counterexample, shown with this measure set so; what it puts in is of grade 1."""
        missed = (1,) if axiom == "replacement" else ()
        return Counterexample(axiom, before, after, missed, self.cite, of=f"{self.name}({settings})@{len(before)}")


class Effort(Clicked):
    """The expected reciprocal of the rank where the user stops, satisfied by what was clicked there."""

    @abstractmethod
    def satisfied(self, page: Grades, attraction: Weights) -> Weights:
        """(row, rank): how likely a click there is the last, because it satisfied."""

    @property
    def gives_up(self) -> tuple[Counterexample, ...]:
        if self.k == 1 or not self.gain(np.zeros(1)).any():
            return super().gives_up
        # Where a document of grade 0 may satisfy too, so may one more that nobody judged.
        settings = ",".join(f"{parameter}='0.5 0.5'" for parameter in self.by_grade)
        longer = Counterexample("ideal-best", (1, -1), (1,), (), self.cite, of=f"{self.name}({settings})@2")
        return (*super().gives_up, longer)

    def gain(self, grade: Grades) -> Gains:
        return by_grade(self.attraction, np.maximum(grade, 0))

    def worth(self, page: Grades, attraction: Weights) -> Rows:
        rank = np.arange(1, page.shape[1] + 1)
        return (self.clicks(page, attraction) * self.satisfied(page, attraction) / rank).sum(axis=1)


class Leaving(Clicked):
    """A click model whose user reads down the page and leaves at some rank."""

    @abstractmethod
    def leaves(self, page: Grades, attraction: Weights) -> Weights:
        """(row, rank): how likely somebody who looks at a document looks at none below."""

    def clicks(self, page: Grades, attraction: Weights) -> Weights:
        return attraction * stays(self.leaves(page, attraction))


class Dependent(Leaving):
    """The dependent click model: after a click at rank r the user goes on with the r-th chance of ``continuation``.

    The last of these holds for all ranks that follow. Without a click everybody goes on.
    """

    continuation: str = "0.5"

    def __post_init__(self) -> None:
        super().__post_init__()
        keep_row(self, "continuation")

    def satisfied(self, page: Grades, attraction: Weights) -> Weights:
        del attraction
        return np.broadcast_to(1 - by_rank(self.continuation, page.shape[1]), page.shape)

    def leaves(self, page: Grades, attraction: Weights) -> Weights:
        return attraction * self.satisfied(page, attraction)


class Simplified(Leaving):
    """The simplified dynamic Bayesian network: the user goes on until a clicked document satisfies."""

    by_grade: ClassVar[tuple[str, ...]] = ("attraction", "satisfaction")
    satisfaction: str = AS_ERR

    def satisfied(self, page: Grades, attraction: Weights) -> Weights:
        del attraction
        return by_grade(self.satisfaction, page)

    def leaves(self, page: Grades, attraction: Weights) -> Weights:
        return attraction * self.satisfied(page, attraction)


class Dynamic(Simplified):
    """The dynamic Bayesian network: who is not satisfied goes on with the chance ``continuation``."""

    continuation: Share = 0.9

    def leaves(self, page: Grades, attraction: Weights) -> Weights:
        return 1 - self.continuation * (1 - super().leaves(page, attraction))


class Chained(Leaving):
    """The click chain model: a click satisfies with the chance of attraction once more.

    Somebody goes on with the chance ``after_skip`` without a click, ``after_click`` where it did not satisfy,
    ``after_satisfied`` where it did.
    """

    after_skip: Share = 1.0
    after_click: Share = 1.0
    after_satisfied: Share = 0.0

    def satisfied(self, page: Grades, attraction: Weights) -> Weights:
        del page
        return attraction * (1 - self.after_satisfied)

    def leaves(self, page: Grades, attraction: Weights) -> Weights:
        del page
        clicked = (1 - attraction) * self.after_click + attraction * self.after_satisfied
        return 1 - (1 - attraction) * self.after_skip - attraction * clicked
