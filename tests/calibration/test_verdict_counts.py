"""Verdicts on all pairs of a campaign against a plain t-test: the counts of benchmarks/verdict_counts.py."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import cranfield as cf
from benchmarks.verdict_counts import (
    BY_RECALL,
    COLUMNS,
    Counts,
    count_verdicts,
    evaluate_trec_covid,
    format_table,
    simulate_campaign,
    tally,
)
from cranfield.data import Values
from cranfield.simulate import Campaign

SMALL = Campaign(topics=30, groups=6, runs=14, depth=100, candidates=500, documents=5000, relevant=20, pool=50)


@pytest.fixture(scope="module")
def values() -> Values:
    return simulate_campaign(SMALL)


@pytest.fixture(scope="module")
def counts(values: Values) -> Counts:
    return count_verdicts("small", values)


def test_no_significant_measure_is_inconclusive_or_names_the_other_run(counts: Counts) -> None:
    assert counts.pairs == 14 * 13 // 2
    assert 20 < counts.significant < counts.pairs
    assert (counts.inconclusive, counts.opposite, counts.broken) == (0, 0, False)


def test_a_second_measure_changes_no_verdict_but_to_mixed(counts: Counts) -> None:
    assert counts.changes is not None
    assert counts.other_changes == 0


def test_all_pairs_at_once_have_the_verdict_of_each_pair_alone(values: Values) -> None:
    rows = cf.compare(values, correct="none")["verdicts"].rows()[::4]
    studies = [cf.compare(values, pairs=[(str(row["a"]), str(row["b"]))]) for row in rows]
    alone = [study["verdicts"].column("verdict")[0] for study in studies]
    assert alone == [row["verdict"] for row in rows]
    assert len(set(alone)) > 1


def test_every_broken_rule_is_counted() -> None:
    kinds = np.array(["better", "worse", "inconclusive", "mixed", "inconclusive", "better"], dtype=object)
    direction = np.array([1, 1, -1, 1, 0, 0])
    assert tally(kinds, direction) == {"significant": 4, "inconclusive": 1, "opposite": 1, "mixed": 1}


def test_a_change_of_the_primary_status_breaks_a_rule() -> None:
    changes = Counter({("better", "mixed"): 2, ("worse", "inconclusive"): 1})
    counts = Counts(
        campaign="x",
        runs=3,
        topics=5,
        pairs=3,
        significant=3,
        inconclusive=0,
        opposite=0,
        mixed=0,
        opposing_lines=Counter(),
        outcome_silent=None,
        outcome_opposite=None,
        changes=changes,
    )
    assert (counts.to_mixed, counts.other_changes, counts.broken) == (2, 1, True)
    assert len(counts.row()) == len(COLUMNS)
    assert len(format_table([counts]).splitlines()) == len(COLUMNS) + 1


def test_trec_covid_keeps_the_rules(shared_data: Path) -> None:
    counts = count_verdicts("TREC-COVID", evaluate_trec_covid(shared_data))
    assert (counts.runs, counts.topics, counts.pairs) == (22, 30, 231)
    assert not counts.broken
    by_recall = count_verdicts("TREC-COVID", evaluate_trec_covid(shared_data, BY_RECALL))
    assert not by_recall.broken
    assert by_recall.mixed == sum(by_recall.opposing_lines.values()) > 0
    assert by_recall.to_mixed
