"""Measures based on click models: utility of the clicks (u…) and effort until satisfaction (rr…)."""

from typing import ClassVar

import numpy as np

from cranfield.core import ParameterError
from cranfield.core.types import Gains, Grades, Weights
from cranfield.measures.base import measure
from cranfield.measures.declared_properties import Counterexample, Example
from cranfield.measures.number_lists import by_grade, by_rank, keep_row, keep_rows, read_numbers, read_rows

from .click_users import AS_ERR, Chained, Dependent, Dynamic, Effort, Simplified, Utility

AS_DCG = "1 0.6309 0.5 0.4307 0.3869 0.3562 0.3333 0.3155 0.301 0.2891"  # 1 / log2(rank + 1)

# Of Yandex: a row for each rank, in it the chance without a click before, then with the last one at ranks 1, 2, …
FITTED = (
    "0.9921/0.8951 0.1199/0.541 0.0331 0.2395/0.567 0.0187 0.0794 0.323/0.4816 0.0099 0.0426 0.1242 0.3004/"
    "0.5747 0.0067 0.0248 0.0716 0.121 0.3107/0.5461 0.0042 0.0179 0.0476 0.0713 0.1449 0.3018/"
    "0.6483 0.0032 0.0101 0.028 0.0434 0.0826 0.1268 0.3212/"
    "0.698 0.0023 0.0082 0.0215 0.0303 0.062 0.0813 0.1559 0.3221/"
    "1 0.0029 0.0106 0.0263 0.0305 0.0599 0.0917 0.1518 0.1901 0.4149"
)


@measure("uPBM", cite="chuklin2013,craswell2008")
class UPBM(Utility):
    """Utility of the clicks of the position-based model: attraction by grade, times ``examination`` by rank.

    The last number of ``examination`` holds for all ranks that follow.
    """

    formula: ClassVar[str] = "Σ_{i≤k} (2^grade − 1) / 2^top · attraction(grade) · examination(i)"
    example: ClassVar[Example] = Example(
        "uPBM(attraction='0.1 0.4 0.9',examination='1 0.8 0.6')@3", (1, 0, 2), "1/4 * 0.4 + 3/4 * 0.9 * 0.6"
    )
    linear: ClassVar[bool] = True
    examination: str = AS_DCG

    def __post_init__(self) -> None:
        super().__post_init__()
        keep_row(self, "examination")

    @property
    def gives_up(self) -> tuple[Counterexample, ...]:
        seen = by_rank(self.examination, self.k or 1)
        if (np.diff(seen) <= 0).all():
            return super().gives_up
        # Where a lower rank is looked at more often, the better document belongs there.
        settings = "examination='0.5 1'"
        swap, best = (self.lost(axiom, (0, 1), (1, 0), settings) for axiom in ("swap", "ideal-best"))
        return (*super().gives_up, swap, best)

    def clicks(self, page: Grades, attraction: Weights) -> Weights:
        return attraction * by_rank(self.examination, page.shape[1])


