"""What is public promises something: it is stable, or it says that it is experimental."""

import re
from importlib import import_module

import click
import pytest

import cranfield
from cranfield import integrations, studies
from cranfield.cli.dispatch import COMMANDS
from cranfield.cli.dispatch import cranfield as program
from cranfield.cli.man_pages import pages
from cranfield.core import EXPERIMENTAL, Stability, experimental, stability
from tests.support.source_tree import ROOT, catalogues


def public() -> dict[str, object]:
    """Every name that the promise is about."""
    places = {"cranfield": cranfield, "cranfield.integrations": integrations}
    return {
        f"{place}.{name}": getattr(module, name)
        for place, module in places.items()
        for name in vars(module)["__getattr__"].places
    }


def test_every_public_name_promises_something() -> None:
    promised = {name: stability(value) for name, value in public().items()}
    tried = {name for name, one in promised.items() if one is Stability.EXPERIMENTAL}
    assert tried == {
        *("cranfield.counterfactual", "cranfield.bridge"),
        *(f"cranfield.integrations.{name}" for name in vars(integrations)["__getattr__"].places),
    }


def test_every_declaration_promises_something() -> None:
    for catalogue in catalogues().values():
        assert all(isinstance(stability(declared), Stability) for declared in catalogue)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_promises_what_its_study_does(name: str) -> None:
    command = program.get_command(click.Context(program), name)
    assert command is not None
    expected = stability(getattr(studies, name, None))
    shown = " ".join(command.get_help(click.Context(command)).split())
    assert (EXPERIMENTAL in shown) is (expected is Stability.EXPERIMENTAL)
    assert ("STABILITY" in pages()[f"cranfield-{name}.1"]) is (expected is Stability.EXPERIMENTAL)


def test_the_mark_is_of_the_thing_itself() -> None:
    @experimental
    class Tried:
        """A class that may change."""

    class Settled(Tried):
        """A class that will not."""

    assert stability(Tried) is stability(Tried()) is Stability.EXPERIMENTAL
    assert stability(Settled) is Stability.STABLE


def test_the_page_speaks_of_the_contract_that_there_is() -> None:
    page = (ROOT / "docs" / "reference" / "versions.md").read_text(encoding="utf-8")
    contract = import_module("cranfield.core.study").CONTRACT
    assert re.findall(r'"contract": (\d+)', page) == [str(contract)]
