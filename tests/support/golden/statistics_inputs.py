"""What R's numbers are numbers of: matrices (topic, run), the same for R and for us.

Every value has four decimals at most. R gets whole numbers of ten-thousandths and divides, so that both sides hold the
same floats. What is drawn is drawn by Python's own generator from fixed seeds.
"""

from functools import cache
from random import Random

UNIT = 10_000  # a value is a whole number of its parts
Rows = tuple[tuple[float, ...], ...]

# Twelve topics of four runs: equal values in a topic, differences that are equal as decimals only, zeros.
SMALL: Rows = (
    (0.10, 0.30, 0.25, 0.40),
    (0.20, 0.40, 0.20, 0.30),
    (0.35, 0.30, 0.40, 0.55),
    (0.50, 0.60, 0.45, 0.65),
    (0.05, 0.05, 0.00, 0.15),
    (0.70, 0.65, 0.75, 0.70),
    (0.15, 0.45, 0.20, 0.20),
    (0.60, 0.60, 0.60, 0.75),
    (0.00, 0.10, 0.05, 0.00),
    (0.80, 0.90, 0.70, 0.95),
    (0.25, 0.20, 0.35, 0.50),
    (0.45, 0.65, 0.50, 0.60),
)
# Ten topics of three runs, no two differences of a pair of one size: R's exact signed-rank test wants that.
APART: Rows = (
    (0.1034, 0.1519, 0.0877),
    (0.4210, 0.3981, 0.5122),
    (0.2788, 0.3444, 0.3021),
    (0.6150, 0.7212, 0.6903),
    (0.0519, 0.0631, 0.0140),
    (0.3307, 0.5178, 0.4455),
    (0.7741, 0.7602, 0.8312),
    (0.1960, 0.2773, 0.1542),
    (0.5023, 0.4656, 0.6127),
    (0.2245, 0.3670, 0.2951),
)
# Four runs of which the last is the first again.
COPIES: Rows = tuple((*row[:3], row[0]) for row in SMALL)
REPLICATES = 3


@cache
def drawn(topics: int, runs: int, seed: int, step: int = 1) -> Rows:
    """Topics of their own difficulty, each run a little better than the one before; whole multiples of a step."""
    random = Random(seed)
    rows = []
    for _ in range(topics):
        difficulty = random.random()
        noisy = [0.7 * difficulty + 0.03 * run + 0.2 * random.random() for run in range(runs)]
        rows.append(tuple(step * int(value * UNIT / step) / UNIT for value in noisy))
    return tuple(rows)


def matrices() -> dict[str, Rows]:
    """{name: matrix}: sixty topics of five runs, and thirty of four with tenths only, beside the small ones."""
    many, tenths = drawn(60, 5, seed=4), drawn(30, 4, seed=8, step=1000)
    return {"small": SMALL, "apart": APART, "copies": COPIES, "many": many, "tenths": tenths}


def replicated() -> Rows:
    """(topic, run and replicate): eight topics of three runs, each measured three times, the replicates together."""
    return drawn(8, 3 * REPLICATES, seed=15, step=10)


def units(rows: Rows) -> list[list[int]]:
    """The same in ten-thousandths."""
    return [[round(value * UNIT) for value in row] for row in rows]
