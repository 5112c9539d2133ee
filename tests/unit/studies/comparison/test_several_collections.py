"""The study of several collections: the tables are tested with the statistics, here how they come together."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import cranfield as cf
from cranfield.core import ParameterError, Study
from cranfield.simulate import Campaign


def rows(study: Study, table: str) -> list[dict[str, Any]]:
    return study[table].rows()


@pytest.fixture(scope="module")
def listed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three collections with the same four systems."""
    folder = tmp_path_factory.mktemp("collections")
    lines = ["collection,qrels,system,run"]
    for i in range(3):
        name = f"c{i}"
        written = Campaign(topics=15, groups=4, runs=4, depth=40, seed=i).write(folder / name)
        lines += [f"{name},{name}/qrels.txt,s{j},{name}/runs/{run.name}" for j, run in enumerate(written.runs)]
    (folder / "list.csv").write_text("\n".join(lines) + "\n")
    return folder / "list.csv"


def test_effects_of_each_collection(listed: Path) -> None:
    study = cf.across(listed, "AP", baseline="s0")
    assert {(row["a"], row["b"]) for row in rows(study, "pooled")} == {("s0", f"s{j}") for j in (1, 2, 3)}
    for i in range(3):
        folder = listed.parent / f"c{i}"
        runs = sorted((folder / "runs").iterdir())
        matrix = cf.evaluate(folder / "qrels.txt", runs, "AP").matrix()
        names = {run.stem: j for j, run in enumerate(runs)}
        order = [
            names[Path(line.split(",")[3]).stem] for line in listed.read_text().splitlines()[1 + 4 * i : 5 + 4 * i]
        ]
        gap = matrix[:, order[1]] - matrix[:, order[0]]
        row = next(r for r in rows(study, "collections") if (r["b"], r["collection"]) == ("s1", f"c{i}"))
        assert row["difference"] == pytest.approx(gap.mean())
        assert row["p"] == pytest.approx(stats.ttest_1samp(gap, 0).pvalue)
        assert row["topics"] == 15
    assert sum(row["weight"] for row in rows(study, "collections") if row["b"] == "s1") == pytest.approx(1)


def test_friedman_over_collections(listed: Path) -> None:
    study = cf.across(listed, "AP")
    means = np.array(
        [
            [
                cf.evaluate(listed.parent / line.split(",")[1], listed.parent / line.split(",")[3], "AP")
                .matrix()
                .mean()
                for line in listed.read_text().splitlines()[1 + 4 * i : 5 + 4 * i]
            ]
            for i in range(3)
        ]
    )
    row = rows(study, "friedman")[0]
    assert row["statistic"] == pytest.approx(stats.friedmanchisquare(*means.T).statistic)
    assert (row["systems"], row["collections"], row["df"]) == (4, 3, 3)
    assert study.sentence
    assert study.charts == ("forest",)
    assert {source.kind for source in study.made_by.inputs} == {"qrels", "run"} if study.made_by else False


def test_tables_of_scores(tmp_path: Path) -> None:
    for name, gap in (("one", 0.1), ("two", 0.2)):
        cells = "\n".join(f"{t},{0.1 * t},{0.1 * t + gap + 0.01 * (t % 2)}" for t in range(1, 7))
        (tmp_path / f"{name}.csv").write_text(f"topic,A,B\n{cells}\n")
    (tmp_path / "list.csv").write_text("collection,scores\none,one.csv\ntwo,two.csv\n")
    study = cf.across(tmp_path / "list.csv")
    assert [row["difference"] for row in rows(study, "collections")] == pytest.approx([0.105, 0.205])
    pooled = rows(study, "pooled")[0]
    assert 0.105 < pooled["difference"] < 0.205
    assert pooled["predicted_low"] is None  # two collections predict nothing


def test_refusals(tmp_path: Path, listed: Path) -> None:
    with pytest.raises(ParameterError, match="level"):
        cf.across(listed, level=2)
    with pytest.raises(ParameterError):
        cf.across(listed, baseline="nobody")


