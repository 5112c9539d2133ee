"""Integrations with other tools: ir_measures, PyTerrier, scikit-learn and Spark.

Nothing here is loaded with the package itself, and each module needs the tool that it is for.
"""

from typing import TYPE_CHECKING

from cranfield._lazy_imports import Later

if TYPE_CHECKING:
    from .ir_measures import CranfieldProvider as CranfieldProvider
    from .ir_measures import register as register
    from .pyterrier import read_experiment as read_experiment
    from .pyterrier import to_experiment as to_experiment
    from .scikit_learn import RankingScorer as RankingScorer
else:
    __getattr__ = Later(
        __name__,
        {
            "ir_measures": "CranfieldProvider register",
            "pyterrier": "read_experiment to_experiment",
            "scikit_learn": "RankingScorer",
        },
    )
