"""Verdicts on all pairs of runs of whole campaigns, two runs at a time, checked against a plain paired t-test.

Where the t-test of scipy is significant on the primary measure, the verdict must not be inconclusive and must not name
the other run. A second measure may make a verdict mixed and must not change it in any other way. Prints a table; exits
1 if a rule is broken. CRANFIELD_DATA names the folder with the real campaigns.
"""

import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

import cranfield as cf
from cranfield.core import Study
from cranfield.data import Values
from cranfield.simulate import TREC8, Campaign

LEVEL = 0.05
MEASURES = "AP nDCG@10"
BY_RECALL = "R@1000 nDCG@10"  # measures that disagree more often, so that some verdicts are mixed
DECIDED = ("better", "worse")
COLUMNS = (
    "campaign",
    "runs",
    "topics",
    "pairs",
    "t significant",
    "inconclusive",
    "opposite winner",
    "mixed",
    "mixed through",
    "second measure: to mixed",
    "second measure: other changes",
    "outcome rule: no winner",
    "outcome rule: opposite winner",
)


@dataclass(frozen=True, kw_only=True)
class Counts:
    """Verdicts of one campaign: the columns from ``inconclusive`` on count pairs with a significant t-test."""

    campaign: str
    runs: int
    topics: int
    pairs: int
    significant: int
    inconclusive: int
    opposite: int
    mixed: int
    opposing_lines: Counter[str]  # of mixed verdicts; one verdict may have several
    outcome_silent: int | None  # pairs without a winner by the outcome rule; None without rankings
    outcome_opposite: int | None
    changes: Counter[tuple[str, str]] | None = field(default=None)  # of verdicts by a second measure, all pairs

    @property
    def to_mixed(self) -> int | None:
        """Return how many verdicts a second measure makes mixed."""
        return None if self.changes is None else sum(self.changes[kind, "mixed"] for kind in DECIDED)

    @property
    def other_changes(self) -> int | None:
        """Return how many verdicts a second measure changes in any other way."""
        return None if self.changes is None else self.changes.total() - (self.to_mixed or 0)

    @property
    def broken(self) -> bool:
        """Return whether a rule is broken."""
        return bool(self.inconclusive or self.opposite or self.other_changes)

    def row(self) -> tuple[str, ...]:
        """Return the cells of the table."""
        lines = ", ".join(f"{line} {number:,}" for line, number in self.opposing_lines.most_common()) or "–"
        numbers = (self.runs, self.topics, self.pairs, self.significant, self.inconclusive, self.opposite, self.mixed)
        changes = (self.to_mixed, self.other_changes, self.outcome_silent, self.outcome_opposite)
        return self.campaign, *map(_number, numbers), lines, *map(_number, changes)


def count_verdicts(campaign: str, values: Values) -> Counts:
    """Compare every pair of runs as if it were the only one, and count the verdicts by the first measure."""
    alone = values.of_measures([values.measures[0]]) if len(values.measures) > 1 else values
    study = cf.compare(alone, correct="none")
    direction = decide_by_t(alone, study)
    kinds = np.array(study["verdicts"].column("verdict"), dtype=object)
    changes = None
    if alone is not values:
        both = np.array(cf.compare(values, correct="none")["verdicts"].column("verdict"), dtype=object)
        changes = Counter((str(old), str(new)) for old, new in zip(kinds, both, strict=True) if old != new)
    outcome = find_outcome_winners(study)
    return Counts(
        campaign=campaign,
        runs=len(values.runs),
        topics=len(values.topics),
        pairs=len(kinds),
        opposing_lines=count_opposing_lines(study, kinds, direction),
        outcome_silent=None if outcome is None else int(((direction != 0) & (outcome == 0)).sum()),
        outcome_opposite=None if outcome is None else int(((direction != 0) & (outcome == -direction)).sum()),
        changes=changes,
        **tally(kinds, direction),
    )


