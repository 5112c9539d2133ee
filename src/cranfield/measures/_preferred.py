"""Measures of preferences: how many of them a ranking fulfils, as trec_eval counts them.

A preference is fulfilled where what is preferred stands above the other, or is retrieved and the other is not.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeVar

import numpy as np

from cranfield.core import Catalogue, Provenance, Ties, construct, parse
from cranfield.data import Run, Values, Wins, check_preferences, find_runs, read_run

from ._other_base import OtherMeasure

Counted = Literal["all", "either", "both"]


@dataclass(frozen=True, slots=True)
class PreferenceExample:
    """A value worked out by hand: what people prefer, a ranking, and the arithmetic that gives its value."""

    of: str  # the measure, in notation
    ranking: str  # of documents, a letter each
    prefer: tuple[str, ...]  # what each of the people prefers: a>b a>c
    working: str

    def given(self) -> str:
        """The ranking, and who prefers what."""
        return f"ranking {' '.join(self.ranking)}; people prefer {' / '.join(self.prefer)}"

    def worked(self) -> float:
        """The value of the ranking."""
        rows = [
            ("1", str(person), str(part), document, level)
            for person, pairs in enumerate(self.prefer)
            for part, pair in enumerate(pairs.split())
            for document, level in zip(pair.split(">"), (1.0, 0.0), strict=True)
        ]
        run = {"1": {document: -float(rank) for rank, document in enumerate(self.ranking)}}
        return float(preference_values(rows, {"run": run}, [self.of]).cube[0, 0, 0])


PREFERRED = ("a>b a>c", "b>a")  # by the two people of the examples


class PreferenceMeasure(OtherMeasure):
    """A share of preferences; ``count`` says which count.

    ``all``: every one, and those between documents that are both missing are not fulfilled; ``either``: those of which
    at least one document was retrieved; ``both``: those of which both were. trec_eval writes nothing, _imp, _ret.
    """

    family: ClassVar[str] = "preferences"
    needs: ClassVar[str] = "preferences"
    count: Counted = "all"

    @abstractmethod
    def share(self, held: Wins, counted: Wins) -> float:
        """From (group, document, document): which preferences are held, and which count; 0 where none does."""


PREFERENCES: Catalogue[PreferenceMeasure] = Catalogue("preference measure")
M = TypeVar("M", bound=PreferenceMeasure)


def preference_measure(name: str, *, cite: str, aliases: tuple[str, ...] = ()) -> Callable[[type[M]], type[M]]:
    """Give a preference measure its name and its source, and list it."""
    return PREFERENCES.declare(name, cite=cite, aliases=aliases)


@preference_measure("PrefSimp", cite="carterette2008prefs,trec_eval")
class PrefSimp(PreferenceMeasure):
    """Simple preference: the share of all preferences that are fulfilled, whoever holds them."""

    formula: ClassVar[str] = "preferences fulfilled / preferences"
    example: ClassVar[PreferenceExample] = PreferenceExample("PrefSimp", "abc", PREFERRED, "2 / 3")

    def share(self, held: Wins, counted: Wins) -> float:
        return _ratio(held.sum(), counted.sum())


@preference_measure("PrefPair", cite="carterette2008prefs,trec_eval")
class PrefPair(PreferenceMeasure):
    """Preference by pairs: the mean, over pairs of documents, of the share of their preferences that are fulfilled."""

    formula: ClassVar[str] = "mean over pairs of (preferences of the pair fulfilled / preferences of the pair)"
    example: ClassVar[PreferenceExample] = PreferenceExample("PrefPair", "abc", PREFERRED, "(1/2 + 1/1) / 2")

    def share(self, held: Wins, counted: Wins) -> float:
        there, fulfilled = counted.sum(axis=0), held.sum(axis=0)
        pairs = np.triu(there + there.T, 1)
        some = pairs > 0
        return _ratio((np.triu(fulfilled + fulfilled.T, 1)[some] / pairs[some]).sum(), some.sum())


@preference_measure("PrefGroup", cite="carterette2008prefs,trec_eval", aliases=("PrefAvgjg",))
class PrefGroup(PreferenceMeasure):
    """Preference by groups: the mean, over groups of judgments, of the share of theirs that are fulfilled.

    A group without a preference that counts has 0, as in trec_eval's prefs_avgjg.
    """

    formula: ClassVar[str] = "mean over groups of (preferences of the group fulfilled / preferences of the group)"
    example: ClassVar[PreferenceExample] = PreferenceExample("PrefGroup", "bac", PREFERRED, "(1/2 + 1/1) / 2")

    def share(self, held: Wins, counted: Wins) -> float:
        there, fulfilled = counted.sum(axis=(1, 2)), held.sum(axis=(1, 2))
        shares = np.divide(fulfilled, there, out=np.zeros(len(there)), where=there > 0)
        return _ratio(shares.sum(), len(shares))


def _ratio(part: float, whole: float) -> float:
    return float(part) / float(whole) if whole else 0.0


# What trec_eval calls them.
TREC_PREFS = {
    f"prefs_{theirs}{way}": f"{ours}{count}"
    for theirs, ours in (("simp", "PrefSimp"), ("pair", "PrefPair"), ("avgjg", "PrefGroup"))
    for way, count in (("", ""), ("_imp", "(count='either')"), ("_ret", "(count='both')"))
}


def parse_preference_measure(text: str | PreferenceMeasure) -> PreferenceMeasure:
    """``PrefSimp``, ``PrefPair(count='both')``, or what trec_eval calls them: ``prefs_pair_ret``."""
    if isinstance(text, PreferenceMeasure):
        return text
    return construct(PREFERENCES, parse(TREC_PREFS.get(text.casefold(), text)), see="cranfield measures")


def preference_values(
    preferences: Any,
    runs: Any,
    measures: str | Iterable[str | PreferenceMeasure] = "PrefSimp PrefPair PrefGroup",
    *,
    ties: Ties | str = Ties.TREC,
    command: str = "",
) -> Values:
    """Values of preference measures for every run and topic: they are tested and compared as any others are.

    ``preferences`` are a file as trec_eval reads them, qrels, or rows of topic, group, part, document and level. A
    topic that a run misses fulfils nothing. One without a preference has 0 and is counted as such. trec_eval puts ties
    in the other order here than in all its other measures: ``ties="docno-asc"`` does so too.
    """
    given = check_preferences(preferences)
    asked = measures.split() if isinstance(measures, str) else list(measures)
    wanted = tuple(map(parse_preference_measure, asked))
    found = [read_run(run, ties=ties) for run in find_runs(runs)]
    cube = np.zeros((len(found), len(given.topics), len(wanted)))
    missing = np.zeros(cube.shape[:2], np.bool_)
    for r, run in enumerate(found):
        ranked = run.by_topic()
        for t, topic in enumerate(given.topics):
            missing[r, t] = topic not in ranked
            cube[r, t] = _of_topic(given.wins[topic], given.documents[topic], ranked.get(topic, []), wanted)
    none = np.array([not given.wins[topic].any() for topic in given.topics])
    inputs = (given.source.as_input(), *(run.source.as_input() for run in found))
    return Values(
        runs=_names(found),
        topics=given.topics,
        measures=wanted,
        cube=cube,
        counted=np.ones(missing.shape, np.bool_),
        missing=missing,
        without_relevant=np.tile(none, (len(wanted), 1)),
        tags=tuple(run.source.tag or "" for run in found),
        made_by=Provenance(command=command, inputs=inputs, measures=tuple(map(str, wanted))),
    )


def _names(runs: list[Run]) -> tuple[str, ...]:
    return tuple(run.name for run in runs)


def _of_topic(
    wins: Wins, documents: tuple[str, ...], ranked: list[str], measures: tuple[PreferenceMeasure, ...]
) -> list[float]:
    rank = {document: place for place, document in enumerate(ranked)}
    place = np.array([rank.get(document, np.inf) for document in documents])
    above = place[:, None] < place  # what is retrieved stands above what is not
    there = np.isfinite(place)
    shown = {
        "all": np.ones(above.shape, np.bool_),
        "either": there[:, None] | there,
        "both": there[:, None] & there,
    }
    return [one.share(wins & above & shown[one.count], wins & shown[one.count]) for one in measures]
