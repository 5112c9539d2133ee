"""Readers of a chart: its title, marks, rows and words, and its rendered picture."""

import io
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

import cranfield as cf
from cranfield.charts import draw, save

MOST = 500_000  # bytes of a picture that a page can still hold


def spec(table: cf.Table, name: str) -> dict[str, Any]:
    return draw(table, name).to_dict()


def _words(lines: str | list[str]) -> str:
    return (lines if isinstance(lines, str) else " ".join(lines)).replace("\N{NO-BREAK SPACE}", " ")


def finding(table: cf.Table, name: str) -> str:
    """The title as one line."""
    return _words(spec(table, name)["title"]["text"])


def told(table: cf.Table, name: str) -> str:
    """What stands below the title, as one line."""
    return _words(spec(table, name)["title"]["subtitle"])


def marks(table: cf.Table, name: str) -> list[tuple[str, dict[str, Any], list[dict[str, Any]]]]:
    """Of every layer its kind of mark, what it encodes, and its rows."""
    whole = spec(table, name)
    kept = whole.get("datasets", {})
    found = []
    for layer in whole.get("layer", [whole]):
        data = layer.get("data", whole.get("data"))
        rows = data["values"] if "values" in data else kept[data["name"]]
        found.append((layer["mark"]["type"], layer["encoding"], rows))
    return found


def rows_of(table: cf.Table, name: str, kind: str) -> list[dict[str, Any]]:
    """The rows of the first layer with that kind of mark."""
    return next(rows for mark, _, rows in marks(table, name) if mark == kind)


def texts(table: cf.Table, name: str) -> list[str]:
    """Every word that stands on the chart itself."""
    return [
        str(row[encoded["text"]["field"]])
        for mark, encoded, rows in marks(table, name)
        if mark == "text"
        for row in rows
    ]


def seen(table: cf.Table, name: str, folder: Path) -> str:
    """The chart as SVG, once it has become a picture of both kinds."""
    picture = draw(table, name)
    save(picture, folder / "chart.png")
    image = np.asarray(Image.open(io.BytesIO((folder / "chart.png").read_bytes())).convert("L"))
    assert (image < 200).sum() > 500, "nothing is drawn"
    save(picture, folder / "chart.svg")
    svg = (folder / "chart.svg").read_text(encoding="utf-8")
    assert len(svg.encode()) < MOST
    ET.fromstring(svg)
    return svg


Layer = tuple[dict[str, Any], dict[str, Any], list[dict[str, Any]]]


def layers(picture: Any) -> Iterator[Layer]:
    """Of every layer of every panel its mark, what it encodes, and its rows."""
    whole = picture.to_dict()

    def walk(part: dict[str, Any], rows: list[dict[str, Any]]) -> Iterator[Layer]:
        data = part.get("data", {})
        mine = data.get("values", whole.get("datasets", {}).get(data.get("name"), rows))
        if "mark" in part:
            yield part["mark"], part["encoding"], mine
        for inner in (*part.get("vconcat", ()), *part.get("hconcat", ()), *part.get("layer", ())):
            yield from walk(inner, mine)

    yield from walk(whole, [])


def words(picture: Any) -> list[str]:
    """What stands on all panels."""
    return [
        str(row[encoded["text"]["field"]])
        for mark, encoded, rows in layers(picture)
        if mark["type"] == "text"
        for row in rows
    ]
