"""Corruptions of a run and its judgments: changed rows of both, and changed bytes of the run's text."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from .base import Corruptions

Row = dict[str, Any]
TEXT, TABLES = ("text",), ("csv", "jsonl", "parquet", "frame")
FORMATS = (*TEXT, *TABLES)


@dataclass(frozen=True, slots=True)
class Campaign:
    """A run and its judgments as rows, and a change of the run's text."""

    run: list[Row]
    qrels: list[Row]
    edit: Callable[[bytes], bytes] = bytes

    def change_run(self, change: Callable[[Row], Row]) -> "Campaign":
        """Change every row of the run."""
        return replace(self, run=[change(dict(row)) for row in self.run])

    def change_qrels(self, change: Callable[[Row], Row]) -> "Campaign":
        """Change every row of the judgments."""
        return replace(self, qrels=[change(dict(row)) for row in self.qrels])

    def write(self, folder: Path, kind: str) -> tuple[Any, Any]:
        """Write judgments and run in one format; return what a user would pass to ``evaluate``."""
        if kind == "text":
            run, qrels = folder / "run.txt", folder / "qrels.txt"
            lines = (
                f"{row['topic']} Q0 {row['document']} {row.get('rank', '-')} {row['score']} {row['tag']}"
                for row in self.run
            )
            run.write_bytes(self.edit("".join(f"{line}\n" for line in lines).encode()))
            lines = (f"{row['topic']} 0 {row['document']} {row['grade']}" for row in self.qrels)
            qrels.write_text("".join(f"{line}\n" for line in lines))
            return qrels, run
        frames = [_frame(rows) for rows in (self.qrels, self.run)]
        if kind == "frame":
            return frames[0], frames[1]
        paths = [folder / f"{name}.{kind}" for name in ("qrels", "run")]
        for frame, path in zip(frames, paths, strict=True):
            {"csv": frame.write_csv, "jsonl": frame.write_ndjson, "parquet": frame.write_parquet}[kind](path)  # type: ignore[operator]
        if kind == "csv":
            paths[1].write_bytes(self.edit(paths[1].read_bytes()))
        return paths[0], paths[1]


def _frame(rows: list[Row]) -> pl.DataFrame:
    """Put rows into a frame; a column of one value for all rows carries no information and is kept as it is."""
    return pl.DataFrame(rows, strict=False, infer_schema_length=None)


def good_campaign(rng: np.random.Generator, topics: int = 12, depth: int = 30) -> Campaign:
    """Make a run whose documents are all judged, with distinct scores and several relevant documents per topic."""
    run: list[Row] = []
    qrels: list[Row] = []
    for number in range(topics):
        topic = f"T{101 + number}"
        documents = [f"FT-{number:02}{i:03}a" for i in range(depth)]
        grades = rng.permutation([2] * 3 + [1] * 5 + [0] * (depth - 8)).tolist()
        qrels += [
            {"topic": topic, "document": document, "grade": grade}
            for document, grade in zip(documents, grades, strict=True)
        ]
        scores = np.sort(rng.uniform(1, 20, depth))[::-1].round(4).tolist()
        order = rng.permutation(depth).tolist()
        run += [
            {"topic": topic, "document": documents[i], "rank": rank, "score": score, "tag": "mine"}
            for rank, (i, score) in enumerate(zip(order, scores, strict=True), 1)
        ]
    return Campaign(run, qrels)


def other_run(rng: np.random.Generator) -> dict[str, dict[str, float]]:
    """Return a second run of the same topics and documents, as a dict."""
    rows = good_campaign(rng).run
    run: dict[str, dict[str, float]] = {}
    for row in rows:
        run.setdefault(row["topic"], {})[row["document"]] = row["score"]
    return run


CORRUPTIONS = Corruptions[Campaign]()
declare = CORRUPTIONS.declare


def _one(rows: list[Row], rng: np.random.Generator, **cells: Any) -> list[Row]:
    """Change cells of one row drawn at random."""
    place = int(rng.integers(len(rows)))
    return [row | cells if i == place else row for i, row in enumerate(rows)]


@declare("All document ids of the run are in lower case.", "warning", code="W-IDS")
def lower_case_ids(data: Campaign, rng: np.random.Generator) -> Campaign:
    return data.change_run(lambda row: row | {"document": row["document"].lower()})


