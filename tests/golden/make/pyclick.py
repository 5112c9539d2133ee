"""Makes pyclick.json: what PyClick's models learn from a small log, and foretell for its first pages.

PyClick is among no requirements, and what PyPI has under that name is something else. Run from the root:
PYCLICK=/path/to/PyClick python -m tests.golden.make.pyclick
"""

import os
import sys
from importlib import import_module
from typing import Any

from tests.golden.make.writing import save
from tests.support.golden.click_inputs import sessions

SHOWN = 6  # pages whose chances are kept
MODELS = ("CTR.GCTR", "CTR.RCTR", "CTR.DCTR", "CM.CM", "DCM.DCM", "SDBN.SDBN", "PBM.PBM", "UBM.UBM")


def load(name: str) -> Any:
    """A part of PyClick."""
    sys.path.insert(0, os.environ["PYCLICK"])
    try:
        return import_module(f"pyclick.{name}")
    finally:
        sys.path.pop(0)


def page(topic: str, documents: list[str], clicks: list[int]) -> Any:
    """One page as PyClick sees it."""
    session = load("search_session.SearchSession").SearchSession(topic)
    result = load("search_session.SearchResult").SearchResult
    session.web_results = [result(name, click) for name, click in zip(documents, clicks, strict=True)]
    return session


def make() -> object:
    """{model: {parameters, marginal, done}}: for the first pages, rank by rank; done: the chance of what was done."""
    log = [page(*session) for session in sessions()]
    found = {}
    for place in MODELS:
        module, name = place.split(".")
        model = getattr(load(f"click_models.{module}"), name)()
        model.train(log)
        first = log[:SHOWN]
        params = [model.get_session_params(session) for session in first]
        found[name] = {
            "parameters": [[{kind.name: one.value() for kind, one in at.items()} for at in ranks] for ranks in params],
            "marginal": [model.get_full_click_probs(session) for session in first],
            "done": [model.get_conditional_click_probs(session) for session in first],
        }
    return found


if __name__ == "__main__":
    save("pyclick", make())
