"""What pages are made from: made once, whoever asks."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from cranfield.server.site.single_flight_cache import kept


def test_many_who_ask_at_once_wait_for_one() -> None:
    made: list[str] = []
    together = threading.Barrier(8)
    slow = threading.Event()

    @kept(4)
    def page(name: str) -> str:
        made.append(name)
        slow.wait(0.2)  # the others have come by then
        return name.upper()

    def ask() -> str:
        together.wait(5)
        return page("board")

    with ThreadPoolExecutor(8) as readers:
        answers = [one.result(10) for one in [readers.submit(ask) for _ in range(8)]]
    assert answers == ["BOARD"] * 8
    assert made == ["board"]
    page.forget()
    assert page("board") == "BOARD"
    assert made == ["board"] * 2


def test_a_failure_is_not_kept_and_old_answers_go_first() -> None:
    made: list[int] = []

    @kept(2)
    def answer(number: int) -> int:
        made.append(number)
        if len(made) == 1:
            raise OSError
        return -number

    with pytest.raises(OSError):
        answer(1)
    assert [answer(1), answer(2), answer(1), answer(3), answer(2)] == [-1, -2, -1, -3, -2]
    assert made == [1, 1, 2, 3, 2]
