"""Options that supply values to a command: judgments and runs, or a table of scores."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from cranfield.cli.output.command_output import progress, typed
from cranfield.core import CranfieldError, Ties
from cranfield.data import ORDERS, Values, notes_on, read_scores
from cranfield.measures import PEERS, as_named, parse_measures
from cranfield.studies import evaluate

from .topic_options import Levels, read_topics
from .usage_errors import OneOf, threads_option

if TYPE_CHECKING:
    from cranfield.data import Replicated

F = TypeVar("F", bound=Callable[..., object])


def notes_of(values: Any) -> tuple[str, ...]:
    """Return notes on the values that no study repeats: topics that runs miss, ties, …."""
    return notes_on(values) if isinstance(values, Values) else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What was typed about the values."""

    qrels: str | None
    runs: tuple[str, ...]
    measures: tuple[str, ...]
    levels: tuple[tuple[float, ...], ...]
    topics: tuple[str, ...]
    ties: str | None
    compat: str | None
    subtopics: bool
    intents: str | None
    attributes: str | None
    aspects: tuple[str, ...]
    prior: tuple[str, ...]
    gains: bool
    scores: str | None
    scale_of: str | None
    threads: int | None

    def read(self, usual: str, *, needed: bool = True, replicated: bool = False) -> Any:
        """The values, of the ``usual`` measures where none is named; None where nothing was given and none is needed.

        Scores with a column for the replicate come as such where they may be ``replicated``.
        """
        counting, only = read_topics(self.topics)
        if self.scores:
            from cranfield.data import has_replicates  # no other way in needs it

            asked = {
                "--rel": self.levels,
                "--ties": self.ties,
                "--compat": self.compat,
                "--subtopics": self.subtopics,
                "--intents": self.intents,
                "--attributes": self.attributes,
                "--aspect": self.aspects,
                "--prior": self.prior,
                "--gains": self.gains,
            }
            words = [*filter(None, [self.qrels]), *self.runs]
            expect_scores_alone([*words, *(option for option, given in asked.items() if given)], None)
            if has_replicates(self.scores):
                if not replicated:
                    hint = "cranfield anova knows what to do with it; else average the replicates first"
                    raise click.UsageError(f"{self.scores} has a column for the replicate\nhint: {hint}")
                expect_scores_alone(self.measures, None)
                return self._replicated(self.scores)
            return self._scored(self.scores, only)
        if self.scale_of:
            raise click.UsageError("--scale-of is about a table of scores\nhint: give one with --scores")
        if not needed and self.qrels is None and not self.runs:
            return None
        expect_files(self.qrels, self.runs)
        with progress("reading") as see, progress("measuring") as watch:
            return evaluate(
                self.qrels,
                list(self.runs),
                self.measures or usual,
                rel=[level for several in self.levels for level in several],
                topics=counting,
                only=only,
                ties=self.ties,
                compat=self.compat,
                subtopics=self.subtopics,
                intents=self.intents,
                attributes=self.attributes,
                aspects=said_aspects(self.aspects),
                prior=said_prior(self.prior),
                gains=self.gains,
                threads=self.threads,
                progress=see,
                measuring=watch,
                scale="ignore",  # the study has more to say about it
                command=typed(),
            )

    def _scored(self, scores: str, only: list[str] | None) -> Values:
        values = scored(scores, self.measures)
        if self.scale_of:
            if len(values.measures) > 1:
                hint = "leave out --scale-of, or choose one of them with -m"
                raise click.UsageError(f"{scores} has values of {len(values.measures)} measures\nhint: {hint}")
            from cranfield.measures import parse_named  # reads measures of answers too, which few ask for

            measure = parse_named(self.scale_of)
            made_by = replace(values.made_by, measures=(str(measure),))
            values = replace(values, measures=(measure,), made_by=made_by)
        return values if only is None else values.only(only)

    def _replicated(self, scores: str) -> "Replicated":
        from cranfield.data import read_replicates

        for option, given in (("--topics", self.topics), ("--scale-of", self.scale_of)):
            if given:
                raise click.UsageError(f"{option} is not for scores with replicates\nhint: leave it out")
        values = read_replicates(scores)
        return replace(values, made_by=replace(values.made_by, command=typed()))


def scored(scores: str, measures: Sequence[str]) -> Values:
    """Values from a table of scores: of some ``measures`` alone where its rows name theirs."""
    values = read_scores(scores)
    names = [str(measure) for measure in values.measures]
    if names == ["score"] and measures:
        hint = f"--scale-of {measures[0]} says what they are" if _takes("scale_of") else "leave -m out"
        raise click.UsageError(f"{scores} has one value in each cell, and does not say of what\nhint: {hint}")
    if names != ["score"]:
        values = as_named(values)
        # A name of the table's own, such as that of a time, need not be a measure that we know.
        own = list(zip(names, values.measures, strict=True))
        asked: list[object] = []
        for text in measures:
            found = [one for name, one in own if text == name] or [one for _, one in own if one.goes_by(text)]
            asked += found or parse_measures(text)
        values = values.of_measures(asked) if asked else values
    return replace(values, made_by=replace(values.made_by, command=typed()))


def said_prior(words: Sequence[str]) -> Any:
    """What the words after ``--prior`` say: one word, or a list of runs; None where nothing was said."""
    return words[0] if len(words) == 1 and words[0] in ("none", "others") else list(words) or None


