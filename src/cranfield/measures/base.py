"""Base classes of measures of one judged ranking, and the decorator that registers a measure."""

from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Hashable
from dataclasses import dataclass, fields, replace
from typing import Annotated, Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Catalogue, Declared, Direction, Limits, ParameterError, describe, write
from cranfield.core.types import Gains, Grades, Ranks, Rows, Weights
from cranfield.data import Block
from cranfield.measures.ties.tie_groups import first_stop, one_by_one

from .declared_properties import AXIOMS, CONDENSED, ORDINAL, Claim, Counterexample, Example

HIGHEST_EXPONENT = 1000  # 2^grade beyond it is no float64
MAX_CUTOFF = 2**31 - 1  # ranks are 32-bit integers

Cutoff = Annotated[int | None, Limits(1)]
Grade = Annotated[int | float, Limits(0)]  # below 0 nothing is judged
TopGrade = Annotated[int | float | None, Limits(1, HIGHEST_EXPONENT)]


class MeasureType(ABCMeta):
    """Type of measure classes: a class stands for the measure with its default parameters, so ``P@10`` is a measure."""

    def __matmul__(cls, at: float) -> Any:
        return cls(**{cls.at: at})  # type: ignore[attr-defined]  # every measure has the field that ``at`` names


class Measure(Declared, metaclass=MeasureType):
    """A number for each ranking. Instances are values: they compare, hash and print as their notation."""

    name: ClassVar[str]
    cite: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]]
    at: ClassVar[str] = "k"
    family: ClassVar[str] = ""
    direction: ClassVar[Direction] = Direction.HIGHER
    aggregate: ClassVar[str] = "mean"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    trec: ClassVar[tuple[str, str]] = ("", "")  # what trec_eval calls it, without and with a cut-off
    formula: ClassVar[str] = ""
    example: ClassVar[Example | None] = None
    needs_cutoff: ClassVar[bool] = False
    needs: ClassVar[str] = ""  # what it has to know of documents beside their grade: the kind of a side table
    linear: ClassVar[bool] = False  # a sum over documents, each counted by its own grade and rank alone

    k: Cutoff = None
    judged_only: bool = False

    def __post_init__(self) -> None:
        """Refuse what the types of the parameters cannot."""
        if self.needs_cutoff and self.k is None:
            raise ParameterError(f"{self.name} needs a cut-off", hint=f"write {self.name}@10")
        if self.k is not None and self.k > MAX_CUTOFF:
            raise ParameterError(f"{self.name} cannot have k={self.k}", hint=f"a cut-off is at most {MAX_CUTOFF:,}")

    @property
    def worst(self) -> float | None:
        """The value of a topic for which nothing was retrieved; NaN: it has none; None: the judgments alone decide."""
        return 0.0

    @property
    def scale(self) -> Claim:
        """What scale the values have."""
        return ORDINAL

    @property
    def axioms(self) -> frozenset[str]:
        """What can be relied on: a better document moved up or put in never hurts; perfect is best."""
        return AXIOMS - {example.axiom for example in self.gives_up}

    @property
    def asks_for(self) -> str:
        """The kind of side table without which it has no value; nothing: grades are enough."""
        return self.needs

    @property
    def bounded(self) -> bool:
        """Whether ``bounds`` can say how far the value may move once what nobody judged is judged."""
        return False

    @property
    def gives_up(self) -> tuple[Counterexample, ...]:
        """Why other axioms cannot be relied on."""
        return (CONDENSED,) if self.judged_only else ()

    @abstractmethod
    def value(self, block: Block) -> Rows:
        """One number per row."""

    def kernel(self, block: Block) -> Rows:
        """The value of every row, unjudged documents taken out first where that was asked."""
        return self.value(block.judged_only() if self.judged_only else block)

    def over_ties(self, block: Block) -> Rows | None:
        """The mean of ``value`` over all orders of tied documents; None where it has no closed form."""
        return one_by_one(self.value, block) if self.linear else None

    def gain(self, grade: Grades) -> Gains:
        """What a document of this grade is worth."""
        return np.maximum(grade, 0.0)

    def earns(self, grade: Grades) -> NDArray[np.bool_]:
        """Whether a document of this grade can make a difference to the value: the others are not shown."""
        return np.full(grade.shape, fill_value=True)

    @property
    def reach(self) -> float:
        """The last rank that can make a difference to the value; infinite where nobody knows one."""
        return np.inf

    def placed(self, grade: Grades) -> NDArray[np.bool_]:
        """Whether the place of a document of this grade matters: among ties, more may than earn anything."""
        return self.earns(grade)

    def settled(self, top: float) -> Self:
        """The same measure with everything that depends on the judgments made explicit; ``top`` is their top grade."""
        del top
        return self

    def grid(self, length: int, relevant: int) -> int | None:
        """A number of which all values are whole multiples of one part, for rankings so long; None: nobody knows one.

        It tells equal values from near ones, which floats cannot.
        """
        del length, relevant
        return None

    def within(self, rank: Ranks) -> Weights:
        """1 down to the cut-off, 0 below it and where there is no document."""
        return (rank <= (self.k or np.finfo(float).max)).astype(np.float64)

    def added(
        self, block: Block, worth: Callable[[], Weights], *, what: Hashable = None, cut: Rows | None = None
    ) -> Rows:
        """The sum of what each document is worth, down to the cut-off.

        It is added up once for all cut-offs of a measure, or of all that mean the same ``what``; from the top, as
        trec_eval does: numpy's own sum goes in pairs, and a last bit can turn a fourth decimal. ``cut`` is a cut-off of
        each row's own.
        """
        if what is None:
            what = (type(self), *(getattr(self, field.name) for field in fields(self) if field.name != "k"))
        down = block.once(what, lambda: added_up(worth()))
        k = self.k or np.finfo(float).max
        return down[np.arange(len(down)), block.upto(k if cut is None else np.minimum(cut, k))]

    def goes_by(self, text: str, top: float | None = None) -> bool:
        """Whether a text stands for it, however it is written; ``top`` is the top grade of judgments, if known."""
        from cranfield.measures.notation.parsing import stands_for  # which reads all measures, and so needs this module

        return stands_for(text, self, top)

    def __matmul__(self, at: float) -> Self:
        return replace(self, **{self.at: at})  # type: ignore[arg-type]  # the field that ``at`` names

    def __str__(self) -> str:
        return write(describe(self))

    def __repr__(self) -> str:
        return str(self)


