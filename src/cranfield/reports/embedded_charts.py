"""Charts of the studies in a report as inline SVG."""

import re
from dataclasses import dataclass
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from cranfield.core import ParameterError, Study, definition
from cranfield.core.rendering import visible

if TYPE_CHECKING:
    from cranfield.charts.base import Picture

ID = re.compile(r'( id="|url\(#|href="#)')


@dataclass(frozen=True, slots=True)
class Drawn:
    """A chart of a study: the picture, its title, what it shows, where the kind of chart comes from."""

    name: str
    picture: "Picture"
    title: str
    shows: str
    cite: str

    def svg(self, number: int) -> str:
        """The picture for a page with others: its ids are its own, and it says what it is to those who hear it."""
        from cranfield.charts import save

        with TemporaryDirectory() as folder:
            path = Path(folder) / "chart.svg"
            save(self.picture, path)
            text = path.read_text(encoding="utf-8")
        own = ID.sub(rf"\g<1>chart-{number}-", text)
        return own.replace("<svg ", f'<svg role="img" aria-label="{escape(self.title)}" ', 1)


def draw_all(study: Study, names: tuple[str, ...]) -> tuple[list[Drawn], list[str]]:
    """The charts of a study, and a word on each that has nothing to draw."""
    if not names:
        return [], []
    from cranfield.charts import CHARTS, draw

    drawn, notes = [], []
    for name in names:
        kind = CHARTS[name]
        try:
            picture = draw(study, name)
        except ParameterError as error:
            notes.append(f"there is no chart {name}: {error.problem}")
            continue
        drawn.append(Drawn(name, picture, _title(picture.to_dict()), definition(kind), kind.cite))
    return drawn, notes


def _title(spec: dict[str, Any]) -> str:
    """The title inside a picture, on one line."""
    title = spec.get("title") or ""
    text = title.get("text", "") if isinstance(title, dict) else title
    return visible(" ".join(text) if isinstance(text, list) else str(text))
