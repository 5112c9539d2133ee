"""The bibliography, labelled with the keys that the program prints."""

from collections.abc import Iterator
from typing import Any

from pybtex.plugin import register_plugin
from pybtex.style.formatting.plain import Style as Plain
from pybtex.style.labels import BaseLabelStyle
from pybtex.style.sorting import BaseSortingStyle
from sphinx.application import Sphinx


class Keys(BaseLabelStyle):
    """Sources labelled by their keys."""

    def format_labels(self, sorted_entries: list[Any]) -> Iterator[str]:
        """One label for each entry."""
        return (entry.key for entry in sorted_entries)


class ByKey(BaseSortingStyle):
    """Sources in the order of their keys."""

    def sorting_key(self, entry: Any) -> str:
        """What is compared."""
        return entry.key.casefold()


class KeyStyle(Plain):
    """The plain style, sorted and labelled by keys."""

    default_label_style = Keys
    default_sorting_style = ByKey


def setup(app: Sphinx) -> dict[str, bool]:
    """What Sphinx calls."""
    del app
    register_plugin("pybtex.style.formatting", "keys", KeyStyle)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
