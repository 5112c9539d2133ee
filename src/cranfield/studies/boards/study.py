"""Which run leads a leaderboard, and how certain is its rank?"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from cranfield.core import (
    SEED,
    Direction,
    ParameterError,
    Policy,
    Provenance,
    Scale,
    Study,
    Table,
    listed,
    stack,
    weigh,
)
from cranfield.data import (
    Entries,
    Values,
    flipped_grades,
    has_better,
    join_entries,
    read_entries,
    read_scores,
    unjudged_notes,
    warning_notes,
)
from cranfield.measures import Relative, found_first, measure_all
from cranfield.stats import (
    CORRECTIONS,
    INTERVALS,
    LEVEL,
    Asked,
    Condition,
    Correction,
    Interval,
    PairTest,
    RankStability,
    above_table,
    adapt,
    board_tables,
    check_level,
    condition_ranks_table,
    conditions_table,
    cost_table,
    facet_board,
    flips_table,
    groups_table,
    history_table,
    left_out_table,
    moves_table,
    orders_table,
    overfitting_table,
    parse_method,
    parse_tests,
    private_sentence,
    rank_stability,
    shakeup_table,
    sizes_table,
    sota_sentence,
    sota_table,
    stability_table,
)
from cranfield.studies.small_samples import few_topics_notes

from .text import board_sentence, stable_order_sentence

DRAWS = 10_000
FLIP_DRAWS = 20
CUTOFF = 100

Progress = Callable[[int, int], object]


@dataclass(frozen=True, kw_only=True, slots=True)
class Board:
    """What all parts of a leaderboard share."""

    values: Values  # of the public topics
    measure: Any
    entries: Entries
    asked: Asked
    draws: int
    made_by: Provenance
    stability: RankStability
    progress: Progress | None = field(default=None, compare=False)

    @property
    def lower(self) -> bool:
        """Whether less is better."""
        return str(self.measure.direction) == "lower"

    @property
    def means(self) -> dict[str, float]:
        """The mean of every run."""
        place = self.values.index(self.measure)
        return dict(zip(self.values.runs, self.values.aggregate()[:, place].tolist(), strict=True))


def leaderboard(
    values: Any,
    *,
    entries: Any = None,
    measure: Any = None,
    test: str | PairTest = "tukey",
    correct: str | Correction = "holm",
    interval: str | Interval = "t",
    steps: str | PairTest = "t",
    baselines: Sequence[str] = (),
    private: Iterable[str] | Values | None = None,
    labels: Mapping[str, Values] | None = None,
    costs: Sequence[str] = (),
    flips: Sequence[float] = (),
    flip_draws: int = FLIP_DRAWS,
    cutoff: int | None = None,
    rel: float = 1,
    robust: bool = False,
    pairs: bool = False,
    draws: int = DRAWS,
    level: float = LEVEL,
    scale: Policy = "note",
    seed: int = SEED,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Study:
    """Rank runs by mean, with intervals, significance groups and the stability of their ranks.

    ``values`` come from :func:`evaluate` or are a table of scores. The leaderboard is by ``measure``, by default the
    first one. ``entries`` have the group, date and cost of each run (a table; default: the headers of the runs). They
    add groups, the history of the state of the art with a test of every step, and the ``costs`` named. ``private``
    topics, or values of other topics, do not count for the leaderboard: they show whether its order holds on topics
    that were not used for tuning, under all measures and other sets of ``labels``. ``flips`` are proportions of wrong
    labels under which the order is computed again. ``robust`` adds the effect of excluding topics and of other
    measures, and the leaderboard by topics answered and rank. The table ``behind`` compares each run with the best;
    ``pairs`` adds all pairs of runs, whose number grows with the square of the number of runs.
    """
    if values is None:
        return _history_alone(entries, baselines)
    given = (values if isinstance(values, Values) else read_scores(values)).in_topic_order()
    check_level(level)
    by = given.measures[given.index(measure)] if measure is not None else given.measures[0]
    known = _known(given, entries, baselines)
    deciding = parse_tests(test)
    if len(deciding) != 1:
        raise ParameterError(
            f"a leaderboard has one test, not {len(deciding)}", hint="choose one, such as tukey, max-t or t"
        )
    stepping, around = parse_tests(steps)[0], parse_method(INTERVALS, interval)
    needs = {"the mean": Scale.INTERVAL, deciding[0].name: deciding[0].requires, stepping.name: stepping.requires}
    notes = weigh(
        [(who, need, by) for who, need in needs.items()], scale, safe="the sign test is safe (-t sign --steps sign)"
    )
    if private is None or isinstance(private, Values):
        public, held = given, private and private.in_topic_order()
    else:
        public, held = given.parted(private)
    asked = Asked(level=level, seed=seed, threads=threads, progress=progress)
    stability = rank_stability(
        public.matrix(by),
        draws=draws,
        seed=seed,
        lower_is_better=str(by.direction) == "lower",
        threads=threads,
        progress=progress,
    )
    board = Board(
        values=public,
        measure=by,
        entries=known,
        asked=asked,
        draws=draws,
        made_by=replace(given.made_by, seed=seed, inputs=(*given.made_by.inputs, *known.inputs)),
        stability=stability,
        progress=progress,
    )
    told = board_tables(
        public,
        by,
        stability,
        groups=known.groups(),
        test=adapt(deciding[0], draws=None),
        correction=parse_method(CORRECTIONS, correct),
        interval=around,
        asked=asked,
        pairs=pairs,
        made_by=board.made_by,
    )
    ranks = told["ranks"]
    order = [str(run) for run in ranks.cells("run")]
    limits = (*warning_notes(given), *unjudged_notes(public), *few_topics_notes(stability.topics, level))
    tables = {**told, "ranks": replace(ranks, notes=(*ranks.notes, *notes, *limits, *known.meet(given.runs)))}
    said = [
        board_sentence(
            ranks,
            stability,
            test=deciding[0],
            correction=parse_method(CORRECTIONS, correct),
            measure=by,
            level=level,
        )
    ]
    tables |= _dated(board, stepping, said)
    tables |= _held_out(board, held, labels or {}, said)
    tables |= _costs(board, costs)
    tables |= _flips(board, flips, flip_draws)
    if robust:
        tables |= _robust(board, cutoff or CUTOFF, rel)
        said.append(stable_order_sentence(tables["sizes"]))
    tables["above"] = above_table(stability, public.runs, made_by=board.made_by)
    tables["stability"] = stability_table(stability, public.runs, order, made_by=board.made_by)
    return Study("leaderboard", tables, _verdict(ranks, said, level), board.made_by, charts=_charts(tables))


def _history_alone(entries: Any, baselines: Sequence[str]) -> Study:
    """A board of which only the means are known."""
    if entries is None:
        raise ParameterError("there is nothing to rank", hint="give values, or entries with a column of means")
    known = (entries if isinstance(entries, Entries) else read_entries(entries)).with_baselines(baselines)
    means = {entry.run: entry.value for entry in known if entry.value is not None}
    if not means:
        raise ParameterError("the entries have no values", hint="say which column holds them: value=")
    made_by = Provenance(inputs=known.inputs)
    sota = sota_table(None, None, known, test=None, means=means, made_by=made_by)
    tables = {
        "sota": sota,
        "groups": groups_table(known, means, made_by=made_by),
        "history": history_table(known, means, made_by=made_by),
    }
    return Study("leaderboard", tables, {"sentence": sota_sentence(sota)}, made_by, charts=("sota",))


def _known(values: Values, entries: Any, baselines: Sequence[str]) -> Entries:
    """What is known about the runs: from a table, else from their own headers."""
    baselines = [values.runs[values.run_index(run)] for run in baselines]  # refuses what is no run
    if entries is None:
        return join_entries(values).with_baselines(baselines)
    return (entries if isinstance(entries, Entries) else read_entries(entries)).with_baselines(baselines)


def _dated(board: Board, stepping: PairTest, said: list[str]) -> dict[str, Table]:
    """Groups, and the history of the state of the art where dates are known."""
    tables = {}
    if any(entry.group for entry in board.entries):
        tables["groups"] = groups_table(board.entries, board.means, lower_is_better=board.lower, made_by=board.made_by)
    if any(entry.date for entry in board.entries):
        sota = sota_table(
            board.values,
            board.measure,
            board.entries,
            test=stepping,
            asked=board.asked,
            made_by=board.made_by,
        )
        said.append(sota_sentence(sota))
        tables["sota"] = sota
        told = history_table(board.entries, board.means, lower_is_better=board.lower, made_by=board.made_by)
        shown = {row["run"]: row["significant"] for row in sota.rows()}
        tables["history"] = replace(told, data={**told.data, "significant": list(map(shown.get, told.cells("run")))})
    return tables


def _held_out(board: Board, held: Values | None, labels: Mapping[str, Values], said: list[str]) -> dict[str, Table]:
    """Whether the order holds on private topics, and under other labels."""
    if held is None and not labels:
        return {}
    own = {board.measure: {(board.draws, board.asked.seed): board.stability}}  # it is not drawn twice
    conditions = [
        Condition(
            name=f"public, {measure}",
            private=False,
            labels="own",
            values=board.values,
            measure=measure,
            drawn=own.get(measure, {}),
        )
        for measure in board.values.measures
    ]
    if held is not None:
        conditions += [
            Condition(name=f"private, {measure}", private=True, labels="own", values=held, measure=measure)
            for measure in held.measures
        ]
    for name, judged in labels.items():
        topics = [topic for topic in judged.topics if held is None or topic in held.topics]
        if not topics:
            raise ParameterError(f"the labels {name} judge no private topic", hint="label the private topics")
        part = "private" if held is not None else "labels"
        conditions += [
            Condition(
                name=f"{part} {name}, {measure}",
                private=held is not None,
                labels=name,
                values=judged.only(topics).in_topic_order(),
                measure=measure,
            )
            for measure in judged.measures
        ]
    told = conditions_table(
        conditions,
        draws=board.draws,
        seed=board.asked.seed,
        level=board.asked.level,
        progress=board.progress,
        made_by=board.made_by,
    )
    tables = {
        "conditions": told,
        "condition_ranks": condition_ranks_table(
            conditions, draws=board.draws, seed=board.asked.seed, made_by=board.made_by
        ),
        "shakeup": shakeup_table(conditions, made_by=board.made_by),
    }
    if held is not None:
        tables["moves"] = moves_table(board.values, held, board.measure, board.entries, made_by=board.made_by)
        tables["overfitting"] = overfitting_table(
            board.values, held, board.measure, board.entries, asked=board.asked, made_by=board.made_by
        )
        said.append(private_sentence(told, tables["shakeup"], tables["overfitting"]))
    return tables


def _costs(board: Board, costs: Sequence[str]) -> dict[str, Table]:
    if not costs:
        return {}
    return {
        "cost": cost_table(board.means, board.entries, costs=costs, lower_is_better=board.lower, made_by=board.made_by)
    }


def _flips(board: Board, shares: Sequence[float], draws: int) -> dict[str, Table]:
    """Return how the order of runs by each measure changes if some labels are wrong; the measure of the board first."""
    if not shares:
        return {}
    assessed = board.values.assessed
    if assessed is None:
        raise ParameterError("labels cannot be flipped in a table of scores", hint="give judgments and runs")
    prior_is_gone = any(source.kind == "prior" for source in board.made_by.inputs)
    if isinstance(board.measure, Relative) and prior_is_gone:
        hint = "evaluate the runs that are known before too, and name them as prior"
        raise ParameterError(f"labels cannot be flipped for {board.measure}: what is known before is gone", hint=hint)
    others: list[Any] = [one for one in board.values.measures if one != board.measure and has_better(one)]
    excluded = [one for one in others if one.asks_for or (isinstance(one, Relative) and prior_is_gone)]
    measures = [board.measure, *(one for one in others if one not in excluded)]
    means: dict[float, list[Any]] = {share: [] for share in shares}
    total = len(shares) * draws
    for done, (share, _, grade) in enumerate(flipped_grades(assessed, shares, draws, seed=board.asked.seed), 1):
        values = measure_all(assessed.with_grades(grade), measures).only(board.values.topics).in_topic_order()
        means[share].append(replace(values, counted=board.values.counted, by=board.values.by).aggregate())
        if board.progress:
            board.progress(done, total)
    original = board.values.of_measures(measures).aggregate()
    parts = [
        flips_table(
            original[:, i],
            {share: [draw[:, i] for draw in drawn] for share, drawn in means.items()},
            measure,
            level=board.asked.level,
            lower_is_better=measure.direction is Direction.LOWER,
            made_by=board.made_by,
        )
        for i, measure in enumerate(measures)
    ]
    counts = [one for one in board.values.measures if one != board.measure and not has_better(one)]
    notes = [f"{listed(list(map(str, excluded)))}: not computed with flipped labels"] if excluded else []
    notes += (
        [f"{listed(list(map(str, counts)))}: counts put runs in no order; not computed with flipped labels"]
        if counts
        else []
    )
    return {"flips": replace(stack(parts), notes=tuple(notes))}


def _robust(board: Board, cutoff: int, rel: float) -> dict[str, Table]:
    """What leaving out topics, and other measures, do to the order; the board by the two facets of an answer."""
    tables = {
        "left_out": left_out_table(board.values, board.measure, made_by=board.made_by),
        "sizes": sizes_table(
            board.values,
            board.measure,
            seed=board.asked.seed,
            level=board.asked.level,
            progress=board.progress,
            made_by=board.made_by,
        ),
    }
    if len(board.values.measures) > 1:
        tables["orders"] = orders_table(board.values, made_by=board.made_by)
    first = found_first(board.values, rel=rel, cutoff=cutoff)
    if first is not None and len(board.values.runs) > 1:
        groups = board.entries.groups()
        tables["facets"] = facet_board(first, board.values.runs, groups, asked=board.asked, made_by=board.made_by)
    return tables


def _verdict(ranks: Table, said: Sequence[str], level: float) -> dict[str, Any]:
    first = ranks.rows()[0]
    return {
        "first": first["run"],
        "p_first": first["p_first"],
        "with_first": sum(row["rank"] == 1 for row in ranks.rows()),
        "level": level,
        "sentence": " ".join(filter(None, said)),
    }


def _charts(tables: Mapping[str, Table]) -> tuple[str, ...]:
    drawn = {
        "board": "ranks",
        "stability": "stability",
        "p-matrix": "pairs",
        "sota": "history",
        "public-private": "condition_ranks",
        "moves": "moves",
        "pareto": "cost",
        "flips": "flips",
        "sizes": "sizes",
        "orders": "orders",
        "facets": "facets",
    }
    return tuple(name for name, table in drawn.items() if table in tables and len(tables[table]))
