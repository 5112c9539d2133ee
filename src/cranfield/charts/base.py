"""Base class and catalogue of charts."""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, TypeVar

from cranfield.charts.chart_text import warned
from cranfield.core import Catalogue, Declared, ParameterError, Study, Table, need

if TYPE_CHECKING:
    import altair as alt
    from altair.utils.schemapi import debug_mode as debug_mode
else:
    alt = need("altair", extra="charts")
    debug_mode = need("altair.utils.schemapi", extra="charts").debug_mode

Picture: TypeAlias = "alt.Chart | alt.LayerChart | alt.HConcatChart | alt.VConcatChart"


DISTRUST = re.compile(r"Do not trust this \w+(:.*?(?=\.(?: |$)))?")  # the words by which a verdict says so


class Chart(Declared, ABC):
    """A picture of a table: what it shows stands in the table, how it looks stands here."""

    name: ClassVar[str]
    cite: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]]
    table: ClassVar[str]  # what the table is called in a study
    instead: ClassVar[str] = ""  # what one like it is called in a study that has no such table
    warns: ClassVar[bool] = False  # whether the title itself says that a result is not trusted

    @abstractmethod
    def draw(self, table: Table) -> Picture:
        """The picture of a table that has the columns this chart needs."""

    def draw_beside(self, table: Table, others: Mapping[str, Table]) -> Picture:
        """The picture with what other tables of the same study add; most charts need none."""
        del others
        return self.draw(table)


CHARTS: Catalogue[Chart] = Catalogue("chart")
C = TypeVar("C", bound=Chart)


def chart(name: str, *, cite: str, aliases: tuple[str, ...] = ()) -> Callable[[type[C]], type[C]]:
    """Give a chart class its name and its source, and list it."""
    return CHARTS.declare(name, cite=cite, aliases=aliases)


def draw(data: Study | Table, name: str) -> Picture:
    """One of the charts that a study names, or the chart of that name for a table."""
    wanted = CHARTS[name]()
    others: Mapping[str, Table] = {}
    if isinstance(data, Table):
        table = data
    elif wanted.name in data.charts:
        others = data.tables
        table = data[wanted.instead if wanted.table not in others and wanted.instead in others else wanted.table]
    else:
        hint = f"it has: {', '.join(data.charts) or 'none'}"
        raise ParameterError(f"the study {data.name} has no chart named {name!r}", hint=hint)
    if not len(table):
        raise ParameterError(f"there is nothing to draw: {wanted.table} has no rows", hint="draw a table with rows")
    picture = wanted.draw_beside(table, others)
    doubt = "" if isinstance(data, Table) or wanted.warns else _doubt(data)
    if doubt:
        picture.title = warned(picture.title, doubt)
    return picture


def _doubt(study: Study) -> str:
    """Return why the verdict of a study is not trusted, as its sentence says it; "" if it is."""
    if study.verdict is None or study.verdict.get("trusted", True):
        return ""
    match = DISTRUST.search(study.sentence)
    return match.group() if match else "Do not trust this result"


def inline(rows: list[dict[str, Any]]) -> "alt.Data":
    """Rows as they stand inside a chart."""
    with debug_mode(False):  # altair would check every cell: seconds for a heat map, and rows are rows
        return alt.Data(values=rows)  # type: ignore[no-untyped-call]  # altair leaves it without types
