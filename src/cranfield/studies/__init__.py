"""Studies: each answers one question of a user. The command line and the server call the same functions."""

from typing import TYPE_CHECKING

from cranfield._lazy_imports import Later

from .evaluation.evaluation_spec import Question as Question
from .evaluation.evaluation_spec import measures_of as measures_of
from .evaluation.input_notes import reading_notes as reading_notes
from .evaluation.study import evaluate as evaluate

if TYPE_CHECKING:
    from .boards.label_changes import relabel as relabel
    from .boards.near_duplicates import duplicates as duplicates
    from .boards.private_topics import ladder as ladder
    from .boards.study import leaderboard as leaderboard
    from .click_models.study import clicks as clicks
    from .comparison.answered_topics import answers as answers
    from .comparison.readable_tables import ONLY_P as ONLY_P
    from .comparison.readable_tables import PAIR_COLUMNS as PAIR_COLUMNS
    from .comparison.readable_tables import column_names as column_names
    from .comparison.readable_tables import line_name as line_name
    from .comparison.readable_tables import only_p as only_p
    from .comparison.readable_tables import readable_evidence as readable_evidence
    from .comparison.readable_tables import summary_of_values as summary_of_values
    from .comparison.requirements import RULES as RULES
    from .comparison.several_collections import across as across
    from .comparison.study import compare as compare
    from .comparison.wide_tables import wide_dominance as wide_dominance
    from .comparison.wide_tables import wide_outcomes as wide_outcomes
    from .comparison.wide_tables import wide_overall as wide_overall
    from .counterfactuals.study import counterfactual as counterfactual
    from .crowds.pair_preferences import preferences as preferences
    from .crowds.study import crowd as crowd
    from .evaluation.ranking_series import equity as equity
    from .evaluation.ranking_series import series as series
    from .experiments.study import ab as ab
    from .experiments.study import assign_users as assign_users
    from .files.conversion import convert as convert
    from .files.linting import lint as lint
    from .files.run_fusion import fuse as fuse
    from .interleaving.study import interleave as interleave
    from .interleaving.study import interleaved_page as interleaved_page
    from .interleaving.study import sensitivity as sensitivity
    from .offline_online.study import bridge as bridge
    from .pools.pool_health import health as health
    from .pools.pool_health import unjudged as unjudged
    from .pools.strategy_replay import replay_pool as replay_pool
    from .pools.study import audit_pool as audit_pool
    from .pools.study import pool as pool
    from .pools.study import read_candidates as read_candidates
    from .reproduction.study import reproduce as reproduce
    from .run_novelty.study import novelty as novelty
    from .sample_size.study import power as power
    from .scales.study import scale as scale
    from .significance.paper_tables import paper_table as paper_table
    from .significance.study import test as test
    from .split_halves.study import agreement as agreement
    from .topic_sets.study import topics as topics
    from .variance.study import anova as anova
    from .written_answers.study import nuggets as nuggets
    from .written_answers.study import support as support
else:
    # Statistics cost 20 ms to load.
    __getattr__ = Later(
        __name__,
        {
            "experiments.study": "ab assign_users",
            "comparison.several_collections": "across",
            "split_halves.study": "agreement",
            "variance.study": "anova",
            "comparison.answered_topics": "answers",
            "offline_online.study": "bridge",
            "click_models.study": "clicks",
            "comparison.readable_tables": "ONLY_P PAIR_COLUMNS column_names line_name only_p readable_evidence "
            "summary_of_values",
            "comparison.requirements": "RULES",
            "comparison.study": "compare",
            "files.conversion": "convert",
            "counterfactuals.study": "counterfactual",
            "crowds.study": "crowd",
            "boards.near_duplicates": "duplicates",
            "files.run_fusion": "fuse",
            "pools.pool_health": "health unjudged",
            "interleaving.study": "interleave interleaved_page sensitivity",
            "boards.private_topics": "ladder",
            "boards.study": "leaderboard",
            "files.linting": "lint",
            "run_novelty.study": "novelty",
            "written_answers.study": "nuggets support",
            "pools.study": "audit_pool pool read_candidates",
            "pools.strategy_replay": "replay_pool",
            "sample_size.study": "power",
            "crowds.pair_preferences": "preferences",
            "boards.label_changes": "relabel",
            "reproduction.study": "reproduce",
            "scales.study": "scale",
            "evaluation.ranking_series": "equity series",
            "significance.paper_tables": "paper_table",
            "significance.study": "test",
            "topic_sets.study": "topics",
            "comparison.wide_tables": "wide_dominance wide_outcomes wide_overall",
        },
    )
