"""Theme of all charts: fonts, dark text on white, colours safe for colour-blind readers."""

from typing import Any

INK, QUIET, FAINT = "#1b1b1b", "#555555", "#e4e4e4"
PALE = "#bdbdbd"  # of what stands behind

# Paul Tol's "muted" scheme, the colours that are strong on white first; ink for a tenth.
COLOURS = (
    *("#332288", "#cc6677", "#117733", "#aa4499", "#999933"),
    *("#882255", "#44aa99", "#88ccee", "#ddaa33", INK),
)
SHAPES = (
    *("circle", "square", "triangle-up", "diamond", "cross"),
    *("triangle-down", "triangle-right", "triangle-left", "circle", "square"),
)
DASHES: tuple[list[int], ...] = ([1, 0], [6, 3], [2, 2], [10, 3], [8, 2, 2, 2])

FONT = "Helvetica, Arial, 'Liberation Sans', sans-serif"
THEME: dict[str, Any] = {
    "background": "white",
    "font": FONT,
    "padding": {"left": 12, "top": 12, "bottom": 12, "right": 36},  # fonts differ in width, and a legend ends there
    "view": {"stroke": None},
    "title": {
        "anchor": "start",
        "frame": "group",
        "color": INK,
        "fontSize": 15,
        "fontWeight": 600,
        "offset": 14,
        "subtitleColor": QUIET,
        "subtitleFontSize": 12,
        "subtitlePadding": 5,
    },
    "axis": {
        "domainColor": QUIET,
        "gridColor": FAINT,
        "labelColor": INK,
        "labelFlush": False,  # the first and the last label stand under their ticks
        "labelFontSize": 12,
        "tickColor": QUIET,
        "tickSize": 4,
        "titleColor": INK,
        "titleFontSize": 13,
        "titleFontWeight": "normal",
        "titlePadding": 8,
    },
    "legend": {
        "columnPadding": 20,  # fonts differ in width
        "labelColor": INK,
        "labelFontSize": 12,
        "labelLimit": 260,
        "symbolStrokeWidth": 2,
        "title": None,
    },
}
