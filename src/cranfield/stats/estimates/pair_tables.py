"""Tables of effect sizes, Bayesian probabilities, swap rates and achieved power of pairs of runs."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Direction, Provenance, Table
from cranfield.data import Values
from cranfield.stats.comparison.topic_outcomes import means_of_both
from cranfield.stats.multiple.omnibus_base import complete_topics
from cranfield.stats.pair_tests.all_pairs import finite, places
from cranfield.stats.pair_tests.base import Asked, Pairs
from cranfield.stats.pair_tests.bayesian import BayesSignedRank
from cranfield.stats.pair_tests.float_ties import SUM_ERROR
from cranfield.stats.reliability.discrimination import swap_rate

from .effect_sizes import DZ, Cliff, DAv, HedgesG, RankBiserial, name_differences, name_effects, wins
from .power import achieved_power


def _each(values: Values, chosen: Sequence[tuple[int, int]]) -> list[tuple[str, Pairs]]:
    """The pairs of every measure."""
    found = []
    for measure in values.measures:
        matrix = values.matrix(measure)
        found.append((str(measure), Pairs.given(matrix, list(chosen), places(values, measure, matrix))))
    return found


def _named(pairs: Pairs, runs: Sequence[str], measure: str) -> dict[str, Any]:
    names = np.array(runs, dtype=object)
    return {"a": names[pairs.a], "b": names[pairs.b], "measure": np.full(len(pairs), measure, dtype=object)}


def _glued(parts: Sequence[dict[str, Any]], caption: str, made_by: Provenance) -> Table:
    columns = {name: np.concatenate([np.asarray(part[name]) for part in parts]) for name in parts[0]}
    return Table(columns, caption, made_by)


def effects_table(values: Values, chosen: Sequence[tuple[int, int]]) -> Table:
    """One row for each pair and measure: in how many topics each is ahead, and how large the difference is.

    Ahead is what the measure calls better: a smaller ESL. Words are Cohen's for d_z, and Spärck Jones' for the
    difference of the means, 5 % being .05: of values from 0 to 1 alone.
    """
    parts = []
    for which, (measure, pairs) in zip(values.measures, _each(values, chosen), strict=True):
        count = wins(pairs)
        ahead, behind = (count.a, count.b) if which.direction is Direction.LOWER else (count.b, count.a)
        d_z = DZ().size(pairs)
        means = means_of_both(pairs)
        parts.append(
            _named(pairs, values.runs, measure)
            | {"mean_a": means[0], "mean_b": means[1]}
            | {"b_ahead": ahead, "equal": count.equal, "a_ahead": behind}
            | {"d_z": finite(d_z), "d_av": finite(DAv().size(pairs)), "hedges_g": finite(HedgesG().size(pairs))}
            | {"cliff": Cliff().size(pairs), "rank_biserial": RankBiserial().size(pairs)}
            | {"effect_word": _words(name_effects(d_z), d_z)}
            | {"difference_word": _words(name_differences(*means, basis="absolute"), _shares(which, pairs, means[0]))}
        )
    return _glued(parts, "how large the differences are", values.made_by)


def _shares(measure: object, pairs: Pairs, means: NDArray[np.float64]) -> NDArray[np.float64]:
    """(pair,): the means, NaN where values do not lie between 0 and 1."""
    low, high = getattr(measure, "range", (0.0, 1.0))
    there = pairs.values[~np.isnan(pairs.values)]
    outside = low < 0 or high > 1 or bool(((there < -SUM_ERROR) | (there > 1 + SUM_ERROR)).any())
    return np.full_like(means, np.nan) if outside else means


def _words(words: Sequence[str], numbers: NDArray[np.float64]) -> NDArray[np.object_]:
    """(pair,): a word for each number; none where there is no number."""
    told = np.array(words, dtype=object)
    told[np.isnan(numbers)] = None
    return told


def beliefs_table(values: Values, chosen: Sequence[tuple[int, int]], test: BayesSignedRank, asked: Asked) -> Table:
    """One row for each pair and measure: how likely a is better, the two are as good as equal, b is better."""
    parts = []
    for which, (measure, pairs) in zip(values.measures, _each(values, chosen), strict=True):
        found = test.compare(pairs, asked)
        a, b = (found.right, found.left) if which.direction is Direction.LOWER else (found.left, found.right)
        beliefs = {"a_better": a, "equal": found.rope, "b_better": b}
        seen = {side: np.where(pairs.topics > 0, belief, np.nan) for side, belief in beliefs.items()}
        parts.append(_named(pairs, values.runs, measure) | seen)
    return _glued(parts, f"what to believe; equal: within ±{test.rope:g} ({test})", values.made_by)


def swaps_table(values: Values, *, seed: int, draws: int | None) -> Table:
    """One row for each measure and bin of differences: how often another half of the topics turns the order round."""
    parts, from_here, topics = [], [], set()
    for measure in values.measures:
        matrix, _ = complete_topics(values.matrix(measure))
        found = swap_rate(matrix, seed=seed, **({} if draws is None else {"draws": draws}))
        kept = found.pairs > 0
        parts.append(
            {"measure": np.full(int(kept.sum()), str(measure), dtype=object), "difference": found.start[kept]}
            | {
                "pairs": found.pairs[kept],
                "swaps": found.swaps[kept],
                "ties": found.ties[kept],
                "rate": found.rate[kept],
            }
        )
        topics.add(found.topics)
        safe = found.difference()
        from_here.append(f"{measure}: " + (f"at most 5 % from {safe:g} on" if safe == safe else "above 5 % throughout"))
    size = " or ".join(map(str, sorted(topics))) + " topic" + "s" * (topics != {1})
    caption = f"how often two sets of {size} disagree on a pair ({'; '.join(from_here)})"
    return _glued(parts, caption, values.made_by)


def achieved_table(values: Values, measure: object, chosen: Sequence[tuple[int, int]], level: float) -> Table:
    """One row for each pair: the power a paired t would have if what was seen were the truth."""
    matrix = values.matrix(measure)
    pairs = Pairs.given(matrix, list(chosen))
    columns = _named(pairs, values.runs, str(measure))
    columns |= {
        "topics": pairs.topics,
        "difference": pairs.mean_difference,
        "power": achieved_power(pairs, level=level),
    }
    caption = "power if what was seen were the truth: it tells the p-value once more, and serves to plan (hoenig2001)"
    return Table(columns, caption, values.made_by)
