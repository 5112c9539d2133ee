"""Presets that reproduce other evaluation tools, with the differences that remain."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from cranfield.core import ParameterError, Ties, UnknownName
from cranfield.measures.base import Measure

from .parsing import parse_measure, parse_written


@dataclass(frozen=True, slots=True)
class Peer:
    """What has to be done to get a tool's numbers, and what is different all the same."""

    name: str
    cite: str
    reads: Callable[[Measure], Measure]  # the measure that it computes when asked for one of ours
    ties: Ties = Ties.TREC
    single: bool = False  # scores are compared as float32
    topics: Literal["qrels", "both"] = "qrels"
    without_self: bool = False  # a document with the id of its topic is left out
    differences: tuple[str, ...] = ()

    @property
    def names(self) -> str:
        """The version of trec_eval whose names of measures are read; nothing: none in particular."""
        return self.name if self.name.startswith("trec_eval") else ""

    def read(self, measure: str | Measure, written: Collection[str] | None = None) -> Measure:
        """Return the measure that this tool computes where we would compute ``measure``.

        Parameters that the user wrote stay as they are: those of the text, those of an object that differ from their
        default, or those named by ``written``.
        """
        if isinstance(measure, str) or written is None:
            ((measure, written),) = parse_written(measure, self.names)
        like = self.reads(measure)
        known = {field.name for field in fields(like)}
        return replace(like, **{name: getattr(measure, name) for name in written if name in known})


def peer(name: str) -> Peer:
    """How another tool evaluates: ``peer("ranx")``."""
    found = PEERS.get(name.casefold())
    if found is None:
        raise UnknownName(f"there is no preset named {name!r}", hint=f"there are: {', '.join(PEERS)}")
    return found


def _rounding(like: str) -> Callable[[Measure], Measure]:
    return lambda measure: _set(measure, rounding=like)


def _set(measure: Measure, **settings: Any) -> Measure:
    """The same measure with settings, as far as it has them."""
    known = {field.name for field in fields(measure)}
    return replace(measure, **{name: value for name, value in settings.items() if name in known})


def _of_msmarco(measure: Measure) -> Measure:
    return measure @ 10 if measure.name == "RR" and measure.k is None else measure


def _of_ranx(measure: Measure) -> Measure:
    if measure.name != "RBP" or getattr(measure, "max_rel", None) is not None or getattr(measure, "by_topic", False):
        return measure
    if getattr(measure, "rel", 1) != 1:
        hint = "without -l it can, as long as no grade is above 1"
        raise ParameterError(f"{measure} cannot be computed as ranx does", hint=hint)
    return _set(measure, max_rel=1)  # a document is worth its grade; judgments with a grade above 1 are refused


def _of_beir(measure: Measure) -> Measure:
    if measure.name != "Accuracy":
        return measure
    return _set(parse_measure("Success"), **{name: getattr(measure, name) for name in ("k", "rel", "judged_only")})


def _of_gdeval(measure: Measure) -> Measure:
    if measure.name not in ("nDCG", "ERR"):
        return measure
    return _set(measure, k=measure.k or 20, dcg="exp-log2", b=None, max_rel=4)


