"""Default seed, and random number generators with an independent stream for each named task."""

import operator
from typing import SupportsIndex

import numpy as np

from .errors import ParameterError

SEED = 0  # every command and function starts from this unless told otherwise, so that two people get one answer


def generator(seed: SupportsIndex, *words: str | SupportsIndex) -> "np.random.Generator":  # numpy loads it on demand
    """A stream that depends on the seed and the words alone.

    ``generator(7, "bootstrap", block)`` gives a block of draws the same numbers whichever thread makes it, and
    ``generator(7)`` is numpy's own ``default_rng(7)``. Words are hashed with BLAKE2: ``hash()`` differs by process.
    """
    try:
        entropy = operator.index(seed)
    except TypeError:
        raise ParameterError(f"the seed {seed!r} is not a whole number", hint="give an integer, 0 or more") from None
    if entropy < 0:
        raise ParameterError(f"the seed {entropy} is negative", hint="give an integer, 0 or more")
    return np.random.default_rng(np.random.SeedSequence(entropy, spawn_key=_key(words)))


def _key(words: tuple[str | SupportsIndex, ...]) -> tuple[int, ...]:
    if not words:
        return ()
    # The kind and the length of each word keep ("ab", "c"), ("a", "bc") and ("1",), (1,) apart.
    spelled = [("s", word) if isinstance(word, str) else ("i", str(operator.index(word))) for word in words]
    text = "".join(f"{kind}{len(word)}:{word}" for kind, word in spelled)
    from hashlib import blake2b

    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    return tuple(np.frombuffer(digest, dtype="<u4").tolist())
