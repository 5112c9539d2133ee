"""Pairs of runs and baselines."""

from collections.abc import Sequence

from cranfield.core import ParameterError
from cranfield.data import Values
from cranfield.stats import choose_pairs


def find_baselines(values: Values, baselines: str | Sequence[str] | None) -> list[str]:
    """Return the names of the baselines, each once, given by their names or files."""
    names = [baselines] if isinstance(baselines, str) else baselines or ()
    return list(dict.fromkeys(values.runs[values.run_index(name)] for name in names))


def choose_pairs_with(
    values: Values, pairs: Sequence[tuple[str, str]], baselines: Sequence[str]
) -> list[tuple[int, int]]:
    """Return the pairs to test as indices of runs: ``pairs``, each run with each baseline, or all pairs.

    Baselines are not compared with each other.
    """
    if pairs or len(baselines) < 2:
        return choose_pairs(values, pairs, baselines[0] if baselines else None)
    others = [run for run in values.runs if run not in baselines]
    if not others:
        raise ParameterError("every run is a baseline", hint="give one more run, which is compared with the baselines")
    return choose_pairs(values, [(baseline, run) for baseline in baselines for run in others])
