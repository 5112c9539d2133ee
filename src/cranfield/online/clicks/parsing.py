"""Parse click models from text: ``PBM``, ``DBN(rounds=100)``, ``SDBN(no_click='none')``."""

import re
from collections.abc import Iterable

from cranfield.core import ParameterError
from cranfield.stats import parse_method, parse_methods

from .base import CLICK_MODELS, ClickModel

SEE = "cranfield clicks --help"
EVERY = re.compile(r"(?<![\w'\"-])all(?![\w'\"-])", re.IGNORECASE)


def parse_click_model(text: str | ClickModel) -> ClickModel:
    """The click model that a text stands for."""
    return parse_method(CLICK_MODELS, text, see=SEE)


def parse_click_models(texts: str | ClickModel | Iterable[str | ClickModel]) -> list[ClickModel]:
    """The click models of one or many texts, each once; ``all`` stands for the whole catalogue."""
    found: list[ClickModel] = []
    for one in [texts] if isinstance(texts, str | ClickModel) else texts:
        if isinstance(one, ClickModel):
            found.append(one)
        else:
            found += parse_methods(CLICK_MODELS, EVERY.sub(" ".join(CLICK_MODELS.names()), one), see=SEE)
    if not found:
        raise ParameterError("no click model is given", hint="for example: PBM DBN")
    return list(dict.fromkeys(found))
