"""Charts: each one small declared class that draws a table; loads altair, which the extra ``charts`` brings."""

from ._base import CHARTS as CHARTS
from ._base import Chart as Chart
from ._base import chart as chart
from ._base import draw as draw
from ._lines import Power as Power
from ._lines import PrecisionRecall as PrecisionRecall
from ._lines import Weights as Weights
from ._matrix import PMatrix as PMatrix
from ._runs import Boxes as Boxes
from ._runs import Intervals as Intervals
from ._save import SUFFIXES as SUFFIXES
from ._save import check_suffix as check_suffix
from ._save import save as save
