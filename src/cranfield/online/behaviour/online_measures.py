"""Online measures of user behaviour, such as click-through rate, and their catalogue."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypeAlias, TypeVar

from cranfield.core import Catalogue, Declared, Direction, Limits, ParameterError, Positive, describe, write
from cranfield.data import SATISFIED
from cranfield.stats import parse_methods

if TYPE_CHECKING:
    from ibis.expr.types import Table as Expression

    from cranfield.data import Log

Unit: TypeAlias = Literal["impression", "session", "user"]
UNITS: tuple[Unit, ...] = ("impression", "session", "user")
WEEK = 7 * 24 * 3600
Depth = Annotated[int, Limits(1)]


class OnlineMeasure(Declared, ABC):
    """A share or a mean over impressions, sessions or users: what they have of something, over how many count."""

    name: ClassVar[str]
    cite: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]]
    at: ClassVar[str] = ""  # nothing stands behind an @
    unit: ClassVar[Unit] = "impression"  # what has a row in the table that is asked
    direction: ClassVar[Direction] = Direction.HIGHER
    needs: ClassVar[tuple[str, ...]] = ()  # columns of the log, beside those that every log has
    learned: ClassVar[bool] = False  # from the log itself, where nobody says what it is

    def __str__(self) -> str:
        return write(describe(self))

    __repr__ = __str__

    def of_documents(self, rows: "Expression") -> dict[str, Any]:
        """Columns of an impression that are made of its documents, where the usual ones are not enough."""
        del rows
        return {}

    def of_pages(self, pages: "Expression") -> dict[str, Any]:
        """Columns of a session that are made of its impressions, where the usual ones are not enough."""
        del pages
        return {}

    def fitted(self, log: "Log") -> "OnlineMeasure":
        """The same with what it learns from a log, where there is something to learn."""
        del log
        return self

    @abstractmethod
    def amount(self, units: "Expression") -> Any:
        """What each unit has of it."""

    def counts(self, units: "Expression") -> Any:
        """For how many each unit counts; None: each for one."""
        del units
        return None


class Per(OnlineMeasure):
    """What is counted on impressions, for each of them, or for each session or user."""

    per: Unit = "impression"


ONLINE_MEASURES: Catalogue[OnlineMeasure] = Catalogue("online measure")
M = TypeVar("M", bound=OnlineMeasure)


def online_measure(name: str, *, cite: str, aliases: tuple[str, ...] = ()) -> Callable[[type[M]], type[M]]:
    """Give an online measure its name and its source, and list it."""
    return ONLINE_MEASURES.declare(name, cite=cite, aliases=aliases)


def parse_online(texts: str | OnlineMeasure | Iterable[str | OnlineMeasure]) -> list[OnlineMeasure]:
    """The measures of one or many texts, each once: ``ctr``, ``ctr_at(k=3)``, ``revenue(per='user')``."""
    found: list[OnlineMeasure] = []
    listed = not isinstance(texts, str | OnlineMeasure | type) and isinstance(texts, Iterable)
    several: list[Any] = [*texts] if listed else [texts]  # type: ignore[misc]
    for given in several:
        one = given() if isinstance(given, type) and issubclass(given, OnlineMeasure) else given
        if not isinstance(one, str | OnlineMeasure):
            name = one.__name__ if isinstance(one, type) else str(one)
            raise ParameterError(f"{name} is not an online measure", hint="name one, such as 'ctr' or 'clicks'")
        found += (
            [one] if isinstance(one, OnlineMeasure) else parse_methods(ONLINE_MEASURES, one, see="cranfield ab --help")
        )
    if not found:
        raise ParameterError("no online measure is given", hint="for example: ctr abandonment")
    return list(dict.fromkeys(found))


def _as_number(flag: Any) -> Any:
    return flag.cast("int64")


@online_measure("ctr", cite="radlinski2008", aliases=("click_through",))
class ClickThrough(OnlineMeasure):
    """Click-through rate of pages: the proportion of impressions with a click, 1 less the rate of abandonment.

    Clicks for each document shown (ferro2024) are ``ctr_at``.
    """

    def amount(self, units: "Expression") -> Any:
        return _as_number(units.clicks > 0)


@online_measure("ctr_at", cite="ferro2024", aliases=("ctr_at_k",))
class ClickThroughAt(OnlineMeasure):
    """Click-through rate of documents: clicks on the first ``k`` documents, for each of them that was shown."""

    k: Depth = 10

    def of_documents(self, rows: "Expression") -> dict[str, Any]:
        near = rows["rank"] <= self.k
        return {
            f"clicks_at_{self.k}": (near & rows.clicked).sum().fill_null(0),
            f"shown_at_{self.k}": near.sum().fill_null(0),
        }

    def amount(self, units: "Expression") -> Any:
        return units[f"clicks_at_{self.k}"]

    def counts(self, units: "Expression") -> Any:
        return units[f"shown_at_{self.k}"]


@online_measure("clicks", cite="hofmann2016online", aliases=("clicks_per_impression",))
class Clicks(Per):
    """Clicked documents, for each impression."""

    def amount(self, units: "Expression") -> Any:
        return units.clicks


@online_measure("click_rank", cite="ferro2024")
class ClickRank(OnlineMeasure):
    """The rank of the first click, on impressions that have one; lower is better."""

    direction: ClassVar[Direction] = Direction.LOWER

    def amount(self, units: "Expression") -> Any:
        return units.first_rank.fill_null(0)

    def counts(self, units: "Expression") -> Any:
        return _as_number(units.clicks > 0)


@online_measure("click_reciprocal_rank", cite="ferro2024", aliases=("click_rr",))
class ClickReciprocalRank(OnlineMeasure):
    """One divided by the rank of the first click, 0 without a click."""

    def amount(self, units: "Expression") -> Any:
        return (1.0 / units.first_rank.cast("float64")).fill_null(0.0)


class Time(OnlineMeasure):
    """Seconds from the page to a click, on impressions whose click has a time; lower is better."""

    direction: ClassVar[Direction] = Direction.LOWER
    needs: ClassVar[tuple[str, ...]] = ("time", "click_time")
    click: ClassVar[str]

    def amount(self, units: "Expression") -> Any:
        return (units[self.click] - units.time).fill_null(0.0)

    def counts(self, units: "Expression") -> Any:
        return _as_number(units[self.click].notnull())


@online_measure("time_to_first_click", cite="ferro2024")
class TimeToFirstClick(Time):
    """Seconds from the page to the first click, on impressions that have one; lower is better."""

    click: ClassVar[str] = "first_click"


@online_measure("time_to_last_click", cite="ferro2024")
class TimeToLastClick(Time):
    """Seconds from the page to the last click, on impressions that have one; lower is better."""

    click: ClassVar[str] = "last_click"


@online_measure("dwell", cite="ferro2024", aliases=("dwell_time",))
class Dwell(OnlineMeasure):
    """Seconds on a clicked document, for those of which they are known."""

    needs: ClassVar[tuple[str, ...]] = ("dwell",)

    def amount(self, units: "Expression") -> Any:
        return units.dwell.fill_null(0.0)

    def counts(self, units: "Expression") -> Any:
        return units.dwelled


@online_measure("satisfied_clicks", cite="ferro2024", aliases=("sat_clicks",))
class SatisfiedClicks(Per):
    """Clicked documents that were read for ``seconds`` or longer, for each impression."""

    needs: ClassVar[tuple[str, ...]] = ("dwell",)
    seconds: Positive = float(SATISFIED)

    def of_documents(self, rows: "Expression") -> dict[str, Any]:
        return {self._column: (rows.clicked & (rows.dwell >= self.seconds)).sum().fill_null(0)}

    def amount(self, units: "Expression") -> Any:
        return units[self._column]

    @property
    def _column(self) -> str:
        return f"satisfied_{self.seconds:g}".replace(".", "_")


@online_measure("abandonment", cite="li2009abandonment")
class Abandonment(OnlineMeasure):
    """The share of impressions with results that got no click; lower is better, but see good_abandonment."""

    direction: ClassVar[Direction] = Direction.LOWER

    def amount(self, units: "Expression") -> Any:
        return _as_number((units.shown > 0) & (units.clicks == 0))

    def counts(self, units: "Expression") -> Any:
        return _as_number(units.shown > 0)


@online_measure("good_abandonment", cite="li2009abandonment")
class GoodAbandonment(OnlineMeasure):
    """The share of impressions that got no click because the page itself gave an answer."""

    needs: ClassVar[tuple[str, ...]] = ("answered",)

    def amount(self, units: "Expression") -> Any:
        return _as_number((units.clicks == 0) & (units.answered > 0))


@online_measure("zero_results", cite="hofmann2016online")
class ZeroResults(OnlineMeasure):
    """The share of impressions without any result; lower is better."""

    direction: ClassVar[Direction] = Direction.LOWER

    def amount(self, units: "Expression") -> Any:
        return _as_number(units.shown == 0)


@online_measure("conversion", cite="kohavi2009")
class Conversion(Per):
    """Impressions that end in what the site is for, for each impression."""

    needs: ClassVar[tuple[str, ...]] = ("converted",)

    def amount(self, units: "Expression") -> Any:
        return units.converted


@online_measure("revenue", cite="kohavi2009")
class Revenue(Per):
    """What impressions bring, for each user."""

    needs: ClassVar[tuple[str, ...]] = ("revenue",)
    per: Unit = "user"

    def amount(self, units: "Expression") -> Any:
        return units.revenue


@online_measure("reformulation", cite="hofmann2016online")
class Reformulation(OnlineMeasure):
    """The share of impressions after which the same session asks for something else; lower is better."""

    direction: ClassVar[Direction] = Direction.LOWER
    needs: ClassVar[tuple[str, ...]] = ("time",)

    def amount(self, units: "Expression") -> Any:
        return units.reformulated


@online_measure("queries_per_session", cite="ferro2024")
class QueriesPerSession(OnlineMeasure):
    """Impressions for each session; lower is better where sessions end in success."""

    unit: ClassVar[Unit] = "session"
    direction: ClassVar[Direction] = Direction.LOWER
    needs: ClassVar[tuple[str, ...]] = ("time",)

    def amount(self, units: "Expression") -> Any:
        return units.impressions


@online_measure("session_length", cite="ferro2024")
class SessionLength(OnlineMeasure):
    """Seconds from the first page of a session to the last sign of its user; lower is better where sessions succeed."""

    unit: ClassVar[Unit] = "session"
    direction: ClassVar[Direction] = Direction.LOWER
    needs: ClassVar[tuple[str, ...]] = ("time",)

    def amount(self, units: "Expression") -> Any:
        return units.ended - units.began


@online_measure("session_success", cite="hofmann2016online")
class SessionSuccess(OnlineMeasure):
    """The share of sessions with a document that was read for 30 seconds or longer."""

    unit: ClassVar[Unit] = "session"
    needs: ClassVar[tuple[str, ...]] = ("time", "dwell")

    def amount(self, units: "Expression") -> Any:
        return _as_number(units.satisfied > 0)


@online_measure("absence_time", cite="dupret2013absence")
class AbsenceTime(OnlineMeasure):
    """Hours from a session to the next one of the same user, where there is one; lower is better."""

    unit: ClassVar[Unit] = "session"
    direction: ClassVar[Direction] = Direction.LOWER
    needs: ClassVar[tuple[str, ...]] = ("time", "user")

    def amount(self, units: "Expression") -> Any:
        return ((units.following - units.ended) / 3600.0).fill_null(0.0)

    def counts(self, units: "Expression") -> Any:
        return _as_number(units.following.notnull())


@online_measure("sessions_per_user", cite="ferro2024", aliases=("sessions",))
class SessionsPerUser(OnlineMeasure):
    """Sessions for each user."""

    unit: ClassVar[Unit] = "user"
    needs: ClassVar[tuple[str, ...]] = ("time", "user")

    def amount(self, units: "Expression") -> Any:
        return units.sessions


@online_measure("return_within", cite="lalmas2014engagement", aliases=("return_within_7_days",))
class ReturnWithin(OnlineMeasure):
    """The share of users who come back within ``days``, of those whose first session was at least so long ago."""

    unit: ClassVar[Unit] = "user"
    needs: ClassVar[tuple[str, ...]] = ("time", "user")
    days: Positive = 7.0

    def amount(self, units: "Expression") -> Any:
        back = units.second - units.first_ended <= self.days * 24 * 3600
        return _as_number(back.fill_null(False) & (self.counts(units) > 0))

    def counts(self, units: "Expression") -> Any:
        return _as_number(units.log_ended - units.first_ended >= self.days * 24 * 3600)
