"""Several runs become one: methods of fusion, and runs coded so that fusing many sets of them is cheap."""

from ._base import FUSIONS as FUSIONS
from ._base import Fusion as Fusion
from ._base import fusion as fusion
from ._coded import Coded as Coded
from ._coded import code_runs as code_runs
from ._methods import ISR as ISR
from ._methods import RRF as RRF
from ._methods import CombMNZ as CombMNZ
from ._methods import CombSUM as CombSUM
from ._parse import parse_fusion as parse_fusion
from ._topics import check_topics as check_topics
