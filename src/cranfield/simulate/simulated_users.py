"""Simulated users of runs: impressions, clicks and reading times as columns of a log."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cranfield.core import SEED, ParameterError, generator
from cranfield.data import find_runs, read_qrels, read_run

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]
Lists: TypeAlias = Mapping[str, Sequence[str]]  # by topic

VISITS = 0.15  # sessions of a user and day, in the mean; few users have many
PAGES = 0.6  # the chance that a page is the last of its session
AGAIN = 0.5  # the chance that the next page of a session is about the same topic
POPULAR = 0.7  # the n-th topic is asked for in proportion to n^−0.7
LOOK, SEEK = 2.0, 3.0  # seconds before the first document is read, and for each that is read
DWELL = (12.0, 75.0)  # median seconds on a clicked document, of the lowest grade and of the highest
DWELL_SPREAD = 0.8  # of the log of these seconds
NEXT = 25.0  # seconds until the next question, in the mean
DAY = 86_400
DEEP = 100  # documents of each list from which a page may be made


class Page(Protocol):
    """A page that was made of several lists, as ``cranfield.online.multileave`` makes it."""

    @property
    def documents(self) -> Sequence[str]:
        """What is shown, from the top."""

    def rows(self, impression: str, **more: Any) -> list[dict[str, Any]]:
        """A row for each document, with what is needed to say later whom clicks speak for."""


Pager: TypeAlias = Callable[[Sequence[Sequence[str]], np.random.Generator], Page]


@dataclass(frozen=True, slots=True, kw_only=True)
class DBNUser:
    """A user who reads from the top, by the dynamic Bayesian network of chapelle2009dbn.

    She clicks what attracts her, stops when a clicked document satisfies her, and otherwise reads on with the chance
    ``continuation``. The other chances are those of the lowest and of the highest grade; between them they rise evenly.
    """

    attraction: tuple[float, float] = (0.1, 0.75)
    satisfaction: tuple[float, float] = (0.05, 0.7)
    continuation: float = 0.85

    def __post_init__(self) -> None:
        chances = (*self.attraction, *self.satisfaction, self.continuation)
        if not all(0 <= chance <= 1 for chance in chances):
            raise ParameterError(f"{self} has something that is no chance", hint="give numbers from 0 to 1")

    def clicks(self, worth: Floats, rng: np.random.Generator) -> Flags:
        """(page, rank): what is clicked where documents are worth 0 to 1; NaN below the end of a page."""
        attracts, satisfies = (between(ends, worth) for ends in (self.attraction, self.satisfaction))
        clicked = np.zeros(worth.shape, dtype=np.bool_)
        reads = np.ones(len(worth), dtype=np.bool_)
        for rank in range(worth.shape[1]):
            luck = rng.random((3, len(worth)))
            clicked[:, rank] = reads & (luck[0] < attracts[:, rank])
            satisfied = clicked[:, rank] & (luck[1] < satisfies[:, rank])
            reads &= ~satisfied & (luck[2] < self.continuation)
        return clicked


def between(ends: tuple[float, float], share: Floats) -> Floats:
    """The number at that share of the way from one end to the other."""
    return ends[0] + (ends[1] - ends[0]) * share


def simulate_log(
    qrels: Any,
    runs: Any,
    *,
    user: DBNUser | None = None,
    page: Pager | None = None,
    users: int = 1000,
    days: int = 14,
    length: int = 10,
    start: str = "2024-05-06",
    seed: int = SEED,
) -> dict[str, Any]:
    """What simulated users of some runs would leave in a log: columns that ``cranfield.data.read_log`` reads.

    Users come back on several days, ask for some topics more than for others, and click by grade. One run is shown to
    everybody; of several each user has one, the ``arm`` of an experiment. With ``page`` all see pages made of all runs
    instead: ``page(lists, rng)``, such as ``functools.partial(cranfield.online.multileave, runs=("old", "new"))``.
    A topic that a run lacks gives an empty page; no page is made of it.
    """
    if min(users, days, length) < 1:
        message = f"{users} users, {days} days and pages of {length} documents make no log"
        raise ParameterError(message, hint="give 1 or more of each")
    depth = length if page is None else max(length, DEEP)
    read = [read_run(one, depth=depth) for one in find_runs(runs)]
    lists = [run.by_topic() for run in read]
    grades = read_qrels(qrels, gains=True).by_topic()
    topics = [topic for topic in grades if any(one.get(topic) for one in lists)]
    if page is not None:
        topics = [topic for topic in topics if all(one.get(topic) for one in lists)]
    if not topics:
        raise ParameterError("no topic of the judgments is in the runs", hint="give runs and judgments of one campaign")
    visits = _Visits.draw(users, days, len(topics), generator(seed, "visits"))
    arm = generator(seed, "arms").integers(len(lists), size=users)[visits.user]
    asked = [topics[number] for number in visits.topic.tolist()]
    if page is None:
        shown = [lists[number].get(topic, []) for number, topic in zip(arm.tolist(), asked, strict=True)]
        made = None
    else:
        rng = generator(seed, "pages")
        made = [page([one[topic] for one in lists], rng) for topic in asked]
        shown = [list(one.documents) for one in made]
    worth = _worth(shown, asked, grades)
    clicked = (user or DBNUser()).clicks(worth, generator(seed, "clicks"))
    columns = _columns(visits, asked, shown, worth, clicked, start, generator(seed, "seconds"))
    if made is not None:
        return columns | _made(made)
    names = np.array([run.name for run in read], dtype=object)
    return columns | ({"arm": np.repeat(names[arm], _sizes(shown)).tolist()} if len(read) > 1 else {})


@dataclass(frozen=True, slots=True, eq=False)
class _Visits:
    """Who asked for what: the pages of all users, ordered by user and session."""

    user: Ints  # (page,)
    session: Ints  # (page,): numbered over all users
    topic: Ints  # (page,)
    second: Floats  # (session,): when it began, counted from the first midnight

    @classmethod
    def draw(cls, users: int, days: int, topics: int, rng: np.random.Generator) -> "_Visits":
        often = rng.gamma(0.8, VISITS * days / 0.8, size=users)
        sessions = 1 + rng.poisson(often)
        owner = np.repeat(np.arange(users), sessions)
        day = rng.integers(days, size=len(owner))
        second = day * DAY + DAY * rng.beta(4, 3, size=len(owner))  # most in the afternoon
        second = second[np.lexsort((second, owner))]
        pages = rng.geometric(PAGES, size=len(owner))
        session = np.repeat(np.arange(len(owner)), pages)
        first = np.r_[True, np.diff(session) > 0]
        popular = np.arange(1, topics + 1) ** -POPULAR
        drawn = rng.choice(topics, size=len(session), p=popular / popular.sum())
        anew = first | (rng.random(len(session)) >= AGAIN)
        topic = drawn[np.maximum.accumulate(np.where(anew, np.arange(len(session)), 0))]
        return cls(owner[session], session, topic, second)


def _worth(shown: Sequence[Sequence[str]], asked: Sequence[str], grades: Mapping[str, Mapping[str, float]]) -> Floats:
    """(page, rank): the grade of each document as a share of the highest grade; unjudged is 0, NaN below the end."""
    best = max((grade for judged in grades.values() for grade in judged.values()), default=1.0)
    worth = np.full((len(shown), max(map(len, shown))), np.nan)
    for row, documents, topic in zip(worth, shown, asked, strict=True):
        judged = grades[topic]
        row[: len(documents)] = [max(judged.get(document, 0.0), 0.0) for document in documents]
    return worth / max(best, 1.0)


def _columns(
    visits: _Visits,
    asked: Sequence[str],
    shown: Sequence[Sequence[str]],
    worth: Floats,
    clicked: Flags,
    start: str,
    rng: np.random.Generator,
) -> dict[str, Any]:
    """The columns of a log; a page without results is a row without rank and document."""
    dwell = np.where(clicked, between(DWELL, worth) * np.exp(DWELL_SPREAD * rng.standard_normal(worth.shape)), 0.0)
    spent = dwell.cumsum(axis=1) - dwell  # on documents above
    at = LOOK + SEEK * np.arange(1, worth.shape[1] + 1) * rng.uniform(0.5, 1.5, size=(len(worth), 1)) + spent
    took = np.where(clicked, at + dwell, LOOK).max(axis=1) + rng.exponential(NEXT, size=len(worth))
    before = took.cumsum() - took
    first = np.searchsorted(visits.session, np.arange(len(visits.second)))
    begins = visits.second[visits.session] + before - before[first][visits.session]
    size = _sizes(shown)
    row, rank = np.repeat(np.arange(len(shown)), size), _ranks(size)
    empty = np.repeat(np.array([not documents for documents in shown]), size)
    there = (row, rank - 1)
    hit = clicked[there]
    click_time = _times(start, begins[row] + at[there])
    documents = [document for page in shown for document in (page or [None])]  # type: ignore[list-item]  # none shown
    return {
        "impression": _named("i", row),
        "user": _named("u", visits.user[row]),
        "session": _named("s", visits.session[row]),
        "time": _times(start, begins)[row].tolist(),
        "topic": [asked[number] for number in row.tolist()],
        "rank": _where(~empty, rank),
        "document": documents,
        "clicked": hit.astype(np.int64).tolist(),
        "click_time": _where(hit, click_time),
        "dwell": _where(hit, dwell[there].round(1)),
    }


def _made(pages: Sequence[Page]) -> dict[str, Any]:
    """What pages made of several lists say beside what every log says."""
    rows = [row for number, page in enumerate(pages) for row in page.rows(f"i{number}")]
    more = [name for name in rows[0] if name not in ("impression", "rank", "document")]
    return {name: [row[name] for row in rows] for name in more}


def _sizes(shown: Sequence[Sequence[str]]) -> Ints:
    """(page,): rows of a log."""
    return np.array([max(len(documents), 1) for documents in shown])


def _ranks(size: Ints) -> Ints:
    return np.arange(1, size.sum() + 1) - np.repeat(size.cumsum() - size, size)


def _named(letter: str, number: Ints) -> list[str]:
    return [f"{letter}{one}" for one in number.tolist()]


def _where(holds: Flags, cells: NDArray[Any]) -> list[Any]:
    """The cells where something holds, and elsewhere none."""
    return [cell if here else None for here, cell in zip(holds.tolist(), cells.tolist(), strict=True)]


def _times(start: str, second: Floats) -> NDArray[Any]:
    """Moments as text, to the millisecond."""
    since = np.datetime64(start, "ms") + (1000 * second).astype("timedelta64[ms]")
    return np.datetime_as_string(since, unit="ms").astype(object)
