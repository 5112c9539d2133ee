"""The examples of the help pages, and the files that they name."""

import gzip
import json
import re
import shutil
from contextlib import chdir
from pathlib import Path
from random import Random

import pytest

from cranfield.cli import main


def examples(text: str) -> list[str]:
    """The lines under ``Examples:`` or ``First steps:``, without the remarks in parentheses behind some."""
    inside = re.split(r"(?:Examples|First steps):\n", text)[-1].partition("\n\n")[0]
    return [re.sub(r" {2,}\(.*\)$", "", line.strip()) for line in inside.splitlines()]


def write_stage(campaign: Path, folder: Path) -> None:
    """Write every file that an example names into a new folder, beside the files of a campaign."""
    shutil.copytree(campaign, folder)
    shutil.copy(folder / "runs" / "cedar-1.txt", folder / "bm25.txt")
    for run, name in (
        ("cedar-1", "a.run"),
        ("cedar-2", "b.run"),
        ("cedar-1", "new.run"),
        ("cedar-2", "bm25.run"),
        ("aurora-1", "dense.run"),
        ("cedar-1", "runs/bm25.txt"),
    ):
        shutil.copy(folder / "runs" / f"{run}.txt", folder / name)
    with (folder / "runs.csv").open("a") as entries:
        entries.write("bm25,organisers,2024-03-01,plain\n")
    scores = "301,0.25,0.5,0.3,0.2\n302,0.5,0.75,0.4,0.6\n303,0.1,0.4,0.4,0.3\n304,0.2,0.1,0.3,0.2\n"
    (folder / "ap.csv").write_text(f"topic,run1,run2,run3,run4\n{scores}")
    (folder / "splits.json").write_text("[[[0, 1], [2, 3]], [[0, 2], [1, 3]]]")
    (folder / "groups.csv").write_text("run,group\nrun1,cedar\nrun2,cedar\nrun3,birch\nrun4,birch\n")
    (folder / "predictors.csv").write_text("topic,idf\n301,1\n302,5\n303,2\n304,3\n")
    (folder / "bm25.yaml").write_text("tag: bm25\n")
    judged = {line.split()[2] for line in (folder / "qrels.txt").read_text().splitlines()}
    with gzip.open(folder / "corpus.jsonl.gz", "wt") as corpus:
        corpus.writelines(json.dumps({"_id": one, "text": f"text of {one}"}) + "\n" for one in sorted(judged))
    write_boards(folder)
    write_crowd(folder)
    write_clicks(folder)
    write_experiment(folder)
    write_teams(folder)
    write_policies(folder)
    write_answers(folder)
    rows = [f"{topic},{shard},0.{topic}{shard},0.{shard}5" for topic in (1, 2, 3) for shard in (1, 2)]
    (folder / "shards.csv").write_text("\n".join(["topic,shard,run1,run2", *rows, ""]))
    write_results(folder)


def write_boards(folder: Path) -> None:
    """What the examples of comparisons and boards name."""
    for run in ("old.run", "new.run"):
        shutil.copy(folder / "a.run", folder / run)
    entries = (folder / "runs.csv").read_text().splitlines()
    costs = [f"{line},{number}" for number, line in enumerate(entries[1:], 1)]
    (folder / "runs.csv").write_text("\n".join([f"{entries[0]},latency", *costs, ""]))
    (folder / "some.txt").write_text("301\n302\n303\n")
    judged = [line.split() for line in (folder / "qrels.txt").read_text().splitlines()]
    by_subtopic = [f"{topic} {i % 3} {document} {grade}" for i, (topic, _, document, grade) in enumerate(judged)]
    (folder / "subtopics.txt").write_text("\n".join([*by_subtopic, ""]))
    groups = {document: f"{document}\t{'ab'[i % 2]}" for i, (_, _, document, _) in enumerate(judged)}
    (folder / "groups.tsv").write_text("\n".join([*groups.values(), ""]))
    (folder / "board.csv").write_text("run,date,MRR@100\nx,2020-01-01,0.1\ny,2020-02-01,0.2\n")
    runs = [f"{c},qrels.txt,{system},{run}" for c in "xy" for system, run in (("bm25", "a.run"), ("new", "b.run"))]
    (folder / "beir.csv").write_text("\n".join(["collection,qrels,system,run", *runs, ""]))


