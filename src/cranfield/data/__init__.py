"""Files and frames read into typed values: judgments, runs, assessed runs, values, labels, logs."""

from typing import TYPE_CHECKING

from cranfield._lazy_imports import Later
from cranfield._native import Strings as Strings

from .assessed.assessed_runs import Assessed as Assessed
from .assessed.assessment import Attribute as Attribute
from .assessed.assessment import assess as assess
from .assessed.assessment import judged_at_top as judged_at_top
from .assessed.block import NOBODY as NOBODY
from .assessed.block import Block as Block
from .assessed.graded_rankings import assess_documents as assess_documents
from .assessed.graded_rankings import assess_grades as assess_grades
from .assessed.graded_rankings import judgments_of as judgments_of
from .files.columns import ambiguous_runs as ambiguous_runs
from .files.columns import bare_suffix as bare_suffix
from .files.columns import find_columns as find_columns
from .files.columns import run_columns as run_columns
from .files.data_source import DATASET as DATASET
from .files.data_source import Source as Source
from .files.data_source import is_dataset as is_dataset
from .files.input_problems import Problem as Problem
from .files.input_problems import Problems as Problems
from .files.number_columns import EXACT as EXACT
from .files.number_columns import NOT_A_NUMBER as NOT_A_NUMBER
from .files.parquet_shards import files_of as files_of
from .files.writers import is_trec as is_trec
from .files.writers import write as write
from .files.writers import write_text as write_text
from .judgments.document_lengths import Lengths as Lengths
from .judgments.document_lengths import read_lengths as read_lengths
from .judgments.grade_lookup import find_grades as find_grades
from .judgments.grade_lookup import find_named as find_named
from .judgments.id_matching import TOP as TOP
from .judgments.id_matching import explain_topics as explain_topics
from .judgments.id_matching import is_mismatch as is_mismatch
from .judgments.id_matching import is_suspect as is_suspect
from .judgments.id_matching import report_mismatch as report_mismatch
from .judgments.id_matching import report_partial_mismatch as report_partial_mismatch
from .judgments.qrels import Qrels as Qrels
from .judgments.qrels import read_qrels as read_qrels
from .judgments.side_tables import NEEDED as NEEDED
from .judgments.side_tables import Side as Side
from .judgments.side_tables import SideTable as SideTable
from .judgments.side_tables import read_sides as read_sides
from .judgments.strata import Strata as Strata
from .judgments.strata import strata_of as strata_of
from .judgments.subtopics import Subtopics as Subtopics
from .judgments.subtopics import read_intents as read_intents
from .judgments.unjudged_grades import with_unjudged_as as with_unjudged_as
from .runs.run import ORDERS as ORDERS
from .runs.run import Run as Run
from .runs.run import RunFile as RunFile
from .runs.run import RunFrame as RunFrame
from .runs.run import find_runs as find_runs
from .runs.run import order_of as order_of
from .runs.run import read_run as read_run
from .runs.run import run_name as run_name
from .values.aggregates import AGGREGATES as AGGREGATES
from .values.aggregates import check_aggregate as check_aggregate
from .values.baseline_differences import has_better as has_better
from .values.judged_documents import SPARSE as SPARSE
from .values.judged_documents import Coverage as Coverage
from .values.judged_documents import find_coverage as find_coverage
from .values.judged_documents import is_worth_a_note as is_worth_a_note
from .values.judged_documents import judged_depth as judged_depth
from .values.judged_documents import judged_depths as judged_depths
from .values.judged_documents import judged_shares as judged_shares
from .values.judged_documents import proportion_single as proportion_single
from .values.judged_documents import relevance_level as relevance_level
from .values.judged_documents import unjudged_notes as unjudged_notes
from .values.name_lookup import find_run as find_run
from .values.name_lookup import find_topics as find_topics
from .values.value_cube import Curve as Curve
from .values.value_cube import Given as Given
from .values.value_cube import Named as Named
from .values.value_cube import Values as Values
from .values.value_notes import notes_on as notes_on
from .values.value_notes import warning_notes as warning_notes
from .values.wide_scores import read_scores as read_scores

