"""Request and response schemas of the API."""

import datetime
from typing import Annotated, Any, Literal

from ninja import Schema
from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints

SLUG = Field(pattern=r"^[-a-zA-Z0-9_]{1,60}$")
KEY = Field(pattern=r"^[0-9a-f]{12}$")
Slug = Annotated[str, SLUG]
Key = Annotated[str, KEY]
Number = Annotated[int, Field(ge=1, le=1_000_000)]


def _link(text: str) -> str:
    from django.core.exceptions import ValidationError
    from django.core.validators import URLValidator

    if text:
        try:
            URLValidator(schemes=["http", "https"])(text)
        except ValidationError:
            raise ValueError("should be an address that starts with https://") from None
    return text


NO_NUL = r"^[^\x00]*$"
Line = Annotated[str, StringConstraints(strip_whitespace=True, max_length=60, pattern=r"^[^\x00-\x1f]*$")]
Text = Annotated[str, StringConstraints(max_length=4000, pattern=NO_NUL)]
Link = Annotated[str, StringConstraints(strip_whitespace=True, max_length=200, pattern=NO_NUL), AfterValidator(_link)]
Day = Annotated[datetime.date | None, BeforeValidator(lambda value: value or None)]  # an empty field is no date


class Problem(Schema):
    """One thing that is wrong with a file, as `cranfield lint` tells it."""

    file: str
    line: int = Field(description="0 where it is about the whole file.")
    code: str = Field(description="E-… keeps the file out, W-… does not.")
    severity: Literal["error", "warning"]
    message: str
    hint: str


class Topics(Schema):
    """How many topics a task has."""

    public: int
    private: int


class TaskLine(Schema):
    """A task in the list."""

    slug: str
    title: str
    summary: str
    state: Literal["draft", "open", "closed"]
    takes_runs: bool = Field(description="Whether a run may be submitted now.")
    opens: datetime.datetime | None
    closes: datetime.datetime | None
    measures: list[str] = Field(description="The first one ranks.")
    url: str


class TaskWhole(TaskLine):
    """All that is said of a task."""

    about: str = Field(description="Markdown.")
    topics: Topics | None = Field(description="None before there are judgments.")
    judgments: int
    version: int | None = Field(description="Of the labels.")
    board: int | None = Field(description="The number of the newest board.")
    runs: int = Field(description="On that board.")
    limit: int = Field(description="Submissions of a team …")
    days: int = Field(description="… in so many days.")
    most: int = Field(description="Submissions of a team at all.")
    embargo_days: int
    anonymous_days: int
    labels_public: bool
    runs_public: bool
    test: str
    level: float
    upload_mb: int = Field(description="The largest file this server takes.")
    teams: list[str] = Field(description="Yours that take part.")


class BoardRow(Schema):
    """A run on a board."""

    run: str
    key: str
    group: str | None
    anonymous_until: datetime.date | None
    kind: str
    date: datetime.date
    runs: int | None
    badges: list[str]
    rank: int | None
    rank_low: float | None
    rank_high: float | None
    letters: str | None
    value: float | None
    low: float | None
    high: float | None
    p_first: float | None
    difference: float | None
    p_adjusted: float | None
    answered: float | None
    unjudged: float | None
    released: float | None


class Board(Schema):
    """A board as it stood: everything that its page shows."""

    form: int
    task: dict[str, Any]
    kind: Literal["public", "full"]
    closed: bool
    version: int
    topics: Topics
    judgments: int
    rows: list[BoardRow]
    panels: Any
    sentence: str
    made_by: dict[str, Any] | None


class LeftOut(Schema):
    """What a team may still hand in."""

    team: str
    takes_runs: bool
    now: int = Field(description="Submissions that are left today.")
    of: int
    days: int
    next: datetime.datetime | None = Field(description="When there is one more, where none is left.")
    total: int
    most: int


class Checked(Schema):
    """What a dry run found; it uses no attempt, and nothing is kept."""

    good: bool
    problems: list[Problem]
    kind: str
    metadata: dict[str, Any]


class Handed(Schema):
    """What is said of a run that is handed in."""

    name: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100, pattern=NO_NUL)]
    team: Annotated[str, StringConstraints(pattern=r"^[-a-zA-Z0-9_]{0,60}$")] = Field(
        "", description="Needed where several of your teams take part."
    )
    description: Text = ""
    kind: Line = Field("", description="automatic, manual, …; otherwise what the header of the run says.")
    link: Link = Field("", description="To a paper or to code.")
    embargo: Day = Field(None, description="Not shown before, where the task allows it.")
    anonymous: Day = Field(None, description="Its team is not named before, where the task allows it.")


class Standing(Schema):
    """Where a run stands on the newest public board."""

    rank: int
    rank_low: float | None
    rank_high: float | None
    letters: str | None
    of: int
    board: int


class Run(Schema):
    """A submission. What the caller may not see is null."""

    key: str
    task: str
    url: str
    state: Literal["received", "scored", "failed", "withdrawn"]
    date: datetime.date
    name: str | None
    team: str | None
    description: str | None
    kind: str | None
    link: str | None
    metadata: dict[str, Any] | None
    baseline: bool
    measure: str = Field(description="The one that ranks.")
    version: int | None = Field(description="Of the labels behind the values.")
    values: dict[str, float] | None = Field(description="Means over public topics, by measure.")
    private: dict[str, float] | None = Field(description="Means over private topics.")
    released: float | None = Field(description="What is told of the private value while the task is open.")
    standing: Standing | None
    received: datetime.datetime | None
    position: int | None = Field(description="In the queue: 0 is being evaluated, 1 is next.")
    problems: list[Problem] | None
    failure: str | None
    embargo: datetime.date | None
    anonymous: datetime.date | None


class Values(Schema):
    """What a run reaches on each topic that the caller may see."""

    version: int
    topics: int
    values: dict[str, dict[str, float | None]] = Field(description="measure → topic → value")


class Labels(Schema):
    """A version of the labels."""

    number: int
    note: str
    made: datetime.datetime
    judgments: int
    topics: int


class Act(Schema):
    """A row of the log."""

    id: int
    at: datetime.datetime
    who: str
    what: str
    about: dict[str, Any]
    digest: str


class Measure(Schema):
    """A measure of the catalogue."""

    name: str
    family: str
    scale: str
    source: str
    direction: str
    parameters: str
    definition: str


class Health(Schema):
    """A sign of life."""

    status: Literal["ok"]
    version: str
