"""Evaluation and resampling on Spark (extra ``spark``), with the results of one machine.

The walk of the data. Judgments and runs are tables (Parquet, or whatever a DataFrame comes from), their columns found
by the names that the field gives them. Two small questions go first: which runs there are, so that a topic without rows
of a run is known to be missing from it, and what the top grade is, by which measures are settled once for all topics.
Then both tables become one, in which a judgment is a row without a run; it is spread by topic, so that one partition
has the judgments and all runs of its topics, and sorted by topic within. A worker gathers batches of Arrow up to the
end of a topic, some half a million rows at a time, and hands them to the very reader, matcher and kernels that one
machine uses: every measure of the catalogue that needs no other table is local to a topic. Judgments are not sent to
everybody: beside the runs they are few rows, and nothing then bounds how many there may be. What leaves a worker is one
row for each run and judged topic with the values of all measures, one for each topic of a run that nobody judged, or an
error of ours as a row, which is raised where somebody asked. These few rows Spark keeps; they land in Parquet, or come
here as the ``Values`` that all studies take.

Draws travel the other way: the blocks in which tests draw have a stream of random numbers each, so that a block makes
the same numbers on whatever machine, and only its sums come back.
"""

from .evaluation import evaluate as evaluate
from .resampling import Blocks as Blocks
from .resampling import bootstrap as bootstrap
from .resampling import randomisation as randomisation
from .spark_values import Evaluated as Evaluated
