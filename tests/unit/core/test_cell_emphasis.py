"""Cells that stand out, numbers with their ends: in what people read, and nowhere else."""

import json
import pickle

import pytest
from markdown_it import MarkdownIt

from cranfield.core import FORMATS, Table
from cranfield.core.rendering import render

PLAIN = Table({"run": ["a", "b"], "AP": [0.25, 0.5], "n": [3, 4]}, "2 topics")
TABLE = Table(PLAIN.data, PLAIN.caption, best=frozenset({(1, "AP")}))
ENDS = Table(
    {"run": ["a", "b"], "AP": [0.25, None], "from": [0.125, None], "to": [0.5, None]}, ends={"AP": ("from", "to")}
)

MARKED = Table(
    {"run": ["x_1", "b"], "AP": [0.25, 0.5]},
    "2 topics",
    best=frozenset({(1, "AP")}),
    marks={(0, "run"): "a", (1, "AP"): "a↓b"},
    legend="a: better & ↓ worse",
)


def test_text_has_a_star_and_says_what_it_means() -> None:
    assert str(TABLE).splitlines() == [
        "2 topics, * best",
        "run      AP   n",
        "a    0.2500   3",
        "b    0.5000*  4",
    ]
    assert str(Table({"v": [1, 2]}, best=frozenset({(0, "v")}))).splitlines() == ["* best", "v", "1*", "2"]


def test_a_terminal_gets_bold_too() -> None:
    bold = render(TABLE, "text", bold=True)
    assert bold.splitlines()[3] == "b    \x1b[1m0.5000*\x1b[22m  4"
    assert bold.replace("\x1b[1m", "").replace("\x1b[22m", "") == str(TABLE)
    assert render(PLAIN, "text", bold=True) == str(PLAIN)


def test_markdown_latex_and_html_are_bold_in_their_own_way() -> None:
    assert "| b | **0.5000** | 4 |" in TABLE.to_markdown()
    assert "b & \\textbf{0.5000} & 4 \\\\" in TABLE.to_latex()
    assert '<td class="number"><b>0.5000</b></td>' in TABLE._repr_html_()
    tokens = MarkdownIt("commonmark").enable("table").parse(TABLE.to_markdown())
    kinds = [child.type for token in tokens for child in token.children or ()]
    assert kinds.count("strong_open") == 1


def test_a_hostile_cell_that_stands_out_stays_harmless() -> None:
    table = Table({"run": ["<i>_x_&%"]}, best=frozenset({(0, "run")}))
    assert "<b>&lt;i&gt;_x_&amp;%</b>" in table._repr_html_()
    assert "\\textbf{\\textless{}i\\textgreater{}\\_x\\_\\&\\%}" in table.to_latex()
    assert "**&lt;i&gt;\\_x\\_&amp;%**" in table.to_markdown()


@pytest.mark.parametrize("form", ["tsv", "csv", "json"])
def test_programs_see_no_marks(form: str) -> None:
    assert render(TABLE, form) == render(PLAIN, form)


def test_people_see_the_ends_beside_the_number() -> None:
    assert str(ENDS).splitlines() == ["run                       AP", "a    0.2500 [0.1250, 0.5000]", "b"]
    assert "| a | 0.2500 \\[0.1250, 0.5000\\] |" in ENDS.to_markdown()
    assert "a & 0.2500 {[}0.1250, 0.5000{]} \\\\" in ENDS.to_latex()
    assert ENDS.to_tsv().splitlines() == ["run\tAP\tfrom\tto", "a\t0.25\t0.125\t0.5", "b\t\t\t"]


def test_marks_and_ends_belong_to_the_table() -> None:
    assert PLAIN != TABLE
    assert pickle.loads(pickle.dumps(TABLE)) == TABLE
    assert pickle.loads(pickle.dumps(ENDS)).ends == ENDS.ends
    assert hash(TABLE) == hash(pickle.loads(pickle.dumps(TABLE)))
    with pytest.raises(TypeError):
        ENDS.ends["AP"] = ("x", "y")  # type: ignore[index]


def test_every_format_knows_both() -> None:
    table = Table(dict(ENDS.data), best=frozenset({(0, "AP")}), ends=ENDS.ends)
    for form in FORMATS:
        assert "0.25" in render(table, form)
    assert json.loads(render(table, "json")) == ENDS.rows()


def test_marks_are_superscripts_and_the_legend_belongs_to_the_caption() -> None:
    latex = MARKED.to_latex().splitlines()
    assert latex[2] == "\\caption{2 topics, the best of each column in bold. a: better \\& $\\downarrow$ worse}"
    assert latex[7:9] == [
        "x\\_1\\textsuperscript{a} & 0.2500 \\\\",
        "b & \\textbf{0.5000}\\textsuperscript{a$\\downarrow$b} \\\\",
    ]
    assert MARKED.to_markdown().splitlines()[-2:] == [
        "| x\\_1<sup>a</sup> | 0.2500 |",
        "| b | **0.5000**<sup>a↓b</sup> |",
    ]
    html = MARKED._repr_html_()
    assert '<tr><th scope="row">x_1<sup>a</sup></th><td>0.2500</td></tr>' in html
    assert '<th scope="row">b</th><td><b>0.5000</b><sup>a↓b</sup></td>' in html
    assert "bold. a: better &amp; ↓ worse</caption>" in html


def test_marks_in_text_stand_in_a_column_of_their_own_and_the_legend_below() -> None:
    assert str(MARKED).splitlines() == [
        "2 topics, * best",
        "run        AP",
        "x_1 a  0.2500",
        "b      0.5000* a↓b",
        "a: better & ↓ worse",
    ]


def test_marked_numbers_of_equal_length_are_aligned_on_the_left() -> None:
    assert "\\begin{tabular}{ll}" in MARKED.to_latex()
    assert "\\begin{tabular}{lr}" in Table(MARKED.data, best=MARKED.best).to_latex()
    unequal = Table({"run": ["x", "y"], "ESL": [3.5, 12.5]}, marks={(0, "ESL"): "a"})
    assert "\\begin{tabular}{lr}" in unequal.to_latex()
    assert "| :--- | ---: |" in unequal.to_markdown()


def test_a_hostile_mark_stays_harmless() -> None:
    table = Table({"v": [1.0]}, marks={(0, "v"): "<i>}&\x1b"})
    assert "<sup>&lt;i&gt;}&amp;\\x1b</sup>" in table._repr_html_()
    assert "\\textsuperscript{\\textless{}i\\textgreater{}\\}\\&\\textbackslash{}x1b}" in table.to_latex()
    assert "\x1b" not in str(table)


def test_marks_and_legend_belong_to_the_table_but_not_to_its_data() -> None:
    assert pickle.loads(pickle.dumps(MARKED)) == MARKED
    assert Table(MARKED.data, MARKED.caption, best=MARKED.best) != MARKED
    for form in ("tsv", "csv", "json"):
        assert render(MARKED, form) == render(Table(MARKED.data), form)
