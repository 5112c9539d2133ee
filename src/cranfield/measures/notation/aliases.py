"""Names of measures in trec_eval, ranx, BEIR and MTEB, and their translation into our notation.

The tables hold notation, ``{}`` where a number goes. Nothing here makes a measure, so a table may name what is declared
elsewhere. Where a word means something in our own notation too, that meaning counts: ``recall`` is R without a cut-off.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from functools import cache
from math import sqrt

from cranfield.core import CranfieldError, Expression, ParameterError, UnknownName, parse
from cranfield.core.notation import LONGEST, SHOWN
from cranfield.measures.base import MEASURES, Measure

CUTS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
TENTHS = tuple(tenth / 10 for tenth in range(11))
FIFTHS = tuple(fifth / 5 for fifth in range(1, 11))


@dataclass(frozen=True, slots=True)
class Series:
    """One of trec_eval's measures that has a value for each of several numbers."""

    notation: str
    numbers: tuple[float, ...] = CUTS  # when none are given
    parameter: str = "k"  # what holds the number in ours
    form: str = ""  # how trec_eval prints it


# What the declarations do not say themselves: measures of trec_eval that are ours with a parameter.
SINGLE = {
    "num_rel_ret": "NumRet(rel=1)",
    "11pt_avg": "IAP(rounding='trec_eval-9')",
    "set_relative_P": "SetP(relative=True)",
}
SERIES = {
    "iprec_at_recall": Series("IPrec(rounding='trec_eval-9')@{}", TENTHS, "recall", ".2f"),
    "Rprec_mult": Series("Rprec(times={})", FIFTHS, "times", ".2f"),
    "relative_P": Series("R(capped=True)@{}"),
}
PYSERINI = {"judged": Series("Judged@{}")}  # what its copy of trec_eval has beside the rest
DEFAULT_CUTS = {"success": (1, 5, 10), "unj": (5, 10, 20)}  # where they are not CUTS

# The order in which trec_eval 9 prints them; the last is of trec_eval 10.
ORDER = (
    *("num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank"),
    *("iprec_at_recall", "P", "recall", "infAP", "gm_bpref", "Rprec_mult", "utility", "11pt_avg", "binG", "G", "ndcg"),
    *("ndcg_rel", "Rndcg", "ndcg_cut", "map_cut", "relative_P", "success", "set_P", "set_relative_P", "set_recall"),
    *("set_map", "set_F", "num_nonrel_judged_ret", "unj"),
)
NICKNAMES = {
    "official": ORDER[: ORDER.index("P") + 1],
    "set": (*ORDER[:4], "utility", *ORDER[ORDER.index("set_P") : ORDER.index("set_F") + 1]),
    "all_trec": ORDER[: ORDER.index("num_nonrel_judged_ret") + 1],
}
# What trec_eval has and we have not, and what to do then.
ABSENT = {
    "runid": "it is the name of the run: --format trec_eval prints it where no measure is asked",
    "relstring": "it is text, the relevance of the first documents, and not a number",
    "yaap": "AP ranks the runs of a topic alike",
    "rbp_resid": "RBP has the value without it",
    "ideal_dcg": "DCG and nDCG have their quotient",
    "prefs": "preferences have measures of their own: cranfield evaluate prefs.txt run.txt --prefs",
    "all_prefs": "preferences have measures of their own: cranfield evaluate prefs.txt run.txt --prefs",
} | dict.fromkeys(
    "qrels_jg map_avgjg P_avgjg Rprec_mult_avgjg".split(),
    "judgments of several assessors at once are not read",
)

# Words of ranx, BEIR, MTEB and their kin: ours without and with a cut-off.
WORDS = {
    "hits": ("NumRet(rel=1)", "NumRet(rel=1)@{}"),
    "hit_rate": ("Success", "Success@{}"),
    "precision": ("SetP", "P@{}"),
    "f1": ("F", "F@{}"),
    "r-precision": ("Rprec", ""),
    "r_precision": ("Rprec", ""),
    "dcg_burges": ("DCG(dcg='exp-log2')", "DCG(dcg='exp-log2')@{}"),
    "ndcg_burges": ("nDCG(dcg='exp-log2')", "nDCG(dcg='exp-log2')@{}"),
    "R_cap": ("", "R(capped=True)@{}"),
    "recall_cap": ("", "R(capped=True)@{}"),
    "Hole": ("", "Unjudged@{}"),
    "top_k_accuracy": ("", "Success@{}"),
    "top_k_acc": ("", "Success@{}"),
    "acc": ("", "Success@{}"),
}
HIGHEST_LEVEL = 100  # of ranx: every grade below it is written out

_NUMBER = r"[+-]?(?:\d++(?:\.\d*+)?+|\.\d++)(?:[eE][+-]?\d++)?+"
_SETTING = rf"(?:[+-]?\w++=)?{_NUMBER}"
# A word, and what follows its commas as long as these are numbers: P.5,10 but not P.5,AP or P.5,11pt_avg.
_WORD = re.compile(rf"[\w.@=+-]++(?:,{_SETTING}(?![\w.@=({{+-]))*+")
_SETTINGS = re.compile(rf"{_SETTING}(?:,{_SETTING})*+")
_QUOTED = re.compile(r"""'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+\"""", re.DOTALL)
_CALLED = re.compile(r"\s*+[@(]")
_LEVEL = re.compile(r"-l(\d++)$")
_CUT = re.compile(r"(?:@|_at_)(\d++)$")
_OWN = re.compile(r"[^\W\d]\w*+(?:@.*+)?+")


