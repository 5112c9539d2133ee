"""What nine workers and a machine make of a campaign: whom to trust, and what becomes of the order of runs.

python examples/labels_and_runs.py orders.svg workers.svg machines.svg
"""

import sys
from itertools import groupby
from random import Random

import cranfield as cf
from cranfield.charts import draw, save
from cranfield.data import join_labels, labels_from_qrels, read_labels
from cranfield.simulate import Campaign

KNOWS = {"ann": 0.9, "bob": 0.8, "cem": 0.7, "dee": 0.6, "eva": 0.6, "fay": 0.5, "gil": 0.5, "hal": 0.4, "ivo": 0.0}


def first_ten(run):
    """The items that a run shows: its first ten documents of each topic."""
    entries = sorted(zip(run["topic"], run["score"], run["document"], strict=True), key=lambda row: (row[0], -row[1]))
    return [row[::2] for _, topic in groupby(entries, lambda row: row[0]) for row in list(topic)[:10]]


if __name__ == "__main__":
    orders, workers, machines = sys.argv[1:] or ("orders.svg", "workers.svg", "machines.svg")
    random = Random(7)
    made = Campaign(topics=25, groups=5, runs=15, depth=100).make()
    runs = {name: made.run_columns(name) for name in made.names}
    judged = made.qrels_columns()
    truth = dict(zip(zip(judged["topic"], judged["document"], strict=True), judged["grade"], strict=True))
    shown = {name: first_ten(run) for name, run in runs.items()}
    items = [item for item in dict.fromkeys(item for each in shown.values() for item in each) if item in truth]
    liked = {item for name, each in shown.items() if name.startswith("aurora") for item in each}

    def label(item, knows):
        """What is true, or anything."""
        return truth[item] if random.random() < knows else int(3 * random.random())

    asked = [(item, who) for item in items for who in sorted(KNOWS, key=lambda _: random.random())[:5]]
    rows = [(*item, who, label(item, KNOWS[who])) for item, who in asked]
    people = read_labels(dict(zip(("topic", "document", "worker", "grade"), zip(*rows, strict=True), strict=True)))
    # The machine is right of four in five, but takes a third of what runs of aurora show for highly relevant.
    grades = [2 if item in liked and random.random() < 0.3 else label(item, 0.8) for item in items]
    topic, document = zip(*items, strict=True)
    machine = labels_from_qrels({"llm": {"topic": topic, "document": document, "grade": grades}}, machines=["llm"])

    study = cf.crowd(join_labels([people, machine]), methods="dawid-skene majority weighted", gold=judged, runs=runs)
    save(draw(study, "label-orders"), orders)
    save(draw(study, "workers"), workers)
    save(draw(study, "machines"), machines)
    print(study.sentence)
