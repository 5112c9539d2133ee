"""The version stands in four places and is one."""

import tomllib

from cranfield import __version__
from cranfield.core import VERSION
from tests.support.source_tree import ROOT


def test_the_version_is_one() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    crate = tomllib.loads((ROOT / "native" / "Cargo.toml").read_text(encoding="utf-8"))
    assert __version__ == VERSION == project["project"]["version"] == crate["package"]["version"]
