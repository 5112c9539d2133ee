"""A simulated log of an experiment in which some users report satisfaction."""

import random
from typing import Any

SHARE = {"old": 0.5, "new": 0.65}  # of sessions whose user is satisfied

ASKED = 0.3  # of sessions whose user says so

START, DAY = 1_714_521_600.0, 86_400.0


def made(users: int, *, seed: int = 1, asked: float = ASKED) -> tuple[dict[str, list[Any]], dict[str, float]]:
    """A log, and the share of satisfied sessions in each arm.

    Whether a user is satisfied is a coin of the arm. Who is satisfied mostly clicks high up and reads for long; who is
    not mostly asks for something else. The arm changes nothing but the coin.
    """
    draw = random.Random(seed)
    rows = []
    said: dict[str, list[bool]] = {arm: [] for arm in SHARE}
    for user in range(users):
        arm = draw.choice(sorted(SHARE))
        for visit in range(draw.choice((1, 2, 3))):
            satisfied, tells = draw.random() < SHARE[arm], draw.random() < asked
            said[arm].append(satisfied)
            at = START + DAY * visit + draw.random() * 1000
            for page in range(1 + (draw.random() < (0.15 if satisfied else 0.7))):
                clicks = draw.random() < (0.9 if satisfied else 0.5)
                rank = min(3, 1 + int(draw.expovariate(1.2 if satisfied else 0.5)))
                for place in (1, 2, 3):
                    hit = clicks and place == rank
                    dwell = draw.lognormvariate(4.2 if satisfied else 2.8, 0.8) if hit else None
                    same = (f"i{user}-{visit}-{page}", f"q{page}", place, f"d{place}", int(hit), f"u{user}", arm)
                    rows.append((*same, at, at + 5 if hit else None, dwell, satisfied if tells else None))
                at += 60
    names = ("impression", "topic", "rank", "document", "clicked", "user", "arm", "time", "click_time", "dwell")
    columns = dict(zip((*names, "satisfied"), map(list, zip(*rows, strict=True)), strict=True))
    return columns, {arm: sum(of) / len(of) for arm, of in said.items()}
