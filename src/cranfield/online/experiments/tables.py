"""Tables and summary sentences of an experiment."""

from math import isnan

from cranfield.core import Table, listed
from cranfield.stats import confidence_text

from .arm_effects import ArmEffect, Experiment
from .sample_ratio_checks import checks_table, p_value

EFFECTS = (
    *("measure", "control", "treatment", "difference", "relative", "low", "high", "p", "p_adjusted", "outcome"),
    *("value_control", "value_treatment", "relative_low", "relative_high", "always_low", "always_high", "always_p"),
    *("users", "variance_left"),
)
OUTCOMES = {True: "better", False: "worse", None: "unclear"}


def effects_of_arms_table(experiment: Experiment) -> Table:
    """Return one row for each treatment and metric; ``low`` and ``high`` are the ends of the difference."""
    rows = [_row(effect, experiment.level) for effect in experiment.effects]
    caption = (
        f"Changes compared with {experiment.control}, level {experiment.level:g}, corrected by {experiment.correct}, "
        f"{experiment.confidence}"
    )
    return Table.from_rows(rows, EFFECTS, caption=caption, notes=_contradictions(experiment))


def _contradictions(experiment: Experiment) -> tuple[str, ...]:
    """Return a note for each effect that is significant although its interval contains 0."""
    notes = []
    for effect in experiment.effects:
        low, high = (effect.low, effect.high) if experiment.looks == "once" else (effect.always_low, effect.always_high)
        if effect.better(experiment.level) is not None and low <= 0 <= high:
            what = f"{effect.metric.name} of {effect.treatment} is significant after {experiment.correct}"
            notes.append(f"{what}, but its Bonferroni interval contains 0")
    return tuple(notes)


def experiment_tables(experiment: Experiment) -> dict[str, Table]:
    """Arms, effects, and what must be so before they are believed."""
    return {
        "arms": experiment.ratio.table(),
        "effects": effects_of_arms_table(experiment),
        "checks": checks_table(experiment.checks),
    }


def experiment_sentence(experiment: Experiment) -> str:
    """Whether a treatment is better than the control, in one or two sentences; or why that cannot be told."""
    failed = [check for check in experiment.checks if not check.passed]
    if experiment.ratio.fault:
        reasons = "; ".join([experiment.ratio.fault, *(check.detail for check in failed if check.detail)])
        return f"Do not trust this experiment: {reasons}. Find the fault before looking at effects."
    if failed:
        reasons = "; ".join(check.detail or f"it fails a check of {check.check}" for check in failed)
        return f"Do not trust this experiment: {reasons}."
    told = [_told(experiment, treatment) for treatment in dict.fromkeys(e.treatment for e in experiment.effects)]
    corrected = experiment.interval_level < experiment.level and "CI [" in "".join(told)
    return " ".join([*told, *([_correction_text(experiment)] if corrected else []), experiment.ratio.doubt]).strip()


def _correction_text(experiment: Experiment) -> str:
    """Return how p-values and intervals are corrected."""
    tests = f"{experiment.correct.usual_name} over {experiment.tests:,} tests"
    return f"P-values: {tests}. Intervals: {experiment.confidence}."


def treatment_outcomes(experiment: Experiment, deciding: str | None = None) -> dict[str, str]:
    """By treatment: better, worse, mixed (better in one metric and worse in another) or unclear, whatever checks say.

    ``deciding`` is the one metric that counts, where there is one.
    """
    words = {(True, True): "mixed", (True, False): "better", (False, True): "worse", (False, False): "unclear"}
    found = {}
    for treatment in dict.fromkeys(effect.treatment for effect in experiment.effects):
        mine = [effect for effect in experiment.effects if effect.treatment == treatment]
        sides = {effect.better(experiment.level) for effect in mine if deciding in {None, effect.metric.name}}
        found[treatment] = words[True in sides, False in sides]
    return found


def _told(experiment: Experiment, treatment: str) -> str:
    """What one treatment does, in a sentence."""
    effects = [effect for effect in experiment.effects if effect.treatment == treatment]
    sides: dict[bool | None, list[str]] = {True: [], False: [], None: []}
    for effect in effects:
        sides[effect.better(experiment.level)].append(_size(effect, experiment))
    better, worse, nothing = (listed(found) if found else "" for found in sides.values())
    if not better and not worse:
        return f"No difference is shown between {treatment} and {experiment.control} in {nothing}."
    beside = f" than {experiment.control}"
    parts = [f"better{beside} in {better}"] * bool(better) + [f"worse{beside * (not better)} in {worse}"] * bool(worse)
    rest = f"; no difference is shown in {nothing}" if nothing else ""
    return f"{treatment} is {' and '.join(parts)}{rest}."


def _size(effect: ArmEffect, experiment: Experiment) -> str:
    """Return a metric and the size of the effect on it, relative to the control where that exists."""
    if experiment.looks == "many":
        ends, form = (effect.difference, effect.always_low, effect.always_high), "{:+.3g}"
    elif isnan(effect.relative_low):
        ends, form = (effect.difference, effect.low, effect.high), "{:+.3g}"
    else:
        ends = (100 * effect.relative, 100 * effect.relative_low, 100 * effect.relative_high)
        form = "{:+.3g}%"
    size, low, high = (form.format(end).replace("-", "−") for end in ends)
    if isnan(effect.low):
        return f"{effect.metric.name} ({size}, users within an arm do not differ)"
    confidence = confidence_text(experiment.interval_level)
    return f"{effect.metric.name} ({size}, {confidence} CI [{low}, {high}], {p_value(effect.p_adjusted)})"


def _row(effect: ArmEffect, level: float) -> dict[str, object]:
    row = {name: getattr(effect, name) for name in EFFECTS if name not in ("measure", "outcome")}
    return {"measure": effect.metric.name, "outcome": OUTCOMES[effect.better(level)], **row}
