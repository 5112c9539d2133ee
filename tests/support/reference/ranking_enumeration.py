"""Every ranking of a set of grades, and reference measures of each with plain loops."""

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from itertools import product
from math import factorial, log2, prod
from typing import TypeAlias

Ranking: TypeAlias = tuple[int, ...]
Counts: TypeAlias = Mapping[int, int]  # of each grade so many documents
Number: TypeAlias = Fraction | float


def rankings(length: int, counts: Counts) -> list[Ranking]:
    """All rankings for which there are documents enough, as numbers go up."""
    found = product([0, *sorted(counts)], repeat=length)
    return [one for one in found if all(one.count(grade) <= count for grade, count in counts.items())]


def how_many(length: int, counts: Counts) -> int:
    """Their number: for each choice of how many of every grade, the orders of a multiset."""
    total = 0
    for chosen in product(*(range(count + 1) for count in counts.values())):
        if sum(chosen) <= length:
            total += factorial(length) // prod(map(factorial, (*chosen, length - sum(chosen))))
    return total


def hits(ranking: Ranking, rel: int = 1) -> list[int]:
    return [int(grade >= rel) for grade in ranking]


def precision(ranking: Ranking, counts: Counts) -> Number:
    return Fraction(sum(hits(ranking)), len(ranking))


def recall(ranking: Ranking, counts: Counts) -> Number:
    return Fraction(sum(hits(ranking)), sum(counts.values()))


def average_precision(ranking: Ranking, counts: Counts) -> Number:
    found = hits(ranking)
    parts = [Fraction(sum(found[: i + 1]), i + 1) for i, hit in enumerate(found) if hit]
    return sum(parts, Fraction(0)) / sum(counts.values())


def reciprocal_rank(ranking: Ranking, counts: Counts) -> Number:
    return next((Fraction(1, rank) for rank, hit in enumerate(hits(ranking), 1) if hit), Fraction(0))


def rbp_half(ranking: Ranking, counts: Counts) -> Number:
    return sum((Fraction(hit, 2**rank) for rank, hit in enumerate(hits(ranking), 1)), Fraction(0))


def dcg(ranking: Iterable[int], counts: Counts) -> Number:
    return sum(grade / log2(rank + 1) for rank, grade in enumerate(ranking, 1))


def ndcg(ranking: Ranking, counts: Counts) -> Number:
    ideal = sorted((grade for grade, count in counts.items() for _ in range(count)), reverse=True)
    return dcg(ranking, counts) / dcg(ideal[: len(ranking)], counts)


def err(ranking: Ranking, counts: Counts) -> Number:
    top, left, value = max(counts), Fraction(1), Fraction(0)
    for rank, grade in enumerate(ranking, 1):
        stop = Fraction(2**grade - 1, 2**top)
        value, left = value + left * stop / rank, left * (1 - stop)
    return value


def rbto(ranking: Ranking, counts: Counts) -> Number:
    base = max(counts) + 1
    number = sum(grade * base ** (len(ranking) - rank) for rank, grade in enumerate(ranking, 1))
    return Fraction(number, base ** len(ranking) - 1)


MEASURES: dict[str, Callable[[Ranking, Counts], Number]] = {
    "P": precision,
    "R": recall,
    "AP": average_precision,
    "RR": reciprocal_rank,
    "RBP(p=0.5)": rbp_half,
    "RBTO": rbto,
    "ERR": err,
    "DCG": dcg,
    "nDCG": ndcg,
}


def grouped(name: str, length: int, counts: Counts) -> list[tuple[Number, list[Ranking]]]:
    """The different values, lowest first, each with its rankings; floats are told apart from 1e-10."""
    value = {one: MEASURES[name](one, counts) for one in rankings(length, counts)}
    found: list[tuple[Number, list[Ranking]]] = []
    for one in sorted(value, key=lambda one: (value[one], one)):
        exact = isinstance(value[one], Fraction)
        if not found or value[one] - found[-1][0] > (0 if exact else 1e-10):
            found.append((value[one], []))
        found[-1][1].append(one)
    return [(number, sorted(some)) for number, some in found]


def text(ranking: Ranking) -> str:
    return "".join(map(str, ranking))
