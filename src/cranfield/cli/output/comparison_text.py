"""Text of a comparison for the terminal: one screen for a pair, one row for each of several pairs."""

from dataclasses import replace
from typing import Any

from cranfield.core import Study, Table, Verdict
from cranfield.core.rendering import paragraph, render, visible
from cranfield.stats import CORRECTIONS, parse_method
from cranfield.studies import ONLY_P, column_names, only_p, readable_evidence, wide_dominance, wide_overall

from .command_output import digits_shown

MAX_MOVERS = 3  # topics that gain most, and as many that lose most
MAX_MOVERS_DETAILED = 10
MAX_PAIRS = 60  # rows of a table of pairs that people read
MAX_LINES = 30  # of one screen


def text_of_pair(study: Study, *, bold: bool, details: bool = False) -> list[str]:
    """Return one screen on a pair: the verdict, the evidence, the outcome rule and the topics that move most."""
    row = study["verdicts"].rows()[0]
    a, b = column_names(str(row["a"]), str(row["b"]))
    lines = paragraph(study.sentence, "text").splitlines()
    lines = [f"\x1b[1m{line}\x1b[0m" if bold else line for line in lines]
    evidence = readable_evidence(study)
    heading = paragraph(f"evidence; {'; '.join(evidence.notes)}", "text")
    lines += ["", *_block(heading, replace(_without(evidence), notes=())), ""]
    outcomes = [*_outcome_rule(study, row), ""] if row["outcome_sentence"] is not None else []
    harm = _harm(study, b) if "harm" in study.tables else []
    if details:
        return [*lines, *outcomes, *harm, *_details(study, a, b), *_movers(study, a, b, MAX_MOVERS_DETAILED)]
    for most in range(MAX_MOVERS, 0, -1):
        screen = [*lines, *outcomes, *harm, *_movers(study, a, b, most)]
        if len(screen) <= MAX_LINES:
            return screen
    screen = [*lines, *outcomes, *harm]
    return screen[:-1] if len(screen) <= MAX_LINES + 1 else [*lines, *harm][:-1]


def _harm(study: Study, b: str) -> list[str]:
    """Return the non-inferiority tests of the margins."""
    heading = f"is {b} worse by less than the margin? low: lower limit of its gain, one-sided"
    return [*_block(heading, replace(_without(study["harm"], "a", "b"), notes=())), ""]


def shown_pairs(study: Study) -> Table:
    """Return one row for each pair: the verdict with the evidence on which it is based."""
    table = study["verdicts"]
    verdict = study.verdict or Verdict()
    data, caption = _pairs_by_outcomes(study) if verdict["by"] == "outcomes" else _pairs_by_measure(study)
    if len(table) > MAX_PAIRS:
        caption += f"; the first {MAX_PAIRS} of {len(table):,} pairs, --table verdicts has all"
    if len(set(table.column("a"))) == 1:
        caption += f"; a is {data.pop('a')[0]}"
    ends = {"difference": ("low", "high")} if "difference" in data else {}
    return Table(data, caption, table.made_by, ends=ends)


def _pairs_by_measure(study: Study) -> tuple[dict[str, Any], str]:
    """Return the columns of a verdict by the primary measure, and a caption."""
    table = study["verdicts"]
    names = ("a", "b", "verdict", "value_a", "value_b", "difference", "low", "high", "p_adjusted")
    data: dict[str, Any] = {name: table.cells(name, slice(0, MAX_PAIRS)) for name in names}
    marked = [only_p(*cells) for cells in zip(data["verdict"], data["low"], data["high"], strict=True)]
    data["verdict"] = [f"{kind}*" if mark else kind for kind, mark in zip(data["verdict"], marked, strict=True)]
    caption = f"verdicts on {study['evidence'].notes[0]}"
    return data, caption + f"; {ONLY_P}" * any(marked)


