"""cranfield pool: select documents to judge, or replay pooling strategies."""

from collections.abc import Sequence, Sized
from dataclasses import replace
from math import inf
from pathlib import Path
from textwrap import wrap
from typing import Any

import click

from cranfield.cli.options.key_value_options import column_option
from cranfield.cli.options.pool_options import begun_with, check_files, check_options, check_outputs, expect_the_same
from cranfield.cli.options.statistics_options import (
    Between,
    asked_chart,
    chart_options,
    check_chart,
    draw_chart,
    level_option,
    seed_option,
)
from cranfield.cli.options.usage_errors import Command, OneOf, Whole, Wholes, threads_option
from cranfield.cli.output.atomic_files import check_place, whole
from cranfield.cli.output.command_output import check_output, note, output_options, progress, show, ties_option, typed
from cranfield.cli.output.table_layout import Cells, lay_out, notes_on
from cranfield.collections import (
    SHARES,
    STRATEGIES,
    TREC,
    Candidates,
    Judging,
    State,
    Stratified,
    parse_strategy,
    pool_suffix,
    read_state,
    sampled_qrels,
    strata,
    write_pool,
)
from cranfield.core import Study, parameters
from cranfield.data import Run, RunFile, RunFrame, find_runs, read_corpus, read_entries, read_qrels, read_run, write
from cranfield.stats import CORRECTIONS, TESTS
from cranfield.studies import audit_pool, pool, read_candidates, replay_pool

DRAWN = ("costs", "recall", "pool-order", "pool-bias", "reuse", "unjudged")
SHOWN = ("costs", "pool", "audit", "replay", "bias", "reuse")
FEW = {"pool": 10, "audit": 20, "groups": 20, "unjudged": 20, "reuse": 40}  # rows
WIDE = 78  # columns of the help page
BUDGETS = Wholes(hint="give numbers from 1 up: 10,25,50")


def _strategies() -> str:
    """The catalogue, one strategy a line."""
    lines, indent = [], 26
    for cls in STRATEGIES:
        settings = ",".join(f"{setting.name}={setting.default!r}" for setting in parameters(cls))
        written = f"  {cls.name}({settings})" if settings else f"  {cls.name}"
        if len(written) >= indent:
            lines.append(written)
            written = ""
        lines += wrap(cls.asks, WIDE, initial_indent=written.ljust(indent), subsequent_indent=" " * indent)
    return "\n".join(lines)


HELP = f"""What should be judged? Pools of runs, fixed or learning from judgments as they come in.

A RUN is a file, a folder or a pattern. Without a strategy the pool holds the first --depth documents of every run. The
table costs says what other depths would take. -o pool.qrels writes the pool as judgments that nobody made yet (grade
-1), -o pool.jsonl with all there is to read, -o pool.tsv or .parquet as a table. Of a stratified sample and --judged,
-o sampled.qrels holds the grades of what was drawn and -1 for the rest of the strata, as inferred measures want it.

\b
Strategies, and what each asks for next:
{_strategies()}

Strategies that learn need judgments: --judged takes those that are there, and the pool is what to judge next. With
--state FILE the pool is kept in a file: each call tells it the judgments of --judged and asks for --batch more
documents of every topic; --audit lists what was asked for, and whether it was due.

--simulate QRELS replays judgments that are known: what would each strategy have found with fewer, and what would have
become of the order of runs, of significant differences, of groups that had no part in the pool?

\b
Examples:
  cranfield pool runs/ --depth 20 -o pool.qrels
  cranfield pool runs/ --judged qrels.txt --minutes 2      (what is missing?)
  cranfield pool runs/ --strategy nrg --budget 50 --state s.json -o 1.jsonl
  cranfield pool runs/ --strategy nrg --state s.json --judged qrels.txt
  cranfield pool runs/ --strategy stratified --budget 50 -o sample.qrels
  cranfield pool runs/ --simulate qrels.txt --entries runs.csv --chart a.svg
  cranfield pool runs/ --simulate qrels.txt --strategy "depth maxmean nrg"
"""


