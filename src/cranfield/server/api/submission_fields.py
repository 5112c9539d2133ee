"""Fields of a submission that the caller may see."""

from dataclasses import dataclass, field
from typing import Any

from django.http import HttpRequest

from cranfield.server.accounts.visibility import Thing, sees
from cranfield.server.boards.board_documents import board_of, newest_of
from cranfield.server.jobs import job_queue
from cranfield.server.models import Submission
from cranfield.server.submissions.evaluation import job_of

from .authentication import caller
from .task_routes import address


@dataclass(frozen=True)
class Shown:
    """Submissions for whoever asks; each board is read once."""

    request: HttpRequest
    boards: dict[int, dict[str, Any]] = field(default_factory=dict)

    def of(self, run: Submission) -> dict[str, Any]:
        """All that the viewer may see of a run; the rest is None."""
        named, inside = self._sees(Thing.RUN_NAME, run), self._sees(Thing.RUN_STATE, run)
        job = job_of(run) if inside else None
        result = run.result
        private = result is not None and self._sees(Thing.PRIVATE_VALUES, run)
        released = result is not None and self._sees(Thing.RELEASED, run) and run.task.tells_private
        return {
            "key": run.key,
            "task": run.task.slug,
            "url": address(self.request, f"runs/{run.key}/"),
            "state": run.state,
            "date": run.received.date(),
            "baseline": run.baseline,
            "measure": run.task.measure,
            **_if(named, run, "name description kind link metadata"),
            "team": run.team.slug if named else None,
            "version": result.version.number if result else None,
            "values": result.public if result else None,
            "private": result.private if result and private else None,
            "released": result.released if result and released else None,
            "standing": self._standing(run),
            **_if(inside, run, "received problems failure embargo anonymous"),
            "position": job_queue.place_of(job) if job else None,
        }

    def _sees(self, thing: Thing, run: Submission) -> bool:
        return sees(caller(self.request).viewer, thing, run)

    def _standing(self, run: Submission) -> dict[str, Any] | None:
        """Its row on the newest public board, which everybody may read."""
        if run.task_id not in self.boards:
            shown = newest_of(run.task)
            document = board_of(shown.document_id) if shown else {"rows": []}
            ranked = [row for row in document["rows"] if row["rank"] is not None]
            number = shown.number if shown else 0
            self.boards[run.task_id] = {row["key"]: {**row, "of": len(ranked), "board": number} for row in ranked}
        row = self.boards[run.task_id].get(run.key)
        return (
            {name: row[name] for name in ("rank", "rank_low", "rank_high", "letters", "of", "board")} if row else None
        )


def _if(seen: bool, run: Submission, names: str) -> dict[str, Any]:  # noqa: FBT001  # reads as it is said
    return {name: getattr(run, name) if seen else None for name in names.split()}
