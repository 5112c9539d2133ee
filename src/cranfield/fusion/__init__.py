"""Fusion of several runs into one."""

from .base import FUSIONS as FUSIONS
from .base import Fusion as Fusion
from .base import fusion as fusion
from .coded_runs import Coded as Coded
from .coded_runs import code_runs as code_runs
from .methods import ISR as ISR
from .methods import RRF as RRF
from .methods import CombMNZ as CombMNZ
from .methods import CombSUM as CombSUM
from .parsing import parse_fusion as parse_fusion
from .topic_checks import check_topics as check_topics
