"""Texts of topics, in every form in which the field writes them."""

import bz2
import gzip
import json
import lzma
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import polars as pl
import pytest

from cranfield.core import InputError, ParameterError
from cranfield.data import TopicText, TopicTexts, read_topics
from cranfield.data.topics import topic_set as topics_module

# As NIST writes it: nothing is closed but the topic, a title may take two lines, an ampersand is an ampersand.
TREC = """

<top>

<num> Number: 301
<title> International Organized
Crime

<desc> Description:
Identify organizations, AT&T &amp; others, with fewer than 3 < 5 members.

<narr> Narrative:
A relevant document must as a minimum identify the organization.

</top>

<top>
<head> Tipster Topic Description
<num> Number: 051
<dom> Domain: International Economics
<title> Topic: Airbus Subsidies
<desc> Description:
Document will discuss government assistance.
<smry> Summary:
Left out.
<narr> Narrative: About Airbus.
<con> Concept(s):
1. Airbus Industrie
<fac> Factor(s):
</top>
"""
COVID = """<?xml version="1.0" encoding="UTF-8"?>
<topics task="COVIDSearch2020" batch="1">
  <topic number="1">
    <query>coronavirus origin</query>
    <question>what is the origin of COVID-19?</question>
    <narrative>seeking <b>range</b> of information about H<sub>2</sub>O &#233;</narrative>
  </topic>
  <topic number="2"><query/><question>how does it spread?</question><narrative/></topic>
</topics>
"""
WEB = """<webtrack2012>
<!-- <topic number="0"> is not there -->
<topic number='151' type=ambiguous>
  <query>403b</query>
  <description> What is a 403b plan? </description>
  <subtopic number="1" type="inf">What is a <query>403b</query> plan?</subtopic>
  <subtopic number="2" type="nav">Who is eligible?</subtopic>
</topic>
</webtrack2012>
"""
CLEF = """<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<topics>
<topic lang="en">
  <identifier>10.2452/451-AH</identifier>
  <title>Roman Military in Britain</title>
  <description>Find books on the Roman invasion.</description>
  <narrative><![CDATA[R&D & <war>]]></narrative>
</topic>
</topics>
"""
# ferro2024, Fig. 4, its spelling of the identifier too.
FIGURE_4 = """<?xml version="1.0" encoding="UTF-8"?>
<topic>
  <identifrier>41</identifrier>
  <title lang="en">Pesticides in Baby Food</title>
  <title lang="fr">Des pesticides dans la nourriture pour bébés</title>
  <title lang="ru">Пестициды в детском питании</title>
  <description lang="en">Find reports on pesticides in baby food.</description>
  <description lang="ru">Найти статьи о пестицидах в детском питании</description>
  <narrative lang="en">
    Relevant documents give information on
    the discovery of pesticides.
  </narrative>
</topic>
"""
OLD_CLEF = """<top>
<num> C041 </num>
<EN-title> Pesticides in Baby Food </EN-title>
<DE-title> Pestizide in Säuglingsnahrung </DE-title>
<EN-desc> Find reports. </EN-desc>
<DE-desc> Berichte über Pestizide. </DE-desc>
<EN-narr> Relevant documents. </EN-narr>
</top>
"""


def read(text: str | bytes, folder: Path, name: str = "topics", language: str | None = None) -> TopicTexts:
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_topics(folder / name, language=language)


def test_sgml_of_trec(tmp_path: Path) -> None:
    first, second = read(TREC, tmp_path).texts
    assert first == TopicText(
        topic="301",
        title="International Organized Crime",
        description="Identify organizations, AT&T & others, with fewer than 3 < 5 members.",
        narrative="A relevant document must as a minimum identify the organization.",
    )
    assert second == TopicText(
        topic="051",
        title="Airbus Subsidies",
        description="Document will discuss government assistance.",
        narrative="About Airbus.",
    )


def test_xml_of_trec(tmp_path: Path) -> None:
    first, second = read(COVID, tmp_path).texts
    assert (first.title, first.description) == ("coronavirus origin", "what is the origin of COVID-19?")
    assert first.narrative == "seeking range of information about H2O é"
    assert (second.title, second.short) == ("", "how does it spread?")
    (web,) = read(WEB, tmp_path).texts
    assert (web.topic, web.title, web.description) == ("151", "403b", "What is a 403b plan?")
    assert web.subtopics == ("What is a 403b plan?", "Who is eligible?")


