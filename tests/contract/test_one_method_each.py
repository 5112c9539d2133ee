"""A test or a correction is declared once: whatever lists, reads, explains, runs or checks methods then knows it.

The declarations happen in a process of their own, because a catalogue never forgets.
"""

import json
import subprocess
import sys
from typing import Any

import pytest

from tests.support.source_tree import ROOT

DECLARED = '''
import json, sys
from typing import ClassVar

import numpy as np
from click.testing import CliRunner

from cranfield.core import Positive, Scale
from cranfield.stats import Answer, Correction, PairTest, pair_test
from cranfield.stats.multiple.corrections import correction


@pair_test("median-gap", cite="conover1999", aliases=("gap",))
class MedianGap(PairTest):
    """Median gap: how far the medians of two runs lie apart, beside the width of the values."""

    family: ClassVar[str] = "pair"
    requires: ClassVar[Scale] = Scale.INTERVAL
    assumes: ClassVar[str] = "values that are worth a look"
    use: ClassVar[str] = "never, but to see whether a declaration is enough"
    formula: ClassVar[str] = "exp(-rate * |median(b) - median(a)| / (max - min))"
    effect: ClassVar[str] = "difference of medians"

    rate: Positive = 3.0

    def compare(self, pairs, asked):
        median = np.median(pairs.values, axis=0)
        gap = median[pairs.b] - median[pairs.a]
        wide = np.ptp(pairs.values) or 1.0
        return Answer(n=pairs.topics, statistic=np.abs(gap), p=np.exp(-self.rate * np.abs(gap) / wide), effect=gap,
                      note=("a made-up test",))


@correction("doubled", cite="bonferroni1936")
class Doubled(Correction):
    """Doubled: every p-value of two or more twice as large."""

    assumes: ClassVar[str] = "that two is many"
    use: ClassVar[str] = "never, but to see whether a declaration is enough"
    formula: ClassVar[str] = "2p"

    def raised(self, p):
        return p * min(2, len(p))


from cranfield.cli.dispatch import cranfield as program
from cranfield.stats import CORRECTIONS, parse_tests, methods_explained
from tests.support.properties import stats_cases

run = CliRunner().invoke
with open(sys.argv[1] + "/s.csv", "w") as file:
    file.write("a,b,c\\n0.1,0.3,0.9\\n0.2,0.5,0.4\\n0.4,0.4,0.8\\n")
asked = ["test", "--scores", file.name, "-t", "gap(rate=2)", "--correct", "doubled", "--format", "json"]
after = ["anova", "--scores", file.name, "--after", "median-gap", "--correct", "doubled", "--format", "json"]
studies = [json.loads(run(program, words, obj=[]).stdout) for words in (asked, after)]

sys.path.insert(0, "docs/_ext")
import from_code
print(json.dumps({
    "notation": [str(test) for test in parse_tests("Median_Gap(rate=2) t")],
    "list": run(program, ["tests", "--format", "text"]).output,
    "explained": run(program, ["tests", "gap", "doubled", "--format", "text"]).output,
    "help": run(program, ["test", "--help"]).output,
    "json": [row["name"] for row in methods_explained()["catalogue"].rows()],
    "tests": studies[0]["tables"]["tests"],
    "pairs": studies[1]["tables"]["pairs"],
    "cases": [str(case) for case in stats_cases.CASES if case.name == "median-gap"],
    "corrections": [str(case) for case in stats_cases.cases(CORRECTIONS)],
    "page": from_code.methods(),
}))
'''


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What everything says of a test and a correction that were just declared."""
    command = [sys.executable, "-c", DECLARED, str(tmp_path_factory.mktemp("declared"))]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    found: dict[str, Any] = json.loads(ended.stdout.splitlines()[-1])
    return found


def test_notation_reads_and_writes_it(known: dict[str, Any]) -> None:
    assert known["notation"] == ["median-gap(rate=2.0)", "t"]


def test_the_command_line_lists_and_explains_it(known: dict[str, Any]) -> None:
    assert "  median-gap " in known["list"]
    assert "  doubled " in known["list"]
    for text in ("median-gap (also gap)", "exp(-rate * ", "rate", "effect      difference of medians", "2p"):
        assert text in known["explained"]
    assert "doubled" in known["help"]


def test_the_json_catalogue_holds_it(known: dict[str, Any]) -> None:
    assert {"median-gap", "doubled"} < set(known["json"])


def test_the_study_runs_it(known: dict[str, Any]) -> None:
    # Medians .2, .4 and .8, values from .1 to .9: exp(−2 · .2 / .8), exp(−2 · .6 / .8), exp(−2 · .4 / .8)
    assert [row["test"] for row in known["tests"]] == ["median-gap(rate=2.0)"] * 3
    assert [row["p"] for row in known["tests"]] == pytest.approx([0.6065307, 0.2231302, 0.3678794])
    assert [row["p_adjusted"] for row in known["tests"]] == pytest.approx([1.0, 0.4462603, 0.7357589])
    assert known["tests"][0]["note"] == "a made-up test; doubled over 3 tests"


def test_it_comes_after_an_analysis(known: dict[str, Any]) -> None:
    # the rate is 3 by itself: exp(−.75), exp(−2.25), exp(−1.5)
    assert [row["p"] for row in known["pairs"]] == pytest.approx([0.9447331, 0.2107984, 0.4462603])


def test_the_properties_run_on_it(known: dict[str, Any]) -> None:
    assert known["cases"] == ["median-gap", "median-gap(alternative='greater')", "median-gap(alternative='less')"]
    assert "doubled" in known["corrections"]


def test_the_documentation_has_it(known: dict[str, Any]) -> None:
    assert "## median-gap" in known["page"]
    assert "## doubled" in known["page"]
    assert "exp(-rate * |median(b) - median(a)|" in known["page"].replace("\\", "")