class Binary(Measure):
    """A measure that only asks whether a document is relevant: whether it reaches grade ``rel``."""

    rel: Grade = 1

    def gain(self, grade: Grades) -> Gains:
        """1 for a relevant document."""
        return (grade >= self.rel).astype(np.float64)

    def earns(self, grade: Grades) -> NDArray[np.bool_]:
        """Only relevant documents do."""
        return self.gain(grade) > 0

    def hits(self, block: Block, *, cut: Rows | None = None) -> Rows:
        """(row,): how many relevant documents stand above the cut-off, and above ``cut``."""
        return self.added(block, lambda: Binary.gain(self, block.grade), what=("hits", self.rel), cut=cut)

    def found(self, block: Block) -> Gains:
        """(row, document): how many relevant documents stand there or above, whatever the cut-off."""
        return block.once(("hits", self.rel), lambda: added_up(Binary.gain(self, block.grade)))[:, 1:]

    def hit(self, block: Block) -> Gains:
        """(row, document): 1 where a relevant document stands above the cut-off."""
        return self.gain(block.grade) * self.within(block.rank)


class Browsing(Measure):
    """A measure with a user: somebody who reads down the ranking and leaves at some rank."""

    @property
    def reach(self) -> float:
        """The cut-off; but where unjudged documents are taken out, nobody knows which rank that was."""
        return np.inf if self.k is None or self.judged_only else self.k

    @abstractmethod
    def seen(self, block: Block) -> Weights:
        """(row, document): the chance that somebody who saw the first rank gets as far as each named document."""

    def known(self, block: Block) -> Weights:
        """(row, document): how far somebody who has read the ranking already knows each named document."""
        return self.seen(block)

    @abstractmethod
    def residual(self, block: Block, left: Weights) -> Rows:
        """The value where only a share of each document's gain is left; how the ranking is read stays what it was."""

    @property
    def whole(self) -> "Discounted | None":
        """The measure whose value for the perfect ranking this one is a share of; None: it is a share of nothing."""
        return None


