"""Where a mean asks more of the numbers than their measure gives."""

from pathlib import Path

from tests.support.cli.commands import RUN, Command, Ended

ASK = ["evaluate", "qrels.txt", "run.txt", "other.txt", "--format", "json", "-m"]
MEAN = "the mean needs interval numbers; AP is ordinal (ferrante2021)"
SAFE = "he median is safe (--aggregate median)"


def ask(here: Path, cranfield: Command, *words: str) -> Ended:
    (here / "other.txt").write_bytes(RUN)
    return cranfield(*ASK, *words)


def test_means_that_are_compared_have_one_note(here: Path, cranfield: Command) -> None:
    note = f"note: {MEAN}. T{SAFE}; --scale ignore silences this\n"
    assert ask(here, cranfield, "AP").err == note
    assert ask(here, cranfield, "AP P@5 NumRet ESL").err == note  # equal steps, counts
    assert ask(here, cranfield, "AP", "--scale", "note").err == note


def test_several_measures_are_one_sentence(here: Path, cranfield: Command) -> None:
    told = ask(here, cranfield, "AP RR GMAP").err
    assert told.startswith(
        "note: the mean and the geometric mean need interval or ratio numbers; "
        "AP, RR and GMAP are ordinal (ferrante2021). "
    )
    assert told.count("\n") == 1


def test_what_is_safe_has_no_note(here: Path, cranfield: Command) -> None:
    assert ask(here, cranfield, "P@5 RBP(p=0.5)").err == ""
    assert ask(here, cranfield, "AP", "--aggregate", "median").err == ""
    assert ask(here, cranfield, "AP", "--scale", "ignore").err == ""
    assert cranfield("evaluate", "qrels.txt", "run.txt", "-m", "AP").err == ""  # nothing is compared


def test_a_mean_is_refused(here: Path, cranfield: Command) -> None:
    assert ask(here, cranfield, "AP", "--scale", "refuse") == Ended(
        1, "", f"error: {MEAN}\nhint: t{SAFE}; --scale note goes on\n"
    )
    assert ask(here, cranfield, "P@5", "--scale", "refuse").code == 0
