"""How many topics does it take?"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from cranfield.core import ParameterError, Policy, Provenance, Scale, Study, weigh
from cranfield.data import Values, read_scores
from cranfield.stats import (
    DESIGNS,
    LEVEL,
    POWER,
    Design,
    Pilot,
    achieved_table,
    adapt,
    choose_pairs,
    complete_topics,
    parse_method,
    pilot_variance,
    power_table,
)


def power(
    values: Any = None,
    *,
    design: str | Design = "t",
    difference: float | None = None,
    topics: int | None = None,
    power: float = POWER,
    variance: float | None = None,
    pilot: Pilot | None = None,
    pair: tuple[str, str] | None = None,
    measure: str | None = None,
    level: float = LEVEL,
    scale: Policy = "note",
) -> Study:
    """Topics for a difference, or the difference within reach of some topics, at a level and a power.

    The variance is given, or comes from pilot ``values``: those of :func:`evaluate`, or a table of scores; of all runs
    or of one ``pair``. With a ``difference`` the answer is how many topics it takes; with ``topics`` the smallest
    difference they show; with both, the power. With neither, the topics of the pilot count.
    """
    plan = parse_method(DESIGNS, design)
    given = values if values is None or isinstance(values, Values) else read_scores(values)
    notes: tuple[str, ...] = ()
    if given is not None:
        which = given.measures[given.index(measure)] if measure else given.measures[0]
        matrix, _ = complete_topics(given.matrix(which))
        notes = weigh(
            [(f"the {plan.name} design", Scale.INTERVAL, which)],
            scale,
            safe="the sign test asks less, and no design is known for it",
        )
        plan = adapt(plan, runs=matrix.shape[1])
        chosen = matrix if pair is None else matrix[:, [given.run_index(run) for run in pair]]
        variance = variance or pilot_variance(chosen, of=pilot or plan.pilot)
    if variance is None:
        hint = "give a pilot (QRELS RUN... or --scores), or the variance itself (--variance)"
        raise ParameterError("there is no variance to plan with", hint=hint)
    if difference is None and topics is None and given is not None:
        topics = len(matrix)
    if difference is None and topics is None:
        hint = "give the smallest difference that matters (--difference), or how many topics there are (--size)"
        raise ParameterError("there is nothing to solve for", hint=hint)
    plain: dict[str, Any] = {"variance": variance, "level": level}
    if difference is not None and topics is None:
        needed = plan.topics(difference=difference, power=power, **plain)
        table = power_table(plan, _around(needed), difference=difference, **plain)
        found = {"topics": needed, "difference": difference, "power": power if plan.tests else None}
    elif difference is None and topics is not None:
        table = power_table(plan, _around(topics), power=power, **plain)
        found = {
            "topics": topics,
            "difference": float(plan.difference(topics, power=power, **plain)),
            "power": power if plan.tests else None,
        }
    else:
        plain |= {"difference": difference}
        table = power_table(plan, _around(topics or 2), **plain)
        reached = float(plan.power(topics or 2, **plain)) if plan.tests else None
        found = {"topics": topics, "difference": difference, "power": reached}
    made_by = given.made_by if given is not None else Provenance()
    verdict = {"design": str(plan), **found, "level": level, "variance": variance}
    verdict["sentence"] = _sentence(plan, verdict, piloted=given is not None)
    seen = (
        f"power to find {plan.goal} of {difference:g}"
        if difference is not None and plan.tests
        else f"{plan.goal} within reach"
    )
    table = replace(table, caption=f"{seen}, variance {variance:.4g}", made_by=made_by, notes=notes)
    tables = {"power": table}
    if given is not None and len(given.runs) > 1:
        pairs = choose_pairs(given, [pair] if pair else ())
        tables = {"achieved": achieved_table(given, which, pairs, level)} | tables
    return Study("power", tables, verdict, made_by, charts=("power",))


def _around(topics: int) -> Sequence[int]:
    """Numbers of topics for a curve: from few to twice as many, and the one in question."""
    most = max(10, 2 * topics)
    step = max(1, most // 40)
    return sorted({*range(2, most + 1, step), topics})


def _sentence(plan: Design, told: dict[str, Any], *, piloted: bool) -> str:
    source = "as the pilot has it" if piloted else "as given"
    goal = f"{plan.goal} of {told['difference']:.4g}"
    chance = f" with power {told['power']:.3g}" if told["power"] is not None else ""
    return (
        f"{told['topics']:,} topics: {goal}{chance} at level {told['level']:g} "
        f"({told['design']}, variance {told['variance']:.4g} {source})."
    )
