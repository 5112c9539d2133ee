"""A small log of clicks, drawn from a fixed seed: ten documents on every page."""

from random import Random

Session = tuple[str, list[str], list[int]]  # topic, documents from the top, clicks


def sessions(count: int = 300) -> list[Session]:
    """Users who look at lower ranks less often, at documents of which some attract more."""
    stream, found = Random(2015), []
    for _ in range(count):
        topic = stream.choice(["q1", "q2"])
        documents = [f"{topic}-d{number}" for number in range(14)]
        stream.shuffle(documents)
        shown = documents[:10]
        attracts = [(int(name.rpartition("d")[2]) + 2) / 20 for name in shown]
        clicks = [int(stream.random() < chance * 0.85**rank) for rank, chance in enumerate(attracts)]
        found.append((topic, shown, clicks))
    return found
