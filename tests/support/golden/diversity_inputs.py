"""Judgments by subtopic and a run of them, the same for the peers and for us; drawn by Python's own generator.

Topics have one to five subtopics, some of which nothing is relevant to; one topic has nothing relevant at all. No two
documents of a run share a score.
"""

from functools import cache
from random import Random

Judgment = tuple[str, str, str, int]  # topic, subtopic, document, grade
Line = tuple[str, str, float]  # topic, document, score

TOPICS = 14
DOCUMENTS = 40
ALPHAS = (0.5, 0.3, 0.9)
CUTS = (1, 5, 10, 20)


@cache
def judgments() -> list[Judgment]:
    """Every fourth judgment or so is above 0; most documents were judged for every subtopic."""
    rng = Random(20120)
    rows = []
    for topic in range(1, TOPICS + 1):
        for subtopic in range(1, rng.randint(1, 5) + 1):
            likely = 0.0 if topic == TOPICS or rng.random() < 0.15 else rng.choice([0.1, 0.3, 0.5])
            for document in range(DOCUMENTS):
                if rng.random() < 0.85:
                    grade = rng.choice([1, 1, 2]) if rng.random() < likely else 0
                    rows.append((str(topic), str(subtopic), f"d{document}", grade))
    return rows


@cache
def run() -> list[Line]:
    """As many as 30 documents of each topic, some of which nobody judged."""
    rng = Random(20121)
    lines = []
    for topic in range(1, TOPICS + 1):
        documents = [f"d{document}" for document in range(DOCUMENTS + 10)]
        chosen = rng.sample(documents, rng.choice([7, 30]))
        lines += [(str(topic), document, float(-place)) for place, document in enumerate(chosen)]
    return lines
