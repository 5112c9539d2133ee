"""Corruptions of logs: of an A/B test, of interleaved pages, and of a policy with propensities."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from functools import partial
from typing import Any

import numpy as np

import cranfield as cf
from cranfield.online import multileave
from cranfield.simulate import simulate_log

from .base import Corruptions, Response

Columns = dict[str, list[Any]]
USERS = 1200


def _runs(seed: int) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, dict[str, float]]]]:
    """Judgments, and two runs of which the second is better."""
    rng = np.random.default_rng(seed)
    qrels: dict[str, dict[str, int]] = {}
    runs: dict[str, dict[str, dict[str, float]]] = {"A": {}, "B": {}}
    for topic in (f"t{number}" for number in range(20)):
        grades = rng.permutation([2] * 4 + [1] * 6 + [0] * 20)
        qrels[topic] = {f"{topic}-d{i}": int(grade) for i, grade in enumerate(grades)}
        for name, quality in (("A", 0.6), ("B", 1.2)):
            scores = quality * grades + rng.standard_normal(len(grades))
            runs[name][topic] = {f"{topic}-d{i}": float(score) for i, score in enumerate(scores)}
    return qrels, runs


def experiment_log(seed: int) -> Columns:
    """Simulate the log of an A/B test in which the arms have two runs."""
    qrels, runs = _runs(seed)
    return dict(simulate_log(qrels, runs, users=USERS, days=7, length=6, seed=seed))


def interleaved_log(seed: int) -> Columns:
    """Simulate a log of team-draft pages of two runs, in which the teams alone give the credit."""
    qrels, runs = _runs(seed)
    page = partial(multileave, runs=("A", "B"), length=6)
    log = simulate_log(qrels, runs, page=page, users=USERS // 3, days=7, length=6, seed=seed)
    return {name: cells for name, cells in log.items() if not name.startswith(("worth_", "rank_"))}


def policy_log(seed: int) -> Columns:
    """Simulate single choices of a policy, with propensities and the probabilities of another policy."""
    rng = np.random.default_rng(seed)
    logging, target = np.array([0.5, 0.3, 0.2]), np.array([0.2, 0.3, 0.5])
    action = rng.choice(3, size=4000, p=logging)
    reward = (rng.random(4000) < np.array([0.1, 0.2, 0.3])[action]).astype(int)
    return {
        "impression": [f"i{i}" for i in range(4000)],
        "user": [f"u{i}" for i in rng.integers(1000, size=4000)],
        "document": [f"d{i}" for i in action],
        "reward": reward.tolist(),
        "propensity": logging[action].tolist(),
        "target": target[action].tolist(),
    }


def _response(study: cf.Study, numbers: str) -> Response:
    """The numbers of a table, and the messages: notes of tables, failed checks, excluded rows, loss of trust."""
    verdict = dict(study.verdict or {})
    messages = {note for table in study.tables.values() for note in table.notes}
    if "checks" in study.tables:
        messages |= {f"failed: {row['check']}" for row in study["checks"].rows() if row["passed"] is False}
    messages |= {f"trusted: {verdict.get('trusted')}"}
    messages |= {f"excluded: {verdict['excluded']}"} if verdict.get("rows_excluded") else set()
    return Response(study[numbers].rows(), frozenset(messages))


def run_experiment(log: Columns) -> Response:
    """Analyse an A/B test by clicks and times."""
    return _response(cf.ab(log, ["clicks", "dwell", "time_to_first_click"], control="A"), "effects")


def run_interleaving(log: Columns) -> Response:
    """Analyse interleaved pages."""
    return _response(cf.interleave(log), "result")


def run_policy(log: Columns) -> Response:
    """Estimate the reward of the other policy."""
    return _response(cf.counterfactual(log), "policies")


@dataclass(frozen=True, slots=True)
class LogKind:
    """A kind of log: how a good one is made and how it is analysed."""

    make: Callable[[int], Columns]
    analyse: Callable[[Columns], Response]
    corruptions: Corruptions[Columns]


EXPERIMENT = LogKind(experiment_log, run_experiment, Corruptions())
INTERLEAVED = LogKind(interleaved_log, run_interleaving, Corruptions())
POLICY = LogKind(policy_log, run_policy, Corruptions())
KINDS = {"A/B test": EXPERIMENT, "interleaving": INTERLEAVED, "policy": POLICY}


def _cells(log: Columns, column: str, change: Callable[[Any, int], Any]) -> Columns:
    """Change the cells of a column, each with its row number."""
    return log | {column: [change(cell, row) for row, cell in enumerate(log[column])]}


def _rows(log: Columns, wanted: Any) -> Columns:
    """Take rows by number."""
    return {name: [cells[row] for row in wanted] for name, cells in log.items()}


declare = EXPERIMENT.corruptions.declare


@declare("Clicks of one arm are written as 2.", "unchanged")
def clicks_as_2(log: Columns, rng: np.random.Generator) -> Columns:
    return _cells(log, "clicked", lambda cell, row: cell * (1 + (log["arm"][row] == "B")))


@declare("Clicks are yes and no.", "unchanged")
def clicks_as_words(log: Columns, rng: np.random.Generator) -> Columns:
    return _cells(log, "clicked", lambda cell, row: "yes" if cell else "no")


@declare("A click is 1 and no click is empty.", "unchanged")
def clicks_as_1_and_empty(log: Columns, rng: np.random.Generator) -> Columns:
    return _cells(log, "clicked", lambda cell, row: cell or None)


@declare("Some rows of one arm say neither clicked nor not.", "warning")
def unknown_clicks(log: Columns, rng: np.random.Generator) -> Columns:
    lost = (rng.random(len(log["rank"])) < 0.1).tolist()
    return _cells(log, "clicked", lambda cell, row: None if lost[row] and log["arm"][row] == "B" else cell)


@declare("Ranks count from 0.", "error")
def ranks_from_0(log: Columns, rng: np.random.Generator) -> Columns:
    return _cells(log, "rank", lambda cell, row: cell - 1)


@declare("Ranks of one arm count from 0.", "error")
def ranks_of_one_arm_from_0(log: Columns, rng: np.random.Generator) -> Columns:
    return _cells(log, "rank", lambda cell, row: cell - (log["arm"][row] == "B"))


@declare("Ranks of a few pages count from 0.", "warning")
def ranks_of_some_pages_from_0(log: Columns, rng: np.random.Generator) -> Columns:
    shifted = {page for page in dict.fromkeys(log["impression"]) if rng.random() < 0.05}
    return _cells(log, "rank", lambda cell, row: cell - (log["impression"][row] in shifted))


@declare("Ranks are text.", "unchanged")
def ranks_as_text(log: Columns, rng: np.random.Generator) -> Columns:
    return _cells(log, "rank", lambda cell, row: str(cell))


@declare("Some ranks are missing.", "warning")
def missing_ranks(log: Columns, rng: np.random.Generator) -> Columns:
    lost = (rng.random(len(log["rank"])) < 0.05).tolist()
    return _cells(log, "rank", lambda cell, row: None if lost[row] else cell)


@declare("Some documents are missing.", "warning")
def missing_documents(log: Columns, rng: np.random.Generator) -> Columns:
    lost = (rng.random(len(log["rank"])) < 0.05).tolist()
    return _cells(log, "document", lambda cell, row: None if lost[row] else cell)


@declare("A quarter of the pages has no user.", "warning")
def pages_without_users(log: Columns, rng: np.random.Generator) -> Columns:
    pages = dict.fromkeys(log["impression"])
    lost = {page for page in pages if rng.random() < 0.25}
    return _cells(log, "user", lambda cell, row: None if log["impression"][row] in lost else cell)


@declare("The user of a quarter of the pages is a word for a missing cell: null, nan, None, - or a blank.", "warning")
def words_for_missing_users(log: Columns, rng: np.random.Generator) -> Columns:
    words = ("null", "nan", "None", "-", " ")
    lost = {page: words[int(rng.integers(5))] for page in dict.fromkeys(log["impression"]) if rng.random() < 0.25}
    return _cells(log, "user", lambda cell, row: lost.get(log["impression"][row], cell))


@declare("A quarter of the pages has the same user, in both arms.", "warning")
def one_anonymous_user(log: Columns, rng: np.random.Generator) -> Columns:
    lost = {page for page in dict.fromkeys(log["impression"]) if rng.random() < 0.25}
    return _cells(log, "user", lambda cell, row: "anonymous" if log["impression"][row] in lost else cell)


def _with_robots(log: Columns, users: int) -> Columns:
    first = [row for row, arm in enumerate(log["arm"]) if arm == "B"][:6]
    more: Columns = {name: [] for name in log}
    for number in range(2000):
        for rank, row in enumerate(first, 1):
            cells = {name: column[row] for name, column in log.items()}
            cells |= {
                "impression": f"robot{number}",
                "user": f"robot{number % users}",
                "session": f"robot{number % users}",
            }
            cells |= {"rank": rank, "document": f"x{rank}", "clicked": 0, "click_time": None, "dwell": None}
            cells |= {"topic": "t0", "time": log["time"][first[0]]}
            for name in more:
                more[name].append(cells[name])
    return {name: [*log[name], *more[name]] for name in log}


@declare("Five users (robots) have most of the pages of an arm and never click.", "warning")
def robots(log: Columns, rng: np.random.Generator) -> Columns:
    return _with_robots(log, users=5)


@declare("Ten robots have most of the pages of an arm and never click.", "warning")
def ten_robots(log: Columns, rng: np.random.Generator) -> Columns:
    return _with_robots(log, users=10)


@declare("Every row of the log is there twice.", "warning")
def doubled_log(log: Columns, rng: np.random.Generator) -> Columns:
    return {name: [*cells, *cells] for name, cells in log.items()}


@declare("A third of the users of one arm is lost.", "warning")
def lost_users(log: Columns, rng: np.random.Generator) -> Columns:
    lost = {user for user in dict.fromkeys(log["user"]) if rng.random() < 0.33}
    rows = range(len(log["rank"]))
    return _rows(log, [row for row in rows if log["arm"][row] == "A" or log["user"][row] not in lost])


@declare("A fifth of the rows of one arm is lost.", "warning")
def lost_rows(log: Columns, rng: np.random.Generator) -> Columns:
    lost = rng.random(len(log["rank"])) < 0.2
    return _rows(log, [row for row in range(len(log["rank"])) if log["arm"][row] == "A" or not lost[row]])


@declare("The clicks of one arm are lost.", "error")
def lost_clicks(log: Columns, rng: np.random.Generator) -> Columns:
    return _cells(log, "clicked", lambda cell, row: 0 if log["arm"][row] == "B" else cell)


@declare("Every document of one arm is clicked.", "warning")
def every_document_clicked(log: Columns, rng: np.random.Generator) -> Columns:
    return _cells(log, "clicked", lambda cell, row: 1 if log["arm"][row] == "B" else cell)


@declare("Some pages have no arm.", "warning")
def pages_without_arms(log: Columns, rng: np.random.Generator) -> Columns:
    lost = {page for page in dict.fromkeys(log["impression"]) if rng.random() < 0.1}
    return _cells(log, "arm", lambda cell, row: None if log["impression"][row] in lost else cell)


@declare("Half the users of an arm have its name in lower case.", "warning")
def arm_in_two_cases(log: Columns, rng: np.random.Generator) -> Columns:
    lower = {user for user in dict.fromkeys(log["user"]) if rng.random() < 0.5}
    return _cells(log, "arm", lambda cell, row: cell.lower() if cell == "B" and log["user"][row] in lower else cell)


@declare("The name of an arm ends in a blank on some pages.", "unchanged")
def arm_with_blanks(log: Columns, rng: np.random.Generator) -> Columns:
    padded = {page for page in dict.fromkeys(log["impression"]) if rng.random() < 0.5}
    return _cells(log, "arm", lambda cell, row: f"{cell} " if log["impression"][row] in padded else cell)


@declare("Some users are in both arms.", "warning")
def users_in_both_arms(log: Columns, rng: np.random.Generator) -> Columns:
    swapped = {page for page in dict.fromkeys(log["impression"]) if rng.random() < 0.1}
    other = {"A": "B", "B": "A"}
    return _cells(log, "arm", lambda cell, row: other[cell] if log["impression"][row] in swapped else cell)


@declare("Dwell times of some clicks are negative.", "warning")
def negative_dwell(log: Columns, rng: np.random.Generator) -> Columns:
    wrong = (rng.random(len(log["rank"])) < 0.1).tolist()
    return _cells(log, "dwell", lambda cell, row: -cell if cell is not None and wrong[row] else cell)


@declare("Some dwell times are infinite.", "warning")
def infinite_dwell(log: Columns, rng: np.random.Generator) -> Columns:
    wrong = (rng.random(len(log["rank"])) < 0.1).tolist()
    return _cells(log, "dwell", lambda cell, row: float("inf") if cell is not None and wrong[row] else cell)


@declare("Some dwell times are text that is not a number.", "warning")
def unreadable_dwell(log: Columns, rng: np.random.Generator) -> Columns:
    wrong = (rng.random(len(log["rank"])) < 0.1).tolist()
    return _cells(log, "dwell", lambda cell, row: cell if cell is None else f"{cell} s" if wrong[row] else str(cell))


@declare("Dwell times of one arm are in milliseconds.", "warning")
def dwell_of_one_arm_in_milliseconds(log: Columns, rng: np.random.Generator) -> Columns:
    return _cells(log, "dwell", lambda cell, row: 1000 * cell if cell is not None and log["arm"][row] == "B" else cell)


@declare("The pages of one arm have a clock that is an hour slow.", "warning")
def slow_clock_of_one_arm(log: Columns, rng: np.random.Generator) -> Columns:
    slow = timedelta(hours=1)
    return _cells(
        log,
        "time",
        lambda cell, row: (datetime.fromisoformat(cell) - slow).isoformat() if log["arm"][row] == "B" else cell,
    )


@declare("A third of the clicks of one arm has no time.", "warning")
def clicks_without_times_in_one_arm(log: Columns, rng: np.random.Generator) -> Columns:
    lost = (rng.random(len(log["rank"])) < 0.33).tolist()
    return _cells(log, "click_time", lambda cell, row: None if log["arm"][row] == "B" and lost[row] else cell)


@declare("Two thirds of the clicks of one arm have no dwell time.", "warning")
def clicks_without_dwell_in_one_arm(log: Columns, rng: np.random.Generator) -> Columns:
    lost = (rng.random(len(log["rank"])) < 0.67).tolist()
    return _cells(log, "dwell", lambda cell, row: None if log["arm"][row] == "B" and lost[row] else cell)


@declare("Some clicks are earlier than their page.", "warning")
def clicks_before_pages(log: Columns, rng: np.random.Generator) -> Columns:
    wrong = (rng.random(len(log["rank"])) < 0.1).tolist()
    early = "2024-05-01T00:00:00.000"
    return _cells(log, "click_time", lambda cell, row: early if cell is not None and wrong[row] else cell)


@declare("Some times have a time zone and others have none.", "warning")
def mixed_time_zones(log: Columns, rng: np.random.Generator) -> Columns:
    pages = dict.fromkeys(log["impression"])
    zoned = {page for page in pages if rng.random() < 0.5}
    return _cells(log, "time", lambda cell, row: f"{cell}+05:00" if log["impression"][row] in zoned else cell)


@declare("Some times of pages are dates without a time of day.", "warning")
def dates_without_times(log: Columns, rng: np.random.Generator) -> Columns:
    dates = {page for page in dict.fromkeys(log["impression"]) if rng.random() < 0.3}
    return _cells(log, "time", lambda cell, row: cell[:10] if log["impression"][row] in dates else cell)


@declare("Times of pages have a time zone, times of clicks have none.", "warning")
def clicks_without_zone(log: Columns, rng: np.random.Generator) -> Columns:
    moments = [datetime.fromisoformat(time).replace(tzinfo=timezone(timedelta(hours=5))) for time in log["time"]]
    clicks = [None if time is None else datetime.fromisoformat(time) for time in log["click_time"]]
    return log | {"time": moments, "click_time": clicks}


@declare("The pages without a click are lost.", "warning")
def lost_pages_without_click(log: Columns, rng: np.random.Generator) -> Columns:
    clicked = _clicked_pages(log)
    return _rows(log, [row for row, page in enumerate(log["impression"]) if page in clicked])


def _clicked_pages(log: Columns) -> set[Any]:
    return {page for page, clicked in zip(log["impression"], log["clicked"], strict=True) if clicked}


@declare("The pages of one arm are logged to rank 3.", "warning")
def one_arm_logged_to_rank_3(log: Columns, rng: np.random.Generator) -> Columns:
    return _rows(log, [row for row, rank in enumerate(log["rank"]) if log["arm"][row] == "A" or rank <= 3])


@declare("Each row has an impression id that no other row has.", "warning")
def rows_as_pages(log: Columns, rng: np.random.Generator) -> Columns:
    return _cells(log, "impression", lambda cell, row: f"{cell}-{row}")


@declare("A third of the clicks of one arm is lost, but not their times.", "warning")
def lost_clicks_with_times(log: Columns, rng: np.random.Generator) -> Columns:
    lost = (rng.random(len(log["rank"])) < 0.33).tolist()
    return _cells(log, "clicked", lambda cell, row: 0 if log["arm"][row] == "B" and lost[row] else cell)


@declare("A page is claimed by two users.", "warning")
def pages_of_two_users(log: Columns, rng: np.random.Generator) -> Columns:
    pages = dict.fromkeys(log["impression"])
    shared = {page for page in pages if rng.random() < 0.1}
    return _cells(
        log, "user", lambda cell, row: "u0" if log["impression"][row] in shared and log["rank"][row] == 2 else cell
    )


@declare("The rows are shuffled.", "unchanged")
def shuffled_log(log: Columns, rng: np.random.Generator) -> Columns:
    return _rows(log, rng.permutation(len(log["rank"])).tolist())


@declare("The log is empty.", "error")
def empty_log(log: Columns, rng: np.random.Generator) -> Columns:
    return {name: [] for name in log}


@declare("The column of clicks is missing.", "error")
def no_clicks_column(log: Columns, rng: np.random.Generator) -> Columns:
    return {name: cells for name, cells in log.items() if name != "clicked"}


declare = INTERLEAVED.corruptions.declare


@declare("Teams are missing below rank 3.", "warning")
def teams_missing_below_a_rank(log: Columns, rng: np.random.Generator) -> Columns:
    return _cells(log, "team", lambda cell, row: None if log["rank"][row] > 3 else cell)


@declare("Half the rows of one team are lost.", "warning")
def lost_team_rows(log: Columns, rng: np.random.Generator) -> Columns:
    lost = rng.random(len(log["rank"])) < 0.5
    rows = range(len(log["rank"]))
    return _rows(log, [row for row in rows if log["team"][row] == "B" or not lost[row]])


@declare("A team has its name in lower case on a quarter of the pages.", "warning")
def team_in_lower_case(log: Columns, rng: np.random.Generator) -> Columns:
    pages = {page for page in dict.fromkeys(log["impression"]) if rng.random() < 0.25}
    return _cells(log, "team", lambda cell, row: "b" if cell == "B" and log["impression"][row] in pages else cell)


@declare("A missing team is written as none.", "warning")
def missing_team_as_word(log: Columns, rng: np.random.Generator) -> Columns:
    pages = {page for page in dict.fromkeys(log["impression"]) if rng.random() < 0.25}
    return _cells(log, "team", lambda cell, row: "none" if log["impression"][row] in pages else cell)


@declare("All clicks of one team are lost.", "warning")
def lost_team_clicks(log: Columns, rng: np.random.Generator) -> Columns:
    return _cells(log, "clicked", lambda cell, row: 0 if log["team"][row] == "B" else cell)


@declare("Every document of a team is clicked.", "warning")
def every_document_of_a_team_clicked(log: Columns, rng: np.random.Generator) -> Columns:
    return _cells(log, "clicked", lambda cell, row: 1 if log["team"][row] == "B" else cell)


@declare("Ranks of interleaved pages count from 0.", "error")
def interleaved_ranks_from_0(log: Columns, rng: np.random.Generator) -> Columns:
    return _cells(log, "rank", lambda cell, row: cell - 1)


@declare("Clicks of interleaved pages are 1 and empty.", "unchanged")
def interleaved_clicks_as_1_and_empty(log: Columns, rng: np.random.Generator) -> Columns:
    return _cells(log, "clicked", lambda cell, row: cell or None)


@declare("A quarter of the interleaved pages has no user.", "warning")
def interleaved_pages_without_users(log: Columns, rng: np.random.Generator) -> Columns:
    lost = {page for page in dict.fromkeys(log["impression"]) if rng.random() < 0.25}
    return _cells(log, "user", lambda cell, row: None if log["impression"][row] in lost else cell)


@declare("The user of a quarter of the interleaved pages is the word null.", "warning")
def interleaved_pages_of_null(log: Columns, rng: np.random.Generator) -> Columns:
    lost = {page for page in dict.fromkeys(log["impression"]) if rng.random() < 0.25}
    return _cells(log, "user", lambda cell, row: "null" if log["impression"][row] in lost else cell)


@declare("Three rows of the interleaved pages have the name of a third team.", "warning")
def third_team(log: Columns, rng: np.random.Generator) -> Columns:
    return _cells(log, "team", lambda cell, row: "C" if row < 3 else cell)


@declare("Each row of the interleaved pages has an impression id that no other row has.", "warning")
def interleaved_rows_as_pages(log: Columns, rng: np.random.Generator) -> Columns:
    return _cells(log, "impression", lambda cell, row: f"{cell}-{row}")


declare = POLICY.corruptions.declare


@declare("Propensities are percentages.", "error")
def propensities_in_percent(log: Columns, rng: np.random.Generator) -> Columns:
    return _cells(log, "propensity", lambda cell, row: cell * 100)


@declare("Propensities belong to another policy.", "warning")
def wrong_propensities(log: Columns, rng: np.random.Generator) -> Columns:
    return _cells(log, "propensity", lambda cell, row: cell / 2)


@declare("A propensity is 0.", "error")
def zero_propensity(log: Columns, rng: np.random.Generator) -> Columns:
    place = int(rng.integers(len(log["reward"])))
    return _cells(log, "propensity", lambda cell, row: 0.0 if row == place else cell)


@declare("Some propensities are missing.", "warning")
def missing_propensities(log: Columns, rng: np.random.Generator) -> Columns:
    lost = (rng.random(len(log["reward"])) < 0.1).tolist()
    return _cells(log, "propensity", lambda cell, row: None if lost[row] else cell)


@declare("Three propensities are tiny: 1e-12.", "warning")
def tiny_propensities(log: Columns, rng: np.random.Generator) -> Columns:
    return _cells(log, "propensity", lambda cell, row: 1e-12 if row < 3 else cell)


@declare("The choices without a reward are lost.", "warning")
def rewarded_choices_alone(log: Columns, rng: np.random.Generator) -> Columns:
    return _rows(log, [row for row, reward in enumerate(log["reward"]) if reward])


@declare("A missing reward is written as -999.", "warning")
def sentinel_rewards(log: Columns, rng: np.random.Generator) -> Columns:
    lost = (rng.random(len(log["reward"])) < 0.05).tolist()
    return _cells(log, "reward", lambda cell, row: -999 if lost[row] else cell)


@declare("Every choice is there twice.", "error")
def choices_twice(log: Columns, rng: np.random.Generator) -> Columns:
    return _rows(log, [*range(len(log["reward"]))] * 2)


@declare("A tenth of the choices has no user.", "warning")
def choices_without_users(log: Columns, rng: np.random.Generator) -> Columns:
    lost = (rng.random(len(log["reward"])) < 0.1).tolist()
    return _cells(log, "user", lambda cell, row: None if lost[row] else cell)


@declare("The user of a tenth of the choices is the word null.", "warning")
def choices_of_null(log: Columns, rng: np.random.Generator) -> Columns:
    lost = (rng.random(len(log["reward"])) < 0.1).tolist()
    return _cells(log, "user", lambda cell, row: "null" if lost[row] else cell)


@declare("A tenth of the choices has no document.", "warning")
def choices_without_documents(log: Columns, rng: np.random.Generator) -> Columns:
    lost = (rng.random(len(log["reward"])) < 0.1).tolist()
    return _cells(log, "document", lambda cell, row: None if lost[row] else cell)


@declare("A reward is missing.", "error")
def missing_reward(log: Columns, rng: np.random.Generator) -> Columns:
    place = int(rng.integers(len(log["reward"])))
    return _cells(log, "reward", lambda cell, row: None if row == place else cell)
