"""Pages of one run and of some runs side by side."""

from __future__ import annotations

import re
from datetime import timedelta
from html import unescape
from typing import TYPE_CHECKING

import pytest
from django.utils import timezone

from cranfield.server.models import Submission
from cranfield.server.site.rate_limits import Limit
from cranfield.server.submissions.pages import public_runs
from cranfield.server.tasks.history_import import History, Row, import_history

if TYPE_CHECKING:
    from cranfield.server.models import Task
    from tests.support.server.users_and_tasks import World


def words_of(world: World, address: str, status: int = 200) -> str:
    """What a visitor reads at an address."""
    answer = world.client().get(address)
    assert answer.status_code == status
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]*>", " ", answer.content.decode())))


def compare(task: Task, *names: str) -> str:
    keys = [Submission.objects.get(task=task, name=name).key for name in names]
    return f"/tasks/{task.slug}/compare/?runs={','.join(keys)}"


def test_compared_runs_are_called_by_their_names(world: World) -> None:
    """In tables for programs a run is a or b, and an outcome only_a."""
    task = world.filled()
    words = words_of(world, compare(task, "ideal", "poor"))
    assert "only ideal " in words
    assert "only poor " in words
    assert "only_" not in words
    assert "do_no_harm" not in words


def test_the_verdict_and_the_evidence_come_before_the_outcomes(world: World) -> None:
    task = world.filled()
    address = compare(task, "ideal", "poor")
    answer = world.client().get(address)
    compared = answer.context["compared"]
    assert next(iter(compared.tables)) == "Evidence"
    headings = [heading for heading, _ in compared.tables["Evidence"]["columns"]]
    first = dict(zip(headings, compared.tables["Evidence"]["rows"][0], strict=True))
    assert first["poor − ideal"] == pytest.approx(first["poor"] - first["ideal"])
    assert first["Status of poor"] == "worse"
    words = words_of(world, address)
    assert words.index("poor is worse than ideal") < words.index("Status of poor") < words.index("Answered by")
    three = world.client().get(compare(task, "ideal", "good", "poor")).context["compared"]
    assert list(three.tables)[:2] == ["Verdicts", "Evidence"]
    assert len(three.tables["Verdicts"]["rows"]) == 2
    assert "not corrected for all pairs" in compared.notes[0]
    assert "corrected for the pairs on this page" in three.notes[0]
    assert "95%" in words


def test_a_measure_that_is_not_an_interval_scale_is_noted(world: World) -> None:
    task = world.filled()
    assert any(
        "interval numbers" in note
        for note in world.client().get(compare(task, "ideal", "poor")).context["compared"].notes
    )


def test_a_run_called_as_the_other_side_keeps_its_name(world: World) -> None:
    task = world.task()
    world.hand_in(task, "b", 3)
    world.hand_in(task, "a", team="Beta")
    world.work()
    words = words_of(world, compare(task, "b", "a"))
    assert re.search(r"neither [\d.]+ .* only b \d+ .* only a \d+", words)


def test_one_run_to_begin_with_is_no_mistake(world: World) -> None:
    """The card of a run leads here."""
    task = world.filled()
    words = words_of(world, compare(task, "ideal"))
    assert "Choose 2 to 4 runs " in words
    assert "of this board" not in words
    five = compare(task, *("ideal", "good", "fair", "poor")) + ",another"
    assert "Other tests of the measures" in words_of(world, five)  # what is not on the board is not asked for
    assert "Choose 2 to 4 runs of this board." in words_of(world, compare(task, "ideal") + ",another")


def test_too_many_comparisons(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    task = world.filled()
    monkeypatch.setattr(public_runs, "COMPARE", Limit(what="compare", most=1, within=timedelta(hours=1)))
    words_of(world, compare(task, "ideal", "good"))
    words = words_of(world, compare(task, "ideal", "good"), status=429)
    assert " 429 That was a lot of comparisons. Wait a little, then try again." in words


def test_a_card_counts_the_runs_that_are_ranked(world: World) -> None:
    task = world.filled()
    past = Row(name="older", team="elsewhere", date=timezone.now().date(), value=0.125, description="")
    import_history(task, world.people["organiser"], History(rows=[past]), name="past.csv")
    world.work()
    words = words_of(world, f"/runs/{Submission.objects.get(name='ideal').key}/")
    assert "Rank 1 of 4 on the board . When topics are drawn again, it stands at 1" in words
    stated = words_of(world, f"/runs/{Submission.objects.get(name='older').key}/")
    assert f"Stated value: {task.measure} 0.1250. There is no run to evaluate, so it is not ranked." in stated
    assert "received" not in stated
