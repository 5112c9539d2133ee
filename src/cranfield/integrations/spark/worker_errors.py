"""Transfer of errors from Spark workers to the driver."""

import json
from typing import TYPE_CHECKING

from cranfield.core import CranfieldError, InputError, ParameterError

if TYPE_CHECKING:
    import pyarrow as pa

IDS = "ids are text or whole numbers, one in every row"


def write_fault(error: CranfieldError) -> str:
    """An error as text."""
    code = error.code if isinstance(error, InputError) else None
    return json.dumps({"problem": error.problem, "hint": error.hint, "code": code})


def read_fault(text: str) -> CranfieldError:
    """The error again."""
    said = json.loads(text)
    if said["code"]:
        return InputError(said["problem"], hint=said["hint"], code=said["code"])
    return ParameterError(said["problem"], hint=said["hint"])


def restate(error: CranfieldError, table: "pa.Table", name: str) -> CranfieldError:
    """The same error without the numbers of rows, which mean nothing in a part of a table: it names the row's ids."""
    if not isinstance(error, InputError):
        return error
    ids = _null(table, name)
    found = ids or (_twice if error.code in ("E-DUPDOC", "E-DUPQREL") else _number)(table, name, error)
    return found or error


def _null(table: "pa.Table", name: str) -> InputError | None:
    for column in ("topic", "document"):
        if table[column].null_count:
            run = next(row["run"] for row in table.to_pylist() if row[column] is None)
            message = f"{name if run is None else run}: the column of the {column}: a row is null"
            return InputError(message, hint=IDS, code="E-NULL")
    return None


def _twice(table: "pa.Table", name: str, error: InputError) -> InputError | None:
    """The first document, by its name, that stands twice."""
    counts = table.group_by(["run", "topic", "document"]).aggregate([([], "count_all")]).to_pylist()
    again = sorted((row["run"] or "", row["topic"], row["document"]) for row in counts if row["count_all"] > 1)
    for run, topic, document in again:
        if (not run) != (error.code == "E-DUPQREL"):
            continue
        what = f"stands twice in topic {topic}" if run else f"is judged twice in topic {topic}"
        return InputError(f"{run or name}: document {document} {what}", hint=error.hint, code=error.code)
    return None


def _number(table: "pa.Table", name: str, error: InputError) -> InputError | None:
    """The first number that is none, or has decimals where none may be."""
    for row in table.to_pylist():
        run, number = row["run"], row["number"]
        finite = number is not None and abs(number) < float("inf")
        if finite and (error.code != "E-DECIMAL" or run is not None or number == int(number)):
            continue
        what = "grade" if run is None else "score"
        code = row.get("unreadable") or error.code
        where = f"(topic {row['topic']}, document {row['document']})"
        said = f"{what} {number} is not a {'whole' if finite else 'finite'} number {where}"
        if number is None:
            said = f"there is no {what} that is a number {where}"
        return InputError(f"{name if run is None else run}: {said}", hint=error.hint, code=code)
    return None
