"""The command line: one command per study, words on stderr, data on stdout."""

from ._start import main as main
from ._start import run as run
