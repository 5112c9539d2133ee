"""Words on charts: numbers and names as short text, titles in lines."""

import pytest

import cranfield as cf
from cranfield.charts.chart_text import (
    counted,
    first_of,
    groups_of,
    headline,
    listed,
    lower_is_better,
    number,
    percent,
    rows_of,
    short,
    signed,
)


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.61, "61%"), (0.0, "0%"), (0.001, "< 1%"), (0.999, "> 99%"), (1.0, "100%"), (None, "–"), (0.125, "12%")],
)
def test_shares(share: float | None, text: str) -> None:
    assert percent(share).replace("\N{NO-BREAK SPACE}", " ") == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.4456, ".446"),
        (-0.0123, "−.012"),
        (0.0001, "0"),
        (-0.0001, "0"),
        (0.0, "0"),
        (1.0, "1"),
        (2.345, "2.35"),
        (12.34, "12.3"),
        (-1234.5, "−1,234"),
        (0.9999, "1.000"),
    ],
)
def test_numbers(value: float, text: str) -> None:
    assert number(value) == text


def test_differences_have_a_sign() -> None:
    assert [signed(x) for x in (0.012, -0.012, 0.0)] == ["+.012", "−.012", "0"]
    assert number(0.875, 2) == ".88"


def test_a_long_name_keeps_its_ends() -> None:
    assert short("bm25") == "bm25"
    cut = short("abcdefghijklmnopqrstuvwxyz0123456789", 12)
    assert cut == "abcdefg…6789"
    assert len(cut) == 12


def test_words_of_sentences() -> None:
    assert [listed(words) for words in (["a"], ["a", "b"], ["a", "b", "c"])] == ["a", "a and b", "a, b and c"]
    assert [counted(n, "topic") for n in (0, 1, 5793)] == ["0 topics", "1 topic", "5,793 topics"]


def test_lines_are_few_about_as_long_and_fit() -> None:
    short_one = headline("One line", "and one", "").to_dict()
    assert (short_one["text"], short_one["subtitle"]) == ("One line", ["and one"])
    words = "word " * 30
    title = headline(words, wide=460).to_dict()
    assert isinstance(title["text"], list)
    lengths = [len(line) for line in title["text"]]
    assert max(lengths) * 7.9 <= 460
    assert max(lengths) - min(lengths) <= len("word ")
    unbroken = headline("x" * 200).to_dict()
    assert unbroken["text"] == "x" * 200


def test_where_less_is_better() -> None:
    assert [lower_is_better(name) for name in ("ESL@100", "RR", "nDCG@10", "latency", "?!")] == [True, *[False] * 4]


def test_rows_are_read_grouped_and_refused() -> None:
    table = cf.Table({"run": ["a\x1b", "b", "a\x1b"], "mean": [1.0, None, 3.0], "other": [1, 2, 3]})
    rows = rows_of(table, "run", "mean", needs=("mean",))
    assert rows == [{"run": "a\\x1b", "mean": 1.0}, {"run": "a\\x1b", "mean": 3.0}]
    assert groups_of(rows_of(table, "run", "mean"), "run")[1] == [{"run": "b", "mean": None}]
    assert len(first_of(rows_of(table, "run", "mean"), "run")) == 2
    with pytest.raises(cf.ParameterError, match="no row has mean and run") as caught:
        rows_of(cf.Table({"run": ["a"], "mean": [None]}), "run", "mean", needs=("mean", "run"))
    assert caught.value.hint == "draw a table with a row that has mean and run"
