"""Readers against their definition: one ranking, one loop from C(i), no formula for stretches of ranks."""

import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from cranfield.core import ParameterError
from cranfield.data import assess, assess_grades
from cranfield.measures import (
    BPM,
    IFT,
    INSQ,
    INST,
    NERR8,
    NERR9,
    NERR10,
    NERR11,
    SDCG,
    Measure,
    Reader,
    measure_all,
    parse_measure,
)
from cranfield.measures.user_models.cwl_users import harmonic, trigamma

TOP = 3
EXACT = 1e-10
GoesOn = Callable[[int, float, float], float]  # rank, its gain, all gains down to it → C


def goes_on(m: Measure) -> GoesOn:
    """C(i) as the papers define it."""
    match m:
        case INSQ():
            return lambda i, g, got: ((i + 2 * m.T - 1) / (i + 2 * m.T)) ** 2
        case INST():
            return lambda i, g, got: ((i + m.T + (m.T - got) - 1) / (i + m.T + (m.T - got))) ** 2
        case SDCG():
            return lambda i, g, got: math.log(i + 1) / math.log(i + 2)
        case NERR8():
            return lambda i, g, got: 1 - g
        case NERR9():
            return lambda i, g, got: i / (i + 1) * (1 - g)
        case NERR10():
            return lambda i, g, got: m.p * (1 - g)
        case NERR11():
            return lambda i, g, got: ((i + 2 * m.T - 1) / (i + 2 * m.T)) ** 2 * (1 - g)
        case BPM():
            return lambda i, g, got: float(got < m.T - 1e-9)
        case IFT():
            return lambda i, g, got: (
                (1 - 1 / (1 + m.b1 * math.exp((m.T - got) * m.R1))) / (1 + m.b2 * math.exp((m.A - got / i) * m.R2))
            )
    raise AssertionError(m)


def literal(m: Measure, grades: Sequence[float], depth: int) -> tuple[float, float, list[float]]:
    """Value, expected number of looks, and V of every rank, down to ``depth``."""
    low, top = m.min_rel, m.max_rel  # type: ignore[attr-defined]
    on = goes_on(m)
    v, got, gained, looks = 1.0, 0.0, 0.0, 0.0
    seen = []
    for i in range(1, depth + 1):
        grade = grades[i - 1] if i <= len(grades) else -1
        g = max(grade - low, 0) / (top - low)
        seen.append(v)
        gained += v * g
        looks += v
        got += g
        v *= on(i, g, got)
    return gained / looks, looks, seen


def made(m: Measure, grades: Sequence[float]) -> tuple[float, float, list[float]]:
    """The same from the kernel, which is shown the earning documents alone; V of those."""
    assert isinstance(m, Reader)
    assessed = assess_grades([grades], [(TOP,)])
    (block,) = assessed.only(m.earns(assessed.grade)).blocks()
    there = np.isfinite(block.rank[0])
    return float(m.kernel(block)[0]), float(m.depth(block)[0]), m.seen(block)[0][there].tolist()


hope = st.sampled_from([0.5, 0.75, 1.0, 2.0, 3.5])
scale = st.fixed_dictionaries({"max_rel": st.sampled_from([TOP, 4]), "min_rel": st.sampled_from([0, 1])})
readers = st.one_of(
    *(
        st.builds(lambda cls, s, p: cls(**s, **p), st.just(cls), scale, parameters)
        for cls, parameters in (
            (INSQ, st.fixed_dictionaries({"T": hope | st.just(0.1)})),
            (INST, st.fixed_dictionaries({"T": hope})),
            (NERR10, st.fixed_dictionaries({"p": st.sampled_from([0.2, 0.9, 0.999])})),
            (NERR11, st.fixed_dictionaries({"T": hope | st.just(0.1)})),
            (
                IFT,
                st.fixed_dictionaries(
                    {"T": hope, "R1": st.sampled_from([0.3, 1.0, 4.0]), "A": st.sampled_from([0.1, 0.5])}
                ),
            ),
        )
    ),
    *(st.builds(lambda cls, s: cls(**s, k=1), st.just(cls), scale) for cls in (SDCG, NERR8, NERR9)),
    st.builds(lambda s, T: BPM(**s, T=T, k=1), scale, hope),
)
grades = st.lists(st.sampled_from([-1, -1, -1, 0, 1, 2, TOP]), max_size=30)


@given(reader=readers, ranking=grades, k=st.integers(1, 45))
def test_a_reader_is_what_its_chance_to_go_on_makes_it(reader: Measure, ranking: list[int], k: int) -> None:
    measure = reader @ k
    value, looks, seen = literal(measure, ranking, k)
    got_value, got_looks, got_seen = made(measure, ranking)
    earning = np.flatnonzero(measure.earns(np.array(ranking, dtype=float)))
    assert got_value == pytest.approx(value, abs=EXACT)
    assert got_looks == pytest.approx(looks, abs=EXACT)
    assert got_seen == pytest.approx([seen[i] if i < k else 0 for i in earning], abs=EXACT)


