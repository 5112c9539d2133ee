"""Upper bound, in bits, on the information about private judgments in the released values."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, comb, isfinite, log2
from typing import Any

from cranfield.core import Provenance, Table
from cranfield.data import Values

from .ladder import ENOUGH, FULL, Rule, Team, shorten_values

LEAK = tuple("group rule submissions changes decimals topics bits labels note".split())
FOUR = 4  # decimals of a plain board, to compare with
IN_WORDS = {"ladder": "a new value only after a real gain", "plain": "every value", "none": "nothing is shown"}


@dataclass(frozen=True, slots=True)
class Span:
    """Between which ends values lie, and whether that is known of the measure or only seen."""

    low: float
    high: float
    note: str = ""

    @classmethod
    def of(cls, values: Values, measure: object) -> "Span":
        """The range of the measure; where it has none, 0 to 1 if all values lie there, else as far as they go."""
        which = values.measures[values.index(measure)]
        seen = values.matrix(which)
        low, high = float(seen.min()), float(seen.max())
        known = getattr(which, "range", None)
        least, most = known or (0.0, 1.0)
        if isfinite(least) and isfinite(most) and least <= low and high <= most:
            return cls(least, most, "" if known else f"{which} is taken to lie between 0 and 1")
        return cls(low, high, f"{which} has no known range: answers are counted from {low:.4g} to {high:.4g}, as seen")

    def answers(self, decimals: int) -> int:
        """How many different numbers can be shown."""
        low, high = (round(end * 10**decimals) for end in (self.low, self.high))
        return high - low + 1


def plain_bits(submissions: int, answers: int) -> float:
    """log2 of the ways in which values of so many submissions can be answered, each with one of ``answers`` numbers."""
    return submissions * log2(answers)


def ladder_bits(submissions: int, changes: int, answers: int) -> float:
    """The bits it takes to write down what a team saw under the Ladder.

    What it saw is how often the number changed (one of ``submissions`` possibilities), at which of the later
    submissions, and which ``changes`` + 1 different numbers these were; their order is known, for values only get
    better.
    """
    return log2(submissions) + log2(comb(submissions - 1, changes)) + log2(comb(answers, changes + 1))


def bits_told(rule: Rule, submissions: int, changes: int, answers: int) -> float:
    """At most so many bits about private topics were told."""
    if rule == "none" or not submissions:
        return 0.0
    return ladder_bits(submissions, changes, answers) if rule == "ladder" else plain_bits(submissions, answers)


def leak_table(
    values: Values, teams: Sequence[Team], measure: object, *, rule: Rule, made_by: Provenance | None = None
) -> Table:
    """One row for each group and rule, and under an empty group all groups together: how much was told, at most.

    ``bits`` bound what the numbers can carry: log2 of all answers that could have been told apart or, under the
    Ladder, the length of a code for what was seen (its mean bounds the information, whatever the judgments are).
    ``labels`` are as many binary labels as fit into that. It is counting alone: no attack learns more, nor do groups
    that share what they were told. It is not what anybody did learn (far less, as a rule), it does not say which
    labels, and a few bits are enough to choose the luckiest of many runs. The first rows are of the rule in force, the
    others of what plain values would have told.
    """
    span = Span.of(values, measure)
    decimals, topics = teams[0].released.decimals, teams[0].released.topics
    plain: list[tuple[Rule, int]] = [("plain", places) for places in dict.fromkeys((decimals, FOUR, FULL))]
    rows = []
    for asked, places in dict.fromkeys([(rule, decimals), *plain]):
        told = [_row(team, asked, places, span) for team in teams]
        together = {
            "group": None,
            "submissions": sum(row["submissions"] for row in told),
            "changes": sum(row["changes"] for row in told),
            "bits": sum(row["bits"] for row in told),
        }
        would = "" if (asked, places) == (rule, decimals) else ", had it been so"
        shared = {"rule": asked, "decimals": places, "topics": topics, "note": _note(asked, places) + would}
        rows += [
            {**row, **shared, "labels": int(row["bits"])}
            for row in (*told, together)
            if row is together or row["group"] is not None
        ]
    notes = (span.note,) if span.note else ()
    return Table.from_rows(rows, LEAK, caption="at most told about private topics", made_by=made_by, notes=notes)


def _row(team: Team, rule: Rule, decimals: int, span: Span) -> dict[str, Any]:
    told = team.released
    submissions = len(told.mean)
    shown = shorten_values(told.mean, decimals)
    changes = int((shown[1:] != shown[:-1]).sum()) if rule == "plain" else told.changes
    bits = bits_told(rule, submissions, changes, span.answers(decimals))
    return {"group": team.group, "submissions": submissions, "changes": changes, "bits": bits}


def _note(rule: Rule, decimals: int) -> str:
    return IN_WORDS[rule] + (", at full precision" if decimals == FULL and rule != "none" else "")


def leak_verdict(leak: Table, rule: Rule) -> dict[str, Any]:
    """What the released numbers can have told, as plain values and in one sentence for an organiser."""
    rows = leak.rows()
    total = next(row for row in rows if row["group"] is None)
    plain = next(row for row in rows if row["group"] is None and row["rule"] == "plain" and row["decimals"] == FOUR)
    teams = len({row["group"] for row in rows if row["group"] is not None}) or 1
    return {
        "rule": rule,
        "submissions": total["submissions"],
        "groups": teams,
        "topics": total["topics"],
        "decimals": total["decimals"],
        "bits": total["bits"],
        "labels": total["labels"],
        "enough": int(total["topics"] or 0) >= ENOUGH,  # type: ignore[arg-type]
        "sentence": _sentence(rule, total, plain, teams),
    }


def _sentence(rule: Rule, total: dict[str, Any], plain: dict[str, Any], teams: int) -> str:
    submissions = f"{total['submissions']:,} submission{'s' * (total['submissions'] != 1)}"
    who = f"{submissions} of {teams:,} team{'s' * (teams != 1)}"
    about = f"about {total['topics']:,} private topics"
    short = f"{total['decimals']} decimal{'s' * (total['decimals'] != 1)}"
    instead = f"plain values at four decimals would have told up to {ceil(plain['bits']):,}"
    if rule == "none":
        return f"Nothing was told {about} to {who}; {instead} bits."
    under = f"Under the Ladder at {short}" if rule == "ladder" else f"As plain values at {short}"
    said = f"{under}, {who} can have told at most {ceil(total['bits']):,} bits {about}"
    return f"{said}." if (rule, total["decimals"]) == ("plain", FOUR) else f"{said}; {instead}."
