"""Charts as files: no browser, no network."""

from os import PathLike, fspath
from pathlib import Path

from cranfield.core import ParameterError, need

from ._base import Picture

SUFFIXES = (".svg", ".png", ".pdf", ".html")
SHARP = 2  # dots of a PNG for each point
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
    spec = chart.to_json()
    if suffix == ".svg":
        Path(path).write_text(convert.vegalite_to_svg(spec), encoding="utf-8")
    elif suffix == ".png":
        Path(path).write_bytes(convert.vegalite_to_png(spec, scale=SHARP))
    elif suffix == ".pdf":
        Path(path).write_bytes(convert.vegalite_to_pdf(spec))
    else:
        # vegalite_to_html would bring 900 kB of scripts, and run what stands in the name of a run as another.
        Path(path).write_text(PAGE.format(convert.vegalite_to_svg(spec)), encoding="utf-8")
