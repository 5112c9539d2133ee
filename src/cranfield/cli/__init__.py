"""The command line: one command per study, words on stderr, data on stdout."""

import os
import sys

# numpy would start a thread of linear algebra for every core, and these commands have no use for it.
if sys.argv[1:2] and sys.argv[1] in {"evaluate", "lint", "convert", "measures"}:
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from ._main import main as main
