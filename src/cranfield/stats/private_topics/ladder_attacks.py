"""Simulated attacks on private topics by a group that submits mixtures of two runs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cranfield.core import SEED, ParameterError, generator
from cranfield.core.types import Matrix, Rows
from cranfield.stats.pair_tests.float_ties import subtract

from .ladder import Rule, check_decimals, check_private, check_rule, ladder_steps, private_decimals, shorten_values

Attack: TypeAlias = Literal["vote", "best", "climb"]
Picks: TypeAlias = NDArray[np.bool_]  # (draw, topic): where the ranking is that of the better run


@dataclass(frozen=True, eq=False)
class Mixed:
    """What mixtures of two runs bought on the private topics, once for each draw."""

    start: float  # the value of the better of the two runs
    value: Rows  # (draw,): the true private value of the run that the team ends up with
    told: Rows  # (draw,): the last number the team saw; NaN where it saw none
    lower_is_better: bool = False

    @property
    def gain(self) -> float:
        """How much better the team's last run is than the better of the two, in the mean over draws."""
        return float((self.value.mean() - self.start) * (-1 if self.lower_is_better else 1))

    @property
    def error(self) -> float:
        """The standard error of the gain over draws."""
        return float(self.value.std(ddof=1) / np.sqrt(len(self.value))) if len(self.value) > 1 else float("nan")


def replay_mixing(
    a: Rows,
    b: Rows,
    *,
    submissions: int = 100,
    attack: Attack = "vote",
    rule: Rule = "ladder",
    decimals: int | None = None,
    draws: int = 50,
    lower_is_better: bool = False,
    seed: int = SEED,
) -> Mixed:
    """What a team buys that hands in mixtures of two runs: of each private topic, the ranking of one or the other.

    ``a`` and ``b`` are the values of the two in each private topic. Without ``decimals`` the decimals rule holds, as it
    does in :class:`Released`. There are three attacks.

    ``vote`` is that of Blum and Hardt: so many mixtures are drawn by coins, and each topic goes to the majority of
    those that did well. Where every value is told, mixtures told more than the middle one vote for their picks and
    those told less against them; under the Ladder those vote that were told a new value. The other two hand in the
    better run first, so that less luck is mistaken for a gain. ``best`` keeps the one of the mixtures that was told the
    most; under the Ladder that is the one for which the number last changed. ``climb`` goes on from what it has: it
    swaps one block of topics after another, and keeps a swap after which the number is better.
    """
    check_rule(rule)
    if attack not in ATTACKS:
        raise ParameterError(f"there is no attack {attack!r}", hint=f"choose one of: {', '.join(ATTACKS)}")
    if min(submissions, draws) < 1:
        raise ParameterError(f"{submissions} submissions, {draws} draws: nothing to replay", hint="give one or more")
    if np.shape(a) != np.shape(b) or np.ndim(a) != 1:
        raise ParameterError("the two runs have not the same topics", hint="give one value per topic and run")
    both = np.stack([a, b], axis=1).astype(float)
    check_private(both)
    places = check_decimals(private_decimals(len(both)) if decimals is None else decimals)
    sign = -1.0 if lower_is_better else 1.0
    good = sign * both.T
    better, other = good[np.argsort(-good.mean(axis=1), kind="stable")]
    team = _Team(better, other, rule, places, draws)
    picks, told = ATTACKS[attack](team, submissions, generator(seed, "mixing", attack))
    start = float(sign * team.better.mean())
    return Mixed(start, sign * team.mix(picks).mean(axis=1), sign * told, lower_is_better)


@dataclass(frozen=True, eq=False)
class _Team:
    """Two runs whose higher values are better, and the rule under which a team hears of their mixtures."""

    better: Rows
    other: Rows
    rule: Rule
    decimals: int
    draws: int

    def mix(self, picks: Picks) -> Matrix:
        """(draw, topic): the values of mixtures."""
        return np.where(picks, self.better, self.other)

    def start(self) -> tuple[Picks, "_Heard"]:
        """The better run, and what is heard when it is handed in."""
        picks = np.ones((self.draws, len(self.better)), dtype=bool)
        return picks, self.hear(picks)

    def hear(self, picks: Picks, before: "_Heard | None" = None) -> "_Heard":
        """After another mixture; without one before, the first."""
        values = self.mix(picks)
        shown = self._shown(values.mean(axis=1))
        if before is None or self.rule != "ladder":
            return _Heard(values, shown)
        new = ladder_steps(subtract(values, before.best))[0]
        return _Heard(np.where(new[:, None], values, before.best), np.where(new, shown, before.shown))

    def _shown(self, mean: Rows) -> Rows:
        return np.full(len(mean), np.nan) if self.rule == "none" else shorten_values(mean, self.decimals)


@dataclass(frozen=True, eq=False)
class _Heard:
    """What the board holds for a team, and what the team sees."""

    best: Matrix  # (draw, topic): the run whose value was released last
    shown: Rows  # (draw,)


def _vote(team: _Team, submissions: int, random: np.random.Generator) -> tuple[Picks, Rows]:
    coins = random.random((submissions, team.draws, len(team.better))) < 0.5
    heard = None
    told = np.empty((submissions, team.draws))
    for nth, picks in enumerate(coins):
        heard = team.hear(picks, heard)
        told[nth] = heard.shown
    if team.rule == "ladder":
        side = np.diff(told, axis=0, prepend=np.nan) != 0  # the first is new, too
    else:
        side = np.nan_to_num(np.sign(told - np.median(told, axis=0)))
    ballots = np.zeros(coins.shape[1:])
    for picks, vote in zip(coins, side, strict=True):
        ballots += vote[:, None] * (picks - 0.5)
    chosen = ballots >= 0  # where votes are equal, the better run
    return chosen, team.hear(chosen, heard).shown


def _best(team: _Team, submissions: int, random: np.random.Generator) -> tuple[Picks, Rows]:
    kept, heard = team.start()
    most = heard.shown
    for _ in range(submissions):
        picks = random.random(kept.shape) < 0.5
        heard = team.hear(picks, heard)
        kept, most = np.where((heard.shown > most)[:, None], picks, kept), np.fmax(most, heard.shown)
    return kept, team.hear(kept, heard).shown


def _climb(team: _Team, submissions: int, random: np.random.Generator) -> tuple[Picks, Rows]:
    kept, heard = team.start()
    most, topics = heard.shown, len(team.better)
    blocks = min(submissions, topics // 2 if team.rule == "ladder" else topics)  # the Ladder never releases one topic
    for nth in range(submissions):
        if nth % blocks == 0:
            block = random.permuted(np.tile(np.arange(topics) % blocks, (team.draws, 1)), axis=1)
        picks = kept ^ (block == nth % blocks)
        heard = team.hear(picks, heard)
        kept, most = np.where((heard.shown > most)[:, None], picks, kept), np.fmax(most, heard.shown)
    return kept, team.hear(kept, heard).shown


ATTACKS: Mapping[str, Callable[[_Team, int, np.random.Generator], tuple[Picks, Rows]]] = {
    "vote": _vote,
    "best": _best,
    "climb": _climb,
}