@measure("uUBM", cite="chuklin2013,dupret2008")
class UUBM(Utility):
    """Utility of the clicks of the user browsing model: how likely a rank is looked at depends on the last click.

    ``examination`` has a row for each rank, with a chance for no click before, then for the last one at ranks 1, 2, ….
    The last row holds for all ranks that follow, by how far above the last click was.
    """

    formula: ClassVar[str] = (
        "Σ_{i≤k} (2^grade − 1) / 2^top · P(i),  "
        "P(i) = Σ_{j<i} P(j) · a(i) · e(i,j) · Π_{j<l<i} (1 − a(l) · e(l,j)),  a attraction, e examination, P(0) = 1"
    )
    example: ClassVar[Example] = Example(
        "uUBM(attraction='0 0.5 1',examination='1/0.8 0.4')@2", (1, 2), "1/4 * 0.5 + 3/4 * (0.5 * 0.4 + 0.5 * 0.8)"
    )
    examination: str = FITTED

    def __post_init__(self) -> None:
        super().__post_init__()
        lengths = keep_rows(self, "examination")
        if lengths != tuple(range(1, len(lengths) + 1)):
            hint = "one number in the first row, two in the second, …: no click before, then the last one at rank 1, …"
            raise ParameterError(f"uUBM cannot have examination={self.examination!r}", hint=hint)

    @property
    def gives_up(self) -> tuple[Counterexample, ...]:
        # A click at the first rank ends the visit; one at the second does not.
        leads, ends = "attraction='0 0 1',examination='1/1 0/1 0 1'", "attraction='0 1 1',examination='1/1 0'"
        swap = self.lost("swap", (1, 2, 2), (2, 1, 2), leads)
        best = self.lost("ideal-best", (1, 2, 2), (2, 2, 1), leads)
        replaced = self.lost("replacement", (0, 2), (1, 2), ends)
        return super().gives_up if self.k == 1 else (*super().gives_up, swap, best, replaced)

    def _examination(self, last: int) -> Weights:
        """(rank, last click): 0 is no click before."""
        rows = read_rows(self.examination)
        found = np.zeros((last, last))
        for rank in range(1, last + 1):
            row = rows[min(rank, len(rows)) - 1]
            place = np.maximum(len(row) - rank + np.arange(rank), 0)
            place[0] = 0
            found[rank - 1, :rank] = row[place]
        return found

    def clicks(self, page: Grades, attraction: Weights) -> Weights:
        examination = self._examination(page.shape[1])
        clicks = np.zeros(page.shape)
        before = np.zeros((len(page), page.shape[1] + 1))  # (row, rank): how likely the last click was there
        before[:, 0] = 1
        for i in range(page.shape[1]):
            chance = attraction[:, i, None] * examination[i, : i + 1]
            clicks[:, i] = (before[:, : i + 1] * chance).sum(axis=1)
            before[:, : i + 1] *= 1 - chance
            before[:, i + 1] = clicks[:, i]
        return clicks


@measure("uDCM", cite="chuklin2013,guo2009dcm")
class UDCM(Dependent, Utility):
    """Utility of the clicks of the dependent click model: after one, the user goes on as ``continuation`` says by rank.

    The last of its numbers holds for all ranks that follow. Without a click everybody goes on.
    """

    formula: ClassVar[str] = (
        "Σ_{i≤k} (2^grade − 1) / 2^top · a(i) · Π_{j<i} (1 − a(j) · (1 − continuation(j))),  a attraction"
    )
    example: ClassVar[Example] = Example(
        "uDCM(attraction='0.1 0.4 0.9',continuation='0.5')@2", (1, 2), "1/4 * 0.4 + 3/4 * 0.9 * (1 - 0.4 * 0.5)"
    )

    @property
    def gives_up(self) -> tuple[Counterexample, ...]:
        # A click at the first rank ends the visit; one at the second does not.
        leads, ends = "attraction='0 0 1',continuation='0 1'", "attraction='0 1 1',continuation='0'"
        swap = self.lost("swap", (1, 2, 2), (2, 1, 2), leads)
        best = self.lost("ideal-best", (1, 2, 2), (2, 2, 1), leads)
        replaced = self.lost("replacement", (0, 2), (1, 2), ends)
        return super().gives_up if self.k == 1 else (*super().gives_up, swap, best, replaced)


