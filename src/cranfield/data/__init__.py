"""Files and foreign frames become typed values here: judgments, runs, assessed runs, values."""

from typing import TYPE_CHECKING

from cranfield._lazy_imports import Later
from cranfield._native import Strings as Strings

from ._aggregates import AGGREGATES as AGGREGATES
from ._aggregates import check_aggregate as check_aggregate
from ._assess import Attribute as Attribute
from ._assess import assess as assess
from ._assessed import Assessed as Assessed
from ._block import NOBODY as NOBODY
from ._block import Block as Block
from ._chosen import find_run as find_run
from ._chosen import find_topics as find_topics
from ._columns import bare_suffix as bare_suffix
from ._columns import find_columns as find_columns
from ._given import assess_documents as assess_documents
from ._given import assess_grades as assess_grades
from ._given import judgments_of as judgments_of
from ._grades import find_grades as find_grades
from ._grades import find_named as find_named
from ._lengths import Lengths as Lengths
from ._lengths import read_lengths as read_lengths
from ._problems import Problem as Problem
from ._problems import Problems as Problems
from ._qrels import Qrels as Qrels
from ._qrels import read_qrels as read_qrels
from ._run import ORDERS as ORDERS
from ._run import Run as Run
from ._run import RunFile as RunFile
from ._run import RunFrame as RunFrame
from ._run import find_runs as find_runs
from ._run import order_of as order_of
from ._run import read_run as read_run
from ._run import run_name as run_name
from ._scenario import with_unjudged_as as with_unjudged_as
from ._scores import read_scores as read_scores
from ._shards import files_of as files_of
from ._side import NEEDED as NEEDED
from ._side import Side as Side
from ._side import SideTable as SideTable
from ._side import read_sides as read_sides
from ._source import DATASET as DATASET
from ._source import Source as Source
from ._source import is_dataset as is_dataset
from ._strata import Strata as Strata
from ._strata import strata_of as strata_of
from ._subtopics import Subtopics as Subtopics
from ._subtopics import read_intents as read_intents
from ._values import Curve as Curve
from ._values import Given as Given
from ._values import Named as Named
from ._values import Values as Values
from ._write import is_trec as is_trec
from ._write import write as write
from ._write import write_text as write_text