if TYPE_CHECKING:
    from .answers.answer_files import read_answers as read_answers
    from .answers.judged_answers import Citations as Citations
    from .answers.judged_answers import JudgedAnswers as JudgedAnswers
    from .answers.judged_answers import Nuggets as Nuggets
    from .answers.judged_answers import NuggetWeights as NuggetWeights
    from .answers.judged_answers import PerAnswer as PerAnswer
    from .assessed.arrow_partitions import read_part as read_part
    from .files.file_inspection import Inspected as Inspected
    from .files.file_inspection import compare_documents as compare_documents
    from .files.file_inspection import compare_topics as compare_topics
    from .files.file_inspection import inspect as inspect
    from .files.file_inspection import inspect_all as inspect_all
    from .files.ir_datasets import find_dataset as find_dataset
    from .files.ir_datasets import knows_datasets as knows_datasets
    from .files.several_collections import Collection as Collection
    from .files.several_collections import read_collections as read_collections
    from .files.size_limits import Limits as Limits
    from .judgments.aspects import Aspects as Aspects
    from .judgments.aspects import read_aspects as read_aspects
    from .judgments.attributes import Attributes as Attributes
    from .judgments.attributes import read_attributes as read_attributes
    from .judgments.judgment_edits import grades_table as grades_table
    from .judgments.judgment_edits import judged_table as judged_table
    from .judgments.judgment_edits import regrade as regrade
    from .judgments.judgment_edits import regraded_table as regraded_table
    from .judgments.label_flips import flip_labels as flip_labels
    from .judgments.label_flips import flipped_grades as flipped_grades
    from .judgments.preference_judgments import Preferences as Preferences
    from .judgments.preference_judgments import Wins as Wins
    from .judgments.preference_judgments import check_preferences as check_preferences
    from .judgments.preference_judgments import read_preferences as read_preferences
    from .judgments.qrels_diff import judgments_table as judgments_table
    from .labels.combined_labels import join_labels as join_labels
    from .labels.label_files import labels_from_qrels as labels_from_qrels
    from .labels.label_files import read_labels as read_labels
    from .labels.vote_files import read_votes as read_votes
    from .labels.worker_labels import Answers as Answers
    from .labels.worker_labels import Labels as Labels
    from .labels.worker_labels import Votes as Votes
    from .logs.engine_errors import spark_fault as spark_fault
    from .logs.excluded_rows import ExcludedRows as ExcludedRows
    from .logs.experiment_users import ROLES as ROLES
    from .logs.experiment_users import Users as Users
    from .logs.experiment_users import read_experiment as read_experiment
    from .logs.impression_log import FIELDS as FIELDS
    from .logs.impression_log import PAUSE as PAUSE
    from .logs.impression_log import SATISFIED as SATISFIED
    from .logs.impression_log import Log as Log
    from .logs.log_files import read_log as read_log
    from .logs.policy_log import Choices as Choices
    from .logs.policy_log_files import read_choices as read_choices
    from .logs.query_engines import Engine as Engine
    from .logs.query_engines import connect as connect
    from .logs.query_engines import fetch as fetch
    from .logs.query_engines import spark_paths as spark_paths
    from .logs.query_engines import spark_session as spark_session
    from .logs.row_checks import exclude_rows as exclude_rows
    from .logs.row_checks import rows_together as rows_together
    from .logs.run_outcomes import Outcomes as Outcomes
    from .logs.run_outcomes import read_outcomes as read_outcomes
    from .logs.ubi_logs import read_ubi as read_ubi
    from .runs.document_index import NamedDocuments as NamedDocuments
    from .runs.document_index import name_documents as name_documents
    from .runs.header_entries import entries_from_headers as entries_from_headers
    from .runs.header_entries import join_entries as join_entries
    from .runs.ir_metadata import flatten_metadata as flatten_metadata
    from .runs.ir_metadata import header_of as header_of
    from .runs.ir_metadata import read_metadata as read_metadata
    from .runs.ir_metadata import read_metadata_file as read_metadata_file
    from .runs.ir_metadata import run_type as run_type
    from .runs.ir_metadata import write_metadata as write_metadata
    from .runs.prior_runs import PRIORS as PRIORS
    from .runs.prior_runs import Best as Best
    from .runs.prior_runs import Prior as Prior
    from .runs.prior_runs import make_prior as make_prior
    from .runs.prior_runs import split_known as split_known
    from .runs.ranking_series import Series as Series
    from .runs.ranking_series import join_series as join_series
    from .runs.ranking_series import read_series as read_series
    from .runs.run_entries import ENTRY_COLUMNS as ENTRY_COLUMNS
    from .runs.run_entries import Entries as Entries
    from .runs.run_entries import Entry as Entry
    from .runs.run_entries import read_entries as read_entries
    from .runs.run_factors import Factors as Factors
    from .runs.run_factors import read_factors as read_factors
    from .topics.corpus import Corpus as Corpus
    from .topics.corpus import each_document as each_document
    from .topics.corpus import read_corpus as read_corpus
    from .topics.corpus import stream_corpus as stream_corpus
    from .topics.corpus_files import Found as Found
    from .topics.corpus_scan import CorpusScan as CorpusScan
    from .topics.topic_set import TopicTexts as TopicTexts
    from .topics.topic_set import read_topics as read_topics
    from .topics.topic_text import TopicText as TopicText
    from .values.replicates import Replicated as Replicated
    from .values.replicates import has_replicates as has_replicates
    from .values.replicates import read_replicates as read_replicates
    from .values.topic_norms import Norms as Norms
    from .values.topic_norms import read_norms as read_norms
    from .values.topic_norms import write_norms as write_norms
    from .values.topic_splits import SPLITS as SPLITS
    from .values.topic_splits import Splits as Splits
    from .values.topic_splits import draw_splits as draw_splits
    from .values.topic_splits import read_splits as read_splits
    from .values.topic_splits import split_topics as split_topics
    from .values.topic_splits import write_splits as write_splits