class Discounted(Browsing):
    """A user whose attention falls with rank alone: the value is the sum of gain times discount."""

    linear: ClassVar[bool] = True

    def earns(self, grade: Grades) -> NDArray[np.bool_]:
        """Only documents that are worth something do."""
        return self.gain(grade) > 0

    @abstractmethod
    def discount(self, rank: Ranks) -> Weights:
        """How much of the user's attention reaches each rank."""

    def seen(self, block: Block) -> Weights:
        """As the discount says, the first rank taken as 1."""
        return self.discount(block.rank) / self.discount(np.ones(1)) * self.within(block.rank)

    def value(self, block: Block) -> Rows:
        """Gain times discount, down to the cut-off."""
        return self.added(block, lambda: self.gain(block.grade) * self.discount(block.rank))

    def residual(self, block: Block, left: Weights) -> Rows:
        """What is left of the gains, times discount."""
        return (self.gain(block.grade) * left * self.discount(block.rank) * self.within(block.rank)).sum(axis=1)


class Normalised(Discounted):
    """A sum of gains times discount as a share of what it is at best; 0 where nothing is relevant."""

    @property
    def whole(self) -> Discounted:
        """The sum itself."""
        return self

    def value(self, block: Block) -> Rows:
        """The share of what is there at best."""
        return ratio(super().value(block), block.at_best(Unnormalised(self.whole)))


class Cascade(Browsing):
    """A user who reads down and may stop, satisfied, at every document."""

    def earns(self, grade: Grades) -> NDArray[np.bool_]:
        """Only documents that may satisfy do."""
        return self.stop(grade) > 0

    @abstractmethod
    def stop(self, grade: Grades) -> Gains:
        """The chance that a document of this grade satisfies."""

    def seen(self, block: Block) -> Weights:
        """As long as nothing above satisfied."""
        return stays(self.stop(block.grade)) * self.within(block.rank)

    def effort(self, rank: Ranks) -> Weights:
        """What it is worth to be satisfied at a rank: the less, the more was read before."""
        return 1 / rank

    def value(self, block: Block) -> Rows:
        """The expected worth of the rank where the user stops: its reciprocal."""
        return (self.stop(block.grade) * self.effort(block.rank) * self.seen(block)).sum(axis=1)

    def residual(self, block: Block, left: Weights) -> Rows:
        """The same, where only a share of those who stop is satisfied."""
        return (self.stop(block.grade) * left * self.effort(block.rank) * self.seen(block)).sum(axis=1)

    def over_ties(self, block: Block) -> Rows | None:
        """The same expectation, over all orders."""
        return first_stop(self.stop(block.grade), block, lambda rank: self.within(rank) * self.effort(rank))


class Reader(Browsing):
    """A user who looks at one document after the other: the value is what the average look is worth.

    Moffat et al. call the chance to go on C, the share of looks that go to each rank W, the chance to leave after it L.
    A subclass says how far the user gets (``seen``) and how many documents are looked at (``depth``).
    """

    family: ClassVar[str] = "user model"

    @abstractmethod
    def depth(self, block: Block) -> Rows:
        """(row,): how many documents the user looks at, in expectation: the sum of ``seen`` over all ranks."""

    def value(self, block: Block) -> Rows:
        """Gains that are seen, for every document that is looked at."""
        seen = (self.gain(block.grade) * self.seen(block)).sum(axis=1)
        return np.minimum(seen / self.depth(block), self.range[1])  # a rounded quotient may exceed it

    def residual(self, block: Block, left: Weights) -> Rows:
        """What is left of the gains that are seen, for every document that is looked at."""
        return (self.gain(block.grade) * left * self.seen(block)).sum(axis=1) / self.depth(block)


