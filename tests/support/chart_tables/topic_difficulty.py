"""Tables for the chart of topics from the hardest to the easiest."""

import cranfield as cf

COLUMNS = ("topic", "measure", "mean", "median", "lowest", "highest", "title")

# Means of .1, .2, … .8, and so .45 over all; of the two hardest the first reaches .4, the second .6.
EIGHT = [(f"t{i}", i / 10, i / 10 + 0.01, 0.0, i / 10 + (0.3, 0.4)[i > 1]) for i in range(1, 9)]


def table(rows: list[tuple[str, float, float, float, float]], measure: str = "AP", **titles: str) -> cf.Table:
    """Rows of topic, mean, median, lowest, highest; the hardest first."""
    full = [dict(zip(COLUMNS, (topic, measure, *numbers, titles.get(topic)), strict=True)) for topic, *numbers in rows]
    return cf.Table.from_rows(full, COLUMNS)


TABLES = {"difficulty": table(EIGHT, t1="bees in winter")}

SAID = {"difficulty": {"AP", "t1 bees in winter", "t8", "hard for all", "hard for some", "others"}}
