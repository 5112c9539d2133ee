"""Compare the number of pages per user between the arms of a log."""

import numpy as np

from cranfield.data import Log
from cranfield.online.experiments.sample_ratio_checks import ALARM, p_value


def pages_per_user_notes(log: Log) -> tuple[str, ...]:
    """Return a note where users of some arms have more pages than those of others, by the test of Kruskal and Wallis.

    Lost pages show in these numbers, but so do effects of a treatment and users who came later to one arm. So this is
    no check that can fail. The test uses ranks, because the number of pages has heavy tails.
    """
    if not {"user", "arm"} <= log.known:
        return ()
    from scipy.stats import kruskal

    rows = log.rows.filter(log.rows["arm"].notnull() & log.rows["user"].notnull())
    users = rows.group_by(["arm", "user"]).aggregate(pages=rows["impression"].nunique())
    cells = log.engine.fetch(users.group_by(["arm", "pages"]).aggregate(users=users.count())).to_pylist()
    arms = sorted({cell["arm"] for cell in cells})
    pages = {arm: np.array([cell["pages"] for cell in cells if cell["arm"] == arm]) for arm in arms}
    counts = {arm: np.array([cell["users"] for cell in cells if cell["arm"] == arm]) for arm in arms}
    if len(arms) < 2 or len({cell["pages"] for cell in cells}) < 2:
        return ()
    p = float(kruskal(*(np.repeat(pages[arm], counts[arm]) for arm in arms)).pvalue)
    if p >= ALARM:
        return ()
    means = ", ".join(f"{arm} {np.average(pages[arm], weights=counts[arm]):.3g}" for arm in arms)
    advice = "pages may be lost; if a treatment changes them, values per page compare different pages"
    return (f"pages per user differ between arms ({means}; {p_value(p)}): {advice}",)
