"""The command line: one command per study, messages on stderr, data on stdout."""

from .startup import main as main
from .startup import run as run
