"""Pages for man: one for every command, with all that its help says, in marks that groff has nothing to say about."""

import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from cranfield.cli.dispatch import COMMANDS, GROUPS
from cranfield.cli.dispatch import cranfield as program
from cranfield.cli.man_pages import kept, pages, write
from tests.support.cli.commands import Command

COMMITTED = Path(__file__).parents[2] / "man" / "data" / "share" / "man" / "man1"
PAGES = pages()


def rendered(text: str) -> str:
    """What a terminal shows of a page, without the marks for bold letters; a warning of groff is an error."""
    # So wide that no line of text is broken.
    asked = ["groff", "-man", "-Tutf8", "-Kutf8", "-ww", "-rLL=900n", "-P-cbou"]
    ended = subprocess.run(asked, input=text, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    return ended.stdout.replace("‐", "-").replace("−", "-")


def test_every_command_has_its_page() -> None:
    assert list(PAGES) == ["cranfield.1", *(f"cranfield-{name}.1" for name in COMMANDS)]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_page_says_what_the_help_says(name: str, cranfield: Command) -> None:
    page = " ".join(rendered(PAGES[f"cranfield-{name}.1"]).split())
    command = program.get_command(click.Context(program), name)
    assert command is not None
    for option in command.params:
        if isinstance(option, click.Option):
            assert all(word in page for word in option.opts)
            assert " ".join((option.help or "").replace("−", "-").split()) in page, option.name
    told = cranfield(name, "--help").out.partition("\n\nOptions:")[0].partition("\n\n")[2]
    before, _, examples = told.partition("Examples:\n")
    lines, _, after = examples.partition("\n\n")
    for part in (before, *lines.splitlines(), after):
        # A word that help breaks at a hyphen stands there without the break.
        assert re.sub(r"\s", "", part.replace("−", "-")) in re.sub(r"\s", "", page)
    assert lines


def test_the_page_of_the_program_is_the_map() -> None:
    page = rendered(PAGES["cranfield.1"])
    assert [group for group in GROUPS if group not in page] == []
    assert re.findall(r"^ +cranfield-(\w+)\(1\)", page, re.MULTILINE) == list(COMMANDS)
    assert "EXIT STATUS" in page


def test_the_committed_pages_match_the_commands() -> None:
    committed = {path.name: path.read_bytes() for path in COMMITTED.iterdir()}
    generated = {name: text.encode() for name, text in PAGES.items()}
    differing = [name for name in sorted(committed | generated) if committed.get(name) != generated.get(name)]
    assert differing == [], "the manual pages are out of date (hint: run `make manual`)"


def test_the_pages_do_not_depend_on_the_environment(tmp_path: Path) -> None:
    environment = {"COLUMNS": "40", "LC_ALL": "C", "TZ": "Asia/Tokyo", "HOME": str(tmp_path), "PYTHONHASHSEED": "7"}
    command = [sys.executable, "-m", "cranfield.cli.man_pages", "man1"]
    subprocess.run(command, cwd=tmp_path, env=environment, check=True)
    assert {path.name: path.read_bytes() for path in (tmp_path / "man1").iterdir()} == {
        name: text.encode() for name, text in PAGES.items()
    }


def test_a_line_that_begins_like_a_command_of_roff_is_text() -> None:
    text = rendered('.TH "X" "1"\n.SH NAME\n' + kept([".B no", "it is \\n", "-o"]))
    assert ".B no" in text
    assert "it is \\n" in text
    assert "-o" in text


def test_pages_are_written_to_a_folder(tmp_path: Path) -> None:
    write(tmp_path / "man1")
    assert {path.name: path.read_text(encoding="utf-8") for path in (tmp_path / "man1").iterdir()} == PAGES