def test_xml_of_clef(tmp_path: Path) -> None:
    (found,) = read(CLEF, tmp_path).texts
    assert found == TopicText(
        topic="10.2452/451-AH",
        language="en",
        title="Roman Military in Britain",
        description="Find books on the Roman invasion.",
        narrative="R&D & <war>",
    )


def test_one_topic_in_many_languages(tmp_path: Path) -> None:
    found = read(FIGURE_4, tmp_path)
    assert (found.topics, found.languages) == (("41",), ("en", "fr", "ru"))
    assert found.of("41").narrative == "Relevant documents give information on the discovery of pesticides."
    assert found.of("41", "FR").title == "Des pesticides dans la nourriture pour bébés"
    assert found.of("41", "fr").description == ""
    assert found.of("41", "ru").description == "Найти статьи о пестицидах в детском питании"
    assert repr(found).endswith("1 topic in en, fr, ru)")


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_tags_that_name_the_language(encoding: str, tmp_path: Path) -> None:
    found = read(OLD_CLEF.encode(encoding), tmp_path)
    assert found.of("C041", "en").narrative == "Relevant documents."
    assert found.of("C041", "de").title == "Pestizide in Säuglingsnahrung"
    assert found.of("C041", "de").description == "Berichte über Pestizide."
    warnings = [(one.code, one.line) for one in found.source.problems.warnings]
    assert warnings == ([] if encoding == "utf-8" else [("W-ENCODING", 4)])
    assert found.to_table().notes == (() if encoding == "utf-8" else ("the text is not UTF-8: it is read as Latin-1",))


@pytest.mark.parametrize(
    ("encoding", "declared", "warned"),
    [
        ("koi8-r", "KOI8-R", False),
        ("iso-8859-5", "iso-8859-5", False),
        ("koi8-r", "idna", True),  # no encoding of files
        ("koi8-r", "shift_jis", True),  # not what it says
        ("koi8-r", "iso-8859-99", True),  # nobody knows it
    ],
)
def test_xml_says_its_encoding(encoding: str, declared: str, warned: bool, tmp_path: Path) -> None:
    text = f'<?xml version="1.0" encoding="{declared}"?>\n<topic number="1"><title>Пестициды</title></topic>'
    found = read(text.encode(encoding), tmp_path)
    assert bool(found.source.problems.kept) is warned
    assert (found.of("1").title == "Пестициды") is not warned


@pytest.mark.parametrize("text", [COVID.replace("<b>", "").replace("</b>", ""), CLEF])
def test_a_parser_of_xml_sees_the_same(text: str, tmp_path: Path) -> None:
    seen = []
    for topic in ET.fromstring(text.encode()).iter("topic"):
        field = {child.tag: " ".join("".join(child.itertext()).split()) for child in topic}
        seen.append(
            (
                topic.get("number") or field["identifier"],
                field.get("title", field.get("query")),
                field.get("description", field.get("question")),
                field["narrative"],
            )
        )
    found = [(one.topic, one.title, one.description, one.narrative) for one in read(text, tmp_path).texts]
    assert found == seen


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('<topics><topic number="1">A 58-year-old woman</topic></topics>', ("1", "A 58-year-old woman")),
        ('<topic number="1"><disease>Melanoma</disease><gene>BRAF</gene></topic>', ("1", "Melanoma BRAF")),
        ("<queries><query><id>101001</id><title>headaches</title></query></queries>", ("101001", "headaches")),
        ('<query id="7">bees</query>', ("7", "bees")),
        ("<parameters><query><number>701</number><text>oil</text></query></parameters>", ("701", "oil")),
        ("<TOPIC><NUM>0001</NUM><TITLE>Chiutou</TITLE><DESC>d</DESC></TOPIC>", ("0001", "Chiutou")),
        ("<top><num> Number: MB1 </num><query> BBC cuts </query><querytime>1</querytime></top>", ("MB1", "BBC cuts")),
        ("<top><num>1<narr> Narrative\nPertinent</top>", ("1", "")),
        ("words before it\n  <top><num>1<title>a</top>", ("1", "a")),
        ('<topic id="3"><num>101</num><title>a</title><id>x</id></topic>', ("101", "a")),
        ('<topic number="3"><id>x</id><title>a</title></topic>', ("3", "a")),
        ("<topic><id>x</id><title>Topic: a</title></topic>", ("x", "Topic: a")),
        ("<topic><num>1</num><text><title>a</title></text></topic>", ("1", "a")),
        ("<topic><num>1</num><title>a</title><title>b</title></topic>", ("1", "a b")),
        (
            '<!DOCTYPE topics SYSTEM "file:///no/such.dtd"><topic number="1"><title>&a; &lt;</title></topic>',
            ("1", "&a; <"),
        ),
    ],
)
def test_other_markup(text: str, wanted: tuple[str, str], tmp_path: Path) -> None:
    (found,) = read(text, tmp_path).texts
    assert (found.topic, found.title) == wanted
    assert found.narrative in ("", "Pertinent")


