"""Models of scikit-learn that rank, chosen by a measure; its own ndcg_score says what nDCG is."""

import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.compose import make_column_transformer
from sklearn.ensemble import GradientBoostingRegressor, RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, RidgeClassifier
from sklearn.metrics import ndcg_score
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from cranfield.core import ParameterError, UnknownName
from cranfield.integrations import RankingScorer

FEATURES = ["words", "age"]


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    """Forty topics of ten documents, of which a feature tells something, and a topic's own level nothing."""
    rng = np.random.default_rng(8)
    topics = np.repeat(np.arange(40), 10)
    grade = rng.integers(0, 4, size=400)
    words = grade + rng.normal(scale=2.0, size=400) + rng.normal(scale=5.0, size=40)[topics]
    return pd.DataFrame({"topic": [f"t{t}" for t in topics], "words": words, "age": rng.normal(size=400), "y": grade})


@pytest.fixture
def routing() -> Iterator[None]:
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def by_hand(table: pd.DataFrame, model: Any, *, k: int = 5) -> list[float]:
    """The nDCG of each fold as scikit-learn has it, topic by topic."""
    found = []
    X, y, topic = table[FEATURES], table["y"], table["topic"]
    for fit, held in GroupKFold(5).split(X, y, topic):
        score = pd.Series(model.fit(X.iloc[fit], y.iloc[fit]).predict(X.iloc[held]), index=held)
        each = [
            ndcg_score([y.loc[rows.index]], [score.loc[rows.index]], k=k)
            for _, rows in table.iloc[held].groupby("topic")
        ]
        found.append(float(np.mean(each)))
    return found


def test_a_value_that_can_be_seen() -> None:
    # Topic a: the relevant row comes second, topic b: first.
    assert RankingScorer("RR").of([0, 1, 1, 0], [0.9, 0.1, 0.5, 0.4], ["a", "a", "b", "b"]) == 0.75


def test_rows_that_are_predicted_alike_count_as_the_mean_over_their_orders() -> None:
    for grades in ([1, 0], [0, 1]):
        assert RankingScorer("RR").of(grades, [0.5, 0.5], [7, 7]) == 0.75  # 1 and 1/2


def test_where_less_is_better_the_sign_is_turned() -> None:
    # One relevant row, with one above it: a reader looks at 1 in vain.
    assert RankingScorer("ESL").of([0, 1], [2.0, 1.0], [1, 1]) < 0


@pytest.mark.usefixtures("routing")
def test_topics_come_as_metadata(table: pd.DataFrame) -> None:
    X, y, topic = table[FEATURES], table["y"], table["topic"]
    given = {"groups": topic, "topics": topic}
    found = cross_val_score(LinearRegression(), X, y, scoring=RankingScorer("nDCG@5"), cv=GroupKFold(5), params=given)
    assert found.tolist() == pytest.approx(by_hand(table, LinearRegression()), abs=1e-12)
    # One array for the splitter and for us.
    shared = RankingScorer("nDCG@5", metadata="groups")
    again = cross_val_score(LinearRegression(), X, y, scoring=shared, cv=GroupKFold(5), params={"groups": topic})
    assert again.tolist() == found.tolist()


def test_topics_stand_in_a_column(table: pd.DataFrame) -> None:
    X, y = table[["topic", *FEATURES]], table["y"]
    model = make_pipeline(
        make_column_transformer(("passthrough", FEATURES)),
        StandardScaler(),
        GradientBoostingRegressor(n_estimators=10, random_state=1),
    )
    scorer = RankingScorer("nDCG@5", column="topic")
    found = cross_val_score(model, X, y, scoring=scorer, cv=GroupKFold(5), groups=X["topic"])
    plain = make_pipeline(StandardScaler(), GradientBoostingRegressor(n_estimators=10, random_state=1))
    assert found.tolist() == pytest.approx(by_hand(table, plain), abs=1e-12)


def test_a_column_may_be_a_place(table: pd.DataFrame) -> None:
    numbered = table.assign(topic=table["topic"].str[1:].astype(int))[["topic", *FEATURES]]
    cut = make_column_transformer(("passthrough", [1, 2]))
    folds = [RankingScorer("nDCG@5", column=0), RankingScorer("nDCG@5", column="topic")]
    model = make_pipeline(cut, Ridge()).fit(numbered.to_numpy(), table["y"])
    named = make_pipeline(make_column_transformer(("passthrough", FEATURES)), Ridge()).fit(numbered, table["y"])
    assert folds[0](model, numbered.to_numpy(), table["y"]) == folds[1](named, numbered, table["y"])
    assert RankingScorer("nDCG@5", column=0)(named, numbered, table["y"]) == folds[1](named, numbered, table["y"])


@pytest.mark.usefixtures("routing")
def test_a_grid_is_searched_for_what_ranks_best(table: pd.DataFrame) -> None:
    grid = {"ridge__alpha": [1e-3, 1e3, 1e9]}
    search = GridSearchCV(
        make_pipeline(StandardScaler(), Ridge()), grid, scoring=RankingScorer("nDCG@5"), cv=GroupKFold(5)
    )
    search.fit(table[FEATURES], table["y"], groups=table["topic"], topics=table["topic"])
    means = [np.mean(by_hand(table, make_pipeline(StandardScaler(), Ridge(alpha=a)))) for a in grid["ridge__alpha"]]
    assert search.cv_results_["mean_test_score"].tolist() == pytest.approx(means, abs=1e-12)
    assert search.best_params_ == {"ridge__alpha": grid["ridge__alpha"][int(np.argmax(means))]}


