"""Parse the notation of fusion methods: ``rrf``, ``combmnz(norm='z-score')``."""

from cranfield.core import ParameterError, construct, parse

from .base import FUSIONS, Fusion

HINT = "write a name, or name(parameter=value): rrf, rrf(k=10), combmnz(norm='z-score')"


def parse_fusion(text: str | Fusion) -> Fusion:
    """The method that a text stands for."""
    if isinstance(text, Fusion):
        return text
    try:
        expression = parse(text)
    except ParameterError as error:  # what the grammar of measures says
        raise ParameterError(error.problem.replace("measure", "fusion"), hint=HINT) from None
    if expression.at is not None:
        raise ParameterError(f"{expression.name} has no @", hint=HINT)
    return construct(FUSIONS, expression, see="cranfield fuse --help")
