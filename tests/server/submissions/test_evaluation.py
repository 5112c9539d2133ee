"""Jobs of a task: runs are evaluated and boards made, whatever is wrong or late."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from cranfield.server.boards import board_inputs, snapshots
from cranfield.server.jobs import job_queue
from cranfield.server.models import Audit, Job, Result, Snapshot, Submission
from cranfield.server.site import blob_store
from cranfield.server.tasks.label_versions import add_version
from tests.support.server.job_queue import due_now, let_the_lease_run_out, take_one
from tests.support.server.users_and_tasks import arrived, qrels, run_text

if TYPE_CHECKING:
    from tests.support.server.users_and_tasks import World


@pytest.mark.django_db
def test_an_older_board_never_follows_a_newer_one(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    task = world.filled()
    world.hand_in(task, "late", 3)
    job_queue.work(once=True)
    newest = Snapshot.objects.filter(task=task).count()
    withdrawn = Submission.objects.filter(name="late")
    withdrawn.update(state=Submission.WITHDRAWN)
    gathered = board_inputs.gather

    def slowly(*given: Any) -> Any:
        found = gathered(*given)  # without the late run
        withdrawn.update(state=Submission.SCORED)
        let_the_lease_run_out()
        monkeypatch.setattr(snapshots, "gather", gathered)
        job_queue.do(take_one("two"))  # another worker makes the board as it is now
        return found

    monkeypatch.setattr(snapshots, "gather", slowly)
    snapshots.ask_for_board(task)
    due_now()
    job_queue.do(take_one("one"))
    assert Snapshot.objects.filter(task=task).count() == newest


def test_no_board_is_made_of_half_a_new_version(world: World) -> None:
    task = world.filled()
    world.hand_in(task, "late", 3)
    job_queue.work(once=True, least=5)  # it is evaluated, and its board waits
    add_version(task, arrived(qrels({("301", "D01"): 0}), "q").arriving, world.people["organiser"])
    world.work()
    made = list(Snapshot.objects.order_by("number").values_list("version__number", "runs"))
    assert made == [(1, 4), (1, 5), (2, 5)]


def test_no_header_of_a_run_can_break_the_board(world: World) -> None:
    task = world.task()
    header = '# ir_metadata.start\n# actor:\n#   "te\\0am": ["\\ud800", "a\\0b", "\\u2603"]\n# ir_metadata.end'
    run = world.hand_in(task, "mine", text=run_text("mine", header=header))
    world.work()
    assert run.metadata == {"actor": {"te?am": ["?", "a?b", "☃"]}}
    assert not Job.objects.filter(state=Job.FAILED).exists()
    assert world.client().get(f"/runs/{run.key}/").status_code == 200
    assert world.client().get(f"/tasks/{task.slug}/").status_code == 200


def test_an_error_in_a_run_is_final_and_the_submission_says_why(world: World) -> None:
    task = world.task()
    run = world.hand_in(task, "mine")
    blob_store.path_of(str(run.blob_id)).write_text("no run\n")  # what is on the disk is not what came in
    world.work()
    run.refresh_from_db()
    assert run.state == Submission.FAILED
    assert run.failure.endswith("2 fields where 6 are needed") or "field" in run.failure
    act = Audit.objects.get(what="failed")
    assert act.about == {"run": run.key, "why": run.failure}
    assert Job.objects.get(kind="score").attempts == 1


def test_a_run_that_failed_for_us_three_times_says_so_and_can_be_tried_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cranfield.server.operations.health_checks import retry
    from cranfield.server.submissions import evaluation

    task = world.task()
    run = world.hand_in(task, "mine")

    def broken(*_: Any, **__: Any) -> None:
        raise RuntimeError("a fault of ours")

    with monkeypatch.context() as patch:
        patch.setattr(evaluation, "evaluate_stored", broken)
        for _ in range(job_queue.MOST):
            world.work()
            run.refresh_from_db()
            due_now()
    assert (run.state, run.failure) == (Submission.FAILED, "RuntimeError: a fault of ours")
    retry(Job.objects.get(kind="score"), world.people["operator"])
    world.work()
    run.refresh_from_db()
    assert (run.state, run.failure) == (Submission.SCORED, "")
    assert Result.objects.filter(submission=run).count() == 1
