"""Read, flatten and write ir_metadata, YAML in the comment lines of a run (breuer2022irmetadata)."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cranfield import _native
from cranfield.core import ParameterError
from cranfield.data.files.data_source import Source
from cranfield.data.files.input_problems import Problems, problem
from cranfield.data.files.size_limits import Limits

if TYPE_CHECKING:
    from yaml.nodes import Node

START, END = "ir_metadata.start", "ir_metadata.end"
MOST = 1 << 16  # bytes of a header; the reader keeps no more either
FORM = f"a header reads: # {START}, lines of YAML behind #, # {END}"
# What PRIMAD spells, and the part that version 0.2 of the schema adds.
PARTS = ("platform", "research goal", "implementation", "method", "actor", "data", "resources")
DEEPEST = 50
ROOM = 16 * MOST  # letters of all paths and texts together: a name for a list, used in a list, grows without end
AUTOMATIC = {"true": "automatic", "yes": "automatic", "false": "manual", "no": "manual"}
YAML = "tag:yaml.org,2002:"


def header_of(path: str | PathLike[str], limits: Limits | None = None, *, name: str | None = None) -> str:
    """The comment lines at the head of a text file, packed or not; the rest is not read."""
    found = _native.read_header(path, limits=None if limits is None else asdict(limits))
    Problems.of(fspath(path) if name is None else name, found).stop()
    header: str = found["header"]
    return header


def read_metadata(header: str | Source, *, name: str = "header") -> Mapping[str, Any]:
    """What a run says of itself: mappings and lists, all their ends text; nothing where there is no ir_metadata."""
    if isinstance(header, Source):
        name, header = header.name, header.header
    found = between_marks(header, name)
    if found is None:
        return {}
    text, first = found
    try:
        tree: dict[str, Any] = _tree(load(text, name, first), ROOM)[0]
    except OverflowError:
        hint = f"at most {MOST // 1024} kB are read"
        raise problem(name, "E-LARGE", "the ir_metadata is too long", hint, line=first) from None
    except RecursionError:
        raise problem(name, "E-FORMAT", "the ir_metadata is nested too deeply", FORM, line=first) from None
    return tree


def read_metadata_file(path: str | PathLike[str]) -> Mapping[str, Any]:
    """The metadata of a file of YAML, as it would stand in the header of a run, without the marks."""
    name = fspath(path)
    try:
        text = Path(path).read_bytes().decode("utf-8", "surrogateescape")
    except OSError:
        raise problem(name, "E-MISSING", "there is no such file", "give a file of YAML") from None
    tree: dict[str, Any] = _tree(load(text, name, 0), ROOM)[0]
    return tree


def flatten_metadata(mapping: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Dotted paths and their texts, to show or to filter: what stands alone, then the parts in the order of PRIMAD.

    A list of texts is one text; in a list of mappings each has its number in the path, from 1.
    """
    parts = [key for key in PARTS if key in mapping]
    others = [key for key in mapping if key not in parts]
    alone = [key for key in others if not isinstance(mapping[key], Mapping)]
    order = [*alone, *parts, *(key for key in others if key not in alone)]
    return [row for key in order for row in _rows(key, mapping[key])]


def write_metadata(mapping: Mapping[str, Any]) -> str:
    """The comment block that says this, to stand at the head of a run; no block where there is nothing to say."""
    if not mapping:
        return ""
    import yaml

    try:
        tree, _ = _tree(mapping, ROOM)
    except (OverflowError, RecursionError):
        raise ParameterError("the metadata is too long or nested too deeply", hint="leave something out") from None
    text = yaml.serialize(_node(tree), Dumper=yaml.BaseDumper, allow_unicode=True, width=MOST)
    block = "".join(f"# {line}\n" for line in (START, *text.splitlines(), END))
    if len(block.encode()) >= MOST:
        hint = f"a header has at most {MOST // 1024} kB: leave something out"
        raise ParameterError("the metadata is too long", hint=hint)
    return block


