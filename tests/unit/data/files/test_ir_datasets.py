"""Documents, topics and judgments by an id of ir_datasets: the library is real, its files are ours."""

import sys
from typing import NamedTuple

import pytest

from cranfield.core import InputError, MissingExtra
from cranfield.data import TopicText, each_document, knows_datasets, read_corpus, read_qrels, read_topics
from tests.support.expected_errors import check
from tests.support.ir_datasets_catalogue import Catalogue

SITE = "https://ir-datasets.com"
TREC = """<top>
<num> Number: AR1
<title> السفن في البحر
<desc> Description:
أي السفن تعبر البحر؟
<narr> Narrative:
كل سفينة
</top>
"""


class Trial(NamedTuple):
    """As documents of clinical trials are there: nothing says which text is the text."""

    doc_id: str
    title: str
    condition: str
    summary: str


def test_documents_are_read_one_by_one(catalogue: Catalogue) -> None:
    named = catalogue.add("cranfield-test/plain", catalogue.documents())
    found = list(each_document(named))
    assert [(one.file, one.document, one.title, one.text) for one in found] == [
        (named, "D1", "", "ships sail"),
        (named, "D2", "", "the marine railway"),
    ]
    corpus = read_corpus(named, wanted=["D2", "D9"])
    assert (corpus.documents, corpus.text, corpus.source.name) == (("D2",), ("the marine railway",), named)
    assert read_corpus(named).documents == ("D1", "D2")


def test_a_title_is_told_once(catalogue: Catalogue) -> None:
    kind = catalogue.package.datasets.beir.BeirTitleDoc  # its text is: title, a blank, text
    lines = catalogue.file("docs.tsv", "D1\tThey sail the sea.\tShips\nD2\tno title\t\n")
    named = catalogue.add("cranfield-test/titled", catalogue.package.formats.TsvDocs(lines, doc_cls=kind))
    told = [(one.title, one.text) for one in each_document(named)]
    assert told == [("Ships", "They sail the sea."), ("", "no title")]
    lines = catalogue.file("trials.tsv", "D1\tA trial\tfever\tIt was warm.\n")
    named = catalogue.add("cranfield-test/trials", catalogue.package.formats.TsvDocs(lines, doc_cls=Trial))
    assert [(one.title, one.text) for one in each_document(named)] == [("A trial", "fever\nIt was warm.")]


def test_topics_have_their_parts_and_their_language(catalogue: Catalogue) -> None:
    formats, medline = catalogue.package.formats, catalogue.package.datasets.medline
    named = catalogue.add("cranfield-test/trec", formats.TrecQueries(catalogue.file("topics", TREC), lang="ar"))
    (found,) = read_topics(named).texts
    assert (found.topic, found.language) == ("AR1", "ar")
    assert (found.title, found.description, found.narrative) == ("السفن في البحر", "أي السفن تعبر البحر؟", "كل سفينة")
    plain = formats.TsvQueries(catalogue.file("queries.tsv", "1\tbees\n2\twasps\n"))
    named = catalogue.add("cranfield-test/queries", plain)
    assert read_topics(named).texts == (TopicText(topic="1", title="bees"), TopicText(topic="2", title="wasps"))
    lines = catalogue.file("patients.tsv", "1\tMelanoma\tBRAF\t64-year-old\tnone\n")
    named = catalogue.add("cranfield-test/patients", formats.TsvQueries(lines, medline.TrecPm2017Query))
    assert read_topics(named).of("1").title == "Melanoma BRAF 64-year-old none"


def test_judgments_are_read_too(catalogue: Catalogue) -> None:
    lines = "1 0 D1 2\n1 0 D2 0\n2 0 D1 1\n"
    named = catalogue.add(
        "cranfield-test/qrels", catalogue.package.formats.TrecQrels(catalogue.file("qrels", lines), {})
    )
    found = read_qrels(named)
    assert (found.source.name, found.topics.to_list()) == (named, ["1", "2"])
    rows = [(row["topic"], row["document"], row["grade"]) for row in found.to_table().rows()]
    assert rows == [("1", "D1", 2), ("1", "D2", 0), ("2", "D1", 1)]


def test_an_id_that_is_unknown_is_refused(catalogue: Catalogue) -> None:
    catalogue.add("ships-and-railways", catalogue.documents())
    message = "ir_datasets:ships-and-railway: ir_datasets knows no such id"
    hint = "did you mean ships-and-railways?"
    check(lambda: list(each_document("ir_datasets:ships-and-railway")), "E-DATASET", message, hint)
    message, hint = "ir_datasets:~~~: ir_datasets knows no such id", f"{SITE} lists the ids"
    check(lambda: read_topics("ir_datasets:~~~"), "E-DATASET", message, hint)


def test_a_dataset_without_what_is_asked_for_is_refused(catalogue: Catalogue) -> None:
    named = catalogue.add("cranfield-test/plain", catalogue.documents())
    hint = f"another id of the same collection may have them: {SITE}"
    check(lambda: read_topics(named), "E-DATASET", f"{named}: the dataset has no topics", hint)
    check(lambda: read_qrels(named), "E-DATASET", f"{named}: the dataset has no judgments", hint)
    queries = catalogue.package.formats.TsvQueries(catalogue.file("queries.tsv", "1\tbees\n"))
    named = catalogue.add("cranfield-test/queries", queries)
    check(lambda: list(each_document(named)), "E-DATASET", f"{named}: the dataset has no documents", hint)


def test_data_that_cannot_be_had_is_refused(catalogue: Catalogue) -> None:
    library = catalogue.package
    nowhere = library.util.Download([library.util.RequestsDownload("http://127.0.0.1:9/docs.tsv", tries=1)])
    signed = library.util.LocalDownload(catalogue.folder / "after-signing.tsv")
    asks = library.util.Download([library.util.RequestsDownload("http://127.0.0.1:9/", tries=1, auth="nobody")])
    broken = catalogue.file("broken.tsv", "D1\ta\nD2\n")
    anywhere = library.util.Download([*nowhere.mirrors, *nowhere.mirrors])
    reasons = ("Connection refused", "after-signing.tsv", "", "expected 2 fields, got 1", "All download sources failed")
    for i, (file, why) in enumerate(zip((nowhere, signed, asks, broken, anywhere), reasons, strict=True)):
        named = catalogue.add(f"cranfield-test/away-{i}", library.formats.TsvDocs(file))
        with pytest.raises(InputError) as caught:
            list(each_document(named))
        assert caught.value.code == "E-FETCH"
        problem, hint = str(caught.value).split("\n")
        assert problem.startswith(f"{named}: the data cannot be had: ")
        assert why in problem
        assert hint == f"hint: is there a connection, and room in IR_DATASETS_HOME? {SITE} says what it needs"


def test_a_document_twice_and_no_documents_are_errors(catalogue: Catalogue) -> None:
    named = catalogue.add("cranfield-test/twice", catalogue.documents("D1\ta\nD1\tb\n"))
    message = f"{named}: document D1 is there twice"
    check(lambda: list(each_document(named)), "E-DUPDOC", message, "keep one text for each document")
    named = catalogue.add("cranfield-test/none", catalogue.documents(""))
    check(lambda: list(each_document(named)), "E-EMPTY", f"{named}: there are no documents", "is it the right file?")


def test_without_the_library_its_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    assert knows_datasets()
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    assert not knows_datasets()
    with pytest.raises(MissingExtra) as caught:
        read_topics("ir_datasets:vaswani")
    assert str(caught.value) == "datasets need ir_datasets\nhint: pip install 'cranfield[datasets]'"
