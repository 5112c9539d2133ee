"""Reference novelty measures: what a ranking adds to others, with dictionaries and loops."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

Grades = dict[str, int]  # of the judged documents of one topic; below 0 is not judged
Ranking = Sequence[str]  # documents from the top
Curve = list[float]  # a number for each rank of a ranking


@dataclass(frozen=True)
class Read:
    """A measure with a user: what a document is worth, how far the user gets, and what the sum is divided by."""

    gain: Callable[[int], float]
    seen: Callable[[Ranking, Grades], Curve]
    k: int
    divided: Callable[[Ranking, Grades], float] = lambda *_: 1.0
    ideal: bool = False
    by_rank: bool = False  # ERR: 1/i is part of the score, and not of what is seen
    largest: bool = False  # RR: one document counts

    def residual_gain(self, document: str, grades: Grades, priors: Sequence[Ranking]) -> float:
        """Bigdeli et al., equation 3: G(d) · Π_j (1 − seen(pos(d, R_j))); nothing is seen below rank k."""
        left = self.gain(grades.get(document, -1))
        for prior in priors:
            if document in prior[: self.k]:
                left *= 1 - self.seen(prior, grades)[prior.index(document)]
        return left

    def nrg(self, ranking: Ranking, grades: Grades, priors: Sequence[Ranking] = ()) -> float:
        """Equation 4: the same sum as in the measure, with residual gains."""
        seen = self.seen(ranking, grades)
        worth = [
            self.residual_gain(document, grades, priors) * seen[place] / (place + 1 if self.by_rank else 1)
            for place, document in enumerate(ranking[: self.k])
        ]
        total = max(worth, default=0.0) if self.largest else math.fsum(worth)
        if not self.ideal:
            return total / self.divided(ranking, grades)
        return total / best if (best := self.at_best(grades, priors)) else 0.0

    def at_best(self, grades: Grades, priors: Sequence[Ranking]) -> float:
        """All judged documents in the order of their residual gains."""
        left = sorted((self.residual_gain(document, grades, priors) for document in grades), reverse=True)
        seen = self.seen([f"place {i}" for i in range(len(left))], {})
        return math.fsum(gain * share for gain, share in zip(left[: self.k], seen, strict=False))


def by_rank_alone(k: int, curve: Callable[[int], float]) -> Callable[[Ranking, Grades], Curve]:
    """A user to whom it does not matter what is seen."""
    return lambda ranking, _: [curve(rank) if rank <= k else 0.0 for rank in range(1, len(ranking) + 1)]


def grade_gain(grade: int) -> float:
    return float(max(grade, 0))


def binary(rel: int = 1) -> Callable[[int], float]:
    return lambda grade: float(grade >= rel)


def dcg(k: int, gain: Callable[[int], float] = grade_gain, *, ideal: bool = False) -> Read:
    return Read(gain, by_rank_alone(k, lambda rank: 1 / math.log2(rank + 1)), k, ideal=ideal)


def precision(k: int, rel: int = 1) -> Read:
    return Read(binary(rel), by_rank_alone(k, lambda _: 1.0), k, lambda *_: k)


def rbp(k: int, p: float, gain: Callable[[int], float]) -> Read:
    return Read(gain, by_rank_alone(k, lambda rank: p ** (rank - 1)), k, lambda *_: 1 / (1 - p))


def reciprocal(k: int, rel: int = 1) -> Read:
    return Read(binary(rel), by_rank_alone(k, lambda rank: 1 / rank), k, largest=True)


def expected_reciprocal(k: int, top: int) -> Read:
    """Who was not satisfied by a document above sees the next one."""

    def satisfies(grade: int) -> float:
        return (2.0 ** max(grade, 0) - 1) / 2.0**top

    def seen(ranking: Ranking, grades: Grades) -> Curve:
        left, curve = 1.0, []
        for document in ranking:
            curve.append(left)
            left *= 1 - satisfies(grades.get(document, -1))
        return curve

    return Read(satisfies, seen, k, by_rank=True)


def inst(k: int, top: int, hope: float) -> Read:
    """Moffat et al.: after rank i somebody goes on with ((i + 2T − G − 1) / (i + 2T − G))², G gained so far."""

    def gain(grade: int) -> float:
        return max(grade, 0) / top

    def users(ranking: Ranking, grades: Grades, ranks: int) -> Curve:
        left, gained, curve = 1.0, 0.0, []
        for i in range(1, ranks + 1):
            curve.append(left)
            gained += gain(grades.get(ranking[i - 1], -1)) if i <= len(ranking) else 0.0
            left *= ((i + 2 * hope - gained - 1) / (i + 2 * hope - gained)) ** 2
        return curve

    return Read(
        gain,
        lambda ranking, grades: users(ranking, grades, len(ranking)),
        k,
        lambda ranking, grades: math.fsum(users(ranking, grades, k)),  # of the first k ranks, filled or not
    )


def unique(k: int, rel: int, ranking: Ranking, grades: Grades, priors: Sequence[Ranking]) -> float:
    """Relevant documents of the first k that are in nobody else's first k."""
    found = {document for document in ranking[:k] if grades.get(document, -1) >= rel}
    return float(len(found - {document for prior in priors for document in prior[:k]}))