def run_type(mapping: Mapping[str, Any]) -> str:
    """``automatic``, or ``manual`` where people had a hand in it; nothing where the run does not say."""
    method = mapping.get("method")
    said = method.get("automatic") if isinstance(method, Mapping) else None
    return AUTOMATIC.get(said.strip().casefold(), "") if isinstance(said, str) else ""


def between_marks(header: str, name: str) -> tuple[str, int] | None:
    """The YAML between the two marks, and the line of the first; nothing where there are none."""
    lines = [line.removeprefix("#") for line in header.splitlines()]
    words = [line.strip() for line in lines]
    if START not in words:
        return None
    first = words.index(START) + 1
    if END not in words[first:]:
        hint = f"{FORM}; at most {MOST // 1024} kB are read"
        raise problem(name, "E-FORMAT", f"{START} has no {END}", hint, line=first)
    return "\n".join(lines[first : words.index(END, first)]), first


def load(text: str, name: str, first: int) -> Mapping[str, Any]:
    """YAML whose scalars all stay text: 2:16 is no number. What is named once and used often is one object."""
    import yaml

    if len(text.encode("utf-8", "surrogateescape")) > MOST:
        raise problem(name, "E-LARGE", "the ir_metadata is too long", f"at most {MOST // 1024} kB are read", line=first)
    try:
        found = yaml.load(text, Loader=yaml.BaseLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        told = getattr(error, "problem", None) or str(error).partition("\n")[0]
        line = first + (mark.line + 1 if mark else 0)
        raise problem(name, "E-FORMAT", f"the ir_metadata is not YAML: {told}", FORM, line=line) from None
    except RecursionError:
        raise problem(name, "E-FORMAT", "the ir_metadata is nested too deeply", FORM, line=first) from None
    if not isinstance(found, dict):
        raise problem(name, "E-FORMAT", "the ir_metadata holds no keys", FORM, line=first)
    return found


def _tree(told: Any, room: int, above: int = 0, depth: int = 0) -> tuple[Any, int]:
    """The same with every object of its own and every end a text, and how much room is left.

    Each end takes as much room as its path and its text have letters: no header may unfold into gigabytes.
    """
    if depth > DEEPEST:
        raise RecursionError
    tree: Any
    if isinstance(told, Mapping):
        tree = {}
        for key, value in told.items():
            if not isinstance(key, str):
                raise ParameterError(f"{key!r} is no key of metadata", hint="keys are text")
            tree[key], room = _tree(value, room, above + len(key) + 1, depth + 1)
    elif isinstance(told, list | tuple):
        tree = []
        for value in told:
            one, room = _tree(value, room, above + 1, depth + 1)
            tree.append(one)
    else:
        tree = _text(told)
        room -= len(tree)
    room -= above + 1
    if room < 0:
        raise OverflowError
    return tree, room


def _text(told: Any) -> str:
    match told:
        case str():
            return told
        case None:
            return ""
        case bool():
            return str(told).lower()
        case int() | float():
            return str(told)
    raise ParameterError(f"{told!r} is no metadata", hint="give texts, numbers, lists and mappings")


def _rows(path: str, told: Any) -> Iterator[tuple[str, str]]:
    if isinstance(told, Mapping):
        for key, value in told.items():
            yield from _rows(f"{path}.{key}", value)
    elif isinstance(told, list | tuple):
        if any(isinstance(one, Mapping | list | tuple) for one in told):
            for number, one in enumerate(told, start=1):
                yield from _rows(f"{path}.{number}", one)
        else:
            yield path, ", ".join(map(_text, told))
    else:
        yield path, _text(told)


def _node(tree: Any) -> "Node":
    """The YAML of a tree: one key in a line, and no line inside a text, which would need a # of its own."""
    from yaml import MappingNode, ScalarNode, SequenceNode

    if isinstance(tree, dict):
        pairs = [(_node(key), _node(value)) for key, value in tree.items()]
        return MappingNode(f"{YAML}map", pairs, flow_style=not pairs)
    if isinstance(tree, list):
        return SequenceNode(f"{YAML}seq", [_node(one) for one in tree], flow_style=not tree)
    return ScalarNode(f"{YAML}str", tree, style=None if tree.splitlines() in ([], [tree]) else '"')
