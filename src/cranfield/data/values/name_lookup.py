"""Look up runs and topics by the names that the user gives."""

from collections.abc import Iterable, Sequence
from pathlib import PurePath

from cranfield.core import ParameterError
from cranfield.data.files.input_problems import listed


def find_topics(known: Sequence[str], wanted: Iterable[str]) -> list[int]:
    """Where the wanted topics stand, in the order of the known ones."""
    names = [wanted] if isinstance(wanted, str) else list(wanted)
    if not names:
        raise ParameterError("no topic is chosen", hint=f"there are: {listed(known)}")
    place = {topic: i for i, topic in enumerate(known)}
    unknown = [name for name in dict.fromkeys(names) if name not in place]
    if unknown:
        others = f" (nor {listed(unknown[1:])})" if unknown[1:] else ""
        raise ParameterError(f"there is no topic {unknown[0]}{others}", hint=_near(unknown[0], known))
    return sorted({place[name] for name in names})


def find_run(names: Sequence[str], files: Sequence[str], wanted: str) -> int:
    """The place of a run that is called by its name, or by the name or the path of its file."""
    if wanted in names:
        return names.index(wanted)
    found = [i for i, file in enumerate(files) if PurePath(wanted) in (PurePath(file), PurePath(PurePath(file).name))]
    if len(found) > 1:
        hint = f"did you mean {' or '.join(names[i] for i in found)}?"
        raise ParameterError(f"{len(found)} runs have a file named {wanted}", hint=hint)
    if not found:
        raise ParameterError(f"there is no run named {wanted}", hint=_near(wanted, names))
    return found[0]


def _near(word: str, known: Sequence[str]) -> str:
    from difflib import SequenceMatcher, get_close_matches

    near = get_close_matches(word, known, n=2, cutoff=0.5)
    first, *second = [SequenceMatcher(None, name, word).ratio() for name in near] or [0.0]
    if second and second[0] < first - 0.1:  # a much poorer guess only distracts
        near.pop()
    # A part of a name is a good guess too: bm25 for two/bm25.
    near += [name for name in known if word and word in name and name not in near][: 3 - len(near)]
    return f"did you mean {' or '.join(near)}?" if near else f"there are: {listed(known)}"
