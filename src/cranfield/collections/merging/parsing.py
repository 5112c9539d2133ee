"""Parse merging methods: ``majority``, ``dawid-skene(starts=5)``, ``AWARE(power=2)``."""

import re
from collections.abc import Iterable

from cranfield.core import Catalogue, ParameterError
from cranfield.stats import parse_method, parse_methods

from .aware_weights import AWARE
from .base import AGGREGATIONS, Aggregation

SEE = "cranfield crowd --help"
EVERY = re.compile(r"(?<![\w'\"-])all(?![\w'\"-])", re.IGNORECASE)

WEIGHING: Catalogue[AWARE] = Catalogue("weighing")
WEIGHING.declare(AWARE.name, cite=AWARE.cite)(AWARE)


def parse_aggregation(text: str | Aggregation) -> Aggregation:
    """The method that a text stands for."""
    return parse_method(AGGREGATIONS, text, see=SEE)


def parse_aggregations(texts: str | Aggregation | Iterable[str | Aggregation]) -> list[Aggregation]:
    """The methods of one or many texts, each once; ``all`` stands for the whole catalogue."""
    found: list[Aggregation] = []
    for one in [texts] if isinstance(texts, str | Aggregation) else texts:
        if isinstance(one, Aggregation):
            found.append(one)
        else:
            found += parse_methods(AGGREGATIONS, EVERY.sub(" ".join(cls.name for cls in AGGREGATIONS), one), see=SEE)
    if not found:
        raise ParameterError("no method is given", hint="for example: majority dawid-skene")
    return list(dict.fromkeys(found))


def parse_aware(text: str | AWARE) -> AWARE:
    """The way to weigh workers that a text stands for: ``AWARE(distance='tau',power=2)``."""
    return parse_method(WEIGHING, text, see=SEE)
