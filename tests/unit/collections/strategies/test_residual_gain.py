"""Residual gain, document by document against dictionaries."""

from decimal import Decimal, localcontext

import numpy as np
import pytest

from cranfield.collections import find_candidates, parse_strategy, replay
from cranfield.data import read_run
from tests.support.reference.strategy_definitions import Case, best, campaign, grown, ranks


def literal_order(case: Case, topic: str, *, beta: str, fairness: int, seed: int) -> list[str]:
    """The order as the docstring says it, with lists and dictionaries, and digits enough to tell equals."""
    rankings, stream = case.rankings[topic], case.stream(topic, seed)
    with localcontext(prec=60) as context:
        documents = grown(rankings)
        size, log2 = Decimal(len(documents)), Decimal(2).ln()
        holders = {document: ranks(rankings, document) for document in documents}
        runs = [run for run, ranking in enumerate(rankings) if ranking]
        nobody = {}  # what a run thinks of a document that it does not have
        for run in runs:
            behind = [(size / rank).ln() / 2 for rank in range(len(rankings[run]) + 1, len(documents) + 1)]
            nobody[run] = sum(behind, Decimal(0)) / max(len(behind), 1)
        loss, gained = dict.fromkeys(runs, Decimal(0)), dict.fromkeys(runs, Decimal(0))
        asked: list[str] = []
        while len(asked) < len(documents):
            worth = {}
            for document in documents:
                if document in asked:
                    continue
                trust = gain = Decimal(0)
                for run, rank in holders[document].items():
                    trust += Decimal(beta) ** loss[run] * ((size / rank).ln() / 2 - nobody[run])
                    gain += log2 / Decimal(1 + rank).ln() / (1 + gained[run]) ** fairness
                worth[document] = trust * gain
            context.prec = 45
            chosen = best({document: +value for document, value in worth.items()}, stream)
            context.prec = 60
            asked.append(chosen)
            relevant = chosen in case.found[topic]
            for run in runs:
                place = holders[chosen].get(run)
                early = (size / place).ln() / 2 if place else nobody[run]
                loss[run] += -early if relevant else early
                gained[run] += log2 / Decimal(1 + place).ln() if place and relevant else 0
        return asked


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("text", "beta", "fairness"), [("nrg", "0.1", 1), ("nrg(beta=.5,fairness=0)", "0.5", 0)])
def test_the_order_is_that_of_the_formula(text: str, beta: str, fairness: int, seed: int) -> None:
    case = campaign(seed)
    found = replay(parse_strategy(text), case.candidates, case.relevant, seed=seed)
    compared = 0
    for place, topic in enumerate(case.topics):
        expected = literal_order(case, topic, beta=beta, fairness=fairness, seed=seed)
        assert case.names(found.order[place]) == expected
        compared += len(expected)
    assert compared == len(case.candidates) > 100


def test_the_fairer_the_sooner_a_run_is_served_of_which_nothing_is_known() -> None:
    a = read_run({"1": {f"a{i}": float(-i) for i in range(1, 21)}}, name="a")
    b = read_run({"1": {f"b{i}": float(-i) for i in range(1, 21)}}, name="b")
    candidates = find_candidates([a, b])
    names = candidates.document.to_list()
    relevant = np.array([name.startswith("a") for name in names])

    def asked_for_b(fairness: float) -> int:
        """Documents of b among the first ten: its first ones are not relevant, those of a are."""
        found = replay(parse_strategy(f"nrg(beta=.9,fairness={fairness})"), candidates, relevant, budget=10)
        return sum(names[i].startswith("b") for i in found.order[0])

    served = [asked_for_b(fairness) for fairness in (0, 1, 3)]
    assert served == sorted(served)
    assert served[0] < served[-1]
