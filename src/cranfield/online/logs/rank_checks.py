"""Checks of the ranks on result pages: missing ranks, rows that are pages, and arms logged to one rank."""

from collections.abc import Mapping, Sequence
from math import nan
from typing import Any

from cranfield.data import Log, rows_together
from cranfield.online.experiments.sample_ratio_checks import ALARM, Check, p_value

from .arm_proportions import arm_difference_p, extremes

MAX_SHARE = 0.01  # proportion of the pages that may lack ranks
FREQUENT = 0.05  # proportion of the first pages that have as many documents, for a length of result pages
MIN_LONGER = 0.1  # proportion of the pages of an arm that go on where those of another all end
GROUP = ("n", "top", "gap")  # columns of page_groups


def pages_of_rows(rows: Any, names: Sequence[str] = ()) -> Any:
    """Return a row for each page: documents, first and last rank, whether ranks are missing between them, and clicks.

    ``names`` are columns to include that are the same in all rows of a page.
    """
    rank = rows["rank"]
    numbers: dict[str, Any] = {"n": rank.count(), "top": rank.min(), "deepest": rank.max()}
    numbers |= {"clicks": rows["clicked"].cast("int64").sum()} | {name: rows[name].min() for name in names}
    pages = rows.group_by("impression").aggregate(**numbers)
    return pages.mutate(gap=pages.deepest - pages.top + 1 != pages.n)


def page_groups(log: Log, pages: Any, names: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Return the number of pages by documents, first rank and gap, with their clicks and the pages with a click."""
    sums = {"pages": pages.count(), "clicks": pages.clicks.sum(), "clicked": (pages.clicks > 0).cast("int64").sum()}
    return log.engine.fetch(pages.group_by([*names, *GROUP]).aggregate(**sums)).to_pylist()


def rank_gaps_check(groups: Sequence[Mapping[str, Any]], excused: float) -> Check:
    """Check that ranks are missing on few pages.

    ``excused`` is the number of pages with gaps because rows are excluded: other checks count these rows.
    """
    damaged = sum(pages_with_missing_ranks(groups).values()) - excused
    pages = max(1, sum(group["pages"] for group in groups))
    share = max(0.0, damaged) / pages
    if share <= MAX_SHARE:
        return Check("ranks without gaps", nan, share, passed=True)
    lengths = page_lengths(groups)
    single = sum(group["pages"] for group in groups if group["n"] == 1 and not _starts_page(group, lengths))
    detail = f"ranks are missing on {100 * share:.3g}% of the pages"
    if 2 * single > damaged:
        detail = f"{100 * single / pages:.3g}% of the pages are a single row below the first rank (an impression is a"
        detail += " page: give the rows of a page one id)"
    return Check("ranks without gaps", nan, share, passed=False, detail=detail)


def rank_gaps_by_arm_check(
    log: Log, pages: Any, groups: Sequence[Mapping[str, Any]], excused: Mapping[str, float]
) -> Check:
    """Check that ranks are missing on as many pages of each arm."""
    damaged, total = pages_with_missing_ranks(groups), dict[str, float]()
    for group in groups:
        total[group["arm"]] = total.get(group["arm"], 0.0) + group["pages"]
    damaged = {arm: max(0.0, damaged.get(arm, 0.0) - excused.get(arm, 0.0)) for arm in total}
    together = rows_together(log.engine, pages.filter(pages.gap)) if any(damaged.values()) else 1.0
    p = arm_difference_p(damaged, total, together)
    shares = {arm: damaged[arm] / count for arm, count in total.items()}
    effect = max(shares.values()) - min(shares.values())
    detail = f"ranks are missing on {extremes(shares, 'pages')} ({p_value(p)})"
    return Check("ranks without gaps by arm", p, effect, p >= ALARM, "" if p >= ALARM else detail)


def pages_with_missing_ranks(groups: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Return the number of pages by arm ("" without arms) on which ranks are missing, between ranks or above them."""
    lengths = page_lengths(groups)
    damaged = dict[str, float]()
    for group in groups:
        arm = group.get("arm") or ""
        bad = group["gap"] or not _starts_page(group, lengths)
        damaged[arm] = damaged.get(arm, 0.0) + bad * group["pages"]
    return damaged


def page_lengths(groups: Sequence[Mapping[str, Any]]) -> tuple[int, ...]:
    """Return how many documents result pages have, the most frequent number first.

    These are the numbers of documents on at least 5% of the pages that start at rank 1 and have no gaps. A page of one
    document gives no length: every rank would be the start of a page.
    """
    first: dict[int, int] = {}
    for group in groups:
        if group["top"] == 1 and not group["gap"]:
            first[group["n"]] = first.get(group["n"], 0) + group["pages"]
    least = FREQUENT * sum(first.values())
    lengths = [n for n, pages in first.items() if n > 1 and pages >= least]
    return tuple(sorted(lengths, key=lambda n: (-first[n], -n)))


def _starts_page(group: Mapping[str, Any], lengths: Sequence[int]) -> bool:
    """Return whether pages start at rank 1 or as a later page of a search, such as at 11 after a page of 10.

    Such a page is not longer than its length, so that a page of 10 documents without its first two is none of length 2.
    The first page of a search may be shorter than the later ones where its length is the most frequent.
    """
    above = group["top"] - 1
    return above == 0 or any(
        above % length == 0 and (group["n"] <= length or length == lengths[0]) for length in lengths
    )


def page_ends_check(log: Log, pages: Any, groups: Sequence[Mapping[str, Any]]) -> Check:
    """Check that no arm is logged to a rank only at which pages of another arm do not end.

    The pages of an arm are cut where hardly any is longer than one length, at which as many of them end as pages of the
    other arm reach it.
    """
    counts: dict[str, dict[int, float]] = {}
    for group in groups:
        if group["top"] == 1 and not group["gap"]:
            of_arm = counts.setdefault(group["arm"], {})
            of_arm[group["n"]] = of_arm.get(group["n"], 0.0) + group["pages"]
    total = {arm: sum(of_arm.values()) for arm, of_arm in counts.items()}

    def reaching(arm: str, length: int) -> float:
        return sum(pages for n, pages in counts[arm].items() if n >= length)

    for low, of_arm in counts.items():
        end = min(n for n in of_arm if reaching(low, n + 1) <= MAX_SHARE * total[low])
        for high in counts:
            shares = {arm: reaching(arm, end + 1) / total[arm] for arm in (high, low)}
            is_cut = of_arm[end] / total[low] >= reaching(high, end) / total[high] / 2
            if shares[high] < MIN_LONGER or not is_cut:
                continue
            longer = {arm: reaching(arm, end + 1) for arm in (high, low)}
            together = rows_together(log.engine, pages.filter(pages.n > end))
            p = arm_difference_p(longer, {arm: total[arm] for arm in longer}, together)
            if p < ALARM:
                detail = f"the pages of {low} end at rank {end}, but {shares[high]:.0%} of those of {high} are longer"
                return Check("last rank of every arm", p, shares[high] - shares[low], passed=False, detail=detail)
    return Check("last rank of every arm", nan, 0.0, passed=True)
