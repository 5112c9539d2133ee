"""Base classes and catalogue of click models."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Annotated, ClassVar, Literal, TypeAlias, TypeVar

from cranfield.core import Catalogue, Declared, Limits, ParameterError, describe, write
from cranfield.online.logs.clicked_pages import Cells, Pages

from .browsing import Apart, Browsing
from .fitted_model import Fitted
from .probability_estimates import Chances, Estimate, Prior

Progress: TypeAlias = Callable[[int, int], object]
Needs: TypeAlias = Literal["cells", "browsed", "pages"]


class ClickModel(Declared, ABC):
    """A story of how users come to click, with chances that are learnt from logs."""

    name: ClassVar[str]
    cite: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]]
    at: ClassVar[str] = ""  # nothing stands behind an @
    needs: ClassVar[Needs]  # to learn: counts, counts with the last click above, or whole pages
    tells: ClassVar[Needs] = "pages"  # what is needed to say how likely clicks were: counts, where ranks are apart
    examines: ClassVar[bool] = True  # whether it tells what is looked at from what attracts

    def __str__(self) -> str:
        return write(describe(self))

    __repr__ = __str__

    @abstractmethod
    def fit(self, log: Pages | Cells, *, progress: Progress | None = None) -> Fitted:
        """What a log teaches; ``progress`` is told how many rounds of how many are done."""

    @abstractmethod
    def browsing(self, fitted: Fitted, pages: Pages) -> Browsing:
        """The users of this model before some pages."""

    def apart(self, fitted: Fitted, log: Pages | Cells) -> Apart:
        """The same before counts: for models that tell clicks from these."""
        raise ParameterError(f"{self.name} foretells clicks on whole result pages", hint="give Pages, not Cells")

    def relevance(self, estimates: Mapping[str, Estimate]) -> Chances:
        """(pair,): how good documents are, by what was learnt."""
        if "attraction" not in estimates:
            raise ParameterError(
                f"{self.name} says nothing of documents", hint="choose another model: DCTR, PBM, DBN, …"
            )
        return estimates["attraction"]

    def cells(self, log: Pages | Cells) -> Cells:
        """A log as the counts that this model needs."""
        browsed = self.needs == "browsed"
        if isinstance(log, Pages):
            return log.cells(after_click=browsed)
        if browsed and not log.after_click:
            hint = "count each rank with the last click above: pages.cells(after_click=True)"
            raise ParameterError(f"{self.name} needs to know the last click above", hint=hint)
        return log

    def pages(self, log: Pages | Cells) -> Pages:
        """A log as the pages that this model needs."""
        if isinstance(log, Cells):
            raise ParameterError(f"{self.name} needs whole result pages", hint="give Pages, not Cells")
        return log


class Smoothed(ClickModel):
    """A click model whose chances have a prior: ``a`` times it happened and ``b`` times it did not, before any data.

    A chance is (a + how often it happened) / (a + b + how often it could have): the likeliest under Beta(a + 1, b + 1).
    """

    a: Annotated[float, Limits(1e-6)] = 1.0
    b: Annotated[float, Limits(1e-6)] = 1.0

    @property
    def prior(self) -> Prior:
        """The prior of every parameter."""
        return Prior(self.a, self.b)


ORDER = tuple(
    f"online.clicks.{module}" for module in ("stopping_chains", "click_rates", "cascade_models", "examination_models")
)
CLICK_MODELS: Catalogue[ClickModel] = Catalogue("click model", order=ORDER)
M = TypeVar("M", bound=ClickModel)


def click_model(name: str, *, cite: str, aliases: tuple[str, ...] = ()) -> Callable[[type[M]], type[M]]:
    """Give a click model its name and its source, and list it."""
    return CLICK_MODELS.declare(name, cite=cite, aliases=aliases)