else:
    # What few commands read.
    __getattr__ = Later(
        __name__,
        {
            "judgments.aspects": "Aspects read_aspects",
            "judgments.attributes": "Attributes read_attributes",
            "logs.policy_log": "Choices",
            "files.several_collections": "Collection read_collections",
            "topics.corpus": "Corpus each_document read_corpus stream_corpus",
            "topics.corpus_files": "Found",
            "topics.corpus_scan": "CorpusScan",
            "logs.engine_errors": "spark_fault",
            "logs.excluded_rows": "ExcludedRows",
            "logs.query_engines": "Engine connect fetch spark_paths spark_session",
            "runs.run_entries": "ENTRY_COLUMNS Entries Entry read_entries",
            "runs.run_factors": "Factors read_factors",
            "judgments.label_flips": "flip_labels flipped_grades",
            "files.file_inspection": "Inspected compare_documents compare_topics inspect inspect_all",
            "files.ir_datasets": "find_dataset knows_datasets",
            "runs.header_entries": "entries_from_headers join_entries",
            "labels.combined_labels": "join_labels",
            "labels.worker_labels": "Answers Labels Votes",
            "files.size_limits": "Limits",
            "logs.impression_log": "FIELDS PAUSE SATISFIED Log",
            "runs.ir_metadata": "flatten_metadata header_of read_metadata read_metadata_file run_type write_metadata",
            "runs.prior_runs": "PRIORS Best Prior make_prior split_known",
            "runs.document_index": "NamedDocuments name_documents",
            "values.topic_norms": "Norms read_norms write_norms",
            "answers.judged_answers": "Citations JudgedAnswers NuggetWeights Nuggets PerAnswer",
            "assessed.arrow_partitions": "read_part",
            "judgments.preference_judgments": "Preferences Wins check_preferences read_preferences",
            "answers.answer_files": "read_answers",
            "logs.policy_log_files": "read_choices",
            "labels.label_files": "labels_from_qrels read_labels",
            "logs.log_files": "read_log",
            "logs.experiment_users": "ROLES Users read_experiment",
            "logs.run_outcomes": "Outcomes read_outcomes",
            "labels.vote_files": "read_votes",
            "judgments.judgment_edits": "grades_table judged_table regrade regraded_table",
            "judgments.qrels_diff": "judgments_table",
            "values.replicates": "Replicated has_replicates read_replicates",
            "runs.ranking_series": "Series join_series read_series",
            "values.topic_splits": "SPLITS Splits draw_splits read_splits split_topics write_splits",
            "topics.topic_text": "TopicText",
            "topics.topic_set": "TopicTexts read_topics",
            "logs.row_checks": "exclude_rows rows_together",
            "logs.ubi_logs": "read_ubi",
        },
    )