@measure("rrDCM", cite="chuklin2013,guo2009dcm")
class RRDCM(Dependent, Effort):
    """Effort until a click satisfies in the dependent click model: the reciprocal of the rank where the user stops.

    It is ERR with R = attraction · (1 − continuation), the second by rank; where that depends on the grade too, take
    rrSDBN. As it stands it is ERR for grades up to 3.
    """

    formula: ClassVar[str] = (
        "Σ_{i≤k} 1/i · R(i) · Π_{j<i} (1 − R(j)),  R(i) = attraction(grade) · (1 − continuation(i))"
    )
    example: ClassVar[Example] = Example(
        "rrDCM(attraction='0.1 0.4 0.9',continuation='0.5')@2", (1, 2), "0.4 * 0.5 + 1/2 * 0.9 * 0.5 * (1 - 0.4 * 0.5)"
    )
    attraction: str = AS_ERR
    continuation: str = "0"

    @property
    def gives_up(self) -> tuple[Counterexample, ...]:
        if self.k == 1 or len(set(read_numbers(self.continuation).tolist())) == 1:
            return super().gives_up
        # Nobody stops at the first rank, everybody at the second.
        of = "rrDCM(continuation='1 0')@2"
        swap, best = (Counterexample(axiom, (0, 1), (1, 0), (), self.cite, of) for axiom in ("swap", "ideal-best"))
        return (*super().gives_up, swap, best)


class _Satisfying(Simplified, Utility):
    """Utility of the clicks of users whom a clicked document may satisfy."""

    @property
    def gives_up(self) -> tuple[Counterexample, ...]:
        # Who is satisfied clicks no more, whatever that was worth.
        late, soon = ("attraction='1 1 1',satisfaction='0 0 1'", "attraction='1 1 1',satisfaction='0 1 0'")
        swap, best = (self.lost(axiom, (1, 2), (2, 1), late) for axiom in ("swap", "ideal-best"))
        replaced = self.lost("replacement", (0, 2), (1, 2), soon)
        return super().gives_up if self.k == 1 else (*super().gives_up, swap, best, replaced)


class _Sufficing(Simplified, Effort):
    """Effort of users whom a clicked document may satisfy."""

    def gain(self, grade: Grades) -> Gains:
        return super().gain(grade) * by_grade(self.satisfaction, np.maximum(grade, 0))


@measure("uSDBN", cite="chuklin2013,yilmaz2010ebu", aliases=("EBU",))
class USDBN(_Satisfying):
    """Expected browsing utility: that of the clicks of users who go on until a clicked document satisfies.

    The click model is the simplified dynamic Bayesian network: attraction and satisfaction by grade.
    """

    formula: ClassVar[str] = (
        "Σ_{i≤k} (2^grade − 1) / 2^top · a(i) · Π_{j<i} (1 − a(j) · s(j)),  a attraction, s satisfaction"
    )
    example: ClassVar[Example] = Example(
        "uSDBN(attraction='0.1 0.4 0.9',satisfaction='0 0.3 0.8')@2", (1, 2), "1/4 * 0.4 + 3/4 * 0.9 * (1 - 0.4 * 0.3)"
    )


@measure("rrSDBN", cite="chuklin2013")
class RRSDBN(_Sufficing):
    """Effort until a clicked document satisfies: ERR with R = attraction · satisfaction, both by grade.

    The click model is the simplified dynamic Bayesian network.
    """

    formula: ClassVar[str] = "Σ_{i≤k} 1/i · R(i) · Π_{j<i} (1 − R(j)),  R = attraction(grade) · satisfaction(grade)"
    example: ClassVar[Example] = Example(
        "rrSDBN(attraction='0.1 0.4 0.9',satisfaction='0 0.3 0.8')@2",
        (1, 2),
        "0.4 * 0.3 + 1/2 * 0.9 * 0.8 * (1 - 0.4 * 0.3)",
    )


@measure("uDBN", cite="chuklin2013,chapelle2009dbn")
class UDBN(Dynamic, _Satisfying):
    """Utility of the clicks of the dynamic Bayesian network: as uSDBN, but some leave without being satisfied.

    Of those whom no document satisfied yet, the share ``continuation`` goes on to the next rank.
    """

    formula: ClassVar[str] = (
        "Σ_{i≤k} (2^grade − 1) / 2^top · a(i) · Π_{j<i} continuation · (1 − a(j) · s(j)),  a attraction, s satisfaction"
    )
    example: ClassVar[Example] = Example(
        "uDBN(attraction='0.1 0.4 0.9',continuation=0.7,satisfaction='0 0.3 0.8')@2",
        (1, 2),
        "1/4 * 0.4 + 3/4 * 0.9 * 0.7 * (1 - 0.4 * 0.3)",
    )


