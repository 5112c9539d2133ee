"""Corrections by their definitions, beside R and scipy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from scipy.stats import false_discovery_control

from cranfield.core import UnknownName
from cranfield.stats.multiple.corrections import CORRECTIONS

P = np.array([0.001, 0.04, 0.03, 0.2, 0.03, 0.8, 0.0001])
chances = arrays(float, st.integers(1, 12), elements=st.floats(0, 1))
NAMES = CORRECTIONS.names()


def adjust(name: str, p: NDArray[np.float64]) -> NDArray[np.float64]:
    return CORRECTIONS[name]().adjust(p)


def defined(name: str, p: NDArray[np.float64]) -> list[float]:
    """The definitions, one p-value at a time: the smallest level at which the procedure would reject it, closed form.

    With the p-values in order, the i-th of N is compared with the level times a share: reject up to the first failure
    (Holm), or up to the last success (Hochberg, Benjamini).
    """
    n = len(p)
    order = sorted(range(n), key=lambda i: p[i])
    harmonic = sum(1 / i for i in range(1, n + 1))
    place = np.arange(1, n + 1)
    factor = {
        "none": np.ones(n),
        "bonferroni": np.full(n, n),
        "holm": n + 1 - place,
        "hochberg": n + 1 - place,
        "bh": n / place,
        "by": harmonic * n / place,
    }[name]
    out = [0.0] * n
    for at, i in enumerate(order):
        reach = range(at + 1) if name == "holm" else range(at, n) if name in ("hochberg", "bh", "by") else [at]
        worst = max if name == "holm" else min
        out[i] = min(1.0, worst(factor[j] * p[order[j]] for j in reach))
    return out


@pytest.mark.parametrize("name", NAMES)
@given(p=chances)
def test_each_is_what_its_definition_says(name: str, p: NDArray[np.float64]) -> None:
    assert adjust(name, p) == pytest.approx(defined(name, p), rel=1e-12)


@pytest.mark.parametrize(
    ("name", "expected"),
    [  # R 4.2.2: p.adjust(c(.001, .04, .03, .2, .03, .8, .0001), "holm") and so on
        ("bonferroni", [0.007, 0.28, 0.21, 1, 0.21, 1, 0.0007]),
        ("holm", [0.006, 0.15, 0.15, 0.4, 0.15, 0.8, 0.0007]),
        ("hochberg", [0.006, 0.12, 0.12, 0.4, 0.12, 0.8, 0.0007]),
        ("bh", [0.0035, 0.056, 0.0525, 0.23333333333333336, 0.0525, 0.8, 0.0007]),
        ("by", [0.009075, 0.1452, 0.136125, 0.605, 0.136125, 1, 0.001815]),
    ],
)
def test_numbers_of_r(name: str, expected: list[float]) -> None:
    assert adjust(name, P) == pytest.approx(expected, rel=1e-12)


@given(p=chances)
def test_false_discoveries_as_scipy_has_them(p: NDArray[np.float64]) -> None:
    assert adjust("bh", p) == pytest.approx(false_discovery_control(p, method="bh"), rel=1e-12)
    assert adjust("by", p) == pytest.approx(false_discovery_control(p, method="by"), rel=1e-12)


@given(p=chances)
def test_who_is_stricter(p: NDArray[np.float64]) -> None:
    none, bonferroni, holm, hochberg, bh, by = (adjust(name, p) for name in NAMES)
    near = 1 + 1e-12
    assert (none <= bh * near).all()
    assert (bh <= hochberg * near).all()
    assert (hochberg <= holm * near).all()
    assert (holm <= bonferroni * near).all()
    assert (bh <= by * near).all()


@pytest.mark.parametrize("name", NAMES)
@given(p=chances)
def test_order_is_kept_and_a_share_stays_one(name: str, p: NDArray[np.float64]) -> None:
    adjusted = adjust(name, p)
    assert (np.diff(adjusted[np.argsort(p)]) >= 0).all()
    assert ((adjusted >= p * (1 - 1e-12)) & (adjusted <= 1)).all()


@pytest.mark.parametrize("name", NAMES)
def test_what_has_no_p_is_not_in_the_family(name: str) -> None:
    holes = np.insert(P, [0, 3, 7], np.nan)
    adjusted = adjust(name, holes)
    assert np.isnan(adjusted).tolist() == np.isnan(holes).tolist()
    assert adjusted[~np.isnan(holes)].tolist() == adjust(name, P).tolist()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("p", [[], [np.nan, np.nan]])
def test_an_empty_family(name: str, p: list[float]) -> None:
    assert adjust(name, np.array(p)).tolist() == pytest.approx(p, nan_ok=True)


@pytest.mark.parametrize("name", NAMES)
def test_a_family_of_one_is_not_corrected(name: str) -> None:
    assert adjust(name, np.array([0.03])).tolist() == [0.03]


def test_names() -> None:
    assert NAMES == ["none", "bonferroni", "holm", "hochberg", "bh", "by"]
    assert CORRECTIONS["fdr"] is CORRECTIONS["Benjamini-Hochberg"] is CORRECTIONS["bh"]
    assert CORRECTIONS["benjamini-yekutieli"] is CORRECTIONS["by"]
    assert str(CORRECTIONS["holm"]()) == "holm"
    with pytest.raises(UnknownName, match="no correction named 'sidak'"):
        CORRECTIONS["sidak"]
