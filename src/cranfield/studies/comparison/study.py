"""Is one run really better than another?"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from cranfield.core import SEED, ParameterError, Policy, Provenance, Scale, Study, Table, listed, weigh
from cranfield.data import Values, read_entries, read_scores
from cranfield.measures import Dominance, compare_levels, cutoff_of, dominate, found_first
from cranfield.stats import (
    CORRECTIONS,
    LEVEL,
    Asked,
    Correction,
    Decide,
    Pairs,
    PairTest,
    adapt,
    answered_table,
    both_table,
    check_level,
    choose_pairs,
    dominance_table,
    dominance_test_table,
    facets_table,
    harm_table,
    history_table,
    judge,
    levels_table,
    meaning_table,
    moving_tables,
    outcomes_table,
    overall_table,
    parse_decide,
    parse_method,
    parse_tests,
    splits_table,
    verdicts_table,
)

NAIVE = ("rank-sum", "signed-rank", "t")  # lin2021, Table 1
DEPTH = 1000
WORDS = {-1: "a", 1: "b", 0: "equal", 2: "incomparable"}  # of the codes of dominance
CHARTS = {"outcomes": "outcomes", "topic-differences": "topics", "rank-pairs": "topics", "dominance": "dominance"}
STAGES = 6  # in which the tables of a comparison are made
SMALL = 1e-10  # a p-value below it is not told


def compare(
    values: Any,
    tests: str | PairTest | Iterable[str | PairTest] = NAIVE,
    *,
    pairs: Sequence[tuple[str, str]] = (),
    baseline: str | None = None,
    sota: Any = None,
    cutoff: int | None = None,
    rel: float = 1,
    depth: int = DEPTH,
    correct: str | Correction = "bonferroni",
    decide: str | Decide = "signed-rank",
    margins: Mapping[str, float] | None = None,
    draws: int | None = None,
    level: float = LEVEL,
    scale: Policy = "note",
    seed: int = SEED,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Study:
    """Outcomes before averages, then a verdict that does no harm: two runs, or each beside a ``baseline``.

    ``values`` come from :func:`evaluate` or are a table of scores. A topic is answered where a document of grade
    ``rel`` stands in the first ``cutoff`` (that of the first measure that has one, else 100). Topics fall into four
    outcomes; answered topics are counted against each other, and ranks are compared only where both runs answer.
    ``sota`` takes a table of runs with dates, and compares each state of the art with the one before. ``decide`` names
    the test of ranks and a correction by which the verdict is found; ``tests`` are those of the whole measure, which
    stand beside it, corrected by ``correct``. ``margins`` (``{"answered": .01, "ranking": .5, "nDCG@10": .01}``) ask
    whether b is worse by less than that. Rankings with several relevant documents are also compared without any
    measure, down to ``depth``: one dominates where it has as many relevant documents of every grade at every rank.
    """
    given = values if isinstance(values, Values) else read_scores(values)
    check_level(level)
    wanted = [adapt(one, draws=draws) for one in parse_tests(tests)]
    correction = parse_method(CORRECTIONS, correct)
    deciding = decide if isinstance(decide, Decide) else parse_decide(decide)
    chosen = choose_pairs(given, _sota_pairs(given, sota) if sota is not None else pairs, baseline)
    met = [(one.name, one.requires, measure) for measure in given.measures for one in wanted]
    met += [("the mean", Scale.INTERVAL, measure) for measure in given.measures]
    given, told = _complete(given, chosen)
    within = cutoff or cutoff_of(given)
    ranks = found_first(given, rel=rel, cutoff=within)
    safe = "the sign test is safe" if ranks is None else "outcomes, the sign test and ESL where both answer are safe"
    notes = weigh(met, scale, safe=safe)
    asking = Asking(
        values=given,
        chosen=tuple(chosen),
        correction=correction,
        asked=Asked(level=level, seed=seed, threads=threads),
        margins=margins or {},
        made_by=replace(given.made_by, seed=seed),
    )
    if ranks is None:
        return _without_ranks(asking, wanted, (*notes, *told))
    tables: dict[str, Table] = {}
    stages = asking.stages(Pairs.given(ranks, chosen), wanted, deciding, rel, depth)
    for done, part in enumerate(stages, 1):
        tables |= part
        if progress:
            progress(done, STAGES)
    said = (*notes, *told, *_several(given, rel), *_hidden(tables), *tables["movers"].notes)
    tables["verdicts"] = replace(tables["verdicts"], notes=said)
    charts = tuple(name for name, table in CHARTS.items() if table in tables)
    more = _dominant(tables) if _most_relevant(given, rel) > 1 else ""
    more += _unharmed(tables["harm"]) if margins else ""
    return Study("compare", tables, _verdict(tables["verdicts"], within, more), asking.made_by, charts=charts)


@dataclass(frozen=True, kw_only=True, slots=True)
class Asking:
    """What all tables of a comparison share."""

    values: Values
    chosen: tuple[tuple[int, int], ...]
    correction: Correction
    asked: Asked
    margins: Mapping[str, float]
    made_by: Provenance

    def stages(
        self, first: Pairs, tests: Sequence[PairTest], deciding: Decide, rel: float, depth: int
    ) -> Iterator[dict[str, Table]]:
        """The tables, as they are made: those that people read first come first."""
        yield self.answers(first, deciding)
        yield {"both": both_table(first, self.values.runs, **self.how())}
        yield self.harm(first)
        ordered = None if self.values.assessed is None else dominate(self.values.assessed, self.chosen, depth=depth)
        yield self.dominance(ordered) | self.levels(rel, depth)
        yield self.of_values(tests)
        yield moving_tables(
            first,
            self.values.runs,
            self.values,
            self.chosen,
            topics=self.values.topics,
            dominance=_words(ordered, self.values),
            made_by=self.made_by,
        )

    def how(self) -> dict[str, Any]:
        """How tests are asked."""
        return {"correction": self.correction, "asked": self.asked, "made_by": self.made_by}

    def answers(self, first: Pairs, deciding: Decide) -> dict[str, Table]:
        """Outcomes, facets and verdicts."""
        runs, made_by = self.values.runs, self.made_by
        facets = judge(first, decide=deciding, asked=self.asked)
        return {
            "verdicts": verdicts_table(first, runs, facets, made_by=made_by),
            "outcomes": outcomes_table(first, runs, level=self.asked.level, made_by=made_by),
            "answered": answered_table(first, runs, **self.how()),
            "facets": facets_table(first, runs, facets, made_by=made_by),
        }

    def of_values(self, tests: Sequence[PairTest]) -> dict[str, Table]:
        """What the whole measures say."""
        return {
            "overall": overall_table(self.values, self.chosen, tests, **self.how()),
            "meaning": meaning_table(self.values, self.chosen, made_by=self.made_by),
        }

    def harm(self, first: Pairs | None) -> dict[str, Table]:
        """Whether b is worse by less than the margins, where there are any."""
        if not self.margins:
            return {}
        how: dict[str, Any] = {"margins": self.margins, "values": self.values, "chosen": self.chosen}
        return {"harm": harm_table(first, self.values.runs, asked=self.asked, made_by=self.made_by, **how)}

    def dominance(self, ordered: Dominance | None) -> dict[str, Table]:
        """What holds whatever the measure, and how measures decide the rest."""
        if ordered is None:
            return {}
        names = [(self.values.runs[a], self.values.runs[b]) for a, b in self.chosen]
        outcome = ordered.outcome[:, :, self.values.places]
        told = (ordered.levels, outcome, names)
        return {
            "dominance": dominance_table(*told, made_by=self.made_by),
            "dominance_test": dominance_test_table(*told, made_by=self.made_by),
            "splits": splits_table(*told, self.values, self.chosen, made_by=self.made_by),
        }

    def levels(self, rel: float, depth: int) -> dict[str, Table]:
        """Whom users prefer who want one relevant document, two, …, all."""
        if self.values.assessed is None:
            return {}
        found = compare_levels(self.values.assessed, self.chosen, rel=rel, depth=depth)._asdict()
        told = {way: preferred[:, self.values.places] for way, preferred in found.items()}
        names = [(self.values.runs[a], self.values.runs[b]) for a, b in self.chosen]
        return {"levels": levels_table(told, names, made_by=self.made_by)}


def _without_ranks(asking: Asking, tests: Sequence[PairTest], notes: tuple[str, ...]) -> Study:
    """What can be said of values alone."""
    tables = asking.of_values(tests)
    why = "where runs put relevant documents is not known from these scores: no outcomes, no verdict"
    tables["overall"] = replace(tables["overall"], notes=(*notes, why))
    verdict = {"pairs": len(asking.chosen), "sentence": _whole(tables["overall"].rows()[-1], asking.asked.level)}
    return Study("compare", {**asking.harm(None), **tables}, verdict, asking.made_by)


def _sota_pairs(values: Values, entries: Any) -> list[tuple[str, str]]:
    """Each state of the art and the one before it."""
    known = read_entries(entries)
    measure = values.measures[0]
    means = dict(zip(values.runs, values.aggregate()[:, 0].tolist(), strict=True))
    rows = history_table(known, means, lower_is_better=str(measure.direction) == "lower").rows()
    steps = [str(row["run"]) for row in rows if row["kind"] == "sota"]
    if len(steps) < 2:
        raise ParameterError(
            f"there is {'one state' if steps else 'no state'} of the art among these runs, and nothing before it",
            hint="runs need dates, and one must be above all baselines; --baseline compares with one run",
        )
    return list(pairwise(steps))


def _complete(values: Values, chosen: Sequence[tuple[int, int]]) -> tuple[Values, tuple[str, ...]]:
    """The values of the topics that count for every run that is compared."""
    runs = sorted({run for pair in chosen for run in pair})
    kept = values.topics_of(runs)
    left = len(values.topics) - len(kept)
    if not left:
        return values, ()
    if not kept:
        hint = "leave out --topics both, or compare fewer runs at once"
        raise ParameterError("there is no topic that counts for every run", hint=hint)
    return values.only(kept), (f"{left:,} of {left + len(kept):,} topics do not count for every run: left out",)


def _words(ordered: Dominance | None, values: Values) -> Any:
    """(pair, topic): who dominates, all grades together."""
    if ordered is None:
        return None
    return [[WORDS[code] for code in pair] for pair in ordered.outcome[:, 0, values.places].tolist()]


def _most_relevant(values: Values, rel: float) -> int:
    """How many relevant documents the topic with most of them has."""
    return 0 if values.assessed is None else int(values.assessed.relevant(rel)[values.places].max())


def _several(values: Values, rel: float) -> list[str]:
    """A word on topics with no relevant document, and on those with several."""
    if values.assessed is None:
        return []
    counts = values.assessed.relevant(rel)[values.places]
    none, several = int((counts == 0).sum()), int((counts > 1).sum())
    told = []
    if none:
        told.append(f"{none:,} topic{'s have' if none > 1 else ' has'} no relevant document: neither run answers")
    if several:
        which = "every topic has" if several == len(counts) else f"{several:,} of {len(counts):,} topics have"
        told.append(f"{which} several relevant documents: ESL and RR are of the first, dominance of them all")
    return told


def _hidden(tables: Mapping[str, Table]) -> list[str]:
    """A word where the mean of the whole measure hides two effects that point in opposite directions."""
    sides: dict[tuple[Any, Any], list[Any]] = {}
    for row in tables["facets"].rows():
        sides.setdefault((row["a"], row["b"]), []).append(row["better"])
    told = []
    for row in tables["overall"].rows():
        if sorted(sides.get((row["a"], row["b"]), [])) != ["a", "b"] or row["test"] != "t":
            continue
        p, gap = row["p"], row["difference"]
        if isinstance(p, float) and isinstance(gap, float):
            ahead = row["b"] if gap > 0 else row["a"]
            told.append(
                f"on the whole measure {row['measure']} {ahead} is ahead by {abs(gap):.4f} ({_chance(p)}): "
                "the mean hides two opposite, significant effects"
            )
    return told


def _chance(p: float) -> str:
    return f"t p = {p:.2g}" if p >= SMALL else f"t p < {SMALL:g}"


def _dominant(tables: Mapping[str, Table]) -> str:
    """What all relevant documents say of the first pair, where the facets look at the first of them alone."""
    if "dominance_test" not in tables:
        return ""
    row = next(row for row in tables["dominance_test"].rows() if row["level"] == "all")
    open_ = next(
        cell["topics"]
        for cell in tables["dominance"].rows()
        if cell["level"] == "all" and cell["outcome"] == "incomparable"
    )
    return (
        f" Whatever the measure, {row['b']} has the better ranking in {row['ahead_b']:,} "
        f"topic{'s' * (row['ahead_b'] != 1)} and {row['a']} in "
        f"{row['ahead_a']:,} (sign test, p = {row['p']:.2g}); {open_:,} depend{'s' * (open_ == 1)} on the measure."
    )


def _unharmed(harm: Table) -> str:
    """Where the first pair shows that b is not worse by more than a margin, and where it does not."""
    first = harm.rows()[0]
    rows = [row for row in harm.rows() if (row["a"], row["b"]) == (first["a"], first["b"])]
    shown, open_ = (
        [f"{row['facet']} ({row['margin']:g})" for row in rows if bool(row["shown"]) is so] for so in (True, False)
    )
    what = f"{first['b']} is shown not to be worse by more than the margin"
    if not open_:
        return f" In {listed(shown)}, {what}."
    if not shown:
        return f" In {listed(open_)}, it is not shown that {first['b']} is not worse by more than the margin."
    return f" In {listed(shown)}, {what}; in {listed(open_)} that is not shown."


def _verdict(verdicts: Table, cutoff: int, more: str) -> dict[str, Any]:
    """The verdict on the only pair, or how many pairs there are of each."""
    rows = verdicts.rows()
    if len(rows) == 1:
        kept = {name: rows[0][name] for name in ("strict", "do_no_harm", "do_no_harm_holm")}
        return {**kept, "cutoff": cutoff, "sentence": f"{rows[0]['sentence']}{more}"}
    counts = {name: sum(row[name] == "b" for row in rows) for name in ("strict", "do_no_harm", "do_no_harm_holm")}
    sentence = (
        f"Of {len(rows):,} comparisons, b is better without harm in {counts['do_no_harm']:,} "
        f"({counts['do_no_harm_holm']:,} after Holm over the two facets), and in both facets in {counts['strict']:,}."
    )
    return {"pairs": len(rows), **counts, "cutoff": cutoff, "sentence": sentence}


def _whole(row: Mapping[str, Any], level: float) -> str:
    """What the whole measure says, where there are no outcomes."""
    if row["difference"] is None or row["p"] is None:
        return f"{row['a']} and {row['b']} cannot be compared on {row['measure']}."
    small = "significant" if row["p"] <= level else "not significant"
    gap = f"{row['b']} − {row['a']} = {row['difference']:+.4f} in {row['measure']}"
    return f"{gap}: {small} at level {level:g} ({row['test']})."
