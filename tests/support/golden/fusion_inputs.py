"""What the golden fusions are fusions of: three runs, the same for ranx and for us.

No run has ties, and all have the same topics: ranx does not say how it breaks ties, and refuses other runs.
"""

from random import Random

Scores = dict[str, dict[str, float]]  # topic → document → score
UNITS = ((1.0, 0.0), (30.0, 5.0), (8.0, -20.0))  # width and lowest score of each run: the last has only negative ones


def runs() -> list[Scores]:
    """Runs of different length and unit that share some of their documents."""
    random = Random(2009)
    made: list[Scores] = []
    for width, lowest in UNITS:
        run: Scores = {}
        for topic in ("301", "302", "303", "304", "305"):
            length = 2 + int(random.random() * 12)
            documents = sorted({f"D{int(random.random() * 16):02d}" for _ in range(length)} | {"D00", "D01"})
            run[topic] = {document: lowest + width * random.random() for document in documents}
        made.append(run)
    return made


def constant() -> list[Scores]:
    """A run whose scores are all equal, one of a single document, and one with two scores."""
    return [{"1": {"a": 2.5, "b": 2.5, "c": 2.5}}, {"1": {"b": 0.25}}, {"1": {"a": 3.0, "b": 1.0}}]
