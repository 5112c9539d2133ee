"""Machine-readable data embedded in a report page: command, provenance and studies as JSON."""

import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from cranfield.core import InputError
from cranfield.core.study import CONTRACT

from .report import Report

MARK = '<script type="application/json" id="cranfield-report">'
INSIDE = re.compile(re.escape(MARK) + r"(.*?)</script>", re.DOTALL)
HINT = "give a page that `cranfield report` wrote, such as report.html"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """The command that made a report, what it was made from, and its studies as the JSON contract has them."""

    title: str
    command: tuple[str, ...]
    made_by: Mapping[str, Any]
    studies: tuple[Mapping[str, Any], ...]

    def as_dict(self) -> dict[str, Any]:
        """The object inside the page."""
        return {
            "contract": CONTRACT,
            "title": self.title,
            "command": list(self.command),
            "made_by": self.made_by,
            "studies": list(self.studies),
        }

    def to_json(self) -> str:
        """The object as text in which no browser sees a tag."""
        text = json.dumps(self.as_dict(), allow_nan=False, separators=(",", ":"))
        for sign in "<>&":
            text = text.replace(sign, f"\\u{ord(sign):04x}")
        return text


def keep(report: Report) -> Kept:
    """What a page of this report keeps."""
    return Kept(
        title=report.title,
        command=report.command,
        made_by=report.made_by.as_dict(),
        studies=tuple(section.study.as_dict() for section in report.sections),
    )


def read_kept(path: str | PathLike[str]) -> Kept:
    """What a page of a report kept, or a study that was saved as JSON."""
    text = Path(path).read_bytes().decode("utf-8", errors="replace")
    return _of_study(text, fspath(path)) if text.lstrip().startswith("{") else read_report(path)


def _of_study(text: str, name: str) -> Kept:
    """A study of the JSON contract, as if a report held it alone."""
    hint = "give a file that a command wrote with --format json"
    try:
        data = json.loads(text)
        command = shlex.split(data["made_by"]["command"])
        kept = {"contract": data["contract"], "title": "", "command": command[1:], "made_by": data["made_by"]}
        return _kept(kept | {"studies": [data]}, name)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{name} is no study that says how it was made", hint=hint, file=name) from error


def read_report(path: str | PathLike[str]) -> Kept:
    """What a page kept; a file that is no report is refused."""
    name = fspath(path)
    text = Path(path).read_bytes().decode("utf-8", errors="replace")
    inside = INSIDE.search(text)
    if not inside:
        what = "a PDF, which keeps no data" if text.startswith("%PDF") else "no report"
        raise InputError(f"{name} is {what}", hint=HINT, file=name)
    try:
        return _kept(json.loads(inside[1]), name)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{name}: the data of the report is damaged", hint=HINT, file=name) from error


def _kept(data: dict[str, Any], name: str) -> Kept:
    if (contract := data["contract"]) != CONTRACT:
        hint = "read it with the version that wrote it, or make it again"
        raise InputError(f"{name} holds data of contract {contract}, this is {CONTRACT}", hint=hint, file=name)
    for study in data["studies"]:
        rows = [row for table in study["tables"].values() for row in table]
        if not isinstance(study["study"], str) or not all(isinstance(row, dict) for row in rows):
            raise TypeError("a study has a name, and tables have rows")
    return Kept(
        title=str(data["title"]),
        command=tuple(map(str, data["command"])),
        made_by=dict(data["made_by"]),
        studies=tuple(data["studies"]),
    )
