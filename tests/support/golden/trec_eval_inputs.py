"""Command lines of trec_eval, and what answers each of them here: every name, list and option that both have."""

from dataclasses import dataclass
from functools import cache

from tests.support.golden.ranking_inputs import Input, graded, inputs

# Every measure name of trec_eval that needs judgments in the usual format, in the order of its source.
NAMES_9 = (
    *("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank"),
    *("iprec_at_recall", "P", "relstring", "recall", "infAP", "gm_bpref", "Rprec_mult", "utility", "11pt_avg", "binG"),
    *("G", "ndcg", "ndcg_rel", "Rndcg", "ndcg_cut", "map_cut", "relative_P", "success", "set_P", "set_relative_P"),
    *("set_recall", "set_map", "set_F", "num_nonrel_judged_ret", "yaap"),
)
NAMES = {"9": NAMES_9, "10": (*NAMES_9, "dcg", "ideal_dcg", "rbp", "rbp_resid", "unj")}
PARAMETERS_9 = (
    *("P.5,10", "P.10,3", "recall.5", "success.2,7", "map_cut.7", "ndcg_cut.3", "relative_P.4", "iprec_at_recall.0,.5"),
    *("Rprec_mult.1,0.5", "utility.2,-1,0,0", "set_F.2.0", "set_F.3", "11pt_avg.0.2,0.5,0.8", "ndcg.1=3,2=9"),
    *("P.5.0", "iprec_at_recall.0,.001,.7", "relstring.20"),
)
PARAMETERS = {
    "9": PARAMETERS_9,
    "10": (*PARAMETERS_9, "rbp.p=0.5", "rbp_resid.p=0.5", "unj.3", "dcg.1=3,2=9", "ideal_dcg.1=3,2=9"),
}
LISTS = ("official", "set", "all_trec")
OURS = {"-l 2": "--rel 2", "-c": "--topics qrels"}  # the options that are not written alike


@dataclass(frozen=True)
class Case:
    """One command line of trec_eval: its options, the input, and our options for the same."""

    options: str
    given: str
    ours: str


@cache
def trec_eval_inputs() -> dict[str, Input]:
    """Three graded topics with grades below 0; the same with a topic that the run misses; ties and unjudged topics."""
    source, negative = graded(), inputs()["negative grades"]
    qrels = {topic: source.qrels[topic] for topic in "123"} | {"4": negative.qrels["all signs"]}
    run = {topic: source.run[topic] for topic in "123"} | {"4": negative.run["all signs"]}
    return {
        "answered": Input(qrels, run),
        "missing": Input(qrels | {"5": source.qrels["5"]}, run),
        "ties": _in_columns(inputs()["ties"]),
        "nothing relevant": _in_columns(inputs()["nothing relevant"]),
    }


def _in_columns(given: Input) -> Input:
    """Return the same with topics of one word, which a file has in a column."""
    qrels, run = ({topic.replace(" ", "-"): row for topic, row in rows.items()} for rows in (given.qrels, given.run))
    return Input(qrels, run)  # type: ignore[arg-type]  # the two kinds of rows in one loop


def cases(version: str) -> list[Case]:
    """Every command line for a version of trec_eval."""
    lines = [(f"-q -m {name}", "answered") for name in (*NAMES[version], *PARAMETERS[version])]
    lines += [(f"{level}-q -m {name}", "answered") for name in LISTS for level in ("", "-l 2 ")]
    lines += [("", "answered"), ("-l 2 -m map -m ndcg -m num_rel_ret -m num_rel", "answered")]
    lines += [("-m all_trec", given) for given in ("ties", "nothing relevant")]
    lines += [(f"-c {per_topic}-m {name}", "missing") for name in LISTS for per_topic in ("", "-q ")]
    return [Case(options, given, _ours(options)) for options, given in lines]


def _ours(options: str) -> str:
    for theirs, ours in OURS.items():
        options = options.replace(theirs, ours)
    return options
