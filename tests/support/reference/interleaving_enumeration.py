"""Every page that an interleaving method can build, with its exact probability."""

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations

from hypothesis import strategies as st

Page = tuple[tuple[str, ...], tuple[int, ...]]  # documents, and whose each is
Pages = dict[Page, Fraction]
Lists = Sequence[Sequence[str]]


def best_left(own: Sequence[str], shown: Sequence[str]) -> str:
    """The highest document of a list that is not shown."""
    return next(document for document in own if document not in shown)


def balanced_pages(a: Sequence[str], b: Sequence[str]) -> Pages:
    """Algorithm 1 of the chapter with its pointers always moving on: one page for each side of the coin."""
    found: Pages = {}
    for a_first in (True, False):
        page: list[tuple[str, int]] = []
        k_a = k_b = 1
        while k_a <= len(a) and k_b <= len(b):
            if k_a < k_b or (k_a == k_b and a_first):
                if a[k_a - 1] not in [document for document, _ in page]:
                    page.append((a[k_a - 1], 0))
                k_a += 1
            else:
                if b[k_b - 1] not in [document for document, _ in page]:
                    page.append((b[k_b - 1], 1))
                k_b += 1
        documents, teams = zip(*page, strict=True)
        found[documents, teams] = found.get((documents, teams), Fraction(0)) + Fraction(1, 2)
    return found


def team_draft_pages(lists: Lists, length: int) -> Pages:
    """Rounds, in each of which all orders of the lists are as likely."""
    pages: Pages = {((), ()): Fraction(1)}
    orders = list(permutations(range(len(lists))))
    while any(len(documents) < length for documents, _ in pages):
        grown: Pages = defaultdict(Fraction)
        for (documents, teams), chance in pages.items():
            for order in orders:
                now, whose = list(documents), list(teams)
                for team in order:
                    if len(now) < length:
                        now.append(best_left(lists[team], now))
                        whose.append(team)
                grown[tuple(now), tuple(whose)] += chance / len(orders)
        pages = grown
    return pages


def probabilistic_pages(lists: Lists, length: int, *, tau: int, rounds: bool) -> Pages:
    """A list for every place, drawn by a fair coin or in rounds; then a document by rank^−tau of those left."""
    found: Pages = defaultdict(Fraction)

    def grow(documents: tuple[str, ...], teams: tuple[int, ...], chance: Fraction) -> None:
        if len(documents) == length:
            found[documents, teams] += chance
            return
        this_round = teams[len(teams) - len(teams) % len(lists) :] if rounds else ()
        waiting = [team for team in range(len(lists)) if team not in this_round]
        for team in waiting:
            weight = {
                document: Fraction(1, rank**tau)
                for rank, document in enumerate(lists[team], start=1)
                if document not in documents
            }
            for document, one in weight.items():
                step = one / sum(weight.values()) / len(waiting)
                grow((*documents, document), (*teams, team), chance * step)

    grow((), (), Fraction(1))
    return found


def ppm_pages(lists: Lists, length: int) -> Pages:
    """At rank k any document among the first k of some list, all as likely."""
    pages: dict[tuple[str, ...], Fraction] = {(): Fraction(1)}
    for k in range(1, length + 1):
        grown: dict[tuple[str, ...], Fraction] = defaultdict(Fraction)
        for page, chance in pages.items():
            waiting = {document for own in lists for document in own[:k]} - set(page)
            for document in waiting:
                grown[*page, document] += chance / len(waiting)
        pages = grown
    return {(page, (-1,) * length): chance for page, chance in pages.items()}


@st.composite
def some_lists(draw: st.DrawFn, *, least: int = 2, most: int = 2, longest: int = 5) -> list[list[str]]:
    """Lists of one length or of several, with documents in common or without."""
    number = draw(st.integers(least, most))
    orders = [draw(st.permutations("abcdefg")) for _ in range(number)]
    return [list(order[: draw(st.integers(1, longest))]) for order in orders]