if TYPE_CHECKING:
    from ._aspects import Aspects as Aspects
    from ._aspects import read_aspects as read_aspects
    from ._attributes import Attributes as Attributes
    from ._attributes import read_attributes as read_attributes
    from ._choices import Choices as Choices
    from ._collections import Collection as Collection
    from ._collections import read_collections as read_collections
    from ._corpus import Corpus as Corpus
    from ._corpus import each_document as each_document
    from ._corpus import read_corpus as read_corpus
    from ._corpus_files import Found as Found
    from ._engine_faults import spark_fault as spark_fault
    from ._engines import Engine as Engine
    from ._engines import connect as connect
    from ._engines import fetch as fetch
    from ._engines import spark_paths as spark_paths
    from ._engines import spark_session as spark_session
    from ._entries import ENTRY_COLUMNS as ENTRY_COLUMNS
    from ._entries import Entries as Entries
    from ._entries import Entry as Entry
    from ._entries import read_entries as read_entries
    from ._factors import Factors as Factors
    from ._factors import read_factors as read_factors
    from ._flipped import flip_labels as flip_labels
    from ._flipped import flipped_grades as flipped_grades
    from ._inspect import Inspected as Inspected
    from ._inspect import compare_topics as compare_topics
    from ._inspect import inspect as inspect
    from ._ir_datasets import find_dataset as find_dataset
    from ._ir_datasets import knows_datasets as knows_datasets
    from ._ir_metadata import entries_from_headers as entries_from_headers
    from ._ir_metadata import join_entries as join_entries
    from ._join_labels import join_labels as join_labels
    from ._labels import Answers as Answers
    from ._labels import Labels as Labels
    from ._labels import Votes as Votes
    from ._limits import Limits as Limits
    from ._logs import FIELDS as FIELDS
    from ._logs import PAUSE as PAUSE
    from ._logs import SATISFIED as SATISFIED
    from ._logs import Log as Log
    from ._metadata import flatten_metadata as flatten_metadata
    from ._metadata import header_of as header_of
    from ._metadata import read_metadata as read_metadata
    from ._metadata import read_metadata_file as read_metadata_file
    from ._metadata import run_type as run_type
    from ._metadata import write_metadata as write_metadata
    from ._named import NamedDocuments as NamedDocuments
    from ._named import name_documents as name_documents
    from ._norms import Norms as Norms
    from ._norms import read_norms as read_norms
    from ._norms import write_norms as write_norms
    from ._nuggets import Citations as Citations
    from ._nuggets import JudgedAnswers as JudgedAnswers
    from ._nuggets import Nuggets as Nuggets
    from ._nuggets import NuggetWeights as NuggetWeights
    from ._nuggets import PerAnswer as PerAnswer
    from ._parts import read_part as read_part
    from ._preferred import Preferences as Preferences
    from ._preferred import Wins as Wins
    from ._preferred import check_preferences as check_preferences
    from ._preferred import read_preferences as read_preferences
    from ._prior import PRIORS as PRIORS
    from ._prior import Best as Best
    from ._prior import Prior as Prior
    from ._prior import make_prior as make_prior
    from ._prior import split_known as split_known
    from ._read_answers import read_answers as read_answers
    from ._read_choices import read_choices as read_choices
    from ._read_labels import labels_from_qrels as labels_from_qrels
    from ._read_labels import read_labels as read_labels
    from ._read_log import read_log as read_log
    from ._read_outcomes import Outcomes as Outcomes
    from ._read_outcomes import read_outcomes as read_outcomes
    from ._read_users import ROLES as ROLES
    from ._read_users import Users as Users
    from ._read_users import read_experiment as read_experiment
    from ._read_votes import read_votes as read_votes
    from ._regraded import grades_table as grades_table
    from ._regraded import judged_table as judged_table
    from ._regraded import regrade as regrade
    from ._regraded import regraded_table as regraded_table
    from ._relabelled import judgments_table as judgments_table
    from ._replicates import Replicated as Replicated
    from ._replicates import has_replicates as has_replicates
    from ._replicates import read_replicates as read_replicates
    from ._series import Series as Series
    from ._series import join_series as join_series
    from ._series import read_series as read_series
    from ._splits import SPLITS as SPLITS
    from ._splits import Splits as Splits
    from ._splits import draw_splits as draw_splits
    from ._splits import read_splits as read_splits
    from ._splits import split_topics as split_topics
    from ._splits import write_splits as write_splits
    from ._topic_text import TopicText as TopicText
    from ._topics import TopicTexts as TopicTexts
    from ._topics import read_topics as read_topics
    from ._ubi import read_ubi as read_ubi
else:
    # What few commands read.
    __getattr__ = Later(
        __name__,
        {
            "_aspects": "Aspects read_aspects",
            "_attributes": "Attributes read_attributes",
            "_choices": "Choices",
            "_collections": "Collection read_collections",
            "_corpus": "Corpus each_document read_corpus",
            "_corpus_files": "Found",
            "_engine_faults": "spark_fault",
            "_engines": "Engine connect fetch spark_paths spark_session",
            "_entries": "ENTRY_COLUMNS Entries Entry read_entries",
            "_factors": "Factors read_factors",
            "_flipped": "flip_labels flipped_grades",
            "_inspect": "Inspected compare_topics inspect",
            "_ir_datasets": "find_dataset knows_datasets",
            "_ir_metadata": "entries_from_headers join_entries",
            "_join_labels": "join_labels",
            "_labels": "Answers Labels Votes",
            "_limits": "Limits",
            "_logs": "FIELDS PAUSE SATISFIED Log",
            "_metadata": "flatten_metadata header_of read_metadata read_metadata_file run_type write_metadata",
            "_prior": "PRIORS Best Prior make_prior split_known",
            "_named": "NamedDocuments name_documents",
            "_norms": "Norms read_norms write_norms",
            "_nuggets": "Citations JudgedAnswers NuggetWeights Nuggets PerAnswer",
            "_parts": "read_part",
            "_preferred": "Preferences Wins check_preferences read_preferences",
            "_read_answers": "read_answers",
            "_read_choices": "read_choices",
            "_read_labels": "labels_from_qrels read_labels",
            "_read_log": "read_log",
            "_read_users": "ROLES Users read_experiment",
            "_read_outcomes": "Outcomes read_outcomes",
            "_read_votes": "read_votes",
            "_regraded": "grades_table judged_table regrade regraded_table",
            "_relabelled": "judgments_table",
            "_replicates": "Replicated has_replicates read_replicates",
            "_series": "Series join_series read_series",
            "_splits": "SPLITS Splits draw_splits read_splits split_topics write_splits",
            "_topic_text": "TopicText",
            "_topics": "TopicTexts read_topics",
            "_ubi": "read_ubi",
        },
    )
