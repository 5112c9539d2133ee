"""Text of a comparison of two runs for the terminal."""

from dataclasses import replace
from typing import Any

from cranfield.core import Study, Table
from cranfield.core.rendering import paragraph, render, visible
from cranfield.studies import wide_dominance, wide_overall

FEW = 5  # movers either way that are shown


def text_of_pair(study: Study, *, bold: bool) -> list[str]:
    """The text on one pair: verdict, outcomes beside ranks, the whole measure, dominance, the topics that decide."""
    row, verdict = study["verdicts"].rows()[0], study.verdict or {}
    a, b = visible(str(row["a"])), visible(str(row["b"]))
    whole = study["overall"].rows()[0]
    topics = sum(int(str(count)) for count in study["outcomes"].cells("topics"))
    named = {"a": a, "b": b, "neither": "neither"}
    said = [f"{name.replace('_', ' ')}: {named[str(row[name])]}" for name in ("do_no_harm", "strict")]
    if row["do_no_harm_holm"] != row["do_no_harm"]:
        said.insert(1, f"do no harm, Holm over both facets: {named[str(row['do_no_harm_holm'])]}")
    title = f"{b} against {a} on {whole['measure']}, {topics:,} topic{'s' * (topics != 1)}"
    lines = [f"\x1b[1m{title}\x1b[0m" if bold else title, ""]
    lines += [f"  {line}" for line in paragraph(str(verdict["sentence"]), "text").splitlines()]
    lines += [f"  {'      '.join(said)}", ""]
    lines += _beside(_outcomes(study), _both(study, a, b))
    lines += ["", *_answered(study), ""]
    lines += _block("the whole measure, outcomes not told apart", _overall(study, a, b))
    for name, heading in (("harm", f"is {b} worse by less than the margin?"), ("dominance", "")):
        if name in study.tables:
            laid = levels_of(wide_dominance(study)) if name == "dominance" else study[name]
            names = {"a ahead": f"{a} ahead", "b ahead": f"{b} ahead"}
            shown = _without(laid, "a", "b")
            shown = replace(shown, data={names.get(key, key): column for key, column in shown.data.items()})
            lines += ["", *_block(heading or laid.caption, shown)]
    if "splits" in study.tables:
        lines += [f"  {line}" for line in _splits(study, a, b)]
    lines += ["", *_meaning(study)]
    return [*lines, "", *_movers(study, a, b)]


def _outcomes(study: Study) -> Table:
    rows = [
        {
            "outcome": {"only_a": f"only {row['a']}", "only_b": f"only {row['b']}"}.get(
                str(row["outcome"]), row["outcome"]
            ),
            "topics": row["topics"],
            "share": _percent(row["share"]),
            "between": f"{_percent(row['low'])} – {_percent(row['high'])}",
        }
        for row in study["outcomes"].rows()
    ]
    return Table.from_rows(rows, ("outcome", "topics", "share", "between"))


def _both(study: Study, a: str, b: str) -> Table:
    rows: dict[str, dict[str, Any]] = {}
    for row in study["both"].rows():
        kept = rows.setdefault(str(row["measure"]), {a: row["value_a"], b: row["value_b"]})
        kept["both answer"] = {"ESL": "ESL (lower is better)"}.get(str(row["measure"]), row["measure"])
        kept[f"p {row['test']}"] = row["p"]
    return Table.from_rows(list(rows.values()), ("both answer", a, b, "p signed-rank", "p t"))


def _answered(study: Study) -> list[str]:
    row = study["answered"].rows()[0]
    ends = f" [{_signed(row['low'])}, {_signed(row['high'])}]" if row["low"] is not None else ""
    p = row["p"]
    return [
        f"  answered by one alone: {row['b']} {row['only_b']:,}, {row['a']} {row['only_a']:,}; "
        f"share answered {_signed(row['difference'])}{ends}, binomial p {p:.2g}"
    ]


def _overall(study: Study, a: str, b: str) -> Table:
    laid = _without(wide_overall(study), "a", "b")
    names = {"value_a": a, "value_b": b}
    return replace(laid, data={names.get(name, name): column for name, column in laid.data.items()}, caption="")


def levels_of(dominance: Table) -> Table:
    """The levels of dominance; where there is one grade, it says what all grades say."""
    levels = dominance.cells("level")
    if len(set(levels)) > 2:
        return dominance
    kept = [i for i, level in enumerate(levels) if level == "all"]
    data = {name: [dominance.cells(name)[i] for i in kept] for name in dominance.columns}
    return replace(dominance, data=data)


def _splits(study: Study, a: str, b: str) -> list[str]:
    rows = [row for row in study["splits"].rows() if row["incomparable"]]
    return [
        f"of {row['incomparable']:,} incomparable topics {row['measure']} gives {row['better_b']:,} to {b}, "
        f"{row['better_a']:,} to {a}, and calls {row['equal']:,} equal"
        for row in rows
    ]


def _meaning(study: Study) -> list[str]:
    """What is left of the difference of means if only the order of values means something."""
    lines: list[str] = []
    told = ""
    for row in study["meaning"].rows():
        ahead = row.get(str(row["better"]))
        if ahead is None:
            continue
        if row["measure"] != told:
            told = str(row["measure"])
            lines.append(f"{ahead} is ahead on mean {told}; if only the order of values counts,")
        how = str(row["transformation"]).removeprefix("one ")
        lines.append(
            f"  no rescaling {how} turns that round"
            if row["survives"]
            else f"  one rescaling {how} turns that round: {row['flip']}"
        )
    return [f"  {visible(line)}" for line in lines]


def _movers(study: Study, a: str, b: str) -> list[str]:
    rows = study["movers"].rows()
    gains = [row for row in rows if row["difference"] is not None and row["difference"] > 0][:FEW]  # type: ignore[operator]
    losses = [row for row in rows if row["difference"] is not None and row["difference"] < 0][-FEW:]  # type: ignore[operator]
    if not gains and not losses:
        return ["  no topic moves"]
    told = [
        {
            "topic": row["topic"],
            f"rank {a}": row["rank_a"],
            f"rank {b}": row["rank_b"],
            a: row["value_a"],
            b: row["value_b"],
            "difference": row["difference"],
        }
        for row in (*gains, *losses)
    ]
    caption = "the topics that decide"
    return _block(caption, Table.from_rows(told, tuple(told[0])))


def _without(table: Table, *names: str) -> Table:
    return replace(table, data={name: column for name, column in table.data.items() if name not in names}, caption="")


def _block(heading: str, table: Table) -> list[str]:
    return [f"  {heading}", *(f"  {line}" for line in render(table, "text").splitlines())]


def _beside(left: Table, right: Table) -> list[str]:
    """Two tables side by side."""
    one, two = (render(table, "text").splitlines() for table in (left, right))
    wide = max(map(len, one))
    one += [""] * (len(two) - len(one))
    two += [""] * (len(one) - len(two))
    return [f"  {line.ljust(wide)}      {other}".rstrip() for line, other in zip(one, two, strict=True)]


def _percent(share: Any) -> str:
    return "" if share is None else f"{100 * share:.1f} %"


def _signed(share: Any) -> str:
    return f"{100 * share:+.1f} %"