@measure("rrDBN", cite="chuklin2013,chapelle2009dbn")
class RRDBN(Dynamic, _Sufficing):
    """Effort until a clicked document satisfies in the dynamic Bayesian network: as rrSDBN, but some leave before.

    Of those whom no document satisfied yet, the share ``continuation`` goes on to the next rank.
    """

    formula: ClassVar[str] = (
        "Σ_{i≤k} 1/i · R(i) · Π_{j<i} continuation · (1 − R(j)),  R = attraction(grade) · satisfaction(grade)"
    )
    example: ClassVar[Example] = Example(
        "rrDBN(attraction='0.1 0.4 0.9',continuation=0.7,satisfaction='0 0.3 0.8')@2",
        (1, 2),
        "0.4 * 0.3 + 1/2 * 0.9 * 0.8 * 0.7 * (1 - 0.4 * 0.3)",
    )


@measure("uCCM", cite="chuklin2013,guo2009ccm")
class UCCM(Chained, Utility):
    """Utility of the clicks of the click chain model: a clicked document satisfies with its attraction once more.

    Somebody goes on with the chance ``after_skip`` without a click, ``after_click`` where it did not satisfy,
    ``after_satisfied`` where it did.
    """

    formula: ClassVar[str] = (
        "Σ_{i≤k} (2^grade − 1) / 2^top · a(i) · Π_{j<i} ((1 − a) · after_skip + a · (1 − a) · after_click + "
        "a² · after_satisfied),  a attraction"
    )
    example: ClassVar[Example] = Example(
        "uCCM(after_click=0.6,after_satisfied=0.2,after_skip=0.9,attraction='0.1 0.4 0.9')@2",
        (1, 2),
        "1/4 * 0.4 + 3/4 * 0.9 * (0.6 * 0.9 + 0.4 * (0.6 * 0.6 + 0.4 * 0.2))",
    )

    @property
    def gives_up(self) -> tuple[Counterexample, ...]:
        # What satisfies ends the visit, whatever that was worth.
        swap, best = (self.lost(axiom, (1, 2), (2, 1), "attraction='0 0.2 1'") for axiom in ("swap", "ideal-best"))
        replaced = self.lost("replacement", (0, 2), (1, 2), "attraction='0 0.5 1'")
        return super().gives_up if self.k == 1 else (*super().gives_up, swap, best, replaced)


@measure("rrCCM", cite="chuklin2013,guo2009ccm")
class RRCCM(Chained, Effort):
    """Effort until a click satisfies in the click chain model: the reciprocal of the rank where the user stops so.

    A clicked document satisfies with its attraction once more. Somebody goes on with the chance ``after_skip`` without
    a click, ``after_click`` where it did not satisfy, ``after_satisfied`` where it did.
    """

    formula: ClassVar[str] = (
        "Σ_{i≤k} 1/i · a(i)² · (1 − after_satisfied) · Π_{j<i} ((1 − a) · after_skip + a · (1 − a) · after_click + "
        "a² · after_satisfied),  a attraction"
    )
    example: ClassVar[Example] = Example(
        "rrCCM(after_click=0.6,after_satisfied=0.2,after_skip=0.9,attraction='0.1 0.4 0.9')@2",
        (1, 2),
        "0.4**2 * 0.8 + 1/2 * 0.9**2 * 0.8 * (0.6 * 0.9 + 0.4 * (0.6 * 0.6 + 0.4 * 0.2))",
    )
    attraction: str = AS_ERR

    @property
    def gives_up(self) -> tuple[Counterexample, ...]:
        if self.k == 1 or (self.after_skip == self.after_click and self.after_satisfied <= self.after_skip):
            return super().gives_up
        # A click that does not satisfy makes people leave before they come to what would.
        of = "rrCCM(after_click=0,attraction='0 0.5 1')@3"
        return (*super().gives_up, Counterexample("replacement", (0, 0, 2), (0, 1, 2), (1,), self.cite, of))
