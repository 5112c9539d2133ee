"""Files and foreign frames become typed values here: judgments, runs, assessed runs, values."""

from ._assess import Attribute as Attribute
from ._assess import assess as assess
from ._assessed import NOBODY as NOBODY
from ._assessed import Assessed as Assessed
from ._assessed import Block as Block
from ._inspect import Inspected as Inspected
from ._inspect import compare_topics as compare_topics
from ._inspect import inspect as inspect
from ._problems import Problem as Problem
from ._problems import Problems as Problems
from ._qrels import Qrels as Qrels
from ._qrels import read_qrels as read_qrels
from ._run import ORDERS as ORDERS
from ._run import Run as Run
from ._run import RunFile as RunFile
from ._run import RunFrame as RunFrame
from ._run import find_runs as find_runs
from ._run import read_run as read_run
from ._run import run_name as run_name
from ._scores import read_scores as read_scores
from ._source import Source as Source
from ._values import Given as Given
from ._values import Values as Values
from ._write import write as write
