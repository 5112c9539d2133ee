"""Studies and a report built by hand, with the tables that real studies have."""

from datetime import date

from cranfield.core import Input, Provenance, Study, Table
from cranfield.reports import Report, Section, Term, compose

STRANGE = (
    "<script>alert(1)</script>",
    "\"quoted\" & 'single' </script><!--",
    "\u202egnol\u202c \u2067rtl\u2069",
    "n" * 300,
    "bytes \udcff, a tab\t, a line\nend",
    "{{ 7 * 7 }} ${x} \\end{table} %",
)
MADE_BY = Provenance(
    inputs=(Input("qrels.txt", "ab" * 32, "qrels"), Input("dense.txt", "cd" * 32, "run")),
    measures=("RR@10", "nDCG@10"),
    seed=7,
)


def compared(a: str = "bm25", b: str = "dense", *, topics: int = 4, shift: float = 0.0) -> Study:
    """What compare says of two runs, in its tables; the numbers are made up."""
    rows = [(f"q{i}", 1 / (i + 1), 1 / (i + 1) + (-1) ** i * 0.1 + shift) for i in range(topics)]
    tables = {
        "outcomes": Table(
            {
                "a": [a] * 4,
                "b": [b] * 4,
                "outcome": ["neither", "only_a", "only_b", "both"],
                "topics": [1, 2, 3, 10],
                "share": [0.0625, 0.125, 0.1875, 0.625],
                "low": [0.01, 0.03, 0.06, 0.38],
                "high": [0.28, 0.36, 0.43, 0.81],
            },
            "outcomes of 16 topics",
            MADE_BY,
        ),
        "overall": Table(
            {
                "a": [a] * 2,
                "b": [b] * 2,
                "measure": ["RR@10", "RR@10"],
                "test": ["t", "signed-rank"],
                "difference": [0.1 + shift, 0.1 + shift],
                "p": [0.25, None],
                "p_adjusted": [0.5, None],
                "note": ["paired t; holm over 2 tests", "exact; holm over 2 tests"],
            },
            "overall",
            MADE_BY,
            notes=("t needs interval numbers; RR@10 is ordinal (ferrante2021)",),
        ),
        "topics": Table(
            {
                "a": [a] * topics,
                "b": [b] * topics,
                "topic": [topic for topic, _, _ in rows],
                "value_a": [low for _, low, _ in rows],
                "value_b": [high for _, _, high in rows],
            },
            "every topic",
            MADE_BY,
        ),
        "none": Table({"a": [], "b": []}, "nothing at all", MADE_BY),
    }
    verdict = {"strict": "neither", "sentence": f"{b} answers more topics than {a}; neither is better."}
    return Study("compare", tables, verdict, MADE_BY)


def analysed(runs: tuple[str, ...] = ("bm25", "dense", "fused")) -> Study:
    """Means with intervals, which a chart draws."""
    count = len(runs)
    systems = Table(
        {
            "run": list(runs),
            "mean": [0.3 + i / 10 for i in range(count)],
            "low": [0.25 + i / 10 for i in range(count)],
            "high": [0.35 + i / 10 for i in range(count)],
            "letters": ["abcdefgh"[i] for i in range(count)],
        },
        "means of RR@10: runs whose intervals do not meet differ at 0.05 (tukey)",
        MADE_BY,
    )
    days = Table({"run": list(runs), "date": [date(2026, 1, day + 1) for day in range(count)]}, "when", MADE_BY)
    return Study("anova", {"systems": systems, "days": days}, None, MADE_BY, charts=("intervals",))


def sample(*, a: str = "bm25", b: str = "dense", topics: int = 40, title: str = "dense against bm25") -> Report:
    """A report with everything in it."""
    tango = Term(name="Tango's interval", definition="The share of ``b`` minus that of ``a``.", cite="holm1979")
    runs = tuple(dict.fromkeys((a, b, "fused")))
    return compose(
        [
            Section(
                "Is it better?",
                compared(a, b, topics=topics),
                words=["Outcomes come before means.", "Then the rest."],
                notes=["40 topics were read"],
                terms=(tango,),
                cite="cohen1988, no_such_key",
            ),
            Section("Means", analysed(runs)),
            Section("Means", analysed(runs), tables={"systems": "The board"}, columns={"systems": ("run", "mean")}),
        ],
        title=title,
        command=("report", "qrels.txt", a, b, "-m", "RR@10 nDCG@10", "-o", "report.html"),
    )
