"""Tables 1 and 3 of ferro2024, beside what this program makes of the same data or of made-up ones."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from math import ceil
from pathlib import Path
from typing import Any

import cranfield as cf
from cranfield.simulate import TREC8
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
    "P@100": ("Precision", 1566, 2785),
    "R@100": ("Recall", 1748, 3259),
    "F@100": ("F-measure", 1721, 3081),
    "SBTO(max_rel=1)@100": ("SBTO", 1566, 2785),
    "RBP(p=0.5)": ("RBP *p* = 1/2", 1677, 2861),
    "RBP(p=0.2)": ("RBP *p* = 0.2", 1675, 2198),
    "RBP": ("RBP *p* = 0.8", 1783, 3476),
    "AP": ("AP", 1824, 3320),
    "RBTO(max_rel=1)@100": ("RBTO", 1677, 2861),
}


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
    """§4.2.6 and the last line of Table 3: pairs that differ by AP at TREC-8."""
    tukey = cf.anova(trec8(data)).verdict
    ranks = cf.anova(trec8(data), after="rank-tukey").verdict
    assert tukey is not None
    assert ranks is not None
    _, by_ranks, by_means = SIGNIFICANT["AP"]
    return table(
        ["TREC-8, AP, 8,256 pairs", "paper", "ours"],
        [
            ["pairs that Tukey tells apart, §4.2.6", TUKEY[0], f"{tukey['significant']:,}"],
            ["half-width of the intervals, §4.2.6", TUKEY[1], f"{tukey['half_width']:.4f}"],
            ["the same pairs, Table 3, analysis of variance", f"{by_means:,}", f"{tukey['significant']:,}"],
            ["Tukey on mean ranks, Table 3, Kruskal–Wallis", f"{by_ranks:,}", f"{ranks['significant']:,}"],
        ],
    )


def trec8(data: Path) -> Path:
    """AP of 129 runs in 50 topics."""
    return data / "score-matrices" / "adhoc8_ap.csv"


def scales() -> str:
    """The setting of Table 3, with a made-up campaign: which pairs differ, by measures of several scales."""
    made = replace(TREC8, depth=100).make()
    runs = {name: made.run_columns(name) for name in made.names}
    qrels = made.qrels_columns()
    binary = qrels | {"grade": [min(grade, 1) for grade in qrels["grade"]]}
    values = cf.evaluate(binary, runs, list(SIGNIFICANT))
    rows = (
        [
            name,
            str(cf.parse_measure(measure).scale.own),
            *(cell for both in zip(printed, ours, strict=True) for cell in both),
        ]
        for measure, (name, *paper) in SIGNIFICANT.items()
        for printed in [list(map(in_share, paper))]
        for ours in [[counted(cf.anova(values, measure=measure, after=after)) for after in ("rank-tukey", "tukey")]]
    )
    return table(
        ["measure", "scale", "Kruskal–Wallis, paper", "ours", "analysis of variance, paper", "ours"], rows, words=2
    )


def counted(study: cf.Study) -> str:
    """How many pairs differ."""
    assert study.verdict is not None
    return in_share(study.verdict["significant"])


def in_share(pairs: int) -> str:
    """A number of pairs and its share, as the paper has it."""
    return f"{pairs:,} ({pairs / PAIRS:.2%})"


TABLES: dict[str, Callable[[], str]] = {"ferro-scales": scales}
FROM_DATA: dict[str, Callable[[Path], str]] = {"ferro-anova": anova, "ferro-pairs": pairs}
