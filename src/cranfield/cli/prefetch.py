"""Start to read the input files of `cranfield evaluate` while Python imports the other modules.

What is guessed wrong is read when it is asked for, as if nothing had been begun.
"""

import os
from os.path import isdir, isfile, join  # pathlib takes longer to load than all of this to run

TYPE_CHECKING = False  # here every import is waited for
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# Options of `evaluate` that say nothing about reading, and whether a value follows them.
HARMLESS = {
    "-m": True,
    "--measure": True,
    "-q": False,
    "--per-topic": False,
    "--rel": True,
    "--topics": True,
    "--aggregate": True,
    "--baseline": True,
    "--curve": True,
    "--chart": True,
    "--compat": True,
    "--residual": False,
    "--unjudged": True,
    "--scale": True,
    "--format": True,
    "--table": True,
    "-o": True,
    "--output": True,
}


def begin(typed: "Sequence[str]") -> None:
    """Begin to read, where it is plain what the command will ask for."""
    found = named(typed)
    if found is None:
        return
    qrels, runs, trec_eval_9 = found
    # Evaluation needs no linear algebra, and threads that wait for some would take time from those that read.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from cranfield import _native

    try:
        _native.read_ahead(qrels, runs, trec_eval_9=trec_eval_9, threads=os.cpu_count() or 1)
    except OSError:  # no thread to be had: then it is read when it is asked for
        return


def named(typed: "Sequence[str]") -> tuple[str, list[str], bool] | None:
    """Judgments, runs, and whether as trec_eval 9 reads them, of `evaluate QRELS RUN… OPTIONS`.

    Nothing where that needs more than a look.
    """
    words = [*typed[1:]]
    first = next((i for i, word in enumerate(words) if word.startswith("-")), len(words))
    options = _options(words[first:])
    if list(typed[:1]) != ["evaluate"] or first < 2 or options is None:
        return None
    runs = [file for word in words[1:first] for file in _files(word)]
    like = options.get("--compat")
    if like not in (None, "trec_eval-9") or not all(map(isfile, [words[0], *runs])):
        return None
    return words[0], runs, like is not None


def _options(typed: "Iterable[str]") -> dict[str, str] | None:
    """The options with their values; nothing where one of them could change what is read."""
    found, words = {}, iter(typed)
    for word in words:
        name, equals, value = word.partition("=")
        if name not in HARMLESS:
            return None
        found[name] = value if equals or not HARMLESS[name] else next(words, "")
    return found


def _files(word: str) -> list[str]:
    """A file, or the files of a folder, in the order in which runs are found."""
    if not isdir(word):  # noqa: PTH112
        return [word]
    return [join(word, name) for name in sorted(os.listdir(word)) if not name.startswith(".")]  # noqa: PTH118, PTH208
