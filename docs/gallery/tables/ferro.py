"""Tables 1 and 3 of ferro2024, with what this program computes from the same runs."""

from collections.abc import Callable, Iterator, Mapping
from math import ceil
from pathlib import Path
from typing import Any

import cranfield as cf
from docs.gallery.tables.writing import table

PAGE = "tables-of-ferro.md"
PAIRS = 8256  # of 129 runs

# Table 1 and §4.2.6, as printed: SS, DF, MS, F, p and ω². The parts of the total add up to 313.3775.
ANOVA = {
    "topic": ("167.9974", "49", "3.4285", "251.9463", "0", "0.6559"),
    "system": ("60.0299", "128", "0.4690", "34.4635", "0", "0.3991"),
    "error": ("85.3502", "6272", "0.0136", "", "", ""),
    "total": ("313.3375", "6449", "", "", "", ""),
}
TUKEY = ("3,423", "0.0515")

# Table 3, as printed: Kruskal–Wallis with Tukey on mean ranks, analysis of variance with Tukey.
SIGNIFICANT = {
    "P@250": ("Precision", 1566, 2785),
    "R@250": ("Recall", 1748, 3259),
    "F@250": ("F-measure", 1721, 3081),
    "SBTO(max_rel=1)@250": ("SBTO", 1566, 2785),
    "RBP(p=0.5)@250": ("RBP *p* = 1/2", 1677, 2861),
    "RBP(p=0.2)@250": ("RBP *p* = 0.2", 1675, 2198),
    "RBP@250": ("RBP *p* = 0.8", 1783, 3476),
    "AP@250": ("AP", 1824, 3320),
    "RBTO(max_rel=1)@250": ("RBTO", 1677, 2861),
}

ORDERS = ("measure", "scale, own order", "scale, top-heavy order")
AFTER = ("rank-tukey", "tukey(df='inf')")


def anova(data: Path) -> str:
    """Table 1: the analysis of variance of AP at TREC-8."""
    found = {row["source"]: row for row in cf.anova(trec8(data))["anova"].rows()}
    lines = (
        line
        for source, paper in ANOVA.items()
        for line in ((source, "paper", *paper), ("", "ours", *in_digits(found[source])))
    )
    return table(["source", "", "SS", "DF", "MS", "F", "p", "ω²"], lines, words=2)


def in_digits(row: Mapping[str, Any]) -> Iterator[str]:
    """A row of the analysis, with as many digits as the paper has."""
    for column, digits in {"ss": ".4f", "df": ".0f", "ms": ".4f", "f": ".4f", "log10_p": "", "omega2": ".4f"}.items():
        if row[column] is None:
            yield ""
        else:
            yield format(row[column], digits) if digits else f"< 1e{ceil(row[column])}"


def pairs(data: Path) -> str:
    """§4.2.6: pairs that differ by AP at TREC-8."""
    tukey = cf.anova(trec8(data)).verdict
    assert tukey is not None
    return table(
        ["TREC-8, AP, 8,256 pairs", "paper", "ours"],
        [
            ["significantly different pairs by Tukey's test", TUKEY[0], f"{tukey['significant']:,}"],
            ["half-width of the intervals", TUKEY[1], f"{tukey['half_width']:.4f}"],
        ],
    )


def trec8(data: Path) -> Path:
    """AP of 129 runs in 50 topics."""
    return data / "score-matrices" / "adhoc8_ap.csv"


def scales(clone: Path) -> str:
    """Table 3: which pairs differ, by measures of several scales, from a clone of isoboroff/trec8-scores."""
    runs = [str(run) for run in sorted((clone / "inputs").iterdir())]
    values = cf.evaluate(str(clone / "trec8.qrels"), runs, list(SIGNIFICANT), compat="trec_eval-9")
    rows = (
        [
            name,
            str(cf.parse_measure(measure).scale.own),
            str(cf.parse_measure(measure).scale.top_heavy),
            *(cell for both in zip(printed, ours, strict=True) for cell in both),
        ]
        for measure, (name, *paper) in SIGNIFICANT.items()
        for printed in [list(map(in_share, paper))]
        for ours in [[counted(cf.anova(values, measure=measure, after=after)) for after in AFTER]]
    )
    return table([*ORDERS, "Kruskal–Wallis, paper", "ours", "analysis of variance, paper", "ours"], rows, words=3)


def counted(study: cf.Study) -> str:
    """How many pairs differ."""
    assert study.verdict is not None
    return in_share(study.verdict["significant"])


def in_share(pairs: int) -> str:
    """A number of pairs and its share, as the paper has it."""
    return f"{pairs:,} ({pairs / PAIRS:.2%})"


TABLES: dict[str, Callable[[], str]] = {}
FROM_DATA: dict[str, Callable[[Path], str]] = {"ferro-anova": anova, "ferro-pairs": pairs}
FROM_RUNS: dict[str, Callable[[Path], str]] = {"ferro-scales": scales}
