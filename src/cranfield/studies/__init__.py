"""Each study answers one question a user has; the command of the same name and the server call the same function."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._convert import convert as convert
from ._evaluate import evaluate as evaluate
from ._lint import lint as lint

if TYPE_CHECKING:
    from ._across import across as across
    from ._agreement import agreement as agreement
    from ._anova import anova as anova
    from ._compare import compare as compare
    from ._leaderboard import leaderboard as leaderboard
    from ._power import power as power
    from ._test import test as test
    from ._wide import wide_dominance as wide_dominance
    from ._wide import wide_outcomes as wide_outcomes
    from ._wide import wide_overall as wide_overall

# Statistics are loaded when they are asked for: they cost 20 ms.
LATER = ("across", "agreement", "anova", "compare", "leaderboard", "power", "test")
WIDE = ("wide_dominance", "wide_outcomes", "wide_overall")  # tables of a comparison as papers print them


def __getattr__(name: str) -> Any:
    if name in LATER:
        return getattr(import_module(f"cranfield.studies._{name}"), name)
    if name in WIDE:
        return getattr(import_module("cranfield.studies._wide"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
