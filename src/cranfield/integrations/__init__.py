"""Beside other tools: what lets ir_measures, scikit-learn and PyTerrier work with this package, one module each.

Nothing here is loaded with the package itself, and each module needs the tool that it is for.
"""

from typing import TYPE_CHECKING

from cranfield._lazy_imports import Later

if TYPE_CHECKING:
    from ._ir_measures import CranfieldProvider as CranfieldProvider
    from ._ir_measures import register as register
    from ._pyterrier import read_experiment as read_experiment
    from ._pyterrier import to_experiment as to_experiment
    from ._scikit_learn import RankingScorer as RankingScorer
else:
    __getattr__ = Later(
        __name__,
        {
            "_ir_measures": "CranfieldProvider register",
            "_pyterrier": "read_experiment to_experiment",
            "_scikit_learn": "RankingScorer",
        },
    )
