"""Every name, list and option of trec_eval 9.0.8 and 10.0: our output is the program's, line by line."""

from pathlib import Path

import pytest

from cranfield.cli import main
from cranfield.studies import evaluate
from tests.support.golden.golden_values import golden
from tests.support.golden.ranking_inputs import Input, trec_files
from tests.support.golden.trec_eval_inputs import NAMES, Case, cases, trec_eval_inputs

VERSIONS = ("9", "10")
CASES = [(version, case) for version in VERSIONS for case in cases(version)]


Capture = pytest.CaptureFixture[str]


def printed(capsys: Capture, files: tuple[Path, Path], version: str, options: str) -> str:
    """What ``cranfield evaluate`` prints for a version of trec_eval."""
    fixed = ["--compat", f"trec_eval-{version}", "--format", "trec_eval"]
    with pytest.raises(SystemExit) as end:
        main(["evaluate", *map(str, files), *fixed, *options.split()])
    shown = capsys.readouterr()
    assert not end.value.code, shown.err
    return shown.out


@pytest.mark.parametrize(("version", "case"), CASES, ids=[f"{v} {c.given} {c.options}" for v, c in CASES])
def test_every_line_is_that_of_trec_eval(capsys: Capture, tmp_path: Path, version: str, case: Case) -> None:
    theirs = golden("trec_eval_lines")[version][case.given][case.options]
    files = trec_files(trec_eval_inputs()[case.given], tmp_path)
    assert printed(capsys, files, version, case.ours).splitlines() == theirs.splitlines()


@pytest.mark.parametrize("version", VERSIONS)
def test_columns_after_the_sixth_are_ignored(capsys: Capture, tmp_path: Path, version: str) -> None:
    qrels, run = trec_files(trec_eval_inputs()["answered"], tmp_path)
    run.write_text("".join(f"{line} more words\n" for line in run.read_text().splitlines()))
    # trec_eval ignores them too: the golden text was made from the lines without them.
    theirs = golden("trec_eval_lines")[version]["answered"]["-q -m all_trec"]
    assert printed(capsys, (qrels, run), version, "-q -m all_trec") == theirs


@pytest.mark.parametrize(("version", "other", "value"), [("9", "10", "0.5000"), ("10", "9", "1.0000")])
def test_a_rounding_of_the_other_version_is_printed_in_our_notation(
    capsys: Capture, tmp_path: Path, version: str, other: str, value: str
) -> None:
    # Relevant documents at ranks 1 and 4 of four: precision 1, then 2/4. A recall of .3 is 1.2 documents: two for
    # trec_eval 9 (1.2 + .9 without its decimals) and for the textbook, one for trec_eval 10 (the nearest).
    files = trec_files(
        Input({"1": dict.fromkeys("abcd", 1)}, {"1": {"a": 9.0, "x": 8.0, "y": 7.0, "b": 6.0}}), tmp_path
    )
    theirs = f"IPrec(rounding='trec_eval-{other}')@0.3"
    lines = printed(capsys, files, version, f"-m {theirs} -m IPrec@0.3 -m IPrec(rounding='exact')@0.3").splitlines()
    assert [line.split() for line in lines] == [
        ["iprec_at_recall_0.30", "all", value],
        [theirs, "all", "1.0000" if other == "10" else "0.5000"],
        ["IPrec@0.3", "all", "0.5000"],
    ]


def test_the_golden_file_holds_every_name() -> None:
    for version in VERSIONS:
        asked = golden("trec_eval_lines")[version]["answered"]
        assert {f"-q -m {name}" for name in NAMES[version]} <= set(asked)
        assert len(asked["-q -m recall"].splitlines()) == 9 * 5  # nine cut-offs, four topics and all


@pytest.mark.parametrize(
    ("name", "ours"), [("yaap", "yaAP"), ("ideal_dcg", "IdealDCG"), ("rbp_resid", "RBPResidual(p=0.9,tail=False)")]
)
def test_what_only_trec_eval_has_is_a_measure_of_ours(name: str, ours: str) -> None:
    given = trec_eval_inputs()["answered"]
    values = evaluate(given.qrels, {"run": given.run}, ours)
    lines = golden("trec_eval_lines")["10"]["answered"][f"-q -m {name}"].splitlines()
    theirs = {topic: float(value) for _, topic, value in map(str.split, lines) if topic != "all"}
    found = dict(zip(values.topics, values.cube[0, :, 0].tolist(), strict=True))
    assert found == pytest.approx(theirs, rel=0, abs=5.1e-5)  # four decimals
