"""Lazy imports: a package loads the module behind a public name when the name is first used."""

import sys
from importlib import import_module

TYPE_CHECKING = False  # typing itself takes some milliseconds
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


class Later:
    """The ``__getattr__`` of a package: each module, and the names that are looked up there on first use.

    ``packages`` are names of its own subpackages.
    """

    def __init__(self, package: str, names: "Mapping[str, str]", *, packages: str = "") -> None:
        self.package = package
        self.packages = frozenset(packages.split())
        self.places = {name: module for module, several in names.items() for name in several.split()}

    def __call__(self, name: str) -> "Any":
        """What the package gives under a name; the next to ask finds it there."""
        if name in self.packages:
            return import_module(f"{self.package}.{name}")
        if name not in self.places:
            raise AttributeError(f"module {self.package!r} has no attribute {name!r}")
        found = getattr(import_module(f"{self.package}.{self.places[name]}"), name)
        setattr(sys.modules[self.package], name, found)
        return found
