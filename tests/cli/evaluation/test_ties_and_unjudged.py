"""What is not known: the order of ties, the unjudged, how long documents are; and other tools' ways."""

import json
from pathlib import Path

import pytest

from tests.support.cli.commands import Command

# Topic 1: a and x share a score; a is relevant, x was never judged; trec_eval puts x first. c is relevant and missed.
QRELS = "1 0 a 1\n1 0 b 0\n1 0 c 2\n"
RUN = "1 Q0 a 1 2.0 r\n1 Q0 x 2 2.0 r\n1 Q0 b 3 1.0 r\n"


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "run").write_text(RUN)
    return [str(tmp_path / "qrels"), str(tmp_path / "run")]


def rows(cranfield: Command, *arguments: str) -> list[dict[str, object]]:
    ended = cranfield("evaluate", *arguments, "--format", "json")
    assert ended.code == 0, ended.err
    found: list[dict[str, object]] = json.loads(ended.out)["tables"]["values"]
    return found


def test_a_cut_through_ties_is_told(files: list[str], cranfield: Command) -> None:
    ended = cranfield("evaluate", *files, "-m", "P@1", "--format", "text")
    assert "1 tied pair straddles rank 1 in 1 topic" in ended.out + ended.err


def test_ties_in_the_mean_and_at_their_ends(files: list[str], cranfield: Command) -> None:
    # a stands first or second: P@1 is 1 or 0, RR 1 or 1/2.
    assert [row["value"] for row in rows(cranfield, *files, "-m", "P@1 RR")] == [0, 1 / 2]
    assert [row["value"] for row in rows(cranfield, *files, "-m", "P@1 RR", "--ties", "average")] == [1 / 2, 3 / 4]
    found = rows(cranfield, *files, "-m", "P@1 RR", "--ties", "bounds")
    assert [(row["low"], row["value"], row["high"]) for row in found] == [(0, 0, 1), (1 / 2, 1 / 2, 1)]


def test_bounds_that_the_unjudged_leave_open(files: list[str], cranfield: Command) -> None:
    # At rank 1 the unjudged x; ranks 2 and 3 are judged; below the list anything may stand.
    (precision,) = rows(cranfield, *files, "-m", "P@3", "--residual")
    assert (precision["low"], precision["high"]) == pytest.approx((1 / 3, 2 / 3))
    (biased,) = rows(cranfield, *files, "-m", "RBP(p=0.5)", "--residual")
    assert (biased["low"], biased["high"]) == pytest.approx((0.25, 0.5 + 0.25 + 0.5**3))


def test_scenarios_where_there_are_no_bounds(files: list[str], cranfield: Command) -> None:
    # x relevant: found at ranks 1 and 2 of three.
    assert rows(cranfield, *files, "-m", "AP", "--unjudged", "as-worst")[0]["value"] == pytest.approx(1 / 2 / 2)
    assert rows(cranfield, *files, "-m", "AP", "--unjudged", "as-best")[0]["value"] == pytest.approx((1 + 1) / 3)
    ended = cranfield("evaluate", *files, "-m", "AP", "--residual")
    assert ended.err.startswith("error: AP has no bounds: what it divides by moves, or better can be worse\nhint: ")


def test_lengths_of_documents(files: list[str], tmp_path: Path, cranfield: Command) -> None:
    (tmp_path / "words.tsv").write_text("document\tlength\na\t100\nx\t1000\nb\t50\n")
    (value,) = rows(cranfield, *files, "-m", "TBG", "--lengths", str(tmp_path / "words.tsv"))
    # x stands above a: a summary, and with .39 its thousand words.
    above = 4.4 + 0.39 * (0.018 * 1000 + 7.8)
    assert value["value"] == pytest.approx(0.64 * 0.77 * 2 ** (-above / 224))


@pytest.mark.parametrize(
    ("compat", "measure", "as_read"),
    [
        ("gdeval", "nDCG", "nDCG(dcg='exp-log2')@20"),
        ("gdeval", "ERR@10", "ERR(max_rel=4)@10"),
        ("msmarco", "RR", "RR@10"),
        ("trec_eval-9", "IPrec@0.5", "IPrec(rounding='trec_eval-9')@0.5"),
        ("trec_eval-10", "IPrec@0.5", "IPrec(rounding='trec_eval-10')@0.5"),
        ("beir", "Accuracy@5", "Success@5"),
        ("ranx", "P@5", "P@5"),
    ],
)
def test_a_peer_has_its_own_meaning_of_a_measure(
    compat: str, measure: str, as_read: str, files: list[str], cranfield: Command
) -> None:
    assert rows(cranfield, *files, "-m", measure, "--compat", compat)[0]["measure"] == as_read


def test_a_peer_has_its_own_order_and_what_is_said_beside_it_counts_more(files: list[str], cranfield: Command) -> None:
    # By rank, a comes before x; by trec_eval's order after it.
    assert rows(cranfield, *files, "-m", "RR", "--compat", "msmarco")[0]["value"] == 1
    assert rows(cranfield, *files, "-m", "RR", "--compat", "msmarco", "--ties", "trec")[0]["value"] == 1 / 2


def test_beir_leaves_out_documents_with_the_id_of_their_topic(tmp_path: Path, cranfield: Command) -> None:
    (tmp_path / "qrels").write_text("q1 0 a 1\n")
    (tmp_path / "run").write_text("q1 Q0 q1 1 3 r\nq1 Q0 a 2 2 r\n")
    files = [str(tmp_path / "qrels"), str(tmp_path / "run")]
    assert rows(cranfield, *files, "-m", "RR")[0]["value"] == 1 / 2
    assert rows(cranfield, *files, "-m", "RR", "--compat", "beir")[0]["value"] == 1


def test_topics_of_a_peer(tmp_path: Path, cranfield: Command) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n2 0 a 1\n")
    (tmp_path / "run").write_text("1 Q0 a 1 1 r\n")
    files = [str(tmp_path / "qrels"), str(tmp_path / "run"), "-m", "RR"]
    assert rows(cranfield, *files)[0]["value"] == 1 / 2
    assert rows(cranfield, *files, "--compat", "trec_eval-9")[0]["value"] == 1
    assert rows(cranfield, *files, "--compat", "trec_eval-9", "--topics", "qrels")[0]["value"] == 1 / 2


@pytest.mark.parametrize(
    ("arguments", "error", "hint"),
    [
        (
            ["--compat", "trec_eval-9", "--ties", "average"],
            "trec_eval breaks ties, and has no ties=average",
            "leave out --compat, or choose an order: --ties trec",
        ),
        (
            ["-m", "P@5", "--residual", "--unjudged", "as-best"],
            "one thing that is not known at a time",
            "ask for the order of ties, for the residual or for a scenario of the unjudged, one at a time",
        ),
        (["--lengths", "no.tsv"], "no.tsv: there is no such file", None),
    ],
)
def test_what_cannot_be_is_refused_in_two_lines(
    arguments: list[str], error: str, hint: str | None, files: list[str], cranfield: Command
) -> None:
    ended = cranfield("evaluate", *files, *arguments)
    said = ended.err.splitlines()
    assert ended.code == 1
    assert said[0] == f"error: {error}"
    assert said[1].startswith(f"hint: {hint or ''}")
    assert len(said) == 2
