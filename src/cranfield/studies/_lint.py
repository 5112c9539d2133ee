"""What is wrong with these files?"""

from collections.abc import Iterable
from os import PathLike

from cranfield.core import Input, Provenance, Study, Table
from cranfield.data import Inspected, Problem, compare_topics, inspect

COLUMNS = ("file", "line", "code", "severity", "message", "hint")


def lint(files: Iterable[str | PathLike[str]], *, qrels: str | PathLike[str] | None = None, command: str = "") -> Study:
    """Every problem of runs and qrels, without evaluating anything.

    The first qrels among the files (or ``qrels``) are the ones that runs are compared with: which topics they share.
    """
    inspected = [inspect(file) for file in ([qrels] if qrels is not None else []) + list(files)]
    judged = next((found for found in inspected if found.kind == "qrels"), None)
    problems: list[Problem] = []
    for found in inspected:
        problems += found.problems.kept
        if found.problems.not_kept:
            message = f"{found.problems.not_kept} more problems are not listed"
            problems.append(Problem(found.file, 0, "W-MORE", message, "mend the first ones, then look again"))
        if judged and found.kind == "run":
            problems += compare_topics(judged, found)
    rows = [{name: getattr(problem, name) for name in COLUMNS} for problem in problems]
    errors = sum(problem.severity == "error" for problem in problems)
    warnings = len(problems) - errors
    sentence = f"{len(inspected)} files: {errors} errors, {warnings} warnings."
    made_by = Provenance(command=command, inputs=tuple(_input(found) for found in inspected))
    verdict = {"files": len(inspected), "errors": errors, "warnings": warnings, "sentence": sentence}
    table = Table.from_rows(rows, COLUMNS, caption="problems", made_by=made_by)
    return Study("lint", {"problems": table}, verdict, made_by)


def _input(found: Inspected) -> Input:
    return Input(found.file, found.digest, found.kind)