def test_what_says_no_language_is_in_the_only_one(tmp_path: Path) -> None:
    text = '<topic number="1"><title xml:lang="EN">a</title><narrative>n</narrative><subtopic>s</subtopic></topic>'
    (found,) = read(text, tmp_path).texts
    assert found == TopicText(topic="1", language="en", title="a", narrative="n", subtopics=("s",))
    text = text.replace("</topic>", '<title lang="de">b</title><subtopic lang="de">t</subtopic></topic>')
    english, unsaid, german = read(text, tmp_path).texts
    assert (english.language, english.title, english.subtopics) == ("en", "a", ())
    assert (unsaid.language, unsaid.narrative, unsaid.subtopics) == ("", "n", ("s",))
    assert (german.language, german.title, german.subtopics) == ("de", "b", ("t",))
    english, german = read(text.replace("narrative>", "subtopic>"), tmp_path).texts  # no text is in none of the two
    assert (english.subtopics, german.subtopics) == (("n", "s"), ("t",))


TEXTS = {"301": "organized crime", "302": "polio, again"}
ROWS: dict[str, str] = {
    "tabs": "301\torganized crime\n302\tpolio, again\n",
    "tabs and a header": "qid\tquery\n301\torganized crime\n302\tpolio, again\n",
    "Windows": "301\torganized crime\r\n302\tpolio, again\r\n",
    "a comment": "# two topics\n\n301\torganized crime\n302\tpolio, again\n",
    "commas": 'query_id,text\n301,organized crime\n302,"polio, again"\n',
    "blank lines": 'topic,title\n\n301,organized crime\n,\n302,"polio, again"\n',
    "a byte order mark": "\ufeff301\torganized crime\n302\tpolio, again\n",
    "JSON Lines": '{"_id": "301", "text": "organized crime"}\n{"_id": 302, "text": "polio, again", "metadata": {}}\n',
    "JSON list": '[{"id": 301, "topic": "organized crime"},\n {"ID": 302, "Title": "polio, again"}]',
    "JSON object": json.dumps(TEXTS, indent=1),
    "JSON of objects": json.dumps({key: {"title": text} for key, text in TEXTS.items()}),
    "JSON columns": json.dumps({"topic": list(TEXTS), "title": list(TEXTS.values())}),
}


@pytest.mark.parametrize("form", ROWS)
def test_rows(form: str, tmp_path: Path) -> None:
    found = read(ROWS[form], tmp_path)
    assert {one.topic: one.title for one in found.texts} == TEXTS
    assert all(one.description == one.narrative == one.language == "" for one in found.texts)
    assert not found.source.problems.kept


def test_columns_of_rows(tmp_path: Path) -> None:
    text = "id,lang,title,text,narr\n1,EN,a,b,c\n1,de,d,,\n"
    first, second = read(text, tmp_path).texts
    assert first == TopicText(topic="1", language="en", title="a", description="b", narrative="c")
    assert second == TopicText(topic="1", language="de", title="d")
    (found,) = read('{"id": 1, "text": "a", "question": 3, "title": null, "subtopics": ["b", 4]}', tmp_path).texts
    assert found == TopicText(topic="1", title="a", description="3", subtopics=("b", "4"))
    (found,) = read('{"id": "x", "text": "a\\ud800b\\tc"}\n', tmp_path).texts
    assert found.title == "a?b c"


