"""Note on topic sets that are too small to show much."""

from cranfield.stats import LEVEL, PairedT

FEW_TOPICS = 10  # below which a study says how little it can show


def few_topics_notes(topics: int, level: float = LEVEL, *, unit: str = "only {}") -> list[str]:
    """Return what so few topics can show at best: the effect that t detects and the smallest p of exact tests.

    ``unit`` is the beginning of the note, with the number of topics in place of the brackets.
    """
    if topics >= FEW_TOPICS or not topics:
        return []
    if topics == 1:
        return ["one topic allows no test"]
    effect = float(PairedT().difference([topics], variance=1, level=level)[0])
    smallest = 2.0 ** (1 - topics)
    exact = f"sign, signed-rank and randomisation tests cannot give p < {smallest:.4g}"
    if smallest > level:
        exact += f", so they are never significant at level {level:g}"
    beginning = unit.format(f"{topics} topics")
    return [
        f"{beginning}: a two-sided t-test of one pair detects a mean difference of {effect:.1f} standard deviations "
        f"with 80% power; {exact}; intervals may be too short"
    ]