@declare("Document ids of all topics but one are in lower case in the run.", "warning", code="W-IDS")
def lower_case_ids_of_most_topics(data: Campaign, rng: np.random.Generator) -> Campaign:
    spared = data.run[0]["topic"]
    return data.change_run(lambda row: row | ({"document": row["document"].lower()} if row["topic"] != spared else {}))


@declare("Two of three document ids of the run are in lower case.", "warning", code="W-IDS")
def lower_case_ids_of_most_documents(data: Campaign, rng: np.random.Generator) -> Campaign:
    # Ids end in a number of three digits and a letter.
    return data.change_run(
        lambda row: row | ({"document": row["document"].lower()} if int(row["document"][-4:-1]) % 3 else {})
    )


@declare("All document ids of the run have a prefix.", "warning", code="W-IDS")
def prefixed_ids(data: Campaign, rng: np.random.Generator) -> Campaign:
    return data.change_run(lambda row: row | {"document": f"corpus/{row['document']}"})


@declare("All document ids of the run end in a blank.", "warning", code="W-IDS", formats=TABLES)
def ids_with_blanks(data: Campaign, rng: np.random.Generator) -> Campaign:
    return data.change_run(lambda row: row | {"document": f"{row['document']} "})


@declare("Ids are whole numbers in the judgments and decimals in the run (12 and 12.0).", "warning", code="W-IDS")
def decimal_ids(data: Campaign, rng: np.random.Generator) -> Campaign:
    number = {document: i for i, document in enumerate(dict.fromkeys(row["document"] for row in data.qrels))}
    numbered = data.change_qrels(lambda row: row | {"document": str(number[row["document"]])})
    return numbered.change_run(lambda row: row | {"document": f"{number[row['document']]}.0"})


@declare("Ids have composed letters in the judgments and decomposed ones in the run.", "warning", code="W-IDS")
def decomposed_ids(data: Campaign, rng: np.random.Generator) -> Campaign:
    run = data.change_run(lambda row: row | {"document": f"e\N{COMBINING ACUTE ACCENT}{row['document']}"})
    return run.change_qrels(lambda row: row | {"document": f"\N{LATIN SMALL LETTER E WITH ACUTE}{row['document']}"})


@declare("Topics have leading zeros in the run alone.", "error", code="E-TOPICS")
def padded_topics(data: Campaign, rng: np.random.Generator) -> Campaign:
    shorter = data.change_qrels(lambda row: row | {"topic": row["topic"][1:]})
    return shorter.change_run(lambda row: row | {"topic": f"0{row['topic'][1:]}"})


@declare("The topics of the run belong to another year.", "error", code="E-TOPICS")
def other_topics(data: Campaign, rng: np.random.Generator) -> Campaign:
    return data.change_run(lambda row: row | {"topic": f"{row['topic']}-2019"})


@declare("The score column holds the rank, so that the order is inverted.", "warning", code="W-RANK")
def ranks_as_scores(data: Campaign, rng: np.random.Generator) -> Campaign:
    return data.change_run(lambda row: row | {"score": float(row["rank"])})


@declare("Scores are distances: the smallest is the best.", "warning", code="W-RANK")
def distances_as_scores(data: Campaign, rng: np.random.Generator) -> Campaign:
    return data.change_run(lambda row: row | {"score": -row["score"]})


def _without_ranks(data: Campaign, score: Callable[[Row], float]) -> Campaign:
    """Change scores by rows of which the first is the best, and remove the column of ranks."""
    return data.change_run(
        lambda row: {key: cell for key, cell in row.items() if key != "rank"} | {"score": score(row)}
    )


@declare("Scores are ranks, and there is no column of ranks.", "warning", code="W-INVERTED")
def ranks_alone_as_scores(data: Campaign, rng: np.random.Generator) -> Campaign:
    return _without_ranks(data, lambda row: float(row["rank"]))


@declare("Scores are ranks in shuffled rows, and there is no column of ranks.", "warning", code="W-INVERTED")
def shuffled_ranks_as_scores(data: Campaign, rng: np.random.Generator) -> Campaign:
    return shuffled_rows(ranks_alone_as_scores(data, rng), rng)


@declare("Scores are distances, and there is no column of ranks.", "warning", code="W-INVERTED")
def distances_alone_as_scores(data: Campaign, rng: np.random.Generator) -> Campaign:
    return _without_ranks(data, lambda row: -row["score"])


