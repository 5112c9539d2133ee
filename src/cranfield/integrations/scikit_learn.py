"""Scorer for scikit-learn that evaluates ranking models with a measure, by topic."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cranfield.core import Direction, ParameterError, Ties, experimental, need
from cranfield.data import assess, read_qrels
from cranfield.measures import Measure, measure_all, parse_measure

ROUTING = "sklearn.set_config(enable_metadata_routing=True), then params={{'{0}': topics}}"


@experimental
@dataclass(frozen=True)
class RankingScorer:
    """The value of a measure over topics, as ``scoring=`` of ``cross_val_score`` and ``GridSearchCV``.

    Rows are documents, ``y`` are their grades, and a model's predictions order the rows of each topic. Rows that are
    predicted alike count as the mean over all their orders. Of a classifier that knows chances the expected grade is
    taken. Where less is better the sign is turned, as in scikit-learn.

    Which topic a row belongs to stands in a ``column`` of X (its name, or its place), or comes as ``metadata`` of that
    name (scikit-learn 1.4, with routing enabled): "groups" shares it with a splitter such as ``GroupKFold``.
    """

    measure: str | Measure
    column: str | int | None = None
    metadata: str = "topics"

    def __post_init__(self) -> None:
        object.__setattr__(self, "measure", parse_measure(self.measure))

    def __call__(self, estimator: Any, X: Any, y: ArrayLike, *, topics: ArrayLike | None = None) -> float:
        """The value of a fitted model on rows that it has not seen."""
        if topics is None:
            topics = self._from_column(X)
        return self.of(y, _scores(estimator, X), topics)

    def of(self, grades: ArrayLike, scores: ArrayLike, topics: ArrayLike) -> float:
        """The same of predictions that are there already."""
        grade, score, topic = (np.asarray(column) for column in (grades, scores, topics))
        if not len(grade) == len(score) == len(topic):
            message = f"there are {len(grade)} grades, {len(score)} predictions and topics of {len(topic)} rows"
            raise ParameterError(message, hint="give one of each for every row of X")
        rows = {"topic": [str(one) for one in topic.tolist()], "document": list(range(len(topic)))}
        qrels = read_qrels({**rows, "grade": grade}, gains=True, name="y")
        values = measure_all(assess(qrels, {"predictions": {**rows, "score": score}}), self.measure, ties=Ties.AVERAGE)
        value = float(values.aggregate()[0, 0])
        return -value if values.measures[0].direction is Direction.LOWER else value

    def get_metadata_routing(self) -> Any:
        """What scikit-learn is asked to hand over: the topics, unless they are in X."""
        request = need("sklearn.utils.metadata_routing").MetadataRequest(owner=self)
        if self.column is None:
            request.score.add_request(param="topics", alias=self.metadata if self.metadata != "topics" else True)
        return request

    def _from_column(self, X: Any) -> Any:
        if self.column is None:
            hint = (
                f"name a column of X: RankingScorer({str(self.measure)!r}, column='topic'), or let scikit-learn hand "
            )
            hint += f"them over: {ROUTING.format(self.metadata)}"
            raise ParameterError("nobody says which topic each row belongs to", hint=hint)
        names = [str(name) for name in getattr(X, "columns", ())]
        if isinstance(self.column, str) and self.column in names:
            return X[self.column]
        if isinstance(self.column, int) and self.column < X.shape[1]:
            return X.iloc[:, self.column] if hasattr(X, "iloc") else X[:, self.column]
        there = (
            f"there are: {', '.join(names)}" if names else f"X has {X.shape[1]} columns without names; the first is 0"
        )
        raise ParameterError(f"X has no column {self.column!r} for the topics", hint=there)


def _scores(estimator: Any, X: Any) -> NDArray[np.float64]:
    """What a model thinks of each row, one number: the expected grade where it knows chances."""
    if hasattr(estimator, "predict_proba"):
        return np.asarray(estimator.predict_proba(X)) @ np.asarray(estimator.classes_, dtype=float)
    if hasattr(estimator, "decision_function"):
        found = np.asarray(estimator.decision_function(X))
        if found.ndim == 1:
            return found
    return np.asarray(estimator.predict(X))
