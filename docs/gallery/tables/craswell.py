"""Tables 1 to 4 of craswell2021msmarco, beside what this program makes of a made-up board and of TREC-8."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import cranfield as cf
from docs.gallery.tables.boards import board
from docs.gallery.tables.writing import printed, table

PAGE = "tables-of-craswell.md"
TRIALS = 1000

# Tables 1 and 2, as printed, side by side: the share of 1,000 trials in which the five best runs take ranks 1 to 5.
STABILITY = printed(
    """
        72.7%  25.4%   1.9%     0%     0%     91.2%   7.4%   1.4%     0%     0%
        24.2%  62.5%  13.3%     0%     0%      6.8%  61.7%  21.1%   8.6%   1.4%
         3.1%  12.1%  83.9%   0.8%   0.1%      1.6%  22.7%  36.8%  20.2%  12.2%
           0%     0%   0.6%  47.0%  27.1%      0.4%   5.4%  17.7%  27.0%  25.1%
           0%     0%   0.2%  34.5%  34.0%        0%   0.5%  15.9%  21.2%  22.9%
    """
)
BOARDS = {"passages, paper": slice(0, 5), "documents, paper": slice(5, 10)}

# Table 3: all rankings of three documents by RR.
RANKINGS = ("111", "110", "101", "100", "011", "010", "001", "000")
RECIPROCAL = ("1.00", "1.00", "1.00", "1.00", "0.50", "0.50", "0.33", "0.00")

# Table 4, as printed: agree, partially agree, disagree, significant; documents by MRR, by NDCG.
TESTS = (
    ("sign", "mean"),
    ("rank-sum", "mean"),
    ("signed-rank", "mean"),
    ("t", "mean"),
    ("sign", "median"),
    ("rank-sum", "median"),
    ("signed-rank", "median"),
)
AGREEMENT = printed(
    """
        93.3%     3%  3.7%  95.0%     94.9%   1.8%   3.2%  97.9%
        92.1%     3%  4.9%  79.7%     92.2%   7.7%   0.1%  81.1%
        91.2%     3%  5.8%  92.7%     91.0%   8.4%   0.6%  93.3%
        91.7%     3%  5.3%  79.8%     91.8%   8.1%   0.1%  81.4%
        80.2%  16.1%  3.7%  95.0%     85.2%   1.8%  13.0%  97.9%
        81.2%  16.1%  2.7%  79.7%     84.2%  10.4%   5.4%  81.1%
        80.7%  16.1%  3.2%  92.7%     83.3%   6.2%  10.5%  93.3%
    """
)
BY_RR, BY_NDCG = slice(0, 4), slice(4, 8)
PARTS = ("agree", "partial", "disagree", "significant")
NOT_IN_PAPER = ("separated", "disagree_significant")


def stability() -> str:
    """Tables 1 and 2: which ranks the five best runs take when topics are drawn again."""
    study = cf.leaderboard(board(), draws=TRIALS, scale="ignore")
    best = [row["run"] for row in study["ranks"].rows()][:5]
    shares = {(row["run"], row["rank"]): row["share"] for row in study["stability"].rows()}
    ours = [[f"{shares.get((run, rank), 0):.1%}" for rank in range(1, 6)] for run in best]
    boards = {name: [row[part] for row in STABILITY] for name, part in BOARDS.items()} | {"made up, ours": ours}
    return table(
        ["run", "board", "rank 1", "rank 2", "rank 3", "rank 4", "rank 5"],
        ([place, name, *rows[place - 1]] for place in range(1, 6) for name, rows in boards.items()),
        words=2,
    )


def reciprocal() -> str:
    """Table 3: every ranking of three documents and its RR."""
    rows = cf.scale("RR", length=3)["values"].rows()
    values = {ranking: f"{row['value']:.2f}" for row in rows for ranking in str(row["rankings"]).split()}
    lines = {"RR, paper": RECIPROCAL, "RR, ours": [values[ranking] for ranking in RANKINGS]}
    return table(["ranking", *RANKINGS], ([name, *cells] for name, cells in lines.items()))


def agreement(measure: str, part: slice) -> str:
    """Table 4: how often two halves of the topics agree."""
    found = by_test(cf.agreement(board(), scale="ignore"), measure)
    lines = (
        line
        for test, paper in zip(TESTS, AGREEMENT, strict=True)
        for line in ((*test, "paper", *paper[part], "–", "–"), ("", "", "ours", *shown(found[test])))
    )
    return table(["test", "by", "", *PARTS, *NOT_IN_PAPER], lines, words=3)


def agreement_of_trec8(data: Path) -> str:
    """Table 4 again, with AP of 129 runs in 50 topics."""
    values = cf.read_scores(data / "score-matrices" / "adhoc8_ap.csv")
    found = by_test(cf.agreement(values, scale="ignore"), "score")
    return table(["test", "by", *PARTS, *NOT_IN_PAPER], ([*test, *shown(found[test])] for test in TESTS), words=2)


def by_test(study: cf.Study, measure: str) -> dict[tuple[str, str], dict[str, Any]]:
    """The rows of an agreement, by test and aggregate."""
    rows = (row for row in study["agreement"].rows() if row["measure"] == measure)
    return {(str(row["test"]), str(row["aggregate"])): row for row in rows}


def shown(row: dict[str, Any]) -> list[str]:
    """Return the proportions of a row, in the format of the paper."""
    return [f"{row[part]:.1%}" for part in (*PARTS, *NOT_IN_PAPER)]


TABLES: dict[str, Callable[[], str]] = {
    "craswell-stability": stability,
    "craswell-reciprocal": reciprocal,
    "craswell-agreement": lambda: agreement("RR@100", BY_RR),
    "craswell-agreement-ndcg": lambda: agreement("nDCG@10", BY_NDCG),
}
FROM_DATA: dict[str, Callable[[Path], str]] = {"craswell-trec8": agreement_of_trec8}
