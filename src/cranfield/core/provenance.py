"""Provenance of a result: version, command, inputs, measures and seed, without timestamps."""

from dataclasses import asdict, dataclass

VERSION = "0.1.0"  # a contract test holds it to pyproject.toml; importlib.metadata would cost 15 ms at every start


@dataclass(frozen=True, slots=True)
class Input:
    """A file or frame that was read, with the digest of its bytes."""

    name: str
    digest: str
    kind: str  # qrels, run, scores, labels, log, …


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """What made a result: program, command, inputs, measures, seed. No clock time, so equal work gives equal text."""

    version: str = VERSION
    command: str = ""
    inputs: tuple[Input, ...] = ()
    measures: tuple[str, ...] = ()  # canonical
    seed: int | None = None

    def as_dict(self) -> dict[str, object]:
        """The ``made_by`` object of the JSON contract; its keys are fixed."""
        return {
            "version": self.version,
            "command": self.command,
            "inputs": [asdict(source) for source in self.inputs],
            "measures": list(self.measures),
            "seed": self.seed,
        }
