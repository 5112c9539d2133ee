"""Measures of fairness: worked by hand, beside scipy and enumeration, and how groups come in."""

from itertools import permutations, product
from math import log2
from random import Random
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.spatial.distance import jensenshannon
from scipy.stats import binom, entropy

import cranfield as cf
from cranfield.core import CranfieldError
from cranfield.data import Attributes, read_attributes
from cranfield.measures.fairness.prefix_parity import adjusted, fewest
from cranfield.measures.fairness.quantification import in_groups

EXACT = 1e-12
GROUPS = {"a": "x", "b": "x", "c": "y", "d": "y", "e": "z"}
QRELS = {"t": {"a": 1, "b": 1, "c": 1, "e": 0}}  # two relevant documents of x, one of y


def value(measure: str, ranking: str, *, qrels: Any = None, attributes: Any = None, **options: Any) -> float:
    run = {"t": {document: -float(i) for i, document in enumerate(ranking)}}
    groups = GROUPS if attributes is None else attributes
    found = cf.evaluate(qrels or QRELS, {"run": run}, measure, attributes=groups, scale="ignore", **options)
    return float(found.cube[0, 0, 0])


# due to a relevant document of three: (1 + 1/2 + 1/4) / 3 = 7/12
@pytest.mark.parametrize(
    ("measure", "ranking", "expected"),
    [
        ("EE_D", "acd", 1 + (1 / 2 + 1 / 4) ** 2),  # d was not judged, and is of y all the same
        ("EE_D", "aud", 1 + (1 / 4) ** 2),  # nobody knows of u, which takes its rank
        ("EE_D@2", "acd", 1 + (1 / 2) ** 2),
        ("EE_D(attention='log')", "ac", 1 + (1 / log2(3)) ** 2),
        ("EE_R", "acd", 1 * 14 / 12 + 3 / 4 * 7 / 12),
        ("EE_R@1", "acd", 1 * 2 / 3),  # one rank for three documents: each is due a third
        ("EE_L", "acd", (1 - 14 / 12) ** 2 + (3 / 4 - 7 / 12) ** 2),
        ("EE_L(p=0.9)", "a", (1 - 2 * 2.71 / 3) ** 2 + (2.71 / 3) ** 2),
        ("AWRF(distance='absolute')", "acd", 1 - (2 / 3 - 1 / 1.75)),
        ("AWRF(distance='absolute',target='equal')", "a", 1 - 2 / 3),
        ("AWRF(distance='absolute',target='population')", "a", 1 - 3 / 5),
        ("AWRF(distance='squared')", "a", 1 - (1 / 3) ** 2),
        ("AWRF", "u", 0),
        ("DTR", "acd", (1 / 2) / (3 / 4)),
        ("DIR", "acd", 1),  # 1/2 for each: d is not relevant
        ("DIR", "ab", 0),
        ("PairParity", "aecb", 1 - (1 / 2 - 0)),  # of x one of two is above e, of y none
        ("PairParity", "abc", 1),
    ],
)
def test_values_worked_by_hand(measure: str, ranking: str, expected: float) -> None:
    assert value(measure, ranking) == pytest.approx(expected, abs=EXACT)


@pytest.mark.parametrize("ranking", ["acd", "a", "ca", "bcae"])
def test_loss_is_made_of_disparity_and_relevance(ranking: str) -> None:
    due = (14 / 12) ** 2 + (7 / 12) ** 2
    loss, disparity, relevance = (value(name, ranking) for name in ("EE_L", "EE_D", "EE_R"))
    assert loss == pytest.approx(disparity - 2 * relevance + due, abs=EXACT)


@pytest.mark.parametrize("ranking", ["acd", "e", "cae", "bcaed"])
def test_distances_are_those_of_scipy(ranking: str) -> None:
    got = dict.fromkeys("xyz", 0.0)
    for i, document in enumerate(ranking):
        got[GROUPS[document]] += 0.5**i
    shares, target = np.array(list(got.values())) / sum(got.values()), np.array([2, 1, 0]) / 3
    assert value("AWRF", ranking) == pytest.approx(1 - jensenshannon(shares, target, base=2) ** 2, abs=EXACT)
    hellinger = np.sqrt(1 - np.sqrt(shares * target).sum())
    assert value("AWRF(distance='hellinger')", ranking) == pytest.approx(1 - hellinger, abs=1e-9)
    bits = entropy(shares, target, base=2)
    assert value("AWRF(distance='kl')", ranking) == pytest.approx(np.exp(-bits), abs=EXACT)