FRAME = pl.DataFrame({"query_id": [301, 302], "query": list(TEXTS.values())})


@pytest.mark.parametrize(
    "data",
    [
        TEXTS,
        [{"qid": key, "query": text} for key, text in TEXTS.items()],
        FRAME,
        FRAME.lazy(),
        FRAME.to_arrow(),
        FRAME.to_pandas(),
        FRAME.to_dict(as_series=False),
        read_topics(TEXTS).to_table(),
    ],
    ids=lambda data: type(data).__name__,
)
def test_frames_and_dictionaries(data: object) -> None:
    found = read_topics(data)
    assert {one.topic: one.title for one in found.texts} == TEXTS
    assert found.source.name == "topics"
    assert found.source.digest == read_topics(TEXTS).source.digest
    assert read_topics(found) is found


PACKED: dict[str, Callable[[bytes], bytes]] = {
    "topics.gz": gzip.compress,
    "topics.txt.bz2": bz2.compress,
    "topics.xml.xz": lzma.compress,
    "topics.json": bytes,  # told by what it is, not by its name
}


@pytest.mark.parametrize("name", PACKED)
def test_packed_files(name: str, tmp_path: Path) -> None:
    assert read(PACKED[name](TREC.encode()), tmp_path, name).topics == ("301", "051")


def test_parquet(tmp_path: Path) -> None:
    FRAME.write_parquet(tmp_path / "topics.parquet")
    assert read_topics(tmp_path / "topics.parquet").topics == ("301", "302")


def test_what_it_gives_can_be_read_again(tmp_path: Path) -> None:
    found = read(FIGURE_4, tmp_path)
    found.to_table().to_tsv(tmp_path / "again.tsv")
    found.to_table().to_csv(tmp_path / "again.csv")
    (tmp_path / "again.json").write_text(found.to_table().to_json())
    for suffix in ("tsv", "csv", "json"):
        assert read_topics(tmp_path / f"again.{suffix}").texts == found.texts


def test_a_table(tmp_path: Path) -> None:
    table = read(FIGURE_4, tmp_path).to_table()
    assert table.columns == ("topic", "language", "title", "description", "narrative")
    assert table.caption == "1 topic in 3 languages"
    assert table.rows()[1] == {
        "topic": "41",
        "language": "fr",
        "title": "Des pesticides dans la nourriture pour bébés",
        "description": None,
        "narrative": None,
    }
    assert [(one.name, one.kind) for one in table.made_by.inputs] == [(str(tmp_path / "topics"), "topics")]  # type: ignore[union-attr]


def test_one_language(tmp_path: Path) -> None:
    found = read(FIGURE_4, tmp_path, language="RU")
    assert (found.languages, found.of("41").title) == (("ru",), "Пестициды в детском питании")
    assert read(TREC, tmp_path, language="en").languages == ("en",)  # nobody said otherwise
    mixed = [{"id": 1, "text": "unsaid"}, {"id": 1, "text": "said", "language": "en"}, {"id": 2, "text": "other"}]
    assert [one.title for one in read_topics(mixed, language="en").texts] == ["said", "other"]
    with pytest.raises(InputError, match="no topic is in th") as caught:
        read(FIGURE_4, tmp_path, language="th")
    assert (caught.value.code, caught.value.hint) == ("E-LANGUAGE", "there are: en, fr, ru")


def test_titles_find_topics_that_are_written_otherwise(tmp_path: Path) -> None:
    found = read(TREC, tmp_path)
    assert found.titles(["51", "0301", "999"]) == {"51": "Airbus Subsidies", "0301": "International Organized Crime"}
    both = read_topics({"7": "seven", "07": "zero seven", "8": "", "9": "nine"})
    assert both.titles(["7", "07", "007", "8"]) == {"7": "seven", "07": "zero seven", "007": "seven"}
    assert read(FIGURE_4, tmp_path).titles(["41"]) == {"41": "Pesticides in Baby Food"}
    assert read(COVID, tmp_path).titles(["2"]) == {"2": "how does it spread?"}


