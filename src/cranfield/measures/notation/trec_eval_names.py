"""Names of measures in trec_eval: read them, list them, and name measures as trec_eval does.

The tables hold notation, with ``{}`` where a number goes. A name is read as no version in particular (``""``), or as
``trec_eval-9`` or ``trec_eval-10`` reads it.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from math import sqrt
from typing import NamedTuple

from cranfield.core import CranfieldError, Expression, ParameterError, parse
from cranfield.measures.base import MEASURES, Measure
from cranfield.measures.classic.recall_based import beta_squared

CUTS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
TENTHS = tuple(tenth / 10 for tenth in range(11))
FIFTHS = tuple(fifth / 5 for fifth in range(1, 11))
NINE, TEN = "trec_eval-9", "trec_eval-10"


@dataclass(frozen=True, slots=True)
class Series:
    """A measure of trec_eval that has a value for each of several numbers."""

    notation: str
    numbers: tuple[float, ...] = CUTS  # the default
    parameter: str = "k"  # the parameter of our measure that holds the number
    form: str = ""  # the format in which trec_eval prints the number


class Labelled(NamedTuple):
    """A measure with the name that trec_eval prints; ``runid`` and ``relstring`` are text and have no measure."""

    label: str
    expression: Expression | None


# Measures of trec_eval that are ours with a parameter. The declarations of our measures name the others.
SINGLE = {
    "num_rel_ret": "NumRet(rel=1)",
    "11pt_avg": "IAP(rounding='trec_eval-9')",
    "set_relative_P": "SetP(relative=True)",
    "ideal_dcg": "IdealDCG",
}
SERIES = {
    "iprec_at_recall": Series("IPrec(rounding='trec_eval-9')@{}", TENTHS, "recall", ".2f"),
    "Rprec_mult": Series("Rprec(times={})", FIFTHS, "times", ".2f"),
    "relative_P": Series("R(capped=True)@{}"),
}
ONLY_IN_TEN = {"dcg": "DCG", "rbp": "RBP(by_topic=True,p=0.9)", "rbp_resid": "RBPResidual(p=0.9,tail=False)"}
PYSERINI = {"judged": Series("Judged@{}")}  # Pyserini adds it to its copy of trec_eval
DEFAULT_CUTS = {"success": (1, 5, 10), "unj": (5, 10, 20)}  # where they are not CUTS
TEXTS = ("runid", "relstring")
GRADED = ("G", "Rndcg", "ndcg_rel")  # trec_eval takes gains of grades for these, cranfield does not

# The order in which trec_eval prints them.
ORDER = (
    *("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank"),
    *("iprec_at_recall", "P", "relstring", "recall", "infAP", "gm_bpref", "Rprec_mult", "utility", "11pt_avg", "binG"),
    *("G", "dcg", "ideal_dcg", "ndcg", "ndcg_rel", "Rndcg", "ndcg_cut", "map_cut", "relative_P", "success", "set_P"),
    *("set_relative_P", "set_recall", "set_map", "set_F", "num_nonrel_judged_ret", "yaap", "rbp", "rbp_resid", "unj"),
)
NOT_IN_ALL_TREC = ("dcg", "ideal_dcg", "yaap", "rbp", "rbp_resid", "unj")
NICKNAMES = {
    "official": ORDER[: ORDER.index("P") + 1],
    "set": (*ORDER[:5], "utility", *ORDER[ORDER.index("set_P") : ORDER.index("set_F") + 1]),
    "all_trec": tuple(name for name in ORDER if name not in NOT_IN_ALL_TREC),
}
ADDED_IN_TEN = {"all_trec": ("rbp", "rbp_resid", "unj")}
# What trec_eval has and cranfield does not offer as a measure of a ranking, and what to do instead.
PREFERENCES = "preferences have their own measures: cranfield evaluate prefs.txt run.txt --prefs"
ABSENT = {
    "runid": "it is the name of the run: --format trec_eval prints it",
    "relstring": "it is text, the grades of the first documents: --format trec_eval prints it with -q",
    "prefs": PREFERENCES,
    "all_prefs": PREFERENCES,
} | dict.fromkeys(
    "qrels_jg map_avgjg P_avgjg Rprec_mult_avgjg".split(),
    "judgments of several assessors at once are not read",
)

_NUMBER = r"[+-]?(?:\d++(?:\.\d*+)?+|\.\d++)(?:[eE][+-]?\d++)?+"
SETTING = rf"(?:[+-]?\w++=)?{_NUMBER}"
_SETTINGS = re.compile(rf"{SETTING}(?:,{SETTING})*+")


def trec_names(version: str = "") -> dict[str, str | Series]:
    """Return every measure that trec_eval has a name for, in our notation."""
    named: dict[str, str | Series] = {}
    for cls in MEASURES:
        whole, cut = cls.trec
        stem = cut.removesuffix("_{k}")
        named |= {whole: cls.name} if whole else {}
        named |= {stem: Series(f"{cls.name}@{{}}", DEFAULT_CUTS.get(stem, CUTS))} if stem else {}
    named |= SINGLE | SERIES | PYSERINI
    if version != TEN:
        return named
    named |= ONLY_IN_TEN
    return {name: _rounded_as_in_ten(ours) for name, ours in named.items()}


def read_trec_name(word: str, version: str = "") -> list[Labelled] | None:
    """Read ``name``, ``name.parameters`` or, as trec_eval prints it, ``name_parameters``; None: it is no such name."""
    known, folded = _folded(len(MEASURES), version), word.casefold()
    if folded in known:
        name, ours = known[folded]
        if isinstance(ours, str):
            return [Labelled(name, parse(ours))]
        return [_at_number(name, ours, number) for number in ours.numbers]
    for parting in reversed([*re.finditer(r"[._]", folded)]):  # rbp_resid_p=0.5 is not a parameter of rbp
        stem, given = folded[: parting.start()], word[parting.end() :]
        if (stem in known or stem in _READ) and _SETTINGS.fullmatch(given):
            name, ours = known.get(stem, (stem, ""))
            return _with_parameters(name, ours, given, version)
    name, _, given = folded.partition(".")
    if name in TEXTS:
        return [_text(name, given, dotted=name != folded)]
    absent = next((known for known in ABSENT if known.casefold() == name), "prefs" if name[:6] == "prefs_" else "")
    if absent:
        raise not_offered(word, absent)
    return None


def read_nickname(word: str, version: str = "") -> list[Labelled] | None:
    """Return the measures of trec_eval's lists ``official``, ``set`` and ``all_trec``; None: it is no such list."""
    word = word.casefold()
    if word not in NICKNAMES:
        return None
    names = (*NICKNAMES[word], *(ADDED_IN_TEN.get(word, ()) if version == TEN else ()))
    return [labelled for name in names for labelled in read_trec_name(name, version) or ()]


