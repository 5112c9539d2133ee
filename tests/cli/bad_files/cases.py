"""Inputs that people really hand in, and the two lines that each of them is answered with.

Every case stands in a folder with good qrels (``qrels.txt``) and a good run (``run.txt``), of which it replaces or adds
some files. The texts are what a user needs to read, written by hand; none is copied from a program's output unread.
"""

import gzip
import io
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import polars as pl

from tests.cli.conftest import QRELS, RUN

Content = bytes | Callable[[], bytes]

RUN_LINE = "a run line reads: topic Q0 document rank score tag"
MARCO_LINE = "a run line of three columns reads: topic document rank"
QRELS_LINE = "a qrels line reads: topic 0 document grade"
MEASURE = "a measure reads: Name, Name@10 or Name(parameter=value)@10"


@dataclass(frozen=True, kw_only=True)
class Refused:
    """Something that stops: the files, the command, and what stands on stderr."""

    name: str
    code: str = ""  # of the problem; none where the command was typed wrongly
    error: str
    hint: str
    files: Mapping[str, Content] = field(default_factory=dict)
    command: str = "evaluate qrels.txt run.txt"
    exit: int = 1


@dataclass(frozen=True, kw_only=True)
class Warned:
    """Something that is only warned of: the one row of that code in ``cranfield lint``."""

    name: str
    code: str
    line: int = 0
    message: str
    hint: str
    files: Mapping[str, Content]
    command: str = "run.txt"


def run(content: Content) -> Mapping[str, Content]:
    """A run instead of the good one."""
    return {"run.txt": content}


def qrels(content: Content) -> Mapping[str, Content]:
    """Qrels instead of the good ones."""
    return {"qrels.txt": content}


def parquet(**columns: list[object]) -> bytes:
    """Columns as a Parquet file."""
    out = io.BytesIO()
    pl.DataFrame(columns).write_parquet(out)
    return out.getvalue()


