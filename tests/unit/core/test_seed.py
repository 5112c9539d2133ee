"""Streams of random numbers: named, stable, apart from each other."""

import subprocess
import sys
from hashlib import blake2b

import numpy as np
import pytest

from cranfield.core import SEED, ParameterError, generator


def test_the_same_seed_and_words_give_the_same_stream_in_any_process() -> None:
    script = (
        "from cranfield.core import generator; print(generator(7, 'bootstrap', 3).integers(10**9, size=4).tolist())"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script], check=True, capture_output=True, text=True, env={"PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("1", "2")
    }
    assert outputs == {f"{generator(7, 'bootstrap', 3).integers(10**9, size=4).tolist()}\n"}


def test_words_are_a_spawn_key_that_can_be_worked_out_by_hand() -> None:
    # Each word with its kind and length, hashed to four little-endian numbers: a change changes every published number.
    digest = blake2b(b"s6:goldeni1:1", digest_size=16).digest()
    key = [int.from_bytes(digest[i : i + 4], "little") for i in range(0, 16, 4)]
    expected = np.random.default_rng(np.random.SeedSequence(SEED, spawn_key=key))
    assert (generator(SEED, "golden", 1).random(8) == expected.random(8)).all()


def test_without_words_it_is_numpys_own() -> None:
    assert (generator(5).random(8) == np.random.default_rng(5).random(8)).all()


def test_words_keep_streams_apart() -> None:
    words = [(), ("",), ("", ""), ("ab", "c"), ("a", "bc"), ("1",), (1,), (1, 1), (11,), (-1,), ("s1:1",)]
    firsts = {generator(0, *w).integers(2**63) for w in words} | {generator(1, *w).integers(2**63) for w in words}
    assert len(firsts) == 2 * len(words)


def test_numpy_integers_are_integers() -> None:
    assert generator(np.int64(3), np.int32(2)).random() == generator(3, 2).random()


@pytest.mark.parametrize("seed", [-1, 1.5, "7", None])
def test_a_seed_is_a_whole_number_from_zero(seed: object) -> None:
    with pytest.raises(ParameterError) as caught:
        generator(seed)  # type: ignore[arg-type]
    assert caught.value.hint == "give an integer, 0 or more"
