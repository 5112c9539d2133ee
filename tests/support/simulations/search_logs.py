"""A simulated search log, and its cleaning and impressions computed row by row in plain Python."""

from __future__ import annotations

import random
from collections import defaultdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

PAUSE, SATISFIED = 1800.0, 30.0
COLUMNS = (
    *("impression", "topic", "rank", "document", "clicked", "user", "time", "click_time", "arm", "answered"),
    *("converted", "revenue", "satisfaction"),
)
Row = dict[str, Any]


def made_up(pages: int, seed: int, *, users: int = 50, odd: float = 0.02) -> list[Row]:
    """Rows of result pages: few users have most of them, some pages are empty, some rows are wrong in some way."""
    draw = random.Random(seed)
    clock: dict[str, float] = defaultdict(lambda: 1_700_000_000.0 + draw.randrange(1000))
    rows = []
    for page in range(pages):
        user = f"u{int(users * draw.random() ** 3)}"
        clock[user] += draw.choice((1.0, 20.5, 20.5, 300.25, 1800.0, 1800.5, 90_000.0))
        at = clock[user]
        same = {"impression": f"i{page}", "topic": f"q{int(40 * draw.random() ** 2)}", "user": user, "time": at}
        same |= {"arm": "ab"[hash_of(user) % 2], "answered": draw.random() < 0.1}
        same["satisfaction"] = None if page % 3 else page % 7 < 4
        empty = {
            "rank": None,
            "document": None,
            "clicked": None,
            "click_time": None,
            "converted": None,
            "revenue": None,
        }
        if draw.random() < 0.03:
            rows.append(same | empty)
            continue
        for rank in range(1, draw.choice((3, 10)) + 1):
            clicked = draw.random() < 0.6 / rank
            clock[user] += clicked * draw.choice((0.0, 2.0, 29.75, 30.0, 45.5))
            bought = clicked and draw.random() < 0.1
            row = same | {"rank": rank, "document": f"d{int(30 * draw.random() ** 2)}", "clicked": clicked}
            row |= {"click_time": clock[user] if clicked else None, "converted": bought}
            row["revenue"] = 12.5 if bought else None
            if draw.random() < odd:
                name, wrong = draw.choice(
                    (("rank", 0), ("rank", None), ("document", None), ("user", None), ("topic", None))
                )
                row[name] = wrong
            rows.append(row)
            if draw.random() < odd:
                rows.append(row | {"clicked": False, "click_time": None})  # logged again
    return rows


def hash_of(word: str) -> int:
    """A number of a word that is the same in every process."""
    return sum(place * ord(letter) for place, letter in enumerate(word, 1))


def as_arrow(rows: list[Row]) -> pa.Table:
    """The rows as columns."""
    import pyarrow as pa

    kinds = {"rank": pa.int64(), "clicked": pa.bool_(), "time": pa.float64(), "click_time": pa.float64()}
    kinds |= {"answered": pa.bool_(), "converted": pa.bool_(), "revenue": pa.float64(), "satisfaction": pa.bool_()}
    return pa.table({name: pa.array([row[name] for row in rows], kinds.get(name, pa.string())) for name in COLUMNS})


def cleaned(rows: list[Row]) -> tuple[list[Row], dict[str, int]]:
    """The rows that stay, and why the others do not."""
    dropped: dict[str, int] = defaultdict(int)
    kept = []
    shifted = _shifted(rows)
    for row in rows:
        if why := _why(row, shifted):
            dropped[why] += 1
        else:
            kept.append(row)
    pages = defaultdict(list)
    for row in kept:
        pages[row["impression"]].append(row)
    stays: list[Row] = []
    for page in pages.values():
        best: dict[Any, Row] = {}
        for row in page:
            there = best.get(row["rank"])
            if there is not None:
                dropped["a rank twice on a page"] += 1
            if there is None or (not row["clicked"], row["document"]) < (not there["clicked"], there["document"]):
                best[row["rank"]] = row
        stays += best.values()
    return stays, dict(dropped)


def _shifted(rows: list[Row]) -> set[Any]:
    """The pages whose ranks are 0 to n - 1."""
    ranks: dict[Any, set[int]] = defaultdict(set)
    for row in rows:
        if row["rank"] is not None:
            ranks[row["impression"]].add(row["rank"])
    return {page for page, there in ranks.items() if there == set(range(len(there)))}


def _why(row: Row, shifted: set[Any]) -> str:
    empty = row["rank"] is None and row["document"] is None
    if row["topic"] is None:
        return "no topic"
    if not empty and row["rank"] is None:
        return "no rank"
    if not empty and row["rank"] < 1:
        return "rank below 1"
    if row["impression"] in shifted and not empty:
        return "ranks of a page from 0"
    if not empty and row["document"] is None:
        return "no document"
    return "no user" if row["user"] is None else ""


def impressions(rows: list[Row]) -> list[Row]:
    """A row for each page, sorted by its name."""
    signs: dict[str, set[float]] = defaultdict(set)
    for row in rows:
        signs[row["user"]] |= {row["time"]} | ({row["click_time"]} if row["clicked"] else set())
    following = {user: dict(zip(sorted(at), sorted(at)[1:], strict=False)) for user, at in signs.items()}
    pages = defaultdict(list)
    for row in rows:
        pages[row["impression"]].append(row)
    made = [_page(name, page, following) for name, page in pages.items()]
    _cut(made)
    return sorted(made, key=lambda one: str(one["impression"]))


def _page(name: str, page: list[Row], following: dict[str, dict[float, float]]) -> Row:
    clicks = [row for row in page if row["clicked"]]
    user = page[0]["user"]
    after = [following[user].get(row["click_time"]) for row in clicks]
    dwell = [
        min(PAUSE, there - row["click_time"]) for row, there in zip(clicks, after, strict=True) if there is not None
    ]
    return {
        "impression": name,
        "topic": page[0]["topic"],
        "user": user,
        "arm": page[0]["arm"],
        "shown": sum(row["rank"] is not None for row in page),
        "clicks": len(clicks),
        "first_rank": min((row["rank"] for row in clicks), default=None),
        "last_rank": max((row["rank"] for row in clicks), default=None),
        "time": page[0]["time"],
        "first_click": min((row["click_time"] for row in clicks), default=None),
        "last_click": max((row["click_time"] for row in clicks), default=None),
        "dwell": sum(dwell) if dwell else None,
        "satisfied": sum(one >= SATISFIED for one in dwell),
        "dwelled": len(dwell),
        "answered": int(page[0]["answered"]),
        "converted": int(any(row["converted"] for row in page)),
        "revenue": sum(row["revenue"] or 0.0 for row in page),
        "satisfaction": None if page[0]["satisfaction"] is None else int(page[0]["satisfaction"]),
    }


def _cut(pages: list[Row]) -> None:
    """Number the sessions of every user: a new one begins after half an hour without a sign."""
    number: dict[str, int] = {}
    last: dict[str, float] = {}
    for page in sorted(pages, key=lambda one: (one["time"], one["impression"])):
        user = page["user"]
        if user in last and page["time"] - last[user] > PAUSE:
            number[user] += 1
        number.setdefault(user, 0)
        last[user] = max(last.get(user, 0.0), page["time"], page["last_click"] or 0.0)
        page["session"] = f"{user}#{number[user]}"
