"""Tables 1 and 2 of lin2021, beside what the public board shows of these runs, and beside those of a made-up board."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import cranfield as cf
from cranfield.data import read_entries
from docs.gallery.tables.boards import board
from docs.gallery.tables.writing import table

PAGE = "tables-of-lin.md"
BASELINES = ["20200811a", "20200811b", "20200811c"]
UNTIL = "2021-02-15"  # "until mid-February, 2021"
TEN = 10

# Tables 1 and 2, as printed: by how much the true MRR@100 of R2 to R10 is above that of R1.
ABOVE_FIRST = ("0.0027", "0.0152", "0.0179", "0.0244", "0.0301", "0.0328", "0.0360", "0.0406", "0.0516")

# Table 1: p of rank-sum, signed-rank and t; the last line compares R9 and R10.
WHOLE = (
    ("R1", "R2", "0.0027", "0.029393", "0.519758", "0.722586"),
    ("R1", "R3", "0.0152", "0.109672", "0.053127", "0.038240"),
    ("R1", "R4", "0.0179", "0.000494", "0.008780", "0.013607"),
    ("R1", "R5", "0.0244", "2.07E-05", "0.000461", "0.000785"),
    ("R1", "R6", "0.0301", "1.16E-06", "3.21E-05", "3.77E-05"),
    ("R1", "R7", "0.0328", "1.16E-07", "1.00E-06", "4.18E-06"),
    ("R1", "R8", "0.0360", "2.81E-05", "3.24E-06", "2.50E-06"),
    ("R1", "R9", "0.0406", "4.15E-06", "9.06E-08", "3.61E-08"),
    ("R1", "R10", "0.0516", "7.85E-14", "1.92E-12", "7.57E-12"),
    ("R9", "R10", "0.0110", "0.010663", "0.109114", "0.153225"),
)

# Table 2: neither, A wins, B wins, both; ESL of A and B, p of signed-rank and t; the same of RR.
APART = (
    ("2%", "9%", "16%", "73%", "6.99", "9.14", "3.22E-12", "1.60E-07", "0.4812", "0.4468", "6.75E-05", "2.66E-05"),
    ("4%", "15%", "14%", "67%", "7.15", "5.99", "4.62E-06", "1.34E-05", "0.4857", "0.5107", "0.004032", "0.003871"),
    ("3%", "10%", "15%", "72%", "7.06", "8.13", "0.000249", "0.004918", "0.4838", "0.4775", "0.448624", "0.368583"),
    ("3%", "11%", "15%", "71%", "7.13", "7.27", "0.609428", "0.813828", "0.4833", "0.4861", "0.730242", "0.765044"),
    ("3%", "10%", "15%", "71%", "7.15", "7.19", "0.886547", "0.381946", "0.4829", "0.4910", "0.331145", "0.364266"),
    ("4%", "10%", "15%", "72%", "7.27", "6.98", "0.279188", "0.022938", "0.4799", "0.4979", "0.024974", "0.020952"),
    ("3%", "15%", "15%", "67%", "7.06", "5.71", "7.94E-08", "8.68E-08", "0.4829", "0.5273", "8.97E-07", "7.59E-07"),
    ("4%", "15%", "14%", "67%", "7.15", "5.15", "2.03E-16", "4.33E-17", "0.4857", "0.5404", "2.49E-10", "1.85E-10"),
    ("3%", "12%", "15%", "70%", "7.08", "5.88", "4.79E-06", "1.46E-06", "0.4829", "0.5204", "1.60E-05", "1.10E-05"),
    ("3%", "12%", "17%", "69%", "5.22", "5.79", "0.026583", "0.006238", "0.5376", "0.5222", "0.082654", "0.077858"),
)
OUTCOMES = ("neither", "only_a", "only_b", "both")


def steps(data: Path) -> str:
    """The runs of the state of the art, from the board, and how far they are above the first."""
    entries = read_entries(data / "leaderboards" / "msmarco-document.csv", value="MRR@100 (Eval)")
    study = cf.leaderboard(None, entries=entries, baselines=BASELINES)
    best = [row for row in study["sota"].rows() if str(row["date"]) <= UNTIL]
    means = [float(str(row["mean"])) for row in best]
    lines = (
        (f"R{place}", f"`{row['run']}`", f"{mean:.3f}", f"{mean - means[0]:.3f}" if printed else "", printed)
        for place, (row, mean, printed) in enumerate(zip(best, means, ("", *ABOVE_FIRST), strict=True), 1)
    )
    return table(["run", "on the board", "MRR@100, board", "above R1, board", "above R1, paper"], lines, words=2)


def compared() -> cf.Study:
    """Ten runs of a made-up board, from the tenth best to the best: all against the first, the last two too."""
    values = board()
    order = [values.runs[place] for place in np.argsort(-values.cube[:, :, 0].mean(axis=1))]
    runs = order[:TEN][::-1]
    return cf.compare(values, pairs=[*((runs[0], run) for run in runs[1:]), tuple(runs[-2:])], scale="ignore")


def whole() -> str:
    """Table 1: the tests of the whole measure, and those of the made-up board below."""
    study = compared()
    rows = [row for row in study["overall"].rows() if row["measure"] == "RR@100"]
    ours = (
        (
            "ours",
            a,
            b,
            f"{of['t']['difference']:.4f}",
            *(in_p(of[test]["p"]) for test in ("rank-sum", "signed-rank", "t")),
        )
        for a, b, of in by_pair(rows, "test")
    )
    lines = [("paper", *line) for line in WHOLE] + list(ours)
    return table(["", "A", "B", "Δ", "p rank-sum", "p signed-rank", "p t"], lines, words=3)


def apart() -> str:
    """Table 2, left: what happened in which share of the topics, and ESL where both answer."""
    return halves(slice(0, 8), ["neither", "A wins", "B wins", "both", "ESL A", "ESL B", "p signed-rank", "p t"], "ESL")


def reciprocal() -> str:
    """Table 2, right: RR where both answer."""
    return halves(slice(8, 12), ["RR A", "RR B", "p signed-rank", "p t"], "RR")


def halves(part: slice, columns: list[str], measure: str) -> str:
    """Some columns of Table 2, those of the paper above ours."""
    study = compared()
    shares = {
        (a, b): [f"{of[name]['share']:.0%}" for name in OUTCOMES]
        for a, b, of in by_pair(study["outcomes"].rows(), "outcome")
    }
    both = by_pair([row for row in study["both"].rows() if row["measure"] == measure], "test")
    digits = ".2f" if measure == "ESL" else ".4f"
    lines = [("paper", *names[:2], *line[part]) for names, line in zip(WHOLE, APART, strict=True)]
    for a, b, of in both:
        t = of["t"]
        values = [
            format(t["value_a"], digits),
            format(t["value_b"], digits),
            in_p(of["signed-rank"]["p"]),
            in_p(t["p"]),
        ]
        lines.append(("ours", a, b, *(shares[a, b] if measure == "ESL" else ()), *values))
    return table(["", "A", "B", *columns], lines, words=3)


def by_pair(rows: list[Any], key: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """The rows of each pair of runs, by the value of one column."""
    pairs = dict.fromkeys((row["a"], row["b"]) for row in rows)
    for a, b in pairs:
        yield a, b, {row[key]: row for row in rows if (row["a"], row["b"]) == (a, b)}


def in_p(p: float) -> str:
    """A p-value as the paper prints it."""
    return f"{p:.6f}" if p >= 1e-4 else f"{p:.2E}"


TABLES: dict[str, Callable[[], str]] = {"lin-whole": whole, "lin-apart": apart, "lin-reciprocal": reciprocal}
FROM_DATA: dict[str, Callable[[Path], str]] = {"lin-steps": steps}
