"""Logistic regression of user satisfaction on session features, and its calibration."""

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from cranfield.core import SEED, Declared, Limits, ParameterError, Positive, Table, generator, need
from cranfield.stats import mid_ranks

TINY = 1e-15  # a chance nearer to 0 or 1 is taken to be that far away, so that its logarithm is finite


@dataclass(frozen=True, eq=False)
class LabelledSessions:
    """Sessions of which it is known whether the user was satisfied, and what happened in them."""

    features: NDArray[np.float64]  # (session, feature)
    satisfied: NDArray[Any]  # (session,): true or false
    user: NDArray[Any]  # (session,)
    names: tuple[str, ...]  # (feature,)

    def __post_init__(self) -> None:
        features = check_features(self.features, self.names)
        said = np.asarray(self.satisfied)
        if len(set(self.names)) < len(self.names):
            raise ParameterError("a feature stands twice", hint="give each feature a name of its own")
        if said.shape != features.shape[:1] or np.shape(self.user) != said.shape:
            message = f"{len(features)} sessions, {said.shape} labels and {np.shape(self.user)} users do not fit"
            raise ParameterError(message, hint="give one label and one user for each session")
        if not np.isin(said, (0, 1)).all():
            raise ParameterError("a label is neither satisfied nor not", hint="give True or False for each session")
        for name, value in (("features", features), ("satisfied", said.astype(bool)), ("user", np.asarray(self.user))):
            object.__setattr__(self, name, value)

    def __len__(self) -> int:
        return len(self.features)

    def only(self, rows: NDArray[np.bool_]) -> "LabelledSessions":
        """Some of them."""
        return LabelledSessions(self.features[rows], self.satisfied[rows], self.user[rows], self.names)


def check_features(features: Any, names: tuple[str, ...]) -> NDArray[np.float64]:
    """Features as a table of numbers, refused where some is missing."""
    table = np.asarray(features, dtype=float)
    if table.ndim != 2 or not table.size or table.shape[1] != len(names):
        message = f"features of shape {table.shape} do not fit {len(names)} names"
        raise ParameterError(message, hint="give a table: one row for each session, one column for each name")
    if not np.isfinite(table).all():
        lacking = names[int((~np.isfinite(table)).any(axis=0).argmax())]
        hint = "fill it in, and say in a feature of its own where it was missing"
        raise ParameterError(f"the feature {lacking} is not a finite number in some session", hint=hint)
    return table


@dataclass(frozen=True, eq=False)
class Satisfaction:
    """A fitted model: the log-odds of satisfaction are ``base`` and so much for each feature."""

    names: tuple[str, ...]
    base: float
    weight: NDArray[np.float64]  # (feature,): for one unit of it

    def predict(self, features: Any) -> NDArray[np.float64]:
        """(session,): the chance that the user was satisfied; a measure of the session as any other."""
        odds = self.base + check_features(features, self.names) @ self.weight
        return 1 / (1 + np.exp(-np.clip(odds, -700, 700)))


