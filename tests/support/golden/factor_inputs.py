"""Inputs of R for factors of runs: values (topic, run) of twelve runs, and what the runs are made of."""

from tests.support.golden.statistics_inputs import Rows, drawn

VALUES: Rows = drawn(9, 12, seed=21)
LABELS: dict[str, tuple[str, ...]] = {
    "kind": ("auto",) * 5 + ("manual",) * 4 + ("feedback",) * 3,
    "stemmer": ("none", "porter") * 6,
    "model": ("bm25", "bm25", "lm", "lm", "dense", "dense") * 2,
    "index": ("small", "small", "small", "large", "small", "small") + ("large",) * 6,
    "country": ("fr",) * 6 + ("uk",) * 6,
    "group": ("a", "a", "b", "b", "c", "c", "d", "d", "e", "e", "f", "f"),
    "team": ("a", "a", "a", "a", "b", "c", "d", "e", "e", "e", "f", "f"),
    "size": ("1", "2.5", "3", "1", "7", "0.5", "4", "4", "2", "9", "6", "8.5"),
}
