"""Which click model predicts the clicks in a log best, and which measures fit its users?"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from cranfield.core import SEED, ParameterError, Provenance, Study, Table, UnknownName, listed
from cranfield.data import Lengths, Log, Qrels, read_lengths, read_log, read_qrels
from cranfield.online import (
    CALIBRATIONS,
    FROM_STEPS,
    ClickModel,
    Fitted,
    Foretold,
    Parted,
    answerable,
    answerable_of,
    calibrate_measure,
    doubts,
    fit_table,
    foretell,
    inferred_qrels,
    log_checks,
    log_concentration_checks,
    online_table,
    parameters_table,
    parse_click_models,
    parse_online,
    ranks_table,
    read_parted,
    read_steps,
    read_times,
    values_by_user,
)
from cranfield.stats import LEVEL, check_level
from cranfield.studies.pools.study import part_of

USUAL = ("RCTR", "PBM", "UBM", "DBN")
TEST = 0.2  # of the impressions: what models are tested on
CALIBRATED = ("name", "measure", "parameter", "value", "low", "high", "n")
ROOM = 40  # letters of a measure in a sentence
LIKELIHOOD_SCALE = "(0 is perfect, −0.693 a coin toss)"  # the second is the logarithm of one half
VAGUE = 0.3  # width of the interval of examination at a rank: wider ones do not determine it
PRECISE = 0.1  # width that is always narrow enough; between both, the interval may be as wide as the value
TOLD = (2, 5, 10)  # ranks of which the sentence says how often they are looked at

Progress = Callable[[int, int], object]


def clicks(
    log: Any,
    *,
    models: Any = USUAL,
    measures: Any = None,
    framework: str | None = None,
    calibrate: str | Iterable[str] = (),
    qrels: Any = None,
    lengths: Any = None,
    infer: bool = False,
    cuts: Sequence[float] = (),
    columns: Mapping[str, str] | None = None,
    ranks_from: int = 1,
    engine: Any = None,
    memory: str | None = None,
    test: float = TEST,
    level: float = LEVEL,
    seed: int = SEED,
    progress: Progress | None = None,
    command: str = "",
) -> Study:
    """What a log says: how users fare, how they come to click, and which measures have users like these.

    ``log`` is what ``cranfield.data.read_log`` reads (with ``columns``, ``ranks_from``, ``engine`` and ``memory``).
    ``measures`` are online measures, those of a ``framework`` (HEART, …), or all that the log can answer. ``models``
    learn from most of the impressions and are tested on the others, a share ``test`` of them; 0: on those that they
    learnt from. Their parameters are learnt from all impressions. Models that learn from counts (PBM, UBM,
    click-through rates) read only these, and so handle logs that are far larger than memory.

    ``calibrate`` names measures to fit to the log: RBP, CWL and MP without judgments; TBG, ERR and those of click
    models (uPBM, rrDBN, …) with ``qrels``. ``lengths`` of documents, with times in the log, tell TBG what reading
    takes. With ``infer`` the relevance that the best model sees in documents becomes a table of judgments; ``cuts``
    make grades of it.
    """
    check_level(level)
    if not 0 <= test < 1:
        raise ParameterError(f"a share of {test} cannot be held out", hint="give a share from 0 up and below 1")
    wanted, fitted_measures = parse_click_models(models), _calibrations(calibrate)
    read = read_log(log, columns=columns, ranks_from=ranks_from, engine=engine, memory=memory)
    judged = None if qrels is None else read_qrels(qrels)
    online = _online(read, measures, framework, level)
    by_page = any(name not in FROM_STEPS for name in fitted_measures)
    parted = read_parted(read, wanted, test=test, seed=seed, pages=by_page)
    long = None if lengths is None else read_lengths(lengths)
    measured = _calibrated(fitted_measures, read, parted, judged, long, level)
    whole, found = _learn(wanted, read, parted, progress)
    fit = replace(fit_table(found), notes=(*_gaps(read, parted), *_unseen(parted)))
    order = sorted(range(len(found)), key=lambda place: -float(str(fit.cells("log_likelihood")[place])))
    whole = [whole[place] for place in order]
    ranks = ranks_table([found[place] for place in order], level=level)
    tables = {"dropped": replace(read.excluded.table(), notes=read.notes), "online": online, "fit": fit, "ranks": ranks}
    if fitted_measures:
        tables["calibrated"] = measured
    if infer:
        tables["inferred"] = _inferred(whole, parted, cuts)
    tables["parameters"] = parameters_table(whole, level=level)
    inputs = (read.source, *(one.source.as_input() for one in (judged, long) if one is not None))
    asked = tuple(dict.fromkeys(map(str, online.cells("measure"))))
    made_by = Provenance(command=command, inputs=inputs, measures=asked, seed=seed)
    tables = {name: replace(table, made_by=made_by) for name, table in tables.items()}
    charts = ("click-curves", *(["examination"] if _examined(ranks) else []))
    unfinished = tuple(str(one.model) for one in whole if not one.converged)
    verdict = _verdict(read, tables, unfinished, held_out=test > 0)
    return Study("clicks", tables, verdict, made_by, charts=charts)


def _calibrations(names: str | Iterable[str]) -> list[str]:
    """The measures to fit, each once, as they are spelt."""
    known = {name.casefold(): name for name in CALIBRATIONS}
    asked = names.split() if isinstance(names, str) else [word for name in names for word in name.split()]
    for name in asked:
        if name.casefold() not in known:
            hint = f"choose: {', '.join(CALIBRATIONS)}"
            raise UnknownName(f"no measure named {name!r} is fitted to a log", hint=hint)
    return list(dict.fromkeys(known[name.casefold()] for name in asked))


def _online(log: Log, measures: Any, framework: str | None, level: float) -> Table:
    if measures is not None and framework is not None:
        raise ParameterError("measures and a set of them are both given", hint="give one of both")
    if measures is not None:
        return online_table(log, parse_online(measures), level=level)
    if framework is None:
        return online_table(log, answerable(log), level=level)
    asked, left = answerable_of(framework, log)
    table = online_table(log, asked, level=level)
    return replace(table, notes=(*table.notes, *([f"the log does not say: {', '.join(left)}"] if left else [])))


def _learn(
    models: Sequence[ClickModel], log: Log, parted: Parted, progress: Progress | None
) -> tuple[list[Fitted], list[Foretold]]:
    """What models learn from all impressions, and how well those held out are foretold from the others."""
    if parted.tested is parted.every:
        every = _fit(models, parted.every, progress)
        return every, foretell(log, every, parted)
    some = _fit(models, parted.learnt, part_of(progress, 0, 50))
    return _fit(models, parted.every, part_of(progress, 50, 100)), foretell(log, some, parted)


def _fit(models: Sequence[ClickModel], pages: Any, progress: Progress | None) -> list[Fitted]:
    found = []
    for done, model in enumerate(models):
        start, end = 100 * done // len(models), 100 * (done + 1) // len(models)
        found.append(model.fit(pages, progress=part_of(progress, start, end)))
        if progress:
            progress(end, 100)
    return found


def _gaps(log: Log, parted: Parted) -> tuple[str, ...]:
    shown = log.documents
    all_shown = int(log.fetch(shown.aggregate(pages=shown.impression.nunique()))["pages"][0])
    left = all_shown - int(parted.every.impressions)
    return (f"click models leave out {left:,} of {all_shown:,} impressions, whose ranks have gaps",) if left else ()


def _unseen(parted: Parted) -> tuple[str, ...]:
    """A word where models have to guess: what they never saw has the chance that their prior says."""
    share = parted.unseen()
    guess = "models that are fitted take a mean of the log for them, and counted ones (DCTR, CM) their prior"
    return (f"{share:.1%} of the documents held out were never shown before for their topic; {guess}",) if share else ()


def _calibrated(
    names: Sequence[str], log: Log, parted: Parted, qrels: Qrels | None, lengths: Lengths | None, level: float
) -> Table:
    """A row for each parameter of each fitted measure."""
    given: Any = {"qrels": qrels, "level": level, "steps": read_steps(log) if set(FROM_STEPS) & set(names) else None}
    given["times"] = read_times(log, lengths) if "TBG" in names else None
    found = {name: calibrate_measure(name, parted.every, **given) for name in names}
    rows = [{"name": name, **row} for name, one in found.items() for row in one.table.rows()]
    notes = tuple(dict.fromkeys(f"{name}: {note}" for name, one in found.items() for note in one.notes))
    return Table.from_rows(rows, CALIBRATED, caption="measures with the users of this log", notes=notes)


def _inferred(fitted: Sequence[Fitted], parted: Parted, cuts: Sequence[float]) -> Table:
    """Judgments by the best model that tells documents apart."""
    best = next((one for one in fitted if "attraction" in one.estimates), None)
    if best is None:
        raise ParameterError("no model given here says anything of documents", hint="add one: PBM, DBN, …")
    return inferred_qrels(best, parted.every, cuts=cuts).to_table()


def _verdict(log: Log, tables: Mapping[str, Table], not_converged: Sequence[str], *, held_out: bool) -> dict[str, Any]:
    told = {str(row["measure"]): row for row in tables["online"].rows()}
    ctr: Any = told.get("ctr") or online_table(log, "ctr").rows()[0]
    users = int(ctr["users"]) if "user" in log.known else None
    best: Any = max(tables["fit"].rows(), key=lambda row: float(str(row["log_likelihood"])))
    fitted = list(dict.fromkeys(map(str, tables["calibrated"].cells("measure")))) if "calibrated" in tables else []
    said = [
        f"{int(ctr['counted']):,} impressions{'' if users is None else f' of {users:,} users'}; "
        f"{ctr['value']:.1%} have a click.",
        doubt := doubts((*log_checks(log), *log_concentration_checks(log, *values_by_user(log, "ctr")))),
        _best_prediction(tables["fit"], best, held_out=held_out),
        _looked_at(tables["ranks"], tables["parameters"]),
        f"Not converged, parameters may be wrong: {', '.join(not_converged)}. Give more rounds."
        if not_converged
        else "",
        f"Fitted to this log: {', '.join(map(_short, fitted))}." if fitted else "",
    ]
    return {
        "impressions": int(ctr["counted"]),
        "users": users,
        "click_through": ctr["value"],
        "model": best["model"],
        "measures": fitted,
        "trusted": not doubt,
        **log.excluded.as_verdict(),
        "not_converged": list(not_converged),
        "sentence": " ".join(filter(None, said)),
    }


def _short(measure: str) -> str:
    """A measure that a sentence has room for."""
    return measure if len(measure) <= ROOM else f"{measure.partition('(')[0]}(…)"


def _best_prediction(fit: Table, best: Any, *, held_out: bool) -> str:
    """State which model predicts clicks best, and which is second, by log-likelihood."""
    rows: list[Any] = sorted(fit.rows(), key=lambda row: -float(str(row["log_likelihood"])))
    values = [f"{row['log_likelihood']:.4f}".replace("-", "−") for row in rows[:2]]
    impressions = f"{best['impressions']:,} {'held-out impressions' if held_out else 'impressions that it learnt from'}"
    if len(rows) == 1:
        return f"{best['model']} predicts the {impressions} with log-likelihood {values[0]} {LIKELIHOOD_SCALE}."
    second = f"{rows[1]['model']} {values[1]}"
    return f"{best['model']} predicts the {impressions} best: log-likelihood {values[0]}, {second} {LIKELIHOOD_SCALE}."


def _examined(ranks: Table) -> list[dict[str, Any]]:
    """The rows of the best model that tells what is looked at."""
    rows: list[dict[str, Any]] = [row for row in ranks.rows() if row["examined"] is not None]
    return [row for row in rows if row["model"] == rows[0]["model"]]


def _looked_at(ranks: Table, parameters: Table) -> str:
    """Return how fast examination falls, or that the log does not determine it."""
    rows = _examined(ranks)
    below = [row for row in rows if row["rank"] in TOLD]
    if not below or not rows[0]["examined"]:
        return ""
    model = rows[0]["model"]
    vague = _vague([row["rank"] for row in below], parameters, model)
    shares = [
        f"{row['examined'] / rows[0]['examined']:.1%} look at rank {row['rank']}"
        for row in below
        if row["rank"] not in vague and 2 not in vague
    ]
    text = f"By {model}, of those who look at rank 1, {listed(shares)}." if shares else ""
    if not vague:
        return text
    rank, (low, high) = next(iter(vague.items()))
    which = "each rank" if 2 in vague else f"rank {' or '.join(map(str, vague))}"
    doubt = (
        f"The log does not determine how many users examine {which}: too few documents have clicks at several ranks "
        f"(rank {rank} against rank 1: [{low:.3f}, {high:.3f}])."
    )
    return f"{text} {doubt}".strip()


def _vague(ranks: Sequence[int], parameters: Table, model: object) -> dict[int, tuple[float, float]]:
    """Return the intervals of examination that are too wide for a number in the sentence, by rank."""
    intervals = {}
    for row in parameters.rows():
        if (row["model"], row["name"]) != (model, "examination"):
            continue
        rank, _, last = str(row["key"]).partition(" after ")
        if last in ("", "0") and int(rank) in ranks:
            value, low, high = (float(str(row[name])) for name in ("value", "low", "high"))
            if high - low > min(VAGUE, max(value, PRECISE)):
                intervals[int(rank)] = (low, high)
    return intervals
