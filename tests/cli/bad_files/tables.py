"""Runs and qrels as JSON, CSV or Parquet."""

from tests.cli.bad_files.cases import Refused, parquet

TABLES = [
    Refused(
        name="broken JSON",
        files={"run.json": b'{"1": {"a": 2.5}\n'},
        command="evaluate qrels.txt run.json",
        code="E-JSON",
        error="run.json:2: this is not JSON: Expecting ',' delimiter",
        hint='expected {"topic": {"document": 1.5}}',
    ),
    Refused(
        name="JSON under another name, as qrels",
        files={"judged.txt": b'{"1": {"a": 1}}\n'},
        command="evaluate judged.txt run.txt",
        code="E-FORMAT",
        error="judged.txt: this looks like JSON",
        hint="let its name end in .json",
    ),
    Refused(
        name="a saved web page",
        files={"page.txt": b"<!DOCTYPE html>\n<html><body>not found</body></html>\n"},
        command="evaluate qrels.txt page.txt",
        code="E-FORMAT",
        error="page.txt: this looks like a web page or XML",
        hint="name a text file",
    ),
    Refused(
        name="JSON of another shape",
        files={"run.json": b"[1, 2]"},
        command="evaluate qrels.txt run.json",
        code="E-JSON",
        error="run.json: JSON of this shape holds no scores",
        hint='expected {"topic": {"document": 1.5}}',
    ),
    Refused(
        name="CSV without our columns",
        files={"run.csv": b"id,text\n1,a\n"},
        command="evaluate qrels.txt run.csv",
        code="E-COLUMNS",
        error="run.csv: there is no column for the topic",
        hint="there are: id, text; topic may be called topic, qid, query_id, query-id, q_id",
    ),
    Refused(
        name="CSV of qrels without grades",
        files={"qrels.csv": b"topic,document\n1,a\n"},
        command="evaluate qrels.csv run.txt",
        code="E-COLUMNS",
        error="qrels.csv: there is no column for the grade",
        hint="there are: topic, document; grade may be called grade, relevance, rel, label, score",
    ),
    Refused(
        name="words in the column of scores",
        files={"run.csv": b"topic,document,score\n1,a,high\n"},
        command="evaluate qrels.txt run.csv",
        code="E-SCORE",
        error='run.csv: score "high" in row 0 is not a number',
        hint="every score is a number",
    ),
    Refused(
        name="a null where an id should be",
        files={"run.parquet": lambda: parquet(topic=["1", None], document=["a", "b"], score=[1.0, 2.0])},
        command="evaluate qrels.txt run.parquet",
        code="E-NULL",
        error="run.parquet: the column of the topic: row 1 is null",
        hint="ids are text or whole numbers, one in every row",
    ),
]
