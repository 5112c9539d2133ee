"""API tokens from the command line, the environment or the user's token file."""

import os
import re
import tomllib
from pathlib import Path

from cranfield.core import ParameterError

VARIABLE = "CRANFIELD_TOKEN"
FORM = re.compile(r"[!-~]{8,200}")  # no space, nothing that would end a header


def tokens_file() -> Path:
    """Where saved tokens are, one for each server."""
    folder = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(folder) / "cranfield" / "tokens.toml"


def saved_tokens() -> dict[str, str]:
    """Tokens by host. A file that others may read is refused: what is in it may be known."""
    path = tokens_file()
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    if path.stat().st_mode & 0o077:
        raise ParameterError(f"{path}: others may read your tokens", hint=f"chmod 600 {path}")
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ParameterError(f"{path}: {error}", hint='a line reads: "example.org" = "cf_…"') from None
    return {host: token for host, token in found.items() if isinstance(token, str)}


def find_token(given: str | None, host: str) -> str:
    """The token for a server: what was typed, what the environment has, what was saved; otherwise none."""
    token = (given or os.environ.get(VARIABLE) or saved_tokens().get(host, "")).strip()
    if token and not FORM.fullmatch(token):
        raise ParameterError("this is no token", hint="a token reads: cf_… and has no spaces")
    return token


def save_token(host: str, token: str) -> Path:
    """Keep a token for a server, in a file for its owner alone."""
    kept = saved_tokens() | {host: token}
    path = tokens_file()
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    beside = path.with_name(f".tokens-{os.getpid()}")
    lines = [f'"{_quoted(name)}" = "{_quoted(text)}"\n' for name, text in sorted(kept.items())]
    with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.writelines(lines)
    beside.replace(path)
    return path


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
