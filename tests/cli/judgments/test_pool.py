"""cranfield pool, as a user runs it."""

import gzip
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import cranfield as cf
from cranfield.collections import Judging
from cranfield.studies import read_candidates
from tests.support.cli.commands import Command, expect_refusal, read_json
from tests.support.cli.pool_files import first, grades, rows_of

pytestmark = pytest.mark.usefixtures("campaign_here")

POOL = "topic document order".split()


def pairs(file: Path) -> list[tuple[str, str]]:
    opened = gzip.decompress(file.read_bytes()).decode() if file.suffix == ".gz" else file.read_text()
    return [(line.split()[0], line.split()[2]) for line in opened.splitlines()]


def test_as_text(cranfield: Command, here: Path) -> None:
    ended = cranfield("pool", "runs", "--depth", "3")
    assert (ended.code, ended.err) == (0, "")
    number = len(first(here, 3))
    lines = ended.out.splitlines()
    assert lines[0].startswith(f"depth asks for {number} documents of 8 topics (")
    assert lines[2] == "what a pool of 6 runs and 8 topics costs"
    assert lines[3].split() == ["depth", "documents", "new", "per_topic", "largest"]
    assert lines[4].split()[:3] == ["3", str(number), str(number)]
    caption = f"what to judge, in the order of judging: the first 10 of {number}; --table pool has all"
    assert lines[6:8] == [caption, "topic  document  order  run       rank"]
    assert max(map(len, lines)) <= 100


def test_the_json_contract(cranfield: Command, here: Path) -> None:
    found = read_json(cranfield("pool", "runs", "--depth", "4", "--format", "json").out)
    assert (found["contract"], found["study"]) == (2, "pool")
    rows = found["tables"]["pool"]
    assert set(POOL) <= set(rows[0])
    assert {(row["topic"], row["document"]) for row in rows} == first(here, 4)
    assert len(rows) == len(first(here, 4)) == found["verdict"]["documents"]
    assert "pool" in found["made_by"]["command"]
    assert [source["kind"] for source in found["made_by"]["inputs"]] == ["run"] * 6


@pytest.mark.parametrize(
    "words",
    [
        ["--depth", "4"],
        ["--strategy", "stratified"],
        ["--judged", "qrels.txt", "--minutes", "2"],
        ["--simulate", "qrels.txt", "--strategy", "depth", "--no-leave-out"],
        ["--simulate", "qrels.txt", "--strategy", "depth", "--budgets", "1", "-m", "ESL"],
    ],
    ids=" ".join,
)
def test_every_table_by_its_name(words: list[str], cranfield: Command) -> None:
    tables = read_json(cranfield("pool", "runs", *words, "--format", "json").out)["tables"]
    for name, rows in tables.items():
        told = cranfield("pool", "runs", *words, "--table", name, "--format", "tsv").out.splitlines()
        assert told[0].split("\t") == list(rows[0])
        assert len(told) == len(rows) + 1


@pytest.mark.parametrize("name", ["p.qrels", "p.trec", "p.QRELS", "p.qrels.gz"])
def test_a_pool_as_judgments_that_nobody_made(name: str, cranfield: Command, here: Path) -> None:
    ended = cranfield("pool", "runs", "--depth", "3", "-o", name)
    number = len(first(here, 3))
    assert (ended.code, ended.err) == (0, f"{name}: {number} rows\n")
    assert ended.out.startswith("depth asks for ")
    assert set(pairs(here / name)) == first(here, 3)
    if not name.endswith(".gz"):
        assert set(grades(here / name).values()) == {-1}


@pytest.mark.parametrize("name", ["p.jsonl", "p.ndjson", "p.tsv", "p.csv", "p.parquet", "p.json"])
def test_a_pool_as_a_table(name: str, cranfield: Command, here: Path) -> None:
    assert cranfield("pool", "runs", "--depth", "3", "-o", name).code == 0
    file, rows = here / name, []
    if name.endswith(("jsonl", "ndjson")):
        rows = [json.loads(line) for line in file.read_text().splitlines()]
    elif name.endswith("json"):
        rows = read_json(file.read_text())["tables"]["pool"]
    elif name.endswith("parquet"):
        rows = pl.read_parquet(file).to_dicts()
    else:
        rows = pl.read_csv(file, separator="\t" if name.endswith("tsv") else ",", infer_schema=False).to_dicts()
    assert {(row["topic"], row["document"]) for row in rows} == first(here, 3)
    assert set(POOL) <= set(rows[0])