def not_offered(word: str, name: str) -> CranfieldError:
    """Return the error for a name of trec_eval that is not a measure here."""
    return ParameterError(f"there is no {word} here", hint=ABSENT[name])


def trec_candidates(measure: Measure) -> Iterator[str]:
    """Yield names that trec_eval may have for a measure; the caller compares what they stand for."""
    yield measure.trec[measure.k is not None].format(k=measure.k)
    called = re.compile(rf"{re.escape(measure.name)}\b")
    for name, ours in (SINGLE | SERIES).items():
        if isinstance(ours, str) and called.match(ours):
            yield name
        elif isinstance(ours, Series) and called.match(ours.notation):
            number = getattr(measure, ours.parameter)
            yield "" if number is None else f"{name}_{number:{ours.form}}"
    if measure.name in _WRITE:
        yield _WRITE[measure.name](measure)


def order_of_label(label: str) -> tuple[int, float]:
    """Return the position of a line in trec_eval's output: by measure, then by number; unknown names come last."""
    stems = [name for name in ORDER if label == name or label.startswith(f"{name}_")]
    if not stems:
        return len(ORDER), 0
    stem = max(stems, key=len)
    number = label[len(stem) + 1 :]
    return ORDER.index(stem), float(number) if number.replace(".", "", 1).isdigit() else 0


@cache
def _folded(measures: int, version: str) -> dict[str, tuple[str, str | Series]]:
    """Return the names in small letters. ``measures`` makes the cache forget when a measure is declared."""
    del measures
    return {name.casefold(): (name, ours) for name, ours in trec_names(version).items()}


def _rounded_as_in_ten(ours: str | Series) -> str | Series:
    if isinstance(ours, Series):
        return replace(ours, notation=ours.notation.replace(NINE, TEN))
    return ours.replace(NINE, TEN)


def _at_number(name: str, ours: Series, number: float) -> Labelled:
    return Labelled(f"{name}_{number:{ours.form}}", parse(ours.notation.format(number)))


def _text(name: str, given: str, *, dotted: bool) -> Labelled:
    """Return the line of a text; relstring has one parameter, a number of documents."""
    if not dotted:
        return Labelled(name, None)
    if name == "runid" or not re.fullmatch(r"-?\d{1,9}", given):
        hint = "write runid" if name == "runid" else "a number of documents, as in relstring.20"
        raise ParameterError(f"{name} cannot have {given or 'an empty parameter'}", hint=hint)
    return Labelled(f"{name}_{given}", None)


