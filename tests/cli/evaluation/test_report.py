"""cranfield report and cranfield rerun, as a user runs them."""

import html
import json
import re
import shutil
from pathlib import Path

import pytest

from tests.support.cli.commands import Command, expect_refusal


@pytest.fixture
def files(here: Path, campaign: Path) -> Path:
    """The campaign, in the folder the user stands in."""
    shutil.copytree(campaign, here / "c")
    return here


WORDS = ("report", "c/qrels.txt", "c/runs", "-m", "AP RR@10", "--entries", "c/runs.csv", "--draws", "200")


def kept(page: Path) -> dict[str, object]:
    """What the page keeps for programs."""
    found = re.search(
        r'<script type="application/json" id="cranfield-report">(.*?)</script>', page.read_text(), re.DOTALL
    )
    assert found
    data: dict[str, object] = json.loads(found[1])
    return data


def test_a_page_that_can_be_made_again(cranfield: Command, files: Path) -> None:
    ended = cranfield(*WORDS, "-o", "r.html")
    assert ended.code == 0
    assert "wrote r.html" in ended.err
    assert "has the highest mean AP" in ended.out
    assert "adds most (NRG" in ended.out  # by RR@10: AP has no user who reads down a ranking
    page = (files / "r.html").read_text()
    assert page.startswith("<!DOCTYPE html>")
    assert "<svg" in page
    assert 'id="relevant-documents-that-other-runs-miss"' in page
    first_page = page[page.index("<header>") : page.index("</header>")]
    verdicts = [study["verdict"]["sentence"] for study in kept(files / "r.html")["studies"] if study["verdict"]]  # type: ignore[attr-defined]
    assert all(html.escape(sentence) in first_page for sentence in verdicts)
    assert not re.findall(r'(?:src|href)="(?:https?:)?//', page)
    assert kept(files / "r.html")["command"] == [*WORDS, "-o", "r.html"]
    again = cranfield("rerun", "r.html")
    assert (again.code, again.out) == (0, "Nothing changed: every number is the same to the last digit.\n")
    assert cranfield("rerun", "r.html", "--require").code == 0


def test_what_changed_is_said(cranfield: Command, files: Path) -> None:
    cranfield(*WORDS, "-o", "r.html")
    lines = (files / "c/qrels.txt").read_text().splitlines()
    flipped = [re.sub(r"\d+$", lambda grade: "0" if grade[0] != "0" else "1", line) for line in lines[:20]]
    (files / "c/qrels.txt").write_text("\n".join([*flipped, *lines[20:]]) + "\n")
    ended = cranfield("rerun", "r.html", "--save", "new.html", "--format", "json")
    found = json.loads(ended.out)
    rows = found["tables"]["changes"]
    assert [row["row"] for row in rows if row["table"] == "made_by"] == ["c/qrels.txt"]
    assert any(row["table"] == "ranks" and row["column"] == "mean" for row in rows)
    assert found["verdict"]["changes"] == len(rows)
    assert kept(files / "new.html") != kept(files / "r.html")
    strict = cranfield("rerun", "r.html", "--require")
    assert strict.code == 3
    assert "error: r.html is not what it was" in strict.err


def test_two_runs_have_no_board(cranfield: Command, files: Path) -> None:
    runs = sorted(str(path) for path in Path("c/runs").iterdir())[:2]
    ended = cranfield("report", "c/qrels.txt", *runs, "-m", "RR@10", "-o", "r.html")
    assert ended.code == 0
    assert [study["study"] for study in kept(files / "r.html")["studies"]] == ["compare", "evaluate"]  # type: ignore[attr-defined]


def test_a_pdf_and_its_parts(cranfield: Command, files: Path) -> None:
    ended = cranfield(*WORDS, "-o", "r.pdf", "--parts", "paper")
    assert ended.code == 0, ended.err
    assert (files / "r.pdf").read_bytes().startswith(b"%PDF")
    names = {path.name for path in (files / "paper").iterdir()}
    assert {"1-leaderboard-ranks.tex", "1-leaderboard-ranks.csv", "1-leaderboard-stability.svg"} <= names
    assert r"\toprule" in (files / "paper/1-leaderboard-ranks.tex").read_text()
    expect_refusal(cranfield("rerun", "r.pdf"), 1, "r.pdf is a PDF, which keeps no data", None)


def test_refusals(cranfield: Command, files: Path) -> None:
    expect_refusal(
        cranfield(*WORDS, "-o", "r.txt"), 1, "r.txt: a report is .html or .pdf", "end the name in .html or .pdf"
    )
    expect_refusal(cranfield(*WORDS), 2, "there is no file to write the report to", "name one: -o report.html")
    expect_refusal(cranfield("rerun", "none.html"), 1, "none.html: there is no such file", None)
    (files / "page.html").write_text("<p>hello</p>")
    expect_refusal(cranfield("rerun", "page.html"), 1, "page.html is no report", None)
    one = sorted(str(path) for path in Path("c/runs").iterdir())[0]
    expect_refusal(cranfield("report", "c/qrels.txt", one, "-o", "r.html"), 1, "there is only one run", None)
    assert not (files / "r.html").exists()


def test_a_report_whose_files_are_gone(cranfield: Command, files: Path) -> None:
    cranfield(*WORDS, "-o", "r.html")
    (files / "c/qrels.txt").unlink()
    ended = cranfield("rerun", "r.html")
    assert (ended.code, ended.out) == (1, "")
    assert "c/qrels.txt: there is no such file" in ended.err


def test_private_topics_stay_off_the_page(cranfield: Command, files: Path) -> None:
    """No row is about a private topic, and the comparison counts the others alone."""
    topics = sorted({line.split()[0] for line in (files / "c/qrels.txt").read_text().splitlines()})
    ended = cranfield(*WORDS, "--private", ",".join(topics[:3]), "-o", "r.html")
    assert ended.code == 0, ended.err
    studies = {study["study"]: study["tables"] for study in kept(files / "r.html")["studies"]}  # type: ignore[attr-defined]
    rows = [row for tables in studies.values() for table in tables.values() for row in table]
    seen = {row["topic"] for row in rows if "topic" in row}
    assert seen == set(topics[3:])
    assert sum(row["topics"] for row in studies["compare"]["outcomes"]) == len(topics) - 3
    assert {row["topics"] for row in studies["evaluate"]["values"]} == {len(topics) - 3}
    assert {row["topics"] for row in studies["leaderboard"]["conditions"]} == {3, len(topics) - 3}
