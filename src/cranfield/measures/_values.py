"""From assessed runs to values."""

from collections.abc import Iterable
from typing import Literal

import numpy as np

from cranfield.core import ParameterError, Provenance
from cranfield.data import Assessed, Values

from ._base import Measure
from ._parse import parse_measures

# What people expect to see when they ask for nothing.
DEFAULT = ("AP", "nDCG@10", "RR", "P@10", "R@1000", "Judged@10")


def measure_all(
    assessed: Assessed,
    measures: str | Measure | Iterable[str | Measure] = DEFAULT,
    *,
    topics: Literal["qrels", "both"] = "qrels",
    command: str = "",
) -> Values:
    """The values of measures for every run and topic.

    With ``topics="qrels"`` every judged topic counts, and one that a run misses has the measure's worst value; with
    ``"both"`` only topics that the run has too, as trec_eval does without ``-c``.
    """
    if topics not in ("qrels", "both"):
        raise ParameterError(f"topics={topics!r} is not known", hint="choose 'qrels' or 'both'")
    top = float(assessed.grade.max(initial=0))
    wanted = [measure.settled(top) for measure in parse_measures(measures)]
    cube = assessed.map(wanted)
    counted = np.ones_like(assessed.missing) if topics == "qrels" else ~assessed.missing
    without = {rel: assessed.relevant(rel) == 0 for rel in {getattr(measure, "rel", None) or 1 for measure in wanted}}
    return Values(
        runs=assessed.runs,
        topics=assessed.topics,
        measures=tuple(wanted),
        cube=cube,
        counted=counted,
        missing=assessed.missing,
        without_relevant=np.array([without[getattr(measure, "rel", None) or 1] for measure in wanted]),
        tags=tuple(source.tag for source in assessed.sources[1:]),
        notes=assessed.notes,
        made_by=Provenance(
            command=command,
            inputs=tuple(source.as_input() for source in assessed.sources),
            measures=tuple(map(str, wanted)),
        ),
    )
