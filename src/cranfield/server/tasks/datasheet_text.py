"""Format a datasheet for its page and as a Markdown file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

NOTHING = "–"
WORDS = {  # columns of bias, as one reads them
    "group": "team",
    "unique": "relevant by it alone",
    "share": "share of relevant",
    "difference": "mean change",
    "largest": "largest change",
    "moved": "ranks moved",
    "tau": "τ",
}
STATES = {"open": "being judged", "ended": "judged"}


@dataclass(frozen=True, kw_only=True)
class Part:
    """One part of a datasheet."""

    title: str
    says: str = ""
    facts: Sequence[tuple[str, str]] = ()
    tables: Sequence[Mapping[str, Any]] = field(default_factory=list)


def parts_of(sheet: Mapping[str, Any]) -> list[Part]:
    """The parts of a datasheet, in their order."""
    found = [_topics(sheet), _corpus(sheet)]
    if sheet["labels"]:
        found.append(_labels(sheet["labels"]))
    found += [_pool(pool) for pool in sheet["pools"]]
    if sheet["bias"]:
        found.append(_bias(sheet["bias"]))
    if sheet["reuse"]:
        found.append(_reuse(sheet["reuse"]))
    if sheet["versions"]:
        columns = ["version", "made", "judgments", "from pool", "way", "note"]
        cells = [
            [row["number"], row["made"], row["judgments"], row["pool"], row["way"], row["note"]]
            for row in sheet["versions"]
        ]
        table = {"caption": "Versions of the labels", "columns": columns, "rows": cells}
        found.append(Part(title="Label versions", tables=[table]))
    return found


def _topics(sheet: Mapping[str, Any]) -> Part:
    told = sheet["topics"]
    facts = [("Judged topics", _count(told["judged"])), ("Scope", sheet["scope"])]
    if told["texts"]:
        facts.append(("Topics with a text", _count(told["texts"])))
    for part, words in told["words"].items():
        facts.append((f"Words of the {part}", _spread(words)))
    facts.append(("Languages", ", ".join(told["languages"]) or "not told"))
    return Part(title="Topics", facts=facts)


def _corpus(sheet: Mapping[str, Any]) -> Part:
    told = sheet["corpus"]
    if told is None:
        return Part(title="Documents", says="The documents are not kept here.")
    source = ("SHA-256", told["sha256"]) if "sha256" in told else ("Dataset", told["dataset"])
    return Part(title="Documents", facts=[("Documents", _count(told["documents"])), source])


def _labels(told: Mapping[str, Any]) -> Part:
    grades = {"caption": "Judgments by grade", **_columns(told["grades"])}
    facts = [
        ("Version", str(told["version"])),
        ("Judgments", _count(told["judgments"])),
        ("Relevant", f"{_count(told['relevant'])} ({_percent(told['share'])})"),
        ("Relevant by topic", _spread(told)),
        ("None relevant", _many(told["without_relevant"], "topic")),
    ]
    return Part(title="Labels", facts=facts, tables=[grades])


def _pool(told: Mapping[str, Any]) -> Part:
    budget = "all candidates" if told["budget"] is None else f"{_count(told['budget'])} documents "
    if told["budget"] is not None:
        budget += "in all" if told["shared"] else "for each topic"
    facts = [
        ("State", STATES[told["state"]]),
        ("Strategy", f"{told['strategy']}, seed {told['seed']}"),
        ("Depth", _depth(told)),
        ("Budget", budget),
        ("Grades", ", ".join(f"{grade} {meaning}" for grade, meaning in told["grades"])),
        ("Runs", f"{_count(told['runs'])} of {_many(told['teams'], 'team')}"),
        ("Documents", f"{_count(told['asked'])} asked for, {_count(told['judged'])} judged{_crowd(told['crowd'])}"),
        ("Relevant", f"{_count(told['relevant'])}{_beside(told['share'], ' of those judged')}"),
        ("Judgments", f"{_count(told['judgments'])} by {_people(told['people'])}"),
        ("Judged by several", f"{_many(told['several'], 'document')}{_beside(told['several_share'])}"),
        ("Disagreement", f"{_count(told['decided'])} decided, {_count(told['disputed'])} open"),
    ]
    if told["known"] is not None:
        facts.append(("Labels from before", f"version {told['known']}"))
    if told["trial"]:
        trial = told["trial"]
        said = f"{_percent(trial['share'])} of {_many(trial['judgments'], 'judgment')} were right"
        facts.append(("Trial", f"{_many(trial['documents'], 'document')} with a known grade; {said}"))
    if told["machines"]:
        facts.append(("Machines", f"{told['machines']} asked beside people; what they said is no label"))
    tables = []
    if told["agreement"]:
        tables.append(dict(told["agreement"]) | {"caption": "Agreement, with 95 % intervals"})
    return Part(title=f"Pool {told['number']}", facts=facts, tables=tables)


def _bias(told: Mapping[str, Any]) -> Part:
    facts = [("Runs", _many(told["runs"], "run")), ("Measure", told["measure"])]
    if told["alone"]:
        facts.append(("Without a team", f"{_many(told['alone'], 'run')}: whose is not told, each stands by itself"))
    if not told["named"]:
        facts.append(("Names", "numbers here until the task is closed"))
    columns = [WORDS.get(name, name) for name in told["table"]["columns"]]
    caption = "Without the judgments that a team alone brought in: what its runs lose, and how the order changes"
    table = {"caption": caption, "columns": columns, "rows": told["table"]["rows"]}
    return Part(title="Bias by team", says=told["sentence"], facts=facts, tables=[table])


def _reuse(told: Mapping[str, Any]) -> Part:
    facts = [("Runs", _many(told["runs"], "run")), ("Measure", told["measure"])]
    if told["unjudged"]:
        free = told["unjudged"]
        said = f"{_percent(free['mean'])} on average, at most {_percent(free['most'])} of a run"
        facts.append((f"Unjudged@{free['k']}", said))
    return Part(title="Reuse", says=told["sentence"], facts=facts)


def to_markdown(sheet: Mapping[str, Any]) -> str:
    """A datasheet as a file to be read anywhere."""
    return "\n".join(_lines(sheet)) + "\n"


def _lines(sheet: Mapping[str, Any]) -> Iterator[str]:
    task = sheet["task"]
    yield f"# Datasheet: {_safe(task['title'])}"
    if task["summary"]:
        yield from ("", _safe(task["summary"]))
    for part in parts_of(sheet):
        yield from ("", f"## {part.title}", "")
        if part.says:
            yield from (_safe(part.says), "")
        for name, value in part.facts:
            yield f"- {name}: {_safe(value)}"
        for table in part.tables:
            yield from ("", f"{_safe(table['caption'])}:", "")
            yield f"| {' | '.join(name.replace('_', ' ') for name in table['columns'])} |"
            yield "|" + " --- |" * len(table["columns"])
            for row in table["rows"]:
                yield f"| {' | '.join(_cell(one) for one in row)} |"
    yield from ("", "## How to cite", "", _safe(sheet["cite"]["text"]), "", "```bibtex", sheet["cite"]["bibtex"], "```")
    yield from ("", f"Made by cranfield {sheet['cranfield']}.")


def _columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Rows that name their cells as a table."""
    names = list(rows[0]) if rows else []
    return {"columns": names, "rows": [[row[name] for name in names] for row in rows]}


def _safe(text: str) -> str:
    """What people wrote on one line, without signs that Markdown or HTML would take for its own."""
    plain = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;")
    return "".join(f"\\{sign}" if sign in "\\`*[]|" else sign for sign in plain)


def _cell(value: Any) -> str:
    if value is None:
        return NOTHING
    return f"{value:.4f}" if isinstance(value, float) else _safe(str(value))


def _spread(told: Mapping[str, Any]) -> str:
    return f"from {told['fewest']} to {told['most']}, median {told['median']:g}"


def _count(number: int) -> str:
    return f"{number:,}"


def _crowd(number: int) -> str:
    return f", {number:,} of them by a crowd alone" if number else ""


def _many(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"


def _people(number: int) -> str:
    return "1 person" if number == 1 else f"{number:,} people"


def _depth(told: Mapping[str, Any]) -> str:
    first = f"; {_count(told['first'])} of every run come first" if told["first"] else ""
    return f"the first {_count(told['depth'])} documents of a run{first}"


def _beside(share: float | None, of: str = "") -> str:
    """A share in brackets; nothing where there is none."""
    return "" if share is None else f" ({_percent(share)}{of})"


def _percent(share: float | None) -> str:
    return NOTHING if share is None else f"{100 * share:.1f} %"