def stays(stop: Gains) -> Weights:
    """(row, document): the chance that nothing above was where the user stopped."""
    on = 1 - stop
    return np.concatenate([np.ones((len(on), 1)), on[:, :-1]], axis=1).cumprod(axis=1)


@dataclass(frozen=True, slots=True)
class Unnormalised:
    """The sum that a normalised measure divides by what it is at best."""

    of: Discounted

    def kernel(self, block: Block) -> Rows:
        """Gain times discount, as the family has it."""
        return Discounted.value(self.of, block)

    def gain(self, grade: Grades) -> Gains:
        """As the measure has it."""
        return self.of.gain(grade)

    def earns(self, grade: Grades) -> NDArray[np.bool_]:
        """As the measure has it."""
        return self.of.earns(grade)

    @property
    def reach(self) -> float:
        """As the measure has it."""
        return self.of.reach


def below_top(grade: Grades, measure: Measure, top: float | None) -> float:
    """The top grade of a measure, once it is known and no grade lies above it."""
    if top is None:
        hint = f"write {measure.name}(max_rel=2), or evaluate it with judgments"
        raise ParameterError(f"{measure.name} needs the top grade", hint=hint)
    if grade.max(initial=0) > top:
        hint = f"the judgments go up to {grade.max():g}: write max_rel={grade.max():g}"
        raise ParameterError(f"{measure} meets a grade above {top:g}", hint=hint)
    return top


def top_of(grades: float) -> int:
    """The top of the scale where nobody says it: the top grade of the judgments."""
    return max(1, int(np.ceil(grades)))


def added_up(worth: Weights) -> Weights:
    """(row, document + 1): what stands down to each document, added up, after a 0."""
    down = np.empty((len(worth), worth.shape[1] + 1))
    down[:, 0] = 0
    worth.cumsum(axis=1, out=down[:, 1:])
    return down


def ratio(part: Rows, whole: Rows) -> Rows:
    """The part as a share of the whole; 0 where there is no whole."""
    return np.divide(part, whole, out=np.zeros(part.shape), where=whole > 0)


# What needs more than judgments is asked for by few.
LATER = tuple(
    f"cranfield.measures.{module}"
    for module in (
        "diversity.subtopic_measures",
        "fairness.group_exposure",
        "fairness.prefix_parity",
        "classic.multi_aspect",
    )
)
ORDER = tuple(
    f"measures.{module}"
    for module in (
        "classic.cascade",
        "classic.discounted",
        "classic.cumulated_gain",
        "classic.ntcir",
        "user_models.cwl_users",
        "user_models.click_model_measures",
        "classic.compatibility",
        "classic.counts",
        "classic.interpolated_precision",
        "user_models.cwl_table",
        "user_models.goal_users",
        "classic.incomplete_judgments",
        "scales.interval_measures",
        "classic.recall_based",
        "novelty.relative_gain",
        "scales.interval_transform",
        "user_models.markov_precision",
        "classic.sampled_pools",
        "classic.set_based",
        "classic.grade_thresholds",
        "user_models.time_based",
        "fairness.group_exposure",
        "diversity.subtopic_measures",
        "classic.multi_aspect",
        "fairness.prefix_parity",
    )
)
MEASURES: Catalogue[Measure] = Catalogue("measure", see="`cranfield measures` lists them all", later=LATER, order=ORDER)
M = TypeVar("M", bound=Measure)


def measure(name: str, *, cite: str, aliases: tuple[str, ...] = ()) -> Callable[[type[M]], type[M]]:
    """Give a measure class its name and its source, and list it."""
    return MEASURES.declare(name, cite=cite, aliases=aliases)
