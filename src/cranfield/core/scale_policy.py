"""Policy for measures whose scale does not support a mean, test or transform: note, refuse or ignore."""

from collections.abc import Iterable
from typing import Any, Literal, TypeAlias

from .errors import ParameterError, ScaleError
from .types import Scale

Policy: TypeAlias = Literal["note", "refuse", "ignore"]
POLICIES: tuple[Policy, ...] = ("note", "refuse", "ignore")


def weigh(meetings: Iterable[tuple[str, Scale, object]], policy: Policy, *, safe: str) -> tuple[str, ...]:
    """One sentence where measures give less than what is asked of them; an error where the policy is to refuse.

    A meeting is what asks, the scale it needs, and the measure; ``safe`` says what to use instead. Numbers that nobody
    gave a scale are taken as they are.
    """
    if policy not in POLICIES:
        raise ParameterError(f"the scale policy cannot be {policy!r}", hint=f"choose one of: {', '.join(POLICIES)}")
    short = [
        (who, needed, str(measure), measure.scale)
        for who, needed, measure in meetings
        if hasattr(measure, "scale") and measure.scale.own < needed
    ]
    if policy == "ignore" or not short:
        return ()
    asking, measures, cites = ([*dict.fromkeys(word)] for word in _words(short))
    needed = " or ".join(str(scale) for scale in sorted({scale for _, scale, _, _ in short}))
    given = " or ".join(str(scale) for scale in sorted({claim.own for *_, claim in short}))
    problem = f"{listed(asking)} need{'s' * (len(asking) == 1)} {needed} numbers; "
    problem += f"{listed(measures)} {'is' if len(measures) == 1 else 'are'} {given} ({', '.join(cites)})"
    if policy == "refuse":
        raise ScaleError(problem, hint=f"{safe}; --scale note goes on")
    return (f"{problem}. {safe[:1].upper()}{safe[1:]}; --scale ignore silences this",)


def _words(short: list[tuple[str, Scale, str, Any]]) -> tuple[list[str], list[str], list[str]]:
    """Who asks, of what, and who says that it has not so much to give."""
    return [who for who, *_ in short], [measure for _, _, measure, _ in short], [claim.cite for *_, claim in short]


def listed(names: list[str]) -> str:
    """Names in a sentence: ``a, b and c``."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