def test_texts_that_are_not_there(tmp_path: Path) -> None:
    found = read(FIGURE_4, tmp_path)
    with pytest.raises(ParameterError, match="topic 41 has no text in th") as caught:
        found.of("41", "th")
    assert caught.value.hint == "there are: en, fr, ru"
    with pytest.raises(ParameterError, match="there is no topic 42"):
        found.of("42")
    with pytest.raises(ParameterError) as caught:
        read(TREC, tmp_path).of("301", "en")
    assert caught.value.hint == "there are: one without a language"


def test_a_topic_without_text_is_a_warning(tmp_path: Path) -> None:
    found = read("1\ta\n2\t\n" + "".join(f"{i}\t\n" for i in range(3, 150)), tmp_path)
    assert len(found) == 149
    assert found.source.problems.counts == (("W-TOPIC", 148),)
    assert len(found.source.problems.kept) == 100
    first = found.source.problems.kept[0]
    assert (first.code, first.line, first.message) == ("W-TOPIC", 2, "topic 2 has no text")
    assert read("<top><num>1</top>", tmp_path).source.problems.counts == (("W-TOPIC", 1),)


TWICE = "<topic lang='{}'><num>1</num><title>a</title></topic>\n"


@pytest.mark.parametrize(
    ("text", "code", "line", "message"),
    [
        (b"", "E-EMPTY", None, "the file is empty"),
        (b" \r\n\n", "E-EMPTY", None, "the file is empty"),
        (b"<html><p>x</p></html>", "E-EMPTY", None, "there is no topic in it"),
        (b"# nothing\n", "E-EMPTY", None, "there is no topic in it"),
        (b"[]", "E-EMPTY", None, "there is no topic in it"),
        (b"id,text\n", "E-EMPTY", None, "there is no topic in it"),
        (b"<top>\n<num>1\n</top>\n<top>\n<num>2\n", "E-TOPIC", 4, "<top> is never closed"),
        (b"<topics>\n<topic>\n<num>1</num>\n<topic>", "E-TOPIC", 2, "<topic> is never closed"),
        (b"<top>\n<num>1\n</top>\n\n<top>\n<title>a\n</top>", "E-TOPIC", 5, "the topic has no number"),
        (b"<top><num> Number: \n<title>a</top>", "E-TOPIC", 1, "the topic has no number"),
        (b"<topics>\n<!-- <topic>", "E-TOPIC", 2, "<!-- is never closed"),
        (b"<topic>\n<![CDATA[ x ]>", "E-TOPIC", 2, "<![CDATA[ is never closed"),
        (b"<?xml", "E-TOPIC", 1, "<? is never closed"),
        ((TWICE.format("en") * 2).encode(), "E-DUPTOPIC", 2, "topic 1 stands twice in en"),
        (b"1\ta\n2\tb\n1\tc\n", "E-DUPTOPIC", 3, "topic 1 stands twice"),
        (b"<!DOCTYPE t [\n<!ENTITY a 'b'>\n]><topic/>", "E-ENTITY", 2, "the file declares an entity"),
        (b'<!DOCTYPE t [<!entity % a SYSTEM "file:///etc/passwd">]><topic/>', "E-ENTITY", 1, "the file declares an"),
        (b"\xff\xfe<\0t\0", "E-UTF16", None, "the text is UTF-16"),
        (b"PK\x03\x04", "E-ARCHIVE", None, "this is a zip archive"),
        (b"1\ta\n2\t\0\n", "E-NUL", 2, "the line holds a NUL byte"),
        (b"who sings\tLinda\n", "E-TOPIC", 1, '"who sings" is not what a topic is called'),
        (b"1 0 a 1\n", "E-COLUMNS", 1, "there is no column for the topic"),
        (b"1\ta\n2\tb\tc\n", "E-FIELDS", 2, "the line has 3 columns, not 2"),
        (b"topic\ttitle\n1\ta\n2\n", "E-FIELDS", 3, "the line has 1 column, not 2"),
        (b"1\t0\tdocument\t1\n", "E-FIELDS", 1, "the line has 4 columns, not 2"),
        (b'id,text\n1,"a\nb"\n2,c,d\n', "E-FIELDS", 4, "the line has 3 columns, the header 2"),
        (b'id,text\n1,"a\n', "E-FORMAT", 2, "this is not CSV: unexpected end of data"),
        (b"id,text\n,a\n", "E-TOPIC", 2, "the topic has no number"),
        (b'{"id": "1"}\n{"text": "a"}\n', "E-TOPIC", 2, "the topic has no number"),
        (b'[{"id": 1}, {"id": true}]', "E-TOPIC", None, "row 1 (from 0): the topic has no number"),
        (b'{"id": 1}\n[1]\n', "E-JSON", 2, "this is no object"),
        (b"[1]", "E-JSON", None, "row 0 (from 0): this is no object"),
        (b'{"id": 1}\n{"id": 2\n', "E-JSON", 2, "this is not JSON: Expecting ',' delimiter"),
        (b'{\n"id": 1\n"a": 2}', "E-JSON", 3, "this is not JSON: Expecting ',' delimiter"),
        (b"[" * 100_000, "E-JSON", None, "this is not JSON: it is nested too deeply"),
        (b'{"id": 1, "id": 2}', "E-DUPKEY", None, 'the key "id" stands twice in one object'),
        (b'{"id": 1, "text": ["a"]}', "E-TYPE", None, "row 0 (from 0): text of topic 1 is no text"),
        (b'{"id": 1}\n{"id": 2, "title": {}}\n', "E-TYPE", 2, "title of topic 2 is no text"),
        (b'{"id": [1, 2], "title": ["a"]}', "E-COLUMNS", None, "the columns differ in length"),
    ],
)
def test_files_that_are_refused(text: bytes, code: str, line: int | None, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read(text, tmp_path)
    where = f"{tmp_path / 'topics'}:{line}: " if line else f"{tmp_path / 'topics'}: "
    assert caught.value.problem.startswith(where + message)
    assert (caught.value.code, caught.value.line) == (code, line)
    assert caught.value.hint


def test_other_things_that_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="an object of type int holds no topics"):
        read_topics(3)
    with pytest.raises(InputError, match="there is no topic in it"):
        read_topics({})
    with pytest.raises(InputError, match="this is a folder"):
        read_topics(tmp_path)
    with pytest.raises(InputError, match="there is no such file"):
        read_topics(tmp_path / "nothing.xml")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("cut.gz", gzip.compress(TREC.encode())[:-20]),
        ("damaged.gz", gzip.compress(TREC.encode() * 9)[:40] + b"\xff" * 40),
        ("no.bz2", b"plain"),
        ("no.xz", b"plain"),
    ],
)
def test_damaged_files(name: str, content: bytes, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the compressed data is damaged or cut short") as caught:
        read(content, tmp_path, name)
    assert caught.value.code == "E-INFLATE"


def test_a_file_that_would_fill_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(topics_module, "MOST", 2**20)
    (tmp_path / "topics.gz").write_bytes(gzip.compress(b"1\t" + b"a" * (2**20 - 2)))
    assert read_topics(tmp_path / "topics.gz").topics == ("1",)
    (tmp_path / "topics.gz").write_bytes(gzip.compress(b"1\t" + b"a" * (2**20 - 1)))
    with pytest.raises(InputError, match="there are more than 1 MB in it") as caught:
        read_topics(tmp_path / "topics.gz")
    assert caught.value.code == "E-SIZE"


@pytest.mark.parametrize(
    "piece",
    [
        lambda n: "<top " + "a" * n,
        lambda n: "<top " + "a" * n + "></top>",
        lambda n: "<top " + "a=" * n + "></top>",
        lambda n: "<" * n,
        lambda n: "<top " * n,
        lambda n: "\n" * n + "x",
        lambda n: "<top>" + "<!" * n,
        lambda n: "<!--" * n,
        lambda n: "<top>" + "&a" * n,
        lambda n: "<top><num>1</num>" + "".join(f"<title lang={i}>" for i in range(n // 20)) + "</top>",
        lambda n: "<top><num>1</num>" + "<subtopic>a</subtopic>" * (n // 20) + "</top>",
        lambda n: "<?xml " + "encoding " * n,
    ],
)
def test_no_file_takes_long(piece: Callable[[int], str], tmp_path: Path) -> None:
    # Time that grows with the square would be hours here; the bar only tells that from seconds.
    started = time.process_time()
    with suppress(InputError):
        read(piece(1_000_000), tmp_path)
    assert time.process_time() - started < 30