def words(text: str) -> Iterator[tuple[int, int]]:
    """Where the words of a list of measures start and end that a foreign hand may have written."""
    place, depth = 0, 0
    while place < len(text):
        word = None if depth else _WORD.match(text, place)
        found = word or _QUOTED.match(text, place)
        if not found and text[place] in "'\"":
            return  # it is never closed, which our own notation will say
        before = text[place - 1 : place]
        if word and (before in {"", ","} or before.isspace()) and not _CALLED.match(text, word.end()):
            yield word.span()
        depth += 0 if found else (text[place] in "({") - (text[place] in ")}")
        place = found.end() if found else place + 1


def translate(word: str) -> list[Expression] | None:
    """What a foreign word stands for, in our notation; None: it is none, or our own notation reads it."""
    if len(word) > LONGEST:
        raise ParameterError(f"the measure {word[:20]!r}... is too long", hint=f"at most {LONGEST} characters are read")
    if names := NICKNAMES.get(word.casefold()):
        return [expression for name in names for expression in _of_trec_eval(name) or [parse(name)]]
    level = _LEVEL.search(word)
    plain = word[: level.start()] if level else word
    if _is_ours(plain):
        found = [parse(plain)] if level else None
    else:
        found = _of_ranx(plain) or _of_trec_eval(plain)
    foreign = level or not _OWN.fullmatch(word)
    if found is None and foreign and re.match(r"\w", word) and re.search(r"[^\W\d]", word):
        raise unknown(word)
    return [_at_level(expression, int(level[1])) for expression in found] if found and level else found


def unknown(word: str) -> CranfieldError:
    """The error for a word that nobody knows, with the nearest words of all grammars."""
    from difflib import get_close_matches

    from cranfield.measures.other.kinds import OTHERS, kind_of  # which read what this module cannot

    word = word if len(word) <= SHOWN else f"{word[: SHOWN - 3]}..."
    if kind := kind_of(re.split(r"[@(]", word)[0]):
        return UnknownName(f"{word} is no measure of rankings", hint=f"it is one of {OTHERS[kind].title}")
    spelled = {cls.name.casefold(): cls.name for other in OTHERS.values() for cls in other.catalogue}
    spelled |= {name.casefold(): name for name in (*NICKNAMES, *WORDS, *trec_names())}
    spelled |= {name.casefold(): name for cls in MEASURES for name in (*cls.aliases, cls.name)}
    name = re.split(r"[.@(]|-l\d", word)[0]
    if name.casefold() in spelled:
        hint = "trec_eval writes P.5,10 and ndcg.1=3,2=9; ranx writes ndcg@10-l2"
        return ParameterError(f"cannot read the measure {word!r}: what follows {name} are no parameters", hint=hint)
    near = get_close_matches(re.sub(r"_\d.*", "", name).casefold(), spelled, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(spelled[found] for found in near)}?" if near else MEASURES.see
    return UnknownName(f"there is no measure named {name!r}", hint=hint)


def trec_names() -> dict[str, str | Series]:
    """Everything that trec_eval has a name for, and what it is in our notation."""
    named: dict[str, str | Series] = {}
    for cls in MEASURES:
        whole, cut = cls.trec
        stem = cut.removesuffix("_{k}")
        named |= {whole: cls.name} if whole else {}
        named |= {stem: Series(f"{cls.name}@{{}}", DEFAULT_CUTS.get(stem, CUTS))} if stem else {}
    return named | SINGLE | SERIES | PYSERINI


@cache
def _folded(measures: int) -> dict[str, tuple[str, str | Series]]:
    """The same by names in small letters; anew when there are more ``measures``."""
    del measures
    return {name.casefold(): (name, ours) for name, ours in trec_names().items()}


def trec_candidates(measure: Measure) -> Iterator[str]:
    """Names that trec_eval may have for a measure: what they stand for has to be compared with it."""
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


def _is_ours(word: str) -> bool:
    """Whether our own notation reads it: a name of the catalogue, with the cut-off that it needs."""
    name, at, _ = word.partition("@")
    return name in MEASURES and (bool(at) or not MEASURES[name].needs_cutoff)


def _of_ranx(word: str) -> list[Expression] | None:
    """``name@k`` of ranx and BEIR, ``name_at_k`` of MTEB, ``rbp.8`` of ranx."""
    if persistence := re.fullmatch(r"(?i:rbp)\.(\d++)", word):
        return [Expression("RBP", (("p", float(f"0.{persistence[1]}")),))]
    cut = _CUT.search(word)
    name = word[: cut.start()] if cut else word
    forms = {known.casefold(): both for known, both in WORDS.items()}.get(name.casefold())
    if forms is None:
        if cut and name in MEASURES:
            return [parse(f"{name}@{cut[1]}")]
        return _of_trec_eval(f"{name}.{cut[1]}") if cut else None
    notation = forms[cut is not None]
    if not notation:
        other = forms[cut is None].format(10)
        why = "has no cut-off" if cut else "needs a cut-off"
        raise ParameterError(f"{name} {why}", hint=f"it is our {other}")
    return [parse(notation.format(cut[1] if cut else ""))]


