"""Whatever is typed, and whatever is in the files: a command ends with an answer or with two lines that help."""

import re
import shlex
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest

from cranfield.cli import main
from cranfield.cli.dispatch import COMMANDS
from tests.support.cli.example_files import examples
from tests.support.run_size import SIZE

# They start servers, write large campaigns or wait for one that answers.
ELSEWHERE = {
    "serve",
    "worker",
    "submit",
    "status",
    "download",
    "backup",
    "restore",
    "export",
    "audit",
    "simulate",
    "demo",
}
FILES = {
    "bad-empty": b"",
    "bad-zeros": bytes(64),
    "bad-picture": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\xff\xfe",
    "bad-word": b"hello\n",
    "bad-header.csv": b"topic,run,value\n",
    "bad-nan.csv": b"topic,a,b\n1,nan,inf\n2,,-\n",
    "bad-json.json": b'{"schema": [1, null], "tables": 3}',
    "bad-open.json": b'[[{"a": 1',
    "bad-lines.jsonl": b'{"qid": 1}\n[]\nnull\n',
    "bad-run.txt": b"301 Q0 d1 1 1.0 x\n301 Q0 d1 2 1.0 x\n",
    "bad-qrels.txt": b"301 0 d1 1\n301 0 d1 2\n",
    "bad-other.txt": b"no-such-topic 0 no-such-document 1\n",
    "bad.parquet": b"PAR1\0\0PAR1",
    "bad.gz": b"\x1f\x8b\x08\0nonsense",
}
WORDS = ("", "-", "nan", "-1", "0", "1e400", "\u2603", ",", "a=b", "(", "AP@0", "../..", "x" * 300)
PATIENCE = 120  # seconds for one command: a hang is found, a report in PDF on a busy machine is none
SOME = 12  # of the mangled forms of each example, where not all are tried


def mangled(words: list[str], files: set[str]) -> Iterator[list[str]]:
    """An example with one word left out, said twice or replaced: files by bad files, others by odd words."""
    for place in range(2, len(words)):
        before, word, after = words[:place], words[place], words[place + 1 :]
        yield [*before, *after]
        yield [*before, word, word, *after]
        others = [*FILES, "bad-folder", "no-such-file"] if word.partition("=")[2] in files or word in files else WORDS
        if not word.startswith("-"):
            yield from ([*before, other, *after] for other in others)


class Late(BaseException):
    """What no command takes for an error of its own."""


@contextmanager
def within(seconds: int) -> Iterator[None]:
    """Raise where something takes longer."""

    def late(*_: object) -> None:
        raise Late(f"no end after {seconds} seconds")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in ELSEWHERE])
def test_no_mangled_example_ends_in_a_traceback(
    command: str, stage: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "here"
    wrong = []
    with pytest.raises(SystemExit):
        main([command, "--help"])
    for number, example in enumerate(examples(capsys.readouterr().out)):
        words = shlex.split(example)
        if words[0] != "cranfield":
            continue
        forms = list(mangled(words, {path.name for path in stage.iterdir()} | {"runs/"}))
        if SIZE.name == "small":
            forms = Random(number).sample(forms, min(SOME, len(forms)))
        for form in forms:
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(stage, folder)
            for name, content in FILES.items():
                (folder / name).write_bytes(content)
            (folder / "bad-folder").mkdir()
            monkeypatch.chdir(folder)
            try:
                with within(PATIENCE):
                    main(form[1:])
                said = "no end"
            except SystemExit as end:
                code, err = end.code or 0, capsys.readouterr().err
                told = re.search(r"^error: .+\nhint: .+\n\Z", err, re.MULTILINE)
                said = "" if code in (0, 3) or (code in (1, 2) and told) else f"exit {code}: {err[-300:]}"
            except BaseException as error:
                said = f"{type(error).__name__}: {error}"
            wrong += [f"{shlex.join(form)}\n    {said}"] if said else []
    assert not wrong, "\n".join(wrong)