@pytest.mark.parametrize("name", ["p.md", "p.html", "p.tex", "p.txt"])
def test_a_pool_for_people(name: str, cranfield: Command, here: Path) -> None:
    ended = cranfield("pool", "runs", "--depth", "3", "-o", name)
    assert (ended.code, ended.out) == (0, "")
    assert "asks for" in (here / name).read_text()


def test_one_row_is_one_row(cranfield: Command, here: Path) -> None:
    (here / "one.txt").write_text("1 Q0 a 1 2.5 mine\n")
    ended = cranfield("pool", "one.txt", "-o", "p.qrels")
    assert ended.err == "p.qrels: 1 row\n"
    assert (here / "p.qrels").read_text() == "1 0 a -1\n"
    assert ended.out.startswith("depth asks for 1 document of 1 topic.")
    assert (
        cranfield("pool", "one.txt", "--table", "costs", "-o", "c.jsonl").err == "c.jsonl: 5 rows\n"
    )  # 5, 10, 20, 50 and 100


def test_what_is_missing(cranfield: Command, here: Path) -> None:
    known = grades(here / "qrels.txt")
    ended = cranfield("pool", "runs", "--judged", "qrels.txt", "--depth", "20", "--minutes", "3", "-o", "p.qrels")
    left = first(here, 20) - {pair for pair, grade in known.items() if grade >= 0}
    assert set(pairs(here / "p.qrels")) == left
    assert f"{len(left) * 3 / 60:.1f} h." in " ".join(ended.out.split())
    # What was written is judged in part: the rest is missing still.
    lines = (here / "p.qrels").read_text().splitlines()
    half = [line.removesuffix("-1") + "0" for line in lines[::2]] + lines[1::2]
    (here / "half.qrels").write_text("\n".join([*half, ""]))
    assert cranfield("pool", "p.qrels", "-o", "x.qrels").code == 1  # qrels are no runs
    rest = cranfield("pool", "runs", "--judged", "half.qrels", "--depth", "20", "--format", "json")
    asked = {(row["topic"], row["document"]) for row in rows_of(rest, "pool")}
    assert asked == first(here, 20) - set(pairs(here / "p.qrels")[::2])


def test_judgments_of_something_else(cranfield: Command, here: Path) -> None:
    (here / "other.txt").write_text("1 0 a 1\n")
    ended = cranfield("pool", "runs", "--judged", "other.txt", "--format", "json")
    assert ended.err == "note: no document of the runs is judged in other.txt: do they belong together?\n"


def test_budgets(cranfield: Command) -> None:
    each = rows_of(cranfield("pool", "runs", "--strategy", "nrg", "--budget", "5", "--format", "json"), "pool")
    assert [row["order"] for row in each] == [1, 2, 3, 4, 5] * 8
    every = ["pool", "runs", "--strategy", "nrg", "--budget", "19", "--shared", "--format", "json"]
    sizes = [sum(row["topic"] == topic for row in rows_of(cranfield(*every), "pool")) for topic in _topics(each)]
    assert sizes == [3, 3, 3, 2, 2, 2, 2, 2]  # 19 cards among 8 players


