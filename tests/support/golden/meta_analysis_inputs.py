"""What metafor's numbers are numbers of: effects with their variances, the same for R and for us.

What is drawn is drawn by Python's own generator from fixed seeds, in whole parts of a million.
"""

from random import Random

from tests.support.golden.statistics_inputs import Rows, matrices

UNIT = 1_000_000
# Thirteen trials of a vaccine (Colditz et al. 1994, as in viechtbauer2010): ill and well, treated and not.
TRIALS = (
    (4, 119, 11, 128), (6, 300, 29, 274), (3, 228, 11, 209), (62, 13536, 248, 12619), (33, 5036, 47, 5761),
    (180, 1361, 372, 1079), (8, 2537, 10, 619), (505, 87886, 499, 87892), (29, 7470, 45, 7232), (17, 1699, 65, 1600),
    (186, 50448, 141, 27197), (5, 2493, 3, 2338), (27, 16886, 29, 17825),
)  # fmt: skip
COLLECTIONS = ("small", "apart", "many", "tenths")  # matrices of statistics_inputs that have three runs or more
PAIRS = ((0, 1), (0, 2), (1, 2))


def collections() -> dict[str, Rows]:
    """{collection: matrix}: topics and runs."""
    return {name: rows for name, rows in matrices().items() if name in COLLECTIONS}


def drawn() -> dict[str, list[tuple[int, int]]]:
    """{case: effects and variances in millionths}: two to twenty collections that agree, differ, or are all equal."""
    found = {}
    for seed, (k, between) in enumerate([(2, 0), (2, 0.05), (3, 0.02), (5, 0), (5, 0.03), (10, 0.01), (20, 0.04)]):
        random = Random(seed)
        rows = []
        for _ in range(k):
            variance = random.uniform(0.0001, 0.0009)
            effect = random.gauss(0.01, (variance + between**2) ** 0.5)
            rows.append((round(effect * UNIT), round(variance * UNIT)))
        found[f"{k} {between}"] = rows
    found["equal"] = [(12_000, 100), (12_000, 400), (12_000, 250)]
    return found