def rareness(k: int, alpha: float, ranking: Ranking, grades: Grades, priors: Sequence[Ranking]) -> float:
    """Türkmen et al.: (1/k) Σ rel_i · (1 + α(1 − n_d/S)), n_d of the S runs have the document in their first k."""
    everybody = [ranking, *priors]
    total = 0.0
    for document in ranking[:k]:
        if grades.get(document, -1) >= 1:
            total += 1 + alpha * (1 - sum(document in other[:k] for other in everybody) / len(everybody))
    return total / k


def coverage(own: float, known: Sequence[float], by: str) -> float:
    """Arabzadeh et al.: what the others leave of the topic, times the own value."""
    if not known:
        return own
    return own * (1 - (max(known) if by == "max" else math.fsum(known) / len(known)))


TOP = 3
# The same measures in notation, to be settled with the top grade 3.
READ: dict[str, Read] = {
    "nDCG@10": dcg(10, ideal=True),
    "nDCG@3": dcg(3, ideal=True),
    "nDCG(dcg='exp-log2')@5": dcg(5, lambda grade: 2.0 ** max(grade, 0) - 1, ideal=True),
    "DCG@10": dcg(10),
    "DCG(dcg='exp-log2')@5": dcg(5, lambda grade: 2.0 ** max(grade, 0) - 1),
    "P@5": precision(5),
    "P(rel=2)@10": precision(10, 2),
    "RBP@20": rbp(20, 0.8, binary()),
    "RBP(p=0.5,rel=2)@10": rbp(10, 0.5, binary(2)),
    "RBP(max_rel=3,p=0.9)@20": rbp(20, 0.9, lambda grade: max(grade, 0) / TOP),
    "RR@10": reciprocal(10),
    "RR(rel=2)@5": reciprocal(5, 2),
    "ERR(max_rel=3)@10": expected_reciprocal(10, TOP),
    "INST(max_rel=3)@10": inst(10, TOP, 1.0),
    "INST(T=2.5,max_rel=3)@20": inst(20, TOP, 2.5),
}


def expected(name: str, ranking: Ranking, grades: Grades, priors: Sequence[Ranking]) -> float:
    """The value of one of RELATIVE for a run that is read after others."""
    if name.startswith("NRG"):
        return READ[name.removeprefix("NRG(").removesuffix(")")].nrg(ranking, grades, priors)
    if name.startswith("TaSC"):
        inside, _, by = name.removeprefix("TaSC(").removesuffix(")").partition(",by=")
        measure = READ[inside]
        known = [measure.nrg(prior, grades) for prior in priors]
        return coverage(measure.nrg(ranking, grades), known, by.strip("'") or "max")
    of, _, k = name.partition("@")
    if of.startswith("Unique"):
        return unique(int(k), 2 if "rel=2" in of else 1, ranking, grades, priors)
    return rareness(int(k), 0.25 if "alpha" in of else 1.0, ranking, grades, priors)


RELATIVE = [
    *(f"NRG({name})" for name in READ),
    "TaSC(nDCG@10)",
    "TaSC(nDCG@10,by='mean')",
    "TaSC(P@5)",
    "TaSC(RR@10,by='mean')",
    "Unique@10",
    "Unique@3",
    "Unique(rel=2)@5",
    "RareP@10",
    "RareP(alpha=0.25)@5",
]
