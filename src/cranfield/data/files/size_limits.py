"""Limits on the size of untrusted input files."""

from dataclasses import asdict, dataclass

from cranfield.core import ParameterError


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """How large a file may be that somebody hands in; reading stops at the first byte, line or topic too many.

    The largest run that we know of, 6,980 topics of 1,000 documents, needs less than a tenth of that.
    """

    bytes: int = 4 << 30  # after unpacking
    ratio: int = 200  # bytes after unpacking for each byte before it, once 64 MiB have come out
    line: int = 1 << 16  # bytes of one line
    lines: int = 100_000_000  # blank ones and comments too
    topics: int = 100_000
    documents: int = 10_000  # of one topic

    def __post_init__(self) -> None:
        for name, most in asdict(self).items():
            if isinstance(most, bool) or not isinstance(most, int) or not 1 <= most < 2**63:
                raise ParameterError(f"{name}={most!r} is not a limit", hint="a limit is a whole number from 1")