@click.command("pool", cls=Command, help=HELP)
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option(
    "--strategy",
    "strategies",
    multiple=True,
    metavar="NAME",
    help="How the next document is chosen; several with --simulate.  [default: depth; with --simulate all but samples]",
)
@click.option("--budget", type=Whole(), help="Judgments for each topic.  [default: all]")
@click.option("--shared", is_flag=True, help="One --budget for all topics together.")
@click.option(
    "--share",
    type=OneOf(SHARES),
    default="even",
    show_default=True,
    help="How topics share a budget: in turn, or the one that yields most goes on.",
)
@click.option("--depth", type=Whole(), default=100, show_default=True, help="Documents of each run that are looked at.")
@click.option(
    "--first", type=Whole(least=0), default=0, show_default=True, help="Documents of each run that come first."
)
@click.option(
    "--rel",
    type=Between(0, example="1"),
    default=1,
    show_default=True,
    help="The grade from which on a document is relevant.",
)
@click.option("--judged", metavar="QRELS", help="Judgments that are there: to learn from, not to be made again.")
@click.option("--state", metavar="FILE", help="Keep the pool in this file, and go on from it.")
@click.option("--batch", type=Whole(), help="With --state: documents of each topic to ask for now.  [default: 10]")
@click.option("--audit", is_flag=True, help="With --state: what was asked for, and whether it was due.")
@click.option("--corpus", metavar="FILE", help="Documents' texts: for judging, and for strategies that read.")
@click.option("--topic-file", metavar="FILE", help="What was searched for: TREC or CLEF topics, for judging.")
@click.option("--language", help="Of the topics, where there are several.")
@click.option("--minutes", type=Between(0, example="2"), help="That a judgment takes: costs in hours.")
@click.option("--simulate", metavar="QRELS", help="Replay these judgments instead.")
@click.option(
    "--budgets",
    type=BUDGETS,
    help="Judgments for each topic to look at.  [default: about 12, up to all]",
)
@click.option("-m", "--measure", default="AP", show_default=True, help="By which runs are compared.")
@click.option(
    "--unjudged",
    type=OneOf(["skip", "not-relevant"]),
    default="skip",
    show_default=True,
    help="Documents that the known judgments lack: not asked for, or not relevant.",
)
@click.option("--entries", metavar="FILE", help="Which group made which run: a table.  [default: the runs' headers]")
@column_option("of --entries holds run or group", "group=team", to="columns")
@click.option("--leave-out/--no-leave-out", default=True, show_default=True, help="Leave out each group in turn.")
@click.option(
    "--test", default="t", show_default=True, metavar="NAME", help=f"Of pairs of runs: {', '.join(TESTS.names())}."
)
@click.option(
    "--correct",
    default="holm",
    show_default=True,
    metavar="NAME",
    help=f"For many pairs: {', '.join(CORRECTIONS.names())}.",
)
@threads_option
@ties_option
@level_option
@seed_option
@chart_options(DRAWN, usual="recall")
@output_options()
def command(
    runs: tuple[str, ...],
    simulate: str | None,
    chart: str | None,
    draw: str,
    form: str | None,
    table: str | None,
    output: str | None,
    **settings: Any,
) -> None:
    """What should be judged?"""
    check_options(settings, simulate=simulate)
    suffix = pool_suffix(output) if output else ""
    if output and suffix:
        check_place(output)
    else:
        check_output(form, output)
    check_chart(chart)
    check_outputs(settings | {"draw": draw}, simulate=simulate, chart=chart, suffix=suffix)
    found = find_runs(list(runs))
    check_files(output, found, settings, simulate=simulate)
    if simulate is not None:
        study = _replayed(found, simulate, settings)
    else:
        if settings["judged"] is not None:
            settings["judged"] = read_qrels(settings["judged"])
        candidates = _read(found, settings)
        study = _made(candidates, settings)
        if output and suffix in TREC and settings["judged"] is not None and "sample" in study.tables and not table:
            _write_sample(candidates, settings, output)
            output = None
    if output and suffix:
        name = table or ("pool" if suffix in TREC else list(study.tables)[-1])
        with whole(output) as place:
            write_pool(study[name], place, suffix)
        click.echo(f"{output}: {_rows(study[name])}", err=True)
        output = None
    only = [name for name in SHOWN if name in study.tables]
    notes = notes_on(study, [table] if table else [*only, "documents"])
    layout = lay_out(study, FEW, adapt=_adapted)
    show(study, form=form, table=table, output=output, layout=layout, notes=notes, only=only)
    draw_chart(study, asked_chart(draw, *study.charts[:1]), chart)


def _rows(table: Sized) -> str:
    return f"{len(table)} row{'s' * (len(table) != 1)}"


def _write_sample(found: Candidates, settings: dict[str, Any], output: str) -> None:
    """The judgments of a sample, as inferred measures read them."""
    drawn = parse_strategy(settings["strategies"][0])
    assert isinstance(drawn, Stratified)
    sample = strata(drawn, found, budget=settings["budget"], seed=settings["seed"])
    judged = sampled_qrels(sample, found, settings["judged"])
    with whole(output) as place:
        write(judged, place)
    click.echo(f"{output}: {_rows(judged)}; -1 is a document that was not drawn", err=True)
    missing = int((sample.sampled & (found.grades(settings["judged"]) < 0)).sum())
    if missing:
        is_are = "1 document that was drawn is" if missing == 1 else f"{missing:,} documents that were drawn are"
        note(f"{is_are} not judged yet: -1 too; --table pool -o FILE.qrels has them")


