"""Runs to pool, states of pools and judgments of them."""

from tests.cli.bad_files.cases import RUN_LINE, Refused, qrels, run
from tests.support.cli.commands import QRELS, RUN

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
