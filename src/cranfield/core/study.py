"""Result of a study: a verdict, the tables that support it, and the names of its charts."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from .errors import ParameterError
from .exact_formats import json_rows, plain, to_json
from .provenance import Provenance
from .rendering import visible
from .table import Table

CONTRACT = 2  # of the JSON object; a change that breaks a reader adds one


class Verdict(Mapping[str, Any]):
    """Answer of a study as plain values; ``kind`` is the verdict in one word, ``sentence`` the verdict in words."""

    __slots__ = ("_cells",)

    def __init__(self, cells: Mapping[str, Any] | None = None) -> None:
        self._cells = MappingProxyType(plain(cells or {}))

    def __getitem__(self, key: str) -> Any:
        return self._cells[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._cells)

    def __len__(self) -> int:
        return len(self._cells)

    def __repr__(self) -> str:
        return f"Verdict({dict(self._cells)!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Verdict, (dict(self._cells),)

    @property
    def kind(self) -> str | None:
        """Return better, worse, mixed, equivalent or inconclusive; None where a study has no such verdict."""
        return self._cells.get("verdict")

    @property
    def sentence(self) -> str:
        """Return the verdict in words, or nothing."""
        return str(self._cells.get("sentence") or "")

    @property
    def excluded(self) -> str:
        """Return the line on the rows of a log that the verdict does not count, or nothing."""
        return str(self._cells.get("excluded") or "")


@dataclass(frozen=True, slots=True)
class Study:
    """Named tables with a verdict, how they were made, and which charts draw them.

    ``verdict`` holds plain values; under ``sentence`` it says the answer in words.
    """

    name: str
    tables: Mapping[str, Table]
    verdict: Verdict | None = None
    made_by: Provenance | None = None
    charts: tuple[str, ...] = ()

    if TYPE_CHECKING:  # a mapping is accepted, and becomes a Verdict

        def __init__(
            self,
            name: str,
            tables: Mapping[str, Table],
            verdict: Mapping[str, Any] | None = None,
            made_by: Provenance | None = None,
            charts: tuple[str, ...] = (),
        ) -> None: ...

    def __post_init__(self) -> None:
        object.__setattr__(self, "tables", MappingProxyType(dict(self.tables)))
        if self.verdict is not None:
            object.__setattr__(self, "verdict", Verdict(self.verdict))
        object.__setattr__(self, "charts", tuple(self.charts))

    @property
    def excluded(self) -> str:
        """The line that stands above the verdict on a log: how many rows it does not count, and why."""
        return "" if self.verdict is None else self.verdict.excluded

    @property
    def sentence(self) -> str:
        """The verdict in words, or nothing."""
        return "" if self.verdict is None else self.verdict.sentence

    def __getitem__(self, table: str) -> Table:
        try:
            return self.tables[table]
        except KeyError:
            hint = f"there are: {', '.join(self.tables) or 'none'}"
            raise ParameterError(f"the study {self.name} has no table named {table!r}", hint=hint) from None

    def __hash__(self) -> int:
        return hash((self.name, tuple(self.tables.items())))

    def __reduce__(self) -> tuple[Any, ...]:
        verdict = None if self.verdict is None else dict(self.verdict)
        return Study, (self.name, dict(self.tables), verdict, self.made_by, self.charts)

    def __str__(self) -> str:
        return "\n\n".join(
            part for part in (visible(self.excluded), visible(self.sentence), *map(str, self.tables.values())) if part
        )

    def _repr_html_(self) -> str:
        from html import escape

        words = [f"<p>{escape(visible(line))}</p>" for line in (self.excluded, self.sentence) if line]
        return "\n".join([*words, *(table._repr_html_() for table in self.tables.values())]).strip()

    def as_dict(self) -> dict[str, Any]:
        """The object of the JSON contract, as plain Python values."""
        return {
            "contract": CONTRACT,
            "study": self.name,
            "verdict": None if self.verdict is None else dict(self.verdict),
            "tables": {name: plain(table.rows()) for name, table in self.tables.items()},
            "made_by": None if self.made_by is None else self.made_by.as_dict(),
        }

    def to_json(self) -> str:
        """The object of the JSON contract: numbers exact, null where one does not exist, no clock time."""
        return "".join(self.json_pieces())

    def json_pieces(self) -> Iterator[str]:
        """What :meth:`to_json` gives, piece by piece: large tables need not be text as a whole."""
        opening, closing = to_json(replace(self, tables={}).as_dict()).split('\n "tables": {}')
        yield f'{opening}\n "tables": {{'
        for i, (name, table) in enumerate(self.tables.items()):
            yield f"{',' * (i > 0)}\n  {to_json(name)}: "
            yield from json_rows(table, depth=2)
        yield ("\n }" if self.tables else "}") + closing