def _replayed(runs: Sequence[Any], qrels: str, settings: dict[str, Any]) -> Study:
    """Known judgments replayed."""
    entries, columns = settings["entries"], settings["columns"]
    budgets = settings["budgets"] or ((settings["budget"],) if settings["budget"] else None)
    with progress("replaying") as watch:
        return replay_pool(
            runs,
            qrels,
            strategies=list(settings["strategies"]) or "all",
            budgets=budgets and sorted(set(budgets)),
            unjudged="skip" if settings["unjudged"] == "skip" else "not relevant",
            entries=read_entries(entries, columns=dict(columns)) if entries else None,
            progress=watch,
            command=typed(),
            **{name: settings[name] for name in ("measure", "shared", "share", "depth", "first", "rel", "leave_out")},
            **{name: settings[name] for name in ("corpus", "test", "correct", "level", "ties", "seed", "threads")},
        )


def _read(runs: Sequence[Run | RunFile | RunFrame], settings: dict[str, Any]) -> Candidates:
    """The first documents of the runs; those of a state as they were when its pool was begun."""
    state = begun_with(settings)
    with progress("reading") as watch:
        if state is not None:
            runs = _as_begun([read_run(run, depth=state.depth, ties=settings["ties"]) for run in runs], state)
        return read_candidates(runs, depth=settings["depth"], ties=settings["ties"], progress=watch)


def _as_begun(runs: list[Run], state: State) -> list[Run]:
    """Runs by the names and in the order of a state, known by what is in them; as they are if others are there."""
    left, ordered = list(runs), []
    for name, digest in state.runs:
        same = next((run for run in left if run.source.digest == digest), None)
        if same is None:
            return runs
        left.remove(same)
        ordered.append(replace(same, name=name))
    return runs if left else ordered


def _made(found: Candidates, settings: dict[str, Any]) -> Study:
    """A pool for people to judge, or what an audit says of it."""
    if settings["corpus"] is not None:
        settings["corpus"] = read_corpus(settings["corpus"], wanted=set(found.document.to_list()))
    place = settings["state"]
    if settings["audit"]:
        return audit_pool(found, place, corpus=settings["corpus"], command=typed())
    strategy = settings["strategies"][0] if settings["strategies"] else None
    judging = _judging(found, strategy, settings) if place else None
    with progress("choosing") as watch:
        study = pool(
            found,
            strategy="depth" if strategy is None else strategy,
            judging=judging,
            topics=settings["topic_file"],
            progress=watch,
            command=typed(),
            **{name: settings[name] for name in ("budget", "shared", "depth", "first", "rel", "judged", "corpus")},
            **{name: settings[name] for name in ("language", "minutes", "ties", "seed")},
        )
    if judging:
        with whole(place) as target:
            judging.state.save(target)
    return study


def _judging(found: Candidates, strategy: str | None, settings: dict[str, Any]) -> Judging:
    """The pool of a state file, told what was judged since, and asked for more."""
    place, corpus = settings["state"], settings["corpus"]
    making = {name: settings[name] for name in ("budget", "shared", "share", "rel", "first", "seed")}
    if Path(place).exists():
        judging = Judging.resume(found, read_state(place), corpus=corpus)
        expect_the_same(judging, strategy, making)
    else:
        judging = Judging(found, "depth" if strategy is None else strategy, corpus=corpus, **making)
    if settings["judged"] is not None:
        new = judging.tell_all(settings["judged"])
        note("1 judgment was new" if new == 1 else f"{new:,} judgments were new")
    judging.ask(settings["batch"] or 10)
    return judging


def _adapted(name: str, cells: Cells) -> Cells:
    """Columns that fit a terminal."""
    if name == "replay":
        kept = _budgets_shown(cells["per_topic"])
        rows = [i for i, budget in enumerate(cells["per_topic"]) if budget in kept]
        rows.sort(key=lambda i: (cells["per_topic"][i], -cells["relevant"][i]))
        dropped = {"judgments", "precision", "gained"}
        return {column: [each[i] for i in rows] for column, each in cells.items() if column not in dropped}
    if name == "bias" and "absolute" in cells:
        worst = [inf if each is None else each for each in cells["absolute"]]
        rows = sorted(range(len(worst)), key=lambda i: (cells["judgments"][i], worst[i]))
        return {column: [each[i] for i in rows] for column, each in cells.items()}
    return cells


def _budgets_shown(budgets: Sequence[int]) -> set[int]:
    """Three budgets: an early, a middle and a late one."""
    every = sorted(set(budgets))
    return {every[len(every) * part // 4] for part in (1, 2, 3)}
