"""Group, date and costs of runs from the ir_metadata in their headers (breuer2022irmetadata)."""

import datetime
import re
from collections.abc import Mapping, Sequence
from typing import Any

from cranfield._native import Strings
from cranfield.core import ParameterError
from cranfield.data.files.data_source import Source, digest
from cranfield.data.files.input_problems import listed
from cranfield.data.values.value_cube import Values

from .ir_metadata import between_marks, load
from .run_entries import Entries, Entry

TIME = re.compile(r"(?P<parts>\d+(?::\d+){0,2}(?:\.\d+)?)\s*(?P<unit>[a-z]*)", re.IGNORECASE)
AMOUNT = re.compile(r"(?P<number>\d+(?:\.\d+)?(?:e[+-]?\d+)?)\s*(?P<unit>[a-z]*)", re.IGNORECASE)
SECONDS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
SECONDS |= {"sec": 1.0, "second": 1.0, "seconds": 1.0, "minutes": 60.0, "hours": 3600.0, "days": 86_400.0}
MEGABYTES = {"b": 1e-6, "kb": 1e-3, "mb": 1.0, "gb": 1e3, "tb": 1e6}
MEGABYTES |= {f"{unit}ib": 1024.0**power / 1e6 for power, unit in enumerate("kmgt", start=1)}
JOULES = {"j": 1.0, "kj": 1e3, "wh": 3600.0, "kwh": 3.6e6}

# Version 0.2 of the schema: what was used, and the unit of a number without one.
WALL = (("resources", "runtime", "wallclock"), ("resources", "runtime"))
SIZES = {
    "memory_mb": (("resources", "ram", "used process"), "kb"),
    "vram_mb": (("resources", "gpu", "vram used process"), "mb"),
}
ENERGY = tuple(("resources", part, "energy used system") for part in ("cpu", "gpu", "ram"))
DAYS = (("date",), ("resources", "runtime", "stop time"), ("resources", "runtime", "start time"))
TEXTS = (("method", "description"), ("method", "name"))


def entries_from_headers(sources: Sequence[Source], runs: Sequence[str]) -> Entries:
    """What each run says of itself; nothing where its header has no ir_metadata.

    The group is the team of the actor. The date is a ``date`` at the top, which the schema leaves room for, or the
    day on which the software stopped or started (version 0.2). Costs are the time on the wall in seconds, memory of
    the process in megabytes, and energy in joules; one that cannot be read is left out, and a note says so. Of the
    sources only runs count: those of an assessed run may be given as they are.
    """
    found = [source for source in sources if source.kind == "run"]
    if len(found) != len(runs):
        raise ParameterError(f"there are {len(runs)} runs and {len(found)} sources", hint="give one for each run")
    notes: list[str] = []
    read = {run: _metadata(source) for run, source in zip(runs, found, strict=True)}
    entries = tuple(_entry(run, told or {}, notes) for run, told in read.items())
    silent = [run for run, told in read.items() if told is None]
    if silent and len(silent) < len(runs):
        notes.append(f"{len(silent)} of {len(runs)} runs have no ir_metadata ({listed(silent)}): no group and no date")
    source = Source("ir_metadata", digest(Strings([one.header for one in found])), "headers")
    return Entries(entries, source, tuple(notes))


def join_entries(values: Values) -> Entries:
    """What the headers of the runs say that values were measured on; nothing where the runs are not known."""
    if values.assessed is None:
        return Entries(tuple(map(Entry, values.runs)), Source("ir_metadata", "", "headers"))
    known = entries_from_headers(values.assessed.sources, values.assessed.runs)
    return Entries(tuple(known.of(run) for run in values.runs), known.source, known.notes)


def _metadata(source: Source) -> Mapping[str, Any] | None:
    """The mapping between the two marks; None where there are none."""
    found = between_marks(source.header, source.name)
    return None if found is None else load(found[0], source.name, found[1])


def _entry(run: str, told: Mapping[str, Any], notes: list[str]) -> Entry:
    team = _at(told, ("actor", "team"))
    day = next((day for path in DAYS if (day := _day(_at(told, path)))), None)
    text = next((text for path in TEXTS if (text := _at(told, path))), "")
    costs: dict[str, float | None] = {}
    for path in WALL:
        if (written := _at(told, path)) and "runtime_s" not in costs:
            costs["runtime_s"] = _noted(_seconds(written), f"{run}: runtime {written!r} is no time", notes)
    for cost, (path, unit) in SIZES.items():
        if written := _at(told, path) or _at(told, (*path, "max")):
            costs[cost] = _noted(_amount(written, MEGABYTES, unit), f"{run}: {path[-1]} {written!r} is no size", notes)
    joules = [
        _noted(_amount(written, JOULES, "j"), f"{run}: energy {written!r} is none", notes)
        for path in ENERGY
        if (written := _at(told, path))
    ]
    if joules and None not in joules:  # a part is not the whole
        costs["energy_j"] = sum(part for part in joules if part is not None)
    return Entry(run, team or None, day, False, text or "", None, {k: v for k, v in costs.items() if v is not None})


def _at(told: Any, path: Sequence[str]) -> str | None:
    """The text at the end of a path of keys; None where there is none."""
    for key in path:
        told = told.get(key) if isinstance(told, dict) else None
    return told.strip() if isinstance(told, str) else None


def _day(text: str | None) -> datetime.date | None:
    try:
        return datetime.date.fromisoformat(text[:10].replace("/", "-")) if text else None
    except ValueError:
        return None


def _noted(number: float | None, otherwise: str, notes: list[str]) -> float | None:
    if number is None:
        notes.append(f"{otherwise}: left out")
    return number


def _seconds(text: str) -> float | None:
    """2:16.24 min, 1:02:03 h, 950 ms, 12: the unit is that of the first part; without one the last part is seconds."""
    found = TIME.fullmatch(text)
    unit = found["unit"].casefold() if found else ""
    if not found or (unit and unit not in SECONDS):
        return None
    parts = [float(part) for part in found["parts"].split(":")]
    first = SECONDS[unit] if unit else 60.0 ** (len(parts) - 1)
    if len(parts) > 1 and not 60.0 ** (len(parts) - 1) <= first <= 3600:
        return None  # 2:16 s, 1:02:03 min: sixtieths of seconds; 1:12 d: not a sixtieth of a day
    return sum(part * first / 60**i for i, part in enumerate(parts))


def _amount(text: str, units: Mapping[str, float], otherwise: str) -> float | None:
    found = AMOUNT.fullmatch(text)
    unit = (found["unit"] or otherwise).casefold() if found else ""
    return float(found["number"]) * units[unit] if found and unit in units else None
