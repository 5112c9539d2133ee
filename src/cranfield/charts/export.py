"""Export charts to SVG, PNG, PDF and HTML, without a browser or a network."""

import re
import zlib
from math import ceil
from os import PathLike, fspath
from pathlib import Path
from struct import pack, unpack
from typing import Any
from xml.etree import ElementTree

from cranfield.core import ParameterError, Study, Table, need

from .base import Picture, debug_mode, draw

SUFFIXES = (".svg", ".png", ".pdf", ".html")
WIDER = 1.08  # DejaVu Sans beside Liberation Sans, in labels
# The most that a letter of DejaVu Sans takes in a line, as a share of its size.
BOLD_LETTER, PLAIN_LETTER = 0.67, 0.58
EDGE = 6  # points beside the longest title
MOVED = re.compile(r"translate\((-?[\d.]+)")
OUTSIDE = re.compile(
    r'width="(?P<width>[\d.]+)" height="(?P<height>[\d.]+)" viewBox="0 0 (?P=width) (?P=height)">'
    r'<rect width="(?P=width)" height="(?P=height)"'
)
COUNTED = re.compile(r'(?P<before>\bid="|url\(#)(?P<name>(?P<kind>gradient_|clip)\d+)')
SHARP = 2  # dots of a PNG for each point
CELLS = 2_000  # marks from which on an SVG is heavier than a PNG: 129 × 129 of them are 2.9 MB
SVG, PNG = "image/svg+xml", "image/png"
PATHS = {"line", "area", "trail"}  # many rows are one mark
NO_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
PAGE = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>cranfield</title></head>
<body>
{}
</body>
</html>
"""


def check_suffix(path: str | PathLike[str]) -> str:
    """What the name of a picture ends in, if there are such pictures."""
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        what = f"no picture ends in {suffix}" if suffix else "the name does not say which kind of picture"
        raise ParameterError(f"{fspath(path)}: {what}", hint=f"end the name in {' '.join(SUFFIXES)}")
    return suffix


def save(chart: Picture, path: str | PathLike[str]) -> None:
    """Write a chart as SVG, PNG, PDF or a page around its SVG, as the name says."""
    suffix = check_suffix(path)
    convert = need("vl_convert", extra="charts")
    spec = _harmless(chart.to_dict())
    if suffix == ".svg":
        Path(path).write_text(_roomy(_numbered(convert.vegalite_to_svg(spec))), encoding="utf-8")
    elif suffix == ".png":
        Path(path).write_bytes(convert.vegalite_to_png(spec, scale=SHARP))
    elif suffix == ".pdf":
        Path(path).write_bytes(convert.vegalite_to_pdf(spec))
    else:
        # vegalite_to_html would bring 900 kB of scripts, and run what stands in the name of a run as another.
        Path(path).write_text(PAGE.format(_roomy(_numbered(convert.vegalite_to_svg(spec)))), encoding="utf-8")


def to_picture(data: Study | Table, name: str, *, most: int = CELLS) -> tuple[bytes, str]:
    """A chart of a study or a table as bytes and their media type: SVG, or PNG where marks are more than ``most``."""
    convert = need("vl_convert", extra="charts")
    with debug_mode(False):  # valid by its tests; checks cost a second
        spec = _harmless(draw(data, name).to_dict(validate=False))
    if count_marks(spec) > most:
        return _packed(convert.vegalite_to_png(spec, scale=SHARP)), PNG
    return _roomy(_numbered(convert.vegalite_to_svg(spec))).encode(), SVG


def _numbered(svg: str) -> str:
    """The same picture whenever it is drawn: the renderer counts gradients and clips through all that it has drawn."""
    seen: dict[str, str] = {}

    def again(found: re.Match[str]) -> str:
        kind, name = found["kind"], found["name"]
        if name not in seen:
            seen[name] = f"{kind}{sum(one.startswith(kind) for one in seen)}"
        return f"{found['before']}{seen[name]}"

    return COUNTED.sub(again, svg)


def _roomy(svg: str) -> str:
    """The same picture with room at its right, so that no title is cut off.

    Where it is looked at, letters may be wider than those it was laid out with.
    """

    def wider(found: re.Match[str]) -> str:
        width = max(round(float(found["width"]) * WIDER), ceil(_titled(ElementTree.fromstring(svg))))
        rest = f'height="{found["height"]}"'
        return f'width="{width}" {rest} viewBox="0 0 {width} {found["height"]}"><rect width="{width}" {rest}'

    return OUTSIDE.sub(wider, svg, count=1)


def _titled(part: ElementTree.Element, left: float = 0.0, *, title: bool = False) -> float:
    """Where the longest title below a part of a picture ends, in wide letters."""
    left += float(moved[1]) if (moved := MOVED.match(part.get("transform", ""))) else 0.0
    title = title or "role-title" in part.get("class", "")
    if title and part.tag.endswith("text"):
        share = BOLD_LETTER if part.get("font-weight") == "600" else PLAIN_LETTER
        letter = share * float(part.get("font-size", "0").rstrip("px"))
        lines = [line.text or "" for line in part] or [part.text or ""]
        return left + letter * max(map(len, lines)) + EDGE
    return max((_titled(inner, left, title=title) for inner in part), default=0.0)


def _harmless(part: Any) -> Any:
    """A picture without signs that XML does not know: on one in a name, the renderer ends the whole process."""
    if isinstance(part, str):
        return NO_XML.sub("\N{REPLACEMENT CHARACTER}", part)
    if isinstance(part, dict):
        return {key: _harmless(inner) for key, inner in part.items()}
    return [_harmless(inner) for inner in part] if isinstance(part, list) else part


def _packed(png: bytes) -> bytes:
    """The same picture in about a quarter of the bytes: the renderer packs for speed."""
    parts, dots, at = [png[:8]], b"", 8
    while at < len(png):
        size, kind = unpack(">I4s", png[at : at + 8])
        if kind == b"IDAT":
            dots += png[at + 8 : at + 8 + size]
        elif kind == b"IEND":
            parts += [_part(b"IDAT", zlib.compress(zlib.decompress(dots), 6)), _part(kind, b"")]
        else:
            parts.append(png[at : at + 12 + size])
        at += 12 + size
    return b"".join(parts)


def _part(kind: bytes, content: bytes) -> bytes:
    """A chunk of a PNG: how long it is, what it is, what it holds, and its check sum."""
    return pack(">I", len(content)) + kind + content + pack(">I", zlib.crc32(kind + content))


def count_marks(spec: dict[str, Any]) -> int:
    """How many marks a picture has: the rows of every layer, a line or an area counting once."""
    kept = spec.get("datasets", {})

    def count(part: dict[str, Any], above: dict[str, Any]) -> int:
        data = part.get("data", above)
        parts = [inner for key in ("layer", "hconcat", "vconcat", "concat") for inner in part.get(key, ())]
        if parts:
            return sum(count(inner, data) for inner in parts)
        rows = data.get("values", kept.get(data.get("name"), ()))
        return 1 if part["mark"]["type"] in PATHS else len(rows)

    return count(spec, {})
