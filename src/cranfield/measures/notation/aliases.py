"""Names of measures in ranx, BEIR and MTEB, and the translation of all foreign names into our notation.

The tables hold notation, ``{}`` where a number goes. Nothing here makes a measure, so a table may name what is declared
elsewhere. Where a word means something in our own notation too, that meaning counts: ``recall`` is R without a cut-off,
unless a version of trec_eval is to be matched.
"""

import re
from collections.abc import Iterator
from dataclasses import fields, replace

from cranfield.core import CranfieldError, Expression, ParameterError, UnknownName, parse
from cranfield.core.notation import LONGEST, SHOWN
from cranfield.measures.base import MEASURES

from .trec_eval_names import NICKNAMES, SETTING, Labelled, read_nickname, read_trec_name, trec_names

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

# A word, and what follows its commas as long as these are numbers: P.5,10 but not P.5,AP or P.5,11pt_avg.
_WORD = re.compile(rf"[\w.@=+-]++(?:,{SETTING}(?![\w.@=({{+-]))*+")
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


def translate(word: str, version: str = "") -> list[Labelled] | None:
    """Return what a foreign word stands for in our notation; None: our own notation reads it, or nothing does.

    With a ``version`` of trec_eval its names come first, spelled as it spells them: ``recall`` is nine measures.
    """
    if len(word) > LONGEST:
        raise ParameterError(f"the measure {word[:20]!r}... is too long", hint=f"at most {LONGEST} characters are read")
    if measures := read_nickname(word, version):
        return measures
    if version and word in trec_names(version):
        return read_trec_name(word, version)
    level = _LEVEL.search(word)
    plain = word[: level.start()] if level else word
    if _is_ours(plain):
        measures = [Labelled("", parse(plain))] if level else None
    else:
        measures = _of_ranx(plain, version) or read_trec_name(plain, version)
    foreign = level or not _OWN.fullmatch(word)
    if measures is None and foreign and re.match(r"\w", word) and re.search(r"[^\W\d]", word):
        raise unknown(word)
    return [_at_level(one, int(level[1])) for one in measures] if measures and level else measures


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


def _is_ours(word: str) -> bool:
    """Whether our own notation reads it: a name of the catalogue, with the cut-off that it needs."""
    name, at, _ = word.partition("@")
    return name in MEASURES and (bool(at) or not MEASURES[name].needs_cutoff)


def _of_ranx(word: str, version: str) -> list[Labelled] | None:
    """``name@k`` of ranx and BEIR, ``name_at_k`` of MTEB, ``rbp.8`` of ranx."""
    if persistence := re.fullmatch(r"(?i:rbp)\.(\d++)", word):
        return [Labelled("", Expression("RBP", (("p", float(f"0.{persistence[1]}")),)))]
    cut = _CUT.search(word)
    name = word[: cut.start()] if cut else word
    forms = {known.casefold(): both for known, both in WORDS.items()}.get(name.casefold())
    if forms is None:
        if cut and name in MEASURES:
            return [Labelled("", parse(f"{name}@{cut[1]}"))]
        return read_trec_name(f"{name}.{cut[1]}", version) if cut else None
    notation = forms[cut is not None]
    if not notation:
        other = forms[cut is None].format(10)
        why = "has no cut-off" if cut else "needs a cut-off"
        raise ParameterError(f"{name} {why}", hint=f"it is our {other}")
    return [Labelled("", parse(notation.format(cut[1] if cut else "")))]


def _at_level(measure: Labelled, level: int) -> Labelled:
    """Return the same measure with documents below a grade not relevant; measures with gains give them none."""
    expression = measure.expression
    if level > HIGHEST_LEVEL:
        raise ParameterError(f"-l{level} is no grade", hint=f"relevance levels go up to {HIGHEST_LEVEL}")
    known = {field.name for field in fields(MEASURES[expression.name])} if expression else set()
    if expression is None or not known & {"rel", "gains"}:
        name = expression.name if expression else measure.label
        raise ParameterError(f"{name} has no relevance level", hint=f"leave out -l{level}")
    setting = ("rel", level) if "rel" in known else ("gains", tuple((grade, 0) for grade in range(1, level)))
    others = (parameter for parameter in expression.parameters if parameter[0] != setting[0])
    return Labelled("", replace(expression, parameters=tuple(sorted((*others, setting)))))
