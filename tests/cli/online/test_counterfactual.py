"""cranfield counterfactual: what it prints, writes and refuses."""

from pathlib import Path

import pytest

from tests.support.cli.commands import Command, expect_refusal, read_json

# a half of the time, b and c a quarter each; by the policy a quarter, a quarter, a half.
ROWS = ["a,0.5,0,0.25", "a,0.5,1,0.25", "b,0.25,0,0.25", "c,0.25,1,0.5"] * 50


@pytest.fixture(autouse=True)
def shown(here: Path) -> None:
    """A log of single documents, and a run that has c on top."""
    rows = [f"u{i % 40},q,{row}" for i, row in enumerate(ROWS)]
    (here / "shown.csv").write_text("\n".join(["user,topic,document,propensity,clicked,target", *rows, ""]))
    (here / "c.run").write_text("q Q0 c 1 2.0 c\nq Q0 a 2 1.0 c\n")


def test_text_says_the_verdict_first(cranfield: Command) -> None:
    ended = cranfield("counterfactual", "shown.csv", "--format", "text")
    assert ended.code == 0
    # ¼ · ½ + ¼ · 0 + ½ · 1 = .625 beside ½
    excluded, _, verdict = ended.out.split("\n")[:3]
    assert excluded == "rows excluded: none of 200"
    assert verdict.startswith("target would have earned 0.625 for each impression by snips; the log earned 0.5,")
    assert "each policy beside the log" in ended.out
    assert "what each policy would have earned" in ended.out


def test_json_is_a_contract(cranfield: Command) -> None:
    found = read_json(cranfield("counterfactual", "shown.csv", "--run", "c.run", "--format", "json").out)
    assert (found["study"], list(found["tables"])) == ("counterfactual", ["dropped", "policies", "estimates"])
    assert list(found["tables"]["policies"][0]) == [
        *("policy", "estimator", "value", "logged", "difference", "relative", "low", "high", "p", "p_adjusted"),
    ]
    assert list(found["tables"]["estimates"][0]) == [
        *("policy", "estimator", "value", "low", "high", "ess", "max_weight", "mean_weight", "rows", "dropped"),
    ]
    assert (found["verdict"]["policy"], found["verdict"]["better"]) == ("c", "policy")
    assert [one["kind"] for one in found["made_by"]["inputs"]] == ["log", "run"]
    assert found["made_by"]["command"] == "cranfield counterfactual shown.csv --run c.run --format json"


def test_options_reach_the_study(cranfield: Command, here: Path) -> None:
    words = ("--estimator", "ips(clip=1)", "--column", "reward=clicked", "--interval", "bootstrap", "--draws", "50")
    found = read_json(cranfield("counterfactual", "shown.csv", *words, "--seed", "3", "--format", "json").out)
    (row,) = found["tables"]["policies"]
    # Weights ½, ½, 1 and 2, the last lowered to 1: (½ + 1) / 4
    assert (row["estimator"], row["value"]) == ("ips(clip=1.0)", 0.375)
    assert found["made_by"]["seed"] == 3
    ended = cranfield("counterfactual", "shown.csv", "--chart", "policies.svg", "-o", "found.csv")
    assert (ended.code, (here / "policies.svg").read_text()[:4]) == (0, "<svg")
    assert (here / "found.csv").read_text().startswith("policy,estimator,value")


def test_counted_propensities_are_noted(cranfield: Command) -> None:
    ended = cranfield(
        "counterfactual", "shown.csv", "--propensity", "counted", "--table", "policies", "--format", "tsv"
    )
    assert ended.out.splitlines()[1].startswith("target\tsnips\t0.625")
    assert "note: propensities are counted: right only if chance alone chose" in ended.err


@pytest.mark.parametrize(
    ("words", "code", "error", "hint"),
    [
        (("missing.csv",), 1, "missing.csv: there is no such file", "check the name of the file"),
        (
            ("shown.csv", "--policy", "new"),
            1,
            "shown.csv: there is no column new for the policy new",
            "there are: user, topic, document, propensity, clicked, target",
        ),
        (
            ("shown.csv", "--estimator", "magic"),
            1,
            "there is no estimator named 'magic'",
            None,
        ),
        (
            ("shown.csv", "--estimator", "rips"),
            1,
            "rips is an estimator of pages of several documents",
            "this log has no impressions with ranks: choose another",
        ),
        (("shown.csv", "--run", "no.run"), 1, "no.run: there is no such file", None),
        (("shown.csv", "--column", "reward"), 2, "--column cannot be reward", "write it as reward=revenue"),
        (("shown.csv", "--chart", "x.bmp"), 1, "x.bmp: no picture ends in .bmp", None),
        ((), 2, "LOG is missing", "write: cranfield counterfactual [OPTIONS] LOG"),
    ],
)
def test_refused(cranfield: Command, words: tuple[str, ...], code: int, error: str, hint: str | None) -> None:
    expect_refusal(cranfield("counterfactual", *words), code, error, hint)


@pytest.mark.parametrize(
    ("cells", "error"),
    [
        ("1,0,.5", "propensity 0 is no chance"),
        ("1,1.5,.5", "propensity 1.5 is no chance"),
        ("1,1e-300,.5", "propensity 1e-300 is no chance"),
        ("1,.5,-1", "target -1 is no chance"),
        ("1,.5,7", "target 7 is no chance"),
        ("1e308,.5,.5", "reward 1e+308 is too large to be summed up"),
    ],
)
def test_a_row_that_cannot_be_is_named(cells: str, error: str, cranfield: Command, here: Path) -> None:
    (here / "odd.csv").write_text(f"reward,propensity,target\n1,.5,.5\n{cells}\n")
    expect_refusal(cranfield("counterfactual", "odd.csv"), 1, f"odd.csv:3: {error}", None)


def test_a_log_without_propensities_or_policies(cranfield: Command, here: Path) -> None:
    (here / "bare.csv").write_text("topic,document,clicked\nq,a,1\nq,b,0\n")
    said = "there is no policy to hold against bare.csv"
    expect_refusal(cranfield("counterfactual", "bare.csv"), 1, said, None)
    ended = cranfield("counterfactual", "bare.csv", "--run", "c.run")
    hint = "add the chance with which each document was shown, or have it counted: --propensity counted"
    expect_refusal(ended, 1, "bare.csv has no column propensity", hint)
