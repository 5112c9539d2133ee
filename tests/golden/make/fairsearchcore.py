"""Makes fairsearchcore.json: how few of a protected group prefixes may hold, by the authors of FA*IR.

fairsearchcore is among no requirements. It has a folder of its own, and needs pandas and scipy:
pip install --no-deps --target /path/to/folder fairsearchcore==1.0.4
Run from the root: FAIRSEARCHCORE=/path/to/folder python -m tests.golden.make.fairsearchcore
"""

import os
import sys
from importlib import import_module

from tests.golden.make.writing import save

SHARES, LEVELS, LENGTH = (0.1, 0.2, 0.3, 0.5, 0.7), (0.01, 0.05, 0.1), 60


def make() -> object:
    """The tables of every share and level, not adjusted."""
    sys.path.append(os.environ["FAIRSEARCHCORE"])
    tables = import_module("fairsearchcore.mtable_generator").MTableGenerator
    return {
        f"{share} {level}": tables(LENGTH, share, level, adjust_alpha=False).mtable_as_list()
        for share in SHARES
        for level in LEVELS
    }


if __name__ == "__main__":
    save("fairsearchcore", make())
