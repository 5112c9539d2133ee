"""Where machines are asked: what goes there and what comes back; the key is in the header and nowhere else."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import TYPE_CHECKING

import pytest
from django.conf import settings

from cranfield.core import ParameterError
from cranfield.server.judging.llm import endpoint
from cranfield.server.judging.llm.endpoint import NoAnswer, find_endpoint
from cranfield.server.models import Machine
from cranfield.server.site.home_folder import Home
from tests.support.server.home_subprocess import all_rows
from tests.support.server.job_queue import due_now
from tests.support.server.llm_endpoint import StandIn, completion, error, graded
from tests.support.server.llm_judging import KEY, PAGE, VARIABLE, pooled, seen, set_up, spoken, start

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.server.users_and_tasks import World


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    with set_up(monkeypatch) as found:
        yield found


def test_waiting_may_be_until_a_date() -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=100), usegmt=True)
    assert 90 < endpoint._seconds(date) <= 100
    for odd in ("", "soon", "-5", "Mon, 99 Nov", format_datetime(datetime(2001, 1, 1, tzinfo=UTC), usegmt=True)):
        assert endpoint._seconds(odd) == 0
    assert endpoint._seconds("999999") == endpoint.LONGEST


@pytest.mark.parametrize("drips", [False, True])
def test_a_slow_endpoint_does_not_hold_a_worker(
    world: World, model: StandIn, monkeypatch: pytest.MonkeyPatch, drips: bool
) -> None:
    monkeypatch.setattr(endpoint, "SECONDS", 0.4)
    model.script = [completion('{"grade": 1}', seconds=3, drips=drips)]
    began = datetime.now(UTC)
    with pytest.raises(NoAnswer, match=r"no answer within 0\.4 seconds") as caught:
        find_endpoint().ask("standin", "question 301\nWords of D01.")
    assert datetime.now(UTC) - began < timedelta(seconds=2)
    assert caught.value.again
    assert spoken(start(world, pooled(world))) == []


@pytest.mark.parametrize("body", ["", "<html>", "[]", '{"choices": []}', '{"choices": [{"text": "1"}]}'])
def test_what_is_no_completion_is_told(model: StandIn, body: str) -> None:
    model.says = lambda _: replace(graded(1), body=body)
    with pytest.raises(NoAnswer, match="no chat completion"):
        find_endpoint().ask("standin", "?")


def test_an_endpoint_that_is_not_there_is_told(model: StandIn) -> None:
    gone = replace(find_endpoint(), url="http://127.0.0.1:9/v1")
    with pytest.raises(NoAnswer, match="no answer: Connection refused"):
        gone.ask("standin", "?")
    model.says = lambda _: completion("x" * (endpoint.BYTES + 1))
    with pytest.raises(NoAnswer, match="too long"):
        find_endpoint().ask("standin", "?")


def test_the_key_is_in_the_header_and_nowhere_else(
    world: World, model: StandIn, caplog: pytest.LogCaptureFixture
) -> None:
    model.script = [
        completion(f'{{"grade": 1, "why": "You sent {KEY}."}}'),
        completion(f"Bearer {KEY}"),
        error(500, f"the header was Bearer {KEY}"),
        error(401, f"Incorrect API key provided: {KEY}"),
    ]
    pool = pooled(world)
    machine = start(world, pool)
    world.work()
    due_now()
    world.work()
    assert seen(machine) == (Machine.FAILED, "the endpoint answered 401: Incorrect API key provided: …")
    assert [one.note for one in spoken(machine)] == ["You sent ….", ""]
    assert all(headers["Authorization"] == f"Bearer {KEY}" for _, headers, _ in model.heard)
    assert not any(KEY in json.dumps(body) for _, _, body in model.heard)
    assert KEY not in json.dumps(all_rows(), default=str)
    for address in (PAGE, "/organise/campaign/audit/", "/operate/", "/operate/jobs/"):
        assert KEY not in world.client("operator").get(address).content.decode()
    assert KEY not in caplog.text
    assert KEY not in repr(find_endpoint())


def test_a_key_that_cannot_be_sent_is_not_told(model: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    for bad in ("", "  ", f"{KEY}\nX-Other: 1", f"{KEY}é"):
        monkeypatch.setenv(VARIABLE, bad)
        with pytest.raises(ParameterError, match="no key for its machines") as caught:
            find_endpoint()
        assert KEY not in f"{caught.value} {caught.value.hint}"
    odd = replace(find_endpoint_without_key(monkeypatch), key=f"{KEY}\nX: 1")
    with pytest.raises(NoAnswer) as refused:
        odd.ask("standin", "?")
    assert KEY not in f"{refused.value} {refused.value.hint}"
    assert model.heard == []


def find_endpoint_without_key(monkeypatch: pytest.MonkeyPatch) -> endpoint.Endpoint:
    monkeypatch.setattr(settings, "OPTIONS", replace(settings.OPTIONS, machine_key_variable=""))
    return find_endpoint()


def test_an_endpoint_of_one_s_own_needs_no_key(model: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    assert find_endpoint_without_key(monkeypatch).ask("standin", "?").text
    assert "Authorization" not in model.heard[0][1]


@pytest.mark.parametrize(
    "line",
    [
        f'machine_url = "https://user:{KEY}@example.org/v1"',
        f'machine_url = "https://example.org/v1?key={KEY}"',
        f'machine_url = "{KEY}"',
        f'machine_key_variable = "{KEY}"',
        f'machine_models = ["{KEY}\\n"]',
    ],
)
def test_a_key_in_the_settings_is_refused_and_not_repeated(tmp_path: Path, line: str) -> None:
    home = Home(tmp_path / "home").make()
    home.settings.write_text(f"{line}\n")
    with pytest.raises(ParameterError, match=f"{line.split()[0]} cannot be that") as caught:
        home.options()
    assert KEY not in f"{caught.value} {caught.value.hint}"


def test_settings_that_are_good(tmp_path: Path) -> None:
    home = Home(tmp_path / "home").make()
    home.settings.write_text(
        'machine_url = "http://127.0.0.1:11434/v1"\nmachine_models = ["qwen3:8b"]\nmachine_key_variable = "LLM_KEY"\n'
    )
    told = home.options()
    assert (told.machine_url, told.machine_models) == ("http://127.0.0.1:11434/v1", ["qwen3:8b"])
    assert told.machine_key_variable == "LLM_KEY"