PEERS = {
    peer.name: peer
    for peer in (
        Peer(
            "trec_eval-9",
            cite="trec_eval",
            reads=_rounding("trec_eval-9"),
            single=True,
            topics="both",
            differences=(
                "Scores are compared as float32, and topics that the run misses are left out; trec_eval -c is "
                "`--topics qrels`.",
                "IPrec and IAP ask for int(recall · R + 0.9) relevant documents, as trec_eval does. In floats that is "
                "one too few for a recall of .7 where three are relevant.",
                "trec_eval cuts grades such as 1.5 to whole numbers in silence; here they are refused, unless "
                "`--gains` is given.",
                "trec_eval takes NaN, infinity, hexadecimal numbers and text for a score; here they are refused.",
                "ndcg with gains that are less than 1 apart is wrong in trec_eval: it sorts gains by their difference "
                "cut to a whole number. Here gains are sorted as they are.",
                "ndcg.-1=2 gives a gain to unjudged documents in trec_eval, where -1 is also its mark for them; here "
                "gains of grades below 0 are refused.",
                "-l is `--rel`. -M has no preset: write cut-offs into the measures.",
                "With -c, trec_eval counts every grade above 0 in num_rel of all topics, whatever -l is; here num_rel "
                "counts grades from `--rel` on, as num_rel_ret does in both.",
                "With -l 2, Rndcg of trec_eval is 0 where no document of a topic has grade 2, and with -l 0 it can be "
                "NaN; RnDCG has no level.",
                "With -c, a topic that the run misses has a yaap of 0 in trec_eval, which is a good value; here it is "
                "-ln(1 + R), as in version 10.",
                "11pt_avg with levels that do not ascend, such as 11pt_avg.0.9,0.2, is wrong in trec_eval: it "
                "misses levels that it has passed. Here levels are sorted.",
                "trec_eval takes the fourth weight of utility times a collection of 0 documents where -N is "
                "missing; here it is refused without a number of documents, as are weights that prefer documents that "
                "are not relevant.",
                "trec_eval 9 reads lines that start with # as data, and a byte order mark as part of the first "
                "topic; here both are left out.",
                "A run with several tags has the runid of its last line in trec_eval, and of its first line here.",
                "A topic whose grades are all below 0 can crash trec_eval, or have the ideal ranking of the topic "
                "before; here it has nothing relevant.",
            ),
        ),
        Peer(
            "trec_eval-10",
            cite="trec_eval",
            reads=_rounding("trec_eval-10"),
            topics="both",
            differences=(
                "Scores are compared as float64. IPrec and IAP round recall · R to the nearest whole number.",
                "10.0 ends with an error where the run misses a judged topic; here such topics are left out, as "
                "trec_eval 9 does.",
                "rbp is RBP(by_topic=True,p=0.9), rbp_resid is RBPResidual(p=0.9,tail=False). rbp of 10.0 reads memory "
                "that it never set: its value can be another one where several measures are asked for. Here it is the "
                "value that it has where that memory is 0.",
                "num_rel with -c, Rndcg with -l, levels of 11pt_avg that do not ascend, the fourth weight of "
                "utility, byte order marks, several tags, and topics with all grades below 0 differ as for version "
                "9.",
                "With -c, 10.0 takes a topic that the run misses for a ranking of one unjudged document where utility, "
                "rbp_resid or relstring has parameters; here it has the values that it has without parameters.",
            ),
        ),
        Peer(
            "msmarco",
            cite="bajaj2016msmarco",
            reads=_of_msmarco,
            ties=Ties.RANK,
            differences=(
                "The rank column gives the order, scores are not looked at, every judged topic counts, and RR without "
                "a cut-off is RR@10.",
                "msmarco_eval takes every line of the judgments for a relevant document, whatever its grade: where "
                "there are grades of 0, its number is that of RR(rel=0)@10.",
                "msmarco_eval counts ranks that are missing from the file as documents that are not relevant; here "
                "the documents that are there close up.",
                "msmarco_eval has no other measure; the preset leaves others as they are.",
            ),
        ),
        Peer(
            "ranx",
            cite="bassani2022ranx",
            reads=_of_ranx,
            differences=(
                "The order of ties in ranx follows from nothing but its sorting routine: it is not reproduced. Here "
                "ties are in the order of trec_eval.",
                "ranx refuses a run that does not have exactly the judged topics; here a missing topic counts as "
                "worst, as with make_comparable=True.",
                "RBP takes grades as they are and can exceed 1 in ranx: the preset computes RBP(max_rel=1), which is "
                "the same, and refuses judgments with a higher grade. With a relevance level (rbp.8-l2) it is refused.",
                "ndcg-l2 drops grades below 2 from the ideal ranking too: it is read as gains={1:0}.",
                "hits is the mean over topics in ranx; NumRet(rel=1) is the sum. The values of topics are the same.",
                "bpref of ranx is not a number where no document is judged not relevant, and takes grades below 0 for "
                "judgments; here it is as in trec_eval.",
                "rbp@8 is p = 0.8 in ranx; here it is RBP with p = 0.8 cut off at 8. rbp.8 is read as in ranx.",
            ),
        ),
        Peer(
            "beir",
            cite="thakur2021beir",
            reads=_of_beir,
            single=True,
            topics="both",
            without_self=True,
            differences=(
                "Documents with the id of their topic are left out, and scores are compared as float32 (BEIR calls "
                "trec_eval 9).",
                "Accuracy@k is Success@k.",
                "NDCG, MAP, Recall and P are means over the topics that the run has, as here; MRR, R_cap, Hole and "
                "Accuracy are divided by all judged topics: for these add `--topics qrels`.",
                "MRR, R_cap, Hole and Accuracy break ties by the order of the lines, and compare float64: BEIR "
                "evaluates two rankings of one run. For these add `--ties input`.",
                "Hole counts a document as judged if it was judged for any topic; Unjudged@k asks for its own topic. "
                "BEIR's number can be smaller.",
                "R_cap divides by zero in BEIR where a topic has nothing relevant; here such a topic has 0.",
                "BEIR rounds means to five decimals.",
            ),
        ),
        Peer(
            "gdeval",
            cite="clarke2010web",
            reads=_of_gdeval,
            topics="both",
            differences=(
                "nDCG has gains of 2^grade − 1, ERR the top grade 4 whatever the judgments hold, both are cut off at "
                "20 where no cut-off is given. A grade above 4 is refused by ERR, as gdeval does.",
                "gdeval leaves out topics that have nothing relevant; here they count as 0.",
                "gdeval wants topics that are numbers and runs whose second column is Q0; here neither is needed.",
                "gdeval prints five decimals, and has no measure but these two; the preset leaves others as they are.",
            ),
        ),
    )
}