@declare("All scores of the run are equal.", "warning", code="W-CONSTANT")
def constant_scores(data: Campaign, rng: np.random.Generator) -> Campaign:
    return data.change_run(lambda row: row | {"score": 1.0})


@declare("Rank columns are shuffled.", "warning", code="W-RANK")
def shuffled_ranks(data: Campaign, rng: np.random.Generator) -> Campaign:
    ranks = rng.permutation([row["rank"] for row in data.run]).tolist()
    return replace(data, run=[row | {"rank": rank} for row, rank in zip(data.run, ranks, strict=True)])


@declare("One score is not a number (NaN).", "error")
def nan_score(data: Campaign, rng: np.random.Generator) -> Campaign:
    return replace(data, run=_one(data.run, rng, score=float("nan")))


@declare("One score is infinite.", "error")
def infinite_score(data: Campaign, rng: np.random.Generator) -> Campaign:
    return replace(data, run=_one(data.run, rng, score=float("inf")))


@declare("One score is missing.", "error")
def missing_score(data: Campaign, rng: np.random.Generator) -> Campaign:
    return replace(data, run=_one(data.run, rng, score=None))


@declare("Scores are written with a decimal comma.", "error")
def decimal_commas(data: Campaign, rng: np.random.Generator) -> Campaign:
    return data.change_run(lambda row: row | {"score": str(row["score"]).replace(".", ",")})


@declare("Scores are whole numbers above 2^53 that are equal as floating-point numbers.", "warning", code="W-PRECISION")
def huge_whole_scores(data: Campaign, rng: np.random.Generator) -> Campaign:
    return data.change_run(lambda row: row | {"score": 2**60 - row["rank"]})


@declare("All scores are multiplied by 1e-200.", "unchanged")
def tiny_scores(data: Campaign, rng: np.random.Generator) -> Campaign:
    return data.change_run(lambda row: row | {"score": row["score"] * 1e-200})


@declare("A document is listed twice in a topic.", "error", code="E-DUPDOC")
def document_twice(data: Campaign, rng: np.random.Generator) -> Campaign:
    place = int(rng.integers(len(data.run)))
    return replace(data, run=[*data.run, data.run[place] | {"rank": 99, "score": 0.5}])


@declare("The whole run was appended to itself.", "error", code="E-DUPDOC")
def run_twice(data: Campaign, rng: np.random.Generator) -> Campaign:
    return replace(data, run=[*data.run, *data.run])


@declare("A topic is missing from the run.", "warning")
def missing_topic(data: Campaign, rng: np.random.Generator) -> Campaign:
    topic = data.run[int(rng.integers(len(data.run)))]["topic"]
    return replace(data, run=[row for row in data.run if row["topic"] != topic])


@declare("The run has a topic that is not judged.", "warning")
def unknown_topic(data: Campaign, rng: np.random.Generator) -> Campaign:
    return replace(data, run=[*data.run, {"topic": "T999", "document": "FT-1", "rank": 1, "score": 1.0, "tag": "mine"}])


@declare("The run was cut short in the middle of a topic.", "warning")
def truncated_run(data: Campaign, rng: np.random.Generator) -> Campaign:
    return replace(data, run=data.run[: int(rng.integers(60, len(data.run) - 60))])


@declare("The rows of the run are shuffled.", "unchanged")
def shuffled_rows(data: Campaign, rng: np.random.Generator) -> Campaign:
    return replace(data, run=[data.run[i] for i in rng.permutation(len(data.run))])


@declare("Two systems are in one file, as several tags.", "warning", formats=TEXT)
def several_tags(data: Campaign, rng: np.random.Generator) -> Campaign:
    other = [
        row | {"tag": "other", "document": f"X{row['document']}", "score": row["score"] - 0.00001} for row in data.run
    ]
    return replace(data, run=[*data.run, *other])


@declare("Topic and document are in each other's columns, and no document has the name of a topic.", "error")
def swapped_columns(data: Campaign, rng: np.random.Generator) -> Campaign:
    return data.change_run(lambda row: row | {"topic": row["document"], "document": row["topic"]})


def _three_columns(rows: list[Row], number: Callable[[Row], int]) -> Callable[[bytes], bytes]:
    """Return the edit that replaces a text with lines of topic, document and a number."""
    lines = (f"{row['topic']}\t{row['document']}\t{number(row)}\n" for row in rows)
    return lambda text: "".join(lines).encode()