def write_results(folder: Path) -> None:
    """What the examples of making something again name."""
    files = [str(folder / name) for name in ("qrels.txt", "a.run", "b.run")]
    for words in (
        ["report", *files, "-m", "RR@10", "-o", "report.html"],
        ["compare", "qrels.txt", "a.run", "b.run", "-o", "verdict.json"],
    ):
        with chdir(folder), pytest.raises(SystemExit) as end:
            main(words)
        assert not end.value.code


def write_crowd(folder: Path) -> None:
    """What the examples of crowds name: three people who often agree, gold, a machine, and votes between documents."""
    judged = [line.split() for line in (folder / "qrels.txt").read_text().splitlines()]
    said = [
        (topic, document, worker, int(grade) if (i + j) % 4 else 0)
        for i, (topic, _, document, grade) in enumerate(judged)
        for j, worker in enumerate(("ann", "bob", "cat"))
    ]
    lines = [f"{topic},{document},{worker},{grade}" for topic, document, worker, grade in said]
    (folder / "labels.csv").write_text("\n".join(["topic,document,worker,grade", *lines, ""]))
    lines = [f"{i}\t{topic}_{document}\t{worker}\t{grade}" for i, (topic, document, worker, grade) in enumerate(said)]
    (folder / "votes.txt").write_text("\n".join([*lines, ""]))
    for name in ("gold.qrels", "llm.qrels"):
        shutil.copy(folder / "qrels.txt", folder / name)
    pairs = [f"301,{a},{b},{worker},{vote}" for a, b, vote in ("pqa", "qrb", "prn") for worker in ("ann", "bob")]
    (folder / "pairs.csv").write_text("\n".join(["topic,a,b,worker,vote", *pairs, ""]))


def write_clicks(folder: Path) -> None:
    """What the examples of clicks name: a log with documents that are judged, and the same as an export of UBI."""
    random = Random(3)
    of: dict[str, list[str]] = {}
    for topic, _, document, _ in (line.split() for line in (folder / "qrels.txt").read_text().splitlines()):
        of.setdefault(topic, []).append(document)
    rows, queries, events = [], [], []
    for i in range(300):
        topic, at, user = random.choice(sorted(of)), 1_714_557_600 + 100 * i, f"u{i % 20}"
        shown = random.sample(of[topic], 4)
        told = {"query_id": f"i{i}", "client_id": user, "user_query": topic, "timestamp": at}
        queries.append(told | {"query_response_hit_ids": shown})
        for rank, document in enumerate(shown, 1):
            clicked = random.random() < 0.6 / rank
            rows.append(f"i{i},{user},{at},{topic},{rank},{document},{clicked:d}")
            about = {"object": {"object_id": document}, "position": {"ordinal": rank}}
            event = {"action_name": "click", "query_id": f"i{i}", "timestamp": at + rank, "event_attributes": about}
            events += [event] * clicked
    (folder / "log.csv").write_text("\n".join(["impression,user,time,topic,rank,document,clicked", *rows, ""]))
    for name, each in (("ubi_queries", queries), ("ubi_events", events)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in each))