def _of_trec_eval(word: str) -> list[Expression] | None:
    """``name``, ``name.parameters`` or, as it prints them, ``name_parameters``."""
    known, folded = _folded(len(MEASURES)), word.casefold()
    if folded in known:
        _, ours = known[folded]
        return [parse(ours)] if isinstance(ours, str) else [parse(ours.notation.format(n)) for n in ours.numbers]
    for parting in re.finditer(r"[._]", folded):
        stem, given = folded[: parting.start()], word[parting.end() :]
        if (stem in known or stem in _READ) and _SETTINGS.fullmatch(given):
            name, ours = known.get(stem, (stem, ""))
            if isinstance(ours, Series) and "=" not in given:
                return [parse(ours.notation.format(number)) for number in given.split(",")]
            if stem in _READ:
                return [parse(_READ[stem](given.split(",")))]
            hint = f"write {name}" + f", or {ours}@{given} with a cut-off" * given.isdigit()
            raise ParameterError(f"{name} of trec_eval has no parameter {given}", hint=hint)
    for name, hint in ABSENT.items():
        if re.split(r"[.]", folded)[0] == name.casefold() or (name == "prefs" and folded.startswith("prefs_")):
            raise ParameterError(f"there is no {word} here", hint=hint)
    return None


def _at_level(expression: Expression, level: int) -> Expression:
    """The same, with documents below a grade not relevant; to what has gains they are worth nothing."""
    if level > HIGHEST_LEVEL:
        raise ParameterError(f"-l{level} is no grade", hint=f"relevance levels go up to {HIGHEST_LEVEL}")
    known = {field.name for field in fields(MEASURES[expression.name])}
    if not known & {"rel", "gains"}:
        raise ParameterError(f"{expression.name} has no relevance level", hint=f"leave out -l{level}")
    setting = ("rel", level) if "rel" in known else ("gains", tuple((grade, 0) for grade in range(1, level)))
    others = (parameter for parameter in expression.parameters if parameter[0] != setting[0])
    return replace(expression, parameters=tuple(sorted((*others, setting))))


def _set_f(given: list[str]) -> str:
    if len(given) != 1 or "=" in given[0] or float(given[0]) < 0:
        raise ParameterError(f"set_F cannot have {','.join(given)}", hint="one number from 0 up, the square of beta")
    return f"SetF(beta={sqrt(float(given[0]))!r})"  # trec_eval's x is the square of van Rijsbergen's β


def _utility(given: list[str]) -> str:
    if len(given) != 4 or any("=" in weight for weight in given):
        raise ParameterError(f"utility cannot have {','.join(given)}", hint="four numbers, as in utility.1,-1,0,0")
    return f"Utility({','.join(f'{name}={float(weight)!r}' for name, weight in zip('abcd', given, strict=True))})"


def _average(given: list[str]) -> str:
    points = [] if any("=" in point for point in given) else sorted(map(float, given))
    steps = len(points) - 1
    if steps < 1 or any(abs(point - step / steps) > 1e-9 for step, point in enumerate(points)):
        hint = "its points are spread evenly from 0 to 1; IPrec@0.2 has the value at one point"
        raise ParameterError(f"11pt_avg cannot have the points {','.join(given)}", hint=hint)
    return f"IAP(points={len(points)},rounding='trec_eval-9')"


def _ndcg(given: list[str]) -> str:
    pairs = [pair.partition("=")[::2] for pair in given]
    if not all(re.fullmatch(r"[+-]?\d++", grade) and gain for grade, gain in pairs):
        hint = "a gain for each grade, as in ndcg.1=3.5,2=9.0; a cut-off is ndcg_cut.10"
        raise ParameterError(f"ndcg cannot have {','.join(given)}", hint=hint)
    return f"nDCG(gains={{{','.join(f'{int(grade)}:{float(gain)!r}' for grade, gain in pairs)}}})"


def _rbp(given: list[str]) -> str:
    if len(given) != 1 or not given[0].startswith("p="):
        raise ParameterError(f"rbp cannot have {','.join(given)}", hint="write rbp.p=0.8, or RBP(p=0.8,max_rel=3)")
    return f"RBP(p={float(given[0][2:])!r})"


# Measures of trec_eval whose parameters are read in their own way, and how the names are made from ours again.
_READ: dict[str, Callable[[list[str]], str]] = {
    "set_f": _set_f,
    "utility": _utility,
    "11pt_avg": _average,
    "ndcg": _ndcg,
    "rbp": _rbp,
}


def _write_set_f(measure: Measure) -> str:
    beta = float(measure.beta)  # type: ignore[attr-defined]  # of SetF
    short = round(beta * beta, 9)
    return f"set_F_{short if sqrt(short) == beta else beta * beta!r}"


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
