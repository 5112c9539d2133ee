"""The page of measures: a table of all of them, then each in full, with the weights of its ranks and who agrees."""

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from sections import cell, section

import cranfield as cf
from cranfield.core import definition
from cranfield.measures import (
    OTHERS,
    Counterexample,
    OtherMeasure,
    by_family,
    explained,
    first_use,
    kind_of,
    other_facts,
    others,
    parse_measures,
    shown_example,
    theirs_of,
    user_model,
)

GOLDEN = Path(__file__).parents[2] / "tests" / "golden"
HELD_TO = re.compile(r"^\| (?P<measures>[\w ]+) \| (?P<what>[^|]+) \| `(?:golden|unit)/[\w/]+\.py` \|$", re.MULTILINE)
MADE_BY = re.compile(r"^\| `(?P<file>\w+)\.json` \| `[^`]*` \| (?P<peer>[\w.]+(?: \d[\w.]*\w)?)", re.MULTILINE)
OF_MEASURES = ("trec_eval", "ir_measures", "cwl_eval", "gdeval", "ranx", "pyndeval", "pyntcireval", "sample_eval")
OF_MEASURES += ("nuggetizer", "trectools")
THEIR_WORDS = {
    "IFTGoal": "IFT",
    "IFTGoalRate": "IFT",
    "IFTRate": "IFT",
    "NCUguBR": "NCU",
    "NCUguP": "NCU",
    "NCUrbBR": "NCU",
    "NCUrbP": "NCU",
    "P-measure": "Pmeasure",
    "P-plus": "PPlus",
}
RANKS = 10  # that are drawn
BAR, HEIGHT = 8, 24

ABOUT = {
    "binary": "A document is relevant or it is not; `rel` is the smallest grade that is.",
    "graded": "Grades count, not only whether there is one.",
    "user model": "Somebody reads down the ranking and leaves at some rank: [](../concepts/users.md).",
    "diversity": "Documents are judged for each subtopic of a topic: [](../concepts/diversity.md).",
    "fairness": "Groups of documents get attention; `--attributes` says who is in which: [](../concepts/fairness.md).",
    "aspects": "Documents have other labels beside relevance: `--aspect NAME=FILE`.",
    "interval": "Made to have equal steps: [](../concepts/scales.md).",
    "count": "How many there are of something; no word about quality.",
}
ABOUT_OTHERS = (
    "What is no ranking, or several, has measures of its own, whose values are compared, tested and ranked as all "
    "others are. `cranfield measures --other` lists them."
)


def measures() -> str:
    """A table of all measures, family by family, then each one in full."""
    families: dict[str, list[type[cf.Measure]]] = {}
    for cls in by_family():
        families.setdefault(cls.family, []).append(cls)
    told = [f"## All {len(by_family())}"]
    for family, members in families.items():
        rows = [f"| {family} | what it is | scale |", "|---|---|---|"]
        rows += [
            f"| [{m.name}](#measure-{m.name.lower()}) | {cell(definition(m))} | {first_use(m).scale.own} |"
            for m in members
        ]
        told.append("\n".join(rows))
    for family, members in families.items():
        told += [f"## {family.capitalize()}", ABOUT.get(family, ""), *map(one_measure, members)]
    return "\n\n".join([*told, other_measures()])


def other_measures() -> str:
    """A table of the measures of something else than one judged ranking, then each one in full."""
    known = explained(other=True)["catalogue"].rows()
    told = [f"## Of something else than one judged ranking\n\n{ABOUT_OTHERS}"]
    for kind in OTHERS:
        rows = [f"| {kind} | what it is | scale |", "|---|---|---|"]
        rows += [
            f"| [{row['name']}](#{kind}-{row['name'].lower()}) | {cell(str(row['definition']))} | {row['scale']} |"
            for row in known
            if row["family"] == kind
        ]
        told.append("\n".join(rows))
    for kind, found in OTHERS.items():
        what, _, where = found.title.partition(": ")
        told += [f"## {what.partition(',')[0].capitalize()}", f"`{where}`"]
        told += [one_other(cls, kind) for cls in others() if cls.name in found.catalogue.names()]
    return "\n\n".join(told)


def one_other(cls: type[OtherMeasure], kind: str) -> str:
    """A section about a measure of something else than one judged ranking."""
    said = other_facts(cls)
    claim, _, source = said["scale"].rpartition(" (")
    given, _, working = shown_example(cls).partition("\n")
    facts = {
        "formula": f"`{cls.formula}`",
        "example": f"{given}: `{working.rpartition(' = ')[0]}` = {working.rpartition(' = ')[2]}",
        "needs": said["needs"],
        "write": ", ".join(f"`{name}`" for name in dict.fromkeys((said["write"].partition(", ")[0], *theirs_of(cls)))),
        "range": said["range"].partition("; ")[0],
        "over topics": cls.aggregate,
        "scale": f"{claim} {{cite:p}}`{source.rstrip(')')}`",
        "golden values": ", ".join(golden().get(cls, ())) or "worked by hand, as the example is",
        "source": f"{{cite:p}}`{cls.cite}`",
    }
    return section(cls, f"{kind}-{cls.name.lower()}", facts)


