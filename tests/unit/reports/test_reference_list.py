"""Sources: our BibTeX file is read, and every entry of it becomes plain words."""

import pytest

from cranfield.core import InputError
from cranfield.reports.reference_list import Citations, Source, bibliography, plain_text, read_bibtex
from tests.support.source_tree import ROOT, SOURCE

SAMPLE = r"""
@article{demsar2006, author={Dem{\v{s}}ar, Janez and van der Berg, {\'I}ris},
  title={The {$m$} Rankings of ``Old'' \& New}, journal={Journal}, volume={7}, number={2}, pages={1--30}, year={2006}}

@misc{tool, author={Buckley, Chris and {Institute of Standards, and Technology}}, title={{a\_tool}}, year={2020}}
@book{b, author={Cohen, Jacob}, title={Really?}, edition={2nd}, publisher={Wiley}, year={1988},}
"""


def read(text: str) -> dict[str, Source]:
    return {source.key: source for source in read_bibtex(text)}


def test_an_entry_is_read_field_by_field() -> None:
    source = read(SAMPLE)["demsar2006"]
    assert source.kind == "article"
    assert list(source.fields) == ["author", "title", "journal", "volume", "number", "pages", "year"]
    assert source.fields["author"] == r"Dem{\v{s}}ar, Janez and van der Berg, {\'I}ris"


def test_references_are_written_as_people_write_them() -> None:
    found = read(SAMPLE)
    assert str(found["demsar2006"]) == (
        "Janez Demšar and Íris van der Berg (2006). The m Rankings of “Old” & New. Journal, 7(2), pages 1–30."
    )
    assert str(found["tool"]) == "Chris Buckley and Institute of Standards, and Technology (2020). a_tool."
    assert str(found["b"]) == "Jacob Cohen (1988). Really? 2nd edition, Wiley."


def test_proceedings_chapters_and_technical_reports_say_where_they_are() -> None:
    text = (
        "@inproceedings{p, author={A, B}, title={T}, booktitle={Conf}, series={S 1}, pages={3--4}, year={1}}"
        "@incollection{c, author={A, B}, title={T}, booktitle={Book}, publisher={P}, chapter={3}, year={1}}"
        "@techreport{r, author={A, B}, title={T}, institution={Uni}, type={Report}, number={52}, year={1}}"
    )
    homes = {key: source.home for key, source in read(text).items()}
    assert homes == {"p": "In Conf, S 1, pages 3–4", "c": "In Book, chapter 3, P", "r": "Uni, Report 52"}


def test_what_is_given_out_as_bibtex_reads_the_same() -> None:
    found = read(SAMPLE)
    again = read("\n\n".join(source.bibtex() for source in found.values()))
    assert again == found


@pytest.mark.parametrize(
    ("tex", "plain"),
    [
        (r"J{\"a}rvelin", "Järvelin"),
        (r"Scheff{\'e}", "Scheffé"),
        (r"probabilit{\`a}", "probabilità"),
        (r"Mart\'{\i}n", "Martín"),
        (r"{\c{C}}elik, {\o}re, Stra{\ss}e", "Çelik, øre, Straße"),
        (r"R{\"u}ckl{\'e}", "Rücklé"),
        (r"Wiley \& Sons, 5\%", "Wiley & Sons, 5%"),
        ("a~b --- c", "a\u00a0b — c"),
        ("{TREC-8}", "TREC-8"),
    ],
)
def test_tex_becomes_letters(tex: str, plain: str) -> None:
    assert plain_text(tex) == plain


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("@book{k, title=bare, year={1}}", "a value of k has no braces"),
        ("@book{k, title={open {brace}, year={1}", "a value of k has no braces"),
        ("@book{k, title={fine} year={1}", "the entry k does not end"),
    ],
)
def test_what_is_not_our_kind_of_bibtex_is_refused(text: str, why: str) -> None:
    with pytest.raises(InputError, match=why) as caught:
        list(read_bibtex(text))
    assert caught.value.hint


def test_the_bibliography_of_the_package_is_that_of_the_documentation() -> None:
    ours, theirs = SOURCE / "reports" / "references.bib", ROOT / "docs" / "references.bib"
    assert ours.read_bytes() == theirs.read_bytes(), "docs/references.bib is a link to src/cranfield/reports"


def test_every_source_of_ours_becomes_plain_words() -> None:
    for source in bibliography().values():
        text = str(source)
        assert not set(text) & set("{}\\$"), text
        assert source.text("year") in text
        assert source.text("title") in text
        assert ",," not in text
        assert ". ." not in text


def test_citations_are_numbered_as_they_are_first_named() -> None:
    page = Citations(bibliography())
    assert [page.number(key) for key in ("holm1979", "cohen1988", "holm1979", "unheard")] == [1, 2, 1, None]
    assert [(number, source.key) for number, source in page.listed()] == [(1, "holm1979"), (2, "cohen1988")]
