"""The command line: one command per study, words on stderr, data on stdout."""

from ._main import main as main
from ._main import run as run
