"""Preference measures: proportion of preferences that a ranking fulfils, as trec_eval counts them.

A preference is fulfilled where what is preferred stands above the other, or is retrieved and the other is not.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Catalogue, ParameterError, Policy, Provenance, Scale, Ties, construct, parse, weigh
from cranfield.data import Run, Values, Wins, check_preferences, find_runs, read_run

from .base import OtherMeasure

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


@dataclass(frozen=True, eq=False)
class Ranked:
    """The preferences of a topic, the levels behind them, and where a run puts its documents."""

    wins: Wins
    level: NDArray[np.float64]  # (group, document); NaN where a group says nothing
    place: NDArray[np.float64]  # (document,); infinite where it is not retrieved

    @property
    def there(self) -> NDArray[np.bool_]:
        """(document,): whether it is retrieved."""
        return np.isfinite(self.place)

    def counted(self, count: Counted) -> Wins:
        """The preferences that count."""
        if count == "all":
            return self.wins
        either, both = self.there[:, None] | self.there, self.there[:, None] & self.there
        return self.wins & (either if count == "either" else both)

    def held(self, count: Counted) -> Wins:
        """Those of them that are fulfilled; what is retrieved stands above what is not."""
        return self.counted(count) & (self.place[:, None] < self.place)


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
    def share(self, ranked: Ranked) -> float:
        """The share of the preferences of a topic that a ranking fulfils; 0 where none counts."""


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

    def share(self, ranked: Ranked) -> float:
        return _ratio(ranked.held(self.count).sum(), ranked.counted(self.count).sum())


@preference_measure("PrefPair", cite="carterette2008prefs,trec_eval")
class PrefPair(PreferenceMeasure):
    """Preference by pairs: the mean, over pairs of documents, of the share of their preferences that are fulfilled."""

    formula: ClassVar[str] = "mean over pairs of (preferences of the pair fulfilled / preferences of the pair)"
    example: ClassVar[PreferenceExample] = PreferenceExample("PrefPair", "abc", PREFERRED, "(1/2 + 1/1) / 2")

    def share(self, ranked: Ranked) -> float:
        there, fulfilled = (wins.sum(axis=0) for wins in (ranked.counted(self.count), ranked.held(self.count)))
        pairs = np.triu(there + there.T, 1)
        some = pairs > 0
        return _ratio((np.triu(fulfilled + fulfilled.T, 1)[some] / pairs[some]).sum(), some.sum())


@preference_measure("PrefGroup", cite="carterette2008prefs,trec_eval", aliases=("PrefAvgjg",))
class PrefGroup(PreferenceMeasure):
    """Preference by groups: the mean, over groups of judgments, of the share of theirs that are fulfilled.

    A group without a preference that counts has 0, as in trec_eval's prefs_avgjg. How many nonrelevant documents happen
    to be judged decides how much a group's other preferences count. With ``balanced=True`` there are as many as
    relevant ones, those above level 0: of more only the first in the ranking count, and for each that lacks there is
    one that no ranking has, as trec_eval describes its prefs_avgjg_Rnonrel.
    """

    formula: ClassVar[str] = "mean over groups of (preferences of the group fulfilled / preferences of the group)"
    example: ClassVar[PreferenceExample] = PreferenceExample("PrefGroup", "bac", PREFERRED, "(1/2 + 1/1) / 2")
    balanced: bool = False

    def share(self, ranked: Ranked) -> float:
        kept = self._kept(ranked) if self.balanced else np.True_
        counted, held = (wins & kept for wins in (ranked.counted(self.count), ranked.held(self.count)))
        there, fulfilled = counted.sum(axis=(1, 2)), held.sum(axis=(1, 2))
        if self.balanced:
            relevant, others = self._known(ranked)
            more = np.maximum(relevant.sum(axis=1) - others.sum(axis=1), 0)
            above = (relevant & ranked.there).sum(axis=1)
            there = there + more * (relevant.sum(axis=1) if self.count == "all" else above)
            fulfilled = fulfilled + more * above
        shares = np.divide(fulfilled, there, out=np.zeros(len(there)), where=there > 0)
        return _ratio(shares.sum(), len(shares))

    def _known(self, ranked: Ranked) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """(group, document) each: what is relevant to a group, above level 0, and what is not."""
        shown = ranked.there if self.count == "both" else np.True_
        return (ranked.level > 0) & shown, (ranked.level <= 0) & shown

    def _kept(self, ranked: Ranked) -> Wins:
        """(group, document, document): pairs without documents below the first nonrelevant ones that are enough."""
        relevant, others = self._known(ranked)
        order = np.argsort(ranked.place, kind="stable")
        nth = np.empty(others.shape)
        nth[:, order] = others[:, order].cumsum(axis=1)
        kept = ~others | (nth <= relevant.sum(axis=1, keepdims=True))
        return kept[:, :, None] & kept[:, None, :]


def _ratio(part: float, whole: float) -> float:
    return float(part) / float(whole) if whole else 0.0


# What trec_eval calls them.
TREC_PREFS = {
    f"prefs_{theirs}{way}": f"{ours}{count}"
    for theirs, ours in (("simp", "PrefSimp"), ("pair", "PrefPair"), ("avgjg", "PrefGroup"))
    for way, count in (("", ""), ("_imp", "(count='either')"), ("_ret", "(count='both')"))
} | {
    "prefs_avgjg_Rnonrel": "PrefGroup(balanced=True)",
    "prefs_avgjg_Rnonrel_ret": "PrefGroup(balanced=True,count='both')",
}
FOLDED = {theirs.casefold(): ours for theirs, ours in TREC_PREFS.items()}


def parse_preference_measure(text: str | PreferenceMeasure) -> PreferenceMeasure:
    """``PrefSimp``, ``PrefPair(count='both')``, or what trec_eval calls them: ``prefs_pair_ret``."""
    if isinstance(text, PreferenceMeasure):
        return text
    if text.casefold() in ("prefs", "all_prefs") or text.casefold().startswith("prefs_num_"):
        hint = f"trec_eval's lists and numbers of preferences are not offered; there are: {', '.join(TREC_PREFS)}"
        raise ParameterError(f"there is no {text} here", hint=hint)
    return construct(PREFERENCES, parse(FOLDED.get(text.casefold(), text)), see="cranfield measures")


def preference_values(
    preferences: Any,
    runs: Any,
    measures: str | Iterable[str | PreferenceMeasure] = "PrefSimp PrefPair PrefGroup",
    *,
    ties: Ties | str = Ties.TREC,
    scale: Policy = "ignore",
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
    means = [("the mean", Scale.INTERVAL, measure) for measure in wanted]
    notes = weigh(means, scale, safe="the median is safe (--aggregate median)")
    found = [read_run(run, ties=ties) for run in find_runs(runs)]
    cube = np.zeros((len(found), len(given.topics), len(wanted)))
    missing = np.zeros(cube.shape[:2], np.bool_)
    for r, run in enumerate(found):
        ranked = run.by_topic()
        for t, topic in enumerate(given.topics):
            missing[r, t] = topic not in ranked
            rank = {document: place for place, document in enumerate(ranked.get(topic, []))}
            places = np.array([rank.get(document, np.inf) for document in given.documents[topic]], np.float64)
            met = Ranked(given.wins[topic], given.levels[topic], places)
            cube[r, t] = [measure.share(met) for measure in wanted]
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
        notes=notes,
        made_by=Provenance(command=command, inputs=inputs, measures=tuple(map(str, wanted))),
    )


def _names(runs: list[Run]) -> tuple[str, ...]:
    return tuple(run.name for run in runs)
