"""Notes on warnings of the reader that a reader of the values should know."""

from collections.abc import Sequence

from cranfield.data import Source

# Warnings that often mean that the values are not what the user thinks.
TELLING = {
    "W-RANK": "a rank column that disagrees with its scores",
    "W-INVERTED": "scores that look like ranks, of which the highest counts as the best",
    "W-CONSTANT": "topics in which all scores are equal",
    "W-PRECISION": "whole-number scores too large for float64, which rounds them",
    "W-TAG": "more than one tag",
    "W-END": "no end of the last line",
    "W-SELF": "documents with the id of their topic",
    "W-SPACE": "ids with white space around them",
    "W-NOREL": "no relevant document",
    "W-GRADE": "a rare highest grade far above the others",
}


def reading_notes(sources: Sequence[Source]) -> list[str]:
    """Return one note for each kind of warning that a reader of the values should know."""
    notes = []
    mismatches = [one for source in sources for one in source.problems.kept if one.code == "W-IDS"]
    if mismatches:
        first, others = mismatches[0], f" and {len(mismatches) - 1} more" * (len(mismatches) > 1)
        notes.append(f"{first.file}{others}: {first.message} (W-IDS); {first.hint}")
    for code, what in TELLING.items():
        files = list(
            dict.fromkeys(source.name for source in sources if any(one.code == code for one in source.problems.kept))
        )
        if files:
            others = f" and {len(files) - 1} more" * (len(files) > 1)
            notes.append(f"{files[0]}{others}: {what} ({code}); `cranfield lint` says where")
    return notes
