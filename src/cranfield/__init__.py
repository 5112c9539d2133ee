"""Tell whether one search system is really better than another."""

from ._lazy_imports import Later

__version__ = "0.1.0"  # a contract test holds it to pyproject.toml; importlib.metadata would cost 15 ms at every start

# Nothing is loaded before it is used: a command begins to read its files while Python loads numpy.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from .core import CranfieldError as CranfieldError
    from .core import InputError as InputError
    from .core import ParameterError as ParameterError
    from .core import Scale as Scale
    from .core import Study as Study
    from .core import Table as Table
    from .core import Ties as Ties
    from .core import UnknownName as UnknownName
    from .data import Assessed as Assessed
    from .data import Attribute as Attribute
    from .data import Block as Block
    from .data import Qrels as Qrels
    from .data import Run as Run
    from .data import Values as Values
    from .data import assess as assess
    from .data import read_qrels as read_qrels
    from .data import read_run as read_run
    from .data import read_scores as read_scores
    from .data import read_topics as read_topics
    from .data import write as write
    from .measures import AP as AP
    from .measures import DCG as DCG
    from .measures import ERR as ERR
    from .measures import ESL as ESL
    from .measures import MEASURES as MEASURES
    from .measures import NDCG as NDCG
    from .measures import RBP as RBP
    from .measures import RR as RR
    from .measures import Binary as Binary
    from .measures import Cascade as Cascade
    from .measures import Discounted as Discounted
    from .measures import Example as Example
    from .measures import Judged as Judged
    from .measures import Measure as Measure
    from .measures import NumQ as NumQ
    from .measures import NumRel as NumRel
    from .measures import NumRet as NumRet
    from .measures import P as P
    from .measures import R as R
    from .measures import Reader as Reader
    from .measures import Rprec as Rprec
    from .measures import Success as Success
    from .measures import measure as measure
    from .measures import measure_all as measure_all
    from .measures import parse_measure as parse_measure
    from .measures import parse_measures as parse_measures
    from .measures import ratio as ratio
    from .studies import ab as ab
    from .studies import across as across
    from .studies import agreement as agreement
    from .studies import anova as anova
    from .studies import answers as answers
    from .studies import bridge as bridge
    from .studies import clicks as clicks
    from .studies import compare as compare
    from .studies import convert as convert
    from .studies import counterfactual as counterfactual
    from .studies import crowd as crowd
    from .studies import equity as equity
    from .studies import evaluate as evaluate
    from .studies import fuse as fuse
    from .studies import interleave as interleave
    from .studies import ladder as ladder
    from .studies import leaderboard as leaderboard
    from .studies import lint as lint
    from .studies import novelty as novelty
    from .studies import nuggets as nuggets
    from .studies import paper_table as paper_table
    from .studies import pool as pool
    from .studies import power as power
    from .studies import preferences as preferences
    from .studies import relabel as relabel
    from .studies import replay_pool as replay_pool
    from .studies import reproduce as reproduce
    from .studies import scale as scale
    from .studies import series as series
    from .studies import support as support
    from .studies import test as test
    from .studies import topics as topics
else:
    __getattr__ = Later(
        __name__,
        {
            "core": "CranfieldError InputError ParameterError Scale Study Table Ties UnknownName",
            "data": "assess Assessed Attribute Block Qrels read_qrels read_run read_scores read_topics Run Values "
            "write",
            "measures": "AP Binary Cascade DCG Discounted ERR ESL Example Judged Measure measure measure_all MEASURES "
            "NDCG NumQ NumRel NumRet P parse_measure parse_measures R ratio RBP Reader Rprec RR Success",
            "studies": "ab across agreement anova answers bridge clicks compare convert counterfactual crowd equity "
            "evaluate fuse interleave ladder leaderboard lint novelty nuggets paper_table pool power preferences "
            "relabel replay_pool reproduce scale series support test topics",
        },
        packages="core data measures studies",
    )

    def __dir__() -> list[str]:
        return sorted({*globals(), *__getattr__.places})
