"""Makes quapy.json: the shares of groups that expectation maximisation finds in probabilities, by QuaPy.

QuaPy is among no requirements. It has an environment of its own: pip install quapy==0.2.3
Run from the root, by the Python of that environment: QUAPY=1 python -m tests.golden.make.quapy
"""

from importlib import import_module

from tests.golden.make.writing import save
from tests.support.golden.quantification_inputs import samples


def make() -> object:
    """Ten decimals; it goes on for all of its steps, however little moves."""
    numpy, quapy = import_module("numpy"), import_module("quapy.method.aggregative")
    found = {}
    for name, (before, rows) in samples().items():
        shares, _ = quapy.EMQ.EM(numpy.array(before), numpy.array(rows), epsilon=0.0)
        found[name] = [round(float(share), 10) for share in shares]
    return found


if __name__ == "__main__":
    save("quapy", make())