@pytest.mark.parametrize("written", ["INST", "INST(T=0.5)", "INST(T=2.5)", "INSQ", "INSQ(T=0.2)", "NERR11(T=2)"])
@pytest.mark.parametrize("ranking", [(), (1,), (3, 3), (0, 2, 0, 1), (1, 1, 1, 1, 1), (-1,) * 40 + (2,)])
def test_without_a_cut_off_the_list_goes_on_for_ever(written: str, ranking: tuple[int, ...]) -> None:
    measure = parse_measure(written).settled(TOP)
    depth = 50
    value, looks, seen = literal(measure, ranking, depth)
    got = sum(max(grade, 0) / TOP for grade in ranking)
    # Below the last gain V(i) falls as the inverse square of i − 1 + a.
    a = 2 * measure.T - (got if isinstance(measure, INST) else 0)  # type: ignore[attr-defined]
    rest = seen[-1] * (depth - 1 + a) ** 2 * special.zeta(2, depth + a)
    assert made(measure, ranking)[1] == pytest.approx(looks + rest, abs=EXACT)
    assert made(measure, ranking)[0] == pytest.approx(value * looks / (looks + rest), abs=EXACT)


def test_inst_of_nothing_is_a_sum_of_inverse_squares() -> None:
    # T = 1: 4 · (1/4 + 1/9 + 1/16 + …) = 4 · (π²/6 − 1)
    assert made(INST(max_rel=1), ())[1] == pytest.approx(4 * (math.pi**2 / 6 - 1), abs=1e-14)
    assert made(INSQ(max_rel=1), ())[1] == pytest.approx(4 * (math.pi**2 / 6 - 1), abs=1e-14)


def test_nerr10_of_nothing_is_a_geometric_sum() -> None:
    assert made(NERR10(p=0.9, max_rel=1), ())[1] == pytest.approx(10, abs=1e-13)


def test_a_document_far_down_is_seen_as_it_should_be() -> None:
    ranking = (-1,) * 99_999 + (1,)
    assert made(INSQ(max_rel=1), ranking)[2] == [pytest.approx((2 / 100_001) ** 2, rel=1e-14)]
    assert made(INST(max_rel=1), ranking)[2] == [pytest.approx((2 / 100_001) ** 2, rel=1e-14)]


def test_ten_tenths_are_enough_for_bpm() -> None:
    # The floats of ten gains of .1 add up to .9999999999999999; the user does not go on for that.
    assert made(BPM(T=1, max_rel=10, k=20), [1] * 12)[:2] == pytest.approx((1 / 10, 10))


def test_information_foraging_knows_no_overflow() -> None:
    measure = IFT(T=1e6, R1=1e6, A=1e6, R2=1e6, max_rel=1)
    assert made(measure, (1, 0, 1))[:2] == (1.0, 1.0)  # nothing is ever enough for a look


def test_users_of_an_endless_list_are_counted_to_rank_1000() -> None:
    everybody = IFT(b1=1e300, b2=1e-300, R1=1e-300, R2=1e-300, max_rel=1)  # who never leaves
    assert made(everybody, (1,))[1] == pytest.approx(1000)


@pytest.mark.parametrize("name", ["INST", "INSQ", "SDCG@5", "NERR8@5", "BPM@5", "IFT"])
def test_the_top_of_the_scale_is_that_of_the_judgments_and_in_the_name(name: str) -> None:
    assessed = assess({"1": {"a": 1, "b": 2}}, {"run": {"1": {"a": 1.0}}})
    (named,) = (str(measure) for measure in measure_all(assessed, name).measures)
    assert "max_rel=2" in named
    assert "max_rel=4" in str(parse_measure("INST(min_rel=3)").settled(2.0)), "nothing is relevant, and 0 for all"
    with pytest.raises(ParameterError, match=r"meets a grade above 1\nhint: the judgments go up to 2"):
        measure_all(assessed, name.replace("@", "(max_rel=1)@") if "@" in name else f"{name}(max_rel=1)")


def test_rounding_never_takes_a_user_model_above_1() -> None:
    """All of 200 documents are relevant: the gain of every look is 1, and their mean is 1 + 1.6e-15 as floats."""
    qrels = {"1": {f"d{i}": 1 for i in range(200)}}
    run = {"1": {f"d{i}": -float(i) for i in range(200)}}
    assert measure_all(assess(qrels, run), "INST(T=3)").cube.max() == 1


@pytest.mark.parametrize(
    "written", ["INST(T=0.4)", "INSQ(T=0)", "INST(min_rel=2,max_rel=2)", "NERR8", "NERR9", "SDCG", "BPM", "NERR10(p=1)"]
)
def test_what_cannot_be_is_refused_in_two_lines(written: str) -> None:
    with pytest.raises(ParameterError, match=r"\nhint: "):
        parse_measure(written)


def test_the_sums_are_those_of_scipy() -> None:
    x = np.concatenate([np.linspace(0.2, 60, 4001), np.logspace(1, 15, 99)])
    np.testing.assert_allclose(trigamma(x), special.polygamma(1, x), rtol=2e-15)
    assert trigamma(np.array([np.inf]))[0] == 0
    n = np.arange(2000.0)
    exact = [math.fsum(1 / i for i in range(1, int(m) + 1)) for m in n]
    np.testing.assert_allclose(harmonic(n), exact, rtol=0, atol=5e-15)