def write_policies(folder: Path) -> None:
    """What the examples of old logs and of online outcomes name."""
    rows = [f"u{i % 9},q,{'abc'[i % 3]},{i % 4 == 0:d},0.5,0.{1 + i % 3},0.33" for i in range(60)]
    (folder / "shown.csv").write_text("\n".join(["user,topic,document,clicked,propensity,target,uniform", *rows, ""]))
    first = [line.split()[2] for line in (folder / "new.run").read_text().splitlines() if line.startswith("301 ")][:3]
    pages = [first if i % 2 else first[::-1] for i in range(40)]
    rows = [
        f"i{i},301,{rank},{name},{i % 3 == 0:d}" for i, page in enumerate(pages) for rank, name in enumerate(page, 1)
    ]
    (folder / "pages.csv").write_text("\n".join(["impression,topic,rank,document,clicked", *rows, ""]))
    runs = sorted(path.stem for path in (folder / "runs").iterdir())
    rows = [f"{run},0.{30 + i},0.02" for i, run in enumerate(runs)]
    (folder / "ctr.csv").write_text("\n".join(["run,value,error", *rows, ""]))
    rows = [f"{run}{i},{run}{i},{run},301,1,d,{i % 2:d}" for run in runs for i in range(5)]
    (folder / "arms.csv").write_text("\n".join(["impression,user,arm,topic,rank,document,clicked", *rows, ""]))


def write_teams(folder: Path) -> None:
    """What the examples of interleavings name: pages that two runs share."""
    random = Random(5)
    rows = [
        f"i{i},u{i % 30},301,{rank},d{rank},{random.random() < 0.3:d},{team}"
        for i in range(90)
        for rank, team in enumerate(random.sample(("old", "new"), 2), 1)
    ]
    (folder / "teams.csv").write_text("\n".join(["impression,user,topic,rank,document,clicked,team", *rows, ""]))


def write_answers(folder: Path) -> None:
    """What the examples of written answers name, and a run with two rankings of each topic."""
    words, rows = ("support", "partial_support", "not_support"), ["topic,run,nugget,support"]
    every = []
    for r, run in enumerate("ab"):
        lines = []
        for topic in range(1, 5):
            found = [words[(n + r * topic) % 3] for n in range(3)]
            kinds = ("vital", "vital", "okay")
            nuggets = [{"text": f"n{n}", "importance": kinds[n], "assignment": word} for n, word in enumerate(found)]
            lines.append({"qid": f"{topic}", "run_id": run, "answer_text": "It is so.", "nuggets": nuggets})
            rows += [f"{topic},{run},n{n},{word}" for n, word in enumerate(found)]
        every += lines
        (folder / f"{run}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (folder / "assigned.jsonl").write_text("".join(json.dumps(line) + "\n" for line in every))
    (folder / "assigned.csv").write_text("\n".join([*rows, ""]))
    important = [f"{topic},n{n},{'okay' if n == 2 else 'vital'}" for topic in range(1, 5) for n in range(3)]
    (folder / "nuggets.csv").write_text("\n".join(["topic,nugget,importance", *important, ""]))
    (folder / "citations.csv").write_text("topic,run,sentence,document,support\n1,a,1,d,full\n1,a,2,,\n1,b,1,d,none\n")
    ranked = [line.split() for line in (folder / "a.run").read_text().splitlines()]
    drawn = [f"{topic} {sample} {name} {rank} 0 m" for topic, _, name, rank, *_ in ranked for sample in "xy"]
    (folder / "drawn.txt").write_text("\n".join([*drawn, ""]))


def write_experiment(folder: Path) -> None:
    """What the examples of experiments name: users in two arms, events of them, events of before, and names."""
    rows = [f"u{i},{'old' if i % 10 else 'new'},{i % 7},{7 + i % 3},{i % 5},{i % 2}" for i in range(200)]
    (folder / "users.csv").write_text("\n".join(["user,arm,clicks,impressions,clicks_before,bought", *rows, ""]))
    random = Random(4)
    for name in ("events.csv", "earlier.csv"):
        rows = [
            f"{name[:2]}{i},u{i % 20},{'ab'[i % 2]},q{i % 4},{rank},d{rank},{random.random() < 0.3:d}"
            for i in range(100)
            for rank in (1, 2, 3)
        ]
        (folder / name).write_text("\n".join(["impression,user,arm,topic,rank,document,clicked", *rows, ""]))
    (folder / "names.txt").write_text("ann\nbob\ncem\n")
