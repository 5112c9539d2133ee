"""Help teaches: it fits a terminal, and its examples run."""

import glob
import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import click
import pytest

from cranfield.cli.dispatch import COMMANDS, GROUPS
from cranfield.cli.dispatch import cranfield as program
from cranfield.core import VERSION
from cranfield.simulate import Campaign
from tests.support.cli.commands import Command
from tests.support.cli.example_files import examples

PAGES = ["", *COMMANDS]
# Their examples need a server: test_serve.py, test_submit.py and test_backup.py run them with one.
ELSEWHERE = {"serve", "worker", "submit", "status", "download", "backup", "restore", "export", "audit"}


def help_of(command: str, cranfield: Command) -> str:
    ended = cranfield(*command.split(), "--help")
    assert (ended.code, ended.err) == (0, "")
    return ended.out


@pytest.mark.parametrize("command", PAGES)
def test_help_fits_a_terminal(command: str, cranfield: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = help_of(command, cranfield).splitlines()
    assert not [line for line in lines if len(line) > 80]
    assert lines[0].startswith(f"Usage: cranfield {command}".rstrip())


@pytest.mark.parametrize("command", PAGES)
def test_help_says_the_same_in_short(command: str, cranfield: Command) -> None:
    assert cranfield(*command.split(), "-h") == cranfield(*command.split(), "--help")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_is_explained(command: str, cranfield: Command) -> None:
    options = help_of(command, cranfield).partition("Options:\n")[2]
    for option in re.split(r"\n(?=  -)", options.rstrip()):
        assert re.search(r" {2,}[A-Z][a-z ]", option), option


@pytest.mark.parametrize("command", [page for page in PAGES if page not in ELSEWHERE])
def test_examples_run(
    command: str, cranfield: Command, stage: Path, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [line for line in examples(help_of(command, cranfield)) if "--serve" not in line]  # that one never ends
    assert found
    made: list[Campaign] = []
    real = Campaign.write

    def write(self: Campaign, folder: Path, **options: Any) -> object:
        made.append(self)
        small = Campaign(topics=2, runs=self.groups, groups=self.groups, depth=5)
        return real(small, folder, **options)  # the largest examples would write 255 MB

    monkeypatch.setattr(Campaign, "write", write)
    for number, example in enumerate(found):
        folder = here / str(number)
        shutil.copytree(stage, folder)
        monkeypatch.chdir(folder)
        before = set(folder.rglob("*"))
        words = [file for word in shlex.split(example) for file in (sorted(glob.glob(word)) or [word])]  # noqa: PTH207
        assert words[0] == "cranfield"
        ended = cranfield(*words[1:])
        # What was made up has flaws to find; lint says so with exit 3 where it is strict. No run is better than itself.
        assert ended.code == (3 if {"--strict", "better"} & set(words) else 0), f"{example}\n{ended.err}"
        assert ended.out or set(folder.rglob("*")) > before, example
    if command == "simulate":
        assert len(made) == len(found)


def test_no_command_is_the_help_page(cranfield: Command) -> None:
    ended = cranfield()
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == help_of("", cranfield)


def test_the_list_of_commands_is_a_map(cranfield: Command) -> None:
    lines = help_of("", cranfield).splitlines()
    assert [line.rstrip(":") for line in lines if line.rstrip(":") in GROUPS] == list(GROUPS)
    first = lines.index(f"{next(iter(GROUPS))}:")
    told = [line for line in lines[first:] if line.startswith("  ")]
    listed, steps = told[: len(COMMANDS)], told[len(COMMANDS) :]
    assert [line.split()[0] for line in listed] == list(COMMANDS)
    assert len({re.match(r"  \w+ +", line).end() for line in listed}) == 1  # type: ignore[union-attr]  # one line each
    assert [line.split()[1] for line in steps] == ["demo", "evaluate", "compare"]


# What an option means is the same wherever it stands, and so are its words.
SAME = {
    *("--measure", "--rel", "--topics", "--ties", "--compat", "--subtopics", "--intents", "--attributes", "--aspect"),
    *(
        "--prior",
        "--gains",
        "--scores",
        "--scale-of",
        "--threads",
        "--format",
        "--table",
        "--level",
        "--scale",
        "--seed",
    ),
    *(
        "--engine",
        "--labels",
        "--private",
        "--private-qrels",
        "--private-scores",
        "--pair",
        "--cutoff",
        "--alternative",
    ),
}
# Where it is another thing of the same name: an online measure, how many topics, how the answer of a server is shown.
OTHER = {
    "--engine": {"evaluate"},
    "--measure": {"pool", "crowd", "clicks", "ab", "nuggets", "reproduce"},
    "--topics": {"simulate", "pool", "nuggets"},
    "--rel": {"pool"},
    "--seed": {"simulate", "demo"},
    "--format": {"submit", "status", "download"},
    "--ties": {"evaluate"},
    "--pair": {"power"},
}


def test_one_option_has_one_meaning() -> None:
    said: dict[str, dict[str, list[str]]] = {}
    for name in COMMANDS:
        command = program.get_command(click.Context(program), name)
        assert command is not None
        for option in command.params:
            long = max(option.opts, key=len)
            if long in SAME and name not in OTHER.get(long, ()):
                words = re.sub(r"  \[default.*", "", getattr(option, "help", None) or "")
                said.setdefault(long, {}).setdefault(words, []).append(name)
    assert not {option: texts for option, texts in said.items() if len(texts) > 1}
    assert set(said) == SAME


@pytest.mark.parametrize("command", COMMANDS)
def test_every_page_has_an_example(command: str, cranfield: Command) -> None:
    assert all(line.startswith(("cranfield ", "printf ", "cat ")) for line in examples(help_of(command, cranfield)))
    assert examples(help_of(command, cranfield))


def test_version(cranfield: Command) -> None:
    assert cranfield("--version").out == f"cranfield, version {VERSION}\n"