def test_a_document_may_belong_to_several_groups() -> None:
    shared = {"document": ["a", "a", "c"], "group": ["x", "y", "y"], "share": [3.0, 1.0, 1.0]}
    assert value("EE_D", "ac", attributes=shared) == pytest.approx(0.75**2 + (0.25 + 0.5) ** 2)
    alike = {"document": ["a", "a", "c"], "group": ["x", "y", "y"]}
    assert value("EE_D", "ac", attributes=alike) == pytest.approx(0.5**2 + (0.5 + 0.5) ** 2)


@pytest.mark.parametrize("measure", ["EE_D", "EE_L@2", "EE_R", "AWRF(distance='absolute')", "EE_D(attention='log')"])
def test_random_ties_have_the_mean_exposure_of_all_orders(measure: str) -> None:
    # a alone; b, c and u share a score; d last. The exposure is a mean, the measure is of that mean.
    run = {"t": {"a": 3.0, "b": 2.0, "c": 2.0, "u": 2.0, "d": 1.0}}
    name, _, rest = measure.partition("@")
    drawn = f"{name[:-1]},random_ties=True)" if name.endswith(")") else f"{name}(random_ties=True)"
    found = cf.evaluate(QRELS, {"r": run}, f"{drawn}@{rest}" if rest else drawn, attributes=GROUPS, scale="ignore")
    got = dict.fromkeys("xy", 0.0)
    for order in permutations("bcu"):
        for rank, document in enumerate(("a", *order, "d"), 1):
            if document in GROUPS and rank <= int(rest or 9):
                got[GROUPS[document]] += (1 / log2(rank + 1) if "log" in measure else 0.5 ** (rank - 1)) / 6
    each = (1 + 1 / 2) / 3 if rest else (1 + 1 / 2 + 1 / 4) / 3
    expected = {
        "EE_D": got["x"] ** 2 + got["y"] ** 2,
        "EE_R": got["x"] * 2 * each + got["y"] * each,
        "EE_L": (got["x"] - 2 * each) ** 2 + (got["y"] - each) ** 2,
        "AWRF": 1 - abs(got["x"] / (got["x"] + got["y"]) - 2 / 3),
    }
    assert found.cube[0, 0, 0] == pytest.approx(expected[measure[:4]], abs=EXACT)


def ranked(groups: str) -> tuple[dict[str, str], str]:
    """Documents in order of their groups."""
    names = [chr(ord("a") + i) for i in range(len(groups))]
    return dict(zip(names, groups, strict=True)), "".join(names)


def prefixes(name: str, groups: str, step: int) -> float:
    """yang2017, prefix by prefix; p is the protected group."""
    n = len(groups)

    def added(order: str) -> float:
        total = 0.0
        for i in range(step, n + 1, step):
            of, all_of = order[:i].count("p"), order.count("p")
            if name == "rND":
                apart = abs(of / i - all_of / n)
            elif name == "rRD":
                here, whole = (a / b if b else 0 for a, b in ((of, i - of), (all_of, n - all_of)))
                apart = abs(here - whole)
            else:
                apart = float(entropy([of / i, 1 - of / i], [all_of / n, 1 - all_of / n], base=2))
            total += apart / log2(i)
        return total

    extremes = ("".join(sorted(groups)), "".join(sorted(groups, reverse=True)))
    most = max(map(added, extremes))
    return added(groups) / most if most else 0.0


@pytest.mark.parametrize("name", ["rND", "rRD", "rKL"])
@pytest.mark.parametrize("step", [2, 3])
def test_prefixes_are_compared_as_the_paper_has_it(name: str, step: int) -> None:
    rng = Random(step)
    for _ in range(20):
        order = "".join(rng.choice("po") for _ in range(rng.randint(step, 12)))
        if len(set(order)) < 2:
            continue
        attributes, ranking = ranked(order)
        found = value(f"{name}(group='p',step={step})", ranking, attributes=attributes)
        assert found == pytest.approx(prefixes(name, order, step), abs=1e-9), order


def test_a_ranking_shorter_than_a_step_has_no_value() -> None:
    assert np.isnan(value("rND", "abc"))


