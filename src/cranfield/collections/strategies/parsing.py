"""Parse names of strategies with parameters: ``depth(k=20)``, ``maxmean-ns``."""

from collections.abc import Iterable

from cranfield.core import ParameterError
from cranfield.stats import parse_method, parse_methods

from .base import STRATEGIES, Strategy

SEE = "cranfield pool --help"
EVERY = "all"  # every strategy that finds documents, and that can do without their texts


def parse_strategy(text: str | Strategy) -> Strategy:
    """The strategy that a text stands for."""
    return parse_method(STRATEGIES, text, see=SEE)


def parse_strategies(texts: str | Strategy | Iterable[str | Strategy], *, text: bool = False) -> list[Strategy]:
    """The strategies of one or many texts; ``all`` stands for every one, those that read documents if ``text``.

    Samples are not among them: they are made to estimate, not to find.
    """
    found: list[Strategy] = []
    for one in [texts] if isinstance(texts, str | Strategy) else texts:
        if isinstance(one, Strategy):
            found.append(one)
        elif one == EVERY:
            found += [cls() for cls in STRATEGIES if not cls.samples and (text or not cls.needs_text)]
        else:
            found += parse_methods(STRATEGIES, one, see=SEE)
    if not found:
        raise ParameterError("no strategy is given", hint="for example: depth maxmean nrg")
    return list(dict.fromkeys(found))