def one_measure(cls: type[cf.Measure]) -> str:
    """A section about one measure."""
    shown = first_use(cls)
    written = [] if cls.needs_cutoff else [cls()]
    written += [shown, shown @ 20] if shown.k is None and cls.at == "k" else [shown]
    low, high = cls.range
    claim = shown.scale
    given_up = {c.axiom: c for c in shown.gives_up}
    trec = " ".join(f"`{name.replace('{k}', 'K')}`" for name in cls.trec if name)
    details = explained(cls.name)
    facts = {
        "formula": f"`{cls.formula}`" * bool(cls.formula),
        "example": worked_example(details),
        "needs": cls.needs,
        "user": details["details"].rows()[0]["user"],
        "write": ", ".join(f"`{form}`" for form in dict.fromkeys((*map(str, written), *cls.aliases)))
        + " (needs a cut-off)" * cls.needs_cutoff,
        "range": f"{low:g} to {high:g}, {cls.direction} is better".replace("inf", "∞"),
        "over topics": cls.aggregate,
        "missing topic": missing(shown.worst),
        "scale": f"{claim.own} for `{shown}`{' ' * bool(claim.condition)}{claim.condition}, within one topic, against "
        f"its own order; against the top-heavy order: {claim.top_heavy} {{cite:p}}`{claim.cite}`",
        "axioms": ", ".join(sorted(shown.axioms)) or "none",
        "weights": weights(shown),
        "golden values": ", ".join(golden().get(cls, ())) or "worked by hand, as the example is" * bool(cls.example),
        "residual": "has bounds: `--residual`" * shown.bounded,
        "gives up": "; ".join(lost(c) for c in given_up.values()),
        "trec_eval": trec,
        "source": f"{{cite:p}}`{cls.cite}`",
    }
    return section(cls, f"measure-{cls.name.lower()}", facts)


def worked_example(details: cf.Study) -> str:
    """A ranking and its value, worked by hand."""
    if "examples" not in details.tables:
        return ""
    (row,) = details["examples"].rows()
    missed = f" ({row['missed']} missed)" if row["missed"] else ""
    beside = f", beside them {row['beside']}" if row["beside"] else ""
    return f"`{row['measure']}` of grades {row['ranking']}{missed}{beside}: `{row['working']}` = {row['value']:.4f}"


def lost(example: Counterexample) -> str:
    """Why an axiom does not hold."""
    before, after, missed = (
        " ".join("?" if grade < 0 else str(grade) for grade in grades)
        for grades in (example.before, example.after, example.missed)
    )
    told = f" ({missed} missed)" if missed else ""
    beside = "; ".join(f"{' '.join(f'{x:g}' for x in row)} of grade {grade}" for grade, row in example.beside)
    told += f" (beside them {beside})" if beside else ""
    return f"{example.axiom}: {after or 'nothing'} has a worse value than {before}{told} {{cite:p}}`{example.cite}`"


def missing(worst: float | None) -> str:
    """What a topic counts for which a run has nothing."""
    if worst is None:
        return "the judgments alone decide"
    return "has no value and is left out" if worst != worst else f"counts {worst:g}"


def weights(measure: cf.Measure) -> str:
    """The share of all looks that each of the first ranks gets, as bars; nothing where no user reads down."""
    try:
        rows = user_model(measure, depth=RANKS)["curves"].rows()
    except cf.CranfieldError:
        return ""
    found: dict[tuple[float, ...], list[str]] = {}
    for ranking in dict.fromkeys(row["ranking"] for row in rows):
        shares = tuple(float(row["weight"] or 0) for row in rows if row["ranking"] == ranking)
        found.setdefault(shares, []).append(str(ranking))
    return "; ".join(bars(shares) + f" ({of[0]})" * (len(found) > 1) for shares, of in found.items())


def bars(shares: tuple[float, ...]) -> str:
    """Shares as a small picture, which a reader who cannot see it is told."""
    highest = max(shares) or 1
    drawn = "".join(
        f'<rect x="{BAR * i}" y="{HEIGHT * (1 - share / highest):.1f}" width="{BAR - 2}" '
        f'height="{HEIGHT * share / highest:.1f}"/>'
        for i, share in enumerate(shares)
    )
    told = "weights of ranks 1 to " + f"{len(shares)}: " + " ".join(f"{share:.3f}" for share in shares)
    size = f'width="{BAR * len(shares)}" height="{HEIGHT}"'
    return f'<svg class="weights" role="img" aria-label="{told}" {size}><title>{told}</title>{drawn}</svg>'


@cache
def golden() -> dict[type, list[str]]:
    """What a measure is tested against: peers by what they are called in their files, then what no file names."""
    sources = (GOLDEN / "SOURCES.md").read_text("utf-8")
    peers = {found["file"]: found["peer"] for found in MADE_BY.finditer(sources)}
    agreed: dict[type, list[str]] = {}
    for file in OF_MEASURES:
        for name in dict.fromkeys(names(json.loads((GOLDEN / f"{file}.json").read_text("utf-8")))):
            measure = known(name)
            if measure and peers[file] not in (said := agreed.setdefault(measure, [])):
                said.append(peers[file])
    for row in HELD_TO.finditer(sources):
        for name in row["measures"].split():
            agreed.setdefault(named(name), []).append(row["what"])
    return agreed


def named(name: str) -> type:
    """The measure that we call so, of rankings or of something else."""
    kind = kind_of(name)
    return OTHERS[kind].catalogue[name] if kind else cf.MEASURES[name]


def known(name: str) -> type | None:
    """The measure that a peer calls so."""
    word = re.split(r"[@( ]", name)[0]
    if kind := kind_of(word):
        return type(OTHERS[kind].parse(word))
    for text in (THEIR_WORDS.get(word, name.partition(" ")[0]), word):
        try:
            return type(parse_measures(text)[0])
        except cf.CranfieldError:
            continue
    return None


def names(found: Any) -> Iterator[str]:
    """Every key of a file of values that could be a measure."""
    if isinstance(found, dict):
        for key, below in found.items():
            if not key.isdigit():
                yield key
            yield from names(below)
