"""Evidence, verdict, tables and notes of a comparison, put together for all pairs of runs."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cranfield.core import Provenance, Study, Table
from cranfield.data import SPARSE, Values, proportion_single, unjudged_notes, warning_notes
from cranfield.measures import Dominance, compare_levels, dominate
from cranfield.stats import (
    KINDS,
    Asked,
    Basis,
    Bonferroni,
    Correction,
    Decide,
    Evidence,
    Facets,
    Holm,
    Kinds,
    Pairs,
    PairTest,
    Uncorrected,
    gather_evidence,
    judge,
    verdicts_by_measure,
    verdicts_by_outcomes,
)
from cranfield.studies.small_samples import few_topics_notes

from .deciding_topics import moving_tables
from .dominance_tables import dominance_table, dominance_test_table, levels_table, splits_table
from .margin_tests import harm_table
from .outcome_tables import answered_table, both_table, facets_table, outcomes_table, overall_table
from .requirements import Gate, Requirement, overall_ruling, rulings_table
from .rescaled_means import meaning_table
from .tables import evidence_table, verdicts_table
from .text import (
    PairNames,
    constant_note,
    contrary_measure,
    measure_sentence,
    outcome_rule_sentence,
    outcome_verdict_sentence,
    summary_sentence,
)
from .unjudged_documents import unjudged_sentence

WORDS = {-1: "a", 1: "b", 0: "equal", 2: "incomparable"}  # of the codes of dominance
CHARTS = {"topic-differences": "topics", "outcomes": "outcomes", "rank-pairs": "topics", "dominance": "dominance"}
STAGES = 7  # in which the tables of a comparison are made


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison:
    """Everything that the tables of a comparison share: values, pairs of runs, tests and corrections."""

    values: Values
    chosen: tuple[tuple[int, int], ...]
    names: tuple[PairNames, ...]
    test: PairTest
    naive: tuple[PairTest, ...]
    by: Basis
    correct: Correction | None
    decide: Decide
    asked: Asked
    margins: Mapping[str, float]
    cutoff: int
    rel: float
    depth: int
    first: Pairs | None  # rank of the first relevant document, NaN where a topic is not answered
    made_by: Provenance

    def study(
        self,
        requirements: Sequence[Requirement],
        notes: Sequence[str],
        *,
        steps: bool,
        progress: Callable[[int, int], object] | None,
    ) -> Study:
        """Make all tables, the verdict and the notes."""
        ordered = (
            None if self.values.assessed is None else dominate(self.values.assessed, self.chosen, depth=self.depth)
        )
        dominance = None if ordered is None else ordered.outcome[:, 0, self.values.places]
        evidence = gather_evidence(
            self.values,
            self.chosen,
            test=self.test,
            correction=self.correct or Holm(),
            asked=self.asked,
            first=self.first,
            cutoff=self.cutoff,
            rel=self.rel,
            dominance=dominance,
            with_margin=bool(self.margins),
        )
        facets = None
        if self.first is not None:
            by_dominance = None if self.sparse else dominance
            facets = judge(
                self.first,
                decide=self.outcome_rule,
                asked=self.asked,
                dominance=by_dominance,
                search_length=evidence.search_length,
            )
        kinds = self.kinds(evidence, facets)
        tables = self.decision_tables(evidence, facets, kinds)
        verdict = self.verdict(evidence, facets, kinds, tables["verdicts"], steps=steps)
        stages = self.detail_tables(evidence, facets, ordered)
        for done, part in enumerate(stages, 2):
            tables |= part
            if progress:
                progress(done, STAGES)
        if requirements:
            rulings = self.gate(evidence, facets, kinds, tables.get("harm")).check(requirements)
            tables = {"requirements": rulings_table(rulings, self.made_by), **tables}
            verdict |= overall_ruling(rulings)
        compared = sorted({run for pair in self.chosen for run in pair})
        many: list[str] = []
        if len(self.chosen) > 1:  # one pair has its own sentences on both
            many = unjudged_notes(self.values, runs=compared)
            many += [*few_topics_notes(int(evidence.primary.n.max()), self.asked.level), *constant_note(evidence)]
        all_notes = (*notes, *warning_notes(self.values), *many, *self.label_notes(), *tables["movers"].notes)
        tables["verdicts"] = replace(tables["verdicts"], notes=all_notes)
        tables = {name: tables.pop(name) for name in ("verdicts", "evidence")} | tables
        known = [name for name, table in CHARTS.items() if table in tables]
        charts = tuple(name for name in known if self.first is not None or name != "rank-pairs")
        return Study("compare", tables, verdict, self.made_by, charts=charts)

    @property
    def margin(self) -> float | None:
        """Return the margin of the primary measure."""
        return self.margins.get(str(self.values.measures[0]))

    @property
    def single_relevant(self) -> float | None:
        """Return the proportion of topics with exactly one relevant document, among those that have one."""
        return proportion_single(self.values, self.rel)

    @property
    def sparse(self) -> bool:
        """Return whether nearly all topics have one relevant document, or that is all that is known."""
        single = self.single_relevant
        return single is None or single >= SPARSE

    @property
    def outcome_rule(self) -> Decide:
        """Return the test and correction of the outcome rule; several pairs are Holm-corrected if it decides."""
        decides_many = self.by == "outcomes" and len(self.chosen) > 1
        if decides_many and isinstance(self.decide.correction, Uncorrected):
            return replace(self.decide, correction=self.correct or Holm())
        return self.decide

    def kinds(self, evidence: Evidence, facets: Facets | None) -> Kinds:
        """Return the verdict on each pair."""
        if self.by == "outcomes" and facets is not None:
            return verdicts_by_outcomes(facets)
        return verdicts_by_measure(evidence, self.margin)

    def decision_tables(self, evidence: Evidence, facets: Facets | None, kinds: Kinds) -> dict[str, Table]:
        """Make the verdicts and the evidence."""
        outcomes = None
        if facets is not None and self.first is not None:
            shared = self.first.topics.tolist()
            outcomes = [outcome_rule_sentence(facets, i, pair, shared[i]) for i, pair in enumerate(self.names)]
        table = verdicts_table(
            evidence,
            kinds,
            self.names,
            [self.sentence(evidence, facets, kinds, pair) for pair in range(len(self.names))],
            basis=self.by,
            facets=facets,
            outcome_sentences=outcomes,
            made_by=self.made_by,
        )
        return {"verdicts": table, "evidence": evidence_table(evidence, self.names, self.margin, self.made_by)}

    def sentence(self, evidence: Evidence, facets: Facets | None, kinds: Kinds, pair: int) -> str:
        """Return the verdict on a pair in words."""
        names = self.names[pair]
        if self.by == "outcomes" and facets is not None and self.first is not None:
            counts = {"topics": len(self.first.values), "shared": int(self.first.topics[pair])}
            sentence = outcome_verdict_sentence(facets, kinds[pair], pair, names, **counts)
            return " ".join(filter(None, [sentence, contrary_measure(evidence, kinds[pair], pair, names)]))
        return measure_sentence(evidence, kinds[pair], pair, names, self.margin)

    def verdict(
        self, evidence: Evidence, facets: Facets | None, kinds: Kinds, verdicts: Table, *, steps: bool
    ) -> dict[str, Any]:
        """Return the verdict on the only pair, or how many pairs have each verdict."""
        shared: dict[str, Any] = {"by": self.by, "measure": evidence.primary.measure, "test": evidence.primary.test}
        shared |= {"level": evidence.level, "cutoff": None if self.first is None else self.cutoff}
        shared |= {"single_relevant": self.single_relevant}
        shared |= {} if facets is None else {"outcome_rule": f"{facets.rule_name} {self.outcome_rule.correction}"}
        if len(self.names) == 1:
            row: dict[str, Any] = verdicts.rows()[0]
            warning = unjudged_sentence(self.values, self.chosen[0], self.names[0], sparse=self.sparse)
            sentence = " ".join(filter(None, [row["sentence"], warning]))
            rule = ("strict", "do_no_harm", "do_no_harm_holm", "outcome_sentence", "detectable")
            return {"verdict": row["verdict"], **shared, **{name: row[name] for name in rule}, "sentence": sentence}
        counts = {str(kind): int((kinds == kind).sum()) for kind in KINDS}
        outcome_rule = self.outcome_rule if self.by == "outcomes" else None
        sentence = summary_sentence(evidence, list(kinds), self.names, rule=outcome_rule, steps=steps)
        return {"verdict": None, **shared, "pairs": len(self.names), **counts, "sentence": sentence}

    def gate(self, evidence: Evidence, facets: Facets | None, kinds: Kinds, harm: Table | None) -> Gate:
        """Return what requirements are checked against."""
        return Gate(
            values=self.values,
            chosen=self.chosen,
            names=self.names,
            evidence=evidence,
            kinds=kinds,
            facets=facets,
            basis=self.by,
            margins=self.margins,
            harm=harm,
            first=self.first,
        )

    def detail_tables(
        self, evidence: Evidence, facets: Facets | None, ordered: Dominance | None
    ) -> Iterator[dict[str, Table]]:
        """Make the other tables, in the order in which people read them."""
        yield self.outcome_tables(evidence, facets)
        yield self.harm()
        yield self.dominance(ordered)
        yield self.levels()
        yield {"overall": overall_table(self.values, self.chosen, self.naive, **self.how())}
        yield {"meaning": meaning_table(self.values, self.chosen, made_by=self.made_by)} | self.movers(ordered)

    def how(self) -> dict[str, Any]:
        """Return how the tests of lin2021 are asked."""
        return {"correction": self.correct or Bonferroni(), "asked": self.asked, "made_by": self.made_by}

    def outcome_tables(self, evidence: Evidence, facets: Facets | None) -> dict[str, Table]:
        """Make the outcomes of topics, their test and the ranks where both runs answer."""
        if self.first is None or facets is None:
            return {}
        runs, made_by = self.values.runs, self.made_by
        return {
            "outcomes": outcomes_table(self.first, runs, level=self.asked.level, made_by=made_by),
            "answered": answered_table(self.first, runs, **self.how()),
            "both": both_table(self.first, runs, search_length=evidence.search_length, **self.how()),
            "facets": facets_table(self.first, runs, facets, made_by=made_by),
        }

    def movers(self, ordered: Dominance | None) -> dict[str, Table]:
        """Make the topics with the largest differences."""
        first = self.first
        if first is None:
            first = Pairs.given(np.full((len(self.values.topics), len(self.values.runs)), np.nan), self.chosen)
        return moving_tables(
            first,
            self.values.runs,
            self.values,
            self.chosen,
            topics=self.values.topics,
            dominance=_words(ordered, self.values),
            made_by=self.made_by,
        )

    def harm(self) -> dict[str, Table]:
        """Make the non-inferiority tests, one for each margin."""
        primary = str(self.values.measures[0])
        # The table tests measures by t. Where another test decides, it speaks of the primary measure alone.
        margins = {name: one for name, one in self.margins.items() if name != primary or self.test.name == "t"}
        if not margins:
            return {}
        without = zip(self.values.measures, self.values.without_relevant, strict=True)
        nothing = {str(measure) for measure, topics in without if topics.all()}
        if self.values.assessed is not None and not self.values.assessed.relevant(self.rel)[self.values.places].any():
            nothing.add("answered")
        how: dict[str, Any] = {"margins": margins, "values": self.values, "chosen": self.chosen}
        how["nothing_relevant"] = nothing
        return {"harm": harm_table(self.first, self.values.runs, asked=self.asked, made_by=self.made_by, **how)}

    def dominance(self, ordered: Dominance | None) -> dict[str, Table]:
        """Make the topics in which a ranking dominates, and how measures decide the others."""
        if ordered is None:
            return {}
        names = [(pair.a, pair.b) for pair in self.names]
        outcome = ordered.outcome[:, :, self.values.places]
        known = (ordered.levels, outcome, names)
        return {
            "dominance": dominance_table(*known, made_by=self.made_by),
            "dominance_test": dominance_test_table(*known, made_by=self.made_by),
            "splits": splits_table(*known, self.values, self.chosen, made_by=self.made_by),
        }

    def levels(self) -> dict[str, Table]:
        """Make the preferences of users who want one relevant document, two, and so on."""
        if self.values.assessed is None:
            return {}
        preferences = compare_levels(self.values.assessed, self.chosen, rel=self.rel, depth=self.depth)._asdict()
        by_way = {way: preferred[:, self.values.places] for way, preferred in preferences.items()}
        return {"levels": levels_table(by_way, [(pair.a, pair.b) for pair in self.names], made_by=self.made_by)}

    def label_notes(self) -> list[str]:
        """Return notes on topics without a relevant document, and on labels with one per topic."""
        if self.values.assessed is None:
            return []
        counts = self.values.assessed.relevant(self.rel)[self.values.places]
        notes = []
        if none := int((counts == 0).sum()):
            notes.append(f"{none:,} topic{'s have' if none > 1 else ' has'} no relevant document: neither run answers")
        if self.sparse and self.by == "measure" and self.single_relevant is not None:
            notes.append(
                f"these labels have one relevant document per topic ({self.single_relevant:.0%} of topics): "
                "--by outcomes decides by topics answered and by rank where both answer"
            )
        return notes


def _words(ordered: Dominance | None, values: Values) -> Any:
    """(pair, topic): who dominates, all grades together."""
    if ordered is None:
        return None
    return [[WORDS[code] for code in pair] for pair in ordered.outcome[:, 0, values.places].tolist()]