def tally(kinds: NDArray[np.object_], direction: NDArray[np.int64]) -> dict[str, int]:
    """Count the verdicts on pairs with a significant t-test; ``direction`` is 1 where b is better, −1 where a is."""
    clear = direction != 0
    return {
        "significant": int(clear.sum()),
        "inconclusive": int((clear & np.isin(kinds, ["inconclusive", "equivalent"])).sum()),
        "opposite": int((((direction > 0) & (kinds == "worse")) | ((direction < 0) & (kinds == "better"))).sum()),
        "mixed": int((clear & (kinds == "mixed")).sum()),
    }


def decide_by_t(values: Values, study: Study) -> NDArray[np.int64]:
    """Return for every pair the better run by the paired t-test of scipy: 1 is b, −1 is a, 0 is not significant."""
    from scipy import stats

    matrix = values.matrix(values.measures[0])
    a, b = (matrix[:, [values.runs.index(str(run)) for run in study["verdicts"].column(side)]] for side in ("a", "b"))
    with np.errstate(invalid="ignore", divide="ignore"):
        test = stats.ttest_rel(b, a, axis=0)
    return np.where(test.pvalue <= LEVEL, np.sign(b.mean(axis=0) - a.mean(axis=0)), 0).astype(np.int64)


def find_outcome_winners(study: Study) -> NDArray[np.int64] | None:
    """Return the winner by the outcome rule, with Holm over the facets; None where the outcomes are unknown."""
    winners = [{"a": -1, "b": 1}.get(str(row["do_no_harm_holm"]), 0) for row in study["verdicts"].rows()]
    return np.array(winners) if "facets" in study.tables else None


def count_opposing_lines(study: Study, kinds: NDArray[np.object_], direction: NDArray[np.int64]) -> Counter[str]:
    """Count the lines of evidence against the primary measure in mixed verdicts."""
    rows = study["evidence"].rows()
    lines = len(rows) // len(kinds)
    opposing: Counter[str] = Counter()
    for pair in np.flatnonzero((kinds == "mixed") & (direction != 0)).tolist():
        against = "worse" if direction[pair] > 0 else "better"
        for row in rows[pair * lines : (pair + 1) * lines]:
            opposing[str(row["measure"] if row["line"] == "measure" else row["line"])] += row["status"] == against
    return +opposing


def simulate_campaign(campaign: Campaign, measures: str = MEASURES) -> Values:
    """Return the values of a simulated campaign."""
    data = campaign.make()
    runs = {name: pl.DataFrame(data.run_columns(name)) for name in data.names}
    return cf.evaluate(pl.DataFrame(data.qrels_columns()), runs, measures)


def evaluate_trec_covid(folder: Path, measures: str = MEASURES) -> Values:
    """Return the values of the runs of TREC-COVID round 1."""
    return cf.evaluate(folder / "trec-covid" / "qrels-rnd1.txt", folder / "trec-covid" / "runs", measures)


def count_campaigns(folder: Path | None) -> Iterator[Counts]:
    """Count the verdicts of every campaign; the real ones need the folder of public data."""
    yield count_verdicts("simulated, as large as TREC-8", simulate_campaign(TREC8))
    if folder is not None:
        yield count_verdicts("TREC-COVID round 1", evaluate_trec_covid(folder))
        yield count_verdicts("TREC-COVID round 1, by recall", evaluate_trec_covid(folder, BY_RECALL))
        yield count_verdicts("TREC-8 ad hoc, AP only", cf.read_scores(folder / "score-matrices" / "adhoc8_ap.csv"))


def format_table(counts: Sequence[Counts]) -> str:
    """Return the counts as a Markdown table, one campaign in each column."""
    cells = [COLUMNS, *(one.row() for one in counts)]
    lines = [f"| {' | '.join(row)} |" for row in zip(*cells, strict=True)]
    return "\n".join([lines[0], "|---" * len(cells) + "|", *lines[1:]])


def _number(count: int | None) -> str:
    return "–" if count is None else f"{count:,}"


def main() -> None:
    """Print the table; exit 1 if a rule is broken."""
    data = os.environ.get("CRANFIELD_DATA")
    counts = list(count_campaigns(Path(data) if data else None))
    print(format_table(counts))
    sys.exit(any(one.broken for one in counts))


if __name__ == "__main__":
    main()
