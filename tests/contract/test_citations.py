"""Sources: every key that code names stands once in docs/references.bib."""

import re
from collections import Counter

from tests.support.source_tree import ROOT, SOURCE, catalogues, comments_and_docstrings, files

BIB = ROOT / "docs" / "references.bib"
ENTRY = re.compile(r"^\s*@(?!comment|string|preamble)\w+\s*[{(]\s*([^,\s]+)\s*,", re.MULTILINE | re.IGNORECASE)
KEY = re.compile(r"(?<![\w@/.-])[a-z]{3,}(?:19|20)\d\d[a-z]*(?![\w/-])")  # moffat2008rbp, ferrante2021
NOT_KEYS: set[str] = {"trec2019", "trec2020", "msmarco2019"}  # words of prose that look like keys


def keys() -> list[str]:
    """The keys of the bibliography; none where there is none yet."""
    return ENTRY.findall(BIB.read_text(encoding="utf-8")) if BIB.exists() else []


def test_every_declaration_cites_what_there_is() -> None:
    known = set(keys())
    wrong = [
        f"{where}: {declared.name} cites {key!r}"  # type: ignore[attr-defined]
        for where, catalogue in catalogues().items()
        for declared in catalogue
        for key in re.split(r"[,\s]+", declared.cite)  # type: ignore[attr-defined]
        if key not in known
    ]
    assert not wrong, "\n".join(wrong)


def test_every_key_in_prose_is_in_the_bibliography() -> None:
    known = set(keys()) | NOT_KEYS
    wrong = [
        f"{path.relative_to(SOURCE)}:{line}: {key}"
        for path in files()
        for line, text in comments_and_docstrings(path)
        for key in KEY.findall(text)
        if key not in known
    ]
    assert not wrong, "\n".join(wrong)


def test_no_key_stands_twice() -> None:
    # Case counts for nothing in BibTeX.
    assert not [key for key, times in Counter(map(str.lower, keys())).items() if times > 1]


def test_this_test_reads_bibtex() -> None:
    text = "@article{moffat2008rbp,\n title={x}}\n@comment{no,}\n @InProceedings{ ferrante2021 , a=1}"
    assert ENTRY.findall(text) == ["moffat2008rbp", "ferrante2021"]
    assert KEY.findall("phipson2010 eq. 2; see moffat2008rbp, not TREC2019 or a/b2020") == [
        "phipson2010",
        "moffat2008rbp",
    ]
