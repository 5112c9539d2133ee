"""JSON of strangers: whatever is wrong with it is a problem of the file, in two lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cranfield import InputError
from cranfield.data import each_document, read_corpus, read_labels
from cranfield.data.files.json_parsing import parse_json

if TYPE_CHECKING:
    from pathlib import Path

DEEP = '{"a": ' * 100_000


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ("{", "E-JSON", "f:1: this is not JSON: Expecting property name"),
        ('\n{"a": nonsense}', "E-JSON", "f:2: this is not JSON: Expecting value"),
        (DEEP, "E-JSON", "nested too deeply"),
        (b"\xff\xfe\x00", "E-JSON", "not UTF-8"),
        ('{"a": 1, "b": 2, "a": 3}', "E-DUPKEY", 'the key "a" stands twice'),
    ],
    ids=["open", "line", "deep", "bytes", "twice"],
)
def test_what_is_wrong_is_said(text: str, code: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_json(text, "f", "write it so", twice="keep one")
    assert said in str(caught.value)
    assert caught.value.code == code
    assert caught.value.hint == ("keep one" if code == "E-DUPKEY" else "write it so")


def test_of_two_equal_keys_the_last_counts_where_nobody_minds() -> None:
    assert parse_json('{"a": 1, "a": 2}', "f", "write it so") == {"a": 2}


def test_half_a_character_becomes_a_question_mark_and_two_halves_stay_one() -> None:
    assert parse_json(r'{"a\ud800": ["b\uDFFFc", "\ud83d\ude00", "\\ud800"]}', "f", "") == {
        "a?": ["b?c", "\N{GRINNING FACE}", r"\ud800"]
    }


def test_rows_with_half_a_character_are_read_alike(tmp_path: Path) -> None:
    file = tmp_path / "labels.jsonl"
    rows = [r'{"topic": "1", "document": "d", "worker": "a\ud800", "label": 1}', '{"topic": "1", "document": "e",']
    file.write_text(rows[0] + "\n" + rows[0].replace('"d"', '"e"').replace(r"\ud800", "") + "\n")
    assert read_labels(file).workers == ("a?", "a")
    file.write_text("\n".join([rows[0].replace(r"\ud800", ""), DEEP]) + "\n")
    with pytest.raises(InputError, match=r"labels\.jsonl:2: this is not JSON: it is nested too deeply"):
        read_labels(file)


def test_documents_with_half_a_character_or_too_deep(tmp_path: Path) -> None:
    file = tmp_path / "docs.jsonl"
    file.write_text('{"id": "d", "text": "a\\ud800b"}\n')
    assert read_corpus(file).text == ("a?b",)
    file.write_text('{"id": "d", "text": "a"}\n{"id": ' + DEEP + "\n")
    with pytest.raises(InputError, match=r"docs\.jsonl:2: this is not JSON: it is nested too deeply"):
        list(each_document(file))


def test_a_cell_that_is_too_long_is_said_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "labels.csv"
    file.write_text('topic,document,worker,label\n1,d,"a",1\n1,e,"' + "x" * 200_000 + '",1\n1,f,"a",often\n')
    with pytest.raises(InputError, match=r"labels\.csv:3: the row cannot be read: field larger than field limit"):
        read_labels(file)
