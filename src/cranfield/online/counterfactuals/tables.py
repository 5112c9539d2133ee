"""Tables of counterfactual estimates, with notes on their reliability."""

from collections.abc import Iterator, Mapping, Sequence

from cranfield.core import Table
from cranfield.data import Choices

from .estimates import Estimate
from .reward_checks import reward_notes

COLUMNS = (*("policy", "estimator", "value", "low", "high", "ess", "max_weight", "mean_weight", "rows", "dropped"),)
FEW = 100  # impressions' worth below which an interval may be too narrow


def estimates_table(estimates: Mapping[str, Sequence[Estimate]], choices: Choices | None = None) -> Table:
    """Return one row for each policy and estimator, with notes on the weights and on the rewards of ``choices``."""
    rows = [
        {"policy": policy} | {name: getattr(one, name) for name in COLUMNS[1:]}
        for policy, several in estimates.items()
        for one in several
    ]
    notes = dict.fromkeys(note for policy, several in estimates.items() for note in _notes(policy, several))
    notes |= dict.fromkeys(() if choices is None else reward_notes(choices))
    made = Table.from_rows(rows, COLUMNS, caption="what each policy would have earned", notes=tuple(notes))
    return Table(made.data, made.caption, notes=made.notes, ends={"value": ("low", "high")})


def _notes(policy: str, several: Sequence[Estimate]) -> Iterator[str]:
    for one in several:
        if one.dropped:
            share = one.dropped / (one.rows + one.dropped)
            yield f"{one.dropped:,} impressions ({share:.1%}) have no propensity, and are left out"
        if one.doubtful:
            ends = f"{one.mean_weight_low:.3f} to {one.mean_weight_high:.3f}"
            yield f"{policy}: weights have the mean {one.mean_weight:.3f} ({ends}), not 1: check the propensities"
        if one.ess < FEW:
            worth = f"worth {one.ess:.0f} impressions of {one.rows:,}"
            said = "cannot be relied on" if one.few_impressions else "may be too narrow"
            yield f"{policy}, {one.estimator}: weights are {worth}: the interval {said}"