def _topics(rows: list[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(row["topic"] for row in rows))


def test_the_first_documents_come_first(cranfield: Command, here: Path) -> None:
    rows = rows_of(cranfield("pool", "runs", "--strategy", "mtf", "--first", "2", "--format", "json"), "pool")
    for topic in _topics(rows):
        early = {document for of, document in first(here, 2) if of == topic}
        told = [row["document"] for row in rows if row["topic"] == topic]
        assert set(told[: len(early)]) == early


def test_texts_and_topics(cranfield: Command, here: Path) -> None:
    documents = sorted({document for _, document in first(here, 3)})
    texts = [json.dumps({"id": name, "text": f"of {name}"}) for name in documents[1:]]
    (here / "corpus.jsonl").write_text("\n".join([*texts, ""]))
    topics = sorted({topic for topic, _ in first(here, 1)})
    spoken = [
        f'<topic lang="{language}" number="{topic}"><title>{language} {topic}</title></topic>'
        for language in ("en", "de")
        for topic in topics[1:]
    ]
    (here / "topics.xml").write_text(f"<topics>{''.join(spoken)}</topics>")
    words = ["pool", "runs", "--depth", "3", "--corpus", "corpus.jsonl", "--topic-file", "topics.xml"]
    expect_refusal(
        cranfield(*words), 1, "topics.xml: topics have texts in en and de", "name one of them as the language"
    )
    ended = cranfield(*words, "--language", "de", "-o", "read.jsonl")
    rows = [json.loads(line) for line in (here / "read.jsonl").read_text().splitlines()]
    assert {(row["topic"], row["document"]) for row in rows} == first(here, 3)
    for row in rows:
        assert row["text"] == (f"of {row['document']}" if row["document"] != documents[0] else None)
        assert row["query"] == (f"de {row['topic']}" if row["topic"] != topics[0] else None)
    assert "note: 1 of 8 topics is not in topics.xml: without text" in ended.out
    held = sum(document == documents[0] for _, document in first(here, 3))
    are = "is" if held == 1 else "are"
    assert f"note: {held} of {len(rows)} documents {are} not in corpus.jsonl: without text" in ended.out
    assert cranfield(*words, "--language", "de", "-o", "p.qrels").err == f"p.qrels: {len(rows)} rows\n"


def test_a_strategy_that_reads(cranfield: Command, here: Path) -> None:
    documents = sorted({document for _, document in first(here, 100)})
    texts = [json.dumps({"id": name, "text": f"document of kind{i % 5}"}) for i, name in enumerate(documents)]
    (here / "corpus.jsonl").write_text("\n".join([*texts, ""]))
    making = ["--strategy", "cal", "--judged", "qrels.txt", "--budget", "3", "--format", "json"]
    asked = rows_of(cranfield("pool", "runs", "--corpus", "corpus.jsonl", *making), "pool")
    state = ["--state", "cal.json", "--batch", "3", "--corpus", "corpus.jsonl"]
    kept = rows_of(cranfield("pool", "runs", *state, *making), "pool")
    assert [row["document"] for row in asked] == [row["document"] for row in kept]
    audit = rows_of(
        cranfield("pool", "runs", "--state", "cal.json", "--audit", "--corpus", "corpus.jsonl", "--format", "json"),
        "audit",
    )
    assert {row["as_due"] for row in audit} == {True}
    expect_refusal(cranfield("pool", "runs", *making), 1, "the strategy cal reads documents: give their texts", None)


def test_rounds_are_one_session(cranfield: Command, here: Path) -> None:
    known = grades(here / "qrels.txt")
    options = ["--strategy", "maxmean", "--budget", "9", "--seed", "3"]
    whole = Judging(read_candidates(str(here / "runs")), "maxmean", budget=9, seed=3)
    judged: list[str] = []
    for number in range(4):
        words = ["--state", "pool.json", "--batch", "3", "-o", "round.qrels", *(options if number == 0 else [])]
        if number:
            (here / "judged.txt").write_text("".join(judged))
            words += ["--judged", "judged.txt"]
        ended = cranfield("pool", "runs", *words)
        assert ended.code == 0, ended.err
        # The session hears of the same documents, in the same order, without ever being written down.
        new = 0
        if number:
            new = whole.tell_all(cf.read_qrels(here / "judged.txt"))
            assert f"note: {new} judgments were new\n" in ended.err
        whole.ask(3)
        assert [(one.topic, one.document) for one in whole.pending] == pairs(here / "round.qrels")
        assert json.loads((here / "pool.json").read_text())["events"] == [
            [event.kind, event.topic, event.document, *([] if event.grade is None else [event.grade])]
            for event in whole.state.events
        ]
        # All but one of them come back; what nobody judged counts as not relevant.
        out = pairs(here / "round.qrels")[1:]
        judged = [f"{topic} 0 {document} {max(known.get((topic, document), 0), 0)}\n" for topic, document in out]
    assert len(whole.pending) == 1  # what never came back
    asked = [event for event in whole.state.events if event.kind == "asked"]
    assert len(asked) == 9 * 8  # the budget
    audit = cranfield("pool", "runs", "--state", "pool.json", "--audit", "--format", "json")
    assert [row["document"] for row in rows_of(audit, "audit")] == [event.document for event in asked]
    assert read_json(audit.out)["verdict"]["sentence"] == "72 documents were asked for, each when it was due."
    (here / "judged.txt").write_text(f"{whole.pending[0].topic} 0 {whole.pending[0].document} 0\n")
    ended = cranfield("pool", "runs", "--state", "pool.json", "--judged", "judged.txt", "--format", "json")
    assert ended.err == "note: 1 judgment was new\n"
    found = read_json(ended.out)
    assert found["tables"]["pool"] == []
    assert found["verdict"]["sentence"] == "maxmean asks for nothing more: all that it may ask for is judged."


def test_what_is_new_is_what_the_state_does_not_know(cranfield: Command, here: Path) -> None:
    cranfield("pool", "runs", "--state", "pool.json", "--judged", "qrels.txt")
    costs = rows_of(cranfield("pool", "runs", "--state", "pool.json", "--format", "json"), "costs")
    known = {pair for pair, grade in grades(here / "qrels.txt").items() if grade >= 0}
    for row in costs:
        assert row["new"] == len(first(here, row["depth"]) - known)


def test_ten_documents_of_a_topic_unless_somebody_says_otherwise(cranfield: Command) -> None:
    ended = cranfield("pool", "runs", "--state", "pool.json")
    assert ended.out.startswith("depth asks for 80 documents of 8 topics (10 for each).")


def test_topics_that_yield_go_on(cranfield: Command, here: Path) -> None:
    making = ["--strategy", "depth", "--shared", "--share", "yield", "--budget", "40"]
    assert cranfield("pool", "runs", "--state", "s.json", "--batch", "2", *making).code == 0
    whole = Judging(read_candidates(str(here / "runs")), "depth", shared=True, share="yield", budget=40)
    whole.ask(2)
    ended = cranfield("pool", "runs", "--state", "s.json", "--batch", "2", "--judged", "qrels.txt", "--format", "json")
    whole.tell_all(cf.read_qrels(here / "qrels.txt"))
    whole.ask(2)
    assert {(row["topic"], row["document"]) for row in rows_of(ended, "pool")} == {
        (one.topic, one.document) for one in whole.pending
    }


def test_a_sample_as_inferred_measures_read_it(cranfield: Command, here: Path) -> None:
    known = {pair: grade for pair, grade in grades(here / "qrels.txt").items() if grade >= 0}
    words = ["pool", "runs", "--strategy", "stratified(depths='5 30',shares='1 .4')", "--depth", "30"]
    sample = rows_of(cranfield(*words, "--format", "json"), "sample")
    drawn = {(row["topic"], row["document"]) for row in sample if row["sampled"]}
    ended = cranfield(*words, "--judged", "qrels.txt", "-o", "sampled.qrels")
    lines = [line.split() for line in (here / "sampled.qrels").read_text().splitlines()]
    assert {(topic, document) for topic, _, document, _ in lines} == first(here, 30)
    assert {(topic, document) for topic, stratum, document, _ in lines if stratum == "1"} == first(here, 5)
    for topic, _, document, grade in lines:
        pair = topic, document
        assert int(grade) == (known.get(pair, -1) if pair in drawn else -1)
    missing = len(drawn - set(known))
    told = [f"sampled.qrels: {len(lines)} rows; -1 is a document that was not drawn"]
    many = "1 document that was drawn is" if missing == 1 else f"{missing} documents that were drawn are"
    told += [f"note: {many} not judged yet: -1 too; --table pool -o FILE.qrels has them"] * bool(missing)
    assert missing
    assert ended.err.splitlines() == told
    # What was drawn and is not judged is the pool.
    rest = cranfield(*words, "--judged", "qrels.txt", "--table", "pool", "-o", "rest.qrels")
    assert rest.err == f"rest.qrels: {missing} rows\n"
    assert set(pairs(here / "rest.qrels")) == drawn - set(known)
    # Once all of it is judged nothing is missing, and one document is one.
    lines_of = [f"{topic} 0 {document} 0\n" for topic, document in sorted(drawn)]
    (here / "all.txt").write_text("".join(lines_of))
    ended = cranfield(*words, "--judged", "all.txt", "-o", "sampled.qrels.gz")
    assert ended.err.splitlines() == [told[0].replace("sampled.qrels", "sampled.qrels.gz")]
    (here / "but-one.txt").write_text("".join(lines_of[1:]))
    ended = cranfield(*words, "--judged", "but-one.txt", "-o", "sampled.qrels")
    assert ended.err.splitlines()[1].startswith("note: 1 document that was drawn is not judged yet")
    assert cranfield("evaluate", "sampled.qrels", "runs", "-m", "infAP").code == 0


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ([], "costs"),
        (["--draw", "costs"], "costs"),
        (["--state", "s.json"], "costs"),
        *(
            (["--simulate", "qrels.txt", "--strategy", "depth nrg", "--budgets", "3,9", *draw], name)
            for name in ("recall", "pool-order", "pool-bias", "reuse", "unjudged")
            for draw in ([["--draw", name]] if name != "recall" else [[]])
        ),
    ],
    ids=str,
)
def test_charts(words: list[str], name: str, cranfield: Command, here: Path) -> None:
    ended = cranfield("pool", "runs", *words, "--chart", "chart.svg")
    assert (ended.code, ended.err) == (0, ""), name
    assert (here / "chart.svg").read_text().startswith("<svg")


