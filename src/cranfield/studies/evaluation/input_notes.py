"""Notes on warnings of the reader that a reader of the values should know."""

from collections.abc import Iterable

from cranfield.data import Source

# Warnings that often mean that the values are not what the user thinks.
TELLING = {
    "W-RANK": "a rank column that disagrees with its scores",
    "W-INVERTED": "numbers that may be read the wrong way round: scores that look like ranks, or ranks like scores",
    "W-CONSTANT": "topics in which all scores are equal",
    "W-PRECISION": "whole-number scores too large for float64, which rounds them",
    "W-TAG": "more than one tag",
    "W-END": "no end of the last line",
    "W-COMMENT": "lines that start with # and are left out",
    "W-SELF": "documents with the id of their topic",
    "W-SPACE": "ids with white space around them",
    "W-NOZERO": "grades below 0, which count as unjudged, and no grade of 0",
    "W-NOREL": "no relevant document",
    "W-SWAPPED": "judgments that look like a run, because no grade is used twice in a topic",
    "W-GRADE": "a rare highest grade far above the others",
}


def reading_notes(sources: Iterable[Source]) -> list[str]:
    """Return one note for each kind of warning that a reader of the values should know."""
    problems = [problem for source in sources for problem in source.problems.kept]
    notes = []
    if mismatches := [problem for problem in problems if problem.code == "W-IDS"]:
        first = mismatches[0]
        notes.append(f"{first.file}{_more(len(mismatches))}: {first.message} (W-IDS); {first.hint}")
    for code, what in TELLING.items():
        if labels := list(dict.fromkeys(problem.label for problem in problems if problem.code == code)):
            notes.append(f"{labels[0]}{_more(len(labels))}: {what} ({code}); `cranfield lint` says where")
    return notes


def _more(number: int) -> str:
    return f" and {number - 1} more" * (number > 1)
