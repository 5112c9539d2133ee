"""Lists of collections: which files belong together, and every refusal to the letter."""

import pickle
from pathlib import Path

import pytest

from cranfield.data.files.several_collections import Collection, read_collections
from tests.support.expected_errors import check

HEAD = "collection,qrels,system,run\n"
FORMS = "the first line reads collection,qrels,system,run or collection,scores"
FILL = "fill every cell: collection, qrels, system, run"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Judgments, runs and scores of two collections; nobody looks into them here."""
    for name in ("one.qrels", "two.qrels", "one/a.run", "one/b.run", "two/a.run", "two/b.run", "one.csv", "two.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x\n")
    return tmp_path


def write(folder: Path, text: str, name: str = "list.csv") -> Path:
    path = folder / name
    path.write_text(text)
    return path


ROWS = "one,one.qrels,A,one/a.run\none,one.qrels,B,one/b.run\ntwo,two.qrels,B,two/b.run\ntwo,two.qrels,A,two/a.run\n"


@pytest.mark.parametrize(
    "text",
    [
        HEAD + ROWS,
        "\ufeff" + HEAD + ROWS,
        (HEAD + ROWS).replace(",", "\t"),
        (HEAD + ROWS).replace(",", " , ").replace("collection", "Collection"),
        (HEAD + ROWS).replace("\n", "\r\n") + "\r\n,,,\r\n",
        'note,run,system,qrels,collection\nx,one/a.run,A,one.qrels,one\n"a, b",one/b.run,B,one.qrels,one\n'
        "\n,two/b.run,B,two.qrels,two\n,two/a.run,A,two.qrels,two\n",
    ],
    ids=["plain", "marked", "tabs", "spaces", "windows", "turned"],
)
def test_a_line_for_each_system_of_each_collection(text: str, folder: Path) -> None:
    assert read_collections(write(folder, text)) == (
        Collection("one", folder / "one.qrels", {"A": folder / "one/a.run", "B": folder / "one/b.run"}),
        Collection("two", folder / "two.qrels", {"B": folder / "two/b.run", "A": folder / "two/a.run"}),
    )


def test_systems_stand_in_the_order_of_the_list(folder: Path) -> None:
    one, two = read_collections(write(folder, HEAD + ROWS))
    assert (list(one.runs), list(two.runs)) == (["A", "B"], ["B", "A"])


def test_a_table_of_scores_for_each_collection(folder: Path) -> None:
    found = read_collections(str(write(folder, f"collection,scores\none,one.csv\ntwo,{folder / 'two.csv'}\n")))
    assert found == (Collection("one", scores=folder / "one.csv"), Collection("two", scores=folder / "two.csv"))


def test_a_name_of_a_file_may_be_no_utf8(folder: Path) -> None:
    (folder / "list.csv").write_bytes(b"collection,scores\none,\xe9.csv\ntwo,two.csv\n")
    (folder / "\udce9.csv").write_text("x\n")
    assert read_collections(folder / "list.csv")[0].scores == folder / "\udce9.csv"


def test_a_collection_is_a_value() -> None:
    runs = {"A": Path("a.run")}
    one = Collection("one", Path("one.qrels"), runs)
    runs["B"] = Path("b.run")
    assert list(one.runs) == ["A"]
    assert len({one, pickle.loads(pickle.dumps(one)), Collection("one")}) == 2


@pytest.mark.parametrize(
    ("text", "code", "problem", "hint"),
    [
        ("", "E-EMPTY", "{}: the file has no rows", FORMS),
        ("collection,qrels\n", "E-COLUMNS", "{}:1: there is no column for the system, run",
         FORMS + "; there are: collection, qrels"),
        ("scores\n", "E-COLUMNS", "{}:1: there is no column for the collection", FORMS + "; there are: scores"),
        ("collection,scores,run\n", "E-COLUMNS", "{}:1: there are columns for scores and for runs",
         FORMS + ", not both"),
        ("collection,scores,Scores\n", "E-COLUMNS", "{}:1: two columns are called scores", "keep one of them"),
        (HEAD, "E-COLLECTION", "{}: there is no collection",
         "list two collections or more; for one, give its files themselves"),
        (HEAD + "one,one.qrels,A,one/a.run\none,one.qrels,B,one/b.run\n", "E-COLLECTION",
         "{}:3: there is only the collection one", "list two collections or more; for one, give its files themselves"),
        (HEAD + "one,one.qrels,A\n", "E-NULL", "{}:2: the line has no run", FILL),
        (HEAD + "\n\n ,one.qrels,A,one/a.run\n", "E-NULL", "{}:4: the line has no collection", FILL),
        (HEAD + "one,one.qrels,A,one/a.run\none,one.qrels,B,one/c.run\n", "E-MISSING",
         "{}:3: there is no file {folder}/one/c.run", "name the file of the run, from the folder of this list"),
        (HEAD + "one,one,A,one/a.run\n", "E-MISSING",
         "{}:2: {folder}/one is a folder", "name the file of the qrels, from the folder of this list"),
        ("collection,scores\none,three.csv\n", "E-MISSING",
         "{}:2: there is no file {folder}/three.csv", "name the file of the scores, from the folder of this list"),
        (HEAD + "one,one.qrels,A,one/a.run\none,two.qrels,B,one/b.run\n", "E-COLLECTION",
         "{}:3: collection one has qrels {folder}/one.qrels, and here {folder}/two.qrels",
         "judge all systems of a collection alike, or call it two collections"),
        (HEAD + ROWS + "one,one.qrels,B,one/a.run\n", "E-NAMES", "{}:6: system B stands twice in collection one",
         "keep one run of each system, or give the systems names of their own"),
        ("collection,scores\none,one.csv\ntwo,two.csv\none,two.csv\n", "E-COLLECTION",
         "{}:4: collection one has two lines",
         "keep one line for each collection: systems are the columns of its table"),
    ],
)  # fmt: skip
def test_refusals(text: str, code: str, problem: str, hint: str, folder: Path) -> None:
    path = write(folder, text)
    line = int(found) if (found := problem.removeprefix("{}:").partition(":")[0]).isdigit() else None
    error = check(lambda: read_collections(path), code, problem.format(path, folder=folder), hint)
    assert (error.file, error.line) == (str(path), line)


def test_what_cannot_be_read_is_refused(folder: Path) -> None:
    missing, endless = folder / "none.csv", write(folder, HEAD + 'one,one.qrels,A,"' + "x" * 200_000)
    check(
        lambda: read_collections(missing),
        "E-MISSING",
        f"{missing}: there is no such file",
        "check the name of the file",
    )
    hint = "name the file that lists the collections"
    check(lambda: read_collections(folder), "E-FOLDER", f"{folder}: this is a folder", hint)
    long = folder / ("x" * 300)
    check(lambda: read_collections(long), "E-READ", f"{long}: reading failed: File name too long", "may it be read?")
    message = f"{endless}:2: the line cannot be read: field larger than field limit (131072)"
    check(lambda: read_collections(endless), "E-FORMAT", message, "is it a CSV or TSV file?")
