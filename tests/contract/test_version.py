"""The version stands in three places and is one."""

import tomllib

from cranfield.core import VERSION
from tests.contract.project import ROOT


def test_the_version_is_one() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    crate = tomllib.loads((ROOT / "native" / "Cargo.toml").read_text(encoding="utf-8"))
    assert VERSION == project["project"]["version"] == crate["package"]["version"]