def test_one_of_the_files_is_standard_input(process: Command, here: Path) -> None:
    judged = (here / "qrels.txt").read_bytes()
    replay = ["--strategy", "depth", "--budgets", "5", "--table", "replay", "--format", "tsv"]
    piped = process("pool", "runs", "--simulate", "-", *replay, stdin=judged)
    assert piped == process("pool", "runs", "--simulate", "qrels.txt", *replay)
    run = here / "runs" / "cedar-1.txt"
    text = run.read_bytes()
    alone = process("pool", "runs/cedar-1.txt", "--simulate", "qrels.txt", *replay)
    assert process("pool", "-", "--simulate", "qrels.txt", *replay, stdin=text) == alone
    sample = ["--strategy", "stratified", "--judged", "-", "-o", "sampled.qrels"]
    assert process("pool", "runs", *sample, stdin=judged).code == 0
    ended = process("pool", "runs", "--state", "s.json", "--judged", "-", stdin=judged)
    known = len({pair for pair, grade in grades(here / "qrels.txt").items() if grade >= 0} & first(here, 100))
    assert ended.err == f"note: {known:,} judgments were new\n"
    told = json.loads((here / "s.json").read_text())["events"]
    assert sum(event[0] in ("told", "known") for event in told) == known


@pytest.mark.parametrize("strategy", ["mtf", "depth", "thompson", "stratified"])
def test_a_pool_that_was_begun_elsewhere_is_checked_with_the_same_runs(
    strategy: str, cranfield: Command, here: Path
) -> None:
    # The server calls runs by their keys, and has them in the order in which they came.
    files = sorted((here / "runs").iterdir(), reverse=True)
    named = [cf.read_run(file, name=f"key{number}") for number, file in enumerate(files)]
    judging, known = Judging(read_candidates(named, depth=20), strategy, budget=6), grades(here / "qrels.txt")
    while (asked := judging.next()) is not None:
        judging.tell(asked.topic, asked.document, max(known.get((asked.topic, asked.document), 0), 0))
    judging.state.save(here / "state.json")
    ended = cranfield("pool", "runs", "--state", "state.json", "--audit", "--format", "json")
    assert ended.code == 0, ended.err
    said = read_json(ended.out)["verdict"]["sentence"]
    assert said == "48 documents were asked for, each when it was due."  # 6 of each of 8 topics
