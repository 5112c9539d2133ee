"""Provider for ir_measures that computes its measures with cranfield."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import sqrt
from typing import TYPE_CHECKING, Any

from cranfield.core import CranfieldError, UnknownName, experimental, need
from cranfield.data import Qrels, assess, read_qrels
from cranfield.measures import ERR, IPrec, Measure, SetF, measure_all, parse_measure

if TYPE_CHECKING:
    import ir_measures
    from ir_measures import util
    from ir_measures.providers import Evaluator, Provider, registry
else:
    ir_measures = need("ir_measures")
    util, registry = ir_measures.util, ir_measures.providers.registry
    Evaluator, Provider = ir_measures.Evaluator, ir_measures.Provider

GDEVAL = 4  # the top grade of ERR, whatever the judgments hold
CWL_EVAL, ENDLESS = 1000, ("INST", "INSQ", "NERR10", "NERR11")  # where its readers end who would go on for ever


@experimental
class CranfieldProvider(Provider):
    """Computes measures of ir_measures here; it stands wherever a provider of ir_measures does.

    A measure means what it means there: ``SetF(beta=x)`` has trec_eval's x, ``IPrec`` its rounding, the top grade of
    ``ERR`` is 4, and readers of ``INST``, ``INSQ``, ``NERR10`` and ``NERR11`` end at rank 1000. All measures see one
    ranking, ties in trec_eval's order. Scores are compared as float32, as trec_eval 9 does inside ir_measures; with
    ``single=False`` as they are.
    """

    NAME = "cranfield"

    def __init__(self, *, single: bool = True) -> None:
        super().__init__()
        self.single = single

    def supports(self, measure: "ir_measures.Measure") -> bool:
        """Whether a measure of ir_measures has the same name and parameters here."""
        measure.validate_params()
        try:
            ours(measure)
        except CranfieldError:
            return False
        return True

    def _evaluator(self, measures: Iterable["ir_measures.Measure"], qrels: Any) -> "CranfieldEvaluator":
        wanted = {measure: ours(measure) for measure in measures}
        return CranfieldEvaluator(wanted, _columns(qrels, util.Qrel), single=self.single)


class CranfieldEvaluator(Evaluator):
    """Judgments that are read once, for any number of runs."""

    def __init__(self, wanted: dict[Any, Measure], qrels: Any, *, single: bool) -> None:
        by_subtopic = {theirs: measure for theirs, measure in wanted.items() if measure.asks_for == "subtopics"}
        plain = {theirs: measure for theirs, measure in wanted.items() if theirs not in by_subtopic}
        # Other measures take the highest grade of a document over its subtopics.
        several = len(set(qrels.get("iteration", ()))) > 1
        self.parts: list[tuple[Qrels, dict[Any, Measure]]] = [
            (read_qrels(qrels, subtopics=several or part is by_subtopic), part) for part in (plain, by_subtopic) if part
        ]
        self.compat = "trec_eval-9" if single else None
        # A topic that a dict names and judges nothing for is in no row.
        named = {str(topic) for topic in qrels if isinstance(qrels[topic], dict)}
        super().__init__(list(wanted), named.union(*(judged.topics.to_list() for judged, _ in self.parts)))

    def _iter_calc(self, run: Any) -> Iterator[Any]:
        ranked = _columns(run, util.ScoredDoc)
        for judged, wanted in self.parts:
            assessed = assess(judged, {"run": ranked}, compat=self.compat)
            measures = list(dict.fromkeys(wanted.values()))
            cube = measure_all(assessed, measures).cube[0]
            for theirs, measure in wanted.items():
                values = cube[:, measures.index(measure)].tolist()
                for topic, value in zip(assessed.topics, values, strict=True):
                    yield util.Metric(query_id=topic, measure=theirs, value=value)


@experimental
def register(*, first: bool = True) -> CranfieldProvider:
    """Make ir_measures know of us: by the name ``cranfield`` and, if ``first``, before all its other providers.

    ir_measures looks for no providers of others by itself, so this is called once, before the first measure. Then
    ``ir_measures.calc_aggregate`` and whatever calls it compute here what they can.
    """
    known = registry.get(CranfieldProvider.NAME)
    provider = known if isinstance(known, CranfieldProvider) else CranfieldProvider()
    registry[provider.NAME] = provider
    asked = ir_measures.DefaultPipeline.providers
    asked[:] = [one for one in asked if one is not provider]
    if first:
        # What the user defined in place comes before.
        asked.insert(asked.index(ir_measures.runtime) + 1, provider)
    return provider


def ours(measure: "ir_measures.Measure") -> Measure:
    """The measure of ours that means what one of ir_measures does there."""
    if not isinstance(measure, type(ir_measures.measures.registry.get(measure.NAME))):
        raise UnknownName(f"{measure} is no measure of ir_measures itself", hint="its own provider computes it")
    found = parse_measure(str(measure))
    if isinstance(found, IPrec):
        return replace(found, rounding="trec_eval-9")
    if isinstance(found, SetF):
        return replace(found, beta=sqrt(found.beta))
    if found.name in ENDLESS:
        return found @ CWL_EVAL
    return replace(found, max_rel=GDEVAL) if isinstance(found, ERR) else found


def _columns(data: Any, row: type[Any]) -> dict[str, Any]:
    """What ir_measures takes (a frame, a dict of dicts, rows one after the other) in columns; a dict as it is."""
    if isinstance(data, dict):
        return data
    if hasattr(data, "columns"):
        return {name: data[name] for name in row._fields if name in data.columns}
    rows: Sequence[Any] = list(data)
    names = [name for name in row._fields if not rows or hasattr(rows[0], name)]
    return {name: [getattr(one, name) for one in rows] for name in names}
