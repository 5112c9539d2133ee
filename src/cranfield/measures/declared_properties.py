"""Declared properties of measures: scale, counterexamples to axioms and worked examples."""

from dataclasses import dataclass

from cranfield.core import Scale

AXIOMS = frozenset({"swap", "replacement", "ideal-best"})


@dataclass(frozen=True, slots=True)
class Claim:
    """What scale a measure's values have, and who says so.

    ``own`` holds against the order of runs that the measure itself gives, ``top_heavy`` against the order that puts the
    first rank above everything below it (RBTO): a measure that turns no pair of that order round is at least ordinal.
    Interval claims hold within one topic.
    """

    own: Scale
    top_heavy: Scale
    cite: str
    condition: str = ""  # what must be true of the grades for the claim to hold

    @property
    def sentence(self) -> str:
        """Both claims, the orders that they hold against, and the source."""
        condition = f" {self.condition}" if self.condition else ""
        return (
            f"{self.own}{condition}, within one topic and against the measure's own order of rankings ({self.cite}); "
            f"against an order that puts the first rank above all others: {self.top_heavy}"
        )


ORDINAL = Claim(Scale.ORDINAL, Scale.NOMINAL, "ferrante2021")
INTERVAL = Claim(Scale.INTERVAL, Scale.INTERVAL, "ferrante2021")
COUNTED = Claim(Scale.INTERVAL, Scale.NOMINAL, "ferrante2021")  # how many there are, wherever they stand
GRADED = Claim(Scale.INTERVAL, Scale.NOMINAL, "ferrante2021", "if the grades have a ratio scale")  # sums of grades
RATIO = Claim(Scale.RATIO, Scale.NOMINAL, "ferro2024")


@dataclass(frozen=True, slots=True)
class Counterexample:
    """Why a measure gives up an axiom: grades down a ranking that is better by the axiom, and yet has a lower value.

    -1 is an unjudged document; ``missed`` are grades of judged documents that ``before`` does not retrieve.
    """

    axiom: str
    before: tuple[int, ...]
    after: tuple[int, ...]
    missed: tuple[int, ...]
    cite: str
    of: str = ""  # the measure that it is shown with, in notation; nothing: as one would first use it
    lengths: tuple[tuple[int, float], ...] = ()  # how many words documents of a grade have, where that matters
    # What the side table that the measure needs says of documents of a grade.
    beside: tuple[tuple[int, tuple[float, ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class Example:
    """A value worked out by hand: grades down a ranking (-1: unjudged), and the arithmetic that gives the value.

    ``missed`` are grades of judged documents that the ranking does not hold. ``beside`` is what the side table that the
    measure needs says of each document, those of the ranking first: its grade in each subtopic, its share in a group.
    """

    of: str  # the measure, in notation
    ranking: tuple[float, ...]
    working: str
    missed: tuple[float, ...] = ()
    beside: tuple[tuple[float, ...], ...] = ()


# With unjudged documents taken out, one that is judged, though not relevant, pushes down all that stand below it.
CONDENSED = Counterexample("replacement", before=(-1, 1), after=(0, 1), missed=(0,), cite="sakai2007bpref")
