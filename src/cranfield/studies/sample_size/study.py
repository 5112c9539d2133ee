"""How many topics does an experiment need, and which difference can it detect?"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from cranfield.core import ParameterError, Policy, Provenance, Scale, Study, Table, weigh
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
    source = "as given"
    if given is not None:
        matrix = given.matrix(measure)  # refuses where there are several, and none is named
        which = given.measures[given.index(measure) if measure else 0]
        runs = range(len(given.runs)) if pair is None else choose_pairs(given, [pair])[0]
        whole, _ = complete_topics(matrix[:, list(runs)])
        met = [(f"the {plan.name} design", Scale.INTERVAL, which)]
        notes = weigh(met, scale, safe="what is planned is a test of means")
        if lost := len(matrix) - len(whole):
            notes += (f"{lost} of {len(matrix)} topics are left out: some run has no value there",)
        if isinstance(design, str) and "runs" not in design:
            plan = adapt(plan, runs=len(runs))
        if variance is None:
            variance, source = pilot_variance(whole, of=pilot or plan.pilot), "as the pilot has it"
        if difference is None and topics is None:
            topics = len(whole)
    elif pair or pilot:
        hint = "give one: QRELS RUN... or --scores"
        raise ParameterError(f"there is no pilot that {'the pair' if pair else pilot} could be of", hint=hint)
    if variance is None:
        hint = "give a pilot (QRELS RUN... or --scores), or the variance itself (--variance)"
        raise ParameterError("there is no variance to plan with", hint=hint)
    made_by = given.made_by if given is not None else Provenance()
    told, table = _solved(plan, difference, topics, power, {"variance": variance, "level": level})
    verdict = {"design": str(plan), **told, "level": level, "variance": variance}
    verdict["sentence"] = _sentence(plan, verdict, source)
    tables = {"power": replace(table, made_by=made_by, notes=notes)}
    if given is not None and len(given.runs) > 1:
        pairs = choose_pairs(given, [pair] if pair else ())
        tables = {"achieved": achieved_table(given, which, pairs, level)} | tables
    return Study("power", tables, verdict, made_by, charts=("power",))


def _solved(
    plan: Design, difference: float | None, topics: int | None, power: float, plain: dict[str, float]
) -> tuple[dict[str, Any], Table]:
    """What was asked for, from what was given; and a curve around it."""
    chance = power if plan.tests else None
    within = f"{plan.goal} within reach, variance {plain['variance']:.4g}"
    if difference is None:
        if topics is None:
            hint = "give the smallest difference that matters (--difference), or how many topics there are (--size)"
            raise ParameterError("there is nothing to solve for", hint=hint)
        table = power_table(plan, _around(topics), power=power, **plain)
        difference = float(plan.difference(topics, power=power, **plain))
        return {"topics": topics, "difference": difference, "power": chance}, replace(table, caption=within)
    if topics is None:
        topics = plan.topics(difference=difference, power=power, **plain)
    elif plan.tests:
        chance = float(plan.power(topics, difference=difference, **plain))
    else:
        hint = "give the difference (--difference), or how many topics there are (--size)"
        raise ParameterError(f"the {plan.name} design has no power to solve for", hint=hint)
    table = power_table(plan, _around(topics), difference=difference, **plain)
    seen = f"power to find {plan.goal} of {difference:g}, variance {plain['variance']:.4g}" if plan.tests else within
    return {"topics": topics, "difference": difference, "power": chance}, replace(table, caption=seen)


def _around(topics: int) -> Sequence[int]:
    """Numbers of topics for a curve: from few to twice as many, and the one in question."""
    most = max(10, 2 * topics)
    step = max(1, most // 40)
    return sorted({*range(2, most + 1, step), topics})


def _sentence(plan: Design, told: dict[str, Any], source: str) -> str:
    goal = f"{told['difference']:.4g} ({plan.goal})"
    chance = f" with power {told['power']:.3g}" if told["power"] is not None else ""
    return (
        f"{told['topics']:,} topics show {goal}{chance} at level {told['level']:g} "
        f"({told['design']}, variance {told['variance']:.4g} {source})."
    )
