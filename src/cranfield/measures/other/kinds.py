"""Kinds of measures: answers, preferences and sessions, and the lookup of any measure by name."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from cranfield.core import Catalogue
from cranfield.data import Named
from cranfield.measures.answers.base import ANSWER_MEASURES, NUGGETIZER, parse_answer_measure
from cranfield.measures.base import MEASURES
from cranfield.measures.notation.parsing import parse_measure

from .base import OtherMeasure
from .preferences import PREFERENCES, TREC_PREFS, parse_preference_measure
from .sessions import SESSION_MEASURES, parse_session_measure

NAME = re.compile(r"[@(]")  # where the name of a measure ends


@dataclass(frozen=True, slots=True)
class Kind:
    """What else than a ranking is measured, who takes its measures, and how they are read."""

    title: str
    catalogue: Catalogue[Any]
    parse: Callable[[str], OtherMeasure]
    theirs: Mapping[str, str] = field(default_factory=dict)  # what other tools call them
    needed: Mapping[str, str] = field(default_factory=dict)  # what has to be known, in words

    def has(self, name: str) -> bool:
        """Whether one goes by that name, here or elsewhere."""
        return name in self.catalogue or name.casefold() in map(str.casefold, self.theirs)


OTHERS = {
    "answers": Kind(
        "written answers: cranfield nuggets -m",
        ANSWER_MEASURES,
        parse_answer_measure,
        NUGGETIZER,
        {
            "nuggets": "which nuggets answers support",
            "characters": "which nuggets answers support, and their lengths in characters",
            "words": "the lengths of answers",
            "citations": "how far citations support sentences",
        },
    ),
    "preferences": Kind(
        "preferences between documents: cranfield evaluate --prefs -m",
        PREFERENCES,
        parse_preference_measure,
        TREC_PREFS,
        {"preferences": "which documents people prefer to which"},
    ),
    "session": Kind(
        "sessions of several rankings, in Python: cranfield.measures.session_values",
        SESSION_MEASURES,
        parse_session_measure,
    ),
}


def kind_of(name: str) -> str | None:
    """What kind of thing a measure is of that goes by a name; None: of a ranking, or there is none.

    Case counts where a measure of rankings has the same letters: SDCG is of a ranking, sDCG of a session.
    """
    spelled = next((kind for kind, other in OTHERS.items() if name in other.catalogue.names()), None)
    if spelled or name in MEASURES:
        return spelled
    return next((kind for kind, other in OTHERS.items() if other.has(name)), None)


def parse_named(text: str) -> Named:
    """The measure that a notation stands for, whatever it is of."""
    kind = kind_of(NAME.split(text.strip())[0])
    return OTHERS[kind].parse(text) if kind else parse_measure(text)
