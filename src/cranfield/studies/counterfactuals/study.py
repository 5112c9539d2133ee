"""How much reward would another policy have earned, estimated from the log of a live policy?"""

from dataclasses import replace
from typing import Any

from cranfield.core import SEED, ParameterError, Provenance, Study, experimental
from cranfield.data import find_runs, read_choices, read_run
from cranfield.online import (
    PROPENSITIES,
    Propensity,
    by_policy,
    estimates_table,
    estimators_for,
    hold_beside,
    policies_table,
    policies_verdict,
)
from cranfield.stats import LEVEL, check_level

DRAWS = 2000


@experimental
def counterfactual(
    log: Any,
    *,
    policies: Any = (),
    runs: Any = None,
    estimators: Any = None,
    propensity: Propensity = "given",
    columns: Any = None,
    ranks_from: int = 1,
    interval: Any = "normal",
    level: float = LEVEL,
    draws: int = DRAWS,
    seed: int = SEED,
    command: str = "",
) -> Study:
    """What other policies would have earned for each impression, from the log of one that was live.

    ``log`` is what ``cranfield.data.read_choices`` reads: what was shown, what it earned, and with what chance it was
    shown (propensity). ``policies`` are columns with the chance that each shows the same; ``runs`` show their own
    documents and no others. Propensities of pages are ``given`` those above, or ``at-rank`` whatever stands above, or
    ``counted`` from the log where it has none. The first of the ``estimators`` gives the verdict, which is not
    ``trusted`` where weights do not average 1 (p < 0.001), where they are worth fewer than 50 impressions or one has
    more than 10% of their sum, where all rewards are equal, one seems to stand for a missing reward or rows are copies,
    or where more than 1% of the rows are excluded. ``ranks_from`` is 0 where the ranks of the log start at 0.
    """
    check_level(level)
    if propensity not in PROPENSITIES:
        hint = f"choose one of: {', '.join(PROPENSITIES)}"
        raise ParameterError(f"there are no propensities {propensity!r}", hint=hint)
    choices = read_choices(log, policies, columns=columns, ranks_from=ranks_from)
    read = [] if runs is None else [read_run(run) for run in find_runs(runs)]
    choices = choices.with_runs(read) if read else choices
    choices = choices.counted() if propensity == "counted" else choices
    asked: Any = {"level": level, "interval": interval, "draws": draws, "seed": seed}
    found = hold_beside(choices, estimators_for(choices, estimators, propensity), propensity=propensity, **asked)
    inputs = (choices.source.as_input(), *(run.source.as_input() for run in read))
    made_by = Provenance(command=command, inputs=inputs, seed=seed)
    excluded = choices.excluded
    tables = {"dropped": replace(excluded.table(), notes=choices.notes), "policies": policies_table(found)}
    tables["estimates"] = estimates_table(by_policy(found), choices)
    if propensity == "counted":
        note = "propensities are counted: right only if chance alone chose what each impression of a topic shows"
        tables["estimates"] = replace(tables["estimates"], notes=(*tables["estimates"].notes, note))
    tables = {name: replace(table, made_by=made_by) for name, table in tables.items()}
    verdict = policies_verdict(found, choices, level=level) | excluded.as_verdict()
    return Study("counterfactual", tables, verdict, made_by, charts=("policies",))