def study_of(tmp_path: Path, *differences: list[float], third: list[list[float]] | None = None) -> Study:
    """Two systems with these differences in the topics of each collection, and a third one if it is given."""
    lines = ["collection,scores"]
    for i, each in enumerate(differences):
        more = [""] * len(each) if third is None else [f",{0.5 + gap}" for gap in third[i]]
        cells = "\n".join(f"{t},0.5,{0.5 + gap}{last}" for t, (gap, last) in enumerate(zip(each, more, strict=True)))
        (tmp_path / f"{i}.csv").write_text(f"topic,A,B{',C' * (third is not None)}\n{cells}\n")
        lines.append(f"c{i},{i}.csv")
    (tmp_path / "list.csv").write_text("\n".join(lines) + "\n")
    return cf.across(tmp_path / "list.csv")


def around(mean: float) -> list[float]:
    """Two differences with this mean and a standard error of .01."""
    return [mean - 0.01, mean + 0.01]


# Four means .1, .102, .098, .1 have a sum of squares of 8e-6, so the error is √(8e-6 / 3 / 4) = .000816; t with three
# degrees of freedom has 3.182 at .05. Means 0 and .04: the error is .02, t with one degree of freedom has 12.71.
@pytest.mark.parametrize(
    ("means", "kind", "ends"),
    [
        ((0.1, 0.102, 0.098, 0.1), "better", (0.0974, 0.1026)),
        ((-0.1, -0.102, -0.098, -0.1), "worse", (-0.1026, -0.0974)),
        ((0.0, 0.04), "inconclusive", (-0.2341, 0.2741)),
    ],
)
def test_the_verdict_on_a_pair(means: tuple[float, ...], kind: str, ends: tuple[float, float], tmp_path: Path) -> None:
    study = study_of(tmp_path, *map(around, means))
    (row,) = rows(study, "verdicts")
    assert (row["low"], row["high"]) == pytest.approx(ends, abs=5e-5)
    assert row["p_adjusted"] == row["p"]
    assert study.verdict is not None
    assert study.verdict["verdict"] == row["verdict"] == kind
    assert (kind in study.sentence) == (kind != "inconclusive")
    assert f"B has the higher score in {sum(mean > 0 for mean in means)} of {len(means)} collections" in study.sentence


@pytest.mark.parametrize(("collections", "kind"), [(2, "inconclusive"), (5, "inconclusive"), (6, "better")])
@pytest.mark.parametrize("each", [[0.1, 0.1], [0.05, 0.15]], ids=["no spread", "equal means"])
def test_one_difference_in_all_collections_is_tested_exactly(
    each: list[float], collections: int, kind: str, tmp_path: Path
) -> None:
    """Of 2⁵ signs 2 are as extreme: 2/32 = .0625, and 2/64 = .031 for six collections."""
    study = study_of(tmp_path, *[each] * collections)
    (row,) = rows(study, "verdicts")
    assert row["p"] == row["p_adjusted"] == pytest.approx(2.0 ** (1 - collections))
    assert row["verdict"] == kind
    assert (row["low"] is None) == (kind == "inconclusive")
    assert "All collections have the same difference" in study.sentence


def test_several_pairs_are_corrected_and_named(tmp_path: Path) -> None:
    b, c = [around(mean) for mean in (0.1, 0.102, 0.098)], [around(mean) for mean in (0.0, 0.03, -0.02)]
    study = study_of(tmp_path, *b, third=c)
    found, pooled = rows(study, "verdicts"), rows(study, "pooled")
    order = sorted(range(3), key=lambda i: pooled[i]["p"])
    smallest = order[0]
    assert found[smallest]["p_adjusted"] == pytest.approx(min(1, 3 * pooled[smallest]["p"]))  # Holm's first step
    for row, one in zip(found, pooled, strict=True):
        error = (one["high"] - one["low"]) / 2 / stats.t.ppf(0.975, 2)
        half = stats.t.ppf(1 - 0.05 / 6, 2) * error  # Bonferroni over three pairs
        assert (row["low"], row["high"]) == pytest.approx((one["difference"] - half, one["difference"] + half))
    assert study.verdict is not None
    assert study.verdict["verdict"] is None
    counts = [study.verdict[kind] for kind in ("better", "worse", "inconclusive")]
    assert sum(counts) == study.verdict["pairs"] == 3
    assert "B over A" in study.sentence