@declare(
    "The run is judgments in three columns, whose grades would be read as ranks.",
    "error",
    code="E-SWAPPED",
    formats=TEXT,
)
def judgments_as_run(data: Campaign, rng: np.random.Generator) -> Campaign:
    return replace(data, edit=_three_columns(data.qrels, lambda row: row["grade"]))


@declare(
    "Three columns hold whole scores in shuffled rows, which are read as ranks.",
    "warning",
    code="W-INVERTED",
    formats=TEXT,
)
def scores_as_ranks(data: Campaign, rng: np.random.Generator) -> Campaign:
    rows = [data.run[i] for i in rng.permutation(len(data.run))]
    return replace(data, edit=_three_columns(rows, lambda row: int(row["score"] * 1000)))


@declare("A document id is missing.", "error", formats=TABLES)
def missing_document(data: Campaign, rng: np.random.Generator) -> Campaign:
    return replace(data, run=_one(data.run, rng, document=None))


@declare("A topic id is missing.", "error", formats=TABLES)
def missing_topic_id(data: Campaign, rng: np.random.Generator) -> Campaign:
    return replace(data, run=_one(data.run, rng, topic=None))


@declare("The file was cut in the middle of its last line.", "error", formats=TEXT)
def cut_line(data: Campaign, rng: np.random.Generator) -> Campaign:
    return replace(data, edit=lambda text: text[:-12])


@declare("The last digits of the file are missing.", "warning", formats=TEXT)
def cut_tag(data: Campaign, rng: np.random.Generator) -> Campaign:
    return replace(data, edit=lambda text: text[:-3])


@declare("The file is empty.", "error", formats=(*TEXT, "csv"))
def empty_file(data: Campaign, rng: np.random.Generator) -> Campaign:
    return replace(data, edit=lambda text: b"")


@declare("Lines end as on Windows.", "unchanged", formats=(*TEXT, "csv"))
def windows_lines(data: Campaign, rng: np.random.Generator) -> Campaign:
    return replace(data, edit=lambda text: text.replace(b"\n", b"\r\n"))


@declare("The file starts with a byte order mark.", "unchanged", formats=(*TEXT, "csv"))
def byte_order_mark(data: Campaign, rng: np.random.Generator) -> Campaign:
    return replace(data, edit=lambda text: b"\xef\xbb\xbf" + text)


@declare("Blank lines stand between the lines.", "unchanged", formats=TEXT)
def blank_lines(data: Campaign, rng: np.random.Generator) -> Campaign:
    return replace(data, edit=lambda text: text.replace(b"\nT105", b"\n\nT105", 1))


@declare("Columns are separated by tabs.", "unchanged", formats=TEXT)
def tabs(data: Campaign, rng: np.random.Generator) -> Campaign:
    return replace(data, edit=lambda text: text.replace(b" ", b"\t"))


@declare("Columns of a CSV file are separated by semicolons.", "error", code="E-COLUMNS", formats=("csv",))
def semicolons(data: Campaign, rng: np.random.Generator) -> Campaign:
    return replace(data, edit=lambda text: text.replace(b",", b";"))


def _quoted(text: bytes, first: int, last: int) -> bytes:
    """Start a quoted cell with the document of a row, and end it with that of another row."""
    lines = text.split(b"\n")
    lines[first] = lines[first].replace(b",", b',"', 1)
    topic, document, rest = lines[last].split(b",", 2)
    lines[last] = b",".join((topic, document + b'"', rest))
    return b"\n".join(lines)


@declare("A quotation mark in a CSV file starts a cell that ends some rows below.", "error", formats=("csv",))
def quoted_rows(data: Campaign, rng: np.random.Generator) -> Campaign:
    first = int(rng.integers(1, len(data.run) - 5))
    return replace(data, edit=lambda text: _quoted(text, first, first + int(rng.integers(1, 5))))


@declare("A quotation mark in a CSV file has no partner.", "error", formats=("csv",))
def single_quotation_mark(data: Campaign, rng: np.random.Generator) -> Campaign:
    return replace(data, edit=lambda text: text.replace(b",FT-03", b',"FT-03', 1))


@declare("A row of a CSV file has a cell more than the header.", "error", code="E-FIELDS", formats=("csv",))
def cell_too_many(data: Campaign, rng: np.random.Generator) -> Campaign:
    return replace(data, edit=lambda text: text.replace(b",FT-03", b",Q0,FT-03", 1))