@pytest.mark.usefixtures("routing")
def test_several_measures_stand_beside_other_scorers(table: pd.DataFrame) -> None:
    scoring = {"ndcg": RankingScorer("nDCG@5"), "rr": RankingScorer("RR(rel=2)"), "r2": "r2"}
    given = {"groups": table["topic"], "topics": table["topic"]}
    found = cross_validate(
        LinearRegression(), table[FEATURES], table["y"], scoring=scoring, cv=GroupKFold(5), params=given
    )
    assert found["test_ndcg"].tolist() == pytest.approx(by_hand(table, LinearRegression()), abs=1e-12)
    assert ((found["test_rr"] > 0) & (found["test_rr"] <= 1)).all()


def test_a_classifier_ranks_by_the_grade_that_it_expects(table: pd.DataFrame) -> None:
    X, y, topic = table[FEATURES], table["y"], table["topic"]
    model = RandomForestClassifier(n_estimators=20, random_state=1).fit(X, y)
    expected = model.predict_proba(X) @ [0, 1, 2, 3]
    assert RankingScorer("nDCG@5")(model, X, y, topics=topic) == RankingScorer("nDCG@5").of(y, expected, topic)


def test_a_classifier_without_chances_ranks_by_its_decision(table: pd.DataFrame) -> None:
    X, y, topic = table[FEATURES], (table["y"] > 1).astype(int), table["topic"]
    model = RidgeClassifier().fit(X, y)
    expected = RankingScorer("AP").of(y, model.decision_function(X), topic)
    assert RankingScorer("AP")(model, X, y, topics=topic) == expected
    assert RankingScorer("AP")(LogisticRegression().fit(X, y), X, y, topics=topic) > 0
    several = RidgeClassifier().fit(X, table["y"])  # a decision for each class: what it predicts orders the rows
    expected = RankingScorer("AP").of(y, several.predict(X), topic)
    assert RankingScorer("AP")(several, X, y, topics=topic) == expected


class Constant(RegressorMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A model that has learned nothing."""

    def fit(self, X: Any, y: Any) -> "Constant":
        return self

    def predict(self, X: Any) -> Any:
        return np.zeros(len(X))


def test_a_model_that_knows_nothing_gains_nothing_by_the_order_of_the_rows(table: pd.DataFrame) -> None:
    falling = table.sort_values(["topic", "y"], ascending=[True, False])
    rising = table.sort_values(["topic", "y"])
    scorer = RankingScorer("nDCG@5")
    values = [scorer(Constant(), rows[FEATURES], rows["y"], topics=rows["topic"]) for rows in (falling, rising)]
    each = [ndcg_score([rows["y"]], [np.zeros(10)], k=5) for _, rows in table.groupby("topic")]
    assert values == pytest.approx([np.mean(each)] * 2, abs=1e-12)


def test_without_topics_it_is_said_how_to_give_them(table: pd.DataFrame) -> None:
    X, y = table[FEATURES], table["y"]
    model = LinearRegression().fit(X, y)
    with pytest.raises(ParameterError) as wrong:
        RankingScorer("nDCG@5")(model, X, y)
    assert str(wrong.value) == (
        "nobody says which topic each row belongs to\n"
        "hint: name a column of X: RankingScorer('nDCG@5', column='topic'), or let scikit-learn hand them over: "
        "sklearn.set_config(enable_metadata_routing=True), then params={'topics': topics}"
    )
    with pytest.raises(ParameterError, match="X has no column 'query' for the topics\nhint: there are: words, age"):
        RankingScorer("AP", column="query")(model, X, y)
    with pytest.raises(ParameterError, match="hint: X has 2 columns without names; the first is 0"):
        RankingScorer("AP", column=2)(model, X.to_numpy(), y)
    with pytest.raises(ParameterError, match="there are 400 grades, 400 predictions and topics of 3 rows"):
        RankingScorer("AP")(model, X, y, topics=["a", "b", "c"])
    with pytest.raises(UnknownName):
        RankingScorer("nDGC@5")


@pytest.mark.usefixtures("routing")
def test_without_topics_a_search_ends_with_the_same_words(table: pd.DataFrame) -> None:
    with pytest.raises(ParameterError, match="nobody says which topic each row belongs to"):
        cross_val_score(
            LinearRegression(),
            table[FEATURES],
            table["y"],
            scoring=RankingScorer("nDCG@5"),
            cv=GroupKFold(5),
            params={"groups": table["topic"]},
            error_score="raise",
        )


def test_it_travels_to_other_processes() -> None:
    scorer = RankingScorer("nDCG@5", column="topic")
    assert pickle.loads(pickle.dumps(scorer)) == scorer
    assert str(scorer.measure) == "nDCG@5"