def test_the_fewest_are_quantiles_of_the_binomial() -> None:
    for share in (0.1, 0.3, 0.5, 0.7):
        ours = fewest(40, share, 0.1).tolist()
        # The smallest m with more than the level at or below it.
        assert ours == [next(m for m in range(n + 1) if binom.cdf(m, n, share) > 0.1) for n in range(1, 41)]
    assert fewest(12, 0.5, 0.1).tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 3, 3, 3, 4]  # zehlike2017, Table 1


@pytest.mark.parametrize(("length", "share"), [(8, 0.5), (10, 0.3), (12, 0.6), (11, 0.7)])
def test_the_adjusted_level_fails_as_often_as_said(length: int, share: float) -> None:
    def fails(level: float) -> float:
        least, total = fewest(length, share, level), 0.0
        for drawn in product((0, 1), repeat=length):
            if (np.cumsum(drawn) < least).any():
                total += share ** sum(drawn) * (1 - share) ** (length - sum(drawn))
        return total

    level = adjusted(length, share, 0.1)
    assert fails(level) <= 0.1 + EXACT
    assert level == 0.1 or fails(level * 1.0001) > 0.1
    assert (level == 0.1) == (fails(0.1) <= 0.1)


@pytest.mark.parametrize(
    ("measure", "order", "expected"),
    [
        ("FAIR(adjust=False,group='p')@4", "ooop", 1),
        ("FAIR(adjust=False,group='p')@5", "oooop", 0),
        ("FAIR(adjust=False,group='p')@3", "oooop", 1),
        ("FAIR(group='p',level=0.05)@4", "oooo", 1),  # 1/16 of all rankings are so
        ("FAIR(group='p',share=0.9)@4", "oooo", 0),
    ],
)
def test_ranked_group_fairness(measure: str, order: str, expected: int) -> None:
    attributes, ranking = ranked(order)
    assert value(measure, ranking, attributes=attributes | {"z": "p"}) == expected


# Groups from files


@pytest.mark.parametrize("suffix", ["tsv", "txt", "csv", "header.csv", "parquet", "jsonl"])
def test_groups_come_from_any_table(suffix: str, tmp_path: Any) -> None:
    frame = pl.DataFrame({"document": ["007", "b"], "group": ["x", "y"], "share": [1.0, 2.0]})
    path = tmp_path / f"groups.{suffix}"
    match suffix:
        case "parquet":
            frame.write_parquet(path)
        case "jsonl":
            frame.write_ndjson(path)
        case "header.csv":
            frame.write_csv(path)
        case _:
            frame.write_csv(path, include_header=False, separator={"tsv": "\t", "txt": " ", "csv": ","}[suffix])
    for given in (path, frame, frame.to_pandas(), frame.drop("share")):
        found: Attributes = read_attributes(given)
        assert (found.groups, found.share.tolist()) == (("x", "y"), [[1, 0], [0, 1]])
        assert found.documents.to_list() == ["007", "b"]


@pytest.mark.parametrize(
    ("data", "code", "problem"),
    [
        ({"document": ["a"], "group": ["x"]}, "E-COLUMNS", "all documents are in one group, x"),
        ({"document": ["a", "b"], "group": ["x", "y"], "share": [1, -1]}, "E-RANGE", "share -1 in row 1 is below 0"),
        ({"document": ["a", "b"], "group": ["x", "y"], "share": [1, 0]}, "E-RANGE", "document b has no share"),
        ({"document": ["a"]}, "E-COLUMNS", "there is no column for the group"),
        ({"document": [], "group": []}, "E-EMPTY", "there are no documents"),
    ],
)
def test_groups_that_cannot_be(data: Any, code: str, problem: str) -> None:
    with pytest.raises(cf.InputError) as error:
        value("AWRF", "a", attributes=data)
    assert error.value.code == code
    assert problem in error.value.problem


@pytest.mark.parametrize(
    ("options", "problem", "hint"),
    [
        ({"measures": "AWRF"}, "AWRF needs attributes", "--attributes FILE"),
        ({"measures": "AP", "attributes": GROUPS}, "no measure asks for attributes", "AWRF@20"),
        ({"measures": "rND(group='q',step=2)", "attributes": GROUPS}, "no document is in the group 'q'", "x, y, z"),
        ({"measures": "FAIR", "attributes": GROUPS}, "FAIR needs a cut-off", "FAIR@10"),
        ({"measures": "EE_D(random_ties=True,judged_only=True)"}, "nobody knows what was tied", "leave out one"),
    ],
)
def test_what_is_refused(options: dict[str, Any], problem: str, hint: str) -> None:
    with pytest.raises(CranfieldError) as error:
        cf.evaluate(QRELS, {"run": {"t": {"a": 1.0, "c": 0.5}}}, **options)
    assert problem in error.value.problem
    assert hint in error.value.hint


