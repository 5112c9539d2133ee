"""Digests of data that came from no file."""

from hashlib import blake2b

import numpy as np

from cranfield._native import Strings
from cranfield.data.files.data_source import TEXTS_AT_ONCE, digest


def test_a_digest_is_that_of_all_values_one_after_the_other() -> None:
    texts = [f"é{i}" for i in range(TEXTS_AT_ONCE + 1)]
    numbers = np.array([1.5, -2.0])
    content = b"".join(text.encode() + b"\0" for text in texts) + b"\1" + numbers.tobytes() + b"\1"
    assert digest(Strings(texts), numbers) == blake2b(content, digest_size=32).hexdigest()


def test_no_texts_are_no_content() -> None:
    assert digest(Strings([])) == blake2b(b"\1", digest_size=32).hexdigest()
