"""Which measures a log can answer."""

from typing import Any

import pytest

from cranfield.core import ParameterError, UnknownName
from cranfield.data import read_log
from cranfield.online import FRAMEWORKS, ONLINE_MEASURES, answerable, answerable_of, online_table
from tests.support.simulations import search_logs

PLAIN = {"impression": ["i", "j"], "topic": ["t", "t"], "rank": [1, 1], "document": ["a", "b"], "clicked": [1, 0]}
ALWAYS = {"ctr", "ctr_at", "clicks", "click_rank", "click_reciprocal_rank", "abandonment", "zero_results"}


def names(measures: list[Any]) -> set[str]:
    return {measure.name for measure in measures}


def test_a_plain_log_answers_what_clicks_and_ranks_say() -> None:
    assert names(answerable(read_log(PLAIN))) == ALWAYS
    read = read_log(PLAIN | {"dwell": [40.0, None]})
    assert names(answerable(read)) == ALWAYS | {"dwell", "satisfied_clicks"}


def test_times_of_clicks_tell_how_long_documents_were_read_where_somebody_is_named() -> None:
    timed = PLAIN | {"time": [1.0, 2.0], "click_time": [1.5, None]}
    assert "dwell" not in names(answerable(read_log(timed)))
    assert "dwell" in names(answerable(read_log(timed | {"user": ["u", "v"]})))


def test_a_log_with_all_columns_answers_everything() -> None:
    log = read_log(search_logs.as_arrow(search_logs.made_up(60, 2)))
    found = answerable(log)
    assert names(found) == {name for name in ONLINE_MEASURES.names() if not ONLINE_MEASURES[name].learned}
    assert len(online_table(log, found)) == len(found)


@pytest.mark.parametrize("name", list(FRAMEWORKS))
def test_a_framework_is_told_from_what_is_missing(name: str) -> None:
    log = read_log(search_logs.as_arrow(search_logs.made_up(60, 2)))
    found, left = answerable_of(name.lower(), log)
    assert len(found) + len(left) == len(FRAMEWORKS[name].measures)
    assert {one for one in left if one in ONLINE_MEASURES} == set()


def test_what_cannot_be_answered_is_refused() -> None:
    with pytest.raises(UnknownName, match="no set of measures 'LUNG'"):
        answerable_of("LUNG", read_log(PLAIN))
    with pytest.raises(ParameterError, match="answers no measure of PULSE"):
        answerable_of("PULSE", read_log(PLAIN))
