"""Man pages generated from the commands, written by ``python -m cranfield.cli.man_pages FOLDER``.

One page for the program and one for each command, as git has them. Whatever ``--help`` says stands there, in the marks
that man understands.
"""

import re
import sys
from inspect import cleandoc
from pathlib import Path

import click

from cranfield.core import EXPERIMENTAL, VERSION, Stability

from .dispatch import COMMANDS, FIRST, GROUPS, cranfield

EXITS = (
    ("0", "done"),
    ("1", "an error: a file, a measure or a parameter is wrong"),
    ("2", "the command was used wrongly"),
    ("3", "a check that was asked for did not hold"),
    ("130, 143", "it was told to end, by Ctrl-C or by SIGTERM"),
)
VARIABLES = (
    ("NO_COLOR", "where it is set, nothing is coloured"),
    ("IR_DATASETS_HOME", "where the data of ir_datasets is kept"),
    ("CRANFIELD_DEBUG", "set to 1, an unexpected error shows where it was raised"),
)


def pages() -> dict[str, str]:
    """The text of every page, by the name of its file."""
    made = {"cranfield.1": _program()}
    for name, (_, about) in COMMANDS.items():
        command = cranfield.get_command(click.Context(cranfield), name)
        assert command is not None
        made[f"cranfield-{name}.1"] = _command(name, about, command)
    return made


def write(folder: Path) -> None:
    """Write every page to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (folder / name).write_text(text, encoding="utf-8")


def _program() -> str:
    text = cleandoc(cranfield.help or "")
    parts = [_head("cranfield", "is this search system really better than that one?")]
    parts.append(f".SH SYNOPSIS\n.B cranfield\n{_plain('COMMAND [ARGS]...')}")
    parts.append(f".SH DESCRIPTION\n{_prose(text)}")
    for group, commands in GROUPS.items():
        rows = [_item(f"\\fBcranfield\\-{_inline(name)}\\fR(1)", about) for name, (_, about) in commands.items()]
        parts.append("\n".join([f".SS {_plain(group)}", *rows]))
    parts.append(_options(cranfield))
    parts.append("\n".join([".SH EXIT STATUS", *(_item(f"\\fB{code}\\fR", what) for code, what in EXITS)]))
    parts.append("\n".join([".SH ENVIRONMENT", *(_item(f"\\fB{name}\\fR", what) for name, what in VARIABLES)]))
    parts.append(f".SH EXAMPLES\n{kept([f'{step:42}({about})' for step, about in FIRST])}")
    return "\n".join(parts) + "\n"


def _command(name: str, about: str, command: click.Command) -> str:
    context = click.Context(command, info_name=f"cranfield {name}", help_option_names=["-h", "--help"])
    usage = " ".join(command.collect_usage_pieces(context))
    parts = [_head(f"cranfield-{name}", about), f".SH SYNOPSIS\n.B cranfield {_inline(name)}\n{_plain(usage)}"]
    text, _, examples = cleandoc(command.help or "").partition("\b\nExamples:\n")
    parts.append(f".SH DESCRIPTION\n{_prose(text)}")
    parts.append(_options(command, context))
    inside, _, after = examples.partition("\n\n")
    parts.append(f".SH EXAMPLES\n{kept([line.removeprefix('  ') for line in inside.splitlines()])}")
    if after.strip():
        parts.append(_prose(after))
    if getattr(command, "stability", None) is Stability.EXPERIMENTAL:
        parts.append(f".SH STABILITY\n{_plain(EXPERIMENTAL)}")
    parts.append(".SH SEE ALSO\n\\fBcranfield\\fR(1)")
    return "\n".join(parts) + "\n"


def _head(name: str, about: str) -> str:
    title = f'.TH "{name.upper()}" "1" "" "cranfield {VERSION}" "cranfield"'
    return f"{title}\n.SH NAME\n{_inline(name)} \\- {_inline(about)}"


def _options(command: click.Command, context: click.Context | None = None) -> str:
    context = context or click.Context(command, info_name="cranfield", help_option_names=["-h", "--help"])
    told = [record for option in command.get_params(context) if (record := option.get_help_record(context))]
    rows = [_item(f"\\fB{_inline(names)}\\fR", text) for names, text in told if names.startswith("-")]
    return "\n".join([".SH OPTIONS", *rows])


def _item(term: str, text: str) -> str:
    return f".TP\n{term}\n{_plain(text)}"


def _prose(text: str) -> str:
    """Paragraphs; one that begins with click's mark keeps its lines."""
    found = [part for part in re.split(r"\n[ \t]*\n", text.strip("\n")) if part.strip()]
    return "\n.PP\n".join(
        kept(part.split("\n")[1:]) if part.startswith("\b") else _plain(" ".join(part.split())) for part in found
    )


def kept(lines: list[str]) -> str:
    """Lines that stay as they are."""
    return "\n".join([".nf", *(_plain(line) if line.strip() else "" for line in lines), ".fi"])


def _plain(text: str) -> str:
    """Text as it is; a line that begins like a command of roff does not become one."""
    text = _inline(text)
    return f"\\&{text}" if text.startswith((".", "'")) else text


def _inline(text: str) -> str:
    return text.replace("\\", "\\e").replace("-", "\\-")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
