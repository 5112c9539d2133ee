"""Each study answers one question a user has; the command of the same name and the server call the same function."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._convert import convert as convert
from ._evaluate import evaluate as evaluate
from ._lint import lint as lint

if TYPE_CHECKING:
    from ._anova import anova as anova
    from ._power import power as power
    from ._test import test as test

LATER = ("anova", "power", "test")  # statistics are loaded when they are asked for: they cost 20 ms


def __getattr__(name: str) -> Any:
    if name in LATER:
        return getattr(import_module(f"cranfield.studies._{name}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
