"""Panels of a leaderboard: the study, table and chart of each."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from math import isfinite
from typing import TYPE_CHECKING, Any

from cranfield.charts import CHARTS, to_picture
from cranfield.core import CranfieldError, ParameterError, Study, Table
from cranfield.studies import answers, leaderboard, novelty, unjudged

from . import panel_sentences as words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from cranfield.data import Values

    from .board_inputs import Board

FEWER = 2000  # draws, where several conditions are drawn from
MANY = 400  # rows of a table on a page; all of them are in the download


@dataclass(frozen=True, kw_only=True)
class Panel:
    """One question a board answers: which study makes its table, which chart draws it."""

    name: str
    title: str
    tab: str  # the title in a word
    chart: str
    make: Callable[[Made], Study | None]
    table: str = ""  # another one than the chart's
    say: Callable[[Study], str] = lambda study: study.sentence


class Made:
    """The studies of a board, each made once and shared by the panels that need it."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self._made: dict[str, Study | None] = {}

    def once(self, name: str, make: Callable[[], Study | None]) -> Study | None:
        """The study of that name, made when first asked for."""
        if name not in self._made:
            self._made[name] = make()
        return self._made[name]

    @property
    def ranking(self) -> Study | None:
        """The board itself: ranks, history, stability, pairs."""
        board = self.board

        def make() -> Study | None:
            if board.values is None:
                stated = any(one.run.stated is not None for one in board.history)
                return leaderboard(None, entries=_history(board)) if stated else None
            return leaderboard(board.ranked, pairs=True, **self._how())

        return self.once("ranking", make)

    @property
    def held(self) -> Study | None:
        """Whether the order of the public topics holds on the private ones; for those who may know."""
        board, private = self.board, self.board.version.private_topics
        if board.values is None or not private or not board.tells_all:
            return None
        return self.once("held", lambda: leaderboard(board.values, private=private, draws=FEWER, **self._how()))

    def _how(self) -> dict[str, Any]:
        task = self.board.task
        return {"entries": self.board.entries, "test": task.test, "level": task.level, "scale": "ignore"}

    @property
    def answers(self) -> Study | None:
        """Outcomes of topics."""
        board = self.board
        if board.seen is None:
            return None
        baseline = next((one.label for one in board.runs if one.run.baseline), None)
        return self.once("answers", lambda: answers(board.seen, baseline=baseline, rel=board.task.rel))

    @property
    def novelty(self) -> Study | None:
        """What each run adds to the others."""
        board = self.board
        seen = board.seen
        if seen is None or len(board.runs) < 2:
            return None
        return self.once("novelty", lambda: _novelty(seen, board))

    @property
    def health(self) -> Study | None:
        """The state of the pool."""
        board, seen = self.board, self.board.seen
        return None if seen is None else self.once("health", lambda: unjudged(seen, entries=board.entries))

    @property
    def topics(self) -> Study | None:
        """Values by topic and run."""
        seen = self.board.seen
        if seen is None:
            return None
        first = str(seen.measures[0])
        told = seen.per_topic()
        kept = [row for row in told.rows() if row["measure"] == first]
        table = replace(Table.from_rows(kept, told.columns), caption=f"{first} by topic and run", made_by=told.made_by)
        return Study("topics", {"per_topic": table}, made_by=told.made_by, charts=("topics-runs",))


def _novelty(values: Values, board: Board) -> Study:
    """By the first measure with a user who reads down the ranking; where there is none, that is what is said.

    Groups are those of the board: the header of a run may name a team that is not to be named.
    """
    refused: list[ParameterError] = []
    for measure in values.measures:
        try:
            return novelty(values, measures=[str(measure)], entries=board.entries, rel=board.task.rel)
        except ParameterError as error:
            refused.append(error)
    raise refused[0]


def _history(board: Board) -> Any:
    from cranfield.data import Entries, Source

    return Entries(tuple(one.entry for one in board.history), Source("history", "", "entries"))


PANELS = (
    Panel(
        name="sota",
        title="State of the art over time",
        tab="Over time",
        chart="sota",
        make=lambda made: made.ranking,
        say=words.of_history,
    ),
    Panel(
        name="stability",
        title="How stable the ranks are",
        tab="Stability",
        chart="stability",
        make=lambda made: made.ranking,
        say=words.of_stability,
    ),
    Panel(
        name="significance",
        title="Which runs differ",
        tab="Differences",
        chart="p-matrix",
        make=lambda made: made.ranking,
        table="pairs",
        say=words.of_pairs,
    ),
    Panel(
        name="outcomes",
        title="Answered and unanswered topics",
        tab="Answers",
        chart="answers",
        make=lambda made: made.answers,
        say=words.of_answers,
    ),
    Panel(
        name="baseline",
        title="Against the baseline",
        tab="Baseline",
        chart="against",
        make=lambda made: made.answers,
        say=words.of_baseline,
    ),
    Panel(
        name="novelty",
        title="What runs add to the others",
        tab="Novelty",
        chart="novelty",
        make=lambda made: made.novelty,
    ),
    Panel(
        name="topics",
        title="Topics and runs",
        tab="Topics",
        chart="topics-runs",
        make=lambda made: made.topics,
        say=words.of_topics,
    ),
    Panel(
        name="private",
        title="Public and private topics",
        tab="Private",
        chart="public-private",
        make=lambda made: made.held,
        say=words.of_private,
    ),
    Panel(
        name="moves",
        title="The shake-up",
        tab="Shake-up",
        chart="moves",
        make=lambda made: made.held,
        say=words.of_moves,
    ),
    Panel(name="health", title="The state of the pool", tab="Pool", chart="unjudged", make=lambda made: made.health),
)


def panels_of(made: Made) -> tuple[dict[str, Any], Study | None]:
    """All panels that have something to show, as plain values, and the study that ranks (with the answers in it)."""
    shown: dict[str, Any] = {}
    for panel in PANELS:
        try:
            study = panel.make(made)
        except CranfieldError as error:  # three runs may be too few for one panel, and enough for the others
            shown[panel.name] = {"title": panel.title, "sentence": error.problem, "picture": False, "table": None}
            continue
        if study is None or panel.chart not in study.charts:
            continue
        table = study[panel.table or CHARTS[panel.chart].table]
        shown[panel.name] = {
            "title": panel.title,
            "sentence": panel.say(study),
            "picture": True,
            "table": to_plain(table),
            "notes": list(table.notes),
        }
    ranking, told = made.ranking, made.answers
    if ranking is not None and told is not None:
        ranking = replace(ranking, tables={**ranking.tables, "answers": told["answers"]})
    return shown, ranking


def pictures_of(made: Made) -> Iterator[tuple[str, bytes, str]]:
    """The pictures of all panels: name, content, media type. They take longer than all the numbers."""
    for panel in PANELS:
        try:
            study = panel.make(made)
        except CranfieldError:
            continue
        if study is not None and panel.chart in study.charts:
            yield panel.name, *to_picture(study, panel.chart)


def to_plain(table: Table) -> dict[str, Any]:
    """A table as JSON has it."""
    cells = [[_cell(cell) for cell in table.cells(name)] for name in table.columns]
    return {"columns": list(table.columns), "caption": table.caption, "rows": list(map(list, zip(*cells, strict=True)))}


def _cell(cell: Any) -> Any:
    """A cell as JSON has it; of the kinds that tables hold, only days and endless numbers are no JSON."""
    if isinstance(cell, date):
        return cell.isoformat()
    return None if isinstance(cell, float) and not isfinite(cell) else cell