def _pairs_by_outcomes(study: Study) -> tuple[dict[str, Any], str]:
    """Return the columns of a verdict by the outcome rule, and a caption."""
    data: dict[str, Any] = {name: study["verdicts"].cells(name, slice(0, MAX_PAIRS)) for name in ("a", "b", "verdict")}
    chances = study["facets"].cells("p_holm", slice(0, 2 * MAX_PAIRS))
    data |= {"p answered": chances[::2], "p ranking": chances[1::2]}
    ranking, correction = (study.verdict or Verdict())["outcome_rule"].rsplit(" ", 1)
    how = f"{parse_method(CORRECTIONS, correction).usual_name} over the pairs, then Holm over the two facets"
    return data, f"verdicts by outcomes (ranking by {ranking}; {how})"


def _outcome_rule(study: Study, row: dict[str, Any]) -> list[str]:
    """Return the outcome rule of lin2021 in words."""
    names = {"a": row["a"], "b": row["b"], "neither": "neither"}
    strict, harmless, holm = (names[str(row[name])] for name in ("strict", "do_no_harm", "do_no_harm_holm"))
    cutoff = (study.verdict or Verdict()).get("cutoff")
    rule = f"Strictly better: {strict}. Better without harm: {harmless}; with Holm: {holm}."
    text = f"Outcomes (answered within rank {cutoff}): {row['outcome_sentence']} {rule}"
    return paragraph(text, "text").splitlines()


def _details(study: Study, a: str, b: str) -> list[str]:
    """Return the outcomes, the naive tests of lin2021, dominance by grade and rescaled means."""
    lines: list[str] = []
    if "outcomes" in study.tables:
        lines += [*_beside(_outcomes(study), _both(study, a, b)), ""]
    lines += [*_block("tests of the whole measure (p-values are raw)", _overall(study, a, b)), ""]
    if "dominance" in study.tables:
        laid = levels_of(wide_dominance(study))
        names = {"a ahead": f"{a} ahead", "b ahead": f"{b} ahead"}
        renamed = {names.get(key, key): column for key, column in _without(laid, "a", "b").data.items()}
        lines += _block(laid.caption, Table(renamed))
        lines += [*(f"  {line}" for line in _splits(study, a, b)), ""]
    return [*lines, *_meaning(study), ""]


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


def _overall(study: Study, a: str, b: str) -> Table:
    laid = _without(wide_overall(study), "a", "b")
    names = {"value_a": a, "value_b": b}
    return replace(laid, data={names.get(name, name): column for name, column in laid.data.items()}, caption="")


def levels_of(dominance: Table) -> Table:
    """Return the levels of dominance, without the single grade that says the same as all grades."""
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
            f"  no rescaling {how} reverses this order"
            if row["survives"]
            else f"  one rescaling {how} reverses this order: {row['flip']}"
        )
    return [f"  {visible(line)}" for line in lines]


def _movers(study: Study, a: str, b: str, most: int) -> list[str]:
    rows: list[dict[str, Any]] = [row for row in study["movers"].rows() if row["difference"]]
    gains = [row for row in rows if row["difference"] > 0][:most]
    losses = [row for row in rows if row["difference"] < 0][-most:]
    if not gains and not losses:
        return ["No topic differs."]
    kept = [
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
    known = [name for name in kept[0] if any(row[name] is not None for row in kept)]
    measure = (study.verdict or Verdict()).get("measure")
    return _block(f"topics with the largest differences in {measure}", Table.from_rows(kept, known))


def _without(table: Table, *names: str) -> Table:
    return replace(table, data={name: column for name, column in table.data.items() if name not in names}, caption="")


def _block(heading: str, table: Table) -> list[str]:
    return [*heading.splitlines(), *(f"  {line}" for line in render(table, "text", digits=digits_shown()).splitlines())]


def _beside(left: Table, right: Table) -> list[str]:
    """Two tables side by side."""
    one, two = (render(table, "text", digits=digits_shown()).splitlines() for table in (left, right))
    wide = max(map(len, one))
    one += [""] * (len(two) - len(one))
    two += [""] * (len(one) - len(two))
    return [f"  {line.ljust(wide)}      {other}".rstrip() for line, other in zip(one, two, strict=True)]


def _percent(share: Any) -> str:
    return "" if share is None else f"{100 * share:.1f}%"
