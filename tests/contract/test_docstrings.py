"""Docstrings: everything declared is defined in its first line, in words of the domain."""

import re

from cranfield.core import definition
from tests.support.source_tree import catalogues

NOT_A_DEFINITION = re.compile(r"(this|the) (class|measure|test|function|model|method)\b", re.IGNORECASE)


def fault(text: str) -> str:
    """What is wrong with a definition, or nothing."""
    if not text:
        return "has no definition"
    if NOT_A_DEFINITION.match(text):
        return "talks about itself"
    if not text.endswith((".", "?")) and ":" not in text:
        return "is no sentence"
    return ""


def test_every_declaration_is_defined() -> None:
    wrong = [
        f"{where}: {declared.name} {found}: {definition(declared)}"  # type: ignore[attr-defined]
        for where, catalogue in catalogues().items()
        for declared in catalogue
        if (found := fault(definition(declared)))
    ]
    assert not wrong, "\n".join(wrong)


def test_this_test_knows_a_definition() -> None:
    assert not fault("Rank-biased precision: a user who steps on with probability ``p``")
    assert not fault("The share of relevant documents above ``k``.")
    assert fault("This class computes precision.") == "talks about itself"
    assert fault("Precision") == "is no sentence"
    assert fault("") == "has no definition"
