"""Reference measures: one ranking, plain loops, as their sources define them."""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations, product

Grades = Mapping[str, int]


def orders(ties: Sequence[Sequence[str]]) -> Iterator[list[str]]:
    """Every order that a ranking with ties may take."""
    for shuffled in product(*(permutations(tied) for tied in ties)):
        yield [document for tied in shuffled for document in tied]


def average_precision(ranking: Sequence[str], grades: Grades) -> float:
    """Buckley & Voorhees 2005: the mean over relevant documents of the precision where each was found."""
    relevant = sum(grade > 0 for grade in grades.values())
    found, total = 0, 0.0
    for rank, document in enumerate(ranking, 1):
        if grades.get(document, 0) > 0:
            found += 1
            total += found / rank
    return total / relevant if relevant else 0.0


def expected_average_precision(ties: Sequence[Sequence[str]], grades: Grades) -> float:
    """McSherry & Najork 2008: the mean over all orders of the tied documents."""
    values = [average_precision(order, grades) for order in orders(ties)]
    return math.fsum(values) / len(values)


def inferred_average_precision(ranking: Sequence[str], grades: Grades) -> float:
    """Yilmaz & Aslam 2006, smoothed as in trec_eval 9 (m_infap.c): pooled is in the qrels; below 0, not judged."""
    epsilon = 1e-5
    relevant = nonrelevant = unjudged = 0
    total = 0.0
    for above, document in enumerate(ranking):
        if document not in grades:
            continue
        if grades[document] < 0:
            unjudged += 1
        elif grades[document] == 0:
            nonrelevant += 1
        else:
            if above == 0:
                total += 1
            else:
                pooled = (relevant + nonrelevant + unjudged) / above
                precision = (relevant + epsilon) / (relevant + nonrelevant + 2 * epsilon)
                total += 1 / (above + 1) + above / (above + 1) * pooled * precision
            relevant += 1
    known = sum(grade > 0 for grade in grades.values())
    return total / known if known else 0.0


def time_biased_gain(ranking: Sequence[str], grades: Grades, lengths: Mapping[str, float], otherwise: float) -> float:
    """Smucker & Clarke 2012, with their constants: gain decays with the time spent on everything above."""
    time = gain = 0.0
    for document in ranking:
        relevant = grades.get(document, 0) > 0
        if relevant:
            gain += 0.64 * 0.77 * math.exp(-time * math.log(2) / 224)
        click = 0.64 if relevant else 0.39
        time += 4.4 + click * (0.018 * lengths.get(document, otherwise) + 7.8)
    return gain


def overlap(ranking: Sequence[str], ideal: Sequence[str], p: float, depth: int) -> float:
    """Rank-biased overlap, Webber, Moffat & Zobel 2010, cut at a depth and divided by the weights down to it."""
    total = weights = 0.0
    for i in range(1, depth + 1):
        total += p ** (i - 1) * len(set(ranking[:i]) & set(ideal[:i])) / i
        weights += p ** (i - 1)
    return total / weights


def compatibility(ranking: Sequence[str], grades: Grades, p: float, depth: int) -> float:
    """Clarke, Vtyurina & Smucker 2021: overlap with the ideal nearest to the run, divided by the best there is."""
    place = {document: i for i, document in enumerate(ranking)}
    ideal = [document for document, grade in grades.items() if grade > 0]
    ideal.sort(key=lambda document: place.get(document, len(ranking)))
    ideal.sort(key=lambda document: -grades[document])
    best = overlap(ideal, ideal, p, depth)
    return overlap(ranking, ideal, p, depth) / best if best else 0.0


def novelty_ndcg(ranking: Sequence[str], grades: Grades, priors: Sequence[Sequence[str]], k: int) -> float:
    """Bigdeli et al., NRG of nDCG@k: what earlier rankings showed is worth less, in the run and in its ideal."""

    def seen(ranking: Sequence[str], document: str) -> float:
        shown = ranking[:k]
        return 1 / math.log2(shown.index(document) + 2) if document in shown else 0.0

    def residual(document: str) -> float:
        return max(grades.get(document, 0), 0) * math.prod(1 - seen(prior, document) for prior in priors)

    gained = math.fsum(residual(document) * seen(ranking, document) for document in ranking[:k])
    best = sorted(map(residual, grades), reverse=True)[:k]
    ideal = math.fsum(gain / math.log2(i + 2) for i, gain in enumerate(best))
    return gained / ideal if ideal else 0.0


def alpha_dcg(ranking: Sequence[str], subtopics: Mapping[str, set[str]], alpha: float, k: int) -> float:
    """Clarke et al. 2008: a subtopic is worth 1 - alpha less each time it has been seen."""
    seen: dict[str, int] = {}
    total = 0.0
    for rank, document in enumerate(ranking[:k], 1):
        for subtopic in subtopics.get(document, ()):
            total += (1 - alpha) ** seen.get(subtopic, 0) / math.log2(1 + rank)
            seen[subtopic] = seen.get(subtopic, 0) + 1
    return total


def alpha_ndcg(ranking: Sequence[str], subtopics: Mapping[str, set[str]], alpha: float, k: int) -> float:
    """Clarke et al. 2008: over the greedy ideal; of documents that add the same, the first named comes next."""
    ideal: list[str] = []
    seen: dict[str, int] = {}
    while len(ideal) < min(k, len(subtopics)):
        adds = {
            document: sum((1 - alpha) ** seen.get(subtopic, 0) for subtopic in about)
            for document, about in subtopics.items()
            if document not in ideal
        }
        ideal.append(max(adds, key=adds.__getitem__))
        for subtopic in subtopics[ideal[-1]]:
            seen[subtopic] = seen.get(subtopic, 0) + 1
    best = alpha_dcg(ideal, subtopics, alpha, k)
    return alpha_dcg(ranking, subtopics, alpha, k) / best if best else 0.0


def expected_exposure(ties: Sequence[Sequence[str]], members: set[str], patience: float) -> float:
    """Diaz et al. 2020: the attention that a group's documents get, over all orders of the tied documents."""
    values = [
        math.fsum(patience**i for i, document in enumerate(order) if document in members) for order in orders(ties)
    ]
    return math.fsum(values) / len(values) if values else 0.0
