"""Table 1 of bigdeli2024, and what its Figure 2 and 3 show, of the runs of another track."""

from collections.abc import Callable
from pathlib import Path

import cranfield as cf
from docs.gallery.tables.writing import table

PAGE = "tables-of-bigdeli.md"
RANKINGS = {"R1": "ABCDEFGHIJ", "R2": "EDCBAFGHIJ", "R3": "JIHGFEDCBA"}
RELEVANT = "AEFJ"

# Table 1, as printed: nDCG@10, then NRG after R1, R2, R3 and the other two.
ORDERS = {
    "R1": ("0.7933", "-", "0.7361", "0.8277", "0.8417"),
    "R2": ("0.7933", "0.7361", "-", "0.7988", "0.8316"),
    "R3": ("0.7933", "0.8277", "0.7988", "-", "0.8681"),
}


def orders() -> str:
    """Table 1: three orders of the same documents."""
    qrels = {"1": {document: 4 * (document in RELEVANT) for document in RANKINGS["R1"]}}
    runs = {run: {"1": {document: -rank for rank, document in enumerate(order)}} for run, order in RANKINGS.items()}
    values = cf.evaluate(qrels, runs, "nDCG@10")
    found = [dict(zip(values.runs, (f"{value:.4f}" for value in values.cube[:, 0, 0]), strict=True))]
    for prior in (["R1"], ["R2"], ["R3"], "others"):
        rows = cf.novelty(values, prior=prior)["novelty"].rows()
        found.append({str(row["run"]): "-" if [row["run"]] == prior else f"{row['nrg']:.4f}" for row in rows})
    lines = (
        line
        for run, paper in ORDERS.items()
        for line in ((run, "paper", *paper), ("", "ours", *(column[run] for column in found)))
    )
    return table(["ranking", "", "nDCG@10", "after R1", "after R2", "after R3", "after the other two"], lines, words=2)


def covid(data: Path) -> str:
    """Figures 2 to 5, in numbers: every run of TREC-COVID against the best run of every other team."""
    folder = data / "trec-covid"
    values = cf.evaluate(folder / "qrels-rnd1.txt", folder / "runs", "nDCG@10", compat="trec_eval-9")
    study = cf.novelty(values, prior="best-per-group", entries=folder / "leaderboard-round1.csv")
    columns = {"value": ".4f", "nrg": ".4f", "unique": ".2f", "rareness": ".4f", "tasc": ".4f"}
    return table(
        ["run", "team", "nDCG@10", "NRG", "unique", "RareP@10", "TaSC"],
        (
            [row["run"], row["group"], *(format(row[column], digits) for column, digits in columns.items())]
            for row in study["novelty"].rows()
        ),
        words=2,
    )


TABLES: dict[str, Callable[[], str]] = {"bigdeli-orders": orders}
FROM_DATA: dict[str, Callable[[Path], str]] = {"bigdeli-covid": covid}