def said_aspects(words: Sequence[str]) -> dict[str, str] | None:
    """The files of aspects, by their names; None where there is none."""
    for word in words:
        name, _, file = word.partition("=")
        if not name or not file:
            raise click.UsageError(f"--aspect {word} names no file\nhint: write understandability=FILE")
    return {name: file for name, _, file in (word.partition("=") for word in words)} or None


prior_option = click.option(
    "--prior",
    multiple=True,
    metavar="RUN",
    help="What is known before a run, for NRG, TaSC, Unique and RareP: a run or its file, none or others; may be "
    "repeated.  [default: others]",
)

SIDES = (
    click.option("--subtopics", is_flag=True, help="The second column of the judgments is a subtopic."),
    click.option("--intents", metavar="FILE", help="How likely each subtopic is meant, for measures of diversity."),
    click.option("--attributes", metavar="FILE", help="Which group each document is in, for measures of fairness."),
    click.option(
        "--aspect",
        "aspects",
        multiple=True,
        metavar="NAME=FILE",
        help="Other labels of the documents, such as understandability=FILE; may be repeated.",
    ),
)

ARGUMENTS = (
    click.argument("qrels", required=False, metavar="QRELS"),
    click.argument("runs", nargs=-1, metavar="RUN..."),
)
NAMED = (
    click.option("--qrels", metavar="FILE", help="Judgments, with --runs."),
    click.option("--runs", multiple=True, metavar="RUN", help="A run, a folder or a pattern; may be repeated."),
)
measure_option = click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="MEASURE",
    help="A measure, or several in quotes; may be repeated. `cranfield measures` lists them.",
)
rel_option = click.option(
    "--rel",
    "levels",
    type=Levels(),
    multiple=True,
    help="The grade from which on a document is relevant, for measures that do not say it; 1,2 gives both.",
)
topics_option = click.option(
    "--topics",
    multiple=True,
    metavar="TOPICS",
    help="Every judged topic counts (qrels), only those that the run has too (both), some (301,302), those of a file "
    "(@FILE); may be repeated.  [default: qrels]",
)
compat_option = click.option(
    "--compat",
    type=OneOf(list(PEERS)),
    help="Do as a peer does: its order of ties, its topics, its meaning of measures.",
)
scores_option = click.option(
    "--scores",
    metavar="FILE",
    help="Values from a table instead: topics as rows, runs as columns, or one value in each row (run, topic, measure, "
    "value); CSV or Parquet.",
)
OPTIONS = (
    measure_option,
    scores_option,
    click.option("--scale-of", metavar="MEASURE", help="What the scores are values of: then their scale is known."),
    rel_option,
    topics_option,
    click.option(
        "--ties",
        type=OneOf([*map(str, ORDERS), str(Ties.AVERAGE)]),
        help="The order of documents with the same score.  [default: trec]",
    ),
    compat_option,
    *SIDES,
    prior_option,
    click.option("--gains", is_flag=True, help="Grades may be decimals."),
    threads_option,
)


def side_options(command: F) -> F:
    """Add what says something of documents beside their grade."""
    for add in reversed(SIDES):
        command = add(command)
    return command


def values_options(command: F) -> F:
    """Add QRELS, RUN..., --scores and what says how they are measured; the command gets them as one ``given``."""
    return _bundle(command, (*ARGUMENTS, *OPTIONS))


def named_values_options(command: F) -> F:
    """The same for a command whose arguments are something else: --qrels and --runs, and neither is needed."""
    return _bundle(command, (*NAMED, *OPTIONS))


def _bundle(command: F, options: Sequence[Callable[[Any], Any]]) -> F:
    @wraps(command)
    def bundled(**options: Any) -> object:
        names = Given.__dataclass_fields__
        given = Given(**{name: options.pop(name) for name in names})
        return command(given=given, **options)

    for add in reversed(options):
        bundled = add(bundled)
    return bundled  # type: ignore[return-value]  # click calls it by name


def expect_scores_alone(words: Sequence[str], form: str | None) -> None:
    """Refuse other inputs next to a table of scores."""
    if words:
        chosen = _takes("pairs") and not words[0].startswith("-") and not Path(words[0]).exists()
        hint = "choose runs of the table with --pair A B" if chosen else "leave one of them out"
        raise click.UsageError(f"--scores stands alone, but there is {words[0]} too\nhint: {hint}")
    if form == "trec_eval":
        raise click.UsageError("trec_eval has no form for scores from a table\nhint: --format tsv has")


def _takes(name: str) -> bool:
    """Whether the command that was typed has this option."""
    return any(one.name == name for one in click.get_current_context().command.params)


def expect_files(qrels: str | None, runs: tuple[str, ...]) -> None:
    """Recognise what people type by mistake."""
    name = click.get_current_context().info_name
    words = [qrels, *runs] if qrels else []
    for word in words:
        if word != "-" and not Path(word).exists() and _is_measure(word):
            raise click.UsageError(f"{word} looks like a measure\nhint: put -m before it: -m {word}")
    if not runs:
        missing = "there is no run" if qrels else "QRELS and a RUN are missing"
        raise click.UsageError(f"{missing}\nhint: cranfield {name} qrels.txt run.txt -m nDCG@10")
    if words.count("-") > 1:
        raise click.UsageError("standard input can be read only once\nhint: write - for one file, name the others")
    twice = next((word for word, count in Counter(runs).items() if count > 1), None)
    if twice:
        raise click.UsageError(f"{twice} is given twice\nhint: name every run once")


def _is_measure(word: str) -> bool:
    try:
        parse_measures(word)
    except CranfieldError:
        return False
    return True