@declare("The file starts with a line of column names.", "error", formats=TEXT)
def column_names(data: Campaign, rng: np.random.Generator) -> Campaign:
    return replace(data, edit=lambda text: b"topic iter document rank score tag\n" + text)


@declare("The file holds a NUL byte.", "error", code="E-NUL", formats=(*TEXT, "csv"))
def nul_byte(data: Campaign, rng: np.random.Generator) -> Campaign:
    return replace(data, edit=lambda text: text.replace(b"FT-03", b"FT\x0003", 1))


@declare("An id is not UTF-8.", "error", formats=(*TEXT, "csv"))
def latin_1(data: Campaign, rng: np.random.Generator) -> Campaign:
    return replace(data, edit=lambda text: text.replace(b"FT-03", b"FT\xe9-03", 1))


@declare("The file is UTF-16.", "error", code="E-UTF16", formats=(*TEXT, "csv"))
def utf_16(data: Campaign, rng: np.random.Generator) -> Campaign:
    return replace(data, edit=lambda text: text.decode().encode("utf-16"))


@declare("A grade is missing.", "error")
def missing_grade(data: Campaign, rng: np.random.Generator) -> Campaign:
    return replace(data, qrels=_one(data.qrels, rng, grade=None))


@declare("Grades are words.", "error")
def grades_as_words(data: Campaign, rng: np.random.Generator) -> Campaign:
    return data.change_qrels(lambda row: row | {"grade": ("no", "some", "high")[row["grade"]]})


@declare("Grades have decimals.", "error", code="E-DECIMAL")
def decimal_grades(data: Campaign, rng: np.random.Generator) -> Campaign:
    return data.change_qrels(lambda row: row | {"grade": row["grade"] / 4})


@declare("Whole grades are written as 1.0.", "unchanged")
def whole_grades_with_a_point(data: Campaign, rng: np.random.Generator) -> Campaign:
    return data.change_qrels(lambda row: row | {"grade": float(row["grade"])})


@declare("All grades are 0.", "warning")
def no_relevant(data: Campaign, rng: np.random.Generator) -> Campaign:
    return data.change_qrels(lambda row: row | {"grade": 0})


@declare("Grades of 0 are written as −1.", "warning", code="W-NOZERO")
def negative_grades(data: Campaign, rng: np.random.Generator) -> Campaign:
    return data.change_qrels(lambda row: row | {"grade": row["grade"] or -1})


@declare("One grade is far above the others (a typing error such as 22 for 2).", "warning", code="W-GRADE")
def huge_grade(data: Campaign, rng: np.random.Generator) -> Campaign:
    places = [i for i, row in enumerate(data.qrels) if row["grade"] == 2]
    place = int(rng.choice(places))
    return replace(data, qrels=[row | {"grade": 22} if i == place else row for i, row in enumerate(data.qrels)])


@declare("Grades are the ranks of a run.", "warning", code="W-SWAPPED")
def ranks_as_grades(data: Campaign, rng: np.random.Generator) -> Campaign:
    return replace(data, qrels=[row | {"grade": rank % 30 + 1} for rank, row in enumerate(data.qrels)])  # 30 a topic


@declare("A document is judged twice with different grades.", "error", code="E-CONFLICT")
def conflicting_grades(data: Campaign, rng: np.random.Generator) -> Campaign:
    row = data.qrels[int(rng.integers(len(data.qrels)))]
    return replace(data, qrels=[*data.qrels, row | {"grade": 2 - row["grade"] or 1}])


@declare("A document is judged twice with the same grade.", "error", code="E-DUPQREL")
def judgment_twice(data: Campaign, rng: np.random.Generator) -> Campaign:
    return replace(data, qrels=[*data.qrels, data.qrels[int(rng.integers(len(data.qrels)))]])


@declare("The judgments are shuffled.", "unchanged")
def shuffled_judgments(data: Campaign, rng: np.random.Generator) -> Campaign:
    return replace(data, qrels=[data.qrels[i] for i in rng.permutation(len(data.qrels))])


@declare("Most judgments of the retrieved documents are lost.", "warning")
def lost_judgments(data: Campaign, rng: np.random.Generator) -> Campaign:
    kept = rng.random(len(data.qrels)) < 0.3
    return replace(data, qrels=[row for row, keep in zip(data.qrels, kept, strict=True) if keep])