def _with_parameters(name: str, ours: str | Series, given: str, version: str) -> list[Labelled]:
    if isinstance(ours, Series) and "=" not in given:
        numbers = [float(number) for number in given.split(",")]
        if not ours.form:  # P.5.0 is P_5
            numbers = [int(number) if number.is_integer() else number for number in numbers]
        return [_at_number(name, ours, number) for number in dict.fromkeys(numbers)]
    if name.casefold() in _READ:
        notation = _READ[name.casefold()](given.split(","))
        if version == TEN:
            notation = notation.replace(NINE, TEN).replace("RBP(", "RBP(by_topic=True,")
            notation = notation.replace("RBPResidual(", "RBPResidual(tail=False,")
        label = f"{name}_{given}" if version == TEN or name.casefold() not in ONLY_IN_TEN else ""
        return [Labelled(label, parse(notation))]
    if name in GRADED and "=" in given:
        raise ParameterError(f"gains of grades are not offered for {name}", hint=f"ndcg.{given} has them")
    hint = f"write {name}" + f", or {ours}@{given} with a cut-off" * given.isdigit()
    raise ParameterError(f"{name} of trec_eval has no parameter {given}", hint=hint)


def _set_f(given: list[str]) -> str:
    if len(given) != 1 or "=" in given[0] or float(given[0]) < 0:
        raise ParameterError(f"set_F cannot have {','.join(given)}", hint="one number from 0 up, the square of beta")
    return f"SetF(beta={sqrt(float(given[0]))!r})"  # trec_eval's x is the square of van Rijsbergen's β


def _utility(given: list[str]) -> str:
    if len(given) != 4 or any("=" in weight for weight in given):
        raise ParameterError(f"utility cannot have {','.join(given)}", hint="four numbers, as in utility.1,-1,0,0")
    return f"Utility({','.join(f'{name}={float(weight)!r}' for name, weight in zip('abcd', given, strict=True))})"


def _average(given: list[str]) -> str:
    if any("=" in point for point in given):
        raise ParameterError(f"11pt_avg cannot have {','.join(given)}", hint="levels of recall, as in 11pt_avg.0.2,0.5")
    points = sorted(map(float, given))
    steps = len(points) - 1
    if steps >= 1 and all(abs(point - step / steps) <= 1e-9 for step, point in enumerate(points)):
        return f"IAP(points={len(points)},rounding='trec_eval-9')"
    return f"IAP(levels='{' '.join(map(repr, points))}',rounding='trec_eval-9')"


def _gains(name: str, ours: str, cut: str) -> Callable[[list[str]], str]:
    def read(given: list[str]) -> str:
        pairs = [pair.partition("=")[::2] for pair in given]
        if not all(re.fullmatch(r"[+-]?\d++", grade) and gain for grade, gain in pairs):
            hint = f"a gain for each grade, as in {name}.1=3.5,2=9.0; a cut-off is {cut}"
            raise ParameterError(f"{name} cannot have {','.join(given)}", hint=hint)
        return f"{ours}(gains={{{','.join(f'{int(grade)}:{float(gain)!r}' for grade, gain in pairs)}}})"

    return read


def _persistence(name: str, ours: str) -> Callable[[list[str]], str]:
    def read(given: list[str]) -> str:
        if len(given) != 1 or not given[0].startswith("p="):
            hint = f"write {name}.p=0.8; gains of grades are not offered: write RBP(p=0.8,max_rel=3)"
            raise ParameterError(f"{name} cannot have {','.join(given)}", hint=hint)
        return f"{ours}(p={float(given[0][2:])!r})"

    return read


# Names with a special form of parameters: how to read them, and how to write them from our measures.
_READ: dict[str, Callable[[list[str]], str]] = {
    "set_f": _set_f,
    "utility": _utility,
    "11pt_avg": _average,
    "ndcg": _gains("ndcg", "nDCG", "ndcg_cut.10"),
    "dcg": _gains("dcg", "DCG", "DCG@10"),
    "ideal_dcg": _gains("ideal_dcg", "IdealDCG", "IdealDCG@10"),
    "rbp": _persistence("rbp", "RBP"),
    "rbp_resid": _persistence("rbp_resid", "RBPResidual"),
}


def _write_set_f(measure: Measure) -> str:
    return f"set_F_{beta_squared(float(measure.beta))!r}"  # type: ignore[attr-defined]  # of SetF


def _write_utility(measure: Measure) -> str:
    return "utility_" + ",".join(f"{getattr(measure, weight):.17g}" for weight in "abcd")


def _write_ndcg(measure: Measure) -> str:
    gains = measure.gains or ()  # type: ignore[attr-defined]  # of nDCG, which keeps them as pairs
    return "ndcg_" + ",".join(f"{grade}={gain}" for grade, gain in gains) if measure.k is None else ""


_WRITE: dict[str, Callable[[Measure], str]] = {
    "SetF": _write_set_f,
    "Utility": _write_utility,
    "nDCG": _write_ndcg,
}