def zipped() -> bytes:
    """A run in a zip archive."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("run.txt", RUN)
    return out.getvalue()


EMPTY_AND_CUT = [
    Refused(
        name="empty run",
        files=run(b""),
        code="E-EMPTY",
        error="run.txt: the file has no lines of data",
        hint=RUN_LINE,
    ),
    Refused(
        name="empty qrels",
        files=qrels(b""),
        code="E-EMPTY",
        error="qrels.txt: the file has no lines of data",
        hint=QRELS_LINE,
    ),
    Refused(
        name="a run of comments",
        files=run(b"# ir_metadata.start\n# tag: mine\n"),
        code="E-EMPTY",
        error="run.txt: the file has no lines of data",
        hint=RUN_LINE,
    ),
    Refused(
        name="gzip, cut short",
        files={"run.txt.gz": lambda: gzip.compress(RUN)[:-9]},
        command="evaluate qrels.txt run.txt.gz",
        code="E-INFLATE",
        error="run.txt.gz: the compressed data is damaged or cut short (incomplete deflate stream)",
        hint="fetch or pack the file again",
    ),
    Refused(
        name="a table with a header and no rows",
        files={"run.csv": b"topic,document,score\n"},
        command="evaluate qrels.txt run.csv",
        code="E-EMPTY",
        error="run.csv: the run has no rows",
        hint="a run has a topic, a document and a score in every row",
    ),
]

COLUMNS = [
    Refused(
        name="5 columns",
        files=run(b"1 Q0 a 1 2.5\n"),
        code="E-FIELDS",
        error='run.txt:1: 5 columns where a run has 6: "1 Q0 a 1 2.5"',
        hint=RUN_LINE,
    ),
    Refused(
        name="7 columns: a space in the tag",
        files=run(RUN + b"2 Q0 z 3 7.5 my run\n"),
        code="E-FIELDS",
        error='run.txt:5: 7 columns where a run has 6: "2 Q0 z 3 7.5 my run"',
        hint=RUN_LINE,
    ),
    Refused(
        name="every line wrong",
        files=run(b"1 Q0 a\n1 Q0 b 2 1.5\n1 Q0 c 3 1.0\n".replace(b"a\n", b"a 1 2.5\n")),
        code="E-FIELDS",
        error='run.txt:1: 5 columns where a run has 6: "1 Q0 a 1 2.5" (and 2 more errors)',
        hint=RUN_LINE,
    ),
    Refused(
        name="qrels with 3 columns here, 4 there",
        files=qrels(b"1 0 a 1\n1 b 0\n"),
        code="E-FIELDS",
        error='qrels.txt:2: 3 columns where qrels have 4: "1 b 0"',
        hint=QRELS_LINE,
    ),
    Refused(
        name="MS MARCO rows, one of 4 columns",
        files={"run.tsv": b"1\ta\t1\n1\tx\t2\t1.5\n"},
        command="evaluate qrels.txt run.tsv",
        code="E-FIELDS",
        error='run.tsv:2: 4 columns where the first line has 3: "1\\tx\\t2\\t1.5"',
        hint=MARCO_LINE,
    ),
    Refused(
        name="MS MARCO rows, a rank in words",
        files={"run.tsv": b"1\ta\t1\n1\tx\tsecond\n"},
        command="evaluate qrels.txt run.tsv",
        code="E-RANK",
        error='run.tsv:2: rank "second" is not a whole number',
        hint=MARCO_LINE,
    ),
    Refused(
        name="a rank in words, where ranks count",
        files=run(RUN.replace(b"x 2", b"x two")),
        command="evaluate qrels.txt run.txt --ties rank",
        code="E-RANK",
        error='run.txt:2: rank "two" is not a whole number',
        hint=RUN_LINE,
    ),
    Refused(
        name="run before qrels",
        command="evaluate run.txt qrels.txt",
        code="E-SWAPPED",
        error="run.txt: this looks like a run where qrels are expected",
        hint="the qrels come first, then the runs",
    ),
    Refused(
        name="qrels among the runs",
        files={"judged.txt": QRELS},
        command="evaluate qrels.txt run.txt judged.txt",
        code="E-SWAPPED",
        error="judged.txt: this looks like qrels where a run is expected",
        hint="the qrels come first, then the runs",
    ),
    Refused(
        name="no topic in common",
        files=run(b"101 Q0 a 1 2.5 mine\n102 Q0 c 1 9.0 mine\n"),
        code="E-TOPICS",
        error="run.txt: no topic of the run is in the qrels (the run has 101, 102)",
        hint="the qrels have 1, 2: do they belong together?",
    ),
]

NUMBERS = [
    Refused(
        name="NaN",
        files=run(RUN.replace(b"1.5", b"NaN")),
        code="E-FINITE",
        error='run.txt:2: score "NaN" is not a finite number (topic 1, document x)',
        hint=RUN_LINE,
    ),
    Refused(
        name="infinite",
        files=run(RUN.replace(b"1.5", b"-inf")),
        code="E-FINITE",
        error='run.txt:2: score "-inf" is not a finite number (topic 1, document x)',
        hint=RUN_LINE,
    ),
    Refused(
        name="too large",
        files=run(RUN.replace(b"1.5", b"1e999")),
        code="E-FINITE",
        error='run.txt:2: score "1e999" is not a finite number (topic 1, document x)',
        hint=RUN_LINE,
    ),
    Refused(
        name="a word as score",
        files=run(RUN.replace(b"1.5", b"high")),
        code="E-SCORE",
        error='run.txt:2: score "high" is not a number (topic 1, document x)',
        hint=RUN_LINE,
    ),
    Refused(
        name="a decimal comma",
        files=run(RUN.replace(b"1.5", b"1,5")),
        code="E-SCORE",
        error='run.txt:2: score "1,5" is not a number (topic 1, document x)',
        hint=RUN_LINE,
    ),
    Refused(
        name="a decimal grade",
        files=qrels(QRELS + b"1 0 e 0.5\n"),
        code="E-DECIMAL",
        error='qrels.txt:5: grade "0.5" is not a whole number',
        hint="if decimals are meant: --gains (in Python gains=True)",
    ),
    Refused(
        name="a word as grade",
        files=qrels(QRELS + b"1 0 e high\n"),
        code="E-GRADE",
        error='qrels.txt:5: grade "high" is not a number',
        hint=QRELS_LINE,
    ),
    Refused(
        name="a date as grade",
        files=qrels(QRELS + b"1 0 e 20240301\n"),
        code="E-RANGE",
        error="qrels.txt:5: grade 20240301 is out of range",
        hint="grades lie between -10000 and 10000: is this the right column?",
    ),
]

TWICE = [
    Refused(
        name="a judged document twice",
        files=run(RUN + b"2 Q0 c 3 1.0 mine\n"),
        code="E-DUPDOC",
        error="run.txt:5: document c stands twice in topic 2 (first on line 3)",
        hint="keep one line for each document of a topic",
    ),
    Refused(
        name="an unjudged document twice",
        files=run(RUN + b"2 Q0 y 3 1.0 mine\n"),
        code="E-DUPDOC",
        error="run.txt:5: document y stands twice in topic 2 (first on line 4)",
        hint="keep one line for each document of a topic",
    ),
    Refused(
        name="a judgment twice",
        files=qrels(QRELS + b"1 0 a 1\n"),
        code="E-DUPQREL",
        error="qrels.txt:5: document a is judged twice in topic 1 (first on line 1)",
        hint="keep one line for each document of a topic",
    ),
    Refused(
        name="two judgments that differ",
        files=qrels(QRELS + b"1 0 a 0\n"),
        code="E-CONFLICT",
        error="qrels.txt:5: document a has grade 0 in topic 1, but 1 on line 1",
        hint="decide on one grade; if the second column names subtopics: subtopics=True in Python",
    ),
    Refused(
        name="a key twice in JSON",
        files={"run.json": b'{"1": {"a": 1, "a": 2}}'},
        command="evaluate qrels.txt run.json",
        code="E-DUPKEY",
        error='run.json: the key "a" stands twice in one object',
        hint="keep one entry for each topic and document",
    ),
    Refused(
        name="a run given twice",
        command="evaluate qrels.txt run.txt run.txt",
        error="run.txt is given twice",
        hint="name every run once",
        exit=2,
    ),
    Refused(
        name="a run given twice, in two ways",
        command="evaluate qrels.txt run.txt ./run.txt",
        code="E-NAMES",
        error="run.txt: two runs have this name",
        hint="give every run a name of its own",
    ),
]

NOT_TEXT = [
    Refused(
        name="UTF-16",
        files=run(RUN.decode().encode("utf-16")),
        code="E-UTF16",
        error="run.txt: the text is UTF-16",
        hint="save it as UTF-8, for example: iconv -f UTF-16 -t UTF-8 FILE",
    ),
    Refused(
        name="Latin-1",
        files=run(RUN.replace(b"x", b"caf\xe9")),
        code="E-UTF8",
        error='run.txt:2: the line is not UTF-8: "1 Q0 caf\N{REPLACEMENT CHARACTER} 2 1.5 mine"',
        hint="convert the file, for example: iconv -f LATIN1 -t UTF-8 FILE",
    ),
    Refused(
        name="a NUL byte",
        files=run(RUN.replace(b"x", b"x\0")),
        code="E-NUL",
        error='run.txt:2: the line holds a NUL byte: "1 Q0 x\\u{0} 2 1.5 mine"',
        hint="the file is damaged or not a text file",
    ),
    Refused(
        name="a line without end",
        files=run(lambda: RUN + b"2 Q0 " + b"z" * 70_000 + b" 3 1.0 mine\n"),
        code="E-LINE",
        error="run.txt:5: the line is longer than 65536 bytes",
        hint="is this a text file with one document per line?",
    ),
    Refused(
        name="a zip archive",
        files=run(zipped),
        code="E-ARCHIVE",
        error="run.txt: this is a zip archive, not a text file",
        hint="take the file out of it: plain, or packed with gzip, bzip2, xz or zstd",
    ),
    Refused(
        name="a PDF",
        files=run(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n"),
        code="E-FORMAT",
        error="run.txt: this is a PDF",
        hint="name a text file",
    ),
    Refused(
        name="Parquet by another name",
        files=run(lambda: parquet(topic=["1"], document=["a"], score=[1.0])),
        code="E-FORMAT",
        error="run.txt: this is a Parquet file",
        hint="let its name end in .parquet",
    ),
    Refused(
        name="text by the name of Parquet",
        files={"run.parquet": RUN},
        command="evaluate qrels.txt run.parquet",
        code="E-FORMAT",
        error="run.parquet: the file cannot be read: parquet: File out of specification: "
        "The file must end with PAR1 or PARE",
        hint="check that it is what its name says: .parquet",
    ),
    Refused(
        name="JSON by another name",
        files=run(b'{"1": {"a": 2.5}}'),
        code="E-FORMAT",
        error="run.txt: this looks like JSON",
        hint="let its name end in .json",
    ),
]

PLACES = [
    Refused(
        name="no such run",
        command="evaluate qrels.txt bm25.txt",
        code="E-MISSING",
        error="bm25.txt: there is no such file",
        hint="check the name of the file",
    ),
    Refused(
        name="no such run, but nearly",
        files={"runs/bm25.txt": RUN, "runs/dense.txt": RUN},
        command="evaluate qrels.txt runs/bm52.txt",
        code="E-MISSING",
        error="runs/bm52.txt: there is no such file",
        hint="did you mean runs/bm25.txt?",
    ),
    Refused(
        name="no such table",
        command="evaluate qrels.txt bm25.parquet",
        code="E-MISSING",
        error="bm25.parquet: there is no such file",
        hint="check the name of the file",
    ),
    Refused(
        name="a pattern that nothing fits",
        command="evaluate qrels.txt 'runs/*.gz'",
        code="E-MISSING",
        error="runs/*.gz: no file fits the pattern",
        hint="check the pattern",
    ),
    Refused(
        name="a folder of qrels",
        files={"judged/qrels.txt": QRELS},
        command="evaluate judged run.txt",
        code="E-FOLDER",
        error="judged: this is a folder, not a file",
        hint="name the files in it, as in folder/*",
    ),
    Refused(
        name="a folder without runs",
        files={"runs/.hidden": b""},
        command="evaluate qrels.txt runs",
        code="E-FOLDER",
        error="runs: the folder has no files",
        hint="name a folder that holds runs",
    ),
    Refused(
        name="a file that cannot be read, even by root",
        command="evaluate qrels.txt /proc/self/mem",
        code="E-READ",
        error="/proc/self/mem: reading failed: Input/output error (os error 5)",
        hint="check the disk and try again",
    ),
    Refused(
        name="a path through a file",
        command="evaluate qrels.txt run.txt/bm25.txt",
        code="E-MISSING",
        error="run.txt/bm25.txt: there is no such file",
        hint="check the name of the file",
    ),
]

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
        code="E-TYPE",
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
    Refused(
        name="scores: a word",
        files={"ap.csv": b"topic,bm25,dense\n301,0.25,0.5\n302,high,0.25\n"},
        command="evaluate --scores ap.csv",
        code="E-SCORE",
        error='ap.csv:3: score "high" of run bm25 in topic 302 is not a finite number',
        hint="fill every cell: topics are rows, runs are columns",
    ),
    Refused(
        name="scores: NaN",
        files={"ap.csv": b"topic,bm25,dense\n301,0.25,0.5\n302,0.5,nan\n"},
        command="evaluate --scores ap.csv",
        code="E-SCORE",
        error='ap.csv:3: score "nan" of run dense in topic 302 is not a finite number',
        hint="fill every cell: topics are rows, runs are columns",
    ),
    Refused(
        name="scores: an empty cell",
        files={"ap.csv": b"topic,bm25,dense\n301,0.25,0.5\n302,,0.25\n"},
        command="evaluate --scores ap.csv",
        code="E-SCORE",
        error="ap.csv:3: run bm25 has no score in topic 302",
        hint="fill every cell: topics are rows, runs are columns",
    ),
    Refused(
        name="scores: a topic twice",
        files={"ap.csv": b"topic,bm25\n301,0.25\n301,0.5\n"},
        command="evaluate --scores ap.csv",
        code="E-DUPTOPIC",
        error="ap.csv: topic 301 has two rows",
        hint="keep one row for each topic",
    ),
    Refused(
        name="scores: only topics",
        files={"ap.csv": b"topic\n301\n"},
        command="evaluate --scores ap.csv",
        code="E-EMPTY",
        error="ap.csv: there are no scores",
        hint="topics are rows, runs are columns",
    ),
]

TYPED = [
    Refused(
        name="an unknown measure, nearly right",
        command="evaluate qrels.txt run.txt -m 'AP ndgc@10'",
        error="there is no measure named 'ndgc'",
        hint="did you mean nDCG or RnDCG or α_nDCG?",
    ),
    Refused(
        name="an unknown measure",
        command="evaluate qrels.txt run.txt -m xyzzy",
        error="there is no measure named 'xyzzy'",
        hint="`cranfield measures` lists them all",
    ),
    Refused(
        name="an unknown parameter",
        command="evaluate qrels.txt run.txt -m 'P(level=2)@5'",
        error="P has no parameter 'level'",
        hint="it has: judged_only, k, rel",
    ),
    Refused(
        name="a parameter out of range",
        command="evaluate qrels.txt run.txt -m 'RBP(p=2)'",
        error="RBP cannot have p=2",
        hint="p is a number between 0 and 1",
    ),
    Refused(
        name="a parameter that is no word of its list",
        command="""evaluate qrels.txt run.txt -m "nDCG(dcg='exp')" """,
        error="nDCG cannot have dcg='exp'",
        hint="dcg is 'log2' or 'exp-log2'",
    ),
    Refused(
        name="a cut-off of 0",
        command="evaluate qrels.txt run.txt -m P@0",
        error="P cannot have k=0",
        hint="k is a whole number from 1 up",
    ),
    Refused(
        name="a cut-off in words",
        command="evaluate qrels.txt run.txt -m 'AP P@ten'",
        error="cannot read the measure 'P@ten': after @ stands 'ten', which is not a number",
        hint=MEASURE,
    ),
    Refused(
        name="P without a cut-off",
        command="evaluate qrels.txt run.txt -m 'P(rel=2)'",
        error="P needs a cut-off",
        hint="write P@10",
    ),
    Refused(
        name="a parenthesis left open",
        command="evaluate qrels.txt run.txt -m 'RBP(p=0.5'",
        error="cannot read the measure 'RBP(p=0.5': '(' at character 4 is never closed",
        hint=MEASURE,
    ),
    Refused(
        name="a grade above the top grade",
        command="evaluate qrels.txt run.txt -m 'ERR(max_rel=1)'",
        error="ERR(max_rel=1) meets a grade above 1",
        hint="the judgments go up to 2: write max_rel=2",
    ),
    Refused(
        name="-m forgotten",
        command="evaluate qrels.txt run.txt -m P@10 nDCG@10",
        error="nDCG@10 looks like a measure",
        hint="put -m before it: -m nDCG@10",
        exit=2,
    ),
    Refused(
        name="no run",
        command="evaluate qrels.txt",
        error="there is no run",
        hint="cranfield evaluate qrels.txt run.txt -m nDCG@10",
        exit=2,
    ),
    Refused(
        name="nothing at all",
        command="evaluate",
        error="QRELS and a RUN are missing",
        hint="cranfield evaluate qrels.txt run.txt -m nDCG@10",
        exit=2,
    ),
    Refused(
        name="standard input twice",
        command="evaluate - -",
        error="standard input can be read only once",
        hint="write - for one file, name the others",
        exit=2,
    ),
    Refused(
        name="--scores beside runs",
        command="evaluate qrels.txt run.txt --scores ap.csv",
        error="--scores stands alone, but there is qrels.txt too",
        hint="leave one of them out",
        exit=2,
    ),
    Refused(
        name="scores as trec_eval",
        command="evaluate --scores ap.csv --format trec_eval",
        error="trec_eval has no form for scores from a table",
        hint="--format tsv has",
        exit=2,
    ),
    Refused(
        name="an unknown command, nearly right",
        command="evalute qrels.txt run.txt",
        error="there is no command evalute",
        hint="did you mean evaluate?",
        exit=2,
    ),
    Refused(
        name="an unknown command",
        command="qrels.txt run.txt",
        error="there is no command qrels.txt",
        hint="there are: evaluate, compare, leaderboard, novelty, nuggets, reproduce, report, rerun, test, anova, "
        "agreement, power, scale, topics, pool, crowd, clicks, interleave, ab, counterfactual, bridge, lint, convert, "
        "fuse, measures, tests, simulate, demo, submit, status, download, serve, worker, backup, restore, export, "
        "audit",
        exit=2,
    ),
    Refused(
        name="an unknown option, nearly right",
        command="evaluate qrels.txt run.txt --mesure AP",
        error="there is no option --mesure",
        hint="did you mean --measure? cranfield evaluate --help lists the options",
        exit=2,
    ),
    Refused(
        name="an unknown option",
        command="lint run.txt --xyzzy",
        error="there is no option --xyzzy",
        hint="cranfield lint --help lists the options",
        exit=2,
    ),
    Refused(
        name="an option without its value",
        command="evaluate qrels.txt run.txt -m",
        error="-m needs a value",
        hint="cranfield evaluate --help says which",
        exit=2,
    ),
    Refused(
        name="a flag with a value",
        command="evaluate qrels.txt run.txt --per-topic=yes",
        error="--per-topic takes no value",
        hint="cranfield evaluate --help lists the options",
        exit=2,
    ),
    Refused(
        name="an unknown format",
        command="lint run.txt --format yaml",
        error="--format cannot be yaml",
        hint="choose one of: text, json, tsv, csv, latex, markdown, html, parquet",
        exit=2,
    ),
    Refused(
        name="no threads",
        command="evaluate qrels.txt run.txt --threads 0",
        error="--threads cannot be 0",
        hint="give a whole number, 1 or more",
        exit=2,
    ),
    Refused(
        name="a depth in words",
        command="convert run.txt top.txt --depth ten",
        error="--depth cannot be ten",
        hint="give a whole number, 1 or more",
        exit=2,
    ),
    Refused(
        name="no target",
        command="convert run.txt",
        error="TARGET is missing",
        hint="write: cranfield convert [OPTIONS] SOURCE TARGET",
        exit=2,
    ),
    Refused(
        name="one word too many",
        command="convert run.txt a.json b.json",
        error="got unexpected extra argument (b.json)",
        hint="write: cranfield convert [OPTIONS] SOURCE TARGET",
        exit=2,
    ),
    Refused(
        name="a table that is not there",
        command="evaluate qrels.txt run.txt --table per_topic",
        error="the study evaluate has no table named 'per_topic'",
        hint="there are: values",
    ),
    Refused(
        name="a format that the name does not tell",
        command="evaluate qrels.txt run.txt -o values.xyz",
        error="values.xyz: no format ends in .xyz",
        hint="add --format, or end the name in .txt .json .tsv .csv .md .tex .html .parquet",
    ),
    Refused(
        name="Parquet to a pipe",
        command="evaluate qrels.txt run.txt --format parquet",
        error="Parquet is not for a terminal or a pipe",
        hint="name a file: -o values.parquet",
    ),
    Refused(
        name="a folder as output",
        files={"results/old.json": b"{}"},
        command="evaluate qrels.txt run.txt --format json -o results",
        error="results: this is a folder, not a file",
        hint="name a file in it",
    ),
    Refused(
        name="a folder that is not there",
        command="evaluate qrels.txt run.txt -o results/values.json",
        error="results/values.json: there is no folder results",
        hint="make it first: mkdir -p results",
    ),
    Refused(
        name="a folder that is a file",
        command="convert run.txt qrels.txt/run.json",
        error="qrels.txt/run.json: qrels.txt is a file, not a folder",
        hint="name another folder",
    ),
    Refused(
        name="a place where nobody can write, even root",
        command="evaluate qrels.txt run.txt -o /proc/values.json",
        error="/proc/values.json: writing failed: No such file or directory",
        hint="check the permissions and the disk",
    ),
    Refused(
        name="an unknown suffix to convert to",
        command="convert run.txt run.docx",
        code="E-FORMAT",
        error="run.docx: no format ends in .docx",
        hint="there are: .txt .run .trec .qrels (TREC), .tsv (MS MARCO), .json, .jsonl, .parquet, .csv; "
        "text also with .gz .bz2 .xz",
    ),
    Refused(
        name="standard input of unknown kind",
        command="convert - run.json",
        error="standard input cannot be looked at first",
        hint="say what it is: --as run or --as qrels",
        exit=2,
    ),
    Refused(
        name="standard input to look at",
        command="lint -",
        error="standard input cannot be looked at twice",
        hint="save it to a file and name that",
        exit=2,
    ),
    Refused(
        name="more groups than runs",
        command="simulate campaign --runs 2 --groups 5",
        error="the campaign cannot be drawn: 2 runs are too few for 5 groups",
        hint="cranfield simulate --help lists the settings",
    ),
]

AP = b"topic,bm25,dense\n301,0.25,0.5\n302,0.5,0.25\n303,0.1,0.2\n"
CELLS = "fill every cell: topics are rows, runs are columns"
STATISTICS = [
    Refused(
        name="test: an empty table",
        files={"ap.csv": b""},
        command="test --scores ap.csv",
        code="E-EMPTY",
        error="ap.csv: the file has no rows",
        hint="is it the right file?",
    ),
    Refused(
        name="anova: a header and no rows",
        files={"ap.csv": b"topic,bm25,dense\n"},
        command="anova --scores ap.csv",
        code="E-EMPTY",
        error="ap.csv: there are no scores",
        hint="topics are rows, runs are columns",
    ),
    Refused(
        name="test: NaN",
        files={"ap.csv": AP.replace(b"0.2\n", b"NaN\n")},
        command="test --scores ap.csv",
        code="E-SCORE",
        error='ap.csv:4: score "NaN" of run dense in topic 303 is not a finite number',
        hint=CELLS,
    ),
    Refused(
        name="power: a judgment where a score should be",
        files={"ap.csv": QRELS},
        command="power --scores ap.csv",
        code="E-SCORE",
        error='ap.csv:2: score "1 0 b 0" of run 1 0 a 1 in topic 1 is not a finite number',
        hint=CELLS,
    ),
    Refused(
        name="anova: a topic twice",
        files={"ap.csv": AP.replace(b"303", b"301")},
        command="anova --scores ap.csv",
        code="E-DUPTOPIC",
        error="ap.csv: topic 301 has two rows",
        hint="keep one row for each topic",
    ),
    Refused(
        name="test: a run twice",
        files={"ap.csv": AP.replace(b"dense", b"bm25")},
        command="test --scores ap.csv",
        code="E-NAMES",
        error="ap.csv: two columns are called bm25",
        hint="give every run a name of its own",
    ),
    Refused(
        name="test: no table",
        command="test --scores ap.csv",
        code="E-MISSING",
        error="ap.csv: there is no such file",
        hint="check the name of the file",
    ),
    Refused(
        name="test: one run",
        files={"ap.csv": b"topic,bm25\n301,0.25\n302,0.5\n"},
        command="test --scores ap.csv",
        error="there is only one run",
        hint="a comparison needs two runs or more",
    ),
    Refused(
        name="anova: one topic",
        files={"ap.csv": b"topic,bm25,dense\n301,0.25,0.5\n"},
        command="anova --scores ap.csv",
        error="values of shape 1 × 2 are too few to analyse",
        hint="give two topics and two runs or more",
    ),
    Refused(
        name="anova: factors without a run",
        files={"ap.csv": AP, "made_of.csv": b"run,stemmer\nbm25,porter\n"},
        command="anova --scores ap.csv --factors made_of.csv",
        code="E-FACTOR",
        error="made_of.csv: there is no row for run dense",
        hint="give every run a row; there are rows for bm25",
    ),
    Refused(
        name="anova: a replicate that one topic lacks",
        files={"ap.csv": b"topic,seed,bm25,dense\n301,1,0.1,0.2\n301,2,0.2,0.2\n302,1,0.4,0.2\n"},
        command="anova --scores ap.csv",
        code="E-REPLICATE",
        error="ap.csv: topic 302 has no row for replicate 2",
        hint="every topic needs every replicate: fill it in, or leave the topic out",
    ),
    Refused(
        name="test: replicates",
        files={"ap.csv": b"topic,seed,bm25,dense\n301,1,0.1,0.2\n301,2,0.2,0.2\n"},
        command="test --scores ap.csv",
        error="ap.csv has a column for the replicate",
        hint="cranfield anova knows what to do with it; else average the replicates first",
        exit=2,
    ),
    Refused(
        name="test: norms of other topics",
        files={"ap.csv": AP, "norms.csv": b"topic,mean,sd\n301,0.2,0.1\n302,0.2,0.1\n"},
        command="test --scores ap.csv --transform z-score --norms norms.csv",
        code="E-NORM",
        error="norms.csv: there are no norms for topic 303",
        hint="standardise by the runs at hand, or leave these topics out",
    ),
    Refused(
        name="test: shares beyond 1",
        files={"ap.csv": AP.replace(b"0.25\n", b"25\n")},
        command="test --scores ap.csv --transform logit",
        error="logit has no value for 25 (topic 302, run dense)",
        hint="it is for values between 0 and 1; z-score takes any",
    ),
    Refused(
        name="test: QRELS and RUN forgotten",
        command="test -t t",
        error="QRELS and a RUN are missing",
        hint="cranfield test qrels.txt run.txt -m nDCG@10",
        exit=2,
    ),
    Refused(
        name="anova: only judgments",
        command="anova qrels.txt",
        error="there is no run",
        hint="cranfield anova qrels.txt run.txt -m nDCG@10",
        exit=2,
    ),
    Refused(
        name="test: a measure without -m",
        command="test qrels.txt run.txt P@10",
        error="P@10 looks like a measure",
        hint="put -m before it: -m P@10",
        exit=2,
    ),
]

STATE_FILE = "a state is what cranfield pool --state wrote"
STATE = b'{"format": 1, "strategy": "depth", "depth": 100, "ties": "trec", "rel": 1, "first": 0, "budget": null, '
STATE += b'"shared": false, '
STATE += b'"share": "even", "seed": 0, "runs": [["run", "0"]], "events": []}'

POOLS = [
    Refused(
        name="pool: qrels where runs are",
        command="pool qrels.txt",
        code="E-SWAPPED",
        error="qrels.txt: this looks like qrels where a run is expected",
        hint="the qrels come first, then the runs",
    ),
    Refused(
        name="pool: an empty run",
        files=run(b""),
        command="pool run.txt",
        code="E-EMPTY",
        error="run.txt: the file has no lines of data",
        hint=RUN_LINE,
    ),
    Refused(
        name="pool: a score that is no number",
        files=run(RUN.replace(b"1.5", b"NaN")),
        command="pool run.txt --simulate qrels.txt",
        code="E-FINITE",
        error='run.txt:2: score "NaN" is not a finite number (topic 1, document x)',
        hint=RUN_LINE,
    ),
    Refused(
        name="pool: a document twice",
        files=run(RUN + b"2 Q0 y 3 1.0 mine\n"),
        command="pool run.txt",
        code="E-DUPDOC",
        error="run.txt:5: document y stands twice in topic 2 (first on line 4)",
        hint="keep one line for each document of a topic",
    ),
    Refused(
        name="pool: a run given twice, in two ways",
        command="pool run.txt ./run.txt",
        code="E-NAMES",
        error="run.txt: two runs have this name",
        hint="give every run a name of its own",
    ),
    Refused(
        name="pool: judgments of other topics",
        files=qrels(b"101 0 a 1\n"),
        command="pool run.txt --simulate qrels.txt",
        code="E-TOPICS",
        error="run.txt: no topic of the run is in the qrels (the run has 1, 2)",
        hint="the qrels have 101: do they belong together?",
    ),
    Refused(
        name="pool: nothing was judged",
        files=qrels(b"1 0 a -1\n2 0 c -1\n2 0 d 1\n"),
        command="pool run.txt --simulate qrels.txt",
        error="no document that a run has among its first 100 was judged",
        hint="the runs have topics such as 1 and 2: do they belong together?",
    ),
    Refused(
        name="pool: no such state to look at",
        command="pool run.txt --state pool.json --audit",
        code="E-MISSING",
        error="pool.json: there is no such file",
        hint="check the name",
    ),
    Refused(
        name="pool: judgments as a state",
        command="pool run.txt --state qrels.txt",
        code="E-STATE",
        error="qrels.txt:1: this is not JSON: Extra data: line 1 column 3 (char 2)",
        hint=STATE_FILE,
    ),
    Refused(
        name="pool: a state cut short",
        files={"pool.json": STATE[:-1]},
        command="pool run.txt --state pool.json",
        code="E-STATE",
        error="pool.json:1: this is not JSON: Expecting ',' delimiter: "
        f"line 1 column {len(STATE)} (char {len(STATE) - 1})",
        hint=STATE_FILE,
    ),
    Refused(
        name="pool: a state that was changed by hand",
        files={"pool.json": STATE.replace(b'"seed": 0', b'"seed": "first"')},
        command="pool run.txt --state pool.json",
        code="E-STATE",
        error='pool.json: seed cannot be "first"',
        hint=STATE_FILE,
    ),
    Refused(
        name="pool: the state of another run",
        files={"pool.json": STATE},
        command="pool run.txt --state pool.json",
        error="run run is not what it was when the pool was begun",
        hint="resume with the runs, the depth and the order of ties that the pool was begun with",
    ),
    Refused(
        name="pool: judgments that would be written over",
        files={"judged.qrels": QRELS},
        command="pool run.txt --judged judged.qrels -o judged.qrels",
        error="judged.qrels: this file is read",
        hint="write to another file: -o pool.qrels",
    ),
]

REFUSED = [*EMPTY_AND_CUT, *COLUMNS, *NUMBERS, *TWICE, *NOT_TEXT, *PLACES, *TABLES, *TYPED, *STATISTICS, *POOLS]

WARNED = [
    Warned(
        name="a byte order mark",
        files=run(b"\xef\xbb\xbf" + RUN),
        code="W-BOM",
        line=1,
        message="the file starts with a byte order mark",
        hint="harmless; save without a byte order mark to be rid of it",
    ),
    Warned(
        name="line ends of Windows",
        files=run(RUN.replace(b"\n", b"\r\n")),
        code="W-CRLF",
        line=1,
        message="lines that end as on Windows: 4",
        hint="harmless; dos2unix removes it",
    ),
    Warned(
        name="line ends of Windows in qrels",
        files=qrels(QRELS.replace(b"\n", b"\r\n")),
        command="qrels.txt",
        code="W-CRLF",
        line=1,
        message="lines that end as on Windows: 4",
        hint="harmless; dos2unix removes it",
    ),
    Warned(
        name="blank lines",
        files=run(RUN + b"\n \n"),
        code="W-BLANK",
        line=5,
        message="blank lines: 2",
        hint="harmless; was the file joined from several?",
    ),
    Warned(
        name="no end of the last line",
        files=run(RUN.rstrip(b"\n")),
        code="W-END",
        line=4,
        message="the last line has no end of line",
        hint="was the file cut short?",
    ),
    Warned(
        name="tabs and spaces",
        files=run(RUN.replace(b"2 Q0 c", b"2\tQ0\tc")),
        code="W-SEPARATOR",
        line=3,
        message="some lines are cut by tabs, others by spaces",
        hint="harmless; one kind is easier to read",
    ),
    Warned(
        name="a second column of its own",
        files=run(RUN.replace(b"Q0", b"ITER")),
        code="W-Q0",
        line=1,
        message='the second column is "ITER", not Q0',
        hint=RUN_LINE,
    ),
    Warned(
        name="two tags",
        files=run(RUN.replace(b"8.0 mine", b"8.0 yours")),
        code="W-TAG",
        line=4,
        message="the tag changes from mine to yours",
        hint="is this several runs in one file?",
    ),
    Warned(
        name="ties",
        files=run(RUN.replace(b"8.0", b"9.0") + b"2 Q0 z 3 1.0 mine\n"),
        code="W-TIES",
        line=3,
        message="2 documents share their score with another (first in topic 2)",
        hint="ties are put in order by document id, descending; --ties (ties=) has other orders",
    ),
    Warned(
        name="one score for all",
        files=run(b"1 Q0 a 1 0 mine\n1 Q0 x 2 0 mine\n2 Q0 c 1 0 mine\n2 Q0 y 2 0 mine\n"),
        code="W-CONSTANT",
        line=1,
        message="topics in which all documents have the same score: 2 (first 1)",
        hint="if the rank column holds the order: --ties rank",
    ),
    Warned(
        name="ties of float32",
        files=run(RUN.replace(b"8.0", b"8.99999999") + b"2 Q0 z 3 8.99999998 mine\n"),
        code="W-FLOAT32",
        line=3,
        message="neighbours that differ in float64 only: 2 (first in topic 2)",
        hint="trec_eval 9 ties them; so does --compat trec_eval-9",
    ),
    Warned(
        name="ranks against scores",
        files=run(b"1 Q0 a 2 2.5 mine\n1 Q0 x 1 1.5 mine\n2 Q0 c 2 9.0 mine\n2 Q0 y 1 8.0 mine\n"),
        code="W-RANK",
        line=2,
        message="lines whose rank disagrees with the scores, which decide: 2 (first in topic 1)",
        hint="to follow the rank column: --ties rank",
    ),
    Warned(
        name="short topics",
        files=run(RUN + b"3 Q0 a 1 3 mine\n3 Q0 b 2 2 mine\n3 Q0 c 3 1 mine\n"),
        code="W-SHORT",
        message="topics with fewer than 3 documents: 2 of 3 (topic 1 has 2)",
        hint="what is not retrieved counts as not found",
    ),
    Warned(
        name="scattered topics",
        files=run(RUN + b"1 Q0 z 3 1.0 mine\n2 Q0 z 3 1.0 mine\n"),
        code="W-SCATTERED",
        message="the lines of a topic do not stand together",
        hint="harmless, but reading needs more memory: sort by topic",
    ),
    Warned(
        name="a document that is its topic",
        files=run(RUN.replace(b"x", b"1").replace(b"y", b"2")),
        code="W-SELF",
        line=1,
        message="topics that retrieve a document with their own id: 2 (first 1)",
        hint="was the topic taken from the collection?",
    ),
    Warned(
        name="negative grades",
        files=qrels(QRELS + b"1 0 s -2\n2 0 s -2\n"),
        command="qrels.txt",
        code="W-NEGATIVE",
        line=5,
        message="grades below 0, which count as unjudged: 2",
        hint="write 0 where the document was judged not relevant",
    ),
    Warned(
        name="nothing relevant",
        files=qrels(b"1 0 a 0\n2 0 c 0\n"),
        command="qrels.txt",
        code="W-NOREL",
        message="no document is relevant: every grade is 0 or less",
        hint="is the last column the grade?",
    ),
    Warned(
        name="a missing topic",
        files=run(RUN[: RUN.index(b"2 Q0")]),
        command="qrels.txt run.txt",
        code="W-MISSING",
        message="1 of 2 judged topics is missing (2)",
        hint="a missing topic counts as worst; --topics both leaves it out",
    ),
    Warned(
        name="unknown topics",
        files=run(RUN + b"3 Q0 a 1 1.0 mine\n4 Q0 a 1 1.0 mine\n"),
        command="qrels.txt run.txt",
        code="W-UNKNOWN",
        message="2 topics are not in the qrels (3, 4)",
        hint="what nobody judged is not evaluated",
    ),
    Warned(
        name="more problems than anybody reads",
        files=run(RUN + b"1 Q0 z\n" * 150),
        code="W-MORE",
        message="50 more problems are not listed",
        hint="mend the first ones, then look again",
    ),
    Warned(
        name="an error among the rows",
        files={"judged.txt": QRELS.replace(b" 1\n", b" 0.5\n")},
        command="judged.txt",
        code="E-DECIMAL",
        line=1,
        message='grade "0.5" is not a whole number',
        hint="if decimals are meant: --gains (in Python gains=True)",
    ),
]
