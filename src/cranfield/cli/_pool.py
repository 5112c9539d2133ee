"""cranfield pool."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from cranfield.core import Study, parameters
from cranfield.data import read_entries, read_qrels, write
from cranfield.pooling import (
    SHARES,
    STRATEGIES,
    TREC,
    Judging,
    Stratified,
    audit_table,
    parse_strategy,
    pool_suffix,
    read_state,
    sampled_qrels,
    strata,
    write_pool,
)
from cranfield.stats import CORRECTIONS, TESTS
from cranfield.studies import pool, read_candidates, replay_pool

from ._files import check_place, whole
from ._layout import Cells, lay_out, notes_on
from ._leaderboard import Named
from ._show import check_output, note, output_options, progress, show, ties_option, typed
from ._statistics import Between, asked_chart, chart_options, check_chart, draw_chart, level_option, seed_option
from ._usage import Command, OneOf, Whole

DRAWN = ("costs", "recall", "pool-order", "pool-bias", "reuse", "unjudged")
SHOWN = ("costs", "pool", "audit", "replay", "bias", "reuse")
FEW = {"pool": 10, "audit": 20, "groups": 20, "unjudged": 20, "reuse": 40}  # rows
MAKING = ("judged", "state", "audit", "batch", "minutes", "topic_file", "language")  # what a replay does not ask
REPLAYING = ("budgets", "entries", "columns", "unjudged", "leave_out", "measure", "test", "correct", "threads")


def _strategies() -> str:
    """The catalogue, one strategy a line."""
    rows = []
    for cls in STRATEGIES:
        settings = ",".join(f"{setting.name}={setting.default!r}" for setting in parameters(cls))
        rows.append((f"{cls.name}({settings})" if settings else cls.name, cls.asks))
    lines = []
    for written, asks in rows:
        lines.append(f"  {written.ljust(24)}{asks}" if len(written) < 24 else f"  {written}\n{' ' * 26}{asks}")
    return "\n".join(lines)


class Numbers(click.ParamType[tuple[int, ...]]):
    """Whole numbers from 1 up, with commas between them."""

    name = "N,N"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        """The numbers that the text holds."""
        if isinstance(value, tuple):
            return value
        words = [word.strip() for word in str(value).split(",")]
        if not all(re.fullmatch(r"0*[1-9]\d{0,8}", word, re.ASCII) for word in words):
            self.fail(f"cannot be {value}\nhint: give numbers from 1 up: 10,25,50", param, ctx)
        return tuple(sorted(set(map(int, words))))


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
  cranfield pool runs/ --strategy nrg --budget 100 --state pool.json -o 1.jsonl
  cranfield pool runs/ --strategy nrg --state pool.json --judged qrels.txt
  cranfield pool runs/ --strategy "stratified(depths='10 100')" -o sample.qrels
  cranfield pool runs/ --simulate qrels.txt --entries runs.csv --chart found.svg
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
@click.option("--shared", is_flag=True, help="--budget is for all topics together.")
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
@click.option("--rel", type=float, default=1, show_default=True, help="The lowest grade that counts as relevant.")
@click.option("--judged", metavar="QRELS", help="Judgments that are there: to learn from, not to be made again.")
@click.option("--state", metavar="FILE", help="Keep the pool in this file, and go on from it.")
@click.option("--batch", type=Whole(), help="With --state: documents of each topic to ask for now.  [default: 10]")
@click.option("--audit", is_flag=True, help="With --state: what was asked for, and whether it was due.")
@click.option("--corpus", metavar="FILE", help="Documents' texts: for judging, and for strategies that read.")
@click.option("--topic-file", metavar="FILE", help="What was searched for: TREC or CLEF topics, for judging.")
@click.option("--language", help="Of the topics, where there are several.")
@click.option("--minutes", type=Between(0, 1e6), help="That a judgment takes: costs in hours.")
@click.option("--simulate", metavar="QRELS", help="Replay these judgments instead.")
@click.option("--budgets", type=Numbers(), help="Judgments for each topic to look at.  [default: about 12, up to all]")
@click.option("-m", "--measure", default="AP", show_default=True, help="By which runs are compared.")
@click.option(
    "--unjudged",
    type=OneOf(["skip", "not-relevant"]),
    default="skip",
    show_default=True,
    help="Documents that the known judgments lack: not asked for, or not relevant.",
)
@click.option("--entries", metavar="FILE", help="Which group made which run: a table.  [default: the runs' headers]")
@click.option(
    "--column",
    "columns",
    type=Named("WHAT=NAME", "group=team"),
    multiple=True,
    help="Which column of --entries holds run or group, if its name does not say so.",
)
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
@click.option("--threads", type=Whole(), help="How many threads work.  [default: one per processor]")
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
    suffix = pool_suffix(output) if output else ""
    if output and suffix:
        check_place(output)
    else:
        check_output(form, output)
    check_chart(chart)
    study = _replayed(runs, simulate, settings) if simulate else _made(runs, settings)
    if output and suffix in TREC and "sample" in study.tables and settings["judged"]:
        _write_sample(runs, settings, output)
        output = None
    elif output and suffix:
        name = table or ("documents" if suffix == ".jsonl" and "documents" in study.tables else "pool")
        with whole(output) as place:
            write_pool(study[name], place, suffix)
        click.echo(f"{output}: {len(study[name])} rows", err=True)
        output = None
    only = [name for name in SHOWN if name in study.tables]
    notes = notes_on(study, [table] if table else [*only, "documents"])
    layout = lay_out(study, FEW, adapt=_adapted)
    show(study, form=form, table=table, output=output, layout=layout, notes=notes, only=only)
    draw_chart(study, asked_chart(draw, *study.charts[:1]), chart)


def _write_sample(runs: Sequence[str], settings: dict[str, Any], output: str) -> None:
    """The judgments of a sample, as inferred measures read them."""
    found = read_candidates(list(runs), depth=settings["depth"], ties=settings["ties"])
    drawn = parse_strategy(settings["strategies"][0])
    assert isinstance(drawn, Stratified)
    sample = strata(drawn, found, budget=settings["budget"], seed=settings["seed"])
    judged = sampled_qrels(sample, found, read_qrels(settings["judged"]))
    with whole(output) as place:
        write(judged, place)
    click.echo(f"{output}: {len(judged)} rows; -1 is a document that was not drawn", err=True)


def _replayed(runs: Sequence[str], qrels: str, settings: dict[str, Any]) -> Study:
    """Known judgments replayed."""
    _refuse(MAKING, "--simulate replays known judgments")
    entries, columns = settings["entries"], settings["columns"]
    if columns and not entries:
        raise click.UsageError("--column is about a table of runs\nhint: give one with --entries")
    if settings["budget"] and settings["budgets"]:
        raise click.UsageError("--budget and --budgets say the same\nhint: name one or several with --budgets")
    with progress("replaying") as watch:
        return replay_pool(
            list(runs),
            qrels,
            strategies=list(settings["strategies"]) or "all",
            budgets=settings["budgets"] or ((settings["budget"],) if settings["budget"] else None),
            unjudged="skip" if settings["unjudged"] == "skip" else "not relevant",
            entries=read_entries(entries, columns=dict(columns)) if entries else None,
            progress=watch,
            command=typed(),
            **{name: settings[name] for name in ("measure", "shared", "share", "depth", "first", "rel", "leave_out")},
            **{name: settings[name] for name in ("corpus", "test", "correct", "level", "ties", "seed", "threads")},
        )


def _made(runs: Sequence[str], settings: dict[str, Any]) -> Study:
    """A pool for people to judge."""
    _refuse(REPLAYING, "known judgments are not replayed", "--simulate qrels.txt replays them")
    if len(settings["strategies"]) > 1:
        raise click.UsageError("a pool has one strategy\nhint: --simulate qrels.txt compares several")
    strategy = settings["strategies"][0] if settings["strategies"] else None
    with progress("pooling") as watch:
        found = read_candidates(list(runs), depth=settings["depth"], ties=settings["ties"], progress=watch)
        judging = _judging(found, strategy, settings) if settings["state"] else None
        if isinstance(judging, Study):
            return judging
        return pool(
            found,
            strategy=strategy or "depth",
            judging=judging,
            topics=settings["topic_file"],
            progress=watch,
            command=typed(),
            **{name: settings[name] for name in ("budget", "shared", "depth", "first", "rel", "judged", "corpus")},
            **{name: settings[name] for name in ("language", "minutes", "ties", "seed")},
        )


def _judging(found: Any, strategy: str | None, settings: dict[str, Any]) -> Judging | Study:
    """The pool of a state file, told what was judged since, and asked for more; or what an audit says of it."""
    place = settings["state"]
    check_place(place)
    texts = None
    if settings["corpus"]:
        from cranfield.data import read_corpus

        texts = read_corpus(settings["corpus"], wanted=set(found.document.to_list()))
    making = {name: settings[name] for name in ("budget", "shared", "share", "rel", "first", "seed")}
    if Path(place).exists():
        state = read_state(place)
        if settings["audit"]:
            told = audit_table(found, state, corpus=texts)
            wrong = sum(not due for due in told.cells("as_due"))
            verb = "was" if wrong == 1 else "were"
            said = f"{len(told):,} documents were asked for; {wrong or 'none'} of them {verb} not due."
            return Study("pool", {"audit": told}, {"sentence": said})
        judging = Judging.resume(found, state, corpus=texts)
        _expect_the_same(judging, strategy, making)
    elif settings["audit"]:
        raise click.UsageError(f"there is no state {place}\nhint: --audit looks at one that was written")
    else:
        judging = Judging(found, strategy or "depth", corpus=texts, **making)
    if settings["judged"]:
        told_now = judging.tell_all(read_qrels(settings["judged"]))
        note(f"{told_now:,} judgments were new")
    judging.ask(settings["batch"] or 10)
    with whole(place) as target:
        judging.state.save(target)
    return judging


def _expect_the_same(judging: Judging, strategy: str | None, making: dict[str, Any]) -> None:
    """Refuse to go on in another way than a pool was begun."""
    context = click.get_current_context()
    if (
        strategy is not None
        and Judging(judging.candidates, strategy, corpus=judging.corpus).strategy != judging.strategy
    ):
        raise click.UsageError(f"the pool was begun with {judging.strategy}\nhint: go on with it, or begin another one")
    for name, value in making.items():
        said = context.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT
        if said and getattr(judging, name) != value:
            problem = f"the pool was begun with --{name} {getattr(judging, name)}"
            raise click.UsageError(f"{problem}\nhint: leave the option out, or begin another state")


def _refuse(options: Sequence[str], why: str, hint: str = "leave it out") -> None:
    """Refuse options that have no meaning here."""
    context = click.get_current_context()
    for name in options:
        if context.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT:
            option = next(one.opts[-1] for one in context.command.params if one.name == name)
            raise click.UsageError(f"{option} has no meaning here: {why}\nhint: {hint}")


def _adapted(name: str, cells: Cells) -> Cells:
    """Columns that fit a terminal."""
    if name in ("replay", "bias"):
        at = "per_topic" if name == "replay" else "judgments"
        best = [-each for each in cells["relevant"]] if name == "replay" else cells["absolute"]
        kept = _budgets_shown(cells[at]) if name == "replay" else set(cells[at])
        rows = [i for i, budget in enumerate(cells[at]) if budget in kept]
        rows.sort(key=lambda i: (cells[at][i], best[i]))
        dropped = {"judgments", "precision", "gained"} if name == "replay" else set()
        return {column: [each[i] for i in rows] for column, each in cells.items() if column not in dropped}
    return cells


def _budgets_shown(budgets: Sequence[int]) -> set[int]:
    """Three budgets: an early, a middle and a late one."""
    every = sorted(set(budgets))
    return {every[len(every) * part // 4] for part in (1, 2, 3)}
