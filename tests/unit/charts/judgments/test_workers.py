"""Charts of crowds: workers, ways to merge, orders of runs, doubt, machines, stopping, strengths."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import cranfield as cf
from cranfield.charts import Machines, draw
from cranfield.charts.theme import COLOURS
from cranfield.core import ParameterError
from tests.support.chart_tables.crowds import (
    CLEAR,
    CLOSE,
    COUNTS,
    FOUR,
    JUDGED,
    ORDERS,
    TABLES,
    THREE,
    aggregations,
    confusion,
    noise,
    orders,
    stopping,
    strengths,
    workers,
)
from tests.support.rendered_charts import finding, layers, rows_of, seen, texts, told, words

CHARTS = ("workers", "aggregations", "label-orders", "label-noise", "machines", "stopping", "strengths")
ODD = "\x1b[31m</script>{}\n\u202e{{}}"


def study(tables: Mapping[str, cf.Table]) -> cf.Study:
    return cf.Study("crowd", tables, charts=CHARTS)


# Workers


def test_spammers_are_named_with_their_part_of_the_labels() -> None:
    made = workers(FOUR)
    # 20 of 200 labels.
    assert finding(made, "workers") == ("spam, 1 of 4 workers with 10.0% of the labels, answers as if without looking")
    assert told(made, "workers").endswith("spam: always 1: others choose otherwise for 12 of 20")
    points = {row["worker"]: row for row in rows_of(made, "workers", "point")}
    assert {name: row["looks"] for name, row in points.items() if row["looks"] != "other workers"} == {
        "spam": "as if without looking"
    }
    assert points["llm"]["kind"] == "machine"
    assert set(texts(made, "workers")) == {"ann", "bob", "spam", "llm"}
    # .9 · 100 + .7 · 60 + .4 · 20 + .8 · 20 = 156 of 200.
    (rule,) = [rows for mark, encoded, rows in layers(draw(made, "workers")) if mark.get("strokeDash")]
    assert rule[0]["every"] == pytest.approx(0.78)


def test_several_spammers_and_none() -> None:
    many = [(f"s{i}", "person", 50, 0.5, True, "no better than chance") for i in range(5)]
    assert finding(workers([*many, *FOUR[:1]]), "workers") == (
        "s0, s1, s2 and 2 more, 5 of 6 workers with 71.4% of the labels, answer as if without looking"
    )  # 250 of 350
    assert told(workers(many), "workers").count("no better than chance") == 3
    good = [row for row in FOUR if not row[4]]
    assert finding(workers(good), "workers") == "None of 3 workers answers as if without looking"
    # Quarters of .5, .6, .7, .8, .9.
    five = workers([(f"w{i}", "person", 10 + i, 0.5 + i / 10, False, None) for i in range(5)])
    assert finding(five, "workers") == (
        "None of 5 workers answers as if without looking; half of them say what is merged 60% to 80% of the time"
    )


def axis_of(made: cf.Table) -> dict[str, Any]:
    return next(encoded["x"] for mark, encoded, _ in layers(draw(made, "workers")) if mark["type"] == "point")


def test_very_different_numbers_of_labels_stand_on_a_logarithmic_axis() -> None:
    assert axis_of(workers(FOUR))["scale"]["type"] == "log"  # 100 is five times 20
    assert "type" not in axis_of(workers(FOUR[:2]))["scale"]


def test_of_many_workers_only_those_in_question_have_names_and_intervals(tmp_path: Path) -> None:
    # 500 workers in 50 places, and four more.
    crowd = [(f"w{i}", "person", 10 * (i % 10 + 1), 0.5 + (i % 5) / 10, False, None) for i in range(496)]
    made = workers([*FOUR, *crowd])
    intervals = [rows for _, encoded, rows in layers(draw(made, "workers")) if "y2" in encoded]
    assert sorted(row["worker"] for row in intervals[0]) == ["llm", "spam"]
    assert set(texts(made, "workers")) == {"llm", "spam"}
    points = rows_of(made, "workers", "point")
    assert sum(row["workers"] for row in points) == 500
    largest = max(row["workers"] for row in points)
    assert f"line: interval of those in question; large dots: workers in one place, up to {largest}" in told(
        made, "workers"
    )
    plain = told(workers(crowd), "workers")
    assert "interval" not in plain
    assert "<svg" in seen(made, "workers", tmp_path)


# Ways to merge


def test_with_gold_the_most_accurate_stands_on_top() -> None:
    made = aggregations(JUDGED)
    assert finding(made, "aggregations") == "glad is right for 72.0% of 50 gold items, majority for 66.0%"
    dots = rows_of(made, "aggregations", "point")
    assert [(row["method"], row["counts"]) for row in dots] == [("glad", False), ("mace", True), ("majority", False)]
    assert told(made, "aggregations") == (
        "line: interval; dashed: the majority vote; in colour: mace, whose labels count"
    )
    # 31 of 200 changed, 10 of 200 tied.
    assert {"72.0%", "15.5%", "5.0%"} <= {
        word.replace("\N{NO-BREAK SPACE}", " ") for word in texts(made, "aggregations")
    }
    (rule,) = [rows for mark, _, rows in layers(draw(made, "aggregations")) if mark.get("strokeDash")]
    assert rule == [{"low": 0.66}]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ({"mace": (0, 0.5), "glad": (0, 0.5)}, "All 2 ways to merge labels are right for 50.0% of 50 gold items"),
        ({"mace": (0, 0.5)}, "mace is right for 50.0% of 50 gold items"),
        ({"majority": (0, 0.5), "glad": (3, 0.4)}, "majority is right for 50.0% of 50 gold items"),
        (
            {"a": (1, 0.5), "b": (2, 0.5), "majority": (0, 0.4)},
            "a and b are right for 50.0% of 50 gold items, majority for 40.0%",
        ),
        (
            {**dict.fromkeys("abcd", (1, 0.5)), "majority": (0, None), "e": (2, 0.1)},
            "a and 3 others are right for 50.0% of 50 gold items",
        ),
    ],
)
def test_who_is_right_most_often(rows: dict[str, tuple[int, float | None]], said: str) -> None:
    assert finding(aggregations(rows), "aggregations") == said


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"mace": 20, "majority": 0, "glad": 31}, "glad changes 15.5% of 200 items in the majority vote, mace 10.0%"),
        ({"mace": 0, "majority": 0, "glad": 31}, "glad changes 15.5% of 200 items in the majority vote, mace none"),
        ({"majority": 0, "glad": 31}, "glad changes 15.5% of 200 items in the majority vote"),
        ({"majority": 0, "glad": 0}, "No method changes the majority vote of 200 items"),
        ({"majority": 0}, "The majority vote is tied for 5.0% of 200 items"),
    ],
)
def test_without_gold_it_is_what_changes(changed: dict[str, int], said: str) -> None:
    made = aggregations({method: (n, None) for method, n in changed.items()}, gold=0)
    assert finding(made, "aggregations") == said
    bars = rows_of(made, "aggregations", "bar")
    assert [row["share"] for row in bars] == sorted(n / 200 for n in changed.values())


def test_of_very_many_methods_the_first_are_drawn() -> None:
    made = aggregations({f"mace(seed={i})": (i, 0.5 + i / 100) for i in range(40)})
    assert len(rows_of(made, "aggregations", "point")) == 30
    assert told(made, "aggregations").endswith("the first 30 of 40 methods")


# Orders of runs


@pytest.mark.parametrize(
    ("ranks", "said"),
    [
        (
            THREE,
            "run 0 is first by AP under every way to merge labels, run 1 under gold; runs move by up to 2 ranks",
        ),
        (
            {"mace": (1, 2, 3, 4), "majority": (2, 1, 3, 4), "glad": (3, 1, 2, 4)},
            "run 0 is first by AP under 1 of 3 ways to merge labels; run 0 moves most, between ranks 1 and 3",
        ),
        (
            {"mace": (1, 2), "gold": (1, 2)},
            "run 0 is first by AP under every way to merge labels, and under gold; no run changes its rank",
        ),
    ],
)
def test_what_merging_does_to_the_order(ranks: dict[str, tuple[int, ...]], said: str) -> None:
    assert finding(orders(ranks), "label-orders") == said


def test_runs_that_move_have_a_colour_and_all_a_name_at_both_ends() -> None:
    picture = draw(orders(THREE), "label-orders")
    lines = [(mark["color"], rows) for mark, _, rows in layers(picture) if mark["type"] == "line"]
    # Under three methods run 1 goes from 2 to 3 to 1, run 3 from 4 to 2 to 4; both by 2, the others by 1.
    assert [colour for colour, _ in lines] == list(COLOURS[:4])
    assert [row["y"] for row in lines[0][1]] == [2, 3, 1]
    said = words(picture)
    assert {f"run {i} · {i + 1}" for i in range(4)} <= set(said)
    assert {"2 · run 0", "1 · run 1", "3 · run 2", "4 · run 3"} <= set(said)
    assert {"mace", "majority", "gold"} <= set(said)
    still = draw(orders({"mace": (1, 2), "gold": (1, 2)}), "label-orders")
    assert [mark["color"] for mark, _, _ in layers(still) if mark["type"] == "line"] == ["#bdbdbd"]


def test_runs_without_a_rank_and_other_measures() -> None:
    gaps = orders({"mace": (1, None, 2), "glad": (1, 2, 3)})
    assert "run 1 ·" not in " ".join(words(draw(gaps, "label-orders")))
    assert "2 · run 1" in words(draw(gaps, "label-orders"))
    both = cf.Table.from_rows([*orders(THREE).rows(), *orders(THREE, "RR").rows()], ORDERS)
    assert draw(both, "label-orders").to_dict() == draw(orders(THREE), "label-orders").to_dict()
    with pytest.raises(ParameterError, match="there is nothing to compare: the order is of one method"):
        draw(orders({"mace": (1, 2)}), "label-orders")


def test_of_many_runs_the_first_are_drawn(tmp_path: Path) -> None:
    made = orders({"mace": tuple(range(1, 61)), "glad": (*range(2, 61), 1)})
    assert told(made, "label-orders").endswith("the first 40 of 60 runs")
    assert len([word for word in words(draw(made, "label-orders")) if word.startswith("run ")]) == 40
    assert "run 39" in seen(made, "label-orders", tmp_path)


@pytest.mark.parametrize(
    ("ranks", "said"),
    [
        (((1, 1), (2, 3), (2, 3)), "run0 stays first by AP when unsure labels are drawn again"),
        (((1, 2), (2, 3), (2, 3)), "run0, first by AP, has rank 1 to 2 when unsure labels are drawn again"),
        (
            ((1, 2), (1, 3), (1, 3)),
            "run0, first by AP, has rank 1 to 2 when unsure labels are drawn again; 2 other runs may be first, too",
        ),
        (
            ((1, 1), (1, 3), (None, None)),
            "run0, first by AP, keeps rank 1 when unsure labels are drawn again; 1 other run may be first, too",
        ),
    ],
)
def test_what_doubt_in_labels_does(ranks: tuple[tuple[int | None, int | None], ...], said: str) -> None:
    made = noise([(0.9 - i / 10, 0.5, 0.95, *each) for i, each in enumerate(ranks)])
    assert finding(made, "label-noise") == said
    drawn = rows_of(made, "label-noise", "tick")
    assert [row["first"] for row in drawn] == [low == 1 for low, _ in ranks]


def test_ranks_in_words_and_values_outside_of_what_is_drawn() -> None:
    made = noise([(0.9, 0.7, 0.8, 1, 1), (0.6, 0.5, 0.7, 2, 4), (0.4, 0.3, 0.5, None, None)])
    assert {"run0", ".900", "1", "2–4", "–", "ranks drawn"} <= set(texts(made, "label-noise"))
    assert told(made, "label-noise").endswith("1 of 3 values outside the bar: doubt pulls them one way")
    assert "outside" not in told(noise([(0.6, 0.5, 0.7, 1, 1)]), "label-noise")
    many = noise([(0.5, 0.4, 0.6, 1, 50)] * 50)
    assert len(rows_of(many, "label-noise", "tick")) == 40
    assert told(many, "label-noise").endswith("the first 40 of 50 runs")


# Machines

FAVOURED = ("machine", "measure", "run", "people", "machine_value", "difference", "rank", "machine_rank")


def favoured(rows: Mapping[str, Sequence[tuple[float | None, float | None]]], measure: str = "AP") -> cf.Table:
    """Values of run 0, 1, … by people, and how far each machine is from them."""
    full = [
        (machine, measure, f"run{i}", people, 0.0, difference, 1, 1)
        for machine, each in rows.items()
        for i, (people, difference) in enumerate(each)
    ]
    return cf.Table.from_rows([dict(zip(FAVOURED, row, strict=True)) for row in full], FAVOURED)


def agreeing(**kappa: float | None) -> cf.Table:
    return cf.Table({"machine": list(kappa), "kappa": list(kappa.values())})


def title(picture: Any) -> str:
    text = picture.to_dict()["title"]["text"]
    return (text if isinstance(text, str) else " ".join(text)).replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.parametrize(
    ("machines", "said"),
    [
        ({"llm": COUNTS}, "llm agrees with people on 75.0% of 100 items, higher on 20.0%, lower on 5.0%"),
        (
            {"llm": COUNTS, "big": ((9, 1), (0, 10))},
            "big agrees with people on 95.0% of 20 items, llm on 75.0% of 100 items",
        ),
        (
            {"llm": COUNTS, "big": ((9, 1), (0, 10)), "mid": ((8, 2), (0, 10))},
            "3 LLM judges agree with people on 95.0% (big) to 75.0% (llm) of their items",
        ),
    ],
)
def test_how_often_machines_say_what_people_say(machines: dict[str, Any], said: str) -> None:
    assert finding(confusion(machines), "machines") == said


def test_the_squares() -> None:
    picture = draw(confusion({"llm": COUNTS}), "machines")
    cells = next(rows for mark, _, rows in layers(picture) if mark["type"] == "rect")
    assert {(cell["people"], cell["said"]): cell["share"] for cell in cells} == {
        ("0", "0"): 0.75,
        ("0", "1"): 0.25,
        ("1", "0"): 0.25,
        ("1", "1"): 0.75,
    }
    assert {"80", "20"} <= set(words(picture))
    assert Machines().draw(confusion({"llm": COUNTS})).to_dict() == picture.to_dict()
    # A share of none has no words, a small one is no nothing.
    rare = words(draw(confusion({"llm": ((999, 1), (0, 10))}), "machines"))
    assert "" in rare
    assert "<\N{NO-BREAK SPACE}1%" in rare
    fine = draw(confusion({"llm": [[int(i == j) for i in range(12)] for j in range(12)]}), "machines").to_dict()
    assert fine["vconcat"][0]["width"] >= 12 * 26


@pytest.mark.parametrize(
    ("n", "grades", "lines"), [(2, 2, [2]), (3, 4, [3]), (4, 4, [3, 1]), (3, 6, [2, 1]), (8, 2, [3, 3])]
)
def test_so_many_machines(n: int, grades: int, lines: list[int]) -> None:
    counts = [[1] * grades for _ in range(grades)]
    made = confusion({f"m{i}": counts for i in range(n)})
    found = draw(made, "machines").to_dict()["vconcat"]
    assert [len(line.get("hconcat", [line])) for line in found] == lines
    assert ("the first 6 of 8 LLM judges" in told(made, "machines")) is (n > 6)


def test_a_study_adds_kappa_and_runs(tmp_path: Path) -> None:
    # The mean difference is .1: run1 is .1 above it.
    tables = {
        "machine_confusion": confusion({"llm": COUNTS}),
        "machines": agreeing(llm=0.375),
        "machine_runs": favoured({"llm": [(0.5, 0.0), (0.4, 0.2), (0.3, 0.1)]}),
    }
    picture = draw(study(tables), "machines")
    assert title(picture).endswith("lower on 5.0%; largest gain of a run: run1, +.100 from the mean of all runs")
    whole = picture.to_dict()
    assert whole["vconcat"][0]["title"]["subtitle"].replace("\N{NO-BREAK SPACE}", " ") == "75.0% equal, κ .38"
    assert "a run above it gains" in " ".join(whole["title"]["subtitle"])
    dots = next(rows for mark, _, rows in layers(picture) if mark["type"] == "point")
    assert [(row["people"], row["difference"]) for row in dots] == [(0.5, 0.0), (0.4, 0.2), (0.3, 0.1)]
    assert "run1" in words(picture)
    lower = {**tables, "machine_runs": favoured({"llm": [(5, 1.0), (4, -1.0)]}, "ESL")}
    assert title(draw(study(lower), "machines")).endswith("; largest gain of a run: run1, +1 from the mean of all runs")
    assert "a run below it gains" in " ".join(draw(study(lower), "machines").to_dict()["title"]["subtitle"])


def test_several_machines_and_their_runs() -> None:
    tables = {
        "machine_confusion": confusion({"llm": COUNTS, "big": COUNTS}),
        "machine_runs": favoured({"llm": [(0.5, 0.0), (0.4, 0.1)], "big": [(0.5, -0.3), (0.4, 0.1)]}),
    }
    assert title(draw(study(tables), "machines")).endswith(
        "; largest gain of a run under big: run1, +.200 from the mean of all runs"
    )


@pytest.mark.parametrize(
    "runs",
    [
        favoured({"llm": [(0.5, 0.1)]}),  # nothing to gain on
        favoured({"llm": [(0.5, 0.1), (0.4, 0.1)]}),  # nobody gains
        favoured({"llm": [(None, None)]}),
        favoured({}),
    ],
)
def test_where_no_run_gains(runs: cf.Table) -> None:
    tables = {"machine_confusion": confusion({"llm": COUNTS}), "machine_runs": runs, "machines": agreeing()}
    assert "gains" not in title(draw(study(tables), "machines"))
    dots = any(mark["type"] == "point" for mark, _, _ in layers(draw(study(tables), "machines")))
    assert dots is any(value is not None for value in runs.cells("people"))


# Stopping


@pytest.mark.parametrize(
    ("rows", "every", "said"),
    [
        # Of the rules that err at most a hundredth more, the one with fewest labels.
        (
            [(0.01, 900, 0.1), (0.05, 500, 0.108), (0.2, 200, 0.3)],
            0.1,
            "With δ .05, 500 labels (5.0 per item) leave an error of 10.8%; all labels leave 10.0%",
        ),
        (
            [(0.01, 900, 0.2), (0.05, 500, 0.3)],
            0.1,
            "With δ .01, 900 labels (9.0 per item) leave an error of 20.0%; all labels leave 10.0%",
        ),
        ([(0.05, 500, 0.3)], None, "With δ .05, 500 labels (5.0 per item) leave an error of 30.0%"),
    ],
)
def test_how_many_labels_are_enough(rows: list[tuple[float, int, float]], every: float | None, said: str) -> None:
    made = stopping(rows, every)
    assert finding(made, "stopping") == said
    dots = rows_of(made, "stopping", "point")
    assert [(row["labels"], row["error"]) for row in dots] == sorted((n, e) for _, n, e in rows)
    assert len({f"δ {d:g}".replace("0.", ".") for d, _, _ in rows} & set(texts(made, "stopping"))) == len(rows)
    rules = [rows for mark, _, rows in layers(draw(made, "stopping")) if mark.get("strokeDash")]
    assert [rule[0]["all_error"] for rule in rules] == ([] if every is None else [every])
    assert told(made, "stopping").startswith("stopping early among 1,000 labels δ: an item is done")


# Strengths


@pytest.mark.parametrize(
    ("topics", "said"),
    [
        ({"t1": CLEAR, "t2": CLOSE}, "In 1 of 2 topics the strongest document's interval lies above that of the next"),
        (
            {"t1": CLOSE, "t2": CLOSE},
            "In none of 2 topics the strongest document's interval lies above that of the next",
        ),
        ({"t1": CLEAR}, "The interval of the strongest document lies above that of the next"),
        ({"t1": CLOSE}, "The interval of the strongest document does not lie above that of the next"),
        (
            {"t1": [(1.0, 0.1)], "t2": CLEAR},
            "In 1 of 2 topics the strongest document's interval lies above that of the next",
        ),
    ],
)
def test_where_the_strongest_is_clear(topics: dict[str, list[tuple[float | None, float]]], said: str) -> None:
    assert finding(strengths(topics), "strengths") == said


def test_strengths_of_some_topics(tmp_path: Path) -> None:
    made = strengths({f"t{i}": [*CLEAR, (None, 0.0)] for i in range(9)})
    picture = draw(made, "strengths")
    panels = [panel for line in picture.to_dict()["vconcat"] for panel in line["hconcat"]]
    assert [panel["title"]["text"] for panel in panels] == [f"t{i}" for i in range(6)]
    assert words(picture) == [f"t{i}-d{j}" for i in range(6) for j in range(3)]
    # 1 / (1 + 1/e) = .731.
    assert "1 apart, the stronger has 73% of the votes the first 6 of 9 topics" in told(made, "strengths")
    first = next(rows for mark, _, rows in layers(picture) if mark["type"] == "point")
    assert [row["first"] for row in first] == [True, False, False]
    assert "t5-d0" in seen(made, "strengths", tmp_path)
    many = strengths({"t": [(5 - i / 2, 0.1) for i in range(20)]})
    assert len(words(draw(many, "strengths"))) == 12
    assert told(many, "strengths").endswith("the 12 strongest documents of each")
    with pytest.raises(ParameterError, match="no row has strength"):
        draw(strengths({"t": [(None, 0.0)]}), "strengths")


# Of all


def odd(table: cf.Table, columns: tuple[str, ...]) -> cf.Table:
    """The table with names that try to be more than names."""
    rows = [{**row, **{name: f"{ODD}{row[name]}" for name in columns if row.get(name)}} for row in table.rows()]
    return cf.Table.from_rows(rows, table.columns, caption=table.caption)


@pytest.mark.parametrize("name", CHARTS)
def test_odd_names_are_only_names(name: str, tmp_path: Path) -> None:
    made = odd(TABLES[name], ("worker", "why", "method", "run", "machine", "topic", "document"))
    svg = seen(made, name, tmp_path)
    assert "</script>" not in svg
    assert "\x1b" not in svg
    assert "\u202e" not in svg


@pytest.mark.parametrize("name", CHARTS)
def test_nothing_is_drawn_of_nothing(name: str) -> None:
    table = TABLES[name]
    with pytest.raises(ParameterError, match=r"there is nothing to draw: .* has no rows"):
        draw(cf.Table.from_rows([], table.columns), name)


def test_a_real_study_draws_all_its_charts(tmp_path: Path) -> None:
    said = {"1": {"a": 1, "b": 0, "c": 1}, "2": {"d": 0, "e": 1, "f": 0}}
    rows = [
        {"topic": topic, "document": document, "worker": worker, "grade": int(grade) if worker != "w3" else 1}
        for worker in ("w1", "w2", "w3", "llm")
        for topic, grades in said.items()
        for document, grade in grades.items()
    ]
    runs = {"up": {"1": {"a": 2.0, "b": 1.0}, "2": {"e": 2.0}}, "down": {"1": {"b": 2.0, "c": 1.0}, "2": {"d": 2.0}}}
    columns = {name: [row[name] for row in rows] for name in ("topic", "document", "worker", "grade")}
    labels = cf.data.read_labels(columns, machines=("llm",))
    found = cf.studies.crowd(labels, runs=runs, measures="AP", stopping=True, draws=5)
    assert set(found.charts) == {*CHARTS} - {"strengths"}
    for name in found.charts:
        picture = draw(found, name)
        cf.charts.save(picture, tmp_path / f"{name}.svg")
        assert title(picture)
    # Two say the same, the third always 1; the machine says what the two say.
    assert title(draw(found, "machines")).startswith("llm agrees with people on 100.0% of 6 items")
    assert any(mark["type"] == "point" for mark, _, _ in layers(draw(found, "machines")))
