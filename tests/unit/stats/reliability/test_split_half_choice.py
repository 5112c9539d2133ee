"""Choice of columns by the pairs they separate and by their disagreement."""

from hypothesis import example, given
from hypothesis import strategies as st

from cranfield.stats import MIN_SEPARATED, choose_columns

# A column: proportion of cases separated, and of the significant cases that disagree.
SHARES = st.floats(0, 1) | st.sampled_from([0.0, 0.0004, 0.0096, 0.01, 0.1, 0.1004, 0.5, 1.0])
COLUMNS = st.lists(st.tuples(SHARES, SHARES), min_size=1, max_size=7)
NEVER = (0.0, None)  # significant in no half


def test_the_column_that_leads_on_both_counts() -> None:
    assert choose_columns([0.40, 0.45, 0.20], [0.03, 0.02, 0.02]).best == (1,)
    assert choose_columns([0.40, 0.45, 0.45], [0.03, 0.02, 0.02]).best == (1, 2)


def test_a_trade_off_has_no_best_column() -> None:
    choice = choose_columns([0.40, 0.45, 0.20, 0.45, 0.10], [0.03, 0.04, 0.01, 0.05, 0.01])
    assert choice.best == ()
    assert choice.most_separated == (1,)  # 3 separates as much and disagrees more
    assert choice.least_disagreement == (2,)  # 4 disagrees as little and separates less


def test_a_column_that_is_hardly_ever_significant_is_not_compared() -> None:
    choice = choose_columns([0.40, 0.0, 0.009, 0.0], [0.03, None, 0.0, 0.0])
    assert choice.best == (0,)
    assert choice.excluded == (1, 2, 3)
    assert choose_columns([0.0, 0.009], [None, 0.0]) == ((), (), (0, 1))


def test_differences_that_are_not_printed_do_not_count() -> None:
    assert f"{0.45004:.1%}" == f"{0.45:.1%}"
    assert choose_columns([0.45004, 0.45], [0.02, 0.02]).best == (0, 1)
    assert choose_columns([0.4504, 0.45], [0.02, 0.02]).best == (0, 1)
    assert choose_columns([0.4506, 0.45], [0.02, 0.02]).best == (0,)


@given(COLUMNS)
@example([(0.0996, 0.5), (0.1004, 0.5)])
def test_no_column_beats_a_leading_one(columns: list[tuple[float, float]]) -> None:
    choice = choose_columns(*zip(*columns, strict=True))
    printed = [(float(f"{100 * separated:.1f}"), float(f"{100 * disagree:.1f}")) for separated, disagree in columns]
    rivals = {i for i, (separated, _) in enumerate(printed) if separated >= 100 * MIN_SEPARATED}
    assert set(choice.excluded) == set(range(len(columns))) - rivals
    assert bool(choice.most_separated) == bool(choice.least_disagreement) == bool(rivals)
    leaders = {
        i for i in rivals if all(printed[i][0] >= printed[j][0] and printed[i][1] <= printed[j][1] for j in rivals)
    }
    assert set(choice.best) == leaders
    for i in choice.most_separated:
        assert printed[i][0] == max(printed[j][0] for j in rivals)
    for i in choice.least_disagreement:
        assert printed[i][1] == min(printed[j][1] for j in rivals)


@given(COLUMNS, st.integers(1, 5))
def test_tests_that_never_reject_change_nothing(columns: list[tuple[float, float]], count: int) -> None:
    alone = choose_columns(*zip(*columns, strict=True))
    joined = choose_columns(*zip(*columns, *[NEVER] * count, strict=True))
    assert (joined.best, joined.most_separated, joined.least_disagreement) == (
        alone.best,
        alone.most_separated,
        alone.least_disagreement,
    )
