"""Measures, tests and corrections that the studies of a report used."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from cranfield.core import Catalogue, CranfieldError, Study
from cranfield.measures import parse_named
from cranfield.stats import CORRECTIONS, OMNIBUS, TESTS

from .report import Section, Term

CORRECTED = re.compile(r"([a-z]+) over [\d,]+")  # "holm over 15 tests", as tables of tests have it
CAPTIONED = re.compile(r"\((\w[\w-]*)\)")  # "… differ at 0.05 (tukey)"


def terms(sections: Sequence[Section]) -> dict[str, list[Term]]:
    """What the sections used, under what it is: measures, then methods; each once."""
    studies = [section.study for section in sections]
    methods = [Term.of(declared) for study in studies for declared in [*_tests(study), *_corrections(study)]]
    more = [term for section in sections for term in section.terms]
    found = {
        "Measures": _measures(studies),
        "Tests and other methods": list({term.name: term for term in [*methods, *more]}.values()),
    }
    return {heading: named for heading, named in found.items() if named}


def _measures(studies: Sequence[Study]) -> list[Term]:
    """The measures, those of one kind together: nDCG@10, nDCG@100."""
    kinds: dict[type, dict[str, None]] = {}
    for study in studies:
        made_with = () if study.made_by is None else study.made_by.measures
        for name in [*made_with, *_words(study, "measure", "measure_a", "measure_b")]:
            try:
                kinds.setdefault(type(parse_named(name)), {})[name] = None
            except CranfieldError:  # a column of scores is called as its owner likes
                continue
    return [Term.of(kind, name=", ".join(names)) for kind, names in kinds.items()]


def _tests(study: Study) -> Iterator[type]:
    sources = [source.partition(":")[0] for source in _words(study, "source")]
    captioned = [name for table in study.tables.values() for name in CAPTIONED.findall(table.caption)]
    for name in [study.name, *_words(study, "test"), *sources, *captioned]:
        for catalogue in (TESTS, OMNIBUS):
            yield from _listed(catalogue, name.partition("(")[0])


def _corrections(study: Study) -> Iterator[type]:
    said = [name for told in _words(study, "corrected", "note") for name in CORRECTED.findall(told)]
    columns = [name[2:] for table in study.tables.values() for name in table.columns if name.startswith("p_")]
    for name in [*said, *columns]:
        yield from _listed(CORRECTIONS, name)


def _listed(catalogue: Catalogue[Any], name: str) -> Iterator[type]:
    if name in catalogue:
        yield catalogue[name]


def _words(study: Study, *columns: str) -> list[str]:
    """What stands in some columns of text, each word once."""
    cells = (
        cell
        for table in study.tables.values()
        for column in columns
        if column in table.columns
        for cell in table.cells(column)
    )
    return list(dict.fromkeys(cell for cell in cells if isinstance(cell, str)))