@dataclass(frozen=True, eq=False)
class Calibration:
    """How far predicted chances of satisfaction can be believed: each is of a user whom the model had not seen."""

    predicted: NDArray[np.float64]  # (session,)
    satisfied: NDArray[np.bool_]  # (session,)

    def __post_init__(self) -> None:
        predicted = np.asarray(self.predicted, dtype=float)
        if predicted.shape != np.shape(self.satisfied) or predicted.ndim != 1 or not predicted.size:
            raise ParameterError("chances and labels do not fit", hint="give one of both for each session")
        if not ((predicted >= 0) & (predicted <= 1)).all():
            raise ParameterError("a prediction is no chance", hint="a chance lies between 0 and 1")
        object.__setattr__(self, "predicted", predicted)
        object.__setattr__(self, "satisfied", np.asarray(self.satisfied, dtype=bool))

    @property
    def brier(self) -> float:
        """The mean squared error of the chances (brier1950): 0 is best, ¼ is what a coin has."""
        return float(((self.predicted - self.satisfied) ** 2).mean())

    @property
    def log_loss(self) -> float:
        """The mean of −ln of the chance that was given to what came true."""
        right = np.where(self.satisfied, self.predicted, 1 - self.predicted)
        return float(-np.log(np.maximum(right, TINY)).mean())

    @property
    def auc(self) -> float:
        """How often a satisfied session has a higher chance than one that is not; equal ones count half."""
        ranks, good = mid_ranks(self.predicted[None], np.abs(self.predicted[None]))[0], int(self.satisfied.sum())
        pairs = good * (len(self.satisfied) - good)
        return float((ranks[self.satisfied].sum() - good * (good + 1) / 2) / pairs) if pairs else np.nan

    @property
    def slope(self) -> float:
        """The mean chance of satisfied sessions less that of the others: 1 if they are told apart, 0 if not at all."""
        if self.satisfied.all() or not self.satisfied.any():
            return np.nan
        return float(self.predicted[self.satisfied].mean() - self.predicted[~self.satisfied].mean())

    def ece(self, bins: int = 10) -> float:
        """How far what was predicted is from what came true, in the mean over bins by their sessions (naeini2015)."""
        table = self.reliability(bins)
        predicted, observed, sessions = (np.array(table.cells(name)) for name in ("predicted", "observed", "sessions"))
        return float((np.abs(predicted - observed) * sessions).sum() / sessions.sum())

    def reliability(self, bins: int = 10) -> Table:
        """One row for each bin of predicted chances that is not empty: what was predicted, and what came true."""
        if bins < 1:
            raise ParameterError(f"{bins} bins hold nothing", hint="ten are usual")
        place = np.minimum((self.predicted * bins).astype(int), bins - 1)
        count, predicted, observed = (
            np.bincount(place, column, minlength=bins)
            for column in (np.ones(len(place)), self.predicted, self.satisfied.astype(float))
        )
        there = np.flatnonzero(count)
        data: dict[str, Any] = {
            "bin": [f"{i / bins:g} to {(i + 1) / bins:g}" for i in there],
            "predicted": predicted[there] / count[there],
            "observed": observed[there] / count[there],
            "sessions": count[there].astype(int),
        }
        said = f"Brier score {self.brier:.4f}, log loss {self.log_loss:.4f}, AUC {self.auc:.4f}"
        return Table(data, f"satisfaction predicted and observed: {said}")


class SatisfactionModel(Declared):
    """Logistic regression of satisfaction on features of a session (hassan2010), told from labelled sessions.

    Weights of standardised features are drawn towards 0, as by a normal prior of that ``variance``. It is checked on
    users that it has not seen: all sessions of a user are in the same of so many ``folds``.
    """

    variance: Positive = 1.0
    folds: Annotated[int, Limits(2)] = 5

    def fit(self, sessions: LabelledSessions) -> Satisfaction:
        """The model of all these sessions; needs scikit-learn."""
        if sessions.satisfied.all() or not sessions.satisfied.any():
            hint = "label some of both: satisfied, and not"
            raise ParameterError("all sessions have the same label: there is nothing to learn", hint=hint)
        linear = need("sklearn.linear_model", extra="text")
        mean, spread = sessions.features.mean(axis=0), sessions.features.std(axis=0)
        spread = np.where(spread > 0, spread, 1.0)
        model = linear.LogisticRegression(C=self.variance, max_iter=1000, tol=1e-8)
        model.fit((sessions.features - mean) / spread, sessions.satisfied)
        weight = model.coef_[0] / spread
        return Satisfaction(sessions.names, float(model.intercept_[0] - weight @ mean), weight)

    def check(self, sessions: LabelledSessions, *, seed: int = SEED) -> Calibration:
        """How good its chances are, each from sessions of other users alone."""
        users, code = np.unique(sessions.user, return_inverse=True)
        if len(users) < self.folds:
            hint = f"label sessions of {self.folds} users at least, or ask for fewer folds"
            raise ParameterError(f"{len(users)} users do not make {self.folds} folds", hint=hint)
        fold = (generator(seed, "folds").permutation(len(users)) % self.folds)[code.ravel()]
        predicted = np.empty(len(sessions))
        for one in range(self.folds):
            held = fold == one
            predicted[held] = self.fit(sessions.only(~held)).predict(sessions.features[held])
        return Calibration(predicted, sessions.satisfied)
