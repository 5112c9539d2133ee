"""Names that a package gives without loading what is behind them: a start does not wait for what it does not need."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any


class Later:
    """The ``__getattr__`` of a package: each module, and the names that are looked up there on first use."""

    def __init__(self, package: str, names: Mapping[str, str]) -> None:
        self.package = package
        self.places = {name: module for module, several in names.items() for name in several.split()}

    def __call__(self, name: str) -> Any:
        """What the package gives under a name."""
        if name not in self.places:
            raise AttributeError(f"module {self.package!r} has no attribute {name!r}")
        return getattr(import_module(f"{self.package}.{self.places[name]}"), name)
