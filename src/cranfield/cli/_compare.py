"""cranfield compare."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import click

from cranfield.core import ChecksFailed, Study, Table
from cranfield.core.render import paragraph, render, visible
from cranfield.studies import compare, wide_dominance, wide_outcomes, wide_overall

from ._show import check_output, may_be_bold, output_options, progress, put, scale_option, show, typed, usual_format
from ._statistics import Between, check_chart, draw_chart, draws_option, level_option, seed_option
from ._usage import Command, OneOf, Whole
from ._values import Given, notes_of, values_options

USUAL = "RR@100"
CHARTS = ("outcomes", "topic-differences", "dominance", "rank-pairs")
REQUIRED = ("better", "strict", "no-harm")
FEW = 5  # movers either way that are shown as text
SHOWN = ("verdicts", "overall", "harm", "dominance", "splits", "meaning", "movers")
OF_COLLECTIONS = ("pooled", "collections", "friedman", "placed")


class Margin(click.ParamType[tuple[str, float]]):
    """What is no harm: a number for the measure, or a facet or measure and its number."""

    name = "[WHAT=]X"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, float]:
        """What the text names, and how much."""
        if isinstance(value, tuple):
            return value
        what, _, number = str(value).rpartition("=")
        return what.strip(), Between(0, example=".01").convert(number, param, ctx)


@click.command("compare", cls=Command)
@values_options
@click.option("--pair", "pairs", nargs=2, multiple=True, metavar="A B", help="Only this pair of runs; may be repeated.")
@click.option("--baseline", metavar="RUN", help="Every other run beside this one.")
@click.option("--sota", metavar="FILE", help="A table of runs with dates: each state of the art beside the one before.")
@click.option(
    "--collections",
    metavar="FILE",
    help="Several collections at once: a table with collection, qrels, system, run (or collection, scores).",
)
@click.option(
    "--cutoff",
    type=Whole(),
    help="A topic is answered where a relevant document stands in the first N.  [default: that of the measure]",
)
@click.option("--depth", type=Whole(), default=1000, show_default=True, help="How deep dominance looks.")
@click.option(
    "-t", "--test", "tests", multiple=True, metavar="TEST", help="Tests of the whole measure.  [default: as in lin2021]"
)
@click.option(
    "--decide",
    default="signed-rank",
    show_default=True,
    metavar="WORDS",
    help='By what the verdict is found: a test of ranks, a correction over all pairs, or both: "t holm".',
)
@click.option(
    "--correct", default="bonferroni", show_default=True, metavar="NAME", help="The correction of p_adjusted."
)
@click.option(
    "--margin",
    "margins",
    type=Margin(),
    multiple=True,
    help="Is b worse by less than this? A number is about the first measure; answered=.01 is a share of topics, "
    "ranking=.5 is in ranks.",
)
@click.option(
    "--require",
    type=OneOf(list(REQUIRED)),
    help="Exit 3 unless b is better (do no harm), better in both facets (strict), or not worse (no-harm).",
)
@level_option
@draws_option
@seed_option
@scale_option
@click.option("--chart", metavar="FILE", help="Draw one of the charts: .svg, .png, .pdf or .html.")
@click.option(
    "--draw",
    type=OneOf(list(CHARTS)),
    default="outcomes",
    metavar="NAME",
    show_default=True,
    help=f"Which chart --chart is: {', '.join(CHARTS)}.",
)
@output_options()
def command(
    given: Given,
    tests: tuple[str, ...],
    collections: str | None,
    margins: tuple[tuple[str, float], ...],
    require: str | None,
    chart: str | None,
    draw: str,
    form: str | None,
    table: str | None,
    output: str | None,
    **settings: Any,
) -> None:
    """Is B really better than A? Outcomes first, then averages, then a verdict in words.

    Each topic has one of four outcomes: neither run finds a relevant document, only A, only B, both do. Answered
    topics are counted against each other, and ranks compared where both answer. Strictly better is better in both;
    better without harm is better in one and not worse in the other.

    \b
    Examples:
      cranfield compare qrels.txt a.run b.run
      cranfield compare qrels.txt a.run b.run -m "RR@10 AP" --chart outcomes.svg
      cranfield compare qrels.txt runs/ --baseline bm25 --decide "t holm"
      cranfield compare qrels.txt a.run b.run --margin answered=.01
      cranfield compare qrels.txt runs/ --sota runs.csv
      cranfield compare --collections beir.csv -m nDCG@10 --baseline bm25
      cranfield compare qrels.txt old.run new.run --require better  (or exit 3)
    """
    check_output(form, output)
    check_chart(chart)
    if collections:
        _collections(given, collections, form, table, output, chart, settings)
        return
    values = given.read(USUAL)
    wanted = {what or str(values.measures[0]): number for what, number in margins}
    if given.levels:
        settings["rel"] = given.levels[0][0]
    more: dict[str, Any] = {"tests": tests} if tests else {}
    with progress("comparing") as watch:
        study = compare(values, margins=wanted, threads=given.threads, progress=watch, **more, **settings)
    kept = study["verdicts" if "verdicts" in study.tables else "overall"].notes
    _show(study, (*notes_of(values), *kept), form, table, output)
    draw_chart(study, draw, chart)
    if require:
        _check(study, require)


def _collections(
    given: Given,
    collections: str,
    form: str | None,
    table: str | None,
    output: str | None,
    chart: str | None,
    settings: dict[str, Any],
) -> None:
    from cranfield.studies import across  # few ask for it

    words = [*filter(None, [given.qrels, given.scores]), *given.runs]
    if words:
        hint = "the table names the judgments and the runs"
        raise click.UsageError(f"--collections stands alone, but there is {words[0]} too\nhint: {hint}")
    kept = {name: settings[name] for name in ("pairs", "baseline", "level", "scale")}
    with progress("reading") as watch:
        study = across(
            collections,
            given.measures or "nDCG@10",
            ties=given.ties,
            compat=given.compat,
            threads=given.threads,
            progress=watch,
            command=typed(),
            **kept,
        )
    show(study, form=form, table=table, output=output, notes=_notes(study), only=OF_COLLECTIONS)
    draw_chart(study, "forest", chart)


def _notes(study: Study) -> tuple[str, ...]:
    return tuple(note for one in study.tables.values() for note in one.notes)


def _show(study: Study, notes: Sequence[str], form: str | None, table: str | None, output: str | None) -> None:
    """One pair as people read it; many pairs as papers print them; the exact tables otherwise."""
    chosen = form or usual_format(output, one=False)
    plain = replace(study, tables={name: replace(one, notes=()) for name, one in study.tables.items()})
    if table or "outcomes" not in study.tables or chosen not in ("text", "latex", "markdown", "html"):
        show(plain, form=form, table=table, output=output, notes=notes, only=SHOWN)
    elif chosen == "text" and len(study["verdicts"]) == 1:
        bold = not output and may_be_bold()
        put("\n".join([*text_of_pair(plain, bold=bold), *(f"note: {visible(note)}" for note in notes)]), output)
    else:
        laid = {"outcomes": wide_outcomes(plain), "overall": wide_overall(plain)}
        if "dominance" in plain.tables:
            laid["dominance"] = _levels(wide_dominance(plain))
        if any(plain["splits"].cells("incomparable")) if "splits" in plain.tables else False:
            laid["splits"] = plain["splits"]
        laid |= {"harm": plain["harm"]} if "harm" in plain.tables else {}
        show(replace(plain, tables=laid), form=form, table=None, output=output, notes=notes)


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
    title = f"{b} against {a} on {whole['measure']}, {topics:,} topics"
    lines = [f"\x1b[1m{title}\x1b[0m" if bold else title, ""]
    lines += [f"  {line}" for line in paragraph(str(verdict["sentence"]), "text").splitlines()]
    lines += [f"  {'      '.join(said)}", ""]
    lines += _beside(_outcomes(study), _both(study, a, b))
    lines += ["", *_answered(study), ""]
    lines += _block("the whole measure, outcomes not told apart", _overall(study, a, b))
    for name, heading in (("harm", f"is {b} worse by less than the margin?"), ("dominance", "")):
        if name in study.tables:
            laid = _levels(wide_dominance(study)) if name == "dominance" else study[name]
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


def _levels(dominance: Table) -> Table:
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


def _check(study: Study, require: str) -> None:
    """Fail where a verdict that was asked for is not there."""
    if "verdicts" not in study.tables:
        raise ChecksFailed("there is no verdict to require", hint="outcomes need judgments and runs, or values of RR")
    harmless = {"better": ("do_no_harm", ("b",)), "strict": ("strict", ("b",))}
    for row in study["verdicts"].rows():
        if require == "no-harm":
            worse = [
                f for f in study["facets"].rows() if (f["a"], f["b"]) == (row["a"], row["b"]) and f["better"] == "a"
            ]
            failed = bool(worse)
        else:
            name, good = harmless[require]
            failed = row[name] not in good
        if failed:
            raise ChecksFailed(f"{row['b']} against {row['a']} is not {require}", hint=str(row["sentence"]))
