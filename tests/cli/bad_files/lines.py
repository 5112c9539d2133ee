"""Runs and qrels as text: empty, cut short, lines that do not read, a document twice, no text at all."""

import gzip
import io
import zipfile

from tests.cli.bad_files.cases import QRELS_LINE, RUN_LINE, Refused, parquet, qrels, run
from tests.support.cli.commands import QRELS, RUN

MARCO_LINE = "a run line of three columns reads: topic document rank"


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
        hint="decide on one grade of the document",
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
