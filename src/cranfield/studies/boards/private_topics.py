"""How much do the values released on private topics reveal about the judgments?"""

from dataclasses import replace
from typing import Any

from cranfield.core import Study
from cranfield.data import Entries, Values, read_entries, read_scores
from cranfield.stats import Rule, check_rule, leak_table, leak_verdict, release, released_table


def ladder(
    values: Any,
    *,
    measure: Any = None,
    entries: Any = None,
    decimals: int | None = None,
    rule: Rule = "ladder",
) -> Study:
    """What each team is told of its runs on private topics, and how much that can have told about the judgments.

    ``values`` are those of the private topics alone, the runs in the order of submission; one ``measure`` is released,
    the first if none is named. ``entries`` say which group handed in which run; without them all runs are of one. The
    ``rule`` is that of the Ladder, or ``plain``: every value is shown, or ``none``. Values are shown with floor(log10
    N) decimals for N private topics unless ``decimals`` says another number; 16 is full precision.
    """
    check_rule(rule)
    given = (values if isinstance(values, Values) else read_scores(values)).in_topic_order()
    which = given.measures[given.index(measure)] if measure is not None else given.measures[0]
    known = None if entries is None else entries if isinstance(entries, Entries) else read_entries(entries)
    made_by = given.made_by if known is None else replace(given.made_by, inputs=(*given.made_by.inputs, *known.inputs))
    teams = release(given, which, groups=None if known is None else known.groups(), rule=rule, decimals=decimals)
    tables = {
        "released": released_table(given, teams, which, rule=rule, made_by=made_by),
        "leak": leak_table(given, teams, which, rule=rule, made_by=made_by),
    }
    return Study("ladder", tables, leak_verdict(tables["leak"], rule), made_by, charts=("released",))
