"""A measure is declared once: whatever lists, reads, explains or checks measures then knows it.

The declaration happens in a process of its own, because a catalogue never forgets.
"""

import json
import subprocess
import sys

import pytest

from tests.support.source_tree import ROOT

DECLARED = """
import json, sys
from typing import ClassVar

import numpy as np
from click.testing import CliRunner

import cranfield as cf
from cranfield.core import Positive


@cf.measure("Hindmost", cite="rijsbergen1979", aliases=("Last",))
class Hindmost(cf.Binary):
    \"\"\"Hindmost: one divided by the rank of the last relevant document.\"\"\"

    family: ClassVar[str] = "binary"
    formula: ClassVar[str] = "1 / rank of the last relevant document"
    example: ClassVar[cf.Example] = cf.Example("Hindmost", (1, 0, 1), "1/3")
    slope: Positive = 1.0

    def value(self, block):
        last = np.where(self.hit(block) > 0, block.rank, 0).max(axis=1)
        return cf.ratio(np.ones(len(last)), last**self.slope)


from cranfield.cli.dispatch import cranfield as program
sys.path.insert(0, "docs/_ext")
import from_code
from tests.support.properties.measure_cases import CASES
from cranfield.measures import explained

run = CliRunner().invoke
values = cf.evaluate({"1": {"a": 1, "b": 1}}, {"x": {"1": {"a": 2.0, "c": 1.5, "b": 1.0}}}, "Hindmost")
print(json.dumps({
    "notation": str(cf.parse_measure("last(slope=2)@5")),
    "value": values.cube[0, 0, 0],
    "list": run(program, ["measures", "--format", "text"]).output,
    "explained": run(program, ["measures", "hindmost", "--format", "text"]).output,
    "json": [row["name"] for row in explained()["catalogue"].rows()],
    "page": from_code.measures(),
    "cases": [str(case) for case in CASES if case.name == "Hindmost"],
}))
"""


@pytest.fixture(scope="module")
def known() -> dict[str, object]:
    """What everything says of a measure that was just declared."""
    ended = subprocess.run([sys.executable, "-c", DECLARED], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    found: dict[str, object] = json.loads(ended.stdout.splitlines()[-1])
    return found


def test_notation_reads_and_writes_it(known: dict[str, object]) -> None:
    assert known["notation"] == "Hindmost(slope=2.0)@5"


def test_it_is_evaluated(known: dict[str, object]) -> None:
    assert known["value"] == 1 / 3


def test_the_command_line_lists_and_explains_it(known: dict[str, object]) -> None:
    assert "  Hindmost" in str(known["list"])
    assert "1 / rank of the last relevant document" in str(known["explained"])
    assert "slope" in str(known["explained"])


def test_the_json_catalogue_holds_it(known: dict[str, object]) -> None:
    assert "Hindmost" in str(known["json"])


def test_the_documentation_has_its_section(known: dict[str, object]) -> None:
    assert "## Hindmost" in str(known["page"])
    assert "1 / rank of the last relevant document" in str(known["page"])


def test_the_properties_run_on_it(known: dict[str, object]) -> None:
    assert "Hindmost@5" in str(known["cases"])
    assert "Hindmost(rel=2)@5" in str(known["cases"])