def test_the_file_is_in_the_provenance_and_runs_come_from_files_too(tmp_path: Any) -> None:
    (tmp_path / "run.txt").write_text("t Q0 a 1 3 r\nt Q0 c 2 2 r\nt Q0 d 3 1 r\n")
    (tmp_path / "groups.tsv").write_text("".join(f"{d}\t{g}\n" for d, g in GROUPS.items()))
    groups = tmp_path / "groups.tsv"
    values = cf.evaluate(QRELS, tmp_path / "run.txt", "EE_D AP", attributes=groups, scale="ignore")
    assert values.cube[0, 0].tolist() == pytest.approx([1 + 0.75**2, (1 + 1) / 3])
    assert [source.kind for source in values.made_by.inputs] == ["qrels", "run", "attributes"]


# A classifier says .9 or .1 of every document, and as often the one as the other: half are of x before.
LIKELY: dict[str, list[Any]] = {"document": [], "group": [], "share": []}
for document, of_x in [*((d, 0.9) for d in "abcz"), *((d, 0.1) for d in "dwvy")]:
    LIKELY["document"] += [document, document]
    LIKELY["group"] += ["x", "y"]
    LIKELY["share"] += [of_x, 1 - of_x]


@pytest.mark.parametrize(
    ("count", "of_x"),
    [
        ("shares", (3 * 0.9 + 0.1) / 4),
        ("likeliest", 3 / 4),
        # 3 log(.1 + .8 p) + log(.9 - .8 p) is highest where 3 (.9 - .8 p) = .1 + .8 p
        ("em", (3 * 0.9 - 0.1) / (4 * 0.8)),
    ],
)
def test_groups_that_are_only_likely(count: str, of_x: float) -> None:
    asked = f"AWRF(attention='even',count='{count}',distance='absolute',target='population')@4"
    assert value(asked, "abcdwvy", attributes=LIKELY) == pytest.approx(1 - (of_x - 1 / 2), abs=1e-8)
    # Where the same documents are relevant that stand on top, by any way of counting, they get what is due to them.
    relevant = {"t": dict.fromkeys("abcd", 1)}
    asked = f"AWRF(attention='even',count='{count}')@4"
    assert value(asked, "abcdwvy", qrels=relevant, attributes=LIKELY) == pytest.approx(1, abs=1e-8)


def test_likely_groups_count_by_attention() -> None:
    """Two ranks, of attention 1 and 1/2: (.1 + .8 p) (.9 - .8 p)^(1/2) is highest where .9 - .8 p = (.1 + .8 p) / 2."""
    of_x = (0.9 - 0.05) / 1.2
    asked = "AWRF(count='em',distance='absolute',target='population')@2"
    assert value(asked, "ad", attributes=LIKELY) == pytest.approx(1 - (of_x - 1 / 2), abs=1e-8)


def test_a_group_for_sure_is_counted_alike_in_every_way() -> None:
    for measure in ("EE_L", "EE_D", "EE_R", "AWRF", "DTR", "DIR"):
        found = [value(f"{measure}(count='{count}')", "acdb") for count in ("shares", "likeliest", "em")]
        assert found == pytest.approx(found[:1] * 3, abs=EXACT), measure


def test_rows_do_not_see_each_other_in_expectation_maximisation() -> None:
    draw = np.random.default_rng(3)
    share, row = draw.dirichlet((1, 1, 1), 60), np.repeat(np.arange(3), 20)
    before, weight = np.full((3, 3), 1 / 3), draw.uniform(0.1, 1, 60)
    together = in_groups("em", share, weight, row, before)
    for r in range(3):
        own = row == r
        alone = in_groups("em", share[own], weight[own], np.zeros(20, np.int64), before[:1])
        assert alone[0].tolist() == together[r].tolist()
    assert together.sum(axis=1) == pytest.approx(np.bincount(row, weight), abs=EXACT)
