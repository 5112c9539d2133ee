"""Names where there is no file, or none that can be read."""

from tests.cli.bad_files.cases import Refused
from tests.support.cli.commands import QRELS, RUN

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
