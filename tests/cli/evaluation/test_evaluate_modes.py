"""`cranfield evaluate` on its ways to values: an option that a way would leave aside is refused, never passed over."""

from pathlib import Path

import pytest

from tests.support.cli.commands import Command, expect_refusal, read_json

# How each option is typed that shapes values.
OPTIONS = {
    "--rel": "--rel=2",
    "--topics both": "--topics both",
    "--curve": "--curve=pr",
    "--ties": "--ties=input",
    "--compat": "--compat=ranx",
    "--residual": "--residual",
    "--unjudged": "--unjudged=as-best",
    "--equity": "--equity",
    "--lengths": "--lengths=words.tsv",
    "--subtopics": "--subtopics",
    "--intents": "--intents=weights.tsv",
    "--attributes": "--attributes=groups.tsv",
    "--aspect": "--aspect=use=useful.txt",
    "--prior": "--prior=all",
    "--gains": "--gains",
}
PREFERENCES = {"--ties"}
SERIES = {"--rel", "--topics both", "--unjudged", "--equity", "--lengths", "--attributes", "--gains"}


@pytest.mark.parametrize("option", [*sorted(OPTIONS.keys() - PREFERENCES), "--series"])
def test_preferences_have_no_grades(cranfield: Command, option: str) -> None:
    ended = cranfield("evaluate", "prefs.txt", "run.txt", "--prefs", *OPTIONS.get(option, option).split())
    error = f"{option} is for grades, and --prefs reads preferences"
    expect_refusal(ended, 2, error, f"leave out {option}, or --prefs")


@pytest.mark.parametrize("option", sorted(OPTIONS.keys() - SERIES))
def test_several_rankings_are_not_one(cranfield: Command, option: str) -> None:
    ended = cranfield("evaluate", "qrels.txt", "turns.txt", "--series", *OPTIONS[option].split())
    error = f"{option} is for one ranking of a topic, and --series reads several"
    expect_refusal(ended, 2, error, f"leave out {option}, or --series")


@pytest.mark.parametrize("option", [*sorted(OPTIONS), "--series", "--prefs", "--engine"])
def test_scores_stand_alone(cranfield: Command, here: Path, option: str) -> None:
    (here / "ap.csv").write_text("topic,a\n1,0.5\n")
    typed = {"--engine": "--engine local[2]"}.get(option, OPTIONS.get(option, option))
    ended = cranfield("evaluate", "--scores", "ap.csv", *typed.split())
    expect_refusal(ended, 2, f"--scores stands alone, but there is {option} too", "leave one of them out")


def test_rankings_of_a_topic_follow_what_they_take(cranfield: Command, here: Path) -> None:
    (here / "judged.txt").write_text("1 0 a 1\n1 0 b 2\n2 0 a 1\n")
    (here / "turns.txt").write_text("1 x a 1 0 m\n1 x b 2 0 m\n1 x u 3 0 m\n1 y u 1 0 m\n1 y b 2 0 m\n1 y a 3 0 m\n")

    def found(*words: str) -> list[float]:
        asked = ("evaluate", "judged.txt", "turns.txt", "--series", "--scale", "ignore", "--format", "json", *words)
        return [row["value"] for row in read_json(cranfield(*asked).out)["tables"]["values"]]

    # Topic 2 is missing and counts 0, unless only topics of both count.
    assert found("-m", "P@1") == [(1 + 0) / 2 / 2]
    assert found("-m", "P@1", "--topics", "both") == [(1 + 0) / 2]
    assert found("-m", "RR", "--rel", "2", "--topics", "both") == [(1 / 2 + 1 / 2) / 2]
    assert found("-m", "P@1", "--unjudged", "as-best", "--topics", "both") == [1]
