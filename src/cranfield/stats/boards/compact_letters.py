"""Compact letter display: runs that share a letter do not differ significantly."""

import re
from itertools import groupby
from string import ascii_lowercase, ascii_uppercase

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError
from cranfield.core.types import Rows

ALPHABET = ascii_lowercase + ascii_uppercase
SIGN = re.compile(r"[A-Za-z]\d*")


def letters(means: Rows, significant: NDArray[np.bool_]) -> list[str]:
    """(run,): the letters of each run, such that two runs share one if and only if they do not differ significantly.

    ``significant`` is (run, run); either half will do. A letter stands for a largest set of runs that do not differ
    among each other, and none can be left out. The group of the best run is a. After z come A to Z, then a1 to Z1, a2
    and so on: a number belongs to the letter before it, so that letters written together stay apart.
    """
    signs: list[list[str]] = [[] for _ in means]
    for place, group in enumerate(groups(means, significant)):
        for run in group:
            signs[run].append(sign(place))
    return ["".join(each) for each in signs]


def groups(means: Rows, significant: NDArray[np.bool_]) -> list[list[int]]:
    """The runs behind each letter, best first; the letters in the order of their best runs."""
    means, significant = np.asarray(means, dtype=float), np.asarray(significant, dtype=bool)
    runs = len(means)
    if significant.shape != (runs, runs):
        shape = " × ".join(map(str, significant.shape))
        raise ParameterError(f"{runs} runs, but {shape} comparisons", hint="give a square: every run beside every run")
    order = np.argsort(-means, kind="stable")
    alike = ~(significant | significant.T)[np.ix_(order, order)]
    np.fill_diagonal(alike, val=False)
    found = _needed(_grown(_covering(_bits(alike)), _bits(alike)), runs)
    return [order[list(group)].tolist() for group in sorted(found)]


def share_letter(a: str, b: str) -> bool:
    """Return whether two runs share a letter: they do not differ significantly."""
    return not set(SIGN.findall(a)).isdisjoint(SIGN.findall(b))


def sign(place: int) -> str:
    """The letter of a place, from 0: a … z, A … Z, a1 … Z1, a2 …"""
    number, letter = divmod(place, len(ALPHABET))
    return f"{ALPHABET[letter]}{number or ''}"


def shorten(written: str) -> str:
    """The same letters, four neighbours or more as first–last and spaces between: ``abcdh`` is ``a–d h``."""
    places = [ALPHABET.index(text[0]) + len(ALPHABET) * int(text[1:] or 0) for text in SIGN.findall(written)]
    short = []
    for _, neighbours in groupby(enumerate(places), lambda each: each[1] - each[0]):
        signs = [sign(place) for _, place in neighbours]
        short.append(f"{signs[0]}–{signs[-1]}" if len(signs) > 3 else "".join(signs))
    return " ".join(short)


def _bits(alike: NDArray[np.bool_]) -> list[int]:
    """(run,): those that are like it as the bits of a whole number, the best run being the lowest bit."""
    packed = np.packbits(alike, axis=1, bitorder="little")
    return [int.from_bytes(row.tobytes(), "little") for row in packed]


def _covering(alike: list[int]) -> list[int]:
    """Sets of runs that are all alike, as bits, in which every two runs that are alike meet.

    Inserting every significant pair and splitting the sets that hold it (piepho2004) can lead to exponentially many
    sets; growing them run by run does not (gramm2007).
    """
    found: list[int] = []
    for run, neighbours in enumerate(alike):
        earlier = neighbours & ((1 << run) - 1)
        missing = earlier
        for place, group in enumerate(found):
            if group & ~earlier == 0:
                found[place] |= 1 << run
                missing &= ~group
        while missing:
            most = max(found, key=lambda group: (group & missing).bit_count())
            found.append(most & earlier | 1 << run)
            missing &= ~most
        if not earlier:
            found.append(1 << run)
    return found


def _grown(found: list[int], alike: list[int]) -> list[tuple[int, ...]]:
    """The members of each set, after every run that is like all of them was taken in, better runs first."""
    grown = []
    for group in found:
        members = [run for run in range(len(alike)) if group >> run & 1]
        for run, neighbours in enumerate(alike):
            if group & ~neighbours == 0:
                group |= 1 << run
                members.append(run)
        grown.append(tuple(sorted(members)))
    return list(dict.fromkeys(grown))


def _needed(found: list[tuple[int, ...]], runs: int) -> list[tuple[int, ...]]:
    """Without sets whose pairs all meet elsewhere; the smallest go first."""
    meetings = np.zeros((runs, runs), dtype=int)
    for group in found:
        meetings[np.ix_(group, group)] += 1
    needed = []
    for group in sorted(found, key=len):
        pairs = np.ix_(group, group)
        if (meetings[pairs] > 1).all():
            meetings[pairs] -= 1
        else:
            needed.append(group)
    return needed
