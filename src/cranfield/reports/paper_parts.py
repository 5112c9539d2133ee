"""Export of the tables and charts of a report as separate files for a paper."""

from os import PathLike
from pathlib import Path

from .embedded_charts import draw_all
from .report import Report
from .table_layout import lay

PICTURES = (".svg", ".png", ".pdf")


def write_parts(report: Report, folder: str | PathLike[str]) -> list[Path]:
    """Every table as LaTeX and CSV, all rows; every chart as SVG, PNG and PDF. The files, in the order of the page."""
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    for number, section in enumerate(report.sections, 1):
        for chart in draw_all(section.study, tuple(section.charts or ()))[0]:
            from cranfield.charts import save

            for suffix in PICTURES:
                written.append(place / f"{number}-{section.study.name}-{chart.name}{suffix}")
                save(chart.picture, written[-1])
        for name in section.tables or ():
            table = section.study[name]
            laid = lay(table, section.columns.get(name, ())).on_paper()
            stem = place / f"{number}-{section.study.name}-{name}"
            latex, plain = stem.with_suffix(".tex"), stem.with_suffix(".csv")
            latex.write_text(laid.to_latex() + "\n", encoding="utf-8")
            table.to_csv(plain)
            written += [latex, plain]
    return written
